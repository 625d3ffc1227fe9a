//! Finds out about positions: by the solver, and by the engine where that takes too long.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::log::{self, Entry, Finding};
use super::position::normal;
use super::prediction::{DEPTHS, Outlook};
use super::tree::State;
use crate::engine::Engine;
use crate::game::Outcome;
use crate::lab::endings::playable_points;
use crate::params::Params;
use crate::search::SearchLimits;
use crate::solver::{Solver, SolverLimits};
use crate::tanbo::{Start, exact, variant, with_position};
use crate::util::break_if;
use crate::variant::{ExactSettings, MoveCode};

/// A position that takes no more nodes is solved when it is reached.
const SMALL: u64 = 1 << 11;
/// Winning chances are kept this far from 0 and 1.
const MIN_CHANCE: f64 = 0.02;
/// MiB of the engine's tree at least and at most, and the iterations for each. A full tree says less.
const MIN_MEMORY: u64 = 16;
const MAX_MEMORY: u64 = 1024;
const ITERATIONS_PER_MEMORY: u64 = 1000;

/// What the log says about a position.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) won: Option<bool>,
    pub(super) is_given_up: bool,
    pub(super) chance: Option<f64>,
    /// The chances after longer searches.
    pub(super) deep_chances: [Option<f64>; DEPTHS],
}

/// A position after a move.
pub(super) struct Child {
    pub(super) start: Start,
    pub(super) name: String,
    pub(super) state: State,
    /// What the engine said of it, if it was asked.
    pub(super) outlook: Option<Outlook>,
    /// To be logged.
    pub(super) found: Option<Entry>,
}

/// The positions after the moves, and whether a move is known to win; then there may be others.
pub(super) struct Expansion {
    pub(super) children: Vec<Child>,
    pub(super) is_won: bool,
}

/// What one thread works with.
pub(super) struct Scout<'a> {
    pub(super) solver: Solver,
    /// Iterations of the engine for a winning chance.
    pub(super) iterations: u64,
    /// Once this is set, nothing more is found.
    pub(super) stop: &'a AtomicBool,
}

impl Scout<'_> {
    /// Whether the side to move wins; `Some(None)` if that takes more than `most` nodes, `None` if
    /// the run was stopped.
    pub(super) fn solve(&mut self, start: &Start, most: u64) -> Option<Option<bool>> {
        let settings = ExactSettings::new(0);
        let exact = with_position!(start, |position| exact::of_position(&position, &settings));
        let mut exact = exact.ok()?;
        std::mem::swap(exact.solver_mut(), &mut self.solver);
        let limits = SolverLimits {
            nodes: Some(most),
            ..SolverLimits::default()
        };
        let to_move = exact.to_move();
        let verdict = exact.solve(&limits, &mut |_| break_if(self.stop.load(Relaxed)));
        std::mem::swap(exact.solver_mut(), &mut self.solver);
        match verdict {
            Ok(verdict) => Some(Some(verdict.outcome? == Outcome::Winner(to_move))),
            Err(_) if self.stop.load(Relaxed) => None,
            Err(_) => Some(None),
        }
    }

    /// The winning chance of the side to move as the engine sees it, a multiple of a thousandth;
    /// `None` if the run was stopped.
    pub(super) fn chance(&self, start: &Start, iterations: u64) -> Option<f64> {
        let mut engine = engine(start, iterations);
        let is_over = || self.stop.load(Relaxed);
        let report = engine.search(&SearchLimits::of_iterations(iterations), &is_over);
        let chance = report.best().map_or(0.5, |best| f64::from(best.value));
        let chance = chance.clamp(MIN_CHANCE, 1.0 - MIN_CHANCE);
        (!is_over()).then(|| log::chance(log::thousandths(chance)))
    }

    /// The positions after each move; `None` if the run was stopped. `look_up` tells what is known of a
    /// position.
    pub(super) fn expand(
        &mut self,
        start: &Start,
        look_up: &dyn Fn(&str) -> (Option<State>, Known),
    ) -> Option<Expansion> {
        let mut engine = engine(start, 0);
        let mover = engine.to_move();
        let (mut children, mut is_won): (Vec<Child>, _) = (Vec::new(), false);
        for code in engine.legal() {
            if self.stop.load(Relaxed) {
                return None;
            }
            let Some(after) = after(&mut engine, code) else {
                continue;
            };
            let after = match after {
                Ok(after) => after,
                Err(outcome) if outcome == Outcome::Winner(mover) => {
                    is_won = true;
                    break;
                }
                Err(_) => continue,
            };
            let (start, name) = normal(&after);
            if children.iter().any(|child| child.name == name) {
                continue;
            }
            let known = look_up(&name);
            let child = self.child(start, name, known)?;
            is_won = child.state == State::Solved(false);
            children.push(child);
            if is_won {
                break;
            }
        }
        Some(Expansion { children, is_won })
    }

    /// A position with what is known of it, or can be found out quickly.
    fn child(
        &mut self,
        start: Start,
        name: String,
        (here, mut known): (Option<State>, Known),
    ) -> Option<Child> {
        let mut found = None;
        let state = match here {
            Some(state) => state,
            None => {
                // If the engine was asked, the solver was tried before.
                if known.won.is_none() && known.chance.is_none() {
                    let before = self.solver.nodes();
                    known.won = self.solve(&start, SMALL)?;
                    let nodes = self.solver.nodes() - before;
                    found = Some(match known.won {
                        Some(won) => Finding::Result(won, nodes),
                        None => {
                            let chance = self.chance(&start, self.iterations)?;
                            known.chance = Some(chance);
                            Finding::Chance(log::thousandths(chance), nodes)
                        }
                    });
                }
                state(known, &start)
            }
        };
        let found = found.map(|finding| Entry {
            position: name.clone(),
            finding,
        });
        let outlook = known.chance.map(|_| outlook(&start, known));
        Some(Child {
            start,
            name,
            state,
            outlook,
            found,
        })
    }
}

/// An engine for one position after another, with room for so many iterations; it says the same each
/// time.
pub(super) fn engine(start: &Start, iterations: u64) -> Engine {
    let params = Params {
        threads: 1,
        memory: (iterations / ITERATIONS_PER_MEMORY).clamp(MIN_MEMORY, MAX_MEMORY),
        seed: 1,
        ..Params::default()
    };
    Engine::new(start.clone(), params)
}

/// The outlook of a position. A winning chance that is not known is taken to be even.
pub(super) fn outlook(start: &Start, known: Known) -> Outlook {
    let clamp = |chance: f64| chance.clamp(MIN_CHANCE, 1.0 - MIN_CHANCE);
    Outlook {
        points: playable_points(start),
        chance: clamp(known.chance.unwrap_or(0.5)),
        deep_chances: known.deep_chances.map(|chance| chance.map(clamp)),
    }
}

pub(super) fn state(known: Known, start: &Start) -> State {
    match known.won {
        Some(won) => State::Solved(won),
        None if known.is_given_up => State::GivenUp(outlook(start, known)),
        None => State::Open(outlook(start, known)),
    }
}

/// The position after a move, or how the move ends the game; `None` if it cannot be played.
pub(super) fn after(engine: &mut Engine, code: MoveCode) -> Option<Result<Start, Outcome>> {
    engine.play(code).ok()?;
    let after = match engine.outcome() {
        Some(outcome) => Some(Err(outcome)),
        None => {
            let setup = engine
                .stones()
                .map(|stones| variant::setup(stones, engine.to_move()));
            setup.and_then(|setup| setup.check(Some(2)).ok()).map(Ok)
        }
    };
    engine.undo();
    after
}
