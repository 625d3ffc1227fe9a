// Study: analysis, variations, the tree, review and retry, files, pictures, links; by mouse and by keyboard.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkAxe, checkLayout, clickCell, folder, placeOf, root, shot, until } from "./harness.mjs";

const GAME = join(root, "examples/games/9x9.sgf");
const EMPTY = "/study?game=tanbo&size=9&setup=classic";
const QUIET = { "study.analysis": false };
// C2 and C8 on 9 x 9: beside the first stones of Black and White.
const C2 = 65;
const C8 = 11;

const place = async (tab) => (await tab.textContent(".study .steps output")).trim();
const movesShown = (tab) => tab.locator(".tree .plies .move").allTextContents();
const said = (tab) => tab.textContent("#study-said");
const stones = (tab) => tab.locator("#study-board .piece").count();
const loaded = (tab) => tab.waitForSelector("#study-board svg.board");
const at = (tab, wanted) => until(async () => (await place(tab)) === wanted, `move ${wanted}`);
const card = (tab, name) => tab.locator(`section[aria-label="${name}"]`);

/** What the page asks of the server, newest last. */
function listen(tab) {
  const asked = [];
  tab.on("request", (request) => {
    const found = /\/api\/(\w+)$/.exec(new URL(request.url()).pathname);
    if (found && request.method() === "POST") asked.push({ name: found[1], body: request.postDataJSON() });
  });
  return asked;
}

async function opened(tab, file = GAME, moves = 49) {
  await loaded(tab);
  await tab.setInputFiles(".files input[type=file]", file);
  await until(async () => (await said(tab)).includes("Opened"), "the game");
  await at(tab, `0 / ${moves}`);
}

const fileOf = async (tab, press) => {
  const [download] = await Promise.all([tab.waitForEvent("download"), press()]);
  const path = join(folder, `study-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return path;
};

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

    // Space plays the best move.
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

async function reviews(kit) {
  await kit.open({ name: "study review", at: EMPTY, kept: { ...QUIET, "study.depth": "quick" } }, async (tab) => {
    await opened(tab);
    await tab.keyboard.press("Home");
    const panel = card(tab, "Review");
    await panel.getByRole("button", { name: "Review this game" }).click();
    await tab.waitForSelector(".review progress");
    await checkAxe(tab, "study, a review runs");
    await shot(tab, "study-review-runs");
    await tab.waitForSelector(".summary", { timeout: 120_000 });
    assert.equal(await tab.locator(".summary tbody tr").count(), 2);
    assert.match(await tab.locator(".summary tbody tr").first().textContent(), /Black.*\d+\s%/);
    const count = await tab.locator(".mistakes li").count();
    assert(count > 0, "this game has a mistake");
    const losses = (await tab.locator(".mistakes .lost").allTextContents()).map((text) => Number(/[\d.]+/.exec(text)[0]));
    assert.deepEqual(losses, [...losses].sort((a, b) => b - a));
    assert.equal(await tab.locator(".tree .mark").count(), count);
    assert.equal(await tab.locator(".plot .dot").count(), count);
    assert(await tab.locator(".plot .field").first().getAttribute("d") !== "");
    await checkAxe(tab, "study, a review");
    await checkLayout(tab, "study, a review");
    await tab.keyboard.press("n");
    await until(async () => /It lost [\d.]+\s%.*better was [A-J]\d/s.test(await said(tab)), "what the mistake lost");
    await shot(tab, "study-review", true);
    await graph(tab);

    // Retry: the move of the game is refused, a good one is taken and answered.
    await tab.locator(".mistakes li").first().getByRole("button", { name: /^Retry/ }).click();
    await tab.waitForSelector(".retry");
    const before = await tab.evaluate(() => Number(document.querySelector(".study .steps output").textContent.split("/")[0]));
    assert.equal(await tab.locator("#study-board .choice").count(), 0, "the answer is not shown");
    assert.equal(await tab.locator(".best").count(), 0);
    const { review } = await tab.evaluate(() => JSON.parse(localStorage.getItem("tanada.study.review")));
    const mistake = review.moves[before];
    await clickCell(tab, mistake.to);
    await tab.waitForSelector(".verdict.wrong");
    assert.match(await tab.textContent(".verdict"), /move of the game/);
    assert.equal(await place(tab).then((text) => text.split(" ")[0]), String(before));
    await shot(tab, "study-retry-wrong");
    const best = review.positions[before].best.find((move) => move.move === mistake.best);
    await clickCell(tab, best.line[0].to);
    await tab.waitForSelector(".verdict.right", { timeout: 60_000 });
    assert.match(await tab.textContent(".verdict"), /best move.*The engine answers [A-J]\d/s);
    assert.equal((await place(tab)).split(" ")[0], String(before + 2));
    await checkAxe(tab, "study, retry");
    await checkLayout(tab, "study, retry");
    await shot(tab, "study-retry", true);
    // A legal move that the review does not list is searched.
    await tab.getByRole("button", { name: "Once more" }).click();
    const listed = new Set(review.positions[before].best.map((move) => move.move));
    const told = await tab.evaluate(async ({ of, count }) => {
      const token = JSON.parse(localStorage.getItem("tanada.token"));
      const answer = await fetch("/api/position", {
        method: "POST", headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
        body: JSON.stringify({ game: of.game, start: of.start, moves: of.moves.slice(0, count) }),
      });
      return answer.json();
    }, { of: (await kept(tab)).of, count: before });
    const other = told.legal.find(({ move }) => !listed.has(move) && move !== mistake.move);
    await at(tab, `${before} / 49`);
    await playByKeys(tab, 9, other.to);
    await tab.waitForSelector(".verdict.wrong, .verdict.right", { timeout: 60_000 });
    await tab.getByRole("button", { name: "Done" }).click();
    await until(async () => (await tab.locator(".retry").count()) === 0, "the end of the retry");
    // It is still there after a reload.
    await tab.reload();
    await tab.waitForSelector(".mistakes li");
  });
}

// Moves the board's own cursor, which begins in the middle, and plays.
async function playByKeys(tab, side, cell) {
  await tab.focus("#study-board");
  await tab.keyboard.press("ArrowUp");
  const middle = Math.floor(side / 2);
  const [across, down] = [(cell % side) - middle, Math.floor(cell / side) - middle];
  for (let i = 0; i < Math.abs(across); i++) await tab.keyboard.press(across > 0 ? "ArrowRight" : "ArrowLeft");
  for (let i = 0; i < Math.abs(down); i++) await tab.keyboard.press(down > 0 ? "ArrowDown" : "ArrowUp");
  await tab.keyboard.press("Enter");
}

const kept = (tab) => tab.evaluate(() => JSON.parse(localStorage.getItem("tanada.study.review")));

// The graph goes to any position, by pointer and by key.
async function graph(tab) {
  await tab.locator(".plot").scrollIntoViewIfNeeded();
  const box = await tab.locator(".plot").boundingBox();
  await tab.mouse.click(box.x + box.width - 1, box.y + box.height / 2);
  await at(tab, "49 / 49");
  await tab.locator(".plot").focus();
  await tab.keyboard.press("ArrowDown");
  await at(tab, "48 / 49");
  await tab.keyboard.press("Home");
  await at(tab, "0 / 49");
}

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
    await tab.waitForSelector(".files .error");
    assert(await tab.locator("#study-board .pale").count() > 0);
  });
  await several(kit);
  await branches(kit);
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

/** `names` picks some of the tests. */
export async function run(kit, names = []) {
  const all = [analysis, sleeping, variations, threats, trees, reviews, files, links, pictures, looks];
  for (const test of all) if (names.length === 0 || names.includes(test.name)) await test(kit);
}

