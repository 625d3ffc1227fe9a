//! A thinker without a tree: the move that an evaluator likes best.

use std::time::Instant;

use super::report::{MoveReport, Report};
use super::searcher::Limits;
use super::thinker::Thinker;
use crate::game::{Evaluation, Evaluator, Game, View};
use crate::random::Random;

/// Plays the move with the highest prior of an evaluator that has priors.
#[derive(Debug)]
pub struct OnePly<E> {
    evaluator: E,
    random: Random,
}

impl<E> OnePly<E> {
    /// A thinker by this evaluator, with a random stream for its noise.
    pub fn new(evaluator: E, seed: u64) -> Self {
        Self {
            evaluator,
            random: Random::new(seed),
        }
    }
}

impl<G: Game, E: Evaluator<G> + Send> Thinker<G> for OnePly<E> {
    fn search(
        &mut self,
        position: &G,
        _limits: &Limits,
        _stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<G::Move> {
        let start = Instant::now();
        let mut moves = Vec::new();
        if position.outcome().is_none() {
            position.moves(&mut moves);
        }
        let mut evaluation = Evaluation::default();
        if !moves.is_empty() {
            let view = View {
                root: position.to_move(),
                paranoia: 0.0,
            };
            let (mut position, random) = (position.clone(), &mut self.random);
            self.evaluator
                .evaluate(&mut position, &moves, &view, random, &mut evaluation);
        }
        let seat = position.to_move();
        let mut found: Vec<MoveReport<G::Move>> = moves
            .iter()
            .zip(&evaluation.priors)
            .map(|(&mv, prior)| MoveReport {
                mv,
                value: prior
                    .outcome
                    .map_or(prior.value, |o| o.value_for(seat, G::SEATS)),
                visits: 1,
                prior: prior.value,
                proof: prior.outcome,
                principal_variation: vec![mv],
            })
            .collect();
        found.sort_by(|a, b| b.value.total_cmp(&a.value));
        Report {
            proof: position.outcome(),
            values: evaluation.values,
            visits: 1,
            iterations: 1,
            child_evaluations: found.len() as u64,
            nodes: 1,
            moves: found,
            elapsed: start.elapsed(),
        }
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
