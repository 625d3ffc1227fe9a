//! Bitboards of the solver, in the smallest word that holds the board.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

use super::symmetry;

/// A set of points in one word. A point is the bit `row * stride + column`. The stride is
/// larger than the side, which leaves a guard column between rows, so a step to a neighbour is a
/// shift.
pub(super) trait Mask:
    Copy
    + Eq
    + Ord
    + Hash
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const EMPTY: Self;
    const BITS: u32;
    fn bit(index: u32) -> Self;
    fn len(self) -> u32;
    /// The index of the lowest point of a set that is not empty.
    fn lowest(self) -> u32;
    /// The low 64 bits and the high 64 bits.
    fn words(self) -> [u64; 2];
    /// The stride of a board with this side; `None` if the board does not fit.
    fn stride(side: usize) -> Option<u32>;
    /// The least of the eight symmetric views of the sets, turned together; or the sets as they
    /// are, where turning costs more than it saves.
    fn canonical<const N: usize>(sets: [Self; N], side: u32) -> [Self; N];

    #[inline(always)]
    fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// The points of the set, each as a set, in ascending order.
    #[inline(always)]
    fn points(mut self) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let lowest = (!self.is_empty()).then(|| Self::bit(self.lowest()))?;
            self ^= lowest;
            Some(lowest)
        })
    }

    /// All points beside a point of the set, some of them perhaps off the board.
    #[inline(always)]
    fn neighbours(self, stride: u32) -> Self {
        self << 1 | self >> 1 | self << stride | self >> stride
    }

    /// The points that are reached from the set by steps within `open`, with the set itself.
    #[inline(always)]
    fn flood(self, open: Self, stride: u32) -> Self {
        let mut reached = self;
        loop {
            let next = reached | reached.neighbours(stride) & open;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }
}

macro_rules! of_word {
    ($word:ty) => {
        const EMPTY: Self = 0;
        const BITS: u32 = <$word>::BITS;
        #[inline(always)]
        fn bit(index: u32) -> Self {
            1 << index
        }
        #[inline(always)]
        fn len(self) -> u32 {
            self.count_ones()
        }
        #[inline(always)]
        fn lowest(self) -> u32 {
            self.trailing_zeros()
        }
    };
}

impl Mask for u64 {
    of_word!(u64);

    #[inline(always)]
    fn words(self) -> [u64; 2] {
        [self, 0]
    }

    fn stride(side: usize) -> Option<u32> {
        // A row in a byte: the symmetries are byte swaps and bit tricks.
        (side <= 7).then_some(8)
    }

    #[inline(always)]
    fn canonical<const N: usize>(sets: [Self; N], side: u32) -> [Self; N] {
        // The first set mostly decides which view is least.
        let views = symmetry::views(sets[0], side);
        let first = views.iter().fold(u64::MAX, |first, &view| first.min(view));
        let mut least = [u64::MAX; N];
        for (turn, &view) in views.iter().enumerate() {
            if view == first {
                let mut turned = sets;
                for set in &mut turned {
                    *set = symmetry::view(*set, side, turn);
                }
                least = least.min(turned);
            }
        }
        least
    }
}

impl Mask for u128 {
    of_word!(u128);

    #[inline(always)]
    fn words(self) -> [u64; 2] {
        [self as u64, (self >> 64) as u64]
    }

    fn stride(side: usize) -> Option<u32> {
        (side <= 10).then_some(side as u32 + 1)
    }

    #[inline(always)]
    fn canonical<const N: usize>(sets: [Self; N], _: u32) -> [Self; N] {
        // On such boards only endings are within reach, which hardly ever match when turned.
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_the_boards_that_they_say() {
        let small = [4, 6, 7, 8, 10].map(<u64 as Mask>::stride);
        assert_eq!(small, [Some(8), Some(8), Some(8), None, None]);
        let large = [8, 9, 10, 11].map(<u128 as Mask>::stride);
        assert_eq!(large, [Some(9), Some(10), Some(11), None]);
        assert_eq!(Mask::words(5u128 | 3 << 70), [5, 3 << 6]);
        assert_eq!(Mask::words(7u64), [7, 0]);
        assert_eq!(<u128 as Mask>::BITS, 128);
    }
}
