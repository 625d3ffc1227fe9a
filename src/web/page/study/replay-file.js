// The shown line as one HTML file that plays it: without a network, without Tanada.
import { counted, describe, drawBoard, layoutOf } from "../board.js";
import { post, ServerError } from "../connection.js";
import { game, lineTo } from "../game.js";
import { STEPS } from "./icons.js";
import { SHADES } from "../shades.js";
import * as trees from "../tree.js";
import { download, fileName, nameOf } from "./files.js";
import { say } from "./view.js";

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => ESCAPES[sign]);

/** Makes nodes as text, for the drawing that is seen without scripts. */
const asText = (name, attributes, ...children) => {
  const words = Object.entries(attributes).filter(([key, value]) => key !== "key" && value !== null && value !== undefined);
  const inside = children.map((child) => (typeof child === "object" ? child.text : escape(child))).join("");
  return { text: `<${name}${words.map(([key, value]) => ` ${key}="${escape(value)}"`).join("")}>${inside}</${name}>` };
};

function shades() {
  const all = Object.entries(SHADES).map(([colour, [cx, cy, r, ...stops]]) =>
    asText("radialGradient", { id: `shade-${colour}`, cx, cy, r }, ...stops.map(([offset, shade]) => asText("stop", { offset, "stop-color": shade }))));
  return asText("svg", { class: "shades", "aria-hidden": "true", width: 0, height: 0 }, asText("defs", {}, ...all)).text;
}

// A module becomes a part of a script: it imports nothing, and the rest sees what it exports.
const asScript = (module) => module.replace(/^import .*$/gm, "").replace(/^export /gm, "");

const source = async (path) => {
  const answer = await fetch(path);
  if (!answer.ok) throw new ServerError(answer.status, `${path} cannot be read.`);
  return answer.text();
};

/** What the player needs of a line: `told` is the server's answer to `replay`, `comments` those of its nodes. */
function dataOf(told, comments) {
  const positions = told.positions.map(({ rows, number, to_move, over }) => ({ rows, number, to_move, over }));
  const moves = told.positions.slice(1).map(({ change }, i) => ({ ...change, comment: comments[i + 1] }));
  return { board: told.board, players: told.players, positions, moves, comment: comments[0] };
}

/** The file as text. */
export function replayPage({ heading, about, data, css, scripts }) {
  const layout = layoutOf(data.board);
  const last = data.positions.at(-1);
  const picture = drawBoard(asText, layout, data.players, last, { last: data.moves.at(-1), label: describe(last, data.players) }).text;
  const button = (way) => {
    const { label, path } = STEPS[way];
    return `<button type="button" data-do="${way}" aria-label="${label}"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="${path}"/></svg></button>`;
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="Tanada">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<link rel="icon" href="data:,">
<title>${escape(heading)}</title>
<style>
${css}</style>
</head>
<body>
${shades()}
<main>
<h1>${escape(heading)}</h1>
<p class="soft">${escape(about)}</p>
<div id="board">${picture}</div>
<div class="controls live" role="group" aria-label="Replay">
${button("first")}
${button("back")}
<button type="button" data-do="play" aria-pressed="false"><span>Play</span></button>
${button("on")}
${button("last")}
<select id="speed" aria-label="Speed"><option value="1800">slow</option><option value="900" selected>normal</option><option value="350">fast</option></select>
<output id="count" aria-live="off"></output>
</div>
<input class="live" type="range" id="at" min="0" value="0" aria-label="Move">
<p id="said" class="live"></p>
<blockquote id="comment" class="live" hidden></blockquote>
<p class="soft live">Space plays and pauses; the arrow keys step.</p>
</main>
<script type="application/json" id="replay">${JSON.stringify(data).replace(/</g, "\\u003c")}</script>
<script>
(() => {
"use strict";
${scripts.map(asScript).join("\n")}
begin(JSON.parse(document.getElementById("replay").textContent));
})();
</script>
</body>
</html>
`;
}

/** Writes the shown line to a file. */
export async function saveReplay() {
  const state = game.get();
  const ids = trees.lineThrough(state.tree, state.at);
  const sources = ["/board.css", "/replay/player.css", "/board.js", "/replay/player.js"];
  const [told, ...texts] = await Promise.all([post("replay", lineTo(state, ids.at(-1))), ...sources.map(source)]);
  const comments = ids.map((id) => state.tree.nodes[id].comment);
  const { header } = state;
  const heading = nameOf(header) || `A game of ${state.line.game.charAt(0).toUpperCase()}${state.line.game.slice(1)}`;
  const about = [header?.event, header?.date, counted(ids.length - 1, "move"), header?.result && `result ${header.result}`].filter(Boolean).join(" · ");
  const page = replayPage({
    heading, about, data: dataOf(told, comments), css: texts[0] + texts[1], scripts: texts.slice(2),
  });
  const name = `${fileName(state)}.html`;
  download(name, page, "text/html;charset=utf-8");
  say(`Saved ${name}.`);
}
