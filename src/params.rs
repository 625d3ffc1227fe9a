//! The one table of parameters: `--set`, `tanada-param`, presets, `tanada params`
//! and tuners all read it. Each parameter is written in one place.

use std::fmt;

use thiserror::Error;

use crate::util::nearest::hint;

/// The type of a parameter with its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A whole number from the first to the second, in steps of the third.
    Integer(u64, u64, u64),
    /// A decimal number from the first to the second, in steps of the third.
    Real(f64, f64, f64),
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(u64),
    /// A decimal number.
    Real(f64),
    /// A word.
    Choice(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(n) => n.fmt(f),
            Value::Real(x) => x.fmt(f),
            Value::Choice(word) => f.write_str(word),
        }
    }
}

/// A parameter that cannot be set so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParamError {
    /// No parameter has this name.
    #[error("unknown parameter `{0}`{hint}", hint = hint(.0, &names()))]
    Unknown(String),
    /// The text is no value of the parameter's type and range.
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
    #[error("`{0}` is no setting, expected NAME=VALUE")]
    Assignment(String),
    /// No preset has this name.
    #[error("unknown preset `{0}`{hint}", hint = hint(.0, &Params::PRESETS))]
    Preset(String),
}

/// What a parameter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It decides how well the time is used; tuners may change it.
    Play,
    /// It decides how much machine and time is used, and how games are run.
    Run,
}

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name, lower case with underscores.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
    /// Type, range and step.
    pub kind: Kind,
    /// What it means, with its unit.
    pub meaning: &'static str,
    get: fn(&Params) -> Value,
    set: fn(&mut Params, Value),
}

/// How a field of [`Params`] becomes a [`Value`] and back.
trait Field: Copy {
    fn to_value(self) -> Value;
    fn from_value(value: Value) -> Option<Self>;
}

impl Field for u64 {
    fn to_value(self) -> Value {
        Value::Integer(self)
    }
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Integer(n) = value {
            Some(n)
        } else {
            None
        }
    }
}

impl Field for f64 {
    fn to_value(self) -> Value {
        Value::Real(self)
    }
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Real(x) = value {
            Some(x)
        } else {
            None
        }
    }
}

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl Field for $name {
            fn to_value(self) -> Value {
                Value::Choice(match self { $(Self::$variant => $word),+ })
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

choice! {
    /// What judges a leaf of the tree.
    Leaf {
        /// The game's network; the linear evaluation where there is none.
        Network = "network",
        /// The game's linear evaluation, every child scored.
        Linear = "linear",
        /// A random playout.
        Playout = "playout",
        /// No tree: the game's greedy player.
        Greedy = "greedy",
    }
}

choice! {
    /// The term that makes the search explore.
    Exploration {
        /// `c * sqrt(N / children) / (1 + n)`.
        Puct = "puct",
        /// `c * sqrt(ln N / n)` (Auer, Cesa-Bianchi and Fischer, 2002).
        Ucb1 = "ucb1",
    }
}

choice! {
    /// What different ways to one position do with what is found out about it.
    Transpositions {
        /// All know it: the search grows a graph. Positions of the game must never repeat.
        Shared = "shared",
        /// Each finds out for itself: the search grows a tree.
        Separate = "separate",
    }
}

macro_rules! parameters {
    ($(@$role:ident $($name:ident: $type:ty = $default:expr, $kind:expr, $meaning:literal;)+)+) => {
        /// All settings of a player; passed by reference, so that two players with
        /// different settings can meet in one process.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Params {
            $($(#[doc = $meaning] pub $name: $type,)+)+
        }

        impl Default for Params {
            /// The settings of the preset `network`.
            fn default() -> Self {
                Self { $($($name: $default,)+)+ }
            }
        }

        /// The table.
        pub const PARAMETERS: &[Parameter] = &[$($(Parameter {
            name: stringify!($name),
            role: Role::$role,
            kind: $kind,
            meaning: $meaning,
            get: |params| params.$name.to_value(),
            set: |params, value| if let Some(field) = <$type>::from_value(value) {
                params.$name = field;
            },
        },)+)+];
    };
}

parameters! {
    @Play
    leaf: Leaf = Leaf::Network, Kind::Choice(Leaf::WORDS),
        "What judges a leaf: `network`, the game's network (where it has none for the position, as `linear`), `linear`, the linear evaluation of every child, or `playout`, a random playout; `greedy` has no tree and plays what looks best at once.";
    exploration: Exploration = Exploration::Puct, Kind::Choice(Exploration::WORDS),
        "Form of the exploration term: `puct` is c*sqrt(N/children)/(1+n), `ucb1` is c*sqrt(ln N/n).";
    uct_exploration: f64 = 0.065, Kind::Real(0.0, 10.0, 0.02),
        "The factor c of the exploration term; values run from 0 to 1. Not where the evaluator says how likely each move is, see cpuct.";
    initial_value_visits: f64 = 2.4, Kind::Real(0.0, 100.0, 0.25),
        "Visits that the evaluation of a child counts for in its mean value (`linear`; for `network` see fpu_visits).";
    cpuct: f64 = 0.3, Kind::Real(0.0, 10.0, 0.02),
        "The factor of the exploration term c*p*sqrt(N+1)/(1+n) where the evaluator says how likely each move is (`network`).";
    fpu_reduction: f64 = 0.1, Kind::Real(0.0, 1.0, 0.02),
        "What a child without visits is worth less than its parent, times the square root of how likely the visited ones are (`network`).";
    fpu_visits: f64 = 0.2, Kind::Real(0.0, 100.0, 0.1),
        "Visits that the value of a child without any counts for in its mean value later (`network`).";
    evaluation_noise: f64 = 0.01, Kind::Real(0.0, 0.5, 0.005),
        "Half width of the uniform noise on every evaluation, of a child (`linear`) or a leaf (`network`), in winning chance, so that no two games are alike.";
    fpu_value: f64 = 0.5, Kind::Real(0.0, 10.0, 0.05),
        "Value of a child without visits, evaluation or RAVE visits, in winning chance (`playout`); 10 visits every child once first.";
    rave_equivalence: f64 = 0.0, Kind::Real(0.0, 100000.0, 100.0),
        "Visits at which the RAVE value and the mean weigh the same; 0 switches RAVE off (`playout`).";
    playout_redraws: u64 = 3, Kind::Integer(0, 16, 1),
        "How often a playout draws again when the drawn move bounds the root that it extends (`playout`).";
    paranoia: f64 = 0.0, Kind::Real(0.0, 1.0, 0.1),
        "With more than two players, how far the others are expected to play against whoever thinks instead of for themselves: 0 is max^n, 1 is paranoid, between them the values are mixed.";
    multiplayer_factor: f64 = 0.3, Kind::Real(0.0, 10.0, 0.05),
        "With more than two players, what uct_exploration and evaluation_noise are multiplied by, since single moves change winning chances less there (`linear`).";
    lcb_deviations: f64 = 1.0, Kind::Real(0.0, 100.0, 0.25),
        "Standard errors below its mean by which a move with at least a fifth of the most visits is judged for the final choice; 0 chooses the most visited one (`network`).";
    transpositions: Transpositions = Transpositions::Shared, Kind::Choice(Transpositions::WORDS),
        "What different ways to one position do with what is found out about it, with two players and where the evaluator says how likely each move is (`network`): `shared`, all know it, or `separate`, each finds out for itself.";
    value_bias_factor: f64 = 0.8, Kind::Real(0.0, 2.0, 0.1),
        "Times how much the mean error of evaluations with the same local pattern of the last move is added to an evaluation, with two players and shared transpositions; 0 switches it off (`network`).";
    value_bias_prior_visits: f64 = 20.0, Kind::Real(0.0, 1000.0, 2.0),
        "Visits without error that this mean begins with (`network`).";
    virtual_loss: u64 = 1, Kind::Integer(0, 16, 1),
        "Visits without value that each worker on its way through a node counts for.";
    @Run
    threads: u64 = 0, Kind::Integer(0, 256, 1),
        "Workers on the shared tree; 0 is one for each core.";
    memory: u64 = 1024, Kind::Integer(1, 1048576, 64),
        "MiB that the tree may take; when it is full the search goes on without growing.";
    seed: u64 = 0, Kind::Integer(0, u64::MAX, 1),
        "Where the random stream starts; setting it starts the stream anew.";
    time_per_move: f64 = 1.0, Kind::Real(0.0, 1000000.0, 0.1),
        "Seconds a move while no clock is set.";
    iterations: u64 = 0, Kind::Integer(0, u64::MAX, 1000),
        "Iterations a move at most; 0 is no limit.";
    ponder: u64 = 0, Kind::Integer(0, 1, 1),
        "Thinks on while the other side does, after its own `genmove`: 1 is on, 0 off. Among more than two players it does nothing beside `paranoia`.";
    solve_points: u64 = 40, Kind::Integer(0, 100, 1),
        "Points that are left to play, at most, where a search asks for the exact result, if the game has a solver, two players are left and the time is likely to do; each group beyond one a player counts as four more, and 0 never asks.";
    resign: f64 = 0.0, Kind::Real(0.0, 1.0, 0.01),
        "Resigns a running game when its own winning chance was below this at three of its moves running; 0 never resigns.";
    setup_echo: u64 = 0, Kind::Integer(0, 1, 1),
        "1 accepts moves onto own stones of the start before the first move, without effect, for clients that send those stones as moves; 0 refuses them.";
}

fn names() -> Vec<&'static str> {
    PARAMETERS.iter().map(|parameter| parameter.name).collect()
}

/// The parameter with this name.
///
/// # Errors
/// An unknown name.
pub fn find(name: &str) -> Result<&'static Parameter, ParamError> {
    PARAMETERS
        .iter()
        .find(|p| p.name == name)
        .ok_or_else(|| ParamError::Unknown(shorten(name)))
}

fn shorten(text: &str) -> String {
    crate::util::quote::shorten(text, 60)
}

impl Parameter {
    /// The value in `params`.
    pub fn get(&self, params: &Params) -> Value {
        (self.get)(params)
    }

    /// The default.
    pub fn default(&self) -> Value {
        self.get(&Params::default())
    }

    /// Whether a tuner may change it: a number that decides how well the time is used.
    pub fn is_tunable(&self) -> bool {
        self.role == Role::Play && !matches!(self.kind, Kind::Choice(_))
    }

    /// Type, range and step in words: `a number from 0 to 10`.
    pub fn expected(&self) -> String {
        match self.kind {
            Kind::Integer(low, high, _) => format!("a whole number from {low} to {high}"),
            Kind::Real(low, high, _) => format!("a number from {low} to {high}"),
            Kind::Choice(words) => words.join(" or "),
        }
    }

    /// The value that a text stands for.
    ///
    /// # Errors
    /// Text of another type, or a value out of range; nothing is clamped.
    pub fn parse(&self, text: &str) -> Result<Value, ParamError> {
        let value = match self.kind {
            Kind::Integer(low, high, _) => text
                .parse()
                .ok()
                .filter(|n| (low..=high).contains(n) && !text.starts_with('+'))
                .map(Value::Integer),
            Kind::Real(low, high, _) => text
                .parse()
                .ok()
                .filter(|x| (low..=high).contains(x))
                .map(Value::Real),
            Kind::Choice(words) => words.iter().find(|w| **w == text).map(|w| Value::Choice(w)),
        };
        value.ok_or_else(|| ParamError::Value {
            name: self.name,
            text: shorten(text),
            expected: self.expected(),
        })
    }
}

impl Params {
    /// The names of the presets; the first is the default.
    pub const PRESETS: [&'static str; 5] = ["network", "linear", "playout", "uct", "greedy"];

    /// The settings of a preset: `network`, the default; `linear`, the linear evaluation in its
    /// place; `playout`, playouts with RAVE; `uct`, the same playouts without it; `greedy`, no
    /// tree at all.
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
            // A yardstick knows nothing but its search.
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
            _ => Err(ParamError::Preset(shorten(name))),
        }
    }

    /// Takes over the settings in which a preset differs from the others, and
    /// leaves the rest (threads, memory, seed, limits) alone.
    ///
    /// # Errors
    /// An unknown name; nothing is changed.
    pub fn apply_preset(&mut self, name: &str) -> Result<(), ParamError> {
        let preset = Self::preset(name)?;
        *self = Self {
            threads: self.threads,
            memory: self.memory,
            seed: self.seed,
            time_per_move: self.time_per_move,
            iterations: self.iterations,
            ponder: self.ponder,
            resign: self.resign,
            setup_echo: self.setup_echo,
            ..preset
        };
        Ok(())
    }

    /// Sets the parameter `name` to what `text` says.
    ///
    /// # Errors
    /// An unknown name or a wrong value; nothing is changed.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), ParamError> {
        let parameter = find(name)?;
        (parameter.set)(self, parameter.parse(text)?);
        Ok(())
    }

    /// Sets what `NAME=VALUE` says.
    ///
    /// # Errors
    /// Another form, an unknown name or a wrong value; nothing is changed.
    pub fn assign(&mut self, assignment: &str) -> Result<(), ParamError> {
        let (name, value) = assignment
            .split_once('=')
            .ok_or_else(|| ParamError::Assignment(shorten(assignment)))?;
        self.set(name.trim(), value.trim())
    }

    /// Whether the evaluator evaluates moves before they are searched.
    pub fn evaluates_moves(&self) -> bool {
        matches!(self.leaf, Leaf::Network | Leaf::Linear)
    }

    /// The number of workers: `threads`, or one for each core.
    pub fn workers(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn names_are_unique() {
        for (i, a) in PARAMETERS.iter().enumerate() {
            assert!(
                PARAMETERS[..i].iter().all(|b| b.name != a.name),
                "{}",
                a.name
            );
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
            ("leaf=net", "linear or playout or greedy"),
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
        assert!(
            Params::preset("best")
                .unwrap_err()
                .to_string()
                .contains("linear, playout, uct or greedy")
        );
    }
}
