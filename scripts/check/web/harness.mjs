// What the tests of `tanada web` share: the program, the browser, pages that report every fault, axe, screenshots.
// A test is a module beside this one; it exports `run(kit)` with the kit that `createKit` returns.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
/** Screenshots and other results go here. */
export const folder = join(root, "target/web");
mkdirSync(folder, { recursive: true });

const packages = createRequire(join(root, "scripts/check/page/"));
const { chromium } = packages("playwright-core");
const AXE = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 360, height: 740 };

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
const START = 20_000; // milliseconds that the program may take to say where it listens
const PATIENCE = 20_000; // milliseconds that anything on a page may take; the machine may be busy

/**
 * Starts `tanada web`. `port` 0 takes a free one; `args` are further arguments. Returns {url, origin, token, pid, stop}.
 * WEB_ARGS in the environment adds arguments to every start, such as `--page-folder src/web/page` of a debug build.
 */
export async function startServer({ port = 0, args = [] } = {}) {
  const extra = (process.env.WEB_ARGS || "").split(" ").filter((word) => word !== "");
  const words = ["web", "--listen", `127.0.0.1:${port}`, "--no-open", ...extra, ...args];
  const child = spawn(process.env.TANADA_BIN, words, { stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  const ended = new Promise((done) => child.once("exit", (code) => { children.delete(child); done(code); }));
  const line = await firstLine(child, ended);
  const found = /^listening on (http:\/\/127\.0\.0\.1:(\d+)\/)\?token=([0-9a-f]{32})$/.exec(line);
  assert(found, `the first line is \`${line}\``);
  const stop = async (signal = "SIGTERM") => {
    child.kill(signal);
    await ended;
  };
  servers.add(stop);
  const url = line.slice("listening on ".length);
  return { url, origin: new URL(url).origin, port: Number(found[2]), token: found[3], pid: child.pid, stop };
}

const servers = new Set();
const children = new Set();
// No program is left behind, however the test ends.
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

function firstLine(child, ended) {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error("the program did not say where it listens")), START);
    createInterface({ input: child.stdout }).once("line", (line) => { clearTimeout(timer); done(line); });
    ended.then((code) => { clearTimeout(timer); fail(new Error(`the program ended with ${code}`)); });
  });
}

/** Opens the browser and the server that the tests share. `close` ends both, and every server of a test. */
export async function createKit() {
  const server = await startServer();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: FLAGS });
  const kit = {
    assert, browser, server, startServer, folder, root, visits: 0,
    /** See `openPage`. */
    open: (options, use) => openPage(kit, options, use),
    async close() {
      await browser.close();
      await Promise.all([...servers].map((stop) => stop("SIGKILL")));
    },
  };
  return kit;
}

/**
 * Opens a page in a window of its own, calls `use(tab, more)`, and closes it. Options, all of them optional:
 * `name` for messages and the picture of a failure; `at`: what follows the `#` of the address; `url`: of another server;
 * `phone`, `dark`, `still` (reduced motion); `kept`: what the browser has kept, by name; `context`: a browser context to
 * share, which stays open.
 * Errors and warnings on the console, failed requests and requests to anywhere else fail the test. `more.tolerate(pattern)`
 * allows faults that match; `more.context` is the browser context; `more.faults` are those found so far.
 */
async function openPage(kit, options, use) {
  const { name = "page", at = "", url = kit.server.url, phone, dark, still, kept = {} } = options;
  const context = options.context || await kit.browser.newContext({
    viewport: phone ? PHONE : DESKTOP, hasTouch: !!phone, isMobile: !!phone,
    colorScheme: dark ? "dark" : "light", reducedMotion: still ? "reduce" : "no-preference",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const tab = await context.newPage();
  tab.setDefaultTimeout(PATIENCE);
  const faults = [];
  const allowed = [];
  watch(tab, new URL(url).origin, faults);
  if (Object.keys(kept).length > 0) {
    await tab.addInitScript((entries) => {
      for (const [key, value] of Object.entries(entries)) {
        if (localStorage.getItem(`tanada.${key}`) === null) localStorage.setItem(`tanada.${key}`, JSON.stringify(value));
      }
    }, kept);
  }
  const more = { context, faults, tolerate: (pattern) => allowed.push(pattern) };
  try {
    await tab.goto(at ? `${url}#${at}` : url);
    await use(tab, more);
    const left = faults.filter((fault) => !allowed.some((pattern) => pattern.test(fault)));
    assert.deepEqual(left, [], name);
  } catch (error) {
    await shot(tab, `${name.replace(/\W+/g, "-")}-failed`).catch(() => {});
    throw faults.length > 0 ? new Error(`${error.message}\nfaults of the page: ${faults.join("; ")}`, { cause: error }) : error;
  } finally {
    await (options.context ? tab.close() : context.close());
  }
  kit.visits += 1;
}

function watch(tab, origin, faults) {
  tab.on("console", (message) => {
    if (message.type() !== "debug" && message.type() !== "info") faults.push(`${message.text()} (${message.location().url})`);
  });
  tab.on("pageerror", (error) => faults.push(error.stack || error.message));
  tab.on("dialog", (dialog) => { faults.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  tab.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) faults.push(`a request for ${url}`);
  });
  tab.on("response", (answer) => {
    if (answer.status() >= 400) faults.push(`${answer.status()} for ${answer.request().method()} ${answer.url()}`);
  });
}

/** A screenshot in target/web; `whole` for the whole page. */
export const shot = (tab, name, whole = false) => tab.screenshot({ path: join(folder, `${name}.png`), fullPage: whole });

/** Fails if axe-core finds a violation, at any level of WCAG that it knows, or of its best practices. */
export async function checkAxe(tab, name) {
  if (!(await tab.evaluate(() => "axe" in window))) await tab.evaluate(AXE);
  // Half-faded things have other colours.
  await tab.evaluate(() => Promise.all(document.getAnimations()
    .filter((each) => each.effect.getComputedTiming().endTime !== Infinity)
    .map((each) => each.finished.catch(() => {}))));
  const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary}`));
  assert.deepEqual(found, [], `axe: ${name}`);
}

/** Fails if the page is wider than its window, has text smaller than 14 px, or small controls on a phone. */
export async function checkLayout(tab, name) {
  const found = await tab.evaluate(() => {
    const faults = [];
    // A phone's window grows with what does not fit into it.
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    if (wide > 0) faults.push(`the page is ${wide} px too wide`);
    const isSeen = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest(".unseen");
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!node.data.trim() || !isSeen(parent) || parent.closest("noscript, title")) continue;
      // What is drawn grows and shrinks with its picture.
      const scale = parent.getScreenCTM ? parent.getScreenCTM().a : 1;
      const size = scale * parseFloat(getComputedStyle(parent).fontSize);
      if (size < 13.9) faults.push(`"${node.data.trim().slice(0, 30)}" has ${size} px`);
    }
    if (window.innerWidth < 500) {
      for (const node of document.querySelectorAll("button, select, summary, input:not([type=checkbox], [type=radio])")) {
        const { width, height } = node.getBoundingClientRect();
        if (isSeen(node) && (height < 43.5 || width < 43.5)) {
          faults.push(`"${(node.textContent || node.name).trim().slice(0, 30)}" is ${width}x${height}`);
        }
      }
    }
    return faults;
  });
  assert.deepEqual(found, [], `layout: ${name}`);
}

/** Waits until `test()` is true, or something; returns that. */
export async function until(test, what, limit = PATIENCE) {
  const end = Date.now() + limit;
  for (;;) {
    const found = await test();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => { setTimeout(done, 30); });
  }
}

/** The middle of a cell of a board in the window, for the mouse; cells are counted from the upper left. */
export async function placeOf(tab, cell, board = ".board-box svg.board") {
  return tab.locator(board).first().evaluate((svg, wanted) => {
    const side = Number(svg.dataset.side);
    // The labels are on the left; on the right the board has 8 units more.
    const margin = svg.viewBox.baseVal.width - 40 * side - 8;
    const frame = svg.getBoundingClientRect();
    const scale = frame.width / svg.viewBox.baseVal.width;
    const x = frame.left + (margin + 40 * (wanted % side) + 20) * scale;
    return { x, y: frame.top + (40 * Math.floor(wanted / side) + 28) * scale };
  }, cell);
}

/** Clicks a cell of a board. */
export async function clickCell(tab, cell, board) {
  const { x, y } = await placeOf(tab, cell, board);
  await tab.mouse.click(x, y);
}
