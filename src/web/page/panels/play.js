// Play: a game between people and engines at this board.
import { runClocks } from "../play/clocks.js";
import { game, knownPosition } from "../game.js";
import { html, useEffect, useRef, useState } from "../lib.js";
import { runOpponents } from "../play/opponent.js";
import { isAway, PERSON, playerToMove, playing, restorePlaying, resultOf, undo } from "../play/playing.js";
import { keep, kept, useStore } from "../store.js";
import { Ending } from "../play/ending.js";
import { useHint } from "../play/hint.js";
import { gentleLevel } from "../play/levels.js";
import { Moves } from "../play/moves.js";
import { NewGame } from "../play/new-game.js";
import { PlayBoard } from "../play/board.js";
import { Actions, Chances, Midway, Options, Pie, Status, waitText } from "../play/cards.js";
import { Seats } from "../play/seats.js";

const OPTIONS = { legal: true, chance: false };

/** Takes up the kept game. Whoever comes for the first time meets a gentle opponent. */
function begin(catalog) {
  const isKnown = restorePlaying();
  const state = game.get();
  const isFresh = state.tree.nodes[0].children.length === 0 && state.seats.every((seat) => seat === PERSON);
  if (!isKnown && isFresh && state.seats.length === 2 && catalog.levels.length > 0) game.set({ seats: [PERSON, gentleLevel(catalog)] });
}

export function Panel({ catalog }) {
  const begun = useRef(false);
  if (!begun.current) {
    begun.current = true;
    begin(catalog);
  }
  const state = useStore(game);
  const match = useStore(playing);
  const [isChoosing, setChoosing] = useState(false);
  const [said, setSaid] = useState("");
  const [options, setOptions] = useState({ ...OPTIONS, ...kept("play-options", {}) });
  useEffect(() => {
    const ends = [runOpponents(), runClocks()];
    return () => ends.forEach((end) => end());
  }, []);
  useEffect(() => setSaid(""), [state.at, state.line]);

  const player = playerToMove(state, match);
  const mine = player !== null && state.seats[player] === PERSON;
  const hint = useHint(state, { mine, showChance: options.chance, say: setSaid });
  const change = (name, value) => {
    const changed = { ...options, [name]: value };
    setOptions(changed);
    keep("play-options", changed);
  };
  const open = () => setChoosing(true);
  useKeys({ u: undo, h: hint.ask, n: open }, isChoosing);

  const { position } = state;
  if (!position) return html`<p class="wait" aria-busy="true">${state.error || "Loading"}</p>`;
  const before = state.at === 0 ? null : knownPosition(state, state.tree.nodes[state.at].parent);
  const result = resultOf(state, match);
  return html`
    <h1 class="unseen">Play</h1>
    <div class="columns">
      <div class="stage">
        <${Seats} catalog=${catalog} state=${state} />
        <${PlayBoard} position=${position} before=${before || null} mine=${mine} showLegal=${options.legal}
          marks=${hint.marks} arrows=${hint.arrows} waitText=${waitText(catalog, state, match, player)} say=${setSaid} onTouched=${hint.clear} />
        <${Status} catalog=${catalog} state=${state} match=${match} before=${before} said=${said} />
      </div>
      <div class="side">
        ${result && html`<${Ending} catalog=${catalog} state=${state} result=${result} onNew=${open} />`}
        ${isAway(state, match) ? html`<${Midway} />` : match.pie && !result && html`<${Pie} state=${state} match=${match} />`}
        <${Actions} state=${state} match=${match} player=${player} isOver=${!!result} hint=${hint} onNew=${open} />
        ${options.chance && html`<${Chances} position=${position} values=${hint.values} />`}
        <${Moves} state=${state} />
        <${Options} catalog=${catalog} state=${state} options=${options} change=${change} />
      </div>
    </div>
    ${isChoosing && html`<${NewGame} catalog=${catalog} onClose=${() => setChoosing(false)} />`}`;
}

/** Keys for the whole part, except in fields and in dialogs. */
function useKeys(keys, isOff) {
  const latest = useRef(null);
  latest.current = isOff ? {} : keys;
  useEffect(() => {
    const press = (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea, dialog")) return;
      const act = latest.current[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
