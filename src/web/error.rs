//! Why a request is refused: a status and one sentence.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::util::quote::shorten;

/// The longest sentence, in characters.
const MOST: usize = 400;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ApiError {
    pub(super) status: StatusCode,
    pub(super) text: String,
}

impl ApiError {
    pub(super) fn new(status: StatusCode, text: impl ToString) -> Self {
        let text = shorten(&text.to_string(), MOST);
        Self { status, text }
    }

    /// The content of a request is unreadable or illegal.
    pub(super) fn content(text: impl ToString) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, text)
    }

    pub(super) fn wrong_method() -> Self {
        let text = "invalid method: expected POST for commands, GET for files and events";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, text)
    }

    pub(super) fn forbidden(text: impl ToString) -> Self {
        Self::new(StatusCode::FORBIDDEN, text)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": self.text });
        (self.status, Json(body)).into_response()
    }
}
