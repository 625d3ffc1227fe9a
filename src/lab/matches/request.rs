//! A match as requested by flags or by a TOML file. Everything left out has a default.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use thiserror::Error;

use super::engine::{self, EngineError, EngineSpec};
use super::limit::{self, Limit};
use super::opening::{OpeningError, Openings};
use super::plan::{Format, MatchSettings, Plan, PlanError};
use crate::clock::TimeControl;
use crate::games;
use crate::lab::stats::Sprt;
use crate::start::{Configuration, StartError};
use crate::util::nearest::hint;
use crate::util::place::line_and_column;
use crate::util::quote::shorten;

/// A requested engine: keys and values for [`EngineSpec::from_settings`].
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "toml::Table")]
pub(crate) struct EngineRequest(pub(crate) Vec<(String, String)>);

/// A requested match.
///
/// ```
/// # let text = "size = 5\npairs = 1\nplies = 2\niterations = 5\n[[engine]]\nname = \"a\"\n[[engine]]\nname = \"b\"\npreset = \"linear\"\n";
/// let request = tanada::MatchRequest::from_toml(text, "match.toml")?;
/// assert_eq!(request.plan()?.games(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchRequest {
    /// The game.
    pub game: Option<String>,
    /// Points or squares per row.
    #[serde(default, deserialize_with = "whole")]
    pub size: Option<usize>,
    /// The start position: a name or a file.
    pub setup: Option<String>,
    /// The number of players.
    #[serde(default, deserialize_with = "whole")]
    pub players: Option<usize>,
    /// The engines.
    #[serde(rename = "engine", default)]
    pub(crate) engines: Vec<EngineRequest>,
    /// The limit of engines without one: iterations per move.
    #[serde(default, deserialize_with = "iterations")]
    pub iterations: Option<u64>,
    /// The limit of engines without one: time per move.
    #[serde(default, deserialize_with = "time_per_move")]
    pub time_per_move: Option<Duration>,
    /// The limit of engines without one: a clock.
    #[serde(default, deserialize_with = "clock")]
    pub(crate) clock: Option<TimeControl>,
    /// Which engines play each other.
    pub(crate) format: Option<Format>,
    /// Pairs of games for each pairing.
    #[serde(default, deserialize_with = "whole")]
    pub pairs: Option<usize>,
    /// Random moves at the beginning of each pair.
    #[serde(default, deserialize_with = "whole")]
    pub plies: Option<usize>,
    /// A file of openings.
    pub openings: Option<String>,
    /// Where all randomness starts.
    #[serde(default, deserialize_with = "whole")]
    pub seed: Option<u64>,
    /// A sequential probability ratio test, as `elo0=0 elo1=10`.
    pub(crate) sprt: Option<Sprt>,
    /// Seconds to wait for an answer that no time limits.
    pub stall: Option<f64>,
    /// Concurrent games.
    #[serde(default, deserialize_with = "whole")]
    pub concurrency: Option<usize>,
    /// Allows more concurrent games than cores.
    pub oversubscribe: Option<bool>,
    /// Restarts engines that crashed.
    pub recover: Option<bool>,
    /// The folder of the records.
    pub records: Option<String>,
    /// Pairs between two reports.
    #[serde(default, deserialize_with = "whole")]
    pub rating_interval: Option<usize>,
}

/// Why a request does not describe a match.
#[derive(Debug, Error)]
pub enum RequestError {
    #[error("`{path}`, line {line}: {message}")]
    Toml {
        path: String,
        line: usize,
        message: String,
    },
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("{0}")]
    Setting(String),
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// Reads a value, written as a number or as text, by the parser that the command line uses too.
fn parsed<'de, D: Deserializer<'de>, T, E: fmt::Display>(
    deserializer: D,
    parse: fn(&str) -> Result<T, E>,
) -> Result<Option<T>, D::Error> {
    let value = toml::Value::deserialize(deserializer)?;
    let text = scalar(&value).map_err(D::Error::custom)?;
    parse(&text).map(Some).map_err(D::Error::custom)
}

fn whole<'de, D: Deserializer<'de>, T: FromStr>(deserializer: D) -> Result<Option<T>, D::Error> {
    parsed(deserializer, |text| {
        let text = shorten(text, 60);
        let expected = "expected a whole number from 0";
        text.parse()
            .map_err(|_| format!("invalid value `{text}`: {expected}"))
    })
}

fn iterations<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    parsed(deserializer, limit::iterations)
}

fn time_per_move<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    parsed(deserializer, limit::time_per_move)
}

fn clock<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TimeControl>, D::Error> {
    parsed(deserializer, limit::clock)
}

fn scalar(value: &toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(n) => Ok(n.to_string()),
        toml::Value::Float(x) => Ok(x.to_string()),
        toml::Value::Boolean(b) => Ok(b.to_string()),
        _ => {
            let value = shorten(&value.to_string(), 40);
            Err(format!(
                "invalid value `{value}`: expected a number, a boolean or text"
            ))
        }
    }
}

impl TryFrom<toml::Table> for EngineRequest {
    type Error = String;

    fn try_from(table: toml::Table) -> Result<Self, String> {
        let mut settings = Vec::new();
        // A preset comes first, then a level: the options change them.
        let rank = |key: &str| match key {
            "preset" => 0,
            "level" => 1,
            _ => 2,
        };
        let mut sorted: Vec<_> = table.iter().collect();
        sorted.sort_by_key(|(key, _)| rank(key));
        for (key, value) in sorted {
            match (key.as_str(), value) {
                ("command", toml::Value::Array(words)) => {
                    let words: Vec<String> = words.iter().map(scalar).collect::<Result<_, _>>()?;
                    let words = shlex::try_join(words.iter().map(String::as_str));
                    let command = words.map_err(|error| format!("`command`: {error}"))?;
                    settings.push((key.clone(), command));
                }
                ("send", toml::Value::Array(lines)) => {
                    for line in lines {
                        settings.push((key.clone(), scalar(line)?));
                    }
                }
                ("env" | "options", toml::Value::Table(pairs)) => {
                    let prefix = if key == "env" { "env." } else { "" };
                    for (name, value) in pairs {
                        settings.push((format!("{prefix}{name}"), scalar(value)?));
                    }
                }
                (key, value) if engine::KEYS.contains(&key) || limit::KEYS.contains(&key) => {
                    settings.push((key.to_string(), scalar(value)?));
                }
                _ => {
                    let mut keys = vec!["env", "options"];
                    keys.extend(engine::KEYS.iter().chain(&limit::KEYS));
                    return Err(format!(
                        "unknown key `{}` of an engine{}",
                        shorten(key, 60),
                        hint(key, &keys)
                    ));
                }
            }
        }
        Ok(Self(settings))
    }
}

impl EngineRequest {
    pub(crate) fn parse(text: &str) -> Result<Self, EngineError> {
        engine::settings(text).map(Self)
    }
}

impl MatchRequest {
    /// Reads a TOML file: the fields of [`MatchRequest`], and a table `[[engine]]` for each engine.
    ///
    /// # Errors
    /// Text that is not TOML, unknown keys and values of another type, with the line.
    pub fn from_toml(text: &str, path: &str) -> Result<Self, RequestError> {
        toml::from_str(text).map_err(|error| {
            let (line, _) = line_and_column(text, error.span().map_or(0, |span| span.start));
            RequestError::Toml {
                path: shorten(path, 60),
                line,
                message: error.message().trim().replace('\n', "; "),
            }
        })
    }

    /// This request, completed by `other`. Settings that exclude each other (limits, board, kinds
    /// of openings) are taken from one of the two together.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let has_board = self.game.is_some()
            || self.size.is_some()
            || self.setup.is_some()
            || self.players.is_some();
        let board = if has_board { &self } else { &other };
        let has_limit =
            self.iterations.is_some() || self.time_per_move.is_some() || self.clock.is_some();
        let limits = if has_limit { &self } else { &other };
        let has_openings = self.plies.is_some() || self.openings.is_some();
        let openings = if has_openings { &self } else { &other };
        Self {
            game: board.game.clone(),
            size: board.size,
            setup: board.setup.clone(),
            players: board.players,
            iterations: limits.iterations,
            time_per_move: limits.time_per_move,
            clock: limits.clock,
            plies: openings.plies,
            openings: openings.openings.clone(),
            engines: if self.engines.is_empty() {
                other.engines
            } else {
                self.engines
            },
            format: self.format.or(other.format),
            pairs: self.pairs.or(other.pairs),
            seed: self.seed.or(other.seed),
            sprt: self.sprt.or(other.sprt),
            stall: self.stall.or(other.stall),
            concurrency: self.concurrency.or(other.concurrency),
            oversubscribe: self.oversubscribe.or(other.oversubscribe),
            recover: self.recover.or(other.recover),
            records: self.records.or(other.records),
            rating_interval: self.rating_interval.or(other.rating_interval),
        }
    }

    /// The option of the first setting that decides which games are played, apart from engines and
    /// rounds.
    pub fn decides(&self) -> Option<&'static str> {
        // All fields are listed: a new one has to be considered here.
        let Self {
            game,
            size,
            setup,
            players,
            engines: _,
            iterations,
            time_per_move,
            clock,
            format,
            pairs: _,
            plies,
            openings,
            seed,
            sprt,
            stall,
            concurrency: _,
            oversubscribe: _,
            recover: _,
            records: _,
            rating_interval: _,
        } = self;
        [
            ("game", game.is_some()),
            ("size", size.is_some()),
            ("setup", setup.is_some()),
            ("players", players.is_some()),
            ("iterations", iterations.is_some()),
            ("time-per-move", time_per_move.is_some()),
            ("clock", clock.is_some()),
            ("format", format.is_some()),
            ("plies", plies.is_some()),
            ("openings", openings.is_some()),
            ("seed", seed.is_some()),
            ("sprt", sprt.is_some()),
            ("stall", stall.is_some()),
        ]
        .into_iter()
        .find_map(|(name, is_given)| is_given.then_some(name))
    }

    /// The limit of engines without one.
    pub(crate) fn limit(&self) -> Result<Limit, RequestError> {
        let given = [
            self.iterations.map(Limit::Iterations),
            self.time_per_move.map(Limit::TimePerMove),
            self.clock.map(Limit::Clock),
        ];
        let given: Vec<Limit> = given.into_iter().flatten().collect();
        match given[..] {
            [] => Ok(engine::DEFAULT_LIMIT),
            [limit] => Ok(limit),
            [first, second, ..] => Err(RequestError::Setting(engine::two_limits(&first, &second))),
        }
    }

    /// The engines. One without a name is called after its settings.
    pub(crate) fn engine_specs(&self) -> Result<Vec<EngineSpec>, RequestError> {
        let default = self.limit()?;
        let spec = |(number, EngineRequest(settings)): (usize, &EngineRequest)| {
            let name = settings.iter().find(|(key, _)| key == "name");
            let called = match name {
                Some((_, name)) => shorten(name, 60),
                None => format!("engine {number}"),
            };
            let mut spec = EngineSpec::from_settings(settings, &called, default)?;
            if name.is_none() {
                let parts: Vec<String> = settings.iter().map(|(k, v)| format!("{k}={v}")).collect();
                spec.name = match parts.join(",").as_str() {
                    "" => "default".to_string(),
                    text => shorten(text, 60),
                };
            }
            Ok(spec)
        };
        (1..).zip(&self.engines).map(spec).collect()
    }

    /// The start position.
    pub fn configuration(&self) -> Result<Configuration, StartError> {
        let game = Configuration::game(self.game.as_deref())?;
        Configuration::of(game, self.size, self.setup.as_deref(), self.players)
    }

    /// Checks the request. Defaults are 100 pairs, 4 random plies, seed 1 and a round robin.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn plan(&self) -> Result<Plan, RequestError> {
        let configuration = self.configuration()?;
        let start = configuration.start();
        let openings = match (&self.openings, self.plies) {
            (Some(_), Some(_)) => {
                let problem = "`plies` and `openings` contradict each other: expected one of them";
                return Err(RequestError::Setting(problem.to_string()));
            }
            (Some(path), None) => Openings::read(path, start)?,
            (None, plies) => Openings::Random {
                plies: plies.unwrap_or(4),
            },
        };
        let stall = self.stall.unwrap_or(60.0);
        if !(stall > 0.0 && stall <= 1e6) {
            return Err(RequestError::Setting(format!(
                "invalid value `{stall}` for `stall`: expected seconds above 0, at most 1000000"
            )));
        }
        let engines = self.engine_specs()?;
        for engine in &engines {
            // Reports unreadable weights before the first game.
            engine.read_weights(start)?;
        }
        Ok(Plan::new(MatchSettings {
            start: games::write_start(start),
            engines,
            format: self.format.unwrap_or_default(),
            rounds: self.pairs.unwrap_or(100),
            openings,
            seed: self.seed.unwrap_or(1),
            sprt: self.sprt,
            stall,
        })?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
size = 9
pairs = 5
time_per_move = 0.2
sprt = "elo0=0 elo1=20"

[[engine]]
name = "new"
command = ["./tanada", "gtp", "a b"]
env = { RUST_BACKTRACE = 1 }
send = ["komi 0"]
options = { threads = 1 }

[[engine]]
preset = "uct"
iterations = 500
options = { uct_exploration = 0.2 }
"#;

    fn plan(text: &str) -> Result<Plan, RequestError> {
        MatchRequest::from_toml(text, "m.toml")?.plan()
    }

    #[test]
    fn a_file_describes_a_match() {
        let plan = plan(FILE).unwrap();
        let [a, b] = &plan.settings().engines[..] else {
            panic!()
        };
        let program = a.program.as_ref().unwrap();
        assert_eq!(program.command, ["./tanada", "gtp", "a b"]);
        assert_eq!(program.environment["RUST_BACKTRACE"], "1");
        assert_eq!(a.send, ["komi 0"]);
        assert_eq!(a.limit.to_string(), "time_per_move=0.2");
        assert_eq!(b.limit, Limit::Iterations(500));
        assert_eq!(b.params().unwrap().uct_exploration, 0.2);
        assert_eq!((plan.units(), plan.games()), (5, 10));
    }

    #[test]
    fn flags_come_before_the_file() {
        let file = MatchRequest::from_toml(FILE, "m.toml").unwrap();
        let flags = MatchRequest {
            iterations: Some(7),
            pairs: Some(2),
            ..MatchRequest::default()
        };
        let plan = flags.or(file).plan().unwrap();
        assert_eq!(plan.settings().engines[0].limit, Limit::Iterations(7));
        assert_eq!(plan.units(), 2);
        assert_eq!(plan.configuration().side(), 9);
    }

    #[test]
    fn wrong_files_are_one_sentence_with_a_line() {
        let engines = "[[engine]]\nname = \"a\"\n[[engine]]\nname = \"b\"\n";
        for (text, part) in [
            ("size = ", "`m.toml`, line 1"),
            ("\nspeed = 3", "`m.toml`, line 2: unknown field `speed`"),
            ("pairs = \"many\"", "line 1"),
            ("[[engine]]\nspeed = 3", "unknown key `speed` of an engine"),
            (
                "[[engine]]\nname = [1]",
                "expected a number, a boolean or text",
            ),
            ("[[engine]]\niterations = 5\nclock = \"1+1\"", "contradict"),
            (
                "[[engine]]\noptions = { speed = 1 }",
                "unknown parameter `speed`",
            ),
            ("iterations = 5\nclock = \"1+1\"", "contradict"),
            ("size = 99", "`99`"),
            ("setup = \"/nowhere\"", "`/nowhere`"),
            (
                "plies = 3\nopenings = \"x\"",
                "`plies` and `openings` contradict",
            ),
            ("openings = \"/nowhere\"", "`/nowhere`"),
            ("stall = 0.0", "invalid value `0` for `stall`"),
            (
                "pairs = 0",
                "invalid value `0` for `pairs`: expected 1 or more",
            ),
            (
                "iterations = 0",
                "`m.toml`, line 1: invalid value `0` for `iterations`",
            ),
            ("time_per_move = 9e-7", "line 1: invalid value `0.0000009`"),
            (
                "clock = \"none\"",
                "line 1: invalid value `none` for `clock`",
            ),
            ("sprt = \"elo0=5 elo1=5\"", "elo0"),
            ("sprt = \"elo1=5\"", "elo0"),
            ("format = \"swiss\"", "line 1"),
            ("[[engine]]\nweights = \"/nowhere\"", "`/nowhere`"),
        ] {
            let whole = if text.contains("[[engine]]") {
                text.to_string()
            } else {
                format!("{text}\n{engines}")
            };
            let error = plan(&whole).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains('\n'), "{text}: {error}");
        }
        let error = plan("size = 9").unwrap_err().to_string();
        assert!(error.contains("not `0`"), "{error}");
    }
}
