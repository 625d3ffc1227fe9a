//! Which moves are searched first: those that leave the other side the least, by the numbers
//! of points below. The weights were found by climbing on the nodes (their geometric mean) that
//! 29 endings of 6x6 and 7x7 with 20 playable points took, from what climbing on 40 positions of
//! 6x6, 11 plies from the start, had found.

use super::duel::Duel;
use super::mask::Mask;
use super::net::{Camp, Nets};
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
    /// With two roots: points where the one with fewer of them may grow now.
    weak: i32,
    /// Stones that can be placed where the other side has no say.
    spare: i32,
}

/// With more roots nobody counts how many stones can be placed.
const _: () = {
    let phases = [&ONE_TO_MOVE, &TWO_TO_MOVE, &MANY];
    let mut i = 0;
    while i < phases.len() {
        assert!(phases[i][0].most == 0 && phases[i][1].most == 0);
        i += 1;
    }
};

/// Of the side to move, and of the other side, which count against each other.
type Phase = [Weights; 2];

/// One root a side.
const DUEL: Phase = [
    Weights {
        open: 4,
        legal: 8,
        most: -2,
        sole: -6,
        sole_legal: -4,
        crowded: -7,
        near: 13,
        roots: 0,
        weak: 0,
        spare: 11,
    },
    Weights {
        open: 4,
        legal: 9,
        most: -5,
        sole: -1,
        sole_legal: 4,
        crowded: -3,
        near: 8,
        roots: 0,
        weak: 0,
        spare: 11,
    },
];

/// The side to move has one root, the other side two.
const ONE_TO_MOVE: Phase = [
    Weights {
        open: 2,
        legal: 14,
        most: 0,
        sole: -2,
        sole_legal: 0,
        crowded: -4,
        near: 15,
        roots: -13,
        weak: 1,
        spare: 0,
    },
    Weights {
        open: 3,
        legal: 13,
        most: 0,
        sole: 0,
        sole_legal: 0,
        crowded: -4,
        near: 5,
        roots: -6,
        weak: 1,
        spare: 0,
    },
];

/// The side to move has two roots, the other side one.
const TWO_TO_MOVE: Phase = [
    Weights {
        open: -1,
        legal: 14,
        most: 0,
        sole: -1,
        sole_legal: -1,
        crowded: -4,
        near: 10,
        roots: -4,
        weak: 4,
        spare: 0,
    },
    Weights {
        open: -1,
        legal: 14,
        most: 0,
        sole: 0,
        sole_legal: 0,
        crowded: -4,
        near: 10,
        roots: -5,
        weak: 0,
        spare: 0,
    },
];

/// All else.
const MANY: Phase = [
    Weights {
        open: 2,
        legal: 12,
        most: 0,
        sole: 1,
        sole_legal: 0,
        crowded: -4,
        near: 8,
        roots: 0,
        weak: 4,
        spare: 0,
    },
    Weights {
        open: 2,
        legal: 13,
        most: 0,
        sole: 3,
        sole_legal: 0,
        crowded: -4,
        near: 8,
        roots: -7,
        weak: 0,
        spare: 0,
    },
];

impl Weights {
    #[inline(always)]
    fn of<M: Mask>(&self, camp: &Camp<'_, M>, other: &Camp<'_, M>, stride: u32) -> i32 {
        let term = |weight: i32, set: M| {
            if weight == 0 {
                0
            } else {
                weight * set.len() as i32
            }
        };
        let (side, enemy) = (camp.side, other.side.open);
        let beside = side.legal.beside(stride);
        let mut sum = term(self.open, side.open)
            + term(self.legal, side.legal)
            + term(self.sole, side.open & !enemy)
            + term(self.sole_legal, side.legal & !enemy)
            + term(self.crowded, side.legal & beside)
            + term(self.near, side.open & !side.legal & beside)
            + self.most * camp.most as i32
            + self.roots * camp.roots.len() as i32
            + self.spare * camp.spare as i32;
        if let ([a, b], true) = (camp.roots, self.weak != 0) {
            let near = |root: M| (root.beside(stride) & side.legal).len();
            sum += self.weak * near(*a).min(near(*b)) as i32;
        }
        sum
    }
}

#[inline(always)]
fn difference<M: Mask>(phase: &Phase, camps: [Camp<'_, M>; 2], stride: u32) -> i32 {
    let ([own, other], [own_weights, other_weights]) = (&camps, phase);
    own_weights.of(own, other, stride) - other_weights.of(other, own, stride)
}

/// The rank of a move that leads to this position, where the sides' spaces take so many stones
/// at most; by `nets` if they are handed in.
#[inline(always)]
pub(super) fn of_duel<M: Mask>(duel: &Duel<M>, most: [u32; 2], nets: Option<&Nets>) -> i32 {
    let camp = |side, index: usize| Camp {
        side,
        roots: &[],
        most: most[index],
        spare: duel.spare[index],
    };
    let camps = [camp(duel.own, 0), camp(duel.other, 1)];
    match nets {
        Some(nets) => nets.rank(camps, duel.stride),
        None => difference(&DUEL, camps, duel.stride),
    }
}

/// The rank of a move that leads to a position with these sides and roots, the side to move
/// first; by `nets` if they are handed in.
#[inline(always)]
pub(super) fn of_roots<M: Mask>(
    sides: [Side<M>; 2],
    roots: [&[M]; 2],
    stride: u32,
    nets: Option<&Nets>,
) -> i32 {
    let camp = |index: usize, most: u32| Camp {
        side: sides[index],
        roots: roots[index],
        most,
        spare: 0,
    };
    if let Some(nets) = nets {
        let [own, other] = sides.map(|side| side.most(stride));
        return nets.rank([camp(0, own), camp(1, other)], stride);
    }
    let phase = match (roots[0].len(), roots[1].len()) {
        (1, 2) => &ONE_TO_MOVE,
        (2, 1) => &TWO_TO_MOVE,
        _ => &MANY,
    };
    difference(phase, [camp(0, 0), camp(1, 0)], stride)
}
