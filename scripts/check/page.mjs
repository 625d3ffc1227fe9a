// Opens pages of `tanada analyze --html` in a browser and uses them like a reader. scripts/check/page.sh runs it.
// Usage: node scripts/check/page.mjs
// TANADA_BIN names the program, CHROMIUM the browser; both must be set.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// Checked first, because it needs no packages.
for (const word of process.argv.slice(2)) {
  if (word === "--") break;
  if (word === "-h" || word === "--help") {
    const lines = readFileSync(new URL(import.meta.url), "utf8").split("\n");
    const header = lines.slice(0, lines.findIndex((line) => !line.startsWith("//")));
    console.log(header.map((line) => line.replace(/^\/\/ ?/, "")).join("\n"));
    process.exit();
  }
}
if (process.argv.length > 2) {
  console.error(`page.mjs: unexpected argument \`${process.argv[2]}\`; this script takes no arguments`);
  process.exit(2);
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const { chromium } = createRequire(join(root, "scripts/check/page/"))("playwright-core");
const folder = join(root, "target/page");
mkdirSync(folder, { recursive: true });

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

// The games. Short searches are enough, because the test is about the page.
const TANBO = `(;FF[4]GM[1]SZ[9]PB[</script><script>alert(1)</script>]PW[A & "B" <i>]RE[W+]
  C[Before the first move <b>bold</b>]
  ;B[ch];W[bc]C[A comment with </script> in it];B[dh];W[bd];B[eh];W[be];B[fh];W[bf];B[gb];W[hg];B[fb];W[hf]
  ;B[eb];W[he];B[db];W[hd];B[ib];W[hi];B[dc];W[gd];B[dd];W[fd];B[ah];W[gi]
  ;B[fi];W[ed];B[de];W[ee];B[fg];W[ef];B[ff];W[ba];B[da];W[id];B[ce];W[bg]
  ;B[ag];W[af];B[ca];W[ic];B[cc];W[gf];B[fe];W[df];B[fc];W[cg];B[cf];W[eg]
  ;B[ge];W[cb];B[hc];W[ec];B[dg];W[gc];B[di];W[cd];B[bi];W[ii];B[ia];W[ad]
  ;B[gh];W[fi];B[fa])`;
const FOUR = `to move: black
X . . . O . .
. . . . . . .
. . . . . . .
R . . . G . .
. . . . . . .
. . . . . . X
O . . . . . .
`;
const FOUR_MOVES =
  "B7 F7 B4 D4 C7 D7 C4 D3 C6 D6 C5 D2 F2 D5 A5 F4 A6 B1 A3 D1 G3 C1 C3 G4 E2 C7 A6 E1 F1 B7 A7 E5 E3 B6 C2";
const TARATIBU_MOVES = "4142 5775 7557 6254 5446 4627 2646 4627 5766 3726 3113 1335 3517 1123 2311";

function page(name, ...options) {
  const file = join(folder, `${name}.html`);
  rmSync(file, { force: true });
  const common = ["--iterations", "60", "--threads", "1", "--seed", "1", "--html", file];
  execFileSync(process.env.TANADA_BIN, ["analyze", ...options, ...common], { stdio: ["ignore", "ignore", "inherit"] });
  return { name, file, data: dataOf(file) };
}

function dataOf(file) {
  const text = readFileSync(file, "utf8");
  const found = /<script type="application\/json" id="review">([^<]*)<\/script>/.exec(text);
  assert(found, `${file} has no data`);
  return JSON.parse(found[1]);
}

const sgf = join(folder, "game.sgf");
writeFileSync(sgf, TANBO);
const diagram = join(folder, "four.txt");
writeFileSync(diagram, FOUR);

const pages = [
  page("tanbo", sgf),
  page("four", diagram, "--moves", FOUR_MOVES),
  page("taratibu", "--game", "taratibu", "--moves", TARATIBU_MOVES),
  page("large", "--size", "21", "--moves", "A18 V16"),
  page("position", "--size", "4", "--setup", "corners"),
];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: FLAGS });
let done = 0;

// Opens a page in its own window; errors and requests of the page fail the test.
async function open({ name, file }, options, use) {
  const context = await browser.newContext(options);
  const tab = await context.newPage();
  const faults = [];
  tab.on("console", (message) => { if (message.type() !== "debug") faults.push(message.text()); });
  tab.on("pageerror", (error) => faults.push(error.message));
  tab.on("dialog", (dialog) => { faults.push("a dialog opened"); dialog.dismiss(); });
  tab.on("request", (request) => {
    const url = request.url();
    if (url !== pathToFileURL(file).href && !url.startsWith("data:")) faults.push(`a request for ${url}`);
  });
  await tab.goto(pathToFileURL(file).href);
  await use(tab);
  assert.deepEqual(faults, [], name);
  await context.close();
  done += 1;
}

const at = async (tab) => Number((await tab.textContent("#count")).split("/")[0]);
const shot = (tab, name, whole) => tab.screenshot({ path: join(folder, `${name}.png`), fullPage: whole === true });
const stones = (tab) => tab.locator("#board .piece").count();
const isWide = (tab) => tab.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
// The board must be in the window, whatever was clicked.
async function seesBoard(tab) {
  // Measured in one call, because the board is redrawn when the pointer is on a marker.
  const box = await tab.evaluate(() => document.querySelector("#board svg").getBoundingClientRect().toJSON());
  const height = await tab.evaluate(() => window.innerHeight);
  assert(box.y >= -1 && box.y + Math.min(box.height, height) <= height + 1, `the board is at ${box.y}`);
}
const pieces = (data, number) => data.positions[number].rows.join("").replaceAll(".", "").length;

for (const game of pages) {
  const { name, data } = game;
  const end = data.moves.length;

  await open(game, { viewport: DESKTOP }, async (tab) => {
    // Keys.
    assert.equal(await at(tab), 0);
    assert.equal(await stones(tab), pieces(data, 0));
    for (let i = 1; i <= Math.min(end, 4); i++) {
      await tab.keyboard.press("ArrowRight");
      assert.equal(await at(tab), i);
      assert.equal(await stones(tab), pieces(data, i));
      const said = await tab.textContent("#said");
      assert(said.includes(data.moves[i - 1].move), said);
    }
    await tab.keyboard.press("End");
    assert.equal(await at(tab), end);
    assert.equal(await stones(tab), pieces(data, end));
    await tab.keyboard.press("ArrowRight");
    assert.equal(await at(tab), end);
    const isInView = end === 0 || await tab.evaluate(() => {
      const [row, box] = ["#moves tr[aria-current]", "#moves .scroll"].map((name) => document.querySelector(name).getBoundingClientRect());
      return row.top >= box.top - 1 && row.bottom <= box.bottom + 1;
    });
    assert(isInView, "the list shows the move");
    await tab.keyboard.press("Home");
    assert.equal(await at(tab), 0);
    await tab.keyboard.press("ArrowLeft");
    assert.equal(await at(tab), 0);

    // Variations: shown by pointer, kept by click, hidden by Escape.
    const best = data.positions[0].best;
    assert.equal(await tab.locator("#best button").count(), best.length);
    const line = best[0].line.length;
    const numbers = tab.locator(name === "taratibu" ? "#board .head" : "#board .number");
    await tab.hover("#best button");
    assert.equal(await numbers.count(), new Set(best[0].line.map((step, i) => (name === "taratibu" ? i : step.to))).size);
    await tab.mouse.move(1, 1);
    assert.equal(await tab.locator("#board .number").count(), 0);
    await tab.click("#best button");
    await tab.mouse.move(1, 1);
    assert.equal(await tab.getAttribute("#best button", "aria-pressed"), "true");
    const shown = await tab.locator("#board .worth, #board .number text").allTextContents();
    assert(shown.includes(String(line)), `${shown}`);
    await tab.keyboard.press("Escape");
    assert.equal(await tab.getAttribute("#best button", "aria-pressed"), "false");
    // The same on the board.
    const marker = await tab.locator('#board [data-choice="0"]').boundingBox();
    const [x, y] = [marker.x + marker.width / 2, marker.y + marker.height / 2];
    await tab.mouse.move(x, y);
    assert.equal(await tab.locator("#board .hit").count(), 1);
    await tab.mouse.move(1, 1);
    assert.equal(await tab.locator("#board .hit").count(), 0);
    await tab.mouse.click(x, y);
    await tab.mouse.move(1, 1);
    assert.equal(await tab.getAttribute("#best button", "aria-pressed"), "true");
    await tab.keyboard.press("Escape");
    assert.equal(await tab.getAttribute("#best button", "aria-pressed"), "false");

    // Best moves and spaces can be hidden and shown.
    const choices = tab.locator("#board .choice, #board .arrow");
    assert((await choices.count()) > 0);
    await tab.uncheck("#show-best");
    assert.equal(await choices.count(), 0);
    await tab.check("#show-best");
    if (data.positions[0].spaces) {
      assert.equal(await tab.locator("#board .seed").count(), 0);
      // A best move hides the discs below it.
      await tab.uncheck("#show-best");
      await tab.keyboard.press("s");
      const seats = data.positions[0].spaces.map((space) => space.now.map((cell) => `${cell} ${space.player}`));
      assert.equal(await tab.locator("#board .seed").count(), new Set(seats.flat()).size);
      assert(await tab.isVisible("#spaces"));
      await tab.keyboard.press("s");
      await tab.check("#show-best");
      assert(!(await tab.isVisible("#spaces")));
    } else {
      assert(!(await tab.isVisible("#spaces-label")));
    }
    assert(!(await isWide(tab)));
    // The legend is beside the board.
    const key = tab.locator("#stage .key li");
    assert.equal(await key.count(), data.positions[0].spaces ? 3 : 2);
    for (const line of await key.all()) assert(await line.isVisible());
    if (end === 0) return shot(tab, name);

    // The players, side by side.
    const rows = await tab.locator("#summary tbody tr").allTextContents();
    assert.equal(rows.length, data.players.length);
    for (const [i, { summary }] of data.players.entries()) {
      const counts = `${summary.doubtful}${summary.mistakes}${summary.blunders}`;
      assert(rows[i].endsWith(`%${counts}`) && rows[i].includes(String(summary.moves)), rows[i]);
    }
    // A loss is mentioned only if it exceeds the noise of the search.
    for (const wanted of [true, false]) {
      const sure = (move) => move.loss_interval !== null && move.loss_interval[0] >= data.thresholds.certain;
      const move = data.moves.find((move) => sure(move) === wanted && move.loss > 0);
      if (!move) continue;
      await tab.click(`#moves a[data-go='${move.number}']`);
      assert.equal((await tab.textContent("#said")).includes("It lost"), wanted, `move ${move.number}`);
      await tab.keyboard.press("Home");
    }
    await tab.evaluate(() => window.scrollTo(0, 0));

    // Clicks: buttons, the graph, the lists.
    await tab.click("[data-step=on]");
    assert.equal(await at(tab), 1);
    await tab.click("[data-step=last]");
    assert.equal(await at(tab), end);
    assert(await tab.isDisabled("[data-step=on]"));
    await tab.click("[data-step=back]");
    assert.equal(await at(tab), end - 1);
    await tab.click("[data-step=first]");
    assert.equal(await at(tab), 0);
    const plot = await tab.locator(".plot").boundingBox();
    await tab.mouse.click(plot.x + plot.width / 2, plot.y + plot.height / 2);
    assert.equal(await at(tab), Math.round(end / 2));
    await tab.click("#moves a[data-go='2']");
    assert.equal(await at(tab), 2);
    assert.equal(await tab.getAttribute("#m2", "aria-current"), "true");
    if (data.mistakes.length > 0) {
      await tab.click("#mistakes a");
      assert.equal(await at(tab), data.mistakes[0] - 1);
      await seesBoard(tab);
      await tab.keyboard.press("Home");
      await tab.keyboard.press("n");
      const first = Math.min(...data.mistakes.filter((number) => number > 1)) - 1;
      assert.equal(await at(tab), first);
    }
    await shot(tab, name);
  });

  await open(game, { viewport: PHONE, hasTouch: true, isMobile: true, colorScheme: "dark" }, async (tab) => {
    assert(!(await isWide(tab)));
    if (end > 0) {
      await tab.tap("[data-step=last]");
      assert.equal(await at(tab), end);
      await tab.tap("[data-step=back]");
    }
    const box = await tab.locator("#board svg").boundingBox();
    assert(box.width > 300 && box.x >= 0 && box.x + box.width <= PHONE.width);
    if (data.mistakes.length > 0) {
      await tab.tap("#mistakes a");
      await seesBoard(tab);
      await tab.tap("#best button");
      assert.equal(await tab.getAttribute("#best button", "aria-pressed"), "true");
    }
    const ground = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, "rgb(21, 25, 19)");
    await shot(tab, `${name}-phone-dark`, true);
  });

  await open(game, { viewport: PHONE, javaScriptEnabled: false }, async (tab) => {
    const drawn = await tab.locator("#keys .tiles svg.board").count();
    assert.equal(drawn, end === 0 ? 1 : 2 + Math.min(6, data.mistakes.length));
    assert(await tab.isVisible("#keys"));
    assert(!(await tab.isVisible("#stage")));
    assert.equal(await tab.locator("#moves tbody tr").count(), end);
    assert(await tab.isVisible("#keys .key li"));
    if (end > 0) assert.equal(await tab.locator("#summary tbody tr").count(), data.players.length);
    assert.equal(await tab.locator("#keys .tiles svg").first().locator(".stone").count(), pieces(data, 0));
    await shot(tab, `${name}-no-scripts`, true);
  });
}

// Text from a record must stay text, and removals must be visible.
await open(pages[0], { viewport: DESKTOP }, async (tab) => {
  assert((await tab.textContent(".legend")).includes("</script><script>alert(1)</script>"));
  assert((await tab.textContent("#said blockquote")).includes("<b>bold</b>"));
  await tab.click("#moves a[data-go='2']");
  assert.equal(await tab.textContent("#said blockquote"), "A comment with </script> in it");
});
for (const game of pages) {
  const removal = game.data.moves.find((move) => move.removed);
  if (!removal) continue;
  await open({ ...game, name: `${game.name}, removal` }, { viewport: DESKTOP }, async (tab) => {
    await tab.click(`#moves a[data-go='${removal.number}']`);
    assert.equal(await tab.locator("#board .gone").count(), removal.removed.length);
  });
}
assert(pages.some((game) => game.data.moves.some((move) => move.removed)), "no game has a removal");
assert(pages.some((game) => game.data.mistakes.length > 0), "no game has a mistake");

await browser.close();
console.log(`${done} visits to ${pages.length} pages passed; target/page has the screenshots`);
