//! The protocol of the search tree.

use std::sync::Arc;

use shuttle::rand::{Rng, thread_rng};
use shuttle::thread;

#[path = "../../../src/search/node.rs"]
mod node;
#[path = "../path.rs"]
mod path;
#[path = "../../../src/search/proof.rs"]
mod proof;
#[path = "../../../src/search/transposition.rs"]
mod transposition;
#[path = "../../../src/search/tree.rs"]
mod tree;

use crate::game::{MoveEvaluation, Outcome, Seat};
use node::{Node, NodeIndex};
use path::Step;
use tree::{Child, Tree};

/// Small, as each schedule makes a tree.
const CHUNK: usize = 32;

pub(crate) const MODELS: &[(&str, fn())] = &[
    ("expansion", expansion),
    ("full", full),
    ("graph", graph),
    ("levels", levels),
    ("patterns", patterns),
    ("iterations", iterations),
];

const VIRTUAL_LOSS: u16 = 3;

/// A tree of one chunk, or of one in each half.
fn tree(is_graph: bool) -> Tree {
    Tree::new(1, false, is_graph)
}

/// Gives a claimed node `count` children that say which position they belong to.
fn expand(tree: &Tree, index: NodeIndex, position: u16, count: u16) -> bool {
    let child = |place| Child {
        code: position * 16 + place,
        evaluation: MoveEvaluation {
            value: f32::from(place) / 16.0,
            outcome: None,
        },
        prior: f32::from(position) / 16.0,
    };
    tree.expand(index, (0..count).map(child))
}

/// Whether the node has children; if so they must be the whole ones of `expand`.
fn check_children(tree: &Tree, index: NodeIndex, position: u16, count: u16) -> bool {
    let children = tree.children(index);
    for (place, child) in (0..).zip(children) {
        assert_eq!(child.move_code(), position * 16 + place);
        assert_eq!(child.initial_value(), f32::from(place) / 16.0);
        assert_eq!(child.prior(), f32::from(position) / 16.0);
    }
    assert!(children.is_empty() || children.len() == usize::from(count));
    !children.is_empty()
}

/// What holds for a node while others search: its mean lies between those that workers set.
fn check_value(node: &Node) {
    let mean = node.mean();
    assert!((0.0..=1.0).contains(&mean), "{mean}");
}

/// When workers store a pattern and a mean, no mean is lost, though the pattern may be. It is not a
/// model for loom, which lets a store come between the read and the write of `fetch_or`.
fn patterns() {
    let node = Arc::new(Node::default());
    let worker = || {
        let node = Arc::clone(&node);
        thread::spawn(move || {
            node.enter(VIRTUAL_LOSS);
            node.set_pattern(7);
            node.set_mean(0.75, VIRTUAL_LOSS);
            assert_eq!(node.mean(), 0.75);
        })
    };
    for thread in [worker(), worker()] {
        thread.join().unwrap();
    }
    assert_eq!((node.mean(), node.visits()), (0.75, 2));
    assert!(matches!(node.pattern(), None | Some(7)));
}

fn spawn(count: u16, tree: &Arc<Tree>, work: fn(&Tree, u16)) {
    let threads: Vec<_> = (0..count)
        .map(|worker| {
            let tree = Arc::clone(tree);
            thread::spawn(move || work(&tree, worker))
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
}

/// When several workers reach a leaf, one of them expands it; each sees none of its children or all.
fn expansion() {
    let tree = Arc::new(tree(false));
    spawn(3, &tree, |tree, _| {
        let root = tree.root();
        tree.node(root).enter(VIRTUAL_LOSS);
        if !check_children(tree, root, 1, 3) && tree.node(root).claim() {
            assert!(expand(tree, root, 1, 3));
            assert!(check_children(tree, root, 1, 3));
        }
        if check_children(tree, root, 1, 3) {
            let child = &tree.children(root)[thread_rng().gen_range(0..3)];
            child.enter(VIRTUAL_LOSS);
            // Means and sums are not mixed in one tree.
            child.add_value(0.5, VIRTUAL_LOSS);
            check_value(child);
            assert!(!child.is_untouched());
        }
        tree.node(root).leave(VIRTUAL_LOSS);
    });
    let root = tree.node(tree.root());
    assert!(check_children(&tree, tree.root(), 1, 3), "no child is lost");
    assert_eq!(tree.len(), 4, "one worker makes children");
    assert_eq!((root.visits(), root.virtual_visits()), (3, 0));
    for child in tree.children(tree.root()) {
        assert_eq!(child.virtual_visits(), 0);
        assert!(child.visits() == 0 || child.mean() == 0.5);
    }
}

/// In a full tree a leaf stays a leaf that can be claimed, and others still use what fits.
fn full() {
    let tree = Arc::new(tree(false));
    let root = tree.root();
    assert!(tree.node(root).claim() && expand(&tree, root, 1, 3));
    spawn(3, &tree, |tree, worker| {
        // Each wants 12 of the 28 nodes that are left.
        let leaf = tree.child(tree.root(), usize::from(worker));
        assert!(tree.node(leaf).claim());
        let fits = expand(tree, leaf, 2 + worker, 12);
        assert_eq!(check_children(tree, leaf, 2 + worker, 12), fits);
        assert!(fits || tree.node(leaf).claim());
    });
    let grown = (0..3).filter(|&worker| {
        let leaf = tree.child(tree.root(), usize::from(worker));
        check_children(&tree, leaf, 2 + worker, 12)
    });
    assert_eq!((grown.count(), tree.is_full(), tree.len()), (2, true, 28));
}

/// Six positions share one bucket of four entries; a node of each is linked or expanded at the same
/// time as another one. No node gets the children of another position. Afterwards a node of at least
/// one position can be linked.
fn graph() {
    const POSITIONS: u16 = 6;
    fn hash(position: u16) -> u64 {
        u64::from(position) << 59 | u64::from(position) << 8
    }
    let tree = Arc::new(tree(true));
    let root = tree.root();
    assert!(tree.node(root).claim() && expand(&tree, root, 0, 12 + POSITIONS));
    spawn(3, &tree, |tree, worker| {
        for round in 0..4 {
            // Each position is reached by two paths.
            let place = worker * 4 + round;
            let position = 1 + place % POSITIONS;
            let leaf = tree.child(tree.root(), usize::from(place));
            assert!(tree.node(leaf).claim());
            if tree.link(leaf, hash(position)) {
                assert!(check_children(tree, leaf, position, 1));
            } else if expand(tree, leaf, position, 1) {
                tree.share(leaf, hash(position));
            }
            let child = tree.children(leaf).first().expect("there is room for all");
            child.enter(VIRTUAL_LOSS);
            child.set_mean(0.25 + 0.25 * f32::from(worker), VIRTUAL_LOSS);
            check_value(child);
        }
    });
    for worker in 0..3 {
        for place in (worker * 4)..(worker * 4 + 4) {
            let leaf = tree.child(root, usize::from(place));
            assert!(check_children(&tree, leaf, 1 + place % POSITIONS, 1));
            let child = &tree.children(leaf)[0];
            assert_eq!(child.virtual_visits(), 0);
            assert!(child.visits() > 0 && (0.25..=0.75).contains(&child.mean()));
        }
    }
    let linked = (1..=POSITIONS).filter(|&position| {
        let leaf = tree.child(root, usize::from(11 + position));
        let is_linked = tree.node(leaf).claim() && tree.link(leaf, hash(position));
        assert_eq!(check_children(&tree, leaf, position, 1), is_linked);
        is_linked
    });
    assert!(linked.count() > 0);
}

const FIRST: Seat = Seat::new(0);
const SECOND: Seat = Seat::new(1);

fn step(index: NodeIndex, seat: Seat) -> Step<()> {
    Step {
        seat,
        index,
        parent: (),
    }
}

/// Three workers prove the last three open grandchildren at once, two of them below one child: each
/// parent gets its proof, and no proof disappears.
fn levels() {
    let tree = Arc::new(tree(false));
    let root = tree.root();
    assert!(tree.node(root).claim() && expand(&tree, root, 1, 2));
    for place in 0..2 {
        let child = tree.child(root, place);
        assert!(tree.node(child).claim() && expand(&tree, child, 2, 2 - place as u16));
    }
    let watcher = thread::spawn({
        let tree = Arc::clone(&tree);
        move || {
            let nodes = [root, tree.child(root, 0), tree.child(root, 1)];
            let mut seen = [None; 3];
            for _ in 0..4 {
                for (index, seen) in nodes.iter().zip(&mut seen) {
                    let now = tree.node(*index).proof();
                    assert!(seen.is_none() || *seen == now, "a proof has disappeared");
                    *seen = now;
                }
            }
        }
    });
    spawn(3, &tree, |tree, worker| {
        let (place, below) = [(0, 0), (0, 1), (1, 0)][usize::from(worker)];
        let child = tree.child(tree.root(), place);
        let leaf = tree.child(child, below);
        // The second seat loses each of its moves, so it loses the child; so the first seat wins.
        tree.node(leaf).prove(Outcome::Winner(FIRST));
        let path = [step(child, SECOND), step(leaf, SECOND)];
        proof::propagate(tree, &path, FIRST, 2);
        assert_eq!(tree.node(leaf).proof(), Some(Outcome::Winner(FIRST)));
    });
    watcher.join().unwrap();
    for index in [root, tree.child(root, 0), tree.child(root, 1)] {
        assert_eq!(tree.node(index).proof(), Some(Outcome::Winner(FIRST)));
    }
}

/// The number of children of a node. The root's third child is never visited.
fn width(depth: u16) -> u16 {
    if depth == 1 { 3 } else { 2 }
}

/// Whole iterations as of `search::iteration`, three levels deep; then the tree is compacted.
fn iterations() {
    const ROUNDS: u16 = 3;
    let shared = Arc::new(tree(true));
    spawn(2, &shared, |tree, worker| {
        for _ in 0..ROUNDS {
            let mut index = tree.root();
            let mut path = vec![index];
            tree.node(index).enter(VIRTUAL_LOSS);
            while path.len() < 4 && !tree.children(index).is_empty() {
                index = tree.child(index, thread_rng().gen_range(0..2));
                tree.node(index).enter(VIRTUAL_LOSS);
                path.push(index);
            }
            // Every path of the same length leads to the same position.
            let depth = path.len() as u16;
            let hash = u64::from(depth).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            if depth < 4 && tree.node(index).claim() && !tree.link(index, hash) {
                let expanded = expand(tree, index, depth, width(depth));
                assert!(expanded);
                tree.share(index, hash);
            }
            tree.node(path[0]).leave(VIRTUAL_LOSS);
            for &index in path[1..].iter().rev() {
                tree.node(index)
                    .set_mean(0.25 + 0.5 * f32::from(worker), VIRTUAL_LOSS);
                check_value(tree.node(index));
            }
        }
    });
    assert_eq!(shared.node(shared.root()).visits(), 2 * u32::from(ROUNDS));
    let visits = check_below(&shared, shared.root(), 1);
    assert!(visits > 0, "somebody got below the root");
    let Ok(mut tree) = Arc::try_unwrap(shared) else {
        unreachable!("all threads have ended");
    };
    let child = tree.node(tree.child(tree.root(), 1));
    let kept = (child.visits(), child.mean());
    // Fills the space with nodes that will be discarded, which forces a copy of the rest.
    let unused = tree.child(tree.root(), 2);
    assert!(tree.node(unused).claim() && expand(&tree, unused, 0, 14));
    let before = tree.len();
    assert!(tree.advance(17));
    tree.compact(&mut || false);
    let root = tree.node(tree.root());
    assert_eq!((root.visits(), root.mean()), kept);
    check_below(&tree, tree.root(), 2);
    assert!(tree.len() < before);
}

/// Checks the nodes below this one, and returns the sum of the visits of its children.
fn check_below(tree: &Tree, index: NodeIndex, depth: u16) -> u32 {
    assert_eq!(tree.node(index).virtual_visits(), 0, "nobody is there");
    check_value(tree.node(index));
    if !check_children(tree, index, depth, width(depth)) {
        return 0;
    }
    for place in 0..2 {
        check_below(tree, tree.child(index, place), depth + 1);
    }
    tree.children(index).iter().map(Node::visits).sum()
}
