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
