//! The accesses of the search tree that need an order.

use loom::sync::Arc;

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
use crate::together::together;
use node::{Node, NodeIndex};
use path::Step;
use transposition::TranspositionTable;
use tree::{Child, Tree};

/// Small, as each execution makes a tree.
const CHUNK: usize = 4;

pub(crate) const MODELS: &[(&str, fn())] = &[
    ("publication", publication),
    ("values", values),
    ("untouched", untouched),
    ("writers", writers),
    ("replacement", replacement),
    ("link", link),
    ("proofs", proofs),
];

/// Gives a claimed node children with the codes 7, 8 and so on.
fn expand(tree: &Tree, index: NodeIndex, count: u16) {
    let child = |place| Child {
        code: 7 + place,
        evaluation: MoveEvaluation {
            value: 0.25,
            outcome: None,
        },
        prior: 0.0,
    };
    assert!(tree.expand(index, (0..count).map(child)));
}

fn check_children(tree: &Tree, index: NodeIndex) -> bool {
    let children = tree.children(index);
    for (place, child) in (0..).zip(children) {
        let found = (child.move_code(), child.initial_value());
        assert_eq!(found, (7 + place, 0.25));
    }
    !children.is_empty()
}

/// Of two workers at a leaf one expands it, and whoever sees children sees them as they were written.
fn publication() {
    fn grow(tree: &Tree) {
        if tree.node(tree.root()).claim() {
            expand(tree, tree.root(), 1);
        }
        check_children(tree, tree.root());
    }
    let tree = Arc::new(Tree::new(1, false, false));
    together(&tree, [grow, grow]);
    assert!(check_children(&tree, tree.root()));
    assert_eq!(tree.len(), 2, "one worker made children");
}

/// A visit that is seen has its value.
fn values() {
    let node = Arc::new(Node::default());
    let add = |node: &Node| {
        node.enter(1);
        node.set_mean(0.75, 1);
    };
    let read = |node: &Node| {
        let (sum, visits) = node.totals();
        assert_eq!(sum, 0.75 * visits as f32);
    };
    together(&node, [add, read]);
    let found = (node.mean(), node.visits(), node.virtual_visits());
    assert_eq!(found, (0.75, 1, 0));
}

/// A node that a worker has entered never looks untouched to whoever knows of it.
fn untouched() {
    let node = Arc::new(Node::default());
    node.enter(1);
    together(
        &node,
        [
            |node| node.add_value(0.5, 1),
            |node| {
                assert!(!node.is_untouched());
            },
        ],
    );
    assert_eq!((node.visits(), node.virtual_visits()), (1, 0));
}

const POSITIONS: [(u64, (NodeIndex, usize)); 2] = [(0, (NodeIndex(1), 2)), (4, (NodeIndex(3), 4))];

fn check_entries(table: &TranspositionTable) {
    for (hash, block) in POSITIONS {
        assert!(table.get(hash).is_none_or(|found| found == block));
    }
}

/// Two writers of one entry, of different positions: whoever comes later finds nothing, or what was
/// written for the position.
fn writers() {
    let table = Arc::new(TranspositionTable::new(1));
    // Three of four entries are taken.
    for filler in 0..3 {
        table.insert(100 + filler * 4, (NodeIndex(9), 9));
    }
    let [first, second]: [fn(&TranspositionTable); 2] = [
        |table| table.insert(POSITIONS[0].0, POSITIONS[0].1),
        |table| table.insert(POSITIONS[1].0, POSITIONS[1].1),
    ];
    together(&table, [first, second]);
    check_entries(&table);
}

/// While an entry is replaced, a reader finds the old one, the new one or nothing.
fn replacement() {
    let table = Arc::new(TranspositionTable::new(1));
    table.insert(POSITIONS[0].0, POSITIONS[0].1);
    for filler in 0..3 {
        table.insert(100 + filler * 4, (NodeIndex(9), 9));
    }
    let replace = |table: &TranspositionTable| table.insert(POSITIONS[1].0, POSITIONS[1].1);
    together(&table, [replace, check_entries]);
    assert_eq!(table.get(POSITIONS[0].0), None);
    assert_eq!(table.get(POSITIONS[1].0), Some(POSITIONS[1].1));
}

/// A worker that finds the children of another path in the table sees them as they were written.
fn link() {
    let table = TranspositionTable::new(1);
    table.insert(8, (NodeIndex(9), 9));
    let shared = Arc::new((table, Node::default()));
    let [write, read]: [fn(&(TranspositionTable, Node)); 2] = [
        |(table, child)| {
            child.reset(7, 0.25, 0.0, None);
            table.insert(77, (NodeIndex(0), 1));
        },
        |(table, child)| {
            if let Some(block) = table.get(77) {
                assert_eq!(block, (NodeIndex(0), 1));
                assert_eq!((child.move_code(), child.initial_value()), (7, 0.25));
            }
        },
    ];
    together(&shared, [write, read]);
    assert!(shared.0.get(77).is_some());
}

/// If two workers prove the last two open children at once, one of them proves the parent.
fn proofs() {
    fn prove(tree: &Tree, place: usize) {
        let index = tree.child(tree.root(), place);
        tree.node(index).prove(Outcome::Winner(Seat::new(1)));
        let seat = Seat::new(0);
        let parent = ();
        let path = [Step {
            seat,
            index,
            parent,
        }];
        proof::propagate(tree, &path, seat, 2);
    }
    let tree = Arc::new(Tree::new(1, false, false));
    assert!(tree.node(tree.root()).claim());
    expand(&tree, tree.root(), 2);
    together(&tree, [|tree| prove(tree, 0), |tree| prove(tree, 1)]);
    let proof = tree.node(tree.root()).proof();
    assert_eq!(proof, Some(Outcome::Winner(Seat::new(1))));
}
