// What the tests of Play share.
import { clickCell, until } from "../harness.mjs";

/** What the page knows of its game. */
export const stateOf = (tab) => tab.evaluate(async () => {
  const { game } = await import("/game.js");
  const { tree, at, seats, line, position, header } = game.get();
  const moves = [];
  for (let node = tree.nodes[at]; node.parent !== null; node = tree.nodes[node.parent]) moves.unshift(node.move);
  return { moves, seats, line, position, header, nodes: Object.keys(tree.nodes).length };
});

/** Waits until a person is to move or the game is over. */
export const turnOf = (tab) => until(async () => {
  const state = await stateOf(tab);
  const { position, seats } = state;
  return position && (position.over || seats[position.to_move] === "person") && state;
}, "a person's turn");

/** The search that runs for the page, or null. */
export const jobOf = (tab) => tab.evaluate(async () => (await import("/jobs.js")).running.get().kind);

export const levelsOf = (tab) => tab.evaluate(async () => (await import("/catalog.js")).catalog.get().told.levels);

/** Begins a game by the dialog. `seats` are values of the selects; `own` is a clock {main, increment} of one's own. */
export async function begin(tab, { game, players, size, setup, seats = [], clock, own, pie } = {}) {
  await tab.click("button:text-is('New game')");
  const dialog = tab.locator("dialog");
  if (game) await dialog.locator(`.segments button:text-is('${game}')`).click();
  if (players) await dialog.getByRole("combobox", { name: "Players" }).selectOption(String(players));
  if (size) await dialog.getByRole("combobox", { name: "Size" }).selectOption(String(size));
  if (setup) await dialog.getByRole("combobox", { name: "Setup" }).selectOption(setup);
  if (players) await until(async () => (await dialog.locator(".seat-fields select").count()) === players, "the seats");
  for (const [i, seat] of seats.entries()) await dialog.locator(".seat-fields select").nth(i).selectOption(seat);
  if (clock) await dialog.getByRole("combobox", { name: "Time" }).selectOption(clock);
  if (own) {
    await dialog.getByRole("combobox", { name: "Time" }).selectOption("own");
    await dialog.getByLabel("Minutes per player").fill(String(own.main));
    await dialog.getByLabel("Seconds added").fill(String(own.increment));
  }
  if (pie !== undefined) await dialog.getByLabel("Pie").setChecked(pie);
  await dialog.locator("button:text-is('Start')").click();
  await dialog.waitFor({ state: "detached" });
  await tab.waitForSelector("#play-board .piece");
}

export const movesShown = (tab) => tab.locator(".moves li").count();

/** Plays one legal move by a click, and waits for the stone. */
export async function playAny(tab, choose = (legal) => legal[0]) {
  const { position, moves } = await turnOf(tab);
  const { move, to } = choose(position.legal);
  await clickCell(tab, to, "#play-board svg.board");
  await until(async () => (await stateOf(tab)).moves.length > moves.length, `the move ${move}`);
  return move;
}

export async function ready(tab) {
  await tab.waitForSelector("#play-board .piece");
}

/** A step in two clicks. */
export async function playStep(tab) {
  const { position, moves } = await turnOf(tab);
  const { from, to } = position.legal[0];
  await clickCell(tab, from, "#play-board svg.board");
  await clickCell(tab, to, "#play-board svg.board");
  await until(async () => (await stateOf(tab)).moves.length > moves.length, "the step");
}
