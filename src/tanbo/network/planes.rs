//! The input planes of the networks, seen from the side to move.

use super::turn_order::TurnOrder;
use crate::board::PointSet;
use crate::tanbo::Position;
use crate::tanbo::features;

/// The planes of a network for `seats` players.
pub(crate) const fn count(seats: usize) -> usize {
    4 * seats + 8
}

/// The planes of a network for `S` seats as sets of points. Where a plane exists for each seat, they
/// are in the order of play; where it exists for each side, that of the side to move comes first,
/// then that of all others.
///
/// | planes for two | for four | points |
/// |---|---|---|
/// | 0 | 0 | the board |
/// | 1, 2 | 1 to 4 | stones of each seat |
/// | 3, 4 | 5 to 8 | legal points |
/// | 5, 6 | 9 to 12 | virgin points: empty, without a stone of the seat beside them |
/// | 7, 8 | 13 to 16 | playable space |
/// | 9, 10 | 17, 18 | the only legal point of a root of each side |
/// | 11, 12 | 19, 20 | the two legal points of a root |
/// | 13, 14 | 21, 22 | stones of roots with one or two legal points |
/// | 15 | 23 | legal points where the side to move bounds the root that it extends |
#[inline(always)]
pub(super) fn sets<const W: usize, const SEATS: usize, const S: usize, const P: usize>(
    position: &Position<W, SEATS>,
    playable: &features::Playable<W, SEATS>,
    order: &TurnOrder<S>,
) -> [PointSet<W>; P] {
    const { assert!(P == count(S)) };
    let stride = position.size().stride();
    let empty = position.empty();
    let mut sets = [PointSet::EMPTY; P];
    let roots = 1 + 4 * S;
    sets[0] = position.board();
    for (i, &seat) in order.living().iter().enumerate() {
        let side = i.min(1);
        let stones = position.stones(seat);
        let legal = position.legal(seat);
        sets[1 + i] = stones;
        sets[1 + S + i] = legal;
        sets[1 + 2 * S + i] = empty.without(stones.neighbours(stride));
        sets[1 + 3 * S + i] = playable[seat.index() % SEATS];
        for point in legal {
            match position.space_of_root_beside(seat, point) {
                1 => sets[roots + side].insert(point),
                2 => sets[roots + 2 + side].insert(point),
                _ => continue,
            }
            for stone in position.stones_of_root_beside(seat, point) {
                sets[roots + 4 + side].insert(stone);
            }
        }
        if i == 0 {
            for point in legal {
                if position.bounds_its_own_root(point) {
                    sets[roots + 6].insert(point);
                }
            }
        }
    }
    sets
}
