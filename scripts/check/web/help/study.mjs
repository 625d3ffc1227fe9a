// What the tests of Study share.
import { join } from "node:path";
import { folder, root, until } from "../harness.mjs";

export const GAME = join(root, "examples/games/9x9.sgf");
export const EMPTY = "/study?game=tanbo&size=9&setup=classic";
export const QUIET = { "study.analysis": false };
// C2 and C8 on 9 x 9: beside the first stones of Black and White.
export const C2 = 65;
export const C8 = 11;
export const place = async (tab) => (await tab.textContent(".study .steps output")).trim();
export const movesShown = (tab) => tab.locator(".tree .plies .move").allTextContents();
export const said = (tab) => tab.textContent("#study-said");
export const stones = (tab) => tab.locator("#study-board .piece").count();
export const loaded = (tab) => tab.waitForSelector("#study-board svg.board");
export const at = (tab, wanted) => until(async () => (await place(tab)) === wanted, `move ${wanted}`);
export const card = (tab, name) => tab.locator(`section[aria-label="${name}"]`);

/** What the page asks of the server, newest last. */
export function listen(tab) {
  const asked = [];
  tab.on("request", (request) => {
    const found = /\/api\/(\w+)$/.exec(new URL(request.url()).pathname);
    if (found && request.method() === "POST") asked.push({ name: found[1], body: request.postDataJSON() });
  });
  return asked;
}

export async function opened(tab, file = GAME, moves = 49) {
  await loaded(tab);
  await tab.setInputFiles(".files input[type=file]", file);
  await until(async () => (await said(tab)).includes("Opened"), "the game");
  await at(tab, `0 / ${moves}`);
}

export const fileOf = async (tab, press) => {
  const [download] = await Promise.all([tab.waitForEvent("download"), press()]);
  const path = join(folder, `study-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return path;
};
