//! Reviews of whole games.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::header::Header;
use super::job::{LINE, Started, Work, tell_failed};
use super::line::Line;
use super::page_state::{Job, Page};
use super::pages::Pages;
use crate::params::Params;
use crate::review::{self, Review, ReviewError, ReviewProgress, ReviewSettings};
use crate::search::SearchLimits;
use crate::variant::GameRecord;

/// The most best moves of a position.
const MOST_BEST: usize = 50;
/// The longest search of a position, in seconds.
const MOST_SECONDS: f64 = 3600.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskReview {
    page: String,
    id: u64,
    line: Line,
    #[serde(default)]
    comments: Vec<Option<String>>,
    #[serde(default)]
    header: Header,
    iterations: Option<u64>,
    seconds: Option<f64>,
    best: Option<usize>,
}

pub(super) struct GameReview {
    record: GameRecord,
    iterations: Option<u64>,
    seconds: Option<f64>,
    best: usize,
}

/// Starts the review of a game.
pub(super) fn review(pages: &Pages, asked: AskReview) -> Result<Started, ApiError> {
    let best = asked.best.unwrap_or(5);
    if !(1..=MOST_BEST).contains(&best) {
        let text = format!("invalid `best` `{best}`: expected 1 to {MOST_BEST}");
        return Err(ApiError::content(text));
    }
    if asked.iterations == Some(0) {
        let text = "invalid `iterations` `0`: expected a whole number from 1";
        return Err(ApiError::content(text));
    }
    let is_time = |seconds: f64| seconds > 0.0 && seconds <= MOST_SECONDS;
    if let Some(seconds) = asked.seconds.filter(|&seconds| !is_time(seconds)) {
        let text = format!(
            "invalid `seconds` `{seconds}`: expected a number above 0, at most {MOST_SECONDS}"
        );
        return Err(ApiError::content(text));
    }
    pages.find(&asked.page)?;
    let mut record = asked.line.read()?;
    asked.header.apply(&mut record)?;
    for (played, comment) in record.moves.iter_mut().zip(asked.comments) {
        played.comment = comment;
    }
    let review = GameReview {
        record,
        iterations: asked.iterations,
        seconds: asked.seconds,
        best,
    };
    pages.submit(&asked.page, asked.id, Work::Review(Box::new(review)))?;
    Ok(Started {})
}

#[derive(Serialize)]
struct ProgressEvent {
    id: u64,
    done: usize,
    all: usize,
    verifying: Option<usize>,
}

#[derive(Serialize)]
struct ReviewEvent<'a> {
    id: u64,
    review: &'a Review,
}

impl GameReview {
    /// Reviews the game with engines of these parameters.
    pub(super) fn run(&self, params: Params, page: &Page, job: &Job) {
        let mut params = params;
        if self.iterations.is_some() || self.seconds.is_some() {
            params.iterations = self.iterations;
            params.time_per_move = self.seconds;
        }
        let move_limits = params.move_limits();
        let settings = ReviewSettings {
            params,
            limits: &|| SearchLimits::of(move_limits, Instant::now(), Duration::ZERO),
            best: self.best,
            line: LINE,
        };
        let mut progress = ProgressEvent {
            id: job.id,
            done: 0,
            all: self.record.moves.len() + 1,
            verifying: None,
        };
        let mut tell = |at| {
            match at {
                ReviewProgress::Searched(done, all) => (progress.done, progress.all) = (done, all),
                ReviewProgress::Verifying(number) => progress.verifying = Some(number),
            }
            page.post(job, "progress", &progress);
        };
        let found = review::examine(&self.record, &settings, &mut tell, &|| job.is_stopped());
        match &found {
            _ if job.is_stopped() => {}
            Ok(review) => page.post(job, "review", &ReviewEvent { id: job.id, review }),
            Err(ReviewError::Stopped) => {}
            Err(error) => tell_failed(page, job, &error.to_string()),
        }
    }
}
