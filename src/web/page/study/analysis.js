// The live analysis of the shown position. It follows the game while Study is open, and remembers what it has found.
import { game, knownPosition, lineTo } from "../game.js";
import * as jobs from "../jobs.js";
import { catalog } from "../catalog.js";
import { createStore, keep, kept } from "../store.js";

/** From these losses on the review marks moves; the same limits colour best moves. */
export const THRESHOLDS = { doubtful: 0.05, mistake: 0.1, blunder: 0.2 };

const BEST = 10;
// Whoever runs through a game with the arrow keys starts no search at each move.
const SETTLE = 90; // milliseconds

/**
 * `on`: whether positions are analysed; `threat`: with the other side to move; `found`: the newest event about the
 * shown position, or null; `error`: one sentence, if the search failed.
 */
export const analysis = createStore({ on: kept("study.analysis", true), threat: false, found: null, error: "" });

// The best that was found so far, by the game and the node. A start is a new object for each game.
const seen = new WeakMap();

/** What a search has found about a node, at this visit or before: an event of `analysis`, or undefined. */
export function foundAt(state, id) {
  return seen.get(state.line)?.get(id);
}

function remember(line, id, found) {
  if (!seen.has(line)) seen.set(line, new Map());
  const known = seen.get(line).get(id);
  if (!known || found.exact || found.iterations >= known.iterations) seen.get(line).set(id, found);
}

/** Whether it makes sense to ask what would happen if the side to move passed. */
export function canThreaten(position) {
  const { told } = catalog.get();
  const about = told?.games.find(({ name }) => name === game.get().line.game);
  return !!about?.has_threats && !!position && !position.over && position.players.length === 2;
}

let isFollowing = false;
const pausedBy = new Set();
let current = ""; // what is searched, as text
let currentLine = null;
let endJob = null;
let timer = null;

function wanted() {
  const { on, threat } = analysis.get();
  const state = game.get();
  const position = knownPosition(state, state.at);
  const isThreat = threat && canThreaten(position);
  if (!isFollowing || pausedBy.size > 0 || !(on || isThreat) || !position || position.over) return null;
  return { line: lineTo(state), of: state.line, id: state.at, threat: isThreat };
}

function update() {
  const want = wanted();
  const state = game.get();
  const key = JSON.stringify(want ? [want.line, want.threat] : [state.at, analysis.get().threat]);
  if (key === current && state.line === currentLine) return;
  current = key;
  currentLine = state.line;
  clearTimeout(timer);
  // What was found before is shown at once, and also while the analysis is off.
  analysis.set({ found: (!analysis.get().threat && foundAt(state, state.at)) || null, error: "" });
  if (!want) end();
  else timer = setTimeout(() => begin(want, key), endJob ? SETTLE : 0);
}

function end() {
  if (endJob) endJob();
  endJob = null;
}

function begin(want, key) {
  endJob = jobs.start("analyze", { line: want.line, best: BEST, threat: want.threat }, {
    analysis(found) {
      if (!want.threat) remember(want.of, want.id, found);
      if (key === current) analysis.set({ found, error: "" });
    },
    failed(error) {
      if (key === current) analysis.set({ error });
    },
  });
}

/** Analyses whatever position is shown, until the returned function is called. */
export function follow() {
  isFollowing = true;
  const stops = [game.subscribe(update), analysis.subscribe(update)];
  update();
  return () => {
    stops.forEach((stop) => stop());
    isFollowing = false;
    update();
  };
}

/** Pauses the analysis while `name` needs the engine, or must not be told what is best. */
export function pause(name, isPaused) {
  if (isPaused) pausedBy.add(name);
  else pausedBy.delete(name);
  update();
}

/** Whether something pauses the analysis. */
export const isPaused = () => pausedBy.size > 0;

export function switchAnalysis(on = !analysis.get().on) {
  keep("study.analysis", on);
  analysis.set({ on, threat: false });
}

/** Searches with the other side to move, or goes back to the side to move. */
export function switchThreat() {
  const { threat } = analysis.get();
  if (!threat && !canThreaten(knownPosition(game.get(), game.get().at))) return;
  analysis.set({ threat: !threat });
}

/** Starts a search that failed again. */
export function retrySearch() {
  current = "";
  end();
  update();
}
