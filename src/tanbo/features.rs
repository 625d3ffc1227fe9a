//! What the linear evaluation looks at, computed set-wise.

use super::Position;
use crate::game::Seat;
use crate::grid::PointSet;

/// How many features each seat has.
pub const COUNT: usize = 4;

/// Their names, in order.
pub const NAMES: [&str; COUNT] = ["mobility", "safe", "playable", "roots"];

/// The features of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features<const SEATS: usize> {
    /// For each seat, numbers of points or roots:
    /// - `mobility`: points where the seat may move now;
    /// - `safe`: those of them next to an empty point without own neighbours, where
    ///   a stone surely finds new space;
    /// - `playable`: the flood from the points where the seat may move through the
    ///   empty points with at most one own neighbour, an upper bound of what it can
    ///   reach while no root is removed;
    /// - `roots`: roots on the board.
    pub seats: [[f32; COUNT]; SEATS],
    /// The share of the board that is playable for anybody, 0 to 1.
    pub phase: f32,
}

/// Computes the features.
#[inline(always)]
pub fn features<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> Features<SEATS> {
    let stride = position.size().stride();
    let empty = position.empty();
    let mut legal = [PointSet::EMPTY; SEATS];
    let mut virgin = [PointSet::EMPTY; SEATS];
    let mut open = [PointSet::EMPTY; SEATS];
    for s in 0..SEATS {
        let seat = Seat::new(s);
        legal[s] = position.legal(seat);
        virgin[s] = empty.without(position.stones(seat).neighbours(stride));
        open[s] = virgin[s] | legal[s];
    }
    let playable = PointSet::flood_all(legal, open, stride);
    let mut any = PointSet::EMPTY;
    for set in playable {
        any |= set;
    }
    Features {
        seats: std::array::from_fn(|s| {
            let safe = legal[s] & virgin[s].neighbours(stride);
            [
                legal[s].len() as f32,
                safe.len() as f32,
                playable[s].len() as f32,
                position.root_count(Seat::new(s)) as f32,
            ]
        }),
        phase: any.len() as f32 / position.size().area() as f32,
    }
}
