// A game that is played on this page: clocks, the pie, who gave up, taking back. The moves are those of game.js, which
// Study shares; what is only about playing is here, and is kept in the browser beside the game.
import { ServerError } from "../connection.js";
import { game, goTo, knownPosition, lineTo, openGame, play, positionOf } from "../game.js";
import { startText } from "../diagram.js";
import { createStore, keep, keepInTab, keptInTab } from "../store.js";
import * as trees from "../tree.js";
import { colourOf, playersLeft } from "../words.js";

export const PERSON = "person";

const NOTHING = {
  line: null, at: null, clock: null, gains: [], result: null, pie: null, hasPie: false, isExchanged: false, former: null,
  isPaused: false, note: "", isNoteOld: false,
};

/**
 * `line`: the line of game.js that this is about; `at`: the node where the game stands, or null before Play has opened it;
 * `clock` {main, increment} in seconds, or null; `gains`: for the number of each move the player who got the increment for
 * it, if one did; `result` {how: `resign` or `time`, player, winner}: why the game ended before its rules end it; `pie`:
 * `first` (before the first move), `choose` (the other player chooses a colour) or null; `hasPie`: whether the game began
 * with it; `isExchanged`: whether it exchanged the colours; `former`: what to take up when a player who left the game is to
 * come back, or null; `note`: one sentence to say, until a person moves or an engine has moved twice.
 */
export const playing = createStore({ ...NOTHING });

/** The seconds that each player has left. They change too often for the store above. */
export const times = createStore({ left: [] });

/** Whether another node is shown than the one where the game stands: Study has looked around. */
export const isAway = (state, match) => match.at !== null && match.at !== state.at;

/** How the game ended: {how: `play`, `resign` or `time`, winner, player}, or null. */
export function resultOf(state, match) {
  if (isAway(state, match)) return null;
  const { position } = state;
  return position && position.over ? { how: "play", winner: position.winner, player: null } : match.result;
}

/** Says what the server refused, or that it is away. */
export function report(error) {
  if (!(error instanceof ServerError)) throw error;
  game.set({ error: error.message });
}

/** Whether the position that is known is that of the shown node, which it is not while the server is asked. */
export function isCurrent(state) {
  if (!state.position) return false;
  const known = knownPosition(state, state.at);
  return known ? known === state.position : state.position.number === trees.movesTo(state.tree, state.at).length;
}

/** The player whose turn it is, or null: the game is over or elsewhere, the pie is to be cut, or the position is not known yet. */
export function playerToMove(state = game.get(), match = playing.get()) {
  if (!isCurrent(state) || isAway(state, match) || resultOf(state, match) || match.pie === "choose") return null;
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
  playing.set({ ...NOTHING, line: state.line, at: 0, clock, pie: pie ? "first" : null, hasPie: pie });
}

/** Plays a move for whoever is to move; returns whether it was legal. */
export function playMove(move) {
  const { position: { to_move: player }, seats } = game.get();
  return play(move, (tree, at, position) => {
    const { clock, gains: all, pie, note, isNoteOld } = playing.get();
    const number = trees.movesTo(tree, at).length;
    const gains = all.slice(0, number);
    if (clock && position.to_move !== player) {
      gains[number] = player;
      times.set({ left: times.get().left.map((seconds, each) => seconds + (each === player ? clock.increment : 0)) });
    }
    const keepsNote = seats[player] !== PERSON && !isNoteOld;
    playing.set({ at, gains, note: keepsNote ? note : "", isNoteOld: keepsNote, isPaused: false, pie: pie === "first" ? "choose" : pie });
    // What is played is the game; what was taken back becomes a variation.
    let changed = tree;
    while (!trees.isOnMainLine(changed, at)) changed = trees.promote(changed, at);
    return changed;
  });
}

/** The pie: the second player keeps the colour, or takes the other. */
export function choosePie(takesOther, note) {
  if (takesOther) exchange();
  playing.set({ pie: null, isExchanged: takesOther, note, isNoteOld: false });
}

/** The players exchange their seats, with what they have. */
function exchange() {
  setSeats([...game.get().seats].reverse());
  times.set({ left: [...times.get().left].reverse() });
  playing.set({ gains: playing.get().gains.map((player) => 1 - player) });
}

/** Lets the game stand at another node. Increments of moves that are taken back go with them; the time stays used. */
function standAt(at, changes) {
  const { clock, gains, result, hasPie, pie, isExchanged } = playing.get();
  const number = trees.movesTo(game.get().tree, at).length;
  if (clock) {
    const lost = (player) => clock.increment * gains.slice(number + 1).filter((each) => each === player).length;
    // Nobody loses on time by it.
    times.set({ left: times.get().left.map((seconds, player) => Math.max(seconds - lost(player), Math.min(seconds, clock.increment))) });
  }
  if (result) setResult(null);
  const isAgain = hasPie && number === 0;
  if (isAgain && isExchanged) exchange();
  playing.set({
    at, gains: gains.slice(0, number + 1), pie: isAgain ? "first" : number === 1 ? pie && "choose" : null,
    isExchanged: isExchanged && !isAgain, isNoteOld: false, ...changes,
  });
}

/** Back to the game from another node. */
export const comeBack = () => goTo(playing.get().at);

/** The game goes on at the node that is shown. Whoever ran out of time has none left for that. */
export function playOn() {
  const isOut = playing.get().result?.how === "time";
  standAt(game.get().at, { isPaused: false, note: "", ...(isOut ? { clock: null, note: "The game goes on without clocks." } : {}) });
}

/** The node to which `undo` goes back, or null. Before it only engines have moved. */
async function undoTarget(state) {
  const hasPerson = state.seats.includes(PERSON);
  const { isExchanged } = playing.get();
  for (let at = state.tree.nodes[state.at].parent; at !== null; at = state.tree.nodes[at].parent) {
    const { to_move: player } = knownPosition(state, at) || await positionOf(lineTo(state, at));
    // Whoever cut the pie may have the other colour now.
    if (!hasPerson || state.seats[at === 0 && isExchanged ? 1 : player] === PERSON) return at;
  }
  return null;
}

/** Takes back to the last move of a person. Takes back only the resignation, if there is one. */
export async function undo() {
  const state = game.get();
  const match = playing.get();
  const { result, former } = match;
  if (isAway(state, match) || result?.how === "time") return;
  if (result) {
    setResult(null);
    playing.set({ note: "Resignation taken back.", isNoteOld: false });
    return;
  }
  try {
    const target = await undoTarget(state);
    if (game.get().at !== state.at) return;
    if (target === null) {
      if (former) await takeUp(former);
      return;
    }
    standAt(target, { note: "Taken back.", isPaused: !state.seats.includes(PERSON) });
    await comeBack();
  } catch (error) {
    report(error);
  }
}

/** Ends the game before its rules end it, or takes that back; the record says so too, as in SGF. */
function setResult(result) {
  const { header, position, at } = game.get();
  playing.set({ result, at });
  const winner = result && result.winner !== null ? position.players[result.winner].charAt(0).toUpperCase() : null;
  game.set({ header: { ...header, result: winner && `${winner}+${result.how === "time" ? "T" : "R"}` } });
}

/**
 * A player gives up or runs out of time. Of two the other wins; of more the others play on without that one's stones, in a
 * new game, because no record can say that; Undo goes back from it to the former one.
 */
export async function leave(player, how) {
  const state = game.get();
  const { position } = state;
  const others = playersLeft(position).filter((each) => each !== player);
  if (others.length < 2) {
    setResult({ how, player, winner: others.length === 1 ? others[0] : null });
    return;
  }
  const gone = position.board.pieces.filter((piece) => piece.player === player).map((piece) => piece.symbol);
  const rows = position.rows.map((row) => [...row].map((symbol) => (gone.includes(symbol) ? "." : symbol)).join(""));
  const after = [...others.filter((each) => each > player), ...others];
  const next = position.to_move === player ? after[0] : position.to_move;
  const { line, tree, header, seats: all } = state;
  const { match, left } = record(state);
  const { clock } = match;
  const former = {
    line, tree: trees.toList(tree), moves: lineTo(state).moves, header, seats: all, left,
    match: { ...match, note: "The whole game is back.", ...(how === "time" ? { clock: null } : {}) },
  };
  const said = `${colourOf(position, player)} ${how === "time" ? "ran out of time" : "resigned"} and is out of the game.`;
  const text = startText(position.board, rows, position.players[next], null);
  const seats = others.map((each) => all[each]);
  await openGame({ game: line.game, start: { text } }, { seats, header: { ...header, players: namesOf(seats) } });
  times.set({ left: clock ? others.map((each) => left[each]) : [] });
  // Engines among themselves wait until somebody wants to watch.
  playing.set({
    ...NOTHING, line: game.get().line, at: 0, clock, former, isPaused: !seats.includes(PERSON),
    note: `${said} The others play on in a new record; Undo brings the whole game back.`,
  });
}

/** Goes back to the game before a player left it. */
async function takeUp(former) {
  const { line, moves, header, seats } = former;
  const tree = trees.fromList(former.tree);
  await openGame(line, { tree, at: trees.nodeAfter(tree, moves), header, seats });
  take(former);
}

/** The game as it began: `line` and `seats`, before anybody left it. */
export function beginning({ line, seats }, { former }) {
  return former ? beginning(former, former.match) : { line, seats };
}

// What is kept in the browser.

const identityOf = ({ line, seats }) => JSON.stringify([line.game, line.start, seats]);

/** What is kept of `playing` and `times`. Nodes are numbered anew when a game is opened, so it has the moves. */
function record({ tree }) {
  const { line, at, ...match } = playing.get();
  return { moves: tree.nodes[at] ? trees.movesTo(tree, at) : null, match, left: times.get().left };
}

function take({ moves, match, left }) {
  const { line, tree } = game.get();
  times.set({ left });
  playing.set({ ...NOTHING, ...match, line, at: (moves && trees.nodeAfter(tree, moves)) ?? null });
}

/** Takes up what was kept if it is about the game that is open. Returns whether something is known of that. */
export function restorePlaying() {
  const state = game.get();
  const old = keptInTab("play", null);
  const fits = old !== null && old.identity === identityOf(state);
  if (playing.get().line !== state.line) {
    if (fits) take(old);
    else playing.set({ ...NOTHING, line: state.line });
  }
  const { at } = playing.get();
  // Nothing has been played, or Study has deleted it: then the line that is shown is the game.
  if (!state.tree.nodes[at]) standAt(trees.lineThrough(state.tree, state.at).at(-1), {});
  return fits || at !== null;
}

let timer = null;
const saveSoon = () => { timer ??= setTimeout(save, 500); };

function save() {
  if (timer === null) return;
  clearTimeout(timer);
  timer = null;
  const state = game.get();
  if (playing.get().line !== state.line) return;
  const value = { identity: identityOf(state), ...record(state) };
  keepInTab("play", value);
  keep("play", value);
}

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
