// The engines that sit at the board: they think when it is their turn, as long as Play is open.
import { connection, on } from "../connection.js";
import { game, lineTo } from "../game.js";
import { start } from "../jobs.js";
import { choosePie, isAway, PERSON, playerToMove, playing, playMove, resultOf, times } from "./playing.js";
import { createStore } from "../store.js";
import { colourOf } from "../words.js";

/** `player`: who thinks, or null; `error`: why it cannot, or an empty text. */
export const thinking = createStore({ player: null, error: "" });

const PAUSE = 450; // milliseconds between moves of engines, so that people can follow
const PIE_SECONDS = 1.5;

const wait = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

let isOpen = false;
let task = null; // {kind, line, at, level, isPlaying, cancel}

/** Lets the engines play until the returned function is called. */
export function runOpponents() {
  isOpen = true;
  const ends = [game.subscribe(consider), playing.subscribe(consider), on("hello", consider)];
  consider();
  return () => {
    isOpen = false;
    ends.forEach((end) => end());
    consider();
  };
}

/** Tries again after an error. */
export function tryAgain() {
  cancel();
  consider();
}

/** What an engine has to do now, or null. */
function wanted() {
  const state = game.get();
  const match = playing.get();
  if (!isOpen || match.isPaused || match.line !== state.line || !state.position || isAway(state, match)) return null;
  const base = { line: state.line, at: state.at };
  if (match.pie === "choose" && !resultOf(state, match)) {
    return state.seats[1] === PERSON ? null : { ...base, kind: "choose", player: 1, level: state.seats[1] };
  }
  const player = playerToMove(state, match);
  if (player === null || state.seats[player] === PERSON) return null;
  return { ...base, kind: match.pie === "first" ? "divide" : "move", player, level: state.seats[player] };
}

const isSame = (one, other) => ["kind", "line", "at", "level", "player"].every((name) => one[name] === other[name]);

function consider() {
  const next = wanted();
  if (task && task.isPlaying && isOpen && follows(task)) return;
  if (task && next && isSame(task, next)) return;
  cancel();
  if (next) begin(next);
}

/** Whether the shown node is where the moves of a task have led so far. */
function follows({ line, at }) {
  const state = game.get();
  const node = state.tree.nodes[state.at];
  return state.line === line && (state.at === at || (node && node.parent === at));
}

function cancel() {
  if (!task) return;
  const old = task;
  task = null;
  old.isCancelled = true;
  old.stop();
  thinking.set({ player: null, error: "" });
}

function begin(own) {
  task = own;
  own.stop = () => {};
  thinking.set({ player: own.player, error: "" });
  const state = game.get();
  const failed = (text) => { if (task === own) thinking.set({ player: null, error: text }); };
  if (own.kind === "move") {
    const { clock } = playing.get();
    const time = clock ? { ...clock, left: times.get().left[own.player] } : null;
    const began = performance.now();
    own.stop = start("genmove", { line: lineTo(state), level: own.level, clock: time, seconds: null }, {
      move: (data) => answer(own, data.moves, Math.max(0, PAUSE - (performance.now() - began))),
      failed,
    });
    return;
  }
  const look = lookBriefly(lineTo(state), { seconds: PIE_SECONDS, best: 100 });
  own.stop = look.cancel;
  look.found.then((analysis) => {
    if (own.isCancelled) return;
    if (own.kind === "divide") answer(own, evenMove(analysis), 0);
    else decide(own, analysis);
  }, (error) => failed(error.message));
}

/** The first move that leaves the most even chances. */
function evenMove(analysis) {
  const looked = analysis.best.filter((move) => move.visits > 0);
  const from = looked.length > 0 ? looked : analysis.best;
  const even = from.reduce((one, other) => (Math.abs(other.value - 0.5) < Math.abs(one.value - 0.5) ? other : one));
  return [even.move];
}

function decide(own, analysis) {
  const { position } = game.get();
  const takesOther = analysis.values[0] > analysis.values[1];
  task = null;
  thinking.set({ player: null, error: "" });
  choosePie(takesOther, `Tanada chooses ${colourOf(position, takesOther ? 0 : 1)}.`);
}

async function answer(own, moves, pause) {
  own.isPlaying = true;
  own.stop = () => {};
  await wait(pause);
  for (const [number, move] of moves.entries()) {
    if (number > 0) await wait(PAUSE);
    if (own.isCancelled) return;
    if (!(await playMove(move))) break;
    own.at = game.get().at;
  }
  if (task !== own) return;
  task = null;
  thinking.set({ player: null, error: "" });
  // Without a connection the position is asked for again when there is one.
  if (connection.get().state === "open") consider();
}

/**
 * A short analysis: `found` is a promise of its last report; `cancel` ends it without one.
 * `onReport` is called with each report.
 */
export function lookBriefly(line, { seconds, best = 5, onReport = () => {} }) {
  let end = () => {};
  const found = new Promise((done, fail) => {
    const stop = start("analyze", { line, best, threat: false }, {
      analysis: (report) => {
        onReport(report);
        if (!report.done && report.seconds < seconds) return;
        stop();
        done(report);
      },
      failed: (text) => fail(new Error(text)),
    });
    end = stop;
  });
  return { found, cancel: () => end() };
}

