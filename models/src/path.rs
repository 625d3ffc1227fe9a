//! The part of `src/search/path.rs` that proofs know.

use super::node::NodeIndex;
use crate::game::Seat;

/// A node on the path, from a child of the root to the leaf.
pub(super) struct Step<P> {
    pub(super) seat: Seat,
    pub(super) index: NodeIndex,
    #[expect(dead_code, reason = "only the backup reads it")]
    pub(super) parent: P,
}
