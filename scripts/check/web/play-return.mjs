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

const seatsAre = (tab, seats) => until(async () => JSON.stringify((await stateOf(tab)).seats) === JSON.stringify(seats), `the seats ${seats}`);

/** What is looked at in Study is not played. */
async function lookedAt(kit) {
  await kit.open({ name: "looked at in Study", kept: { "study.analysis": false } }, async (tab) => {
    await ready(tab);
    const [{ name }] = await levelsOf(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", name] });
    await playAny(tab);
    await until(async () => (await movesShown(tab)) === 2, "the answer");
    const { moves } = await stateOf(tab);
    await study(tab);
    for (let i = 0; i < 3; i++) await tryMove(tab);
    await play(tab);
    await call(tab).waitFor();
    await checkAxe(tab, "midway");
    for (const button of ["Undo", "Hint", "Resign"]) assert(await tab.isDisabled(`button:text-is('${button}')`), button);
    await clickCell(tab, (await stateOf(tab)).position.legal[0].to, "#play-board svg.board");
    await until(() => tab.textContent(".said"), "what a click means");
    await tab.waitForTimeout(1000);
    assert.equal(await movesShown(tab), 5, "nobody plays before the answer");
    // Nodes are numbered anew.
    await tab.reload();
    await call(tab).waitFor();
    await press(tab, "Back to the game");
    await until(async () => (await movesShown(tab)) === 2, "the game");
    assert.deepEqual((await stateOf(tab)).moves, moves);
    assert.equal(await call(tab).count(), 0);
    await playAny(tab);
    await until(async () => (await movesShown(tab)) === 4, "the game goes on");

    // An ending stays where the game ended.
    await press(tab, "Resign");
    await tab.waitForSelector(".ending");
    await study(tab);
    await tryMove(tab);
    await play(tab);
    await call(tab).waitFor();
    await tab.waitForTimeout(1000);
    assert.equal(await movesShown(tab), 5);
    assert.equal(await tab.locator(".ending").count(), 0);
    await press(tab, "Back to the game");
    await tab.waitForSelector(".ending");
    assert.equal((await stateOf(tab)).header.result, "W+R");
    await study(tab);
    await tryMove(tab);
    await play(tab);
    await shot(tab, "play-midway");
    await press(tab, "Play on from here");
    await until(async () => (await movesShown(tab)) === 6, "the engine's answer");
    assert.equal((await stateOf(tab)).header.result, null);
    await turnOf(tab);
    assert.equal(await call(tab).count(), 0);
  });
}

/** An increment goes with its move. */
async function increments(kit) {
  await kit.open({ name: "increments", kept: { "study.analysis": false } }, async (tab) => {
    await ready(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", "person"], clock: "30+10" });
    for (let i = 0; i < 3; i++) {
      await playAny(tab);
      assert.equal((await clocksOf(tab))[0], "30:10");
      await press(tab, "Undo");
      await until(async () => (await movesShown(tab)) === 0, "undo");
      assert.equal((await clocksOf(tab))[0], "30:00");
    }
    // Going on from an earlier move is taking back, too.
    await playAny(tab);
    await playAny(tab);
    await study(tab);
    await tab.keyboard.press("Home");
    await until(async () => (await stateOf(tab)).moves.length === 0, "the start");
    await play(tab);
    await press(tab, "Play on from here");
    await until(async () => (await clocksOf(tab)).every((text) => /^(30:00|29:5\d)$/.test(text)), "the clocks at the start");
  });
}

/** At the start the pie begins again, with the seats of the start. */
async function pieAgain(kit) {
  await kit.open({ name: "pie again" }, async (tab) => {
    await ready(tab);
    const [{ name }] = await levelsOf(tab);
    const chooses = () => until(async () => /Tanada chooses (Black|White)/.test(await tab.textContent(".status")), "the engine's choice");
    await begin(tab, { size: 9, setup: "classic", seats: ["person", name], pie: true });
    for (const place of [0, 3]) {
      await playAny(tab, (legal) => legal[place]);
      await chooses();
      await press(tab, "Undo");
      await until(async () => (await movesShown(tab)) === 0, "the start");
      await seatsAre(tab, ["person", name]);
      assert.equal(await tab.textContent(".call h2"), "Pie rule");
    }
    await begin(tab, { size: 9, setup: "classic", seats: ["person", "person"], clock: "30+10", pie: true });
    await playAny(tab);
    await tab.click(".call button:has-text('Take Black')");
    assert.equal((await clocksOf(tab))[1], "30:10");
    await playAny(tab);
    await press(tab, "Undo");
    await press(tab, "Undo");
    await until(async () => (await movesShown(tab)) === 0, "the start");
    assert.equal(await tab.textContent(".call h2"), "Pie rule");
    assert.equal((await clocksOf(tab))[0], "30:00", "the clocks went back to their players");
  });
}

/** Whoever resigns among several leaves; the game before that is not lost. */
async function whenOneLeaves(kit) {
  await kit.open({ name: "when one leaves" }, async (tab) => {
    await ready(tab);
    const people = ["person", "person", "person"];
    await begin(tab, { players: 3, seats: people, clock: "30+10" });
    const { line } = await stateOf(tab);
    await playAny(tab);
    await playAny(tab);
    const { moves } = await stateOf(tab);
    await press(tab, "Resign");
    await seatsAre(tab, people.slice(1));
    assert.match(await tab.textContent(".status"), /Red resigned.*Undo/);
    await shot(tab, "play-left");
    await playAny(tab);
    await press(tab, "Undo");
    await until(async () => (await movesShown(tab)) === 0, "undo of a move");
    await tab.waitForTimeout(700);
    await tab.reload();
    await ready(tab);
    await press(tab, "Undo");
    await seatsAre(tab, people);
    assert.deepEqual((await stateOf(tab)).moves, moves);
    assert.equal((await clocksOf(tab)).length, 3);

    for (const count of [2, 1]) {
      await press(tab, "Resign");
      if (count > 1) await seatsAre(tab, people.slice(1));
    }
    await tab.waitForSelector(".ending");
    await press(tab, "Play again");
    await seatsAre(tab, people);
    const again = await stateOf(tab);
    assert.deepEqual([again.line, again.moves], [line, []]);
  });
}

/** Whoever ran out of time comes back without a clock. */
async function outOfTime(kit) {
  await kit.open({ name: "out of time" }, async (tab) => {
    await ready(tab);
    await begin(tab, { players: 3, seats: ["person", "person", "person"], own: { main: 0.1, increment: 0 } });
    await playAny(tab);
    await seatsAre(tab, ["person", "person"]);
    assert.match(await tab.textContent(".status"), /White ran out of time/);
    await press(tab, "Undo");
    await seatsAre(tab, ["person", "person", "person"]);
    assert.deepEqual(await clocksOf(tab), []);
    await playAny(tab);
    await press(tab, "Undo");
    await until(async () => (await movesShown(tab)) === 1, "undo of a move");
  });
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

async function resignAlone(kit) {
  const server = await kit.startServer();
  await kit.open({ name: "resign without a server", url: server.url }, async (tab, { tolerate }) => {
    await ready(tab);
    await begin(tab, { players: 3, seats: ["person", "person", "person"] });
    await playAny(tab);
    tolerate(/ERR_|Failed to load resource/);
    await server.stop("SIGKILL");
    await press(tab, "Resign");
    await until(async () => /does not answer/.test(await tab.textContent(".status")), "the page says that it cannot");
    assert.equal((await stateOf(tab)).seats.length, 3);
  });
}

/** Each tab has its own clocks and its own place in the game. */
async function twoTabs(kit) {
  await kit.open({ name: "two tabs" }, async (tab, { context }) => {
    await ready(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", "person"], clock: "30+10" });
    await playAny(tab);
    await tab.goto("about:blank");
    const second = await context.newPage();
    await second.goto(kit.server.url);
    await ready(second);
    await begin(second, { size: 9, setup: "classic", seats: ["person", "person"] });
    await second.waitForTimeout(700);
    await tab.goto(kit.server.url);
    await ready(tab);
    assert.equal((await clocksOf(tab))[0], "30:10");
    assert.equal(await call(tab).count(), 0);
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
  for (const test of [lookedAt, increments, pieAgain, whenOneLeaves, outOfTime, missingSeats, resignAlone, twoTabs, pasted]) {
    if (only && test.name !== only) continue;
    await test(kit);
  }
}
