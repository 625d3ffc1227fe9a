//! A position as a board that pages and windows can draw.

use super::move_code::MoveCode;
use crate::game::Seat;

/// Where the pieces stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// On the points where lines cross.
    Points,
    /// On the squares of a chequered board.
    Squares,
}

/// A piece on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub(crate) seat: Seat,
    /// Its letter in texts of the position.
    pub(crate) symbol: char,
    /// Its name, in a game with several kinds of pieces. The letter is then drawn on the piece.
    pub(crate) name: Option<String>,
}

/// A group of stones and the cells that it may still take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupReach {
    /// The owner of the group.
    pub(crate) seat: Seat,
    /// Its stones, cells in ascending order.
    pub(crate) stones: Vec<usize>,
    /// The cells where it can grow now.
    pub(crate) now: Vec<usize>,
    /// Every cell that it could reach if it alone grew and nothing else changed, including `now`.
    pub(crate) reach: Vec<usize>,
}

/// Why a move is illegal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The rule in a word or two.
    pub(crate) rule: &'static str,
    /// The rule and what is against it, in one sentence.
    pub(crate) text: String,
    /// The cells that show it.
    pub(crate) cells: Vec<usize>,
}

/// A position on a square board. Cells are numbered row by row from the upper left, from 0.
pub trait BoardView {
    /// The cells of a row.
    fn side(&self) -> usize;
    /// Where the pieces stand.
    fn ground(&self) -> Ground;
    /// The names of the columns from the left, and of the rows from the top.
    fn labels(&self) -> (Vec<String>, Vec<String>);
    /// The piece on a cell; `None` beyond the board.
    fn piece_on(&self, cell: usize) -> Option<Piece>;
    /// Every piece that a game can have on the board.
    fn pieces(&self) -> Vec<Piece>;
    /// The cell that a move leaves, if it moves a piece, and the cell that it goes to.
    fn ends(&self, mv: MoveCode) -> (Option<usize>, usize);
    /// Why the side to move of a running game may not move to a cell, from `from` where pieces move;
    /// `None` if it may.
    fn refusal(&self, from: Option<usize>, to: usize) -> Option<Refusal>;
    /// The groups with their spaces; empty in a game without groups.
    fn spaces(&self) -> Vec<GroupReach> {
        Vec::new()
    }
}

impl dyn BoardView + '_ {
    /// The rows from the top, cells separated by blanks, empty ones as `.`.
    pub(crate) fn rows(&self) -> Vec<String> {
        let side = self.side();
        let symbol = |cell| self.piece_on(cell).map_or('.', |piece| piece.symbol);
        let row = |row: usize| {
            let cells = (row * side..(row + 1) * side).map(|cell| symbol(cell).to_string());
            cells.collect::<Vec<_>>().join(" ")
        };
        (0..side).map(row).collect()
    }
}
