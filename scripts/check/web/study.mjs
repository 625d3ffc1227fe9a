// Study: analysis, variations, threats, spaces, the tree; by mouse and by keyboard, on a desktop and a phone.
import assert from "node:assert/strict";
import { checkAxe, checkLayout, clickCell, placeOf, shot, until } from "./harness.mjs";
import { EMPTY, QUIET, C2, C8, place, movesShown, said, loaded, at, card, listen } from "./help/study.mjs";

async function analysis(kit) {
  await kit.open({ name: "study analysis", at: EMPTY }, async (tab) => {
    const asked = listen(tab);
    await loaded(tab);
    await tab.waitForSelector(".choices li");
    const iterations = async () => {
      const text = await tab.textContent(".search-state");
      const found = /^([\d.]+)( k)? iterations/.exec(text);
      return found ? Number(found[1]) * (found[2] ? 1000 : 1) : 0;
    };
    // It streams: the number grows by itself, several times.
    const seen = new Set();
    await until(async () => { seen.add(await iterations()); return seen.size >= 5; }, "five updates");
    assert(await tab.locator("#study-board .choice").count() >= 3, "best moves are on the board");
    assert.match(await card(tab, "Analysis").locator("h2").textContent(), /Best moves of Black/);
    await shot(tab, "study-analysis");
    await checkAxe(tab, "study, analysis");
    await checkLayout(tab, "study, analysis");

    // A move restarts it with the other side to move.
    await clickCell(tab, C2);
    await at(tab, "1 / 1");
    await until(async () => /Best moves of White/.test(await card(tab, "Analysis").locator("h2").textContent()), "White's moves");
    await tab.waitForSelector(".choices li");
    const starts = asked.filter(({ name }) => name === "analyze");
    assert.deepEqual(starts.at(-1).body.line.moves, ["C2"]);
    assert.equal(starts.at(-1).body.best, 10);
    const told = await tab.locator(".graph-card .legend li").count();
    assert(told >= 2, "the chances of both players are told");

    // Off: the server is told, and the list keeps still.
    await tab.keyboard.press("a");
    await until(() => asked.some(({ name }) => name === "stop"), "the end of the analysis");
    await until(async () => (await tab.textContent(".search-state")).includes("off"), "the word off");
    await tab.keyboard.press("ArrowLeft");
    await tab.keyboard.press("a");
    await until(async () => (await iterations()) > 0, "the analysis again");

    // What is typed stays while the analysis goes on.
    await tab.getByText("Players and event").click();
    const black = tab.getByRole("textbox", { name: "Black" });
    await black.pressSequentially("Anna Bell", { delay: 120 });
    assert.equal(await black.inputValue(), "Anna Bell");
    assert.match(await tab.textContent(".graph-card .legend"), /Anna Bell/);

    // Space plays the best move, also after a click on a link.
    await tab.click(".head nav a[href='#/study']");
    await tab.keyboard.press(" ");
    await until(async () => (await place(tab)).startsWith("1 /"), "the best move");
    // Whoever leaves needs no engine.
    const before = asked.filter(({ name }) => name === "stop").length;
    await tab.click(".head nav a[href='#/learn']");
    await until(() => asked.filter(({ name }) => name === "stop").length > before, "the end of the analysis");
  });
}

// One engine for two pages: the later one takes it, the earlier one can have it back.
async function sleeping(kit) {
  const server = await kit.startServer({ args: ["--engines", "1"] });
  await kit.open({ name: "study asleep", at: EMPTY, url: server.url }, async (tab) => {
    await tab.waitForSelector(".choices li");
    await kit.open({ name: "study awake", at: EMPTY, url: server.url }, async (other) => {
      await other.waitForSelector(".choices li");
      const wake = tab.getByRole("button", { name: "Wake it" });
      await wake.waitFor();
      await checkAxe(tab, "study, asleep");
      await wake.click();
      await wake.waitFor({ state: "detached" });
      await other.getByRole("button", { name: "Wake it" }).waitFor();
    });
  });
  await server.stop("SIGKILL");
}

async function variations(kit) {
  await kit.open({ name: "study variations", at: EMPTY }, async (tab) => {
    await loaded(tab);
    await tab.waitForSelector(".choices li .line:not(:empty)");
    await until(async () => (await tab.locator(".choices li").first().locator(".line").textContent()).split(" ").length > 2, "a variation");
    await tab.hover(".choices li:first-child button");
    await until(async () => (await tab.locator("#study-board .number").count()) > 1, "the variation on the board");
    await tab.mouse.move(5, 5);
    await until(async () => (await tab.locator("#study-board .number").count()) === 0, "the board without it");
    // On the board too.
    const first = (await tab.locator(".choices .name").first().textContent()).trim();
    const box = await tab.locator("#study-board [data-choice='0']").first().boundingBox();
    await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await until(async () => (await tab.locator("#study-board .number").count()) > 1, "the variation under the pointer");
    await tab.mouse.move(5, 5);
    // A click holds it; its moves go into the tree.
    await tab.keyboard.press("v");
    await tab.waitForSelector(".choices [aria-pressed=true]");
    assert(await tab.locator("#study-board .number").count() > 1);
    assert(first.length >= 2);
    await shot(tab, "study-variation");
    await tab.keyboard.press("a");
    const whole = tab.locator(".choices .is-held").getByRole("button", { name: /^Play all/ });
    const length = Number(/\d+/.exec(await whole.textContent())[0]);
    await whole.click();
    await at(tab, `${length} / ${length}`);
    assert.equal((await movesShown(tab)).length, length);
    await tab.keyboard.press("a");
    // Focus by the keyboard shows variations as the pointer does.
    await tab.keyboard.press("Home");
    await tab.waitForSelector(".choices li");
    await tab.locator(".switches button").last().focus();
    await tab.keyboard.press("Tab");
    await until(async () => (await tab.locator("#study-board .number").count()) > 0, "the variation of the focus");
  });
}

async function threats(kit) {
  await kit.open({ name: "study threat", at: EMPTY }, async (tab) => {
    const asked = listen(tab);
    await loaded(tab);
    await tab.keyboard.press("t");
    await until(() => asked.some(({ name, body }) => name === "analyze" && body.threat), "a search of the threat");
    await tab.waitForSelector(".threat-words");
    assert.match(await tab.textContent(".threat-words"), /^If Black could pass, White would play [A-J]\d/);
    await tab.waitForSelector("#study-board .marked.threat");
    assert.equal(await tab.locator("#study-board .choice").count(), 0);
    await shot(tab, "study-threat");
    await checkAxe(tab, "study, threat");
    await tab.keyboard.press("t");
    await until(async () => (await tab.locator(".threat-words").count()) === 0, "the end of the threat");
    // Spaces.
    await tab.keyboard.press("s");
    await tab.waitForSelector("#study-board .seed");
    assert.equal(await tab.locator(".spaces tbody tr").count(), 2);
    await shot(tab, "study-spaces");
    await checkAxe(tab, "study, spaces");
  });
}

async function trees(kit) {
  await kit.open({ name: "study tree", at: EMPTY, kept: QUIET }, async (tab) => {
    await loaded(tab);
    await clickCell(tab, C2);
    await at(tab, "1 / 1");
    await clickCell(tab, C8);
    await at(tab, "2 / 2");
    // An illegal click says why and changes nothing.
    await clickCell(tab, 40);
    await tab.waitForSelector("#study-said .error");
    assert.equal(await tab.locator("#study-board .wrong").count(), 1);
    assert.equal(await place(tab), "2 / 2");
    // Another first move is a variation.
    await tab.keyboard.press("Home");
    await at(tab, "0 / 2");
    await clickCell(tab, 63);
    await at(tab, "1 / 1");
    assert.deepEqual(await movesShown(tab), ["C2", "A2", "C8"]);
    await tab.keyboard.press("ArrowUp");
    await at(tab, "1 / 2");
    await tab.keyboard.press("ArrowDown");
    await at(tab, "1 / 1");
    await tab.keyboard.press("m");
    assert.deepEqual(await movesShown(tab), ["A2", "C2", "C8"]);
    await shot(tab, "study-tree");
    // A comment, without the page taking its letters for keys.
    await tab.keyboard.press("c");
    await tab.keyboard.type("A quiet start, no threat");
    await tab.keyboard.press("Escape");
    await until(async () => (await tab.locator(".tree .remark").allTextContents()).includes("A quiet start, no threat"), "the comment");
    // Deleted, and back again.
    await tab.keyboard.press("ArrowDown");
    await at(tab, "1 / 2");
    await tab.keyboard.press("Delete");
    await at(tab, "0 / 1");
    assert.deepEqual(await movesShown(tab), ["A2"]);
    assert.match(await said(tab), /Deleted 2 moves/);
    await tab.click("#study-said button");
    await until(async () => (await movesShown(tab)).length === 3, "the deleted moves");
    // The board's own cursor plays, and only while the board has the focus.
    await tab.keyboard.press("Home");
    await tab.focus("#study-board");
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("ArrowUp");
    assert.equal(await tab.locator("#study-board .keyed").count(), 1);
    assert.equal(await place(tab), "0 / 1");
    // Reload keeps all.
    await tab.reload();
    await loaded(tab);
    await until(async () => (await movesShown(tab)).length === 3, "the tree after a reload");
    assert.equal(await tab.locator(".tree .remark").count(), 1);
    // The list of keys.
    await tab.keyboard.press("?");
    await tab.waitForSelector("dialog[open] .keys");
    await checkAxe(tab, "study, keys");
    await shot(tab, "study-keys");
    await tab.keyboard.press("Escape");
    await until(async () => (await tab.locator("dialog").count()) === 0, "the end of the list");
  });
}

async function looks(kit) {
  for (const dark of [false, true]) {
    const name = `study-phone${dark ? "-dark" : ""}`;
    await kit.open({ name, at: "/study?game=tanbo&size=9&setup=classic&moves=H7.C8.J7", phone: true, dark }, async (tab) => {
      await loaded(tab);
      await tab.waitForSelector(".choices li");
      await checkAxe(tab, name);
      await checkLayout(tab, name);
      await shot(tab, name);
      await shot(tab, `${name}-whole`, true);
      const { width } = await tab.locator("#study-board svg").boundingBox();
      assert(width >= 320, `the board is ${width} px wide`);
      // A touch plays.
      const { x, y } = await placeOf(tab, 12);
      await tab.touchscreen.tap(x, y);
      await at(tab, "4 / 4");
    });
  }
  await kit.open({ name: "study dark", at: "/study?game=tanbo&size=9&setup=classic&players=4", dark: true }, async (tab) => {
    await loaded(tab);
    await tab.waitForSelector(".choices li");
    assert.equal(await tab.locator(".graph-card .legend li b").count(), 4, "the values of four players");
    await checkAxe(tab, "study, four players, dark");
    await shot(tab, "study-four-dark");
  });
}

export async function run(kit) {
  for (const test of [analysis, sleeping, variations, threats, trees, looks]) await test(kit);
}
