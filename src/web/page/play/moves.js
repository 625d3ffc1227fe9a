// The moves that led to the shown position, as a list of text.
import { knownPosition } from "../game.js";
import { html, useEffect, useRef } from "../lib.js";
import * as trees from "../tree.js";
import { colourOf, tellMove } from "../words.js";

/** What is written in the list: for each move its player and sentence. Positions that are not known give the bare move. */
function rowsOf(state) {
  const path = trees.pathTo(state.tree, state.at);
  return path.slice(1).map((id, place) => {
    const position = knownPosition(state, id);
    const before = knownPosition(state, path[place]);
    if (!position) return { id, colour: "", text: state.tree.nodes[id].move };
    const { player } = position.change;
    return { id, colour: position.players[player], text: tellMove(position, before).replace(colourOf(position, player), "").trim() };
  });
}

export function Moves({ state }) {
  const rows = rowsOf(state);
  const box = useRef(null);
  useEffect(() => { box.current.scrollTop = box.current.scrollHeight; }, [state.at]);
  return html`<section class="card" aria-labelledby="moves-title">
    <h2 id="moves-title">Moves</h2>
    <ol class="moves" ref=${box} tabindex="0" aria-label="Moves">
      ${rows.map(({ id, colour, text }) => html`<li key=${id}>
        <span class=${"chip " + colour} aria-hidden="true"></span><span class="unseen">${colour} </span>${text}</li>`)}
    </ol>
    ${rows.length === 0 && html`<p class="soft">No moves yet.</p>`}
  </section>`;
}
