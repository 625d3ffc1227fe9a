//! The engine's moves in a game against a person.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::job::{Started, Work};
use super::line::Line;
use super::page_state::{Job, Page};
use super::pages::Pages;
use crate::clock::{Clock, MAX_SECONDS, TimeControl, end_of_move};
use crate::engine::Engine;
use crate::params::{Level, Params};
use crate::review;
use crate::search::SearchLimits;
use crate::variant::{GameRecord, MoveCode, SharedStart};

/// What a turn costs on the clock beyond its searches: the way to the page and back.
const CLOCK_MARGIN: Duration = Duration::from_millis(50);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskMove {
    page: String,
    id: u64,
    line: Line,
    level: Option<String>,
    clock: Option<AskClock>,
    seconds: Option<f64>,
}

/// The clock of the side to move, in seconds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskClock {
    main: f64,
    #[serde(default)]
    increment: f64,
    left: f64,
}

pub(super) struct GenMove {
    record: GameRecord,
    /// `None` is full strength.
    level: Option<&'static Level>,
    seconds: Option<f64>,
    clock: Option<Clock>,
}

/// Starts the search for the moves of a turn.
pub(super) fn genmove(pages: &Pages, asked: AskMove) -> Result<Started, ApiError> {
    let level = asked.level.as_deref().map(Level::find);
    let level = level.transpose().map_err(ApiError::content)?;
    let seconds = asked.seconds.map(|seconds| time("seconds", seconds));
    let seconds = seconds.transpose()?.filter(|time| !time.is_zero());
    let clock = asked.clock.map(|clock| clock.read()).transpose()?;
    pages.find(&asked.page)?;
    let record = asked.line.read()?;
    if review::follow(&record, &mut |_, _| ()).is_ok_and(|game| game.outcome().is_some()) {
        return Err(ApiError::content("the game is over"));
    }
    let genmove = GenMove {
        record,
        level,
        seconds: seconds.map(|time| time.as_secs_f64()),
        clock,
    };
    pages.submit(&asked.page, asked.id, Work::GenMove(Box::new(genmove)))?;
    Ok(Started {})
}

impl AskClock {
    fn read(&self) -> Result<Clock, ApiError> {
        let main = time("main", self.main)?;
        let increment = time("increment", self.increment)?;
        let mut clock = Clock::new(TimeControl::Fischer { main, increment });
        clock.set_left(time("left", self.left)?, 0);
        Ok(clock)
    }
}

/// Seconds as a time.
fn time(name: &str, seconds: f64) -> Result<Duration, ApiError> {
    let most = f64::from(MAX_SECONDS);
    let found = Duration::try_from_secs_f64(seconds).ok();
    found.filter(|_| seconds <= most).ok_or_else(|| {
        let text = format!("invalid `{name}` `{seconds}`: expected seconds from 0 to {most}");
        ApiError::content(text)
    })
}

/// A `move` event.
#[derive(Serialize)]
struct MoveEvent {
    id: u64,
    moves: Vec<String>,
    /// The winning chance that the search gave the first move.
    value: Option<f64>,
    seconds: f64,
}

impl GenMove {
    pub(super) fn start(&self) -> &SharedStart {
        &self.record.start
    }

    /// The parameters of the engine that plays.
    pub(super) fn params(&self, own: &Params) -> Params {
        let mut own = own.clone();
        if self.seconds.is_some() {
            own.time_per_move = self.seconds;
        }
        self.level
            .map_or_else(|| own.clone(), |level| level.of(&own))
    }

    /// Searches for the moves of a turn.
    pub(super) fn run(&self, engine: &mut Engine, page: &Page, job: &Job) {
        let began = Instant::now();
        let moves: Vec<MoveCode> = self.record.moves.iter().map(|played| played.mv).collect();
        engine.go_to(&moves);
        let seat = engine.to_move();
        let steps = engine.progress().moves_in_turn().max(1);
        let turns = engine.progress().moves_left().div_ceil(steps);
        let clock = self.clock.as_ref();
        let budget = clock.and_then(|clock| clock.budget(turns, CLOCK_MARGIN));
        let mut event = MoveEvent {
            id: job.id,
            moves: Vec::new(),
            value: None,
            seconds: 0.0,
        };
        let mut played = 0;
        while !engine.is_over() && engine.to_move() == seat {
            let usual = SearchLimits::of(
                engine.params().move_limits(),
                Instant::now(),
                Duration::ZERO,
            );
            let end = budget.and_then(|budget| end_of_move(began, budget.target, played, steps));
            let limits = SearchLimits {
                deadline: end.or(usual.deadline),
                ..usual
            };
            let report = engine.search(&limits, &|| job.is_stopped());
            let Some(best) = report.best().filter(|_| !job.is_stopped()) else {
                return;
            };
            event.value.get_or_insert(review::chance(best.value));
            event.moves.push(engine.name(best.mv));
            if engine.play(best.mv).is_err() {
                return;
            }
            played += 1;
        }
        event.seconds = began.elapsed().as_secs_f64();
        page.post(job, "move", &event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds() {
        for wrong in [-1.0, f64::NAN, f64::INFINITY, 1e10] {
            assert!(time("left", wrong).is_err(), "{wrong}");
        }
        assert_eq!(time("left", 0.5).unwrap(), Duration::from_millis(500));
        let clock = AskClock {
            main: 60.0,
            increment: 1.0,
            left: 0.0,
        };
        // A flag that is about to fall leaves the engine its shortest time.
        let budget = clock.read().unwrap().budget(20, CLOCK_MARGIN).unwrap();
        assert!(budget.target < Duration::from_millis(10));
    }
}
