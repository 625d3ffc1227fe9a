//! The table of parameters, from which `--set`, `tanada-param`, presets, `tanada params` and the
//! tuners follow. Each parameter is one row.

mod value;

use std::time::Duration;

use serde_json::Value as Json;

pub(crate) use value::{Kind, NONE, ParamError, Value};

use value::{Field, choice};

/// What a parameter is about. Who may set it follows from that.
///
/// | role | presets, self-play | tuners |
/// |---|---|---|
/// | [`Search`](Role::Search) | yes | numbers |
/// | [`Resources`](Role::Resources) | no | no |
/// | [`Session`](Role::Session) | no | no |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// How well the search uses its time.
    Search,
    /// How much of the machine and how much time it uses.
    Resources,
    /// How games are run.
    Session,
}

/// What a new value changes in a running game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The search is rebuilt; its tree is lost.
    NewSearch,
    /// The random stream is restarted, even if the value stays the same; the tree is lost.
    NewRandomStream,
    /// Nothing until the next move; the tree stays.
    NextMove,
}

/// One row of the table.
///
/// ```
/// let parameter: &tanada::Parameter = &tanada::PARAMETERS[0];
/// println!("{} is {}", parameter.name, parameter.kind.expected());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name, lower case with underscores.
    pub name: &'static str,
    /// What it is about.
    pub role: Role,
    /// What a new value changes in a running game.
    pub effect: Effect,
    /// Type, range and step.
    pub kind: Kind,
    /// What it means, with its unit.
    pub meaning: &'static str,
    get: fn(&Params) -> Value,
    set: fn(&mut Params, Value),
}

choice! {
    /// How leaves of the tree are evaluated.
    Leaf {
        /// By the game's network, or by the linear evaluation where it has none.
        Network = "network",
        /// By the game's linear evaluation of every child.
        Linear = "linear",
        /// By a random playout.
        Playout = "playout",
        /// There is no tree: the game's greedy player moves.
        Greedy = "greedy",
    }
}

choice! {
    /// The exploration term where the evaluator gives no priors.
    Exploration {
        /// `c * sqrt((N + 1) / children) / (1 + n)`.
        Puct = "puct",
        /// `c * sqrt(ln(N + 1) / max(n, 1))` (Auer, Cesa-Bianchi and Fischer, 2002).
        Ucb1 = "ucb1",
    }
}

macro_rules! parameters {
    ($(@$role:ident($effect:ident) $($name:ident: $type:ty = $default:expr, $kind:expr, $meaning:literal;)+)+) => {
        /// All settings of a player. They are passed by reference: two players with different
        /// settings can meet in one process.
        ///
        /// ```
        /// let mut params = tanada::Params::preset("linear")?;
        /// params.assign("uct_exploration=0.1")?;
        /// assert_eq!(params.uct_exploration, 0.1);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
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
        ///
        /// ```
        /// assert!(tanada::PARAMETERS.iter().any(|parameter| parameter.name == "cpuct"));
        /// ```
        pub const PARAMETERS: &[Parameter] = &[$($(Parameter {
            name: stringify!($name),
            role: Role::$role,
            effect: Effect::$effect,
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
    @Search(NewSearch)
    leaf: Leaf = Leaf::Network, Kind::Choice(Leaf::WORDS),
        "How leaves are evaluated: `network`, by the game's network (as `linear` where it has none for the position); `linear`, by the linear evaluation of every child; `playout`, by a random playout; `greedy` plays the move with the best static evaluation, without searching.";
    exploration: Exploration = Exploration::Puct, Kind::Choice(Exploration::WORDS),
        "Form of the exploration term, except with `leaf=network`: `puct` is c*sqrt((N+1)/children)/(1+n), `ucb1` is c*sqrt(ln(N+1)/max(n,1)), for N visits of the node and n of the child; c is uct_exploration.";
    uct_exploration: f64 = 0.065, Kind::Real(0.0, 10.0, 0.02),
        "Factor c of the exploration term: c*sqrt((N+1)/children)/(1+n) for `puct`, c*sqrt(ln(N+1)/max(n,1)) for `ucb1`. Values are winning chances from 0 to 1. With `leaf=network` cpuct takes its place.";
    initial_value_visits: f64 = 2.4, Kind::Real(0.0, 100.0, 0.25),
        "Visits that a child's evaluation counts as in its mean value (`linear`; for `network` see fpu_visits).";
    cpuct: f64 = 0.3, Kind::Real(0.0, 10.0, 0.02),
        "Factor c of the exploration term c*P*sqrt(N+1)/(1+n), for N visits of the node, n of the child and its prior P (`network`).";
    fpu_reduction: f64 = 0.1, Kind::Real(0.0, 1.0, 0.02),
        "How far below its parent an unvisited child is valued, in winning chance, multiplied by the square root of the visited children's total prior (`network`).";
    fpu_visits: f64 = 0.2, Kind::Real(0.0, 100.0, 0.1),
        "Visits that the value of an unvisited child counts as in its mean value once it is visited (`network`).";
    evaluation_noise: f64 = 0.01, Kind::Real(0.0, 0.5, 0.005),
        "Half the width of the uniform noise on every evaluation, of a child (`linear`) or of a leaf (`network`), in winning chance. It makes games differ.";
    fpu_value: f64 = 0.5, Kind::Real(0.0, 10.0, 0.05),
        "Value of a child without visits, evaluation or RAVE visits, in winning chance (`playout`); 10 visits every child once first.";
    rave_equivalence: f64 = 0.0, Kind::Real(0.0, 100000.0, 100.0),
        "Visits k of a child at which its RAVE value weighs as much as its mean: the weight of RAVE is sqrt(k/(3*n+k)); 0 switches RAVE off (`playout`).";
    playout_redraws: u64 = 3, Kind::Integer(0, 16, 1),
        "How many times a playout draws again when the drawn move bounds the root that it extends (`playout`).";
    paranoia: f64 = 0.0, Kind::Real(0.0, 1.0, 0.1),
        "With more than two players, how far the others are expected to play against the player who searches, instead of for themselves: 0 is max^n, 1 is paranoid, and values between mix the two.";
    multiplayer_factor: f64 = 0.3, Kind::Real(0.0, 10.0, 0.05),
        "Factor on uct_exploration and evaluation_noise with more than two players, where single moves change winning chances less (`linear`).";
    lcb_deviations: f64 = 1.0, Kind::Real(0.0, 100.0, 0.25),
        "Standard errors that are subtracted from a move's mean value when the final move is chosen, among moves with at least a fifth of the most visits; 0 chooses the most visited move (`network`).";
    graph_search: bool = true, Kind::Bool,
        "Whether all move orders that lead to one position share its statistics (Monte-Carlo graph search), instead of searching it once for each of them. For two players (`network`).";
    value_bias_factor: f64 = 0.8, Kind::Real(0.0, 2.0, 0.1),
        "Factor applied to the mean error of similar evaluations before it is added to an evaluation. Similar ones have the same local pattern at the last move. For two players, with graph_search; 0 switches it off (`network`).";
    value_bias_prior_visits: f64 = 20.0, Kind::Real(0.0, 1000.0, 2.0),
        "Visits without error that this mean starts with (`network`).";
    virtual_loss: u64 = 1, Kind::Integer(0, 16, 1),
        "Lost visits that each thread adds to a node while it searches below it.";
    solve_points: u64 = 40, Kind::Integer(0, 100, 1),
        "Most points left to play at which a search asks the game's exact solver, where there is one, with two players left and if the time is likely to suffice. Each group beyond one a player counts as four more points; 0 never asks.";
    @Resources(NextMove)
    time_per_move: Option<f64> = None, Kind::Limit(&Kind::Real(1e-6, 1000000.0, 0.1)),
        "Most time for a move while no clock is set, in seconds. If neither this nor iterations is set, a move takes 1 second.";
    iterations: Option<u64> = None, Kind::Limit(&Kind::Integer(1, u64::MAX, 1000)),
        "Most iterations for a move. If only this is set, time is not limited.";
    @Resources(NewSearch)
    threads: u64 = 0, Kind::Integer(0, 256, 1),
        "Search threads; 0 is one for each core.";
    memory: u64 = 1024, Kind::Integer(1, 1048576, 64),
        "Most memory for the search tree, in MiB. When it is full, the search goes on without growing it.";
    @Session(NextMove)
    ponder: bool = false, Kind::Bool,
        "Whether to think on while the opponent does, after its own `genmove`. With more than two players, only if paranoia is 0.";
    resign: f64 = 0.0, Kind::Real(0.0, 1.0, 0.01),
        "Winning chance below which it resigns, if it stays below at three of its moves in a row; 0 never resigns.";
    setup_echo: bool = false, Kind::Bool,
        "Whether moves onto own stones of the start position are accepted before the first move, without effect. Some clients send those stones as moves.";
    @Session(NewRandomStream)
    seed: u64 = 0, Kind::Integer(0, u64::MAX, 1),
        "Seed of the random stream. Setting it starts the stream anew.";
}

fn names() -> Vec<&'static str> {
    PARAMETERS.iter().map(|parameter| parameter.name).collect()
}

/// The parameter with this name.
///
/// # Errors
/// An unknown name.
pub(crate) fn find(name: &str) -> Result<&'static Parameter, ParamError> {
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

    /// Puts a value of the parameter's own kind into `params`.
    pub(crate) fn put(&self, params: &mut Params, value: Value) {
        (self.set)(params, value);
    }

    /// The parameter and the value that `NAME=VALUE` names.
    pub(crate) fn assignment(text: &str) -> Result<(&'static Self, Value), ParamError> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| ParamError::Assignment(shorten(text)))?;
        let parameter = find(name.trim())?;
        Ok((parameter, parameter.parse(value.trim())?))
    }

    /// Whether a tuner may change it: a number that decides how well the search uses its time.
    pub fn is_tunable(&self) -> bool {
        self.role == Role::Search && matches!(self.kind, Kind::Integer(..) | Kind::Real(..))
    }

    /// Whether it limits the search of a move.
    pub fn is_limit(&self) -> bool {
        self.role == Role::Resources && self.effect == Effect::NextMove
    }

    /// Whether it is the seed of the random stream.
    pub fn is_seed(&self) -> bool {
        self.effect == Effect::NewRandomStream
    }

    /// The value that a text stands for.
    ///
    /// # Errors
    /// Text of another type, or a value out of range; nothing is clamped.
    pub fn parse(&self, text: &str) -> Result<Value, ParamError> {
        self.kind.parse(text).ok_or_else(|| ParamError::Value {
            name: self.name,
            text: shorten(text),
            expected: self.kind.expected(),
        })
    }
}

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
            _ => Err(ParamError::Preset(shorten(name))),
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
    /// any of them as a text. A limit of 0 iterations means no limit, as older versions wrote it.
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
        match parameter.kind {
            Kind::Limit(Kind::Integer(1.., ..)) if text == "0" => self.set(name, NONE),
            _ => self.set(name, &text),
        }
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
    pub fn move_limits(&self) -> MoveLimits {
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

    /// Whether the evaluator evaluates moves before they are searched.
    pub fn evaluates_moves(&self) -> bool {
        matches!(self.leaf, Leaf::Network | Leaf::Linear)
    }

    /// The number of search threads: `threads`, or one for each core.
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
                    Role::Resources | Role::Session => &before,
                };
                let (found, name) = (parameter.get(&params), parameter.name);
                assert_eq!(found, parameter.get(of), "{name}");
            }
        }
    }

    #[test]
    fn roles_sort_the_parameters() {
        let names = |of: fn(&Parameter) -> bool| {
            let found = PARAMETERS.iter().filter(|p| of(p));
            found.map(|p| p.name).collect::<Vec<_>>()
        };
        assert_eq!(names(Parameter::is_limit), ["time_per_move", "iterations"]);
        assert_eq!(names(Parameter::is_seed), ["seed"]);
        let resources = ["time_per_move", "iterations", "threads", "memory"];
        assert_eq!(names(|p| p.role == Role::Resources), resources);
        let session = ["ponder", "resign", "setup_echo", "seed"];
        assert_eq!(names(|p| p.role == Role::Session), session);
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
            (json!(0), None),
        ] {
            params.set_json("iterations", &value).unwrap();
            assert_eq!(params.iterations, expected, "{value}");
        }
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
    fn names_are_unique() {
        let mut names = names();
        names.sort_unstable();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
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
