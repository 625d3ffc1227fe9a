// The board of Study with what is drawn on it, the buttons below it, and what a click does.
import { markClass, percent, title } from "../board.js";
import { Board } from "../board-view.js";
import { game, knownPosition, lineTo, play, step } from "../game.js";
import { html, useEffect } from "../lib.js";
import { useStore } from "../store.js";
import * as trees from "../tree.js";
import { tellMove } from "../words.js";
import { analysis, canThreaten, switchAnalysis, switchThreat, THRESHOLDS } from "./analysis.js";
import { legalCells, meaningOf, reasonOf } from "./clicks.js";
import { STEPS } from "./icons.js";
import { isAsking, retry, tryMove } from "./retry.js";
import { choiceOf, toggle, undo, view } from "./view.js";

const THREATS = 3; // marks on the board

/** What a click on a cell does: a move, a try, the choice of a piece, or the reason why not. */
async function clickCell(cell) {
  const state = game.get();
  const position = knownPosition(state, state.at);
  if (!position || position.over) return;
  const isTry = isAsking();
  const { number, state: stage } = retry.get();
  if (number !== null && (stage === "judging" || stage === "answering")) return;
  const meaning = meaningOf(position, view.get().selected, cell);
  view.set({ wrong: null, selected: meaning.selected ?? -1 });
  if (meaning.move) await (isTry ? tryMove(meaning.move) : play(meaning.move));
  if (!meaning.wrong) return;
  const wrong = await reasonOf(lineTo(state), meaning.wrong);
  if (wrong && game.get().at === state.at) view.set({ wrong });
}

// Threats have marks of their own, because they are moves of the other side.
function threats(best, isSquares) {
  const moves = best.slice(0, THREATS).map((move) => ({ step: move.line[0], text: percent(move.value, move.proven, true) })).filter(({ step: first }) => first);
  return isSquares
    ? { arrows: moves.map(({ step: { from, to } }) => ({ from, to, kind: "threat" })) }
    : { marks: moves.map(({ step: { to }, text }) => ({ cell: to, kind: "threat", text })) };
}

// A click leaves the arrow keys to the game; whoever comes to the board by the keyboard moves its cursor with them.
function leaveBoard({ detail }) {
  const { activeElement: active } = document;
  if (detail > 0 && active && active.id === "study-board") active.blur();
}

/**
 * `shown` is what `bestOf` returns, or no moves while a better one is sought (`isSeeking`); `judged` is what the review
 * says about the shown move, `mark` its mark of the next one.
 */
export function Stage({ shown, isSeeking, judged, mark }) {
  const state = useStore(game);
  const told = useStore(view);
  const { threat } = useStore(analysis);
  const { tree, at, position, error } = state;
  // The last move stays in sight while its marks fade.
  useEffect(() => { if (told.wrong || error) document.getElementById("study-said")?.scrollIntoView({ block: "nearest" }); }, [told.wrong, error]);
  if (!position) return html`<div class="stage"><p class="wait" aria-busy="true">Loading</p></div>`;
  const { best } = shown;
  const choice = choiceOf(told, best);
  const parent = tree.nodes[at].parent;
  const before = parent !== null ? knownPosition(state, parent) : null;
  const next = tree.nodes[at].children[0];
  const played = next !== undefined && knownPosition(state, next)?.change;
  const isSquares = position.board?.ground === "squares";
  const drawsBest = told.best && best.length > 0;
  const show = {
    last: position.change, before: before ? before.rows : null,
    spaces: told.spaces, wrong: told.wrong, selected: told.selected,
    line: choice >= 0 ? best[choice].line : null, lineChoice: choice, thresholds: THRESHOLDS,
    // Whoever retries a mistake sees what was played, and no best moves.
    best: threat || !(drawsBest || isSeeking) ? null : best, played: played ? { ...played, mark } : null,
    legal: told.selected >= 0 ? legalCells(position, told.selected) : [],
    ...(threat && drawsBest && choice < 0 ? threats(best, isSquares) : {}),
  };
  const canPlay = (cell) => position.legal.some((move) => move.to === cell);
  return html`<div class="stage" onClick=${leaveBoard}>
    <${Board} id="study-board" position=${position} show=${show} onCell=${clickCell} playable=${canPlay}
      onChoice=${(index) => { if (index !== view.get().looked) view.set({ looked: index }); }} />
    <${Controls} state=${state} told=${told} />
    <div id="study-said" class="said-line" role="status">
      ${told.wrong && html`<p class="error">${told.wrong.text}</p>`}
      ${error && html`<p class="error">${error}</p>`}
      ${told.said && html`<p>${told.said} ${told.undo && html`<button onClick=${undo}>Undo</button>`}</p>`}
      <p>${inWords({ position, before })}</p>
      ${judged?.mark && html`<p>It lost ${(100 * judged.loss).toFixed(1)}\u00a0%<span class=${"mark " + markClass(judged.mark)}>${judged.mark}</span>; ${judged.best} was better.</p>`}
    </div>
  </div>`;
}

/** The last move and who is next. */
function inWords({ position, before }) {
  const { change, players, turn, over, winner, number } = position;
  const parts = change ? [`${number}. ${tellMove(position, before)}.`] : [];
  if (over) parts.push(winner === null ? "The game is over: a draw." : `The game is over: ${title(players[winner])} won.`);
  else parts.push(`${title(players[position.to_move])} to move${turn ? `, ${turn}` : ""}.`);
  return parts.join(" ");
}

function Controls({ state, told }) {
  const { tree, at, position } = state;
  const { on, threat } = useStore(analysis);
  const length = trees.lineThrough(tree, at).length - 1;
  const place = trees.pathTo(tree, at).length - 1;
  const isEnd = { first: place === 0, back: place === 0, on: place === length, last: place === length };
  const hasSpaces = !!position.spaces?.length;
  return html`<div class="controls">
    <div class="steps" role="group" aria-label="Steps">
      <${StepButton} way="first" isEnd=${isEnd} /><${StepButton} way="back" isEnd=${isEnd} />
      <output aria-label="Move">${place} / ${length}</output>
      <${StepButton} way="on" isEnd=${isEnd} /><${StepButton} way="last" isEnd=${isEnd} />
    </div>
    <div class="switches" role="group" aria-label="On the board">
      <${Switch} isOn=${on && !threat} name="Analysis" hint="a" onPress=${() => switchAnalysis(threat || !on)} />
      <${Switch} isOn=${told.best} name="Best moves" hint="b" onPress=${() => toggle("best")} />
      ${hasSpaces && html`<${Switch} isOn=${told.spaces} name="Spaces" hint="s" onPress=${() => toggle("spaces")} />`}
      ${(threat || canThreaten(position)) && html`<${Switch} isOn=${threat} name="Threat" hint="t" onPress=${switchThreat} />`}
    </div>
  </div>`;
}

const Switch = ({ isOn, name, hint, isOff, onPress }) => html`<button aria-pressed=${isOn} disabled=${isOff} onClick=${onPress}>${name} <kbd class="hints" aria-hidden="true">${hint}</kbd></button>`;

function StepButton({ way, isEnd }) {
  const { label, key, path } = STEPS[way];
  return html`<button aria-label=${`${label} (${key})`} title=${label} disabled=${isEnd[way]} onClick=${() => step(way)}>
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d=${path} /></svg>
  </button>`;
}
