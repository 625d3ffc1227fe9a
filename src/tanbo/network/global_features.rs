//! The global features of the network: counts of points and roots, computed with bitboards.

use super::turn_order::TurnOrder;
use crate::board::PointSet;
use crate::tanbo::Position;
use crate::tanbo::features::Playable;

const SEAT_FEATURES: usize = 25;
const POSITION_FEATURES: usize = 6;

/// The features of a network for `seats` players.
pub(crate) const fn count(seats: usize) -> usize {
    seats * SEAT_FEATURES + POSITION_FEATURES
}

/// The points of a seat or of several together.
#[derive(Clone, Copy)]
struct SeatSets<const W: usize> {
    legal: PointSet<W>,
    /// Empty points without an own stone beside them.
    virgin: PointSet<W>,
    /// Virgin points that one move makes legal.
    near: PointSet<W>,
    playable: PointSet<W>,
}

impl<const W: usize> SeatSets<W> {
    const EMPTY: Self = Self {
        legal: PointSet::EMPTY,
        virgin: PointSet::EMPTY,
        near: PointSet::EMPTY,
        playable: PointSet::EMPTY,
    };
}

/// The points with at least one, two and three neighbours in `set`.
#[inline(always)]
fn neighbours<const W: usize>(set: PointSet<W>, stride: usize) -> [PointSet<W>; 3] {
    let (a, b, c, d) = (set.up(1), set.down(1), set.up(stride), set.down(stride));
    let (row, column) = (a | b, c | d);
    let (in_row, in_column) = (a & b, c & d);
    [
        row | column,
        in_row | in_column | (row & column),
        (in_row & column) | (in_column & row),
    ]
}

/// The sum, over the points of `a`, of their neighbours in `b`.
#[inline(always)]
fn contacts<const W: usize>(a: PointSet<W>, b: PointSet<W>, stride: usize) -> u32 {
    (a & b.up(1)).len()
        + (a & b.down(1)).len()
        + (a & b.up(stride)).len()
        + (a & b.down(stride)).len()
}

/// The pairs of neighbours in a set.
#[inline(always)]
fn pairs<const W: usize>(set: PointSet<W>, stride: usize) -> u32 {
    (set & set.up(1)).len() + (set & set.up(stride)).len()
}

/// The Euler number: points - pairs of neighbours + squares of four points, which equals connected
/// parts - holes.
#[inline(always)]
fn euler<const W: usize>(set: PointSet<W>, stride: usize) -> i32 {
    let right = set & set.up(1);
    let squares = right & right.up(stride);
    let pairs = right.len() + (set & set.up(stride)).len();
    set.len() as i32 - pairs as i32 + squares.len() as i32
}

/// Computes the features of each seat with stones in the order of play, then those of the position;
/// those of a missing seat are 0. `playable` holds the playable space of each seat.
#[inline(always)]
pub(super) fn compute<const W: usize, const SEATS: usize, const S: usize, const N: usize>(
    position: &Position<W, SEATS>,
    playable: &Playable<W, SEATS>,
    order: &TurnOrder<S>,
) -> [f32; N] {
    const { assert!(N == count(S)) };
    let stride = position.size().stride();
    let empty = position.empty();
    let mut features = [0.0; N];
    let mut seats = [SeatSets::EMPTY; S];
    for (i, &seat) in order.living().iter().enumerate() {
        let legal = position.legal(seat);
        let virgin = empty.without(position.stones(seat).neighbours(stride));
        seats[i] = SeatSets {
            legal,
            virgin,
            near: virgin & legal.neighbours(stride),
            playable: playable[seat.index() % SEATS],
        };
    }
    for (i, &seat) in order.living().iter().enumerate() {
        let mut others = SeatSets::EMPTY;
        for (j, seat) in seats.iter().enumerate() {
            if j != i {
                others.legal |= seat.legal;
                others.virgin |= seat.virgin;
                others.near |= seat.near;
                others.playable |= seat.playable;
            }
        }
        let SeatSets {
            legal,
            virgin,
            near,
            playable,
        } = seats[i];
        let far = (virgin & near.neighbours(stride)).without(near);
        let crowded = legal & legal.neighbours(stride);
        let [_, twice, _] = neighbours(legal, stride);
        let [_, _, thrice] = neighbours(virgin, stride);
        let sole = playable.without(others.playable);
        let soon = others.legal | others.near;
        let [one, two, three] = position.weak_roots(seat);
        let counted = [
            legal.len() as i32,
            crowded.len() as i32,
            crowded.without(twice).len() as i32,
            near.len() as i32,
            near.without(soon).len() as i32,
            far.len() as i32,
            (far & soon).len() as i32,
            position.root_count(seat) as i32,
            i32::from(one),
            i32::from(two),
            i32::from(three),
            sole.len() as i32,
            legal.without(others.playable).len() as i32,
            (legal & others.virgin).len() as i32,
            legal.without(others.legal | others.virgin).len() as i32,
            (near & others.legal).len() as i32,
            contacts(legal, virgin, stride) as i32,
            pairs(near, stride) as i32,
            contacts(legal, others.virgin, stride) as i32,
            euler(playable, stride),
            pairs(sole, stride) as i32,
            (legal & sole.neighbours(stride)).len() as i32,
            virgin.len() as i32,
            position.stones(seat).len() as i32,
            (virgin & thrice).len() as i32,
        ];
        for (feature, count) in features[i * SEAT_FEATURES..].iter_mut().zip(counted) {
            *feature = count as f32;
        }
    }
    // What at least two seats have, and what any has.
    let (mut contested, mut both, mut any) = (PointSet::EMPTY, PointSet::EMPTY, PointSet::EMPTY);
    let mut any_near = PointSet::EMPTY;
    for seat in &seats {
        contested |= any_near & seat.near;
        any_near |= seat.near;
        both |= any & seat.playable;
        any |= seat.playable;
    }
    let area = position.size().area() as f32;
    features[S * SEAT_FEATURES..].copy_from_slice(&[
        contested.len() as f32,
        euler(both, stride) as f32,
        both.len() as f32,
        empty.len() as f32,
        16.0 * any.len() as f32 / area,
        position.size().side() as f32,
    ]);
    features
}
