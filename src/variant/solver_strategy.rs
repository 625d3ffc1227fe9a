//! The winner's strategy as a solver knows it.

use std::ops::ControlFlow;

use super::certificate::Strategy;
use super::exact::{ExactSolver, Verdict};
use super::move_code::MoveCode;
use crate::game::Outcome;
use crate::solver::Stopped;

/// Nodes to spend on whether another move wins too, and would be better to show.
const SOON: u64 = 2000;
/// They are spent in positions that took at most about 2 to this power nodes. On 5x5
/// `second-white` a certificate has 2,861,017 positions with 12, 2,488,599 with 15 and 1,831,009
/// with 18, which is also the fastest.
const SMALL: u32 = 18;

/// A solver at a position, with the limits of its searches.
pub(crate) trait LimitedSolver {
    fn exact(&mut self) -> &mut dyn ExactSolver;

    /// Searches the position, with at most so many nodes if that is less than the limits allow.
    ///
    /// # Errors
    /// A limit was reached.
    fn solve_within(&mut self, nodes: Option<u64>) -> Result<Verdict, Stopped>;

    /// Called for each question of the writer of a certificate, with their number so far.
    fn on_question(&mut self, asked: u64) -> ControlFlow<()>;
}

/// A winning move of the side to move: among the moves that are known to win, or are quickly
/// found to win, the one that leaves the fewest replies. On 5x5 `corners` this makes a
/// certificate of 15,296 positions; choosing by the nodes of the replies makes one of 70,752.
pub(crate) fn winning_move(search: &mut dyn LimitedSolver) -> Option<MoveCode> {
    let wins = Some(Outcome::Winner(search.exact().to_move()));
    if search.exact().known().is_none() {
        // Even a search that gives up may find that a move wins.
        let _ = search.solve_within(None);
    }
    let exact = search.exact();
    let mut best: Option<(usize, MoveCode)> = None;
    let mut open = Vec::new();
    for code in exact.legal() {
        exact.play(code).ok()?;
        match exact.known() {
            None => open.push(code),
            outcome => consider(exact, code, outcome == wins, &mut best),
        }
        exact.undo();
    }
    // Positions decided by counting are small, and not in the table.
    let is_small = exact.effort().is_none_or(|effort| effort <= SMALL);
    if is_small || best.is_none() {
        open.retain(|&code| is_open_soon(search, code, wins, &mut best));
    }
    if let Some((_, code)) = best {
        return Some(code);
    }
    for code in open {
        search.exact().play(code).ok()?;
        let outcome = search.solve_within(None);
        search.exact().undo();
        if outcome.ok()?.outcome == wins {
            return Some(code);
        }
    }
    None
}

/// Whether a move is still undecided after a short search; a decided one is considered.
fn is_open_soon(
    search: &mut dyn LimitedSolver,
    code: MoveCode,
    wins: Option<Outcome>,
    best: &mut Option<(usize, MoveCode)>,
) -> bool {
    if search.exact().play(code).is_err() {
        return false;
    }
    let found = search.solve_within(Some(SOON));
    if let Ok(verdict) = found {
        consider(search.exact(), code, verdict.outcome == wins, best);
    }
    search.exact().undo();
    found.is_err()
}

/// Makes the move that was just played the best if it wins and leaves fewer replies.
fn consider(
    exact: &dyn ExactSolver,
    code: MoveCode,
    wins: bool,
    best: &mut Option<(usize, MoveCode)>,
) {
    if wins {
        let replies = exact.legal().len();
        if best.is_none_or(|(fewest, _)| replies < fewest) {
            *best = Some((replies, code));
        }
    }
}

/// Answers the writer of a certificate with the solver's moves.
pub(crate) struct SolverStrategy<'a> {
    search: &'a mut dyn LimitedSolver,
    /// The moves from the start to the current position.
    at: Vec<MoveCode>,
    asked: u64,
}

impl<'a> SolverStrategy<'a> {
    pub(crate) fn new(search: &'a mut dyn LimitedSolver) -> Self {
        Self {
            search,
            at: Vec::new(),
            asked: 0,
        }
    }

    /// The solver after these moves from the start; `None` if they are illegal.
    pub(crate) fn follow(&mut self, line: &[MoveCode]) -> Option<&mut dyn LimitedSolver> {
        let same = self.at.iter().zip(line).take_while(|(a, b)| a == b).count();
        while self.at.len() > same {
            self.search.exact().undo();
            self.at.pop();
        }
        for &code in &line[same..] {
            self.search.exact().play(code).ok()?;
            self.at.push(code);
        }
        Some(self.search)
    }
}

impl Strategy for SolverStrategy<'_> {
    fn winning_move(&mut self, line: &[MoveCode]) -> Option<MoveCode> {
        self.asked += 1;
        // If all is known, no search checks for a signal.
        if self.search.on_question(self.asked).is_break() {
            return None;
        }
        winning_move(self.follow(line)?)
    }
}
