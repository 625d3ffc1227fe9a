//! The order of moves: first those that leave the opponent least, by a weighted sum of the counts
//! below.
//!
//! Hill climbing found the weights: on the geometric mean of the nodes that 40 positions of 6x6
//! took, 11 plies from the start, then on that of 29 endings of 6x6 and 7x7 with 20 playable
//! points.

use super::mask::Mask;
use super::ordering_network::{OrderingNetworks, SideView};
use super::playable_space::PlayableSpace;

/// The weights of one side's counts.
struct Weights {
    /// Playable points.
    open: i32,
    /// Legal points.
    legal: i32,
    /// The upper bound on the stones that it can place.
    most: i32,
    /// Playable points that the other side cannot reach.
    sole: i32,
    /// Legal points that the other side cannot reach.
    sole_legal: i32,
    /// Legal points beside another one.
    crowded: i32,
    /// Playable points that a move makes legal.
    near: i32,
    /// Roots.
    roots: i32,
    /// With two roots: the legal points of the root that has fewer.
    weak: i32,
    /// Spares.
    spare: i32,
}

// With several roots the bound is not computed, so its weight must be 0.
const _: () = {
    let phases = [&ONE_TO_MOVE, &TWO_TO_MOVE, &MANY];
    let mut i = 0;
    while i < phases.len() {
        assert!(phases[i][0].most == 0 && phases[i][1].most == 0);
        i += 1;
    }
};

/// The weights of the side to move and of the other side; the second sum is subtracted.
type Phase = [Weights; 2];

/// One root a side.
const ONE_ROOT: Phase = [
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

/// All other positions.
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
    fn of<M: Mask>(&self, view: &SideView<'_, M>, other: &SideView<'_, M>, stride: u32) -> i32 {
        let term = |weight: i32, set: M| {
            if weight == 0 {
                0
            } else {
                weight * set.len() as i32
            }
        };
        let (space, enemy) = (view.space, other.space.open);
        let beside = space.legal.neighbours(stride);
        let mut sum = term(self.open, space.open)
            + term(self.legal, space.legal)
            + term(self.sole, space.open & !enemy)
            + term(self.sole_legal, space.legal & !enemy)
            + term(self.crowded, space.legal & beside)
            + term(self.near, space.open & !space.legal & beside)
            + self.most * view.most as i32
            + self.roots * view.roots.len() as i32
            + self.spare * view.spare as i32;
        if let ([a, b], true) = (view.roots, self.weak != 0) {
            let near = |root: M| (root.neighbours(stride) & space.legal).len();
            sum += self.weak * near(*a).min(near(*b)) as i32;
        }
        sum
    }
}

#[inline(always)]
fn difference<M: Mask>(phase: &Phase, views: [SideView<'_, M>; 2], stride: u32) -> i32 {
    let ([own, other], [own_weights, other_weights]) = (&views, phase);
    own_weights.of(own, other, stride) - other_weights.of(other, own, stride)
}

/// The rank of a move that leads to a position with one root a side. `most` are upper bounds on
/// the stones that each side can place, without its `spare` ones.
#[inline(always)]
pub(super) fn of_one_root<M: Mask>(
    spaces: [PlayableSpace<M>; 2],
    most: [u32; 2],
    spare: [u32; 2],
    stride: u32,
    networks: Option<&OrderingNetworks>,
) -> i32 {
    let view = |index: usize| SideView {
        space: spaces[index],
        roots: &[],
        most: most[index],
        spare: spare[index],
    };
    let views = [view(0), view(1)];
    match networks {
        Some(networks) => networks.rank(views, stride),
        None => difference(&ONE_ROOT, views, stride),
    }
}

/// The rank of a move that leads to a position with several roots on a side.
#[inline(always)]
pub(super) fn of_roots<M: Mask>(
    spaces: [PlayableSpace<M>; 2],
    roots: [&[M]; 2],
    stride: u32,
    networks: Option<&OrderingNetworks>,
) -> i32 {
    let view = |index: usize, most: u32| SideView {
        space: spaces[index],
        roots: roots[index],
        most,
        spare: 0,
    };
    if let Some(networks) = networks {
        let [own, other] = spaces.map(|space| space.max_stones(stride));
        return networks.rank([view(0, own), view(1, other)], stride);
    }
    let phase = match (roots[0].len(), roots[1].len()) {
        (1, 2) => &ONE_TO_MOVE,
        (2, 1) => &TWO_TO_MOVE,
        _ => &MANY,
    };
    difference(phase, [view(0, 0), view(1, 0)], stride)
}
