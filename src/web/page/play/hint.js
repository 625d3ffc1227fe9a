// Short looks by the engine for the person who is to move: a hint on request, and the winning chances if they are shown.
import { game, lineTo } from "../game.js";
import { useEffect, useRef, useState } from "../lib.js";
import { lookBriefly } from "./opponent.js";
import { isCurrent } from "./playing.js";

const HINT_SECONDS = 1.5;
const CHANCE_SECONDS = 1;
const NOTHING = { marks: null, arrows: null };

/**
 * `mine`: whether a person is to move; `showChance`: whether chances are wanted. Returns `ask()` for a hint, `clear()`
 * to hide it, `isReady`, `isLooking`, the `marks` and `arrows` to draw, and the latest `values`, or null.
 */
export function useHint(state, { mine, showChance, say }) {
  const [shown, setShown] = useState(NOTHING);
  const [isLooking, setLooking] = useState(false);
  const [values, setValues] = useState(null);
  const look = useRef(null);

  const end = () => {
    if (look.current) look.current.cancel();
    look.current = null;
    setLooking(false);
  };
  const begin = (seconds) => {
    end();
    look.current = lookBriefly(lineTo(game.get()), { seconds, onReport: (report) => setValues(report.values) });
    return look.current;
  };
  // A look is about one position only.
  useEffect(() => () => { end(); setShown(NOTHING); }, [state.at, state.line, mine]);
  useEffect(() => { if (!showChance) setValues(null); }, [showChance, state.line]);
  const isReady = mine && isCurrent(state);
  useEffect(() => {
    if (showChance && isReady) begin(CHANCE_SECONDS).found.catch(() => {});
  }, [showChance, isReady, state.at, state.line]);

  const ask = async () => {
    if (!isReady || isLooking) return;
    const own = begin(HINT_SECONDS);
    setLooking(true);
    say("Tanada is looking for a good move.");
    try {
      const { best } = await own.found;
      if (look.current !== own) return;
      look.current = null;
      setLooking(false);
      const [{ move, line }] = best;
      const { from, to } = line[0];
      say(`Tanada would play ${move} here.`);
      setShown(from === null || from === undefined
        ? { marks: [{ cell: to, kind: "hint" }], arrows: null }
        : { marks: null, arrows: [{ from, to, kind: "best" }] });
    } catch (error) {
      if (look.current === own) end();
      say(error.message);
    }
  };
  return { ...shown, values, isReady, isLooking, ask, clear: () => { if (isLooking) end(); setShown(NOTHING); } };
}
