//! How strong Tanada plays against a person.
//!
//! A level limits the search and plays some moves at random. The levels are not rated.

use crate::params::Params;
use crate::util::nearest::hint;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::super::failure::shorten;
use super::super::{Failure, counted};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) name: &'static str,
    /// Iterations per move; `None` for the limits of the options.
    pub(super) iterations: Option<u64>,
    /// Percentage of moves that are drawn at random.
    pub(super) slips: u32,
}

pub(super) const EASY: Level = level("easy", Some(10), 20);
/// No limits but those of the options.
pub(super) const FULL: Level = level("full", None, 0);

/// From the weakest to the strongest.
const LEVELS: [Level; 5] = [
    level("first-game", Some(2), 50),
    EASY,
    level("medium", Some(100), 5),
    level("hard", Some(1_000), 0),
    FULL,
];

pub(super) fn parser() -> impl TypedValueParser<Value = Level> {
    PossibleValuesParser::new(LEVELS.map(|level| level.name))
        .map(|name| Level::find(&name).unwrap_or(FULL))
}

const fn level(name: &'static str, iterations: Option<u64>, slips: u32) -> Level {
    Level {
        name,
        iterations,
        slips,
    }
}

impl Level {
    /// The level with this name; blanks count as hyphens.
    pub(super) fn find(name: &str) -> Result<Self, Failure> {
        let word = name.trim().to_lowercase().replace(' ', "-");
        let found = LEVELS.into_iter().find(|level| level.name == word);
        found.ok_or_else(|| {
            let hint = hint(&word, &LEVELS.map(|level| level.name));
            Failure::Input(format!("unknown level `{}`{hint}", shorten(name)))
        })
    }

    /// What the level does; `params` are those of a search at full strength.
    fn meaning(&self, params: &Params) -> String {
        let limits = params.move_limits();
        let search = match (self.iterations, limits.iterations, limits.seconds) {
            (Some(n), ..) | (None, Some(n), None) => a_move(n),
            (None, Some(n), Some(seconds)) => format!("{}, at most {seconds} s", a_move(n)),
            (None, None, seconds) => {
                let seconds = seconds.unwrap_or(Params::DEFAULT_SECONDS);
                format!("full strength, {seconds} s per move")
            }
        };
        match self.slips {
            0 => search,
            n => format!("{search}, {n} % of the moves at random"),
        }
    }

    pub(super) fn describe(&self, params: &Params) -> String {
        let more = match self.iterations {
            None if params.iterations.is_none() => " (`--time-per-move` changes it)",
            _ => "",
        };
        format!("Level {}: {}{more}.", self.name, self.meaning(params))
    }

    pub(super) fn stronger(&self) -> Option<&'static str> {
        let place = LEVELS.iter().position(|level| level == self)?;
        LEVELS.get(place + 1).map(|level| level.name)
    }
}

fn a_move(iterations: u64) -> String {
    counted(iterations, "iteration per move", "iterations per move")
}

pub(super) fn list(params: &Params) -> String {
    let lines = LEVELS.map(|level| format!("  {:10}  {}\n", level.name, level.meaning(params)));
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise() {
        for pair in LEVELS.windows(2) {
            let most = |level: Level| level.iterations.unwrap_or(u64::MAX);
            assert!(most(pair[0]) < most(pair[1]) && pair[0].slips >= pair[1].slips);
        }
        assert_eq!(Level::find("First game").unwrap(), LEVELS[0]);
        assert_eq!(Level::find("full").unwrap(), LEVELS[4]);
        let error = Level::find("best").unwrap_err().to_string();
        assert!(error.contains("`best`") && error.contains("easy, medium"));
        let default = Params::default();
        assert_eq!(list(&default).lines().count(), LEVELS.len());
        for (time_per_move, iterations, meaning) in [
            (
                None,
                None,
                "full strength, 1 s per move (`--time-per-move` changes it)",
            ),
            (None, Some(30), "30 iterations per move"),
            (None, Some(1), "1 iteration per move"),
            (Some(2.5), Some(30), "30 iterations per move, at most 2.5 s"),
        ] {
            let params = Params {
                time_per_move,
                iterations,
                ..Params::default()
            };
            assert_eq!(FULL.describe(&params), format!("Level full: {meaning}."));
        }
        let names = LEVELS.map(|level| level.stronger());
        assert_eq!(names[0], Some("easy"));
        assert_eq!(names[4], None);
    }
}
