//! One game, and the exact result of each of its positions.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::{AccuracyError, Settings};
use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::lab::matches::opening;
use crate::params::Params;
use crate::search::SearchLimits;
use crate::solver;
use crate::util::random::Random;
use crate::variant::{Exact, ExactSettings};

/// A move of the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedMove {
    /// Who played it.
    pub mover: Seat,
    /// Its name.
    pub name: String,
    /// What the search said of the position: the mover's chance with this move, 0 to 1.
    pub value: f32,
    /// The result that the search knew for certain.
    pub proof: Option<Outcome>,
    /// The result of the position before the move with best play; `None` where the solver has
    /// no answer.
    pub before: Option<Outcome>,
    /// The result of the position after it.
    pub after: Option<Outcome>,
}

/// A game of the engine against itself, without its opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedGame {
    /// The moves, in turn.
    pub moves: Vec<JudgedMove>,
}

impl JudgedGame {
    /// Plays the game with this number and solves its positions, the last one first, so that
    /// what is known of later ones helps with those before.
    ///
    /// # Errors
    /// See [`AccuracyError`].
    pub fn new(
        settings: &Settings,
        number: usize,
        stop: &AtomicBool,
    ) -> Result<Self, AccuracyError> {
        let start = &settings.start;
        let opening = opening::random(start, settings.plies, settings.seed, number);
        let opening = opening.ok_or(AccuracyError::Long {
            plies: settings.plies,
            side: start.side(),
        })?;
        let params = Params {
            seed: Random::part(!settings.seed, number as u64).bits(),
            ..settings.params.clone()
        };
        let mut engine = Engine::new(start.clone(), params);
        for &code in &opening {
            // The moves were legal when they were drawn.
            let _ = engine.play(code);
        }
        let solver = ExactSettings {
            bytes: settings.bytes,
            threads: 1,
            has_order: true,
            checkpoint: None,
        };
        let exact = engine.exact(&solver);
        let mut exact = exact.map_err(|reason| AccuracyError::Start {
            start: format!("{} for {}", start.variant().title(), start.players().len()),
            reason,
        })?;
        let mut moves = Vec::new();
        while !engine.is_over() {
            let limits = SearchLimits::of(&settings.params, false, Instant::now(), Duration::ZERO);
            let report = engine.search(&limits, &|| stop.load(Relaxed));
            if stop.load(Relaxed) {
                return Err(AccuracyError::Interrupted);
            }
            let Some(best) = report.best() else { break };
            let judged = JudgedMove {
                mover: engine.to_move(),
                name: engine.name(best.mv),
                value: best.value,
                proof: report.proof,
                before: None,
                after: None,
            };
            // Both know the same rules; a move that one refuses would not be judged.
            if exact.play(best.mv).is_err() {
                break;
            }
            moves.push(judged);
            if engine.play(best.mv).is_err() {
                break;
            }
        }
        let mut result = judge(&mut *exact, settings.nodes, stop)?;
        for judged in moves.iter_mut().rev() {
            exact.undo();
            judged.after = result;
            result = judge(&mut *exact, settings.nodes, stop)?;
            judged.before = result;
        }
        Ok(Self { moves })
    }
}

/// The result with best play, if so many nodes are enough.
fn judge(
    exact: &mut dyn Exact,
    nodes: u64,
    stop: &AtomicBool,
) -> Result<Option<Outcome>, AccuracyError> {
    if let Some(outcome) = exact.over() {
        return Ok(Some(outcome));
    }
    let limits = solver::SolverLimits {
        nodes: Some(nodes),
        ..solver::SolverLimits::default()
    };
    let verdict = exact.solve(&limits, &mut |_| match stop.load(Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    });
    match stop.load(Relaxed) {
        true => Err(AccuracyError::Interrupted),
        false => Ok(verdict.ok().and_then(|verdict| verdict.outcome)),
    }
}
