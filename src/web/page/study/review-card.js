// The review of a game: how it goes on, what it found, and the way into its mistakes.
import { counted, markClass, title } from "../board.js";
import { game, goTo } from "../game.js";
import { html } from "../lib.js";
import { useStore } from "../store.js";
import * as trees from "../tree.js";
import { DEPTHS, review, reviewedNodes, setDepth, startReview, stopReview, summaryOf } from "./review.js";
import { endRetry, retry, startRetry } from "./retry.js";

const Sign = ({ mark }) => html`<span class=${"mark " + markClass(mark)}>${mark}</span>`;
const share = (value, digits = 0) => (value === null ? "–" : `${(100 * value).toFixed(digits)}\u00a0%`);

export function ReviewCard() {
  const state = useStore(game);
  const told = useStore(review);
  const ids = reviewedNodes(state, told);
  const isOurs = ids.length > 1 || (ids.length === 1 && told.review.moves.length === 0);
  const length = trees.lineThrough(state.tree, state.at).length - 1;
  return html`<section class="card review" aria-label="Review">
    <h2>Review</h2>
    ${told.state === "running" ? html`<${Progress} told=${told} />` : html`<${Start} told=${told} isAgain=${isOurs} length=${length} />`}
    ${told.state === "failed" && html`<p class="error" role="alert">${told.error}</p>`}
    ${told.state === "interrupted" && html`<p role="status">The review was interrupted: the engine was needed elsewhere.</p>`}
    ${isOurs && told.state !== "running" && html`<${Result} found=${told.review} ids=${ids} />`}
  </section>`;
}

function Start({ told, isAgain, length }) {
  return html`<div class="row">
    <label class="depth">Depth <select value=${told.depth} onChange=${(event) => setDepth(event.target.value)}>
      ${DEPTHS.map(({ name, title: words }) => html`<option key=${name} value=${name}>${words}</option>`)}
    </select></label>
    <button class=${isAgain ? "" : "main"} disabled=${length === 0} onClick=${() => { endRetry(); startReview(); }}>${isAgain ? "Review again" : "Review this game"}</button>
  </div>
  ${!isAgain && html`<p class="soft">${length === 0 ? "There are no moves yet." : `Examines the ${counted(length, "move")} of the shown line and lists the mistakes.`}</p>`}`;
}

function Progress({ told }) {
  const { done, all, verifying } = told;
  const words = verifying === null || verifying === undefined ? `Position ${Math.min(done + 1, all)} of ${all}` : `Checking move ${verifying} again`;
  return html`<div class="row between"><span role="status">${words}</span><button onClick=${stopReview}>Stop</button></div>
    <progress max=${all} value=${verifying ? all : done} aria-label="Review"></progress>
    <p class="soft">You can still browse and try moves; the live analysis is paused.</p>`;
}

function Result({ found, ids }) {
  return html`
    ${found.incomplete && html`<p>Only ${found.moves.length} of ${counted(found.incomplete.moves, "move")} were examined.</p>`}
    ${found.moves.length > 0 && html`<${Summary} found=${found} />`}
    <${Mistakes} found=${found} ids=${ids} />`;
}

function Summary({ found }) {
  return html`<div class="scroll-x" tabindex="0" role="region" aria-label="Players"><table class="summary">
    <thead><tr><th scope="col">Player</th><th scope="col">Accuracy</th><th scope="col">Mean loss</th>
      ${["?!", "?", "??"].map((mark) => html`<th scope="col" key=${mark}><${Sign} mark=${mark} /><span class="unseen"> ${markClass(mark)}</span></th>`)}</tr></thead>
    <tbody>${found.players.map(({ colour, name }, player) => {
      const { accuracy, mean_loss: mean, doubtful, mistakes, blunders } = summaryOf(found, player);
      return html`<tr key=${colour}>
        <th scope="row"><span class=${"chip " + colour}></span>${title(colour)} ${name && html`<bdi class="soft name">${name}</bdi>`}</th>
        <td>${share(accuracy)}</td><td>${share(mean, 1)}</td><td>${doubtful}</td><td>${mistakes}</td><td>${blunders}</td>
      </tr>`;
    })}</tbody>
  </table></div>
  <p class="soft">Accuracy: the share of moves without a mark. Mean loss: the winning chance lost per move. Losses too small to be certain do not count.</p>`;
}

function Mistakes({ found, ids }) {
  const { number: retried } = useStore(retry);
  if (found.mistakes.length === 0) {
    const least = (100 * found.thresholds.doubtful).toFixed(0);
    return html`<p>No mistakes found: no move clearly lost ${least} % or more.</p>`;
  }
  return html`<h3>Mistakes, largest first</h3>
    <ol class="mistakes">${found.mistakes.map((number) => {
      const move = found.moves[number - 1];
      const isInTree = number < ids.length;
      const colour = found.players[move.player].colour;
      const name = `${number}. ${title(colour)} ${move.move}`;
      return html`<li key=${number} aria-current=${retried === number ? "true" : null}>
        <button class="link" disabled=${!isInTree} onClick=${() => goTo(ids[number])}>
          <span class=${"chip " + colour}></span>${name}<${Sign} mark=${move.mark} /></button>
        <span class="lost">−${share(move.loss, 1)}</span>
        <button disabled=${!isInTree} onClick=${() => startRetry(number)} aria-label=${`Retry ${name}`}>Retry</button>
      </li>`;
    })}</ol>`;
}
