//! One request, from a file: for tests, and for functions in a cloud, which get a request as JSON and
//! answer with JSON.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};
use thiserror::Error;

use super::bot::{Bot, Reply};
use super::run::Workers;
use super::server::LONGEST_BODY;
use crate::util::quote::shorten;

/// How often the bot looks whether all moves are sent.
const TICK: Duration = Duration::from_millis(20);

/// Why a text is no request.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum EventError {
    #[error("not a request: {0}; expected {{\"headers\": {{…}}, \"body\": \"…\"}}")]
    Json(String),
    #[error("invalid header `{0}`")]
    Header(String),
    #[error("invalid `body`: expected Base64, as `isBase64Encoded` says")]
    Base64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Json {
    headers: BTreeMap<String, String>,
    body: String,
    #[serde(default)]
    is_base64_encoded: bool,
}

/// A request.
#[derive(Debug)]
pub(crate) struct Event {
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Event {
    /// Reads the JSON that functions in a cloud get: `headers`, `body` and `isBase64Encoded`.
    pub(crate) fn read(text: &str) -> Result<Self, EventError> {
        let json: Json = serde_json::from_str(text)
            .map_err(|error| EventError::Json(shorten(&error.to_string(), 200)))?;
        let mut headers = HeaderMap::new();
        for (name, value) in &json.headers {
            let invalid = || EventError::Header(shorten(name, 60));
            let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
            let value = HeaderValue::from_str(value).map_err(|_| invalid())?;
            headers.append(header, value);
        }
        let body = if json.is_base64_encoded {
            STANDARD
                .decode(&json.body)
                .map_err(|_| EventError::Base64)?
        } else {
            json.body.into_bytes()
        };
        Ok(Self { headers, body })
    }

    /// Answers the request; returns the answer as JSON.
    pub(crate) fn answer(&self, bot: &Bot) -> Value {
        let reply = if self.body.len() > LONGEST_BODY {
            Reply::too_long()
        } else {
            bot.answer(&self.headers, &self.body)
        };
        json!({ "statusCode": reply.status.as_u16(), "body": reply.content().to_string() })
    }
}

impl Bot {
    /// Searches for the moves of all accepted turns and sends them. Returns whether all got there;
    /// those that did not before `stop` wait in the state.
    pub(crate) fn finish(self: &Arc<Self>, stop: &dyn Fn() -> bool) -> std::io::Result<bool> {
        let workers = Workers::start(self)?;
        while !self.is_idle() && !stop() {
            thread::sleep(TICK);
        }
        drop(workers);
        Ok(self.is_idle() && !self.has_failed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_with_its_bytes() {
        let event =
            Event::read(r#"{"headers":{"X-A":"1","x-b":"2"},"body":"{}","more":[]}"#).unwrap();
        assert_eq!((event.headers.len(), &*event.body), (2, &b"{}"[..]));
        let event = Event::read(r#"{"headers":{},"body":"e30=","isBase64Encoded":true}"#).unwrap();
        assert_eq!(event.body, b"{}");
        for (text, part) in [
            ("", "not a request"),
            ("{}", "missing field `headers`"),
            (
                r#"{"headers":{"a b":"1"},"body":""}"#,
                "invalid header `a b`",
            ),
            (r#"{"headers":{"a":"\n"},"body":""}"#, "invalid header `a`"),
            (
                r#"{"headers":{},"body":"{}","isBase64Encoded":true}"#,
                "Base64",
            ),
        ] {
            let error = Event::read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
