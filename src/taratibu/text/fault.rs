//! What can be wrong with a text.

use std::fmt;

use thiserror::Error;

use crate::taratibu::piece::Kind;
use crate::taratibu::square::Square;

/// A text that is no position to play from, with all the reasons.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct SetupError {
    /// The reasons, the first ones of very many.
    pub faults: Vec<Fault>,
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.faults.iter().enumerate() {
            let joint = if i == 0 { "" } else { "; " };
            write!(f, "{joint}{fault}")?;
        }
        Ok(())
    }
}

/// The most faults that are told of one text.
pub(super) const MOST_FAULTS: usize = 10;

/// One thing that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
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
    /// A letter that stands for nothing.
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
    #[error("`{0}` is no turn, expected for example `turn 3, white to move, 2 steps left`")]
    TurnLine(String),
    /// A turn that the game does not have.
    #[error("there is no turn `{0}`, expected 1 to 10")]
    Turn(String),
    /// Another side to move than the turn's.
    #[error("turn {turn} belongs to {right}, not to `{found}`")]
    Side {
        /// The turn.
        turn: u8,
        /// The side in the text.
        found: &'static str,
        /// The side whose turn it is.
        right: &'static str,
    },
    /// More steps left than the turn has, or none.
    #[error("turn {turn} cannot have `{found}` steps left, expected 1 to {turn}")]
    StepsLeft {
        /// The turn.
        turn: u8,
        /// The steps in the text.
        found: String,
    },
    /// A spent square that is none.
    #[error("`{0}` is no square, expected a file and a rank from 1 to 7")]
    Square(String),
    /// A spent square without a piece of the side to move.
    #[error("`{square}` is said to be spent, but there is no {colour} piece on it")]
    SpentNothing {
        /// The square.
        square: Square,
        /// The side to move.
        colour: &'static str,
    },
    /// More captures than were possible.
    #[error(
        "{spent} pieces are said to be spent, but {colour} can have made {most} captures at most in this turn"
    )]
    SpentMany {
        /// Spent pieces.
        spent: usize,
        /// The side to move.
        colour: &'static str,
        /// The steps made or the pieces missing, whichever is less.
        most: usize,
    },
    /// A second line of a kind.
    #[error("`{0}` is a second line of its kind, expected one")]
    Repeated(String),
    /// The game is over.
    #[error("{0} has won already")]
    Won(&'static str),
    /// The game is over: no side has a step in the turns that are left.
    #[error("nobody can step in the turns that are left")]
    Stuck,
}
