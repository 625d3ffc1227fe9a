//! PUCT with priors (Rosin, 2011; Silver et al., 2018), on a graph or a tree.

use super::config::SelectionConfig;
use super::rule::{Selection, best_place};
use super::stats::ChildStats;
use crate::game::{Evaluator, Game, PerSeat};
use crate::search::backup::{GraphParent, backup_graph, backup_tree};
use crate::search::bias::Correction;
use crate::search::node::Node;
use crate::search::path::{Shared, Step};
use crate::search::perspective::Perspective;
use crate::search::policy_target::forced;
use crate::search::tree::{Branch, Tree};

/// PUCT with priors; `GRAPH` shares positions between paths, `CORRECTS` corrects evaluations by the
/// subtree value bias.
#[derive(Clone, Copy)]
pub(in crate::search) struct Priors<const GRAPH: bool, const CORRECTS: bool>(
    pub(in crate::search) SelectionConfig,
);

impl<const GRAPH: bool, const CORRECTS: bool> Priors<GRAPH, CORRECTS> {
    /// The first-play urgency: the value of a child without visits.
    #[inline(always)]
    fn first_play_urgency(&self, stats: &ChildStats) -> f32 {
        stats.mean() - self.0.fpu_reduction * stats.visited_prior.sqrt()
    }

    /// The score of a child. `scale` is the factor of the exploration term that all children of a
    /// node share.
    #[inline(always)]
    fn score(&self, child: &Node, scale: f32, first_play_urgency: f32) -> f32 {
        let (sum, visits) = child.totals();
        let visits = (visits + child.virtual_visits()) as f32;
        let mean = if visits == 0.0 {
            first_play_urgency
        } else {
            (sum + self.0.fpu_visits * first_play_urgency) / (visits + self.0.fpu_visits)
        };
        mean + child.prior() * scale / (1.0 + visits)
    }
}

/// The statistics of a node without one of its children.
#[inline(always)]
fn siblings(stats: ChildStats, child: &Node, perspective: &Perspective<'_>) -> ChildStats {
    if perspective.is_lost(child) {
        stats
    } else {
        stats.without(child.totals())
    }
}

impl<G: Game, const GRAPH: bool, const CORRECTS: bool> Selection<G> for Priors<GRAPH, CORRECTS> {
    const GRAPH: bool = GRAPH;
    const CORRECTS: bool = CORRECTS;
    const SORTED: bool = true;
    const RAVE: bool = false;
    type Parent = GraphParent;

    #[inline(always)]
    fn select(
        &self,
        _: &Tree,
        branch: &Branch<'_>,
        perspective: &Perspective<'_>,
        correction: Correction,
    ) -> (usize, Self::Parent) {
        let &Branch { node, children, .. } = branch;
        let stats = ChildStats::new::<G, Self>(children, perspective, correction.amount);
        let visits = if GRAPH {
            stats.visits() + node.virtual_visits() as f32
        } else {
            (node.visits() + node.virtual_visits()) as f32
        };
        let scale = self.0.cpuct * (visits + 1.0).sqrt();
        let first_play_urgency = self.first_play_urgency(&stats);
        let place = best_place::<G, Self>(node, children, perspective, |_, child| {
            self.score(child, scale, first_play_urgency)
        });
        let siblings = siblings(stats, &children[place], perspective);
        let pattern = correction.pattern;
        (place, GraphParent { siblings, pattern })
    }

    fn select_forced(
        &self,
        branch: &Branch<'_>,
        perspective: &Perspective<'_>,
        factor: f32,
    ) -> Option<(usize, Self::Parent)> {
        let &Branch { node, children, .. } = branch;
        let root_visits = node.visits();
        let place = children.iter().position(|child| {
            let visits = child.visits() + child.virtual_visits();
            let forced = forced(factor, child.prior(), root_visits);
            visits > 0 && child.proof().is_none() && (visits as f32) < forced
        })?;
        let stats = ChildStats::new::<G, Self>(children, perspective, 0.0);
        let siblings = siblings(stats, &children[place], perspective);
        // No move led to the root.
        let pattern = None;
        Some((place, GraphParent { siblings, pattern }))
    }

    #[inline(always)]
    fn backup<E: Evaluator<G>>(
        shared: &Shared<'_, G, E>,
        path: &[Step<Self::Parent>],
        values: &PerSeat<f32>,
    ) {
        if GRAPH {
            backup_graph(shared, path, values);
        } else {
            backup_tree(shared, path, values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MoveEvaluation, Outcome};
    use crate::params::Params;
    use crate::search::graph_tests::{Even, Picks};
    use crate::search::perspective::TWO;
    use crate::search::tree::Child;

    fn priors(params: &Params) -> Priors<true, true> {
        Priors(SelectionConfig::new::<Picks, Even>(params))
    }

    #[test]
    fn likely_moves_are_explored_more() {
        let params = Params::default();
        let priors = priors(&params);
        let child = Node::default();
        child.reset(1, 0.5, 0.5, None);
        for _ in 0..3 {
            child.enter(0);
            child.add_value(0.0, 0);
        }
        let scale = priors.0.cpuct * 10.0;
        let expected = params.cpuct * 0.5 * 10.0 / 4.0;
        assert!((f64::from(priors.score(&child, scale, 0.0)) - expected).abs() < 1e-6);
    }

    #[test]
    fn unvisited_children_have_the_first_play_urgency() {
        let mut f = priors(&Params::default());
        let children = [Node::default(), Node::default()];
        for (child, prior) in children.iter().zip([0.64, 0.36]) {
            child.reset(1, 0.6, prior, None);
        }
        let urgency = |f: &Priors<true, true>| {
            let stats = ChildStats::new::<Picks, Priors<true, true>>(&children, &TWO, 0.0);
            f.first_play_urgency(&stats)
        };
        assert!((urgency(&f) - 0.6).abs() < 1e-6);
        children[0].enter(0);
        children[0].add_value(0.4, 0);
        let expected = 0.5 - f.0.fpu_reduction * 0.8;
        assert!((urgency(&f) - expected).abs() < 1e-6);
        // Whatever its weight after the first visit.
        f.0.fpu_visits = 0.0;
        assert_eq!(f.score(&children[1], 0.0, expected), expected);
    }

    #[test]
    fn visited_children_are_forced_until_they_have_their_visits() {
        let tree = Tree::new(1 << 20, false, true);
        let root = tree.root();
        let child = |(code, prior)| Child {
            code,
            evaluation: MoveEvaluation {
                value: 0.5,
                outcome: None,
            },
            prior,
        };
        let priors_of = [(0, 0.5), (1, 0.3), (2, 0.2)];
        assert!(tree.node(root).claim() && tree.expand(root, priors_of.into_iter().map(child)));
        let visit = |place: usize| {
            for index in [root, tree.child(root, place)] {
                tree.node(index).enter(0);
                tree.node(index).add_value(0.1, 0);
            }
        };
        let priors = priors(&Params::default());
        let forced = |factor| {
            let branch = tree.branch(root, tree.node(root));
            let chosen = Selection::<Picks>::select_forced(&priors, &branch, &TWO, factor);
            chosen.map(|(place, _)| place)
        };
        (0..10).for_each(|_| visit(0));
        assert_eq!(forced(2.0), None);
        visit(1);
        // sqrt(2 * 0.3 * 11) is 2.57.
        assert_eq!((forced(2.0), forced(0.1)), (Some(1), None));
        visit(1);
        assert_eq!(forced(2.0), Some(1));
        visit(1);
        assert_eq!(forced(2.0), None);
        // A child whose result is known teaches nothing more.
        visit(2);
        assert_eq!(forced(2.0), Some(2));
        tree.node(tree.child(root, 2)).prove(Outcome::Draw);
        assert_eq!(forced(2.0), None);
    }
}
