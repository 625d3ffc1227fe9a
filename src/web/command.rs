//! The commands: each reads a JSON object and answers with one.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::error::ApiError;
use super::server::Shared;
use super::{analysis, catalog, game_review, genmove, job, position, records, why};
use crate::util::nearest::hint;
use crate::util::quote::shorten;

/// The longest body, in bytes.
const MOST: usize = 1 << 20;
/// The time for the body of a request.
const BODY_TIME: Duration = Duration::from_secs(10);

pub(super) type Answer = Result<Vec<u8>, ApiError>;
pub(super) type Command = fn(&Shared, &[u8]) -> Answer;

/// The commands by name. They run on threads that may take their time.
const COMMANDS: &[(&str, Command)] = &[
    ("analyze", |shared, body| {
        with(body, |asked| analysis::analyze(&shared.pages, asked))
    }),
    ("catalog", |shared, body| {
        with(body, |Nothing {}| Ok(catalog::catalog(shared)))
    }),
    ("genmove", |shared, body| {
        with(body, |asked| genmove::genmove(&shared.pages, asked))
    }),
    ("open", |_, body| with(body, |asked| records::open(&asked))),
    ("position", |_, body| {
        with(body, |line| position::position(&line))
    }),
    ("replay", |_, body| {
        with(body, |line| position::replay(&line))
    }),
    ("review", |shared, body| {
        with(body, |asked| game_review::review(&shared.pages, asked))
    }),
    ("save", |_, body| with(body, records::save)),
    ("stop", |shared, body| {
        with(body, |asked| job::stop(&shared.pages, asked))
    }),
    ("why", |_, body| with(body, |asked| why::why(&asked))),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// Reads a body and writes an answer.
fn with<T: DeserializeOwned, A: Serialize>(
    body: &[u8],
    answer: impl FnOnce(T) -> Result<A, ApiError>,
) -> Answer {
    if body.trim_ascii_start().first() != Some(&b'{') {
        return Err(ApiError::content("the body is not a JSON object"));
    }
    let asked = serde_json::from_slice(body);
    let asked = asked.map_err(|error| ApiError::content(format!("invalid body: {error}")))?;
    serde_json::to_vec(&answer(asked)?).map_err(internal)
}

fn internal(error: impl ToString) -> ApiError {
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, error)
}

/// The names of all commands.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|&(name, _)| name)
}

/// The command with a name.
pub(super) fn find(name: &str) -> Option<Command> {
    let found = COMMANDS.iter().find(|(command, _)| *command == name);
    found.map(|&(_, execute)| execute)
}

/// Executes a command.
pub(super) async fn command(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, ApiError> {
    let Some(execute) = find(&name) else {
        let names: Vec<&str> = names().collect();
        let text = format!(
            "unknown command `{}`{}",
            shorten(&name, 60),
            hint(&name, &names)
        );
        return Err(ApiError::new(StatusCode::NOT_FOUND, text));
    };
    check_type(request.headers())?;
    let body = read(request).await?;
    let answer = tokio::task::spawn_blocking(move || execute(&shared, &body));
    let answer = answer.await.map_err(|_| internal("the command failed"))??;
    Ok(([(CONTENT_TYPE, "application/json")], answer).into_response())
}

/// Browsers send the forms of foreign pages without asking first, but never as JSON.
fn check_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let is_json = |found: &[u8]| {
        let found = found.split(|&b| b == b';').next().unwrap_or_default();
        found.trim_ascii().eq_ignore_ascii_case(b"application/json")
    };
    match (types.next(), types.next()) {
        (Some(found), None) if is_json(found.as_bytes()) => Ok(()),
        _ => Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "invalid content type: expected `application/json`",
        )),
    }
}

async fn read(request: Request) -> Result<Bytes, ApiError> {
    let too_long = || {
        let text = format!("the body is longer than {} MiB", MOST >> 20);
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, text)
    };
    let length = request.headers().get(CONTENT_LENGTH);
    let length = length.and_then(|text| text.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > MOST as u64) {
        return Err(too_long());
    }
    let body = tokio::time::timeout(BODY_TIME, to_bytes(request.into_body(), MOST));
    match body.await {
        Ok(Ok(body)) => Ok(body),
        // Or the client has gone, and nobody reads the answer.
        Ok(Err(_)) => Err(too_long()),
        Err(_) => Err(ApiError::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body took too long",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_is_read() {
        let check = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, text.parse().unwrap());
            check_type(&headers).is_ok()
        };
        assert!(check("application/json") && check("Application/JSON; charset=utf-8"));
        for wrong in [
            "",
            "text/plain",
            "application/jsonx",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=application/json",
        ] {
            assert!(!check(wrong), "{wrong}");
        }
        assert!(check_type(&HeaderMap::new()).is_err());
    }

    #[test]
    fn the_commands_are_sorted() {
        assert!(COMMANDS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
