// Draws a board as SVG, for every page of Tanada. Nothing here touches the document: `h(name, attributes, ...children)`
// makes the nodes, so the caller decides whether they are DOM nodes or virtual ones. board.css has the colours.

const CELL = 40;
const SIGNS = { "?!": "doubtful", "?": "mistake", "??": "blunder" };
const PROVEN = { win: "won", loss: "lost", draw: "draw" };

/** The class of a mark's sign, such as `mistake` for `?`. */
export const markClass = (sign) => SIGNS[sign] || "none";

/** `black` as `Black`. */
export const title = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/** A chance in per cent, or the exact result; `short` is for places with little room. */
export const percent = (value, proven, short) =>
  proven ? PROVEN[proven] : (100 * value).toFixed(short ? 0 : 1) + (short ? "" : " %");

// In two letters at most.
const shortest = ({ value, proven }) => (proven ? { win: "✓", loss: "✗", draw: "=" }[proven] : String(Math.min(99, Math.round(100 * value))));

/** `1 stone`, `2 stones`. */
export const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** The class of a best move by how far it is behind the first. */
export function rankClass(best, i, thresholds) {
  const behind = best[0].value - best[i].value;
  return i === 0 ? "c0" : behind < thresholds.doubtful ? "c1" : behind < thresholds.mistake ? "c2" : "c3";
}

const SMALLEST = 14; // pixels of a text
const LETTER = 0.58; // width of a letter or digit, in sizes of its font

/**
 * Where things are on a board: `board` has `side`, `ground`, `columns`, `rows` and `pieces`. `pixels` is the width that
 * the picture has on the screen; on a small one texts are larger, or left out.
 */
export function layoutOf(board, pixels = Infinity) {
  const side = board.side;
  // With the margin, which holds two letters, the board becomes smaller.
  const readable = pixels > 2 * SMALLEST ? (SMALLEST * (CELL * side + 10)) / (pixels - 2 * SMALLEST) : Infinity;
  const font = Math.max(9 + Math.floor((3 * side) / 5), readable);
  const hasLabels = font <= 0.9 * CELL;
  const margin = hasLabels ? 2 * font + 2 : 8;
  const width = margin + CELL * side + 8;
  const least = (SMALLEST * width) / pixels;
  const pieces = new Map(board.pieces.map((piece) => [piece.symbol, piece]));
  return {
    board, side, font, margin, pieces,
    width, hasLabels,
    /** A size for a text in a circle: `size` unless that is too small to read; 0 if what can be read does not fit. */
    fontOf: (text, size, radius = 18) => (size >= least ? size : least * LETTER * text.length < 2 * radius ? least : 0),
    dot: Math.max(5, (3 * width) / pixels),
    squares: board.ground === "squares",
    /** The centre of a cell. */
    place: (cell) => [margin + CELL * (cell % side) + CELL / 2, CELL * Math.floor(cell / side) + CELL / 2 + 8],
    /** The cell at a place of the picture, or -1. */
    cellAt: (x, y) => {
      const [column, row] = [Math.floor((x - margin) / CELL), Math.floor((y - 8) / CELL)];
      return column >= 0 && column < side && row >= 0 && row < side ? row * side + column : -1;
    },
    /** The name of a cell: its column and row. */
    nameOf: (cell) => board.columns[cell % side] + board.rows[Math.floor(cell / side)],
    pieceOn: (rows, cell) => pieces.get(rows[Math.floor(cell / side)].charAt(cell % side)),
  };
}

/** The cells of the group at a cell. */
export function groupAt(layout, rows, cell) {
  const { side } = layout;
  const symbolAt = (at) => rows[Math.floor(at / side)].charAt(at % side);
  const seen = new Set([cell]);
  for (const at of seen) {
    const column = at % side;
    const around = [at - side, at + side];
    if (column > 0) around.push(at - 1);
    if (column < side - 1) around.push(at + 1);
    for (const next of around) {
      if (next >= 0 && next < side * side && symbolAt(next) === symbolAt(cell)) seen.add(next);
    }
  }
  return seen;
}

/** What a position is, in words, for readers of the screen. */
export function describe(position, players) {
  const after = position.number === 0 ? "The start position" : `The position after move ${position.number}`;
  const then = position.over ? "the game is over" : `${players[position.to_move]} to move`;
  return `${after}, ${then}`;
}

/**
 * Draws a position. `players` are the colours; `position` has `rows`, and `spaces` and `map` if spaces are drawn.
 *
 * `show` says what else is drawn; all of it is optional:
 * `last` {to, from, removed}: the last move; `before`: the rows before it, for ghosts of the removed stones;
 * `best` with `thresholds`: best moves; `played` {to, from, mark}: the move played next;
 * `line`: a variation, and `lineChoice`: its index in `best`; `spaces`: whether roots' spaces are drawn;
 * `legal`: cells to dot, or to ring if something is captured there; `ghost` {cell, player}: the stone under the pointer;
 * `cursor`: the cell under the keyboard; `selected`: a cell whose piece is about to move; `wrong` {to, cells}: why a click
 * was illegal;
 * `arrows` and `marks` [{cell, kind, text}]: threats, hints and the marks of lessons; `label`: the text for screen readers.
 */
export function drawBoard(h, layout, players, position, show = {}) {
  const { board, side, width, squares, place, pieceOn } = layout;
  const colour = (player) => players[player] || "";
  const { rows } = position;
  const parts = [ground(h, layout)];
  const last = show.last;
  if (last && squares) {
    for (const cell of [last.from, last.to]) if (cell !== null && cell !== undefined) parts.push(square(h, layout, cell, "trace"));
  }
  const line = show.line || null;
  const lifted = new Set(line && !squares ? line.map((step) => step.to) : []);
  if (show.spaces) parts.push(spaces(h, layout, position, colour));
  const removed = (last && last.removed) || [];
  if (!squares && show.before) {
    for (const cell of removed) {
      const piece = pieceOn(show.before, cell);
      if (!pieceOn(rows, cell)) parts.push(stone(h, layout, cell, colour(piece ? piece.player : last.player), "", "ghost leaving"));
    }
  }
  const titles = titlesOf(layout, players, position);
  const stones = [];
  for (let cell = 0; cell < side * side; cell++) {
    const piece = pieceOn(rows, cell);
    if (!piece || lifted.has(cell)) continue;
    const name = piece.name ? `${title(colour(piece.player))} ${piece.name}` : titles.get(cell);
    const extra = "piece" + (show.selected === cell ? " selected" : "") + (last && last.to === cell ? " newest" : "");
    stones.push(stone(h, layout, cell, colour(piece.player), piece.name ? piece.symbol : "", extra, name));
  }
  parts.push(h("g", {}, ...stones));
  if (last && !squares && last.to !== null && last.to !== undefined && !lifted.has(last.to)) {
    parts.push(circle(h, place(last.to), 7, "last"));
  }
  for (const cell of removed) parts.push(cross(h, layout, cell));
  if (show.spaces) parts.push(seeds(h, layout, position, colour, markedCells(show)));
  for (const cell of show.legal || []) {
    if (pieceOn(rows, cell)) parts.push(circle(h, place(cell), 18, "legal take"));
    else parts.push(circle(h, place(cell), squares ? 9 : layout.dot, "legal"));
  }
  if (line) {
    parts.push(variation(h, layout, colour, line));
    // The pointer must stay on the same choice.
    if (line.length > 0 && show.lineChoice >= 0) parts.push(circle(h, place(line[0].to), 17, "hit", { "data-choice": show.lineChoice }));
  } else if (show.best) {
    parts.push(choices(h, layout, show.best, show.thresholds, show.played));
  }
  for (const mark of show.marks || []) parts.push(marker(h, layout, mark));
  for (const each of show.arrows || []) parts.push(arrow(h, layout, each.from, each.to, each.kind || "none", each.text));
  if (show.ghost && show.ghost.cell >= 0) {
    parts.push(stone(h, layout, show.ghost.cell, colour(show.ghost.player), "", "ghost hover"));
  }
  if (show.wrong) parts.push(wrong(h, layout, show.wrong));
  if (show.cursor >= 0) parts.push(square(h, layout, show.cursor, "keyed"));
  const label = show.label || describe(position, players);
  return h("svg", { class: "board", viewBox: `0 0 ${width} ${width}`, role: "img", "aria-label": label, "data-side": board.side }, ...parts);
}

function ground(h, layout) {
  const { board, side, width, margin, font, squares, place } = layout;
  const parts = [h("rect", { class: "ground", width, height: width, rx: 10 })];
  if (squares) {
    for (let cell = 0; cell < side * side; cell++) {
      const pale = ((cell % side) + Math.floor(cell / side)) % 2 === 0;
      parts.push(square(h, layout, cell, pale ? "pale" : "deep"));
    }
  } else {
    let path = "";
    const length = CELL * (side - 1);
    for (let i = 0; i < side; i++) path += `M${place(i * side).join(" ")}h${length}M${place(i).join(" ")}v${length}`;
    parts.push(h("path", { class: "lines", d: path }));
  }
  if (!layout.hasLabels) return h("g", {}, ...parts);
  board.columns.forEach((name, i) => {
    parts.push(h("text", { class: "label", x: place(i)[0], y: width - Math.floor((3 * margin) / 8), "font-size": font }, name));
  });
  board.rows.forEach((name, i) => {
    parts.push(h("text", { class: "label", x: margin / 2, y: place(i * side)[1] + font / 3, "font-size": font }, name));
  });
  return h("g", {}, ...parts);
}

const circle = (h, [cx, cy], r, className, more) => h("circle", { class: className, cx, cy, r, ...more });

function square(h, layout, cell, className) {
  const [x, y] = layout.place(cell);
  return h("rect", { class: className, x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL });
}

function stone(h, layout, cell, colour, letter, className, name) {
  const [cx, cy] = layout.place(cell);
  const parts = [circle(h, [cx, cy], 18, "stone " + colour)];
  if (letter) {
    parts.push(text(h, layout, "on " + colour, [cx, cy], [letter], letter.length > 2 ? 14 : letter.length > 1 ? 17 : 20));
  }
  if (name) parts.push(h("title", {}, name));
  return h("g", { class: className, key: `${className}-${cell}-${colour}`, "data-cell": cell }, ...parts);
}

// The first of some texts that can be read in a circle.
function text(h, layout, className, [x, y], texts, size, radius) {
  const found = texts.find((each) => layout.fontOf(each, size, radius) > 0);
  const font = found ? layout.fontOf(found, size, radius) : size;
  return h("text", { class: className, x, y: y + 0.35 * font, "font-size": font }, found || "");
}

function cross(h, layout, cell) {
  let [x, y] = layout.place(cell);
  // On squares the captured piece is under the one that took it.
  const r = layout.squares ? 5 : 9;
  if (layout.squares) { x += 13; y -= 13; }
  return h("path", { class: "gone", d: `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}` });
}

function arrow(h, layout, from, to, className, number, more) {
  const [[fromX, fromY], [u, v]] = [layout.place(from), layout.place(to)];
  // It begins at the rim, which keeps the letter of the piece legible.
  const far = Math.hypot(u - fromX, v - fromY) || 1;
  const [x, y] = [fromX + (19 * (u - fromX)) / far, fromY + (19 * (v - fromY)) / far];
  const parts = [
    h("path", { class: "arrow " + className, d: `M${x} ${y}L${u} ${v}` }),
    circle(h, [u, v], number ? 11 : 7, "head " + className),
  ];
  if (number) parts.push(text(h, layout, "worth", [u, v], [number], 14, 11));
  return h("g", { ...more }, ...parts);
}

// The names of stones: what their groups can do.
function titlesOf(layout, players, position) {
  const titles = new Map();
  for (const space of position.spaces || []) {
    const text =
      `${title(players[space.player] || "")}, ${counted(space.stones, "stone")}: ` +
      `can grow to ${counted(space.now.length, "point")} now; ${space.reach} within reach, ${space.own} of them its own`;
    for (const cell of groupAt(layout, position.rows, space.cell)) titles.set(cell, text);
  }
  return titles;
}

// Who can reach each empty point.
function spaces(h, layout, position, colour) {
  const signs = (position.map || []).join("");
  const parts = [];
  for (let cell = 0; cell < signs.length; cell++) {
    const sign = signs.charAt(cell);
    if (sign >= "0" && sign <= "3") parts.push(square(h, layout, cell, "own " + colour(Number(sign))));
    if (sign >= "a" && sign <= "d") parts.push(square(h, layout, cell, "side " + colour(sign.charCodeAt(0) - 97)));
    if (sign === "-") {
      const [x, y] = layout.place(cell);
      parts.push(h("path", { class: "nobody", d: `M${x - 5} ${y}h10` }));
    }
  }
  return h("g", {}, ...parts);
}

/** The cells that have a mark with a text. */
function markedCells({ line, best, marks }) {
  const steps = line || (best || []).flatMap((move) => move.line.slice(0, 1));
  return new Set([...steps.map((step) => step.to), ...(marks || []).map((mark) => mark.cell)]);
}

// Where each root can grow now, and the roots with a single point left.
function seeds(h, layout, position, colour, marked) {
  const here = new Map();
  const parts = [];
  for (const space of position.spaces || []) {
    for (const cell of space.now) {
      if (!here.has(cell)) here.set(cell, []);
      here.get(cell).push(space.player);
    }
    if (space.now.length === 1) {
      for (const cell of groupAt(layout, position.rows, space.cell)) parts.push(circle(h, layout.place(cell), 18.5, "thin"));
    }
  }
  for (const [cell, seats] of here) {
    if (marked.has(cell)) continue;
    seats.forEach((player, i) => {
      const [x, y] = layout.place(cell);
      parts.push(circle(h, [x + 9 * (i - (seats.length - 1) / 2), y], 4.5, "seed " + colour(player)));
    });
  }
  return h("g", {}, ...parts);
}

function choices(h, layout, best, thresholds, played) {
  const parts = [];
  if (layout.squares) {
    // The best one lies above the others.
    best.slice(0, 3).forEach((move, i) => {
      const step = move.line[0];
      if (step) parts.unshift(arrow(h, layout, step.from, step.to, rankClass(best, i, thresholds), "", { "data-choice": i }));
    });
    if (played) parts.push(arrow(h, layout, played.from, played.to, played.mark ? markClass(played.mark) : "none"));
    return h("g", {}, ...parts);
  }
  best.forEach((move, i) => {
    const step = move.line[0];
    if (!step) return;
    const [cx, cy] = layout.place(step.to);
    const worth = percent(move.value, move.proven, true);
    // Where chances cannot be read there are ranks, as in the list beside the board.
    const texts = layout.fontOf("50", 16) > 0 ? [worth, shortest(move)] : [String(i + 1)];
    parts.push(h("g", { "data-choice": i },
      circle(h, [cx, cy], 17, "choice " + rankClass(best, i, thresholds)),
      text(h, layout, "worth", [cx, cy], texts, worth.length > 3 ? 13 : 16)));
  });
  if (played) parts.push(circle(h, layout.place(played.to), 18, "played " + (played.mark ? markClass(played.mark) : "none")));
  return h("g", {}, ...parts);
}

function variation(h, layout, colour, line) {
  const arrows = [];
  const gone = new Set();
  // A point may be played again after its root was removed; the last stone is shown.
  const drawn = new Map();
  line.forEach((step, i) => {
    if (layout.squares) {
      arrows.push(arrow(h, layout, step.from, step.to, "line-" + colour(step.player), String(i + 1)));
    } else {
      gone.delete(step.to);
      drawn.delete(step.to);
      drawn.set(step.to, stone(h, layout, step.to, colour(step.player), String(i + 1), "number"));
    }
    for (const cell of step.removed || []) gone.add(cell);
  });
  return h("g", {}, ...arrows, ...drawn.values(), ...[...gone].map((cell) => cross(h, layout, cell)));
}

// Kinds of marks: `hint`, `threat`, `good`, `target`, `ring`.
function marker(h, layout, { cell, kind, text: words }) {
  const [x, y] = layout.place(cell);
  const parts = [circle(h, [x, y], kind === "ring" ? 18.5 : 16, "marked " + kind)];
  if (words) parts.push(text(h, layout, "marked-text", [x, y], [words], words.length > 3 ? 12 : 15));
  return h("g", {}, ...parts);
}

// The clicked cell with a bar through it, and the cells that are the reason.
function wrong(h, layout, { to, cells }) {
  const parts = (cells || []).map((cell) => circle(h, layout.place(cell), 19.5, "because"));
  const [x, y] = layout.place(to);
  parts.push(circle(h, [x, y], 15, "refused"), h("path", { class: "refused", d: `M${x - 10} ${y - 10}l20 20` }));
  return h("g", { class: "wrong" }, ...parts);
}
