// Opening, saving, pictures and links.
import { html, useRef, useState } from "../lib.js";
import { counted, title } from "../board.js";
import { game } from "../game.js";
import { useStore } from "../store.js";
import * as trees from "../tree.js";
import { attempt, copyLink, copyPosition, copyRecord, files, nameOf, openBoard, openFile, openFound, openText, saveRecord } from "./files.js";
import { Dialog } from "./keys.js";
import { savePng, saveSvg } from "./pictures.js";
import { saveReplay } from "./replay-file.js";

const FIELDS = [["name", "Name"], ["event", "Event"], ["round", "Round"], ["date", "Date"], ["place", "Place"], ["result", "Result"]];

export function FilesCard({ catalog, onPicker }) {
  const { games, faults, text } = useStore(files);
  const input = useRef(null);
  const pick = () => input.current.click();
  onPicker(pick);
  return html`<section class="card files" aria-label="Files and links">
    <h2>Files and links</h2>
    <input ref=${input} type="file" class="unseen" tabindex="-1" aria-label="A game or position" accept=".sgf,.txt,.json,.tanbo,.taratibu,text/plain"
      onChange=${(event) => { openFile(event.target.files[0]); event.target.value = ""; }} />
    <div class="row">
      <button onClick=${pick}>Open a file <kbd class="hints">o</kbd></button>
      <button onClick=${saveRecord}>Save the game</button>
      <button onClick=${copyLink}>Copy link <kbd class="hints">l</kbd></button>
    </div>
    <p class="soft hints">Or drop a file on the page, or paste a game: SGF, other records, diagrams, records of Abstract Play.</p>
    <details>
      <summary>Pictures and texts</summary>
      <div class="row">
        <button onClick=${() => attempt(saveSvg)}>Picture (SVG)</button>
        <button onClick=${() => attempt(savePng)}>Picture (PNG)</button>
        <button onClick=${() => attempt(saveReplay)}>Animated replay (HTML)</button>
        <button onClick=${copyPosition}>Copy position</button>
        <button onClick=${copyRecord}>Copy game</button>
      </div>
      <p class="soft">A picture shows the board as it is now, with its marks. A replay is a file that plays the shown line in any browser, even offline.</p>
    </details>
    <details>
      <summary>Start on another board</summary>
      <${Boards} catalog=${catalog} />
    </details>
    <details>
      <summary>Paste a game</summary>
      <${Paste} />
    </details>
    <details>
      <summary>Players and event</summary>
      <${Header} />
    </details>
    ${games && html`<${Chooser} games=${games} faults=${faults} />`}
    ${text !== null && html`<${Dialog} name="Copy this text" onClose=${() => files.set({ text: null })}>
      <textarea readonly aria-label="Text" onFocus=${(event) => event.target.select()}>${text}</textarea>
    </${Dialog}>`}
  </section>`;
}

/** Every built-in start, for a study from the first move. */
function Boards({ catalog }) {
  const [place, setPlace] = useState("0:0");
  const open = (event) => {
    event.preventDefault();
    const [which, number] = place.split(":").map(Number);
    const { name, boards } = catalog.games[which];
    const { size, setup, players } = boards[number];
    openBoard({ game: name, start: { size, setup, players } });
  };
  return html`<form class="row" onSubmit=${open}>
    <select aria-label="Board" value=${place} onChange=${(event) => setPlace(event.target.value)}>
      ${catalog.games.map((each, which) => html`<optgroup key=${each.name} label=${each.title}>
        ${each.boards.map(({ size, setup, players }, number) => html`<option key=${number} value=${`${which}:${number}`}>
          ${size} × ${size}, ${setup}${players > 2 ? `, ${players} players` : ""}</option>`)}
      </optgroup>`)}
    </select>
    <button>Start</button>
  </form>`;
}

function Paste() {
  const area = useRef(null);
  const open = (event) => {
    event.preventDefault();
    openText(area.current.value);
  };
  return html`<form onSubmit=${open}>
    <label>A game or a diagram as text <textarea ref=${area} spellcheck=${false} autocomplete="off"></textarea></label>
    <button>Open this text</button>
  </form>`;
}

function Chooser({ games, faults }) {
  return html`<${Dialog} name=${`${games.length} games in this file`} onClose=${() => files.set({ games: null })}>
    ${faults.map((fault) => html`<p key=${fault} class="error">${fault}</p>`)}
    <ol class="chooser">${games.map((each, i) => {
      const { header, line } = each;
      const more = [header.event, header.round, header.date, header.result, counted(trees.lengthOfList(each.tree), "move")].filter(Boolean);
      return html`<li key=${i}><button onClick=${() => openFound(each)}>
        <b>${i + 1}. ${nameOf(header) || `A game of ${title(line.game)}`}</b> <span class="soft">${more.join(" · ")}</span>
      </button></li>`;
    })}</ol>
  </${Dialog}>`;
}

// The analysis draws the card again while somebody types, so each letter is kept.
const typed = (set) => ({ onInput: (event) => set(event.target.value), onBlur: (event) => set(event.target.value.trim()) });

function Header() {
  const { header, position } = useStore(game);
  if (!position) return null;
  const change = (name, value) => game.set({ header: { ...game.get().header, [name]: value || null } });
  const rename = (player, value) => {
    const names = position.players.map((_, i) => game.get().header?.players?.[i] ?? null);
    names[player] = value || null;
    game.set({ header: { ...game.get().header, players: names } });
  };
  return html`<div class="fields">
    ${position.players.map((colour, i) => html`<label key=${colour}>${title(colour)}
      <input value=${header?.players?.[i] || ""} ...${typed((value) => rename(i, value))} autocomplete="off" /></label>`)}
    ${FIELDS.map(([name, words]) => html`<label key=${name}>${words}
      <input value=${header?.[name] || ""} ...${typed((value) => change(name, value))} autocomplete="off" /></label>`)}
  </div>`;
}
