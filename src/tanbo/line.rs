//! Positions of two players in a line of text.
//!
//! ```text
//! 6 b 6/X2OO1/6/1XX3/4O1/6 w
//! ```
//!
//! A line has the board size, the side to move, the rows from the top (`X` black, `O` white, a
//! number for that many empty points), and perhaps the winner with best play: `b`, `w`, or `?` if
//! unknown. Rows may be separated by line ends too.

use thiserror::Error;

use super::colour;
use super::setup::Setup;
use crate::board::BoardSize;
use crate::game::Seat;
use crate::util::quote::shorten;

/// Why a text is not such a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// Too few words, or too many.
    #[error(
        "invalid position `{0}`: expected size, side to move, rows and perhaps the winner, as in \
         `4 b X2O/4/4/O2X ?`"
    )]
    Words(String),
    /// The first word is no size of a board.
    #[error("invalid board size `{0}`: expected {min} to {max}", min = BoardSize::MIN, max = BoardSize::MAX)]
    Size(String),
    /// The second word is no side.
    #[error("invalid side to move `{0}`: expected `b` or `w`")]
    ToMove(String),
    /// The last word is no winner.
    #[error("invalid winner `{0}`: expected `b`, `w` or `?`")]
    Winner(String),
    /// The number of rows is not the size.
    #[error("`{text}` has {found} rows: expected {expected}, separated by `/`")]
    Rows {
        /// The rows, shortened.
        text: String,
        /// Their number.
        found: usize,
        /// The size.
        expected: usize,
    },
    /// A row holds something else.
    #[error(
        "the row `{row}` has `{}` in it: expected `X`, `O` and numbers for {points} points",
        .found.escape_debug()
    )]
    Character {
        /// The row, shortened.
        row: String,
        /// The character.
        found: char,
        /// The size.
        points: usize,
    },
    /// A row is too short or too long.
    #[error(
        "the row `{row}` does not fill the board: expected `X`, `O` and numbers for {points} points"
    )]
    Ragged {
        /// The row, shortened.
        row: String,
        /// The size.
        points: usize,
    },
}

/// Whether a text is meant as such a line, and not as a diagram: no diagram has `b`, `w` or `/`.
pub(super) fn is_line(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let has_size = words.next().is_some_and(is_number);
    let has_side = words.next().is_some_and(|word| side(word).is_some());
    let is_one = text.trim().lines().count() == 1;
    has_size && has_side || is_one && text.contains('/')
}

/// Reads a line: the position, and the winner if it is named.
///
/// # Errors
/// Quotes what is wrong and says what was expected.
pub fn parse(text: &str) -> Result<(Setup, Option<Seat>), LineError> {
    let rows: Vec<&str> = text.trim().lines().map(str::trim).collect();
    let line = rows.join("/");
    let words: Vec<&str> = line.split_whitespace().collect();
    let (size, to_move, rows, winner) = match words[..] {
        [size, to_move, rows] => (size, to_move, rows, "?"),
        [size, to_move, rows, winner] => (size, to_move, rows, winner),
        _ => return Err(LineError::Words(shorten(&line, 60))),
    };
    let found = size.parse().ok().and_then(|n| BoardSize::new(n).ok());
    let size = found.ok_or_else(|| LineError::Size(shorten(size, 20)))?;
    let side_to_move = side(to_move).ok_or_else(|| LineError::ToMove(shorten(to_move, 20)))?;
    let winner = match winner {
        "?" => None,
        word => Some(side(word).ok_or_else(|| LineError::Winner(shorten(word, 20)))?),
    };
    let mut setup = read_rows(rows, size)?;
    setup.to_move = side_to_move;
    Ok((setup, winner))
}

/// The side that a letter names.
fn side(text: &str) -> Option<Seat> {
    match text {
        "b" => Some(colour::BLACK),
        "w" => Some(colour::WHITE),
        _ => None,
    }
}

/// The letter of a side in a line.
pub(crate) fn letter(seat: Seat) -> char {
    if seat == colour::BLACK { 'b' } else { 'w' }
}

/// The stones of the rows, from the top, with Black to move.
fn read_rows(text: &str, size: BoardSize) -> Result<Setup, LineError> {
    let side = size.side();
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != side {
        return Err(LineError::Rows {
            text: shorten(text, 60),
            found: rows.len(),
            expected: side,
        });
    }
    let mut setup = Setup::empty(size);
    for (row, line) in (0..side).rev().zip(rows) {
        let mut column = 0;
        let mut rest = line.chars().peekable();
        while let Some(c) = rest.next() {
            let seat = match c {
                'X' => colour::BLACK,
                'O' => colour::WHITE,
                '1'..='9' => {
                    let mut run = c.to_digit(10).unwrap_or(0) as usize;
                    while let Some(digit) = rest.peek().and_then(|d| d.to_digit(10)) {
                        rest.next();
                        run = (run * 10 + digit as usize).min(side + 1);
                    }
                    column = (column + run).min(side + 1);
                    continue;
                }
                found => {
                    let (row, points) = (shorten(line, 40), side);
                    return Err(LineError::Character { row, found, points });
                }
            };
            if let Some(point) = size.point(column, row) {
                setup.stones.insert(point, seat);
            }
            column = (column + 1).min(side + 1);
        }
        if column != side {
            let (row, points) = (shorten(line, 40), side);
            return Err(LineError::Ragged { row, points });
        }
    }
    Ok(setup)
}

/// A position of Black and White as a line without the winner.
pub(crate) fn write(setup: &Setup) -> String {
    let size = setup.size;
    let rows = (0..size.side()).rev().map(|row| {
        let (mut text, mut empty) = (String::new(), 0);
        for column in 0..size.side() {
            let point = size.point(column, row);
            let stone = point.and_then(|point| setup.stones.get(&point));
            let Some(&seat) = stone else {
                empty += 1;
                continue;
            };
            push_count(&mut text, empty);
            text.push(colour::stone(seat));
            empty = 0;
        }
        push_count(&mut text, empty);
        text
    });
    let rows = rows.collect::<Vec<_>>().join("/");
    format!("{size} {} {rows}", letter(setup.to_move))
}

/// Adds a number of empty points.
fn push_count(text: &mut String, empty: usize) {
    if empty > 0 {
        text.push_str(&empty.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_back() {
        for line in [
            "4 b X2O/4/4/O2X",
            "9 w 9/1O5X1/9/9/9/9/9/1X5O1/9",
            "12 b X10O/12/12/12/12/12/12/12/12/12/12/O10X",
        ] {
            let (setup, winner) = parse(line).unwrap();
            assert_eq!((write(&setup).as_str(), winner), (line, None));
            for winner in [None, Some(colour::BLACK), Some(colour::WHITE)] {
                let text = format!(" {line}\t{}\r\n", winner.map_or('?', letter));
                assert!(is_line(&text));
                assert_eq!(parse(&text), Ok((setup.clone(), winner)));
                assert_eq!(parse(&text.replace('/', "\n")), Ok((setup.clone(), winner)));
            }
        }
    }

    #[test]
    fn diagrams_are_not_lines() {
        for text in [
            "",
            "4 . . . . 4",
            "4 O X . . 4\n3 . . . . 3",
            "X...\n....",
            "b",
        ] {
            assert!(!is_line(text), "{text}");
        }
    }

    #[test]
    fn lines_are_known_by_their_words_or_their_slashes() {
        for text in ["4 b", "4 b\nX2O", "x b 4/4", "4/4/4/4"] {
            assert!(is_line(text), "{text}");
        }
        for text in ["x b", "4 r", "X/O\nO/X"] {
            assert!(!is_line(text), "{text}");
        }
    }

    #[test]
    fn wrong_lines_are_explained() {
        for (line, part) in [
            (
                "4 b",
                "invalid position `4 b`: expected size, side to move, rows",
            ),
            ("4 b X2O/4/4/O2X w 12 5e6f7a8b", "invalid position `4 b X2O"),
            ("3 b X2/3/O2 ?", "invalid board size `3`: expected 4 to 21"),
            ("x b X2/3/O2 ?", "invalid board size `x`"),
            ("4 r X2O/4/4/O2X ?", "invalid side to move `r`"),
            ("4 b X2O/4/4/O2X d", "invalid winner `d`"),
            ("4 b X2O/4/O2X ?", "has 3 rows: expected 4"),
            ("4 b X2O/4/5/O2X ?", "the row `5` does not fill the board"),
            (
                "4 b X2O/4/99999999999999999999999/O2X ?",
                "does not fill the board",
            ),
            ("4 b XXXXXXXXX/4/4/O2X ?", "does not fill the board"),
            ("4 b X2O/4//O2X ?", "the row `` does not fill the board"),
            ("4 b X2O/4/R3/O2X ?", "the row `R3` has `R` in it"),
            ("4 b X2O/4/04/O2X ?", "the row `04` has `0` in it"),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
