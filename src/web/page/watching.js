// The match that the server follows: what it told last, how the score moved, and which games have a board.
import { on } from "./connection.js";
import { createStore, keep, kept } from "./store.js";

/** How many boards the reader can choose. */
export const COUNTS = [1, 2, 4, 6, 9, 12, 16];
const MOST_POINTS = 500; // of the history

/**
 * `told`: the score and all games, finished and running, or null; `history`: [{games, llr}] since the page was opened; `count`: the number of boards; `slots`: the
 * numbers of the games that have one; `alone`: the number of the game that is shown alone, or null; `ended`: the games that
 * ended last.
 */
export const watching = createStore({ told: null, history: [], count: kept("boards", 4), slots: [], alone: null, ended: [] });

/**
 * The games that have a board. A game keeps its board while it runs, and after its end until a new game needs the place; so
 * boards do not jump about. Where games are too fast to be seen running, the newest have the boards.
 */
export function arrange(slots, games, count) {
  const byNumber = new Map(games.map((game) => [game.number, game]));
  const shown = slots.filter((number) => byNumber.has(number)).slice(0, count);
  const others = () => games.filter((game) => !shown.includes(game.number)).map((game) => game.number).sort((a, b) => a - b);
  for (const number of others().filter((each) => !byNumber.get(each).over)) {
    if (shown.length < count) { shown.push(number); continue; }
    const ended = shown.filter((each) => byNumber.get(each).over);
    if (ended.length === 0) break;
    shown[shown.indexOf(Math.min(...ended))] = number;
  }
  for (const number of others().reverse()) {
    const oldest = Math.min(...shown);
    if (shown.length < count) shown.push(number);
    else if (number > oldest && games.every((game) => game.over)) shown[shown.indexOf(oldest)] = number;
  }
  return shown;
}

/** Who won, from the result as records write it: `B+R` is won by black. Null for a draw and where the result is not clear. */
export function winnerOf(game, colours) {
  const sign = /^([BWRG])\+/.exec(game.result || "");
  const player = sign ? colours.findIndex((colour) => colour.charAt(0).toUpperCase() === sign[1]) : -1;
  return player < 0 ? null : player;
}

const WAYS = { R: "by resignation", T: "on time", F: "by forfeit" };

/** The result in words, with the name of the winner. */
export function resultOf(game, colours) {
  if (!game.over) return "";
  const winner = winnerOf(game, colours);
  if (winner === null) return game.result === "0" ? "Draw" : game.result || "Over";
  const way = WAYS[game.result.slice(2, 3)];
  return `${game.players[winner] || colours[winner]} won${way ? ` ${way}` : ""}`;
}

/** Shows more boards, or fewer. */
export function setCount(count) {
  keep("boards", count);
  const { told, slots } = watching.get();
  watching.set({ count, alone: null, slots: told ? arrange(slots, told.games, count) : [] });
}

/** Shows one game alone, or with null all boards again. */
export const showAlone = (number) => watching.set({ alone: number });

/** The last event of each kind. */
let score = null;
let running = [];

function follow() {
  if (!score) return;
  const finished = new Set(score.games.map((game) => game.number));
  const told = { ...score, games: [...score.games, ...running.filter((game) => !finished.has(game.number))] };
  const { told: last, history, slots, count } = watching.get();
  const isNew = !last || last.name !== told.name || told.games_done < last.games_done;
  const point = { games: told.games_done, llr: told.sprt ? told.sprt.llr : null };
  const grown = isNew ? [point] : point.games === history.at(-1).games ? [...history.slice(0, -1), point] : [...history, point];
  watching.set({ told, history: grown.slice(-MOST_POINTS), slots: arrange(isNew ? [] : slots, told.games, count), ...endedSince(isNew ? null : last, told) });
}

function endedSince(last, told) {
  if (!last) return { ended: [] };
  const ran = new Set(last.games.filter((game) => !game.over).map((game) => game.number));
  const ended = told.games.filter((game) => game.over && ran.has(game.number));
  return ended.length > 0 ? { ended } : {};
}

on("match", (event) => { score = event; follow(); });
on("running", (event) => { running = event.games; follow(); });
