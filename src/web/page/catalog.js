// What the server offers.
import { createStore } from "./store.js";

/** Games, boards, levels. Null until the server has said so. */
export const catalog = createStore({ told: null });
