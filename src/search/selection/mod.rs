//! Selection: which child an iteration visits next, and how its value is backed up.
//!
//! There are two implementations of [`Selection`]: [`Priors`] (PUCT with priors, on a graph or a
//! tree) and [`Values`] (PUCT or UCB1 without priors, with or without RAVE, on a tree).
//! [`SelectionConfig`] picks one, once per search.

mod priors;
mod stats;
mod values;

pub(super) use priors::GraphParent;
use priors::Priors;
pub(super) use stats::ChildStats;
use values::{Puct, Ucb1, Values};

use super::bias::Correction;
use super::iteration::{Shared, Step};
use super::node::{Node, NodeIndex};
use super::tree::Tree;
use crate::game::{Evaluator, Game, MultiplayerUtility, Outcome, PerSeat, Seat};
use crate::params::{Exploration, Params, Transpositions};

/// How a search selects children and backs values up.
///
/// The constants are known to the compiler, so the inner loop tests no flag.
pub(super) trait Selection<G: Game>: Copy + Send + Sync {
    /// Paths to one position share its children, and the mean of a node follows from its children.
    const GRAPH: bool;
    /// Evaluations are corrected by the subtree value bias.
    const CORRECTS: bool;
    /// The children of a node are sorted: immediate wins and draws, then open children by falling
    /// prior, then immediate losses. So selection can stop at the first untouched child: an open
    /// child behind it has no higher score, and a lost one is not wanted. A draw that was found by
    /// another path may stand behind it; that draw is considered later, when the children before
    /// it have visits.
    const SORTED: bool;
    /// All-moves-as-first statistics are kept.
    const RAVE: bool;
    /// What the backup needs to know about the parent of a node on the path.
    type Parent: Send;

    /// The place of the child to visit next; `correction` is that of the node's evaluation.
    fn select(
        &self,
        tree: &Tree,
        index: NodeIndex,
        perspective: &Perspective<'_>,
        correction: Correction,
    ) -> (usize, Self::Parent);

    /// Backs the values of the leaf up along the path.
    fn backup<E: Evaluator<G>>(
        shared: &Shared<'_, G, E>,
        path: &[Step<Self::Parent>],
        values: &PerSeat<f32>,
    );
}

/// Work that is compiled for each selection.
pub(super) trait WithSelection<G: Game> {
    type Output;
    fn run<S: Selection<G>>(self, selection: S) -> Self::Output;
}

/// The parameters of the selection, in the types of the inner loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct SelectionConfig {
    /// Paths to one position share its children.
    pub(super) is_graph: bool,
    corrects: bool,
    exploration: Exploration,
    cpuct: f32,
    fpu_visits: f32,
    fpu_reduction: f32,
    uct_exploration: f32,
    initial_value_visits: f32,
    fpu_value: f32,
    /// 0 without RAVE.
    rave_equivalence: f32,
}

impl SelectionConfig {
    /// The configuration for a game and an evaluator.
    pub(super) fn new<G: Game, E: Evaluator<G>>(params: &Params) -> Self {
        let is_graph =
            E::HAS_PRIORS && G::SEATS == 2 && params.transpositions == Transpositions::Shared;
        let factor = if E::HAS_MOVE_EVALUATIONS && G::SEATS > 2 {
            params.multiplayer_factor
        } else {
            1.0
        };
        let (initial_value_visits, rave_equivalence) = if E::HAS_MOVE_EVALUATIONS {
            (params.initial_value_visits, 0.0)
        } else {
            (0.0, params.rave_equivalence)
        };
        Self {
            is_graph,
            corrects: is_graph && params.value_bias_factor > 0.0,
            exploration: params.exploration,
            cpuct: params.cpuct as f32,
            fpu_visits: params.fpu_visits as f32,
            fpu_reduction: params.fpu_reduction as f32,
            uct_exploration: (factor * params.uct_exploration) as f32,
            initial_value_visits: initial_value_visits as f32,
            fpu_value: params.fpu_value as f32,
            rave_equivalence: rave_equivalence as f32,
        }
    }

    /// Whether nodes have all-moves-as-first statistics.
    pub(super) fn uses_rave(&self) -> bool {
        self.rave_equivalence > 0.0
    }

    /// Runs `work` with the selection of this configuration.
    pub(super) fn dispatch<G: Game, E: Evaluator<G>, W: WithSelection<G>>(
        &self,
        work: W,
    ) -> W::Output {
        // The first two conditions are constants, so only selections that an evaluator can have
        // are compiled for it.
        if E::HAS_PRIORS {
            match (self.is_graph, self.corrects) {
                (true, true) => work.run(Priors::<true, true>::new(self)),
                (true, false) => work.run(Priors::<true, false>::new(self)),
                (false, _) => work.run(Priors::<false, false>::new(self)),
            }
        } else if E::HAS_MOVE_EVALUATIONS {
            match self.exploration {
                Exploration::Puct => work.run(Values::<Puct, false>::new(self)),
                Exploration::Ucb1 => work.run(Values::<Ucb1, false>::new(self)),
            }
        } else {
            match (self.exploration, self.uses_rave()) {
                (Exploration::Puct, false) => work.run(Values::<Puct, false>::new(self)),
                (Exploration::Puct, true) => work.run(Values::<Puct, true>::new(self)),
                (Exploration::Ucb1, false) => work.run(Values::<Ucb1, false>::new(self)),
                (Exploration::Ucb1, true) => work.run(Values::<Ucb1, true>::new(self)),
            }
        }
    }
}

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

    /// Whether a child is a proven loss.
    #[inline(always)]
    pub(super) fn is_lost(&self, child: &Node) -> bool {
        child
            .proof()
            .is_some_and(|outcome| self.value(outcome) <= 0.0)
    }
}

/// The place of the child with the highest score; `open_score` gives that of children whose
/// results are unknown.
#[inline(always)]
fn best_place<G: Game, S: Selection<G>>(
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

#[cfg(test)]
pub(super) const TWO: Perspective<'_> = Perspective {
    seat: Seat::ALL[0],
    seats: 2,
    utility: &MultiplayerUtility {
        root: Seat::ALL[0],
        paranoia: 0.0,
    },
};
