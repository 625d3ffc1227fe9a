// A click on the board becomes a move: one click where stones are placed, two where pieces move.
import { post, ServerError } from "../connection.js";

/**
 * What a click on a cell means. `selected` is the cell of the piece about to move, or -1. Returns `{move}`, `{selected}`
 * or `{wrong: {from, to}}`.
 */
export function meaningOf(position, selected, cell) {
  const { legal } = position;
  const from = selected >= 0 ? selected : null;
  const found = legal.find((move) => move.to === cell && (move.from ?? null) === from);
  if (found) return { move: found.move };
  if (cell === selected) return { selected: -1 };
  if (legal.some((move) => move.from === cell)) return { selected: cell };
  return { wrong: { from, to: cell } };
}

/** Cells to mark: where the selected piece may go, or every legal point. */
export function legalCells(position, selected) {
  const moves = position.legal.filter((move) => (selected >= 0 ? move.from === selected : true));
  return [...new Set(moves.map((move) => move.to))];
}

/** Why a click is illegal: `{to, cells, text}`, for the board and for readers. */
export async function reasonOf(line, { from, to }) {
  try {
    const told = await post("why", { line, to, from });
    return told.legal ? null : { to, cells: told.cells, text: told.text };
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return { to, cells: [], text: error.message };
  }
}
