// The dialog that begins a game: what is typed, and a server that answers late.
import assert from "node:assert/strict";
import { until } from "./harness.mjs";
import { begin, ready, stateOf } from "./help/play.mjs";

async function typedClock(kit) {
  await kit.open({ name: "typed clock" }, async (tab) => {
    await ready(tab);
    await tab.click("button:text-is('New game')");
    const dialog = tab.locator("dialog");
    await dialog.getByRole("combobox", { name: "Time" }).selectOption("own");
    for (const [name, text] of [["Minutes per player", "2.5"], ["Seconds added", "12"]]) {
      await dialog.getByLabel(name).fill("");
      await dialog.getByLabel(name).pressSequentially(text);
      assert.equal(await dialog.getByLabel(name).inputValue(), text);
    }
    await dialog.locator("button:text-is('Start')").click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await tab.locator(".seat .clock").allTextContents(), ["2:30", "2:30"]);
  });
}

async function lateAnswer(kit) {
  await kit.open({ name: "late answer" }, async (tab) => {
    await ready(tab);
    await tab.route("**/api/position", (route) => { setTimeout(() => route.continue().catch(() => {}), 400); });
    await begin(tab, { players: 4 });
    await until(async () => (await stateOf(tab)).seats.length === 4, "four seats");
    assert((await stateOf(tab)).seats.every((seat) => typeof seat === "string"));
    // Chosen and started at once.
    await tab.click("button:text-is('New game')");
    const dialog = tab.locator("dialog");
    await dialog.getByRole("combobox", { name: "Players" }).selectOption("3");
    assert(await dialog.locator("button:text-is('Start')").isDisabled());
    await dialog.locator("button:text-is('Start')").click();
    await dialog.waitFor({ state: "detached" });
    assert.equal((await stateOf(tab)).seats.length, 3);
    await tab.unrouteAll({ behavior: "ignoreErrors" });
  });
}

export async function run(kit) {
  for (const test of [typedClock, lateAnswer]) await test(kit);
}
