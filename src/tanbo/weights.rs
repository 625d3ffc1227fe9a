//! The weights of the linear evaluation: one small text file for each kind of
//! setup, with a line for each board size that was trained on.

use std::sync::LazyLock;

use thiserror::Error;

use super::features;
use super::setup::Kind;
use crate::grid::BoardSize;

/// The weights for one board: winning chances are the softmax over the seats of
/// the weighted sums of their features, plus `tempo` for the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// One for each feature, in the order of [`features::NAMES`].
    pub features: [f32; features::COUNT],
    /// For the side to move.
    pub tempo: f32,
}

/// A text that is no table of weights.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// A line of another form.
    #[error("line {line}: `{text}` is no line of weights, expected a board size, a weight for each of {names} and one for the tempo", names = features::NAMES.join(", "))]
    Line {
        /// The line, from 1.
        line: usize,
        /// The line itself.
        text: String,
    },
    /// Nothing but comments.
    #[error("the file holds no weights")]
    Empty,
}

/// Weights by board size.
#[derive(Clone, Debug, PartialEq)]
pub struct Table(Vec<(BoardSize, Weights)>);

impl Table {
    /// Reads a table: a line for each board size, `#` begins a comment.
    ///
    /// # Errors
    /// Quotes the line that is wrong.
    pub fn parse(text: &str) -> Result<Self, WeightsError> {
        let mut rows = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let row = parse_row(content).ok_or_else(|| WeightsError::Line {
                line: index + 1,
                text: content.chars().take(60).collect(),
            })?;
            rows.push(row);
        }
        rows.sort_by_key(|(size, _)| *size);
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
                features: [0.0; features::COUNT],
                tempo: 0.0,
            },
            |(_, w)| *w,
        )
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
            text.push_str(&format!("{size:>4}"));
            for w in weights.features.iter().chain([&weights.tempo]) {
                text.push_str(&format!(" {w:>9.5}"));
            }
            text.push('\n');
        }
        text
    }
}

fn parse_row(line: &str) -> Option<(BoardSize, Weights)> {
    let mut words = line.split_whitespace();
    let size = BoardSize::new(words.next()?.parse().ok()?).ok()?;
    let numbers: Vec<f32> = words
        .map(|w| w.parse().ok().filter(|x: &f32| x.is_finite()))
        .collect::<Option<_>>()?;
    let (tempo, rest) = numbers.split_last()?;
    Some((
        size,
        Weights {
            features: rest.try_into().ok()?,
            tempo: *tempo,
        },
    ))
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
            "9 1 2 3 4",
            "9 1 2 3 4 5 6",
            "3 1 2 3 4 5",
            "9 1 2 x 4 5",
            "9 1 2 inf 4 5",
        ] {
            let error = Table::parse(&format!("# head\n{text}\n"))
                .unwrap_err()
                .to_string();
            assert!(error.contains(&format!("line 2: `{text}`")), "{error}");
        }
        assert_eq!(Table::parse("# nothing\n"), Err(WeightsError::Empty));
    }

    #[test]
    fn the_nearest_size_serves() {
        let table = Table::parse("9 1 1 1 1 1\n13 2 2 2 2 2\n").unwrap();
        for (side, expected) in [(4, 1.0), (9, 1.0), (11, 1.0), (12, 2.0), (21, 2.0)] {
            assert_eq!(
                table.for_size(BoardSize::new(side).unwrap()).tempo,
                expected
            );
        }
    }
}
