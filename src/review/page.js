"use strict";
(() => {
  const review = JSON.parse(document.getElementById("review").textContent);
  const { board, positions, moves, players } = review;
  const end = positions.length - 1;
  const $ = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  document.documentElement.classList.add("js");

  // The shown position is the one after `at` moves, with a variation that was clicked (`held`) or is
  // pointed at (`looked`).
  let at = 0;
  let held = -1;
  let looked = -1;

  const NS = "http://www.w3.org/2000/svg";
  const svg = (name, attributes, text) => {
    const node = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const element = (name, className, text) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const colour = (player) => (players[player] ? players[player].colour : "");
  const title = (word) => word.charAt(0).toUpperCase() + word.slice(1);
  const PROVEN = { win: "won", loss: "lost", draw: "draw" };
  const percent = (value, proven, short) =>
    proven ? PROVEN[proven] : (100 * value).toFixed(short ? 0 : 1) + (short ? "" : " %");
  // Whether a loss is beyond the noise of the search.
  const isSure = (move) => move.loss_interval !== null && move.loss_interval[0] >= review.thresholds.certain;
  const WORDS = { "?!": "doubtful", "?": "mistake", "??": "blunder" };
  const mark = (sign) => element("span", "mark " + WORDS[sign], sign);

  // The board, laid out as in drawing.rs.
  const CELL = 40;
  const side = board ? board.side : 0;
  const font = 9 + Math.floor((3 * side) / 5);
  const margin = 2 * font + 2;
  const width = margin + CELL * side + 8;
  const squares = board && board.ground === "squares";
  const place = (cell) => [margin + CELL * (cell % side) + CELL / 2, CELL * Math.floor(cell / side) + CELL / 2 + 8];
  const pieces = new Map(board ? board.pieces.map((piece) => [piece.symbol, piece]) : []);
  const symbolAt = (position, cell) => position.rows[Math.floor(cell / side)].charAt(cell % side);

  function ground() {
    const group = svg("g");
    group.append(svg("rect", { class: "ground", width, height: width, rx: 10 }));
    if (squares) {
      for (let cell = 0; cell < side * side; cell++) {
        const pale = ((cell % side) + Math.floor(cell / side)) % 2 === 0;
        group.append(square(cell, pale ? "pale" : "deep"));
      }
    } else {
      let path = "";
      for (let i = 0; i < side; i++) {
        const length = CELL * (side - 1);
        path += `M${place(i * side).join(" ")}h${length}M${place(i).join(" ")}v${length}`;
      }
      group.append(svg("path", { class: "lines", d: path }));
    }
    board.columns.forEach((name, i) => {
      group.append(svg("text", { class: "label", x: place(i)[0], y: width - Math.floor((3 * margin) / 8), "font-size": font }, name));
    });
    board.rows.forEach((name, i) => {
      group.append(svg("text", { class: "label", x: margin / 2, y: place(i * side)[1] + font / 3, "font-size": font }, name));
    });
    return group;
  }

  function square(cell, className) {
    const [x, y] = place(cell);
    return svg("rect", { class: className, x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL });
  }

  function stone(cell, player, letter, extra) {
    const [cx, cy] = place(cell);
    const group = svg("g", { class: extra || "piece" });
    group.append(svg("circle", { class: "stone " + colour(player), cx, cy, r: 18 }));
    if (letter) {
      const size = letter.length > 2 ? 14 : letter.length > 1 ? 17 : 20;
      group.append(svg("text", { class: "on " + colour(player), x: cx, y: cy + size * 0.35, "font-size": size }, letter));
    }
    return group;
  }

  function cross(cell, small) {
    let [x, y] = place(cell);
    const r = small ? 5 : 9;
    if (small) { x += 13; y -= 13; }
    return svg("path", { class: "gone", d: `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}` });
  }

  function arrow(from, to, className, number) {
    let [[x, y], [u, v]] = [place(from), place(to)];
    // It begins at the rim, which keeps the letter of the piece legible.
    const far = Math.hypot(u - x, v - y) || 1;
    x += (19 * (u - x)) / far;
    y += (19 * (v - y)) / far;
    const group = svg("g");
    group.append(svg("path", { class: "arrow " + className, d: `M${x} ${y}L${u} ${v}` }));
    group.append(svg("circle", { class: "head " + className, cx: u, cy: v, r: number ? 11 : 7 }));
    if (number) group.append(svg("text", { class: "worth", x: u, y: v + 5, "font-size": 14 }, number));
    return group;
  }

  // The cells of the group at a cell.
  function groupOf(position, cell) {
    const symbol = symbolAt(position, cell);
    const seen = new Set([cell]);
    for (const c of seen) {
      const column = c % side;
      const around = [c - side, c + side];
      if (column > 0) around.push(c - 1);
      if (column < side - 1) around.push(c + 1);
      for (const next of around) {
        if (next >= 0 && next < side * side && symbolAt(position, next) === symbol) seen.add(next);
      }
    }
    return seen;
  }

  // Tooltips of groups.
  function describeGroups(position, nodes) {
    for (const space of position.spaces || []) {
      const some = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
      const text =
        `${title(colour(space.player))}, ${some(space.stones, "stone")}: ` +
        `can grow to ${some(space.now.length, "point")} now; ${space.reach} within reach, ${space.own} of them its own`;
      for (const cell of groupOf(position, space.cell)) {
        if (nodes.has(cell)) nodes.get(cell).append(svg("title", {}, text));
      }
    }
  }

  function drawSpaces(root, position) {
    const rows = (position.map || []).join("");
    for (let cell = 0; cell < rows.length; cell++) {
      const sign = rows.charAt(cell);
      if (sign >= "0" && sign <= "3") root.append(square(cell, "own " + colour(Number(sign))));
      if (sign >= "a" && sign <= "d") root.append(square(cell, "side " + colour(sign.charCodeAt(0) - 97)));
      if (sign === "-") {
        const [x, y] = place(cell);
        root.append(svg("path", { class: "nobody", d: `M${x - 5} ${y}h10` }));
      }
    }
  }

  function drawSeeds(root, position) {
    const here = new Map();
    for (const space of position.spaces || []) {
      for (const cell of space.now) {
        if (!here.has(cell)) here.set(cell, []);
        here.get(cell).push(space.player);
      }
      if (space.now.length === 1) {
        for (const cell of groupOf(position, space.cell)) {
          const [cx, cy] = place(cell);
          root.append(svg("circle", { class: "thin", cx, cy, r: 18.5 }));
        }
      }
    }
    for (const [cell, seats] of here) {
      seats.forEach((player, i) => {
        const [x, y] = place(cell);
        const cx = x + 9 * (i - (seats.length - 1) / 2);
        root.append(svg("circle", { class: "seed " + colour(player), cx, cy: y, r: 4.5 }));
      });
    }
  }

  function drawChoices(root, position, played) {
    const best = position.best;
    if (squares) {
      best.slice(0, 3).forEach((move, i) => {
        const step = move.line[0];
        if (step) root.append(choice(arrow(step.from, step.to, rank(best, i)), i));
      });
      if (played) root.append(arrow(played.from, played.to, played.mark ? WORDS[played.mark] : "none"));
      return;
    }
    best.forEach((move, i) => {
      const step = move.line[0];
      if (!step) return;
      const [cx, cy] = place(step.to);
      const group = svg("g");
      group.append(svg("circle", { class: "choice " + rank(best, i), cx, cy, r: 17 }));
      const text = percent(move.value, move.proven, true);
      group.append(svg("text", { class: "worth", x: cx, y: cy + 5, "font-size": text.length > 3 ? 13 : 16 }, text));
      root.append(choice(group, i));
    });
    if (played) {
      const [cx, cy] = place(played.to);
      const className = "played " + (played.mark ? WORDS[played.mark] : "none");
      root.append(svg("circle", { class: className, cx, cy, r: 18 }));
    }
  }

  // Marks a node as a choice. The board handles its events: nodes are redrawn all the time.
  function choice(node, i) {
    node.dataset.choice = i;
    return node;
  }

  // The class of a move by its distance from the best.
  function rank(best, i) {
    const loss = best[0].value - best[i].value;
    const { doubtful, mistake } = review.thresholds;
    return i === 0 ? "c0" : loss < doubtful ? "c1" : loss < mistake ? "c2" : "c3";
  }

  function drawLine(root, line) {
    const gone = new Set();
    // A point may be played again after its root was removed; the last stone is shown.
    const drawn = new Map();
    line.forEach((step, i) => {
      if (squares) {
        root.append(arrow(step.from, step.to, "line-" + colour(step.player), String(i + 1)));
      } else {
        gone.delete(step.to);
        const played = stone(step.to, step.player, String(i + 1), "number");
        drawn.get(step.to)?.remove();
        drawn.set(step.to, played);
        root.append(played);
      }
      for (const cell of step.removed || []) gone.add(cell);
    });
    for (const cell of gone) root.append(cross(cell, squares));
  }

  function describe(position) {
    const after = position.number === 0 ? "The start position" : `The position after move ${position.number}`;
    const then = position.over ? "the game is over" : `${colour(position.to_move)} to move`;
    return `${after}, ${then}`;
  }

  const still = board ? ground() : null;

  function drawBoard() {
    const box = $("#board");
    const position = positions[at];
    if (!board) {
      box.replaceChildren(element("pre", "", position.rows.join("\n")));
      return;
    }
    const root = svg("svg", { class: "board", viewBox: `0 0 ${width} ${width}`, role: "img", "aria-label": describe(position) });
    root.append(still);
    const last = moves[at - 1];
    if (last && squares) root.append(square(last.from, "trace"), square(last.to, "trace"));
    const spaces = $("#show-spaces").checked;
    const line = shown();
    const lifted = new Set(line ? line.map((step) => step.to) : []);
    if (spaces) drawSpaces(root, position);
    if (last && !squares) {
      for (const cell of last.removed || []) {
        const before = pieces.get(symbolAt(positions[at - 1], cell));
        if (symbolAt(position, cell) === ".") root.append(stone(cell, before ? before.player : last.player, "", "ghost"));
      }
    }
    const nodes = new Map();
    for (let cell = 0; cell < side * side; cell++) {
      const piece = pieces.get(symbolAt(position, cell));
      if (!piece || (lifted.has(cell) && !squares)) continue;
      const node = stone(cell, piece.player, piece.name ? piece.symbol : "");
      if (piece.name) node.append(svg("title", {}, `${title(colour(piece.player))} ${piece.name}`));
      nodes.set(cell, node);
      root.append(node);
    }
    describeGroups(position, nodes);
    if (last) {
      if (!squares) {
        const [cx, cy] = place(last.to);
        if (!lifted.has(last.to)) root.append(svg("circle", { class: "last", cx, cy, r: 7 }));
      }
      for (const cell of last.removed || []) root.append(cross(cell, squares));
    }
    if (spaces) drawSeeds(root, position);
    if (line) {
      drawLine(root, line);
      // The pointer must stay on the same choice.
      if (line.length > 0) {
        const [cx, cy] = place(line[0].to);
        root.append(choice(svg("circle", { class: "hit", fill: "transparent", cx, cy, r: 17 }), choiceShown()));
      }
    } else if ($("#show-best").checked) drawChoices(root, position, moves[at]);
    box.replaceChildren(root);
  }

  // The choice under the pointer, or else the clicked one.
  function choiceShown() {
    return looked >= 0 ? looked : held;
  }

  function shown() {
    const move = positions[at].best[choiceShown()];
    return move ? move.line : null;
  }

  // The texts beside the board.
  function tell() {
    const position = positions[at];
    const said = $("#said");
    said.replaceChildren();
    const last = moves[at - 1];
    const head = element("p", "big", last ? `${last.number}. ${title(colour(last.player))} ${last.move}` : "Start");
    if (last && last.mark) head.append(mark(last.mark));
    said.append(head);
    if (last && isSure(last)) {
      said.append(element("p", "", `It lost ${(100 * last.loss).toFixed(1)} %; better: ${last.best}.`));
    }
    if (last && last.removed && !squares) {
      said.append(element("p", "", `It removed ${last.removed.length} stone${last.removed.length === 1 ? "" : "s"}.`));
    }
    const values = position.values.map((value, i) => `${title(colour(i))} ${(100 * value).toFixed(1)} %`).join(", ");
    const chances = element("p", "", values + " ");
    if (position.exact) chances.append(element("span", "exactly", "exact"));
    said.append(chances);
    const next = moves[at];
    if (next) {
      const text = `Next, ${colour(next.player)} played ${next.move}`;
      const then = element("p", "", text);
      if (next.mark) then.append(mark(next.mark));
      const isBest = next.move === next.best;
      then.append(isSure(next) ? `, ${percent(next.value, next.proven)}.` : isBest ? ", the best move." : `, about as good as ${next.best}.`);
      said.append(then);
    } else if (position.over) {
      said.append(element("p", "", "The game is over."));
    }
    const comment = last ? last.comment : review.comment;
    if (comment) said.append(element("blockquote", "", comment));
  }

  function list() {
    const position = positions[at];
    const best = $("#best");
    best.replaceChildren();
    $("#best-title").hidden = position.best.length === 0;
    if (position.to_move !== null) $("#best-title").textContent = `Best moves of ${colour(position.to_move)}`;
    position.best.forEach((move, i) => {
      const item = element("li");
      const button = element("button");
      button.type = "button";
      const played = moves[at] && moves[at].move === move.move;
      button.append(
        element("span", "name" + (played ? " is-played" : ""), move.move),
        element("span", "", percent(move.value, move.proven)),
        element("span", "count", move.visits === 1 ? "1 visit" : `${move.visits} visits`),
        element("span", "line", move.line.map((step) => step.move).join(" ")),
      );
      button.setAttribute("aria-pressed", String(i === held));
      button.addEventListener("pointerenter", (event) => { if (event.pointerType !== "touch") look(i); });
      button.addEventListener("pointerleave", () => look(-1));
      // Only focus by the keyboard counts: a clicked button loses it when something else is pressed.
      let isSeen = false;
      button.addEventListener("focus", () => { isSeen = button.matches(":focus-visible"); if (isSeen) look(i); });
      button.addEventListener("blur", () => { if (isSeen) look(-1); isSeen = false; });
      button.addEventListener("click", () => hold(i));
      item.append(button);
      best.append(item);
    });
  }

  function countSpaces() {
    const box = $("#spaces");
    const spaces = positions[at].spaces || [];
    box.hidden = !$("#show-spaces").checked || spaces.length === 0;
    box.replaceChildren();
    if (box.hidden) return;
    const table = element("table");
    const row = (cells, kind) => {
      const line = element("tr");
      for (const cell of cells) line.append(element(kind, "", cell));
      return line;
    };
    table.append(row(["", "groups", "can grow to", "own points"], "th"));
    players.forEach((player, i) => {
      const own = spaces.filter((space) => space.player === i);
      const signs = (positions[at].map || []).join("");
      const marks = [String(i), String.fromCharCode(97 + i)];
      const points = [...signs].filter((sign) => marks.includes(sign)).length;
      const now = new Set(own.flatMap((space) => space.now)).size;
      table.append(row([title(player.colour), String(own.length), String(now), String(points)], "td"));
    });
    box.append(table);
  }

  function refresh() {
    drawBoard();
    for (const [i, button] of all("#best button").entries()) button.setAttribute("aria-pressed", String(i === held));
  }

  function look(i) {
    if (looked === i) return;
    looked = i;
    refresh();
  }

  function hold(i) {
    held = held === i ? -1 : i;
    looked = -1;
    refresh();
  }

  function go(number) {
    at = Math.max(0, Math.min(end, number));
    held = looked = -1;
    list();
    tell();
    countSpaces();
    drawBoard();
    $("#count").textContent = `${at} / ${end}`;
    all("[data-step]").forEach((button) => {
      button.disabled = at === (["first", "back"].includes(button.dataset.step) ? 0 : end);
    });
    const x = end > 0 ? (100 * at) / end : 50;
    $(".cursor").style.left = x + "%";
    const plot = $(".plot");
    plot.setAttribute("aria-valuenow", String(at));
    plot.setAttribute("aria-valuetext", describe(positions[at]));
    all("[data-player]").forEach((output, i) => {
      output.textContent = (100 * positions[at].values[i]).toFixed(0) + " %";
    });
    all("#moves tr[aria-current]").forEach((row) => row.removeAttribute("aria-current"));
    const row = document.getElementById("m" + at);
    const box = $("#moves .scroll");
    if (row) row.setAttribute("aria-current", "true");
    // Scrolls the list only, never the page.
    if (box) {
      const above = row ? row.getBoundingClientRect().top - box.getBoundingClientRect().top : -box.scrollTop;
      box.scrollTop += row ? above - box.clientHeight / 2 : above;
    }
  }

  function mistake(direction) {
    const numbers = review.mistakes.map((number) => number - 1).sort((a, b) => a - b);
    const next = direction > 0 ? numbers.find((n) => n > at) : numbers.reverse().find((n) => n < at);
    if (next !== undefined) go(next);
  }

  const STEPS = { first: () => 0, back: () => at - 1, on: () => at + 1, last: () => end };
  const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last" };
  // Outside the graph these keys scroll the page.
  const SLIDER = { ArrowDown: "back", ArrowUp: "on" };

  all("[data-step]").forEach((button) => button.addEventListener("click", () => go(STEPS[button.dataset.step]())));
  all("[data-go]").forEach((link) =>
    link.addEventListener("click", (event) => {
      event.preventDefault();
      go(Number(link.dataset.go));
      $("#board").scrollIntoView({ block: "nearest" });
    }),
  );
  const chosen = (event) => {
    const node = event.target.closest("[data-choice]");
    return node ? Number(node.dataset.choice) : -1;
  };
  $("#board").addEventListener("pointerover", (event) => { if (event.pointerType !== "touch") look(chosen(event)); });
  $("#board").addEventListener("pointerleave", () => look(-1));
  $("#board").addEventListener("click", (event) => { if (chosen(event) >= 0) hold(chosen(event)); });
  for (const id of ["#show-best", "#show-spaces"]) {
    $(id).addEventListener("change", () => { countSpaces(); drawBoard(); });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = KEYS[event.key] || (event.target === $(".plot") && SLIDER[event.key]);
    if (step) go(STEPS[step]());
    else if (event.key === "n") mistake(1);
    else if (event.key === "p") mistake(-1);
    else if (event.key === "s" && !$("#spaces-label").hidden) $("#show-spaces").click();
    else if (event.key === "Escape") { held = looked = -1; refresh(); }
    else return;
    event.preventDefault();
  });

  const plot = $(".plot");
  plot.tabIndex = 0;
  for (const [key, value] of Object.entries({ role: "slider", "aria-label": "Move", "aria-valuemin": 0, "aria-valuemax": end })) {
    plot.setAttribute(key, String(value));
  }
  const pointed = (event) => {
    const box = plot.getBoundingClientRect();
    go(Math.round((end * (event.clientX - box.left)) / box.width));
  };
  plot.addEventListener("pointerdown", (event) => {
    plot.setPointerCapture(event.pointerId);
    pointed(event);
  });
  plot.addEventListener("pointermove", (event) => { if (event.buttons > 0) pointed(event); });

  $("#spaces-label").hidden = !positions.some((position) => position.spaces);
  const asked = /^#m(\d+)$/.exec(location.hash);
  go(asked ? Number(asked[1]) : 0);
})();
