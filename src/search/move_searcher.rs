//! What looks for moves: the tree search, or a game's own way.

use super::report::Report;
use super::searcher::{SearchLimits, Searcher};
use crate::game::{Evaluator, Game};
use crate::util::random::Random;

/// Looks for the best move, position after position of one game.
pub trait MoveSearcher<G: Game>: Send {
    /// Looks for the best move of `position` until a limit is reached, the result is known, or
    /// `stop` returns true. A running game gets at least one move.
    fn search(
        &mut self,
        position: &G,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<G::Move>;
    /// The move was played and led to `position`: what was learnt about it may stay.
    fn advance(&mut self, mv: G::Move, position: &G);
    /// The last move was taken back, which led to `position`: what was learnt about it may stay.
    fn retract(&mut self, position: &G) {
        let _ = position;
        self.clear();
    }
    /// What was learnt is of no use any more; the random stream goes on.
    fn clear(&mut self);
    /// Starts the random stream anew.
    fn reseed(&mut self, seed: u64);
    /// The random stream.
    fn random(&self) -> &Random;
    /// Goes on with another's random stream.
    fn set_random(&mut self, random: Random);
}

impl<G: Game, E: Evaluator<G> + Send> MoveSearcher<G> for Searcher<G, E> {
    fn search(
        &mut self,
        position: &G,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<G::Move> {
        Searcher::search(self, position, limits, stop)
    }

    fn advance(&mut self, mv: G::Move, position: &G) {
        Searcher::advance(self, mv, position);
    }

    fn clear(&mut self) {
        Searcher::clear(self);
    }

    fn reseed(&mut self, seed: u64) {
        Searcher::reseed(self, seed);
    }

    fn random(&self) -> &Random {
        Searcher::random(self)
    }

    fn set_random(&mut self, random: Random) {
        Searcher::set_random(self, random);
    }
}
