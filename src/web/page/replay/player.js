// The player of an animated replay. study/replay-file.js puts it into a file, together with board.js; the file needs
// nothing else.
import { describe, drawBoard, layoutOf, title } from "../board.js";

const NS = "http://www.w3.org/2000/svg";
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last", " ": "play" };

const node = (name, attributes, ...children) => {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key !== "key" && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};

/** Plays `data`: {board, players, positions, moves, comment}. */
export function begin(data) {
  const { board, players, positions, moves } = data;
  const $ = (selector) => document.querySelector(selector);
  const layout = layoutOf(board);
  const end = positions.length - 1;
  let at = 0;
  let timer = null;

  const say = () => {
    const move = moves[at - 1];
    const head = move ? `${at}. ${title(players[move.player] || "")} ${move.move}` : "Start";
    const gone = move && move.removed && !layout.squares ? move.removed.length : 0;
    const then = gone > 0 ? `, removes ${gone} stone${gone === 1 ? "" : "s"}` : "";
    $("#said").textContent = head + then;
    const comment = move ? move.comment : data.comment;
    $("#comment").textContent = comment || "";
    $("#comment").hidden = !comment;
  };
  const show = () => {
    $("#board").replaceChildren(drawBoard(node, layout, players, positions[at], {
      last: moves[at - 1], before: at > 0 ? positions[at - 1].rows : null, label: describe(positions[at], players),
    }));
    say();
    $("#at").value = String(at);
    $("#at").setAttribute("aria-valuetext", $("#said").textContent);
    $("#count").textContent = `${at} / ${end}`;
    for (const button of document.querySelectorAll("[data-do]")) {
      const way = button.dataset.do;
      if (way !== "play") button.disabled = at === (way === "first" || way === "back" ? 0 : end);
    }
  };
  const go = (number) => {
    at = Math.max(0, Math.min(end, number));
    show();
  };
  const stop = () => {
    clearTimeout(timer);
    timer = null;
    $("[data-do=play]").setAttribute("aria-pressed", "false");
    $("[data-do=play] span").textContent = "Play";
  };
  const tick = () => {
    if (at === end) return stop();
    go(at + 1);
    timer = setTimeout(tick, Number($("#speed").value));
    return undefined;
  };
  const play = () => {
    if (timer !== null) return stop();
    if (at === end) go(0);
    $("[data-do=play]").setAttribute("aria-pressed", "true");
    $("[data-do=play] span").textContent = "Pause";
    timer = setTimeout(tick, Number($("#speed").value));
    return undefined;
  };
  const ways = { first: () => 0, back: () => at - 1, on: () => at + 1, last: () => end };
  const act = (way) => {
    if (way === "play") return play();
    stop();
    return go(ways[way]());
  };

  $("#at").max = String(end);
  $("#at").addEventListener("input", (event) => { stop(); go(Number(event.target.value)); });
  for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", () => act(button.dataset.do));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("select")) return;
    if (event.key === " " && event.target.closest("button")) return;
    const way = KEYS[event.key];
    if (!way) return;
    event.preventDefault();
    act(way);
  });
  document.documentElement.classList.add("js");
  go(0);
  // Whoever wants less motion starts it by hand.
  if (end > 0 && matchMedia("(prefers-reduced-motion: no-preference)").matches) play();
}
