// A game that is played on this page: clocks, the pie, who gave up, taking back. The moves are those of game.js, which
// Study shares; what is only about playing is here, and is kept in the browser beside the game.
import { editTree, game, goTo, knownPosition, lineTo, openGame, play, positionOf } from "../game.js";
import { startText } from "../diagram.js";
import { createStore, keep, kept } from "../store.js";
import * as trees from "../tree.js";
import { colourOf, playersLeft } from "../words.js";

export const PERSON = "person";

const NOTHING = { line: null, clock: null, result: null, pie: null, hasPie: false, isPaused: false, note: "", isNoteOld: false };

/**
 * `line`: the line of game.js that this is about; `clock` {main, increment} in seconds, or null; `result` {how: `resign` or `time`, player, winner, at}: why a game ended before its rules end it; `pie`:
 * `first` (before the first move), `choose` (the other player chooses a colour) or null; `hasPie`: whether the game began with it; `note`: one sentence to say,
 * until a person moves or an engine has moved twice.
 */
export const playing = createStore({ ...NOTHING });

/** The seconds that each player has left. They change too often for the store above. */
export const times = createStore({ left: [] });

/** How the game ended: {how: `play`, `resign` or `time`, winner, player}, or null. */
export function resultOf({ position, at }, { result }) {
  if (position && position.over) return { how: "play", winner: position.winner, player: null };
  return result && result.at === at ? result : null;
}

/** Whether the position that is known is that of the shown node, which it is not while the server is asked. */
export function isCurrent(state) {
  if (!state.position) return false;
  const known = knownPosition(state, state.at);
  return known ? known === state.position : state.position.number === trees.movesTo(state.tree, state.at).length;
}

/** The player whose turn it is, or null: the game is over, the pie is to be cut, or the position is not known yet. */
export function playerToMove(state = game.get(), match = playing.get()) {
  if (!isCurrent(state) || resultOf(state, match) || match.pie === "choose") return null;
  return state.position.to_move;
}

/** Changes who sits where, in the record too. */
export function setSeats(seats) {
  game.set({ seats, header: { ...game.get().header, players: namesOf(seats) } });
}

const namesOf = (seats) => seats.map((seat) => (seat === PERSON ? null : `Tanada (${seat})`));

/** Begins a game: `line` {game, start}, `seats`, `clock` or null, `pie`. Throws what the server refuses. */
export async function newGame({ line, seats, clock = null, pie = false }) {
  await openGame(line, { seats, header: { players: namesOf(seats), date: new Date().toLocaleDateString("sv") } });
  const state = game.get();
  times.set({ left: clock ? state.seats.map(() => clock.main) : [] });
  playing.set({ ...NOTHING, line: state.line, clock, pie: pie ? "first" : null, hasPie: pie });
}

/** Plays a move for whoever is to move; returns whether it was legal. */
export async function playMove(move) {
  const before = game.get().position;
  if (!(await play(move))) return false;
  const { position, at } = game.get();
  // What is played is the game; what was taken back becomes a variation.
  editTree((tree) => {
    let changed = tree;
    while (!trees.isOnMainLine(changed, at)) changed = trees.promote(changed, at);
    return changed;
  });
  const { clock, pie, note, isNoteOld } = playing.get();
  if (clock && position.to_move !== before.to_move) {
    times.set({ left: times.get().left.map((seconds, player) => seconds + (player === before.to_move ? clock.increment : 0)) });
  }
  const keepsNote = game.get().seats[before.to_move] !== PERSON && !isNoteOld;
  playing.set({ note: keepsNote ? note : "", isNoteOld: keepsNote, isPaused: false, pie: pie === "first" ? "choose" : pie });
  return true;
}

/** The pie: the second player keeps the colour, or takes the other. */
export function choosePie(takesOther, note) {
  const { seats } = game.get();
  if (takesOther) {
    setSeats([...seats].reverse());
    times.set({ left: [...times.get().left].reverse() });
  }
  playing.set({ pie: null, note, isNoteOld: false });
}

/** The node to which `undo` goes back, or null. Before it only engines have moved. */
async function undoTarget() {
  const state = game.get();
  const hasPerson = state.seats.includes(PERSON);
  for (let at = state.tree.nodes[state.at].parent; at !== null; at = state.tree.nodes[at].parent) {
    if (!hasPerson) return at;
    const position = knownPosition(state, at) || await positionOf(lineTo(state, at));
    if (state.seats[position.to_move] === PERSON) return at;
  }
  return null;
}

/** Takes back to the last move of a person. Takes back only the resignation, if there is one. The time stays used. */
export async function undo() {
  const state = game.get();
  const { result, pie } = playing.get();
  if (result && result.at === state.at) {
    if (result.how === "resign") {
      setResult(null);
      playing.set({ note: "The resignation is taken back.", isNoteOld: false });
    }
    return;
  }
  const target = await undoTarget().catch(() => null);
  if (target === null || game.get().at !== state.at) return;
  if (result) setResult(null);
  playing.set({
    note: "Taken back.", isNoteOld: false, isPaused: !state.seats.includes(PERSON), ...(target === 0 && pie === "choose" ? { pie: "first" } : {}),
  });
  await goTo(target);
}

/** Ends the game before its rules end it, or takes that back; the record says so too, as in SGF. */
function setResult(result) {
  const { header, position } = game.get();
  playing.set({ result });
  const winner = result && result.winner !== null ? position.players[result.winner].charAt(0).toUpperCase() : null;
  game.set({ header: { ...header, result: winner && `${winner}+${result.how === "time" ? "T" : "R"}` } });
}

/** A player gives up or runs out of time. Of two the other wins; of more the others play on without that one's stones. */
export async function leave(player, how) {
  const state = game.get();
  const { position, at } = state;
  const others = playersLeft(position).filter((each) => each !== player);
  if (others.length < 2) {
    setResult({ how, player, winner: others.length === 1 ? others[0] : null, at });
    return;
  }
  const gone = position.board.pieces.filter((piece) => piece.player === player).map((piece) => piece.symbol);
  const rows = position.rows.map((row) => [...row].map((symbol) => (gone.includes(symbol) ? "." : symbol)).join(""));
  const after = [...others.filter((each) => each > player), ...others];
  const next = position.to_move === player ? after[0] : position.to_move;
  const { clock } = playing.get();
  const { left } = times.get();
  const said = `${colourOf(position, player)} ${how === "time" ? "ran out of time" : "resigned"} and is out of the game.`;
  const text = startText(position.board, rows, position.players[next], null);
  const seats = others.map((each) => state.seats[each]);
  await openGame({ game: state.line.game, start: { text } }, { seats, header: { ...state.header, players: namesOf(seats) } });
  times.set({ left: clock ? others.map((each) => left[each]) : [] });
  // Engines among themselves wait until somebody wants to watch.
  playing.set({ ...NOTHING, line: game.get().line, clock, note: said, isPaused: !seats.includes(PERSON) });
}

// What is kept in the browser.

const identityOf = ({ line, seats }) => JSON.stringify([line.game, line.start, seats]);

/** Takes up what was kept if it is about the game that is open, and follows later changes. Returns whether it was. */
export function restorePlaying() {
  const state = game.get();
  const old = kept("play", null);
  const fits = old !== null && old.identity === identityOf(state);
  if (playing.get().line !== state.line) {
    times.set({ left: fits ? old.left : [] });
    playing.set({ ...NOTHING, ...(fits ? old.match : {}), line: state.line });
    const { result } = playing.get();
    // Nodes are numbered anew when a page is loaded.
    if (result) playing.set({ result: old.moves === lineTo(state).moves.join(" ") ? { ...result, at: state.at } : null });
  }
  // Whoever has stepped back in a game says first whether to go on from there.
  if (state.tree.nodes[state.at].children.length > 0) playing.set({ isPaused: true });
  return fits;
}

function save() {
  const state = game.get();
  const { line, ...match } = playing.get();
  if (line !== state.line) return;
  keep("play", { identity: identityOf(state), moves: lineTo(state).moves.join(" "), match, left: times.get().left });
}

let timer = null;
const saveSoon = () => { timer ??= setTimeout(() => { timer = null; save(); }, 500); };

playing.subscribe(saveSoon);
times.subscribe(saveSoon);
// Another part may open another game, and go back to this one.
const others = new WeakMap(); // [playing, times] by line
game.subscribe(({ line }) => {
  const match = playing.get();
  if (match.line !== null && match.line !== line) {
    others.set(match.line, [match, times.get()]);
    const [old, time] = others.get(line) || [{ ...NOTHING, line }, { left: [] }];
    times.set(time);
    playing.set(old);
  }
  saveSoon();
});
addEventListener("pagehide", save);
