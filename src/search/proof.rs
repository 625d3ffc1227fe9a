//! Exact results: MCTS-Solver (Winands, Bjornsson and Saito, "Monte-Carlo tree
//! search solver", 2008), for any number of seats and with draws.

use super::node::NodeIndex;
use super::tree::Tree;
use crate::game::{Outcome, Seat};

/// The result of a node where `seat` is to move, if its children settle it: a
/// child that wins for `seat`, or, once all are known, the best of them. With
/// more than two seats and only losses left, `seat` may choose who wins, so
/// nothing is settled unless all children agree.
pub(super) fn settled(tree: &Tree, index: NodeIndex, seat: Seat, seats: usize) -> Option<Outcome> {
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
