//! Which moves are searched first: those that leave the other side the least, by the numbers
//! of points below. The weights were found by climbing on the nodes that 40 positions of 6x6
//! took, 11 plies from `corners` and from the setup one in from the corners.

use super::duel::Duel;
use super::mask::Mask;
use super::side::Side;

/// Weights of the numbers of points of a side.
struct Weights {
    /// Playable points.
    open: i32,
    /// Points where it may move now.
    legal: i32,
    /// No more stones than this can be placed.
    most: i32,
    /// Playable points that the other side cannot play at.
    sole: i32,
    /// Points where it may move now that the other side cannot play at.
    sole_legal: i32,
    /// Points where it may move now beside another such point.
    crowded: i32,
    /// Playable points that a move makes legal.
    near: i32,
    /// Roots.
    roots: i32,
    /// Stones that can be placed where the other side has no say.
    spare: i32,
}

const DUEL: Weights = Weights {
    open: 4,
    legal: 8,
    most: -3,
    sole: -2,
    sole_legal: 3,
    crowded: -4,
    near: 8,
    roots: 0,
    spare: 8,
};

const ROOTS: Weights = Weights {
    open: 2,
    legal: 13,
    most: 0,
    sole: 0,
    sole_legal: 0,
    crowded: -4,
    near: 8,
    roots: -7,
    spare: 0,
};

impl Weights {
    #[inline(always)]
    fn of<M: Mask>(&self, side: Side<M>, other: Side<M>, stride: u32) -> i32 {
        let term = |weight: i32, set: M| {
            if weight == 0 {
                0
            } else {
                weight * set.len() as i32
            }
        };
        let beside = side.legal.beside(stride);
        let mut sum = term(self.open, side.open)
            + term(self.legal, side.legal)
            + term(self.sole, side.open & !other.open)
            + term(self.sole_legal, side.legal & !other.open)
            + term(self.crowded, side.legal & beside)
            + term(self.near, side.open & !side.legal & beside);
        if self.most != 0 {
            sum += self.most * side.most(stride) as i32;
        }
        sum
    }

    #[inline(always)]
    fn difference<M: Mask>(&self, own: Side<M>, other: Side<M>, stride: u32) -> i32 {
        self.of(own, other, stride) - self.of(other, own, stride)
    }
}

/// The rank of a move that leads to this position.
#[inline(always)]
pub(super) fn of_duel<M: Mask>(duel: &Duel<M>) -> i32 {
    let more = duel.spare[0] as i32 - duel.spare[1] as i32;
    DUEL.difference(duel.own, duel.other, duel.stride) + DUEL.spare * more
}

/// The rank of a move that leads to a position with these sides and numbers of roots, the side
/// to move first.
#[inline(always)]
pub(super) fn of_roots<M: Mask>(
    own: Side<M>,
    other: Side<M>,
    roots: [usize; 2],
    stride: u32,
) -> i32 {
    let more = roots[0] as i32 - roots[1] as i32;
    ROOTS.difference(own, other, stride) + ROOTS.roots * more
}
