//! Types, values and texts of parameters.

use std::fmt;

use serde::Serialize;
use thiserror::Error;

use crate::util::quote::{self, either};

/// The type of a parameter with its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A whole number from the first to the second, in steps of the third.
    Integer(u64, u64, u64),
    /// A decimal number from the first to the second, in steps of the third.
    Real(f64, f64, f64),
    /// `true` or `false`.
    Bool,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// [`NONE`], which means no limit, or a value of this kind.
    Limit(&'static Kind),
}

/// The text for no limit.
pub(crate) const NONE: &str = "none";

impl Kind {
    /// Type and range in words: `a number from 0 to 10`.
    pub(crate) fn expected(&self) -> String {
        match self {
            Kind::Integer(low, u64::MAX, _) => format!("a whole number from {low} to 2^64-1"),
            Kind::Integer(low, high, _) => format!("a whole number from {low} to {high}"),
            Kind::Real(low, high, _) => format!("a number from {low} to {high}"),
            Kind::Bool => "true or false".to_string(),
            Kind::Choice(words) => either(words),
            Kind::Limit(kind) => format!("{}, or `{NONE}` for no limit", kind.expected()),
        }
    }

    /// The value that a text stands for, if it has this type and is in range.
    pub(super) fn parse(&self, text: &str) -> Option<Value> {
        match *self {
            Kind::Integer(low, high, _) => {
                let number = text.parse().ok().filter(|_| !text.starts_with('+'));
                let in_range = number.filter(|n| (low..=high).contains(n));
                in_range.map(Value::Integer)
            }
            Kind::Real(low, high, _) => {
                let number = text.parse().ok();
                number.filter(|x| (low..=high).contains(x)).map(Value::Real)
            }
            // GoGui sends 1 and 0.
            Kind::Bool => match text {
                "true" | "1" => Some(Value::Bool(true)),
                "false" | "0" => Some(Value::Bool(false)),
                _ => None,
            },
            Kind::Choice(words) => words.iter().find(|w| **w == text).map(|w| Value::Choice(w)),
            Kind::Limit(_) if text == NONE => Some(Value::Unlimited),
            Kind::Limit(kind) => kind.parse(text),
        }
    }
}

/// The value of a parameter.
///
/// ```
/// let cpuct = tanada::PARAMETERS.iter().find(|parameter| parameter.name == "cpuct");
/// let value: Option<tanada::Value> = cpuct.map(|parameter| parameter.default());
/// assert_eq!(value, Some(tanada::Value::Real(0.3)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Integer(u64),
    /// A decimal number.
    Real(f64),
    /// Yes or no.
    Bool(bool),
    /// A word.
    Choice(&'static str),
    /// No limit.
    Unlimited,
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(n) => n.fmt(f),
            Value::Real(x) => x.fmt(f),
            Value::Bool(yes) => yes.fmt(f),
            Value::Choice(word) => f.write_str(word),
            Value::Unlimited => f.write_str(NONE),
        }
    }
}

/// A setting that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParamError {
    /// No parameter has this name. The second text completes the message: the likely name, or all
    /// names.
    #[error("unknown parameter `{0}`{1}")]
    Unknown(String, String),
    /// The text has another type, or its value is out of range.
    #[error("invalid value `{text}` for `{name}`: expected {expected}")]
    Value {
        /// The parameter.
        name: &'static str,
        /// The text that was given.
        text: String,
        /// What would be right.
        expected: String,
    },
    /// The text is not of the form `NAME=VALUE`.
    #[error("invalid setting `{0}`: expected NAME=VALUE")]
    Assignment(String),
    /// No preset has this name; the second text is like that of `Unknown`.
    #[error("unknown preset `{0}`{1}")]
    Preset(String, String),
    /// No level has this name; the second text is like that of `Unknown`.
    #[error("unknown level `{0}`{1}")]
    Level(String, String),
}

pub(super) fn shorten(text: &str) -> String {
    quote::shorten(text, 60)
}

/// How a setting becomes a [`Value`] and back.
pub(super) trait Field: Copy {
    fn to_value(self) -> Value;
    fn from_value(value: Value) -> Option<Self>;
}

macro_rules! field {
    ($($type:ty = $variant:ident),+) => {$(
        impl Field for $type {
            fn to_value(self) -> Value {
                Value::$variant(self)
            }
            fn from_value(value: Value) -> Option<Self> {
                match value {
                    Value::$variant(inner) => Some(inner),
                    _ => None,
                }
            }
        }
    )+};
}

field!(u64 = Integer, f64 = Real, bool = Bool);

impl<T: Field> Field for Option<T> {
    fn to_value(self) -> Value {
        self.map_or(Value::Unlimited, T::to_value)
    }
    fn from_value(value: Value) -> Option<Self> {
        match value {
            Value::Unlimited => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}

/// An enum whose variants are the words of a [`Kind::Choice`].
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            const WORDS: &'static [&'static str] = &[$($word),+];

            /// Its word in settings.
            pub(crate) fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl Field for $name {
            fn to_value(self) -> Value {
                Value::Choice(self.word())
            }
            fn from_value(value: Value) -> Option<Self> {
                match value {
                    $(Value::Choice($word) => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

pub(super) use choice;
