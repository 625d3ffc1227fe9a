//! Selection without priors: PUCT or UCB1, with the values of evaluated moves or with RAVE.

use super::config::SelectionConfig;
use super::rule::{Selection, best_place};
use crate::game::{Evaluator, Game, PerSeat};
use crate::params::Exploration;
use crate::search::backup::backup_tree;
use crate::search::bias::Correction;
use crate::search::node::Node;
use crate::search::path::{Shared, Step};
use crate::search::perspective::Perspective;
use crate::search::tree::{Branch, Tree};
use crate::util::math;

/// Selection without priors: by UCB1 (Auer, Cesa-Bianchi and Fischer, 2002) or by PUCT with equal
/// priors (Rosin, 2011); if `RAVE`, with RAVE where the tree has statistics for it.
#[derive(Clone, Copy)]
pub(in crate::search) struct Values<const RAVE: bool>(pub(in crate::search) SelectionConfig);

/// The factor of the exploration term that all children of a node share; `visits` are those of the
/// node.
#[inline(always)]
fn scale<const UCB1: bool>(constant: f32, visits: f32, children: usize) -> f32 {
    if UCB1 {
        constant * math::ln(visits).sqrt()
    } else {
        constant * (visits / children as f32).sqrt()
    }
}

/// The exploration term of a child with these visits.
#[inline(always)]
fn term<const UCB1: bool>(scale: f32, visits: f32) -> f32 {
    if UCB1 {
        scale / visits.max(1.0).sqrt()
    } else {
        scale / (1.0 + visits)
    }
}

impl<const RAVE: bool> Values<RAVE> {
    /// The place of the child to visit next, with or without the RAVE values in the tree. Only this
    /// loop is compiled for each formula, not the whole iteration.
    #[inline(always)]
    fn place<G: Game, const UCB1: bool, const WITH_RAVE: bool>(
        &self,
        tree: &Tree,
        branch: &Branch<'_>,
        perspective: &Perspective<'_>,
    ) -> usize {
        let &Branch { node, children, .. } = branch;
        let raves = if WITH_RAVE {
            tree.rave_children(branch.index)
        } else {
            &[]
        };
        let visits = (node.visits() + node.virtual_visits()) as f32 + 1.0;
        let scale = scale::<UCB1>(self.0.uct_exploration, visits, children.len());
        let score = |place: usize, child: &Node| {
            let (sum, visits) = child.totals();
            let visits = (visits + child.virtual_visits()) as f32;
            let mean = self.mean(sum, visits, child.initial_value());
            let value = if WITH_RAVE {
                self.with_rave(mean, visits, raves[place].totals())
            } else {
                mean
            };
            value + term::<UCB1>(scale, visits)
        };
        best_place::<G, Self>(node, children, perspective, score)
    }

    /// The mean of a child; its initial value counts as some visits.
    #[inline(always)]
    fn mean(&self, sum: f32, visits: f32, initial_value: f32) -> f32 {
        let initial_visits = self.0.initial_value_visits;
        let weight = visits + initial_visits;
        if weight > 0.0 {
            (sum + initial_visits * initial_value) / weight
        } else {
            self.0.fpu_value
        }
    }

    /// The mean of a child mixed with its RAVE value by the schedule of Gelly and Silver
    /// ("Combining online and offline knowledge in UCT", ICML 2007): RAVE weighs
    /// `sqrt(k / (3 n + k))`.
    #[inline(always)]
    fn with_rave(&self, mean: f32, visits: f32, (rave_sum, rave_visits): (f32, u32)) -> f32 {
        if rave_visits == 0 {
            return mean;
        }
        let rave = rave_sum / rave_visits as f32;
        let k = self.0.rave_equivalence;
        let beta = if visits > 0.0 {
            (k / (3.0 * visits + k)).sqrt()
        } else {
            1.0
        };
        (1.0 - beta) * mean + beta * rave
    }
}

impl<G: Game, const RAVE: bool> Selection<G> for Values<RAVE> {
    const GRAPH: bool = false;
    const CORRECTS: bool = false;
    const SORTED: bool = false;
    const RAVE: bool = RAVE;
    type Parent = ();

    #[inline(always)]
    fn select(
        &self,
        tree: &Tree,
        branch: &Branch<'_>,
        perspective: &Perspective<'_>,
        _correction: Correction,
    ) -> (usize, ()) {
        let place = match (self.0.exploration, RAVE && tree.has_rave()) {
            (Exploration::Puct, false) => self.place::<G, false, false>(tree, branch, perspective),
            (Exploration::Puct, true) => self.place::<G, false, true>(tree, branch, perspective),
            (Exploration::Ucb1, false) => self.place::<G, true, false>(tree, branch, perspective),
            (Exploration::Ucb1, true) => self.place::<G, true, true>(tree, branch, perspective),
        };
        (place, ())
    }

    #[inline(always)]
    fn backup<E: Evaluator<G>>(
        shared: &Shared<'_, G, E>,
        path: &[Step<()>],
        values: &PerSeat<f32>,
    ) {
        backup_tree(shared, path, values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::search::tests::{Choice, Scripted};

    /// Constants for a game with three seats.
    fn values<E: Evaluator<Choice>>() -> Values<true> {
        Values(SelectionConfig::new::<Choice, E>(&Params::default()))
    }

    #[test]
    fn the_initial_value_counts_as_visits() {
        let mut f = values::<Scripted<true>>();
        f.0.initial_value_visits = 1.0;
        assert_eq!(f.mean(0.0, 0.0, 0.7), 0.7);
        assert_eq!(f.mean(1.0, 1.0, 0.5), 0.75);
    }

    #[test]
    fn ucb1_is_the_published_formula() {
        let scale = scale::<true>(1.0, 100.0, 10);
        let expected = (100f64.ln() / 4.0).sqrt();
        assert!((f64::from(term::<true>(scale, 4.0)) - expected).abs() < 1e-6);
    }

    #[test]
    fn rave_weighs_as_much_as_the_mean_at_its_equivalence() {
        let mut f = values::<Scripted<false>>();
        f.0.rave_equivalence = 1000.0;
        assert_eq!(f.with_rave(0.0, 1000.0, (4.0, 4)), 0.5);
        assert_eq!(f.with_rave(0.3, 0.0, (4.0, 4)), 1.0);
        assert_eq!(f.with_rave(0.3, 7.0, (0.0, 0)), 0.3);
    }

    #[test]
    fn evaluations_among_more_than_two_are_explored_less() {
        let params = Params::default();
        let part = |exploration: f32| f64::from(exploration / params.uct_exploration as f32);
        let evaluated = part(values::<Scripted<true>>().0.uct_exploration);
        assert!((evaluated - params.multiplayer_factor).abs() < 1e-6);
        let other = part(values::<Scripted<false>>().0.uct_exploration);
        assert_eq!(other, 1.0);
    }
}
