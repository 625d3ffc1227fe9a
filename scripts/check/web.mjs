// Uses the page of `tanada web` in a browser, like a person. scripts/check/web.sh runs it.
// Usage: node scripts/check/web.mjs [TEST...]
// A test is the name of a module in scripts/check/web, such as `play`; without one all of them run.
// TANADA_BIN names the program, CHROMIUM the browser; both must be set.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(fileURLToPath(import.meta.url)), "web");
const known = readdirSync(folder).filter((file) => file.endsWith(".mjs") && file !== "harness.mjs").map((file) => file.slice(0, -4)).sort();
const wanted = [];
// Checked first, because it needs no packages.
for (const word of process.argv.slice(2)) {
  if (word === "-h" || word === "--help") {
    const lines = readFileSync(new URL(import.meta.url), "utf8").split("\n");
    const header = lines.slice(0, lines.findIndex((line) => !line.startsWith("//")));
    console.log(header.map((line) => line.replace(/^\/\/ ?/, "")).join("\n"));
    process.exit();
  }
  if (!known.includes(word)) {
    console.error(`web.mjs: unknown test \`${word}\`; expected ${known.join(", ")}`);
    process.exit(2);
  }
  wanted.push(word);
}

const { createKit } = await import("./web/harness.mjs");
const kit = await createKit();
let failed = 0;
for (const name of wanted.length > 0 ? wanted : known) {
  const begin = Date.now();
  try {
    const { run } = await import(`./web/${name}.mjs`);
    await run(kit);
    console.log(`${name}: passed in ${Math.round((Date.now() - begin) / 1000)} s`);
  } catch (error) {
    console.error(`${name}: FAILED`, error);
    failed += 1;
  }
}
await kit.close();
if (failed > 0) process.exit(1);
console.log(`${kit.visits} visits passed; target/web has the screenshots`);
