// The setup editor: a start position of one's own. The server says whether the rules can play from it.
import { title } from "../board.js";
import { Board } from "../board-view.js";
import { post } from "../connection.js";
import { startText } from "../diagram.js";
import { html, useEffect, useRef, useState } from "../lib.js";

const WAIT = 150; // milliseconds after the last change before the server is asked

/** All pieces that the game knows, with the colours they belong to. */
async function palette(told) {
  const most = told.boards.reduce((best, board) => (board.players > best.players ? board : best));
  const { board, players } = await post("position", { game: told.name, start: { size: most.size, setup: most.setup, players: most.players } });
  return board.pieces.map((piece) => ({ ...piece, player: told.colours.indexOf(players[piece.player]) }));
}

/** An empty board of a size, as the server draws it. */
async function boardOf(told, size) {
  const known = told.boards.find((board) => board.size === size);
  return (await post("position", { game: told.name, start: { size, setup: known.setup, players: known.players } })).board;
}

const emptyRows = (side) => Array.from({ length: side }, () => ".".repeat(side));

/**
 * `told`: the game, as the catalog tells it; `position`: where to begin. `onUse(text)` is called with the text of the
 * position when the server has accepted it.
 */
export function Setup({ told, position, onUse, onCancel }) {
  const [pieces, setPieces] = useState([]);
  const [board, setBoard] = useState(position.board);
  const [rows, setRows] = useState(position.rows);
  const [colour, setColour] = useState(position.players[position.to_move ?? 0]);
  const [turn, setTurn] = useState(() => Number(/turn (\d+)/i.exec(position.text)?.[1] ?? 1));
  const [brush, setBrush] = useState(position.board.pieces[0].symbol);
  const [faults, setFaults] = useState([]);
  const asked = useRef(0);
  const squares = board.ground === "squares";
  const text = startText(board, rows, colour, turn);

  useEffect(() => { palette(told).then(setPieces, (error) => setFaults([error.message])); }, []);
  useEffect(() => {
    const own = ++asked.current;
    setFaults(null);
    const timer = setTimeout(() => {
      post("position", { game: told.name, start: { text } }).then(
        () => { if (asked.current === own) setFaults([]); },
        (error) => { if (asked.current === own) setFaults(reasonsOf(error.message)); },
      );
    }, WAIT);
    return () => clearTimeout(timer);
  }, [text]);

  const sizes = [...new Set(told.boards.map((each) => each.size))].sort((one, other) => one - other);
  const resize = async (size) => {
    const changed = await boardOf(told, size);
    setBoard(changed);
    setRows(emptyRows(size));
  };
  const put = (cell) => {
    const [row, column] = [Math.floor(cell / board.side), cell % board.side];
    setRows((old) => old.map((line, each) => {
      if (each !== row) return line;
      const symbol = line.charAt(column) === brush ? "." : brush;
      return line.slice(0, column) + symbol + line.slice(column + 1);
    }));
  };
  const drawn = { board: { ...board, pieces }, players: told.colours, rows, to_move: null, over: false, number: 0, legal: [] };
  return html`<form class="setup" onSubmit=${(event) => { event.preventDefault(); onUse(text); }}>
    <h2 id="setup-title">Set up a position</h2>
    <div class="new-game">
      <${Board} id="setup-board" position=${drawn} onCell=${put} show=${{ label: "The position that you set up" }} />
      <div>
        <fieldset class="brushes"><legend>Click to place, click again to remove</legend>
          ${told.colours.map((each, player) => html`<${Brushes} key=${each} colour=${each} value=${brush} onChange=${setBrush}
            pieces=${pieces.filter((piece) => piece.player === player)} />`)}
        </fieldset>
        <div class="fields">
          ${sizes.length > 1 && html`<label>Size (a change clears the board) <select value=${board.side} onChange=${(event) => resize(Number(event.target.value))}>
            ${sizes.map((size) => html`<option key=${size} value=${size} selected=${size === board.side}>${`${size} × ${size}`}</option>`)}</select></label>`}
          ${squares ? html`<label>Turn <input type="number" min="1" max="99" value=${turn} onInput=${(event) => setTurn(Math.round(Number(event.target.value)) || 1)} /></label>`
            : html`<label>To move <select value=${colour} onChange=${(event) => setColour(event.target.value)}>
              ${told.colours.map((each) => html`<option key=${each} value=${each} selected=${each === colour}>${title(each)}</option>`)}</select></label>`}
        </div>
        <p><button type="button" onClick=${() => setRows(emptyRows(board.side))}>Clear the board</button></p>
        <div class="checked" role="status">
          ${faults === null ? html`<p class="soft">Checking.</p>`
            : faults.length === 0 ? html`<p>You can play from this position.</p>`
            : html`<p>You cannot play from this position yet:</p><ul class="error">${faults.map((fault) => html`<li key=${fault}>${fault}</li>`)}</ul>`}
        </div>
      </div>
    </div>
    <div class="row end">
      <button type="button" onClick=${onCancel}>Back</button>
      <button class="main" disabled=${faults === null || faults.length > 0}>Use this position</button>
    </div>
  </form>`;
}

/** The pieces of one colour to choose from. */
function Brushes({ colour, pieces, value, onChange }) {
  if (pieces.length === 0) return null;
  const chip = html`<span class=${"chip " + colour} aria-hidden="true"></span>`;
  return html`${pieces.length > 1 && html`<p>${chip}${title(colour)}</p>`}
    <div class=${pieces.length > 1 ? "row" : ""}>${pieces.map(({ symbol, name }) => html`<label key=${symbol} class="check">
      <input type="radio" name="brush" value=${symbol} checked=${symbol === value} onChange=${() => onChange(symbol)} />
      ${name ? html`<span><span class="letter" aria-hidden="true">${symbol}</span><span class="unseen">${title(colour)} </span>${name}</span>`
        : html`<span>${chip}${title(colour)}</span>`}</label>`)}
    </div>`;
}

/** The reasons of a refusal, each by itself. */
const reasonsOf = (text) => text.split(/\n|;\s+/).map((part) => part.trim()).filter((part) => part !== "");
