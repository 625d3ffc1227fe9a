// The game on the page: its start, its tree of moves, and the position that is shown. Play and study share it. The
// server knows the rules; positions that it has told are remembered.
import { post, ServerError } from "./connection.js";
import { createStore, keep, keepInTab, keptInTab } from "./store.js";
import * as trees from "./tree.js";

/** The default start: the smallest board that people play in earnest. */
export const DEFAULT_LINE = { game: "tanbo", start: { size: 9, setup: "classic", players: 2 } };

/**
 * `line` {game, start}; `tree` and `at`, the node that is shown; `header` of the record, or null; `seats`: for each
 * player `person` or the name of a level; `position`: what the server told of the shown node, or null until it does;
 * `error`: one sentence, if the server refused something.
 */
export const game = createStore({
  line: DEFAULT_LINE, tree: trees.newTree(), at: 0, header: null, seats: ["person", "person"], position: null, error: "",
});

const positions = new Map(); // by start and moves
const asked = new Map(); // promises of positions that the server is asked for
const MOST_POSITIONS = 4000;

const keyOf = (line, moves) => JSON.stringify([line.game, line.start, moves]);

/** Remembers a position; returns the one that was remembered first, because it may be shown. */
function remember(key, position) {
  if (positions.has(key)) return positions.get(key);
  if (positions.size >= MOST_POSITIONS) positions.clear();
  positions.set(key, position);
  return position;
}

/** The whole line to a node, as the server reads it. */
export function lineTo(state, id = state.at) {
  return { ...state.line, moves: trees.movesTo(state.tree, id) };
}

/** The position after a line, from memory or from the server. */
export async function positionOf(line) {
  const key = keyOf(line, line.moves);
  if (positions.has(key)) return positions.get(key);
  if (!asked.has(key)) {
    asked.set(key, post("position", line).then((position) => remember(key, position)).finally(() => asked.delete(key)));
  }
  return asked.get(key);
}

/** The remembered position of a node, or undefined. */
export function knownPosition(state, id) {
  return positions.get(keyOf(state.line, trees.movesTo(state.tree, id)));
}

/** Fetches all positions of a line at once; stepping through it is immediate then. */
export async function learnLine(line) {
  const told = await post("replay", line);
  const { positions: all, ...shared } = told;
  all.forEach((position, number) => {
    const moves = line.moves.slice(0, number);
    remember(keyOf(line, moves), { ...shared, line: { ...line, moves }, ...position });
  });
}

/** Shows a node. The position follows when the server has told it, unless another node is shown by then. */
export async function goTo(id) {
  const state = game.get();
  if (!state.tree.nodes[id]) return;
  const known = knownPosition(state, id);
  game.set({ at: id, error: "", ...(known ? { position: known } : {}) });
  if (known) return;
  try {
    const position = await positionOf(lineTo(state, id));
    if (game.get().at === id && game.get().tree.nodes[id]) game.set({ position });
  } catch (error) {
    if (error instanceof ServerError && game.get().at === id) game.set({ error: error.message });
  }
}

/**
 * Plays a move at the shown node, in the tree and on the board; returns whether it is legal. `also(tree, at, position)`
 * is called just before; it returns the tree to show.
 */
export async function play(move, also = (tree) => tree) {
  const before = game.get();
  let position;
  try {
    const line = lineTo(before);
    position = await positionOf({ ...line, moves: [...line.moves, move] });
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    game.set({ error: error.message });
    return false;
  }
  const state = game.get();
  if (state.at !== before.at || state.line !== before.line) return false;
  const [tree, at] = trees.add(state.tree, state.at, move);
  game.set({ tree: also(tree, at, position), at, position, error: "" });
  return true;
}

/**
 * Begins another game. `given` may have `tree`, `at`, `header` and `seats`. Nothing changes if the server refuses the
 * start or a move of the main line; the error is thrown.
 */
export async function openGame(line, given = {}) {
  const tree = given.tree || trees.newTree();
  const main = trees.mainLine(tree);
  const whole = { game: line.game, start: line.start, moves: trees.movesTo(tree, main[main.length - 1]) };
  const first = await post("position", { ...whole, moves: [] });
  // The server names what was left open, such as the setup of a size.
  const resolved = { game: first.line.game, start: first.line.start };
  await learnLine({ ...resolved, moves: whole.moves });
  const at = given.at !== undefined && tree.nodes[given.at] ? given.at : main[main.length - 1];
  await positionOf({ ...resolved, moves: trees.movesTo(tree, at) });
  const seats = first.players.map((_, player) => given.seats?.[player] || "person");
  const next = { line: resolved, tree, at, header: given.header || null, seats, error: "" };
  game.set({ ...next, position: knownPosition(next, at) || null });
  await goTo(at);
}

/** Changes the tree by a function of tree.js that returns the new one, or [tree, node to show]. */
export function editTree(edit) {
  const before = game.get();
  const found = edit(before.tree);
  const [tree, at] = Array.isArray(found) ? found : [found, before.at];
  // At once, because no listener may see a node that its tree lacks.
  game.set({ tree, at });
  if (at !== before.at) goTo(at);
}

/** Steps along the line that is shown: `first`, `back`, `on`, `last`. */
export function step(way) {
  const { tree, at } = game.get();
  const { parent, children } = tree.nodes[at];
  if (way === "first") goTo(0);
  else if (way === "back" && parent !== null) goTo(parent);
  else if (way === "on" && children.length > 0) goTo(children[0]);
  else if (way === "last") goTo(trees.lineThrough(tree, at).at(-1));
}

// The address holds the line that is shown, so that a link to it can be sent; the browser keeps the whole tree.

/** The part of an address that names the shown position. */
export function addressOf(state) {
  const moves = trees.movesTo(state.tree, state.at);
  const { size, setup, players, text } = state.line.start;
  const fields = { game: state.line.game };
  if (text !== undefined) fields.text = text;
  else Object.assign(fields, { size, setup, ...(players !== 2 ? { players } : {}) });
  if (moves.length > 0) fields.moves = moves.join(".");
  return new URLSearchParams(fields).toString();
}

/** Reads what `addressOf` wrote: a line with moves, or null. */
export function readAddress(text) {
  const fields = new URLSearchParams(text);
  if (!fields.has("game")) return null;
  const start = {};
  for (const name of ["size", "players"]) if (fields.has(name)) start[name] = Number(fields.get(name));
  for (const name of ["setup", "text"]) if (fields.has(name)) start[name] = fields.get(name);
  const moves = (fields.get("moves") || "").split(".").filter((move) => move !== "");
  return { game: fields.get("game"), start, moves };
}

/** Keeps the game in the browser whenever it changes. */
export function keepGame() {
  let timer = null;
  let before = game.get();
  const save = () => {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    const { line, tree, at, header, seats } = game.get();
    const value = { line, tree: trees.toList(tree), path: trees.movesTo(tree, at), header, seats };
    keepInTab("game", value);
    // A tab that only looks on does not decide what the next one begins with.
    if (["tree", "header", "seats"].some((name) => before[name] !== game.get()[name])) keep("game", value);
    before = game.get();
  };
  game.subscribe(() => { timer ??= setTimeout(save, 200); });
  // Only what is new: another tab may have kept its game since.
  addEventListener("pagehide", save);
}

/** Whether the server did not answer, or does not know this page: then nothing is known about what was asked. */
const isAway = (error) => error instanceof ServerError && (error.status === 0 || error.status === 401);

/** Opens the game that was kept, or else a new one, and shows in it what the address names. */
export async function restoreGame(address) {
  const old = keptInTab("game", null);
  try {
    await (old ? openKept(old) : openGame(DEFAULT_LINE));
  } catch (error) {
    if (isAway(error)) throw error;
    // What was kept is from another version, or was tampered with.
    await openGame(DEFAULT_LINE);
  }
  await openLink(address);
}

async function openKept({ line, tree: list, path, header, seats }) {
  let tree = trees.fromList(list);
  let at = 0;
  for (const move of path) [tree, at] = trees.add(tree, at, move);
  await openGame(line, { tree, at, header, seats });
}

/**
 * Shows the position that an address names: in the open game if that has the same start, else in a new one. Returns
 * whether another game was opened. A link that is wrong changes nothing.
 */
export async function openLink(address) {
  const linked = readAddress(address);
  if (!linked || address === addressOf(game.get())) return false;
  try {
    await learnLine(linked);
    const state = game.get();
    const isOther = !isSameStart(linked, state.line);
    let tree = isOther ? trees.newTree() : state.tree;
    let at = 0;
    for (const move of linked.moves) [tree, at] = trees.add(tree, at, move);
    if (isOther) {
      await openGame(linked, { tree });
    } else {
      game.set({ tree });
      await goTo(at);
    }
    return isOther;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    game.set({ error: `This link cannot be opened: ${error.message}` });
    return false;
  }
}

function isSameStart(linked, line) {
  const text = (start) => JSON.stringify([start.size, start.setup, start.players ?? 2, start.text]);
  return linked.game === line.game && text(linked.start) === text(line.start);
}
