// What the lessons say about positions and moves.
import { counted, layoutOf, title } from "./board.js";

export const nameOf = (position, cell) => layoutOf(position.board).nameOf(cell);

const pieceOn = (position, cell) => layoutOf(position.board).pieceOn(position.rows, cell);

/** `C3 is empty.` or `C3 has a white stone.` */
export function whatIsOn(position, cell) {
  const piece = pieceOn(position, cell);
  if (!piece) return `${nameOf(position, cell)} is empty.`;
  return `${nameOf(position, cell)} has ${piece.name ? `${title(position.players[piece.player])}’s ${piece.name}` : `a ${position.players[piece.player]} stone`}.`;
}

/** The last move of a position and what it removed, as sentences. `before` is the position before it. */
export function describeMove(position, before) {
  const { change, players } = position;
  const mover = title(players[change.player]);
  // `from` and `removed` are left out where there is nothing to say.
  const gone = change.removed || [];
  const piece = (change.from ?? null) === null ? null : pieceOn(before, change.from);
  if (piece) {
    const taken = gone.map((cell) => pieceOn(before, cell)).filter((each) => each);
    const captured = taken.map((each) => ` and captures ${title(players[each.player])}’s ${each.name}`).join("");
    return `${mover}’s ${piece.name} steps to ${nameOf(position, change.to)}${captured}.`;
  }
  const counts = players.map((_, player) =>
    gone.filter((cell) => (pieceOn(before, cell) || { player: change.player }).player === player).length);
  const removed = counts.flatMap((count, player) => (count > 0 ? [counted(count, `${players[player]} stone`)] : []));
  const told = removed.length === 0 ? "" : `, and ${removed.join(" and ")} ${gone.length === 1 ? "leaves" : "leave"} the board`;
  return `${mover} plays ${change.move}${told}.`;
}

/** Everything on the board, for readers of the screen: `Black: A5, A4. White: C5.` */
export function allOn(position) {
  const layout = layoutOf(position.board);
  const cells = position.rows.join("").split("").map((_, cell) => cell);
  return position.players.map((colour, player) => {
    const own = cells.filter((cell) => (pieceOn(position, cell) || {}).player === player);
    const words = own.map((cell) => {
      const { name } = pieceOn(position, cell);
      return (name ? `${name} ` : "") + layout.nameOf(cell);
    });
    return `${title(colour)}: ${words.join(", ") || "nothing"}.`;
  }).join(" ");
}
