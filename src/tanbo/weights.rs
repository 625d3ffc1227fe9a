//! The weights of the linear evaluation: one small text file for each kind of
//! setup, with two lines for each board size that was trained on.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use thiserror::Error;

use super::features;
use super::setup::{Kind, Start};
use crate::grid::BoardSize;

/// The weights of the features in the order of [`features::NAMES`], then that of
/// the tempo, which the side to move gets.
pub type Row = [f32; features::COUNT + 1];

/// The weights for one board. What a point is worth depends on how much there is
/// left to play for, so there are two rows, and a position's weights lie between
/// them in proportion to its phase (see [`features::Features`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// At phase 1, when the whole board is playable.
    pub opening: Row,
    /// At phase 0, when nothing is.
    pub ending: Row,
}

impl Weights {
    /// The weights at a phase, 0 to 1.
    #[inline(always)]
    pub fn at(&self, phase: f32) -> Row {
        std::array::from_fn(|i| self.ending[i] + phase * (self.opening[i] - self.ending[i]))
    }
}

/// A text that is no table of weights.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// A line of another form.
    #[error("line {line}: `{text}` is no line of weights, expected a board size, `opening` or `ending`, and a weight for each of {names} and tempo", names = features::NAMES.join(", "))]
    Line {
        /// The line, from 1.
        line: usize,
        /// The line itself.
        text: String,
    },
    /// A size that has one line only.
    #[error("the weights for size `{size}` lack the line `{phase}`")]
    Half {
        /// The size.
        size: BoardSize,
        /// The word of the missing line.
        phase: &'static str,
    },
    /// Nothing but comments.
    #[error("the file holds no weights")]
    Empty,
}

/// Weights by board size.
#[derive(Clone, Debug, PartialEq)]
pub struct Table(Vec<(BoardSize, Weights)>);

impl Table {
    /// Reads a table: for each board size a line `opening` and a line `ending`; `#`
    /// begins a comment.
    ///
    /// # Errors
    /// Quotes the line that is wrong.
    pub fn parse(text: &str) -> Result<Self, WeightsError> {
        let mut halves: BTreeMap<BoardSize, [Option<Row>; 2]> = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let (size, phase, row) = parse_row(content).ok_or_else(|| WeightsError::Line {
                line: index + 1,
                text: content.chars().take(60).collect(),
            })?;
            halves.entry(size).or_default()[phase] = Some(row);
        }
        let mut rows = Vec::new();
        for (size, [opening, ending]) in halves {
            let half = |phase: usize| WeightsError::Half {
                size,
                phase: PHASES[phase],
            };
            let weights = Weights {
                opening: opening.ok_or_else(|| half(0))?,
                ending: ending.ok_or_else(|| half(1))?,
            };
            rows.push((size, weights));
        }
        if rows.is_empty() {
            Err(WeightsError::Empty)
        } else {
            Ok(Self(rows))
        }
    }

    /// The weights of the nearest size that was trained on, the smaller of two.
    pub fn for_size(&self, size: BoardSize) -> Weights {
        let distance = |s: &BoardSize| s.side().abs_diff(size.side());
        let nearest = self.0.iter().min_by_key(|(s, _)| distance(s));
        nearest.map_or(
            Weights {
                opening: Row::default(),
                ending: Row::default(),
            },
            |(_, w)| *w,
        )
    }

    /// A table of one size.
    pub fn single(size: BoardSize, weights: Weights) -> Self {
        Self(vec![(size, weights)])
    }

    /// Replaces or adds the weights of one size.
    pub fn insert(&mut self, size: BoardSize, weights: Weights) {
        self.0.retain(|(s, _)| *s != size);
        self.0.push((size, weights));
        self.0.sort_by_key(|(s, _)| *s);
    }

    /// The table as [`Table::parse`] reads it, without comments.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (size, weights) in &self.0 {
            for (phase, row) in PHASES.iter().zip([weights.opening, weights.ending]) {
                let _ = write!(text, "{size:>2} {phase:<7}");
                for weight in row {
                    let _ = write!(text, " {weight:>9.5}");
                }
                text.push('\n');
            }
        }
        text
    }
}

/// The words of the two lines of a size.
const PHASES: [&str; 2] = ["opening", "ending"];

fn parse_row(line: &str) -> Option<(BoardSize, usize, Row)> {
    let mut words = line.split_whitespace();
    let size = BoardSize::new(words.next()?.parse().ok()?).ok()?;
    let word = words.next()?;
    let phase = PHASES.iter().position(|p| *p == word)?;
    let row: Vec<f32> = words
        .map(|w| w.parse().ok().filter(|x: &f32| x.is_finite()))
        .collect::<Option<_>>()?;
    Some((size, phase, row.try_into().ok()?))
}

static SPARSE: LazyLock<Table> = LazyLock::new(|| embedded(include_str!("weights/sparse.txt")));
static DENSE: LazyLock<Table> = LazyLock::new(|| embedded(include_str!("weights/dense.txt")));

fn embedded(text: &str) -> Table {
    // The files are part of the build and a test reads them.
    Table::parse(text).unwrap_or(Table(Vec::new()))
}

/// The weights that the program carries for a kind of setup.
pub fn table(kind: Kind) -> &'static Table {
    match kind {
        Kind::Sparse => &SPARSE,
        Kind::Dense => &DENSE,
    }
}

/// The weights that the program carries for games from `start`.
pub fn weights_for(start: &Start) -> Weights {
    table(start.kind()).for_size(start.size())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_files_are_right() {
        for text in [
            include_str!("weights/sparse.txt"),
            include_str!("weights/dense.txt"),
        ] {
            let table = Table::parse(text).unwrap();
            assert_eq!(Table::parse(&table.to_text()).unwrap(), table);
        }
    }

    #[test]
    fn wrong_lines_are_quoted() {
        for text in [
            "9 opening 1 2 3 4",
            "9 ending 1 2 3 4 5 6",
            "9 1 2 3 4 5",
            "3 opening 1 2 3 4 5",
            "9 opening 1 2 x 4 5",
            "9 opening 1 2 inf 4 5",
        ] {
            let error = Table::parse(&format!("# head\n{text}\n"))
                .unwrap_err()
                .to_string();
            assert!(error.contains(&format!("line 2: `{text}`")), "{error}");
        }
        assert_eq!(Table::parse("# nothing\n"), Err(WeightsError::Empty));
        let error = Table::parse("9 opening 1 1 1 1 1").unwrap_err().to_string();
        assert!(
            error.contains("`9`") && error.contains("`ending`"),
            "{error}"
        );
    }

    #[test]
    fn the_nearest_size_serves_and_the_phase_mixes() {
        let text =
            "9 opening 1 1 1 1 1\n9 ending 3 3 3 3 3\n13 opening 2 2 2 2 2\n13 ending 2 2 2 2 2";
        let table = Table::parse(text).unwrap();
        for (side, expected) in [(4, 1.0), (9, 1.0), (11, 1.0), (12, 2.0), (21, 2.0)] {
            let weights = table.for_size(BoardSize::new(side).unwrap());
            assert_eq!(weights.opening[0], expected);
        }
        let weights = table.for_size(BoardSize::new(9).unwrap());
        assert_eq!(weights.at(0.25), [2.5; features::COUNT + 1]);
    }
}
