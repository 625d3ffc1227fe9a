//! How many plies a game lasts when the winner hurries and the loser resists: asks whether the
//! attacker wins within 1, 2, 3, ... plies, then bisects.

use std::time::Instant;

use super::mask::Mask;
use super::roots::Roots;
use super::win_in_n::Question;
use crate::solver::{ProgressCallback, Solvable, Solver, SolverLimits, SolverProgress, Stopped};

/// The step doubles when a question took more than one in this many of all nodes so
/// far. A question with too many plies takes about as long as the one with the right number.
const DOUBLING_SHARE: u64 = 8;

/// Asks a solver how long games last.
pub(super) struct LengthSearch<'a, 'w> {
    solver: &'a mut Solver,
    limits: SolverLimits,
    /// The nodes of the solver at the start.
    nodes_before: u64,
    on_progress: &'a mut ProgressCallback<'w>,
}

impl<'a, 'w> LengthSearch<'a, 'w> {
    /// The limits hold for all its questions together.
    pub(super) fn new(
        solver: &'a mut Solver,
        limits: &SolverLimits,
        on_progress: &'a mut ProgressCallback<'w>,
    ) -> Self {
        Self {
            nodes_before: solver.nodes(),
            solver,
            limits: *limits,
            on_progress,
        }
    }

    /// The plies that a position lasts that the attacker wins.
    pub(super) fn length<M: Mask, const N: usize>(
        &mut self,
        position: &Roots<M, N>,
        attacker_to_move: bool,
    ) -> Result<u32, Stopped> {
        let (mut too_few, mut enough) = (0, None);
        let mut step = 1;
        loop {
            let plies = match enough {
                Some(enough) if enough == too_few + 1 => return Ok(enough),
                Some(enough) => too_few + (enough - too_few) / 2,
                None => too_few + step,
            };
            let before = self.solver.nodes();
            if self.attacker_wins(position, plies, attacker_to_move)? {
                enough = Some(plies);
                continue;
            }
            too_few = plies;
            let nodes = self.solver.nodes();
            if (nodes - before).saturating_mul(DOUBLING_SHARE) > nodes {
                step *= 2;
            }
        }
    }

    /// A move after which a position that lasts `plies` lasts one fewer.
    pub(super) fn best_move<M: Mask, const N: usize>(
        &mut self,
        position: &Roots<M, N>,
        plies: u32,
        attacker_to_move: bool,
    ) -> Result<Option<M>, Stopped> {
        let mut unknown = Vec::new();
        for point in position.legal().points() {
            let next = match position.play(point) {
                Err(won) if won == attacker_to_move && plies == 1 => return Ok(Some(point)),
                Err(_) => continue,
                Ok(_) if plies < 2 => continue,
                Ok(next) => next,
            };
            // The attacker must still win in time, the defender must last that long.
            let left_plies = if attacker_to_move {
                plies - 1
            } else {
                plies - 2
            };
            match Question::new(&next, left_plies, !attacker_to_move).known(self.solver.table()) {
                Some(answer) if answer == attacker_to_move => return Ok(Some(point)),
                Some(_) => {}
                None => unknown.push((point, next, left_plies)),
            }
        }
        for (point, next, left_plies) in unknown {
            if self.attacker_wins(&next, left_plies, !attacker_to_move)? == attacker_to_move {
                return Ok(Some(point));
            }
        }
        Ok(None)
    }

    /// Whether the attacker wins within this many plies.
    fn attacker_wins<M: Mask, const N: usize>(
        &mut self,
        position: &Roots<M, N>,
        plies: u32,
        attacker_to_move: bool,
    ) -> Result<bool, Stopped> {
        let question = Question::new(position, plies, attacker_to_move);
        if let Some(answer) = question.known(self.solver.table()) {
            return Ok(answer);
        }
        let won = match &question {
            Question::Answered(answer) => return Ok(*answer),
            Question::OneRoot(asked) => self.search(asked),
            Question::Roots(asked) => self.search(asked),
        }?;
        Ok(won == attacker_to_move)
    }

    /// Whether the side to move wins, within what is left of the limits.
    fn search<P: Solvable>(&mut self, position: &P) -> Result<bool, Stopped> {
        let so_far = self.solver.nodes() - self.nodes_before;
        let limits = self.limits.after(so_far);
        // A small search ends before it looks at the limits.
        let is_late = |deadline| Instant::now() >= deadline;
        if limits.nodes == Some(0) || limits.deadline.is_some_and(is_late) {
            return Err(Stopped);
        }
        let on_progress = &mut self.on_progress;
        let on_progress = &mut |progress: &SolverProgress<'_>| {
            on_progress(&SolverProgress {
                nodes: so_far + progress.nodes,
                // The number of questions is unknown.
                done: 0.0,
                ..*progress
            })
        };
        self.solver.solve(position, &limits, on_progress)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::naive::{STRIDE, set_of};
    use super::super::roots::BoardGeometry;
    use super::*;

    const NO_LIMITS: SolverLimits = SolverLimits {
        deadline: None,
        nodes: None,
    };

    /// Each side has two opposite corners.
    fn corners(side: u32) -> Roots<u64, 2> {
        let (points, last) = (set_of(|&(row, column)| row.max(column) < side), side - 1);
        let board = BoardGeometry {
            side,
            stride: STRIDE,
            points,
        };
        let pair = |a, b| set_of(|&place| place == a || place == b);
        let own = pair((0, 0), (last, last));
        let other = pair((0, last), (last, 0));
        Roots::new(own, other, board).unwrap()
    }

    /// A solver that knows the result of a position, and that result.
    fn solved(position: &Roots<u64, 2>) -> (Solver, bool) {
        let mut solver = Solver::new(1 << 22, 1);
        let go_on = &mut |_: &SolverProgress<'_>| ControlFlow::Continue(());
        let won = solver.solve(position, &NO_LIMITS, go_on).unwrap();
        (solver, won)
    }

    #[test]
    fn nothing_is_searched_without_nodes_or_time() {
        let no_nodes = SolverLimits {
            nodes: Some(0),
            ..NO_LIMITS
        };
        let late = SolverLimits {
            deadline: Some(Instant::now()),
            ..NO_LIMITS
        };
        for limits in [no_nodes, late] {
            let mut solver = Solver::new(0, 1);
            let on_progress = &mut |_: &SolverProgress<'_>| ControlFlow::Continue(());
            let mut search = LengthSearch::new(&mut solver, &limits, on_progress);
            assert_eq!(search.length(&corners(7), true), Err(Stopped));
            assert_eq!(solver.nodes(), 0);
        }
    }

    #[test]
    fn reports_count_the_nodes_of_all_questions() {
        let small = corners(4);
        let (mut solver, won) = solved(&small);
        let (before, mut reported) = (solver.nodes(), 0);
        let on_progress = &mut |progress: &SolverProgress<'_>| {
            reported = progress.nodes;
            ControlFlow::Break(())
        };
        let mut search = LengthSearch::new(&mut solver, &NO_LIMITS, on_progress);
        assert!(search.length(&small, won).is_ok());
        // Too large to be solved before the first report.
        assert_eq!(search.length(&corners(7), true), Err(Stopped));
        assert!(reported > 0);
        assert_eq!(solver.nodes(), before + reported);
    }

    /// Of all questions together the share is unknown, even if that of one is known. A search that ends
    /// before its first report names none anyway.
    #[test]
    fn reports_name_no_share() {
        let position = corners(5);
        let (mut solver, won) = solved(&position);
        let on_progress = &mut |progress: &SolverProgress<'_>| {
            assert_eq!(progress.done, 0.0);
            ControlFlow::Continue(())
        };
        let mut search = LengthSearch::new(&mut solver, &NO_LIMITS, on_progress);
        assert!(search.length(&position, won).is_ok());
    }

    #[test]
    fn no_move_ends_a_game_that_lasts_longer() {
        let mut solver = Solver::new(0, 1);
        let on_progress = &mut |_: &SolverProgress<'_>| ControlFlow::Continue(());
        let mut search = LengthSearch::new(&mut solver, &NO_LIMITS, on_progress);
        for (plies, attacker_to_move) in [(0, true), (0, false), (1, true), (1, false)] {
            let found = search.best_move(&corners(4), plies, attacker_to_move);
            assert_eq!(found, Ok(None), "{plies} {attacker_to_move}");
        }
    }
}
