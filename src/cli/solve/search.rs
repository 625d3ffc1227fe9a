//! Walks with the solver through positions: results of moves, a line, the winner's strategy.

use std::cell::RefCell;
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::solver::{ProgressCallback, SolverLimits, SolverProgress, Stopped};
use crate::util::break_if;
use crate::variant::{
    CertificateWriter, ExactSolver, LimitedSolver, MoveCode, SolverStrategy, Verdict, winning_move,
};
use indicatif::ProgressBar;

use super::Failure;
use super::answer::{Valued, Written};
use crate::cli::file::Output;
use crate::cli::{note, shorten};

/// The solver at a position, with its limits.
pub(super) struct Search<'a> {
    pub(super) engine: &'a Engine,
    pub(super) exact: Box<dyn ExactSolver>,
    pub(super) limits: SolverLimits,
    pub(super) bar: ProgressBar,
    pub(super) checkpoint: Saving<'a>,
    /// Called about twenty times a second.
    pub(super) is_stopped: &'a dyn Fn() -> bool,
}

/// Reports a checkpoint that cannot be written while the search goes on.
pub(super) struct Saving<'a> {
    path: &'a str,
    reported: RefCell<Option<String>>,
}

impl<'a> Saving<'a> {
    pub(super) fn new(path: Option<&'a String>) -> Self {
        Self {
            path: path.map_or("", String::as_str),
            reported: RefCell::default(),
        }
    }

    /// The message for an attempt, if it needs one: each reason of failure once, and the first success
    /// after it.
    fn message(&self, saved: &io::Result<()>) -> Option<String> {
        let why = saved.as_ref().err().map(ToString::to_string);
        let before = self.reported.replace(why.clone());
        let path = shorten(self.path);
        match (why, before) {
            (why, before) if why == before => None,
            (Some(why), _) => Some(format!(
                "tanada: cannot write `{path}`: {why}; the search continues and tries again"
            )),
            (None, _) => Some(format!("tanada: `{path}` can be written again")),
        }
    }
}

impl Search<'_> {
    pub(super) fn solve(&mut self) -> Result<Verdict, Stopped> {
        self.solve_within(None)
    }

    /// The plies until the end, if the game supports that.
    pub(super) fn length(&mut self) -> Result<Option<u32>, Stopped> {
        let limits = self.left();
        self.watched(|exact, watch| exact.length(&limits, watch))
    }

    fn left(&self) -> SolverLimits {
        self.limits.after(self.exact.nodes())
    }

    /// Runs the solver with the progress bar, and stops it after a signal.
    fn watched<T>(
        &mut self,
        work: impl FnOnce(&mut dyn ExactSolver, &mut ProgressCallback<'_>) -> T,
    ) -> T {
        let before = self.exact.nodes();
        let begin = Instant::now();
        let (bar, is_stopped, checkpoint) = (&self.bar, self.is_stopped, &self.checkpoint);
        work(&mut *self.exact, &mut |progress| {
            if let Some(text) = progress.saved.and_then(|saved| checkpoint.message(saved)) {
                bar.suspend(|| note(&text));
            }
            show(bar, before, begin.elapsed(), progress);
            break_if(is_stopped())
        })
    }

    pub(super) fn word(&self, outcome: Outcome) -> &'static str {
        match outcome {
            Outcome::Winner(seat) => self.engine.variant().colour(seat),
            Outcome::Draw => "draw",
        }
    }

    pub(super) fn moves(&mut self) -> Vec<Valued> {
        let values = self.values();
        let valued = values.into_iter().map(|(code, outcome, _)| Valued {
            vertex: self.engine.name(code),
            winner: outcome.map(|outcome| self.word(outcome)),
        });
        valued.collect()
    }

    /// The result of each move, and the effort that it took.
    fn values(&mut self) -> Vec<(MoveCode, Option<Outcome>, u32)> {
        let mut values = Vec::new();
        for code in self.exact.legal() {
            if self.exact.play(code).is_ok() {
                let outcome = self.solve().ok().and_then(|verdict| verdict.outcome);
                let effort = self.exact.effort().unwrap_or(0);
                values.push((code, outcome, effort));
                self.exact.undo();
            }
        }
        values
    }

    /// A line with this result: the winner plays a winning move, the other side the move that took
    /// the most effort to answer. It ends when time runs out.
    pub(super) fn line(&mut self, result: Outcome) -> Vec<MoveCode> {
        self.walked(|search, _| {
            let is_won = result == Outcome::Winner(search.exact.to_move());
            match search.exact.keeps(result) {
                Some(code) => Some(code),
                None if is_won => winning_move(search),
                None => search.resisting_move(result),
            }
        })
    }

    /// The line of a position that lasts `length` plies if both sides play their best. It ends when
    /// time runs out.
    pub(super) fn line_of_length(&mut self, length: u32) -> Vec<MoveCode> {
        self.walked(|search, played| {
            let limits = search.left();
            let plies = length.saturating_sub(played);
            let code = search.watched(|exact, watch| exact.lasting(plies, &limits, watch));
            code.ok().flatten()
        })
    }

    /// The moves that `next` returns after each number of plies, until the game is over or `None`.
    fn walked(
        &mut self,
        mut next: impl FnMut(&mut Self, u32) -> Option<MoveCode>,
    ) -> Vec<MoveCode> {
        let mut line = Vec::new();
        while self.exact.over().is_none()
            && let Some(code) = next(self, line.len() as u32)
            && self.exact.play(code).is_ok()
        {
            line.push(code);
        }
        for _ in &line {
            self.exact.undo();
        }
        line
    }

    /// The move of a lost or drawn position that took the most effort to answer.
    fn resisting_move(&mut self, result: Outcome) -> Option<MoveCode> {
        let values = self.values().into_iter().rev();
        let fitting = values.filter(|&(_, outcome, _)| outcome == Some(result));
        // Reversed, because `max_by_key` returns the last of equal items.
        fitting
            .max_by_key(|&(.., effort)| effort)
            .map(|(code, ..)| code)
    }

    pub(super) fn certify(
        &mut self,
        output: &Output<'_>,
        writer: &dyn CertificateWriter,
        winner: Seat,
        ending_limit: Option<u64>,
    ) -> Result<Written, Failure> {
        self.bar.reset();
        // The limits do not hold for the certificate.
        self.limits = SolverLimits::default();
        let mut strategy = SolverStrategy::new(self);
        let written = output.replace_with(|file| {
            let written = writer.write(winner, &mut strategy, ending_limit, file);
            Ok(written?)
        });
        let written = written.map_err(Failure::Other)?;
        Ok(Written {
            positions: written.positions,
            endings: written.endings,
            plies: written.plies,
            bytes: written.bytes,
        })
    }
}

impl LimitedSolver for Search<'_> {
    fn exact(&mut self) -> &mut dyn ExactSolver {
        &mut *self.exact
    }

    fn solve_within(&mut self, nodes: Option<u64>) -> Result<Verdict, Stopped> {
        let left = self.left();
        let least = left.nodes.into_iter().chain(nodes).min();
        let limits = SolverLimits {
            nodes: least,
            ..left
        };
        self.watched(|exact, watch| exact.solve(&limits, watch))
    }

    fn on_question(&mut self, asked: u64) -> ControlFlow<()> {
        if asked.is_multiple_of(1024) {
            self.bar.set_position(asked);
            self.bar.set_message("positions of the certificate");
        }
        break_if((self.is_stopped)())
    }
}

/// Shows nodes, speed, how full the table is, and a guess of the time left.
fn show(bar: &ProgressBar, before: u64, elapsed: Duration, progress: &SolverProgress<'_>) {
    let seconds = elapsed.as_secs_f64().max(1e-3);
    let left = match progress.done {
        done if done > 0.01 => {
            let left = Duration::from_secs_f64((seconds / done - seconds).clamp(0.0, 1e9));
            let left = Duration::from_secs(left.as_secs());
            format!(", about {} left", humantime::format_duration(left))
        }
        _ => String::new(),
    };
    bar.set_position(before + progress.nodes);
    bar.set_message(format!(
        "{:.2} M/s, table {:.0} of {:.0} MiB, tree {:.1} %{left}",
        progress.nodes as f64 / seconds / 1e6,
        progress.table.fill() * progress.table.bytes() as f64 / f64::from(1 << 20),
        progress.table.bytes() as f64 / f64::from(1 << 20),
        100.0 * progress.done,
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_checkpoint_is_told_once_for_each_reason() {
        let path = "known".to_string();
        let saving = Saving::new(Some(&path));
        let fails = |why: &str| Err(io::Error::other(why.to_string()));
        assert_eq!(saving.message(&Ok(())), None);
        let first = saving.message(&fails("full")).unwrap();
        assert!(first.contains("cannot write `known`: full"), "{first}");
        assert_eq!(saving.message(&fails("full")), None);
        assert!(saving.message(&fails("gone")).unwrap().contains("gone"));
        let again = saving.message(&Ok(())).unwrap();
        assert!(again.contains("can be written again"), "{again}");
        assert_eq!(saving.message(&Ok(())), None);
    }
}
