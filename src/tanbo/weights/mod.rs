//! The weights of the linear evaluation. There is a text file for sparse starts, one for dense
//! starts and one for more than two players, each with three lines for each trained board size.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::features;
use super::setup::{Density, Start};
use crate::board::BoardSize;
use crate::game::LARGEST_WEIGHT as LARGEST;
use crate::util::quote::shorten;

/// The weights of the features in the order of [`features::NAMES`], then the weight of the tempo,
/// a bonus for the side to move.
pub(crate) type Row = [f32; features::COUNT + 1];

/// The weights for one board size. They depend on the phase `t` of the position
/// ([`features::Features::phase`]):
///
/// ```text
/// w(t) = t * opening + 4 t (1 - t) * middle + (1 - t) * ending
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Weights {
    /// `opening` (phase 1, the whole board is playable), `middle` (added at phase 1/2 to the mean
    /// of the other two) and `ending` (phase 0).
    pub(crate) rows: [Row; ROWS],
}

impl Weights {
    /// The weights from a list in the order of the inputs: row by row.
    pub(crate) fn from_inputs(weights: &[f64]) -> Self {
        let mut rows = Self::default().rows;
        let cells = rows.iter_mut().flatten();
        for (cell, &weight) in cells.zip(weights) {
            *cell = weight as f32;
        }
        Self { rows }
    }

    /// The weights in a phase from 0 to 1.
    #[inline(always)]
    pub(crate) fn at(&self, phase: f32) -> Row {
        let [opening, middle, ending] = &self.rows;
        let shares = shares(phase);
        std::array::from_fn(|i| {
            shares[0] * opening[i] + shares[1] * middle[i] + shares[2] * ending[i]
        })
    }
}

pub(crate) const ROWS: usize = PHASES.len();

/// The names of the rows in a file.
const PHASES: [&str; 3] = ["opening", "middle", "ending"];

/// The factors of the rows in a phase.
#[inline(always)]
pub(crate) fn shares(phase: f32) -> [f32; ROWS] {
    let rest = 1.0 - phase;
    [phase, 4.0 * phase * rest, rest]
}

/// Weights by board size.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WeightTable(Vec<(BoardSize, Weights)>);

impl WeightTable {
    /// Reads a table: for each board size the lines `opening`, `middle` and `ending`; `#` begins a
    /// comment.
    ///
    /// # Errors
    /// Says in one sentence what is wrong, and quotes the line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut found: BTreeMap<BoardSize, [Option<Row>; ROWS]> = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim();
            if content.is_empty() {
                continue;
            }
            let line = index + 1;
            let (size, phase, row) = parse_row(content).ok_or_else(|| {
                let (text, names) = (shorten(content, 60), features::NAMES.join(", "));
                format!(
                    "line {line}: `{text}` is not a line of weights: expected a board size, \
                     `opening`, `middle` or `ending`, and a weight, -{LARGEST} to {LARGEST}, \
                     for each of {names} and tempo"
                )
            })?;
            if found.entry(size).or_default()[phase].replace(row).is_some() {
                let phase = PHASES[phase];
                return Err(format!(
                    "line {line}: a second line `{size} {phase}`: expected one"
                ));
            }
        }
        let mut rows = Vec::new();
        for (size, lines) in found {
            let mut weights = Weights::default();
            for (phase, line) in lines.into_iter().enumerate() {
                weights.rows[phase] = line.ok_or_else(|| {
                    let phase = PHASES[phase];
                    format!("the weights for size `{size}` lack the line `{phase}`")
                })?;
            }
            rows.push((size, weights));
        }
        if rows.is_empty() {
            Err("the file holds no weights".to_string())
        } else {
            Ok(Self(rows))
        }
    }

    /// The weights of the nearest trained size; of two, the smaller one.
    pub(crate) fn for_size(&self, size: BoardSize) -> Weights {
        let distance = |s: &BoardSize| s.side().abs_diff(size.side());
        let nearest = self.0.iter().min_by_key(|(s, _)| distance(s));
        nearest.map_or(Weights::default(), |(_, weights)| *weights)
    }

    /// Replaces or adds the weights of one size.
    pub(crate) fn insert(&mut self, size: BoardSize, weights: Weights) {
        self.0.retain(|(s, _)| *s != size);
        self.0.push((size, weights));
        self.0.sort_by_key(|(s, _)| *s);
    }

    /// The table in the form that [`WeightTable::parse`] reads, without comments.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for (size, weights) in &self.0 {
            for (phase, row) in PHASES.iter().zip(weights.rows) {
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

fn parse_row(line: &str) -> Option<(BoardSize, usize, Row)> {
    let mut words = line.split_whitespace();
    let size = BoardSize::new(words.next()?.parse().ok()?).ok()?;
    let word = words.next()?;
    let phase = PHASES.iter().position(|p| *p == word)?;
    let row: Vec<f32> = words
        .map(|w| w.parse().ok().filter(|x: &f32| x.abs() <= LARGEST))
        .collect::<Option<_>>()?;
    Some((size, phase, row.try_into().ok()?))
}

static SPARSE: LazyLock<WeightTable> = LazyLock::new(|| embedded(include_str!("sparse.txt")));
static FOUR: LazyLock<WeightTable> = LazyLock::new(|| embedded(include_str!("four.txt")));
static DENSE: LazyLock<WeightTable> = LazyLock::new(|| embedded(include_str!("dense.txt")));

fn embedded(text: &str) -> WeightTable {
    // Always readable: the files are embedded and a test reads them.
    WeightTable::parse(text).unwrap_or_default()
}

/// The embedded weights for a density and a number of players.
pub(crate) fn table(density: Density, players: usize) -> &'static WeightTable {
    match density {
        _ if players > 2 => &FOUR,
        Density::Sparse => &SPARSE,
        Density::Dense => &DENSE,
    }
}

pub(crate) fn weights_for(start: &Start) -> Weights {
    table(start.density(), start.players().len()).for_size(start.size())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_files_are_right() {
        for text in [
            include_str!("sparse.txt"),
            include_str!("dense.txt"),
            include_str!("four.txt"),
        ] {
            let table = WeightTable::parse(text).unwrap();
            assert_eq!(WeightTable::parse(&table.to_text()).unwrap(), table);
        }
    }

    #[test]
    fn wrong_lines_are_quoted() {
        let row = ["1"; features::COUNT + 1].join(" ");
        for text in [
            "9 opening 1 2 3 4".to_string(),
            format!("9 ending {row} 1"),
            format!("9 {row}"),
            format!("3 opening {row}"),
            format!("9 late {row}"),
            format!("9 opening {}x", &row[..row.len() - 1]),
            format!("9 opening {}inf", &row[..row.len() - 1]),
            format!("9 opening {}1000001", &row[..row.len() - 1]),
        ] {
            let error = WeightTable::parse(&format!("# head\n{text}\n")).unwrap_err();
            assert!(error.contains(&format!("line 2: `{text}`")), "{error}");
        }
        let twice =
            WeightTable::parse(&format!("9 opening {row}\n9 ending {row}\n9 opening {row}"));
        let error = twice.unwrap_err();
        assert_eq!(error, "line 3: a second line `9 opening`: expected one");
        assert_eq!(
            WeightTable::parse("# nothing\n"),
            Err("the file holds no weights".into())
        );
        let error = WeightTable::parse(&format!("9 opening {row}\n9 ending {row}"));
        let error = error.unwrap_err();
        assert!(
            error.contains("`9`") && error.contains("`middle`"),
            "{error}"
        );
    }

    #[test]
    fn the_nearest_size_serves_and_the_phase_mixes() {
        let rows = |value: f32| [[value; features::COUNT + 1]; ROWS];
        let mut table = WeightTable::default();
        table.insert(BoardSize::new(13).unwrap(), Weights { rows: rows(2.0) });
        let [opening, middle, ending] = [rows(1.0)[0], rows(-1.0)[0], rows(3.0)[0]];
        let weights = Weights {
            rows: [opening, middle, ending],
        };
        table.insert(BoardSize::new(9).unwrap(), weights);
        assert_eq!(WeightTable::parse(&table.to_text()), Ok(table.clone()));
        for (side, expected) in [(4, 1.0), (9, 1.0), (11, 1.0), (12, 2.0), (21, 2.0)] {
            let weights = table.for_size(BoardSize::new(side).unwrap());
            assert_eq!(weights.rows[0][0], expected);
        }
        assert_eq!(weights.at(1.0), opening);
        assert_eq!(weights.at(0.5), [1.0; features::COUNT + 1]);
        assert_eq!(weights.at(0.25), [1.75; features::COUNT + 1]);
        assert_eq!(weights.at(0.0), ending);
    }
}
