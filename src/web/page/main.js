// The page: its head, the parts that can be opened, and what the keyboard does everywhere.
import { catalog } from "./catalog.js";
import { connect, connection, on, post, ServerError, useAddress } from "./connection.js";
import { addressOf, game, keepGame, openLink, restoreGame } from "./game.js";
import { html, render, useEffect, useState } from "./lib.js";
import { Panel as Learn } from "./panels/learn.js";
import { Panel as Play } from "./panels/play.js";
import { Panel as Study } from "./panels/study.js";
import { Panel as Watch } from "./panels/watch.js";
import { openPart, part, partOf, PARTS } from "./parts.js";
import { Shades } from "./shades.js";
import { useStore } from "./store.js";
import { say } from "./study/view.js";

// All come with the page, so they open without a server too: some browsers do not ask again for a module whose fetch
// failed.
const PANELS = { learn: Learn, play: Play, study: Study, watch: Watch };

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
  const Panel = PANELS[name];
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
      ${told ? html`<${Panel} catalog=${told} />` : html`<p class="wait" aria-busy="true">Loading</p>`}
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
  };
  on("hello", load);
  connect();
  addEventListener("hashchange", followAddress);
  render(html`<${App} />`, document.getElementById("app"));
}

begin();
