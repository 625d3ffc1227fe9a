//! Positions as diagrams: reads and draws boards.

use std::fmt::Write as _;

use thiserror::Error;

use super::colour;
use super::setup::Setup;
use crate::board::vertex;
use crate::board::{BoardSize, BoardSizeError, Point};
use crate::game::Seat;

/// Why a text is not a diagram.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DiagramError {
    /// No row of points was found.
    #[error("the diagram has no rows: expected one line of `.`, `X`, `O`, `R`, `G` for each row")]
    Empty,
    /// The number of rows is not a board size.
    #[error(transparent)]
    Size(#[from] BoardSizeError),
    /// The board is not square.
    #[error(
        "line {line}: the row `{row}` has {found} points: expected {expected}, the number of rows"
    )]
    Ragged {
        /// The line, from 1.
        line: usize,
        /// The points of the row, shortened.
        row: String,
        /// The number of its points.
        found: usize,
        /// The number of rows.
        expected: usize,
    },
    /// An unknown character.
    #[error(
        "line {line}: unknown character `{}`: expected `.` or `+` for an empty point, \
         `X` or `#` black, `O` or `o` white, `R` red, `G` green",
        .found.escape_debug()
    )]
    Character {
        /// The line, from 1.
        line: usize,
        /// The character.
        found: char,
    },
    /// The side to move is not a colour.
    #[error("line {line}: invalid colour `{found}`: expected black, white, red or green")]
    ToMove {
        /// The line, from 1.
        line: usize,
        /// The text after `to move:`.
        found: String,
    },
}

/// Reads a diagram: one row in each line, from the top; `.` or `+` is empty, `X` or `#` black, `O`
/// or `o` white, `R` red, `G` green. Spaces, `|`, row numbers and a line of column letters are
/// ignored. A first line `to move: COLOUR` names the side to move; without it Black moves.
///
/// # Errors
/// Quotes the wrong line and says what was expected.
pub fn parse(text: &str) -> Result<Setup, DiagramError> {
    let mut to_move = colour::BLACK;
    let mut rows: Vec<(usize, Vec<char>)> = Vec::new();
    let mut first = true;
    for (line_number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        if std::mem::take(&mut first)
            && let Some(rest) = strip_to_move(trimmed)
        {
            to_move = colour::parse(rest).ok_or_else(|| DiagramError::ToMove {
                line: line_number,
                found: shorten(rest),
            })?;
            continue;
        }
        if is_column_letters(trimmed) {
            continue;
        }
        let is_point = |c: &char| !c.is_whitespace() && *c != '|' && !c.is_ascii_digit();
        let row: Vec<char> = trimmed.chars().filter(is_point).collect();
        let is_known = |&c: &char| c == '.' || c == '+' || colour::from_stone(c).is_some();
        if let Some(&found) = row.iter().find(|c| !is_known(c)) {
            let line = line_number;
            return Err(DiagramError::Character { line, found });
        }
        rows.push((line_number, row));
        if rows.len() > BoardSize::MAX {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            let rows_of = lines.skip_while(|line| strip_to_move(line).is_some());
            let side = rows_of.filter(|line| !is_column_letters(line)).count();
            return Err(BoardSize::new(side.max(rows.len()))
                .map_or_else(DiagramError::Size, |_| DiagramError::Empty));
        }
    }
    if rows.is_empty() {
        return Err(DiagramError::Empty);
    }
    let size = BoardSize::new(rows.len())?;
    let mut setup = Setup::empty(size);
    setup.to_move = to_move;
    for (from_top, (line, row)) in rows.into_iter().enumerate() {
        if row.len() != size.side() {
            return Err(DiagramError::Ragged {
                line,
                found: row.len(),
                row: shorten(&String::from_iter(row)),
                expected: size.side(),
            });
        }
        for (column, c) in row.into_iter().enumerate() {
            let point = size.point(column, size.side() - 1 - from_top);
            let stone = point.zip(colour::from_stone(c));
            setup.stones.extend(stone);
        }
    }
    Ok(setup)
}

/// The text after `to move:`, in either case.
fn strip_to_move(line: &str) -> Option<&str> {
    const KEY: &str = "to move:";
    let head = line.get(..KEY.len())?;
    head.eq_ignore_ascii_case(KEY)
        .then(|| line[KEY.len()..].trim())
}

/// Whether a line holds the column letters: A B C D ...
fn is_column_letters(line: &str) -> bool {
    let letters: String = line.split_whitespace().collect();
    letters.len() >= BoardSize::MIN && vertex::COLUMNS.starts_with(&letters)
}

fn shorten(text: &str) -> String {
    crate::util::quote::shorten(text, 40)
}

/// The rows from the top, points separated by spaces: `.`, `X`, `O`, `R`, `G`.
pub(crate) fn rows(size: BoardSize, stone_at: impl Fn(Point) -> Option<Seat>) -> Vec<String> {
    let row = |row: usize| {
        let points = (0..size.side()).map(|column| size.point(column, row));
        let stones = points.map(|point| point.and_then(&stone_at).map_or('.', colour::stone));
        stones.map(String::from).collect::<Vec<_>>().join(" ")
    };
    (0..size.side()).rev().map(row).collect()
}

/// The board with coordinates on all sides. No line is empty.
pub fn with_coordinates(size: BoardSize, stone_at: impl Fn(Point) -> Option<Seat>) -> String {
    let letters = vertex::COLUMNS.chars().take(size.side()).map(String::from);
    let letters = format!("   {}", letters.collect::<Vec<_>>().join(" "));
    let mut text = letters.clone();
    for (number, row) in (1..=size.side()).rev().zip(rows(size, stone_at)) {
        let _ = write!(text, "\n{number:2} {row} {number}");
    }
    text + "\n" + &letters
}

/// A diagram in the form that [`parse`] reads: the side to move, then the rows.
pub fn write(setup: &Setup) -> String {
    let rows = rows(setup.size, |p| setup.stones.get(&p).copied());
    let colour = colour::word(setup.to_move);
    format!("to move: {colour}\n{}\n", rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tanbo::setup::NamedSetup;

    #[test]
    fn what_is_written_reads_back() {
        for side in BoardSize::MIN..=BoardSize::MAX {
            let size = BoardSize::new(side).unwrap();
            let mut setup = NamedSetup::default_for(size).setup(size, 2).unwrap();
            setup.to_move = colour::WHITE;
            assert_eq!(parse(&write(&setup)), Ok(setup.clone()));
            let board = with_coordinates(size, |p| setup.stones.get(&p).copied());
            setup.to_move = colour::BLACK;
            assert_eq!(parse(&board), Ok(setup));
            assert!(board.lines().all(|line| !line.trim().is_empty()));
        }
    }

    #[test]
    fn wrong_diagrams_are_explained() {
        let wrong = [
            ("", "no rows"),
            (
                "....\n...\n....\n....",
                "line 2: the row `...` has 3 points: expected 4",
            ),
            ("...\n...\n...", "`3`"),
            ("....\n..z.\n....\n....", "line 2: unknown character `z`"),
            ("to move: purple\n....", "line 1: invalid colour `purple`"),
        ];
        for (text, part) in wrong {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let error = parse(&"....\n".repeat(100_000)).unwrap_err().to_string();
        assert!(error.contains("`100000`"), "{error}");
    }
}
