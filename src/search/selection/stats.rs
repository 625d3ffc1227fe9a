//! The statistics of a node's children.

use super::rule::Selection;
use crate::game::Game;
use crate::search::node::Node;
use crate::search::perspective::Perspective;

/// The visited children of a node together, for the seat that chooses among them.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::search) struct ChildStats {
    /// The sum of the values of all visits, and of the corrected evaluation.
    sum: f32,
    visits: f32,
    /// The sum of the priors of the visited children.
    pub(super) visited_prior: f32,
    /// The evaluation of the node.
    evaluation: f32,
    /// The same after bias correction.
    corrected: f32,
}

impl ChildStats {
    /// In a graph, children that are proven losses do not count, because nobody chooses them.
    #[inline(always)]
    pub(in crate::search) fn new<G: Game, S: Selection<G>>(
        children: &[Node],
        perspective: &Perspective<'_>,
        correction: f32,
    ) -> Self {
        let mut stats = Self::default();
        for child in children {
            let (sum, visits) = child.totals();
            if visits == 0 {
                if S::SORTED && child.is_untouched() {
                    break;
                }
                continue;
            }
            stats.visited_prior += child.prior();
            if !(S::GRAPH && perspective.is_lost(child)) {
                stats.sum += sum;
                stats.visits += visits as f32;
            }
        }
        stats.evaluation = children.first().map_or(0.5, Node::initial_value);
        stats.corrected = (stats.evaluation + correction).clamp(0.0, 1.0);
        stats.sum += stats.corrected;
        stats
    }

    #[inline(always)]
    pub(super) fn visits(&self) -> f32 {
        self.visits
    }

    /// The mean of all visits; the corrected evaluation counts as one.
    #[inline(always)]
    pub(in crate::search) fn mean(&self) -> f32 {
        self.sum / (self.visits + 1.0)
    }

    /// By how much the evaluation of the node was too low according to the visits, -1 to 1.
    #[inline(always)]
    pub(in crate::search) fn error(&self) -> Option<f32> {
        let mean = (self.sum - self.corrected) / self.visits;
        // A visit in progress may have changed only one of the two sums.
        (self.visits > 0.0).then_some((mean - self.evaluation).clamp(-1.0, 1.0))
    }

    /// Removes a child, given its present statistics.
    #[inline(always)]
    pub(super) fn without(self, (sum, visits): (f32, u32)) -> Self {
        let visits = visits as f32;
        // Other workers may have visited the child since these statistics were made: remove only
        // the part of its visits that they include.
        let part = if visits > self.visits {
            self.visits / visits
        } else {
            1.0
        };
        Self {
            sum: self.sum - part * sum,
            visits: self.visits - part * visits,
            ..self
        }
    }

    /// Adds a child with this mean and these visits.
    #[inline(always)]
    pub(in crate::search) fn with(self, mean: f32, visits: u32) -> Self {
        Self {
            sum: self.sum + mean * visits as f32,
            visits: self.visits + visits as f32,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Outcome, Seat};
    use crate::search::graph_tests::Picks;
    use crate::search::perspective::TWO;
    use crate::search::selection::priors::Priors;

    #[test]
    fn lost_children_count_in_a_tree_only() {
        check::<Priors<true, true>>((0.5 + 1.6) / 3.0);
        check::<Priors<false, false>>((0.5 + 1.6) / 5.0);
    }

    fn check<S: Selection<Picks>>(expected: f32) {
        let stats =
            |children: &[Node], correction| ChildStats::new::<Picks, S>(children, &TWO, correction);
        let children: [Node; 4] = Default::default();
        for (child, values) in children.iter().zip([&[0.9, 0.7][..], &[0.0], &[0.0], &[]]) {
            child.reset(1, 0.5, 0.25, None);
            for &value in values {
                child.enter(1);
                child.add_value(value, 1);
            }
        }
        let other = Outcome::Winner(Seat::ALL[1]);
        children[1..3].iter().for_each(|child| child.prove(other));
        let all = stats(&children, 0.0);
        assert!((all.mean() - expected).abs() < 1e-6);
        assert!((all.visited_prior - 0.75).abs() < 1e-6);
        let same = all.without((1.6, 2)).with(0.8, 2);
        assert!((same.mean() - expected).abs() < 1e-6);
        let corrected = stats(&children, 0.2);
        let more = corrected.mean() - all.mean();
        assert!((more - 0.2 / (corrected.visits + 1.0)).abs() < 1e-6);
        // The correction is not part of the error.
        let error = 1.6 / all.visits - 0.5;
        for stats in [&all, &corrected] {
            assert!((stats.error().unwrap() - error).abs() < 1e-6);
        }
        assert_eq!(stats(&children[3..], 0.2).error(), None);
    }
}
