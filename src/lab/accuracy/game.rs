//! One game of the engine against itself, and the exact result of each of its positions.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::settings::{AccuracyError, AccuracySettings};
use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::lab::matches::opening;
use crate::params::Params;
use crate::search::SearchLimits;
use crate::solver::SolverLimits;
use crate::util::break_if;
use crate::util::random::Random;
use crate::variant::{ExactSettings, ExactSolver};

/// A move of the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedMove {
    pub mover: Seat,
    pub name: String,
    /// The mover's winning chance by the search, 0 to 1.
    pub(crate) value: f32,
    /// The result if the search proved it.
    pub(crate) proof: Option<Outcome>,
    /// The exact result before the move; `None` if the solver has none.
    pub before: Option<Outcome>,
    /// The exact result after it.
    pub after: Option<Outcome>,
}

/// A game without its opening.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedGame {
    pub moves: Vec<JudgedMove>,
}

impl JudgedGame {
    /// Plays the game with this number and solves its positions from the last to the first: results
    /// of later positions help to solve earlier ones.
    pub fn new(
        settings: &AccuracySettings,
        number: usize,
        stop: &AtomicBool,
    ) -> Result<Self, AccuracyError> {
        let start = &settings.start;
        let opening = opening::random(start, settings.plies, settings.seed, number)?;
        let params = Params {
            seed: Random::part(!settings.seed, number as u64).bits(),
            ..settings.params.clone()
        };
        let mut engine = Engine::new(start.clone(), params);
        for &code in &opening {
            let _ = engine.play(code);
        }
        let solver = ExactSettings::new(settings.bytes);
        let mut exact = engine.exact(&solver).map_err(|reason| {
            let (title, players) = (start.variant().title(), start.players().len());
            let start = format!("{title} for {players} players");
            AccuracyError::Start { start, reason }
        })?;
        let mut moves = Vec::new();
        while !engine.is_over() {
            let limits = settings.params.move_limits();
            let limits = SearchLimits::of(limits, Instant::now(), Duration::ZERO);
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

/// The result with best play, if this many nodes suffice.
fn judge(
    exact: &mut dyn ExactSolver,
    nodes: u64,
    stop: &AtomicBool,
) -> Result<Option<Outcome>, AccuracyError> {
    if let Some(outcome) = exact.over() {
        return Ok(Some(outcome));
    }
    let limits = SolverLimits {
        nodes: Some(nodes),
        ..SolverLimits::default()
    };
    let verdict = exact.solve(&limits, &mut |_| break_if(stop.load(Relaxed)));
    if stop.load(Relaxed) {
        return Err(AccuracyError::Interrupted);
    }
    Ok(verdict.ok().and_then(|verdict| verdict.outcome))
}
