// Talks to the server: commands by POST, events by a stream. Says when the server is gone, and goes on when it is back.
import { createStore, keep, kept } from "./store.js";

/** What the server refused, or that it cannot be reached (`status` 0). */
export class ServerError extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** `connecting`, `open`, `lost` (the server does not answer), `refused` (another start of the server), `full`. */
export const connection = createStore({ state: "connecting", version: "", text: "" });

/** The id of this page, which the server uses to tell pages apart. */
export const PAGE = randomId();

// Milliseconds.
const RETRY = 1000; // before the first attempt to reconnect; later ones come more slowly
const SLOWEST = 5000;
const PATIENCE = 60_000; // with a command
const REST = 5000; // of a hidden page before it closes its stream
const listeners = new Map();

function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Takes the token out of the address, so links that are sent do not hold it. Another tab may bring a newer one. */
function takeToken() {
  const url = new URL(location.href);
  const token = url.searchParams.get("token");
  if (token === null) return;
  keep("token", token);
  url.searchParams.delete("token");
  history.replaceState(null, "", url);
}

/** Uses the token of an address that the user pasted; returns whether it holds one. */
export function useAddress(text) {
  const found = /token=([0-9a-f]+)/i.exec(text) || /^\s*([0-9a-f]{32})\s*$/i.exec(text);
  if (!found) return false;
  keep("token", found[1]);
  reconnect();
  return true;
}

const headers = (more) => ({ Authorization: `Bearer ${kept("token", "")}`, ...more });

const DUMB = "Tanada does not answer.";

/** Sends a command; returns its answer. Throws a ServerError with one sentence. */
export async function post(name, body = {}) {
  let answer;
  try {
    answer = await fetch(`/api/${name}`, {
      method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch {
    throw new ServerError(0, DUMB);
  }
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    if (answer.status === 401) reconnect();
    throw new ServerError(answer.status, found.error || `Tanada answered with status ${answer.status}.`);
  }
  return found;
}

/** Calls `listener(data)` for each event with this name; returns how to stop that. `hello` comes after each connection. */
export function on(name, listener) {
  if (!listeners.has(name)) listeners.set(name, new Set());
  listeners.get(name).add(listener);
  return () => listeners.get(name).delete(listener);
}

function tell(name, data) {
  for (const listener of [...(listeners.get(name) || [])]) listener(data);
}

let current = null; // aborts the present stream
let timer = null;
let delay = RETRY;
let isResting = false;
let isBusy = () => false;

/** Opens the stream, and opens it again whenever it ends. */
export function connect() {
  takeToken();
  addEventListener("storage", (event) => { if (event.key === "tanada.token") reconnect(); });
  addEventListener("pagehide", () => current && current.abort());
  addEventListener("pageshow", (event) => { if (event.persisted) reconnect(); });
  addEventListener("online", hurry);
  document.addEventListener("visibilitychange", () => (document.hidden ? setTimeout(rest, REST) : hurry()));
  reconnect();
}

/** A browser opens only six connections to a server, so a hidden page gives its own back unless it is busy. */
function rest() {
  if (!document.hidden || isResting) return;
  if (isBusy() || connection.get().state !== "open") {
    setTimeout(rest, REST);
    return;
  }
  isResting = true;
  current.abort();
}

/** Asks `busy` whether this page needs its stream while it is hidden. */
export function restUnless(busy) {
  isBusy = busy;
}

/** Opens the stream now if it is not open. */
export function hurry() {
  if (isResting || connection.get().state === "lost") reconnect();
}

function reconnect() {
  isResting = false;
  if (current) current.abort();
  clearTimeout(timer);
  const own = new AbortController();
  current = own;
  stream(own.signal).then(
    () => lost(own, "lost", "Tanada has stopped."),
    (error) => {
      if (error.status === 401) lost(own, "refused", error.message);
      else if (error.status === 429) lost(own, "full", error.message);
      else lost(own, "lost", DUMB);
    },
  );
}

function lost(own, state, text) {
  if (own !== current || own.signal.aborted) return;
  if (connection.get().state !== state) connection.set({ state, text });
  timer = setTimeout(reconnect, delay);
  delay = Math.min(SLOWEST, 1.5 * delay);
}

async function stream(signal) {
  const answer = await fetch(`/api/events?page=${PAGE}`, { headers: headers(), signal });
  if (!answer.ok) {
    const found = await answer.json().catch(() => ({}));
    throw new ServerError(answer.status, found.error || "");
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    parts.forEach(dispatch);
  }
}

function dispatch(text) {
  let name = "message";
  const data = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5));
  }
  if (data.length === 0) return;
  const found = JSON.parse(data.join("\n"));
  if (name === "hello") {
    delay = RETRY;
    connection.set({ state: "open", version: found.version, text: "" });
  }
  tell(name, found);
}
