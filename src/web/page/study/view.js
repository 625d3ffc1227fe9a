// What Study shows beside the game itself: switches, the variation that is looked at, a refused click, messages.
import { game, goTo, play } from "../game.js";
import { createStore, keep, kept } from "../store.js";

/**
 * `best`, `spaces`: what is drawn on the board; `looked`: the place of the best move under the pointer or focus, or -1;
 * `held`: the best move whose variation stays, or ""; `wrong` {to, cells, text}: an illegal click; `selected`: the cell of
 * the piece about to move, or -1; `said`: one sentence about what was just done, with `undo`, a game to go back to.
 */
export const view = createStore({
  best: kept("study.best", true), spaces: kept("study.spaces", false), looked: -1, held: "", wrong: null, selected: -1,
  said: "", undo: null,
});

export function toggle(name) {
  const isOn = !view.get()[name];
  keep("study." + name, isOn);
  view.set({ [name]: isOn });
}

// What belongs to a position ends with it.
let shown = null;
game.subscribe(({ line, at, tree }) => {
  if (shown && shown.line === line && shown.at === at) {
    if (view.get().undo && view.get().undo.then !== tree) view.set({ said: "", undo: null });
    return;
  }
  const isOther = !shown || shown.line !== line;
  shown = { line, at };
  view.set({ looked: -1, held: "", wrong: null, selected: -1 });
  const { undo } = view.get();
  if (undo ? undo.then !== tree : !isOther) view.set({ said: "", undo: null });
});

/** Says what was done to the game; `before` is the state to which "undo" returns. */
export function say(said, before = null) {
  view.set({ said, undo: before && { before, then: game.get().tree } });
}

/** Goes back to the game before the last deletion or opening. */
export async function undo() {
  const { undo: known } = view.get();
  if (!known) return;
  // The same line again, by which Play knows its game.
  game.set(known.before);
  await goTo(known.before.at);
  view.set({ said: "", undo: null });
}

/** Plays moves one after the other from the shown position, into the tree. */
export async function playAll(moves) {
  for (const move of moves) if (!(await play(move))) return false;
  return true;
}

/** The variation that the board shows: its place among the best moves, or -1. */
export function choiceOf({ looked, held }, best) {
  if (looked >= 0 && looked < best.length) return looked;
  return held ? best.findIndex((move) => move.move === held) : -1;
}
