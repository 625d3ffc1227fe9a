// The winning chances along the line that is shown: a stacked area chart, as on the page of `tanada analyze --html`.
import { describe, markClass, title } from "../board.js";
import { game, goTo, knownPosition } from "../game.js";
import { html, useRef } from "../lib.js";
import { useStore } from "../store.js";
import * as trees from "../tree.js";
import { analysis, foundAt } from "./analysis.js";

const WIDTH = 1000;
const HEIGHT = 100;

const height = (share) => HEIGHT * (1 - Math.max(0, Math.min(1, share)));
const round = (value) => Math.round(value * 100) / 100;

/** What is known of the chances at a node: `{values, exact}`, from the review or from the analysis, or null. */
export function chancesAt(state, id, reviewed) {
  // Only the end of a line can be the end of the game.
  const position = state.tree.nodes[id].children.length === 0 ? knownPosition(state, id) : null;
  if (position?.over) {
    const share = 1 / position.players.length;
    return { values: position.players.map((_, i) => (position.winner === null ? share : Number(position.winner === i))), exact: true };
  }
  const found = foundAt(state, id);
  const judged = reviewed.get(id);
  if (judged && (!found || judged.iterations > found.iterations) && !found?.exact) return judged;
  return found || judged || null;
}

/** Runs of neighbouring numbers for which `all` has something: [[first, last], …]. */
export function runsOf(all) {
  const runs = [];
  all.forEach((each, i) => {
    if (!each) return;
    const last = runs.at(-1);
    if (last && last[1] === i - 1) last[1] = i;
    else runs.push([i, i]);
  });
  return runs;
}

// The area of each player between the chances below it and above it.
function areas(chances, players, x, step) {
  const paths = players.map(() => "");
  for (const [first, last] of runsOf(chances)) {
    let below = chances.map(() => 0);
    players.forEach((_, player) => {
      const above = below.map((low, i) => (chances[i] ? low + chances[i].values[player] : 0));
      // A single position is as wide as a move.
      const points = first === last
        ? [[Math.max(0, x(first) - step / 2), first], [Math.min(WIDTH, x(first) + step / 2), first]]
        : Array.from({ length: last - first + 1 }, (_, i) => [x(first + i), first + i]);
      const upper = points.map(([at, i]) => `${round(at)} ${round(height(above[i]))}`);
      const lower = [...points].reverse().map(([at, i]) => `${round(at)} ${round(height(below[i]))}`);
      paths[player] += `M${[...upper, ...lower].join("L")}Z`;
      below = above;
    });
  }
  return paths;
}

function dots(ids, chances, players, marks, x) {
  return ids.map((id, i) => {
    const judged = marks.get(id);
    if (!judged?.mark || !chances[i]) return null;
    const sum = (end) => chances[i].values.slice(0, end).reduce((total, value) => total + value, 0);
    // The upper edge of the topmost area is constant; its dots are on the lower one.
    const edge = judged.player + 1 < players.length ? sum(judged.player + 1) : sum(judged.player);
    return html`<path class=${"dot " + markClass(judged.mark)} d=${`M${round(x(i))} ${round(height(edge))}h.01`} />`;
  });
}

function exactLine(chances, x) {
  const end = chances.length - 1;
  return chances.map((each, i) => {
    if (!each?.exact || (end > 0 && i === 0)) return "";
    return `M${round(end === 0 ? WIDTH : x(i))} ${HEIGHT}H${round(end === 0 ? 0 : x(i - 1))}`;
  }).join("");
}

/** `marks` and `reviewed` map nodes to what a review says. */
export function Graph({ marks, reviewed }) {
  const state = useStore(game);
  useStore(analysis);
  const box = useRef(null);
  const { tree, at, position } = state;
  if (!position) return null;
  const { players } = position;
  const ids = trees.lineThrough(tree, at);
  const end = ids.length - 1;
  const step = WIDTH / Math.max(1, end);
  const x = (number) => (end > 0 ? number * step : WIDTH / 2);
  const chances = ids.map((id) => chancesAt(state, id, reviewed));
  const known = chances.filter(Boolean).length;
  const here = ids.indexOf(at);
  const now = chances[here];
  const go = (number) => goTo(ids[Math.max(0, Math.min(end, number))]);
  const pointed = (event) => {
    const frame = box.current.getBoundingClientRect();
    go(Math.round((end * (event.clientX - frame.left)) / frame.width));
  };
  const press = (event) => {
    const way = { ArrowDown: -1, ArrowUp: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    go(here + way);
  };
  return html`<figure class="card graph-card">
    <${Legend} position=${position} now=${now} />
    <div class="plot" ref=${box} role="slider" tabindex="0" aria-label="Move" aria-valuemin="0" aria-valuemax=${end} aria-valuenow=${here}
        aria-valuetext=${describe(position, players) + (now ? `. ${inWords(players, now)}` : "")} onKeyDown=${press}
        onPointerDown=${(event) => { box.current.setPointerCapture(event.pointerId); pointed(event); }}
        onPointerMove=${(event) => { if (event.buttons > 0) pointed(event); }}>
      <svg class="graph" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        ${areas(chances, players, x, step).map((path, player) => html`<path class=${"field " + players[player]} d=${path} />`)}
        <path class="scale" d=${`M0 25H${WIDTH}M0 50H${WIDTH}M0 75H${WIDTH}`} />
        <path class="exact" d=${exactLine(chances, x)} />
        ${dots(ids, chances, players, marks, x)}
      </svg>
      <i class="cursor" style=${{ left: `${end > 0 ? (100 * here) / end : 50}%` }}></i>
      <b class="top" aria-hidden="true">100</b><b class="middle" aria-hidden="true">50</b>
    </div>
    ${known < ids.length && html`<figcaption>${known === 0
      ? "The graph fills as positions are analysed; a review fills all of it."
      : `${known} of ${ids.length} positions analysed.`}</figcaption>`}
  </figure>`;
}

/** The chances in words: `Black 61.0 %, White 39.0 %, exact`. */
export function inWords(players, { values, exact }) {
  const parts = players.map((colour, i) => `${title(colour)} ${(100 * values[i]).toFixed(1)} %`);
  return parts.join(", ") + (exact ? ", exact" : "");
}

function Legend({ position, now }) {
  const { header } = useStore(game);
  return html`<ul class="legend">
    ${position.players.map((colour, i) => html`<li key=${colour}>
      <span class=${"chip " + colour}></span>${title(colour)}
      ${header?.players?.[i] && html` <bdi class="soft">${header.players[i]}</bdi>`}
      ${now && html` <b>${(100 * now.values[i]).toFixed(0)} %</b>`}
    </li>`)}
    ${now?.exact && html`<li><span class="exactly">exact</span></li>`}
  </ul>`;
}
