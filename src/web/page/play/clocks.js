// The clocks of a game that is played. They run while Play is open and the server answers.
import { connection } from "../connection.js";
import { game } from "../game.js";
import { leave, playerToMove, playing, report, times } from "./playing.js";

const TICK = 100; // milliseconds

/** The player whose clock runs, or null. The first move is free. */
export function clockRuns() {
  const state = game.get();
  const match = playing.get();
  if (!match.clock || match.isPaused || match.line !== state.line || connection.get().state !== "open") return null;
  return state.position && state.position.number > 0 ? playerToMove(state, match) : null;
}

/** Runs the clocks until the returned function is called. */
export function runClocks() {
  let last = performance.now();
  let isLeaving = false;
  const timer = setInterval(() => {
    const now = performance.now();
    const spent = (now - last) / 1000;
    last = now;
    const player = clockRuns();
    if (player === null) return;
    const left = times.get().left.map((seconds, each) => (each === player ? Math.max(0, seconds - spent) : seconds));
    times.set({ left });
    if (left[player] > 0 || isLeaving) return;
    isLeaving = true;
    leave(player, "time").catch(report).finally(() => { isLeaving = false; });
  }, TICK);
  return () => clearInterval(timer);
}
