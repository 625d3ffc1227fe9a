//! The way to the server: a token, and a move with it.

use std::io;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body, Error, Timeout};

use super::config::{Config, Secret};
use crate::util::quote::shorten;

/// The longest that a request may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;
/// The longest that a part of it may take that comes before the request itself.
const CONNECT: Duration = Duration::from_secs(10);
/// The usual [`Client::token_pause`].
const TOKEN_PAUSE: Duration = Duration::from_secs(2);
/// How long before its end a token is renewed.
const RENEWAL: Duration = Duration::from_secs(60);
/// The life of a token that does not tell it, in seconds.
const USUAL_LIFE: f64 = 300.0;

/// What became of a move.
#[derive(Debug, PartialEq)]
pub(super) enum Sent {
    Delivered,
    /// The server has it and does not take it.
    Refused(String),
    /// Another attempt may help.
    Failed(Failure),
}

/// Why an attempt failed.
#[derive(Debug, PartialEq)]
pub(super) struct Failure {
    pub(super) text: String,
    /// Whether the move may have been made all the same.
    pub(super) may_be_made: bool,
    /// Whether it is known what became of the attempt: the server answered, or got nothing.
    pub(super) is_known: bool,
    /// How long the server wants to be left alone.
    pub(super) pause: Option<Duration>,
}

impl Failure {
    pub(super) fn before_sending(text: String) -> Self {
        Self {
            text,
            may_be_made: false,
            is_known: true,
            pause: None,
        }
    }
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: String,
    expires_in: Option<f64>,
}

/// Why there is none (RFC 6749, section 5.2).
#[derive(Deserialize)]
struct TokenError {
    error: String,
}

struct Token {
    text: String,
    /// When it is renewed.
    end: Instant,
}

#[derive(Serialize)]
struct Move<'a> {
    verb: &'static str,
    gameid: &'a str,
    #[serde(rename = "metaGame")]
    meta_game: &'a str,
    #[serde(rename = "move")]
    mv: &'a str,
}

pub(super) struct Client {
    agent: Agent,
    id: String,
    secret: Secret,
    token_url: String,
    scope: String,
    query_url: String,
    token: Mutex<Option<Token>>,
    /// When and why there was no token.
    no_token: Mutex<Option<(Instant, String)>>,
    /// How long that counts for everybody who wants one.
    pub(super) token_pause: Duration,
}

impl Client {
    pub(super) fn new(config: &Config) -> Self {
        let settings = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .timeout_resolve(Some(CONNECT))
            .timeout_connect(Some(CONNECT))
            .http_status_as_error(false)
            // The token and the secret go to the addresses of the configuration and nowhere else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            // On an old connection a request can get lost without anybody knowing whether it arrived.
            .max_idle_connections(0)
            .user_agent(concat!("tanada/", env!("CARGO_PKG_VERSION")))
            .build();
        Self {
            agent: Agent::new_with_config(settings),
            id: config.client_id.clone(),
            secret: config.client_secret.clone(),
            token_url: config.token_url.clone(),
            scope: config.scope.clone(),
            query_url: config.query_url.clone(),
            token: Mutex::new(None),
            no_token: Mutex::new(None),
            token_pause: TOKEN_PAUSE,
        }
    }

    /// The text at an address.
    pub(super) fn get(&self, url: &str) -> Result<String, String> {
        let mut answer = self
            .agent
            .get(url)
            .call()
            .map_err(|error| error.to_string())?;
        let text = text(&mut answer);
        if answer.status() != StatusCode::OK {
            return Err(self.describe(answer.status(), &text, None));
        }
        Ok(text)
    }

    /// Gets a token if there is none, so that a move can be sent at once.
    pub(super) fn prepare(&self) -> Result<(), Failure> {
        self.token().map(drop).map_err(Failure::before_sending)
    }

    /// Makes a move in a game.
    pub(super) fn send(&self, meta_game: &str, game: &str, mv: &str) -> Sent {
        let body = Move {
            verb: "move",
            gameid: game,
            meta_game,
            mv,
        };
        let mut is_fresh = false;
        loop {
            let token = match self.token() {
                Ok(token) => token,
                Err(text) => return Sent::Failed(Failure::before_sending(text)),
            };
            let bearer = format!("Bearer {token}");
            let request = self
                .agent
                .post(&self.query_url)
                .header("authorization", bearer);
            let mut answer = match request.send_json(&body) {
                Ok(answer) => answer,
                Err(error) => return Sent::Failed(unanswered(&error)),
            };
            let status = answer.status();
            if status == StatusCode::UNAUTHORIZED {
                self.drop_token(&token);
                if !is_fresh {
                    is_fresh = true;
                    continue;
                }
            }
            return self.outcome(&mut answer, &token);
        }
    }

    fn outcome(&self, answer: &mut Response<Body>, token: &str) -> Sent {
        let status = answer.status();
        if status == StatusCode::OK {
            return Sent::Delivered;
        }
        let text = self.describe(status, &text(answer), Some(token));
        let is_verdict = matches!(
            status,
            StatusCode::BAD_REQUEST | StatusCode::CONFLICT | StatusCode::UNPROCESSABLE_ENTITY
        );
        if is_verdict {
            return Sent::Refused(text);
        }
        let pause = answer.headers().get("retry-after");
        let pause = pause.and_then(|pause| pause.to_str().ok()?.parse().ok());
        Sent::Failed(Failure {
            text,
            may_be_made: !status.is_client_error(),
            is_known: true,
            pause: pause.map(Duration::from_secs),
        })
    }

    /// The token; a new one if there is none or it is about to end.
    fn token(&self) -> Result<String, String> {
        // Whoever comes second waits for the token of the first.
        let mut token = self.token.lock();
        if let Some(token) = &*token
            && Instant::now() < token.end
        {
            return Ok(token.text.clone());
        }
        *token = None;
        let mut failed = self.no_token.lock();
        if let Some((when, reason)) = &*failed
            && when.elapsed() < self.token_pause
        {
            return Err(reason.clone());
        }
        *failed = None;
        let found = self.fetch_token();
        match found {
            Ok(fresh) => Ok(token.insert(fresh).text.clone()),
            Err(reason) => {
                *failed = Some((Instant::now(), reason.clone()));
                Err(reason)
            }
        }
    }

    fn fetch_token(&self) -> Result<Token, String> {
        let asked = Instant::now();
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", &self.id),
            ("client_secret", self.secret.reveal()),
            ("scope", &self.scope),
        ];
        let answer = self.agent.post(&self.token_url).send_form(form);
        let mut answer = answer.map_err(|error| format!("no token: {error}"))?;
        let text = text(&mut answer);
        if answer.status() != StatusCode::OK {
            // The answer may hold what was asked with.
            let status = answer.status().as_u16();
            let told: Option<TokenError> = serde_json::from_str(&text).ok();
            let told = told.map_or_else(String::new, |told| {
                format!(": {}", shorten(&told.error, 60))
            });
            let text = format!("no token: status {status}{told}");
            return Err(text.replace(self.secret.reveal(), "…"));
        }
        // The answer is not shown: it may hold a token.
        let found: TokenAnswer = serde_json::from_str(&text).map_err(|error| {
            format!(
                "no token: the answer is unreadable in line {}",
                error.line()
            )
        })?;
        if found.access_token.is_empty()
            || !found.access_token.bytes().all(|b| b.is_ascii_graphic())
        {
            return Err("no token: the answer has none".to_string());
        }
        let life = found.expires_in.unwrap_or(USUAL_LIFE).clamp(0.0, 1e6);
        let end = asked + Duration::from_secs_f64(life).saturating_sub(RENEWAL);
        Ok(Token {
            text: found.access_token,
            end,
        })
    }

    /// Forgets a token that the server does not take, unless there is a newer one already.
    fn drop_token(&self, text: &str) {
        self.token.lock().take_if(|token| token.text == text);
    }

    /// An answer for the log, without the secret and the token.
    fn describe(&self, status: StatusCode, text: &str, token: Option<&str>) -> String {
        let mut text = text.replace(self.secret.reveal(), "…");
        if let Some(token) = token {
            text = text.replace(token, "…");
        }
        format!("status {}: {}", status.as_u16(), shorten(&text, 300))
    }
}

/// The beginning of an answer; empty if it cannot be read.
fn text(answer: &mut Response<Body>) -> String {
    let body = answer.body_mut().with_config().limit(LONGEST_ANSWER);
    body.lossy_utf8(true).read_to_string().unwrap_or_default()
}

/// What a request without an answer means.
fn unanswered(error: &Error) -> Failure {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionReset, Interrupted, InvalidData, NotConnected,
        Other, TimedOut, UnexpectedEof, WouldBlock, WriteZero,
    };
    let is_sent = match error {
        Error::HostNotFound | Error::ConnectionFailed | Error::Tls(_) | Error::Rustls(_) => false,
        Error::Timeout(what) => !matches!(what, Timeout::Resolve | Timeout::Connect),
        // What else the system reports comes before there is a connection: no such name, no way.
        Error::Io(error) => matches!(
            error.kind(),
            BrokenPipe
                | ConnectionAborted
                | ConnectionReset
                | Interrupted
                | InvalidData
                | NotConnected
                | Other
                | TimedOut
                | UnexpectedEof
                | WouldBlock
                | WriteZero
        ),
        _ => true,
    };
    Failure {
        text: error.to_string(),
        may_be_made: is_sent,
        is_known: !is_sent,
        pause: None,
    }
}
