//! What can go wrong on the command line, and which exit status it has.

use std::ffi::OsString;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use crate::util::nearest::did_you_mean;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use thiserror::Error;

/// Why a command ended without doing what was asked.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// Arguments or files that are wrong; one sentence that quotes them.
    #[error("{0}")]
    Input(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
    /// The limits that were given ended a search before it had an answer.
    #[error("{0}")]
    Undecided(String),
    /// It was stopped by Ctrl-C or another signal (see [`interrupt`](super::interrupt)).
    #[error("{0}")]
    Interrupted(String),
    /// Nobody reads the output any more.
    #[error("the output was closed")]
    Closed,
}

impl Failure {
    /// An argument or a file that is wrong, in one sentence.
    pub(crate) fn input(error: impl ToString) -> Self {
        Self::Input(error.to_string())
    }

    /// Says on standard error what went wrong. The exit status: 2 for wrong
    /// arguments and files, 3 without an answer within the limits, 130 after Ctrl-C (143 and 129 after
    /// SIGTERM and SIGHUP), 1 for anything else, 0 for a closed pipe.
    pub(crate) fn report(self) -> ExitCode {
        let status = match self {
            Failure::Input(_) => 2,
            Failure::Other(_) => 1,
            Failure::Undecided(_) => 3,
            Failure::Interrupted(_) => super::interrupt::exit_status(),
            Failure::Closed => return ExitCode::SUCCESS,
        };
        super::note(&format!("tanada: {self}"));
        ExitCode::from(status)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Other(format!("the output cannot be written: {error}")),
        }
    }
}

/// One sentence for an error of the argument parser. `arguments` is what was
/// typed, the program's name first; `options` are the options of the subcommand
/// at hand, `subcommands` the names of all.
pub(super) fn explain(
    error: &clap::Error,
    arguments: &[OsString],
    options: &[String],
    subcommands: &[String],
) -> Failure {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join("`, `")),
        _ => None,
    };
    let argument = text(ContextKind::InvalidArg).unwrap_or_default();
    // `--size <N>` as the parser shows it, `--size` as it is typed.
    let name = argument.split([' ', '=']).next().unwrap_or_default();
    let valid = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(words)) => words.join(" or "),
        _ => String::new(),
    };
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    let unknown = |command: &str| {
        let name = shorten(command);
        match did_you_mean(command, subcommands.iter().map(String::as_str)) {
            _ if Path::new(command).is_file() => stray_file(&name),
            Some(hint) => format!("unknown command `{name}`{hint}"),
            None => format!("unknown command `{name}`; `tanada help` lists all commands"),
        }
    };
    let command = subcommand(arguments, subcommands).unwrap_or_default();
    let help = format!("`tanada {command} --help`").replace("  ", " ");
    Failure::Input(match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            let name = shorten(&argument);
            match did_you_mean(&argument, options.iter().map(String::as_str)) {
                Some(hint) => format!("unknown option `{name}`{hint}"),
                None => format!("unknown option `{name}`; {help} lists all options"),
            }
        }
        ErrorKind::UnknownArgument if Path::new(&argument).is_file() => {
            stray_file(&shorten(&argument))
        }
        ErrorKind::UnknownArgument => format!(
            "unexpected argument `{}`; {help} shows what is expected",
            shorten(&argument)
        ),
        ErrorKind::InvalidSubcommand => {
            unknown(&text(ContextKind::InvalidSubcommand).unwrap_or_default())
        }
        ErrorKind::InvalidValue | ErrorKind::NoEquals if value.is_empty() => {
            format!("`{name}` has no value, expected `{argument}`")
        }
        ErrorKind::InvalidValue => format!(
            "invalid value `{}` for `{name}`: expected {}",
            shorten(&value),
            valid
        ),
        ErrorKind::ValueValidation => format!(
            "invalid value `{}` for `{name}`: expected {}",
            shorten(&value),
            std::error::Error::source(error).map_or_else(String::new, |why| why.to_string())
        ),
        ErrorKind::TooManyValues => {
            format!(
                "`{name}` takes no value, expected `{name}` alone in place of `{name}={}`",
                shorten(&value)
            )
        }
        ErrorKind::MissingRequiredArgument => {
            format!("`{command}` lacks `{argument}`, expected it among the options")
        }
        ErrorKind::ArgumentConflict => match text(ContextKind::InvalidSubcommand) {
            Some(command) if subcommands.contains(&command) => {
                format!("options were given before `{command}`, expected them after it")
            }
            Some(command) => unknown(&command),
            None => format!("`{name}` was given twice, expected it once"),
        },
        ErrorKind::InvalidUtf8 => {
            let wrong = arguments.iter().find(|a| a.to_str().is_none());
            let wrong = wrong.map_or_else(String::new, |a| a.to_string_lossy().into_owned());
            format!("`{}` is not UTF-8, expected text", shorten(&wrong))
        }
        _ => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            line.trim_start_matches("error: ").to_string()
        }
    })
}

/// For the name of a file where none has a place.
fn stray_file(name: &str) -> String {
    format!("unexpected argument `{name}`; to examine a game: `tanada analyze {name}`")
}

/// A value that an option does not take, quoted, with what it takes.
pub(super) fn invalid_value(text: &str, option: &str, expected: impl Display) -> Failure {
    let text = shorten(text);
    Failure::Input(format!(
        "invalid value `{text}` for `{option}`: expected {expected}"
    ))
}

/// The first argument that is the name of a subcommand.
pub(super) fn subcommand(arguments: &[OsString], subcommands: &[String]) -> Option<String> {
    let mut words = arguments.iter().skip(1).filter_map(|a| a.to_str());
    words
        .find(|word| subcommands.iter().any(|name| name == word))
        .map(str::to_string)
}

/// The text, or its beginning if it is long, without control characters.
pub(super) fn shorten(text: &str) -> String {
    crate::util::quote::shorten(text, 60)
}
