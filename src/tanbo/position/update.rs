//! Places and lifts stones, and removes roots.

use arrayvec::ArrayVec;

use super::zobrist::STONES;
use super::{CONTACT, Position, Removed, RemovedRoots, SINKS, TAKEN, at, root_of_space};
use crate::board::{Point, PointSet};
use crate::game::Seat;

impl<const W: usize, const SEATS: usize> Position<W, SEATS> {
    /// Plays a stone of `root` on `point`, which is legal for its owner. Returns whether a root may
    /// have lost its last space.
    #[inline(always)]
    pub(super) fn place_stone(&mut self, seat: Seat, point: Point, root: u16) -> bool {
        let own = seat.index() % SEATS;
        let stride = self.size.stride();
        self.stones[own].insert(point);
        self.hash ^= STONES[own][point.index() & 511];
        let contacts = &mut self.contacts[own];
        contacts[point] = TAKEN + CONTACT + root;
        let around = point.around(stride as u16);
        let before = around.map(|q| contacts[q]);
        let mut gained = 0;
        let mut change = 1 << stride;
        for (i, at) in [0, stride - 1, stride + 1, 2 * stride]
            .into_iter()
            .enumerate()
        {
            contacts[around[i]] = before[i].wrapping_add(CONTACT + root);
            gained += u16::from(before[i] == 0);
            // With no contact the point becomes space; with one it stops being space.
            change |= u64::from(before[i] < 2 * CONTACT) << at;
        }
        self.legal[own].toggle_window(around[0], change);
        // Gains come first, so no count passes through zero.
        let space = &mut self.space[at(root)];
        *space = space.wrapping_add(gained).wrapping_sub(1);
        let mut least = *space;
        for (i, before) in before.into_iter().enumerate() {
            least = least.min(self.lose_space(before, i));
        }
        for i in 1..SEATS {
            let other = (own + i) % SEATS;
            let word = &mut self.contacts[other][point];
            let before = *word;
            *word = before | TAKEN;
            self.legal[other].remove(point);
            least = least.min(self.lose_space(before, 3 + i));
        }
        self.reset_sinks();
        least == 0
    }

    /// Takes one point of space from the root whose space holds a point with these contacts, or from
    /// the sink if there is none; returns what is left.
    #[inline(always)]
    fn lose_space(&mut self, contacts: u16, sink: usize) -> u16 {
        let space = &mut self.space[Self::payer(contacts, sink)];
        *space = space.wrapping_sub(1);
        *space
    }

    /// Takes back [`Position::lose_space`].
    #[inline(always)]
    fn gain_space(&mut self, contacts: u16, sink: usize) {
        let space = &mut self.space[Self::payer(contacts, sink)];
        *space = space.wrapping_add(1);
    }

    #[inline(always)]
    fn payer(contacts: u16, sink: usize) -> Point {
        at(contacts
            .wrapping_sub(CONTACT)
            .min((64 * W - SINKS + sink) as u16))
    }

    /// Keeps the sinks away from zero, and equal positions equal.
    #[inline(always)]
    pub(super) fn reset_sinks(&mut self) {
        for sink in 64 * W - SINKS..64 * W {
            self.space[at(sink as u16)] = 1 << 14;
        }
    }

    /// Puts a stone of `root` on any empty point.
    #[inline(always)]
    pub(super) fn add_stone(&mut self, seat: Seat, point: Point, root: u16) {
        let own = seat.index() % SEATS;
        self.stones[own].insert(point);
        self.hash ^= STONES[own][point.index() & 511];
        for s in 0..SEATS {
            let word = &mut self.contacts[s][point];
            let before = *word;
            *word = before | TAKEN;
            self.legal[s].remove(point);
            self.lose_space(before, 4 + s);
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
            self.lose_space(before, i);
            gained += u16::from(before == 0);
            self.legal[own].toggle_if(q, before < 2 * CONTACT);
        }
        let space = &mut self.space[at(root)];
        *space = space.wrapping_add(gained);
        self.reset_sinks();
    }

    /// Undoes [`Position::add_stone`] exactly.
    #[inline(always)]
    pub(super) fn lift_stone(&mut self, seat: Seat, point: Point, root: u16) {
        let own = seat.index() % SEATS;
        let mut lost = 0;
        for (i, q) in point
            .around(self.size.stride() as u16)
            .into_iter()
            .enumerate()
        {
            let word = &mut self.contacts[own][q];
            let after = word.wrapping_sub(CONTACT + root);
            *word = after;
            self.gain_space(after, i);
            lost += u16::from(after == 0);
            self.legal[own].toggle_if(q, after < 2 * CONTACT);
        }
        let space = &mut self.space[at(root)];
        *space = space.wrapping_sub(lost);
        for s in 0..SEATS {
            self.free_point(s, point);
        }
        self.reset_sinks();
        self.stones[own].remove(point);
        self.hash ^= STONES[own][point.index() & 511];
    }

    /// Marks `point` as empty in the tables of colour `s`.
    #[inline(always)]
    fn free_point(&mut self, s: usize, point: Point) {
        let word = &mut self.contacts[s][point];
        let after = *word & !TAKEN;
        *word = after;
        self.gain_space(after, 4 + s);
        self.legal[s].toggle_if(point, after.wrapping_sub(CONTACT) < CONTACT);
    }

    /// The rule for bounded roots: removes the extended root alone, or else all others.
    #[inline(never)]
    pub(super) fn remove_bounded(&mut self, seat: Seat, point: Point, root: u16) -> RemovedRoots {
        let mut removed = ArrayVec::new();
        if self.space[at(root)] == 0 {
            let newest = self.remove_root(seat, root);
            removed.push(Removed { seat, root, newest });
            return removed;
        }
        // Collect them first: removing one may give another its space back.
        let mut doomed = ArrayVec::<(Seat, u16), 6>::new();
        let mut note = |seat: Seat, root: u16| {
            // A removed root has no newest stone, and neither has number 0.
            let bounded = self.space[at(root)] == 0 && self.newest[at(root)] != 0;
            if bounded && !doomed.contains(&(seat, root)) {
                doomed.push((seat, root));
            }
        };
        for &other in &Seat::ALL[..SEATS] {
            if other != seat {
                // The contact word before the stone took the point.
                let loser = root_of_space(self.contacts[other.index()][point] & !TAKEN);
                note(other, loser);
            }
        }
        for q in point.around(self.size.stride() as u16) {
            let before = self.contacts[seat.index()][q].wrapping_sub(CONTACT + root);
            note(seat, root_of_space(before));
        }
        for (seat, root) in doomed {
            let newest = self.remove_root(seat, root);
            removed.push(Removed { seat, root, newest });
        }
        removed
    }

    /// Removes `root`; returns its newest stone.
    pub(super) fn remove_root(&mut self, seat: Seat, root: u16) -> u16 {
        let own = seat.index() % SEATS;
        let stride = self.size.stride();
        let newest = self.newest[at(root)];
        let mut lifted = PointSet::EMPTY;
        let mut stone = newest;
        while stone != 0 {
            let point = at(stone);
            for q in point.around(stride as u16) {
                let word = &mut self.contacts[own][q];
                *word = word.wrapping_sub(CONTACT + root);
            }
            self.contacts[own][point] &= !TAKEN;
            for i in 1..SEATS {
                self.free_point((own + i) % SEATS, point);
            }
            lifted.insert(point);
            self.hash ^= STONES[own][point.index() & 511];
            stone = self.older[point];
        }
        self.stones[own] = self.stones[own].without(lifted);
        // The root's own space goes. Points where it was the second contact become the space of the
        // other root; no stone of another own root was beside the lifted stones.
        let beside = lifted.neighbours(stride);
        self.legal[own] = self.legal[own].without(beside);
        let mut beside = beside.without(lifted);
        for stones in self.stones {
            beside = beside.without(stones);
        }
        beside.iter().for_each(|q| {
            let contacts = self.contacts[own][q];
            self.gain_space(contacts, 0);
            self.legal[own].toggle_if(q, contacts.wrapping_sub(CONTACT) < CONTACT);
        });
        self.reset_sinks();
        self.space[at(root)] = 0;
        self.newest[at(root)] = 0;
        self.roots[own] -= 1;
        newest
    }
}
