//! How the runner talks to an engine: a line out, an answer in.

use std::time::{Duration, Instant};

use crate::gtp::{Control, Session, Signal};

/// What a wait is bounded by.
pub(super) struct Wait<'a> {
    /// When to give up; none: never.
    pub(super) deadline: Option<Instant>,
    /// Whether the match was stopped; asked all the time.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
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
        let signal = || match (wait.stop)() || late() {
            true => Signal::Abandon,
            false => Signal::GoOn,
        };
        let control = Control::new(received, &signal);
        let response = self.execute(line.as_bytes(), &control);
        if response.abandoned {
            return Err(match (wait.stop)() {
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
