//! What can be wrong in a record, and where.

use thiserror::Error;

use crate::grid::BoardSize;

/// A text that is no record of a game of Tanbo, and where it goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct SgfError {
    /// The line, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What can be wrong in a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// No record begins in the text.
    #[error("`{0}` begins no game record, expected `(;`")]
    Begin(String),
    /// The text ends too early.
    #[error("the record ends inside the game, expected `)`")]
    End,
    /// A character that has no meaning there.
    #[error("`{0}` is out of place, expected a property like `B[cc]`, `;`, `(` or `)`")]
    Character(char),
    /// A value without its closing bracket.
    #[error("the value `[{0}` has no end, expected `]`")]
    OpenValue(String),
    /// A name without a value, a value without a name, or either before the first node.
    #[error("`{0}` is out of place, expected properties like `B[cc]` in nodes that begin with `;`")]
    Property(String),
    /// A property that may stand only once with one value.
    #[error("`{0}` has more than one value, expected one")]
    Repeated(&'static str),
    /// `SZ` is no size of a square board.
    #[error("`SZ[{0}]` is no board, expected 4 to 21")]
    Size(String),
    /// `PL` or `TURN` names no colour that it may.
    #[error("`{name}[{text}]` is no side to move, expected {colours}")]
    ToMove {
        /// The property.
        name: &'static str,
        /// Its value.
        text: String,
        /// What it may name.
        colours: &'static str,
    },
    /// A value names no point.
    #[error(
        "`{name}[{text}]` is no point of the {size}x{size} board, expected two letters from a to {last}",
        last = char::from(b'a' + (size.side() as u8 - 1))
    )]
    Point {
        /// The property.
        name: &'static str,
        /// Its value.
        text: String,
        /// The board.
        size: BoardSize,
    },
    /// A pass that moves follow.
    #[error("`{name}[{text}]` is a pass before the last move, and Tanbo has none")]
    Pass {
        /// The property.
        name: &'static str,
        /// Its value.
        text: String,
    },
    /// A point that holds a stone already.
    #[error("`{name}[{text}]` puts a stone where one is")]
    Taken {
        /// The property.
        name: &'static str,
        /// Its value.
        text: String,
    },
    /// Stones added or taken off in the middle of a game.
    #[error("`{0}` changes the board between moves, expected what is there by the rules")]
    LateSetup(&'static str),
}

/// An error with the byte where it is.
pub(super) type Found<T> = Result<T, (usize, Fault)>;

/// The error with its line and column in the text.
pub(super) fn place((at, fault): (usize, Fault), text: &str) -> SgfError {
    let (line, column) = line_and_column(at, text);
    SgfError {
        line,
        column,
        fault,
    }
}

/// Line and column, each from 1, of a byte. Lines end with CR, LF, or both in either order.
pub(super) fn line_and_column(at: usize, text: &str) -> (usize, usize) {
    let (mut line, mut column) = (1, 1);
    let mut chars = text.get(..at).unwrap_or(text).chars().peekable();
    while let Some(c) = chars.next() {
        let other = match c {
            '\r' => '\n',
            '\n' => '\r',
            _ => {
                column += 1;
                continue;
            }
        };
        chars.next_if_eq(&other);
        (line, column) = (line + 1, 1);
    }
    (line, column)
}

/// A value for a message.
pub(super) fn shorten(text: &str) -> String {
    crate::quote::shorten(text, 40)
}
