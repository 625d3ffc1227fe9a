//! A position as something that can be drawn: what a page or a window needs to know of it.

use super::notation::MoveCode;
use crate::game::Seat;

/// What the pieces stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// The points where lines cross.
    Points,
    /// The squares of a chequered board.
    Squares,
}

/// A piece on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Whose it is.
    pub seat: Seat,
    /// Its letter in texts of the position.
    pub symbol: char,
    /// What people call it, where pieces differ: the letter is to be seen on it then.
    pub name: Option<String>,
}

/// What one group of stones may still come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Whose group it is.
    pub seat: Seat,
    /// Its stones, cells in ascending order.
    pub stones: Vec<usize>,
    /// Where it can grow now.
    pub now: Vec<usize>,
    /// Every cell that it would come to if it alone grew and all else stood still; `now` among
    /// them.
    pub reach: Vec<usize>,
}

/// A position on a square board. Its cells are numbered row by row from the upper left, from 0.
pub trait BoardView {
    /// Cells a row.
    fn side(&self) -> usize;
    /// What the pieces stand on.
    fn ground(&self) -> Ground;
    /// The names of the columns from the left, and of the rows from the top.
    fn labels(&self) -> (Vec<String>, Vec<String>);
    /// The piece on a cell; none beyond the board.
    fn piece_on(&self, cell: usize) -> Option<Piece>;
    /// Where a move comes from, if it moves a piece, and where it goes.
    fn ends(&self, mv: MoveCode) -> (Option<usize>, usize);
    /// The groups with their spaces, where the game knows any.
    fn spaces(&self) -> Vec<Space> {
        Vec::new()
    }
}
