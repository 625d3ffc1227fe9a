// A game tree: a node for each move. Trees are never changed; each function returns a new one.
// A tree is {nodes, next}: `nodes` maps ids to {id, parent, move, comment, children}; node 0 is the start.

export const newTree = () => ({ nodes: { 0: node(0, null, null) }, next: 1 });

const node = (id, parent, move, comment = null) => ({ id, parent, move, comment, children: [] });

const withNode = (tree, changed) => ({ ...tree, nodes: { ...tree.nodes, [changed.id]: changed } });

/** The child of a node with this move, or undefined. */
export function childWith(tree, id, move) {
  return tree.nodes[id].children.find((child) => tree.nodes[child].move === move);
}

/** Adds a move below a node, as its last child, unless it is there; returns the tree and the id of the move. */
export function add(tree, id, move, comment = null) {
  const known = childWith(tree, id, move);
  if (known !== undefined) return [tree, known];
  const parent = tree.nodes[id];
  const nodes = { ...tree.nodes, [tree.next]: node(tree.next, id, move, comment) };
  nodes[id] = { ...parent, children: [...parent.children, tree.next] };
  return [{ nodes, next: tree.next + 1 }, tree.next];
}

/** The ids from the start to a node, both included. */
export function pathTo(tree, id) {
  const path = [];
  for (let at = id; at !== null; at = tree.nodes[at].parent) path.push(at);
  return path.reverse();
}

/** The moves from the start to a node. */
export const movesTo = (tree, id) => pathTo(tree, id).slice(1).map((at) => tree.nodes[at].move);

/** The node to which moves lead from the start, or undefined. */
export const nodeAfter = (tree, moves) =>
  moves.reduce((at, move) => (at === undefined ? at : childWith(tree, at, move)), 0);

/** The path through a node to the end of its line, along first children. */
export function lineThrough(tree, id) {
  const path = pathTo(tree, id);
  for (let at = id; tree.nodes[at].children.length > 0; ) {
    at = tree.nodes[at].children[0];
    path.push(at);
  }
  return path;
}

/** The ids of the main line. */
export const mainLine = (tree) => lineThrough(tree, 0);

export const isOnMainLine = (tree, id) => mainLine(tree).includes(id);

/** Moves the line of a node one place up among its siblings; at the first place, its first ancestor that is a variation. */
export function promote(tree, id) {
  for (const at of pathTo(tree, id).reverse()) {
    const parent = tree.nodes[at].parent;
    if (parent === null) continue;
    const children = [...tree.nodes[parent].children];
    const place = children.indexOf(at);
    if (place === 0) continue;
    children.splice(place, 1);
    children.splice(place - 1, 0, at);
    return withNode(tree, { ...tree.nodes[parent], children });
  }
  return tree;
}

/** Deletes a node with everything below it; returns the tree and the parent. The start stays. */
export function remove(tree, id) {
  const parent = tree.nodes[id].parent;
  if (parent === null) return [tree, id];
  const nodes = { ...tree.nodes };
  const below = [id];
  while (below.length > 0) {
    const at = below.pop();
    below.push(...nodes[at].children);
    delete nodes[at];
  }
  nodes[parent] = { ...nodes[parent], children: nodes[parent].children.filter((child) => child !== id) };
  return [{ ...tree, nodes }, parent];
}

/** Writes a comment; an empty one is deleted. */
export function setComment(tree, id, comment) {
  return withNode(tree, { ...tree.nodes[id], comment: comment || null });
}

/** The tree as the server writes and reads it: nodes in a list, with the places of their parents. */
export function toList(tree) {
  const places = new Map();
  const list = [];
  const open = [0];
  while (open.length > 0) {
    const { id, parent, move, comment, children } = tree.nodes[open.pop()];
    places.set(id, list.length);
    list.push({ parent: parent === null ? null : places.get(parent), move, comment });
    open.push(...[...children].reverse());
  }
  return list;
}

/** The number of moves of the main line of a list of nodes. */
export function lengthOfList(list) {
  const first = new Map();
  list.forEach(({ parent }, place) => { if (parent !== null && !first.has(parent)) first.set(parent, place); });
  let length = 0;
  for (let at = 0; first.has(at); at = first.get(at)) length += 1;
  return length;
}

/** Reads what `toList` writes. Built in place, because lists may be long. */
export function fromList(list) {
  const tree = newTree();
  const ids = [];
  list.forEach(({ parent, move, comment }, place) => {
    if (place === 0) {
      tree.nodes[0].comment = comment || null;
      ids.push(0);
      return;
    }
    const known = childWith(tree, ids[parent], move);
    if (known !== undefined) {
      ids.push(known);
      return;
    }
    const id = tree.next++;
    tree.nodes[id] = node(id, ids[parent], move, comment);
    tree.nodes[ids[parent]].children.push(id);
    ids.push(id);
  });
  return tree;
}
