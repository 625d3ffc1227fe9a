// Study: files, links, pictures and replays.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkAxe, root, shot, until } from "./harness.mjs";
import { GAME, EMPTY, QUIET, place, movesShown, said, stones, loaded, at, card, opened, fileOf } from "./help/study.mjs";

// The same record as the program itself writes after it read the file.
function written(file, ...options) {
  const commands = `tanada-load_record ${file}\ntanada-print_record\nquit\n`;
  const answers = execFileSync(process.env.TANADA_BIN, ["gtp", ...options], { input: commands, encoding: "utf8" });
  const found = /^= ?\n\n= ?([\s\S]*?)\n\n=/.exec(answers);
  assert(found, answers);
  return found[1].trim();
}

async function files(kit) {
  await kit.open({ name: "study files", at: EMPTY, kept: QUIET }, async (tab, { tolerate }) => {
    await opened(tab);
    const path = await fileOf(tab, () => card(tab, "Files and links").getByRole("button", { name: "Save the game" }).click());
    assert.match(path, /\.sgf$/);
    assert.equal(readFileSync(path, "utf8").trim(), written(GAME, "--size", "9"));
    // Four players and Taratibu, by paste and by drop.
    const four = join(root, "examples/games/four-players.sgf");
    await paste(tab, readFileSync(four, "utf8"));
    await until(async () => (await tab.locator(".graph-card .legend li").count()) >= 4, "four players");
    const second = await fileOf(tab, () => card(tab, "Files and links").getByRole("button", { name: "Save the game" }).click());
    assert.equal(readFileSync(second, "utf8").trim(), written(four, "--size", "9", "--players", "4"));
    // A collection of another server, with column i.
    const published = join(root, "tests/data/abstract-play.json");
    await drop(tab, "games.json", readFileSync(published, "utf8"));
    await tab.getByRole("button", { name: /Spring · 2026-06-01 · W\+ · 12 moves/ }).click();
    await at(tab, "0 / 12");
    const other = await fileOf(tab, () => card(tab, "Files and links").getByRole("button", { name: "Save the game" }).click());
    assert.equal(readFileSync(other, "utf8").trim(), written(published, "--size", "11"));
    const taratibu = join(root, "examples/games/taratibu.txt");
    await drop(tab, "taratibu.txt", readFileSync(taratibu, "utf8"));
    await tab.waitForSelector("#study-board .pale");
    const third = await fileOf(tab, () => card(tab, "Files and links").getByRole("button", { name: "Save the game" }).click());
    assert.equal(readFileSync(third, "utf8").trim(), written(taratibu, "--game", "taratibu"));
    await shot(tab, "study-taratibu");
    await checkAxe(tab, "study, Taratibu");
    await offline(kit, await fileOf(tab, async () => {
      await tab.getByText("Pictures and texts").click();
      await tab.getByRole("button", { name: "Animated replay (HTML)" }).click();
    }), 24);
    // Nonsense is refused, and the game stays.
    tolerate(/422/);
    await paste(tab, "this is no game");
    await tab.waitForSelector("#study-said .error");
    assert(await tab.locator("#study-board .pale").count() > 0);
  });
}

const paste = (tab, text) => tab.evaluate((given) => {
  const data = new DataTransfer();
  data.setData("text/plain", given);
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}, text);

const drop = (tab, name, text) => tab.evaluate(({ file, given }) => {
  const data = new DataTransfer();
  data.items.add(new File([given], file));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
}, { file: name, given: text });

// Variations come in and go out.
async function branches(kit) {
  await kit.open({ name: "study branches", at: EMPTY, kept: QUIET }, async (tab) => {
    await loaded(tab);
    const game = "(;FF[4]GM[1]SZ[9]AB[bh][hb]AW[bb][hh]PL[B];B[hc]C[The usual move](;W[cb];B[ic])(;W[bc];B[ch](;W[bd])(;W[ab]))(;W[ba]))";
    await paste(tab, game);
    await until(async () => (await movesShown(tab)).length === 8, "all moves of the file");
    assert.deepEqual(await movesShown(tab), ["H7", "C8", "B7", "C2", "B6", "A8", "B9", "J7"]);
    assert.equal(await tab.locator(".tree .depth-1").count(), 2);
    const save = () => card(tab, "Files and links").getByRole("button", { name: "Save the game" }).click();
    const first = readFileSync(await fileOf(tab, save), "utf8");
    assert.equal((first.match(/\(;/g) || []).length, 6, first);
    assert(first.includes("C[The usual move]"));
    await paste(tab, first);
    await until(async () => (await said(tab)).includes("Opened"), "the saved game");
    assert.equal(readFileSync(await fileOf(tab, save), "utf8"), first);
    await shot(tab, "study-branches");
  });
}

// A file with several games lets one be chosen.
async function several(kit) {
  await kit.open({ name: "study chooser", at: EMPTY, kept: QUIET }, async (tab) => {
    await loaded(tab);
    const game = readFileSync(GAME, "utf8").trim();
    await paste(tab, `${game}\n${game.replace("PB[Tanada", "PB[Somebody else")}\n`);
    await tab.waitForSelector("dialog[open] .chooser");
    assert.equal(await tab.locator(".chooser li").count(), 2);
    await checkAxe(tab, "study, chooser");
    await shot(tab, "study-chooser");
    await tab.locator(".chooser button").nth(1).click();
    await until(async () => (await said(tab)).includes("Somebody else"), "the second game");
    assert.equal((await movesShown(tab)).length, 49);
  });
}

async function links(kit) {
  await kit.open({ name: "study link", at: EMPTY, kept: QUIET }, async (tab, { context }) => {
    await opened(tab);
    for (let i = 0; i < 7; i++) await tab.keyboard.press("ArrowRight");
    await at(tab, "7 / 49");
    await tab.keyboard.press("l");
    await until(async () => (await said(tab)).includes("Copied the link"), "the link");
    const link = await tab.evaluate(() => navigator.clipboard.readText());
    assert(!link.includes("token"), link);
    const rows = (page) => page.locator("#study-board .piece").evaluateAll((all) =>
      all.map((node) => `${node.dataset.cell} ${node.querySelector("circle").getAttribute("class")}`).sort());
    const other = await context.newPage();
    await other.goto(link);
    await loaded(other);
    await until(async () => (await place(other)).startsWith("7 /"), "the position of the link");
    assert.deepEqual(await rows(other), await rows(tab));
    await other.close();
  });
}

async function pictures(kit) {
  await kit.open({ name: "study pictures", at: EMPTY, kept: QUIET }, async (tab) => {
    await opened(tab);
    for (let i = 0; i < 5; i++) await tab.keyboard.press("ArrowRight");
    await at(tab, "5 / 49");
    const files = card(tab, "Files and links");
    await files.getByText("Pictures and texts").click();
    const svg = await fileOf(tab, () => files.getByRole("button", { name: "Picture (SVG)" }).click());
    const text = readFileSync(svg, "utf8");
    assert(!/class=|style=|var\(|href|<script/.test(text), "the picture needs a style sheet");
    const known = await tab.evaluate((given) => {
      const parsed = new DOMParser().parseFromString(given, "image/svg+xml");
      const ids = [...given.matchAll(/url\(#([\w-]+)\)/g)].map(([, id]) => id);
      return {
        isWrong: !!parsed.querySelector("parsererror"), root: parsed.documentElement.localName,
        stones: parsed.querySelectorAll("circle[fill^='url']").length, missing: ids.filter((id) => !parsed.getElementById(id)),
      };
    }, text);
    assert.deepEqual(known, { isWrong: false, root: "svg", stones: await stones(tab), missing: [] });
    const png = readFileSync(await fileOf(tab, () => files.getByRole("button", { name: "Picture (PNG)" }).click()));
    assert.equal(png.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
    assert.equal(png.readUInt32BE(16), 1200);
    assert(png.length > 20_000, `the picture has only ${png.length} bytes`);
    await files.getByRole("button", { name: "Copy position" }).click();
    await until(async () => (await said(tab)).includes("Copied the position"), "the position");
    assert.match(await tab.evaluate(() => navigator.clipboard.readText()), /to move/);
    const replay = await fileOf(tab, () => files.getByRole("button", { name: "Animated replay (HTML)" }).click());
    await offline(kit, replay, 49);
  });
}

// The replay plays from a file, without a network, and keeps still where the system asks for that.
async function offline(kit, file, end) {
  for (const still of [true, false]) {
    const context = await kit.browser.newContext({ reducedMotion: still ? "reduce" : "no-preference", offline: true, colorScheme: still ? "dark" : "light" });
    const tab = await context.newPage();
    const faults = [];
    tab.on("console", (message) => faults.push(message.text()));
    tab.on("pageerror", (error) => faults.push(error.message));
    tab.on("request", (request) => { if (!/^(file|data):/.test(request.url())) faults.push(request.url()); });
    await tab.goto(pathToFileURL(file).href);
    const count = () => tab.textContent("#count");
    if (still) {
      await new Promise((done) => { setTimeout(done, 1500); });
      assert.equal(await count(), `0 / ${end}`);
      await tab.keyboard.press("ArrowRight");
      assert.equal(await count(), `1 / ${end}`);
      await tab.keyboard.press("End");
      assert.equal(await count(), `${end} / ${end}`);
      assert(await tab.isDisabled("[data-do=on]"));
      assert(await tab.locator("#board .piece").count() > 5);
      await checkAxe(tab, "replay");
      await shot(tab, "study-replay");
    } else {
      await tab.selectOption("#speed", "350");
      await until(async () => Number((await count()).split("/")[0]) >= 2, "a replay that plays");
      await tab.click("[data-do=play]");
      const then = await count();
      await new Promise((done) => { setTimeout(done, 800); });
      assert.equal(await count(), then, "pause");
    }
    assert.deepEqual(faults, []);
    await context.close();
  }
}

export async function run(kit) {
  for (const test of [files, several, branches, links, pictures]) await test(kit);
}
