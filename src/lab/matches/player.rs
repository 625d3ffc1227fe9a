//! An engine that is running: what it understands, and its part in a game.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::channel::{Channel, Fault, Reply, Supervisor, Wait};
use super::engine::{EngineError, EngineSpec};
use super::identity::{self, Identity};
use super::limit::Limit;
use super::process::Process;
use crate::clock::TimeControl;
use crate::game::Seat;
use crate::gtp::Session;
use crate::start::Configuration;
use crate::util::quote::shorten;
use crate::variant::{Arrangement, Variant};

/// How long an engine may take to its first answer.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How long it may take to answer what needs no thought.
const PING_LIMIT: Duration = Duration::from_secs(60);

/// An engine that cannot be started, or is of no use in the match.
#[derive(Debug, Error)]
pub enum StartError {
    /// The program cannot be run.
    #[error("engine `{name}`: `{program}` cannot be started: {error}")]
    Spawn {
        /// The engine.
        name: String,
        /// The program.
        program: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// It does not answer as an engine does.
    #[error("engine `{name}`: no answer to `{line}`: {why}{stderr}")]
    Silent {
        /// The engine.
        name: String,
        /// What it was asked.
        line: String,
        /// What came of it.
        why: String,
        /// The last lines of its standard error, if any.
        stderr: String,
    },
    /// It refuses a command that it needs to understand.
    #[error("engine `{name}` refuses `{line}`: {answer}")]
    Refused {
        /// The engine.
        name: String,
        /// What it was told.
        line: String,
        /// What it answered.
        answer: String,
    },
    /// It cannot be given its limit.
    #[error("engine `{name}` understands no `{limit}`: {expected}")]
    Limit {
        /// The engine.
        name: String,
        /// The limit.
        limit: String,
        /// What it would have to know, or what to give it.
        expected: &'static str,
    },
    /// It shows another position than the match starts from, or cannot be told of it.
    #[error("engine `{0}` cannot be brought to the start position: {1}")]
    Position(String, &'static str),
    /// Its files are wrong.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The match was stopped.
    #[error("stopped")]
    Interrupted,
}

/// What an engine answered to `genmove`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Thought {
    /// The answer: a vertex, `pass`, `resign`, or anything.
    pub(super) answer: String,
    /// How long it took.
    pub(super) elapsed: Duration,
    /// Winning chance of its side, 0 to 1, where it tells.
    pub(super) value: Option<f64>,
    /// Visits of its move, where it tells.
    pub(super) visits: Option<u64>,
}

/// What is wrong with an answer to `genmove` in words, and whether the engine can play on.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Silence {
    /// No answer.
    Fault(Fault),
    /// `?` and a text.
    Refused(String),
}

/// A running engine.
pub(super) struct Player {
    pub(super) spec: EngineSpec,
    pub(super) identity: Identity,
    variant: &'static dyn Variant,
    channel: Box<dyn Channel>,
    commands: BTreeSet<String>,
    /// An answer was given up: the next one that comes may be to an earlier question.
    is_lost: bool,
}

impl Player {
    /// Starts an engine, makes its settings and gives it its limit.
    pub(super) fn start(
        spec: &EngineSpec,
        configuration: &Configuration,
        supervisor: &Supervisor<'_>,
    ) -> Result<Self, StartError> {
        let channel: Box<dyn Channel> = match &spec.program {
            Some(program) => {
                Box::new(Process::spawn(program).map_err(|error| StartError::Spawn {
                    name: spec.name.clone(),
                    program: shorten(program.command.first().map_or("", String::as_str), 80),
                    error,
                })?)
            }
            None => {
                let weights = spec.read_weights(configuration.start())?;
                let params = spec.params().map_err(|error| EngineError::Param {
                    engine: spec.name.clone(),
                    error,
                })?;
                Box::new(Session::with_weights(
                    configuration.clone(),
                    params,
                    weights,
                ))
            }
        };
        let mut player = Self {
            spec: spec.clone(),
            identity: Identity::default(),
            variant: configuration.variant(),
            channel,
            commands: BTreeSet::new(),
            is_lost: false,
        };
        player.introduce(supervisor)?;
        if spec.program.is_some() {
            for (key, value) in &spec.options {
                player.order(&format!("tanada-param {key} {value}"), supervisor)?;
            }
        }
        for line in &spec.send {
            player.order(line, supervisor)?;
        }
        player.limit(supervisor)?;
        player.identity.options = player.settings(supervisor)?;
        player.identity.fingerprint = identity::fingerprint(spec);
        Ok(player)
    }

    fn introduce(&mut self, supervisor: &Supervisor<'_>) -> Result<(), StartError> {
        self.identity.name = self.order("name", supervisor)?;
        self.identity.version = self.order("version", supervisor)?;
        let commands = self.order("list_commands", supervisor)?;
        self.commands = commands.split_whitespace().map(str::to_string).collect();
        Ok(())
    }

    /// Gives the limits that hold for all games.
    fn limit(&mut self, supervisor: &Supervisor<'_>) -> Result<(), StartError> {
        let (key, text) = self.spec.limit.parts();
        let refuse = |expected| {
            Err(StartError::Limit {
                name: self.spec.name.clone(),
                limit: self.spec.limit.to_string(),
                expected,
            })
        };
        match self.spec.limit {
            Limit::Clock(_) | Limit::TimePerMove(_) if self.clock_line().is_none() => {
                refuse("it lists neither kata-time_settings nor a time_settings that says the same")
            }
            Limit::Clock(_) => Ok(()),
            Limit::Iterations(_) if !self.knows("tanada-param") => {
                refuse("it lists no tanada-param; give it a time")
            }
            Limit::TimePerMove(_) if !self.knows("tanada-param") => Ok(()),
            _ => {
                if key == "time_per_move" {
                    self.order("tanada-param iterations 0", supervisor)?;
                }
                self.order(&format!("tanada-param {key} {text}"), supervisor)
                    .map(|_| ())
            }
        }
    }

    /// The command that gives the clocks of a game, if there is one for the limit.
    fn clock_line(&self) -> Option<String> {
        let knows = |name: &str| self.commands.contains(name);
        let control = match self.spec.limit {
            Limit::Iterations(_) => return Some(String::new()),
            Limit::TimePerMove(_) if knows("tanada-param") => return Some(String::new()),
            Limit::TimePerMove(time) => TimeControl::ByoYomi {
                main: Duration::ZERO,
                period: time,
                periods: 1,
            },
            Limit::Clock(control) => control,
        };
        if knows("kata-time_settings") {
            return Some(format!("kata-time_settings {control}"));
        }
        if !knows("time_settings") {
            return None;
        }
        let s = |time: Duration| time.as_secs_f64();
        match control {
            TimeControl::Absolute { main } => Some(format!("time_settings {} 0 0", s(main))),
            // One period is the same as one stone a period.
            TimeControl::ByoYomi {
                main,
                period,
                periods: 1,
            } => Some(format!("time_settings {} {} 1", s(main), s(period))),
            TimeControl::Canadian {
                main,
                period,
                stones,
            } => Some(format!("time_settings {} {} {stones}", s(main), s(period))),
            _ => None,
        }
    }

    fn settings(
        &mut self,
        supervisor: &Supervisor<'_>,
    ) -> Result<Vec<(String, String)>, StartError> {
        if !self.knows("tanada-param") {
            return Ok(Vec::new());
        }
        let text = self.order("tanada-param", supervisor)?;
        let pairs = text.lines().filter_map(|line| {
            // `[string] seed 1`; the seed is that of each game.
            let mut words = line.split_whitespace().skip(1);
            let name = words.next().filter(|name| *name != "seed")?;
            Some((name.to_string(), words.collect::<Vec<_>>().join(" ")))
        });
        Ok(pairs.collect())
    }

    /// Whether the engine lists a command.
    pub(super) fn knows(&self, command: &str) -> bool {
        self.commands.contains(command)
    }

    /// The last lines of its standard error.
    pub(super) fn stderr_tail(&self) -> Vec<String> {
        self.channel.stderr_tail()
    }

    fn ping(&mut self, line: &str, supervisor: &Supervisor<'_>) -> Result<Reply, Fault> {
        let limit = match self.commands.is_empty() {
            true => START_LIMIT,
            false => PING_LIMIT,
        };
        let wait = Wait {
            engine: &self.spec.name,
            allowed: Duration::ZERO,
            deadline: Some(Instant::now() + limit),
            supervisor,
        };
        self.channel.ask(line, &wait)
    }

    /// Sends what has to be understood.
    fn order(&mut self, line: &str, supervisor: &Supervisor<'_>) -> Result<String, StartError> {
        let (name, line_quoted) = (self.spec.name.clone(), shorten(line, 80));
        match self.ping(line, supervisor) {
            Ok(reply) if reply.is_ok => Ok(reply.text),
            Ok(reply) => Err(StartError::Refused {
                name,
                line: line_quoted,
                answer: shorten(&reply.text, 120),
            }),
            Err(Fault::Interrupted) => Err(StartError::Interrupted),
            Err(fault) => Err(StartError::Silent {
                name,
                line: line_quoted,
                why: describe(&fault),
                stderr: self
                    .stderr_tail()
                    .last()
                    .map_or_else(String::new, |line| format!("; it wrote `{line}`")),
            }),
        }
    }

    /// Brings the engine to the start of a game, with full clocks and its seed.
    pub(super) fn new_game(
        &mut self,
        configuration: &Configuration,
        seed: u64,
        supervisor: &Supervisor<'_>,
    ) -> Result<(), StartError> {
        self.order(&format!("boardsize {}", configuration.side()), supervisor)?;
        self.order("clear_board", supervisor)?;
        self.arrange(&configuration.start().arrangement(), supervisor)?;
        if let Some(line) = self.clock_line().filter(|line| !line.is_empty()) {
            self.order(&line, supervisor)?;
        }
        if self.knows("tanada-param") {
            self.order(&format!("tanada-param seed {seed}"), supervisor)?;
        }
        Ok(())
    }

    /// Brings the engine to the start position, unless it shows that it is there.
    fn arrange(
        &mut self,
        arrangement: &Arrangement,
        supervisor: &Supervisor<'_>,
    ) -> Result<(), StartError> {
        let shown = &arrangement.shown;
        let shows = !shown.is_empty() && shown.iter().all(|(command, _)| self.knows(command));
        let mut is_there = shows;
        for (command, answer) in shown.iter().filter(|_| shows) {
            is_there &= says(&self.order(command, supervisor)?, answer);
        }
        if is_there {
            return Ok(());
        }
        let command = |line: &str| line.split(' ').next().unwrap_or_default().to_string();
        if let Some(first) = arrangement.lines.first().map(|line| command(line))
            && self.knows(&first)
        {
            for line in &arrangement.lines {
                self.order(line, supervisor)?;
            }
            return Ok(());
        }
        let why = match shows {
            true => "it shows another one, and lists no command to set it up",
            false if arrangement.is_default => return Ok(()),
            false => "it lists no command that shows it, and none to set it up",
        };
        Err(StartError::Position(self.spec.name.clone(), why))
    }

    /// The colour as commands name it.
    pub(super) fn token(&self, seat: Seat) -> char {
        self.variant.letter(seat).to_ascii_lowercase()
    }

    /// Tells the engine a move, or those of a turn.
    pub(super) fn play(
        &mut self,
        seat: Seat,
        vertex: &str,
        supervisor: &Supervisor<'_>,
    ) -> Result<Reply, Fault> {
        self.ping(&format!("play {} {vertex}", self.token(seat)), supervisor)
    }

    /// Asks for a move. `clock` is what the runner's clock shows; `allowed` how long the answer may
    /// take, if a time limits it; `patience` how long it is waited for.
    pub(super) fn think(
        &mut self,
        seat: Seat,
        clock: Option<(Duration, u32)>,
        allowed: Option<Duration>,
        patience: Duration,
        supervisor: &Supervisor<'_>,
    ) -> Result<Thought, Silence> {
        if let Some((left, stones)) = clock.filter(|_| self.knows("time_left")) {
            let line = format!(
                "time_left {} {} {stones}",
                self.token(seat),
                left.as_secs_f64()
            );
            self.ping(&line, supervisor).map_err(Silence::Fault)?;
        }
        let wait = Wait {
            engine: &self.spec.name,
            allowed: allowed.unwrap_or_default(),
            deadline: Instant::now().checked_add(patience),
            supervisor,
        };
        let line = format!("genmove {}", self.token(seat));
        let reply = self.channel.ask(&line, &wait).map_err(Silence::Fault)?;
        if !reply.is_ok {
            return Err(Silence::Refused(shorten(&reply.text, 120)));
        }
        let mut thought = Thought {
            answer: reply.text,
            elapsed: reply.elapsed,
            value: None,
            visits: None,
        };
        // Beyond the clock, and only where it is understood.
        if let Some(told) = self.ask_beside("tanada-last_search", supervisor) {
            let words: Vec<&str> = told.split_whitespace().collect();
            let after = |key: &str| {
                let at = words.iter().position(|word| *word == key)?;
                words.get(at + 1).copied()
            };
            thought.value = after("value").and_then(|v| v.parse().ok());
            thought.visits = after("visits").and_then(|v| v.parse().ok());
        }
        Ok(thought)
    }

    /// What the engine says of a finished game, where it says anything.
    pub(super) fn final_score(&mut self, supervisor: &Supervisor<'_>) -> Option<String> {
        self.ask_beside("final_score", supervisor)
    }

    /// Asks what the game does not depend on.
    fn ask_beside(&mut self, line: &str, supervisor: &Supervisor<'_>) -> Option<String> {
        let reply = self.knows(line).then(|| self.ping(line, supervisor))?;
        self.is_lost |= reply.is_err();
        reply
            .ok()
            .filter(|reply| reply.is_ok)
            .map(|reply| reply.text)
    }

    /// Whether an answer was given up, so that nobody knows what the next one answers.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }
}

/// Whether an engine's answer is the expected one, whatever blanks are between; a letter may
/// stand for its word.
fn says(told: &str, expected: &str) -> bool {
    let dense = |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let (told, expected) = (dense(told), dense(expected));
    // Letters of a board may tell the colours by their case; a word alone does not.
    let is_word = expected.chars().all(char::is_alphabetic) && expected.len() < 10;
    let same = told.len() == expected.len() || told.len() == 1;
    let begins = expected.get(..told.len());
    told == expected || is_word && same && begins.is_some_and(|b| b.eq_ignore_ascii_case(&told))
}

/// A fault in words.
pub(super) fn describe(fault: &Fault) -> String {
    match fault {
        Fault::Crash(how) => format!("the process {how}"),
        Fault::Disconnected => "it closed its output".to_string(),
        Fault::Timeout => "nothing came in time".to_string(),
        Fault::Deaf => "it does not read its input".to_string(),
        Fault::Unasked(text) => format!("it wrote `{text}` before it was asked"),
        Fault::Garbage(text) => format!("it wrote `{text}`"),
        Fault::Interrupted => "the match was stopped".to_string(),
    }
}
