//! The tree: nodes in an arena of chunks that are allocated as the tree grows, up to a budget.
//!
//! There are two arenas with half the budget each. One is in use; when it gets crowded, the part
//! of the tree that is still needed after a move is copied into the other.

use super::CHUNK;
use super::node::{Node, NodeIndex, RaveNode};
use super::transposition::TranspositionTable;
use crate::game::MoveEvaluation;
use crate::util::atomics::{AtomicBool, AtomicU32, OnceLock, Ordering::Relaxed};

/// The maximum number of children of a node, which are adjacent nodes of one chunk.
const MAX_CHILDREN: usize = CHUNK;

#[derive(Debug)]
struct Chunk {
    nodes: Box<[Node]>,
    /// As many as nodes, or empty if RAVE is off.
    rave: Box<[RaveNode]>,
}

#[derive(Debug)]
struct Arena {
    chunks: Box<[OnceLock<Chunk>]>,
    used: AtomicU32,
    /// Some children found no room.
    is_full: AtomicBool,
    with_rave: bool,
}

impl Arena {
    fn new(budget: usize, with_rave: bool) -> Self {
        let node = size_of::<Node>() + if with_rave { size_of::<RaveNode>() } else { 0 };
        let table = size_of::<OnceLock<Chunk>>();
        // At least one chunk; at most as many as 32-bit indices reach.
        let count = (budget / (CHUNK * node + table)).clamp(1, (u32::MAX as usize) / CHUNK);
        Self {
            chunks: (0..count).map(|_| OnceLock::new()).collect(),
            used: AtomicU32::new(0),
            is_full: AtomicBool::new(false),
            with_rave,
        }
    }

    fn empty(&self) {
        self.used.store(0, Relaxed);
        self.is_full.store(false, Relaxed);
    }

    fn capacity(&self) -> usize {
        self.chunks.len() * CHUNK
    }

    /// Allocates `count` adjacent nodes, which are not reset; `None` if the arena is full.
    fn allocate(&self, count: usize) -> Option<NodeIndex> {
        assert!(
            count <= MAX_CHILDREN,
            "{count} children are more than a chunk holds"
        );
        let mut used = self.used.load(Relaxed);
        let first = loop {
            let left = CHUNK - used as usize % CHUNK;
            let first = if left < count {
                used as usize + left
            } else {
                used as usize
            };
            if first + count > self.capacity() {
                self.is_full.store(true, Relaxed);
                return None;
            }
            let next = (first + count) as u32;
            match self
                .used
                .compare_exchange_weak(used, next, Relaxed, Relaxed)
            {
                Ok(_) => break first,
                Err(now) => used = now,
            }
        };
        self.chunks[first / CHUNK].get_or_init(|| Chunk {
            nodes: (0..CHUNK).map(|_| Node::default()).collect(),
            rave: (0..if self.with_rave { CHUNK } else { 0 })
                .map(|_| RaveNode::default())
                .collect(),
        });
        Some(NodeIndex(first as u32))
    }

    #[inline(always)]
    fn chunk(&self, index: NodeIndex) -> &Chunk {
        match self.chunks[index.0 as usize / CHUNK].get() {
            Some(chunk) => chunk,
            // An index is handed out only after its chunk is allocated.
            None => unreachable!("node {} was never allocated", index.0),
        }
    }

    #[inline(always)]
    fn nodes(&self, first: NodeIndex, count: usize) -> &[Node] {
        let at = first.0 as usize % CHUNK;
        &self.chunk(first).nodes[at..at + count]
    }

    #[inline(always)]
    fn rave(&self, first: NodeIndex, count: usize) -> &[RaveNode] {
        if !self.with_rave {
            return &[];
        }
        let at = first.0 as usize % CHUNK;
        &self.chunk(first).rave[at..at + count]
    }
}

/// A node with its children.
#[derive(Clone, Copy)]
pub(super) struct Branch<'a> {
    pub(super) index: NodeIndex,
    pub(super) node: &'a Node,
    /// In the order of their creation; empty before the node is expanded.
    pub(super) children: &'a [Node],
    /// The index of the first child.
    first: NodeIndex,
}

impl<'a> Branch<'a> {
    /// A child by its place, and its index.
    #[inline(always)]
    pub(super) fn child(&self, place: usize) -> (NodeIndex, &'a Node) {
        let index = NodeIndex(self.first.0 + place as u32);
        (index, &self.children[place])
    }
}

/// A child to be created.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub(super) code: u16,
    pub(super) evaluation: MoveEvaluation,
    /// The prior of the move; 0 if the evaluator has none.
    pub(super) prior: f32,
}

/// A search tree that grows up to a budget.
#[derive(Debug)]
pub(super) struct Tree {
    arenas: [Arena; 2],
    /// For each arena the children of each position, if this is a graph.
    tables: Option<[TranspositionTable; 2]>,
    active: usize,
    root: NodeIndex,
    /// The root has advanced since the last copy, so some nodes may be unreachable.
    has_waste: bool,
}

impl Tree {
    /// An empty tree of at most `budget` bytes, allocated as it grows. In a graph, different paths
    /// to one position share its children.
    pub(super) fn new(budget: usize, with_rave: bool, is_graph: bool) -> Self {
        let half = budget / 2;
        let table = || TranspositionTable::new(half / size_of::<Node>());
        let tables = is_graph.then(|| [table(), table()]);
        let taken = tables.as_ref().map_or(0, |tables| tables[0].bytes());
        let arena = || Arena::new(half.saturating_sub(taken), with_rave);
        let tree = Self {
            tables,
            arenas: [arena(), arena()],
            active: 0,
            root: NodeIndex(0),
            has_waste: false,
        };
        tree.plant();
        tree
    }

    fn arena(&self) -> &Arena {
        &self.arenas[self.active]
    }

    /// Removes all nodes; the memory is kept for the next tree.
    pub(super) fn clear(&mut self) {
        self.arena().empty();
        self.root = NodeIndex(0);
        self.has_waste = false;
        if let Some(tables) = &mut self.tables {
            tables[self.active].clear();
        }
        self.plant();
    }

    fn table(&self) -> Option<&TranspositionTable> {
        self.tables.as_ref().map(|tables| &tables[self.active])
    }

    /// Gives a claimed node the children that its position already has by another path; false if
    /// there are none.
    pub(super) fn link(&self, index: NodeIndex, hash: u64) -> bool {
        let Some((first, count)) = self.table().and_then(|table| table.get(hash)) else {
            return false;
        };
        self.node(index).publish(first, count);
        true
    }

    /// Lets other paths to this node's position find its children.
    pub(super) fn share(&self, index: NodeIndex, hash: u64) {
        if let (Some(table), Some(block)) = (self.table(), self.node(index).children()) {
            table.insert(hash, block);
        }
    }

    fn plant(&self) {
        if let Some(root) = self.arena().allocate(1) {
            self.node(root).reset(0, 0.5, 0.0, None);
        }
    }

    pub(super) fn root(&self) -> NodeIndex {
        self.root
    }

    /// The number of nodes, including unreachable ones.
    pub(super) fn len(&self) -> usize {
        self.arena().used.load(Relaxed) as usize
    }

    /// Whether the tree cannot grow everywhere any more.
    pub(super) fn is_full(&self) -> bool {
        self.arena().is_full.load(Relaxed)
    }

    #[inline(always)]
    pub(super) fn node(&self, index: NodeIndex) -> &Node {
        &self.arena().nodes(index, 1)[0]
    }

    /// The children of a node in the order of their creation; empty before it is expanded.
    #[inline(always)]
    pub(super) fn children(&self, index: NodeIndex) -> &[Node] {
        self.branch(index, self.node(index)).children
    }

    /// The node with this index, which was looked up before, and its children.
    #[inline(always)]
    pub(super) fn branch<'a>(&'a self, index: NodeIndex, node: &'a Node) -> Branch<'a> {
        debug_assert!(std::ptr::eq(node, self.node(index)), "{index:?}");
        let (first, children) = match node.children() {
            Some((first, count)) => (first, self.arena().nodes(first, count)),
            None => (NodeIndex(0), &[][..]),
        };
        Branch {
            index,
            node,
            children,
            first,
        }
    }

    /// Whether nodes have all-moves-as-first statistics.
    #[inline(always)]
    pub(super) fn has_rave(&self) -> bool {
        self.arena().with_rave
    }

    #[inline(always)]
    pub(super) fn rave_children(&self, index: NodeIndex) -> &[RaveNode] {
        match self.node(index).children() {
            Some((first, count)) => self.arena().rave(first, count),
            None => &[],
        }
    }

    /// The index of a child by its place among the children.
    #[inline(always)]
    pub(super) fn child(&self, index: NodeIndex, place: usize) -> NodeIndex {
        let first = self.node(index).children().map_or(0, |(first, _)| first.0);
        NodeIndex(first + place as u32)
    }

    /// Gives a claimed node its children; false if the tree is full.
    pub(super) fn expand(
        &self,
        index: NodeIndex,
        children: impl ExactSizeIterator<Item = Child>,
    ) -> bool {
        let count = children.len();
        let Some(first) = self.arena().allocate(count) else {
            self.node(index).unclaim();
            return false;
        };
        for (node, child) in self.arena().nodes(first, count).iter().zip(children) {
            let MoveEvaluation { value, outcome } = child.evaluation;
            node.reset(child.code, value, child.prior, outcome);
        }
        for rave in self.arena().rave(first, count) {
            rave.reset();
        }
        self.node(index).publish(first, count);
        true
    }

    /// Makes the child with this move the root. If there is no such child, empties the tree and
    /// returns false.
    pub(super) fn advance(&mut self, code: u16) -> bool {
        let mut children = self.children(self.root).iter();
        let place = children.position(|node| node.move_code() == code);
        match place {
            Some(place) => {
                self.root = self.child(self.root, place);
                self.has_waste = true;
            }
            None => self.clear(),
        }
        place.is_some()
    }

    /// Removes the children of a node for which `keep` is false, unless that is all of them.
    /// Returns whether any were removed. No worker may run.
    pub(super) fn retain(&self, index: NodeIndex, keep: impl Fn(&Node) -> bool) -> bool {
        let Some((first, count)) = self.node(index).children() else {
            return false;
        };
        let nodes = self.arena().nodes(first, count);
        let kept: Vec<&Node> = nodes.iter().filter(|node| keep(node)).collect();
        if kept.is_empty() || kept.len() == count {
            return false;
        }
        // The earlier places were copied already, or stay as they are.
        for (place, node) in kept.iter().enumerate() {
            if !std::ptr::eq(&nodes[place], *node) {
                nodes[place].copy_from(node);
                if self.tables.is_some() {
                    nodes[place].forget_visits();
                }
            }
        }
        for rave in self.arena().rave(first, kept.len()) {
            rave.reset();
        }
        let kept_nodes = &nodes[..kept.len()];
        let sum: f32 = kept_nodes.iter().map(Node::prior).sum();
        if sum > 0.0 {
            for node in kept_nodes {
                node.set_prior(node.prior() / sum);
            }
        }
        self.node(index).publish(first, kept.len());
        true
    }

    /// Sorts children whose priors have changed: those that selection must always look at, then the
    /// untouched ones by descending prior. No worker may run.
    pub(super) fn sort_by_prior(&self, index: NodeIndex) {
        let nodes = self.children(index);
        let key = |node: &Node| (!node.is_untouched(), node.prior());
        for place in 0..nodes.len() {
            let rest = place + 1..nodes.len();
            let best = rest.fold(place, |best, other| {
                if key(&nodes[other]) > key(&nodes[best]) {
                    other
                } else {
                    best
                }
            });
            nodes[place].swap(&nodes[best]);
        }
    }

    /// Copies the nodes below the root into the other arena if this one is more than half full, to
    /// make room for growth. Children of the root come first, then the subtree of the most visited
    /// one, and so on. Nodes that are not copied when `stop` returns true are lost.
    pub(super) fn compact(&mut self, stop: &mut dyn FnMut() -> bool) {
        if !self.has_waste || self.len() * 2 <= self.arena().capacity() {
            return;
        }
        self.has_waste = false;
        let (from, to) = (&self.arenas[self.active], &self.arenas[1 - self.active]);
        to.empty();
        let Some(root) = to.allocate(1) else { return };
        let (old, new) = (&from.nodes(self.root, 1)[0], &to.nodes(root, 1)[0]);
        new.copy_from(old);
        let is_graph = self.tables.is_some();
        let mut open = Vec::from_iter(old.children().map(|block| (block, root)));
        let mut is_late = false;
        for block in 1usize.. {
            let Some(((first, count), new)) = open.pop() else {
                break;
            };
            is_late = is_late || (block.is_multiple_of(64) && stop());
            let new = &to.nodes(new, 1)[0];
            let nodes = from.nodes(first, count);
            if let Some(copy) = nodes.first().and_then(Node::forwarded) {
                new.publish(copy, count);
                continue;
            }
            // The same blocks in another order may leave other gaps at the ends of chunks. A node
            // whose children do not fit becomes a leaf.
            let Some(copy) = (!is_late).then(|| to.allocate(count)).flatten() else {
                if is_graph {
                    new.forget_visits();
                }
                continue;
            };
            for (i, (old, new)) in nodes.iter().zip(to.nodes(copy, count)).enumerate() {
                new.copy_from(old);
                if from.with_rave {
                    to.rave(copy, count)[i].copy_from(&from.rave(first, count)[i]);
                }
            }
            // The last one pushed is copied next: if time runs out, the most visited subtrees are
            // there.
            let places = (0..nodes.len()).rev();
            let most = places.clone().max_by_key(|&i| nodes[i].visits());
            for i in places.filter(|&i| Some(i) != most).chain(most) {
                if let Some(block) = nodes[i].children() {
                    open.push((block, NodeIndex(copy.0 + i as u32)));
                }
            }
            if let Some(node) = nodes.first() {
                node.forward(copy);
            }
            new.publish(copy, count);
        }
        if let Some(tables) = &mut self.tables {
            tables[1 - self.active].clear();
            for (i, (hash, (first, count))) in tables[self.active].entries().enumerate() {
                // A position that is missing is evaluated again.
                if is_late || (i % 4096 == 4095 && stop()) {
                    break;
                }
                if let Some(copy) = from.nodes(first, 1)[0].forwarded() {
                    tables[1 - self.active].insert(hash, (copy, count));
                }
            }
        }
        self.active = 1 - self.active;
        self.root = root;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grow(tree: &Tree, index: NodeIndex, count: usize) -> bool {
        let child = |code| Child {
            code,
            evaluation: MoveEvaluation {
                value: 0.5,
                outcome: None,
            },
            prior: 0.0,
        };
        tree.node(index).claim() && tree.expand(index, (0..count as u16).map(child))
    }

    /// Grows the tree below a leaf until it is full.
    fn fill(tree: &Tree, mut leaf: NodeIndex) {
        while grow(tree, leaf, 1000) {
            leaf = tree.child(leaf, 0);
        }
    }

    #[test]
    fn a_full_tree_refuses_to_grow_and_stays_within_its_budget() {
        for is_graph in [false, true] {
            let budget = 1 << 20;
            let tree = Tree::new(budget, false, is_graph);
            let mut index = tree.root();
            let mut grown = 0;
            while grow(&tree, index, 400) {
                grown += 400;
                index = tree.child(index, 399);
            }
            let capacity = tree.arena().capacity();
            assert!(grown > 10_000 && tree.len() <= capacity && tree.is_full());
            let table = tree.table().map_or(0, TranspositionTable::bytes);
            assert_eq!(table > 0, is_graph);
            assert!(capacity * size_of::<Node>() + table <= budget / 2);
            // The leaf can still be claimed by whoever comes next.
            assert!(tree.node(index).claim());
        }
    }

    #[test]
    fn the_kept_tree_survives_the_copy() {
        let mut tree = Tree::new(1 << 20, true, false);
        grow(&tree, tree.root(), 30);
        let kept = tree.child(tree.root(), 7);
        grow(&tree, kept, 20);
        for (i, node) in tree.children(kept).iter().enumerate() {
            node.enter(0);
            node.add_value(i as f32 / 32.0, 0);
        }
        tree.rave_children(kept)[5].add(0.5);
        fill(&tree, tree.child(tree.root(), 8));
        assert!(tree.advance(7));
        let before = tree.len();
        tree.compact(&mut || false);
        assert_eq!(tree.len(), 21);
        assert!(before > 1000);
        let means: Vec<f32> = tree.children(tree.root()).iter().map(Node::mean).collect();
        assert_eq!(means, (0..20).map(|i| i as f32 / 32.0).collect::<Vec<_>>());
        assert_eq!(tree.rave_children(tree.root())[5].totals(), (0.5, 1));
        assert!(!tree.advance(99), "an unknown move empties the tree");
        assert_eq!(tree.len(), 1);
    }

    #[test]
    fn shared_children_stay_shared_in_the_copy() {
        let mut tree = Tree::new(1 << 20, false, true);
        grow(&tree, tree.root(), 30);
        let kept = tree.child(tree.root(), 7);
        grow(&tree, kept, 20);
        let [a, b, c] = [2, 3, 4].map(|place| tree.child(kept, place));
        grow(&tree, a, 10);
        tree.share(a, 77);
        assert!(tree.node(b).claim() && tree.link(b, 77));
        assert!(tree.node(c).claim() && !tree.link(c, 78));
        tree.node(c).unclaim();
        let mut other = tree.child(tree.root(), 8);
        while grow(&tree, other, 1000) {
            tree.share(other, 78);
            other = tree.child(other, 0);
        }
        assert!(tree.advance(7));
        tree.compact(&mut || false);
        assert_eq!(tree.len(), 31, "ten for both");
        let [a, b, c] = [2, 3, 4].map(|place| tree.child(tree.root(), place));
        tree.children(a)[9].enter(1);
        tree.children(a)[9].set_mean(0.25, 1);
        assert_eq!(tree.children(b)[9].mean(), 0.25);
        assert_eq!(tree.child(a, 0), tree.child(b, 0));
        // The table has moved along; what was left behind is forgotten.
        assert!(tree.node(c).claim() && !tree.link(c, 78) && tree.link(c, 77));
        assert_eq!(tree.child(a, 0), tree.child(c, 0));
        tree.clear();
        assert!(tree.node(tree.root()).claim() && !tree.link(tree.root(), 77));
    }

    #[test]
    fn what_the_copy_leaves_out_counts_as_visited_once() {
        for (stop, visits) in [(false, 9), (true, 1)] {
            let mut tree = Tree::new(1 << 20, false, true);
            grow(&tree, tree.root(), 2);
            let kept = tree.child(tree.root(), 1);
            // Each node has four children, six levels deep.
            let mut level = vec![kept];
            for _ in 0..6 {
                let mut next = Vec::new();
                for index in level {
                    grow(&tree, index, 4);
                    next.extend((0..4).map(|place| tree.child(index, place)));
                    for node in tree.children(index) {
                        (0..9).for_each(|_| node.enter(0));
                        (0..9).for_each(|_| node.set_mean(0.75, 0));
                    }
                }
                level = next;
            }
            let most = &tree.children(kept)[2];
            most.enter(0);
            most.set_mean(0.75, 0);
            // Filled up with what is to be left behind.
            fill(&tree, tree.child(tree.root(), 0));
            tree.advance(1);
            tree.compact(&mut || stop);
            let children = tree.children(tree.root());
            assert!(children.iter().all(|node| node.mean() == 0.75));
            // The most visited comes first.
            let visited = [0, 2, 3].map(|place| children[place].visits());
            assert_eq!(visited, [visits, 10, visits]);
            assert!(!tree.children(tree.child(tree.root(), 2)).is_empty());
            assert_eq!(tree.children(tree.child(tree.root(), 0)).is_empty(), stop);
            // All there are, and gaps at the ends of chunks.
            assert_eq!(tree.len() < 5461, stop, "{}", tree.len());
        }
    }
}
