// Links, good and bad, into new and open pages; going back; several tabs of one browser; what was kept and is damaged.
import assert from "node:assert/strict";
import { until } from "./harness.mjs";
import { movesShown, playAny, ready, stateOf } from "./help/play.mjs";

const LINK = "game=tanbo&size=9&setup=classic&moves=";
const start = { line: { game: "tanbo", start: { size: 9, setup: "classic", players: 2 } }, header: null, seats: ["person", "person"] };
const kept = { ...start, tree: [{ parent: null, move: null, comment: null }, { parent: 0, move: "C2", comment: null }], path: ["C2"] };

const movesOf = async (tab) => (await stateOf(tab)).moves;
const goTo = (tab, hash) => tab.evaluate((text) => { location.hash = text; }, hash);
const partOf = (tab) => tab.evaluate(() => location.hash.split("?")[0]);

async function badLink(kit) {
  await kit.open({ name: "bad link", at: `/play?${LINK}A1.B2`, kept: { game: kept } }, async (tab, { tolerate }) => {
    tolerate(/422/);
    await ready(tab);
    await until(async () => (await tab.textContent("main")).includes("This link cannot be opened: move 1: illegal"), "the refusal");
    assert.deepEqual(await movesOf(tab), ["C2"]);
    assert.equal((await stateOf(tab)).nodes, 2);
    await playAny(tab);
    assert.equal((await movesOf(tab)).length, 2);
  });
  for (const damaged of [{ line: null, tree: [] }, { ...kept, path: ["A1"] }, { ...kept, tree: 7 }, "?"]) {
    await kit.open({ name: "damaged", kept: { game: damaged } }, async (tab, { tolerate }) => {
      tolerate(/422/);
      await ready(tab);
      assert.deepEqual(await movesOf(tab), []);
    });
  }
}

async function openPage(kit) {
  await kit.open({ name: "links", kept: { game: kept } }, async (tab, { tolerate }) => {
    await ready(tab);
    // A link into the same start keeps the tree; a wrong one changes nothing.
    await goTo(tab, `/study?${LINK}C2.B7`);
    await until(async () => (await movesOf(tab)).join() === "C2,B7", "the linked position");
    assert.equal(await partOf(tab), "#/study");
    tolerate(/422/);
    await goTo(tab, `/study?${LINK}A1`);
    await until(async () => (await tab.textContent("main")).includes("This link cannot be opened:"), "the refusal");
    assert.deepEqual(await movesOf(tab), ["C2", "B7"]);

    // Another game can be undone.
    await goTo(tab, "/study?game=tanbo&size=7&setup=dense");
    await until(async () => (await stateOf(tab)).line.start.size === 7, "another board");
    await tab.click("button:text-is('Undo')");
    await until(async () => (await movesOf(tab)).join() === "C2,B7", "the former game");

    // A pasted link, as Copy link makes it.
    await tab.evaluate((text) => navigator.clipboard.writeText(text), `${new URL(tab.url()).origin}/#/study?${LINK}C2`);
    await tab.keyboard.press("Control+V");
    await until(async () => (await movesOf(tab)).join() === "C2", "the pasted link");

    // Back leads to the part before, and leaves the game alone.
    await tab.click("nav a:text-is('Play')");
    await until(async () => (await partOf(tab)) === "#/play", "Play");
    await tab.click("nav a:text-is('Learn')");
    await until(async () => (await partOf(tab)) === "#/learn", "Learn");
    await tab.goBack();
    await ready(tab);
    assert.equal(await partOf(tab), "#/play");
    assert.deepEqual(await movesOf(tab), ["C2"]);
  });
}

/** Each tab keeps its own game over a reload; a new one begins with what was played last. */
async function severalTabs(kit) {
  await kit.open({ name: "tabs", kept: { game: kept } }, async (tab, { context }) => {
    await ready(tab);
    const other = await context.newPage();
    await other.goto(tab.url());
    await ready(other);
    await playAny(tab);
    await tab.waitForTimeout(400);
    await other.reload();
    await ready(other);
    assert.equal(await movesShown(other), 1);
    // Stepping about is no move.
    await other.click("nav a:text-is('Study')");
    await other.waitForSelector(".study svg.board");
    await other.keyboard.press("ArrowLeft");
    await other.waitForTimeout(400);
    await other.close({ runBeforeUnload: true });
    const later = await context.newPage();
    await later.goto(new URL(tab.url()).origin);
    await ready(later);
    assert.equal(await movesShown(later), 2);
    await later.close();
  });
}

/** A browser opens six connections to a server; hidden tabs without a search give theirs back. */
async function manyTabs(kit) {
  await kit.open({ name: "many tabs" }, async (tab, { context }) => {
    await ready(tab);
    const show = (page, isHidden) => page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, isHidden);
    await show(tab, true);
    const others = [];
    for (let count = 0; count < 6; count += 1) {
      const page = await context.newPage();
      others.push(page);
      await page.goto(new URL(tab.url()).origin);
      await ready(page);
      if (count < 5) await show(page, true);
    }
    const last = others.at(-1);
    await playAny(last);
    // The first one answers as soon as it is looked at again.
    await show(last, true);
    await show(tab, false);
    await playAny(tab);
    await tab.click("button:text-is('Hint')");
    await tab.waitForSelector("#play-board .marked.hint");
    for (const page of others) await page.close();
  });
}

/** A part that was never open opens while the server is away, and the page goes on with the next server. */
async function away(kit) {
  const server = await kit.startServer();
  await kit.open({ name: "away", url: server.url }, async (tab, { tolerate, context }) => {
    // An analysis that reaches the new server before the stream of events does is refused (409), and sent again after it.
    tolerate(/ERR_|Failed to load resource|401|409 for POST .*analyze/);
    await ready(tab);
    await server.stop("SIGKILL");
    await tab.waitForSelector(".notice");
    await tab.click("nav a:text-is('Study')");
    await tab.waitForSelector(".study svg.board");
    // The positions of the lessons are the server's.
    await tab.click("nav a:text-is('Learn')");
    await until(async () => (await tab.textContent("main")).includes("Tanada does not answer."), "the refusal");
    const again = await kit.startServer({ port: server.port });
    const second = await context.newPage();
    await second.goto(again.url);
    await tab.waitForSelector(".notice", { state: "detached" });
    await tab.waitForSelector(".learn svg.board");
    await tab.click("nav a:text-is('Play')");
    await playAny(tab);
    await second.close();
    await again.stop();
  });
}

export async function run(kit) {
  const only = process.env.WEB_ONLY;
  for (const test of [badLink, openPage, severalTabs, manyTabs, away]) {
    if (!only || test.name === only) await test(kit);
  }
}
