//! Exact results: MCTS-Solver (Winands, Björnsson and Saito, "Monte-Carlo tree search solver",
//! 2008), for any number of seats and with draws.

use super::node::NodeIndex;
use super::path::Step;
use super::tree::Tree;
use crate::game::{Outcome, Seat};
use crate::util::atomics::{Ordering::SeqCst, fence};

/// The result of a node where `seat` is to move, if its children prove it: `seat` wins if one
/// child does; once all results are known, the node has the best of them. With more than two
/// seats a losing `seat` may choose who wins, so losses prove the node only if they are equal.
pub(super) fn from_children(
    tree: &Tree,
    index: NodeIndex,
    seat: Seat,
    seats: usize,
) -> Option<Outcome> {
    let mut best: Option<Outcome> = None;
    let mut open = false;
    let mut agree = true;
    for child in tree.children(index) {
        match child.proof() {
            Some(outcome) if outcome == Outcome::Winner(seat) => return Some(outcome),
            Some(outcome) => {
                let value = |o: Outcome| o.value_for(seat, seats);
                match best {
                    None => best = Some(outcome),
                    Some(b) if value(outcome) > value(b) => {
                        best = Some(outcome);
                        agree = true;
                    }
                    Some(b) if value(outcome) == value(b) && outcome != b => agree = false,
                    Some(_) => {}
                }
            }
            None => open = true,
        }
    }
    if open || !agree { None } else { best }
}

/// Proves the nodes of the path, from the leaf upwards, as long as their children prove them.
#[inline(always)]
pub(super) fn propagate<P>(tree: &Tree, path: &[Step<P>], seat_at_leaf: Seat, seats: usize) {
    // Moves that end the game may prove a fresh leaf.
    let leaf = path.last().map_or(tree.root(), |step| step.index);
    if tree.node(leaf).proof().is_none() {
        match from_children(tree, leaf, seat_at_leaf, seats) {
            Some(outcome) => tree.node(leaf).prove(outcome),
            None => return,
        }
    }
    for (depth, step) in path.iter().enumerate().rev() {
        // If two workers prove the last two open children at once, one of them sees both.
        fence(SeqCst);
        let parent = match depth {
            0 => tree.root(),
            _ => path[depth - 1].index,
        };
        match from_children(tree, parent, step.seat, seats) {
            Some(outcome) => tree.node(parent).prove(outcome),
            None => return,
        }
    }
}
