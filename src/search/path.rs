//! The path of an iteration, and what all workers of a search share.

use super::bias::SubtreeValueBias;
use super::node::{NodeIndex, VirtualLoss};
use super::perspective::Perspective;
use super::tree::Tree;
use crate::board::Symmetries;
use crate::game::{Evaluator, Game, MultiplayerUtility, Seat};

/// What all workers share.
pub(super) struct Shared<'a, G: Game, E: Evaluator<G>> {
    pub(super) tree: &'a Tree,
    pub(super) root: &'a G,
    pub(super) evaluator: &'a E,
    pub(super) bias: &'a SubtreeValueBias,
    pub(super) utility: MultiplayerUtility,
    pub(super) virtual_loss: VirtualLoss,
    /// The factor of forced playouts at the root; 0 for none.
    pub(super) forced_playouts: f32,
    /// The symmetries of the root; none if the search is restricted to some moves.
    pub(super) symmetries: Symmetries,
}

impl<G: Game, E: Evaluator<G>> Shared<'_, G, E> {
    #[inline(always)]
    pub(super) fn perspective(&self, seat: Seat) -> Perspective<'_> {
        Perspective::new::<G>(seat, &self.utility)
    }
}

/// A node on the path, from a child of the root to the leaf.
pub(super) struct Step<P> {
    /// The seat that moved into the node.
    pub(super) seat: Seat,
    pub(super) index: NodeIndex,
    /// What the backup has to know about its parent.
    pub(super) parent: P,
}
