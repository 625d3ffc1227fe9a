//! The rules for two players on sets of points: fast enough for the many positions of endings, and
//! nothing of [`crate::tanbo::Position`].

use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

use super::naive_position::NaivePosition;
use crate::board::BoardSize;

/// The side of the largest board whose points fit into a [`Points`].
pub(super) const MAX_SIDE: usize = 10;

/// A set of points: bit `row * (side + 1) + column`. The column that no point has separates the rows.
pub(super) trait Points:
    Copy
    + Eq
    + Hash
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const NONE: Self;
    const ONE: Self;

    fn count(self) -> u32;

    /// The set of the first point; empty if there is none.
    fn first(self) -> Self;

    /// The points in order, each as a set.
    fn each(mut self) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let first = self.first();
            self = self ^ first;
            (first != Self::NONE).then_some(first)
        })
    }
}

macro_rules! points {
    ($word:ty) => {
        impl Points for $word {
            const NONE: Self = 0;
            const ONE: Self = 1;

            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }

            #[inline]
            fn first(self) -> Self {
                self & self.wrapping_neg()
            }
        }
    };
}
points!(u64);
points!(u128);

/// The stones of a position of two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stones<P> {
    /// The side to move.
    pub(super) own: P,
    pub(super) other: P,
}

impl<P: Points> Stones<P> {
    pub(super) fn of(position: &NaivePosition) -> Self {
        let (size, to_move) = (position.size(), position.to_move());
        let mut stones = Self {
            own: P::NONE,
            other: P::NONE,
        };
        for point in size.points() {
            let bit = point.row(size) * (size.side() + 1) + point.column(size);
            let set = P::ONE << bit as u32;
            match position.stone_at(point) {
                Some(seat) if seat == to_move => stones.own = stones.own | set,
                Some(_) => stones.other = stones.other | set,
                None => (),
            }
        }
        stones
    }
}

/// The rules on a board.
pub(super) struct Rules<P> {
    pub(super) board: P,
    /// The bits from a row to the next.
    pub(super) step: u32,
}

impl<P: Points> Rules<P> {
    pub(super) fn new(size: BoardSize) -> Self {
        let side = size.side() as u32;
        let step = side + 1;
        let row = (0..side).fold(P::NONE, |row, column| row | P::ONE << column);
        let board = (0..side).fold(P::NONE, |board, number| board | row << (number * step));
        Self { board, step }
    }

    /// The points where `own` may play: empty, next to exactly one of its stones.
    #[inline]
    pub(super) fn legal(&self, own: P, other: P) -> P {
        let (a, b) = (own << 1, own >> 1);
        let (c, d) = (own << self.step, own >> self.step);
        // An odd number of neighbours, and neither three nor two opposite ones.
        (a ^ b ^ c ^ d) & !(a & b | c & d | own | other) & self.board
    }

    /// How many legal points `own` has more than `other`.
    pub(super) fn lead(&self, own: P, other: P) -> i32 {
        self.legal(own, other).count() as i32 - self.legal(other, own).count() as i32
    }

    #[inline]
    pub(super) fn around(&self, points: P) -> P {
        points << 1 | points >> 1 | points << self.step | points >> self.step
    }

    /// All stones of the roots of `own` that have one of these stones.
    pub(super) fn spread(&self, mut stones: P, own: P) -> P {
        loop {
            let more = (stones | self.around(stones)) & own;
            if more == stones {
                return stones;
            }
            stones = more;
        }
    }

    /// The stones of the roots of `own` that are not bounded.
    fn free(&self, own: P, other: P) -> P {
        self.spread(self.around(self.legal(own, other)) & own, own)
    }

    /// The position after a legal move.
    pub(super) fn play(&self, stones: Stones<P>, at: P) -> Stones<P> {
        let (own, other) = (stones.own | at, stones.other);
        let free = self.free(own, other);
        let (own, other) = if free & at == P::NONE {
            (own & !self.spread(at, own), other)
        } else {
            (free, self.free(other, own))
        };
        let (own, other) = (other, own);
        Stones { own, other }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Seat;
    use crate::tanbo::NamedSetup;
    use crate::util::random::Random;

    /// Plays random games by these rules and by the naive ones.
    fn agrees<P: Points + std::fmt::Debug>(side: usize) {
        let mut random = Random::new(7);
        let size = BoardSize::new(side).unwrap();
        let rules = Rules::<P>::new(size);
        let setup = NamedSetup::Corners.setup(size, 2).unwrap();
        let start = NaivePosition::new(size, Seat::new(0), |point| {
            setup.stones.get(&point).copied()
        });
        for _ in 0..100 {
            let (mut naive, mut stones) = (start.clone(), Stones::<P>::of(&start));
            while naive.winner().is_none() {
                let mut legal = Vec::new();
                naive.legal(&mut legal);
                let ours: Vec<P> = rules.legal(stones.own, stones.other).each().collect();
                assert_eq!(ours.len(), legal.len());
                let number = random.below(legal.len() as u32) as usize;
                naive.play(legal[number]);
                stones = rules.play(stones, ours[number]);
                assert_eq!(stones, Stones::of(&naive), "{}", naive.diagram());
            }
        }
    }

    #[test]
    fn the_rules_are_those_of_the_naive_position() {
        for side in 4..=7 {
            agrees::<u64>(side);
        }
        for side in [4, 8, 9, 10] {
            agrees::<u128>(side);
        }
    }
}
