//! The incremental position. All state that is kept up to date move by move is
//! private to this file; [`Position::check`] recomputes every field of it.
//!
//! # How a move stays cheap
//! Each colour has one *contact* word a point: how many own stones touch the
//! point, the sum of the numbers of their roots, and whether the point is taken.
//! A new stone adds the same amount to the contacts of its four neighbours,
//! whatever is there, and the old word tells what changes: a word of 0 becomes
//! root space, a word with one contact (whose sum is then that root's number)
//! stops being root space, any other means nothing. Writes that must not count
//! go to the root number 0. So a move has no branch but one: is any root that
//! lost space now without?
//!
//! Lifting a stone subtracts what placing it added. Therefore the removal of a
//! root and taking back a move are the same code, and exact.

use arrayvec::ArrayVec;

use super::setup::Start;
use crate::cpu::Bits;
use crate::game::{Game, IllegalMove, MAX_SEATS, Outcome, Seat};
use crate::grid::{BoardSize, PerPoint, Point, PointSet};
use crate::random::{Random, mix};

/// One contact in a contact word: the count is in bits 11 to 13.
const CONTACT: u16 = 1 << 11;
/// The sum of root numbers is in bits 0 to 10: at most 4 * 352.
const SUM: u16 = CONTACT - 1;
/// The point is taken or off the board.
const TAKEN: u16 = 1 << 15;

/// The root whose space a point with this contact word is; 0 where it is none.
#[inline(always)]
fn root_of_space(contacts: u16) -> u16 {
    let one = contacts.wrapping_sub(CONTACT);
    if one < CONTACT { one } else { 0 }
}

/// A table by root number; roots are numbered from 1, number 0 absorbs writes
/// that must not count.
type PerRoot<const W: usize> = PerPoint<u16, W>;

#[inline(always)]
fn at(root: u16) -> Point {
    Point::from_number(root)
}

/// A position of Tanbo that is in play or finished: no root on it is bounded.
///
/// `W` is the number of 64-bit words of its point sets, a power of two: 2 up to
/// 9x9, 4 up to 14x14, 8 above (see [`super::with_position`]). `SEATS` is 2 or 4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position<const W: usize, const SEATS: usize> {
    // Unique: the rest follows from these.
    size: BoardSize,
    stones: [PointSet<W>; SEATS],
    to_move: Seat,
    // Reconstructible from the unique data, up to the numbering of roots.
    legal: [PointSet<W>; SEATS],
    contacts: [PerPoint<u16, W>; SEATS],
    /// Points of space of each root.
    space: PerRoot<W>,
    /// The stone of each root that was placed last; 0 for a removed root.
    newest: PerRoot<W>,
    /// The stone that the same root got before this one; 0 at its first.
    older: PerPoint<u16, W>,
    /// Roots on the board.
    roots: [u16; SEATS],
    hash: u64,
}

/// What [`Position::undo`] needs to take a move back. Only for the position
/// right after that move.
#[derive(Clone, Debug)]
pub struct Undo {
    point: Point,
    root: u16,
    seat: Seat,
    older_before: u16,
    removed: ArrayVec<Removed, 6>,
}

#[derive(Clone, Copy, Debug)]
struct Removed {
    seat: Seat,
    root: u16,
    newest: u16,
}

/// A root on the board, for people and front ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root<const W: usize> {
    /// Whose root it is.
    pub seat: Seat,
    /// Its stones.
    pub stones: PointSet<W>,
    /// The points where its owner could extend it.
    pub space: PointSet<W>,
}

impl<const W: usize, const SEATS: usize> Position<W, SEATS> {
    /// The position that a checked start describes.
    ///
    /// # Panics
    /// If the start does not fit `W` or `SEATS`; [`super::with_position`] chooses them.
    pub fn new(start: &Start) -> Self {
        let setup = start.setup();
        let size = setup.size;
        assert!(fits::<W>(size), "{size}x{size} does not fit {W} words");
        let mut contacts = PerPoint::filled(TAKEN);
        for p in size.points() {
            contacts[p] = 0;
        }
        let mut position = Self {
            size,
            stones: [PointSet::EMPTY; SEATS],
            to_move: setup.to_move,
            legal: [PointSet::EMPTY; SEATS],
            contacts: std::array::from_fn(|_| contacts.clone()),
            space: PerPoint::filled(0),
            newest: PerPoint::filled(0),
            older: PerPoint::filled(0),
            roots: [0; SEATS],
            hash: TO_MOVE[setup.to_move.index()],
        };
        for (i, (seat, root)) in super::setup::roots(setup).into_iter().enumerate() {
            let number = i as u16 + 1;
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

    /// The seat to move; in a finished game the winner.
    #[inline(always)]
    pub fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The stones of a colour.
    #[inline(always)]
    pub fn stones(&self, seat: Seat) -> PointSet<W> {
        self.stones
            .get(seat.index())
            .copied()
            .unwrap_or(PointSet::EMPTY)
    }

    /// The points where a colour could place a stone if it were its turn: the
    /// spaces of all its roots.
    #[inline(always)]
    pub fn legal(&self, seat: Seat) -> PointSet<W> {
        self.legal
            .get(seat.index())
            .copied()
            .unwrap_or(PointSet::EMPTY)
    }

    /// The empty points.
    #[inline(always)]
    pub fn empty(&self) -> PointSet<W> {
        let mut taken = PointSet::EMPTY;
        for stones in self.stones {
            taken |= stones;
        }
        PointSet::board(self.size).without(taken)
    }

    /// How many roots a colour has on the board; 0 if it is out.
    #[inline(always)]
    pub fn root_count(&self, seat: Seat) -> u32 {
        self.roots.get(seat.index()).map_or(0, |&n| u32::from(n))
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

    /// Whose stone lies on `point`.
    pub fn stone_at(&self, point: Point) -> Option<Seat> {
        Seat::ALL[..SEATS]
            .iter()
            .copied()
            .find(|s| self.stones[s.index()].contains(point))
    }

    /// The roots on the board, those of the first colour first, each colour's in
    /// the order of its lowest point.
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

    /// Plays at `point` if the rules allow it.
    ///
    /// # Errors
    /// An illegal point; the position is unchanged.
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
        let some_root_is_bounded = self.add_stone(seat, point, root);
        if some_root_is_bounded {
            self.remove_bounded(&mut undo);
        }
        self.pass_turn(seat);
        self.debug_check();
        undo
    }

    /// Takes back the move that gave `undo`, which must be the last one.
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

    /// Takes all roots of `seat` off the board, who leaves the game; if it was
    /// their turn, the turn passes on. This never bounds anybody: every point
    /// that was somebody's space stays it.
    ///
    /// # Errors
    /// A colour without stones, or a finished game; the position is unchanged.
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

    /// Whether a stone at `point`, which must be legal, would leave the root
    /// that it extends without space.
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

    /// Puts a stone of `root` on `point`; whether a root lost its last space.
    #[inline(always)]
    fn add_stone(&mut self, seat: Seat, point: Point, root: u16) -> bool {
        let own = seat.index();
        self.stones[own].insert(point);
        self.hash ^= STONES[own][point.index() & 511];
        let mut losers = [0; MAX_SEATS + 4];
        for s in 0..SEATS {
            let word = &mut self.contacts[s][point];
            let loser = root_of_space(*word);
            *word |= TAKEN;
            self.legal[s].remove(point);
            losers[s] = loser;
            let space = &mut self.space[at(loser)];
            *space = space.wrapping_sub(1);
        }
        let mut gained = 0;
        for (i, q) in point
            .around(self.size.stride() as u16)
            .into_iter()
            .enumerate()
        {
            let word = &mut self.contacts[own][q];
            let before = *word;
            *word = before.wrapping_add(CONTACT + root);
            let loser = root_of_space(before);
            losers[MAX_SEATS + i] = loser;
            let space = &mut self.space[at(loser)];
            *space = space.wrapping_sub(1);
            gained += u16::from(before == 0);
            // No contact or one: the point becomes space, or stops being it.
            self.legal[own].toggle_if(q, before < 2 * CONTACT);
        }
        let space = &mut self.space[at(root)];
        *space = space.wrapping_add(gained);
        // Keeps the root that absorbs writes away from zero.
        self.space[at(0)] = 1 << 14;
        let mut bounded = self.space[at(root)] == 0;
        for loser in losers {
            bounded |= self.space[at(loser)] == 0;
        }
        bounded
    }

    /// Exactly what undoes [`Position::add_stone`].
    #[inline(always)]
    fn lift_stone(&mut self, seat: Seat, point: Point, root: u16) {
        let own = seat.index();
        let mut lost = 0;
        for q in point.around(self.size.stride() as u16) {
            let word = &mut self.contacts[own][q];
            let after = word.wrapping_sub(CONTACT + root);
            *word = after;
            let gainer = root_of_space(after);
            let space = &mut self.space[at(gainer)];
            *space = space.wrapping_add(1);
            lost += u16::from(after == 0);
            self.legal[own].toggle_if(q, after < 2 * CONTACT);
        }
        let space = &mut self.space[at(root)];
        *space = space.wrapping_sub(lost);
        for s in 0..SEATS {
            let word = &mut self.contacts[s][point];
            *word &= !TAKEN;
            let gainer = root_of_space(*word);
            let space = &mut self.space[at(gainer)];
            *space = space.wrapping_add(1);
            self.legal[s].toggle_if(point, gainer != 0);
        }
        self.space[at(0)] = 1 << 14;
        self.stones[own].remove(point);
        self.hash ^= STONES[own][point.index() & 511];
    }

    /// The rule for bounded roots: the one just extended alone, or else all others.
    #[inline(never)]
    fn remove_bounded(&mut self, undo: &mut Undo) {
        let Undo {
            point, root, seat, ..
        } = *undo;
        if self.space[at(root)] == 0 {
            let newest = self.remove_root(seat, root);
            undo.removed.push(Removed { seat, root, newest });
            return;
        }
        for &other in &Seat::ALL[..SEATS] {
            if other != seat {
                // What the word was before the stone took the point.
                let loser = root_of_space(self.contacts[other.index()][point] & !TAKEN);
                self.remove_if_bounded(other, loser, undo);
            }
        }
        for q in point.around(self.size.stride() as u16) {
            let before = self.contacts[seat.index()][q].wrapping_sub(CONTACT + root);
            self.remove_if_bounded(seat, root_of_space(before), undo);
        }
    }

    fn remove_if_bounded(&mut self, seat: Seat, root: u16, undo: &mut Undo) {
        // A removed root has no newest stone; number 0 never has.
        if self.space[at(root)] == 0 && self.newest[at(root)] != 0 {
            let newest = self.remove_root(seat, root);
            undo.removed.push(Removed { seat, root, newest });
        }
    }

    /// Lifts every stone of `root`; its newest stone.
    fn remove_root(&mut self, seat: Seat, root: u16) -> u16 {
        let newest = self.newest[at(root)];
        let mut stone = newest;
        while stone != 0 {
            self.lift_stone(seat, at(stone), root);
            stone = self.older[at(stone)];
        }
        self.newest[at(root)] = 0;
        self.roots[seat.index()] -= 1;
        newest
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
    fn debug_check(&self) {
        if cfg!(debug_assertions)
            && let Err(fault) = self.check()
        {
            panic!("{fault}");
        }
    }

    /// Recomputes every reconstructible field from the stones.
    ///
    /// # Errors
    /// Names the first field that is not what it should be.
    pub fn check(&self) -> Result<(), String> {
        let fail = |what: &str, point: Point| {
            Err(format!(
                "{what} is wrong at {}",
                crate::vertex::name(point, self.size)
            ))
        };
        let mut hash = TO_MOVE[self.to_move.index()];
        let mut numbers = Vec::new();
        for &seat in &Seat::ALL[..SEATS] {
            let s = seat.index();
            for p in self.stones[s] {
                hash ^= STONES[s][p.index()];
                if Seat::ALL[..s]
                    .iter()
                    .any(|&other| self.stones(other).contains(p))
                {
                    return fail("a point with two stones", p);
                }
            }
            let mut number_at = PerPoint::<u16, W>::filled(0);
            let roots = self.check_roots(seat, &mut number_at)?;
            if roots.len() != usize::from(self.roots[s]) {
                return Err(format!(
                    "{} roots counted, {} kept",
                    roots.len(),
                    self.roots[s]
                ));
            }
            let mut space: Vec<u16> = vec![0; roots.len()];
            for p in self.size.points() {
                let own: Vec<u16> = self
                    .size
                    .neighbours(p)
                    .filter(|&q| self.stones[s].contains(q))
                    .map(|q| number_at[q])
                    .collect();
                let taken = self.stone_at(p).is_some();
                let word = own.iter().sum::<u16>()
                    + own.len() as u16 * CONTACT
                    + if taken { TAKEN } else { 0 };
                if word != self.contacts[s][p] {
                    return fail("the contact word", p);
                }
                let legal = !taken && own.len() == 1;
                if legal != self.legal[s].contains(p) {
                    return fail("legality", p);
                }
                if legal && let Some(i) = roots.iter().position(|&n| n == own[0]) {
                    space[i] += 1;
                }
            }
            if let Some(p) = self.legal[s]
                .without(PointSet::board(self.size))
                .iter()
                .next()
            {
                return Err(format!("{p:?} off the board is legal"));
            }
            for (&root, &count) in roots.iter().zip(&space) {
                if self.space[at(root)] != count || count == 0 {
                    return fail("the space of the root", at(self.newest[at(root)]));
                }
            }
            numbers.extend(roots);
        }
        if hash != self.hash {
            return Err(format!("hash {:x} kept, {hash:x} computed", self.hash));
        }
        numbers.sort_unstable();
        numbers.dedup();
        let total: u16 = self.roots.iter().sum();
        if numbers.len() != usize::from(total) || numbers.first() == Some(&0) {
            return Err("root numbers are not unique".to_string());
        }
        if total == 0 || self.roots[self.to_move.index()] == 0 {
            return Err("the side to move has no root".to_string());
        }
        Ok(())
    }

    /// Walks every list of stones of a colour; its root numbers.
    fn check_roots(
        &self,
        seat: Seat,
        number_at: &mut PerPoint<u16, W>,
    ) -> Result<Vec<u16>, String> {
        let mut numbers = Vec::new();
        let mut listed = PointSet::<W>::EMPTY;
        for root in 1..(64 * W) as u16 {
            let mut stone = self.newest[at(root)];
            if stone == 0 || !self.stones[seat.index()].contains(at(stone)) {
                continue;
            }
            let mut members = PointSet::<W>::EMPTY;
            let first: PointSet<W> = [at(stone)].into_iter().collect();
            while stone != 0 {
                if members.contains(at(stone)) {
                    return Err(format!("the list of root {root} runs in a circle"));
                }
                members.insert(at(stone));
                number_at[at(stone)] = root;
                stone = self.older[at(stone)];
            }
            if members != first.flood(self.stones(seat), self.size.stride()) {
                return Err(format!("the list of root {root} is not its stones"));
            }
            listed |= members;
            numbers.push(root);
        }
        if listed == self.stones(seat) {
            Ok(numbers)
        } else {
            Err("a stone is in no root's list".to_string())
        }
    }
}

/// Whether `W` words hold a board of this size with its guard rows.
pub(super) fn fits<const W: usize>(size: BoardSize) -> bool {
    (size.side() + 2) * size.stride() <= 64 * W
}

impl<const W: usize, const SEATS: usize> Game for Position<W, SEATS> {
    type Move = Point;
    type Undo = Undo;
    const SEATS: usize = SEATS;
    const MOVE_CODES: usize = 64 * W;

    #[inline(always)]
    fn to_move(&self) -> Seat {
        self.to_move
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        self.winner().map(Outcome::Winner)
    }

    #[inline(always)]
    fn moves(&self, moves: &mut Vec<Point>) {
        if self.winner().is_none() {
            moves.extend(self.legal[self.to_move.index()]);
        }
    }

    #[inline(always)]
    fn is_legal(&self, point: Point) -> bool {
        Position::is_legal(self, point)
    }

    #[inline(always)]
    fn play(&mut self, point: Point) -> Undo {
        Position::play(self, point)
    }

    #[inline(always)]
    fn undo(&mut self, undo: Undo) {
        Position::undo(self, undo);
    }

    #[inline(always)]
    fn hash(&self) -> u64 {
        self.hash
    }

    #[inline(always)]
    fn code(point: Point) -> u16 {
        point.number()
    }

    #[inline(always)]
    fn decode(code: u16) -> Point {
        Point::from_number(code)
    }

    #[inline(always)]
    fn random_move<B: Bits>(&self, random: &mut Random) -> Point {
        let legal = &self.legal[self.to_move.index()];
        legal.nth::<B>(random.below(legal.len()))
    }

    #[inline(always)]
    fn is_unwise(&self, point: Point) -> bool {
        self.bounds_its_own_root(point)
    }
}

static STONES: [[u64; 512]; MAX_SEATS] = {
    let mut table = [[0; 512]; MAX_SEATS];
    let mut i = 0;
    while i < MAX_SEATS * 512 {
        table[i / 512][i % 512] = mix(0x7461_6e62_6f00 + i as u64);
        i += 1;
    }
    table
};

static TO_MOVE: [u64; MAX_SEATS] = [
    mix(0x746f_6d6f_7665_00),
    mix(0x746f_6d6f_7665_01),
    mix(0x746f_6d6f_7665_02),
    mix(0x746f_6d6f_7665_03),
];
