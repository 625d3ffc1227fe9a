//! Keys that are equal for positions with the same winner: those that are turned or mirrored, and
//! with one root each those where both sides may play at the same points.
//! `docs/guide/certificates.md` has the argument.

use arrayvec::ArrayVec;

use super::bits::{MAX_SIDE, Rules, Stones};
use super::naive_position::NaivePosition;
use crate::board::BoardSize;

const MAX_AREA: usize = MAX_SIDE * MAX_SIDE;

/// Numbers of points.
type Numbers = ArrayVec<u8, MAX_AREA>;

/// Makes the keys on a board.
pub(super) struct Fold {
    rules: Rules<u128>,
    /// The bits of the points, row by row.
    bits: Numbers,
    /// The points of the board as it looks from eight sides.
    views: [Numbers; 8],
}

impl Fold {
    /// For a board with at most [`MAX_SIDE`] points a side.
    pub(super) fn new(size: BoardSize) -> Self {
        let side = size.side();
        let points = || (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
        let view = |number: usize| {
            let view = points().map(|(mut row, mut column)| {
                if number & 1 > 0 {
                    row = side - 1 - row;
                }
                if number & 2 > 0 {
                    column = side - 1 - column;
                }
                if number & 4 > 0 {
                    (row, column) = (column, row);
                }
                (row * side + column) as u8
            });
            view.take(MAX_AREA).collect()
        };
        let bits = points().map(|(row, column)| (row * (side + 1) + column) as u8);
        Self {
            rules: Rules::new(size),
            bits: bits.take(MAX_AREA).collect(),
            views: std::array::from_fn(view),
        }
    }

    /// The least key of the eight views: five points in two bytes, then whether stones do not matter.
    pub(super) fn key<const N: usize>(&self, position: &NaivePosition) -> [u8; N] {
        let Stones { own, other } = Stones::of(position);
        let is_single = self.rules.is_one_root(own) && self.rules.is_one_root(other);
        let sets = if is_single {
            let [legal, opposing] = [self.rules.legal(own, other), self.rules.legal(other, own)];
            let [open, reach] = [self.rules.open(own, other), self.rules.open(other, own)];
            [legal, open & !legal, opposing, reach & !opposing]
        } else {
            [own, other, 0, 0]
        };
        let digits: Numbers = self
            .bits
            .iter()
            .map(|bit| {
                let has = sets.map(|set| (set >> bit & 1) as u8);
                has[0] + 2 * has[1] + 3 * (has[2] + 2 * has[3])
            })
            .collect();
        let key = |view: &Numbers| {
            let mut key = [0; N];
            for (bytes, five) in key.chunks_exact_mut(2).zip(view.chunks(5)) {
                let digits = five
                    .iter()
                    .map(|&point| u16::from(digits[usize::from(point)]));
                let number = digits.fold(0, |number, digit| 9 * number + digit);
                bytes.copy_from_slice(&number.to_be_bytes());
            }
            key
        };
        let mut least = self.views.iter().map(key).min().unwrap_or([0; N]);
        if let Some(last) = least.last_mut() {
            *last = u8::from(is_single);
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::exhaustive::wins;
    use super::*;
    use crate::game::Seat;
    use crate::tanbo::NamedSetup;
    use crate::util::random::Random;

    #[test]
    fn equal_keys_have_the_same_winner() {
        let size = BoardSize::new(4).unwrap();
        let (fold, rules) = (Fold::new(size), Rules::<u64>::new(size));
        let setup = NamedSetup::Corners.setup(size, 2).unwrap();
        let black = Seat::new(0);
        let start = NaivePosition::new(size, black, |point| setup.stones.get(&point).copied());
        let (mut random, mut known) = (Random::new(5), HashMap::new());
        let mut found: HashMap<[u8; 17], (bool, Stones<u64>)> = HashMap::new();
        // Equal keys of different stones, with several roots and with single ones.
        let mut equal = [0; 2];
        for _ in 0..2000 {
            let mut position = start.clone();
            while position.winner().is_none() {
                let stones = Stones::of(&position);
                let won = wins(&rules, stones, &mut known);
                let key = fold.key(&position);
                let (before, same) = *found.entry(key).or_insert((won, stones));
                assert_eq!(won, before, "{}", position.diagram());
                equal[usize::from(key[16])] += usize::from(same != stones);
                let mut legal = Vec::new();
                position.legal(&mut legal);
                position.play(legal[random.below(legal.len() as u32) as usize]);
            }
        }
        assert!(equal.into_iter().all(|count| count > 100), "{equal:?}");
    }

    type Mapping = fn(u8, u8) -> (u8, u8);

    #[test]
    fn turned_and_mirrored_positions_have_the_same_key() {
        let size = BoardSize::new(9).unwrap();
        let fold = Fold::new(size);
        let stones: Vec<(u8, u8, u8)> = vec![(0, 0, 0), (0, 1, 0), (4, 7, 0), (8, 3, 1), (2, 2, 1)];
        let key = |view: Mapping| {
            let position = NaivePosition::new(size, Seat::new(1), |point| {
                let here = |&&(x, y, _): &&(u8, u8, u8)| {
                    let (x, y) = view(x, y);
                    (point.column(size), point.row(size)) == (x.into(), y.into())
                };
                let stone = stones.iter().find(here);
                stone.map(|&(.., seat)| Seat::new(seat.into()))
            });
            fold.key::<41>(&position)
        };
        let views: [Mapping; 8] = [
            |x, y| (x, y),
            |x, y| (8 - x, y),
            |x, y| (x, 8 - y),
            |x, y| (8 - x, 8 - y),
            |x, y| (y, x),
            |x, y| (8 - y, x),
            |x, y| (y, 8 - x),
            |x, y| (8 - y, 8 - x),
        ];
        assert!(views.iter().all(|&view| key(view) == key(|x, y| (x, y))));
        assert_ne!(key(|x, y| (x, y)), key(|x, y| (8 - x, y.min(6))));
        // Without a root on one side the stones count.
        let alone = NaivePosition::new(size, Seat::new(1), |point| {
            (point.row(size) == 3).then_some(Seat::new(0))
        });
        assert_eq!(fold.key::<41>(&alone)[40], 0);
    }
}
