// The end of a game: who won, why, and what to do next.
import { html } from "../lib.js";
import { openPart } from "../parts.js";
import { beginning, newGame, PERSON, playing, report } from "./playing.js";
import { useStore } from "../store.js";
import { colourOf } from "../words.js";
import { neighbour } from "./levels.js";

/** Why it ended, in a sentence. */
function reason({ position }, result) {
  if (result.how === "resign") return `${colourOf(position, result.player)} resigned.`;
  if (result.how === "time") return `${colourOf(position, result.player)} ran out of time.`;
  if (result.winner === null) return "Nobody has won.";
  const { change } = position;
  if (!change) return "";
  const by = colourOf(position, change.player);
  return change.player === result.winner ? `The move ${change.move} decided it.` : `${by}’s own move ${change.move} lost the game.`;
}

export function Ending({ catalog, state, result, onNew }) {
  const match = useStore(playing);
  const { line, seats } = beginning(state, match);
  const { position } = state;
  const people = state.seats.flatMap((seat, player) => (seat === PERSON ? [player] : []));
  const me = people.length === 1 ? people[0] : null;
  const isWon = me !== null && result.winner === me;
  const isLost = me !== null && result.winner !== null && result.winner !== me;
  const headline = result.winner === null ? "A draw" : isWon ? "You have won!" : `${colourOf(position, result.winner)} has won`;
  const levels = [...new Set(seats.filter((seat) => seat !== PERSON))];
  const level = me !== null && levels.length === 1 ? levels[0] : null;
  const other = level && (isWon ? neighbour(catalog, level, 1) : isLost ? neighbour(catalog, level, -1) : undefined);
  const again = (chosen) => newGame({ line, seats: chosen, clock: match.clock, pie: match.hasPie }).catch(report);
  return html`<section class=${"card call ending" + (isWon ? " won" : "")} role="status" aria-labelledby="ending-title">
    <h2 id="ending-title">${headline}</h2>
    <p>${reason(state, result)} ${isLost && result.how === "play" && "Undo takes back your last move, so you can try another."}</p>
    <div class="row">
      <button class="main" onClick=${() => again(seats)}>Play again</button>
      ${seats.length === 2 && me !== null && html`<button onClick=${() => again([...seats].reverse())}>Swap colours</button>`}
      ${other && html`<button onClick=${() => again(seats.map((seat) => (seat === PERSON ? seat : other.name)))}>
        ${isWon ? "Next level" : "An easier opponent"}: ${other.title}</button>`}
    </div>
    <p class="soft">Where was it decided? <a href="#/study" onClick=${(event) => { event.preventDefault(); openPart("study"); }}>Study this game</a>
      and review it. New to the rules? <a href="#/learn" onClick=${(event) => { event.preventDefault(); openPart("learn"); }}>Learn</a> takes five minutes.</p>
  </section>`;
}
