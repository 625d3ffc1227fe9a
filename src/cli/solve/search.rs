//! Follows the solver's position: values of moves, a line, the winner's strategy.

use std::cell::RefCell;
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::solver::{Progress, ProgressCallback, SolverLimits, Stopped};
use crate::variant::{CertificateWriter, Exact, MoveCode, Strategy, Verdict};
use indicatif::ProgressBar;

use super::Failure;
use super::answer::{Valued, Written};
use crate::cli::file::Output;
use crate::cli::{note, shorten};

/// Nodes to find out whether a move wins, where another one may be better to show.
const SOON: u64 = 2000;
/// All moves of a position get that if it took at most about 2 to this many nodes. On 5x5
/// `second-white` a certificate has 2,861,017 positions with 12, 2,488,599 with 15, 1,831,009
/// with 18, which is the quickest.
const SMALL: u32 = 18;

/// The solver's position, with what holds it back.
pub(super) struct Search<'a> {
    pub(super) engine: &'a Engine,
    pub(super) exact: Box<dyn Exact>,
    pub(super) limits: SolverLimits,
    pub(super) bar: ProgressBar,
    pub(super) checkpoint: Saving<'a>,
    /// Asked about twenty times a second.
    pub(super) is_stopped: &'a dyn Fn() -> bool,
}

/// Tells on standard error of a checkpoint that cannot be written while the search goes on.
pub(super) struct Saving<'a> {
    path: &'a str,
    /// Why the last one could not be written.
    told: RefCell<Option<String>>,
}

impl<'a> Saving<'a> {
    pub(super) fn new(path: Option<&'a String>) -> Self {
        Self {
            path: path.map_or("", String::as_str),
            told: RefCell::default(),
        }
    }

    /// What there is to tell of an attempt: a failure once for each reason, and the first success after
    /// one.
    fn hear(&self, saved: &io::Result<()>) -> Option<String> {
        let why = saved.as_ref().err().map(ToString::to_string);
        let before = self.told.replace(why.clone());
        let path = shorten(self.path);
        match (why, before) {
            (why, before) if why == before => None,
            (Some(why), _) => Some(format!(
                "tanada: cannot write `{path}`: {why}; the search goes on and tries again"
            )),
            (None, _) => Some(format!("tanada: `{path}` is written again")),
        }
    }
}

impl Search<'_> {
    /// The result of the position that it stands at.
    pub(super) fn solve(&mut self) -> Result<Verdict, Stopped> {
        let limits = self.left();
        self.solve_within(&limits)
    }

    fn solve_within(&mut self, limits: &SolverLimits) -> Result<Verdict, Stopped> {
        self.watched(|exact, watch| exact.solve(limits, watch))
    }

    /// The plies that the position lasts, if the game has such numbers.
    pub(super) fn length(&mut self) -> Result<Option<u32>, Stopped> {
        let limits = self.left();
        self.watched(|exact, watch| exact.length(&limits, watch))
    }

    /// The limits, without the nodes so far.
    fn left(&self) -> SolverLimits {
        self.limits.after(self.exact.nodes())
    }

    /// Has the solver work with the bar and what stops it.
    fn watched<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Exact, &mut ProgressCallback<'_>) -> T,
    ) -> T {
        let before = self.exact.nodes();
        let begin = Instant::now();
        let (bar, is_stopped, checkpoint) = (&self.bar, self.is_stopped, &self.checkpoint);
        work(&mut *self.exact, &mut |progress| {
            if let Some(text) = progress.saved.and_then(|saved| checkpoint.hear(saved)) {
                bar.suspend(|| note(&text));
            }
            show(bar, before, begin.elapsed(), progress);
            match is_stopped() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })
    }

    pub(super) fn word(&self, outcome: Outcome) -> &'static str {
        match outcome {
            Outcome::Winner(seat) => self.engine.variant().colour(seat),
            Outcome::Draw => "draw",
        }
    }

    /// What each move leads to.
    pub(super) fn moves(&mut self) -> Vec<Valued> {
        let values = self.values();
        let valued = values.into_iter().map(|(code, outcome, _)| Valued {
            vertex: self.engine.name(code),
            winner: outcome.map(|outcome| self.word(outcome)),
        });
        valued.collect()
    }

    /// What each move leads to, and how much work it was to know.
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

    /// A line with the given result: moves that keep it, and where all do, the one that it took
    /// the most to answer. It ends where time does.
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

    /// A line of a position that lasts so many plies, in which both sides play as well as they
    /// can. It ends where time does.
    pub(super) fn line_of_length(&mut self, length: u32) -> Vec<MoveCode> {
        self.walked(|search, played| {
            let limits = search.left();
            let plies = length.saturating_sub(played);
            let code = search.watched(|exact, watch| exact.lasting(plies, &limits, watch));
            code.ok().flatten()
        })
    }

    /// The moves that `next` names after so many plies, until the game is over or it names none.
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

    /// A winning move of the side to move. Of those that are known to win, and where little is
    /// left to search of those that soon are, it is the one that leaves the fewest replies: on
    /// 5x5 `corners` a certificate has 15,296 positions by that, 70,752 by the nodes that the
    /// replies took.
    fn winning_move(&mut self) -> Option<MoveCode> {
        let wins = Some(Outcome::Winner(self.exact.to_move()));
        if self.exact.known().is_none() {
            // Whatever comes of it, a move may be known to win.
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
        // What counting tells is not in the table, and small.
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

    /// Whether a move is still open after a short search; else it is considered.
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

    /// Takes the move that was just played for the best if it wins and leaves fewer replies.
    fn consider(&self, code: MoveCode, wins: bool, best: &mut Option<(usize, MoveCode)>) {
        if wins {
            let replies = self.exact.legal().len();
            if best.is_none_or(|(fewest, _)| replies < fewest) {
                *best = Some((replies, code));
            }
        }
    }

    /// The move of a lost or drawn position that keeps the result and took the most to answer.
    fn resisting_move(&mut self, result: Outcome) -> Option<MoveCode> {
        let mut best = None;
        for (code, outcome, effort) in self.values() {
            if outcome == Some(result) && best.is_none_or(|(most, _)| effort > most) {
                best = Some((effort, code));
            }
        }
        best.map(|(_, code)| code)
    }

    /// Writes the winner's strategy.
    pub(super) fn certify(
        &mut self,
        output: &Output<'_>,
        writer: &dyn CertificateWriter,
        winner: Seat,
    ) -> Result<Written, Failure> {
        self.bar.reset();
        // The limits were for the result.
        self.limits = SolverLimits::default();
        let mut strategy = SolverStrategy {
            search: self,
            at: Vec::new(),
            asked: 0,
        };
        let written = output.replace_with(|file| {
            writer
                .write(winner, &mut strategy, file)
                .map_err(Failure::Other)
        })?;
        Ok(Written {
            positions: written.positions,
            plies: written.plies,
            bytes: written.bytes,
        })
    }
}

/// Follows the writer of a certificate with the solver's position.
struct SolverStrategy<'a, 'b> {
    search: &'a mut Search<'b>,
    /// The moves that were played from the start.
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
        // Where all is known no search would look.
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

/// Nodes, their speed, how full the table is, and a guess of what is left.
fn show(bar: &ProgressBar, before: u64, elapsed: Duration, progress: &Progress<'_>) {
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
        assert_eq!(saving.hear(&Ok(())), None);
        let first = saving.hear(&fails("full")).unwrap();
        assert!(first.contains("cannot write `known`: full"), "{first}");
        assert_eq!(saving.hear(&fails("full")), None);
        assert!(saving.hear(&fails("gone")).unwrap().contains("gone"));
        let again = saving.hear(&Ok(())).unwrap();
        assert!(again.contains("written again"), "{again}");
        assert_eq!(saving.hear(&Ok(())), None);
    }
}
