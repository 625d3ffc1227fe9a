// Games from files, drops and the clipboard, and games into files. The server reads and writes every format.
import { post, ServerError } from "../connection.js";
import { addressOf, game, lineTo, openGame } from "../game.js";
import { createStore } from "../store.js";
import * as trees from "../tree.js";
import { say } from "./view.js";

const LARGEST = 760 * 1024; // bytes of a file; base64 makes 1 MiB of it, which the server takes

/**
 * `games`: those of a file with several, of which one is to be chosen, or null; `faults`: what was left out of them;
 * `text`: to be copied by hand.
 */
export const files = createStore({ games: null, faults: [], text: null });

function fail(error) {
  files.set({ games: null });
  // Below the board, where the reader looks.
  game.set({ error });
}

function toBase64(bytes) {
  let text = "";
  // A call takes only so many arguments.
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

/** Opens the games of a file: the only one at once, or a choice of several. */
export async function openBytes(bytes) {
  files.set({ games: null });
  if (bytes.length === 0) return fail("This file is empty.");
  if (bytes.length > LARGEST) return fail(`This file is too large: ${Math.ceil(bytes.length / 1024)} KB; the limit is ${LARGEST / 1024} KB. Split it into several files.`);
  try {
    const { game: name, games, faults = [] } = await post("open", { base64: toBase64(bytes) });
    if (games.length === 0) return fail("This file contains no game.");
    if (games.length > 1) return files.set({ games: games.map((each) => ({ name, ...each })), faults });
    return await openFound(games[0], faults);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    return fail(error.message);
  }
}

/** Opens one of the games that the server found in a file. */
export async function openFound({ line, header, tree: list }, faults = []) {
  files.set({ games: null });
  const before = game.get();
  try {
    await openGame({ game: line.game, start: line.start }, { tree: trees.fromList(list), header, at: 0 });
    say([`Opened ${nameOf(header) || "a game"}.`, ...faults].join(" "), before);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    fail(error.message);
  }
}

/** Begins on an empty tree. */
export const openBoard = (line) => attempt(async () => {
  const before = game.get();
  await openGame(line);
  say("Started on another board.", before);
});

/** Who played, or how the game is called. */
export function nameOf(header) {
  const players = (header?.players || []).filter(Boolean);
  return header?.name || players.join(" – ") || header?.event || "";
}

/** Opens what was pasted: a game or a position, or a link to one. */
export async function openText(text) {
  const link = /^\s*\S+(#\/\w+\?\S*game=\S+)\s*$/.exec(text);
  if (link) location.hash = link[1];
  else await openBytes(new TextEncoder().encode(text));
}

export async function openFile(file) {
  if (file) await openBytes(new Uint8Array(await file.arrayBuffer()));
}

/** Takes files and texts that are dropped or pasted, until the returned function is called. */
export function listen(onDrag) {
  // What is dragged from one place of the page to another is no game.
  let isOwn = false;
  const isOurs = (event) => !isOwn && [...event.dataTransfer.types].some((type) => type === "Files" || type === "text/plain");
  const handlers = {
    dragstart() { isOwn = true; },
    dragend() { isOwn = false; },
    dragover(event) { if (isOurs(event)) { event.preventDefault(); onDrag(true); } },
    dragleave(event) { if (!event.relatedTarget) onDrag(false); },
    drop(event) {
      onDrag(false);
      if (!isOurs(event) || event.target.closest?.("textarea, input")) return;
      event.preventDefault();
      const [file] = event.dataTransfer.files;
      if (file) openFile(file);
      else openText(event.dataTransfer.getData("text/plain"));
    },
    paste(event) {
      if (event.target.closest?.("textarea, input")) return;
      const [file] = event.clipboardData.files;
      const text = event.clipboardData.getData("text/plain");
      if (!file && !text.trim()) return;
      event.preventDefault();
      if (file) openFile(file);
      else openText(text);
    },
  };
  for (const [name, handler] of Object.entries(handlers)) document.addEventListener(name, handler);
  return () => { for (const [name, handler] of Object.entries(handlers)) document.removeEventListener(name, handler); };
}

const saved = (format) => {
  const state = game.get();
  const main = trees.mainLine(state.tree);
  // A record is the whole game; a position is the one that is shown.
  const line = lineTo(state, format === "record" ? main.at(-1) : state.at);
  return post("save", { line, header: state.header || {}, tree: trees.toList(state.tree), format });
};

/** Hands a file to the browser, which saves it. */
export function download(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A name for files of this game: `tanbo-9x9`, or the names of the players. */
export function fileName(state) {
  const name = nameOf(state.header) || `${state.line.game}-${state.position?.board?.side ?? "game"}`;
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "game";
}

/** Runs something that a button asked for; what the server refuses is said. */
export async function attempt(action) {
  game.set({ error: "" });
  try {
    await action();
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    fail(error.message);
  }
}

export const saveRecord = () => attempt(async () => {
  const { text, extension } = await saved("record");
  const name = `${fileName(game.get())}.${extension}`;
  download(name, text, "text/plain;charset=utf-8");
  say(`Saved ${name}.`);
});

export const copyPosition = () => attempt(async () => copy((await saved("position")).text, "Copied the position as text."));

export const copyRecord = () => attempt(async () => copy((await saved("record")).text, "Copied the game as text."));

export function copyLink() {
  const url = new URL(location.href);
  url.hash = `/study?${addressOf(game.get())}`;
  return copy(url.href, "Copied the link to this position.");
}

/** Copies a text; where the browser does not allow that, a window shows it. */
async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    say(said);
  } catch {
    files.set({ text });
  }
}
