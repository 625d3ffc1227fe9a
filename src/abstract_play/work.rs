//! What the bot does with an accepted turn: it searches for a move, then sends it.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::bot::{Bot, now};
use super::client::{Failure, Sent};
use super::game::Game;
use super::log::{Line, log};
use super::queue::TurnId;
use super::schedule::Delivery;
use super::store::{Sending, Turn};
use super::think::think;
use crate::util::random::{Random, system_seed};

/// The pause after the first failed attempt, and the longest one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

impl Bot {
    /// Searches for the moves of waiting turns, until the bot stops.
    pub(super) fn search_all(&self) {
        while let Some((turn, waiting)) = self.searches.next(&|| self.is_stopped()) {
            self.search(&turn, waiting);
            self.searches.done();
        }
    }

    /// Searches for the move of a turn, and hands it on to be sent.
    pub(super) fn search(&self, id: &TurnId, waiting: usize) {
        let turn = self.store.lock().turn(id).cloned();
        let Some(turn) = turn else { return };
        let game = match Game::read(&turn.message) {
            Ok(game) => game,
            Err(reason) => return self.give_up(id, &reason),
        };
        let left = Duration::try_from_secs_f64(turn.end() - now()).unwrap_or_default();
        let pace = self.policy.pace(left, waiting);
        let Some(found) = think(&game, &self.params, pace, &|| self.is_stopped()) else {
            return;
        };
        let word = game.word(found.mv);
        log(&Line {
            event: "move found",
            game: Some(&id.0),
            plies: Some(id.1),
            mv: Some(&word),
            value: Some(found.value),
            iterations: Some(found.iterations),
            seconds: Some(found.seconds),
            ..Line::default()
        });
        let is_current = self.store.lock().set_move(id, word, found.is_last);
        if is_current {
            self.deliveries
                .push(Delivery::new(id.clone()), Duration::ZERO);
        }
    }

    /// Sends moves, until the bot stops.
    pub(super) fn deliver_all(&self) {
        while let Some(delivery) = self.deliveries.next(&|| self.is_stopped()) {
            if let Some((delivery, pause)) = self.deliver(delivery) {
                self.deliveries.push(delivery, pause);
            }
            self.deliveries.done();
        }
    }

    /// Sends a move once; returns what is to be sent again, and after which pause.
    pub(super) fn deliver(&self, mut delivery: Delivery) -> Option<(Delivery, Duration)> {
        let id = &delivery.turn;
        let is_left = delivery.is_left;
        let sending = if is_left {
            Sending::Again
        } else {
            Sending::Begun
        };
        let begun = self.store.lock().set_sending(id, sending);
        // Without this note on the disk a killed bot would not know that it may have sent the move.
        let Some(turn) = self.note_failure(begun) else {
            return Some(self.retry(delivery, "the state cannot be written", Duration::ZERO));
        };
        let turn: Turn = turn?;
        let mv = turn.mv.as_deref()?;
        let sent = self.client.send(&turn.message.meta_game, &id.0, mv);
        match sent {
            Sent::Delivered => self.delivered(id, &turn, "move delivered", None),
            Sent::Refused(reason) if delivery.may_be_made => {
                self.delivered(id, &turn, "move was made before", Some(&reason));
            }
            Sent::Refused(reason) => self.give_up(id, &reason),
            Sent::Failed(failure) if is_left && !failure.is_known => {
                let reason = format!(
                    "sent once more after a restart, and again without an answer: {}",
                    failure.text
                );
                self.give_up(id, &reason);
            }
            Sent::Failed(failure) => {
                if failure.is_known {
                    let earlier = if is_left {
                        Sending::Begun
                    } else {
                        Sending::Clear
                    };
                    let noted = self.store.lock().set_sending(id, earlier);
                    self.note_failure(noted);
                }
                delivery.may_be_made |= failure.may_be_made;
                let Failure { text, pause, .. } = failure;
                if now() >= turn.end() {
                    let reason = format!("the clock is empty, and the last attempt failed: {text}");
                    self.give_up(id, &reason);
                    return None;
                }
                let left = Duration::try_from_secs_f64(turn.end() - now()).unwrap_or_default();
                let (delivery, own) = self.retry(delivery, &text, pause.unwrap_or_default());
                // The last attempts come before the clock is empty.
                return Some((delivery, own.min(left / 2).max(FIRST_PAUSE)));
            }
        }
        None
    }

    /// Logs a failed attempt; returns it with the pause before the next one, at least `wanted`.
    fn retry(
        &self,
        mut delivery: Delivery,
        reason: &str,
        wanted: Duration,
    ) -> (Delivery, Duration) {
        self.counts.retries.fetch_add(1, Relaxed);
        let (game, plies) = &delivery.turn;
        log(&Line {
            event: "attempt failed",
            game: Some(game),
            plies: Some(*plies),
            reason: Some(reason),
            ..Line::default()
        });
        // Up to half as long again, so that many moves do not come at once.
        let doubled = FIRST_PAUSE * (1 << delivery.failed.min(10));
        let own = doubled
            .min(LONGEST_PAUSE)
            .mul_f64(1.0 + Random::new(system_seed()).unit() / 2.0);
        delivery.failed += 1;
        (delivery, own.max(wanted.min(LONGEST_PAUSE)))
    }

    fn delivered(&self, id: &TurnId, turn: &Turn, event: &'static str, reason: Option<&str>) {
        self.counts.delivered.fetch_add(1, Relaxed);
        log(&Line {
            event,
            game: Some(&id.0),
            plies: Some(id.1),
            mv: turn.mv.as_deref(),
            seconds: Some(now() - turn.accepted),
            reason,
            ..Line::default()
        });
        let ended = self.store.lock().end(id, true);
        self.note_failure(ended);
    }
}
