// Choosing a clock: a usual one, or one's own.
import { html } from "../lib.js";

const PRESETS = [["none", "No clock"], ["3+2", "3 min + 2 s per move"], ["5+3", "5 min + 3 s per move"], ["10+5", "10 min + 5 s per move"],
  ["30+10", "30 min + 10 s per move"], ["own", "Custom"]];
const MOST_MINUTES = 600;
const MOST_INCREMENT = 600;

/** The chosen clock in seconds, {main, increment}, or null. */
export function clockOf({ preset, main, increment }) {
  if (preset === "none") return null;
  const [minutes, seconds] = preset === "own" ? [limited(main, MOST_MINUTES), limited(increment, MOST_INCREMENT)] : preset.split("+").map(Number);
  return { main: Math.round(60 * minutes), increment: seconds };
}

const limited = (text, most) => Math.max(0, Math.min(most, Number(text) || 0));

export function ClockFields({ choices, change }) {
  const { preset, main, increment } = choices;
  return html`<fieldset><legend>Clock</legend>
    <div class="fields clock-fields">
      <label>Time <select value=${preset} onChange=${(event) => change({ preset: event.target.value })}>
        ${PRESETS.map(([name, words]) => html`<option key=${name} value=${name} selected=${name === preset}>${words}</option>`)}
      </select></label>
      ${preset === "own" && html`
        <label>Minutes per player <input type="number" min="0.1" max=${MOST_MINUTES} step="0.1" required value=${main}
          onInput=${(event) => change({ main: event.target.value })} /></label>
        <label>Seconds added per move <input type="number" min="0" max=${MOST_INCREMENT} step="1" required value=${increment}
          onInput=${(event) => change({ increment: event.target.value })} /></label>`}
    </div>
  </fieldset>`;
}
