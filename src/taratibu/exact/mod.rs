//! Exact results of Taratibu positions.
//!
//! In every turn the turn search ([`turn`](super::turn)) finds a win within the turn. In the last
//! turn that decides the game. In the turn before, the side to move wins now, or draws if it can
//! leave a position in which the last turn cannot be won ([`defence`]), or loses. In earlier
//! turns only "can the turn be won?" is answered.
//!
//! | file | what it does |
//! |---|---|
//! | [`context`] | what stays fixed in the turn before the last |
//! | [`plan`] | a way to win the last turn, and against which positions it works |
//! | [`defence`] | searches for an end of the turn against which no plan works |
//! | [`step_search`] | searches for steps that lead there |

mod context;
mod defence;
mod plan;
mod step_search;

use std::time::Instant;

use ahash::AHashMap;

use self::context::TurnContext;
use self::defence::Defence;
use self::plan::pack;
use super::position::{LAST_TURN, Position, Step};
use super::turn::{WinSearch, find_win_while};
use crate::game::{Game, IllegalMove, Outcome, Seat};
use crate::solver::{Key, ProgressCallback, Solver, SolverLimits, SolverProgress, Stopped};
use crate::variant::{ExactSettings, ExactSolver, MoveCode, Verdict};

/// A solver for a position.
///
/// # Errors
/// Says in one sentence why the position cannot be solved.
pub(super) fn of_position(
    position: &Position,
    settings: &ExactSettings,
) -> Result<Box<dyn ExactSolver>, String> {
    if position.outcome().is_some() {
        return Err("the game is over".to_string());
    }
    Ok(Box::new(ExactTaratibu {
        path: vec![*position],
        solver: settings.solver(key_of(position)),
        turn_nodes: 0,
        known: AHashMap::new(),
    }))
}

/// The solver with a game: the position and those before it.
struct ExactTaratibu {
    path: Vec<Position>,
    solver: Solver,
    /// Nodes of the turn searches.
    turn_nodes: u64,
    known: AHashMap<Key, KnownResult>,
}

#[derive(Clone, Copy)]
struct KnownResult {
    verdict: Verdict,
    /// A step that keeps the result, if not every step does.
    step: Option<Step>,
}

/// Everything that the result of a position depends on.
fn key_of(position: &Position) -> Key {
    let moment = u64::from(position.turn()) << 8 | u64::from(position.steps_left());
    let spent = u64::from(position.spent_kinds());
    Key::of(&[
        pack(position.squares(0)),
        pack(position.squares(1)),
        moment,
        spent,
    ])
}

impl ExactTaratibu {
    fn position(&self) -> &Position {
        // Never empty: it begins with the start.
        &self.path[self.path.len() - 1]
    }

    /// Records the verdict of a position, and of those after `steps` within the same turn.
    fn note(&mut self, position: &Position, verdict: Verdict, steps: &[Step]) {
        let mut at = *position;
        let mut insert = |at: &Position, step: Option<Step>| {
            let known = KnownResult { verdict, step };
            self.known.insert(key_of(at), known);
        };
        if steps.is_empty() {
            insert(position, None);
        }
        for &step in steps {
            let is_same_turn = at.turn() == position.turn() && at.outcome().is_none();
            if !is_same_turn || !at.is_legal(step) {
                return;
            }
            insert(&at, Some(step));
            at.play(step);
        }
    }

    /// The steps that win the turn; `None` if it cannot be won.
    fn win(
        &mut self,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Option<Vec<Step>>, Stopped> {
        let position = *self.position();
        let (mut nodes, table) = (0, self.solver.table());
        let found = find_win_while(&position, &mut |so_far| {
            nodes = so_far;
            let progress = SolverProgress {
                nodes,
                done: 0.0,
                table,
                saved: None,
            };
            let is_late = limits.deadline.is_some_and(|end| Instant::now() >= end);
            let is_much = limits.nodes.is_some_and(|most| nodes >= most);
            !is_late && !is_much && on_progress(&progress).is_continue()
        });
        self.turn_nodes += nodes;
        match found {
            WinSearch::Win(steps) => Ok(Some(steps)),
            WinSearch::NoWin => Ok(None),
            WinSearch::Unknown => Err(Stopped),
        }
    }

    /// Whether the side to move can prevent a win in the last turn, and the steps for it if they
    /// are known.
    fn defend(
        &mut self,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<(bool, Vec<Step>), Stopped> {
        let position = *self.position();
        let context = TurnContext::new(&position, key_of(&position));
        let defence = Defence::new(&context);
        let holds = self.solver.solve(&defence, limits, on_progress)?;
        let steps = context.steps.lock().take().unwrap_or_default();
        Ok((holds, steps))
    }
}

impl ExactSolver for ExactTaratibu {
    fn to_move(&self) -> Seat {
        self.position().to_move()
    }

    fn over(&self) -> Option<Outcome> {
        self.position().outcome()
    }

    fn legal(&self) -> Vec<MoveCode> {
        let steps = self.position().legal_moves().into_iter();
        steps.map(Position::code).map(MoveCode::new).collect()
    }

    fn play(&mut self, code: MoveCode) -> Result<(), IllegalMove> {
        let step = Position::decode(code.number());
        let mut next = *self.position();
        if Position::code(step) != code.number() || !next.is_legal(step) {
            return Err(IllegalMove);
        }
        next.play(step);
        self.path.push(next);
        Ok(())
    }

    fn undo(&mut self) -> bool {
        if self.path.len() < 2 {
            return false;
        }
        self.path.pop();
        true
    }

    fn solve(
        &mut self,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<Verdict, Stopped> {
        let position = *self.position();
        if let Some(outcome) = position.outcome() {
            return Ok(Verdict::of(outcome));
        }
        if let Some(known) = self.known.get(&key_of(&position)) {
            return Ok(known.verdict);
        }
        let mover = position.to_move();
        let before = self.nodes();
        if let Some(steps) = self.win(limits, on_progress)? {
            let verdict = Verdict {
                outcome: Some(Outcome::Winner(mover)),
                wins_this_turn: Some(true),
            };
            self.note(&position, verdict, &steps);
            return Ok(verdict);
        }
        let (outcome, steps) = match position.turn() {
            LAST_TURN => (Some(Outcome::Draw), Vec::new()),
            turn if turn + 1 == LAST_TURN => {
                match self.defend(&limits.after(self.nodes() - before), on_progress)? {
                    (true, steps) => (Some(Outcome::Draw), steps),
                    (false, _) => (Some(Outcome::Winner(mover.other())), Vec::new()),
                }
            }
            _ => (None, Vec::new()),
        };
        let verdict = Verdict {
            outcome,
            wins_this_turn: Some(false),
        };
        self.note(&position, verdict, &steps);
        Ok(verdict)
    }

    fn known(&self) -> Option<Outcome> {
        let position = self.position();
        let known = || self.known.get(&key_of(position));
        let over = position.outcome();
        over.or_else(|| known().and_then(|known| known.verdict.outcome))
    }

    fn keeps(&self, outcome: Outcome) -> Option<MoveCode> {
        let position = self.position();
        let known = self.known.get(&key_of(position))?;
        if known.verdict.outcome != Some(outcome) {
            return None;
        }
        let any = match outcome {
            // Every move of the loser loses, and every move of a drawn last turn draws.
            Outcome::Winner(seat) => seat != position.to_move(),
            Outcome::Draw => position.turn() == LAST_TURN,
        };
        let code = |step| MoveCode::new(Position::code(step));
        match known.step {
            Some(step) => Some(code(step)),
            None if any => self.legal().first().copied(),
            None => None,
        }
    }

    fn effort(&self) -> Option<u32> {
        let position = self.position();
        if position.turn() + 1 != LAST_TURN || position.outcome().is_some() {
            return None;
        }
        let context = TurnContext::new(position, key_of(position));
        let key = crate::solver::Solvable::key(&Defence::new(&context));
        self.solver.table().effort(key)
    }

    fn nodes(&self) -> u64 {
        self.turn_nodes + self.solver.nodes()
    }

    fn solver(&self) -> &Solver {
        &self.solver
    }

    fn solver_mut(&mut self) -> &mut Solver {
        &mut self.solver
    }
}
