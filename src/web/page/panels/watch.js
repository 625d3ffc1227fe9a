// Watch: the games of a match folder on boards, and the score as it moves.
import { counted } from "../board.js";
import { Board } from "../board-view.js";
import { game as shared, openGame, positionOf } from "../game.js";
import { html, useEffect, useRef, useState } from "../lib.js";
import { openPart } from "../parts.js";
import { useStore } from "../store.js";
import * as trees from "../tree.js";
import { say } from "../study/view.js";
import { COUNTS, resultOf, setCount, showAlone, watching, winnerOf } from "../watching.js";
import { Score } from "./watch-score.js";

const MOST_ROWS = 200; // of the list of games

export function Panel({ catalog }) {
  const { told, slots, count, alone, ended } = useStore(watching);
  if (!told) {
    return html`<section class="card">
      <h1>Watch a match</h1>
      ${catalog.matches ? html`<p role="status">No game has begun yet. This page shows the match as soon as it begins.</p>`
        : html`<p>Start <code>tanada web --matches FOLDER</code> with the folder of <code>tanada match --records FOLDER</code> to see its games
          here.</p>`}
    </section>`;
  }
  const games = new Map(told.games.map((game) => [game.number, game]));
  const shown = alone !== null && games.has(alone) ? [alone] : slots;
  return html`<div class="watch">
    <${Score} />
    <section aria-label="Boards">
      <div class="row tools">
        <h2>Games</h2>
        ${alone === null
          ? html`<label>Boards <select value=${count} onChange=${(event) => setCount(Number(event.target.value))}>
              ${COUNTS.map((each) => html`<option key=${each} value=${each} selected=${each === count}>${each}</option>`)}
            </select></label>`
          : html`<button onClick=${() => showAlone(null)}>Show all boards</button>`}
      </div>
      <div class=${`grid boards-${sizeOf(shown.length)}`}>
        ${shown.filter((number) => games.has(number)).map((number) =>
          html`<${Tile} key=${number} game=${games.get(number)} isAlone=${shown.length === 1} />`)}
      </div>
      <p class="unseen" role="status">
        ${ended.map((game) => `Game ${game.number} is over: ${resultOf(game, coloursOf(catalog, game))}.`).join(" ")}
      </p>
    </section>
    <${List} games=${told.games} catalog=${catalog} />
  </div>`;
}

/** The colours in the order of play. */
const coloursOf = (catalog, { line }) => catalog.games.find((each) => each.name === line.game).colours;

// More boards are smaller.
const sizeOf = (boards) => (boards <= 1 ? "one" : boards <= 4 ? "few" : boards <= 9 ? "some" : "many");

/** The position at the end of a line, and the one before it; the last known ones until the server has told them. */
function usePosition(line) {
  const [found, setFound] = useState({ position: null, before: null });
  const newest = useRef(null);
  const key = JSON.stringify(line);
  useEffect(() => {
    newest.current = key;
    const { moves } = line;
    const told = moves.length === 0 ? [positionOf(line)] : [positionOf(line), positionOf({ ...line, moves: moves.slice(0, -1) })];
    Promise.all(told).then(([position, before = null]) => {
      if (newest.current === key) setFound({ position, before });
    }, () => {});
    return () => { newest.current = null; };
  }, [key]);
  return found;
}

function Tile({ game, isAlone }) {
  const { position, before } = usePosition(game.line);
  const colours = position ? position.players : [];
  const winner = game.over ? winnerOf(game, colours) : null;
  const moves = game.line.moves.length;
  return html`<article class=${"tile" + (game.over ? " over" : "")} aria-label=${`Game ${game.number}`}>
    <h3><span class="number">${game.number}</span>
      ${game.players.map((name, player) => html`<span key=${player} class=${"player" + (winner === player ? " winner" : "")}>
        ${colours[player] && html`<span class=${"chip " + colours[player]} role="img" aria-label=${colours[player]}></span>`}${name}</span>`)}
    </h3>
    ${position ? html`<${Board} position=${position} show=${{ last: position.change, before: before && before.rows, label: labelOf(game, position) }} />`
      : html`<div class="empty" aria-busy="true"></div>`}
    <p class="state">${game.over ? html`<b>${resultOf(game, colours)}</b>, ` : ""}${counted(moves, "move")}</p>
    ${game.comment && isAlone && html`<p class="soft comment">${game.comment}</p>`}
    <div class="row">
      ${game.over && html`<button onClick=${() => study(game)} aria-label=${`Study game ${game.number}`}>Study</button>`}
      ${!isAlone && html`<button onClick=${() => showAlone(game.number)} aria-label=${`Enlarge game ${game.number}`}>Enlarge</button>`}
    </div>
  </article>`;
}

const labelOf = (game, position) =>
  `Game ${game.number} after ${counted(position.number, "move")}${game.over ? `: ${resultOf(game, position.players)}` : `, ${position.players[position.to_move] || "nobody"} to move`}`;

/** Opens a game in Study, at its end. */
async function study(game) {
  let tree = trees.newTree();
  let at = 0;
  for (const move of game.line.moves) [tree, at] = trees.add(tree, at, move);
  if (game.comment) tree = trees.setComment(tree, 0, game.comment);
  const header = {
    name: `Game ${game.number}`, event: watching.get().told.name, round: String(game.number), date: null, place: null,
    result: game.result, players: game.players,
  };
  const before = shared.get();
  await openGame({ game: game.line.game, start: game.line.start }, { tree, at, header });
  openPart("study");
  say(`Opened game ${game.number}.`, before);
}

/** All games as a list, the newest first. */
function List({ games, catalog }) {
  const newest = [...games].sort((a, b) => b.number - a.number).slice(0, MOST_ROWS);
  return html`<details class="card list">
    <summary>All games (${games.length})</summary>
    <div class="scroll" tabindex="0" role="group" aria-label="All games">
      <table>
        <thead><tr><th scope="col">Game</th><th scope="col">Players</th><th scope="col">Moves</th><th scope="col">Result</th><th scope="col">Open</th></tr></thead>
        <tbody>${newest.map((game) => html`<tr key=${game.number}>
          <th scope="row">${game.number}</th><td>${game.players.join(" – ")}</td><td>${game.line.moves.length}</td>
          <td>${game.over ? resultOf(game, coloursOf(catalog, game)) : "in progress"}</td>
          <td>${game.over ? html`<button onClick=${() => study(game)} aria-label=${`Study game ${game.number}`}>Study</button>`
            : html`<button onClick=${() => { showAlone(game.number); scrollTo(0, 0); }} aria-label=${`Watch game ${game.number}`}>Watch</button>`}</td>
        </tr>`)}</tbody>
      </table>
    </div>
    ${games.length > MOST_ROWS && html`<p class="soft">The newest ${MOST_ROWS} games.</p>`}
  </details>`;
}
