//! What the linear evaluation looks at, computed set-wise.

use super::Position;
use crate::game::Seat;

/// How many features each seat has.
pub const COUNT: usize = 4;

/// Their names, in order.
pub const NAMES: [&str; COUNT] = ["mobility", "safe", "playable", "roots"];

/// The features of one seat, each a number of points or roots:
/// - `mobility`: points where the seat may move now;
/// - `safe`: those of them next to an empty point without own neighbours, where a
///   stone surely finds new space;
/// - `playable`: the flood from the points where the seat may move through the
///   empty points with at most one own neighbour, an upper bound of what it can
///   reach while no root is removed;
/// - `roots`: roots on the board.
#[inline(always)]
pub fn of_seat<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
    seat: Seat,
) -> [f32; COUNT] {
    let stride = position.size().stride();
    let legal = position.legal(seat);
    let virgin = position
        .empty()
        .without(position.stones(seat).neighbours(stride));
    let safe = legal & virgin.neighbours(stride);
    let playable = legal.flood(virgin | legal, stride);
    [
        legal.len() as f32,
        safe.len() as f32,
        playable.len() as f32,
        position.root_count(seat) as f32,
    ]
}
