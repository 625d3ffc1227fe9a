//! The description of an engine in a match: a program that speaks GTP, or this build.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::limit::{self, Limit};
use crate::params::{Level, PARAMETERS, ParamError, Params};
use crate::start::{self, WeightsError};
use crate::util::nearest::nearest;
use crate::util::quote::{is_hidden, shorten};
use crate::variant::SharedStart;

/// The default for how much later than its limit an answer may come: the time a busy machine needs
/// to wake the runner.
pub(crate) const DEFAULT_MARGIN: Duration = Duration::from_millis(50);

/// The default for how long the runner waits for a late answer, after which it can use the engine
/// again.
pub(crate) const DEFAULT_GRACE: Duration = Duration::from_secs(10);

/// The limit of an engine without one of its own.
pub(crate) const DEFAULT_LIMIT: Limit = Limit::TimePerMove(Duration::from_millis(100));

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Program {
    /// The program and its arguments; at least one word.
    pub(crate) command: Vec<String>,
    /// Where it runs; `None` is the directory of the runner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) directory: Option<String>,
    /// Environment variables in addition to those of the runner.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) environment: BTreeMap<String, String>,
}

/// An engine of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EngineSpec {
    /// The name in reports and records.
    pub name: String,
    /// `None` is this build, without a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
    /// `preset`, `level` and parameters in the order in which they are set; programs get them as
    /// `tanada-param`.
    #[serde(default)]
    pub options: Vec<(String, String)>,
    /// A file with weights of a linear evaluation or a network, for this build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<String>,
    /// GTP commands that are sent after the start.
    #[serde(default)]
    pub send: Vec<String>,
    pub limit: Limit,
    /// How much later than its limit an answer may come, in seconds.
    pub margin: f64,
    /// How many seconds the runner waits after that before the engine counts as hanging.
    #[serde(default = "default_grace")]
    pub grace: f64,
    /// Whether each game gets a new process.
    #[serde(default)]
    pub restart: bool,
}

/// The keys of an engine other than limits, parameters and `env.NAME`.
pub(super) const KEYS: [&str; 10] = [
    "name", "command", "dir", "send", "weights", "preset", "level", "margin", "grace", "restart",
];

fn default_grace() -> f64 {
    DEFAULT_GRACE.as_secs_f64()
}

/// Why an engine cannot be used as described.
#[derive(Debug, Error)]
pub enum EngineError {
    #[error("engine `{engine}`: {problem}")]
    Setting { engine: String, problem: String },
    #[error(transparent)]
    Weights(#[from] WeightsError),
}

impl EngineError {
    pub(super) fn setting(engine: &str, problem: impl ToString) -> Self {
        Self::Setting {
            engine: engine.to_string(),
            problem: problem.to_string(),
        }
    }

    /// A wrong parameter, or an unknown key.
    fn parameter(engine: &str, error: &ParamError) -> Self {
        if let ParamError::Unknown(key, _) = error {
            let keys = KEYS.into_iter().chain(limit::KEYS);
            let parameters = PARAMETERS.iter().map(|parameter| parameter.name);
            let meant = nearest(key, keys.clone().chain(parameters));
            let key = shorten(key, 60);
            if let Some(meant) = keys.into_iter().find(|&key| Some(key) == meant) {
                let problem = format!("unknown key `{key}`; did you mean `{meant}`?");
                return Self::setting(engine, problem);
            }
            if meant.is_none() {
                let problem = format!(
                    "unknown key `{key}`: expected {}, env.NAME, a limit, or a parameter (`tanada params`)",
                    KEYS.join(", ")
                );
                return Self::setting(engine, problem);
            }
        }
        Self::setting(engine, error)
    }
}

impl EngineSpec {
    /// This build with its default settings.
    pub(crate) fn built_in(name: impl Into<String>, limit: Limit) -> Self {
        Self {
            name: name.into(),
            program: None,
            options: Vec::new(),
            weights: None,
            send: Vec::new(),
            limit,
            margin: DEFAULT_MARGIN.as_secs_f64(),
            grace: default_grace(),
            restart: false,
        }
    }

    /// Reads settings separated by commas (`\,` is a comma inside a value): `name`, `command`,
    /// `dir`, `env.NAME`, `weights`, `send` (may be repeated), `margin` and `grace` (seconds),
    /// `restart` (on or off), a limit (`iterations`, `time_per_move`, `clock`), `preset`, `level` (with
    /// the limit of the level), and the parameters. Without a `command` it is this build; without a limit it gets `default`.
    pub(crate) fn parse(text: &str, default: Limit) -> Result<Self, EngineError> {
        Self::from_settings(&settings(text)?, &shorten(text, 60), default)
    }

    /// Reads keys and values. Errors call the engine `called`, which is also its name if `settings`
    /// has no `name`.
    pub(crate) fn from_settings(
        settings: &[(String, String)],
        called: &str,
        default: Limit,
    ) -> Result<Self, EngineError> {
        let mut spec = Self::built_in(called, default);
        let mut program = Program::default();
        let mut given: Option<Limit> = None;
        let mut for_programs: Option<String> = None;
        for (key, value) in settings {
            let wrong = |key: &str, expected: &str| {
                let value = shorten(value, 60);
                let problem = format!("invalid value `{value}` for `{key}`: expected {expected}");
                EngineError::setting(called, problem)
            };
            let seconds = || {
                let seconds = value.parse().ok().filter(|s| (0.0..=1e6).contains(s));
                seconds.ok_or_else(|| wrong(key, "seconds from 0 to 1000000"))
            };
            match key.as_str() {
                "name" if value.is_empty() => return Err(wrong("name", "a name")),
                "name" if value.contains(is_hidden) => {
                    let expected = "a name without control characters and bidirectional controls";
                    return Err(wrong("name", expected));
                }
                "name" => spec.name = value.clone(),
                "command" => {
                    program.command = shlex::split(value)
                        .filter(|words| !words.is_empty())
                        .ok_or_else(|| wrong("command", "a program and its arguments"))?;
                }
                "dir" => program.directory = Some(value.clone()),
                "weights" => spec.weights = Some(value.clone()),
                "send" if value.contains(['\n', '\r']) => {
                    return Err(wrong("send", "one line"));
                }
                "send" => spec.send.push(value.clone()),
                "margin" => spec.margin = seconds()?,
                "grace" => spec.grace = seconds()?,
                "restart" => {
                    spec.restart = match value.as_str() {
                        "on" | "true" => true,
                        "off" | "false" => false,
                        _ => return Err(wrong("restart", "on or off")),
                    };
                }
                key if limit::KEYS.contains(&key) || key == "level" => {
                    let limit = match key {
                        "level" => level_limit(value),
                        _ => Limit::parse(key, value)
                            .map(Some)
                            .map_err(|error| error.to_string()),
                    };
                    let limit = limit.map_err(|error| EngineError::setting(called, error))?;
                    if key == "level" {
                        spec.options.push((key.to_string(), value.clone()));
                    }
                    if let (Some(limit), Some(first)) = (limit, given) {
                        return Err(EngineError::setting(called, two_limits(&first, &limit)));
                    }
                    given = limit.or(given);
                }
                key => match key.strip_prefix("env.") {
                    Some(name) if name.is_empty() || name.contains('\0') => {
                        return Err(wrong("env", "a name after `env.`"));
                    }
                    Some(name) => {
                        program.environment.insert(name.to_string(), value.clone());
                    }
                    None => spec.options.push((key.to_string(), value.clone())),
                },
            }
            if key == "dir" || key == "restart" || key.starts_with("env.") {
                for_programs = Some(key.clone());
            }
        }
        spec.limit = given.unwrap_or(default);
        let misplaced = |key: &str, place: &str| {
            let key = shorten(key, 60);
            EngineError::setting(called, format!("`{key}` has no effect {place}"))
        };
        if program.command.is_empty() {
            if let Some(key) = for_programs {
                return Err(misplaced(&key, "without a `command`"));
            }
            spec.params()
                .map_err(|error| EngineError::parameter(called, &error))?;
        } else if spec.weights.is_some() {
            return Err(misplaced("weights", "together with a `command`"));
        } else {
            spec.program = Some(program);
        }
        Ok(spec)
    }

    /// The parameters of this build with the options applied, on top of one thread and 256 MiB.
    pub(crate) fn params(&self) -> Result<Params, ParamError> {
        let mut params = Params {
            threads: 1,
            memory: 256,
            ..Params::default()
        };
        for (key, value) in &self.options {
            match key.as_str() {
                "preset" => params.apply_preset(value)?,
                "level" => params.apply_level(value)?,
                _ => params.set(key, value)?,
            }
        }
        Ok(params)
    }

    /// The text of its file of weights, if it names one.
    pub(crate) fn read_weights(
        &self,
        start: &SharedStart,
    ) -> Result<Option<Arc<str>>, EngineError> {
        let weights = self.weights.as_ref();
        let text = weights.map(|path| start::read_weights(path, start));
        Ok(text.transpose()?.map(Into::into))
    }

    pub(crate) fn margin(&self) -> Duration {
        Duration::try_from_secs_f64(self.margin).unwrap_or(DEFAULT_MARGIN)
    }

    pub(crate) fn grace(&self) -> Duration {
        Duration::try_from_secs_f64(self.grace).unwrap_or(DEFAULT_GRACE)
    }
}

/// The limit of a level, unless it is full strength.
fn level_limit(name: &str) -> Result<Option<Limit>, String> {
    let level = Level::find(name).map_err(|error| error.to_string())?;
    Ok(level.iterations().map(Limit::Iterations))
}

/// Why two limits cannot both hold.
pub(super) fn two_limits(first: &Limit, second: &Limit) -> String {
    format!("`{first}` and `{second}` contradict each other: expected one limit")
}

/// The keys and values of a text that [`EngineSpec::parse`] reads.
pub(crate) fn settings(text: &str) -> Result<Vec<(String, String)>, EngineError> {
    let setting = |part: String| match part.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_string(), value.trim().to_string())),
        None => {
            let part = shorten(&part, 60);
            let problem = format!("invalid setting `{part}`: expected KEY=VALUE");
            Err(EngineError::setting(&shorten(text, 60), problem))
        }
    };
    split(text).into_iter().map(setting).collect()
}

/// The parts between commas; `\,` is no separator, but `\\,` is.
fn split(text: &str) -> Vec<String> {
    let is_escaping = |part: &str| {
        let backslashes = part.bytes().rev().take_while(|&byte| byte == b'\\');
        backslashes.count() % 2 == 1
    };
    let mut parts: Vec<String> = Vec::new();
    for piece in text.split(',') {
        match parts.last_mut() {
            Some(last) if is_escaping(last) => {
                last.pop();
                *last += ",";
                *last += piece;
            }
            _ => parts.push(piece.to_string()),
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Leaf;

    fn parse(text: &str) -> Result<EngineSpec, EngineError> {
        EngineSpec::parse(text, DEFAULT_LIMIT)
    }

    #[test]
    fn settings_of_this_build_apply_in_order() {
        let spec = parse("preset=playout, rave_equivalence=7,name=R,iterations=50").unwrap();
        let params = spec.params().unwrap();
        assert_eq!((params.leaf, params.rave_equivalence), (Leaf::Playout, 7.0));
        assert_eq!((params.threads, params.memory), (1, 256));
        assert_eq!(spec.name, "R");
        assert_eq!(spec.limit, Limit::Iterations(50));
        let easy = parse("level=easy,preset=linear").unwrap();
        let level = Level::find("easy").unwrap();
        assert_eq!(easy.limit, Limit::Iterations(level.iterations().unwrap()));
        let params = easy.params().unwrap();
        assert_eq!(
            (params.leaf, params.iterations),
            (Leaf::Linear, level.iterations())
        );
        assert!(params.overlooked > 0.0);
        let full = parse("level=full,iterations=9").unwrap();
        assert_eq!(full.limit, Limit::Iterations(9));
        let plain = parse("").unwrap();
        assert_eq!(plain.limit, DEFAULT_LIMIT);
        assert_eq!(plain.margin(), DEFAULT_MARGIN);
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<EngineSpec>(&text).unwrap(), spec);
    }

    #[test]
    fn programs_have_words_variables_and_commas() {
        let spec = parse(
            r"name=P,command=./p 'a b' c\,d,dir=/tmp,env.X=1,send=komi 0,send=name,leaf=net,restart=on,clock=1+0.1",
        )
        .unwrap();
        let program = spec.program.unwrap();
        assert_eq!(program.command, ["./p", "a b", "c,d"]);
        assert_eq!(program.directory.as_deref(), Some("/tmp"));
        assert_eq!(program.environment["X"], "1");
        assert_eq!(spec.send, ["komi 0", "name"]);
        // The parameters of a program are not checked here.
        assert_eq!(spec.options, [("leaf".to_string(), "net".to_string())]);
        assert!(spec.restart);
        assert_eq!(split(r"a\b,\,,c\"), [r"a\b", ",", r"c\"]);
        assert_eq!(split(r"a\\,b\\\,\,c,,"), [r"a\\", r"b\\,,c"]);
    }

    #[test]
    fn wrong_engines_are_one_sentence() {
        let start = crate::start::Configuration::new(Some(9), None, None).unwrap();
        for (text, part) in [
            ("preset=best", "`best`"),
            ("threads=x", "invalid value `x` for `threads`"),
            ("speed=1", "unknown parameter `speed`"),
            ("nam=x", "unknown key `nam`; did you mean `name`?"),
            (
                "iteration=5",
                "unknown key `iteration`; did you mean `iterations`?",
            ),
            (
                "thread=1",
                "unknown parameter `thread`; did you mean `threads`?",
            ),
            ("nonsense", "invalid setting `nonsense`: expected KEY=VALUE"),
            ("name=", "invalid value `` for `name`"),
            (
                "name=a\u{202e}b",
                "invalid value `a\u{fffd}b` for `name`: expected a name without control",
            ),
            ("name=a\x1b]0;b", "invalid value `a\u{fffd}]0;b` for `name`"),
            ("name=a\nb", "invalid value `a\u{fffd}b` for `name`"),
            ("command=a 'b", "invalid value `a 'b` for `command`"),
            (
                "command=a,weights=w",
                "`weights` has no effect together with a `command`",
            ),
            ("dir=/tmp", "`dir` has no effect without a `command`"),
            (
                "env.a\nb=1",
                "`env.a\u{fffd}b` has no effect without a `command`",
            ),
            (
                "iterations=5,time_per_move=1",
                "`iterations=5` and `time_per_move=1` contradict",
            ),
            ("iterations=5,iterations=6", "contradict"),
            ("level=easy,iterations=6", "contradict"),
            ("level=best", "unknown level `best`"),
            ("iterations=none", "`none`"),
            ("margin=-1", "invalid value `-1` for `margin`"),
            ("grace=soon", "invalid value `soon` for `grace`"),
            ("restart=maybe", "invalid value `maybe` for `restart`"),
            ("command=a,env.=1", "invalid value `1` for `env`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains('\n'), "{error}");
        }
        let spec = parse("weights=/nowhere/at/all").unwrap();
        let error = spec.read_weights(start.start()).unwrap_err().to_string();
        assert!(error.contains("`/nowhere/at/all`"), "{error}");
    }
}
