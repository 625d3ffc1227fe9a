//! What can be wrong in a record, and where.

use thiserror::Error;

use crate::board::BoardSize;

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

/// Finds the lines and columns of places in a text. Going on from one place to a later one costs
/// only the way between them, so the faults of many games cost no more than one pass.
///
/// Lines end with CR, LF, or both in either order.
#[derive(Clone, Debug)]
pub struct Places<'a> {
    text: &'a str,
    /// The byte up to which was counted.
    at: usize,
    line: usize,
    column: usize,
    /// The second half that the last line end may still have.
    other: Option<char>,
    /// The characters that were looked at.
    #[cfg(test)]
    steps: usize,
}

impl<'a> Places<'a> {
    /// For places in this text, which may begin with a byte order mark.
    pub fn new(text: &'a str) -> Self {
        Self {
            text: text.strip_prefix('\u{feff}').unwrap_or(text),
            at: 0,
            line: 1,
            column: 1,
            other: None,
            #[cfg(test)]
            steps: 0,
        }
    }

    /// Line and column, each from 1, of a byte behind the mark.
    pub(super) fn of(&mut self, at: usize) -> (usize, usize) {
        if at < self.at {
            (self.at, self.line, self.column, self.other) = (0, 1, 1, None);
        }
        let way = self.text.get(self.at..at.min(self.text.len()));
        for c in way.unwrap_or_default().chars() {
            #[cfg(test)]
            {
                self.steps += 1;
            }
            let other = match c {
                '\r' => '\n',
                '\n' => '\r',
                _ => {
                    self.column += 1;
                    self.other = None;
                    continue;
                }
            };
            if self.other == Some(c) {
                self.other = None;
                continue;
            }
            self.other = Some(other);
            (self.line, self.column) = (self.line + 1, 1);
        }
        self.at = at;
        (self.line, self.column)
    }

    /// The error with its line and column.
    pub(super) fn error(&mut self, (at, fault): (usize, Fault)) -> SgfError {
        let (line, column) = self.of(at);
        SgfError {
            line,
            column,
            fault,
        }
    }
}

/// A value for a message.
pub(super) fn shorten(text: &str) -> String {
    crate::util::quote::shorten(text, 40)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same from the start of the text.
    fn counted(at: usize, text: &str) -> (usize, usize) {
        let (mut line, mut column) = (1, 1);
        let mut chars = text[..at].chars().peekable();
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

    proptest! {
        #[test]
        fn places_are_those_counted_from_the_start(
            text in "[a\r\né(]{0,60}",
            order in prop::collection::vec(any::<prop::sample::Index>(), 1..20),
        ) {
            let places: Vec<usize> =
                text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let mut found = Places::new(&text);
            for index in order {
                let at = *index.get(&places);
                // Between the two halves of a line end no word begins.
                let halves = ["\r\n", "\n\r"];
                prop_assume!(!halves.iter().any(|end| text[..at].ends_with(&end[..1])
                    && text[at..].starts_with(&end[1..])));
                prop_assert_eq!(found.of(at), counted(at, &text));
            }
        }
    }

    #[test]
    fn places_in_order_cost_one_pass() {
        let text = "(;SZ[3])\n".repeat(1000);
        let mut places = Places::new(&text);
        for at in (0..text.len()).step_by(3) {
            places.of(at);
        }
        assert!(places.steps <= text.len(), "{}", places.steps);
    }
}
