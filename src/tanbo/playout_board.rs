//! The position of a random playout: lists of legal points, without undo and hash.
//!
//! # How a move stays cheap
//! The tables are those of [`Position`], which explains the contact word. Instead of bitboards each
//! colour has a list of its legal points, in no order, and the slot of each point in it. So a
//! random move is one list lookup. A point is appended without a branch: it is always
//! written behind the end, and the list grows by 0 or 1. Points also leave the other colours' lists
//! without a branch; leaving the mover's own list takes one. Removing roots appends each point
//! when it may become legal and cleans the list up at the end. Which roots to remove is computed
//! only if some root has no space.
//!
//! Two variants were slower by a tenth to a quarter: leaving stale points in the lists and drawing
//! again when one is hit; removing points from the mover's list without a branch.

use std::hint::select_unpredictable;

use arrayvec::ArrayVec;

use super::position::{CONTACT, COUNT, Position, SUM, TAKEN};
use crate::board::PerPoint;
use crate::cpu::Place;
use crate::game::{Outcome, Playout, Seat};
use crate::util::random::{self, Random};

/// The state of one colour. A slot is valid only while its point is in the list.
// The order of the fields is worth a few percent.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct ColourState<const W: usize> {
    /// The length of the list `legal`.
    moves: usize,
    roots: usize,
    contacts: PerPoint<u16, W>,
    slot: PerPoint<Place<W>, W>,
    legal: PerPoint<Place<W>, W>,
}

/// A position of Tanbo in a random playout, made from a [`Position`]. After the end of the game
/// only the outcome is valid: the last roots are not removed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlayoutBoard<const W: usize, const SEATS: usize> {
    sides: [ColourState<W>; SEATS],
    /// Points of space of each root.
    space: PerPoint<u16, W>,
    /// The newest stone of each root.
    newest: PerPoint<Place<W>, W>,
    /// The stone that the same root got before this one; 0 for its first.
    older: PerPoint<Place<W>, W>,
    stride: u16,
    to_move: usize,
}

/// The root whose space holds a point with this contact word.
#[inline(always)]
fn root_of<const W: usize>(word: u16) -> Place<W> {
    Place::wrap(word & SUM)
}

/// The slot with this number.
#[inline(always)]
fn nth<const W: usize>(slot: usize) -> Place<W> {
    Place::wrap(slot as u16)
}

/// The four neighbours; some may lie off the board.
// With `Point::around` a playout takes a tenth more instructions.
#[inline(always)]
fn around<const W: usize>(point: Place<W>, stride: u16) -> [Place<W>; 4] {
    let number = point.number();
    [
        Place::wrap(number.wrapping_sub(stride)),
        Place::wrap(number.wrapping_sub(1)),
        Place::wrap(number + 1),
        Place::wrap(number + stride),
    ]
}

impl<const W: usize> ColourState<W> {
    /// Writes `point` into a slot behind the end of the list; the caller updates the length.
    #[inline(always)]
    fn append(&mut self, slot: usize, point: Place<W>) {
        self.legal[nth(slot)] = point;
    }

    /// Moves the point in slot `last` to `slot`.
    #[inline(always)]
    fn fill_slot(&mut self, slot: Place<W>, last: usize) {
        let last = self.legal[nth(last)];
        self.legal[slot] = last;
        self.slot[last] = slot;
    }
}

impl<const W: usize, const SEATS: usize> PlayoutBoard<W, SEATS> {
    /// Takes the writes that must not count.
    const NO_ROOT: Place<W> = Place::LAST;

    /// The playout board of a position.
    #[inline(always)]
    pub(crate) fn new(position: &Position<W, SEATS>) -> Self {
        let tables = position.tables();
        let mut board = Self {
            sides: std::array::from_fn(|s| ColourState {
                moves: 0,
                roots: position.root_count(Seat::new(s)) as usize,
                contacts: tables.contacts[s],
                slot: PerPoint::filled(Place::wrap(0)),
                legal: PerPoint::filled(Place::wrap(0)),
            }),
            space: *tables.space,
            newest: tables.newest.map(Place::wrap),
            older: tables.older.map(Place::wrap),
            stride: position.size().stride() as u16,
            to_move: position.to_move().index(),
        };
        for (s, side) in board.sides.iter_mut().enumerate() {
            position.legal(Seat::new(s)).iter().for_each(|point| {
                let point = Place::wrap(point.number());
                side.append(side.moves, point);
                side.slot[point] = nth(side.moves);
                side.moves += 1;
            });
        }
        board
    }

    /// After a move that left a root without space: removes the bounded roots and returns the outcome
    /// of the game, if it has ended. The caller passes the turn.
    #[inline(never)]
    fn remove_bounded(&mut self, me: usize, point: Place<W>) -> Option<Outcome> {
        let root = root_of(self.sides[me & (SEATS - 1)].contacts[point]);
        let mut bounded = ArrayVec::<_, 8>::new();
        if self.space[root] == 0 {
            bounded.push((me, root));
        } else {
            // A neighbour with two contacts has just got the second one.
            let contacts = &self.sides[me & (SEATS - 1)].contacts;
            for q in around(point, self.stride) {
                let word = contacts[q];
                if word >> COUNT == 2 {
                    bounded.push((me, root_of(word - root.number())));
                }
            }
            for i in 1..SEATS {
                let other = (me + i) & (SEATS - 1);
                let word = self.sides[other].contacts[point] & !TAKEN;
                if word >> COUNT == 1 {
                    bounded.push((other, root_of(word)));
                }
            }
            bounded.retain(|&mut (_, root)| self.space[root] == 0);
            bounded.sort_unstable();
            let mut before = Place::wrap(0);
            bounded.retain(|&mut (_, root)| std::mem::replace(&mut before, root) != root);
        }
        for &(own, _) in &bounded {
            self.sides[own & (SEATS - 1)].roots -= 1;
        }
        let outcome = self.outcome();
        // After the end of the game nothing reads the board.
        if outcome.is_none() {
            self.remove_roots(&bounded);
        }
        outcome
    }

    /// Removes these roots at once.
    #[inline(always)]
    fn remove_roots(&mut self, roots: &[(usize, Place<W>)]) {
        let before: [usize; SEATS] = std::array::from_fn(|s| self.sides[s].moves);
        // A point is appended when it is empty with one contact, which happens at most once.
        for &(own, root) in roots {
            let own = own & (SEATS - 1);
            let mut point = self.newest[root];
            while point.number() != 0 {
                for i in 1..SEATS {
                    let theirs = &mut self.sides[(own + i) & (SEATS - 1)];
                    let word = theirs.contacts[point] & !TAKEN;
                    theirs.contacts[point] = word;
                    theirs.append(theirs.moves, point);
                    theirs.moves += usize::from(word >> COUNT == 1);
                }
                let mine = &mut self.sides[own];
                mine.contacts[point] &= !TAKEN;
                for q in around(point, self.stride) {
                    let word = mine.contacts[q].wrapping_sub(CONTACT + root.number());
                    mine.contacts[q] = word;
                    mine.append(mine.moves, q);
                    mine.moves += usize::from(word >> COUNT == 1);
                }
                point = self.older[point];
            }
        }
        // Points that still have one contact stay; the others have none left.
        for (side, before) in self.sides.iter_mut().zip(before) {
            let mut moves = before;
            for i in before..side.moves {
                let point = side.legal[nth(i)];
                let word = side.contacts[point];
                side.append(moves, point);
                side.slot[point] = nth(moves);
                moves += usize::from(word >> COUNT);
                self.space[root_of(word)] += word >> COUNT;
            }
            side.moves = moves;
        }
    }

    /// Passes the turn to the next seat with stones. While the game runs no root is bounded, so a
    /// seat with stones has a move.
    #[inline(always)]
    fn pass_turn(&mut self, me: usize) {
        for i in 1..=SEATS {
            self.to_move = (me + i) & (SEATS - 1);
            if self.sides[self.to_move].roots > 0 {
                break;
            }
        }
    }

    /// The legal point chosen by 32 random bits.
    #[inline(always)]
    fn drawn(&self, me: usize, bits: u32) -> Place<W> {
        let side = &self.sides[me & (SEATS - 1)];
        side.legal[nth(random::scale(bits, side.moves as u32) as usize)]
    }

    #[inline(always)]
    fn bounds_its_own_root(&self, me: usize, point: Place<W>) -> bool {
        let contacts = &self.sides[me & (SEATS - 1)].contacts;
        let own = contacts[point];
        let mut space = self.space[root_of(own)].wrapping_sub(1);
        for q in around(point, self.stride) {
            let word = contacts[q];
            // The same word means one contact, with the same root.
            space = space
                .wrapping_add(u16::from(word == 0))
                .wrapping_sub(u16::from(word == own));
        }
        space == 0
    }

    /// Plays a legal point; returns whether some root has no space now.
    #[inline(always)]
    fn play_for(&mut self, me: usize, point: Place<W>) -> bool {
        let me = me & (SEATS - 1);

        // The point is no longer legal for the other colours. If it was not legal before, all
        // writes are harmless.
        let mut is_bounded = false;
        for i in 1..SEATS {
            let other = (me + i) & (SEATS - 1);
            let theirs = &mut self.sides[other];
            let word = theirs.contacts[point];
            theirs.contacts[point] = word | TAKEN;
            let was_legal = word >> COUNT == 1;
            let end = theirs.moves;
            theirs.moves = end - usize::from(was_legal);
            let slot = select_unpredictable(was_legal, theirs.slot[point], nth(end));
            let last = theirs.legal[nth(end.wrapping_sub(1))];
            let last = select_unpredictable(was_legal, last, point);
            theirs.legal[slot] = last;
            theirs.slot[last] = slot;
            let loser = select_unpredictable(was_legal, root_of(word), Self::NO_ROOT);
            let left = self.space[loser].wrapping_sub(u16::from(was_legal));
            self.space[loser] = left;
            is_bounded |= left == 0;
        }

        // It is no longer legal for the mover either.
        let mine = &mut self.sides[me];
        let mut moves = mine.moves - 1;
        let word = mine.contacts[point];
        let root = root_of(word);
        mine.contacts[point] = word | TAKEN;
        mine.fill_slot(mine.slot[point], moves);
        self.older[point] = self.newest[root];
        self.newest[root] = point;

        let mut gained = 0;
        let around = around(point, self.stride);
        let before = around.map(|q| mine.contacts[q]);
        for (q, word) in around.into_iter().zip(before) {
            mine.contacts[q] = word.wrapping_add(CONTACT + root.number());
            // The first contact makes a point legal.
            let slot = mine.slot[q];
            mine.slot[q] = nth(moves);
            mine.append(moves, q);
            moves += usize::from(word == 0);
            gained += u16::from(word == 0);
            // The second contact takes it away again, perhaps from another root.
            if word >> COUNT == 1 {
                moves -= 1;
                mine.fill_slot(slot, moves);
                let left = self.space[root_of(word)].wrapping_sub(1);
                self.space[root_of(word)] = left;
                is_bounded |= left == 0;
            }
        }
        mine.moves = moves;
        let space = self.space[root].wrapping_add(gained).wrapping_sub(1);
        self.space[root] = space;
        is_bounded | (space == 0)
    }

    /// Draws a move with 32 random bits; draws again, up to `redraws` times, while it bounds the root
    /// that it extends.
    #[inline(always)]
    fn draw_and_play(
        &mut self,
        me: usize,
        bits: u32,
        redraws: u64,
        random: &mut Random,
    ) -> (Place<W>, bool) {
        let mut point = self.drawn(me, bits);
        for _ in 0..redraws {
            if !self.bounds_its_own_root(me, point) {
                break;
            }
            point = self.drawn(me, (random.bits() >> 32) as u32);
        }
        let is_bounded = self.play_for(me, point);
        (point, is_bounded)
    }

    /// One move of a game of two seats; returns the outcome if the game has ended. The caller passes
    /// the turn.
    #[inline(always)]
    fn turn(
        &mut self,
        me: usize,
        bits: u32,
        redraws: u64,
        random: &mut Random,
        after: &mut impl FnMut(Seat, u16),
    ) -> Option<Outcome> {
        let (point, is_bounded) = self.draw_and_play(me, bits, redraws, random);
        after(Seat::ALL[me], point.number());
        if is_bounded {
            self.remove_bounded(me, point)
        } else {
            None
        }
    }

    #[inline(always)]
    fn seat(&self) -> Seat {
        Seat::ALL[self.to_move & (SEATS - 1)]
    }

    /// The outcome; `None` while the game runs.
    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        let mut alive = (0..SEATS).filter(|&s| self.sides[s].roots > 0);
        let winner = alive.next()?;
        let is_over = alive.next().is_none();
        is_over.then(|| Outcome::Winner(Seat::ALL[winner]))
    }

    /// One move of a running game; returns the point.
    #[inline(always)]
    fn play_random(&mut self, redraws: u64, random: &mut Random) -> u16 {
        let me = self.to_move;
        let bits = (random.bits() >> 32) as u32;
        let (point, is_bounded) = self.draw_and_play(me, bits, redraws, random);
        if is_bounded {
            self.remove_bounded(me, point);
        }
        self.pass_turn(me);
        point.number()
    }
}

impl<const W: usize, const SEATS: usize> Playout for PlayoutBoard<W, SEATS> {
    #[inline(always)]
    fn finish(
        &mut self,
        redraws: u64,
        random: &mut Random,
        mut after: impl FnMut(Seat, u16),
    ) -> Outcome {
        if SEATS > 2 {
            loop {
                if let Some(outcome) = self.outcome() {
                    return outcome;
                }
                let seat = self.seat();
                after(seat, self.play_random(redraws, random));
            }
        }
        // Two seats alternate to the end, and the game ends only when a root is removed. With the
        // seat as a constant no address depends on the turn, and 64 random bits serve both moves.
        let mut outcome = self.outcome();
        if self.to_move == 1 && outcome.is_none() {
            let bits = random.bits() as u32;
            outcome = self.turn(1, bits, redraws, random, &mut after);
        }
        loop {
            if let Some(outcome) = outcome {
                return outcome;
            }
            let bits = random.bits();
            outcome = self.turn(0, (bits >> 32) as u32, redraws, random, &mut after);
            if outcome.is_none() {
                outcome = self.turn(1, bits as u32, redraws, random, &mut after);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Point, PointSet};
    use crate::game::Game;
    use crate::tanbo::{NamedSetup, Start, diagram};

    fn compare<const W: usize, const SEATS: usize>(
        board: &PlayoutBoard<W, SEATS>,
        position: &Position<W, SEATS>,
    ) {
        assert_eq!(board.outcome(), position.outcome());
        if board.outcome().is_some() {
            return;
        }
        assert_eq!(board.seat(), position.to_move());
        for (s, side) in board.sides.iter().enumerate() {
            let mut listed = PointSet::EMPTY;
            for slot in (0..side.moves).map(nth) {
                let point = side.legal[slot];
                assert_eq!(side.slot[point], slot);
                listed.insert(Point::from_number(point.number()));
            }
            assert_eq!(listed, position.legal(Seat::new(s)));
            assert_eq!(side.moves, listed.len() as usize);
            assert_eq!(side.roots, position.root_count(Seat::new(s)) as usize);
        }
        assert_eq!(&board.space, position.tables().space);
        let contacts = board.sides.map(|side| side.contacts);
        assert_eq!(&contacts, position.tables().contacts);
    }

    /// Checks that the moves of a playout form a legal game.
    fn finish<const W: usize, const SEATS: usize>(
        board: &PlayoutBoard<W, SEATS>,
        position: &Position<W, SEATS>,
        random: &mut Random,
    ) {
        let mut moves = Vec::new();
        let mut board = *board;
        let redraws = random.below(3).into();
        let outcome = board.finish(redraws, random, |seat, code| moves.push((seat, code)));
        let mut position = position.clone();
        for (seat, code) in moves {
            assert_eq!((position.outcome(), position.to_move()), (None, seat));
            assert!(position.legal(seat).contains(Point::from_number(code)));
            position.play(Point::from_number(code));
        }
        assert_eq!(position.outcome(), Some(outcome));
    }

    fn lockstep<const W: usize, const SEATS: usize>(side: usize, named: NamedSetup, games: u64) {
        compare_games::<W, SEATS>(&named.start(side, SEATS), games);
    }

    /// Plays random games on both; now and then makes the board anew, as for a leaf.
    fn compare_games<const W: usize, const SEATS: usize>(start: &Start, games: u64) {
        let start = Position::<W, SEATS>::new(start);
        for game in 0..games {
            let mut random = Random::part(start.size().side() as u64, game);
            let mut position = start.clone();
            let mut board = position.playout();
            compare(&board, &position);
            while position.outcome().is_none() {
                let seat = position.to_move();
                for point in position.legal(seat) {
                    assert_eq!(
                        board.bounds_its_own_root(seat.index(), Place::wrap(point.number())),
                        position.bounds_its_own_root(point)
                    );
                }
                let redraws = u64::from(random.below(4));
                let code = board.play_random(redraws, &mut random);
                position.play(Point::from_number(code));
                compare(&board, &position);
                if random.below(50) == 0 {
                    board = position.playout();
                    compare(&board, &position);
                    finish(&board, &position, &mut random);
                }
            }
        }
    }

    #[test]
    fn agrees_with_the_position() {
        lockstep::<2, 2>(7, NamedSetup::Dense, 60);
        lockstep::<2, 2>(9, NamedSetup::Classic, 40);
        lockstep::<4, 2>(13, NamedSetup::Classic, 6);
        lockstep::<8, 2>(19, NamedSetup::Classic, 2);
        lockstep::<8, 4>(19, NamedSetup::Classic, 3);
    }

    #[test]
    fn agrees_with_the_position_of_three_players() {
        let text = "X.O.R\n.....\nR.X.O\n.....\nO.R.X\n";
        let setup = diagram::parse(text).unwrap();
        compare_games::<8, 4>(&setup.check(None).unwrap(), 60);
    }
}
