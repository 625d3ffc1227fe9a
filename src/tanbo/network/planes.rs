//! The input planes of the network, seen from the side to move.

use crate::board::{Point, PointSet};
use crate::tanbo::Position;
use crate::tanbo::features;

pub(crate) const COUNT: usize = 16;

/// The planes as sets of points. Where a plane exists for each side, that of the side to move comes
/// first.
///
/// | plane | points |
/// |---|---|
/// | 0 | the board |
/// | 1, 2 | stones of each side |
/// | 3, 4 | legal points |
/// | 5, 6 | virgin points: empty, without a stone of the side beside them |
/// | 7, 8 | playable space |
/// | 9, 10 | the only legal point of a root |
/// | 11, 12 | the two legal points of a root |
/// | 13, 14 | stones of roots with one or two legal points |
/// | 15 | legal points where the side to move bounds the root that it extends |
#[inline(always)]
pub(super) fn sets<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
    playable: &features::Playable<W, SEATS>,
) -> [PointSet<W>; COUNT] {
    let stride = position.size().stride();
    let own = position.to_move();
    let other = own.other();
    let empty = position.empty();
    let mut sets = [PointSet::EMPTY; COUNT];
    sets[0] = position.board();
    for (i, seat) in [own, other].into_iter().enumerate() {
        let stones = position.stones(seat);
        let legal = position.legal(seat);
        sets[1 + i] = stones;
        sets[3 + i] = legal;
        sets[5 + i] = empty.without(stones.neighbours(stride));
        sets[7 + i] = playable[seat.index() % SEATS];
        for point in legal {
            match position.space_of_root_beside(seat, point) {
                1 => sets[9 + i].insert(point),
                2 => sets[11 + i].insert(point),
                _ => continue,
            }
            for stone in position.stones_of_root_beside(seat, point) {
                sets[13 + i].insert(stone);
            }
        }
        if i == 0 {
            for point in legal {
                if position.bounds_its_own_root(point) {
                    sets[15].insert(point);
                }
            }
        }
    }
    sets
}

/// For each point of the board, row by row, a bit for each plane; `None` with more than two
/// players, for which there is no network.
pub(crate) fn planes<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> Option<Vec<u32>> {
    if SEATS != 2 {
        return None;
    }
    let sets = sets(position, &features::playable(position));
    let bits = |point: Point| {
        let mut bits = 0;
        for (i, set) in sets.iter().enumerate() {
            bits |= u32::from(set.contains(point)) << i;
        }
        bits
    };
    Some(position.size().points().map(bits).collect())
}
