//! The folder of a tuning. A tuner that was killed at any moment resumes from it.
//!
//! - `tune.json`: the settings, written before the first game;
//! - `history.csv`: a line a step: its number, games won and lost by the first player, forfeited
//!   games, and the value of each parameter after the step;
//! - `plot.svg`: the history of every parameter;
//! - `lock`: held by the tuner that works here.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::error::TuneError;
use super::parameter::Tunable;
use super::settings::{MOST, TuneSettings};
use crate::lab::matches::FolderError;
use crate::lab::matches::run_folder::{
    FolderKind, append, at, difference, expect_folder, json, lock, repair_lines, write_file,
};
use crate::util::quote::shorten;

/// The most games of a step.
const MOST_GAMES: u64 = 2 * MOST as u64;

/// The result of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Its number, from 1.
    pub(crate) step: usize,
    /// Games won by the first player of the trial.
    pub(crate) wins: u64,
    /// Games it lost.
    pub(crate) losses: u64,
    /// Games that either player forfeited.
    pub(crate) forfeits: u64,
    /// The parameters after the step, unrounded.
    pub(crate) values: Vec<f64>,
}

/// The locked folder of a tuning.
#[derive(Debug)]
pub(super) struct History {
    path: PathBuf,
    journal: File,
    _lock: File,
}

const KIND: FolderKind = FolderKind {
    what: "tuning",
    settings: "tune.json",
    journal: "history.csv",
    journal_start: "step,wins,losses,",
};

fn header(parameters: &[Tunable]) -> String {
    let names = parameters.iter().map(|p| format!(",{}", p.name));
    format!("step,wins,losses,forfeits{}\n", names.collect::<String>())
}

impl Row {
    /// The row as a line of the file. The numbers read back exactly.
    fn line(&self) -> String {
        let counts = [self.step as u64, self.wins, self.losses, self.forfeits];
        let values = self.values.iter().map(f64::to_string);
        let cells = counts.iter().map(u64::to_string).chain(values);
        cells.collect::<Vec<_>>().join(",") + "\n"
    }

    /// Reads the line of a step.
    fn parse(line: &str, step: usize, parameters: &[Tunable]) -> Result<Self, String> {
        let cells: Vec<&str> = line.split(',').collect();
        let [number, wins, losses, forfeits, values @ ..] = &cells[..] else {
            return Err("too few cells".to_string());
        };
        if values.len() != parameters.len() {
            let (found, expected) = (cells.len(), parameters.len() + 4);
            return Err(format!("{found} cells: expected {expected}"));
        }
        if number.parse() != Ok(step) {
            let number = shorten(number, 20);
            return Err(format!("invalid step `{number}`: expected {step}"));
        }
        let count = |text: &str| {
            let found = text.parse().ok().filter(|count| *count <= MOST_GAMES);
            found.ok_or_else(|| {
                format!(
                    "invalid count `{}`: expected a whole number, at most {MOST_GAMES}",
                    shorten(text, 20)
                )
            })
        };
        let value = |(text, p): (&&str, &Tunable)| {
            let found = text.parse().ok();
            found
                .filter(|x| (p.min..=p.max).contains(x))
                .ok_or_else(|| {
                    let text = shorten(text, 40);
                    let Tunable { name, min, max, .. } = p;
                    format!(
                        "invalid value `{text}` for `{name}`: expected a number from {min} to {max}"
                    )
                })
        };
        let values = values.iter().zip(parameters).map(value);
        Ok(Self {
            step,
            wins: count(wins)?,
            losses: count(losses)?,
            forfeits: count(forfeits)?,
            values: values.collect::<Result<_, _>>()?,
        })
    }
}

impl History {
    /// Opens the folder of a new tuning, or of an earlier one if `resume`. Returns the settings in
    /// force and the finished steps. Without `settings` those in the folder hold.
    pub(super) fn open(
        path: &Path,
        settings: Option<&TuneSettings>,
        resume: bool,
    ) -> Result<(Self, TuneSettings, Vec<Row>), TuneError> {
        let taken = || TuneError::Taken(path.display().to_string());
        let missing = || FolderError::new(path, "holds no tuning to resume");
        expect_folder(path)?;
        let file = path.join(KIND.settings);
        if settings.is_none() && !file.exists() {
            return Err(missing().into());
        }
        if path.join("match.json").exists() {
            return Err(taken());
        }
        KIND.guard(path, &["plot.svg"])?;
        // Nothing is created before this: the folder may be somebody else's.
        KIND.read_settings::<TuneSettings>(path)?;
        let lock = lock(path)?;
        let stored: Option<TuneSettings> = KIND.read_settings(path)?;
        let journal = path.join(KIND.journal);
        let text = repair_lines(&journal)?;
        let has_steps = text.lines().nth(1).is_some();
        let settings = match (stored, settings) {
            // Without steps there is no tuning yet: its engines may have failed at the start.
            (_, Some(asked)) if !has_steps => asked.clone(),
            (Some(_), _) if !resume => return Err(taken()),
            (Some(stored), Some(asked)) => {
                if let Some(field) = difference(&stored, asked, &[]) {
                    let problem = format!("holds another tuning: its `{field}` differs");
                    return Err(FolderError::new(path, problem).into());
                }
                stored
            }
            (Some(stored), None) => stored,
            // The steps may be those of any tuning.
            (None, Some(_)) => return Err(taken()),
            (None, None) => return Err(missing().into()),
        };
        settings.check()?;
        write_file(&file, &json(&settings))?;
        let header = header(&settings.parameters);
        let mut rows = Vec::new();
        if has_steps {
            let read = read(&text, &header, &settings);
            rows = read.map_err(|(line, error)| FolderError::in_line(&journal, line, &error))?;
        } else {
            write_file(&journal, &header)?;
        }
        let history = Self {
            journal: append(&journal)?,
            path: path.to_path_buf(),
            _lock: lock,
        };
        Ok((history, settings, rows))
    }

    pub(super) fn keep(&mut self, row: &Row) -> Result<(), FolderError> {
        let written = self.journal.write_all(row.line().as_bytes());
        written.map_err(at(&self.path.join(KIND.journal)))
    }

    pub(super) fn draw(&self, svg: &str) -> Result<(), FolderError> {
        write_file(&self.path.join("plot.svg"), svg)
    }
}

/// The rows of a file; or the number of the first wrong line, from 1, and what is wrong.
fn read(text: &str, header: &str, settings: &TuneSettings) -> Result<Vec<Row>, (usize, String)> {
    let mut lines = text.lines();
    let expected = header.trim_end();
    if let Some(first) = lines.next().filter(|first| *first != expected) {
        let first = shorten(first, 60);
        return Err((
            1,
            format!("invalid header `{first}`: expected `{expected}`"),
        ));
    }
    let row = |(step, line): (usize, &str)| match settings.steps {
        most if step > most => Err((step + 1, format!("more than {most} steps"))),
        _ => Row::parse(line, step, &settings.parameters).map_err(|error| (step + 1, error)),
    };
    (1..).zip(lines).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    #[test]
    fn rows_read_back_the_same() {
        let parameters = ["uct_exploration", "initial_value_visits"]
            .map(|name| Tunable::parse(name, &Params::default()).unwrap());
        for values in [
            [0.1 + 0.2, 1.0 / 3.0],
            [0.0, 1e-300],
            [10.0, 99.999_999_999_999_99],
        ] {
            let row = Row {
                step: 7,
                wins: 3,
                losses: 1,
                forfeits: 2,
                values: values.to_vec(),
            };
            assert_eq!(Row::parse(row.line().trim_end(), 7, &parameters), Ok(row));
        }
        for (line, part) in [
            ("", "too few cells"),
            ("7,3,1", "too few cells"),
            ("7,3,1,0", "4 cells: expected 6"),
            ("7,3,1,0,1,1,1", "7 cells"),
            ("8,3,1,0,1,1", "invalid step `8`: expected 7"),
            ("7,x,1,0,1,1", "invalid count `x`"),
            (
                "7,3,1,2000001,1,1",
                "invalid count `2000001`: expected a whole number, at most 2000000",
            ),
            ("7,3,1,-1,1,1", "invalid count `-1`"),
            ("7,3,1,0,11,1", "invalid value `11` for `uct_exploration`"),
            ("7,3,1,0,NaN,1", "`NaN`"),
        ] {
            let error = Row::parse(line, 7, &parameters).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
