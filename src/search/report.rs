//! The report of a search.

use std::time::Duration;

use super::node::NodeIndex;
use super::perspective::Perspective;
use super::ranking::Ranking;
use super::tree::Tree;
use crate::game::{Evaluator, Game, MultiplayerUtility, Outcome, PerSeat};
use crate::util::wilson::{Z_95, wilson};

/// What a search found out about one move of the root.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let params = tanada::Params { threads: 1, seed: 1, ..tanada::Params::default() };
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), params);
/// # let limits = tanada::SearchLimits::of_iterations(50);
/// let report = engine.search(&limits, &|| false);
/// let best: Option<&tanada::MoveReport<_>> = report.best();
/// assert!(best.is_some_and(|best| best.prior.is_some()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport<M> {
    /// The move.
    pub mv: M,
    /// Winning chance of the side to move after it, 0 to 1; exact if proven.
    pub value: f32,
    /// Visits.
    pub visits: u32,
    /// The move that was searched in place of this one, which is its image under a symmetry of the
    /// position: value, visits and results are those of that move, the variation is turned.
    pub symmetry_of: Option<M>,
    /// The evaluator's probability that the move is the best, if it has priors.
    pub prior: Option<f32>,
    /// The evaluator's winning chance after the move, if it evaluates moves without priors.
    pub initial_value: Option<f32>,
    /// The exact result, if it is known.
    pub proof: Option<Outcome>,
    /// The move and the best play after it.
    pub principal_variation: Vec<M>,
    /// The visits of each move of the variation.
    pub variation_visits: Vec<u32>,
}

impl<M> MoveReport<M> {
    /// The move that was searched: this one, or the one whose image it is.
    pub fn searched_move(&self) -> M
    where
        M: Copy,
    {
        self.symmetry_of.unwrap_or(self.mv)
    }

    /// Whether the search found out anything about it.
    pub fn is_searched(&self) -> bool {
        self.visits > 0 || self.proof.is_some()
    }

    /// A lower bound of the value to show, 0 to 1: the lower end of Wilson's 95 % interval, as if
    /// each visit were a game; the value itself if it is exact. The choice of the move uses
    /// another bound.
    pub fn wilson_lower_bound(&self) -> f32 {
        let visits = f64::from(self.visits);
        match self.proof {
            Some(_) => self.value,
            None => wilson(f64::from(self.value) * visits, visits, Z_95).0 as f32,
        }
    }
}

/// The report of a search.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let params = tanada::Params { threads: 1, seed: 1, ..tanada::Params::default() };
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), params);
/// # let limits = tanada::SearchLimits::of_iterations(50);
/// let report: tanada::Report<_> = engine.search(&limits, &|| false);
/// assert_eq!(report.iterations, 50);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Report<M> {
    /// The moves, the best first.
    pub moves: Vec<MoveReport<M>>,
    /// The exact result of the position, if it is known. After a search that was restricted to some
    /// moves this can only be a win of the side to move, because other moves may be better.
    pub proof: Option<Outcome>,
    /// The mean winning chance of each seat over the iterations of this search, those of poor moves
    /// included; zeros without iterations.
    pub values: PerSeat<f32>,
    /// Visits of the root, including those of earlier searches in the kept tree. In a graph, nodes
    /// deeper down may have more.
    pub visits: u32,
    /// Iterations of this search.
    pub iterations: u64,
    /// The children of the leaves that this search evaluated, counted at each evaluation; 0 if the
    /// evaluator does not evaluate moves.
    pub child_evaluations: u64,
    /// Nodes of the tree, including those of moves that were not played.
    pub nodes: usize,
    /// Whether the tree has reached its memory limit: the search goes on, but the tree hardly grows.
    pub is_full: bool,
    /// The wall-clock time of this search.
    pub elapsed: Duration,
}

impl<M> Report<M> {
    /// The best move; `None` in a finished game.
    pub fn best(&self) -> Option<&MoveReport<M>> {
        self.moves.first()
    }

    /// The moves to show, the best first: the best one, and all others that were searched. The value
    /// of another move may just be that of the position before it.
    pub fn listed(&self) -> impl Iterator<Item = &MoveReport<M>> {
        let ranked = self.moves.iter().enumerate();
        let listed = ranked.filter(|(rank, found)| *rank == 0 || found.is_searched());
        listed.map(|(_, found)| found)
    }

    /// The report of a search that continued another one: counts, time and values are those of
    /// both.
    #[must_use]
    pub fn after(self, before: &Self) -> Self {
        let iterations = self.iterations + before.iterations;
        let share = self.iterations as f32 / iterations.max(1) as f32;
        let mut values = self.values;
        for (value, old) in values.0.iter_mut().zip(before.values.0) {
            *value = *value * share + old * (1.0 - share);
        }
        Self {
            iterations,
            values,
            child_evaluations: self.child_evaluations + before.child_evaluations,
            elapsed: self.elapsed + before.elapsed,
            ..self
        }
    }

    /// The same report with moves of another type.
    pub fn map<N>(self, form: impl Fn(M) -> N) -> Report<N> {
        let moves = self.moves.into_iter().map(|found| MoveReport {
            mv: form(found.mv),
            value: found.value,
            visits: found.visits,
            symmetry_of: found.symmetry_of.map(&form),
            prior: found.prior,
            initial_value: found.initial_value,
            proof: found.proof,
            principal_variation: found.principal_variation.into_iter().map(&form).collect(),
            variation_visits: found.variation_visits,
        });
        Report {
            moves: moves.collect(),
            proof: self.proof,
            values: self.values,
            visits: self.visits,
            iterations: self.iterations,
            child_evaluations: self.child_evaluations,
            nodes: self.nodes,
            is_full: self.is_full,
            elapsed: self.elapsed,
        }
    }
}

/// The best play from a child, as far as it was searched: the moves, and the visits of each.
fn principal_variation<G: Game>(
    tree: &Tree,
    position: &G,
    utility: &MultiplayerUtility,
    index: NodeIndex,
) -> (Vec<G::Move>, Vec<u32>) {
    let mut position = position.clone();
    let mut line = (Vec::new(), Vec::new());
    let mut index = index;
    loop {
        let node = tree.node(index);
        let mv = G::decode(node.move_code());
        line.0.push(mv);
        line.1.push(node.visits());
        position.play(mv);
        let children = tree.children(index);
        // Deep in the tree there are too few visits for confidence bounds.
        let perspective = Perspective::new::<G>(position.to_move(), utility);
        let ranking = Ranking::new(children, perspective, 0.0);
        let Some(place) = ranking.best() else {
            return line;
        };
        let child = &children[place];
        if child.visits() == 0 && child.proof().is_none() {
            return line;
        }
        index = tree.child(index, place);
    }
}

/// What the first values of children are.
#[derive(Clone, Copy, Debug)]
pub(super) enum FirstValues {
    /// They have priors.
    Priors,
    /// The evaluator's values of the moves.
    MoveEvaluations,
    Nothing,
}

impl FirstValues {
    pub(super) fn of<G: Game, E: Evaluator<G>>() -> Self {
        if E::HAS_PRIORS {
            Self::Priors
        } else if E::HAS_MOVE_EVALUATIONS {
            Self::MoveEvaluations
        } else {
            Self::Nothing
        }
    }
}

/// The moves of the root, the best first: see [`Ranking`] for `lcb_deviations`.
pub(super) fn ranked_moves<G: Game>(
    tree: &Tree,
    position: &G,
    utility: &MultiplayerUtility,
    lcb_deviations: f32,
    first_values: FirstValues,
) -> Vec<MoveReport<G::Move>> {
    let seat = position.to_move();
    let perspective = Perspective::new::<G>(seat, utility);
    let children = tree.children(tree.root());
    let places = Ranking::new(children, perspective, lcb_deviations).order();
    let report = |place: usize| {
        let node = &children[place];
        let child = tree.child(tree.root(), place);
        let (principal_variation, variation_visits) =
            principal_variation(tree, position, utility, child);
        let (prior, initial_value) = match first_values {
            FirstValues::Priors => (Some(node.prior()), None),
            FirstValues::MoveEvaluations => (None, Some(node.initial_value())),
            FirstValues::Nothing => (None, None),
        };
        MoveReport {
            mv: G::decode(node.move_code()),
            value: node
                .proof()
                .map_or(node.mean(), |o| o.value_for(seat, G::SEATS)),
            visits: node.visits(),
            symmetry_of: None,
            prior,
            initial_value,
            proof: node.proof(),
            principal_variation,
            variation_visits,
        }
    };
    places.into_iter().map(report).collect()
}
