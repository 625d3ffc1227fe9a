//! Jobs: positions of the frontier that are solved elsewhere.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::mpsc::Sender;
use std::time::Instant;

use thiserror::Error;

use super::tree::{Hypothesis, Plan};
use crate::game::Seat;

/// A position to be solved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Job {
    /// From 1; no other job of the run has it.
    pub(crate) number: u64,
    /// As a line.
    pub(crate) position: String,
    /// Give up after so many nodes.
    pub(crate) nodes: u64,
    /// What it is worth to solve it soon: 1 for the first hypothesis of the plan, 1/2 for the second.
    pub(crate) worth: f64,
}

/// What the run wants of whoever solves its jobs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Order {
    Solve(Job),
    /// The result of the job with this number is not needed any more.
    Cancel(u64),
}

/// What the run hears.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Report {
    /// `None` if it took too many nodes.
    Solved {
        job: u64,
        winner: Option<Seat>,
        nodes: u64,
    },
    /// No result will come; the position is sent again.
    Lost { job: u64, why: String },
    /// At most so many jobs may be out at once.
    Most(usize),
    /// Nobody solves jobs any more.
    End,
}

pub(super) enum Event {
    Report(Report),
    /// A thread has changed what is known.
    Changed,
}

/// Where reports go.
pub(crate) struct Reports(pub(super) Sender<Event>);

impl Reports {
    /// After the end of the run this has no effect.
    pub(crate) fn send(&self, report: Report) {
        let _ = self.0.send(Event::Report(report));
    }
}

/// Whoever solves the jobs of a run.
pub(crate) trait Delegate {
    /// Sends reports from now on. No job is sent before [`Report::Most`].
    ///
    /// # Errors
    /// No thread can be started.
    fn listen(&mut self, reports: Reports) -> io::Result<()>;

    fn send(&mut self, order: &Order) -> io::Result<()>;
}

/// A job that was sent.
pub(super) struct Sent {
    pub(super) hypothesis: Hypothesis,
    pub(super) begin: Instant,
    pub(super) is_cancelled: bool,
}

#[derive(Debug, Error)]
#[error("unknown job `{0}`: expected the number of a job that was sent and has no result yet")]
pub(crate) struct UnknownJob(pub(super) u64);

/// The jobs that have no result yet.
#[derive(Default)]
pub(super) struct Jobs {
    /// How many may be out at once.
    pub(super) most: usize,
    last: u64,
    /// How many were sent, have no result, and were not cancelled.
    out: usize,
    /// Those that were cancelled too: their results count if they come.
    sent: HashMap<u64, Sent>,
}

impl Jobs {
    /// Whether there may be another one.
    pub(super) fn has_room(&self) -> bool {
        self.out < self.most
    }

    /// The number of a new job.
    pub(super) fn begin(&mut self, hypothesis: Hypothesis) -> u64 {
        self.last += 1;
        self.out += 1;
        let sent = Sent {
            hypothesis,
            begin: Instant::now(),
            is_cancelled: false,
        };
        self.sent.insert(self.last, sent);
        self.last
    }

    /// A job that has ended.
    pub(super) fn end(&mut self, number: u64) -> Option<Sent> {
        let sent = self.sent.remove(&number)?;
        self.out -= usize::from(!sent.is_cancelled);
        Some(sent)
    }

    /// Cancels those that the plan does not need any more. Returns their numbers and nodes.
    pub(super) fn cancel(&mut self, plan: &Plan) -> Vec<(u64, usize)> {
        let needed: HashSet<usize> = plan.hypotheses.iter().map(|h| h.node).collect();
        let mut cancelled = Vec::new();
        for (&number, sent) in &mut self.sent {
            if !sent.is_cancelled && !needed.contains(&sent.hypothesis.node) {
                sent.is_cancelled = true;
                cancelled.push((number, sent.hypothesis.node));
            }
        }
        self.out -= cancelled.len();
        cancelled.sort_unstable();
        cancelled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hypothesis(node: usize) -> Hypothesis {
        Hypothesis {
            node,
            won: true,
            nodes: 5000.0,
            chance: 0.5,
            is_given_up: false,
            depth: 0,
        }
    }

    #[test]
    fn what_the_plan_does_not_need_is_cancelled_once() {
        let mut jobs = Jobs {
            most: 3,
            ..Jobs::default()
        };
        let numbers = [4, 5, 6].map(|node| jobs.begin(hypothesis(node)));
        assert_eq!((numbers, jobs.has_room()), ([1, 2, 3], false));
        let plan = Plan {
            won: true,
            hypotheses: vec![hypothesis(5), hypothesis(9)],
        };
        assert_eq!(jobs.cancel(&plan), [(1, 4), (3, 6)]);
        assert_eq!(jobs.cancel(&plan), []);
        assert!(jobs.has_room());
        // Whatever is said about it is about a known job, once.
        assert!(jobs.end(1).is_some_and(|sent| sent.is_cancelled));
        assert!(jobs.end(2).is_some_and(|sent| !sent.is_cancelled));
        assert!(jobs.end(1).is_none() && jobs.end(7).is_none());
    }
}
