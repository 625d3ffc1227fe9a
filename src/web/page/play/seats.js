// Who sits at the board: colour, name, clock, whose turn it is.
import { counted } from "../board.js";
import { running } from "../jobs.js";
import { html } from "../lib.js";
import { useStore } from "../store.js";
import { clockText, colourOf, countPieces, thing } from "../words.js";
import { seatTitle } from "./levels.js";
import { thinking } from "./opponent.js";
import { PERSON, playerToMove, playing, times } from "./playing.js";

/** One box for each player. */
export function Seats({ catalog, state }) {
  const { position, seats } = state;
  const match = useStore(playing);
  const { player: thinker } = useStore(thinking);
  const { asleep } = useStore(running);
  const counts = countPieces(position);
  const active = playerToMove(state, match);
  const isAlone = seats.filter((seat) => seat === PERSON).length === 1;
  return html`<ul class="seats" aria-label="Players">
    ${position.players.map((colour, player) => html`
      <li key=${colour} class=${"seat" + (player === active ? " active" : "") + (position.board && counts[player] === 0 ? " out" : "")}>
        <span class="who"><b><span class=${"chip " + colour} aria-hidden="true"></span>${colourOf(position, player)}</b>
          <span class="soft"> ${seats[player] === PERSON ? (isAlone ? "You" : "Person") : seatTitle(catalog, seats[player])}</span></span>
        ${position.board && html`<span class="soft count">${counts[player] === 0 ? "out" : counted(counts[player], thing(position.board))}</span>`}
        ${match.clock && html`<${Clock} player=${player} />`}
        <span class="turn">${player === thinker && asleep ? "asleep" : player === thinker ? html`<span class="dots" role="img" aria-label="thinking"><i></i><i></i><i></i></span>`
          : player === active ? "to move" : ""}</span>
      </li>`)}
  </ul>`;
}

function Clock({ player }) {
  const { left } = useStore(times);
  const seconds = left[player] ?? 0;
  return html`<span class=${"clock" + (seconds < 10 ? " low" : "")} role="timer" aria-live="off">${clockText(seconds)}</span>`;
}
