//! What the network sees of a position: sixteen facts about each point, from the view of the
//! side to move.

use crate::board::{Point, PointSet};
use crate::tanbo::Position;
use crate::tanbo::features;

/// Facts about a point.
pub const COUNT: usize = 16;

/// The facts as sets of points, in the order of the bits; "own" is the side to move.
///
/// 0 the board; 1 and 2 own stones and the other's; 3 and 4 where each may move; 5 and 6 empty
/// points without a stone of the side beside them; 7 and 8 the playable space of each side; 9
/// and 10 the last point of space of a root of each side; 11 and 12 the two last; 13 and 14
/// stones of roots with one or two points of space; 15 own moves that bound the root that they
/// extend.
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

/// The facts of each point of the board as a number of 16 bits, row by row; `None` with more
/// than two players, whom the network does not know.
pub fn planes<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> Option<Vec<u16>> {
    if SEATS != 2 {
        return None;
    }
    let sets = sets(position, &features::playable(position));
    let bits = |point: Point| {
        let mut bits = 0;
        for (i, set) in sets.iter().enumerate() {
            bits |= u16::from(set.contains(point)) << i;
        }
        bits
    };
    Some(position.size().points().map(bits).collect())
}
