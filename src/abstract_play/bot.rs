//! The bot: what it knows, and how it answers a request.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, json};

use super::client::Client;
use super::config::Config;
use super::game::Game;
use super::keys::Keys;
use super::log::{Line, log};
use super::message::{Challenge, Message, TurnMessage};
use super::policy::Policy;
use super::queue::TurnId;
use super::schedule::{Deliveries, Delivery, Searches};
use super::signature::{Nonces, Signature, SignatureError};
use super::store::{Accepted, Sending, Store, StoreError};
use crate::params::Params;
use crate::tanbo::abstract_play as records;

/// How often old games are forgotten, in seconds.
const SWEEP: f64 = 3600.0;

/// How long a move that an earlier run may have sent waits for a message that shows that it did: the
/// server would take it for a move in the next position.
const NEWS: Duration = Duration::from_secs(1);

/// What happened since the start.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) challenges: AtomicU64,
    pub(super) declined: AtomicU64,
    pub(super) turns: AtomicU64,
    pub(super) known: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) delivered: AtomicU64,
    pub(super) retries: AtomicU64,
    pub(super) failures: AtomicU64,
}

pub(crate) struct Bot {
    pub(super) policy: Policy,
    pub(super) params: Params,
    pub(super) client: Client,
    keys: Keys,
    nonces: Mutex<Nonces>,
    pub(super) store: Mutex<Store>,
    pub(super) searches: Searches,
    pub(super) deliveries: Deliveries,
    pub(super) counts: Counts,
    swept: Mutex<f64>,
    stop: AtomicBool,
}

/// The answer to a request.
#[derive(Debug, PartialEq)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    /// One sentence, or empty.
    pub(super) text: String,
}

impl Reply {
    fn new(status: StatusCode, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { status, text }
    }

    pub(super) fn too_long() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long")
    }

    /// The body of the answer.
    pub(super) fn content(&self) -> Value {
        match self.text.as_str() {
            "" => json!({}),
            text => json!({ "message": text }),
        }
    }
}

/// What `/healthz` tells.
#[derive(Serialize)]
pub(super) struct Health {
    operational: bool,
    /// Running games and accepted challenges.
    games: usize,
    /// Turns that wait for a search or are searched.
    waiting: usize,
    /// Turns whose move is on its way.
    sending: usize,
    /// The age of the oldest turn without a delivered move, in seconds; 0 without such a turn.
    oldest_seconds: f64,
    /// All since the start.
    challenges: u64,
    declined: u64,
    turns: u64,
    known: u64,
    refused: u64,
    delivered: u64,
    retries: u64,
    failures: u64,
}

/// The time, in Unix seconds.
pub(super) fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}

impl Bot {
    /// Reads what an earlier run has left.
    pub(crate) fn new(config: &Config) -> Result<Self, StoreError> {
        let policy = config.policy.clone();
        let bot = Self {
            params: config.params.clone(),
            client: Client::new(config),
            keys: Keys::new(&config.key, &config.state),
            nonces: Mutex::default(),
            store: Mutex::new(Store::open(&config.state, policy.max_clock_hours * 3600.0)?),
            searches: Searches::default(),
            deliveries: Deliveries::default(),
            counts: Counts::default(),
            swept: Mutex::new(0.0),
            stop: AtomicBool::new(false),
            policy,
        };
        bot.keys.prepare(&bot.client);
        bot.take_up()?;
        Ok(bot)
    }

    /// Queues the turns of an earlier run.
    fn take_up(&self) -> Result<(), StoreError> {
        let mut left: Vec<(f64, TurnId, bool, Sending, f64)> = {
            let store = self.store.lock();
            let turns = store.turns().map(|(game, turn)| {
                let id = (game.to_string(), turn.plies());
                (
                    turn.accepted,
                    id,
                    turn.mv.is_some(),
                    turn.sending,
                    turn.end(),
                )
            });
            turns.collect()
        };
        left.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (accepted, turn, has_move, sending, end) in left {
            match (has_move, sending) {
                (_, Sending::Again) => {
                    let reason =
                        "the bot was killed twice while it sent the move, which may have been made";
                    self.give_up(&turn, reason);
                }
                (true, _) => {
                    let is_left = sending == Sending::Begun;
                    let pause = if is_left { NEWS } else { Duration::ZERO };
                    self.deliveries
                        .push(Delivery::left(turn, accepted, is_left), pause);
                }
                (false, _) => {
                    let left = Duration::try_from_secs_f64(end - now()).unwrap_or_default();
                    self.searches.push(turn, self.policy.is_urgent(left));
                }
            }
        }
        Ok(())
    }

    /// Ends a turn whose move cannot be delivered, and tells the owner.
    pub(super) fn give_up(&self, id: &TurnId, reason: &str) {
        let mut store = self.store.lock();
        // A newer turn shows that the game goes on.
        let Some(turn) = store.turn(id) else { return };
        let mv = turn.mv.clone();
        self.counts.failures.fetch_add(1, Relaxed);
        log(&Line {
            event: "turn lost",
            game: Some(&id.0),
            plies: Some(id.1),
            mv: mv.as_deref(),
            reason: Some(reason),
            ..Line::default()
        });
        self.note_failure(store.end(id, false));
    }

    /// Logs that something could not be written to the disk.
    pub(super) fn note_failure<T>(&self, written: Result<T, StoreError>) -> Option<T> {
        written
            .inspect_err(|error| {
                log(&Line {
                    event: "state not written",
                    reason: Some(&error.to_string()),
                    ..Line::default()
                });
            })
            .ok()
    }

    /// Whether no turn waits for a search or a delivery.
    pub(super) fn is_idle(&self) -> bool {
        // In this order: a searched turn is queued for delivery before its search counts as done.
        self.searches.len() == 0 && self.deliveries.len() == 0
    }

    /// Whether a turn was lost since the start.
    pub(super) fn has_failed(&self) -> bool {
        self.counts.failures.load(Relaxed) > 0
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Ends the searches and the deliveries.
    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
        self.searches.wake();
        self.deliveries.wake();
    }

    /// Answers a request.
    pub(super) fn answer(&self, headers: &HeaderMap, body: &[u8]) -> Reply {
        let signed = Signature::read(headers).and_then(|signature| {
            signature.check_time(now() as u64)?;
            self.keys.check(&self.client, &signature, body)?;
            self.nonces.lock().enter(&signature, now() as u64)?;
            Ok(signature)
        });
        let signature = match signed {
            Ok(signature) => signature,
            Err(error) => return self.refuse(StatusCode::UNAUTHORIZED, &error.to_string(), None),
        };
        let text = String::from_utf8_lossy(body);
        match Message::read(body) {
            Ok(Message::Challenge(challenge)) => self.challenge(&challenge, signature.nonce()),
            Ok(Message::Turn(turn)) => self.turn(turn, &text),
            Err(error) => self.refuse(StatusCode::BAD_REQUEST, &error.to_string(), Some(&text)),
        }
    }

    /// Refuses a request; a body is logged only if the server signed it.
    fn refuse(&self, status: StatusCode, reason: &str, body: Option<&str>) -> Reply {
        self.counts.refused.fetch_add(1, Relaxed);
        log(&Line {
            event: "request refused",
            reason: Some(reason),
            body,
            ..Line::default()
        });
        Reply::new(status, reason)
    }

    fn challenge(&self, challenge: &Challenge, nonce: &str) -> Reply {
        let mut store = self.store.lock();
        if store.has_challenge(nonce) {
            drop(store);
            let repeated = SignatureError::Repeated.to_string();
            return self.refuse(StatusCode::UNAUTHORIZED, &repeated, None);
        }
        let now = now();
        self.sweep(&mut store, now);
        let objection = match records::board(&challenge.meta_game, &challenge.variants) {
            Ok(size) => self
                .policy
                .objection(challenge, size.side(), store.running()),
            Err(reason) => Some(reason),
        };
        let objection = objection.or_else(|| {
            let counted = self.note_failure(store.add_challenge(
                now,
                challenge.longest_clock() * 3600.0,
                nonce,
            ));
            counted
                .is_none()
                .then(|| "the state cannot be written".to_string())
        });
        let count = match objection {
            None => &self.counts.challenges,
            Some(_) => &self.counts.declined,
        };
        count.fetch_add(1, Relaxed);
        log(&Line {
            event: if objection.is_none() {
                "challenge accepted"
            } else {
                "challenge declined"
            },
            reason: objection.as_deref(),
            ..Line::default()
        });
        match objection {
            None => Reply::new(StatusCode::OK, ""),
            Some(reason) => Reply::new(StatusCode::BAD_REQUEST, reason),
        }
    }

    fn turn(&self, message: TurnMessage, body: &str) -> Reply {
        let game = match Game::read(&message) {
            Ok(game) => game,
            Err(reason) => return self.refuse(StatusCode::BAD_REQUEST, &reason, Some(body)),
        };
        let turn = (message.game.clone(), message.plies());
        let left = Duration::try_from_secs_f64(message.clock * 3600.0).unwrap_or_default();
        let is_urgent = self.policy.is_urgent(left);
        let accepted = {
            let mut store = self.store.lock();
            let now = now();
            self.sweep(&mut store, now);
            store.accept(message, now, game.is_over())
        };
        let Some(accepted) = self.note_failure(accepted) else {
            let text = "the state cannot be written";
            return Reply::new(StatusCode::SERVICE_UNAVAILABLE, text);
        };
        let event = match accepted {
            Accepted::New => "turn accepted",
            Accepted::Known => "turn known",
            Accepted::Over => "game over",
        };
        let count = match accepted {
            Accepted::Known => &self.counts.known,
            Accepted::New | Accepted::Over => &self.counts.turns,
        };
        count.fetch_add(1, Relaxed);
        log(&Line {
            event,
            game: Some(&turn.0),
            plies: Some(turn.1),
            ..Line::default()
        });
        if accepted == Accepted::New {
            self.searches.push(turn, is_urgent);
        }
        Reply::new(StatusCode::ACCEPTED, "")
    }

    fn sweep(&self, store: &mut Store, now: f64) {
        let mut swept = self.swept.lock();
        if now - *swept > SWEEP {
            *swept = now;
            store.sweep(now);
        }
    }

    pub(super) fn health(&self) -> Health {
        let (games, oldest) = {
            let store = self.store.lock();
            let oldest = store.turns().map(|(_, turn)| turn.accepted);
            (store.running(), oldest.reduce(f64::min))
        };
        let count = |count: &AtomicU64| count.load(Relaxed);
        Health {
            operational: !self.is_stopped(),
            games,
            waiting: self.searches.len(),
            sending: self.deliveries.len(),
            oldest_seconds: oldest.map_or(0.0, |accepted| (now() - accepted).max(0.0)),
            challenges: count(&self.counts.challenges),
            declined: count(&self.counts.declined),
            turns: count(&self.counts.turns),
            known: count(&self.counts.known),
            refused: count(&self.counts.refused),
            delivered: count(&self.counts.delivered),
            retries: count(&self.counts.retries),
            failures: count(&self.counts.failures),
        }
    }
}
