//! How the runner talks to an engine: a command out, an answer in.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::gtp::{Control, Session, Signal};
use crate::util::quote::shorten;

/// How long an engine may overrun its time before the observer is told.
const LONG_WAIT: Duration = Duration::from_secs(5);

/// The side that runs the engines.
#[derive(Clone, Copy)]
pub(super) struct Supervisor<'a> {
    /// Whether to stop; polled during every wait.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    /// Called once for every long wait.
    pub(super) waiting: &'a (dyn Fn(&LongWait<'_>) + Sync),
}

/// An engine that does not answer.
#[derive(Clone, Copy, Debug)]
pub struct LongWait<'a> {
    pub engine: &'a str,
    /// What it was sent.
    pub line: &'a str,
    /// How long ago.
    pub elapsed: Duration,
}

impl fmt::Display for LongWait<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "waiting for {}: it has not answered `{}` for {} s",
            shorten(self.engine, 60),
            shorten(self.line, 80),
            self.elapsed.as_secs()
        )
    }
}

/// A command and the wait for its answer.
pub(super) struct Wait<'a> {
    engine: &'a str,
    pub(super) line: &'a str,
    pub(super) sent: Instant,
    /// The time that the answer may take without being a long wait.
    allowed: Duration,
    /// When to give up, if ever.
    pub(super) deadline: Option<Instant>,
    supervisor: &'a Supervisor<'a>,
    /// Whether it was reported as long.
    is_told: AtomicBool,
}

impl<'a> Wait<'a> {
    /// A wait that begins now and is given up after `patience`.
    pub(super) fn new(
        engine: &'a str,
        line: &'a str,
        allowed: Duration,
        patience: Duration,
        supervisor: &'a Supervisor<'a>,
    ) -> Self {
        let sent = Instant::now();
        Self {
            engine,
            line,
            sent,
            allowed,
            deadline: sent.checked_add(patience),
            supervisor,
            is_told: AtomicBool::new(false),
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        (self.supervisor.stop)()
    }

    /// Reports a wait that has become long, once.
    pub(super) fn tell(&self) {
        let elapsed = self.sent.elapsed();
        if elapsed >= self.allowed.saturating_add(LONG_WAIT) && !self.is_told.swap(true, Relaxed) {
            (self.supervisor.waiting)(&LongWait {
                engine: self.engine,
                line: self.line,
                elapsed,
            });
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    /// `=`, not `?`.
    pub(super) is_ok: bool,
    /// The text after that, trimmed.
    pub(super) text: String,
    /// From sending the command to the end of the answer.
    pub(super) elapsed: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum Fault {
    #[error("the process {0}")]
    Crash(String),
    /// The process runs on with its output closed.
    #[error("it closed its output")]
    Disconnected,
    #[error("nothing came in time")]
    Timeout,
    #[error("it does not read its input")]
    Deaf,
    #[error("it wrote `{0}` before it was asked")]
    Unasked(String),
    #[error("it wrote `{0}`")]
    Garbage(String),
    #[error("the match was stopped")]
    Interrupted,
}

/// A connection to an engine.
pub(super) trait Channel: Send {
    /// Sends a command and waits for its answer.
    fn ask(&mut self, wait: &Wait<'_>) -> Result<Reply, Fault>;

    /// The last lines that the engine wrote to its standard error.
    fn stderr_tail(&self) -> Vec<String> {
        Vec::new()
    }
}

/// This build, without a process.
impl Channel for Session {
    fn ask(&mut self, wait: &Wait<'_>) -> Result<Reply, Fault> {
        let is_late = || wait.deadline.is_some_and(|end| Instant::now() >= end);
        let signal = || {
            if wait.is_stopped() || is_late() {
                Signal::Abandon
            } else {
                Signal::GoOn
            }
        };
        let control = Control::new(wait.sent, &signal);
        let response = self.execute(wait.line.as_bytes(), &control);
        if response.abandoned {
            return Err(if wait.is_stopped() {
                Fault::Interrupted
            } else {
                Fault::Timeout
            });
        }
        let text = response.text.unwrap_or_default();
        Ok(Reply {
            is_ok: text.starts_with('='),
            text: text.get(1..).unwrap_or_default().trim().to_string(),
            elapsed: wait.sent.elapsed(),
        })
    }
}
