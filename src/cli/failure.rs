//! Failures of a command, and their messages.

use std::error::Error as _;
use std::fmt::Display;
use std::io;
use std::path::Path;

use crate::util::nearest::did_you_mean;
use crate::util::quote::either;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use thiserror::Error;

use super::values::Expected;

/// Why a command did not do what was asked.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// Wrong arguments or files.
    #[error("{0}")]
    Input(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
    /// A search that reached its limits before it had an answer.
    #[error("{0}")]
    Undecided(String),
    /// Stopped by Ctrl-C or another signal (see [`interrupt`](super::interrupt)).
    #[error("{0}")]
    Interrupted(String),
    /// Nobody reads the output any more, which is not an error.
    #[error("the output was closed")]
    Closed,
}

impl Failure {
    pub(crate) fn input(error: impl ToString) -> Self {
        Self::Input(error.to_string())
    }
}

/// Returns a failure of this kind, with a text as for `format!`.
macro_rules! bail {
    ($kind:ident: $($text:tt)+) => {
        return Err($crate::cli::failure::Failure::$kind(format!($($text)+)))
    };
}
pub(super) use bail;

impl Failure {
    pub(super) fn no_thread(error: &io::Error) -> Self {
        Self::Other(format!("no thread can be started: {error}"))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Other(format!("cannot write the output: {error}")),
        }
    }
}

/// clap's error in one line, quoted as all other messages of this program are; clap's own takes six
/// lines. `subcommands` are the names of all, for a misspelt one after options.
pub(super) fn explain(error: &clap::Error, subcommands: &[&str]) -> Failure {
    let raw = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let texts = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![shorten(text)],
        Some(ContextValue::Strings(texts)) => texts.iter().map(|text| shorten(text)).collect(),
        _ => Vec::new(),
    };
    let text = |kind| texts(kind).join("`, `");
    // `--size <N>` as clap shows it, `--size` as it is typed.
    fn typed(argument: &str) -> &str {
        argument.split([' ', '=']).next().unwrap_or_default()
    }
    let argument = text(ContextKind::InvalidArg);
    let name = typed(&argument);
    let value = text(ContextKind::InvalidValue);
    // The last suggestion is the likeliest.
    let hint = |kind, otherwise: &str| match texts(kind).last() {
        Some(meant) => format!("; did you mean `{meant}`?"),
        None => otherwise.to_string(),
    };
    let command = text(ContextKind::InvalidSubcommand);
    Failure::Input(match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => {
            let hint = hint(ContextKind::SuggestedArg, "; `--help` lists all options");
            format!("unknown option `{argument}`{hint}")
        }
        ErrorKind::UnknownArgument => unexpected(raw(ContextKind::InvalidArg)),
        ErrorKind::InvalidSubcommand if is_file(raw(ContextKind::InvalidSubcommand)) => {
            unexpected(raw(ContextKind::InvalidSubcommand))
        }
        ErrorKind::InvalidSubcommand => {
            let otherwise = "; `tanada help` lists all commands";
            let hint = hint(ContextKind::SuggestedSubcommand, otherwise);
            format!("unknown command `{command}`{hint}")
        }
        ErrorKind::ArgumentConflict if subcommands.contains(&command.as_str()) => {
            format!("options were given before `{command}`; put them after it")
        }
        ErrorKind::ArgumentConflict if !command.is_empty() => {
            let hint = did_you_mean(&command, subcommands.iter().copied()).unwrap_or_default();
            format!("unknown command `{command}`{hint}")
        }
        ErrorKind::ArgumentConflict => match texts(ContextKind::PriorArg).first() {
            Some(other) if *other != argument => {
                format!("`{name}` cannot be used with `{}`", typed(other))
            }
            _ => format!("`{name}` was given twice"),
        },
        ErrorKind::InvalidValue if value.is_empty() => match &texts(ContextKind::ValidValue)[..] {
            [] => format!("`{name}` needs a value: `{argument}`"),
            words => format!("`{name}` needs a value: {}", either(words)),
        },
        ErrorKind::InvalidValue => {
            let expected = format!(": expected {}", either(&texts(ContextKind::ValidValue)));
            let hint = hint(ContextKind::SuggestedValue, &expected);
            format!("invalid value `{value}` for `{name}`{hint}")
        }
        ErrorKind::ValueValidation => match error.source() {
            Some(why) if why.is::<Expected>() => {
                format!("invalid value `{value}` for `{name}`: expected {why}")
            }
            Some(why) => why.to_string(),
            None => format!("invalid value `{value}` for `{name}`"),
        },
        ErrorKind::TooManyValues => format!("`{name}` takes no value, but was given `{value}`"),
        ErrorKind::MissingRequiredArgument => format!("missing `{argument}`; see `--help`"),
        _ => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            line.trim_start_matches("error: ").to_string()
        }
    })
}

/// A surplus argument, perhaps a file that the user wants to examine.
fn unexpected(argument: &str) -> String {
    let name = shorten(argument);
    if is_file(argument) {
        format!("unexpected argument `{name}`; to examine a game: `tanada analyze {name}`")
    } else {
        format!("unexpected argument `{name}`; `--help` shows what is expected")
    }
}

fn is_file(argument: &str) -> bool {
    Path::new(argument).is_file()
}

/// The failure for a value that an option does not take.
pub(super) fn invalid_value(value: impl Display, option: &str, expected: impl Display) -> Failure {
    let value = shorten(&value.to_string());
    Failure::Input(format!(
        "invalid value `{value}` for `{option}`: expected {expected}"
    ))
}

/// The text for a message: at most 60 characters, none that a terminal acts on.
pub(super) fn shorten(text: &str) -> String {
    crate::util::quote::shorten(text, 60)
}
