//! `tanada params`: the table of parameters.

use std::fmt::Display;
use std::io::{self, IsTerminal};

use crate::lab::tune::R_END;
use crate::params::{Kind, LEVELS, Level, NONE, PARAMETERS, Parameter};
use clap::ValueEnum;
use serde_json::{Value as Json, json};
use textwrap::{Options, fill};

use super::{Failure, print, print_json, table, terminal};

#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// Print one JSON array
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// table lists all parameters, levels the levels of play with the settings that make them;
    /// weather-factory and openbench write the input of these tuners, with the parameters that can be
    /// tuned
    #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    #[default]
    Table,
    Levels,
    WeatherFactory,
    #[value(name = "openbench")]
    OpenBench,
}

/// Prints name, type, default, range, step and meaning of every parameter, or the input of a tuner.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.format {
        Format::WeatherFactory => return print(&weather_factory()),
        Format::OpenBench => return print(&openbench()),
        Format::Levels => return print(&levels()),
        Format::Table => {}
    }
    if arguments.json {
        return print_json(&PARAMETERS.iter().map(object).collect::<Vec<_>>());
    }
    if io::stdout().is_terminal() {
        return print(&entries(terminal::output_size().0));
    }
    let heads = ["name", "type", "default", "range", "step", "meaning"];
    print(&table(heads, PARAMETERS.iter().map(row), &[2]))
}

/// A line for each level: its name, its strength, and the values of parameters that make it.
fn levels() -> String {
    let row = |level: &Level| {
        let changed = level.settings().into_iter();
        let settings: Vec<String> = changed
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        [
            level.name.to_string(),
            level.elo.to_string(),
            settings.join(" "),
        ]
    };
    table(["level", "elo", "settings"], LEVELS.iter().map(row), &[1])
}

/// An entry of several lines for each parameter, at most `width` columns wide.
fn entries(width: usize) -> String {
    let indent = Options::new(width.max(40))
        .initial_indent("    ")
        .subsequent_indent("    ");
    let entry = |parameter: &Parameter| {
        let [name, kind, default, range, step, meaning] = row(parameter);
        let mut about = format!("{kind}, {range}, default {default}");
        if step != "-" {
            about += &format!(", step {step}");
        }
        format!(
            "{name}\n{}\n{}\n",
            fill(&about, &indent),
            fill(&meaning, &indent)
        )
    };
    PARAMETERS.iter().map(entry).collect()
}

fn row(parameter: &Parameter) -> [String; 6] {
    let [kind, range, step] = describe(&parameter.kind);
    [
        parameter.name.to_string(),
        kind,
        parameter.default().to_string(),
        range,
        step,
        parameter.meaning.to_string(),
    ]
}

fn describe(kind: &Kind) -> [String; 3] {
    let number = |kind: &str, low: &dyn Display, high: &dyn Display, step: &dyn Display| {
        [kind.to_string(), format!("{low}..{high}"), step.to_string()]
    };
    let words = |kind: &str, words: &[&str]| [kind.into(), words.join("|"), "-".into()];
    match kind {
        Kind::Integer(low, high, step) => number("integer", low, high, step),
        Kind::Real(low, high, step) => number("real", low, high, step),
        Kind::Bool => words("boolean", &["true", "false"]),
        Kind::Choice(choices) => words("choice", choices),
        Kind::Limit(kind) => {
            let [kind, range, step] = describe(kind);
            [kind, format!("{NONE}|{range}"), step]
        }
    }
}

/// Name, type, default, minimum, maximum and step of the parameters that can be tuned.
fn tunable() -> impl Iterator<Item = (&'static str, &'static str, [Json; 4])> {
    let tunable = PARAMETERS.iter().filter(|parameter| parameter.is_tunable());
    tunable.filter_map(|parameter| {
        let (kind, [low, high, step]) = match parameter.kind {
            Kind::Integer(low, high, step) => ("int", [low, high, step].map(Json::from)),
            Kind::Real(low, high, step) => ("float", [low, high, step].map(Json::from)),
            _ => return None,
        };
        let numbers = [json!(parameter.default()), low, high, step];
        Some((parameter.name, kind, numbers))
    })
}

/// `config.json` of weather-factory (<https://github.com/jnlt3/weather-factory>).
fn weather_factory() -> String {
    let entries = tunable().map(|(name, _, [value, low, high, step])| {
        format!(
            "  \"{name}\": {{\"value\": {value}, \"min_value\": {low}, \"max_value\": {high}, \"step\": {step}}}"
        )
    });
    format!("{{\n{}\n}}\n", entries.collect::<Vec<_>>().join(",\n"))
}

/// The parameters of a new SPSA tuning in OpenBench (<https://github.com/AndyGrant/OpenBench>), one
/// per line: name, type, value, min, max, C_end, R_end.
fn openbench() -> String {
    let line = |(name, kind, [value, low, high, step]): (_, _, [Json; 4])| {
        format!("{name}, {kind}, {value}, {low}, {high}, {step}, {R_END}\n")
    };
    tunable().map(line).collect()
}

fn object(parameter: &Parameter) -> Json {
    let mut object = kind(&parameter.kind);
    object["name"] = json!(parameter.name);
    object["default"] = json!(parameter.default());
    object["meaning"] = json!(parameter.meaning);
    object
}

fn kind(of: &Kind) -> Json {
    match of {
        Kind::Integer(low, high, step) => {
            json!({"type": "integer", "min": low, "max": high, "step": step})
        }
        Kind::Real(low, high, step) => {
            json!({"type": "real", "min": low, "max": high, "step": step})
        }
        Kind::Bool => json!({"type": "boolean"}),
        Kind::Choice(words) => json!({"type": "choice", "choices": words}),
        Kind::Limit(number) => {
            let mut object = kind(number);
            object["nullable"] = json!(true);
            object
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_listed_with_settings_that_can_be_made() {
        let text = levels();
        assert_eq!(text.lines().count(), 1 + LEVELS.len());
        for (line, level) in text.lines().skip(1).zip(LEVELS) {
            let mut words = line.split_whitespace();
            assert_eq!(words.next(), Some(level.name));
            let mut params = crate::params::Params::default();
            words.skip(1).for_each(|word| params.assign(word).unwrap());
            let mut expected = crate::params::Params::default();
            expected.apply_level(level.name).unwrap();
            assert_eq!(params, expected);
        }
    }

    #[test]
    fn entries_hold_the_whole_table_within_the_width() {
        for width in [40, 80, 200] {
            let text = entries(width);
            assert!(text.lines().all(|line| line.chars().count() <= width));
            let names = text.lines().filter(|line| !line.starts_with(' '));
            assert!(names.eq(PARAMETERS.iter().map(|parameter| parameter.name)));
            let words: Vec<&str> = text.split_whitespace().collect();
            for parameter in PARAMETERS {
                let meaning: Vec<&str> = parameter.meaning.split_whitespace().collect();
                assert!(words.windows(meaning.len()).any(|part| part == meaning));
            }
        }
    }
}
