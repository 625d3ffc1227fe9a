//! `tanada config`: the settings, and where each comes from.

use std::collections::BTreeMap;
use std::env;

use clap::Arg;
use serde_json::{Value, json};

use super::settings::{self, COMMANDS, Entry, Given, Origin, Settings};
use super::{Failure, note, print_as, table};
use crate::util::nearest::nearest;
use crate::util::quote::shorten;

/// Variables of Tanada and its scripts that are no settings, without the prefix. Those of `abstract-play` begin with `AP_`.
const OTHERS: [&str; 6] = [
    "BASE_BIN",
    "BIN",
    "CONFIG",
    "GENERATIONS",
    "PORTABLE",
    "RECORDS",
];
/// The widest value in the table, in characters.
const WIDEST: usize = 40;

#[derive(clap::Args, Clone)]
#[command(after_help = "\
Examples:
  tanada config
  tanada config --config mine.toml --json

Each line of the file sets one option, named as on the command line, for every command that has it.
A table such as `[play]` sets options for one command. In the environment, write TANADA_ and the
option in capitals, with `_` for `-`. The command line overrides the environment, which overrides
the file.

  threads = 2
  time-per-move = 5
  set = [\"cpuct=0.8\"]
  [play]
  level = \"medium\"")]
pub(super) struct Arguments {
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help = settings::CONFIG_HELP)]
    config: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The value of an option.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    name: String,
    value: String,
    /// Where the value comes from.
    from: String,
}

/// Prints the settings of all commands that take them.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let all = super::command();
    let settings = Settings::read(arguments.config.as_deref(), &all).map_err(Failure::input)?;
    let commands: Vec<&clap::Command> = settings::commands(&all).collect();
    warn_of_strange_variables(&commands);
    let of = |command: &&clap::Command| (command.get_name().to_string(), rows(&settings, command));
    let rows: Vec<(String, Vec<Row>)> = commands.iter().map(of).collect();
    let file = settings
        .path
        .as_ref()
        .map(|(path, is_there)| json!({"path": path, "exists": is_there}));
    let object = json!({"file": file, "commands": objects(&rows)});
    print_as(arguments.json, &object, || text(&settings, &rows))
}

/// Each option of a command.
fn rows(settings: &Settings, command: &clap::Command) -> Vec<Row> {
    let entries = settings.of(command, &Given::default());
    let options =
        settings::options(command).filter_map(|option| Some((option, option.get_long()?)));
    options
        .map(|(option, name)| row(option, name, &entries))
        .collect()
}

fn row(option: &Arg, name: &str, entries: &[Entry]) -> Row {
    let found: Vec<&Entry> = entries.iter().filter(|entry| entry.name == name).collect();
    let together = |text: &dyn Fn(&Entry) -> String| {
        let mut texts: Vec<String> = found.iter().map(|entry| text(entry)).collect();
        texts.dedup();
        texts.join(" ")
    };
    let (value, from) = if found.is_empty() {
        (default_of(option), "default".to_string())
    } else {
        (
            together(&|entry| entry.value.clone()),
            together(&|entry| short(&entry.origin)),
        )
    };
    Row {
        name: name.to_string(),
        value,
        from,
    }
}

fn short(origin: &Origin) -> String {
    match origin {
        Origin::Variable(name) => name.clone(),
        Origin::File { line, .. } => format!("file:{line}"),
    }
}

/// The default as the help shows it.
fn default_of(option: &Arg) -> String {
    let help = option
        .get_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let shown = help
        .split_once("[default: ")
        .and_then(|(_, rest)| rest.split_once(']'));
    let values = option
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy());
    let values: Vec<_> = values.collect();
    match shown {
        Some((shown, _)) => shown.to_string(),
        None if settings::is_switch(option) => "false".to_string(),
        None if values.is_empty() => "-".to_string(),
        None => values.join(" "),
    }
}

fn objects(rows: &[(String, Vec<Row>)]) -> Value {
    let option = |row: &Row| {
        (
            row.name.clone(),
            json!({"value": row.value, "from": row.from}),
        )
    };
    let command = |(name, rows): &(String, Vec<Row>)| {
        let options: Value = rows.iter().map(option).collect();
        (name.clone(), options)
    };
    rows.iter().map(command).collect()
}

/// A line for each option and value, with the commands where it holds.
fn text(settings: &Settings, rows: &[(String, Vec<Row>)]) -> String {
    let file = match &settings.path {
        None => "none".to_string(),
        Some((path, true)) => path.clone(),
        Some((path, false)) => format!("{path} (does not exist)"),
    };
    let mut commands: BTreeMap<&Row, Vec<&str>> = BTreeMap::new();
    for (name, rows) in rows {
        for row in rows {
            commands.entry(row).or_default().push(name);
        }
    }
    // What is set comes first.
    let (defaults, set): (Vec<_>, Vec<_>) = commands
        .into_iter()
        .partition(|(row, _)| row.from == "default");
    let line = |(row, commands): (&Row, Vec<&str>)| {
        let commands = if commands.len() == COMMANDS.len() {
            "all".to_string()
        } else {
            commands.join(" ")
        };
        [
            row.name.clone(),
            shorten(&row.value, WIDEST),
            row.from.clone(),
            commands,
        ]
    };
    let heads = ["option", "value", "from", "commands"];
    format!(
        "file: {file}\n\n{}",
        table(heads, set.into_iter().chain(defaults).map(line), &[])
    )
}

/// Notes variables that look like misspelt settings.
fn warn_of_strange_variables(commands: &[&clap::Command]) {
    let options = commands
        .iter()
        .flat_map(|command| settings::options(command));
    let known: Vec<String> = options
        .filter_map(Arg::get_long)
        .map(settings::variable)
        .collect();
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| !known.contains(name)) {
        let Some(word) = name.strip_prefix(settings::PREFIX) else {
            continue;
        };
        if OTHERS.contains(&word) || word.starts_with("AP_") {
            continue;
        }
        let words = known
            .iter()
            .filter_map(|name| name.strip_prefix(settings::PREFIX));
        let hint = nearest(word, words).map_or(String::new(), |meant| {
            format!("; did you mean `{}{meant}`?", settings::PREFIX)
        });
        note(&format!("`{}` is not a setting{hint}", shorten(&name, 60)));
    }
}
