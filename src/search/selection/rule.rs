//! The trait of all selections, and the handling of known results that they share.

use crate::game::{Evaluator, Game, PerSeat};
use crate::search::bias::Correction;
use crate::search::node::Node;
use crate::search::path::{Shared, Step};
use crate::search::perspective::Perspective;
use crate::search::tree::{Branch, Tree};

/// How a search selects children and backs values up.
///
/// The compiler knows the constants, so the inner loop does not test them.
pub(in crate::search) trait Selection<G: Game>: Copy + Send + Sync {
    /// Paths to one position share its children, and the mean of a node follows from its children.
    const GRAPH: bool;
    /// Evaluations are corrected by the subtree value bias.
    const CORRECTS: bool;
    /// The children of a node are sorted: immediate wins and draws, open children by descending
    /// prior, then immediate losses. So selection can stop at the first untouched child: an open
    /// child behind it has no higher score, and a lost one is not wanted. A draw that was found by
    /// another path may stand behind it; that draw is considered later, when the children before
    /// it have visits.
    const SORTED: bool;
    /// All-moves-as-first statistics may be kept.
    const RAVE: bool;
    /// What the backup needs to know about the parent of a node on the path.
    type Parent: Send;

    /// The place of the child to visit next; `correction` is that of the node's evaluation.
    fn select(
        &self,
        tree: &Tree,
        branch: &Branch<'_>,
        perspective: &Perspective<'_>,
        correction: Correction,
    ) -> (usize, Self::Parent);

    /// The place of a child whose visits are below those that are forced, with `factor`, if there is
    /// one.
    fn select_forced(
        &self,
        branch: &Branch<'_>,
        perspective: &Perspective<'_>,
        factor: f32,
    ) -> Option<(usize, Self::Parent)> {
        let _ = (branch, perspective, factor);
        None
    }

    /// Backs the values of the leaf up along the path.
    fn backup<E: Evaluator<G>>(
        shared: &Shared<'_, G, E>,
        path: &[Step<Self::Parent>],
        values: &PerSeat<f32>,
    );
}

/// The place of the child with the highest score; `open_score` gives that of children whose
/// results are unknown.
#[inline(always)]
pub(super) fn best_place<G: Game, S: Selection<G>>(
    node: &Node,
    children: &[Node],
    perspective: &Perspective<'_>,
    open_score: impl Fn(usize, &Node) -> f32,
) -> usize {
    let mut best = (f32::MIN, 0);
    for (place, child) in children.iter().enumerate() {
        let score = match child.proof() {
            None => open_score(place, child),
            Some(outcome) => {
                let value = perspective.value(outcome);
                // Another path found this win; in a tree it would have proven the node.
                if S::GRAPH && value >= 1.0 {
                    return place;
                }
                proven_score(node, child, value, perspective.seats)
            }
        };
        if score > best.0 {
            best = (score, place);
        }
        if S::SORTED && child.is_untouched() {
            break;
        }
    }
    best.1
}

/// The score of a child with a known result that does not prove its parent.
#[inline(always)]
fn proven_score(node: &Node, child: &Node, value: f32, seats: usize) -> f32 {
    // With two seats a draw competes at every second visit only: the mean has to include it, and
    // a proof needs the results of the other children.
    let competes = seats > 2 || node.visits() % 2 == 1;
    if value > 0.0 && competes {
        value
    } else {
        // Below every open child, the better result first. Of equal results, which stay open only
        // with more than two seats, the least visited comes first.
        let turn = 1.0 / (2.0 + child.visits() as f32);
        value + 0.1 * turn - 10.0
    }
}
