//! Backup: the values of a leaf change the nodes of the path.

use super::path::{Shared, Step};
use super::selection::stats::ChildStats;
use crate::game::{Evaluator, Game, PerSeat, Seat};

/// The parent of a node on the path, as the backup in a graph needs it.
pub(super) struct GraphParent {
    /// The parent's statistics without the node.
    pub(super) siblings: ChildStats,
    /// The local pattern of the move into the parent, if the parent's error is to be learnt.
    pub(super) pattern: Option<u16>,
}

/// Adds the values of the leaf to the nodes of the path.
#[inline(always)]
pub(super) fn backup_tree<G: Game, E: Evaluator<G>, P>(
    shared: &Shared<'_, G, E>,
    path: &[Step<P>],
    values: &PerSeat<f32>,
) {
    for step in path {
        let value = shared.utility.value(step.seat, values, G::SEATS);
        let node = shared.tree.node(step.index);
        node.add_value(value, shared.virtual_loss);
    }
}

/// Sets the means of the nodes of the path, from the leaf upwards, to what follows from their
/// children, including the results of other paths (Monte-Carlo graph search: Czech, Korus and
/// Kersting, "Monte-Carlo graph search for AlphaZero", 2020).
#[inline(always)]
pub(super) fn backup_graph<G: Game, E: Evaluator<G>>(
    shared: &Shared<'_, G, E>,
    path: &[Step<GraphParent>],
    values: &PerSeat<f32>,
) {
    // The seat to move in the step's position and its mean, once there is a step below.
    let mut below: Option<(Seat, f32)> = None;
    for &Step {
        seat,
        index,
        ref parent,
    } in path.iter().rev()
    {
        let node = shared.tree.node(index);
        let perspective = shared.perspective(seat);
        let proven = node.proof().map(|outcome| perspective.value(outcome));
        let mean = match (proven, below) {
            (Some(value), _) => value,
            (None, None) => values[seat],
            (None, Some((other, mean))) if other == seat => mean,
            (None, Some((_, mean))) => 1.0 - mean,
        };
        let mean = mean.clamp(0.0, 1.0);
        node.set_mean(mean, shared.virtual_loss);
        let stats = if perspective.is_lost(node) {
            parent.siblings
        } else {
            parent.siblings.with(mean, node.visits())
        };
        if let (Some(pattern), Some(error)) = (parent.pattern, stats.error()) {
            shared.bias.learn(pattern, error);
        }
        below = Some((seat, stats.mean()));
    }
}
