//! The folder of a tuning. A tuner that was killed at any moment goes on from it.
//!
//! - `tune.json`: the settings, written before the first game;
//! - `history.csv`: the step, games won and lost by its first player, those of them that a fault
//!   ended, and each parameter's value after it, one line a step;
//! - `plot.svg`: the course of every parameter;
//! - `lock`: held by the tuner that works here.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::TuneError;
use super::parameter::Tunable;
use super::tuner::Settings;
use crate::lab::matches::FolderError;
use crate::lab::matches::folder::{
    Mark, at, difference, expect_folder, guard, json, lock, read_settings, whole_lines, write_file,
};

/// What a step came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its number, from 1.
    pub step: usize,
    /// Games won by the first player of the trial.
    pub wins: u64,
    /// Games that it lost.
    pub losses: u64,
    /// Games of both that ended by a fault of an engine.
    pub forfeits: u64,
    /// The parameters after it, unrounded.
    pub values: Vec<f64>,
}

/// An open folder, locked.
#[derive(Debug)]
pub(super) struct History {
    path: PathBuf,
    journal: File,
    _lock: File,
}

/// The mark of a tuning.
const MARK: Mark<'_> = Mark {
    settings: "tune.json",
    journal: ("history.csv", "step,wins,losses,"),
};

fn header(parameters: &[Tunable]) -> String {
    let names = parameters.iter().map(|p| format!(",{}", p.name));
    format!("step,wins,losses,forfeits{}\n", names.collect::<String>())
}

impl Row {
    /// As one line of the file, its end included. Numbers are written so that they read back the
    /// same.
    fn line(&self) -> String {
        let values = self.values.iter().map(|x| format!(",{x}"));
        let Row {
            step,
            wins,
            losses,
            forfeits,
            ..
        } = self;
        let values = values.collect::<String>();
        format!("{step},{wins},{losses},{forfeits}{values}\n")
    }

    /// Reads a line, the row of `step`.
    fn parse(line: &str, step: usize, parameters: &[Tunable]) -> Result<Self, String> {
        let cells: Vec<&str> = line.split(',').collect();
        let [number, wins, losses, forfeits, values @ ..] = &cells[..] else {
            return Err("too few cells".to_string());
        };
        if values.len() != parameters.len() {
            let (found, expected) = (cells.len(), parameters.len() + 4);
            return Err(format!("{found} cells, expected {expected}"));
        }
        if number.parse() != Ok(step) {
            let number = crate::util::quote::shorten(number, 20);
            return Err(format!("step `{number}`, expected {step}"));
        }
        let count = |text: &str| {
            let wrong = |_| format!("`{}` is no count", crate::util::quote::shorten(text, 20));
            text.parse::<u64>().map_err(wrong)
        };
        let value = |(text, p): (&&str, &Tunable)| {
            let found: Option<f64> = text.parse().ok();
            found
                .filter(|x| (p.min..=p.max).contains(x))
                .ok_or_else(|| {
                    let text = crate::util::quote::shorten(text, 40);
                    let Tunable { name, min, max, .. } = p;
                    format!(
                        "invalid value `{text}` for `{name}`: expected a number from {min} to {max}"
                    )
                })
        };
        Ok(Self {
            step,
            wins: count(wins)?,
            losses: count(losses)?,
            forfeits: count(forfeits)?,
            values: values
                .iter()
                .zip(parameters)
                .map(value)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl History {
    /// Opens the folder of a new tuning, or of one that is gone on with if `resume`: the settings
    /// that hold, and the steps that are done. Without `settings`, those in the folder hold.
    pub(super) fn open(
        path: &Path,
        settings: Option<&Settings>,
        resume: bool,
    ) -> Result<(Self, Settings, Vec<Row>), TuneError> {
        let shown = || path.display().to_string();
        expect_folder(path)?;
        let file = path.join("tune.json");
        if settings.is_none() && !file.exists() {
            return Err(TuneError::Missing(shown()));
        }
        if path.join("match.json").exists() {
            return Err(TuneError::Taken(shown()));
        }
        guard(path, &MARK, &["plot.svg"])?;
        // Before anything is made there: the folder may be somebody else's.
        read_settings::<Settings>(&file)?;
        let lock = lock(path)?;
        let stored: Option<Settings> = read_settings(&file)?;
        let journal_path = path.join("history.csv");
        let text = whole_lines(&journal_path)?;
        let has_steps = text.lines().nth(1).is_some();
        let settings = match (stored, settings) {
            // A tuning without steps is none: its engines may have failed at the start.
            (_, Some(asked)) if !has_steps => asked.clone(),
            (Some(_), _) if !resume => return Err(TuneError::Taken(shown())),
            (Some(stored), Some(asked)) => {
                if let Some(field) = difference(&stored, asked, &[]) {
                    let path = shown();
                    return Err(TuneError::Other { path, field });
                }
                stored
            }
            (Some(stored), None) => stored,
            // Nobody knows what the steps are of.
            (None, Some(_)) => return Err(TuneError::Taken(shown())),
            (None, None) => return Err(TuneError::Missing(shown())),
        };
        settings.check()?;
        write_file(&file, &json(&settings)).map_err(at(&file))?;
        let header = header(&settings.parameters);
        let rows = match has_steps {
            true => {
                read(&text, &header, &settings).map_err(|(line, error)| FolderError::Broken {
                    path: journal_path.display().to_string(),
                    line,
                    error,
                })?
            }
            false => {
                write_file(&journal_path, &header).map_err(at(&journal_path))?;
                Vec::new()
            }
        };
        let journal = OpenOptions::new()
            .append(true)
            .open(&journal_path)
            .map_err(at(&journal_path))?;
        let history = Self {
            path: path.to_path_buf(),
            journal,
            _lock: lock,
        };
        Ok((history, settings, rows))
    }

    /// Keeps a step.
    pub(super) fn keep(&mut self, row: &Row) -> Result<(), TuneError> {
        let path = self.path.join("history.csv");
        let written = self.journal.write_all(row.line().as_bytes());
        Ok(written.map_err(at(&path))?)
    }

    /// Keeps a diagram.
    pub(super) fn draw(&self, svg: &str) -> Result<(), TuneError> {
        let path = self.path.join("plot.svg");
        Ok(write_file(&path, svg).map_err(at(&path))?)
    }
}

/// The rows of a file, or the line that is wrong, from 1, and why.
fn read(text: &str, header: &str, settings: &Settings) -> Result<Vec<Row>, (usize, String)> {
    let mut lines = text.lines();
    if let Some(first) = lines.next().filter(|first| *first != header.trim_end()) {
        let first = crate::util::quote::shorten(first, 60);
        let expected = header.trim_end();
        return Err((1, format!("`{first}`, expected `{expected}`")));
    }
    let rows = lines.enumerate().map(|(i, line)| {
        if i >= settings.steps {
            return Err((i + 2, format!("more than {} steps", settings.steps)));
        }
        Row::parse(line, i + 1, &settings.parameters).map_err(|error| (i + 2, error))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;

    #[test]
    fn rows_read_back_the_same() {
        let parameters: Vec<Tunable> = ["uct_exploration", "initial_value_visits"]
            .iter()
            .map(|name| Tunable::parse(name, &Params::default()).unwrap())
            .collect();
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
            ("7,3,1,0", "4 cells, expected 6"),
            ("7,3,1,0,1,1,1", "7 cells"),
            ("8,3,1,0,1,1", "step `8`, expected 7"),
            ("7,x,1,0,1,1", "`x` is no count"),
            ("7,3,1,-1,1,1", "`-1` is no count"),
            ("7,3,1,0,11,1", "invalid value `11` for `uct_exploration`"),
            ("7,3,1,0,NaN,1", "`NaN`"),
        ] {
            let error = Row::parse(line, 7, &parameters).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
