// Study: analysis, variations, review, files. Each part of it is in a file of the folder study.
import { game, goTo, step } from "../game.js";
import { html, useEffect, useMemo, useRef, useState } from "../lib.js";
import { useStore } from "../store.js";
import { analysis, follow, switchAnalysis, switchThreat } from "../study/analysis.js";
import { BestList, bestOf } from "../study/best-list.js";
import { FilesCard } from "../study/files-card.js";
import { copyLink, listen as listenForFiles } from "../study/files.js";
import { Graph } from "../study/graph.js";
import { KeyList, listen as listenForKeys } from "../study/keys.js";
import { deleteShown, MovesCard, promoteShown } from "../study/moves-card.js";
import { RetryCard } from "../study/retry-card.js";
import { besideMistake, leaveRetry, retry, startRetry } from "../study/retry.js";
import { ReviewCard } from "../study/review-card.js";
import { judgements, review } from "../study/review.js";
import { Spaces } from "../study/spaces.js";
import { Stage } from "../study/stage.js";
import { besideOf } from "../study/tree-view.js";
import { playAll, toggle, view } from "../study/view.js";

const beside = (way) => {
  const { tree, at } = game.get();
  const id = besideOf(tree, at, way);
  if (id !== null) goTo(id);
};

/** Shows a mistake: the position before it, or another one to retry. */
const goToMistake = (way) => {
  const found = besideMistake(way);
  if (!found) return;
  if (retry.get().number !== null) startRetry(found.number);
  else goTo(found.id);
};

export function Panel({ catalog }) {
  const state = useStore(game);
  const { found, threat } = useStore(analysis);
  const told = useStore(review);
  const { spaces } = useStore(view);
  const retried = useStore(retry);
  const [showsKeys, setShowsKeys] = useState(false);
  const [isDragged, setIsDragged] = useState(false);
  const picker = useRef(() => {});
  const { tree, at, line, position } = state;
  const { marks, positions } = useMemo(() => judgements({ line, tree }, told), [line, tree, told.review, told.of]);

  const isSeeking = retried.number !== null && ["ask", "wrong", "judging"].includes(retried.state);
  const shown = isSeeking ? { best: [], source: "none" } : bestOf(found, threat ? null : positions.get(at));
  const latest = useRef(shown);
  latest.current = shown;
  const playPlace = (place) => {
    const { best } = latest.current;
    if (best[place] && !analysis.get().threat) playAll([best[place].move]);
  };
  const hold = () => {
    const { best } = latest.current;
    if (best.length === 0) return;
    const place = best.findIndex((move) => move.move === view.get().held);
    view.set({ held: best[(place + 1) % best.length].move, looked: -1 });
  };
  const keys = useMemo(() => [
    [["ArrowLeft"], "one move back", () => step("back")],
    [["ArrowRight"], "one move forward", () => step("on")],
    [["Home"], "the start", () => step("first")],
    [["End"], "the end of the line", () => step("last")],
    [["ArrowUp"], "the variation above", () => beside(-1)],
    [["ArrowDown"], "the variation below", () => beside(1)],
    [[" "], "play the best move", () => playPlace(0)],
    [["1", "2", "3", "4", "5"], "play the best move with this number", null],
    [["v"], "show the variation of the best move, then of the next", hold],
    [["Escape"], "close the variation", () => view.set({ held: "", looked: -1, wrong: null, selected: -1 })],
    [["a"], "analysis on or off", () => switchAnalysis()],
    [["b"], "best moves on or off", () => toggle("best")],
    [["s"], "spaces on or off", () => toggle("spaces")],
    [["t"], "threats on or off", switchThreat],
    [["n"], "the next mistake", () => goToMistake(1)],
    [["p"], "the previous mistake", () => goToMistake(-1)],
    [["r"], "retry the mistake that is shown", () => retryShown()],
    [["m"], "promote the shown line", promoteShown],
    [["Delete"], "delete the shown move and what follows", deleteShown],
    [["c"], "write a comment", () => document.getElementById("study-comment")?.focus()],
    [["o"], "open a file", () => picker.current()],
    [["l"], "copy a link to this position", copyLink],
    [["?"], "this list", () => setShowsKeys(true)],
  ], []);
  useEffect(() => {
    const actions = keys.flatMap(([names, text, action]) =>
      action ? [[names, text, action]] : names.map((name) => [[name], text, () => playPlace(Number(name) - 1)]));
    const stops = [follow(), listenForKeys(actions), listenForFiles(setIsDragged)];
    return () => { stops.forEach((stop) => stop()); leaveRetry(); };
  }, []);

  const next = tree.nodes[at]?.children[0];
  const mark = next === undefined ? null : marks.get(next)?.mark;
  return html`<div class=${"columns study" + (isDragged ? " is-dragged" : "")}>
    <h1 class="unseen">Study</h1>
    <${Stage} shown=${shown} isSeeking=${isSeeking} judged=${marks.get(at)} mark=${mark} />
    <div class="side">
      ${retried.number !== null ? html`<${RetryCard} />` : null}
      ${position && !isSeeking && html`<${BestList} position=${position} found=${found} shown=${shown} />`}
      ${position && spaces && html`<${Spaces} position=${position} />`}
      <${Graph} marks=${marks} reviewed=${positions} />
      <${MovesCard} marks=${marks} />
      <${ReviewCard} />
      <${FilesCard} catalog=${catalog} onPicker=${(pick) => { picker.current = pick; }} />
      <button class="keys-button" onClick=${() => setShowsKeys(true)}>All keys <kbd class="hints" aria-hidden="true">?</kbd></button>
    </div>
    ${showsKeys && html`<${KeyList} keys=${keys} onClose=${() => setShowsKeys(false)} />`}
    ${isDragged && html`<p class="drop-here" role="status">Drop the file to open it</p>`}
  </div>`;
}

/** Retries the mistake that led to the shown position, or else the next one. */
function retryShown() {
  const { review: found } = review.get();
  if (!found) return;
  const { marks } = judgements(game.get(), review.get());
  const judged = marks.get(game.get().at);
  if (judged?.mark) startRetry(judged.number);
  else if (retry.get().number !== null) startRetry(retry.get().number);
  else if (besideMistake(1)) startRetry(besideMistake(1).number);
}
