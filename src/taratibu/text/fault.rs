//! What can be wrong with the text of a position.

use std::fmt;

use thiserror::Error;

use crate::taratibu::piece::Kind;
use crate::taratibu::square::Square;

/// Everything that is wrong with the text of a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct PositionError {
    /// The faults, at most ten.
    pub(crate) faults: Vec<PositionFault>,
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.faults.iter().enumerate() {
            let joint = if i == 0 { "" } else { "; " };
            write!(f, "{joint}{fault}")?;
        }
        Ok(())
    }
}

/// The most faults reported for one text.
pub(super) const MOST_FAULTS: usize = 10;

/// One fault of a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum PositionFault {
    /// Too few or too many rows.
    #[error("the board has {0} rows, expected 7, the one of rank 7 first")]
    Rows(usize),
    /// A row of another length.
    #[error("the row `{row}` has {found} squares, expected 7")]
    Columns {
        /// The row.
        row: String,
        /// Its squares.
        found: usize,
    },
    /// An unknown letter.
    #[error(
        "unknown letter `{}`, expected `.` or one of {} for black pieces, upper case for white ones",
        .0.escape_debug(), Kind::LETTERS
    )]
    Letter(char),
    /// Two pieces of one kind and colour.
    #[error("{colour} has more than one {kind:?}, expected at most one")]
    Twice {
        /// The colour.
        colour: &'static str,
        /// The kind.
        kind: Kind,
    },
    /// A line about the turn that cannot be read.
    #[error("`{0}` is not a turn, expected for example `turn 3, white to move, 2 steps left`")]
    TurnLine(String),
    /// A turn outside the game.
    #[error("there is no turn `{0}`, expected 1 to 10")]
    Turn(String),
    /// The turn belongs to the other side.
    #[error("turn {turn} belongs to {right}, not to `{found}`")]
    Side {
        /// The turn.
        turn: u8,
        /// The side in the text.
        found: &'static str,
        /// The side whose turn it is.
        right: &'static str,
    },
    /// No steps left, or more than the turn has.
    #[error("turn {turn} cannot have `{found}` steps left, expected 1 to {turn}")]
    StepsLeft {
        /// The turn.
        turn: u8,
        /// The steps in the text.
        found: String,
    },
    /// A spent square that does not exist.
    #[error("`{0}` is not a square, expected a file and a rank from 1 to 7")]
    Square(String),
    /// A spent square that holds no piece of the side to move.
    #[error("the piece on `{square}` cannot be spent: there is no {colour} piece")]
    SpentNothing {
        /// The square.
        square: Square,
        /// The side to move.
        colour: &'static str,
    },
    /// More captures than were possible.
    #[error(
        "{spent} pieces cannot be spent: {colour} can have made at most {most} captures in this turn"
    )]
    SpentMany {
        /// Spent pieces.
        spent: usize,
        /// The side to move.
        colour: &'static str,
        /// The smaller of the steps made and the missing pieces.
        most: usize,
    },
    /// A second line of a kind.
    #[error("`{0}` is a second line of its kind, expected one")]
    Repeated(String),
    /// The game is won.
    #[error("{0} has won already")]
    Won(&'static str),
    /// The game is over: neither side has a step in the remaining turns.
    #[error("nobody can step in the turns that are left")]
    Stuck,
}
