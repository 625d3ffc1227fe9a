//! Walks with the solver through positions: results of moves, a line, the winner's strategy.

use std::cell::RefCell;
use std::io;
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::solver::{ProgressCallback, SolverLimits, SolverProgress, Stopped};
use crate::util::break_if;
use crate::variant::{CertificateWriter, ExactSolver, MoveCode, Strategy, Verdict};
use indicatif::ProgressBar;

use super::Failure;
use super::answer::{Valued, Written};
use crate::cli::file::Output;
use crate::cli::{note, shorten};

/// Nodes to spend on whether another move wins too, and would be better to show.
const SOON: u64 = 2000;
/// They are spent in positions that took at most about 2 to this power nodes. On 5x5
/// `second-white` a certificate has 2,861,017 positions with 12, 2,488,599 with 15 and 1,831,009
/// with 18, which is also the fastest.
const SMALL: u32 = 18;

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
        let limits = self.left();
        self.solve_within(&limits)
    }

    fn solve_within(&mut self, limits: &SolverLimits) -> Result<Verdict, Stopped> {
        self.watched(|exact, watch| exact.solve(limits, watch))
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
                None if is_won => search.winning_move(),
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

    /// A winning move of the side to move: among the moves that are known to win, or are quickly
    /// found to win, the one that leaves the fewest replies. On 5x5 `corners` this makes a
    /// certificate of 15,296 positions; choosing by the nodes of the replies makes one of 70,752.
    fn winning_move(&mut self) -> Option<MoveCode> {
        let wins = Some(Outcome::Winner(self.exact.to_move()));
        if self.exact.known().is_none() {
            // Even a search that gives up may find that a move wins.
            let _ = self.solve();
        }
        let mut best: Option<(usize, MoveCode)> = None;
        let mut open = Vec::new();
        for code in self.exact.legal() {
            self.exact.play(code).ok()?;
            match self.exact.known() {
                None => open.push(code),
                outcome => self.consider(code, outcome == wins, &mut best),
            }
            self.exact.undo();
        }
        // Positions decided by counting are small, and not in the table.
        let is_small = self.exact.effort().is_none_or(|effort| effort <= SMALL);
        if is_small || best.is_none() {
            open.retain(|&code| self.is_open_soon(code, wins, &mut best));
        }
        if let Some((_, code)) = best {
            return Some(code);
        }
        for code in open {
            self.exact.play(code).ok()?;
            let outcome = self.solve();
            self.exact.undo();
            if outcome.ok()?.outcome == wins {
                return Some(code);
            }
        }
        None
    }

    /// Whether a move is still undecided after a short search; a decided one is considered.
    fn is_open_soon(
        &mut self,
        code: MoveCode,
        wins: Option<Outcome>,
        best: &mut Option<(usize, MoveCode)>,
    ) -> bool {
        let left = self.left();
        let soon = SolverLimits {
            nodes: Some(left.nodes.map_or(SOON, |nodes| nodes.min(SOON))),
            ..left
        };
        if self.exact.play(code).is_err() {
            return false;
        }
        let found = self.solve_within(&soon);
        if let Ok(verdict) = found {
            self.consider(code, verdict.outcome == wins, best);
        }
        self.exact.undo();
        found.is_err()
    }

    /// Makes the move that was just played the best if it wins and leaves fewer replies.
    fn consider(&self, code: MoveCode, wins: bool, best: &mut Option<(usize, MoveCode)>) {
        if wins {
            let replies = self.exact.legal().len();
            if best.is_none_or(|(fewest, _)| replies < fewest) {
                *best = Some((replies, code));
            }
        }
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
    ) -> Result<Written, Failure> {
        self.bar.reset();
        // The limits do not hold for the certificate.
        self.limits = SolverLimits::default();
        let mut strategy = SolverStrategy {
            search: self,
            at: Vec::new(),
            asked: 0,
        };
        let written = output.replace_with(|file| Ok(writer.write(winner, &mut strategy, file)?));
        let written = written.map_err(Failure::Other)?;
        Ok(Written {
            positions: written.positions,
            plies: written.plies,
            bytes: written.bytes,
        })
    }
}

/// Answers the writer of a certificate with the solver's moves.
struct SolverStrategy<'a, 'b> {
    search: &'a mut Search<'b>,
    /// The moves from the start to the current position.
    at: Vec<MoveCode>,
    asked: u64,
}

impl SolverStrategy<'_, '_> {
    fn follow(&mut self, line: &[MoveCode]) -> Option<()> {
        let same = self.at.iter().zip(line).take_while(|(a, b)| a == b).count();
        while self.at.len() > same {
            self.search.exact.undo();
            self.at.pop();
        }
        for &code in &line[same..] {
            self.search.exact.play(code).ok()?;
            self.at.push(code);
        }
        Some(())
    }
}

impl Strategy for SolverStrategy<'_, '_> {
    fn winning_move(&mut self, line: &[MoveCode]) -> Option<MoveCode> {
        // If all is known, no search checks for a signal.
        if (self.search.is_stopped)() {
            return None;
        }
        self.follow(line)?;
        self.asked += 1;
        if self.asked.is_multiple_of(1024) {
            self.search.bar.set_position(self.asked);
            self.search.bar.set_message("positions of the certificate");
        }
        self.search.winning_move()
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
