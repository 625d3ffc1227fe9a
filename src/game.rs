//! What a game must implement to be searched: [`Game`] and [`Evaluator`], with seats and outcomes.
//!
//! Nothing here or in `search` names a game. The search asks at every ply whose turn it is and
//! keeps a value per seat, so more than two players, several moves in a row by one side, and
//! draws need no special case.

use std::fmt;
use std::ops::{Index, IndexMut};

use thiserror::Error;

use crate::board::{Symmetries, Symmetry};
use crate::util::random::Random;

/// The maximum number of seats of a game.
pub(crate) const MAX_SEATS: usize = 4;

/// A player, numbered from 0 in the order of play.
///
/// ```
/// use tanada::Seat;
///
/// assert_eq!(Seat::new(0).other(), Seat::new(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// All seats in the order of play.
    pub const ALL: [Seat; MAX_SEATS] = [Seat(0), Seat(1), Seat(2), Seat(3)];

    /// The seat with this place in the order of play.
    ///
    /// # Panics
    /// At 4 and above.
    #[inline(always)]
    pub const fn new(index: usize) -> Self {
        assert!(index < MAX_SEATS);
        Self(index as u8)
    }

    /// The place in the order of play, from 0.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The other seat of a game for two.
    #[inline(always)]
    pub const fn other(self) -> Self {
        Self(1 - self.0 % 2)
    }
}

/// One value for each seat.
///
/// ```
/// use tanada::{PerSeat, Seat};
///
/// let chances = PerSeat([0.7, 0.3, 0.0, 0.0]);
/// assert_eq!(chances[Seat::new(1)], 0.3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerSeat<T>(pub [T; MAX_SEATS]);

impl<T> Index<Seat> for PerSeat<T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index() & (MAX_SEATS - 1)]
    }
}

impl<T> IndexMut<Seat> for PerSeat<T> {
    #[inline(always)]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index() & (MAX_SEATS - 1)]
    }
}

/// How a finished game ended, the same for every seat.
///
/// ```
/// use tanada::{Outcome, Seat};
///
/// assert_eq!(Outcome::Winner(Seat::new(0)).value_for(Seat::new(0), 2), 1.0);
/// assert_eq!(Outcome::Draw.value_for(Seat::new(0), 2), 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This seat won, all others lost.
    Winner(Seat),
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// The value of the outcome for each of `seats` seats: 1 for the winner and 0 for the others,
    /// or equal shares of 1 in a draw.
    #[inline]
    pub fn values(self, seats: usize) -> PerSeat<f32> {
        let mut values = PerSeat([0.0; MAX_SEATS]);
        match self {
            Outcome::Winner(seat) => values[seat] = 1.0,
            Outcome::Draw => values.0[..seats].fill(1.0 / seats as f32),
        }
        values
    }

    /// The value of the outcome for one of `seats` seats.
    #[inline]
    pub fn value_for(self, seat: Seat, seats: usize) -> f32 {
        match self {
            Outcome::Winner(winner) => f32::from(u8::from(winner == seat)),
            Outcome::Draw => 1.0 / seats as f32,
        }
    }
}

/// What each seat maximises in a search for the seat to move at the root.
///
/// That seat maximises its own winning chance. Each other seat maximises a mix of its own winning
/// chance (max^n: Luckhardt and Irani, "An algorithmic solution of n-person games", 1986) and of
/// the chance that the root's seat does not win (paranoid: Sturtevant and Korf, "On pruning
/// techniques for multi-player games", 2000). With two seats both are the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiplayerUtility {
    pub(crate) root: Seat,
    /// How much the others play against it instead of for themselves: 0 is max^n, 1 is paranoid.
    pub(crate) paranoia: f32,
}

impl MultiplayerUtility {
    /// The utility of `values` for one of `seats` seats, 0 to 1.
    #[inline(always)]
    pub(crate) fn value(&self, seat: Seat, values: &PerSeat<f32>, seats: usize) -> f32 {
        let own = values[seat];
        if seats <= 2 || seat == self.root {
            return own;
        }
        own + self.paranoia * (1.0 - values[self.root] - own)
    }

    /// The utility of an outcome for one of `seats` seats, 0 to 1.
    #[inline(always)]
    pub(crate) fn value_of(&self, seat: Seat, outcome: Outcome, seats: usize) -> f32 {
        if seats <= 2 {
            return outcome.value_for(seat, seats);
        }
        self.value(seat, &outcome.values(seats), seats)
    }

    /// Whether a search with the other utility gives nodes the same values.
    pub(crate) fn agrees_with(&self, other: &MultiplayerUtility, seats: usize) -> bool {
        seats <= 2 || self == other || (self.paranoia == 0.0 && other.paranoia == 0.0)
    }
}

/// A move that the rules do not allow in a position.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let params = tanada::Params { threads: 1, seed: 1, ..tanada::Params::default() };
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), params);
/// let first = engine.legal()[0];
/// engine.play(first)?;
/// assert_eq!(engine.play(first), Err(tanada::errors::IllegalMove));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("illegal move")]
pub struct IllegalMove;

/// A position of a game with perfect information.
///
/// A position that [`Game::outcome`] calls finished has no moves.
pub trait Game: Clone + Send + Sync {
    /// A move.
    type Move: Copy + Eq + Send + Sync + fmt::Debug;
    /// The data with which [`Game::undo`] takes a move back.
    type Undo: Clone + Send;
    /// A copy of the position for a random playout.
    type Playout: Playout;
    /// Seats of the game, 1 to [`MAX_SEATS`]; some may be empty or out.
    const SEATS: usize;
    /// Move codes are below this number.
    const MOVE_CODES: usize;

    /// The seat whose turn it is; in a finished game any seat.
    fn to_move(&self) -> Seat;
    /// How the game ended, `None` while it runs.
    fn outcome(&self) -> Option<Outcome>;
    /// Appends the legal moves in a fixed order.
    fn moves(&self, moves: &mut Vec<Self::Move>);
    /// The legal moves in that order.
    fn legal_moves(&self) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        self.moves(&mut moves);
        moves
    }
    /// Whether the rules allow `mv` here.
    fn is_legal(&self, mv: Self::Move) -> bool;
    /// Plays a legal move. An illegal one may corrupt the position or panic, but causes no
    /// undefined behaviour.
    fn play(&mut self, mv: Self::Move) -> Self::Undo;
    /// Takes back the last move, exactly.
    fn undo(&mut self, undo: Self::Undo);
    /// Takes a seat out of the running game, for example when a player resigns and the others
    /// play on. Returns false and changes nothing if the rules do not allow that or the seat is
    /// out already.
    fn leave(&mut self, seat: Seat) -> bool {
        let _ = seat;
        false
    }
    /// A hash of everything that affects the rest of the game.
    fn hash(&self) -> u64;
    /// A hash of the pattern around `last`, the move that led here, from the point of view of the
    /// side to move. Positions with the same pattern share their subtree value bias. The search
    /// calls this only with two seats and an evaluator that has priors, and keeps the result in the
    /// node, so it may depend on nothing but `last` and what [`Game::hash`] covers. The default is
    /// the move's code.
    fn local_pattern(&self, last: Self::Move) -> u16 {
        Self::code(last)
    }
    /// The symmetries other than the identity that leave everything that affects the rest of the
    /// game as it is. With the identity they are a group. A game may leave symmetries out.
    fn symmetries(&self) -> Symmetries {
        Symmetries::NONE
    }
    /// The image of a move under a symmetry. The search calls this only with those that
    /// [`Game::symmetries`] returned.
    fn image(&self, mv: Self::Move, symmetry: Symmetry) -> Self::Move {
        let _ = symmetry;
        mv
    }
    /// How far apart on the board two moves are, for a person who looks at it. The default is 0: the
    /// game has no places.
    fn distance(&self, a: Self::Move, b: Self::Move) -> u32 {
        let _ = (a, b);
        0
    }
    /// The code of a move, a number below [`Game::MOVE_CODES`].
    fn code(mv: Self::Move) -> u16;
    /// The move with a code that [`Game::code`] returned.
    fn decode(code: u16) -> Self::Move;
    /// The same position for a random playout.
    fn playout(&self) -> Self::Playout;
}

/// A position in a random playout. Its moves are move codes ([`Game::code`]).
pub trait Playout: Copy {
    /// Plays uniformly random legal moves to the end of the game and passes each to `after`.
    /// While the game's cheap test, if it has one, says that the drawn move hurts the player who
    /// makes it, another move is drawn, up to `redraws` times.
    fn finish(
        &mut self,
        redraws: u64,
        random: &mut Random,
        after: impl FnMut(Seat, u16),
    ) -> Outcome;
}

/// What an [`Evaluator`] says about one move, for the seat that makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveEvaluation {
    /// The utility of the position after the move for that seat ([`MultiplayerUtility::value`]), 0
    /// to 1. An evaluator with priors evaluates only the position before the move: there every
    /// move has that value.
    pub value: f32,
    /// The game's outcome if the move ends it.
    pub outcome: Option<Outcome>,
}

/// What an [`Evaluator`] says about a position; buffers are kept between calls.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// Winning chance of each seat, 0 to 1.
    pub values: PerSeat<f32>,
    /// One entry for each move, in the order of the moves; empty if the evaluator does not
    /// evaluate moves.
    pub moves: Vec<MoveEvaluation>,
    /// The prior of each move, in the order of the moves: the probability that it is the best.
    /// They add up to 1. Empty if the evaluator has no priors.
    pub(crate) priors: Vec<f32>,
    /// The moves of the playout that gave `values`, if there was one: the seat and the move code,
    /// in order.
    pub playout: Vec<(Seat, u16)>,
}

/// The largest absolute value of a weight of an evaluation; sums of larger ones would be
/// meaningless.
pub(crate) const LARGEST_WEIGHT: f32 = 1e6;

/// Evaluates positions for the search.
pub trait Evaluator<G: Game>: Sync {
    /// Whether [`Evaluation::moves`] is filled.
    const HAS_MOVE_EVALUATIONS: bool;
    /// Whether [`Evaluation::priors`] is filled. [`Evaluation::moves`] has to be filled too then.
    const HAS_PRIORS: bool = false;

    /// Evaluates `position`, which is not finished, and its legal moves `moves` into `evaluation`,
    /// for a search with this `utility`. Of moves that are images of each other under a symmetry
    /// of the position, `moves` may hold only one. The position may change during the call, but
    /// has to be the same afterwards.
    fn evaluate(
        &self,
        position: &mut G,
        moves: &[G::Move],
        utility: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    );

    /// Makes an evaluation of the root of a search more exact. That happens once, so it may take
    /// more time, and the priors matter most there. The default leaves it as it is.
    fn refine_root(
        &self,
        position: &G,
        moves: &[G::Move],
        utility: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        let _ = (position, moves, utility, random, evaluation);
    }
}

/// The number of legal sequences of exactly `depth` moves. Games that end earlier do not count.
pub fn perft<G: Game>(position: &mut G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.outcome().is_some() {
        return 0;
    }
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut sum = 0;
    for mv in moves {
        let undo = position.play(mv);
        sum += perft(position, depth - 1);
        position.undo(undo);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utilities_differ_only_with_more_than_two_seats() {
        let utility = |root: usize, paranoia| MultiplayerUtility {
            root: Seat::new(root),
            paranoia,
        };
        let values = PerSeat([0.2, 0.5, 0.3, 0.0]);
        for (paranoia, expected) in [(0.0, 0.3), (0.5, 0.55), (1.0, 0.8)] {
            let found = utility(0, paranoia).value(Seat::ALL[2], &values, 3);
            assert!((found - expected).abs() < 1e-6);
            assert_eq!(utility(2, paranoia).value(Seat::ALL[2], &values, 3), 0.3);
            assert_eq!(utility(0, paranoia).value(Seat::ALL[1], &values, 2), 0.5);
        }
        let third = Outcome::Winner(Seat::ALL[2]);
        assert_eq!(utility(0, 1.0).value_of(Seat::ALL[1], third, 3), 1.0);
        assert_eq!(utility(0, 0.0).value_of(Seat::ALL[1], third, 3), 0.0);
        assert!(utility(0, 0.0).agrees_with(&utility(1, 0.0), 3));
        assert!(utility(0, 1.0).agrees_with(&utility(1, 1.0), 2));
        assert!(!utility(0, 1.0).agrees_with(&utility(1, 1.0), 3));
        assert!(!utility(0, 1.0).agrees_with(&utility(0, 0.5), 3));
    }
}
