// Sentences about positions and moves, for the eye and for screen readers.
import { counted, layoutOf, title } from "./board.js";

/** The name of a player: the colour. */
export const colourOf = (position, player) => title(position.players[player] || "");

/** What the things on the board are called: `stone`, or `piece` where there are kinds of them. */
export const thing = (board) => (board && board.pieces.some((piece) => piece.name) ? "piece" : "stone");

/** How many things each player has on the board. */
export function countPieces(position) {
  const owners = new Map(position.board ? position.board.pieces.map((piece) => [piece.symbol, piece.player]) : []);
  const counts = position.players.map(() => 0);
  for (const symbol of position.rows.join("")) if (owners.has(symbol)) counts[owners.get(symbol)] += 1;
  return counts;
}

/** The players who still have something on the board. */
export const playersLeft = (position) =>
  countPieces(position).flatMap((count, player) => (count > 0 || !position.board ? [player] : []));

/** The last move in words: `Black C2; it removed 3 stones`. `before` is the position before it, if it is known. */
export function tellMove(position, before) {
  const { change, board } = position;
  if (!change) return "";
  const parts = [colourOf(position, change.player)];
  const layout = board && layoutOf(board);
  const named = layout && change.to !== null && layout.pieceOn(position.rows, change.to);
  if (named && named.name && change.from !== null) {
    parts.push(named.name, layout.nameOf(change.from), "to", layout.nameOf(change.to));
  } else {
    parts.push(change.move);
  }
  return parts.join(" ") + tellRemoved(position, before, layout);
}

function tellRemoved({ change, players, board }, before, layout) {
  const removed = change.removed || [];
  if (removed.length === 0) return "";
  const owners = before && layout ? removed.map((cell) => layout.pieceOn(before.rows, cell)) : [];
  const kinds = owners.filter((piece) => piece && piece.name);
  if (kinds.length > 0) return `; it captured ${kinds.map((piece) => `${title(players[piece.player])} ${piece.name}`).join(", ")}`;
  const seats = new Set(owners.filter((piece) => piece).map((piece) => piece.player));
  if (seats.size === 1 && seats.has(change.player)) return `; it removed ${counted(removed.length, thing(board))} of its own`;
  const whose = seats.size === 1 ? `${players[[...seats][0]]} ` : "";
  return `; it removed ${counted(removed.length, whose + thing(board))}`;
}

/** Seconds as a clock shows them: `5:00`, `0:09.4`. */
export function clockText(seconds) {
  const left = Math.max(0, seconds);
  const tenths = left < 10;
  const shown = tenths ? Math.floor(left * 10) / 10 : Math.ceil(left);
  const minutes = Math.floor(shown / 60);
  const rest = (shown - 60 * minutes).toFixed(tenths ? 1 : 0).padStart(tenths ? 4 : 2, "0");
  return `${minutes}:${rest}`;
}
