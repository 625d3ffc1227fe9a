//! The incremental position. All incremental state is private to this module;
//! [`Position::check`] recomputes every field of it.
//!
//! # How a move stays cheap
//! Each colour has a *contact word* for each point: the number of own stones that touch the point,
//! the sum of the numbers of their roots, and whether the point is taken. A new stone adds the same
//! amount to the contact words of its four neighbours, whatever lies there. The old word tells what
//! changes: a word of 0 becomes root space; a word with one contact, whose sum is the number of
//! that root, stops being root space; for any other word nothing changes. Writes that must not
//! count go to *sinks* behind the roots, a separate one for each write of a move. So a move has
//! one branch, "is a root without space now?", and its writes do not wait for each other.
//!
//! Lifting a stone subtracts exactly what placing it added, so undo is exact. When a whole root is
//! removed, the points beside it are decided once, at the end.

mod check;
mod symmetry;
#[cfg(test)]
mod tests;
mod update;
mod zobrist;

use arrayvec::ArrayVec;

use self::zobrist::TO_MOVE;
use super::setup::Start;
use crate::board::{BoardSize, PerPoint, Point, PointSet};
use crate::game::{IllegalMove, Seat};

/// One contact in a contact word; bits 11 to 13 hold the count.
pub(super) const CONTACT: u16 = 1 << COUNT;
/// A contact word without [`TAKEN`], shifted right by this, is the count.
pub(super) const COUNT: u32 = 11;
/// Bits 0 to 10 hold the sum of root numbers, at most 4 * 352.
pub(super) const SUM: u16 = CONTACT - 1;
/// The point is taken or off the board.
pub(super) const TAKEN: u16 = 1 << 15;

/// The root whose space holds a point with this contact word; 0 if none does.
#[inline(always)]
fn root_of_space(contacts: u16) -> u16 {
    let one = contacts.wrapping_sub(CONTACT);
    if one < CONTACT { one } else { 0 }
}

/// The last entries of the space table are sinks, which take the writes that must not count. Each
/// write of a move has its own, so no write waits for another.
const SINKS: usize = 8;

/// A multiplier that mixes bits: an odd number near 2^64 divided by the golden ratio (Knuth, "The
/// Art of Computer Programming", volume 3).
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// A table indexed by root numbers, which start at 1.
type PerRoot<const W: usize> = PerPoint<u16, W>;

#[inline(always)]
pub(super) fn at(root: u16) -> Point {
    Point::from_number(root)
}

/// A position of Tanbo, in play or finished. None of its roots is bounded.
///
/// `W` is the number of 64-bit words of its point sets, a power of two: 2 up to
/// 9x9, 4 up to 14x14, 8 above (see `with_position!` in the parent module). `SEATS` is 2 or 4.
///
/// ```
/// use tanada::BoardSize;
/// use tanada::tanbo::{NamedSetup, Position};
///
/// let start = NamedSetup::Classic.setup(BoardSize::new(9)?, 2)?.check(None)?;
/// // Two 64-bit words hold a board of 9x9; two seats.
/// let mut position = Position::<2, 2>::new(&start);
/// let hash = position.hash();
/// let points = position.legal(position.to_move());
/// for point in points.iter().take(1) {
///     let undo = position.try_play(point)?;
///     position.undo(undo);
/// }
/// assert_eq!(position.hash(), hash);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position<const W: usize, const SEATS: usize> {
    // The other fields follow from these, up to the numbering of the roots.
    size: BoardSize,
    /// All points of the board; computing it takes as long as a move.
    board: PointSet<W>,
    stones: [PointSet<W>; SEATS],
    to_move: Seat,
    legal: [PointSet<W>; SEATS],
    contacts: [PerPoint<u16, W>; SEATS],
    /// The number of points of root space of each root.
    space: PerRoot<W>,
    /// The newest stone of each root; 0 for a removed root.
    newest: PerRoot<W>,
    /// The stone that the same root got before this one; 0 for its first.
    older: PerPoint<u16, W>,
    /// The number of roots of each colour.
    roots: [u16; SEATS],
    /// The root numbers that each colour began with: from the first to below the second.
    root_numbers: [(u16, u16); SEATS],
    hash: u64,
}

/// What [`Position::undo`] needs to take back a move, right after that move.
#[derive(Clone, Debug)]
pub struct Undo {
    point: Point,
    root: u16,
    seat: Seat,
    older_before: u16,
    removed: RemovedRoots,
}

/// A move takes space from at most six roots.
type RemovedRoots = ArrayVec<Removed, 6>;

impl Undo {
    /// Whether the move removed no root.
    #[inline(always)]
    pub fn is_quiet(&self) -> bool {
        self.removed.is_empty()
    }
}

#[derive(Clone, Copy, Debug)]
struct Removed {
    seat: Seat,
    root: u16,
    newest: u16,
}

/// What a playout board copies.
pub(super) struct Tables<'a, const W: usize, const SEATS: usize> {
    pub(super) contacts: &'a [PerPoint<u16, W>; SEATS],
    pub(super) space: &'a PerRoot<W>,
    pub(super) newest: &'a PerRoot<W>,
    pub(super) older: &'a PerPoint<u16, W>,
}

/// A root on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root<const W: usize> {
    /// Whose root it is.
    pub seat: Seat,
    /// Its stones.
    pub stones: PointSet<W>,
    /// Its root space.
    pub space: PointSet<W>,
}

impl<const W: usize, const SEATS: usize> Position<W, SEATS> {
    /// The position of a start.
    ///
    /// # Panics
    /// If the start does not fit `W` or `SEATS`; `with_position!` in the parent module chooses them.
    pub fn new(start: &Start) -> Self {
        let setup = start.setup();
        let size = setup.size;
        assert!(fits::<W>(size), "{size}x{size} does not fit {W} words");
        Self::of_roots(size, setup.to_move, super::setup::roots(setup))
    }

    /// The position with these roots: their seats and stones.
    fn of_roots(size: BoardSize, to_move: Seat, mut roots: Vec<(Seat, Vec<Point>)>) -> Self {
        let mut contacts = PerPoint::filled(TAKEN);
        for p in size.points() {
            contacts[p] = 0;
        }
        let mut position = Self {
            size,
            board: PointSet::board(size),
            stones: [PointSet::EMPTY; SEATS],
            to_move,
            legal: [PointSet::EMPTY; SEATS],
            contacts: [contacts; SEATS],
            space: PerPoint::filled(0),
            newest: PerPoint::filled(0),
            older: PerPoint::filled(0),
            roots: [0; SEATS],
            root_numbers: [(1, 1); SEATS],
            hash: TO_MOVE[to_move.index()],
        };
        position.reset_sinks();
        roots.sort_by_key(|(seat, _)| *seat);
        for (i, (seat, root)) in roots.into_iter().enumerate() {
            let number = i as u16 + 1;
            assert!(usize::from(number) < 64 * W - SINKS, "too many roots");
            if position.roots[seat.index()] == 0 {
                position.root_numbers[seat.index()].0 = number;
            }
            position.root_numbers[seat.index()].1 = number + 1;
            position.roots[seat.index()] += 1;
            for p in root {
                position.add_stone(seat, p, number);
                position.older[p] = position.newest[at(number)];
                position.newest[at(number)] = p.number();
            }
        }
        position.debug_check();
        position
    }

    /// The size of the board.
    #[inline(always)]
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// The seat to move; in a finished game, the winner.
    #[inline(always)]
    pub fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The stones of a colour.
    #[inline(always)]
    pub fn stones(&self, seat: Seat) -> PointSet<W> {
        let stones = self.stones.get(seat.index());
        stones.copied().unwrap_or(PointSet::EMPTY)
    }

    /// The points where a colour could play if it were its turn: the root space of all its roots.
    #[inline(always)]
    pub fn legal(&self, seat: Seat) -> PointSet<W> {
        let legal = self.legal.get(seat.index());
        legal.copied().unwrap_or(PointSet::EMPTY)
    }

    /// The empty points.
    #[inline(always)]
    pub fn empty(&self) -> PointSet<W> {
        let mut taken = PointSet::EMPTY;
        for stones in self.stones {
            taken |= stones;
        }
        self.board.without(taken)
    }

    /// The number of roots of a colour; 0 if it is out.
    #[inline(always)]
    pub fn root_count(&self, seat: Seat) -> u32 {
        self.roots.get(seat.index()).map_or(0, |&n| u32::from(n))
    }

    /// The numbers of roots of a colour with one, two and three points of root space.
    #[inline(always)]
    pub(in crate::tanbo) fn weak_roots(&self, seat: Seat) -> [u16; 3] {
        let (first, end) = self.root_numbers[seat.index() % SEATS];
        let mut weak = [0; 3];
        for root in first..end {
            let space = self.space[at(root)];
            for (i, count) in weak.iter_mut().enumerate() {
                *count += u16::from(space == i as u16 + 1);
            }
        }
        weak
    }

    /// The winner of a finished game.
    #[inline]
    pub fn winner(&self) -> Option<Seat> {
        let mut alive = Seat::ALL[..SEATS]
            .iter()
            .filter(|s| self.roots[s.index()] > 0);
        let first = alive.next().copied();
        if alive.next().is_some() { None } else { first }
    }

    /// Whether the seat to move may play at `point`.
    #[inline]
    pub fn is_legal(&self, point: Point) -> bool {
        self.winner().is_none() && self.legal[self.to_move.index()].contains(point)
    }

    /// The Zobrist hash of stones and side to move (Zobrist, 1970).
    #[inline(always)]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    #[inline(always)]
    pub(super) fn tables(&self) -> Tables<'_, W, SEATS> {
        Tables {
            contacts: &self.contacts,
            space: &self.space,
            newest: &self.newest,
            older: &self.older,
        }
    }

    /// The owner of the stone on `point`.
    pub fn stone_at(&self, point: Point) -> Option<Seat> {
        Seat::ALL[..SEATS]
            .iter()
            .copied()
            .find(|s| self.stones[s.index()].contains(point))
    }

    /// The roots on the board, by colour and then by lowest point.
    pub fn roots(&self) -> Vec<Root<W>> {
        let stride = self.size.stride();
        let mut roots = Vec::new();
        for &seat in &Seat::ALL[..SEATS] {
            let all = self.stones(seat);
            let mut left = all;
            while let Some(p) = left.iter().next() {
                let stones = [p].into_iter().collect::<PointSet<W>>().flood(all, stride);
                left = left.without(stones);
                let space = stones.neighbours(stride) & self.legal(seat);
                roots.push(Root {
                    seat,
                    stones,
                    space,
                });
            }
        }
        roots
    }

    /// Plays at `point`.
    ///
    /// # Errors
    /// The move is illegal; the position is unchanged.
    pub fn try_play(&mut self, point: Point) -> Result<Undo, IllegalMove> {
        if self.is_legal(point) {
            Ok(self.play(point))
        } else {
            Err(IllegalMove)
        }
    }

    /// Plays at `point`, which must be legal.
    #[inline(always)]
    pub fn play(&mut self, point: Point) -> Undo {
        debug_assert!(self.is_legal(point), "{point:?} is not legal");
        let seat = self.to_move;
        let root = self.contacts[seat.index()][point] & SUM;
        let mut undo = Undo {
            point,
            root,
            seat,
            older_before: self.older[point],
            removed: ArrayVec::new(),
        };
        self.older[point] = self.newest[at(root)];
        self.newest[at(root)] = point.number();
        if self.place_stone(seat, point, root) {
            undo.removed = self.remove_bounded(seat, point, root);
            self.pass_turn(seat);
        } else if SEATS == 2 {
            self.hash ^= TO_MOVE[0] ^ TO_MOVE[1];
            self.to_move = seat.other();
        } else {
            self.pass_turn(seat);
        }
        self.debug_check();
        undo
    }

    /// Takes back the last move, which returned `undo`.
    #[inline(always)]
    pub fn undo(&mut self, undo: Undo) {
        self.set_to_move(undo.seat);
        for removed in undo.removed.iter().rev() {
            self.newest[at(removed.root)] = removed.newest;
            self.roots[removed.seat.index()] += 1;
            let mut stone = removed.newest;
            while stone != 0 {
                self.add_stone(removed.seat, at(stone), removed.root);
                stone = self.older[at(stone)];
            }
        }
        self.lift_stone(undo.seat, undo.point, undo.root);
        self.newest[at(undo.root)] = self.older[undo.point];
        self.older[undo.point] = undo.older_before;
        self.debug_check();
    }

    /// Removes all roots of `seat`, who leaves the game; if it was their turn, it passes. This
    /// bounds no other root, because no point of root space is lost.
    ///
    /// # Errors
    /// The colour has no stones, or the game is over; the position is unchanged.
    pub fn leave(&mut self, seat: Seat) -> Result<(), IllegalMove> {
        if self.winner().is_some() || self.root_count(seat) == 0 {
            return Err(IllegalMove);
        }
        for root in 1..(64 * W) as u16 {
            let newest = self.newest[at(root)];
            if newest != 0 && self.stones[seat.index()].contains(at(newest)) {
                self.remove_root(seat, root);
            }
        }
        if self.to_move == seat {
            self.pass_turn(seat);
        }
        self.debug_check();
        Ok(())
    }

    /// The same stones with another seat to move, which must have stones.
    pub(in crate::tanbo) fn with_to_move(&self, seat: Seat) -> Self {
        let mut position = self.clone();
        position.set_to_move(seat);
        position
    }

    /// Whether a stone at `point`, which must be legal, would bound the root that it extends.
    #[inline(always)]
    pub fn bounds_its_own_root(&self, point: Point) -> bool {
        let contacts = &self.contacts[self.to_move.index()];
        let root = contacts[point] & SUM;
        let mut space = self.space[at(root)].wrapping_sub(1);
        for q in point.around(self.size.stride() as u16) {
            let t = contacts[q];
            space = space
                .wrapping_add(u16::from(t == 0))
                .wrapping_sub(u16::from(root_of_space(t) == root));
        }
        space == 0
    }

    /// The points of root space of the root that a stone of `seat` at `point`, which must be legal,
    /// would extend.
    #[inline(always)]
    pub(in crate::tanbo) fn space_of_root_beside(&self, seat: Seat, point: Point) -> u16 {
        self.space[at(self.contacts[seat.index()][point] & SUM)]
    }

    /// The stones of that root, newest first.
    #[inline(always)]
    pub(in crate::tanbo) fn stones_of_root_beside(
        &self,
        seat: Seat,
        point: Point,
    ) -> impl Iterator<Item = Point> {
        let mut stone = self.newest[at(self.contacts[seat.index()][point] & SUM)];
        std::iter::from_fn(move || {
            let found = (stone != 0).then(|| at(stone))?;
            stone = self.older[found];
            Some(found)
        })
    }

    /// All points of the board.
    #[inline(always)]
    pub(in crate::tanbo) fn board(&self) -> PointSet<W> {
        self.board
    }

    /// Hashes the point of the last move and the 5x5 window around it: the stones and the legal
    /// points of both sides.
    #[inline(always)]
    pub(super) fn local_pattern(&self, last: Point) -> u64 {
        let stride = self.size.stride() as u16;
        let (seat, other) = (self.to_move.index(), (self.to_move.index() + 1) % SEATS);
        let sets = [
            &self.stones[seat],
            &self.stones[other],
            &self.legal[seat],
            &self.legal[other],
        ];
        // Columns beyond an edge belong to other rows, so mask them out; rows beyond an edge are
        // guards, and so are the numbers after the last and before 0.
        let (side, column) = (self.size.side(), last.column(self.size));
        let inside = 0b11111 << 2usize.saturating_sub(column) & ((1 << (side + 2 - column)) - 1);
        let lowest = last.number().wrapping_sub(2 * stride + 2);
        // Above the 25 bits that follow.
        let mut hash = u64::from(last.number()) << 25;
        for set in sets {
            let mut bits = 0;
            for row in 0..5 {
                let start = lowest.wrapping_add(row * stride);
                bits = bits << 5 | set.window(start, 5) & inside;
            }
            hash = (hash ^ bits).wrapping_mul(MIX).rotate_left(29);
        }
        hash.wrapping_mul(MIX) >> 32
    }

    #[inline(always)]
    fn pass_turn(&mut self, seat: Seat) {
        let mut next = seat.index();
        for _ in 0..SEATS {
            next = (next + 1) % SEATS;
            if self.roots[next] > 0 {
                break;
            }
        }
        self.set_to_move(Seat::new(next));
    }

    #[inline(always)]
    fn set_to_move(&mut self, seat: Seat) {
        self.hash ^= TO_MOVE[self.to_move.index()] ^ TO_MOVE[seat.index()];
        self.to_move = seat;
    }

    #[inline(always)]
    #[allow(clippy::panic, reason = "only debug builds check")]
    fn debug_check(&self) {
        if cfg!(debug_assertions)
            && let Err(fault) = self.check()
        {
            panic!("{fault}");
        }
    }
}

/// Whether `W` words hold a board of this size with its guards.
pub(super) fn fits<const W: usize>(size: BoardSize) -> bool {
    (size.side() + 2) * size.stride() <= 64 * W
}
