//! The interface of whatever searches for moves: the tree search, or a game's own way.

use super::limits::SearchLimits;
use super::report::Report;
use super::searcher::Searcher;
use crate::game::{Evaluator, Game};
use crate::util::random::Random;

/// Searches for the best move in the positions of one game.
pub trait MoveSearcher<G: Game>: Send {
    /// Searches for the best move of `position` until a limit is reached, the result is known, or
    /// `stop` returns true. The report on a running game has at least one move.
    fn search(
        &mut self,
        position: &G,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<G::Move>;
    /// Tells that the move was played and led to `position`; knowledge about it may be kept.
    fn advance(&mut self, mv: G::Move, position: &G);
    /// Tells that the last move was taken back, which led to `position`; knowledge about it may be
    /// kept.
    fn retract(&mut self, position: &G) {
        let _ = position;
        self.clear();
    }
    /// Drops all knowledge; the random stream goes on.
    fn clear(&mut self);
    fn random(&mut self) -> &mut Random;
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

    fn random(&mut self) -> &mut Random {
        &mut self.random
    }
}
