// State that several parts of the page share.
import { useEffect, useState } from "./lib.js";

/** A store: `get()`, `set(changes)` and `subscribe(listener)`, which returns how to unsubscribe. */
export function createStore(initial) {
  let state = initial;
  const listeners = new Set();
  return {
    get: () => state,
    set(changes) {
      state = { ...state, ...changes };
      for (const listener of [...listeners]) listener(state);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The state of a store, in a component that is drawn again when it changes. */
export function useStore(store) {
  const [state, setState] = useState(store.get());
  useEffect(() => {
    // It may have changed between the drawing and this.
    setState(store.get());
    return store.subscribe(setState);
  }, [store]);
  return state;
}

/** Reads what the browser keeps for this page; `fallback` if there is nothing, or nothing readable. */
export function kept(name, fallback) {
  try {
    const text = localStorage.getItem("tanada." + name);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Keeps a value in the browser. A browser that refuses storage forgets it. */
export function keep(name, value) {
  try {
    localStorage.setItem("tanada." + name, JSON.stringify(value));
  } catch {
    // Private windows and full disks.
  }
}

/** Keeps a value for this tab only. */
export function keepInTab(name, value) {
  try {
    sessionStorage.setItem("tanada." + name, JSON.stringify(value));
  } catch {
    // As above.
  }
}

/** Reads what this tab kept, or else what a tab kept last. */
export function keptInTab(name, fallback) {
  try {
    const text = sessionStorage.getItem("tanada." + name);
    if (text !== null) return JSON.parse(text);
  } catch {
    // As above.
  }
  return kept(name, fallback);
}
