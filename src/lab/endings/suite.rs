//! Suites of endings as text: one line a position.
//!
//! ```text
//! 6 b 6/X2OO1/6/1XX3/4O1/6 w
//! ```
//!
//! A line has the board size, the side to move, the rows from the top (`X` black, `O` white, a
//! number for that many empty points), and the winner with best play: `b`, `w`, or `?` if unknown.
//! `#` begins a comment.

use std::fmt;

use thiserror::Error;

use super::playable::playable_points;
use crate::board::BoardSize;
use crate::game::Seat;
use crate::start::{ReadError, read_long_text};
use crate::tanbo::{Setup, Start, colour, with_position};
use crate::util::quote::shorten;

/// The most roots of a side in an ending.
pub(crate) const MOST_ROOTS: usize = 2;

/// A position of two players, and its winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    pub start: Start,
    /// The winner with best play, if known.
    pub winner: Option<Seat>,
}

/// Why a suite cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EndingError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("endings `{file}`: {problem}")]
    File { file: String, problem: String },
}

/// The side that a letter names.
fn side(text: &str) -> Option<Seat> {
    match text {
        "b" => Some(colour::BLACK),
        "w" => Some(colour::WHITE),
        _ => None,
    }
}

fn letter(seat: Seat) -> char {
    if seat == colour::BLACK { 'b' } else { 'w' }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let setup = self.start.setup();
        write!(f, "{} {} ", setup.size, letter(setup.to_move))?;
        for row in (0..setup.size.side()).rev() {
            let mut empty = 0;
            for column in 0..setup.size.side() {
                let point = setup.size.point(column, row);
                match point.and_then(|point| setup.stones.get(&point)) {
                    None => empty += 1,
                    Some(&seat) => {
                        if empty > 0 {
                            write!(f, "{empty}")?;
                        }
                        empty = 0;
                        write!(f, "{}", colour::stone(seat))?;
                    }
                }
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if row > 0 {
                f.write_str("/")?;
            }
        }
        write!(f, " {}", self.winner.map_or('?', letter))
    }
}

impl Ending {
    /// Reads a line without its comment. An error is one sentence that quotes what is wrong.
    pub fn parse(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [size, to_move, rows, winner] = words[..] else {
            return Err(format!(
                "invalid ending `{}`: expected 4 words: size, side to move, rows, winner",
                shorten(line.trim(), 60)
            ));
        };
        let found = size.parse().ok().and_then(|n| BoardSize::new(n).ok());
        let size = found.ok_or_else(|| {
            let (size, min, max) = (shorten(size, 20), BoardSize::MIN, BoardSize::MAX);
            format!("invalid board size `{size}`: expected {min} to {max}")
        })?;
        let to_move = side(to_move).ok_or_else(|| {
            let text = shorten(to_move, 20);
            format!("invalid side to move `{text}`: expected `b` or `w`")
        })?;
        let winner = match winner {
            "?" => None,
            word => Some(side(word).ok_or_else(|| {
                let text = shorten(word, 20);
                format!("invalid winner `{text}`: expected `b`, `w` or `?`")
            })?),
        };
        let mut setup = read_rows(rows, size)?;
        setup.to_move = to_move;
        let start = setup.check(Some(2)).map_err(|refusal| {
            let rows = shorten(rows, 60);
            format!("the rules cannot play from `{rows}`: {refusal}")
        })?;
        Ok(Self { start, winner })
    }

    /// Checks that it has `points` playable points and at most [`MOST_ROOTS`] roots a side.
    pub fn check(&self, points: usize) -> Result<(), String> {
        let sides = [colour::BLACK, colour::WHITE];
        let roots = with_position!(&self.start, |position| {
            sides.map(|seat| position.root_count(seat) as usize)
        });
        let found = playable_points(&self.start);
        let wrong = match roots.iter().find(|&&roots| roots > MOST_ROOTS) {
            _ if found != points => format!("{found} playable points: expected {points}"),
            Some(many) => format!("{many} roots of one colour: expected at most {MOST_ROOTS}"),
            None => return Ok(()),
        };
        Err(format!("`{self}` has {wrong}"))
    }
}

/// The stones of the rows, from the top, with Black to move.
fn read_rows(text: &str, size: BoardSize) -> Result<Setup, String> {
    let side = size.side();
    let wrong = |row: &str, what: String| {
        format!(
            "the row `{}` {what}: expected `X`, `O` and numbers for {side} points",
            shorten(row, 40)
        )
    };
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != side {
        let (text, rows) = (shorten(text, 60), rows.len());
        return Err(format!(
            "`{text}` has {rows} rows: expected {side}, separated by `/`"
        ));
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
                _ => return Err(wrong(line, format!("has `{}` in it", c.escape_debug()))),
            };
            if let Some(point) = size.point(column, row) {
                setup.stones.insert(point, seat);
            }
            column = (column + 1).min(side + 1);
        }
        if column != side {
            return Err(wrong(line, "does not fill the board".to_string()));
        }
    }
    Ok(setup)
}

/// Reads endings with their line numbers from 1; `file` is the name in messages. A text without
/// endings is an error.
pub fn read(text: &str, file: &str) -> Result<Vec<(usize, Ending)>, EndingError> {
    let wrong = |problem| EndingError::File {
        file: shorten(file, 60),
        problem,
    };
    let mut endings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default();
        if line.trim().is_empty() {
            continue;
        }
        let ending = Ending::parse(line);
        let ending = ending.map_err(|reason| wrong(format!("line {number}: {reason}")))?;
        endings.push((number, ending));
    }
    if endings.is_empty() {
        let problem = "the file is empty: expected one line per position";
        return Err(wrong(problem.to_string()));
    }
    Ok(endings)
}

/// The largest file in bytes: about a million endings.
const MAX_ENDINGS: u64 = 64 << 20;

/// Reads a file of endings, of at most 64 MiB.
pub fn read_file(path: &str) -> Result<Vec<(usize, Ending)>, EndingError> {
    read(&read_long_text(path, MAX_ENDINGS)?, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tanbo::NamedSetup;

    #[test]
    fn lines_read_back() {
        for line in [
            "4 b X2O/4/4/O2X ?",
            "9 w 9/1O5X1/9/9/9/9/9/1X5O1/9 w",
            "12 b X10O/12/12/12/12/12/12/12/12/12/12/O10X b",
        ] {
            assert_eq!(Ending::parse(line).unwrap().to_string(), line);
        }
        let size = BoardSize::new(4).unwrap();
        let corners = NamedSetup::Corners
            .setup(size, 2)
            .unwrap()
            .check(None)
            .unwrap();
        let (start, winner) = (corners, None);
        assert_eq!(Ending { start, winner }.to_string(), "4 b O2X/4/4/X2O ?");
        let won = Ending::parse(" 4  b X2O/4/4/O2X\tb\r").unwrap();
        assert_eq!(won.winner, Some(colour::BLACK));
    }

    #[test]
    fn wrong_lines_are_explained() {
        for (line, part) in [
            (
                "4 b X2O/4/4/O2X",
                "invalid ending `4 b X2O/4/4/O2X`: expected 4 words",
            ),
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
            ("4 b XX2/XX2/4/O2X ?", "the black root at A3 holds a loop"),
            (
                "4 b X3/4/4/4 ?",
                "only one colour has stones: expected stones of 2 or more",
            ),
            ("4 w X3/4/4/4 ?", "the rules cannot play from `X3/4/4/4`: "),
        ] {
            let reason = Ending::parse(line).unwrap_err();
            assert!(reason.contains(part), "{reason}");
        }
        let error = read("# a suite\n\n4 b X2O/4/4/O2X ? # here\n4 b\n", "suite").unwrap_err();
        assert_eq!(
            error.to_string(),
            "endings `suite`: line 4: invalid ending `4 b`: expected 4 words: size, side to move, rows, winner"
        );
        let error = read("# nothing\n", "suite").unwrap_err();
        assert!(error.to_string().contains("the file is empty"));
        let error = read_file("/nowhere/at/all").unwrap_err().to_string();
        assert!(error.contains("`/nowhere/at/all` cannot be read"));
    }

    #[test]
    fn suites_have_rules() {
        let corners = Ending::parse("4 b X2O/4/4/O2X ?").unwrap();
        assert_eq!(corners.check(12), Ok(()));
        let reason = corners.check(11).unwrap_err();
        assert!(reason.ends_with("` has 12 playable points: expected 11"));
        let three = Ending::parse("5 b X3X/2O2/5/5/X4 ?").unwrap();
        let reason = three.check(playable_points(&three.start)).unwrap_err();
        assert!(reason.contains("has 3 roots of one colour"), "{reason}");
    }
}
