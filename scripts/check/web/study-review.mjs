// Study: the review of a game, its graph, and the retry of a mistake.
import assert from "node:assert/strict";
import { checkAxe, checkLayout, clickCell, shot, until } from "./harness.mjs";
import { EMPTY, QUIET, place, said, at, card, opened } from "./help/study.mjs";

async function reviews(kit) {
  await kit.open({ name: "study review", at: EMPTY, kept: { ...QUIET, "study.depth": "deep" } }, async (tab) => {
    await opened(tab);
    await tab.keyboard.press("Home");
    const panel = card(tab, "Review");
    await panel.getByRole("button", { name: "Review this game" }).click();
    await tab.waitForSelector(".review progress");
    await checkAxe(tab, "study, a review runs");
    await shot(tab, "study-review-runs");
    await panel.getByRole("button", { name: "Stop" }).click();
    await panel.getByLabel("Depth").selectOption("quick");
    await panel.getByRole("button", { name: "Review this game" }).click();
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
    await until(async () => /It lost [\d.]+\s%.*[A-J]\d+ was better/s.test(await said(tab)), "what the mistake lost");
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
    assert.match(await tab.textContent(".verdict"), /played in the game/);
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
    // Whoever goes elsewhere before the engine has answered finds no answer there.
    await tab.getByRole("button", { name: "Try again" }).click();
    await tab.getByRole("button", { name: "Show the answer" }).click();
    await at(tab, `${before + 1} / ${before + 2}`);
    await tab.keyboard.press("Home");
    await tab.waitForSelector(".verdict.shown");
    const begun = await tab.evaluate(async () => (await import("/game.js")).game.get().tree.nodes[0].children.length);
    assert.equal(begun, 1);
    // A legal move that the review does not list is searched.
    await tab.getByRole("button", { name: "Try again" }).click();
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

export async function run(kit) {
  for (const test of [reviews]) await test(kit);
}
