// Play: whole games by clicks, touch and keys, with everything that a game may need.
import assert from "node:assert/strict";
import { begin, jobOf, levelsOf, movesShown, playAny, playStep, ready, stateOf, turnOf } from "./help/play.mjs";
import { checkAxe, checkLayout, clickCell, placeOf, shot, until } from "./harness.mjs";

const LONGEST = 150; // moves of a game on 9x9
const HANGS = 2_000; // milliseconds from a click to the stone; the times that matter are printed

async function aWholeGame(kit) {
  await kit.open({ name: "a whole game" }, async (tab) => {
    await ready(tab);
    const levels = await levelsOf(tab);
    assert(levels.length >= 8, `${levels.length} levels`);
    assert((await stateOf(tab)).seats.some((seat) => seat !== "person"), "a first visit meets an engine");
    await checkAxe(tab, "play");
    await checkLayout(tab, "play");
    await tab.click("button:text-is('New game')");
    await tab.waitForSelector("dialog .levels");
    assert.equal(await tab.locator("dialog .level").count(), levels.length);
    await checkAxe(tab, "new game");
    await checkLayout(tab, "new game");
    await shot(tab, "play-new-game");
    await tab.click("dialog button:text-is('Cancel')");
    await begin(tab, { size: 9, setup: "classic", seats: ["person", levels[0].name] });

    await until(async () => (await tab.locator("#play-board .legal").count()) > 0, "the legal points");
    const { position } = await turnOf(tab);
    assert.equal(await tab.locator("#play-board .legal").count(), position.legal.length);
    const { x, y } = await placeOf(tab, position.legal[0].to, "#play-board svg.board");
    await tab.mouse.move(x, y);
    assert.equal(await tab.locator("#play-board .hover").count(), 1);
    await tab.mouse.move(1, 1);
    await tab.getByLabel("Show where you may play").uncheck();
    assert.equal(await tab.locator("#play-board .legal").count(), 0);
    await tab.getByLabel("Show where you may play").check();

    let removals = 0;
    for (let played = 0; played < LONGEST; played++) {
      const state = await turnOf(tab);
      if (state.position.change?.removed?.length > 0) {
        removals += 1;
        assert((await tab.textContent(".status")).includes("removed"), "a removal is said");
        if (removals === 1) {
          assert((await tab.locator("#play-board .gone").count()) > 0);
          await shot(tab, "play-removal");
        }
      }
      if (state.position.over) break;
      await playAny(tab, (legal) => legal[(7 * played) % legal.length]);
    }
    const { moves, position: end } = await stateOf(tab);
    assert(end.over, "the game has ended");
    assert(removals > 0, "something was removed");
    await tab.waitForSelector(".ending");
    const headline = await tab.textContent(".ending h2");
    assert.equal(headline, end.winner === 0 ? "You have won!" : "White has won");
    assert.equal(await movesShown(tab), moves.length);
    assert.equal(await tab.locator(".seat.out").count(), 1);
    await checkAxe(tab, "the end");
    await shot(tab, "play-end");
    await tab.click(".ending button:text-is('Play again')");
    await until(async () => (await stateOf(tab)).moves.length === 0, "another game");
    assert.equal(await tab.locator(".ending").count(), 0);
  });
}

async function whyNotUndoHint(kit) {
  await kit.open({ name: "why not, undo, hint" }, async (tab) => {
    await ready(tab);
    const levels = await levelsOf(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", levels[1].name] });
    const { position } = await turnOf(tab);
    const empty = position.rows.join("").split("").findIndex((symbol, cell) => symbol === "." && !position.legal.some(({ to }) => to === cell));
    const taken = position.rows.join("").search(/[^.]/);
    const sentences = new Set();
    for (const cell of [empty, taken]) {
      await clickCell(tab, cell, "#play-board svg.board");
      await tab.waitForSelector("#play-board .wrong");
      sentences.add(await until(() => tab.textContent(".said"), "the reason"));
      assert.equal(await movesShown(tab), 0);
    }
    assert.equal(sentences.size, 2, `two reasons: ${[...sentences]}`);
    await checkAxe(tab, "why not");
    await shot(tab, "play-why-not");
    await tab.keyboard.press("Escape");
    assert.equal(await tab.locator("#play-board .wrong").count(), 0);

    assert(await tab.isDisabled("button:text-is('Undo')"));
    const first = await playAny(tab);
    await until(async () => (await movesShown(tab)) === 2, "the answer");
    assert((await tab.textContent(".status")).includes("Your turn"));
    assert((await tab.textContent(".status")).includes("White"));
    await tab.click("button:text-is('Undo')");
    await until(async () => (await movesShown(tab)) === 0, "undo");
    await playAny(tab, (legal) => legal.find(({ move }) => move !== first));
    await until(async () => (await movesShown(tab)) === 2, "the answer");
    const { nodes } = await stateOf(tab);
    assert(nodes >= 5, `what was taken back is kept as a variation: ${nodes} nodes`);

    await tab.click("button:text-is('Hint')");
    await tab.waitForSelector("#play-board .marked.hint");
    const hinted = /play (\S+) here/.exec(await tab.textContent(".said"))[1];
    const state = await stateOf(tab);
    assert(state.position.legal.some(({ move }) => move === hinted), hinted);
    await checkAxe(tab, "hint");
    await shot(tab, "play-hint");
    await playAny(tab, (legal) => legal.find(({ move }) => move === hinted));
    assert.equal(await tab.locator("#play-board .marked.hint").count(), 0);

    // Taking back while the engine thinks stops it.
    await turnOf(tab);
    const before = await movesShown(tab);
    await playAny(tab);
    await tab.click("button:text-is('Undo')");
    await until(async () => (await movesShown(tab)) === before, "undo while the engine thinks");
    await tab.waitForTimeout(1500);
    assert.equal(await movesShown(tab), before);

    await tab.click("button:text-is('Resign')");
    assert.equal(await tab.textContent(".ending h2"), "White has won");
    assert.equal((await stateOf(tab)).header.result, "W+R");
    await tab.click("button:text-is('Undo')");
    assert.equal(await tab.locator(".ending").count(), 0);
    assert.equal((await stateOf(tab)).header.result, null);

    // Leaving Play stops the engine.
    await begin(tab, { size: 9, setup: "classic", seats: ["person", levels.at(-1).name], clock: "3+2" });
    await playAny(tab);
    await until(async () => (await jobOf(tab)) === "genmove", "the engine's search");
    assert.equal(await tab.locator(".seat .dots").count(), 1);
    await tab.click("button:text-is('Study this game')");
    await until(() => tab.evaluate(() => location.hash.startsWith("#/study")), "Study");
    await until(async () => (await jobOf(tab)) !== "genmove", "the end of the search");
    await tab.click("nav a:text-is('Play')");
    await until(async () => (await movesShown(tab)) === 2, "the answer, back in Play");
  });
}

/** Several pages share one engine: whose engine was taken sees a button that brings it back. */
async function asleep(kit) {
  const server = await kit.startServer({ args: ["--engines", "1"] });
  await kit.open({ name: "asleep", url: server.url }, async (tab, { context }) => {
    await ready(tab);
    const levels = await levelsOf(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", levels.at(-1).name], clock: "3+2" });
    await playAny(tab);
    await until(async () => (await jobOf(tab)) === "genmove", "the engine's search");
    const second = await context.newPage();
    await second.goto(`${server.url}#/play?game=tanbo&size=9&setup=corners`);
    await ready(second);
    await second.getByLabel("Show winning chances").check();
    await second.waitForSelector(".chances");
    await tab.waitForSelector("button:text-is('Wake it')");
    await checkAxe(tab, "asleep");
    await second.close();
    await tab.click("button:text-is('Wake it')");
    await until(async () => (await movesShown(tab)) === 2, "the engine's move");
  });
  await server.stop();
}

/** Whoever steps back in Study finds the engine waiting in Play. */
async function fromStudy(kit) {
  await kit.open({ name: "from study" }, async (tab) => {
    await ready(tab);
    const [{ name }] = await levelsOf(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", name] });
    for (const count of [2, 4]) {
      await playAny(tab);
      await until(async () => (await movesShown(tab)) === count, "the answer");
    }
    await tab.click("button:text-is('Study this game')");
    await tab.waitForSelector("main.part-study .board");
    await tab.keyboard.press("ArrowLeft");
    await until(async () => (await stateOf(tab)).moves.length === 3, "one move less");
    await tab.click("nav a:text-is('Play')");
    await tab.waitForSelector(".call:has-text('In the middle of a game')");
    await checkAxe(tab, "midway");
    await tab.waitForTimeout(1000);
    assert.equal(await movesShown(tab), 3);
    await tab.click("button:text-is('Back to the game')");
    await until(async () => (await movesShown(tab)) === 4, "the last move");
    assert.equal(await tab.locator(".call").count(), 0);
  });
}

async function byKeyboard(kit) {
  await kit.open({ name: "by keyboard", dark: true }, async (tab) => {
    await ready(tab);
    const levels = await levelsOf(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", levels[0].name] });
    const { position } = await turnOf(tab);
    await tab.locator("#play-board").focus();
    await tab.keyboard.press("ArrowRight");
    const side = position.board.side;
    const middle = Math.floor((side * side) / 2);
    const { to, move } = position.legal[0];
    for (let i = Math.floor(to / side); i < Math.floor(middle / side); i++) await tab.keyboard.press("ArrowUp");
    for (let i = Math.floor(middle / side); i < Math.floor(to / side); i++) await tab.keyboard.press("ArrowDown");
    for (let i = to % side; i < middle % side; i++) await tab.keyboard.press("ArrowLeft");
    for (let i = middle % side; i < to % side; i++) await tab.keyboard.press("ArrowRight");
    assert((await tab.textContent("#play-board output")).startsWith(move));
    await shot(tab, "play-keyboard-dark");
    await tab.keyboard.press("Enter");
    await until(async () => (await movesShown(tab)) === 2, "both moves");
    await tab.keyboard.press("u");
    await until(async () => (await movesShown(tab)) === 0, "undo by key");
    // The key does nothing until the server has told the position again.
    await until(async () => {
      await tab.keyboard.press("h");
      return (await tab.locator("#play-board .marked.hint").count()) > 0;
    }, "a hint by key");
    await tab.keyboard.press("n");
    await tab.waitForSelector("dialog");
    await tab.keyboard.press("Escape");
    await tab.waitForSelector("dialog", { state: "detached" });
  });
}

async function fourPlayers(kit) {
  await kit.open({ name: "four players" }, async (tab) => {
    await ready(tab);
    const [{ name }] = await levelsOf(tab);
    await begin(tab, { players: 4, seats: ["person", name, name, name] });
    for (const round of [1, 2]) {
      await playAny(tab);
      await until(async () => (await movesShown(tab)) === 4 * round, "three answers");
    }
    const colours = await tab.locator(".moves li .unseen").allTextContents();
    assert.deepEqual(colours.slice(0, 4).map((word) => word.trim()), ["black", "white", "red", "green"]);
    await checkAxe(tab, "four players");
    await shot(tab, "play-four");
    await tab.click("button:text-is('Resign')");
    await until(async () => (await stateOf(tab)).seats.length === 3, "three players");
    const { position } = await stateOf(tab);
    assert.deepEqual(position.players, ["white", "red", "green"]);
    assert((await tab.textContent(".status")).includes("Black resigned"));
    await tab.click("button:text-is('Resume')");
    await until(async () => (await movesShown(tab)) >= 3, "the engines play on");
    await tab.click("button:text-is('Pause')");
  });
}

async function taratibu(kit) {
  await kit.open({ name: "taratibu" }, async (tab) => {
    await ready(tab);
    const [{ name }] = await levelsOf(tab);
    await begin(tab, { game: "Taratibu", seats: ["person", name] });
    const { position } = await turnOf(tab);
    const { from, to, move } = position.legal[0];
    const targets = position.legal.filter((each) => each.from === from).map((each) => each.to);
    const other = position.rows.join("").split("").findIndex((symbol, cell) => symbol === "." && !targets.includes(cell));
    await clickCell(tab, from, "#play-board svg.board");
    assert.equal(await tab.locator("#play-board .selected").count(), 1);
    assert.equal(await tab.locator("#play-board .legal").count(), targets.length);
    await shot(tab, "play-taratibu-piece");
    await clickCell(tab, other, "#play-board svg.board");
    await tab.waitForSelector("#play-board .wrong");
    assert(await until(() => tab.textContent(".said"), "the reason"));
    await clickCell(tab, to, "#play-board svg.board");
    await until(async () => (await movesShown(tab)) === 3, "two steps of the engine");
    const state = await turnOf(tab);
    assert.equal(state.moves[0], move);
    assert.equal(state.position.to_move, 0);
    assert(/turn 3/i.test(await tab.textContent(".status")), "the turn is said");
    await playStep(tab);
    await playStep(tab);
    assert.equal((await stateOf(tab)).position.to_move, 0, "a turn has several steps");
    await tab.click("summary:text-is('The pieces')");
    assert((await tab.textContent(".pieces")).length > 100);
    await checkAxe(tab, "taratibu");
    await shot(tab, "play-taratibu");
    await tab.click("button:text-is('Undo')");
    await until(async () => (await movesShown(tab)) === 4, "undo of one step");
  });
}

async function clocks(kit) {
  await kit.open({ name: "clocks" }, async (tab) => {
    await ready(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", "person"], own: { main: 0.1, increment: 1 } });
    const texts = () => tab.locator(".seat .clock").allTextContents();
    assert.deepEqual(await texts(), ["0:06.0", "0:06.0"]);
    await tab.waitForTimeout(500);
    assert.deepEqual(await texts(), ["0:06.0", "0:06.0"], "the first move is free");
    await playAny(tab);
    await until(async () => (await texts())[1] < "0:05.5", "White's clock");
    assert.equal((await texts())[0], "0:07.0");
    await tab.click("button:text-is('Pause')");
    const [, paused] = await texts();
    await tab.waitForTimeout(600);
    assert.equal((await texts())[1], paused);
    await tab.click("button:text-is('Resume')");
    await tab.waitForSelector(".ending");
    assert.equal(await tab.textContent(".ending h2"), "Black has won");
    assert((await tab.textContent(".ending")).includes("White ran out of time"));
    const { position } = await stateOf(tab);
    await clickCell(tab, position.legal[0].to, "#play-board svg.board");
    await tab.waitForTimeout(300);
    assert.equal(await movesShown(tab), 1, "nobody plays after the end");
  });
}

async function reload(kit) {
  await kit.open({ name: "reload" }, async (tab) => {
    await ready(tab);
    const level = (await levelsOf(tab))[2];
    await begin(tab, { size: 9, setup: "corners", seats: [level.name, "person"], clock: "10+5" });
    await turnOf(tab);
    await playAny(tab);
    await turnOf(tab);
    const before = await stateOf(tab);
    await tab.waitForTimeout(700);
    await tab.reload();
    await ready(tab);
    const after = await stateOf(tab);
    assert.deepEqual(after.moves, before.moves);
    assert.deepEqual(after.seats, [level.name, "person"]);
    assert.deepEqual(after.line, before.line);
    assert.equal(await tab.locator(".seat .clock").count(), 2);
    assert.equal(await movesShown(tab), 3);
    await playAny(tab);
    await until(async () => (await movesShown(tab)) === 5, "the engine goes on");
    await tab.click("button:text-is('Resign')");
    await tab.waitForSelector(".ending");
    await tab.waitForTimeout(700);
    await tab.reload();
    await tab.waitForSelector(".ending");
    assert.equal(await tab.textContent(".ending h2"), "Black has won");
  });
}

async function restart(kit) {
  const server = await kit.startServer();
  await kit.open({ name: "restart", url: server.url }, async (tab, { context, tolerate }) => {
    await ready(tab);
    const [{ name }] = await levelsOf(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", name] });
    await playAny(tab);
    await turnOf(tab);
    const before = await stateOf(tab);
    tolerate(/ERR_|Failed to load resource|401/);
    await server.stop("SIGKILL");
    await tab.waitForSelector(".notice:has-text('Tanada has stopped')");
    await checkAxe(tab, "stopped");
    await shot(tab, "play-stopped");
    await clickCell(tab, before.position.legal[0].to, "#play-board svg.board");
    await until(async () => /does not answer/.test(await tab.textContent(".status")), "the page says that it cannot play");
    const again = await kit.startServer({ port: server.port });
    await tab.waitForSelector(".notice:has-text('started again')");
    await checkAxe(tab, "started again");
    const second = await context.newPage();
    await second.goto(again.url);
    await tab.waitForSelector(".notice", { state: "detached" });
    await second.close();
    assert.deepEqual((await stateOf(tab)).moves, before.moves);
    await playAny(tab);
    await until(async () => (await movesShown(tab)) === 4, "the game goes on");
    await again.stop();
  });
}

async function pie(kit) {
  await kit.open({ name: "pie" }, async (tab) => {
    await ready(tab);
    const [{ name }] = await levelsOf(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", name], pie: true });
    await playAny(tab);
    await until(async () => /Tanada chooses (Black|White)/.test(await tab.textContent(".status")), "the engine's choice");
    const chosen = /Tanada chooses (Black|White)/.exec(await tab.textContent(".status"))[1];
    assert.deepEqual((await stateOf(tab)).seats, chosen === "White" ? ["person", name] : [name, "person"]);
    await begin(tab, { size: 9, setup: "classic", seats: [name, "person"], pie: true });
    await tab.waitForSelector(".call button:has-text('Take Black')");
    assert.equal(await movesShown(tab), 1);
    await checkAxe(tab, "pie");
    await shot(tab, "play-pie");
    await tab.click(".call button:has-text('Take Black')");
    assert.deepEqual((await stateOf(tab)).seats, ["person", name]);
    await until(async () => (await movesShown(tab)) === 2, "White's move");
    await tab.click("button:text-is('Resign')");
    await tab.click("button:text-is('Play again')");
    await until(async () => (await movesShown(tab)) === 0, "another game");
    assert.equal(await tab.textContent(".call h2"), "Pie rule");
  });
}

async function setupEditor(kit) {
  await kit.open({ name: "setup" }, async (tab, { tolerate }) => {
    await ready(tab);
    // The browser reports positions that the server refuses.
    tolerate(/\b422\b/);
    const edit = async () => {
      await tab.click("button:text-is('New game')");
      await tab.getByRole("button", { name: /^(Set up a|Change the) position$/ }).click();
      await tab.waitForSelector("#setup-board .piece");
    };
    await edit();
    const use = tab.locator("dialog button:text-is('Use this position')");
    await tab.locator("dialog select").first().selectOption("5");
    await tab.waitForSelector(".checked .error li");
    assert(await use.isDisabled());
    await checkAxe(tab, "setup");
    const put = (cell) => clickCell(tab, cell, "#setup-board svg.board");
    await put(0);
    await tab.getByRole("radio", { name: "White", exact: true }).check();
    for (const cell of [4, 20]) await put(cell);
    await put(20);
    await tab.getByRole("radio", { name: "Red", exact: true }).check();
    await put(24);
    await tab.getByRole("combobox", { name: "To move" }).selectOption("red");
    await until(() => use.isEnabled(), "the position is accepted");
    await shot(tab, "play-setup");
    await use.click();
    await until(async () => (await tab.locator(".seat-fields select").count()) === 3, "three seats");
    for (const seat of await tab.locator(".seat-fields select").all()) await seat.selectOption("person");
    await tab.click("dialog button:text-is('Start')");
    await tab.waitForSelector("dialog", { state: "detached" });
    const { position } = await until(async () => { const state = await stateOf(tab); return state.position && state; }, "the position");
    assert.deepEqual(position.rows.map((row) => row.replaceAll(".", " ")), ["X   O", "     ", "     ", "     ", "    R"]);
    assert.equal(position.players[position.to_move], "red");
    await playAny(tab);
    // Two stones side by side make a root; a square of four is refused.
    await edit();
    await tab.click("dialog button:text-is('Clear the board')");
    await tab.getByRole("radio", { name: "Black", exact: true }).check();
    for (const cell of [6, 7, 11, 12]) await put(cell);
    await tab.waitForSelector(".checked .error li");
    await shot(tab, "play-setup-refused");
    await tab.keyboard.press("Escape");
    await tab.click("dialog .segments button:text-is('Taratibu')");
    await tab.click("dialog button:text-is('Set up a position')");
    await tab.waitForSelector("#setup-board .piece");
    await tab.getByRole("radio", { name: "White Man" }).check();
    await checkAxe(tab, "setup of pieces");
    await shot(tab, "play-setup-pieces");
  });
}

async function phone(kit) {
  for (const dark of [false, true]) {
    const name = `play-phone${dark ? "-dark" : ""}`;
    await kit.open({ name, phone: true, dark }, async (tab) => {
      await ready(tab);
      const [{ name: level }] = await levelsOf(tab);
      await checkLayout(tab, name);
      await begin(tab, { size: 9, setup: "classic", seats: ["person", level], clock: "5+3" });
      for (let i = 0; i < 3; i++) await playAny(tab);
      await turnOf(tab);
      const box = await tab.locator("#play-board svg").boundingBox();
      assert(box.width > 320 && box.x >= 0 && box.x + box.width <= 360, `${box.x} ${box.width}`);
      await checkAxe(tab, name);
      await checkLayout(tab, name);
      await shot(tab, name, true);
      await tab.tap("button:text-is('New game')");
      await tab.waitForSelector("dialog .levels");
      await checkAxe(tab, `${name}, new game`);
      await checkLayout(tab, `${name}, new game`);
      await shot(tab, `${name}-new-game`);
      await tab.tap("dialog button:text-is('Cancel')");
      // On a large board a finger may miss, so the move is asked for again.
      await begin(tab, { size: 19, setup: "classic", seats: ["person", level] });
      const { position } = await turnOf(tab);
      const { x, y } = await placeOf(tab, position.legal[0].to, "#play-board svg.board");
      await tab.touchscreen.tap(x, y);
      await tab.waitForSelector(".ask");
      assert.equal(await movesShown(tab), 0);
      await checkAxe(tab, `${name}, asked`);
      await shot(tab, `${name}-asked`);
      await tab.tap(".ask .main");
      await until(async () => (await movesShown(tab)) === 2, "the move and its answer");
      await checkLayout(tab, `${name}, 19x19`);
    });
  }
}

/** Prints how long it takes from a click to the stone. */
async function timeClicks(tab, by, click) {
  const spent = [];
  for (let i = 0; i < 12; i++) {
    const { position } = await turnOf(tab);
    if (position.over) break;
    await tab.waitForTimeout(250);
    await tab.evaluate(() => {
      window.spent = null;
      const board = document.querySelector("#play-board");
      board.addEventListener("click", () => {
        const begin = performance.now();
        const last = board.querySelector(".newest")?.dataset.cell;
        const watcher = new MutationObserver(() => {
          if (board.querySelector(".newest")?.dataset.cell === last) return;
          watcher.disconnect();
          window.spent = performance.now() - begin;
        });
        watcher.observe(board, { subtree: true, childList: true, attributes: true });
      }, { once: true, capture: true });
    });
    const { x, y } = await placeOf(tab, position.legal[i % position.legal.length].to, "#play-board svg.board");
    await click(x, y);
    spent.push(await until(() => tab.evaluate(() => window.spent), "the time"));
  }
  spent.sort((one, other) => one - other);
  const median = spent[Math.floor(spent.length / 2)];
  console.log(`play: from ${by} to the stone during an analysis: median ${median.toFixed(1)} ms, longest ${spent.at(-1).toFixed(1)} ms`);
  assert(median < HANGS, `${median} ms`);
}

async function stillAndFast(kit) {
  await kit.open({ name: "reduced motion", still: true }, async (tab) => {
    await ready(tab);
    await begin(tab, { size: 9, setup: "classic", seats: ["person", "person"] });
    await playAny(tab);
    assert.equal(await tab.evaluate(() => document.getAnimations().length), 0);

    // While an analysis runs on all cores.
    await tab.getByLabel("Show winning chances").check();
    await tab.waitForSelector(".chances");
    await timeClicks(tab, "the mouse", (x, y) => tab.mouse.click(x, y));
    // Before a touch no pointer hovers over the point, which lets the page ask the server beforehand.
    await timeClicks(tab, "a touch", (x, y) => tab.evaluate(([clientX, clientY]) => {
      document.elementFromPoint(clientX, clientY).dispatchEvent(new MouseEvent("click", { clientX, clientY, bubbles: true }));
    }, [x, y]));
    await checkAxe(tab, "chances");
    await shot(tab, "play-chances");
  });
}

export async function run(kit) {
  const only = process.env.WEB_ONLY;
  for (const test of [aWholeGame, whyNotUndoHint, asleep, fromStudy, byKeyboard, fourPlayers, taratibu, clocks, reload, restart, pie, setupEditor, phone, stillAndFast]) {
    if (only && test.name !== only) continue;
    await test(kit);
  }
}
