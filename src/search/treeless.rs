//! Thinkers without a tree: an answer for each position, from the position alone.

use std::time::Instant;

use super::move_searcher::MoveSearcher;
use super::report::{MoveReport, Report};
use super::searcher::SearchLimits;
use crate::game::{Evaluation, Evaluator, Game, MultiplayerUtility, Outcome, PerSeat};
use crate::util::random::Random;

/// A thinker that keeps nothing from position to position but its random stream. The function
/// reports on a position at once, whatever the limits.
pub struct TreelessPlayer<F> {
    answer: F,
    random: Random,
}

impl<F> TreelessPlayer<F> {
    /// A thinker by this function.
    pub fn new(seed: u64, answer: F) -> Self {
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
            // What reports on a single move gets no choice.
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

    fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    fn random(&self) -> &Random {
        &self.random
    }

    fn set_random(&mut self, random: Random) {
        self.random = random;
    }
}

impl<M> Report<M> {
    /// A report about moves, the best first, that no tree was needed for.
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
            elapsed: since.elapsed(),
        }
    }
}

/// Plays the move with the highest prior of an evaluator that has priors.
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
            let view = MultiplayerUtility {
                root: seat,
                paranoia: 0.0,
            };
            evaluator.evaluate(
                &mut position.clone(),
                &moves,
                &view,
                random,
                &mut evaluation,
            );
        }
        let value = |outcome: Outcome| outcome.value_for(seat, G::SEATS);
        let mut found: Vec<MoveReport<G::Move>> = moves
            .iter()
            .zip(&evaluation.priors)
            .map(|(&mv, prior)| MoveReport {
                mv,
                value: prior.outcome.map_or(prior.value, value),
                visits: 1,
                prior: prior.value,
                proof: prior.outcome,
                principal_variation: vec![mv],
                variation_visits: vec![1],
            })
            .collect();
        found.sort_by(|a, b| b.value.total_cmp(&a.value));
        Report::without_tree(found, position.outcome(), evaluation.values, start)
    })
}
