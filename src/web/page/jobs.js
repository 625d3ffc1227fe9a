// Searches that run on the server for this page. There is one at a time: a new one replaces the one before.
import { hurry, on, PAGE, post, restUnless } from "./connection.js";
import { createStore } from "./store.js";

/** The running job: `kind` (`analyze`, `genmove`, `review`) or null, and whether its engine was put to sleep. */
export const running = createStore({ kind: null, asleep: false });

let last = 0;
let job = null;
restUnless(() => job !== null);
// Commands go one after the other: the server obeys the last one that reaches it.
let sent = Promise.resolve();

/**
 * Starts a job. `handlers` are called with the data of its events: `analysis`, `move`, `progress`, `review`, and
 * `failed` with one sentence. Returns a function that ends this job, and no later one.
 */
export function start(kind, body, handlers) {
  const own = { id: ++last, kind, body, handlers };
  job = own;
  send(own);
  return () => { if (job === own) stop(); };
}

/** Ends the running job, if there is one. */
export function stop() {
  if (job === null) return;
  job = null;
  running.set({ kind: null, asleep: false });
  sent = sent.then(() => job === null && post("stop", { page: PAGE }).catch(() => {}));
}

function send(own) {
  const { id } = own;
  running.set({ kind: own.kind, asleep: false });
  hurry();
  sent = sent.then(() => tell(own, id));
}

async function tell(own, id) {
  if (job !== own || own.id !== id) return;
  try {
    await post(own.kind, { page: PAGE, id, ...own.body });
  } catch (error) {
    // Without a server the job waits until it is back.
    if (job !== own || error.status === 0 || error.status === 401 || error.status === 409) return;
    finish(own);
    if (own.handlers.failed) queueMicrotask(() => own.handlers.failed(error.message));
  }
}

/** Sends the running job again, under another id. */
function sendAgain() {
  job.id = ++last;
  send(job);
}

function finish(own) {
  if (job !== own) return;
  job = null;
  running.set({ kind: null, asleep: false });
}

function route(name, isLast) {
  on(name, (data) => {
    if (job === null || data.id !== job.id) return;
    const own = job;
    if (isLast(data)) finish(own);
    if (own.handlers[name]) own.handlers[name](name === "failed" ? data.error : data);
  });
}

route("analysis", () => false);
route("move", () => true);
route("progress", () => false);
route("review", () => true);
route("failed", () => true);
on("asleep", (data) => { if (job !== null && data.id === job.id) running.set({ asleep: true }); });
// After a connection is lost the server does not know the job any more.
on("hello", () => { if (job !== null) sendAgain(); });

/** Wakes an engine that was put to sleep. */
export function wake() {
  if (job !== null && running.get().asleep) sendAgain();
}
