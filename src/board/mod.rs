//! The board: its size, its points, and sets and tables of points.
//!
//! A step to a neighbour adds a constant to the number of a point. Each row takes `side + 1` numbers;
//! the last one is a guard column, which the next row shares, and a guard row lies below and above the
//! board. The neighbours of a point on the board therefore always have numbers of their own, on or off
//! the board.

mod set;
mod symmetry;
pub mod vertex;

pub(crate) use set::PerPoint;
pub use set::PointSet;
pub use symmetry::{Symmetries, Symmetry};

use std::fmt;

use thiserror::Error;

/// The side of a square board, 4 to 21 points.
///
/// ```
/// let size = tanada::BoardSize::new(9)?;
/// assert_eq!(size.area(), 81);
/// assert!(tanada::BoardSize::new(3).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardSize(u8);

/// A board size outside 4 to 21.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid board size `{0}`: expected 4 to 21")]
pub struct BoardSizeError(pub(crate) String);

impl BoardSize {
    /// The smallest side.
    pub const MIN: usize = 4;
    /// The largest side.
    pub const MAX: usize = 21;

    /// The board with `side` points per row.
    ///
    /// # Errors
    /// Any side outside [`BoardSize::MIN`] to [`BoardSize::MAX`].
    pub fn new(side: usize) -> Result<Self, BoardSizeError> {
        match u8::try_from(side) {
            Ok(n) if (Self::MIN..=Self::MAX).contains(&side) => Ok(Self(n)),
            _ => Err(BoardSizeError(side.to_string())),
        }
    }

    /// Points per row.
    #[inline]
    pub const fn side(self) -> usize {
        self.0 as usize
    }

    /// The difference between the numbers of a point and of the point above it.
    #[inline]
    pub const fn stride(self) -> usize {
        self.0 as usize + 1
    }

    /// The number of points.
    #[inline]
    pub const fn area(self) -> usize {
        self.side() * self.side()
    }

    /// The point in column `column` and row `row`, both from 0 at the lower left.
    #[inline]
    pub fn point(self, column: usize, row: usize) -> Option<Point> {
        (column < self.side() && row < self.side())
            .then(|| Point(((row + 1) * self.stride() + column) as u16))
    }

    /// Every point, row by row from the bottom, each row from the left.
    pub fn points(self) -> impl DoubleEndedIterator<Item = Point> + Clone {
        let stride = self.stride();
        (0..self.area())
            .map(move |i| (i / (stride - 1), i % (stride - 1)))
            .map(move |(row, column)| Point(((row + 1) * stride + column) as u16))
    }

    /// Every point, row by row from the top, each row from the left.
    pub(crate) fn points_from_top(self) -> impl Iterator<Item = Point> {
        let rows = (0..self.side()).rev();
        rows.flat_map(move |row| (0..self.side()).filter_map(move |column| self.point(column, row)))
    }

    /// The two to four neighbours of `point` on the board.
    pub fn neighbours(self, point: Point) -> impl Iterator<Item = Point> {
        let (column, row) = (point.column(self) as isize, point.row(self) as isize);
        [(-1, 0), (1, 0), (0, -1), (0, 1)]
            .into_iter()
            .filter_map(move |(dx, dy)| {
                let column = usize::try_from(column + dx).ok()?;
                let row = usize::try_from(row + dy).ok()?;
                self.point(column, row)
            })
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A point of a board. It means something only together with the size of that board.
///
/// ```
/// let size = tanada::BoardSize::new(9)?;
/// let corner: Option<tanada::Point> = size.point(0, 0);
/// assert!(corner.is_some() && size.point(9, 0).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u16);

impl Point {
    /// The point with a number that [`Point::number`] returned.
    #[inline(always)]
    pub const fn from_number(number: u16) -> Self {
        Self(number)
    }

    /// The number of the point, below 512.
    #[inline(always)]
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The number as an index.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The column; 0 is at the left.
    #[inline]
    pub const fn column(self, size: BoardSize) -> usize {
        self.index() % size.stride()
    }

    /// The row; 0 is at the bottom.
    #[inline]
    pub const fn row(self, size: BoardSize) -> usize {
        self.index() / size.stride() - 1
    }

    /// The four neighbours; some may lie off the board.
    #[inline(always)]
    pub(crate) const fn around(self, stride: u16) -> [Point; 4] {
        [
            Point(self.0 - stride),
            Point(self.0 - 1),
            Point(self.0 + 1),
            Point(self.0 + stride),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_outside_the_range_are_refused() {
        for side in [0, 1, 3, 22, 256 + 9, usize::MAX] {
            let error = BoardSize::new(side).unwrap_err();
            assert!(error.to_string().contains(&format!("`{side}`")), "{error}");
        }
    }

    #[test]
    fn numbers_and_coordinates_agree() {
        for side in BoardSize::MIN..=BoardSize::MAX {
            let size = BoardSize::new(side).unwrap();
            let points: Vec<Point> = size.points().collect();
            assert_eq!(points.len(), size.area());
            for (i, &p) in points.iter().enumerate() {
                assert_eq!((p.row(size), p.column(size)), (i / side, i % side));
                assert_eq!(size.point(p.column(size), p.row(size)), Some(p));
                assert!(p.index() < 512);
                for q in size.neighbours(p) {
                    assert!(p.around(size.stride() as u16).contains(&q));
                }
            }
            assert_eq!(size.point(side, 0), None);
        }
    }
}
