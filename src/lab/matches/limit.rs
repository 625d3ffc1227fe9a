//! How long an engine may think.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::clock::TimeControl;
use crate::params::{self, Kind, Value};
use crate::util::quote::shorten;

/// The limit of one engine, the same in every game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Limit {
    /// Iterations a move, 1 or more; time does not matter.
    Iterations(u64),
    /// Time a move, more than zero.
    TimePerMove(Duration),
    /// A clock for each game.
    Clock(TimeControl),
}

/// The keys of limits; an engine has one of them.
pub(crate) const KEYS: [&str; 3] = ["iterations", "time_per_move", "clock"];

/// Why a text is not a limit, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LimitError {
    #[error("invalid value `{text}` for `{key}`: expected {expected}")]
    Value {
        key: &'static str,
        text: String,
        expected: String,
    },
    #[error("invalid limit `{0}`: expected iterations=N, time_per_move=SECONDS or clock=CONTROL")]
    Key(String),
}

impl LimitError {
    fn value(key: &'static str, text: &str, expected: impl fmt::Display) -> Self {
        Self::Value {
            key,
            text: shorten(text, 60),
            expected: expected.to_string(),
        }
    }

    fn key(key: &str) -> Self {
        Self::Key(shorten(key, 60))
    }
}

/// Reads iterations per move.
pub(crate) fn iterations(text: &str) -> Result<u64, LimitError> {
    parameter("iterations", text, |value| match value {
        Value::Integer(number) => Some(number),
        _ => None,
    })
}

/// Reads seconds per move.
pub(crate) fn time_per_move(text: &str) -> Result<Duration, LimitError> {
    parameter("time_per_move", text, |value| match value {
        Value::Real(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        _ => None,
    })
}

/// Reads a value of the engine's parameter `key` other than `none`, so that this build takes it as
/// an engine of the match.
fn parameter<T>(
    key: &'static str,
    text: &str,
    take: fn(Value) -> Option<T>,
) -> Result<T, LimitError> {
    let text = text.trim();
    let parameter = params::find(key).map_err(|_| LimitError::key(key))?;
    let value = parameter.parse(text).ok().and_then(take);
    value.ok_or_else(|| {
        let kind = match &parameter.kind {
            Kind::Limit(kind) => kind,
            kind => kind,
        };
        LimitError::value(key, text, kind.expected())
    })
}

/// Reads a clock as [`TimeControl::from_kata`] does (`fischer 10 0.1`, `byoyomi 60 10 3`), or as
/// match runners write it: `10+0.1` for Fischer, `60` for absolute.
pub(crate) fn clock(text: &str) -> Result<TimeControl, LimitError> {
    let text = text.trim();
    let control = clock_words(text);
    let words: Vec<&str> = control.split_whitespace().take(8).collect();
    match TimeControl::from_kata(&words) {
        Ok(TimeControl::Unlimited) => {
            let expected = "a clock that limits the time, such as 10+0.1 or byoyomi 60 10 3";
            Err(LimitError::value("clock", text, expected))
        }
        Ok(control) => Ok(control),
        Err(error) => {
            let forms = "SECONDS, SECONDS+INCREMENT or a time control such as byoyomi 60 10 3";
            let expected = if text.starts_with(|c: char| c.is_ascii_alphabetic()) {
                format!("{forms} ({error})")
            } else {
                forms.to_string()
            };
            Err(LimitError::value("clock", text, expected))
        }
    }
}

impl Limit {
    /// Reads a limit by its key.
    pub fn parse(key: &str, text: &str) -> Result<Self, LimitError> {
        match key {
            "iterations" => iterations(text).map(Self::Iterations),
            "time_per_move" => time_per_move(text).map(Self::TimePerMove),
            "clock" => clock(text).map(Self::Clock),
            _ => Err(LimitError::key(key)),
        }
    }

    /// The key and the text that [`Limit::parse`] reads.
    pub fn parts(&self) -> (&'static str, String) {
        match self {
            Self::Iterations(n) => ("iterations", n.to_string()),
            Self::TimePerMove(time) => ("time_per_move", time.as_secs_f64().to_string()),
            Self::Clock(control) => ("clock", control.to_string()),
        }
    }

    /// As reports show it: `1000 iterations`, `0.1 s/move`, `10+0.1`.
    pub fn short(&self) -> String {
        match self {
            Self::Iterations(n) => format!("{n} iterations"),
            Self::TimePerMove(time) => format!("{} s/move", time.as_secs_f64()),
            Self::Clock(TimeControl::Fischer { main, increment }) => {
                format!("{}+{}", main.as_secs_f64(), increment.as_secs_f64())
            }
            Self::Clock(control) => control.to_string(),
        }
    }
}

/// Translates `10+0.1` and `60` into the words of time controls; other text is kept.
fn clock_words(text: &str) -> String {
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return text.to_string();
    }
    match text.split_once('+') {
        Some((main, increment)) => format!("fischer {main} {increment}"),
        None => format!("absolute {text}"),
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, text) = self.parts();
        write!(f, "{key}={text}")
    }
}

impl From<Limit> for String {
    fn from(limit: Limit) -> Self {
        limit.to_string()
    }
}

impl TryFrom<String> for Limit {
    type Error = LimitError;

    fn try_from(text: String) -> Result<Self, LimitError> {
        let (key, value) = text.split_once('=').ok_or_else(|| LimitError::key(&text))?;
        Self::parse(key, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_read_back() {
        for (text, short) in [
            ("iterations=1000", "1000 iterations"),
            ("time_per_move=0.1", "0.1 s/move"),
            ("clock=fischer 10 0.1", "10+0.1"),
            ("clock=absolute 60", "absolute 60"),
            ("clock=byoyomi 60 10 3", "byoyomi 60 10 3"),
        ] {
            let limit = Limit::try_from(text.to_string()).unwrap();
            assert_eq!(limit.to_string(), text);
            assert_eq!(limit.short(), short);
        }
        let parse = |text| Limit::parse("clock", text).unwrap().to_string();
        assert_eq!(parse("10+0.1"), "clock=fischer 10 0.1");
        assert_eq!(parse(" 1.5 "), "clock=absolute 1.5");
    }

    #[test]
    fn wrong_limits_are_quoted() {
        for (text, part) in [
            ("iterations=0", "invalid value `0` for `iterations`"),
            ("iterations=+5", "`+5`"),
            ("iterations=1e3", "`1e3`"),
            ("time_per_move=0", "invalid value `0` for `time_per_move`"),
            ("time_per_move=1e-12", "`1e-12`"),
            (
                "time_per_move=9e-7",
                "expected a number from 0.000001 to 1000000",
            ),
            ("time_per_move=none", "`none`"),
            ("time_per_move=nan", "`nan`"),
            ("clock=none", "limits the time"),
            ("clock=10+x", "invalid value `10+x` for `clock`"),
            ("clock=hourglass 3", "unknown time control `hourglass`"),
            ("clock=", "invalid value `` for `clock`"),
            ("depth=3", "invalid limit `depth`"),
            ("depth", "invalid limit `depth`"),
        ] {
            let error = Limit::try_from(text.to_string()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
