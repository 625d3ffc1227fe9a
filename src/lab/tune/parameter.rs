//! A parameter to be tuned: its start, its range and its step sizes.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::params::{self, Kind, PARAMETERS, ParamError, Parameter, Params, Value};
use crate::util::quote::shorten;

/// The default learning rate in the last step, that of fishtest and OpenBench.
pub(crate) const R_END: f64 = 0.002;

/// The highest learning rate in the last step.
const MOST_R_END: f64 = 1000.0;

/// A parameter to be tuned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tunable {
    pub(crate) name: String,
    /// Where it starts, from `min` to `max`.
    pub(crate) value: f64,
    pub(crate) min: f64,
    /// The greatest value, more than `min`.
    pub(crate) max: f64,
    /// How far a trial is from the present value in the last step, more than 0.
    pub(crate) c_end: f64,
    /// The learning rate in the last step, more than 0: a lead of one game moves the parameter by
    /// `r_end * c_end`.
    pub(crate) r_end: f64,
}

/// Why a text names nothing to tune or to scan, in one sentence.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{0}")]
pub(crate) struct TunableError(pub(super) String);

impl From<ParamError> for TunableError {
    fn from(error: ParamError) -> Self {
        Self(error.to_string())
    }
}

/// The parameter with this name, if it can be tuned.
pub(super) fn find(name: &str) -> Result<&'static Parameter, TunableError> {
    let parameter = params::find(name)?;
    let is_tunable = parameter.is_tunable().then_some(parameter);
    is_tunable.ok_or_else(|| fixed(parameter.name))
}

fn fixed(name: &str) -> TunableError {
    let tunable = PARAMETERS.iter().filter(|parameter| parameter.is_tunable());
    let names = tunable.map(|p| p.name).collect::<Vec<_>>().join(", ");
    TunableError(format!("`{name}` cannot be tuned: expected one of {names}"))
}

/// A value as a number; 0 for words, which tunable parameters do not have.
pub(super) fn number(value: Value) -> f64 {
    match value {
        Value::Integer(n) => n as f64,
        Value::Real(x) => x,
        Value::Bool(_) | Value::Choice(_) | Value::Unlimited => 0.0,
    }
}

/// Rounds to `digits` significant digits, 1 to 17.
pub(super) fn significant(x: f64, digits: usize) -> f64 {
    let text = format!("{x:.*e}", digits.saturating_sub(1));
    text.parse().unwrap_or(x)
}

impl Tunable {
    /// Reads `NAME` or `NAME=value:min:max:c_end:r_end`; each part may be missing or empty. The
    /// defaults are the value in `base`, the range and the step (at most half the range) of the
    /// parameter, and [`R_END`].
    pub(crate) fn parse(text: &str, base: &Params) -> Result<Self, TunableError> {
        let (name, rest) = text.split_once('=').unwrap_or((text, ""));
        let parameter = find(name.trim())?;
        let parts: Vec<&str> = rest.split(':').map(str::trim).collect();
        if parts.len() > 5 {
            return Err(TunableError(format!(
                "invalid parameter `{}`: expected NAME or NAME=value:min:max:c_end:r_end",
                shorten(text, 60)
            )));
        }
        let part = |i: usize| parts.get(i).copied().filter(|part| !part.is_empty());
        let value = |i: usize, default: f64| match part(i) {
            Some(text) => parameter.parse(text).map(number),
            None => Ok(default),
        };
        let (low, high, step) = match parameter.kind {
            Kind::Integer(low, high, step) => (low as f64, high as f64, step as f64),
            Kind::Real(low, high, step) => (low, high, step),
            _ => return Err(fixed(parameter.name)),
        };
        let (min, max) = (value(1, low)?, value(2, high)?);
        let size = |i: usize, what: &str, default: f64, most: f64| match part(i) {
            Some(text) => {
                let size = text.parse().ok().filter(|x| *x > 0.0 && *x <= most);
                size.ok_or_else(|| size_error(parameter.name, what, &shorten(text, 60), most))
            }
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
        // The range comes first: it bounds the sizes.
        tunable.check_range()?;
        Ok(Self {
            c_end: size(3, "c_end", tunable.c_end, max - min)?,
            r_end: size(4, "r_end", R_END, MOST_R_END)?,
            ..tunable
        })
    }

    fn check_range(&self) -> Result<(), TunableError> {
        let (name, value, min, max) = (&self.name, self.value, self.min, self.max);
        if min.partial_cmp(&max) != Some(std::cmp::Ordering::Less) {
            return Err(TunableError(format!(
                "invalid range `{min}:{max}` for `{name}`: expected the lower end first"
            )));
        }
        if !(min..=max).contains(&value) {
            return Err(TunableError(format!(
                "invalid start `{value}` for `{name}`: expected a number from {min} to {max}"
            )));
        }
        Ok(())
    }

    /// Checks a value that may come from a file.
    pub(crate) fn check(&self) -> Result<(), TunableError> {
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
                return Err(size_error(parameter.name, part, &size.to_string(), most));
            }
        }
        Ok(())
    }

    /// Whether it takes only whole numbers.
    pub(crate) fn is_integer(&self) -> bool {
        find(&self.name).is_ok_and(|p| matches!(p.kind, Kind::Integer(..)))
    }

    /// The nearest allowed value, with six significant digits.
    pub(crate) fn playable(&self, value: f64) -> f64 {
        let near = if self.is_integer() {
            value.round()
        } else {
            significant(value, 6)
        };
        near.clamp(self.min, self.max)
    }
}

fn size_error(name: &str, part: &str, text: &str, most: f64) -> TunableError {
    TunableError(format!(
        "invalid {part} `{text}` for `{name}`: expected a number above 0, at most {most}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Tunable, TunableError> {
        Tunable::parse(text, &Params::default())
    }

    #[test]
    fn missing_parts_have_defaults() {
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
            (" = 1 :0.5: 2 :0.1:0.01", tunable(1.0, 0.5, 2.0, 0.1, 0.01)),
        ] {
            let found = parse(&format!("uct_exploration{parts}")).unwrap();
            assert!((found.c_end - expected.c_end).abs() < 1e-12);
            found.check().unwrap();
            let c_end = expected.c_end;
            assert_eq!(Tunable { c_end, ..found }, expected, "{parts}");
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
                "`leaf` cannot be tuned: expected one of uct_exploration, ",
            ),
            ("threads", "`threads` cannot be tuned"),
            ("iterations=5", "`iterations` cannot be tuned"),
            ("$=1:2:3:4:5:6", "expected NAME or NAME="),
            ("$=x", "invalid value `x` for `$`"),
            ("$=1:-1", "invalid value `-1` for `$`"),
            ("$=1:0:101", "invalid value `101`"),
            ("$=1:5:5", "invalid range `5:5` for `$`"),
            ("$=1:5:2", "invalid range `5:2` for `$`"),
            (
                "$=1:2:3",
                "invalid start `1` for `$`: expected a number from 2 to 3",
            ),
            ("$=1:0:2:0", "invalid c_end `0` for `$`"),
            ("$=1:0:2:3", "above 0, at most 2"),
            ("$=1:0:2:nan", "invalid c_end `nan`"),
            ("$=1:0:2:1:-1", "invalid r_end `-1`"),
            ("$=1:0:2:1:inf", "invalid r_end `inf`"),
            ("virtual_loss=1.5", "invalid value `1.5` for `virtual_loss`"),
        ] {
            let [text, part] = [text, part].map(|text| text.replace('$', "initial_value_visits"));
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(&part), "{text}: {error}");
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
