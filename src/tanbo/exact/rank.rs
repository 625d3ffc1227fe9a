//! The order of moves: first those that leave the opponent least, by a weighted sum of the counts
//! below.
//!
//! Hill climbing found the weights: on the geometric mean of the nodes that 40 positions of 6x6
//! took, 11 plies from the start, then on that of 29 endings of 6x6 and 7x7 with 20 playable
//! points.

use super::mask::Mask;
use super::ordering_network::{OrderingNetworks, SideView};
use super::playable_space::PlayableSpace;

/// The weights of one side's counts:
/// - `playable`: playable points;
/// - `legal`: legal points;
/// - `most`: the upper bound on the stones that it can place;
/// - `sole`: playable points that the other side cannot reach;
/// - `sole_legal`: legal points that the other side cannot reach;
/// - `crowded`: legal points beside another one;
/// - `near`: playable points that a move makes legal;
/// - `roots`: roots;
/// - `weak`: with two roots, the legal points of the root that has fewer;
/// - `spare`: spares.
type Weights = [i32; 10];

/// The weights of the side to move and of the other side; the second sum is subtracted.
type Phase = [Weights; 2];

// Columns: playable, legal, most, sole, sole_legal, crowded, near, roots, weak, spare.

/// One root a side.
const ONE_ROOT: Phase = [
    [4, 8, -2, -6, -4, -7, 13, 0, 0, 11],
    [4, 9, -5, -1, 4, -3, 8, 0, 0, 11],
];

/// The side to move has one root, the other side two.
const ONE_TO_MOVE: Phase = [
    [2, 14, 0, -2, 0, -4, 15, -13, 1, 0],
    [3, 13, 0, 0, 0, -4, 5, -6, 1, 0],
];

/// The side to move has two roots, the other side one.
const TWO_TO_MOVE: Phase = [
    [-1, 14, 0, -1, -1, -4, 10, -4, 4, 0],
    [-1, 14, 0, 0, 0, -4, 10, -5, 0, 0],
];

/// All other positions.
const MANY: Phase = [
    [2, 12, 0, 1, 0, -4, 8, 0, 4, 0],
    [2, 13, 0, 3, 0, -4, 8, -7, 0, 0],
];

// With several roots the bound is not computed, so its weight must be 0.
const _: () = {
    let phases = [&ONE_TO_MOVE, &TWO_TO_MOVE, &MANY];
    let mut i = 0;
    while i < phases.len() {
        let [[_, _, own, ..], [_, _, other, ..]] = phases[i];
        assert!(*own == 0 && *other == 0);
        i += 1;
    }
};

#[inline(always)]
fn sum<M: Mask>(
    weights: &Weights,
    view: &SideView<'_, M>,
    other: &SideView<'_, M>,
    stride: u32,
) -> i32 {
    let [playable, legal, most, sole, sole_legal, ..] = *weights;
    let [.., crowded, near, roots, weak, spare] = *weights;
    let term = |weight: i32, set: M| {
        if weight == 0 {
            0
        } else {
            weight * set.len() as i32
        }
    };
    let (space, enemy) = (view.space, other.space.playable);
    let beside = space.legal.neighbours(stride);
    let mut sum = term(playable, space.playable)
        + term(legal, space.legal)
        + term(sole, space.playable & !enemy)
        + term(sole_legal, space.legal & !enemy)
        + term(crowded, space.legal & beside)
        + term(near, space.playable & !space.legal & beside)
        + most * view.most as i32
        + roots * view.roots.len() as i32
        + spare * view.spare as i32;
    if let ([a, b], true) = (view.roots, weak != 0) {
        let near = |root: M| (root.neighbours(stride) & space.legal).len();
        sum += weak * near(*a).min(near(*b)) as i32;
    }
    sum
}

#[inline(always)]
fn difference<M: Mask>(phase: &Phase, views: [SideView<'_, M>; 2], stride: u32) -> i32 {
    let ([own, other], [own_weights, other_weights]) = (&views, phase);
    sum(own_weights, own, other, stride) - sum(other_weights, other, own, stride)
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

#[cfg(test)]
mod tests {
    use super::super::naive::{STRIDE, count, has, some_points, some_space, touching};
    use super::*;
    use crate::util::random::Random;

    /// The counts that [`Weights`] lists, point by point.
    fn counts(view: &SideView<'_, u64>, enemy: u64) -> Weights {
        let PlayableSpace { legal, playable } = view.space;
        let near = |root: &u64| count(|point| has(legal, point) && touching(*root, point) > 0);
        let weak = view.roots.iter().map(near).min();
        let counts = [
            count(|point| has(playable, point)),
            count(|point| has(legal, point)),
            view.most,
            count(|point| has(playable, point) && !has(enemy, point)),
            count(|point| has(legal, point) && !has(enemy, point)),
            count(|point| has(legal, point) && touching(legal, point) > 0),
            count(|point| has(playable, point) && !has(legal, point) && touching(legal, point) > 0),
            view.roots.len() as u32,
            weak.filter(|_| view.roots.len() == 2).unwrap_or(0),
            view.spare,
        ];
        counts.map(|count| count as i32)
    }

    fn expected(phase: &Phase, [own, other]: [SideView<'_, u64>; 2]) -> i32 {
        let counts = [
            counts(&own, other.space.playable),
            counts(&other, own.space.playable),
        ];
        let sums = [0, 1].map(|side: usize| {
            let terms = counts[side].iter().zip(&phase[side]);
            terms.map(|(count, weight)| count * weight).sum::<i32>()
        });
        sums[0] - sums[1]
    }

    #[test]
    fn ranks_are_weighted_counts_of_points() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let spaces = [some_space(&mut random), some_space(&mut random)];
            let [most, spare] = [0; 2].map(|_| [0; 2].map(|_| random.below(9)));
            let view = |side: usize| SideView {
                space: spaces[side],
                roots: &[],
                most: most[side],
                spare: spare[side],
            };
            let found = of_one_root(spaces, most, spare, STRIDE, None);
            assert_eq!(found, expected(&ONE_ROOT, [view(0), view(1)]));
            for (roots, phase) in [
                ([1, 2], &ONE_TO_MOVE),
                ([2, 1], &TWO_TO_MOVE),
                ([2, 2], &MANY),
                ([3, 1], &MANY),
            ] {
                let mut some_roots =
                    |n| -> Vec<u64> { (0..n).map(|_| some_points(&mut random)).collect() };
                let roots = roots.map(&mut some_roots);
                let view = |side: usize| SideView {
                    space: spaces[side],
                    roots: &roots[side],
                    most: 0,
                    spare: 0,
                };
                let found = of_roots(spaces, [&roots[0], &roots[1]], STRIDE, None);
                assert_eq!(found, expected(phase, [view(0), view(1)]));
            }
        }
    }
}
