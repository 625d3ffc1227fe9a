//! The search for a move.

use std::time::{Duration, Instant};

use super::game::Game;
use crate::engine::Engine;
use crate::params::Params;
use crate::search::{Pace, SearchLimits};
use crate::util::break_if;
use crate::variant::MoveCode;

/// How often a search is checked for an early end.
const SLICE: Duration = Duration::from_millis(100);

/// A move that was found.
pub(super) struct Found {
    pub(super) mv: MoveCode,
    /// The winning chance of the side to move.
    pub(super) value: f32,
    pub(super) iterations: u64,
    pub(super) seconds: f64,
    /// Whether the move ends the game.
    pub(super) is_last: bool,
}

/// Searches a game that is not over; `None` if it was stopped.
pub(super) fn think(
    game: &Game,
    params: &Params,
    pace: Pace,
    stop: &(dyn Fn() -> bool + Sync),
) -> Option<Found> {
    let began = Instant::now();
    let mut engine = Engine::new(game.start().clone(), params.clone());
    engine.go_to(&game.moves());
    let limits = SearchLimits {
        deadline: began.checked_add(pace.limit),
        ..SearchLimits::default()
    };
    let slice = SLICE.min(pace.target / 4).max(Duration::from_millis(1));
    let report = engine.search_in_slices(&limits, slice, stop, &mut |_, report| {
        break_if(pace.is_enough(report, began.elapsed()))
    });
    let best = report.best().filter(|_| !stop())?;
    let (mv, value) = (best.mv, best.value);
    engine.play(mv).ok()?;
    Some(Found {
        mv,
        value,
        iterations: report.iterations,
        seconds: began.elapsed().as_secs_f64(),
        is_last: engine.is_over(),
    })
}
