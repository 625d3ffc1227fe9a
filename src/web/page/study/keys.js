// The keys of Study, and the list of them.
import { html, useEffect, useRef } from "../lib.js";

const FIELDS = "input, textarea, select, [contenteditable]";
// Keys that do something there already.
const PRESSED = { " ": "button, summary, label, input", Enter: "button, summary, label, input, a[href]" };

const hasDialog = () => document.querySelector("dialog[open]") !== null;

/**
 * Calls what belongs to a key until the returned function is called. `keys` is a list of
 * [names, text, action]; `names` as `KeyboardEvent.key` has them.
 */
export function listen(keys) {
  const actions = new Map(keys.flatMap(([names, , action]) => names.map((name) => [name, action])));
  const press = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || hasDialog()) return;
    const { key } = event;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest(FIELDS) && !target.matches("input[type=checkbox]")) return;
    if (PRESSED[key] && target.closest(PRESSED[key])) return;
    const action = actions.get(key) || actions.get(key.toLowerCase());
    if (!action) return;
    event.preventDefault();
    action();
  };
  document.addEventListener("keydown", press);
  return () => document.removeEventListener("keydown", press);
}

const SHOWN = {
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space", Escape: "Esc",
};

/** A window with all keys. */
export function KeyList({ keys, onClose }) {
  return html`<${Dialog} name="Keys" onClose=${onClose}>
    <dl class="keys">
      ${keys.map(([names, text]) => html`<div key=${text}>
        <dt>${names.map((name) => html`<kbd key=${name}>${SHOWN[name] || name}</kbd> `)}</dt><dd>${text}</dd>
      </div>`)}
    </dl>
    <p class="soft">While the board has the focus, the arrow keys move its cursor and Enter plays there.</p>
  </${Dialog}>`;
}

/** A window above the page, which Escape closes. */
export function Dialog({ name, onClose, children }) {
  const box = useRef(null);
  useEffect(() => {
    const node = box.current;
    const before = document.activeElement;
    node.showModal();
    return () => { node.close(); if (before && before.isConnected) before.focus(); };
  }, []);
  return html`<dialog ref=${box} class="window" aria-label=${name} onCancel=${(event) => { event.preventDefault(); onClose(); }}
      onClick=${(event) => { if (event.target === box.current) onClose(); }}>
    <div class="window-inside">
      <header class="row"><h2>${name}</h2><button class="close" aria-label="Close" onClick=${onClose}>✕</button></header>
      ${children}
    </div>
  </dialog>`;
}
