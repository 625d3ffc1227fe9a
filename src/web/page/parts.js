// The parts of the page, and which of them is open.
import { createStore } from "./store.js";

/** The names of the parts, with their titles. */
export const PARTS = [["learn", "Learn"], ["play", "Play"], ["study", "Study"], ["watch", "Watch"]];

/** The open part: `learn`, `play`, `study` or `watch`. */
export const part = createStore({ name: partOf(location.hash) });

/** The part that an address names after its `#`; `play` if it names none. */
export function partOf(hash) {
  const name = /^#\/(\w+)/.exec(hash);
  return name && PARTS.some(([known]) => known === name[1]) ? name[1] : "play";
}

/** Opens a part of the page. */
export function openPart(name) {
  part.set({ name });
}
