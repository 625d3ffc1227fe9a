//! Players without a tree, which answer each position by itself.

use std::time::Instant;

use super::limits::SearchLimits;
use super::move_searcher::MoveSearcher;
use super::report::{MoveReport, Report};
use crate::game::{Evaluation, Evaluator, Game, MultiplayerUtility, Outcome, PerSeat};
use crate::util::random::Random;

/// A player that keeps nothing between positions except its random stream. Its function reports on
/// a position immediately, whatever the limits are.
pub(crate) struct TreelessPlayer<F> {
    answer: F,
    random: Random,
}

impl<F> TreelessPlayer<F> {
    pub(crate) fn new(seed: u64, answer: F) -> Self {
        Self {
            answer,
            random: Random::new(seed),
        }
    }
}

impl<G, F> MoveSearcher<G> for TreelessPlayer<F>
where
    G: Game,
    F: Fn(&G, &mut Random) -> Report<G::Move> + Send,
{
    fn search(
        &mut self,
        position: &G,
        limits: &SearchLimits,
        _stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<G::Move> {
        let mut report = (self.answer)(position, &mut self.random);
        let allowed = |found: &MoveReport<G::Move>| limits.allows(G::code(found.mv));
        let mut legal = Vec::new();
        if report.moves.iter().any(allowed) {
            report.moves.retain(allowed);
        } else if let Some(best) = report.moves.first_mut() {
            // A report on a single move that is not allowed becomes one on an allowed move.
            position.moves(&mut legal);
            if let Some(mv) = legal.into_iter().find(|mv| limits.allows(G::code(*mv))) {
                best.mv = mv;
                best.proof = None;
                best.principal_variation = vec![mv];
                best.variation_visits = vec![1];
                report.moves.truncate(1);
            }
        }
        report
    }

    fn advance(&mut self, _mv: G::Move, _position: &G) {}

    fn clear(&mut self) {}

    fn random(&mut self) -> &mut Random {
        &mut self.random
    }
}

impl<M> Report<M> {
    /// A report on moves, the best first, that were found without a tree.
    pub fn without_tree(
        moves: Vec<MoveReport<M>>,
        proof: Option<Outcome>,
        values: PerSeat<f32>,
        since: Instant,
    ) -> Self {
        Self {
            child_evaluations: moves.len() as u64,
            moves,
            proof,
            values,
            visits: 1,
            iterations: 1,
            nodes: 1,
            is_full: false,
            elapsed: since.elapsed(),
        }
    }
}

/// Plays the move with the best evaluation; the evaluator has to evaluate moves.
pub fn one_ply<G: Game, E: Evaluator<G> + Send>(evaluator: E, seed: u64) -> impl MoveSearcher<G> {
    TreelessPlayer::new(seed, move |position: &G, random: &mut Random| {
        let start = Instant::now();
        let mut moves = Vec::new();
        if position.outcome().is_none() {
            position.moves(&mut moves);
        }
        let seat = position.to_move();
        let mut evaluation = Evaluation::default();
        if !moves.is_empty() {
            let utility = MultiplayerUtility {
                root: seat,
                paranoia: 0.0,
            };
            let mut copy = position.clone();
            evaluator.evaluate(&mut copy, &moves, &utility, random, &mut evaluation);
        }
        let value = |outcome: Outcome| outcome.value_for(seat, G::SEATS);
        let evaluated = moves.into_iter().zip(&evaluation.moves);
        let found = evaluated.map(|(mv, found)| MoveReport {
            mv,
            value: found.outcome.map_or(found.value, value),
            visits: 1,
            symmetry_of: None,
            prior: None,
            // The evaluation is the value.
            initial_value: None,
            proof: found.outcome,
            principal_variation: vec![mv],
            variation_visits: vec![1],
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by(|a, b| b.value.total_cmp(&a.value));
        Report::without_tree(found, position.outcome(), evaluation.values, start)
    })
}
