// What stands around the board of Play: the sentence below it, the buttons, the pie, the chances and the options.
import { title } from "../board.js";
import { html } from "../lib.js";
import { running, wake } from "../jobs.js";
import { openPart } from "../parts.js";
import { thinking, tryAgain } from "./opponent.js";
import { choosePie, comeBack, isAway, leave, PERSON, playerToMove, playing, playOn, report, setSeats, undo } from "./playing.js";
import { useStore } from "../store.js";
import { colourOf, tellMove } from "../words.js";
import { levelNamed, seatTitle } from "./levels.js";

/** `White (Casual)`. */
const engineName = (catalog, state, player) => `${colourOf(state.position, player)} (${seatTitle(catalog, state.seats[player])})`;

/** What a click on the board means while nobody here may move. */
export function waitText(catalog, state, match, player) {
  if (isAway(state, match)) return "Your game is at another position. Go back to it, or play on from here.";
  if (match.pie === "choose") return "A colour must be chosen first.";
  if (player !== null && state.seats[player] !== PERSON) return `${engineName(catalog, state, player)} is to move.`;
  return "";
}

/** What has just happened and who is to move, for the eye and for screen readers. */
export function Status({ catalog, state, match, before, said }) {
  const { position, seats } = state;
  const player = playerToMove(state, match);
  const isAlone = seats.filter((seat) => seat === PERSON).length === 1;
  const last = tellMove(position, before);
  const next = player === null ? ""
    : seats[player] === PERSON ? (isAlone ? "Your turn." : `${colourOf(position, player)} to move.`)
    : `${engineName(catalog, state, player)} is thinking.`;
  const turn = player !== null && position.turn ? `${title(position.turn)}. ` : "";
  return html`<div class="status">
    <p role="status">${match.note && `${match.note} `}${last && `${last}. `}${turn}${next}</p>
    <p class=${"said" + (said || state.error ? "" : " empty")} role="status">${state.error || said}</p>
    <${EngineTrouble} />
  </div>`;
}

function EngineTrouble() {
  const { asleep } = useStore(running);
  const { error } = useStore(thinking);
  if (asleep) {
    return html`<p class="row" role="alert">The engine is asleep: other pages are using theirs. <button onClick=${wake}>Wake it</button></p>`;
  }
  return error && html`<p class="row error" role="alert">${error} <button onClick=${tryAgain}>Try again</button></p>`;
}

export function Actions({ state, match, player, isOver, hint, onNew }) {
  const isElsewhere = isAway(state, match);
  const mine = player !== null && state.seats[player] === PERSON;
  const people = state.seats.flatMap((seat, each) => (seat === PERSON ? [each] : []));
  // Against engines a person may resign at any time; among people whoever is to move resigns.
  const resigner = people.length === 1 ? people[0] : mine ? player : null;
  const isOut = isElsewhere || resigner === null || !state.position.rows.join("").match(/[^.]/);
  const canPause = match.clock || people.length === 0;
  return html`<div class="card actions row" role="group" aria-label="Game">
    <button onClick=${undo} disabled=${isElsewhere || (state.at === 0 && !match.former) || match.result?.how === "time"}>Undo</button>
    <button onClick=${hint.ask} disabled=${!mine || !hint.isReady || hint.isLooking}>${hint.isLooking ? "Thinking" : "Hint"}</button>
    <button onClick=${() => leave(resigner, "resign").catch(report)} disabled=${isOver || isOut || match.pie !== null}>Resign</button>
    ${canPause && html`<button disabled=${isOver || isElsewhere}
      onClick=${() => playing.set({ isPaused: !match.isPaused })}>${match.isPaused ? "Resume" : "Pause"}</button>`}
    <button onClick=${() => openPart("study")}>Study this game</button>
    <button class="main" onClick=${onNew}>New game</button>
  </div>`;
}

/** For whoever comes back from Study to another position than that of the game. */
export function Midway() {
  return html`<section class="card call" aria-labelledby="midway-title"><h2 id="midway-title">In the middle of a game</h2>
    <p>The board does not show where your game stands.</p>
    <div class="row">
      <button class="main" onClick=${comeBack}>Back to the game</button>
      <button onClick=${playOn}>Play on from here</button>
    </div></section>`;
}

/** The pie is cut by the first move; then the other player chooses a colour. */
export function Pie({ state, match }) {
  const { position, seats } = state;
  const [first, second] = [colourOf(position, 0), colourOf(position, 1)];
  if (match.pie === "first") {
    return html`<section class="card call"><h2>Pie rule</h2>
      <p>${first} moves first, then the other player chooses a colour. So the best first move keeps the game even.</p></section>`;
  }
  if (seats[1] !== PERSON) return html`<section class="card call" aria-busy="true"><h2>Pie rule</h2><p>Tanada is choosing a colour.</p></section>`;
  return html`<section class="card call" aria-labelledby="pie-title"><h2 id="pie-title">Choose your colour</h2>
    <p>${first} has made the first move. ${seats[0] === PERSON ? "The other player may" : "You may"} take either colour; ${second} moves next.</p>
    <div class="row">
      <button class="main" onClick=${() => choosePie(false, "The colours stay as they are.")}><span class=${"chip " + position.players[1]}></span>Play ${second}</button>
      <button class="main" onClick=${() => choosePie(true, "The colours are swapped.")}><span class=${"chip " + position.players[0]}></span>Take ${first}</button>
    </div></section>`;
}

/** The winning chances, which are hidden unless they are wanted. */
export function Chances({ position, values }) {
  return html`<section class="card" aria-labelledby="chances-title"><h2 id="chances-title">Winning chances</h2>
    ${values === null ? html`<p class="soft">They appear on your turn.</p>` : html`<ul class="chances">
      ${position.players.map((colour, player) => html`<li key=${colour}>
        <span class=${"chip " + colour} aria-hidden="true"></span>${title(colour)}
        <progress max="1" value=${values[player]} aria-label=${title(colour)}></progress>
        <b>${Math.round(100 * values[player])} %</b></li>`)}
    </ul>`}
  </section>`;
}

/** Switches, and who sits where; both can be changed during a game. */
export function Options({ catalog, state, options, change }) {
  const told = catalog.games.find((each) => each.name === state.line.game);
  const setSeat = (player, seat) => setSeats(state.seats.map((old, each) => (each === player ? seat : old)));
  return html`<section class="card" aria-labelledby="options-title"><h2 id="options-title">Options</h2>
    <label class="check"><input type="checkbox" checked=${options.legal} onChange=${(event) => change("legal", event.target.checked)} /> Show where you may play</label>
    <label class="check"><input type="checkbox" checked=${options.chance} onChange=${(event) => change("chance", event.target.checked)} /> Show winning chances</label>
    <details><summary>Change players</summary>
      <div class="fields">${state.position.players.map((colour, player) => html`<label key=${colour}>${title(colour)}
        <${SeatSelect} catalog=${catalog} value=${state.seats[player]} onChange=${(seat) => setSeat(player, seat)} /></label>`)}</div>
    </details>
    <details><summary>Rules of ${told.title}</summary><p class="rules">${told.rules}</p></details>
    ${told.pieces && html`<details><summary>The pieces</summary><pre class="pieces" tabindex="0">${told.pieces}</pre></details>`}
    <p class="hints soft">On the board the arrow keys move a cursor and <kbd>Enter</kbd> plays. <kbd>U</kbd> takes back, <kbd>H</kbd> gives a hint${", "}
      <kbd>N</kbd> begins a new game.</p>
  </section>`;
}

/** A person, or a level. */
export function SeatSelect({ catalog, value, onChange }) {
  return html`<select value=${value} onChange=${(event) => onChange(event.target.value)}>
    <option value=${PERSON} selected=${value === PERSON}>Person</option>
    ${catalog.levels.map(({ name, title: words }) => html`<option key=${name} value=${name} selected=${value === name}>Tanada: ${words}</option>`)}
    ${value !== PERSON && !levelNamed(catalog, value) && html`<option value=${value} selected>${value}</option>`}
  </select>`;
}
