//! The moves of a solved position: which of them keep the result, and how long the loser can
//! resist.

use std::ops::ControlFlow;
use std::time::Instant;

use super::exact::{ExactSolver, after};
use super::move_code::MoveCode;
use crate::game::Outcome;
use crate::solver::{ProgressCallback, SolverLimits};
use crate::util::break_if;

/// Nodes that the solver searches between two checks of the stop condition. Each slice starts
/// again with what the table knows.
const SLICE: u64 = 1 << 12;
/// The most nodes to find the move with which the loser lasts longest; about 20 ms.
const LONGEST: u64 = 20_000;
/// The most moves of a line.
const LINE: usize = 60;

/// How much the solver may search.
pub(super) struct NodeBudget<'a> {
    nodes: u64,
    deadline: Option<Instant>,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> NodeBudget<'a> {
    /// A budget that ends after this many nodes, at the deadline, or when `stop` returns true.
    pub(super) fn new(nodes: u64, deadline: Option<Instant>, stop: &'a dyn Fn() -> bool) -> Self {
        Self {
            nodes,
            deadline,
            stop,
        }
    }

    fn is_spent(&self) -> bool {
        self.nodes == 0 || self.is_over()
    }

    /// Whether time is up, even for work that needs no nodes.
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end) || (self.stop)()
    }

    /// The result of the position, if it is known or the budget is enough to find it.
    pub(super) fn solve(&mut self, exact: &mut dyn ExactSolver) -> Option<Outcome> {
        if let Some(outcome) = exact.known() {
            return Some(outcome);
        }
        while !self.is_spent() {
            let before = exact.nodes();
            let limits = SolverLimits {
                deadline: self.deadline,
                nodes: Some(self.nodes.min(SLICE)),
            };
            let found = exact.solve(&limits, &mut |_| ControlFlow::Continue(()));
            self.nodes = self.nodes.saturating_sub(exact.nodes() - before);
            if let Ok(verdict) = found {
                return verdict.outcome;
            }
        }
        None
    }

    /// The move that makes the game last longest, with the number of plies, if the budget is
    /// enough to find it.
    fn longest(&mut self, exact: &mut dyn ExactSolver) -> Option<(MoveCode, u32)> {
        if self.is_spent() {
            return None;
        }
        let before = exact.nodes();
        let limits = SolverLimits {
            deadline: self.deadline,
            nodes: Some(self.nodes.min(LONGEST)),
        };
        let stop = self.stop;
        let on_progress: &mut ProgressCallback<'_> = &mut |_| break_if(stop());
        let length = exact.length(&limits, on_progress).ok().flatten();
        let code = length.and_then(|plies| {
            let limits = limits.after(exact.nodes() - before);
            exact.lasting(plies, &limits, on_progress).ok().flatten()
        });
        self.nodes = self.nodes.saturating_sub(exact.nodes() - before);
        code.zip(length)
    }
}

struct SolvedMove {
    code: MoveCode,
    outcome: Outcome,
    resistance: Resistance,
}

/// How hard it is to win against a lost move: the plies that the game lasts with the move that
/// lasts longest (0 for other moves), then the effort of its result ([`ExactSolver::effort`]).
type Resistance = (u32, u32);

pub(super) struct SolvedPosition {
    /// The result with best play.
    pub(super) outcome: Outcome,
    moves: Vec<SolvedMove>,
    /// Whether more nodes could still find the lost move that lasts longest.
    may_last: bool,
}

/// Finds a move that keeps the known result, collects the other moves whose results are known
/// already, and in a lost position finds the move that lasts longest. `None` if the budget is not
/// enough to find a move that keeps the result.
pub(super) fn solve_moves(
    exact: &mut dyn ExactSolver,
    outcome: Outcome,
    budget: &mut NodeBudget<'_>,
) -> Option<SolvedPosition> {
    let moves = known_results(exact, outcome, budget)?;
    let may_last = is_lost(exact, outcome) && moves.len() > 1;
    let mut solved = SolvedPosition {
        outcome,
        moves,
        may_last,
    };
    solved.resist(exact, budget);
    Some(solved)
}

fn is_lost(exact: &dyn ExactSolver, outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Winner(winner) if winner != exact.to_move())
}

/// The moves whose results are known. At least one of them keeps `outcome`, the result of the
/// position.
fn known_results(
    exact: &mut dyn ExactSolver,
    outcome: Outcome,
    budget: &mut NodeBudget<'_>,
) -> Option<Vec<SolvedMove>> {
    // In a lost position every move loses.
    let is_lost = is_lost(exact, outcome);
    let mut moves = Vec::new();
    let mut unknown = Vec::new();
    for code in exact.legal() {
        let (known, effort) = after(exact, code, |exact| {
            let known = if is_lost {
                Some(outcome)
            } else {
                exact.known()
            };
            (known, exact.effort().unwrap_or(0))
        })?;
        match known {
            Some(outcome) => moves.push(SolvedMove {
                code,
                outcome,
                resistance: (0, effort),
            }),
            None => unknown.push(code),
        }
    }
    let mut unknown = unknown.into_iter();
    while moves.iter().all(|mv| mv.outcome != outcome) {
        let code = unknown.next()?;
        let found = after(exact, code, |exact| budget.solve(exact))?;
        moves.push(SolvedMove {
            code,
            outcome: found?,
            resistance: (0, 0),
        });
    }
    Some(moves)
}

impl SolvedPosition {
    /// Finds the lost move that lasts longest, unless it was found before or [`LONGEST`] nodes were
    /// not enough.
    pub(super) fn resist(&mut self, exact: &mut dyn ExactSolver, budget: &mut NodeBudget<'_>) {
        if !self.may_last {
            return;
        }
        let is_enough = budget.nodes >= LONGEST;
        let longest = budget.longest(exact);
        for mv in &mut self.moves {
            let lasts = |&(code, _): &(MoveCode, u32)| code == mv.code;
            mv.resistance.0 = longest.filter(lasts).map_or(0, |(_, plies)| plies);
        }
        self.may_last = longest.is_none() && (!is_enough || budget.is_over());
    }

    /// The result of a move, if it is known.
    pub(super) fn result(&self, code: MoveCode) -> Option<Outcome> {
        self.solved(code).map(|mv| mv.outcome)
    }

    /// How hard it is to win against a lost move.
    pub(super) fn resistance(&self, code: MoveCode) -> Resistance {
        self.solved(code).map_or((0, 0), |mv| mv.resistance)
    }

    fn solved(&self, code: MoveCode) -> Option<&SolvedMove> {
        self.moves.iter().find(|mv| mv.code == code)
    }

    /// A line that begins with `first` and goes on with moves that keep the result: those of the
    /// winner that are simplest, and those of the loser that resist most. It ends early if the
    /// budget is spent.
    pub(super) fn line(
        &self,
        exact: &mut dyn ExactSolver,
        first: MoveCode,
        budget: &mut NodeBudget<'_>,
    ) -> Vec<MoveCode> {
        let mut line = Vec::new();
        let mut next = Some(first);
        while let Some(code) = next.take() {
            if exact.play(code).is_err() {
                break;
            }
            line.push(code);
            if exact.over().is_none() && line.len() < LINE && !budget.is_over() {
                next = keeping(exact, self.outcome, budget);
            }
        }
        for _ in &line {
            exact.undo();
        }
        line
    }
}

/// A move that keeps the result: the simplest win, or the one that is hardest to win against.
fn keeping(
    exact: &mut dyn ExactSolver,
    outcome: Outcome,
    budget: &mut NodeBudget<'_>,
) -> Option<MoveCode> {
    let mut moves = known_results(exact, outcome, budget)?;
    moves.retain(|mv| mv.outcome == outcome);
    let best = if is_lost(exact, outcome) {
        moves.iter().max_by_key(|mv| mv.resistance)
    } else {
        moves.iter().min_by_key(|mv| mv.resistance)
    };
    best.map(|mv| mv.code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::games;
    use crate::params::Params;
    use crate::util::random::Random;
    use crate::variant::ExactSettings;

    #[test]
    fn a_question_that_had_no_nodes_is_asked_again_and_then_no_more() {
        let settings = ExactSettings::new(1 << 20);
        let start = games::default().start(Some(5), None, None).unwrap();
        let mut lost = 0;
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let mut engine = Engine::new(start.clone(), Params::default());
            for _ in 0..16 {
                let legal = engine.legal();
                if !legal.is_empty() {
                    let code = legal[random.below(legal.len() as u32) as usize];
                    engine.play(code).unwrap();
                }
            }
            if engine.is_over() || engine.legal().len() < 2 {
                continue;
            }
            let mut exact = engine.exact(&settings).unwrap();
            let budget = |nodes| NodeBudget::new(nodes, None, &|| false);
            let outcome = budget(u64::MAX).solve(&mut *exact).unwrap();
            if !is_lost(&*exact, outcome) {
                continue;
            }
            lost += 1;
            let mut solved = solve_moves(&mut *exact, outcome, &mut budget(0)).unwrap();
            let longest = |solved: &SolvedPosition| {
                let plies = solved.moves.iter().map(|mv| mv.resistance.0);
                plies.filter(|plies| *plies > 0).count()
            };
            assert!(longest(&solved) == 0 && solved.may_last);
            solved.resist(&mut *exact, &mut budget(u64::MAX));
            assert!(longest(&solved) == 1 && !solved.may_last);
            let nodes = exact.nodes();
            solved.resist(&mut *exact, &mut budget(u64::MAX));
            assert_eq!((longest(&solved), exact.nodes()), (1, nodes));
        }
        assert!(lost > 5, "{lost}");
    }
}
