//! Which child to visit next: formulas as pure functions of numbers.

use super::node::Node;
use super::node::NodeIndex;
use super::tree::Tree;
use crate::game::{Game, MultiplayerUtility, Outcome, Seat};
use crate::params::{Exploration, Params, Transpositions};
use crate::util::math;

/// The parameters that selection needs, in the types of the hot loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formula {
    exploration: Exploration,
    /// The evaluator says how likely each move is.
    has_policy: bool,
    /// Children are sorted, see [`Formula::sorts`].
    sorts: bool,
    /// Ways to one position share its children, and means follow from those of the children.
    is_graph: bool,
    constant: f32,
    initial_value_visits: f32,
    fpu_reduction: f32,
    fpu_value: f32,
    rave_equivalence: f32,
    /// By how many standard errors below its mean a move of the root is judged in the end.
    pub(super) lcb_deviations: f32,
}

impl Formula {
    pub(super) fn new(params: &Params, has_priors: bool, has_policy: bool, seats: usize) -> Self {
        let factor = if has_priors && seats > 2 {
            params.multiplayer_factor
        } else {
            1.0
        };
        let (constant, visits) = match has_policy {
            true => (params.cpuct, params.fpu_visits),
            false => (factor * params.uct_exploration, params.initial_value_visits),
        };
        Self {
            exploration: params.exploration,
            has_policy,
            sorts: has_policy && has_priors && seats == 2,
            is_graph: has_policy && seats == 2 && params.transpositions == Transpositions::Shared,
            constant: constant as f32,
            initial_value_visits: if has_priors { visits as f32 } else { 0.0 },
            fpu_reduction: params.fpu_reduction as f32,
            fpu_value: params.fpu_value as f32,
            lcb_deviations: match has_policy {
                true => params.lcb_deviations as f32,
                false => 0.0,
            },
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

    pub(super) fn is_graph(&self) -> bool {
        self.is_graph
    }

    /// Whether the children of a node are sorted so that behind the first open one without
    /// visits none is to be visited before it: those behind it are no likelier, or known to be
    /// lost. (A draw that is known from elsewhere may stand there and waits for its turn.)
    pub(super) fn sorts(&self) -> bool {
        self.sorts
    }

    /// The part of the exploration term that is the same for all children of a
    /// node with `visits` visits.
    #[inline(always)]
    fn shared(&self, visits: f32, children: usize) -> f32 {
        let visits = visits + 1.0;
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

    /// What a child without visits is worth: the mean of the others and of what the evaluator
    /// said, less what the visited ones make it less likely to be any good.
    #[inline(always)]
    fn unseen(&self, totals: &Totals) -> f32 {
        totals.mean() - self.fpu_reduction * totals.seen.sqrt()
    }

    /// The mean value of a child, virtual losses and the prior counted in.
    #[inline(always)]
    fn mean(&self, sum: f32, visits: f32, prior: f32) -> f32 {
        let weight = visits + self.initial_value_visits;
        if weight > 0.0 {
            (sum + self.initial_value_visits * prior) / weight
        } else {
            self.fpu_value
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

/// Whose turn it is at a node, among how many, and how they look at results.
#[derive(Clone, Copy)]
pub(super) struct Chooser<'a> {
    pub(super) seat: Seat,
    pub(super) seats: usize,
    pub(super) view: &'a MultiplayerUtility,
}

impl<'a> Chooser<'a> {
    #[inline(always)]
    pub(super) fn of<G: Game>(seat: Seat, view: &'a MultiplayerUtility) -> Self {
        Self {
            seat,
            seats: G::SEATS,
            view,
        }
    }

    /// What a known result is worth, 0 to 1.
    #[inline(always)]
    pub(super) fn value(&self, outcome: Outcome) -> f32 {
        self.view.value_of(self.seat, outcome, self.seats)
    }

    /// Whether a child is known to be lost.
    #[inline(always)]
    pub(super) fn is_lost(&self, child: &Node) -> bool {
        child
            .proof()
            .is_some_and(|outcome| self.value(outcome) <= 0.0)
    }
}

/// What the visited children of a node come to for the seat that chooses among them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    sum: f32,
    visits: f32,
    /// How likely the visited ones are together.
    seen: f32,
    /// What the evaluator said of the node.
    evaluation: f32,
    /// The same as it counts: corrected by what is known of nodes like this.
    corrected: f32,
}

impl Totals {
    /// Of a graph, those that are known to be lost count for nothing, since nobody chooses them.
    #[inline(always)]
    pub(super) fn of(
        children: &[Node],
        chooser: &Chooser<'_>,
        formula: &Formula,
        correction: f32,
    ) -> Self {
        let mut totals = Self::default();
        for child in children {
            let (sum, visits) = child.totals();
            if visits == 0 {
                if formula.sorts && child.is_untouched() {
                    break;
                }
                continue;
            }
            totals.seen += child.policy();
            if !(formula.is_graph && chooser.is_lost(child)) {
                totals.sum += sum;
                totals.visits += visits as f32;
            }
        }
        // What the evaluator said before counts as a visit.
        totals.evaluation = children.first().map_or(0.5, Node::prior);
        totals.corrected = (totals.evaluation + correction).clamp(0.0, 1.0);
        totals.sum += totals.corrected;
        totals
    }

    /// The mean of all visits and of what the evaluator said before.
    #[inline(always)]
    pub(super) fn mean(&self) -> f32 {
        self.sum / (self.visits + 1.0)
    }

    /// By how much the evaluation of the node was too low, -1 to 1, as the visits since have it.
    #[inline(always)]
    pub(super) fn error(&self) -> Option<f32> {
        let visited = (self.sum - self.corrected) / self.visits;
        // A visit that others are about to finish may have raised one number and not yet the other.
        (self.visits > 0.0).then_some((visited - self.evaluation).clamp(-1.0, 1.0))
    }

    /// Leaves out what a child counted for, which others may have changed in between.
    #[inline(always)]
    pub(super) fn without(self, (sum, visits): (f32, u32)) -> Self {
        let visits = visits as f32;
        // Of a child that has been visited since, only what the node knew of it.
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

    /// Counts a child with so many visits of this mean.
    #[inline(always)]
    pub(super) fn with(self, mean: f32, visits: u32) -> Self {
        Self {
            sum: self.sum + mean * visits as f32,
            visits: self.visits + visits as f32,
            ..self
        }
    }
}

/// The place of the child to visit next, and the totals where the evaluator says how likely
/// moves are; `correction` is added to what it said of the node. Children that are known to be
/// lost are visited only if nothing else is left, drawn ones among two at every second visit at
/// most.
#[inline(always)]
pub(super) fn select(
    tree: &Tree,
    index: NodeIndex,
    chooser: &Chooser<'_>,
    formula: &Formula,
    correction: f32,
) -> (usize, Totals) {
    let node = tree.node(index);
    let children = tree.children(index);
    let raves = if formula.uses_rave() {
        tree.rave_children(index)
    } else {
        &[]
    };
    let totals = match formula.has_policy {
        true => Totals::of(children, chooser, formula, correction),
        false => Totals::default(),
    };
    let visits = match formula.is_graph {
        true => totals.visits + node.virtual_visits() as f32,
        false => (node.visits() + node.virtual_visits()) as f32,
    };
    let shared = formula.shared(visits, children.len());
    let unseen = formula.has_policy.then(|| formula.unseen(&totals));
    let mut best = (f32::MIN, 0);
    for (place, child) in children.iter().enumerate() {
        let score = match child.proof() {
            None => {
                let rave = raves.get(place).map(|r| r.totals());
                open_score(child, rave, shared, unseen, formula)
            }
            Some(outcome) => {
                let value = chooser.value(outcome);
                // Found on another way here.
                if formula.is_graph && value >= 1.0 {
                    return (place, totals);
                }
                // A draw among two takes turns with the others where it is better: the
                // mean must know of it, and a proof needs the others' results.
                let in_turn = chooser.seats > 2 || node.visits() % 2 == 1;
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
        if formula.sorts && child.is_untouched() {
            break;
        }
    }
    (best.1, totals)
}

#[inline(always)]
fn open_score(
    child: &Node,
    rave: Option<(f32, u32)>,
    shared: f32,
    unseen: Option<f32>,
    formula: &Formula,
) -> f32 {
    let (sum, visits) = child.totals();
    let visits = (visits + child.virtual_visits()) as f32;
    let mean = match unseen {
        Some(unseen) if visits == 0.0 => unseen,
        Some(unseen) => formula.mean(sum, visits, unseen),
        None => formula.mean(sum, visits, child.prior()),
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
        f.initial_value_visits = 1.0;
        assert_eq!(f.mean(0.0, 0.0, 0.7), 0.7);
        assert_eq!(f.mean(1.0, 1.0, 0.5), 0.75);
    }

    #[test]
    fn evaluations_among_more_than_two_are_explored_less() {
        let params = Params::default();
        let constant = |has_priors, seats| {
            let formula = Formula::new(&params, has_priors, false, seats);
            f64::from(formula.constant / params.uct_exploration as f32)
        };
        assert_eq!((constant(true, 2), constant(false, 4)), (1.0, 1.0));
        assert!((constant(true, 3) - params.multiplayer_factor).abs() < 1e-6);
    }

    #[test]
    fn ucb1_is_the_published_formula() {
        let mut f = formula("uct");
        f.constant = 1.0;
        let shared = f.shared(99.0, 10);
        let expected = (100f64.ln() / 4.0).sqrt();
        assert!((f64::from(f.exploration(shared, 4.0, 0.0)) - expected).abs() < 1e-6);
    }

    #[test]
    fn likely_moves_are_explored_more() {
        let params = Params::default();
        let f = Formula::new(&params, true, true, 2);
        let shared = f.shared(99.0, 10);
        let expected = params.cpuct * 0.5 * 10.0 / 4.0;
        assert!((f64::from(f.exploration(shared, 3.0, 0.5)) - expected).abs() < 1e-6);
        // The number of children does not matter.
        assert_eq!(shared, f.shared(99.0, 20));
    }

    fn chooser(view: &MultiplayerUtility) -> Chooser<'_> {
        Chooser {
            seat: Seat::ALL[0],
            seats: 2,
            view,
        }
    }

    const VIEW: MultiplayerUtility = MultiplayerUtility {
        root: Seat::ALL[0],
        paranoia: 0.0,
    };

    #[test]
    fn what_was_not_visited_is_worth_less_than_what_was() {
        let f = Formula::new(&Params::default(), true, true, 2);
        let children = [Node::default(), Node::default()];
        for (child, policy) in children.iter().zip([0.64, 0.36]) {
            child.reset(1, 0.6, policy, None);
        }
        let unseen = || f.unseen(&Totals::of(&children, &chooser(&VIEW), &f, 0.0));
        assert!((unseen() - 0.6).abs() < 1e-6);
        children[0].enter(0);
        children[0].back_up(0.4, 0);
        let expected = 0.5 - f.fpu_reduction * 0.8;
        assert!((unseen() - expected).abs() < 1e-6);
        // However little it counts for later, it is what a child without visits has.
        let f = Formula {
            initial_value_visits: 0.0,
            ..f
        };
        let score = open_score(&children[1], None, 0.0, Some(expected), &f);
        assert_eq!(score, expected);
    }

    #[test]
    fn totals_are_those_of_the_children_that_may_be_chosen() {
        for (transpositions, expected) in [
            (Transpositions::Shared, (0.5 + 1.6) / 3.0),
            (Transpositions::Separate, (0.5 + 1.6) / 5.0),
        ] {
            let params = Params {
                transpositions,
                ..Params::default()
            };
            let f = Formula::new(&params, true, true, 2);
            let children: [Node; 4] = Default::default();
            for (child, values) in children.iter().zip([&[0.9, 0.7][..], &[0.0], &[0.0], &[]]) {
                child.reset(1, 0.5, 0.25, None);
                for &value in values {
                    child.enter(1);
                    child.back_up(value, 1);
                }
            }
            let other = Outcome::Winner(Seat::ALL[1]);
            children[1..3].iter().for_each(|child| child.prove(other));
            let totals = Totals::of(&children, &chooser(&VIEW), &f, 0.0);
            assert!((totals.mean() - expected).abs() < 1e-6);
            assert!((totals.seen - 0.75).abs() < 1e-6);
            let fewer = totals.without((1.6, 2)).with(0.8, 2);
            assert!((fewer.mean() - expected).abs() < 1e-6);
            let corrected = Totals::of(&children, &chooser(&VIEW), &f, 0.2);
            let more = corrected.mean() - totals.mean();
            assert!((more - 0.2 / (corrected.visits + 1.0)).abs() < 1e-6);
            // The correction is no part of what the evaluator was wrong by.
            let error = 1.6 / totals.visits - 0.5;
            for totals in [&totals, &corrected] {
                assert!((totals.error().unwrap() - error).abs() < 1e-6);
            }
            assert_eq!(
                Totals::of(&children[3..], &chooser(&VIEW), &f, 0.2).error(),
                None
            );
        }
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
