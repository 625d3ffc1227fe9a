//! One root a side: the last phase. Stones stay where they are, so a position is where each
//! side can play.

use super::mask::Mask;
use super::rank;
use super::side::Side;
use crate::cpu::{self, Kernel};
use crate::solver::{Child, Key, Next, Solvable};

/// A position with one root a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Duel<M> {
    /// The side to move.
    pub(super) own: Side<M>,
    /// The other side.
    pub(super) other: Side<M>,
    /// See [`Mask`].
    pub(super) stride: u32,
}

impl<M: Mask> Duel<M> {
    /// Whether the side to move wins, as far as counting tells.
    ///
    /// Who can place `g` stones for certain, where the other cannot play, outlives one who can
    /// place no more than `g - 1` (the side to move) or `g` (the other side) at all.
    #[inline(always)]
    pub(super) fn bounds(&self) -> Option<bool> {
        let stride = self.stride;
        let (own_most, other_most) = (self.own.most(stride), self.other.most(stride));
        let own_area = self.own.open & !self.other.open;
        if own_area.len() > other_most {
            let alone = self.own.within(own_area, stride);
            if alone.open.len() > other_most && alone.some(stride) > other_most {
                return Some(true);
            }
        }
        let other_area = self.other.open & !self.own.open;
        if other_area.len() >= own_most {
            let alone = self.other.within(other_area, stride);
            if alone.open.len() >= own_most && alone.some(stride) >= own_most {
                return Some(false);
            }
        }
        None
    }

    /// After a move at `point`; whether the side that moved has won, if that ends the game.
    #[inline(always)]
    fn play(&self, point: M) -> Result<Self, bool> {
        let stride = self.stride;
        let own = self.own.grown(point, stride);
        if own.legal.is_empty() {
            return Err(false);
        }
        let other = self.other.without(point, stride);
        if other.legal.is_empty() {
            return Err(true);
        }
        Ok(Self {
            own: other,
            other: own,
            stride,
        })
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
        let mut left = self.duel.own.legal;
        while !left.is_empty() {
            let index = left.lowest();
            left = left.rest();
            match self.duel.play(M::bit(index)) {
                Err(true) => return Some(true),
                Err(false) => {}
                Ok(next) => match next.bounds() {
                    Some(false) => return Some(true),
                    Some(true) => {}
                    None => {
                        let rank = rank::of_duel(&next);
                        let child = Child::new(index as u16, rank, Next::Same(next));
                        self.children.push(child);
                    }
                },
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
        if M::BITS == 64 {
            Key::of(&[a, b, c, d])
        } else {
            Key::of(&[a, b, c, d, e, f, g, h])
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
