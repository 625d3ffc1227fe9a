//! Analyses without an end, with ten reports a second.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::job::{LINE, Started, Work};
use super::line::Line;
use super::page_state::{Job, Page};
use super::pages::Pages;
use crate::engine::Engine;
use crate::game::Seat;
use crate::review::{self, BestMove, SearchedPosition};
use crate::search::{Report, SearchLimits};
use crate::util::break_if;
use crate::variant::{GameRecord, MoveCode, RunningGame, SharedStart};

/// The time between two events.
const INTERVAL: Duration = Duration::from_millis(100);
/// The most best moves.
const MOST_BEST: usize = 500;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskAnalysis {
    page: String,
    id: u64,
    line: Line,
    best: Option<usize>,
    #[serde(default)]
    threat: bool,
}

pub(super) struct Analysis {
    start: SharedStart,
    moves: Vec<MoveCode>,
    best: usize,
}

/// Starts an analysis without an end.
pub(super) fn analyze(pages: &Pages, asked: AskAnalysis) -> Result<Started, ApiError> {
    let best = asked.best.unwrap_or(10);
    if !(1..=MOST_BEST).contains(&best) {
        let text = format!("invalid `best` `{best}`: expected 1 to {MOST_BEST}");
        return Err(ApiError::content(text));
    }
    // An unknown page is refused before the line is read.
    pages.find(&asked.page)?;
    let record = asked.line.read()?;
    let (start, moves) = if asked.threat {
        (threat(&record)?, Vec::new())
    } else {
        let moves = record.moves.iter().map(|played| played.mv);
        (record.start.clone(), moves.collect())
    };
    let analysis = Analysis { start, moves, best };
    pages.submit(&asked.page, asked.id, Work::Analyze(analysis))?;
    Ok(Started {})
}

/// The position at the end of a game with the other side to move.
fn threat(record: &GameRecord) -> Result<SharedStart, ApiError> {
    let game = review::follow(record, &mut |_, _| ()).map_err(ApiError::content)?;
    let other = match record.start.players() {
        [a, b] if game.to_move() == *a => *b,
        [a, _] => *a,
        _ => return Err(ApiError::content("threats need a game for two players")),
    };
    let variant = record.start.variant();
    if game.outcome().is_some() {
        return Err(ApiError::content("the game is over"));
    }
    let now = variant.read(&game.position().position_text(), None);
    let turned = now.ok().and_then(|now| now.with_to_move(other));
    turned.ok_or_else(|| {
        let colour = variant.colour(other);
        ApiError::content(format!("{colour} cannot be to move here"))
    })
}

/// An `analysis` event.
#[derive(Serialize)]
struct AnalysisEvent {
    id: u64,
    done: bool,
    iterations: u64,
    seconds: f64,
    values: Vec<f64>,
    exact: bool,
    best: Vec<BestMove>,
    reason: Option<&'static str>,
}

impl Analysis {
    pub(super) fn start(&self) -> &SharedStart {
        &self.start
    }

    /// Searches until the job is stopped or there is nothing left to find.
    pub(super) fn run(&self, engine: &mut Engine, page: &Page, job: &Job) {
        engine.go_to(&self.moves);
        let mut reporter = Reporter::new(self, engine);
        let began = Instant::now();
        let limits = SearchLimits::default();
        let stop = || job.is_stopped();
        let mut tell = |report: &Report<MoveCode>, reason| {
            if !job.is_stopped() {
                let event = reporter.event(job.id, began, report, reason);
                page.post(job, "analysis", &event);
            }
        };
        let report = engine.search_in_slices(&limits, INTERVAL, &stop, &mut |_, report| {
            tell(report, None);
            // Once the tree is full, more time finds little more.
            break_if(report.is_full)
        });
        let reason = if report.is_full { "memory" } else { "proven" };
        tell(&report, Some(reason));
    }
}

/// Turns reports into events. It has a game of its own to follow variations on.
struct Reporter<'a> {
    players: &'a [Seat],
    seat: Seat,
    best: usize,
    game: Box<dyn RunningGame>,
}

impl<'a> Reporter<'a> {
    fn new(analysis: &'a Analysis, engine: &Engine) -> Self {
        let mut game = review::new_game(&analysis.start);
        for &mv in &analysis.moves {
            let _ = game.play(mv);
        }
        Self {
            players: analysis.start.players(),
            seat: engine.to_move(),
            best: analysis.best,
            game,
        }
    }

    fn event(
        &mut self,
        id: u64,
        began: Instant,
        report: &Report<MoveCode>,
        reason: Option<&'static str>,
    ) -> AnalysisEvent {
        let searched = SearchedPosition::of(self.seat, report.clone());
        let values = searched.values(self.players);
        let values = self
            .players
            .iter()
            .map(|&seat| review::chance(values[seat]));
        AnalysisEvent {
            id,
            done: reason.is_some(),
            iterations: report.iterations,
            seconds: began.elapsed().as_secs_f64(),
            values: values.collect(),
            exact: searched.proof.is_some(),
            best: review::best_moves(
                &mut *self.game,
                &searched,
                (self.best, LINE),
                None,
                self.players,
            ),
            reason,
        }
    }
}
