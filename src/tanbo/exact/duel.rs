//! One root a side: the last phase. Stones stay where they are, so a position is where each
//! side can play.
//!
//! What only one side can reach is a number of stones, if counting tells it: the position is
//! what both can reach, with what hangs on it, and two numbers. Equal numbers on both sides may
//! not be left out. Who places its last stone has lost even if the other has nothing left
//! either, so a spare stone each is worth something to both: by trying out all positions of
//! 100,000 small ones, 3.4 % changed when both sides' only spare stone was left out.

use super::mask::Mask;
use super::net::Nets;
use super::rank;
use super::side::Side;
use crate::cpu::{self, Kernel};
use crate::solver::{Child, Key, Next, Solvable};

/// Stands for a spare stone, wherever it is placed.
pub(super) const ELSEWHERE: u16 = u16::MAX;
/// Positions with so many playable points are worth a look by a network: 16 took 2 % more
/// instructions on 17 endings of 20 playable points.
const LARGE: u32 = 18;
/// The rank of a spare stone: they can wait.
const LAST: i32 = 1 << 20;

/// A position with one root a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Duel<M> {
    /// The side to move.
    pub(super) own: Side<M>,
    /// The other side.
    pub(super) other: Side<M>,
    /// Stones that the side to move and the other side can place elsewhere, where nobody else
    /// has a say.
    pub(super) spare: [u32; 2],
    /// See [`Mask`].
    pub(super) stride: u32,
}

impl<M: Mask> Duel<M> {
    /// A position of these sides, with what only one can reach counted.
    #[inline(always)]
    pub(super) fn new(own: Side<M>, other: Side<M>, spare: [u32; 2], stride: u32) -> Self {
        let shared = own.open & other.open;
        let (own, more) = own.counted(shared, stride);
        let (other, other_more) = other.counted(shared, stride);
        Self {
            own,
            other,
            spare: [spare[0] + more, spare[1] + other_more],
            stride,
        }
    }

    /// The rank of a move that leads here, or whether the side to move wins, where counting
    /// tells.
    #[inline(always)]
    pub(super) fn ranked(&self, nets: Option<&Nets>) -> Result<i32, bool> {
        let most = self.most();
        match self.bounds(most) {
            Some(won) => Err(won),
            None => Ok(rank::of_duel(self, most, nets)),
        }
    }

    /// How many stones the side to move and the other side can place at most, but for spare
    /// ones.
    #[inline(always)]
    pub(super) fn most(&self) -> [u32; 2] {
        [self.own.most(self.stride), self.other.most(self.stride)]
    }

    /// Whether the side to move wins, as far as counting tells; `most` are the position's.
    ///
    /// Who can place `g` stones for certain, where the other cannot play, outlives one who can
    /// place no more than `g - 1` (the side to move) or `g` (the other side) at all.
    #[inline(always)]
    pub(super) fn bounds(&self, most: [u32; 2]) -> Option<bool> {
        let stride = self.stride;
        let [own_most, other_most] = [most[0] + self.spare[0], most[1] + self.spare[1]];
        let own_area = self.own.open & !self.other.open;
        if self.own.has(
            own_area,
            (other_most + 1).saturating_sub(self.spare[0]),
            stride,
        ) {
            return Some(true);
        }
        let other_area = self.other.open & !self.own.open;
        if self
            .other
            .has(other_area, own_most.saturating_sub(self.spare[1]), stride)
        {
            return Some(false);
        }
        None
    }

    /// After a move at `point`; whether the side that moved has won, if that ends the game.
    #[inline(always)]
    pub(super) fn play(&self, point: M) -> Result<Self, bool> {
        let stride = self.stride;
        let own = self.own.grown(point, stride);
        if own.legal.is_empty() && self.spare[0] == 0 {
            return Err(false);
        }
        let other = self.other.without(point, stride);
        if other.legal.is_empty() && self.spare[1] == 0 {
            return Err(true);
        }
        let spare = [self.spare[1], self.spare[0]];
        Ok(Self::new(other, own, spare, stride))
    }

    /// After a spare stone, of which there is one.
    #[inline(always)]
    pub(super) fn pass(&self) -> Self {
        Self {
            own: self.other,
            other: self.own,
            spare: [self.spare[1], self.spare[0] - 1],
            stride: self.stride,
        }
    }
}

struct Expand<'a, M: Mask> {
    duel: &'a Duel<M>,
    children: &'a mut Vec<Child<Duel<M>>>,
}

impl<M: Mask> Kernel for Expand<'_, M> {
    type Output = Option<bool>;

    #[inline(always)]
    fn run(self) -> Option<bool> {
        let start = self.children.len();
        let nets = Nets::get().filter(|_| self.duel.size() >= LARGE);
        let mut left = self.duel.own.legal;
        while !left.is_empty() {
            let index = left.lowest();
            left = left.rest();
            match self.duel.play(M::bit(index)) {
                Err(true) => return Some(true),
                Err(false) => {}
                Ok(next) => match next.ranked(nets) {
                    Err(false) => return Some(true),
                    Err(true) => {}
                    Ok(rank) => {
                        let child = Child::new(index as u16, rank, Next::Same(next));
                        self.children.push(child);
                    }
                },
            }
        }
        if self.duel.spare[0] > 0 {
            let next = self.duel.pass();
            match next.bounds(next.most()) {
                Some(false) => return Some(true),
                Some(true) => {}
                None => self
                    .children
                    .push(Child::new(ELSEWHERE, LAST, Next::Same(next))),
            }
        }
        (self.children.len() == start).then_some(false)
    }
}

impl<M: Mask> Solvable for Duel<M> {
    type Move = u16;
    type Later = Self;

    #[inline(always)]
    fn key(&self) -> Key {
        let sets = [
            self.own.legal,
            self.own.open,
            self.other.legal,
            self.other.open,
        ];
        let [[a, e], [b, f], [c, g], [d, h]] = sets.map(M::words);
        let [more, other_more] = self.spare.map(u64::from);
        if M::BITS == 64 {
            Key::of(&[a, b, c, d, more, other_more])
        } else {
            Key::of(&[a, b, c, d, e, f, g, h, more, other_more])
        }
    }

    #[inline(always)]
    fn size(&self) -> u32 {
        (self.own.open | self.other.open).len()
    }

    #[inline]
    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let duel = self;
        cpu::dispatch(Expand { duel, children })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::random::Random;

    const STRIDE: u32 = 8;

    /// Who wins by trying everything, with nothing counted.
    fn wins(own: Side<u64>, other: Side<u64>) -> bool {
        let mut left = own.legal;
        while left != 0 {
            let point = u64::bit(left.lowest());
            left = left.rest();
            let grown = own.grown(point, STRIDE);
            if grown.legal == 0 {
                continue;
            }
            let rest = other.without(point, STRIDE);
            if rest.legal == 0 || !wins(rest, grown) {
                return true;
            }
        }
        false
    }

    fn solved(duel: &Duel<u64>) -> bool {
        let mut children = Vec::new();
        if let Some(won) = duel
            .bounds(duel.most())
            .or_else(|| duel.expand(&mut children))
        {
            return won;
        }
        children.iter().any(|child| match &child.next {
            Next::Same(next) => !solved(next),
            Next::Again(next) => solved(next),
            Next::Later(next) => !solved(next),
        })
    }

    fn side(random: &mut Random) -> Side<u64> {
        let mut points = || {
            let [a, b] = [0; 2].map(|_| u64::from(random.below(1 << 16)));
            let set = a & b;
            set & 15 | (set & 240) << 4 | (set & 3840) << 8 | (set & 61440) << 12
        };
        let legal = points();
        Side::new(legal, points() & !legal, STRIDE)
    }

    #[test]
    fn counting_and_bounds_change_no_result() {
        let mut random = Random::new(4);
        let mut results = [0; 2];
        while results.iter().sum::<u32>() < 20_000 {
            let (own, other) = (side(&mut random), side(&mut random));
            // A legal point has a stone beside it, so no four others.
            let crowded = |side: Side<u64>| {
                let open = side.open;
                side.legal & (open << 1) & (open >> 1) & (open << STRIDE) & (open >> STRIDE) != 0
            };
            let is_real = own.legal != 0 && other.legal != 0 && !crowded(own) && !crowded(other);
            if !is_real || (own.open | other.open).len() > 9 {
                continue;
            }
            let duel = Duel::new(own, other, [0; 2], STRIDE);
            let won = wins(own, other);
            assert_eq!(solved(&duel), won, "{own:?} {other:?}");
            results[usize::from(won)] += 1;
        }
        assert!(results.iter().all(|&count| count > 1000), "{results:?}");
    }
}
