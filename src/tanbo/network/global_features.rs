//! The global features of the network: counts of points and roots, computed with bitboards.

use crate::board::PointSet;
use crate::game::Seat;
use crate::tanbo::Position;
use crate::tanbo::features::Playable;

const SIDE_FEATURES: usize = 25;
const POSITION_FEATURES: usize = 6;
pub(crate) const COUNT: usize = 2 * SIDE_FEATURES + POSITION_FEATURES;

/// The points of one side, used by the features of both sides.
#[derive(Clone, Copy)]
struct SideSets<const W: usize> {
    legal: PointSet<W>,
    beside: PointSet<W>,
    /// Empty points without an own stone beside them.
    virgin: PointSet<W>,
    /// Virgin points that one move makes legal.
    near: PointSet<W>,
    playable: PointSet<W>,
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

/// Computes the features; those of the side to move come first. `playable` holds the playable space
/// of each seat.
#[inline(always)]
pub(super) fn compute<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
    playable: &Playable<W, SEATS>,
    features: &mut [f32; COUNT],
) {
    let stride = position.size().stride();
    let empty = position.empty();
    let own = position.to_move();
    let seats = [own, own.other()];
    let side = |seat: Seat| {
        let legal = position.legal(seat);
        let beside = legal.neighbours(stride);
        let virgin = empty.without(position.stones(seat).neighbours(stride));
        SideSets {
            legal,
            beside,
            virgin,
            near: virgin & beside,
            playable: playable[seat.index() % SEATS],
        }
    };
    let sides = [side(seats[0]), side(seats[1])];
    for i in 0..2 {
        let (seat, other) = (seats[i], sides[1 - i]);
        let SideSets {
            legal,
            beside,
            virgin,
            near,
            playable,
        } = sides[i];
        let far = (virgin & near.neighbours(stride)).without(near);
        let crowded = legal & beside;
        let [_, twice, _] = neighbours(legal, stride);
        let [_, _, thrice] = neighbours(virgin, stride);
        let sole = playable.without(other.playable);
        let soon = other.legal | other.near;
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
            legal.without(other.playable).len() as i32,
            (legal & other.virgin).len() as i32,
            legal.without(other.legal | other.virgin).len() as i32,
            (near & other.legal).len() as i32,
            contacts(legal, virgin, stride) as i32,
            pairs(near, stride) as i32,
            contacts(legal, other.virgin, stride) as i32,
            euler(playable, stride),
            pairs(sole, stride) as i32,
            (legal & sole.neighbours(stride)).len() as i32,
            virgin.len() as i32,
            position.stones(seat).len() as i32,
            (virgin & thrice).len() as i32,
        ];
        for (feature, count) in features[i * SIDE_FEATURES..].iter_mut().zip(counted) {
            *feature = count as f32;
        }
    }
    let both = sides[0].playable & sides[1].playable;
    let any = sides[0].playable | sides[1].playable;
    let area = position.size().area() as f32;
    features[2 * SIDE_FEATURES..].copy_from_slice(&[
        (sides[0].near & sides[1].near).len() as f32,
        euler(both, stride) as f32,
        both.len() as f32,
        empty.len() as f32,
        16.0 * any.len() as f32 / area,
        position.size().side() as f32,
    ]);
}
