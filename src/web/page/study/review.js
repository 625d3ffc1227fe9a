// A whole game examined in the background. The result stays until another game is examined; it fits whatever part of
// it the tree still has.
import { game } from "../game.js";
import * as jobs from "../jobs.js";
import { createStore, keep, kept } from "../store.js";
import * as trees from "../tree.js";
import { pause } from "./analysis.js";

/** How long a review takes, by name: iterations for each position. */
export const DEPTHS = [
  { name: "quick", title: "Quick", iterations: 300 },
  { name: "normal", title: "Normal", iterations: 2000 },
  { name: "deep", title: "Deep", iterations: 20000 },
];

const BEST = 5;
const MOST_KEPT = 1_500_000; // letters; browsers keep about 5 million for a site

/**
 * `state`: `none`, `running`, `done`, `failed` or `interrupted`; `done`, `all` and `verifying` while it runs; `of`: the
 * line that was examined; `review`: its result.
 */
export const review = createStore({
  state: "none", depth: kept("study.depth", "normal"), done: 0, all: 0, verifying: null, error: "", of: null, review: null,
  ...restored(),
});

function restored() {
  const old = kept("study.review", null);
  return old && old.of && Array.isArray(old.review?.positions) ? { ...old, state: "done" } : {};
}

let endJob = null;

export function setDepth(depth) {
  keep("study.depth", depth);
  review.set({ depth });
}

/** The nodes of the game to examine: the shown line to its end. */
const wholeLine = (state) => trees.lineThrough(state.tree, state.at);

/** Examines the shown line from the start to its end. */
export function startReview() {
  const state = game.get();
  const ids = wholeLine(state);
  const line = { ...state.line, moves: trees.movesTo(state.tree, ids.at(-1)) };
  const { iterations } = DEPTHS.find(({ name }) => name === review.get().depth) || DEPTHS[1];
  const comments = ids.slice(1).map((id) => state.tree.nodes[id].comment);
  pause("review", true);
  review.set({ state: "running", done: 0, all: ids.length, verifying: null, error: "" });
  const header = state.header || {};
  endJob = jobs.start("review", { line, comments, header, iterations, seconds: null, best: BEST }, {
    progress: ({ done, all, verifying }) => review.set({ done, all, verifying }),
    review: ({ review: found }) => finish(line, found),
    failed: (error) => { review.set({ state: "failed", error }); pause("review", false); },
  });
}

function finish(line, found) {
  endJob = null;
  review.set({ state: "done", of: line, review: found });
  const text = { of: line, review: found };
  if (JSON.stringify(text).length <= MOST_KEPT) keep("study.review", text);
  pause("review", false);
}

export function stopReview() {
  if (endJob) endJob();
  endJob = null;
  review.set({ state: review.get().review ? "done" : "none" });
  pause("review", false);
}

// Another job, such as an engine's move in Play, takes the engine away.
jobs.running.subscribe(({ kind }) => {
  if (review.get().state !== "running" || kind === "review") return;
  review.set({ state: "interrupted" });
  pause("review", false);
});

const isSame = (a, b) => JSON.stringify([a.game, a.start]) === JSON.stringify([b.game, b.start]);

/** The nodes of the tree that the review knows: one for each of its positions, as far as the tree has them. */
export function reviewedNodes({ line, tree }, { of, review: found }) {
  if (!found || !isSame(of, line)) return [];
  const ids = [0];
  for (const { move } of found.moves) {
    const next = trees.childWith(tree, ids.at(-1), move);
    if (next === undefined) break;
    ids.push(next);
  }
  return ids;
}

/** What the review says about nodes: `marks` {mark, loss, player, number} of moves, `positions` as in its JSON. */
export function judgements(state, told) {
  const [marks, positions] = [new Map(), new Map()];
  reviewedNodes(state, told).forEach((id, i) => {
    positions.set(id, told.review.positions[i]);
    if (i > 0) marks.set(id, told.review.moves[i - 1]);
  });
  return { marks, positions };
}

/** The numbers of marked moves in the order of the game. */
export const mistakesInOrder = (found) => [...found.mistakes].sort((a, b) => a - b);

/**
 * How well a player played: the moves, the share of them without a mark, the mean loss and the marked moves, the
 * largest loss first.
 */
export function summaryOf(found, player) {
  const { summary } = found.players[player];
  const marked = found.mistakes.map((number) => found.moves[number - 1]).filter((move) => move.player === player);
  const accuracy = summary.moves > 0 ? 1 - marked.length / summary.moves : null;
  return { ...summary, accuracy, marked };
}
