//! Suites of endings as text: one line a position.
//!
//! ```text
//! 6 b 6/X2OO1/6/1XX3/4O1/6 w
//! ```
//!
//! A line has a position and the winner with best play, see [`line`]. `#` begins a comment.

use std::fmt;

use thiserror::Error;

use super::playable::playable_points;
use crate::game::Seat;
use crate::start::{ReadError, read_long_text};
use crate::tanbo::{Start, colour, line, with_position};
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

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let winner = self.winner.map_or('?', line::letter);
        write!(f, "{} {winner}", line::write(self.start.setup()))
    }
}

impl Ending {
    /// Reads a line without its comment. An error is one sentence that quotes what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (setup, winner) = line::parse(text).map_err(|error| error.to_string())?;
        let start = setup.check(Some(2)).map_err(|refusal| {
            let text = shorten(text.trim(), 60);
            format!("the rules cannot play from `{text}`: {refusal}")
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

    #[test]
    fn lines_read_back() {
        for line in [
            "4 b X2O/4/4/O2X ?",
            "9 w 9/1O5X1/9/9/9/9/9/1X5O1/9 w",
            "12 b X10O/12/12/12/12/12/12/12/12/12/12/O10X b",
        ] {
            assert_eq!(Ending::parse(line).unwrap().to_string(), line);
        }
        let won = Ending::parse(" 4  b X2O/4/4/O2X\tb\r").unwrap();
        assert_eq!(won.winner, Some(colour::BLACK));
    }

    #[test]
    fn wrong_lines_are_explained() {
        for (line, part) in [
            ("4 b X2O/4/O2X ?", "has 3 rows: expected 4"),
            ("4 b XX2/XX2/4/O2X ?", "the black root at A3 holds a loop"),
            (
                "4 b X3/4/4/4 ?",
                "only one colour has stones: expected stones of 2 or more",
            ),
            (
                "4 w X3/4/4/4 ?",
                "the rules cannot play from `4 w X3/4/4/4 ?`: ",
            ),
        ] {
            let reason = Ending::parse(line).unwrap_err();
            assert!(reason.contains(part), "{reason}");
        }
        let error = read("# a suite\n\n4 b X2O/4/4/O2X ? # here\n4 b\n", "suite").unwrap_err();
        assert_eq!(
            error.to_string(),
            "endings `suite`: line 4: invalid position `4 b`: expected size, side to move, rows and perhaps the winner, \
             as in `4 b X2O/4/4/O2X ?`"
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
