//! How the runner talks to an engine: a line out, an answer in.

use std::fmt;
use std::time::{Duration, Instant};

use crate::gtp::{Control, Session, Signal};
use crate::util::quote::shorten;

/// How long an engine may be silent, beyond what it is allowed, before somebody is told.
const LONG_WAIT: Duration = Duration::from_secs(5);

/// Who runs the engines.
#[derive(Clone, Copy)]
pub(super) struct Supervisor<'a> {
    /// Whether to stop; asked all the time.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    /// Told of a long wait, once for each.
    pub(super) waiting: &'a (dyn Fn(&LongWait<'_>) + Sync),
}

/// An engine that does not answer.
#[derive(Clone, Copy, Debug)]
pub struct LongWait<'a> {
    /// The engine's name.
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

/// What a wait is bounded by, and who hears of it.
pub(super) struct Wait<'a> {
    /// Whose answer is waited for.
    pub(super) engine: &'a str,
    /// How long the answer may well take.
    pub(super) allowed: Duration,
    /// When to give up; none: never.
    pub(super) deadline: Option<Instant>,
    pub(super) supervisor: &'a Supervisor<'a>,
}

impl Wait<'_> {
    /// Whether to stop.
    pub(super) fn is_stopped(&self) -> bool {
        (self.supervisor.stop)()
    }

    /// Tells the supervisor of a wait that has become long, if it was not `told` yet.
    pub(super) fn tell(&self, line: &str, sent: Instant, told: &mut bool) {
        let elapsed = sent.elapsed();
        if !*told && elapsed >= self.allowed.saturating_add(LONG_WAIT) {
            *told = true;
            (self.supervisor.waiting)(&LongWait {
                engine: self.engine,
                line,
                elapsed,
            });
        }
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    /// `=`, not `?`.
    pub(super) is_ok: bool,
    /// What follows, without blanks around it.
    pub(super) text: String,
    /// From the line sent to the answer's end.
    pub(super) elapsed: Duration,
}

/// No answer, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process ended; how.
    Crash(String),
    /// The output was closed, the process runs on.
    Disconnected,
    /// The deadline passed.
    Timeout,
    /// The engine leaves its input unread.
    Deaf,
    /// An answer that came before its question.
    Unasked(String),
    /// Something that is no answer.
    Garbage(String),
    /// The match was stopped.
    Interrupted,
}

/// A line to an engine.
pub(super) trait Channel: Send {
    /// Sends a line and waits for its answer.
    fn ask(&mut self, line: &str, wait: &Wait<'_>) -> Result<Reply, Fault>;

    /// The last lines that the engine wrote to its standard error.
    fn stderr_tail(&self) -> Vec<String>;
}

/// This build speaks the protocol to itself, without a process.
impl Channel for Session {
    fn ask(&mut self, line: &str, wait: &Wait<'_>) -> Result<Reply, Fault> {
        let received = Instant::now();
        let late = || {
            wait.deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
        };
        let signal = || match wait.is_stopped() || late() {
            true => Signal::Abandon,
            false => Signal::GoOn,
        };
        let control = Control::new(received, &signal);
        let response = self.execute(line.as_bytes(), &control);
        if response.abandoned {
            return Err(match wait.is_stopped() {
                true => Fault::Interrupted,
                false => Fault::Timeout,
            });
        }
        let text = response.text.unwrap_or_default();
        Ok(Reply {
            is_ok: text.starts_with('='),
            text: text.get(1..).unwrap_or_default().trim().to_string(),
            elapsed: received.elapsed(),
        })
    }

    fn stderr_tail(&self) -> Vec<String> {
        Vec::new()
    }
}
