//! The moves of a position whose result is known: which keep it, and how long the loser of it
//! can resist.

use std::ops::ControlFlow;
use std::time::Instant;

use super::exact::{Exact, after};
use super::notation::MoveCode;
use crate::game::Outcome;
use crate::solver::{SolverLimits, Watch};

/// Nodes of the solver between two looks at what tells it to stop; each round begins anew with
/// what the table knows.
const SLICE: u64 = 1 << 12;
/// Nodes at most to find the move that makes a lost side last longest, about 20 ms.
const LONGEST: u64 = 20_000;
/// Moves of a line at most.
const LINE: usize = 60;

/// What the solver may use.
pub(super) struct Budget<'a> {
    nodes: u64,
    deadline: Option<Instant>,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> Budget<'a> {
    /// So many nodes, until this moment, or until `stop` returns true.
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

    /// Whether it is too late even for what is free.
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end) || (self.stop)()
    }

    /// The result of the position, if it is known or that is within the budget.
    pub(super) fn solve(&mut self, exact: &mut dyn Exact) -> Option<Outcome> {
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

    /// The move that makes the game last longest, and how many plies, if that is within the
    /// budget.
    fn longest(&mut self, exact: &mut dyn Exact) -> Option<(MoveCode, u32)> {
        if self.is_spent() {
            return None;
        }
        let before = exact.nodes();
        let limits = SolverLimits {
            deadline: self.deadline,
            nodes: Some(self.nodes.min(LONGEST)),
        };
        let stop = self.stop;
        let watch: &mut Watch<'_> = &mut |_| match stop() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let length = exact.length(&limits, watch).ok().flatten();
        let code = length.and_then(|plies| {
            let limits = limits.after(exact.nodes() - before);
            exact.lasting(plies, &limits, watch).ok().flatten()
        });
        self.nodes = self.nodes.saturating_sub(exact.nodes() - before);
        code.zip(length)
    }
}

/// What a move leads to.
struct Valued {
    code: MoveCode,
    outcome: Outcome,
    resistance: Resistance,
}

/// How hard it is to win against a lost move: the plies that the game lasts with the best one,
/// then the logarithm of the nodes that the result took.
type Resistance = (u32, u32);

/// What is known for certain of a position.
pub(super) struct Judged {
    /// The result with best play.
    pub(super) outcome: Outcome,
    moves: Vec<Valued>,
    /// Whether more nodes may tell which lost move lasts longest.
    may_last: bool,
}

/// Looks for a move that keeps the known result, and for the results of the others as far as
/// they are known already; of lost moves also which lasts longest. None if the budget does not
/// allow to find such a move.
pub(super) fn judge(
    exact: &mut dyn Exact,
    outcome: Outcome,
    budget: &mut Budget<'_>,
) -> Option<Judged> {
    let moves = values(exact, outcome, budget)?;
    let may_last = is_lost(exact, outcome) && moves.len() > 1;
    let mut judged = Judged {
        outcome,
        moves,
        may_last,
    };
    judged.resist(exact, budget);
    Some(judged)
}

fn is_lost(exact: &dyn Exact, outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Winner(winner) if winner != exact.to_move())
}

/// The moves whose results are known, with one at least that keeps this one.
fn values(exact: &mut dyn Exact, outcome: Outcome, budget: &mut Budget<'_>) -> Option<Vec<Valued>> {
    // Whatever is played, it is lost.
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
            Some(outcome) => moves.push(Valued {
                code,
                outcome,
                resistance: (0, effort),
            }),
            None => unknown.push(code),
        }
    }
    let mut unknown = unknown.into_iter();
    while moves.iter().all(|valued| valued.outcome != outcome) {
        let code = unknown.next()?;
        let found = after(exact, code, |exact| budget.solve(exact))?;
        moves.push(Valued {
            code,
            outcome: found?,
            resistance: (0, 0),
        });
    }
    Some(moves)
}

impl Judged {
    /// Looks for the lost move that lasts longest, unless it was found or as many nodes as there
    /// are for that were not enough.
    pub(super) fn resist(&mut self, exact: &mut dyn Exact, budget: &mut Budget<'_>) {
        if !self.may_last {
            return;
        }
        let is_enough = budget.nodes >= LONGEST;
        let longest = budget.longest(exact);
        for valued in &mut self.moves {
            let lasts = |&(code, _): &(MoveCode, u32)| code == valued.code;
            valued.resistance.0 = longest.filter(lasts).map_or(0, |(_, plies)| plies);
        }
        self.may_last = longest.is_none() && (!is_enough || budget.is_over());
    }

    /// The result of a move, if it is known.
    pub(super) fn of(&self, code: MoveCode) -> Option<Outcome> {
        self.valued(code).map(|valued| valued.outcome)
    }

    /// How hard it is to win against a lost move.
    pub(super) fn resistance(&self, code: MoveCode) -> Resistance {
        self.valued(code).map_or((0, 0), |valued| valued.resistance)
    }

    fn valued(&self, code: MoveCode) -> Option<&Valued> {
        self.moves.iter().find(|valued| valued.code == code)
    }

    /// A line that begins with a move that keeps the result and goes on with such moves: the
    /// winner's are simple, the loser's are not. It ends early where the budget does.
    pub(super) fn line(
        &self,
        exact: &mut dyn Exact,
        first: MoveCode,
        budget: &mut Budget<'_>,
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

/// A move that keeps the result: one that was simple to win with, or hard to win against.
fn keeping(exact: &mut dyn Exact, outcome: Outcome, budget: &mut Budget<'_>) -> Option<MoveCode> {
    let mut moves = values(exact, outcome, budget)?;
    moves.retain(|valued| valued.outcome == outcome);
    let best = match is_lost(exact, outcome) {
        true => moves.iter().max_by_key(|valued| valued.resistance),
        false => moves.iter().min_by_key(|valued| valued.resistance),
    };
    best.map(|valued| valued.code)
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
        let settings = ExactSettings {
            bytes: 1 << 20,
            threads: 1,
            has_order: true,
            checkpoint: None,
        };
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
            let mut exact = engine.notation().exact(&settings).unwrap();
            let budget = |nodes| Budget::new(nodes, None, &|| false);
            let outcome = budget(u64::MAX).solve(&mut *exact).unwrap();
            if !is_lost(&*exact, outcome) {
                continue;
            }
            lost += 1;
            let mut judged = judge(&mut *exact, outcome, &mut budget(0)).unwrap();
            let longest = |judged: &Judged| {
                let plies = judged.moves.iter().map(|valued| valued.resistance.0);
                plies.filter(|plies| *plies > 0).count()
            };
            assert!(longest(&judged) == 0 && judged.may_last);
            judged.resist(&mut *exact, &mut budget(u64::MAX));
            assert!(longest(&judged) == 1 && !judged.may_last);
            let nodes = exact.nodes();
            judged.resist(&mut *exact, &mut budget(u64::MAX));
            assert_eq!((longest(&judged), exact.nodes()), (1, nodes));
        }
        assert!(lost > 5, "{lost}");
    }
}
