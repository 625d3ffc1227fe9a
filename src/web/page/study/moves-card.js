// The moves and what can be done to them: promote, delete, comment.
import { counted } from "../board.js";
import { editTree, game } from "../game.js";
import { html } from "../lib.js";
import { useStore } from "../store.js";
import * as trees from "../tree.js";
import { TreeView } from "./tree-view.js";
import { say } from "./view.js";

/** Moves the shown line one place up among the variations. */
export function promoteShown() {
  const before = game.get();
  editTree((tree) => trees.promote(tree, before.at));
  if (game.get().tree !== before.tree) say("Moved this line up.", before);
}

/** Deletes the shown move with all that follows it. */
export function deleteShown() {
  const before = game.get();
  if (before.at === 0) return;
  editTree((tree) => trees.remove(tree, before.at));
  const count = Object.keys(before.tree.nodes).length - Object.keys(game.get().tree.nodes).length;
  say(`Deleted ${counted(count, "move")}.`, before);
}

const comment = (id, text) => {
  const { tree } = game.get();
  if (tree.nodes[id] && (tree.nodes[id].comment || "") !== text.trim()) editTree((now) => trees.setComment(now, id, text.trim()));
};

export function MovesCard({ marks }) {
  const { tree, at } = useStore(game);
  const isFirst = trees.pathTo(tree, at).every((id) => tree.nodes[id].parent === null || tree.nodes[tree.nodes[id].parent].children[0] === id);
  return html`<section class="card" aria-label="Moves and variations">
    <h2>Moves</h2>
    <${TreeView} marks=${marks} />
    <div class="row">
      <button disabled=${isFirst} onClick=${promoteShown}>Promote <kbd class="hints" aria-hidden="true">m</kbd></button>
      <button disabled=${at === 0} onClick=${deleteShown}>Delete from here <kbd class="hints" aria-hidden="true">Del</kbd></button>
    </div>
    <label class="comment">Comment <kbd class="hints" aria-hidden="true">c</kbd>
      <textarea id="study-comment" key=${at} rows="2" defaultValue=${tree.nodes[at].comment || ""} onChange=${(event) => comment(at, event.target.value)}
        onKeyDown=${(event) => { if (event.key === "Escape") event.target.blur(); }}></textarea>
    </label>
  </section>`;
}
