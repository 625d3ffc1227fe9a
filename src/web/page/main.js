// The page: its head, the parts that can be opened, and what the keyboard does everywhere.
import { connect, connection, on, post, ServerError, useAddress } from "./connection.js";
import { addressOf, game, keepGame, openLink, restoreGame } from "./game.js";
import { html, render, useEffect, useState } from "./lib.js";
import { createStore, useStore } from "./store.js";
import { Shades } from "./shades.js";
import { say } from "./study/view.js";
// From the beginning, because its events come with the first connection.
import "./watching.js";

/** What the server offers: games, boards, levels. Null until it has said so. */
export const catalog = createStore({ told: null });

const PARTS = [
  ["learn", "Learn", () => import("./panels/learn.js")],
  ["play", "Play", () => import("./panels/play.js")],
  ["study", "Study", () => import("./panels/study.js")],
  ["watch", "Watch", () => import("./panels/watch.js")],
];

/** The open part: `learn`, `play`, `study` or `watch`. */
export const part = createStore({ name: partOf(location.hash) });

function partOf(hash) {
  const name = /^#\/(\w+)/.exec(hash);
  return name && PARTS.some(([known]) => known === name[1]) ? name[1] : "play";
}

/** Opens a part of the page. */
export function openPart(name) {
  part.set({ name });
}

/** What the browser remembers with an address that this page wrote. */
const OWN = "own";

/** The address follows the game. Each part that is opened is a step that the browser can go back. */
function writeAddress() {
  const { name } = part.get();
  const hash = `#/${name}?${addressOf(game.get())}`;
  if (location.hash === hash) return;
  if (location.hash === "" || partOf(location.hash) === name) history.replaceState(OWN, "", hash);
  else history.pushState(OWN, "", hash);
}

/** Somebody has gone back or on, or has typed or pasted an address. */
async function followAddress({ newURL }) {
  const { hash } = new URL(newURL);
  // An analysis may have changed the game, and so the address, before this event came.
  const isLink = history.state !== OWN || newURL !== location.href;
  part.set({ name: partOf(hash) });
  const before = game.get();
  if (isLink && (await openLink(hash.split("?")[1] || ""))) say("Opened the linked game.", before);
}

function App() {
  const { name } = useStore(part);
  const { told } = useStore(catalog);
  const { state } = useStore(connection);
  const [shown, setShown] = useState({});
  useEffect(() => {
    let isCurrent = true;
    PARTS.find(([known]) => known === name)[2]().then((module) => {
      if (isCurrent) setShown({ name, Panel: module.Panel });
    }, () => {}); // without a server; it is tried again when that is back
    return () => { isCurrent = false; };
  }, [name, state]);
  useEffect(() => { document.title = `${PARTS.find(([known]) => known === name)[1]} – Tanada`; }, [name]);
  const parts = told && !told.matches ? PARTS.filter(([known]) => known !== "watch") : PARTS;
  return html`
    <${Shades} />
    <header class="head">
      <a class="brand" href="#/play">Tanada</a>
      <nav aria-label="Parts">
        ${parts.map(([known, words]) => html`<a key=${known} href=${"#/" + known}
          aria-current=${known === name ? "page" : null}
          onClick=${(event) => { event.preventDefault(); openPart(known); }}>${words}</a>`)}
      </nav>
    </header>
    <${Notice} />
    <main id="main" class=${"part-" + name}>
      ${told && shown.name === name ? html`<${shown.Panel} catalog=${told} />` : html`<p class="wait" aria-busy="true">Loading</p>`}
    </main>
    <footer class="foot">
      ${told && told.games.map((each) => html`<p key=${each.name}>${each.credit}</p>`)}
    </footer>`;
}

/** Says that the server is gone, or that this page does not know it any more. */
function Notice() {
  const { state, text } = useStore(connection);
  const [address, setAddress] = useState("");
  const [wrong, setWrong] = useState(false);
  if (state === "open" || state === "connecting") return null;
  if (state === "lost") {
    return html`<div class="notice" role="alert">
      <b>Tanada has stopped.</b> Your game is kept in this browser. Start <code>tanada web</code> again to go on.
    </div>`;
  }
  if (state === "full") return html`<div class="notice" role="alert">${text}</div>`;
  return html`<div role="alert"><form class="notice" onSubmit=${(event) => { event.preventDefault(); setWrong(!useAddress(address)); }}>
    <label><b>Tanada was started again.</b> Open the address that it printed, or paste it here:
      <input value=${address} onInput=${(event) => setAddress(event.target.value)} autocomplete="off" spellcheck=${false} /></label>
    <button>Connect</button>
    ${wrong && html`<span>This address has no token: copy all of it.</span>`}
  </form></div>`;
}

async function begin() {
  const address = location.hash.split("?")[1] || "";
  const load = async () => {
    if (catalog.get().told) return;
    const told = await post("catalog").catch(() => null);
    if (!told) return;
    try {
      await restoreGame(address);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      return; // it is away again
    }
    catalog.set({ told });
    keepGame();
    game.subscribe(writeAddress);
    part.subscribe(writeAddress);
    writeAddress();
    // Soon, so that they open without a server too.
    setTimeout(() => { for (const [, , load] of PARTS) load().catch(() => {}); }, 1000);
  };
  on("hello", load);
  connect();
  addEventListener("hashchange", followAddress);
  render(html`<${App} />`, document.getElementById("app"));
}

begin();
