// The gradients of stones, which the drawings refer to.
import { html } from "./lib.js";

export const SHADES = {
  black: [".36", ".32", ".75", ["0", "#5a5f58"], [".55", "#2b2e2a"], ["1", "#161815"]],
  white: [".36", ".32", ".8", ["0", "#fffffb"], [".65", "#f1eee3"], ["1", "#cfcabb"]],
  red: [".36", ".32", ".75", ["0", "#d9695a"], [".6", "#b23c30"], ["1", "#7f251d"]],
  green: [".36", ".32", ".75", ["0", "#5fa777"], [".6", "#2f7a4b"], ["1", "#1b5230"]],
};

/** All gradients, in a picture that takes no room. */
export function Shades() {
  return html`<svg class="shades" aria-hidden="true" width="0" height="0"><defs>
    ${Object.entries(SHADES).map(([colour, [cx, cy, r, ...stops]]) => html`
      <radialGradient id=${"shade-" + colour} cx=${cx} cy=${cy} r=${r}>
        ${stops.map(([offset, shade]) => html`<stop offset=${offset} stop-color=${shade} />`)}
      </radialGradient>`)}
  </defs></svg>`;
}
