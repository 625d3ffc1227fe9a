// A board that can be clicked, touched and used with the keyboard.
import { drawBoard, layoutOf, title } from "./board.js";
import { h, html, useLayoutEffect, useMemo, useRef, useState } from "./lib.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * A board. `position` is what the server told of a position; `show` is as in board.js. `onCell(cell)` is called for a
 * click or Enter on a cell; without it the board is a picture. `onHover(cell)` is called with -1 when the pointer
 * leaves, `onChoice(index)` when the pointer is on a best move (-1: none). `playable(cell)`: whether the ghost stone
 * of the side to move is shown there.
 */
export function Board({ position, show = {}, onCell, onHover, onChoice, playable, id }) {
  const [hovered, setHovered] = useState(-1);
  const [key, setKeyed] = useState(-1);
  const box = useRef(null);
  const { board, players } = position;
  const [pixels, setPixels] = useState(Infinity);
  useLayoutEffect(() => {
    if (!box.current) return undefined;
    const svg = box.current.querySelector("svg");
    // Without the frame that a picture may have.
    const measure = () => setPixels(Math.round((svg.getScreenCTM()?.a ?? 0) * svg.viewBox.baseVal.width) || Infinity);
    const observer = new ResizeObserver(measure);
    observer.observe(svg);
    measure();
    return () => observer.disconnect();
  }, [!board]);
  const layout = useMemo(() => board && layoutOf(board, pixels), [board, pixels]);
  if (!layout) return html`<pre class="board-text">${position.rows.join("\n")}</pre>`;

  // Another board may have fewer cells.
  const keyed = key < layout.side * layout.side ? key : -1;
  const cellOf = (event) => {
    const svg = box.current.querySelector("svg");
    const frame = svg.getBoundingClientRect();
    const scale = layout.width / frame.width;
    return layout.cellAt((event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale);
  };
  const look = (cell) => {
    if (cell === hovered) return;
    setHovered(cell);
    if (onHover) onHover(cell);
  };
  const choiceOf = (event) => {
    const node = event.target.closest("[data-choice]");
    return node ? Number(node.dataset.choice) : -1;
  };
  const move = (event) => {
    if (event.pointerType !== "touch") look(cellOf(event));
    if (onChoice) onChoice(choiceOf(event));
  };
  const press = (event) => {
    const way = STEPS[event.key];
    if (way && !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const at = keyed >= 0 ? keyed : Math.floor((layout.side * layout.side) / 2);
      const [column, row] = [at % layout.side, Math.floor(at / layout.side)];
      const clamp = (value) => Math.max(0, Math.min(layout.side - 1, value));
      setKeyed(keyed < 0 ? at : clamp(row + way[1]) * layout.side + clamp(column + way[0]));
    } else if ((event.key === "Enter" || event.key === " ") && keyed >= 0) {
      onCell(keyed);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isGhost = hovered >= 0 && position.to_move !== null && playable && playable(hovered);
  const drawn = drawBoard(h, layout, players, position, {
    ...show,
    ghost: show.ghost || (isGhost && !layout.squares ? { cell: hovered, player: position.to_move } : null),
    cursor: keyed,
  });
  if (!onCell) return html`<div class="board-box" id=${id} ref=${box}>${drawn}</div>`;
  return html`<div class="board-box can-click" id=${id} ref=${box} tabindex="0" role="application"
      aria-roledescription="board" aria-label="Board. Arrow keys move the cursor, Enter plays."
      onPointerMove=${move} onPointerLeave=${() => { look(-1); if (onChoice) onChoice(-1); }}
      onClick=${(event) => { const cell = cellOf(event); setKeyed(-1); if (cell >= 0) onCell(cell); }}
      onKeyDown=${press} onBlur=${() => setKeyed(-1)}>
    ${drawn}
    <output class="unseen" aria-live="polite">${keyed >= 0 ? nameCell(layout, position, keyed) : ""}</output>
  </div>`;
}

/** A cell in words: `C3, empty, legal`. */
export function nameCell(layout, position, cell) {
  const piece = layout.pieceOn(position.rows, cell);
  const isLegal = (position.legal || []).some((move) => move.to === cell);
  const what = piece ? title(position.players[piece.player]) + (piece.name ? ` ${piece.name}` : " stone") : "empty";
  return `${layout.nameOf(cell)}, ${what}${isLegal ? ", legal" : ""}`;
}
