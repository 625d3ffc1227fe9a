// "Retry this mistake": the position before it, a better move to be found, and the engine's answer.
import { ServerError } from "../connection.js";
import { game, goTo, lineTo, play, positionOf } from "../game.js";
import * as jobs from "../jobs.js";
import { catalog } from "../catalog.js";
import { createStore } from "../store.js";
import { pause } from "./analysis.js";
import { mistakesInOrder, review, reviewedNodes } from "./review.js";

const ENOUGH = 2000; // iterations that judge a move which the review does not list
const LONGEST = 2.5; // seconds for the same
const ANSWER = 0.7; // seconds that the engine takes for its answer

/**
 * `number`: the move that is retried, or null; `node`: the position before it; `state`: `ask`, `judging`, `wrong`,
 * `answering`, `right` or `shown` (the answer was told); `move`: the last try with its `loss`; `reply`: the engine's
 * moves; `solved`: the numbers that were found.
 */
export const retry = createStore({ number: null, node: 0, state: "ask", move: "", loss: 0, reply: [], error: "", isShown: false, solved: [] });

// A later start makes the answers of an earlier one void.
let turn = 0;
let endJob = null;

function stopJob() {
  turn += 1;
  if (endJob) endJob();
  endJob = null;
}

/** Shows the position before a mistake. */
export function startRetry(number) {
  const ids = reviewedNodes(game.get(), review.get());
  const node = ids[number - 1];
  if (node === undefined) return;
  stopJob();
  pause("retry", true);
  retry.set({ number, node, state: "ask", move: "", loss: 0, reply: [], error: "" });
  goTo(node);
}

/** Ends it; the analysis goes on. */
export function endRetry() {
  stopJob();
  retry.set({ number: null, solved: [] });
  pause("retry", false);
}

/** Study is left: what the engine was asked is void. */
export function leaveRetry() {
  stopJob();
  const { state } = retry.get();
  if (state === "judging") retry.set({ state: "ask" });
  if (state !== "answering") return;
  retry.set({ state: retry.get().isShown ? "shown" : "right" });
  pause("retry", false);
}

// Another game, or a tree without the position, has nothing to retry.
game.subscribe(({ tree, line }) => {
  const { number, node } = retry.get();
  if (number === null) return;
  if (!tree.nodes[node] || reviewedNodes({ tree, line }, review.get()).length < number) endRetry();
});

/** The next mistake (1) or the one before (-1) in the order of the game, or null. */
export function besideMistake(way) {
  const found = review.get().review;
  if (!found) return null;
  const state = game.get();
  const ids = reviewedNodes(state, review.get());
  const here = retry.get().number ?? nearestNumber(ids, state);
  const numbers = mistakesInOrder(found).filter((number) => number < ids.length);
  const next = way > 0 ? numbers.find((number) => number > here) : numbers.findLast((number) => number < here);
  return next === undefined ? null : { number: next, id: ids[next] };
}

// The number of moves at the last node of the shown path that the review knows.
function nearestNumber(ids, { tree, at }) {
  for (let id = at; id !== null; id = tree.nodes[id].parent) {
    const place = ids.indexOf(id);
    if (place >= 0) return place;
  }
  return 0;
}

/** Whether clicks on the board are tries. */
export const isAsking = () => {
  const { number, node, state } = retry.get();
  return number !== null && (state === "ask" || state === "wrong") && game.get().at === node;
};

/** Judges a move as an answer to the mistake. */
export async function tryMove(move) {
  const { number, node } = retry.get();
  const found = review.get().review;
  const mistake = found.moves[number - 1];
  const own = ++turn;
  retry.set({ state: "judging", move, error: "" });
  try {
    const loss = move === mistake.move ? mistake.loss : await lossOf(found, number, node, move, own);
    if (own !== turn || loss === null) return;
    if (move === mistake.move || loss >= Math.min(found.thresholds.doubtful, mistake.loss)) retry.set({ state: "wrong", loss });
    else await accept(move, loss, node, mistake.player, own);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (own === turn) retry.set({ state: "ask", error: error.message });
  }
}

// The chance that a move loses: by the review if it lists the move, else by a short search of the position after it.
async function lossOf(found, number, node, move, own) {
  const before = found.positions[number - 1];
  const { best_value: bestValue, player } = found.moves[number - 1];
  const listed = before.best.find((each) => each.move === move);
  if (listed) return Math.max(0, bestValue - listed.value);
  const line = lineTo(game.get(), node);
  const position = await positionOf({ ...line, moves: [...line.moves, move] });
  if (own !== turn) return null;
  if (position.over) {
    const value = position.winner === null ? 0.5 : Number(position.winner === player);
    return Math.max(0, bestValue - value);
  }
  const values = await searched(position.line, own);
  return values && Math.max(0, bestValue - values[player]);
}

function searched(line, own) {
  return new Promise((done, fail) => {
    endJob = jobs.start("analyze", { line, best: 1, threat: false }, {
      analysis({ values, exact, iterations, seconds, done: isDone }) {
        if (own !== turn) return done(null);
        if (!isDone && !exact && iterations < ENOUGH && seconds < LONGEST) return undefined;
        stopSearch();
        return done(values);
      },
      failed: (error) => fail(new ServerError(422, error)),
    });
  });
}

function stopSearch() {
  if (endJob) endJob();
  endJob = null;
}

/** Tells a best move and plays it. */
export async function showAnswer() {
  stopJob();
  const { number, node } = retry.get();
  const { best, player } = review.get().review.moves[number - 1];
  await accept(best, 0, node, player, turn, true);
}

async function accept(move, loss, node, player, own, isShown = false) {
  const solved = isShown ? retry.get().solved : [...new Set([...retry.get().solved, retry.get().number])];
  retry.set({ state: "answering", move, loss, solved, isShown });
  await goTo(node);
  let at = node;
  // Whoever goes to another position meanwhile goes without the answer.
  const playHere = async (each) => {
    if (own !== turn || game.get().at !== at || !(await play(each))) return false;
    at = game.get().at;
    return true;
  };
  if (!(await playHere(move))) {
    if (own === turn) retry.set({ state: "ask" });
    return;
  }
  const reply = [];
  // With more than two players several engines answer.
  for (let count = 0; count < game.get().position.players.length; count++) {
    const { position } = game.get();
    if (own !== turn || game.get().at !== at || position.over || position.to_move === player) break;
    const moves = await answer(lineTo(game.get()), own);
    if (own !== turn) return;
    for (const each of moves) if (await playHere(each)) reply.push(each);
  }
  if (own !== turn) return;
  retry.set({ state: isShown ? "shown" : "right", reply });
  pause("retry", false);
}

// The engine's moves; none if it cannot answer, because the try was judged all the same.
function answer(line, own) {
  const { name } = catalog.get().told.levels.at(-1);
  return new Promise((done) => {
    endJob = jobs.start("genmove", { line, level: name, clock: null, seconds: ANSWER }, {
      move: ({ moves }) => done(own === turn ? moves : []),
      failed: () => done([]),
    });
  });
}
