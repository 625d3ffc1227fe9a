//! Where turns wait: for a search in the order of the queue, and for a delivery until their time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::queue::{Queue, TurnId};

/// The turns that wait for a search, and those that are searched.
#[derive(Default)]
pub(super) struct Searches {
    state: Mutex<Searching>,
    changed: Condvar,
}

#[derive(Default)]
struct Searching {
    queue: Queue,
    active: usize,
}

impl Searches {
    /// Adds a turn; an urgent one goes before those that are not.
    pub(super) fn push(&self, turn: TurnId, is_urgent: bool) {
        self.state.lock().queue.push(turn, is_urgent);
        self.changed.notify_one();
    }

    /// The next turn and the number of turns that wait, it included; waits for one until `stop`. The
    /// caller says when it is [done](Self::done).
    pub(super) fn next(&self, stop: &dyn Fn() -> bool) -> Option<(TurnId, usize)> {
        let mut state = self.state.lock();
        while !stop() {
            let waiting = state.queue.len();
            if let Some(turn) = state.queue.pop() {
                state.active += 1;
                return Some((turn, waiting));
            }
            self.changed.wait(&mut state);
        }
        None
    }

    pub(super) fn done(&self) {
        self.state.lock().active -= 1;
    }

    /// The turns that wait or are searched.
    pub(super) fn len(&self) -> usize {
        let state = self.state.lock();
        state.queue.len() + state.active
    }

    /// Lets everybody who waits look whether to stop.
    pub(super) fn wake(&self) {
        let _state = self.state.lock();
        self.changed.notify_all();
    }
}

/// The moves that are to be sent, by their time.
#[derive(Default)]
pub(super) struct Deliveries {
    state: Mutex<Sending>,
    changed: Condvar,
}

#[derive(Default)]
struct Sending {
    due: BTreeMap<(Instant, u64), Delivery>,
    arrivals: u64,
    active: usize,
}

/// A move on its way.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    pub(super) turn: TurnId,
    /// When the turn was accepted: one that was given up may be accepted again.
    pub(super) accepted: f64,
    /// Attempts that failed.
    pub(super) failed: u32,
    /// Whether one of them may have made the move.
    pub(super) may_be_made: bool,
    /// Whether an earlier run of the bot may have sent it.
    pub(super) is_left: bool,
}

impl Delivery {
    /// A move that was just found.
    pub(super) fn new(turn: TurnId, accepted: f64) -> Self {
        Self::left(turn, accepted, false)
    }

    /// A move of an earlier run, which may have sent it.
    pub(super) fn left(turn: TurnId, accepted: f64, is_left: bool) -> Self {
        Self {
            turn,
            accepted,
            failed: 0,
            may_be_made: is_left,
            is_left,
        }
    }
}

impl Deliveries {
    pub(super) fn push(&self, delivery: Delivery, pause: Duration) {
        let mut state = self.state.lock();
        state.arrivals += 1;
        let place = (Instant::now() + pause, state.arrivals);
        state.due.insert(place, delivery);
        self.changed.notify_one();
    }

    /// The next delivery that is due; waits for one until `stop`. The caller says when it is
    /// [done](Self::done).
    pub(super) fn next(&self, stop: &dyn Fn() -> bool) -> Option<Delivery> {
        let mut state = self.state.lock();
        while !stop() {
            let Some(first) = state.due.first_entry() else {
                self.changed.wait(&mut state);
                continue;
            };
            let due = first.key().0;
            if due <= Instant::now() {
                let delivery = first.remove();
                state.active += 1;
                // Somebody else has to wait for the next one.
                self.changed.notify_one();
                return Some(delivery);
            }
            self.changed.wait_until(&mut state, due);
        }
        None
    }

    /// The delivery that is due first, if there is one, whether or not its time has come. The caller says
    /// when it is [done](Self::done).
    pub(super) fn first(&self) -> Option<Delivery> {
        let mut state = self.state.lock();
        let (_, delivery) = state.due.pop_first()?;
        state.active += 1;
        Some(delivery)
    }

    pub(super) fn done(&self) {
        self.state.lock().active -= 1;
    }

    /// The moves that wait or are being sent.
    pub(super) fn len(&self) -> usize {
        let state = self.state.lock();
        state.due.len() + state.active
    }

    /// Lets everybody who waits look whether to stop.
    pub(super) fn wake(&self) {
        let _state = self.state.lock();
        self.changed.notify_all();
    }
}
