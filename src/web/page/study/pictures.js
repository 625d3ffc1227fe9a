// The shown board as a picture that stands alone: colours and gradients are written into it.
import { game } from "../game.js";
import { SHADES } from "../shades.js";
import { download, fileName } from "./files.js";

const NS = "http://www.w3.org/2000/svg";
const PNG_WIDTH = 1200;
// What board.css says about the parts of a drawing.
const STYLES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "opacity",
  "text-anchor", "font-size", "font-weight", "font-family",
];
const DEFAULTS = {
  "fill-opacity": "1", "stroke": "none", "stroke-opacity": "1", "stroke-dasharray": "none", "stroke-linecap": "butt", "opacity": "1",
  "text-anchor": "start",
};
// What is under the pointer or the keyboard is no part of the picture.
const UNWANTED = ".hover, .keyed, .hit";
// Only the page and its readers need these.
const IDLE = ["class", "data-cell", "data-choice", "data-side", "role", "aria-label"];

function gradients() {
  const defs = document.createElementNS(NS, "defs");
  for (const [colour, [cx, cy, r, ...stops]] of Object.entries(SHADES)) {
    const gradient = document.createElementNS(NS, "radialGradient");
    for (const [name, value] of Object.entries({ id: `shade-${colour}`, cx, cy, r })) gradient.setAttribute(name, value);
    for (const [offset, shade] of stops) {
      const stop = document.createElementNS(NS, "stop");
      stop.setAttribute("offset", offset);
      stop.setAttribute("stop-color", shade);
      gradient.append(stop);
    }
    defs.append(gradient);
  }
  return defs;
}

/** A drawing in the page as SVG text that needs no style sheet. */
export function standalone(svg) {
  const copy = svg.cloneNode(true);
  const targets = [...copy.querySelectorAll("*")];
  const sources = [...svg.querySelectorAll("*")];
  sources.forEach((source, i) => inline(source, targets[i]));
  sources.forEach((source, i) => { if (source.matches(UNWANTED)) targets[i].remove(); });
  const label = svg.getAttribute("aria-label");
  for (const name of IDLE) copy.removeAttribute(name);
  const title = document.createElementNS(NS, "title");
  title.textContent = label;
  copy.prepend(title, gradients());
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("xmlns", NS);
  return new XMLSerializer().serializeToString(copy);
}

function inline(source, target) {
  const style = getComputedStyle(source);
  const isText = source.localName === "text";
  for (const name of IDLE) target.removeAttribute(name);
  if (source.localName === "title") return;
  for (const name of STYLES) {
    if (!isText && /^(font|text)/.test(name)) continue;
    const value = style.getPropertyValue(name).replace(/url\("?(#[\w-]+)"?\)/, "url($1)").replace(/px\b/g, "");
    // A fading stone is drawn as it ends.
    if (name === "opacity" && source.closest(".leaving")) continue;
    if (source.localName === "g" && name !== "opacity") continue;
    if (value === DEFAULTS[name] || (name === "stroke-width" && style.stroke === "none")) target.removeAttribute(name);
    else target.setAttribute(name, value);
  }
  if (source.matches(".leaving")) target.setAttribute("opacity", "0.33");
}

function shownBoard() {
  return document.querySelector("#study-board svg.board");
}

const number = () => game.get().position?.number ?? 0;

export async function saveSvg() {
  download(`${fileName(game.get())}-${number()}.svg`, standalone(shownBoard()), "image/svg+xml");
}

export async function savePng() {
  download(`${fileName(game.get())}-${number()}.png`, await toPng(standalone(shownBoard())));
}

/** An SVG text as a PNG. */
export async function toPng(text) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = PNG_WIDTH;
    canvas.height = Math.round((PNG_WIDTH * image.naturalHeight) / image.naturalWidth);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  } finally {
    URL.revokeObjectURL(address);
  }
}
