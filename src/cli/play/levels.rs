//! How strong Tanada plays against a person: the words about the levels.

use crate::params::{LEVELS, Level, Params};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::super::counted;

/// The usual level.
pub(super) fn usual() -> &'static Level {
    named("easy")
}

/// The level without limits but those of the options.
pub(super) fn full() -> &'static Level {
    named("full")
}

fn named(name: &str) -> &'static Level {
    Level::find(name).unwrap_or(&LEVELS[LEVELS.len() - 1])
}

pub(super) fn parser() -> impl TypedValueParser<Value = &'static Level> {
    PossibleValuesParser::new(LEVELS.iter().map(|level| level.name)).map(|name| named(&name))
}

/// How it plays and how strong it is; `own` are the settings of a search at full strength.
fn meaning(level: &Level, own: &Params) -> String {
    if level.iterations().is_none() {
        return full_strength(own);
    }
    let meaning = level.meaning.trim_end_matches('.');
    match level.elo {
        0 => meaning.to_string(),
        elo => format!("{meaning}; {elo} Elo"),
    }
}

fn full_strength(own: &Params) -> String {
    let limits = own.move_limits();
    let a_move = |n: u64| counted(n, "iteration per move", "iterations per move");
    match (limits.iterations, limits.seconds) {
        (Some(n), None) => a_move(n),
        (Some(n), Some(seconds)) => format!("{}, at most {seconds} s", a_move(n)),
        (None, seconds) => {
            let seconds = seconds.unwrap_or(Params::DEFAULT_SECONDS);
            format!("full strength, {seconds} s per move")
        }
    }
}

pub(super) fn describe(level: &Level, own: &Params) -> String {
    let more = match (level.iterations(), own.iterations) {
        (None, None) => " (`--time-per-move` changes it)",
        _ => "",
    };
    format!("Level {}: {}{more}.", level.name, meaning(level, own))
}

pub(super) fn list(own: &Params) -> String {
    let line = |level: &Level| format!("  {:10}  {}\n", level.name, meaning(level, own));
    let lines: String = LEVELS.iter().map(line).collect();
    format!("{lines}Elo: how much stronger than first-game, measured on 9x9.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_has_its_line() {
        let default = Params::default();
        assert_eq!(list(&default).lines().count(), LEVELS.len() + 1);
        assert_eq!((usual().name, full().name), ("easy", "full"));
        let text = describe(usual(), &default);
        assert!(
            text.starts_with("Level easy: ") && text.ends_with(" Elo."),
            "{text}"
        );
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
            assert_eq!(describe(full(), &params), format!("Level full: {meaning}."));
        }
    }
}
