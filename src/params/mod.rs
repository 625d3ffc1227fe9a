//! The settings of a player.
//!
//! `table` has a row for every parameter, `value` the kinds of parameters with their texts, `levels`
//! how strong Tanada is against people. This file holds the presets, assignments by name, and the
//! limits of a move.

mod levels;
mod table;
mod value;

use std::time::Duration;

use serde_json::Value as Json;

pub use levels::{LEVELS, Level};
pub(crate) use table::find;
pub use table::{Effect, Exploration, Leaf, PARAMETERS, Parameter, Params, Role};
pub(crate) use value::{Kind, NONE};
pub use value::{ParamError, Value};

use crate::util::nearest::hint;
use crate::util::threads::cores;
use value::shorten;

/// What ends the search of a move; at least one is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveLimits {
    /// The most seconds.
    pub seconds: Option<f64>,
    /// The most iterations.
    pub iterations: Option<u64>,
}

impl MoveLimits {
    /// The time, where it is limited.
    pub fn time(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.seconds?).ok()
    }
}

impl Params {
    /// The seconds for a move where neither time nor iterations are limited.
    pub const DEFAULT_SECONDS: f64 = 1.0;

    /// The names of the presets; the first is the default.
    pub const PRESETS: [&'static str; 5] = ["network", "linear", "playout", "uct", "greedy"];

    /// The settings of a preset: `network`, the default; `linear`, the linear evaluation in its
    /// place; `playout`, playouts with RAVE; `uct`, playouts without RAVE; `greedy`, no tree.
    ///
    /// # Errors
    /// An unknown name.
    pub fn preset(name: &str) -> Result<Self, ParamError> {
        let network = Self::default();
        let linear = Self {
            leaf: Leaf::Linear,
            ..network.clone()
        };
        let uct = Self {
            leaf: Leaf::Playout,
            exploration: Exploration::Ucb1,
            uct_exploration: 0.3,
            fpu_value: 10.0,
            // A yardstick is plain UCT: no solver.
            solve_points: 0,
            ..linear.clone()
        };
        match name {
            "network" => Ok(network),
            "linear" => Ok(linear),
            "uct" => Ok(uct),
            "greedy" => Ok(Self {
                leaf: Leaf::Greedy,
                solve_points: 0,
                ..linear
            }),
            "playout" => Ok(Self {
                uct_exploration: 0.1,
                rave_equivalence: 1000.0,
                fpu_value: 0.5,
                solve_points: linear.solve_points,
                ..uct
            }),
            _ => {
                let hint = hint(name, &Self::PRESETS);
                Err(ParamError::Preset(shorten(name), hint))
            }
        }
    }

    /// Takes over the settings of a preset that are about the search ([`Role::Search`]).
    ///
    /// # Errors
    /// An unknown name; nothing is changed.
    pub fn apply_preset(&mut self, name: &str) -> Result<(), ParamError> {
        let preset = Self::preset(name)?;
        for parameter in PARAMETERS.iter().filter(|p| p.role == Role::Search) {
            parameter.put(self, parameter.get(&preset));
        }
        Ok(())
    }

    /// Sets the parameter `name` to the value that `text` stands for.
    ///
    /// # Errors
    /// An unknown name or a wrong value; nothing is changed.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParamError> {
        let parameter = find(name)?;
        parameter.put(self, parameter.parse(text)?);
        Ok(())
    }

    /// Sets the parameter `name` to a value of JSON: a number, a boolean, `null` for no limit, or
    /// any of them as a text.
    ///
    /// # Errors
    /// An unknown name or a wrong value; nothing is changed.
    pub fn set_json(&mut self, name: &str, value: &Json) -> Result<(), ParamError> {
        let parameter = find(name)?;
        let text = match value {
            Json::String(text) => text.clone(),
            Json::Null => NONE.to_string(),
            value => value.to_string(),
        };
        parameter.put(self, parameter.parse(&text)?);
        Ok(())
    }

    /// Makes the setting `NAME=VALUE`.
    ///
    /// # Errors
    /// Another form, an unknown name or a wrong value; nothing is changed.
    pub fn assign(&mut self, assignment: &str) -> Result<(), ParamError> {
        let (parameter, value) = Parameter::assignment(assignment)?;
        parameter.put(self, value);
        Ok(())
    }

    /// What limits a move while no clock is set.
    pub(crate) fn move_limits(&self) -> MoveLimits {
        let default = self.iterations.is_none().then_some(Self::DEFAULT_SECONDS);
        MoveLimits {
            seconds: self.time_per_move.or(default),
            iterations: self.iterations,
        }
    }

    /// Whether limits of a move were asked for.
    pub fn has_move_limits(&self) -> bool {
        self.time_per_move.is_some() || self.iterations.is_some()
    }

    /// Whether some parameter with an effect for which `of` holds differs in `other`.
    pub(crate) fn differs(&self, other: &Self, of: impl Fn(Effect) -> bool) -> bool {
        PARAMETERS
            .iter()
            .any(|p| of(p.effect) && p.get(self) != p.get(other))
    }

    /// Whether even a win on the spot may be overlooked.
    pub(crate) fn may_overlook_wins(&self) -> bool {
        self.overlooked > 0.0 && self.choice_max_loss >= 1.0
    }

    /// Whether the evaluator evaluates moves before they are searched.
    pub fn evaluates_moves(&self) -> bool {
        matches!(self.leaf, Leaf::Network | Leaf::Linear)
    }

    /// The number of search threads: `threads`, or one for each core.
    pub fn workers(&self) -> usize {
        match self.threads {
            0 => cores(),
            n => n as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_parameter_reads_back_and_has_its_default_in_range() {
        for parameter in PARAMETERS {
            for preset in Params::PRESETS {
                let mut params = Params::preset(preset).unwrap();
                let text = parameter.get(&params).to_string();
                params.set(parameter.name, &text).unwrap();
                assert_eq!(params, Params::preset(preset).unwrap());
            }
            assert!(parameter.meaning.ends_with('.'), "{}", parameter.name);
        }
    }

    #[test]
    fn presets_set_what_is_about_the_search_alone() {
        let text = |parameter: &Parameter| match parameter.kind {
            Kind::Bool => (!parameter.default().eq(&Value::Bool(true))).to_string(),
            Kind::Choice(words) => words[words.len() - 1].to_string(),
            _ => "7".to_string(),
        };
        for preset in Params::PRESETS {
            let mut params = Params::default();
            for parameter in PARAMETERS {
                let _ = params.set(parameter.name, &text(parameter));
            }
            let before = params.clone();
            params.apply_preset(preset).unwrap();
            for parameter in PARAMETERS {
                let of = match parameter.role {
                    Role::Search => &Params::preset(preset).unwrap(),
                    Role::Resources | Role::Strength | Role::Session => &before,
                };
                let (found, name) = (parameter.get(&params), parameter.name);
                assert_eq!(found, parameter.get(of), "{name}");
            }
        }
    }

    #[test]
    fn booleans_and_limits_have_texts_of_their_own() {
        let mut params = Params::default();
        for (text, value) in [("true", true), ("0", false), ("1", true), ("false", false)] {
            params.set("ponder", text).unwrap();
            assert_eq!(params.ponder, value);
        }
        for (value, expected) in [
            (json!(5), Some(5)),
            (json!(null), None),
            (json!("6"), Some(6)),
            (json!("none"), None),
            (json!(7), Some(7)),
        ] {
            params.set_json("iterations", &value).unwrap();
            assert_eq!(params.iterations, expected, "{value}");
        }
        assert!(params.set_json("iterations", &json!(0)).is_err());
        params.set_json("ponder", &json!(true)).unwrap();
        params.set_json("time_per_move", &json!(0.5)).unwrap();
        assert_eq!((params.ponder, params.time_per_move), (true, Some(0.5)));
    }

    #[test]
    fn a_move_has_a_limit() {
        for (iterations, time, expected) in [
            (None, None, (None, Some(1.0))),
            (Some(400), None, (Some(400), None)),
            (None, Some(2.5), (None, Some(2.5))),
            (Some(400), Some(2.5), (Some(400), Some(2.5))),
        ] {
            let params = Params {
                iterations,
                time_per_move: time,
                ..Params::default()
            };
            let limits = params.move_limits();
            assert_eq!((limits.iterations, limits.seconds), expected);
        }
    }

    #[test]
    fn wrong_settings_change_nothing_and_say_what_is_right() {
        let wrong = [
            (
                "uct_exploration=11",
                "invalid value `11` for `uct_exploration`: expected a number from 0 to 10",
            ),
            ("uct_exploration=NaN", "`NaN`"),
            ("uct_exploration=-inf", "`-inf`"),
            ("threads=2.5", "whole number"),
            ("threads=-1", "whole number"),
            ("threads=+1", "whole number"),
            ("leaf=net", "expected network, linear, playout or greedy"),
            (
                "ponder=yes",
                "invalid value `yes` for `ponder`: expected true or false",
            ),
            (
                "iterations=0",
                "`0` for `iterations`: expected a whole number from 1 to 2^64-1, or `none` for no limit",
            ),
            (
                "time_per_move=0",
                "`0` for `time_per_move`: expected a number from 0.000001 to 1000000, or `none`",
            ),
            ("speed=1", "unknown parameter `speed`"),
            ("speed", "NAME=VALUE"),
            ("=", "unknown parameter ``"),
        ];
        for (text, part) in wrong {
            let mut params = Params::default();
            let error = params.assign(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
            assert_eq!(params, Params::default());
        }
        let error = Params::preset("best").unwrap_err().to_string();
        assert!(error.contains("linear, playout, uct or greedy"), "{error}");
    }
}
