// The spaces of the roots in numbers, beside the drawing of them.
import { title } from "../board.js";
import { html } from "../lib.js";

/** A table with the roots of each player and where they can grow. */
export function Spaces({ position }) {
  const { spaces, players } = position;
  if (!spaces || spaces.length === 0) return html`<section class="card"><h2>Spaces</h2><p>There are no roots here.</p></section>`;
  const signs = (position.map || []).join("");
  const rows = players.map((colour, player) => {
    const own = spaces.filter((space) => space.player === player);
    const marks = [String(player), String.fromCharCode(97 + player)];
    return {
      colour, roots: own.length,
      now: new Set(own.flatMap((space) => space.now)).size,
      points: [...signs].filter((sign) => marks.includes(sign)).length,
      single: own.filter((space) => space.now.length === 1).length,
    };
  });
  return html`<section class="card spaces" aria-label="Spaces">
    <h2>Spaces</h2>
    <table>
      <thead><tr><th scope="col">Player</th><th scope="col">Roots</th><th scope="col">Can grow to</th><th scope="col">Own points</th><th scope="col">One point left</th></tr></thead>
      <tbody>${rows.map(({ colour, roots, now, points, single }) => html`<tr key=${colour}>
        <th scope="row"><span class=${"chip " + colour}></span>${title(colour)}</th>
        <td>${roots}</td><td>${now}</td><td>${points}</td><td>${single}</td>
      </tr>`)}</tbody>
    </table>
    <p class="soft">Small discs: where a root can grow now. Dark points: only one root can reach them; paler ones: only roots of this colour. A dash: nobody can. A red ring: one point left to grow to.</p>
  </section>`;
}
