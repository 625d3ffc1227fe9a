//! RAVE: all-moves-as-first statistics (Gelly and Silver, 2007).

use super::node::NodeIndex;
use super::path::{Shared, Step};
use super::tree::Tree;
use crate::game::{Evaluator, Game, MAX_SEATS, PerSeat, Seat};

/// The moves that each seat made in one iteration; buffers are kept between iterations.
#[derive(Default)]
pub(super) struct Rave {
    /// By seat and move code: whether the seat made the move.
    made: Vec<bool>,
    /// The entries of `made` that are set.
    touched: Vec<usize>,
}

impl Rave {
    /// From the leaf to the root, gives each child of a node on the path a RAVE visit if the seat
    /// to move at the node made the child's move there or later, in the tree or in the playout.
    /// `leaf` is the seat to move at the leaf and its node; `values` are those of the leaf.
    pub(super) fn update<G: Game, E: Evaluator<G>, P>(
        &mut self,
        shared: &Shared<'_, G, E>,
        path: &[Step<P>],
        leaf: (Seat, NodeIndex),
        playout: &[(Seat, u16)],
        values: &PerSeat<f32>,
    ) {
        let (tree, move_codes) = (shared.tree, G::MOVE_CODES);
        let mut utilities = PerSeat::default();
        for &seat in &Seat::ALL[..G::SEATS] {
            utilities[seat] = shared.utility.value(seat, values, G::SEATS);
        }
        let slots = move_codes * MAX_SEATS;
        if self.made.len() < slots {
            self.made = vec![false; slots];
        }
        let slot = |seat: Seat, code: u16| seat.index() * move_codes + usize::from(code);
        for &(seat, code) in playout {
            self.mark(slot(seat, code));
        }
        self.credit(tree, move_codes, leaf.1, leaf.0, &utilities);
        for (depth, step) in path.iter().enumerate().rev() {
            self.mark(slot(step.seat, tree.node(step.index).move_code()));
            let parent = match depth {
                0 => tree.root(),
                _ => path[depth - 1].index,
            };
            self.credit(tree, move_codes, parent, step.seat, &utilities);
        }
        for touched in self.touched.drain(..) {
            self.made[touched] = false;
        }
    }

    fn credit(
        &self,
        tree: &Tree,
        move_codes: usize,
        parent: NodeIndex,
        seat: Seat,
        values: &PerSeat<f32>,
    ) {
        let made = &self.made[seat.index() * move_codes..][..move_codes];
        let raves = tree.rave_children(parent);
        for (child, rave) in tree.children(parent).iter().zip(raves) {
            if made[usize::from(child.move_code())] {
                rave.add(values[seat]);
            }
        }
    }

    fn mark(&mut self, slot: usize) {
        if !self.made[slot] {
            self.made[slot] = true;
            self.touched.push(slot);
        }
    }
}
