//! What a game must offer to be searched: seats, outcomes, [`Game`], [`Evaluator`].
//!
//! Nothing here or in `search` names a game. Whose turn it is is asked at every
//! ply and a value is kept per seat, so more than two players, several moves in
//! a row by one side, and draws need no special case.

use std::fmt;
use std::ops::{Index, IndexMut};

use thiserror::Error;

use crate::util::random::Random;

/// The most seats a game can have.
pub const MAX_SEATS: usize = 4;

/// One of the players, in the order of play from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// All seats in the order of play.
    pub const ALL: [Seat; MAX_SEATS] = [Seat(0), Seat(1), Seat(2), Seat(3)];

    /// The seat with this place in the order of play.
    ///
    /// # Panics
    /// At [`MAX_SEATS`] and above.
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

/// How a finished game ended; absolute, not from anybody's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This seat won, all others lost.
    Winner(Seat),
    /// Nobody won.
    Draw,
}

impl Outcome {
    /// What the outcome is worth to each of `seats` seats: 1 for the winner and 0
    /// for the others, or equal shares of 1 in a draw.
    #[inline]
    pub fn values(self, seats: usize) -> PerSeat<f32> {
        let mut values = PerSeat([0.0; MAX_SEATS]);
        match self {
            Outcome::Winner(seat) => values[seat] = 1.0,
            Outcome::Draw => values.0[..seats].fill(1.0 / seats as f32),
        }
        values
    }

    /// What the outcome is worth to one of `seats` seats.
    #[inline]
    pub fn value_for(self, seat: Seat, seats: usize) -> f32 {
        match self {
            Outcome::Winner(winner) => f32::from(u8::from(winner == seat)),
            Outcome::Draw => 1.0 / seats as f32,
        }
    }
}

/// What the values of all seats mean to one of them, in a search for the seat to move
/// at the root.
///
/// That seat goes for its own winning chance. What the others go for lies between
/// their own winning chances (max^n: Luckhardt and Irani, "An algorithmic solution of
/// n-person games", 1986) and what is left to the root's seat (paranoid: Sturtevant
/// and Korf, "On pruning techniques for multi-player games", 2000). With two seats
/// that is the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiplayerUtility {
    /// The seat to move at the root.
    pub root: Seat,
    /// How far the others play against it instead of for themselves: 0 is max^n, 1
    /// is paranoid.
    pub paranoia: f32,
}

impl MultiplayerUtility {
    /// What `values` are worth to one of `seats` seats, 0 to 1.
    #[inline(always)]
    pub fn value(&self, seat: Seat, values: &PerSeat<f32>, seats: usize) -> f32 {
        let own = values[seat];
        if seats <= 2 || seat == self.root {
            return own;
        }
        own + self.paranoia * (1.0 - values[self.root] - own)
    }

    /// What an outcome is worth to one of `seats` seats, 0 to 1.
    #[inline(always)]
    pub fn value_of(&self, seat: Seat, outcome: Outcome, seats: usize) -> f32 {
        if seats <= 2 {
            return outcome.value_for(seat, seats);
        }
        self.value(seat, &outcome.values(seats), seats)
    }

    /// Whether a search with the other view gives nodes the same values.
    pub fn agrees_with(&self, other: &MultiplayerUtility, seats: usize) -> bool {
        seats <= 2 || self == other || (self.paranoia == 0.0 && other.paranoia == 0.0)
    }
}

/// A move that the rules do not allow in a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("illegal move")]
pub struct IllegalMove;

/// A position of a game with perfect information.
///
/// A position that [`Game::outcome`] calls finished has no moves.
pub trait Game: Clone + Send + Sync {
    /// A move; small, so that it fits the nodes of a tree.
    type Move: Copy + Eq + Send + Sync + fmt::Debug;
    /// What [`Game::undo`] needs to take a move back.
    type Undo: Clone + Send;
    /// What plays on from a position at random.
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
    /// Whether the rules allow `mv` here.
    fn is_legal(&self, mv: Self::Move) -> bool;
    /// Plays a legal move. An illegal one may corrupt the position and panic,
    /// but causes no undefined behaviour.
    fn play(&mut self, mv: Self::Move) -> Self::Undo;
    /// Takes back the last move, exactly.
    fn undo(&mut self, undo: Self::Undo);
    /// Takes a seat out of the running game, as when a player gives up and the others go on;
    /// false, and nothing changed, where the rules know no such thing or the seat is out.
    fn leave(&mut self, seat: Seat) -> bool {
        let _ = seat;
        false
    }
    /// A hash of everything that the rest of the game depends on.
    fn hash(&self) -> u64;
    /// A hash of the local pattern of `last`, the move that led here, as the side to move sees it:
    /// positions that have it in common are likely to be misjudged alike. The low 16 bits tell
    /// patterns apart. It is asked for only among two seats with an evaluator that has a policy;
    /// without a better one it is the move's code.
    fn local_pattern(&self, last: Self::Move) -> u64 {
        u64::from(Self::code(last))
    }
    /// A move as a number below [`Game::MOVE_CODES`].
    fn code(mv: Self::Move) -> u16;
    /// The move of a code that [`Game::code`] gave.
    fn decode(code: u16) -> Self::Move;
    /// The same position for a random playout.
    fn playout(&self) -> Self::Playout;
}

/// A position on its way through a random playout. Its moves are the codes of the
/// game's ([`Game::code`]).
pub trait Playout: Copy {
    /// Plays random moves to the end of the game, each legal move as likely, and shows
    /// each to `after`. Up to `redraws` times it draws again while the drawn move is
    /// unwise, that is, while a cheap test, if the game has one, says that it hurts
    /// whoever makes it.
    fn finish(
        &mut self,
        redraws: u64,
        random: &mut Random,
        after: impl FnMut(Seat, u16),
    ) -> Outcome;
}

/// What an [`Evaluator`] says of one move, from the view of the seat that makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveEvaluation {
    /// What the position after the move is worth to that seat ([`MultiplayerUtility::value`]), 0 to 1; where
    /// there is a policy instead, what the position before it is.
    pub value: f32,
    /// The game's outcome if the move ends it.
    pub outcome: Option<Outcome>,
}

/// What an [`Evaluator`] says of a position; buffers are kept between calls.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// Winning chance of each seat, 0 to 1.
    pub values: PerSeat<f32>,
    /// One entry for each move, in the order of the moves, or none at all if the
    /// evaluator has no opinion on single moves.
    pub priors: Vec<MoveEvaluation>,
    /// How likely each move is to be the best, 0 to 1, in the order of the moves; together 1. None
    /// at all if the evaluator has no such opinion.
    pub policy: Vec<f32>,
    /// The moves of a playout that led to `values`, if there was one: who made
    /// which move (by its code), in order.
    pub playout: Vec<(Seat, u16)>,
}

/// The largest weight that an evaluation is given, either way: sums of more would say nothing.
pub const LARGEST_WEIGHT: f32 = 1e6;

/// Judges a position for the search. The search knows nothing else about a game.
pub trait Evaluator<G: Game>: Sync {
    /// Whether [`Evaluation::priors`] is filled.
    const HAS_PRIORS: bool;

    /// Whether [`Evaluation::policy`] is filled.
    fn has_policy(&self) -> bool {
        false
    }

    /// Judges `position`, which is not finished and whose legal moves are `moves`,
    /// into `evaluation`, for a search with this `view`. The position is as before
    /// afterwards.
    fn evaluate(
        &self,
        position: &mut G,
        moves: &[G::Move],
        view: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    );
}

/// The number of legal sequences of exactly `depth` moves; a finished game has
/// none that go on.
pub fn perft<G: Game>(position: &mut G, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.outcome().is_some() {
        return 0;
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
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
    fn views_differ_only_among_more_than_two() {
        let view = |root: usize, paranoia| MultiplayerUtility {
            root: Seat::new(root),
            paranoia,
        };
        let values = PerSeat([0.2, 0.5, 0.3, 0.0]);
        for (paranoia, expected) in [(0.0, 0.3), (0.5, 0.55), (1.0, 0.8)] {
            let found = view(0, paranoia).value(Seat::ALL[2], &values, 3);
            assert!((found - expected).abs() < 1e-6);
            assert_eq!(view(2, paranoia).value(Seat::ALL[2], &values, 3), 0.3);
            assert_eq!(view(0, paranoia).value(Seat::ALL[1], &values, 2), 0.5);
        }
        let third = Outcome::Winner(Seat::ALL[2]);
        assert_eq!(view(0, 1.0).value_of(Seat::ALL[1], third, 3), 1.0);
        assert_eq!(view(0, 0.0).value_of(Seat::ALL[1], third, 3), 0.0);
        assert!(view(0, 0.0).agrees_with(&view(1, 0.0), 3));
        assert!(view(0, 1.0).agrees_with(&view(1, 1.0), 2));
        assert!(!view(0, 1.0).agrees_with(&view(1, 1.0), 3));
        assert!(!view(0, 1.0).agrees_with(&view(0, 0.5), 3));
    }
}
