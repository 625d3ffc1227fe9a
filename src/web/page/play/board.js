// The board of Play: clicks and keys become moves; what is illegal is explained on the board.
import { layoutOf } from "../board.js";
import { Board } from "../board-view.js";
import { connection, post } from "../connection.js";
import { game, lineTo, positionOf } from "../game.js";
import { html, useEffect, useRef, useState } from "../lib.js";
import { playMove } from "./playing.js";
import { thing } from "../words.js";

const SMALL_CELL = 30; // pixels; below it a finger misses, so a touch asks first

/**
 * `mine`: whether a person is to move; `before`: the position before the last move, or null; `marks` and `arrows` of a
 * hint; `waitText`: what a click means while nobody here may move; `say(text)` says a sentence; `onTouched()` is called
 * when the person does something.
 */
export function PlayBoard({ position, before, mine, showLegal, marks, arrows, waitText, say, onTouched }) {
  const [selected, setSelected] = useState(-1);
  const [wrong, setWrong] = useState(null);
  const [asked, setAsked] = useState(-1);
  const box = useRef(null);
  useEffect(() => { setSelected(-1); setWrong(null); setAsked(-1); }, [position]);
  const { board, legal, change } = position;
  const squares = board && board.ground === "squares";
  const from = selected >= 0 ? selected : null;
  const here = squares ? legal.filter((move) => move.from === from) : legal;

  const refuse = async (to) => {
    const shown = game.get();
    try {
      const found = await post("why", { line: lineTo(shown), to, from });
      if (game.get().at !== shown.at) return;
      setWrong({ to, cells: found.cells });
      say(found.text);
    } catch (error) {
      say(error.message);
    }
  };
  const commit = async (move) => {
    setAsked(-1);
    setSelected(-1);
    await playMove(move);
  };
  const press = (cell) => {
    onTouched();
    setWrong(null);
    if (!mine) {
      if (waitText) say(waitText);
      return undefined;
    }
    const move = here.find((each) => each.to === cell);
    if (move) {
      if (asked !== cell && needsAsking(box.current, board)) return setAsked(cell);
      return commit(move.move);
    }
    setAsked(-1);
    if (cell === selected) return setSelected(-1);
    if (squares && legal.some((each) => each.from === cell)) {
      say("");
      return setSelected(cell);
    }
    return refuse(cell);
  };
  // The server is asked while the pointer is still on its way to the button.
  const foresee = (cell) => {
    const move = mine && connection.get().state === "open" && here.find((each) => each.to === cell);
    if (!move) return;
    const line = lineTo(game.get());
    positionOf({ ...line, moves: [...line.moves, move.move] }).catch(() => {});
  };
  const leave = (event) => {
    if (event.key !== "Escape") return;
    setSelected(-1);
    setWrong(null);
    setAsked(-1);
    say("");
  };
  const show = {
    last: change, before: before && before.rows, wrong, marks, arrows, selected: squares ? selected : undefined,
    legal: mine && (squares ? from !== null : showLegal) ? here.map((move) => move.to) : [],
    ghost: asked >= 0 ? { cell: asked, player: position.to_move } : null,
  };
  return html`<div ref=${box} onKeyDown=${leave}>
    <${Board} id="play-board" position=${position} show=${show} onCell=${press} onHover=${foresee}
      playable=${(cell) => mine && !squares && legal.some((move) => move.to === cell)} />
    ${asked >= 0 && html`<div class="row ask" role="group" aria-label="Confirm the move">
      <button class="main" onClick=${() => press(asked)}>Play ${layoutOf(board).nameOf(asked)}</button>
      <button onClick=${() => setAsked(-1)}>Another ${squares ? "square" : thing(board) === "stone" ? "point" : "place"}</button>
    </div>`}
  </div>`;
}

/** Whether the cells are too small for the finger that touches them. */
function needsAsking(box, board) {
  if (!box || !matchMedia("(pointer: coarse)").matches) return false;
  return box.getBoundingClientRect().width / (board.side + 1) < SMALL_CELL;
}
