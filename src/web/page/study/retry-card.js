// Asks for a better move than the mistake, and says what was found.
import { counted, markClass, title } from "../board.js";
import { game, goTo } from "../game.js";
import { html, useEffect, useRef } from "../lib.js";
import { useStore } from "../store.js";
import { besideMistake, endRetry, retry, showAnswer, startRetry } from "./retry.js";
import { mistakesInOrder, review } from "./review.js";

const lost = (loss) => `${(100 * loss).toFixed(1)}\u00a0%`;

export function RetryCard() {
  const told = useStore(retry);
  const { at } = useStore(game);
  const { review: found } = useStore(review);
  const { number, node, state, solved } = told;
  const mistake = found.moves[number - 1];
  const colour = found.players[mistake.player].colour;
  const isAway = (state === "ask" || state === "wrong") && at !== node;
  const [before, after] = [besideMistake(-1), besideMistake(1)];
  const isOpen = state === "ask" || state === "wrong" || state === "judging";
  const box = useRef(null);
  // The list of mistakes, where it begins, may be far below.
  useEffect(() => {
    const stage = document.getElementById("study-board");
    (stage.getBoundingClientRect().bottom > innerHeight || stage.getBoundingClientRect().top < 0 ? stage : box.current).scrollIntoView({ block: "nearest" });
  }, [number]);
  return html`<section class="card retry" aria-label="Retry this mistake" ref=${box}>
    <header class="row between">
      <h2>Retry move ${number}</h2>
      <span class="soft">${solved.length} of ${counted(mistakesInOrder(found).length, "mistake")} solved</span>
    </header>
    <p><span class=${"chip " + colour}></span>${title(colour)} played <b>${mistake.move}</b><span class=${"mark " + markClass(mistake.mark)}>${mistake.mark}</span>,
      which lost ${lost(mistake.loss)}. ${isOpen && html`<b>Find a better move for ${colour}.</b>`}</p>
    <div class=${"verdict " + state} role="status">${isAway ? "You have left the position." : verdict(told, mistake)}</div>
    <div class="row">
      ${isAway && html`<button class="main" onClick=${() => goTo(node)}>Back to the position</button>`}
      ${isOpen && html`<button disabled=${state === "judging"} onClick=${showAnswer}>Show the answer</button>`}
      ${!isOpen && state !== "answering" && html`<button onClick=${() => startRetry(number)}>Try again</button>`}
      <button disabled=${!before} onClick=${() => startRetry(before.number)} aria-label="Previous mistake">‹ Previous</button>
      <button class=${!isOpen && after ? "main" : ""} disabled=${!after} onClick=${() => startRetry(after.number)} aria-label="Next mistake">Next ›</button>
      <button onClick=${endRetry}>Done</button>
    </div>
  </section>`;
}

function verdict({ state, move, loss, reply, error, isShown }, mistake) {
  const answered = reply.length > 0 ? ` The engine answers ${reply.join(" ")}.` : "";
  if (error) return html`<p class="error">${error}</p>`;
  switch (state) {
    case "judging": return `The engine is checking ${move}.`;
    case "wrong": return move === mistake.move
      ? `✗ ${move} was played in the game. Try another move.`
      : `✗ ${move} loses ${lost(loss)}. Try again.`;
    case "answering": return isShown ? `The best move is ${move}.` : `✓ ${praise(move, loss, mistake)}`;
    case "right": return `✓ ${praise(move, loss, mistake)}${answered}`;
    case "shown": return `The best move is ${move}.${answered}`;
    default: return "Click your move on the board.";
  }
}

function praise(move, loss, { best }) {
  if (move === best) return `${move} is the best move.`;
  return loss < 0.0005 ? `${move} is as good as the best move.` : `${move} is good: it loses only ${lost(loss)}.`;
}
