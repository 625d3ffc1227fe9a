//! What is tuned: a parameter of the table with its start, its range and its step sizes.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::params::{self, Kind, PARAMETERS, ParamError, Parameter, Params, Value};
use crate::util::quote::shorten;

/// The learning rate at the end, unless said otherwise: that of fishtest and OpenBench.
pub const R_END: f64 = 0.002;

/// The highest learning rate at the end.
const MOST_R_END: f64 = 1000.0;

/// A parameter to be tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tunable {
    /// Its name in the table.
    pub name: String,
    /// Where it starts, from `min` to `max`.
    pub value: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value, more than `min`.
    pub max: f64,
    /// How far a trial is from the current value in the last step, more than 0.
    pub c_end: f64,
    /// The learning rate in the last step, more than 0: the share of `c_end` by which a lead of one
    /// game moves the parameter.
    pub r_end: f64,
}

/// A text that names nothing that can be tuned.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TunableError {
    /// The name or a value.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// A parameter that is no number, or does not concern the play.
    #[error("`{0}` cannot be tuned, expected one of {names}", names = tunable_names())]
    Fixed(&'static str),
    /// More parts than there are.
    #[error("`{0}` is no parameter to tune, expected NAME or NAME=value:min:max:c_end:r_end")]
    Form(String),
    /// The lower end is not below the upper one.
    #[error("`{min}:{max}` is no range of `{name}`, expected the lower end first")]
    Range {
        /// The parameter.
        name: String,
        /// The lower end.
        min: f64,
        /// The upper end.
        max: f64,
    },
    /// The start is out of the range.
    #[error("`{name}` cannot start at `{value}`, expected a number from {min} to {max}")]
    Start {
        /// The parameter.
        name: String,
        /// The start.
        value: f64,
        /// The lower end.
        min: f64,
        /// The upper end.
        max: f64,
    },
    /// A step size that is none.
    #[error("`{text}` is no {part} of `{name}`, expected a number above 0, at most {most}")]
    Size {
        /// The parameter.
        name: String,
        /// Which size.
        part: &'static str,
        /// What was given.
        text: String,
        /// The most that makes sense.
        most: f64,
    },
}

fn tunable_names() -> String {
    let tunable = PARAMETERS.iter().filter(|parameter| parameter.is_tunable());
    tunable.map(|p| p.name).collect::<Vec<_>>().join(", ")
}

/// The parameter of the table with this name, if it can be tuned.
pub(super) fn find(name: &str) -> Result<&'static Parameter, TunableError> {
    let parameter = params::find(name)?;
    match parameter.is_tunable() {
        true => Ok(parameter),
        false => Err(TunableError::Fixed(parameter.name)),
    }
}

/// A value of the table as a number; 0 for a word, which no tunable parameter has.
pub(super) fn number(value: Value) -> f64 {
    match value {
        Value::Integer(n) => n as f64,
        Value::Real(x) => x,
        Value::Choice(_) => 0.0,
    }
}

/// The same number with at most `digits` significant digits, 1 to 17.
pub(super) fn significant(x: f64, digits: usize) -> f64 {
    let text = format!("{x:.*e}", digits.saturating_sub(1));
    text.parse().unwrap_or(x)
}

impl Tunable {
    /// Reads `NAME` or `NAME=value:min:max:c_end:r_end`, of which each part may be missing or
    /// empty. A parameter starts where it is in `base`, ranges over all the table allows, with
    /// the step of the table as `c_end` (half the range, if that is less) and [`R_END`].
    ///
    /// # Errors
    /// Quotes what is wrong.
    pub fn parse(text: &str, base: &Params) -> Result<Self, TunableError> {
        let (name, rest) = text.split_once('=').unwrap_or((text, ""));
        let parameter = find(name.trim())?;
        let parts: Vec<&str> = rest.split(':').map(str::trim).collect();
        if parts.len() > 5 {
            return Err(TunableError::Form(shorten(text, 60)));
        }
        let part = |i: usize| parts.get(i).copied().filter(|part| !part.is_empty());
        let value = |i: usize, default: f64| match part(i) {
            Some(text) => parameter.parse(text).map(number),
            None => Ok(default),
        };
        let (low, high, step) = match parameter.kind {
            Kind::Integer(low, high, step) => (low as f64, high as f64, step as f64),
            Kind::Real(low, high, step) => (low, high, step),
            Kind::Choice(_) => return Err(TunableError::Fixed(parameter.name)),
        };
        let (min, max) = (value(1, low)?, value(2, high)?);
        let size = |i: usize, what: &'static str, default: f64, most: f64| match part(i) {
            Some(text) => text
                .parse()
                .ok()
                .filter(|x| *x > 0.0 && *x <= most)
                .ok_or_else(|| size_error(parameter.name, what, shorten(text, 60), most)),
            None => Ok(default),
        };
        let tunable = Self {
            name: parameter.name.to_string(),
            value: value(0, number(parameter.get(base)))?,
            min,
            max,
            c_end: step.min((max - min) / 2.0),
            r_end: R_END,
        };
        // The range first: the sizes are measured by it.
        tunable.check_range()?;
        Ok(Self {
            c_end: size(3, "c_end", tunable.c_end, max - min)?,
            r_end: size(4, "r_end", R_END, MOST_R_END)?,
            ..tunable
        })
    }

    fn check_range(&self) -> Result<(), TunableError> {
        let Self {
            name,
            value,
            min,
            max,
            ..
        } = self;
        let (name, value, min, max) = (name.clone(), *value, *min, *max);
        if min.partial_cmp(&max) != Some(std::cmp::Ordering::Less) {
            return Err(TunableError::Range { name, min, max });
        }
        if !(min..=max).contains(&value) {
            return Err(TunableError::Start {
                name,
                value,
                min,
                max,
            });
        }
        Ok(())
    }

    /// Checks what may come from a file.
    ///
    /// # Errors
    /// What [`Tunable::parse`] would refuse.
    pub fn check(&self) -> Result<(), TunableError> {
        let parameter = find(&self.name)?;
        for end in [self.min, self.max] {
            parameter.parse(&end.to_string())?;
        }
        self.check_range()?;
        for (part, size, most) in [
            ("c_end", self.c_end, self.max - self.min),
            ("r_end", self.r_end, MOST_R_END),
        ] {
            if !(size > 0.0 && size <= most) {
                return Err(size_error(parameter.name, part, size.to_string(), most));
            }
        }
        Ok(())
    }

    /// Whether it takes whole numbers only.
    pub fn is_integer(&self) -> bool {
        find(&self.name).is_ok_and(|p| matches!(p.kind, Kind::Integer(..)))
    }

    /// The nearest value that can be played with, to six significant digits.
    pub fn playable(&self, value: f64) -> f64 {
        let near = match self.is_integer() {
            true => value.round(),
            false => significant(value, 6),
        };
        near.clamp(self.min, self.max)
    }
}

fn size_error(name: &str, part: &'static str, text: String, most: f64) -> TunableError {
    TunableError::Size {
        name: name.to_string(),
        part,
        text,
        most,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Tunable, TunableError> {
        Tunable::parse(text, &Params::default())
    }

    #[test]
    fn what_is_left_out_comes_from_the_table() {
        let tunable = |value, min, max, c_end, r_end| Tunable {
            name: "uct_exploration".to_string(),
            value,
            min,
            max,
            c_end,
            r_end,
        };
        let default = Params::default().uct_exploration;
        for (parts, expected) in [
            ("", tunable(default, 0.0, 10.0, 0.02, R_END)),
            ("=", tunable(default, 0.0, 10.0, 0.02, R_END)),
            ("=0.3", tunable(0.3, 0.0, 10.0, 0.02, R_END)),
            ("=:0.05:0.2", tunable(default, 0.05, 0.2, 0.02, R_END)),
            ("=:0.06:0.08", tunable(default, 0.06, 0.08, 0.01, R_END)),
            (
                " = 1 : 0.5 : 2 : 0.1 : 0.01",
                tunable(1.0, 0.5, 2.0, 0.1, 0.01),
            ),
        ] {
            let found = parse(&format!("uct_exploration{parts}")).unwrap();
            assert!((found.c_end - expected.c_end).abs() < 1e-12);
            let found = Tunable {
                c_end: expected.c_end,
                ..found
            };
            assert_eq!(found, expected, "{parts}");
            found.check().unwrap();
        }
        let playout = Params::preset("playout").unwrap();
        let found = Tunable::parse("rave_equivalence", &playout).unwrap();
        assert_eq!(found.value, 1000.0);
    }

    #[test]
    fn wrong_texts_are_quoted() {
        for (text, part) in [
            ("speed", "unknown parameter `speed`"),
            ("", "unknown parameter ``"),
            (
                "leaf",
                "`leaf` cannot be tuned, expected one of uct_exploration, ",
            ),
            ("threads", "`threads` cannot be tuned"),
            ("iterations=5", "`iterations` cannot be tuned"),
            ("initial_value_visits=1:2:3:4:5:6", "expected NAME or NAME="),
            (
                "initial_value_visits=x",
                "invalid value `x` for `initial_value_visits`",
            ),
            (
                "initial_value_visits=1:-1",
                "invalid value `-1` for `initial_value_visits`",
            ),
            ("initial_value_visits=1:0:101", "invalid value `101`"),
            (
                "initial_value_visits=1:5:5",
                "`5:5` is no range of `initial_value_visits`",
            ),
            (
                "initial_value_visits=1:5:2",
                "`5:2` is no range of `initial_value_visits`",
            ),
            (
                "initial_value_visits=1:2:3",
                "cannot start at `1`, expected a number from 2 to 3",
            ),
            (
                "initial_value_visits=1:0:2:0",
                "`0` is no c_end of `initial_value_visits`",
            ),
            ("initial_value_visits=1:0:2:3", "above 0, at most 2"),
            ("initial_value_visits=1:0:2:nan", "`nan` is no c_end"),
            ("initial_value_visits=1:0:2:1:-1", "`-1` is no r_end"),
            ("initial_value_visits=1:0:2:1:inf", "`inf` is no r_end"),
            ("virtual_loss=1.5", "invalid value `1.5` for `virtual_loss`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn playable_values_are_in_range() {
        let whole = parse("virtual_loss=1:0:4").unwrap();
        assert_eq!([0.4, 0.5, 9.0].map(|x| whole.playable(x)), [0.0, 1.0, 4.0]);
        let real = parse("uct_exploration=0.1:0.05:0.2").unwrap();
        assert_eq!(real.playable(0.123_456_789), 0.123_457);
        assert_eq!(real.playable(0.2), 0.2);
    }
}
