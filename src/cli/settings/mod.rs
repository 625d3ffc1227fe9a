//! Settings: options that a file and the environment give to the commands with which people and programs play.
//!
//! The command line overrides the environment, which overrides the file. The laboratory's commands take no settings: their
//! command lines alone say what they do.

mod file;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::io::ErrorKind::{NotADirectory, NotFound};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};
use etcetera::BaseStrategy;
use thiserror::Error;

use super::failure::{self, shorten};
use crate::start::ReadError;
use file::SettingsFile;

/// The commands that take settings.
pub(super) const COMMANDS: [&str; 7] = [
    "gtp", "analysis", "genmove", "demo", "play", "web", "analyze",
];
/// The command that runs if none is named.
const USUAL: &str = "gtp";
/// Options that say what one call does.
const OF_ONE_CALL: [&str; 9] = [
    "at", "config", "force", "help", "html", "json", "moves", "number", "version",
];
/// Options that only mean something together: all of them come from one place.
const GROUPS: [&[&str]; 2] = [&BOARD, &LIMITS];
const BOARD: [&str; 5] = ["game", "size", "setup", "players", "file"];
const LIMITS: [&str; 2] = ["time-per-move", "iterations"];
const SET: &str = "set";
const PRESET: &str = "preset";
pub(super) const PREFIX: &str = "TANADA_";
/// The variable that names the file; if it is empty, there are no settings.
const FILE_VARIABLE: &str = "TANADA_CONFIG";

/// The help of `--config`.
pub(super) const CONFIG_HELP: &str = "Settings file, TOML [default: TANADA_CONFIG, or tanada.toml in your configuration folder]; `tanada config` shows what is set";

/// Where a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Variable(String),
    File {
        path: String,
        line: usize,
        column: usize,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => f.write_str(name),
            Self::File { path, line, column } => {
                write!(f, "`{}`, line {line}, column {column}", shown(path))
            }
        }
    }
}

/// The path for a message; long enough to be typed again.
fn shown(path: &str) -> String {
    crate::util::quote::shorten(path, 500)
}

/// An option that is not typed, with its value as it would be typed. A switch has the value `true` or `false`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) origin: Origin,
}

impl Entry {
    /// The argument that would be typed; `None` for a switch that is off.
    fn argument(&self, command: &clap::Command) -> Option<String> {
        let is_switch = option(command, &self.name).is_some_and(is_switch);
        match self.value.as_str() {
            "false" if is_switch => None,
            _ if is_switch => Some(format!("--{}", self.name)),
            value => Some(format!("--{}={value}", self.name)),
        }
    }

    /// The name of the option that this decides. `set = "threads=2"` does what `threads = 2` does.
    fn key(&self) -> String {
        key_of(&self.name, &self.value)
    }

    /// Why the command does not take this.
    fn refusal(&self, command: &clap::Command) -> Option<SettingsError> {
        let name = &self.name;
        let option = option(command, name)?;
        let message = if is_switch(option) {
            let is_fine = ["true", "false"].contains(&self.value.as_str());
            let expected = "expected `true` or `false`";
            (!is_fine).then(|| {
                format!(
                    "invalid value `{}` for `{name}`: {expected}",
                    shorten(&self.value)
                )
            })?
        } else {
            let words = [command.get_name().to_string(), self.argument(command)?];
            let error = command.clone().try_get_matches_from(words).err()?;
            let message = failure::explain(&error, &[]).to_string();
            message.replacen(&format!("`--{name}`"), &format!("`{name}`"), 1)
        };
        let origin = self.origin.clone();
        Some(SettingsError::Fault { origin, message })
    }
}

/// Why settings cannot be used.
#[derive(Debug, Error)]
pub(super) enum SettingsError {
    #[error(transparent)]
    File(#[from] ReadError),
    #[error("{origin}: {message}")]
    Fault { origin: Origin, message: String },
}

/// The settings of a call: those of the file that it names, and those of the environment.
pub(super) struct Settings {
    /// The file, and whether there is one.
    pub(super) path: Option<(String, bool)>,
    file: Option<SettingsFile>,
    variables: Vec<Entry>,
}

impl Settings {
    /// Reads the file and the environment, and checks all that they say. `named` is the value of `--config`, `all` the
    /// definition of all arguments.
    ///
    /// # Errors
    /// A named file that cannot be read, or a fault in the file or the environment.
    pub(super) fn read(named: Option<&str>, all: &clap::Command) -> Result<Self, SettingsError> {
        let named = match named {
            Some(path) => Some(path.to_string()),
            None => text_of(FILE_VARIABLE)?,
        };
        let (path, variables) = match named {
            // Settings are switched off.
            Some(path) if path.is_empty() => (None, Vec::new()),
            Some(path) => (Some((path, true)), variables(all)?),
            None => (usual_path()?, variables(all)?),
        };
        let file = match &path {
            Some((path, true)) => Some(SettingsFile::read(path, all)?),
            _ => None,
        };
        let settings = Self {
            path,
            file,
            variables,
        };
        settings.check(all)?;
        Ok(settings)
    }

    /// What is set, for a report.
    pub(super) fn summary(&self) -> String {
        let variables = self.variables.iter().map(|entry| match &entry.origin {
            Origin::Variable(name) => name.clone(),
            Origin::File { path, .. } => path.clone(),
        });
        let file = self.path.iter().filter(|(_, is_there)| *is_there);
        let mut sources: Vec<String> = file
            .map(|(path, _)| path.clone())
            .chain(variables)
            .collect();
        sources.dedup();
        if sources.is_empty() {
            return "none".to_string();
        }
        sources.join(", ")
    }

    fn check(&self, all: &clap::Command) -> Result<(), SettingsError> {
        for command in commands(all) {
            let entries = self.layers(command).into_iter().flatten();
            if let Some(error) = entries.filter_map(|entry| entry.refusal(command)).next() {
                return Err(error);
            }
        }
        Ok(())
    }

    /// What a command could take, the strongest first.
    fn layers(&self, command: &clap::Command) -> Vec<Vec<Entry>> {
        let is_of = |entry: &&Entry| option(command, &entry.name).is_some();
        let variables = self.variables.iter().filter(is_of).cloned().collect();
        let file = self.file.iter().flat_map(|file| file.layers(command));
        std::iter::once(variables).chain(file).collect()
    }

    /// What a command takes beside what is typed, the weakest first.
    pub(super) fn of(&self, command: &clap::Command, typed: &Given) -> Vec<Entry> {
        let mut given = typed.clone();
        let mut taken = Vec::new();
        for layer in self.layers(command) {
            let layer: Vec<Entry> = layer
                .into_iter()
                .filter(|entry| given.leaves(entry))
                .collect();
            for entry in &layer {
                given.0.insert(entry.key());
            }
            taken.splice(0..0, layer);
        }
        taken
    }
}

/// The options that decide something already.
#[derive(Clone, Debug, Default)]
pub(super) struct Given(BTreeSet<String>);

impl Given {
    /// What is typed.
    fn typed(command: &clap::Command, found: &ArgMatches) -> Self {
        let is_typed = |id: &str| found.value_source(id) == Some(ValueSource::CommandLine);
        let typed = command
            .get_arguments()
            .filter(|a| is_typed(a.get_id().as_str()));
        let keys = typed.flat_map(|argument| {
            let id = argument.get_id().as_str();
            let name = argument.get_long().unwrap_or(id);
            let values = found.get_raw(id).into_iter().flatten();
            match name {
                SET => values
                    .map(|value| key_of(SET, &value.to_string_lossy()))
                    .collect(),
                name => vec![name.to_string()],
            }
        });
        Self(keys.collect())
    }

    /// Whether they leave it to a weaker setting to decide.
    fn leaves(&self, entry: &Entry) -> bool {
        let key = entry.key();
        let mut groups = GROUPS.iter().filter(|group| group.contains(&key.as_str()));
        let is_decided = groups.any(|group| group.iter().any(|name| self.0.contains(*name)));
        // A preset sets all parameters anew.
        let is_replaced = entry.name == SET && self.0.contains(PRESET);
        !is_decided && !is_replaced && !self.0.contains(&key)
    }
}

/// The name of the option that decides what this option decides.
fn key_of(name: &str, value: &str) -> String {
    let parameter = value.split('=').next().unwrap_or_default().trim();
    if name == SET {
        parameter.replace('_', "-")
    } else {
        name.to_string()
    }
}

/// The definitions of the commands that take settings.
pub(super) fn commands(all: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    COMMANDS.iter().filter_map(|name| all.find_subcommand(name))
}

/// The option with this name, if a setting can give it to the command.
fn option<'a>(command: &'a clap::Command, name: &str) -> Option<&'a Arg> {
    options(command).find(|option| option.get_long() == Some(name))
}

/// The options of a command that a setting can give.
pub(super) fn options(command: &clap::Command) -> impl Iterator<Item = &Arg> {
    // `analyze` is about a game, which must be named.
    let takes_board = command.get_name() != "analyze";
    command.get_arguments().filter(move |option| {
        let name = option.get_long().unwrap_or("help");
        let is_board = BOARD.contains(&name);
        !option.is_hide_set() && !OF_ONE_CALL.contains(&name) && (takes_board || !is_board)
    })
}

pub(super) fn is_switch(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::SetTrue)
}

fn is_repeated(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Append)
}

/// The variable for an option.
pub(super) fn variable(name: &str) -> String {
    PREFIX.to_string() + &name.replace('-', "_").to_uppercase()
}

/// The settings in the environment; an empty one counts as none. A repeated option takes several values, separated by
/// spaces.
fn variables(all: &clap::Command) -> Result<Vec<Entry>, SettingsError> {
    let mut known: Vec<(&str, bool)> = commands(all)
        .flat_map(options)
        .filter_map(|option| Some((option.get_long()?, is_repeated(option))))
        .collect();
    known.sort_unstable();
    known.dedup();
    let mut entries = Vec::new();
    for (name, repeats) in known {
        let variable = variable(name);
        let value = text_of(&variable)?.unwrap_or_default();
        let values: Vec<&str> = if repeats {
            value.split_whitespace().collect()
        } else {
            vec![&value]
        };
        let values = values.into_iter().filter(|value| !value.is_empty());
        entries.extend(values.map(|value| Entry {
            name: name.to_string(),
            value: value.to_string(),
            origin: Origin::Variable(variable.clone()),
        }));
    }
    Ok(entries)
}

/// `tanada.toml` in the user's configuration folder, which is `$XDG_CONFIG_HOME` or its counterpart on this system, and
/// whether there is such a file.
fn usual_path() -> Result<Option<(String, bool)>, SettingsError> {
    let Ok(places) = etcetera::choose_base_strategy() else {
        return Ok(None);
    };
    let path = places.config_dir().join("tanada.toml");
    let text = path.to_string_lossy().into_owned();
    match path.symlink_metadata() {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(Some((text, false))),
        Err(error) => Err(ReadError::new(&text, &error).into()),
        Ok(_) if path.to_str().is_none() => {
            Err(ReadError::because(&text, "its name is not UTF-8 text").into())
        }
        Ok(_) => Ok(Some((text, true))),
    }
}

/// A variable.
fn text_of(variable: &str) -> Result<Option<String>, SettingsError> {
    let text = env::var_os(variable).map(OsString::into_string).transpose();
    text.map_err(|odd| SettingsError::Fault {
        origin: Origin::Variable(variable.to_string()),
        message: format!("`{}` is not UTF-8 text", shorten(&odd.to_string_lossy())),
    })
}

/// What a command takes of a file: its name, all arguments of its call, and the options with their values.
type OfCommand = (String, Vec<String>, Vec<(String, String)>);

/// What each command takes of the text of a file, without the environment.
///
/// # Errors
/// A fault in the file.
pub(super) fn taken(text: &str, all: &clap::Command) -> Result<Vec<OfCommand>, SettingsError> {
    let settings = Settings {
        path: None,
        file: Some(SettingsFile::parse("tanada.toml", text, all)?),
        variables: Vec::new(),
    };
    settings.check(all)?;
    let of = |command: &clap::Command| {
        let name = command.get_name().to_string();
        let entries = settings.of(command, &Given::default());
        let added = entries.iter().filter_map(|entry| entry.argument(command));
        let call = ["tanada".to_string(), name.clone()];
        let arguments = call.into_iter().chain(added).collect();
        let options = entries
            .iter()
            .map(|entry| (entry.name.clone(), entry.value.clone()));
        (name, arguments, options.collect())
    };
    Ok(commands(all).map(of).collect())
}

/// Adds `--config` to the commands that take settings.
pub(super) fn with_config(all: clap::Command) -> clap::Command {
    let option = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .value_hint(clap::ValueHint::FilePath)
        .help(CONFIG_HELP);
    all.arg(option.clone()).mut_subcommands(|command| {
        if COMMANDS.contains(&command.get_name()) {
            command.arg(option.clone())
        } else {
            command
        }
    })
}

/// The settings that a call takes.
#[derive(Debug, Default)]
pub(super) struct Taken(Vec<Entry>);

impl Taken {
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|entry| entry.key() == name)
    }

    /// Whether they decide about the board.
    pub(super) fn has_board(&self) -> bool {
        BOARD.iter().any(|name| self.has(name))
    }

    /// Whether they limit searches.
    pub(super) fn has_limit(&self) -> bool {
        LIMITS.iter().any(|name| self.has(name))
    }

    /// Those that a message about wrong input quotes, with their origins.
    pub(super) fn quoted_in(&self, message: &str) -> Option<String> {
        let is_quoted = |entry: &&Entry| {
            let names = [
                format!("`--{}`", entry.name),
                format!("`{}`", shorten(&entry.value)),
            ];
            names.iter().any(|name| message.contains(name))
        };
        let of = |entry: &Entry| match &entry.origin {
            Origin::Variable(name) => format!("`{}` from {name}", entry.name),
            Origin::File { path, line, .. } => {
                format!("`{}` from `{}`, line {line}", entry.name, shown(path))
            }
        };
        let all: Vec<String> = self.0.iter().filter(is_quoted).map(of).collect();
        (!all.is_empty()).then(|| format!("settings: {}", all.join("; ")))
    }
}

/// The typed arguments with the settings added, and the settings that were used. The first argument is the name of the
/// program; `found` is what is typed. `None` if there is nothing to add.
///
/// # Errors
/// A named file that cannot be read, or a fault in the file or the environment.
pub(super) fn complete(
    arguments: &[OsString],
    found: &ArgMatches,
    all: &clap::Command,
) -> Result<Option<(Vec<OsString>, Taken)>, SettingsError> {
    let (name, found) = found.subcommand().unwrap_or((USUAL, found));
    let command = all
        .find_subcommand(name)
        .filter(|_| COMMANDS.contains(&name));
    let Some(command) = command else {
        return Ok(None);
    };
    let named = found.get_one::<String>("config").map(String::as_str);
    let settings = Settings::read(named, all)?;
    let entries = settings.of(command, &Given::typed(command, found));
    if entries.is_empty() {
        return Ok(None);
    }
    // Options before a command are refused, so its name comes first.
    let is_named = arguments.get(1).is_some_and(|word| word == name);
    let (before, typed) = arguments.split_at((1 + usize::from(is_named)).min(arguments.len()));
    let added = entries.iter().filter_map(|entry| entry.argument(command));
    let arguments = before
        .iter()
        .cloned()
        .chain(added.map(OsString::from))
        .chain(typed.iter().cloned());
    Ok(Some((arguments.collect(), Taken(entries))))
}
