//! The features of the linear evaluation, computed with bitboards.

use super::Position;
use crate::board::PointSet;
use crate::game::Seat;

/// Features of each seat.
pub const COUNT: usize = 7;

/// Their names, in order.
pub(crate) const NAMES: [&str; COUNT] = [
    "mobility", "crowded", "near", "sole", "far", "playable", "roots",
];

/// The features of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Features<const SEATS: usize> {
    /// For each seat, counts of points or roots. Virgin points are empty points without a stone of
    /// the seat beside them.
    /// - `mobility`: legal points;
    /// - `crowded`: legal points beside another one, where a move makes the other one illegal;
    /// - `near`: virgin points that one move makes legal (beside a legal point);
    /// - `sole`: `near` points where no other seat may move now or after one move;
    /// - `far`: virgin points that two moves make legal, but not one;
    /// - `playable`: the playable space, an upper bound on the points that the seat can reach while
    ///   no root is removed: the flood from the legal points through virgin points;
    /// - `roots`: roots on the board.
    pub(crate) seats: [[i32; COUNT]; SEATS],
    /// The share of the board that is playable for at least one seat, from 0 to 1.
    pub(crate) phase: f32,
}

/// The playable space of each seat, see [`Features::seats`].
pub(crate) type Playable<const W: usize, const SEATS: usize> = [PointSet<W>; SEATS];

/// Computes the features.
#[inline(always)]
pub(crate) fn features<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> Features<SEATS> {
    let everything = [!PointSet::EMPTY; SEATS];
    features_within(position, everything, None).0
}

/// The playable spaces without the features.
pub(super) fn playable<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> Playable<W, SEATS> {
    features_within(position, [!PointSet::EMPTY; SEATS], None).1
}

/// The features and the playable spaces of a position whose playable spaces lie within `bounds`.
/// The space of a seat in `settled` fills its bound as far as that is open.
///
/// A move that removes nothing can only take points from playable spaces. If it takes none from
/// another seat's, that one stays as it is. So the spaces before a move bound those after it,
/// and most floods end early.
#[inline(always)]
pub(super) fn features_within<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
    bounds: Playable<W, SEATS>,
    settled: Option<[bool; SEATS]>,
) -> (Features<SEATS>, Playable<W, SEATS>) {
    let stride = position.size().stride();
    let empty = position.empty();
    let mut legal = [PointSet::EMPTY; SEATS];
    let mut crowded = [PointSet::EMPTY; SEATS];
    let mut near = [PointSet::EMPTY; SEATS];
    let mut far = [PointSet::EMPTY; SEATS];
    let mut open = [PointSet::EMPTY; SEATS];
    let mut reached = [PointSet::EMPTY; SEATS];
    for s in 0..SEATS {
        let seat = Seat::new(s);
        legal[s] = position.legal(seat);
        let virgin = empty.without(position.stones(seat).neighbours(stride));
        let beside = legal[s].neighbours(stride);
        crowded[s] = legal[s] & beside;
        near[s] = virgin & beside;
        far[s] = (virgin & near[s].neighbours(stride)).without(near[s]);
        open[s] = (virgin | legal[s]) & bounds[s];
        // These are the first two steps of the flood.
        let filled = settled.is_some_and(|settled| settled[s]);
        reached[s] = if filled {
            open[s]
        } else {
            legal[s] | near[s] | far[s]
        };
    }
    let playable = PointSet::flood_all(reached, open, stride);
    let mut any = PointSet::EMPTY;
    for set in playable {
        any |= set;
    }
    let features = Features {
        seats: std::array::from_fn(|s| {
            let mut sole = near[s];
            for i in 1..SEATS {
                let other = (s + i) % SEATS;
                sole = sole.without(legal[other] | near[other]);
            }
            [
                legal[s].len() as i32,
                crowded[s].len() as i32,
                near[s].len() as i32,
                sole.len() as i32,
                far[s].len() as i32,
                playable[s].len() as i32,
                position.root_count(Seat::new(s)) as i32,
            ]
        }),
        phase: any.len() as f32 / position.size().area() as f32,
    };
    (features, playable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tanbo::setup::NamedSetup;
    use crate::util::random::Random;

    /// Checks that bounds from the position before a quiet move change nothing.
    fn bounds_change_nothing<const W: usize, const SEATS: usize>(
        side: usize,
        named: NamedSetup,
        games: u64,
    ) {
        let start = named.start(side, SEATS);
        let everything = [!PointSet::EMPTY; SEATS];
        for game in 0..games {
            let mut random = Random::part(1, game);
            let mut position = Position::<W, SEATS>::new(&start);
            while position.winner().is_none() {
                let seat = position.to_move();
                let (_, playable) = features_within(&position, everything, None);
                let moves = position.legal(seat);
                for point in moves {
                    let undo = position.play(point);
                    if undo.is_quiet() {
                        let settled = std::array::from_fn(|s| {
                            s != seat.index() && !playable[s].contains(point)
                        });
                        let bounded = features_within(&position, playable, Some(settled));
                        assert_eq!(bounded, features_within(&position, everything, None));
                    }
                    position.undo(undo);
                }
                let rank = random.below(moves.len()) as usize;
                position.play(moves.iter().nth(rank).unwrap());
            }
        }
    }

    #[test]
    fn bounds_save_work_and_nothing_else() {
        bounds_change_nothing::<2, 2>(7, NamedSetup::Dense, 20);
        bounds_change_nothing::<4, 2>(13, NamedSetup::Classic, 1);
        bounds_change_nothing::<8, 4>(19, NamedSetup::Classic, 1);
    }
}
