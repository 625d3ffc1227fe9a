//! A running game of any kind, behind one object: a position, how to take moves back, and what
//! thinks about it.

use super::endgame_searcher::EndgameSearcher;
use super::notation::{MoveCode, Notation, PlayableGame};
use crate::game::{Evaluator, IllegalMove, Outcome, Seat};
use crate::params::Params;
use crate::search::{MoveSearcher, Report, SearchLimits, Searcher};
use crate::util::random::Random;

/// A running game with what thinks about it.
pub trait RunningGame: Send {
    /// Plays a move of the side to move; the thinker keeps what it knows of the position.
    ///
    /// # Errors
    /// An illegal one; nothing is changed.
    fn play(&mut self, code: MoveCode) -> Result<(), IllegalMove>;
    /// Takes a seat out of the game; false, and nothing changed, where the rules do not allow it.
    fn leave(&mut self, seat: Seat) -> bool;
    /// Takes the last move or leave back; false if there is none.
    fn undo(&mut self) -> bool;
    /// The seat whose turn it is; in a finished game the winner, if there is one.
    fn to_move(&self) -> Seat;
    /// How the game ended.
    fn outcome(&self) -> Option<Outcome>;
    /// Whether the side to move may play this; never in a finished game.
    fn is_legal(&self, code: MoveCode) -> bool;
    /// The legal moves of the side to move.
    fn legal(&self) -> Vec<MoveCode>;
    /// The hash of the position.
    fn hash(&self) -> u64;
    /// The texts of the position.
    fn notation(&self) -> &dyn Notation;
    /// The position before the last move or leave; none at the start.
    fn previous(&self) -> Option<Box<dyn Notation>>;
    /// Searches the position.
    fn search(
        &mut self,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<MoveCode>;
    /// Drops what was learnt of the position; the random stream goes on.
    fn forget(&mut self);
    /// Starts the random stream anew.
    fn reseed(&mut self, seed: u64);
    /// The random stream.
    fn random(&self) -> Random;
    /// Goes on with another's random stream.
    fn set_random(&mut self, random: Random);
}

/// A game from `position` that the tree search thinks about, with this evaluator, and near the
/// end the game's solver, where it has one.
pub fn with_tree_search<G, E>(position: G, params: &Params, evaluator: E) -> Box<dyn RunningGame>
where
    G: PlayableGame,
    E: Evaluator<G> + Send + 'static,
{
    let searcher = Searcher::new(params, evaluator);
    with_searcher(position, EndgameSearcher::new(searcher, params))
}

/// A game from `position` with any thinker.
pub fn with_searcher<G: PlayableGame>(
    position: G,
    thinker: impl MoveSearcher<G> + 'static,
) -> Box<dyn RunningGame> {
    Box::new(Running {
        position,
        before: Vec::new(),
        thinker,
    })
}

/// How the last change is taken back.
enum Before<G: PlayableGame> {
    Move(G::Undo),
    /// Leaving is rare: the whole position is kept.
    Leave(G),
}

struct Running<G: PlayableGame, T> {
    position: G,
    before: Vec<Before<G>>,
    thinker: T,
}

fn code<G: PlayableGame>(mv: G::Move) -> MoveCode {
    MoveCode::new(G::code(mv))
}

impl<G: PlayableGame, T: MoveSearcher<G>> RunningGame for Running<G, T> {
    fn play(&mut self, code: MoveCode) -> Result<(), IllegalMove> {
        if !self.is_legal(code) {
            return Err(IllegalMove);
        }
        let mv = G::decode(code.number());
        self.before.push(Before::Move(self.position.play(mv)));
        self.thinker.advance(mv, &self.position);
        Ok(())
    }

    fn leave(&mut self, seat: Seat) -> bool {
        let before = self.position.clone();
        if !self.position.leave(seat) {
            return false;
        }
        self.before.push(Before::Leave(before));
        self.thinker.clear();
        true
    }

    fn undo(&mut self) -> bool {
        match self.before.pop() {
            None => return false,
            Some(Before::Move(undo)) => {
                self.position.undo(undo);
                self.thinker.retract(&self.position);
            }
            Some(Before::Leave(position)) => {
                self.position = position;
                self.thinker.clear();
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
        let mut moves = Vec::new();
        if self.position.outcome().is_none() {
            self.position.moves(&mut moves);
        }
        moves.into_iter().map(code::<G>).collect()
    }

    fn hash(&self) -> u64 {
        self.position.hash()
    }

    fn notation(&self) -> &dyn Notation {
        &self.position
    }

    fn previous(&self) -> Option<Box<dyn Notation>> {
        let before = match self.before.last()? {
            Before::Move(undo) => {
                let mut position = self.position.clone();
                position.undo(undo.clone());
                position
            }
            Before::Leave(position) => position.clone(),
        };
        Some(Box::new(before))
    }

    fn search(
        &mut self,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<MoveCode> {
        self.thinker
            .search(&self.position, limits, stop)
            .map(code::<G>)
    }

    fn forget(&mut self) {
        self.thinker.clear();
    }

    fn reseed(&mut self, seed: u64) {
        self.thinker.reseed(seed);
    }

    fn random(&self) -> Random {
        self.thinker.random().clone()
    }

    fn set_random(&mut self, random: Random) {
        self.thinker.set_random(random);
    }
}
