//! The stream of events of a page.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::Uri;
use axum::response::IntoResponse;
use axum::response::sse::{Event, Sse};
use futures_util::stream;

use super::error::ApiError;
use super::page_state::Page;
use super::pages::Pages;
use super::server::Shared;

/// A stream with no event for this long sends a comment, which shows that both sides are there.
const PING: Duration = Duration::from_secs(1);

/// Ends the page with its stream.
struct Stream {
    page: Arc<Page>,
    pages: Arc<Pages>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.pages.leave(&self.page);
    }
}

/// Opens a page: `?page=NAME`.
pub(super) async fn events(
    State(shared): State<Arc<Shared>>,
    uri: Uri,
) -> Result<impl IntoResponse, ApiError> {
    let id = uri.query().and_then(|query| query.strip_prefix("page="));
    let page = shared.pages.enter(id.unwrap_or_default())?;
    shared.pages.greet(&page);
    let own = Stream {
        page,
        pages: Arc::clone(&shared.pages),
    };
    // Events are taken only when the connection has room for them.
    Ok(Sse::new(stream::unfold(own, async |own| {
        let event = match own.page.take(PING).await.ok()? {
            Some(event) => Event::default().event(event.name).data(event.data),
            None => Event::default().comment(""),
        };
        Some((Ok::<_, Infallible>(event), own))
    })))
}
