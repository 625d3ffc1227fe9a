//! Boards of 7x7 point by point, for tests of what bitboards count.

use super::playable_space::PlayableSpace;
use crate::util::random::Random;

const SIDE: u32 = 7;
pub(super) const STRIDE: u32 = 8;

/// A row and a column.
pub(super) type Place = (u32, u32);

pub(super) fn places() -> impl Iterator<Item = Place> {
    (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column)))
}

pub(super) fn has(set: u64, (row, column): Place) -> bool {
    set >> (row * STRIDE + column) & 1 == 1
}

pub(super) fn set_of(holds: impl FnMut(&Place) -> bool) -> u64 {
    places()
        .filter(holds)
        .fold(0, |set, (row, column)| set | 1 << (row * STRIDE + column))
}

pub(super) fn count(holds: impl Fn(Place) -> bool) -> u32 {
    places().filter(|&place| holds(place)).count() as u32
}

/// The number of neighbours of a point that are in the set.
pub(super) fn touching(set: u64, (row, column): Place) -> u32 {
    count(|(r, c)| row.abs_diff(r) + column.abs_diff(c) == 1 && has(set, (r, c)))
}

/// A random set with about a third of the points.
pub(super) fn some_points(random: &mut Random) -> u64 {
    set_of(|_| random.below(3) == 0)
}

/// Any legal points and some others; no stones need to exist that make them so.
pub(super) fn some_space(random: &mut Random) -> PlayableSpace<u64> {
    let legal = some_points(random);
    let playable = legal | some_points(random);
    PlayableSpace { legal, playable }
}

/// What is reached from `from` through `open`, with `from`.
pub(super) fn reached(from: u64, open: u64) -> u64 {
    let grown = from | set_of(|&place| has(open, place) && touching(from, place) > 0);
    if grown == from {
        from
    } else {
        reached(grown, open)
    }
}

/// As [`some_space`], sparse or dense, but as in a game: beside a legal point is a stone, so at most
/// three of its neighbours are playable; and all of the space can be reached.
pub(super) fn real_space(random: &mut Random) -> PlayableSpace<u64> {
    let PlayableSpace {
        mut legal,
        mut playable,
    } = some_space(random);
    let density = random.below(5);
    for _ in 1..density {
        playable |= some_points(random);
    }
    if density == 0 {
        // Hardly any point has three neighbours.
        legal &= some_points(random) | some_points(random);
        playable = legal;
    } else if random.below(2) == 0 {
        legal &= some_points(random);
    }
    let legal = set_of(|&place| has(legal, place) && touching(playable, place) < 4);
    let playable = reached(legal, playable & !legal);
    PlayableSpace { legal, playable }
}

/// Where a side with these stones can play.
pub(super) fn space_of(stones: u64, empty: u64) -> PlayableSpace<u64> {
    let beside = |number: u32| set_of(|&at| has(empty, at) && touching(stones, at) == number);
    let legal = beside(1);
    let playable = reached(legal, beside(0));
    PlayableSpace { legal, playable }
}

/// How two roots fare against a single one: if counting decides, whether the two win, and an upper
/// bound on the stones of the losing side.
pub(super) fn count_two_against_one(
    roots: [u64; 2],
    single: u64,
    two_to_move: bool,
) -> Option<(bool, u32)> {
    let stones = roots[0] | roots[1];
    let empty = set_of(|&at| !has(stones | single, at));
    let all = space_of(stones, empty);

    // The two win if the roots that they keep have enough stones out of the single one's reach.
    let mut kept_roots = vec![vec![0, 1], vec![0], vec![1]].into_iter();
    let outlived = kept_roots.find_map(|kept| {
        let removed = (0..2).filter(|root| !kept.contains(root));
        let freed = removed.fold(0, |freed, root| freed | roots[root]);
        let enemy = space_of(single, empty | freed);
        let out_of_reach = !enemy.playable;
        let virgin = set_of(|&at| has(empty & out_of_reach, at) && touching(stones, at) == 0);
        let mut spaces: Vec<PlayableSpace<u64>> = Vec::new();
        for &root in &kept {
            let is_legal = |&at: &Place| has(all.legal, at) && touching(roots[root], at) == 1;
            let legal = set_of(is_legal) & out_of_reach;
            let playable = reached(legal, virgin);
            spaces.push(PlayableSpace { legal, playable });
        }
        if let [a, b] = spaces[..] {
            // Points that both reach do not count, and the first yields where both have a move.
            let single_out = |side: PlayableSpace<u64>, other: PlayableSpace<u64>, legal: u64| {
                let open = side.playable & virgin & !(side.playable & other.playable);
                let playable = reached(legal, open);
                PlayableSpace { legal, playable }
            };
            let yielding = set_of(|&at| has(a.legal, at) && touching(b.legal, at) == 0);
            spaces = vec![single_out(a, b, yielding), single_out(b, a, b.legal)];
        }
        let sure: Vec<u32> = spaces.iter().map(|side| side.sure_stones(STRIDE)).collect();
        let most = enemy.max_stones(STRIDE);
        // Each root keeps a last point.
        let is_safe = sure.iter().all(|&stones| stones > 0);
        let spare = || sure.iter().map(|stones| stones - 1).sum::<u32>();
        let is_enough = is_safe && spare() + u32::from(!two_to_move) >= most;
        is_enough.then_some(most)
    });
    if let Some(most) = outlived {
        return Some((true, most));
    }

    // The single one wins if it has enough stones out of reach of both.
    let (mut most, mut reach) = (all.max_stones(STRIDE), all.playable);
    for gone in roots {
        let legal = set_of(|&at| has(all.legal, at) && touching(gone, at) == 1);
        let virgin = set_of(|&at| has(empty, at) && touching(stones, at) == 0);
        let playable = reached(legal, virgin);
        let first = PlayableSpace { legal, playable };
        let left = space_of(stones & !gone, empty | gone);
        reach |= left.playable;
        most = most.max(first.max_stones(STRIDE) + left.max_stones(STRIDE));
    }
    let single = space_of(single, empty).restricted_to(!reach, STRIDE);
    let sure = single.sure_stones(STRIDE);
    (sure >= most + u32::from(!two_to_move)).then_some((false, most))
}
