// Play: taking back, leaving a game and coming back to it. Clocks, the pie and the ending go with the game.
import assert from "node:assert/strict";
import { begin, levelsOf, movesShown, playAny, ready, stateOf, turnOf } from "./help/play.mjs";
import { checkAxe, clickCell, shot, until } from "./harness.mjs";

const press = (tab, name) => tab.click(`button:text-is('${name}')`);
const call = (tab) => tab.locator(".call:has-text('In the middle of a game')");
const clocksOf = (tab) => tab.locator(".seat .clock").allTextContents();

async function study(tab) {
  await tab.click("nav a:text-is('Study')");
  await tab.waitForSelector("main.part-study .board");
}

async function play(tab) {
  await tab.click("nav a:text-is('Play')");
  await ready(tab);
}

/** Plays a legal move in Study by a click. */
async function tryMove(tab) {
  const { position, moves } = await until(async () => { const state = await stateOf(tab); return state.position && state; }, "the position");
  await clickCell(tab, position.legal.at(-1).to, "#study-board svg.board");
  await until(async () => (await stateOf(tab)).moves.length > moves.length, "the move in Study");
}

/** A seat that a kept game lacks is that of a person. */
async function missingSeats(kit) {
  const game = {
    line: { game: "tanbo", start: { size: 9, setup: "classic", players: 4 } }, tree: [{ parent: null, move: null, comment: null }],
    path: [], header: null, seats: ["person", "person"],
  };
  await kit.open({ name: "missing seats", kept: { game } }, async (tab) => {
    await ready(tab);
    for (let i = 0; i < 3; i++) await playAny(tab);
    assert.deepEqual((await stateOf(tab)).seats, Array(4).fill("person"));
  });
}

/** A paste by accident costs nothing. */
async function pasted(kit) {
  await kit.open({ name: "pasted", kept: { "study.analysis": false } }, async (tab) => {
    await ready(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", "person"], clock: "30+10", pie: true });
    await playAny(tab);
    await study(tab);
    const { moves } = await stateOf(tab);
    await tab.evaluate(() => {
      const data = new DataTransfer();
      data.setData("text/plain", "(;FF[4]GM[1]SZ[9]RU[Tanbo]AB[bh][hb]AW[bb][hh]PL[B];B[hc];W[cb])");
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data }));
    });
    await until(async () => /Opened/.test(await tab.textContent("#study-said")), "the pasted game");
    await tab.click("#study-said button");
    await until(async () => JSON.stringify((await stateOf(tab)).moves) === JSON.stringify(moves), "the game of before");
    await play(tab);
    assert.deepEqual(await clocksOf(tab), ["30:10", "30:00"]);
    assert.equal(await tab.textContent(".call h2"), "Choose your colour");
  });
}

export async function run(kit) {
  const only = process.env.WEB_ONLY;
  for (const test of [missingSeats, pasted]) {
    if (only && test.name !== only) continue;
    await test(kit);
  }
}
