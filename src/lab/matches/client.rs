//! A running engine: what it understands, and the commands that the runner sends it.

use std::collections::BTreeSet;
use std::time::Duration;

use thiserror::Error;

use super::channel::{Channel, Fault, Reply, Supervisor, Wait};
use super::engine::{EngineError, EngineSpec};
use super::identity::{self, Identity};
use super::limit::Limit;
use super::process::Process;
use crate::clock::TimeControl;
use crate::game::Seat;
use crate::gtp::Session;
use crate::params::{self, Parameter};
use crate::start::Configuration;
use crate::util::quote::shorten;
use crate::variant::{Arrangement, Variant};

/// How long an engine may take for its first answer.
const START_LIMIT: Duration = Duration::from_secs(30);

/// How long it may take for a command that needs no search.
const PING_LIMIT: Duration = Duration::from_secs(60);

/// Why an engine cannot be started or used in the match.
#[derive(Debug, Error)]
pub enum EngineStartError {
    /// The program cannot be run, does not answer, refuses a command, or does not understand its
    /// limit or the start position.
    #[error("engine `{engine}` {problem}")]
    Unusable { engine: String, problem: String },
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("stopped")]
    Interrupted,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct GenmoveAnswer {
    /// A vertex, `pass`, `resign`, or anything else.
    pub(super) text: String,
    pub(super) elapsed: Duration,
    /// The winning chance of its side, 0 to 1, if it reports one.
    pub(super) value: Option<f64>,
    /// The visits of its move, if it reports them.
    pub(super) visits: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Error)]
pub(super) enum GenmoveError {
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The engine answered `?` and this text.
    #[error("{0}")]
    Refused(String),
}

pub(super) struct EngineClient {
    pub(super) spec: EngineSpec,
    pub(super) identity: Identity,
    variant: &'static dyn Variant,
    channel: Box<dyn Channel>,
    commands: BTreeSet<String>,
    /// The runner gave up on an answer, so the next one may belong to an earlier command.
    pub(super) is_out_of_step: bool,
}

impl EngineClient {
    /// Starts an engine and gives it its settings and its limit.
    pub(super) fn start(
        spec: &EngineSpec,
        configuration: &Configuration,
        supervisor: &Supervisor<'_>,
    ) -> Result<Self, EngineStartError> {
        let channel: Box<dyn Channel> = match &spec.program {
            Some(program) => Box::new(Process::spawn(program).map_err(|error| {
                let name = program.command.first().map_or("", String::as_str);
                let name = shorten(name, 80);
                unusable(spec, format!("cannot start `{name}`: {error}"))
            })?),
            None => {
                let weights = spec.read_weights(configuration.start())?;
                let wrong = |error| EngineError::setting(&spec.name, error);
                let params = spec.params().map_err(wrong)?;
                let configuration = configuration.clone();
                Box::new(Session::with_weights(configuration, params, weights))
            }
        };
        let mut client = Self {
            spec: spec.clone(),
            identity: Identity::default(),
            variant: configuration.variant(),
            channel,
            commands: BTreeSet::new(),
            is_out_of_step: false,
        };
        client.identity.name = client.command("name", supervisor)?;
        client.identity.version = client.command("version", supervisor)?;
        let commands = client.command("list_commands", supervisor)?;
        client.commands = commands.split_whitespace().map(str::to_string).collect();
        if spec.program.is_some() {
            for (key, value) in &spec.options {
                client.command(&format!("tanada-param {key} {value}"), supervisor)?;
            }
        }
        for line in &spec.send {
            client.command(line, supervisor)?;
        }
        client.limit(supervisor)?;
        client.identity.options = client.settings(supervisor)?;
        client.identity.fingerprint = identity::fingerprint(spec);
        Ok(client)
    }

    /// Sends the limits that hold for all games.
    fn limit(&mut self, supervisor: &Supervisor<'_>) -> Result<(), EngineStartError> {
        let (key, text) = self.spec.limit.parts();
        let refuse = |why| {
            let problem = format!("does not understand `{}`: {why}", self.spec.limit);
            Err(unusable(&self.spec, problem))
        };
        match self.spec.limit {
            Limit::Clock(_) | Limit::TimePerMove(_) if self.clock_line().is_none() => {
                refuse("it lists neither kata-time_settings nor an equivalent time_settings")
            }
            Limit::Clock(_) => Ok(()),
            Limit::Iterations(_) if !self.knows("tanada-param") => {
                refuse("it lists no tanada-param; give it a time limit")
            }
            Limit::TimePerMove(_) if !self.knows("tanada-param") => Ok(()),
            _ => {
                if let Limit::TimePerMove(_) = self.spec.limit {
                    self.lift_iterations(supervisor)?;
                }
                self.command(&format!("tanada-param {key} {text}"), supervisor)?;
                Ok(())
            }
        }
    }

    /// Removes the limit of iterations. Older versions of Tanada know `0` instead of `none`.
    fn lift_iterations(&mut self, supervisor: &Supervisor<'_>) -> Result<(), EngineStartError> {
        let lifted = self.ping("tanada-param iterations none", supervisor);
        if !lifted.is_ok_and(|reply| reply.is_ok) {
            self.command("tanada-param iterations 0", supervisor)?;
        }
        Ok(())
    }

    /// The command that sets the clock of a game; empty if none is needed, `None` if the engine has
    /// no command for its limit.
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
            // One period is the same as Canadian time with one stone.
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
    ) -> Result<Vec<(String, String)>, EngineStartError> {
        if !self.knows("tanada-param") {
            return Ok(Vec::new());
        }
        let text = self.command("tanada-param", supervisor)?;
        let pairs = text.lines().filter_map(|line| {
            // A line is `[string] seed 1`. The seed changes with every game.
            let mut words = line.split_whitespace().skip(1);
            let name = words.next()?;
            if params::find(name).is_ok_and(Parameter::is_seed) {
                return None;
            }
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
        let limit = if self.commands.is_empty() {
            START_LIMIT
        } else {
            PING_LIMIT
        };
        let wait = Wait::new(&self.spec.name, line, Duration::ZERO, limit, supervisor);
        self.channel.ask(&wait)
    }

    /// Sends a command that has to succeed, and returns its answer.
    fn command(
        &mut self,
        line: &str,
        supervisor: &Supervisor<'_>,
    ) -> Result<String, EngineStartError> {
        let quoted = shorten(line, 80);
        let problem = match self.ping(line, supervisor) {
            Ok(reply) if reply.is_ok => return Ok(reply.text),
            Ok(reply) => format!("refuses `{quoted}`: {}", shorten(&reply.text, 120)),
            Err(Fault::Interrupted) => return Err(EngineStartError::Interrupted),
            Err(fault) => {
                let stderr = self.stderr_tail();
                let wrote = stderr.last().map(|line| format!("; it wrote `{line}`"));
                let wrote = wrote.unwrap_or_default();
                format!("did not answer `{quoted}`: {fault}{wrote}")
            }
        };
        Err(unusable(&self.spec, problem))
    }

    /// Brings the engine to the start of a game with a full clock and its seed.
    pub(super) fn new_game(
        &mut self,
        configuration: &Configuration,
        seed: u64,
        supervisor: &Supervisor<'_>,
    ) -> Result<(), EngineStartError> {
        self.command(&format!("boardsize {}", configuration.side()), supervisor)?;
        self.command("clear_board", supervisor)?;
        self.set_up(&configuration.start().arrangement(), supervisor)?;
        if let Some(line) = self.clock_line().filter(|line| !line.is_empty()) {
            self.command(&line, supervisor)?;
        }
        if self.knows("tanada-param") {
            self.command(&format!("tanada-param seed {seed}"), supervisor)?;
        }
        Ok(())
    }

    /// Sets up the start position, unless the engine shows that it has it.
    fn set_up(
        &mut self,
        arrangement: &Arrangement,
        supervisor: &Supervisor<'_>,
    ) -> Result<(), EngineStartError> {
        let shown = &arrangement.shown;
        let shows = !shown.is_empty() && shown.iter().all(|(command, _)| self.knows(command));
        let mut is_there = shows;
        for (command, answer) in shown.iter().filter(|_| shows) {
            is_there &= says(&self.command(command, supervisor)?, answer);
        }
        if is_there {
            return Ok(());
        }
        let first = arrangement.lines.first();
        let first = first.and_then(|line| line.split(' ').next());
        if first.is_some_and(|command| self.knows(command)) {
            for line in &arrangement.lines {
                self.command(line, supervisor)?;
            }
            return Ok(());
        }
        let why = if shows {
            "it shows another one and lists no command to set it up"
        } else if arrangement.is_default {
            return Ok(());
        } else {
            "it lists no command to show it or to set it up"
        };
        let problem = format!("cannot be given the start position: {why}");
        Err(unusable(&self.spec, problem))
    }

    /// The letter of a colour in commands.
    pub(super) fn token(&self, seat: Seat) -> char {
        self.variant.letter(seat).to_ascii_lowercase()
    }

    /// Tells the engine a move, or the moves of a turn.
    pub(super) fn play(
        &mut self,
        seat: Seat,
        vertex: &str,
        supervisor: &Supervisor<'_>,
    ) -> Result<Reply, Fault> {
        self.ping(&format!("play {} {vertex}", self.token(seat)), supervisor)
    }

    /// Asks for a move. `clock` is the time left and the stones of a period; `allowed` is how long
    /// the answer may take, if a time limits it; `patience` is how long the runner waits.
    pub(super) fn genmove(
        &mut self,
        seat: Seat,
        clock: Option<(Duration, u32)>,
        allowed: Option<Duration>,
        patience: Duration,
        supervisor: &Supervisor<'_>,
    ) -> Result<GenmoveAnswer, GenmoveError> {
        if let Some((left, stones)) = clock.filter(|_| self.knows("time_left")) {
            let (token, left) = (self.token(seat), left.as_secs_f64());
            self.ping(&format!("time_left {token} {left} {stones}"), supervisor)?;
        }
        let line = format!("genmove {}", self.token(seat));
        let (name, allowed) = (&self.spec.name, allowed.unwrap_or_default());
        let wait = Wait::new(name, &line, allowed, patience, supervisor);
        let reply = self.channel.ask(&wait)?;
        if !reply.is_ok {
            return Err(GenmoveError::Refused(shorten(&reply.text, 120)));
        }
        let mut answer = GenmoveAnswer {
            text: reply.text,
            elapsed: reply.elapsed,
            value: None,
            visits: None,
        };
        // The clock does not run for this.
        if let Some(told) = self.query("tanada-last_search", supervisor) {
            let words: Vec<&str> = told.split_whitespace().collect();
            let after = |key: &str| {
                let at = words.iter().position(|word| *word == key)?;
                words.get(at + 1).copied()
            };
            answer.value = after("value").and_then(|v| v.parse().ok());
            answer.visits = after("visits").and_then(|v| v.parse().ok());
        }
        Ok(answer)
    }

    /// Asks a question that the game does not depend on, if the engine knows it.
    pub(super) fn query(&mut self, line: &str, supervisor: &Supervisor<'_>) -> Option<String> {
        let reply = self.knows(line).then(|| self.ping(line, supervisor))?;
        self.is_out_of_step |= reply.is_err();
        reply.ok().filter(|r| r.is_ok).map(|r| r.text)
    }
}

fn unusable(spec: &EngineSpec, problem: String) -> EngineStartError {
    EngineStartError::Unusable {
        engine: spec.name.clone(),
        problem,
    }
}

/// Whether an engine's answer is the expected one, apart from blanks; a letter may stand for its
/// word.
fn says(told: &str, expected: &str) -> bool {
    let dense = |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let (told, expected) = (dense(told), dense(expected));
    // Case may distinguish the colours of a board, but not a single word.
    let is_word = expected.chars().all(char::is_alphabetic) && expected.len() < 10;
    let same = told.len() == expected.len() || told.len() == 1;
    let begins = expected.get(..told.len());
    told == expected || is_word && same && begins.is_some_and(|b| b.eq_ignore_ascii_case(&told))
}
