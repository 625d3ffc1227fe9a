//! What the bot does with an accepted turn: it searches for a move, then sends it.

use std::panic::{AssertUnwindSafe, catch_unwind};
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
/// The longest pause that the server may ask for.
const LONGEST_WANTED: Duration = Duration::from_secs(3600);

impl Bot {
    /// Searches for the moves of waiting turns, until the bot stops.
    pub(super) fn search_all(&self) {
        while let Some((turn, waiting)) = self.searches.next(&|| self.is_stopped()) {
            // A thread that ends would take no more turns, and nobody would see it.
            let searched = catch_unwind(AssertUnwindSafe(|| self.search(&turn, waiting)));
            if searched.is_err() {
                self.give_up(&turn, "the search failed; please report the game");
            }
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
                .push(Delivery::new(id.clone(), turn.accepted), Duration::ZERO);
        }
    }

    /// Sends moves, until the bot stops.
    pub(super) fn deliver_all(&self) {
        while let Some(delivery) = self.deliveries.next(&|| self.is_stopped()) {
            let turn = delivery.turn.clone();
            match catch_unwind(AssertUnwindSafe(|| self.deliver(delivery))) {
                Ok(Some((delivery, pause))) => self.deliveries.push(delivery, pause),
                Ok(None) => {}
                Err(_) => self.give_up(&turn, "the sending failed; please report it"),
            }
            self.deliveries.done();
        }
    }

    /// Sends a move once; returns what is to be sent again, and after which pause.
    pub(super) fn deliver(&self, mut delivery: Delivery) -> Option<(Delivery, Duration)> {
        let id = delivery.turn.clone();
        let turn = self.store.lock().turn(&id).cloned();
        let turn = turn.filter(|turn| turn.accepted == delivery.accepted)?;
        let mv = turn.mv.as_deref()?;
        if let Err(failure) = self.client.prepare() {
            return self.again(delivery, &turn, failure);
        }
        let is_left = delivery.is_left;
        let sending = if is_left {
            Sending::Again
        } else {
            Sending::Begun
        };
        // Without this note on the disk a killed bot would not know that it may have sent the move.
        let begun = self.store.lock().set_sending(&id, sending);
        let Some(is_current) = self.note_failure(begun) else {
            let failure = Failure::before_sending("the state cannot be written".to_string());
            return self.again(delivery, &turn, failure);
        };
        if !is_current {
            return None;
        }
        match self.client.send(&turn.message.meta_game, &id.0, mv) {
            Sent::Delivered => self.delivered(&id, &turn, "move delivered", None),
            Sent::Refused(reason) if delivery.may_be_made => {
                self.delivered(&id, &turn, "move was made before", Some(&reason));
            }
            Sent::Refused(reason) => self.give_up(&id, &reason),
            Sent::Failed(failure) if is_left && !failure.is_known => {
                let text = failure.text;
                let reason =
                    format!("sent once more after a restart, again without an answer: {text}");
                self.give_up(&id, &reason);
            }
            Sent::Failed(failure) => {
                delivery.may_be_made |= failure.may_be_made;
                if failure.is_known {
                    let known = if delivery.may_be_made {
                        Sending::Begun
                    } else {
                        Sending::Clear
                    };
                    let noted = self.store.lock().set_sending(&id, known);
                    self.note_failure(noted);
                }
                return self.again(delivery, &turn, failure);
            }
        }
        None
    }

    /// Logs a failed attempt; returns it with the pause before the next one, or gives the turn up if its
    /// clock is empty.
    fn again(
        &self,
        mut delivery: Delivery,
        turn: &Turn,
        failure: Failure,
    ) -> Option<(Delivery, Duration)> {
        let (game, plies) = &delivery.turn;
        let reason = failure.text;
        let left = turn.end() - now();
        if left <= 0.0 {
            let reason = format!("the clock is empty, and the last attempt failed: {reason}");
            self.give_up(&delivery.turn, &reason);
            return None;
        }
        self.counts.retries.fetch_add(1, Relaxed);
        log(&Line {
            event: "attempt failed",
            game: Some(game),
            plies: Some(*plies),
            reason: Some(&reason),
            ..Line::default()
        });
        // Up to half as long again, so that many moves do not come at once.
        let doubled = FIRST_PAUSE * (1 << delivery.failed.min(10));
        let spread = 1.0 + Random::new(system_seed()).unit() / 2.0;
        let own = doubled.mul_f64(spread).min(LONGEST_PAUSE);
        let wanted = failure.pause.unwrap_or_default().min(LONGEST_WANTED);
        delivery.failed += 1;
        // The last attempts come before the clock is empty.
        let left = Duration::try_from_secs_f64(left / 2.0).unwrap_or_default();
        Some((delivery, own.max(wanted).min(left).max(FIRST_PAUSE)))
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
