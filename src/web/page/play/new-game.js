// The dialog that begins a game: game, board, players, opponent, clock.
import { title } from "../board.js";
import { Board } from "../board-view.js";
import { post } from "../connection.js";
import { game } from "../game.js";
import { html, useEffect, useRef, useState } from "../lib.js";
import { newGame, PERSON } from "./playing.js";
import { keep, kept } from "../store.js";
import { ClockFields, clockOf } from "./clock-fields.js";
import { gentleLevel, LevelList, levelNamed } from "./levels.js";
import { SeatSelect } from "./cards.js";
import { Setup } from "./setup.js";

/** The board of a list that is nearest to what is wanted: its players count most, then its size, then its setup. */
export function nearestBoard(boards, wanted) {
  const score = (board) => 4 * (board.players === wanted.players) + 2 * (board.size === wanted.size)
    + (board.setup === wanted.setup) + (board.default ? 0.5 : 0);
  return boards.reduce((best, board) => (score(board) > score(best) ? board : best));
}

/** What was chosen the last time, or what a first game needs. */
function firstChoices(catalog) {
  const { line, seats } = game.get();
  const old = kept("new-game", null);
  const level = seats.find((seat) => levelNamed(catalog, seat)) || gentleLevel(catalog);
  return {
    game: line.game, start: line.start, seats: [...seats], level, preset: "none", main: 5, increment: 3, pie: false,
    ...(old && old.preset ? { preset: old.preset, main: old.main, increment: old.increment, pie: old.pie } : {}),
  };
}

/** As many seats as there are players: those that are known, then engines of the chosen level. */
const fitSeats = (seats, count, level) => Array.from({ length: count }, (_, player) => seats[player] ?? (player === 0 ? PERSON : level));

export function NewGame({ catalog, onClose }) {
  const [choices, setChoices] = useState(() => firstChoices(catalog));
  // What the server told last, and of which start.
  const [{ of, position }, setAnswer] = useState({ of: "", position: null });
  const [error, setError] = useState("");
  const [isEditing, setEditing] = useState(false);
  const dialog = useRef(null);
  useEffect(() => { dialog.current.showModal(); }, []);

  const told = catalog.games.find((each) => each.name === choices.game);
  const line = { game: choices.game, start: choices.start };
  const change = (changes) => setChoices((old) => ({ ...old, ...changes }));
  const key = JSON.stringify(line);
  useEffect(() => {
    let isLatest = true;
    post("position", line).then(
      (found) => {
        if (!isLatest) return;
        setAnswer({ of: key, position: found });
        setError("");
        setChoices((old) => ({ ...old, seats: fitSeats(old.seats, found.players.length, old.level).slice(0, found.players.length) }));
      },
      (failure) => { if (isLatest) setError(failure.message); },
    );
    return () => { isLatest = false; };
  }, [key]);

  const begin = async (event) => {
    event.preventDefault();
    const pie = choices.pie && choices.seats.length === 2;
    try {
      await newGame({ line, seats: choices.seats, clock: clockOf(choices), pie });
    } catch (failure) {
      setError(failure.message);
      return;
    }
    const { preset, main, increment } = choices;
    keep("new-game", { preset, main, increment, pie: choices.pie });
    onClose();
  };
  if (isEditing) {
    return html`<dialog class="dialog" ref=${dialog} onCancel=${(event) => { event.preventDefault(); setEditing(false); }} aria-labelledby="setup-title">
      <${Setup} catalog=${catalog} told=${told} position=${position} onCancel=${() => setEditing(false)}
        onUse=${(text) => { change({ start: { text } }); setEditing(false); }} />
    </dialog>`;
  }
  return html`<dialog class="dialog" ref=${dialog} onClose=${onClose} aria-labelledby="new-game-title">
    <form onSubmit=${begin}>
      <h2 id="new-game-title">New game</h2>
      <div class="new-game">
        <div>
          <${BoardFields} catalog=${catalog} told=${told} choices=${choices} change=${change} onEdit=${() => setEditing(true)} position=${position} />
        </div>
        <div>
          <${SeatFields} catalog=${catalog} choices=${choices} change=${change} position=${position} />
          <${ClockFields} choices=${choices} change=${change} />
          ${choices.seats.length === 2 && html`<label class="check"><input type="checkbox" checked=${choices.pie}
            onChange=${(event) => change({ pie: event.target.checked })} /> Pie rule: after the first move the other player chooses a colour</label>`}
        </div>
      </div>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      <div class="row end">
        <button type="button" onClick=${onClose}>Cancel</button>
        <button class="main" disabled=${of !== key || !!error}>Start</button>
      </div>
    </form>
  </dialog>`;
}

function BoardFields({ catalog, told, choices, change, onEdit, position }) {
  const { start } = choices;
  const isOwn = start.text !== undefined;
  const defaults = (each) => each.boards.find((board) => board.size === 9 && board.players === 2 && board.default) || each.boards.find((board) => board.default) || each.boards[0];
  const startOf = ({ size, setup, players }) => ({ size, setup, players });
  const pick = (wanted) => change({ start: startOf(nearestBoard(told.boards, { ...start, ...wanted })) });
  const values = (list) => [...new Set(list)].sort((one, other) => one - other);
  const players = values(told.boards.map((board) => board.players));
  const fitting = told.boards.filter((board) => board.players === start.players);
  const sizes = values(fitting.map((board) => board.size));
  const setups = fitting.filter((board) => board.size === start.size).map((board) => board.setup);
  return html`
    <div class="segments" role="group" aria-label="Game">
      ${catalog.games.map((each) => html`<button type="button" key=${each.name} aria-pressed=${String(each.name === told.name)}
        onClick=${() => change({ game: each.name, start: startOf(defaults(each)) })}>${each.title}</button>`)}
    </div>
    <p class="soft summary">${told.summary}</p>
    ${isOwn ? html`<p class="row">Your position. <button type="button" onClick=${() => change({ start: startOf(defaults(told)) })}>Back to the usual boards</button></p>`
      : html`<div class="fields">
        ${players.length > 1 && html`<label>Players <${Choice} values=${players} value=${start.players} onChange=${(value) => pick({ players: Number(value) })} /></label>`}
        ${sizes.length > 1 && html`<label>Size <${Choice} values=${sizes} value=${start.size} name=${(size) => `${size} × ${size}`} onChange=${(value) => pick({ size: Number(value) })} /></label>`}
        ${setups.length > 1 && html`<label>Setup <${Choice} values=${setups} value=${start.setup} onChange=${(value) => pick({ setup: value })} /></label>`}
      </div>`}
    ${position && html`<div class="preview"><${Board} position=${position} /></div>`}
    ${told.has_editor && html`<button type="button" onClick=${onEdit} disabled=${!position}>${isOwn ? "Change the position" : "Set up a position"}</button>`}`;
}

function Choice({ values, value, name = String, onChange }) {
  return html`<select value=${value} onChange=${(event) => onChange(event.target.value)}>
    ${values.map((each) => html`<option key=${each} value=${each} selected=${each === value}>${name(each)}</option>`)}
  </select>`;
}

function SeatFields({ catalog, choices, change, position }) {
  const { seats } = choices;
  if (!position) return null;
  const colours = position.players;
  const setSeat = (player, seat) => change({
    seats: seats.map((old, each) => (each === player ? seat : old)), ...(seat === PERSON ? {} : { level: seat }),
  });
  const engines = seats.filter((seat) => seat !== PERSON);
  const level = new Set(engines).size === 1 ? engines[0] : null;
  return html`<fieldset class="seat-fields"><legend>Who plays</legend>
    <div class="fields">${seats.slice(0, colours.length).map((seat, player) => html`<label key=${player}>
      <span><span class=${"chip " + colours[player]} aria-hidden="true"></span>${title(colours[player])}${player === 0 ? ", moves first" : ""}</span>
      <${SeatSelect} catalog=${catalog} value=${seat} onChange=${(value) => setSeat(player, value)} /></label>`)}
    </div>
    ${seats.length === 2 && html`<button type="button" onClick=${() => change({ seats: [...seats].reverse() })}>Swap colours</button>`}
    ${engines.length > 0 && html`<p class="soft">Level of ${engines.length > 1 ? "the engines" : "Tanada"}:</p>
      <${LevelList} catalog=${catalog} value=${level}
        onChange=${(name) => change({ level: name, seats: seats.map((seat) => (seat === PERSON ? seat : name)) })} />`}
  </fieldset>`;
}
