//! The weights of the linear evaluation: a text file with a line for each feature.

use std::fmt::Write as _;
use std::sync::LazyLock;

use super::features::{COUNT, NAMES, ROWS, Row};
use crate::game::LARGEST_WEIGHT as LARGEST;
use crate::util::quote::shorten;

/// The weight of each feature in all turns, and what each of the ten turns adds to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    /// For all turns, then for turns 1 to 10.
    pub(crate) rows: [Row; ROWS],
}

impl Weights {
    /// The weights in the order of the inputs
    /// (see [`inputs`](super::features::inputs)).
    pub(crate) fn from_inputs(weights: &[f64]) -> Self {
        let weight = |at: usize| weights.get(at).map_or(0.0, |&weight| weight as f32);
        Self {
            rows: std::array::from_fn(|row| std::array::from_fn(|i| weight(row * COUNT + i))),
        }
    }

    /// The weights for a turn from 1 to 10.
    pub(crate) fn at(&self, turn: usize) -> Row {
        std::array::from_fn(|i| self.rows[0][i] + self.rows[turn % ROWS][i])
    }

    /// Reads a table: for each feature, in any order, its name and the weights for all turns and
    /// for turns 1 to 10; `#` begins a comment.
    ///
    /// # Errors
    /// Says in one sentence what is wrong, and quotes the line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut rows = [[0.0; COUNT]; ROWS];
        let mut found = [false; COUNT];
        for (index, line) in text.lines().enumerate() {
            let content = line.split('#').next().unwrap_or_default().trim();
            let mut words = content.split_whitespace();
            let Some(name) = words.next() else {
                continue;
            };
            let line = index + 1;
            let feature = NAMES.iter().position(|n| *n == name);
            let feature = feature.ok_or_else(|| {
                let (name, names) = (shorten(name, 40), NAMES.join(", "));
                format!("line {line}: unknown feature `{name}`: expected one of {names}")
            })?;
            if std::mem::replace(&mut found[feature], true) {
                return Err(format!(
                    "line {line}: a second line for `{name}`: expected one"
                ));
            }
            let numbers: Option<Vec<f32>> = words
                .map(|w| w.parse().ok().filter(|x: &f32| x.abs() <= LARGEST))
                .collect();
            let numbers = numbers.filter(|numbers| numbers.len() == ROWS);
            let numbers = numbers.ok_or_else(|| {
                let text = shorten(content, 60);
                format!(
                    "line {line}: `{text}` is not a line of weights: expected the name of a \
                     feature and {ROWS} numbers, -{LARGEST} to {LARGEST}, one for all turns and \
                     one for each turn"
                )
            })?;
            for (row, number) in rows.iter_mut().zip(numbers) {
                row[feature] = number;
            }
        }
        match found.iter().position(|found| !found) {
            Some(missing) => Err(format!("the weights lack a line for `{}`", NAMES[missing])),
            None => Ok(Self { rows }),
        }
    }

    /// The table as [`Weights::parse`] reads it, without comments.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for (feature, name) in NAMES.iter().enumerate() {
            let _ = write!(text, "{name:<13}");
            for row in &self.rows {
                let _ = write!(text, " {:>8.4}", row[feature]);
            }
            text.push('\n');
        }
        text
    }
}

static EMBEDDED: LazyLock<Weights> = LazyLock::new(|| {
    // Always readable: the file is embedded and a test reads it.
    Weights::parse(include_str!("linear.txt")).unwrap_or(Weights {
        rows: [[0.0; COUNT]; ROWS],
    })
});

pub(crate) fn embedded() -> &'static Weights {
    &EMBEDDED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_file_is_right() {
        let weights = Weights::parse(include_str!("linear.txt")).unwrap();
        assert_eq!(Weights::parse(&weights.to_text()), Ok(weights));
    }

    #[test]
    fn wrong_lines_are_quoted() {
        let numbers = ["1"; ROWS].join(" ");
        for (text, part) in [
            (format!("king {numbers}"), "line 2: unknown feature `king`"),
            (format!("man {numbers} 1"), "line 2: `man 1 1"),
            (format!("man {numbers}x"), "is not a line of weights"),
            (format!("man {numbers}e99"), "is not a line of weights"),
            (
                format!("man {numbers}\nman {numbers}"),
                "line 3: a second line for `man`",
            ),
            (format!("man {numbers}"), "lack a line for `sphinx`"),
        ] {
            let error = Weights::parse(&format!("# head\n{text}\n")).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_turn_adds_to_what_holds_for_all() {
        let mut inputs = [0.0; ROWS * COUNT];
        inputs[5] = 1.0;
        inputs[3 * COUNT + 5] = 0.5;
        let weights = Weights::from_inputs(&inputs);
        assert_eq!(weights.at(3)[5], 1.5);
        assert_eq!(weights.at(10)[5], 1.0);
    }
}
