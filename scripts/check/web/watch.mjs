// Watch: a match is played while the page shows it; boards, score and finished games follow.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAxe, checkLayout, shot, until } from "./harness.mjs";

// Long enough to be watched, on a board that is played quickly.
const MATCH = ["match", "--size", "9", "--pairs", "400", "--plies", "2", "--seed", "1", "--iterations", "1000",
  "--engine", "name=new,preset=linear", "--engine", "name=base,preset=greedy", "--sprt", "elo0=0 elo1=5"];

// For what has to wait until games are played, in milliseconds.
const GAMES = 60_000;

const stateOf = (tab) => tab.evaluate(async () => {
  const { told, slots, count, alone } = (await import("/watching.js")).watching.get();
  return { told, slots, count, alone };
});
const doneIn = async (tab) => Number.parseInt(await tab.textContent(".score .progress"), 10);
const tiles = (tab) => tab.locator(".tile").count();

/** The rule for the places of boards, with made-up games. */
async function checkPlaces(tab) {
  const places = await tab.evaluate(async () => {
    const { arrange } = await import("/watching.js");
    const games = (over) => over.map((isOver, i) => ({ number: i + 1, over: isOver }));
    return [
      arrange([], games([false, false, false]), 2), // no more than wanted
      arrange([2, 1], games([false, false, false]), 3), // nobody moves
      arrange([1, 2], games([true, false, false]), 2), // a new game takes the place of one that has ended
      arrange([1, 2], games([true, false]), 2), // without a new game it stays
      arrange([], games([true, true, true]), 2), // the newest, if all have ended
      arrange([1, 2, 3], games([true, true, true]), 1),
      arrange([1, 2], games([true, true, true, true, true]), 2), // too fast to be seen running
    ];
  });
  assert.deepEqual(places, [[1, 2], [2, 1, 3], [3, 2], [1, 2], [3, 2], [3], [5, 4]]);
}

/** A running game has a board, on which its moves appear until it ends. */
async function checkLive(tab) {
  const games = async () => (await stateOf(tab)).told.games;
  const find = async (number) => (await games()).find((game) => game.number === number);
  await tab.waitForSelector(".tile:not(.over) svg.board");
  const first = await until(async () => (await games()).find((game) => !game.over), "a running game", GAMES);
  const tile = tab.locator(`.tile[aria-label="Game ${first.number}"]`);
  // Between its last move and the score that counts it, a game is told by nobody.
  const grew = async () => (await find(first.number))?.line.moves.length > first.line.moves.length;
  await until(grew, "a move of a running game", GAMES);
  await until(async () => (await find(first.number))?.over, "the end of a running game", GAMES);
  const isToldOnTile = async () => (await tile.count()) === 0 || (await tile.textContent()).includes(" won");
  await until(isToldOnTile, "its result on its board", GAMES);
}

async function watch(kit, server) {
  await kit.open({ name: "watch", url: server.url, at: "/watch" }, async (tab) => {
    await checkPlaces(tab);
    await tab.waitForSelector(".tile svg.board");
    const before = await doneIn(tab);
    await until(async () => (await doneIn(tab)) > before, "the score to move", GAMES);
    const { told, count } = await stateOf(tab);
    assert.equal(count, 4);
    assert.deepEqual(await tab.locator(".engines tbody th").allTextContents(), told.engines.map((engine) => engine.name));
    assert((await tab.textContent(".sprt figcaption")).includes("LLR"));
    await until(async () => (await tiles(tab)) === 4, "four boards", GAMES);
    await checkLive(tab);

    // More boards, fewer, and one alone.
    await tab.selectOption(".tools select", "9");
    await until(async () => (await tiles(tab)) === Math.min(9, (await stateOf(tab)).told.games.length), "nine boards");
    await tab.reload();
    await tab.waitForSelector(".tile svg.board");
    assert.equal((await stateOf(tab)).count, 9);
    await tab.locator("text=Enlarge").first().click();
    await until(async () => (await tiles(tab)) === 1, "one board");
    await checkAxe(tab, "one board");
    await tab.click("text=Show all boards");
    await until(async () => (await tiles(tab)) > 1, "all boards", GAMES);

    // A finished game opens in Study, whole.
    await tab.click(".list summary");
    const game = (await stateOf(tab)).told.games.filter((each) => each.over).at(-1);
    await tab.click(`.list >> role=button[name="Study game ${game.number}"]`);
    await until(() => tab.evaluate(() => location.hash.startsWith("#/study")), "the part Study");
    const opened = await tab.evaluate(async () => {
      const [{ game: shared }, trees] = [await import("/game.js"), await import("/tree.js")];
      const { tree, at, header } = shared.get();
      return { moves: trees.movesTo(tree, at), header };
    });
    assert.deepEqual(opened.moves, game.line.moves);
    assert.deepEqual(opened.header.players, game.players);
  });
}

async function look(kit, server) {
  for (const kind of [{}, { dark: true }, { phone: true }, { phone: true, dark: true }]) {
    for (const count of [1, 4, 16]) {
      const name = `watch-${count}-${kind.phone ? "phone" : "desktop"}-${kind.dark ? "dark" : "light"}`;
      await kit.open({ name, url: server.url, at: "/watch", kept: { boards: count }, ...kind }, async (tab) => {
        await tab.waitForSelector(".tile svg.board");
        await checkLayout(tab, name);
        await checkAxe(tab, name);
        await shot(tab, name, true);
      });
    }
  }
}

export async function run(kit) {
  const folder = join(mkdtempSync(join(tmpdir(), "tanada-watch-")), "records");
  const match = spawn(process.env.TANADA_BIN, [...MATCH, "--records", folder], { stdio: "ignore" });
  try {
    const server = await kit.startServer({ args: ["--matches", folder] });
    await watch(kit, server);
    await look(kit, server);
    await server.stop();
  } finally {
    match.kill("SIGKILL");
    rmSync(join(folder, ".."), { recursive: true, force: true });
  }
  // Without a folder there is nothing to watch, and the page says how to get there.
  await kit.open({ name: "watch, without a match", at: "/watch" }, async (tab) => {
    await until(async () => (await tab.textContent("main")).includes("--matches"), "the explanation");
    assert.equal(await tab.locator("nav >> text=Watch").count(), 0);
    await checkAxe(tab, "without a match");
  });
}
