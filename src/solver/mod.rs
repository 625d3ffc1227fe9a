//! Exact results: who wins with best play, for any game between two sides.
//!
//! A position is won or lost for the side to move; what counts as won is the position's own
//! business, so a game with draws is asked twice ("do I win?", "do I at least draw?"). The
//! search is depth-first with a table of what is known already, which is the same for all
//! threads; positions below a node are ordered by a rank, which changes how many are looked at
//! and never the result. It uses nothing but this module: no tree, no evaluation, no clock but
//! the caller's.
//!
//! | file | what it does |
//! |---|---|
//! | [`key`] | 128 bits that tell positions apart |
//! | [`table`] | what is known, shared by the threads, growing with need |
//! | [`worker`] | one thread's search |
//! | [`run`] | threads, limits, progress, the answer |
//! | [`checkpoint`] | what is known, in a file, to go on from later |

pub mod checkpoint;
pub mod key;
pub mod run;
pub mod table;
#[cfg(test)]
mod tests;
pub mod worker;

use std::fmt::Debug;

/// Ranks are no larger, nor smaller than less this.
const MOST_RANK: i32 = 1 << 30;

pub use key::Key;
pub use run::{Progress, Solver, SolverLimits, Stopped};
pub use worker::Watch;

/// A position as the solver searches it.
///
/// A game may go through two phases, each with a type of its own: once in the later one it
/// never goes back. A game with one phase names itself as the later one.
pub trait Solvable: Sized + Clone + Send + Sync {
    /// A move.
    type Move: Copy + Eq + Debug + Send + Sync;
    /// The last phase, which is its own later phase.
    type Later: Solvable<Move = Self::Move, Later = Self::Later>;

    /// What tells it from other positions, of either phase. Positions with the same key must
    /// have the same result for the side to move.
    fn key(&self) -> Key;

    /// How much there is left to play, about: a number of points or pieces. Small positions are
    /// not worth a look at the table.
    fn size(&self) -> u32;

    /// Appends what the moves lead to, but for moves that are known to lose. If one is known to
    /// win, or none is left, that is the answer, whether the side to move wins; what was
    /// appended does not matter then.
    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool>;
}

/// A position after a move.
#[derive(Clone)]
pub enum Next<P: Solvable> {
    /// In the same phase, the other side to move.
    Same(P),
    /// In the same phase, the same side to move again.
    Again(P),
    /// In the later phase, the other side to move.
    Later(P::Later),
}

impl<P: Solvable> Next<P> {
    /// The key of the position.
    #[inline(always)]
    pub fn key(&self) -> Key {
        match self {
            Next::Same(position) | Next::Again(position) => position.key(),
            Next::Later(position) => position.key(),
        }
    }

    /// What the result of the position, for the side that moves there, is to the side that
    /// moved before.
    #[inline(always)]
    pub fn turned(&self, won: bool) -> bool {
        matches!(self, Next::Again(_)) == won
    }
}

/// A rank within what the search can add to.
#[inline(always)]
fn bounded(rank: i32) -> i32 {
    rank.clamp(-MOST_RANK, MOST_RANK)
}

/// A move on the way to be searched.
#[derive(Clone)]
pub struct Child<P: Solvable> {
    /// The move.
    pub mv: P::Move,
    /// Lower ones are searched first.
    pub rank: i32,
    /// The key of what it leads to; the search fills it in.
    pub key: Key,
    /// What it leads to.
    pub next: Next<P>,
}

impl<P: Solvable> Child<P> {
    /// A move with its rank.
    #[inline(always)]
    pub fn new(mv: P::Move, rank: i32, next: Next<P>) -> Self {
        Self {
            mv,
            rank: bounded(rank),
            key: Key::default(),
            next,
        }
    }
}

/// Another opinion on the order of moves than the game's own. It may change how many positions
/// are searched, never a result.
pub trait Order: Send + Sync {
    /// The rank to use for a child that the game ranked `rank`; lower ones are searched first.
    /// `key` tells children apart.
    fn rank(&self, rank: i32, key: Key) -> i32;
}

/// An order that knows nothing: to show that results do not depend on it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByKey;

impl Order for ByKey {
    fn rank(&self, _: i32, key: Key) -> i32 {
        (key.0[0] >> 48) as i32
    }
}

/// The game's own order.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByRank;

impl Order for ByRank {
    #[inline(always)]
    fn rank(&self, rank: i32, _: Key) -> i32 {
        rank
    }
}
