//! Which child to visit next: formulas as pure functions of numbers.

use super::node::Node;
use super::node::NodeIndex;
use super::tree::Tree;
use crate::game::{Seat, View};
use crate::math;
use crate::params::{Exploration, Params};

/// The parameters that selection needs, in the types of the hot loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formula {
    exploration: Exploration,
    /// The evaluator says how likely each move is.
    has_policy: bool,
    constant: f32,
    prior_visits: f32,
    first_play_reduction: f32,
    first_play_value: f32,
    rave_equivalence: f32,
}

impl Formula {
    pub(super) fn new(params: &Params, has_priors: bool, has_policy: bool, seats: usize) -> Self {
        let factor = if has_priors && seats > 2 {
            params.multiplayer_factor
        } else {
            1.0
        };
        let (constant, visits) = match has_policy {
            true => (params.policy_constant, params.first_play_visits),
            false => (factor * params.exploration_constant, params.prior_visits),
        };
        Self {
            exploration: params.exploration,
            has_policy,
            constant: constant as f32,
            prior_visits: if has_priors { visits as f32 } else { 0.0 },
            first_play_reduction: params.first_play_reduction as f32,
            first_play_value: params.first_play_value as f32,
            rave_equivalence: if has_priors {
                0.0
            } else {
                params.rave_equivalence as f32
            },
        }
    }

    pub(super) fn uses_rave(&self) -> bool {
        self.rave_equivalence > 0.0
    }

    /// The part of the exploration term that is the same for all children of a
    /// node with `visits` visits.
    #[inline(always)]
    fn shared(&self, visits: u32, children: usize) -> f32 {
        let visits = visits as f32 + 1.0;
        if self.has_policy {
            return self.constant * visits.sqrt();
        }
        match self.exploration {
            Exploration::Puct => self.constant * (visits / children as f32).sqrt(),
            Exploration::Ucb1 => self.constant * math::ln(visits).sqrt(),
        }
    }

    #[inline(always)]
    fn exploration(&self, shared: f32, visits: f32, policy: f32) -> f32 {
        if self.has_policy {
            return policy * shared / (1.0 + visits);
        }
        match self.exploration {
            Exploration::Puct => shared / (1.0 + visits),
            Exploration::Ucb1 => shared / visits.max(1.0).sqrt(),
        }
    }

    /// The mean value of a child, virtual losses and the prior counted in.
    #[inline(always)]
    fn mean(&self, sum: f32, visits: f32, prior: f32) -> f32 {
        let weight = visits + self.prior_visits;
        if weight > 0.0 {
            (sum + self.prior_visits * prior) / weight
        } else {
            self.first_play_value
        }
    }

    /// Mean and RAVE value weighed by the schedule of Gelly and Silver
    /// ("Combining online and offline knowledge in UCT", ICML 2007): RAVE counts
    /// for `sqrt(k / (3 n + k))`.
    #[inline(always)]
    fn with_rave(&self, mean: f32, visits: f32, rave_sum: f32, rave_visits: u32) -> f32 {
        if rave_visits == 0 {
            return mean;
        }
        let rave = rave_sum / rave_visits as f32;
        let k = self.rave_equivalence;
        let beta = if visits > 0.0 {
            (k / (3.0 * visits + k)).sqrt()
        } else {
            1.0
        };
        (1.0 - beta) * mean + beta * rave
    }
}

/// The place of the child that `seat` should visit next. Children that are known to be
/// lost are visited only if nothing else is left, drawn ones among two at every second
/// visit at most.
#[inline(always)]
pub(super) fn select(
    tree: &Tree,
    index: NodeIndex,
    seat: Seat,
    seats: usize,
    formula: &Formula,
    view: &View,
) -> usize {
    let node = tree.node(index);
    let children = tree.children(index);
    let raves = if formula.uses_rave() {
        tree.rave_children(index)
    } else {
        &[]
    };
    let shared = formula.shared(node.visits() + node.virtual_visits(), children.len());
    let unseen = formula.has_policy.then(|| first_play(children, formula));
    let mut best = (f32::MIN, 0);
    for (place, child) in children.iter().enumerate() {
        let score = match child.proof() {
            None => {
                let rave = raves.get(place).map(|r| r.totals());
                open_score(child, rave, shared, unseen, formula)
            }
            Some(outcome) => {
                let value = view.value_of(seat, outcome, seats);
                // A draw among two takes turns with the others where it is better: the
                // mean must know of it, and a proof needs the others' results.
                let in_turn = seats > 2 || node.visits() % 2 == 1;
                if value > 0.0 && in_turn {
                    // Known, but it does not settle the node: a draw, or among more
                    // than two another's win; it may still be what this seat wants.
                    value
                } else {
                    // Below every open child, the better result first; among equal
                    // ones, which only more than two seats leave open, each in turn.
                    let turn = 1.0 / (2.0 + child.visits() as f32);
                    value + 0.1 * turn - 10.0
                }
            }
        };
        if score > best.0 {
            best = (score, place);
        }
    }
    best.1
}

/// What a child without visits is worth: the mean of all visits and of what the evaluator said
/// before, less what the visited children make the others less likely to be any good.
#[inline(always)]
fn first_play(children: &[Node], formula: &Formula) -> f32 {
    let (mut sum, mut visits, mut seen) = (0.0, 0, 0.0);
    for child in children {
        if child.visits() > 0 {
            sum += child.value_sum();
            visits += child.visits();
            seen += child.policy();
        }
    }
    let before = children.first().map_or(0.5, Node::prior);
    let mean = (sum + before) / (visits as f32 + 1.0);
    mean - formula.first_play_reduction * seen.sqrt()
}

#[inline(always)]
fn open_score(
    child: &Node,
    rave: Option<(f32, u32)>,
    shared: f32,
    unseen: Option<f32>,
    formula: &Formula,
) -> f32 {
    let visits = (child.visits() + child.virtual_visits()) as f32;
    let mean = match unseen {
        Some(unseen) if visits == 0.0 => unseen,
        Some(unseen) => formula.mean(child.value_sum(), visits, unseen),
        None => formula.mean(child.value_sum(), visits, child.prior()),
    };
    let value = match rave {
        Some((sum, rave_visits)) => formula.with_rave(mean, visits, sum, rave_visits),
        None => mean,
    };
    value + formula.exploration(shared, visits, child.policy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(preset: &str) -> Formula {
        Formula::new(
            &Params::preset(preset).unwrap(),
            preset == "linear",
            false,
            2,
        )
    }

    #[test]
    fn the_prior_counts_as_visits() {
        let mut f = formula("linear");
        f.prior_visits = 1.0;
        assert_eq!(f.mean(0.0, 0.0, 0.7), 0.7);
        assert_eq!(f.mean(1.0, 1.0, 0.5), 0.75);
    }

    #[test]
    fn evaluations_among_more_than_two_are_explored_less() {
        let params = Params::default();
        let constant = |has_priors, seats| {
            let formula = Formula::new(&params, has_priors, false, seats);
            f64::from(formula.constant / params.exploration_constant as f32)
        };
        assert_eq!((constant(true, 2), constant(false, 4)), (1.0, 1.0));
        assert!((constant(true, 3) - params.multiplayer_factor).abs() < 1e-6);
    }

    #[test]
    fn ucb1_is_the_published_formula() {
        let mut f = formula("uct");
        f.constant = 1.0;
        let shared = f.shared(99, 10);
        let expected = (100f64.ln() / 4.0).sqrt();
        assert!((f64::from(f.exploration(shared, 4.0, 0.0)) - expected).abs() < 1e-6);
    }

    #[test]
    fn likely_moves_are_explored_more() {
        let params = Params::default();
        let f = Formula::new(&params, true, true, 2);
        let shared = f.shared(99, 10);
        let expected = params.policy_constant * 0.5 * 10.0 / 4.0;
        assert!((f64::from(f.exploration(shared, 3.0, 0.5)) - expected).abs() < 1e-6);
        // The number of children does not matter.
        assert_eq!(shared, f.shared(99, 20));
    }

    #[test]
    fn what_was_not_visited_is_worth_less_than_what_was() {
        let f = Formula::new(&Params::default(), true, true, 2);
        let children = [Node::default(), Node::default()];
        for (child, policy) in children.iter().zip([0.64, 0.36]) {
            child.reset(1, 0.6, policy, None);
        }
        assert!((first_play(&children, &f) - 0.6).abs() < 1e-6);
        children[0].enter(0);
        children[0].back_up(0.4, 0);
        let expected = 0.5 - f.first_play_reduction * 0.8;
        assert!((first_play(&children, &f) - expected).abs() < 1e-6);
        // However little it counts for later, it is what a child without visits has.
        let f = Formula {
            prior_visits: 0.0,
            ..f
        };
        let score = open_score(&children[1], None, 0.0, Some(expected), &f);
        assert_eq!(score, expected);
    }

    #[test]
    fn rave_weighs_as_much_as_the_mean_at_its_equivalence() {
        let mut f = formula("playout");
        f.rave_equivalence = 1000.0;
        assert_eq!(f.with_rave(0.0, 1000.0, 4.0, 4), 0.5);
        assert_eq!(f.with_rave(0.3, 0.0, 4.0, 4), 1.0);
        assert_eq!(f.with_rave(0.3, 7.0, 0.0, 0), 0.3);
    }
}
