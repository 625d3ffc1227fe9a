// The best moves of the shown position, with their variations.
import { counted, percent, rankClass, title } from "../board.js";
import { html, useState } from "../lib.js";
import { running, wake } from "../jobs.js";
import { useStore } from "../store.js";
import { analysis, isPaused, retrySearch, switchAnalysis, THRESHOLDS } from "./analysis.js";
import { playAll, view } from "./view.js";

const FEW = 5; // moves in the list before it is opened

/** Which moves are shown for a position, and from where: `live`, or `review`. */
export function bestOf(found, judged) {
  if (found && found.best.length > 0) return { best: found.best, source: "live" };
  if (judged && judged.best.length > 0) return { best: judged.best, source: "review" };
  return { best: [], source: found ? "live" : "none" };
}

/** The loss against the first move, in words. */
function lossOf(best, i) {
  if (i === 0) return "best";
  const loss = best[0].value - best[i].value;
  return loss >= 0.0005 ? `−${(100 * loss).toFixed(1)} %` : "as good";
}

/** `found` is the newest event, `shown` what `bestOf` returns. */
export function BestList({ position, found, shown }) {
  const { on, threat, error } = useStore(analysis);
  const { asleep } = useStore(running);
  const { held } = useStore(view);
  const [isOpen, setIsOpen] = useState(false);
  const { best, source } = shown;
  const visible = isOpen ? best : best.slice(0, FEW);
  return html`<section class="card best" aria-label="Analysis">
    <h2>${headOf(position, threat)}</h2>
    ${threat && best.length > 0 && html`<p class="threat-words" role="status">${threatInWords(position, best)}</p>`}
    ${error && html`<p class="error" role="alert">${error} <button onClick=${retrySearch}>Try again</button></p>`}
    ${asleep && html`<p role="status">The engine is asleep: other pages are using theirs. <button onClick=${wake}>Wake it</button></p>`}
    ${best.length > 0 && html`<ol class="choices">
      ${visible.map((move, i) => html`<${Choice} key=${i} index=${i} best=${best} isHeld=${held === move.move} isThreat=${threat} />`)}
    </ol>`}
    ${best.length > FEW && html`<button class="more" aria-expanded=${isOpen} onClick=${() => setIsOpen(!isOpen)}>
      ${isOpen ? "Fewer moves" : `${best.length - FEW} more`}</button>`}
    <p class="soft search-state">${!error && stateInWords(position, found, source, on || threat)}</p>
  </section>`;
}

/** A count in few letters: `950`, `1.8 k`, `23 k`. */
const large = (count) => (count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 9950 ? 1 : 0)} k`);

function headOf(position, threat) {
  if (position.over) return "The game is over";
  const mover = title(position.players[position.to_move]);
  if (!threat) return `Best moves of ${mover}`;
  return `Threats of ${title(position.players[1 - position.to_move])}`;
}

/** The threat in words. */
export function threatInWords(position, best) {
  const [mover, other] = [position.to_move, 1 - position.to_move].map((player) => title(position.players[player]));
  const { move, value, proven, line } = best[0];
  const removed = line[0]?.removed?.length || 0;
  const then = proven === "win" ? `${other} would win` : `${other}’s chance would be ${percent(value, null)}`;
  const taken = removed > 0 ? `, which removes ${counted(removed, "stone")}` : "";
  return `If ${mover} could pass, ${other} would play ${move}${taken}: ${then}. (Nobody may pass.)`;
}

function stateInWords(position, found, source, isOn) {
  if (position.over) return "There is nothing to analyse.";
  if (source === "review") return `From the review${isOn && !isPaused() ? "; the analysis is starting" : ""}.`;
  if (!isOn) return html`The analysis is off. <button onClick=${() => switchAnalysis(true)}>Turn it on</button>`;
  if (isPaused()) return "The analysis is paused.";
  if (!found) return "The analysis is starting.";
  const end = { proven: "; the result is proven", memory: "; the memory is full", stopped: "; stopped" }[found.reason] || "";
  return `${large(found.iterations)} ${found.iterations === 1 ? "iteration" : "iterations"} in ${found.seconds.toFixed(1)} s${end}.`;
}

function Choice({ index, best, isHeld, isThreat }) {
  const move = best[index];
  const look = (place) => { if (view.get().looked !== place) view.set({ looked: place }); };
  const hold = () => view.set({ held: isHeld ? "" : move.move, looked: -1 });
  // Only focus by the keyboard counts: a clicked button loses it when something else is pressed.
  const focus = (event) => { if (event.currentTarget.matches(":focus-visible")) look(index); };
  return html`<li class=${isHeld ? "is-held" : null} onPointerEnter=${(event) => { if (event.pointerType !== "touch") look(index); }}
      onPointerLeave=${() => look(-1)}>
    <button class="choice-button" aria-pressed=${isHeld} onClick=${hold} onFocus=${focus} onBlur=${() => look(-1)}>
      <span class=${"rank " + (isThreat ? "threat" : rankClass(best, index, THRESHOLDS))} aria-hidden="true">${index + 1}</span>
      <span class="name">${move.move}</span>
      <span class=${"value" + (move.proven ? " is-proven" : "")}>${move.proven ? `proven ${percent(0, move.proven)}` : percent(move.value, null)}</span>
      <span class="loss">${lossOf(best, index)}</span>
      <span class="count">${large(move.visits)} ${move.visits === 1 ? "visit" : "visits"}</span>
      <span class="line">${move.line.map((step) => step.move).join(" ")}</span>
    </button>
    ${isHeld && !isThreat && html`<div class="row">
      <button onClick=${() => playAll([move.move])}>Play ${move.move}</button>
      ${move.line.length > 1 && html`<button onClick=${() => playAll(move.line.map((step) => step.move))}>Play all ${move.line.length}</button>`}
    </div>`}
  </li>`;
}
