//! The jobs that a page can ask for, one at a time.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::Analysis;
use super::error::ApiError;
use super::game_review::GameReview;
use super::genmove::GenMove;
use super::page_state::{Job, Page};
use super::pages::Pages;

/// The most moves of a variation.
pub(super) const LINE: usize = 12;

/// What a job does.
pub(super) enum Work {
    Analyze(Analysis),
    GenMove(Box<GenMove>),
    Review(Box<GameReview>),
}

/// The answer of a command that only starts something.
#[derive(Serialize)]
pub(super) struct Started {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskStop {
    page: String,
}

/// Ends the job of a page.
pub(super) fn stop(pages: &Pages, asked: AskStop) -> Result<Started, ApiError> {
    pages.find(&asked.page)?.stop();
    Ok(Started {})
}

/// Tells a page that its job was ended for the sake of others.
pub(super) fn tell_asleep(page: &Page, job: &Job) {
    page.post(job, "asleep", &json!({ "id": job.id }));
}

/// Tells a page why its job failed.
pub(super) fn tell_failed(page: &Page, job: &Job, error: &str) {
    page.post(job, "failed", &json!({ "id": job.id, "error": error }));
}
