//! How the seat that moves at a node values results.

use super::node::Node;
use crate::game::{Game, MultiplayerUtility, Outcome, Seat};

/// The seat that chooses at a node, and how it values results.
#[derive(Clone, Copy)]
pub(super) struct Perspective<'a> {
    pub(super) seat: Seat,
    pub(super) seats: usize,
    pub(super) utility: &'a MultiplayerUtility,
}

impl<'a> Perspective<'a> {
    #[inline(always)]
    pub(super) fn new<G: Game>(seat: Seat, utility: &'a MultiplayerUtility) -> Self {
        Self {
            seat,
            seats: G::SEATS,
            utility,
        }
    }

    /// The value of a known result, 0 to 1.
    #[inline(always)]
    pub(super) fn value(&self, outcome: Outcome) -> f32 {
        self.utility.value_of(self.seat, outcome, self.seats)
    }

    #[inline(always)]
    pub(super) fn is_lost(&self, child: &Node) -> bool {
        child
            .proof()
            .is_some_and(|outcome| self.value(outcome) <= 0.0)
    }
}

#[cfg(test)]
pub(in crate::search) const TWO: Perspective<'_> = Perspective {
    seat: Seat::ALL[0],
    seats: 2,
    utility: &MultiplayerUtility {
        root: Seat::ALL[0],
        paranoia: 0.0,
    },
};
