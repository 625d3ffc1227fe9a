//! The eight symmetries of the square.

use super::{BoardSize, Point};

/// One of the eight rotations and reflections of a square board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry(u8);

/// The bits of a symmetry, in the order in which they are applied.
const COLUMNS_REVERSED: u8 = 1;
const ROWS_REVERSED: u8 = 2;
const EXCHANGED: u8 = 4;

impl Symmetry {
    /// All eight; the first one changes nothing.
    pub const ALL: [Symmetry; 8] = [
        Self(0),
        Self(1),
        Self(2),
        Self(3),
        Self(4),
        Self(5),
        Self(6),
        Self(7),
    ];

    /// The image of a point of the board.
    pub fn image(self, point: Point, size: BoardSize) -> Point {
        let last = size.side() - 1;
        let (mut column, mut row) = (point.column(size), point.row(size));
        if self.0 & COLUMNS_REVERSED != 0 {
            column = last - column;
        }
        if self.0 & ROWS_REVERSED != 0 {
            row = last - row;
        }
        if self.0 & EXCHANGED != 0 {
            (column, row) = (row, column);
        }
        size.point(column, row).unwrap_or(point)
    }
}

/// A set of symmetries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Symmetries(u8);

impl Symmetries {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Whether no symmetry is in the set.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the symmetry is in the set.
    pub fn contains(self, symmetry: Symmetry) -> bool {
        self.0 >> symmetry.0 & 1 != 0
    }

    /// The symmetries in the order of [`Symmetry::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Symmetry> {
        Symmetry::ALL.into_iter().filter(move |&s| self.contains(s))
    }
}

impl FromIterator<Symmetry> for Symmetries {
    fn from_iter<I: IntoIterator<Item = Symmetry>>(symmetries: I) -> Self {
        let bits = symmetries.into_iter();
        Self(bits.fold(0, |set, symmetry| set | 1 << symmetry.0))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_eight_are_a_group_that_keeps_neighbours() {
        for side in [4, 5, 21] {
            let size = BoardSize::new(side).unwrap();
            let map = |symmetry: Symmetry| -> Vec<Point> {
                size.points().map(|p| symmetry.image(p, size)).collect()
            };
            let maps: BTreeSet<Vec<Point>> = Symmetry::ALL.into_iter().map(map).collect();
            assert_eq!(maps.len(), 8);
            assert_eq!(map(Symmetry::ALL[0]), Vec::from_iter(size.points()));
            for first in Symmetry::ALL {
                for second in Symmetry::ALL {
                    let both = |p| second.image(first.image(p, size), size);
                    assert!(maps.contains(&size.points().map(both).collect::<Vec<_>>()));
                }
                for p in size.points() {
                    let images = size.neighbours(p).map(|q| first.image(q, size));
                    let around = size.neighbours(first.image(p, size));
                    assert_eq!(BTreeSet::from_iter(images), around.collect());
                }
            }
        }
    }

    #[test]
    fn a_set_holds_what_was_put_into_it() {
        for bits in 0..=255u8 {
            let members = Symmetry::ALL.into_iter().filter(|s| bits >> s.0 & 1 != 0);
            let members = Vec::from_iter(members);
            let set: Symmetries = members.iter().copied().collect();
            assert_eq!(Vec::from_iter(set.iter()), members);
            assert_eq!(set.is_empty(), bits == 0);
        }
    }
}
