//! The playable points of a position.

use crate::board::Point;
use crate::game::Seat;
use crate::tanbo::{Start, with_position};
use crate::variant::Stones;

/// The number of points in the playable space of any player. The playable space of a player is the
/// flood fill from the points where that player may move now, through empty points with at most one
/// own neighbour. Points outside stay empty while no root is removed.
pub fn playable_points(start: &Start) -> usize {
    with_position!(start, |position| count(&position))
}

/// The number of playable points of a position.
pub(super) fn count(stones: &dyn Stones) -> usize {
    let mut points: Vec<Point> = Seat::ALL.map(|seat| stones.playable(seat)).concat();
    points.sort_unstable();
    points.dedup();
    points.len()
}
