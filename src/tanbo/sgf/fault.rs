//! What can be wrong with a record, and where.

use thiserror::Error;

use crate::board::BoardSize;

/// A fault of a record with its line and column.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct SgfError {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The character in the line, from 1.
    pub(crate) column: usize,
    /// What is wrong.
    pub(crate) fault: SgfFault,
}

/// What can be wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum SgfFault {
    /// The text holds no record.
    #[error("`{0}` does not begin a game record, expected `(;`")]
    Begin(String),
    /// The text ends too early.
    #[error("the record ends inside the game, expected `)`")]
    End,
    /// A character out of place.
    #[error("`{0}` is out of place, expected a property like `B[cc]`, `;`, `(` or `)`")]
    Character(char),
    /// A value without its closing bracket.
    #[error("the value `[{0}` is not closed, expected `]`")]
    OpenValue(String),
    /// A name without a value, a value without a name, or either before the first node.
    #[error("`{0}` is out of place, expected properties like `B[cc]` in nodes that begin with `;`")]
    Property(String),
    /// A property with more values than allowed.
    #[error("`{0}` has more than one value, expected one")]
    Repeated(&'static str),
    /// `SZ` is not the size of a square board.
    #[error("`SZ[{0}]` is not a board size, expected 4 to 21")]
    Size(String),
    /// `PL` or `TURN` does not name a colour.
    #[error("`{name}[{text}]` does not name a side to move, expected {colours}")]
    ToMove {
        /// The property.
        name: &'static str,
        /// Its value.
        text: String,
        /// The colours that it may name.
        colours: &'static str,
    },
    /// A value does not name a point.
    #[error(
        "`{name}[{text}]` is not a point of the {size}x{size} board, expected two letters from a to {last}",
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
    /// A pass before the last move.
    #[error("`{name}[{text}]` is a pass before the last move, but Tanbo has no passes")]
    Pass {
        /// The property.
        name: &'static str,
        /// Its value.
        text: String,
    },
    /// A second stone on a point.
    #[error("`{name}[{text}]` puts a stone on an occupied point")]
    Taken {
        /// The property.
        name: &'static str,
        /// Its value.
        text: String,
    },
    /// Stones added or removed in the middle of a game, against the rules.
    #[error("`{0}` changes the board between moves, expected the position by the rules")]
    MidGameSetup(&'static str),
}

/// A result whose fault has a byte offset.
pub(super) type Located<T> = Result<T, (usize, SgfFault)>;

/// Finds lines and columns of byte offsets. A search continues from the previous offset if that is
/// smaller, so the faults of many games together cost one pass over the text.
///
/// Lines end with CR, LF, or both in either order.
#[derive(Clone, Debug)]
pub(crate) struct LineIndex<'a> {
    text: &'a str,
    /// The offset that `line` and `column` belong to.
    at: usize,
    line: usize,
    column: usize,
    /// The second character that the last line end may still have.
    other: Option<char>,
    /// Characters read.
    #[cfg(test)]
    steps: usize,
}

impl<'a> LineIndex<'a> {
    /// An index of this text, which may begin with a byte order mark.
    pub(crate) fn new(text: &'a str) -> Self {
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

    /// Line and column, both from 1, of an offset counted after the mark.
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

    /// A fault with its line and column.
    pub(super) fn error(&mut self, (at, fault): (usize, SgfFault)) -> SgfError {
        let (line, column) = self.of(at);
        SgfError {
            line,
            column,
            fault,
        }
    }
}

/// A value, shortened for a message.
pub(super) fn shorten(text: &str) -> String {
    crate::util::quote::shorten(text, 40)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Line and column, counted from the start of the text.
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
            let mut found = LineIndex::new(&text);
            for index in order {
                let at = *index.get(&places);
                // No token begins between the two characters of a line end.
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
        let mut places = LineIndex::new(&text);
        for at in (0..text.len()).step_by(3) {
            places.of(at);
        }
        assert!(places.steps <= text.len(), "{}", places.steps);
    }
}
