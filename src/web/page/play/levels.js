// Choosing how strong an engine plays.
import { html } from "../lib.js";

export const levelNamed = (catalog, name) => catalog.levels.find((level) => level.name === name);

/** What a seat is called: `Person`, or the title of its level. */
export function seatTitle(catalog, seat) {
  const level = levelNamed(catalog, seat);
  return level ? level.title : seat === "person" ? "Person" : seat;
}

/** The level for a first game: not the weakest, which may be too kind, but a gentle one. */
export function gentleLevel(catalog) {
  const { levels } = catalog;
  return (levels.find((level) => level.name === "novice") || levels[Math.min(1, levels.length - 1)])?.name;
}

/** The level `steps` above (or, if negative, below) another, or undefined. */
export function neighbour(catalog, name, steps) {
  const place = catalog.levels.findIndex((level) => level.name === name);
  return place < 0 ? undefined : catalog.levels[place + steps];
}

/** All levels with their meaning; `value` is the chosen name, or null if seats differ. */
export function LevelList({ catalog, value, onChange }) {
  return html`<div class="levels" role="radiogroup" aria-label="Level">
    ${catalog.levels.map(({ name, title, meaning, elo }) => html`
      <label key=${name} class="level">
        <input type="radio" name="level" value=${name} checked=${name === value} onChange=${() => onChange(name)} />
        <span><b>${title}</b>${elo !== null && elo !== undefined && html`<span class="soft elo"> Elo ${elo}</span>`}
          <span class="soft meaning">${meaning}</span></span>
      </label>`)}
  </div>`;
}
