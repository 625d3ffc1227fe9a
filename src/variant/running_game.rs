//! A running game of any variant behind one object: the position, the history that undo needs,
//! and the search.

use super::capabilities::{Capabilities, PlayableGame};
use super::endgame_searcher::EndgameSearcher;
use super::move_code::MoveCode;
use crate::game::{Evaluator, IllegalMove, Outcome, Seat};
use crate::params::Params;
use crate::search::{LimitedStrength, MoveSearcher, Report, SearchLimits, Searcher};
use crate::util::random::Random;

/// A running game with its search.
pub trait RunningGame: Send {
    /// The current position.
    fn position(&self) -> &dyn Capabilities;
    /// Plays a move of the side to move. The search keeps what it knows about the new position.
    ///
    /// # Errors
    /// The move is illegal; nothing is changed.
    fn play(&mut self, code: MoveCode) -> Result<(), IllegalMove>;
    /// Takes a seat out of the game. Returns false and changes nothing if the rules forbid it.
    fn leave(&mut self, seat: Seat) -> bool;
    /// Takes back the last move, or the last seat that left; false at the start.
    fn undo(&mut self) -> bool;
    /// The seat to move; in a finished game the winner, if there is one.
    fn to_move(&self) -> Seat;
    /// How the game ended; `None` while it runs.
    fn outcome(&self) -> Option<Outcome>;
    /// Whether a move is legal for the side to move; never in a finished game.
    fn is_legal(&self, code: MoveCode) -> bool;
    /// The legal moves of the side to move.
    fn legal(&self) -> Vec<MoveCode>;
    /// The hash of the position.
    fn hash(&self) -> u64;
    /// The position before the last move, or before the last seat left; `None` at the start.
    fn previous(&self) -> Option<Box<dyn Capabilities>>;
    /// Searches the position.
    fn search(
        &mut self,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<MoveCode>;
    /// Forgets what the search has learnt. The random stream goes on.
    fn clear_tree(&mut self);
    /// The random stream.
    fn random(&mut self) -> &mut Random;
}

/// A game from `position` that is played by the tree search with this evaluator, and near the end
/// by the game's solver, if it has one.
pub fn with_tree_search<G, E>(position: G, params: &Params, evaluator: E) -> Box<dyn RunningGame>
where
    G: PlayableGame,
    E: Evaluator<G> + Send + 'static,
{
    let searcher = Searcher::new(params, evaluator);
    let searcher = EndgameSearcher::new(Box::new(searcher), params);
    with_searcher(position, params, searcher)
}

/// A game from `position` that is played by any searcher, as strongly as `params` say.
pub fn with_searcher<G: PlayableGame>(
    position: G,
    params: &Params,
    searcher: impl MoveSearcher<G> + 'static,
) -> Box<dyn RunningGame> {
    Box::new(SearchedGame {
        position,
        history: Vec::new(),
        searcher: LimitedStrength::new(Box::new(searcher), params),
    })
}

/// What undo needs to take back one change.
enum Change<G: PlayableGame> {
    Move(G::Undo),
    /// Seats leave rarely, so the whole position is kept.
    Leave(G),
}

struct SearchedGame<G: PlayableGame> {
    position: G,
    history: Vec<Change<G>>,
    searcher: LimitedStrength<G>,
}

impl<G: PlayableGame> RunningGame for SearchedGame<G> {
    fn position(&self) -> &dyn Capabilities {
        &self.position
    }

    fn play(&mut self, code: MoveCode) -> Result<(), IllegalMove> {
        if !self.is_legal(code) {
            return Err(IllegalMove);
        }
        let mv = G::decode(code.number());
        self.history.push(Change::Move(self.position.play(mv)));
        self.searcher.advance(mv, &self.position);
        Ok(())
    }

    fn leave(&mut self, seat: Seat) -> bool {
        let before = self.position.clone();
        if !self.position.leave(seat) {
            return false;
        }
        self.history.push(Change::Leave(before));
        self.searcher.clear();
        true
    }

    fn undo(&mut self) -> bool {
        match self.history.pop() {
            None => return false,
            Some(Change::Move(undo)) => {
                self.position.undo(undo);
                self.searcher.retract(&self.position);
            }
            Some(Change::Leave(position)) => {
                self.position = position;
                self.searcher.clear();
            }
        }
        true
    }

    fn to_move(&self) -> Seat {
        match self.position.outcome() {
            Some(Outcome::Winner(seat)) => seat,
            _ => self.position.to_move(),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn is_legal(&self, code: MoveCode) -> bool {
        usize::from(code.number()) < G::MOVE_CODES
            && self.position.outcome().is_none()
            && self.position.is_legal(G::decode(code.number()))
    }

    fn legal(&self) -> Vec<MoveCode> {
        let moves = self.position.legal_moves().into_iter();
        moves.map(MoveCode::of::<G>).collect()
    }

    fn hash(&self) -> u64 {
        self.position.hash()
    }

    fn previous(&self) -> Option<Box<dyn Capabilities>> {
        let before = match self.history.last()? {
            Change::Move(undo) => {
                let mut position = self.position.clone();
                position.undo(undo.clone());
                position
            }
            Change::Leave(position) => position.clone(),
        };
        Some(Box::new(before))
    }

    fn search(
        &mut self,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<MoveCode> {
        self.searcher
            .search(&self.position, limits, stop)
            .map(MoveCode::of::<G>)
    }

    fn clear_tree(&mut self) {
        self.searcher.clear();
    }

    fn random(&mut self) -> &mut Random {
        self.searcher.random()
    }
}
