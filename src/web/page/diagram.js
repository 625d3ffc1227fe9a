// Writes a start position as the text that the server reads.

/**
 * `rows` are strings of symbols, `.` for empty. On a board of points `colour` moves first; on a board of squares the
 * number of the turn says who does.
 */
export function startText(board, rows, colour, turn) {
  if (board.ground === "squares") return `${rows.join("\n")}\nturn ${turn}\n`;
  return `to move: ${colour}\n${rows.join("\n")}\n`;
}
