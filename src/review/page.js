(() => {
  "use strict";
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
  const svg = (name, attributes, ...children) => {
    const node = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) if (key !== "key") node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const element = (name, className, text) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const colour = (player) => (players[player] ? players[player].colour : "");
  // Whether a loss is beyond the noise of the search.
  const isSure = (move) => move.loss_interval !== null && move.loss_interval[0] >= review.thresholds.certain;
  const mark = (sign) => element("span", "mark " + markClass(sign), sign);
  const colours = players.map((player) => player.colour);
  const layout = board ? layoutOf(board) : null;
  const squares = layout !== null && layout.squares;

  function show() {
    const box = $("#board");
    const position = positions[at];
    if (!board) {
      box.replaceChildren(element("pre", "", position.rows.join("\n")));
      return;
    }
    const line = shown();
    box.replaceChildren(
      drawBoard(svg, layout, colours, position, {
        last: moves[at - 1],
        before: at > 0 ? positions[at - 1].rows : null,
        spaces: $("#show-spaces").checked,
        line,
        lineChoice: choiceShown(),
        best: $("#show-best").checked ? position.best : null,
        thresholds: review.thresholds,
        played: moves[at],
      }),
    );
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
    table.append(row(["", "roots", "can grow to", "own points"], "th"));
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
    show();
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
    show();
    $("#count").textContent = `${at} / ${end}`;
    all("[data-step]").forEach((button) => {
      button.disabled = at === (["first", "back"].includes(button.dataset.step) ? 0 : end);
    });
    const x = end > 0 ? (100 * at) / end : 50;
    $(".cursor").style.left = x + "%";
    const plot = $(".plot");
    plot.setAttribute("aria-valuenow", String(at));
    plot.setAttribute("aria-valuetext", describe(positions[at], colours));
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
    $(id).addEventListener("change", () => { countSpaces(); show(); });
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
