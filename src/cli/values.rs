//! Value parsers: each turns one argument into its type, or says what was expected.

use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use crate::games;
use crate::lab::matches::limit::LimitError;
use crate::params::{self, ParamError, Parameter, Params, Value};
use crate::util::threads::cores;
use crate::variant::Variant;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use thiserror::Error;

/// What was expected in place of a value. [`failure::explain`](super::failure::explain) puts the
/// value and the option before it.
#[derive(Debug, Error)]
#[error("{0}")]
pub(super) struct Expected(pub(super) String);

pub(super) trait Parser<T>:
    Fn(&str) -> Result<T, Expected> + Clone + Send + Sync + 'static
{
}

impl<T, F> Parser<T> for F where F: Fn(&str) -> Result<T, Expected> + Clone + Send + Sync + 'static {}

/// The upper bound of counts that have no other.
pub(super) const MOST: usize = 1_000_000_000;

/// The upper bound of times, in seconds.
const MOST_SECONDS: f64 = 1e6;

/// A whole number in a range, without a sign.
pub(super) fn whole(range: RangeInclusive<u64>) -> impl Parser<u64> {
    number(range)
}

/// The same for what is counted or indexed.
pub(super) fn count(range: RangeInclusive<usize>) -> impl Parser<usize> {
    number(range)
}

fn number<T>(range: RangeInclusive<T>) -> impl Parser<T>
where
    T: FromStr + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse().ok().filter(|_| !text.starts_with('+'));
        number.filter(|n| range.contains(n)).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            let [least, most] = [least, most].map(|number| in_powers(&number.to_string()));
            Expected(format!("a whole number from {least} to {most}"))
        })
    }
}

/// Large round numbers as help texts write them: `10^15`, `2^64-1`.
fn in_powers(number: &str) -> String {
    match number.strip_prefix('1') {
        Some(zeros) if zeros.len() >= 10 && zeros.bytes().all(|b| b == b'0') => {
            format!("10^{}", zeros.len())
        }
        _ if number == u64::MAX.to_string() => "2^64-1".to_string(),
        _ => number.to_string(),
    }
}

pub(super) fn share(text: &str) -> Result<f64, Expected> {
    let found = text.parse().ok().filter(|x| (0.0..=1.0).contains(x));
    found.ok_or_else(|| Expected("a number from 0 to 1".to_string()))
}

pub(super) fn seconds(text: &str) -> Result<Duration, Expected> {
    seconds_of(text)
        .filter(|seconds| !seconds.is_zero())
        .ok_or_else(|| Expected(format!("seconds above 0, at most {MOST_SECONDS}")))
}

/// Seconds, 0 included.
pub(super) fn seconds_from_zero(text: &str) -> Result<Duration, Expected> {
    seconds_of(text).ok_or_else(|| Expected(format!("seconds from 0 to {MOST_SECONDS}")))
}

fn seconds_of(text: &str) -> Option<Duration> {
    let seconds = text.parse().ok();
    let seconds = seconds.filter(|s| (0.0..=MOST_SECONDS).contains(s))?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A number of games at once, at most one a core.
pub(super) fn one_a_core(text: &str) -> Result<usize, Expected> {
    number(1..=cores())(text).map_err(|Expected(range)| {
        Expected(format!("{range}, the number of cores of this machine"))
    })
}

pub(super) fn game() -> impl TypedValueParser<Value = &'static dyn Variant> {
    PossibleValuesParser::new(games::names())
        .map(|name| games::find(&name).unwrap_or_else(games::default))
}

pub(super) fn preset() -> PossibleValuesParser {
    PossibleValuesParser::new(Params::PRESETS)
}

/// Moves separated by blanks, not yet checked against a game.
#[derive(Clone, Default)]
pub(super) struct Moves(pub(super) Vec<String>);

impl From<&str> for Moves {
    fn from(text: &str) -> Self {
        Self(text.split_whitespace().map(str::to_string).collect())
    }
}

/// A parameter of the engine with a value for it.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) parameter: &'static Parameter,
    value: Value,
}

impl Setting {
    pub(super) fn apply(&self, params: &mut Params) {
        self.parameter.put(params, self.value);
    }
}

impl FromStr for Setting {
    type Err = ParamError;

    fn from_str(text: &str) -> Result<Self, ParamError> {
        let (parameter, value) = Parameter::assignment(text)?;
        Ok(Self { parameter, value })
    }
}

/// A limit of an engine in a match, by the parser that reads it in a file.
pub(super) fn limit<T>(parse: fn(&str) -> Result<T, LimitError>) -> impl Parser<T>
where
    T: 'static,
{
    move |text: &str| {
        parse(text).map_err(|error| match error {
            LimitError::Value { expected, .. } => Expected(expected),
            error => Expected(error.to_string()),
        })
    }
}

pub(super) fn setting(name: &'static str) -> impl Parser<Setting> {
    move |text: &str| {
        let expected = |error: ParamError| match error {
            ParamError::Value { expected, .. } => Expected(expected),
            error => Expected(error.to_string()),
        };
        let parameter = params::find(name).map_err(expected)?;
        let value = parameter.parse(text).map_err(expected)?;
        Ok(Setting { parameter, value })
    }
}

/// An address and a port, such as `example`; `localhost` stands for 127.0.0.1.
pub(super) fn address(text: &str, example: &str) -> Result<SocketAddr, Expected> {
    let named = text
        .strip_prefix("localhost:")
        .map(|port| format!("127.0.0.1:{port}"));
    let address = named.as_deref().unwrap_or(text).parse();
    address.map_err(|_| Expected(format!("an address and a port, such as {example}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_range_and_no_sign() {
        let size = count(4..=21);
        assert_eq!(size("4").unwrap(), 4);
        for wrong in ["", "3", "22", "+9", "-9", "9.0", "99999999999999999999"] {
            let expected = size(wrong).unwrap_err().to_string();
            assert_eq!(expected, "a whole number from 4 to 21", "{wrong}");
        }
        assert!(share("1.01").is_err() && share("nan").is_err() && share("0.5").is_ok());
        assert!(seconds("0").is_err() && seconds_from_zero("0").is_ok());
        assert!(seconds("inf").is_err() && seconds("1e7").is_err());
    }

    #[test]
    fn settings_are_values_of_their_parameter() {
        let mut params = Params::default();
        "threads = 3".parse::<Setting>().unwrap().apply(&mut params);
        assert_eq!(params.threads, 3);
        assert!("threads".parse::<Setting>().is_err());
        let wrong = setting("threads")("257").err().unwrap();
        assert_eq!(wrong.to_string(), "a whole number from 0 to 256");
    }
}
