// The moves of a game with its variations, in the order in which a book prints them.
import { markClass, title } from "../board.js";
import { game, goTo, knownPosition, learnLine, lineTo } from "../game.js";
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib.js";
import { useStore } from "../store.js";
import * as trees from "../tree.js";

const MOST_ASKED = 40; // variations whose positions are fetched at once
const DEEPEST = 4; // levels of indentation; more would leave no room on phones

/**
 * The tree as blocks of moves without a branch: `{depth, ids, isVariation}`. The main line comes first; the variations
 * of a move follow it. Without recursion, because lines may be thousands of moves long.
 */
export function blocksOf(tree) {
  const blocks = [];
  const start = tree.nodes[0].children;
  const open = start.length > 0 ? [{ depth: 0, id: start[0], others: start.slice(1), isVariation: false }] : [];
  while (open.length > 0) {
    const { depth, isVariation, ...first } = open.pop();
    let { id, others } = first;
    const ids = [id];
    while (others.length === 0 && tree.nodes[id].children.length > 0) {
      [id, ...others] = tree.nodes[id].children;
      ids.push(id);
    }
    const [next, ...later] = tree.nodes[id].children;
    if (next !== undefined) open.push({ depth, id: next, others: later, isVariation: false });
    for (const other of others.reverse()) open.push({ depth: depth + 1, id: other, others: [], isVariation: true });
    blocks.push({ depth, ids, isVariation });
  }
  return blocks;
}

/** The next variation beside a node (`way` 1) or the one before (-1): of the node itself, else of its nearest ancestor. */
export function besideOf(tree, id, way) {
  for (let at = id; tree.nodes[at].parent !== null; at = tree.nodes[at].parent) {
    const { children } = tree.nodes[tree.nodes[at].parent];
    const found = children[children.indexOf(at) + way];
    if (found !== undefined) return found;
  }
  return null;
}

/** Asks the server for the positions of variations, which say who made each move; returns whether there were any. */
async function learnVariations(state) {
  const { nodes } = state.tree;
  const ends = Object.values(nodes).filter(({ id, children }) => children.length === 0 && !knownPosition(state, id));
  for (const { id } of ends.slice(0, MOST_ASKED)) {
    if (game.get().line !== state.line) return false;
    await learnLine(lineTo(state, id)).catch(() => {});
  }
  return ends.length > 0;
}

/** All moves. `marks` maps nodes to {mark, loss} of a review. */
export function TreeView({ marks }) {
  const state = useStore(game);
  const { tree, at, line } = state;
  const box = useRef(null);
  const [told, setTold] = useState(0);
  useEffect(() => { learnVariations(state).then((some) => some && setTold((count) => count + 1)); }, [line]);
  // Steps through a large tree must not draw all of it again.
  const drawn = useMemo(() => blocksOf(tree).map((block) => drawBlock(state, block, marks)), [tree, marks, line, told]);
  useLayoutEffect(() => {
    const scroll = box.current;
    for (const old of scroll.querySelectorAll("[aria-current]")) {
      old.removeAttribute("aria-current");
      old.tabIndex = -1;
    }
    const button = scroll.querySelector(`[data-node="${at}"]`);
    if (!button) return;
    button.setAttribute("aria-current", "true");
    button.tabIndex = 0;
    // Scrolls the list only, never the page.
    const [outer, inner] = [scroll.getBoundingClientRect(), button.getBoundingClientRect()];
    if (inner.top < outer.top + 8 || inner.bottom > outer.bottom - 8) {
      scroll.scrollTop += inner.top - outer.top - outer.height / 2;
    }
  }, [at, drawn]);
  const press = (event) => {
    const node = event.target.closest("[data-node]");
    if (node) goTo(Number(node.dataset.node));
  };
  return html`<div class="tree" ref=${box} role="group" aria-label="Moves" onClick=${press}>
    <button class="ply start" data-node="0" tabindex="-1">Start</button>
    ${tree.nodes[0].comment && html`<p class="remark">${tree.nodes[0].comment}</p>`}
    ${drawn}
  </div>`;
}

function drawBlock(state, { depth, ids, isVariation }, marks) {
  const { tree } = state;
  const number = trees.pathTo(tree, ids[0]).length - 1;
  const name = isVariation ? `Variation at move ${number}` : depth === 0 ? `Main line from move ${number}` : `Line from move ${number}`;
  return html`<ol key=${ids[0]} class=${`plies depth-${Math.min(depth, DEEPEST)}`} aria-label=${name} start=${number}>
    ${ids.map((id, i) => drawMove(state, id, number + i, marks))}
  </ol>`;
}

function drawMove(state, id, number, marks) {
  const { move, comment } = state.tree.nodes[id];
  const position = knownPosition(state, id);
  const change = position?.change;
  const colour = change ? position.players[change.player] : "";
  const sign = marks.get(id)?.mark;
  return html`<li key=${id} class=${comment ? "with-remark" : null}>
    <button class="ply" data-node=${id} tabindex="-1">
      <span class="number">${number}</span>
      ${colour && html`<span class=${"chip " + colour}></span><span class="unseen">${title(colour)}</span>`}
      <span class="move">${move}</span>
      ${sign && html`<span class=${"mark " + markClass(sign)}>${sign}</span>`}
    </button>
    ${comment && html`<p class="remark">${comment}</p>`}
  </li>`;
}
