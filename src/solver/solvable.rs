//! What the solver needs to know about a game.

use super::key::Key;

/// Ranks lie between minus this and this.
pub(super) const MAX_RANK: i32 = 1 << 22;

/// A position that the solver can search.
///
/// A game may have two phases, each with a type of its own; it never returns from the later
/// phase. A game with one phase names itself as the later one.
pub trait Solvable: Sized + Clone + Send + Sync {
    /// The last phase, which is its own later phase.
    type Later: Solvable<Later = Self::Later>;

    /// Identifies the position among those of both phases. Positions with the same key must
    /// have the same result for the side to move.
    fn key(&self) -> Key;

    /// Roughly how much is left to play, as a number of points or pieces. Small positions are
    /// not looked up in the table.
    fn size(&self) -> u32;

    /// Appends the position after each move, except for moves that are known to lose. Returns
    /// whether the side to move wins if a move is known to win or no move is left; the appended
    /// positions mean nothing then.
    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool>;
}

/// A position after a move.
#[derive(Clone)]
pub(crate) enum Next<P: Solvable> {
    /// In the same phase, the other side to move.
    Same(P),
    /// In the same phase, the same side to move again.
    Again(P),
    /// In the later phase, the other side to move.
    Later(P::Later),
}

impl<P: Solvable> Next<P> {
    #[inline(always)]
    pub(crate) fn key(&self) -> Key {
        match self {
            Next::Same(position) | Next::Again(position) => position.key(),
            Next::Later(position) => position.key(),
        }
    }

    /// Whether the side that made the move wins, given whether the side to move here does (`won`).
    #[inline(always)]
    pub(crate) fn for_parent(&self, won: bool) -> bool {
        matches!(self, Next::Again(_)) == won
    }
}

/// A rank within the range that the search can add to.
#[inline(always)]
pub(super) fn clamp_rank(rank: i32) -> i32 {
    rank.clamp(-MAX_RANK, MAX_RANK)
}

/// The position after a move, with what orders it.
#[derive(Clone)]
pub struct Child<P: Solvable> {
    /// Lower ranks are searched first.
    pub(crate) rank: i32,
    /// The key of the position; the search fills it in.
    pub(crate) key: Key,
    pub(crate) next: Next<P>,
}

impl<P: Solvable> Child<P> {
    #[inline(always)]
    pub(crate) fn new(rank: i32, next: Next<P>) -> Self {
        Self {
            rank: clamp_rank(rank),
            key: Key::default(),
            next,
        }
    }
}

/// Replaces the game's order of moves. It may change how many positions are searched, never a
/// result.
pub trait MoveOrdering: Send + Sync {
    /// The rank to use for a child with this key that the game ranked `rank`; lower ranks are
    /// searched first.
    fn rank(&self, rank: i32, key: Key) -> i32;
}

/// An arbitrary order, which shows that results do not depend on the order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByKey;

impl MoveOrdering for ByKey {
    fn rank(&self, _: i32, key: Key) -> i32 {
        (key.0[0] >> 48) as i32
    }
}
