//! Which position is searched next, and which searches are to end.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use parking_lot::{Condvar, Mutex};

use super::request::{Query, Target};

/// One position of a query.
pub(super) struct Job {
    pub(super) query: Arc<Query>,
    pub(super) turn: usize,
    /// Its place in the order of arrival.
    number: u64,
    ended: AtomicBool,
}

impl Job {
    /// Whether its search is to end.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(SeqCst)
    }

    fn is_in(&self, target: &Target) -> bool {
        let same = |id: &String| *id == self.query.id;
        let listed = |turns: &Vec<i64>| turns.iter().any(|&n| usize::try_from(n) == Ok(self.turn));
        target.id.as_ref().is_none_or(same) && target.turns.as_ref().is_none_or(listed)
    }
}

/// The positions that wait, the one with the highest priority first and then in the order of
/// arrival, and those that are searched.
#[derive(Default)]
pub(super) struct Schedule {
    state: Mutex<State>,
    /// A position came, or none will come any more.
    news: Condvar,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<(Reverse<i64>, u64), Arc<Job>>,
    running: BTreeMap<u64, Arc<Job>>,
    count: u64,
    is_closed: bool,
}

impl Schedule {
    /// Takes the positions of a query in.
    pub(super) fn add(&self, query: &Arc<Query>) {
        let mut state = self.state.lock();
        if state.is_closed {
            return;
        }
        for (&turn, &priority) in &query.turns {
            state.count += 1;
            let number = state.count;
            let job = Job {
                query: Arc::clone(query),
                turn,
                number,
                ended: AtomicBool::new(false),
            };
            state
                .waiting
                .insert((Reverse(priority), number), Arc::new(job));
        }
        self.news.notify_all();
    }

    /// The next position; waits for it. None once the schedule is closed and empty.
    pub(super) fn next(&self) -> Option<Arc<Job>> {
        let mut state = self.state.lock();
        loop {
            if let Some((_, job)) = state.waiting.pop_first() {
                state.running.insert(job.number, Arc::clone(&job));
                return Some(job);
            }
            if state.is_closed {
                return None;
            }
            self.news.wait(&mut state);
        }
    }

    /// A position was answered.
    pub(super) fn done(&self, job: &Job) {
        self.state.lock().running.remove(&job.number);
    }

    /// Ends the searches of a target. Those that had not begun are given back: nobody will
    /// begin them.
    pub(super) fn terminate(&self, target: &Target) -> Vec<Arc<Job>> {
        let mut state = self.state.lock();
        for job in state.running.values().filter(|job| job.is_in(target)) {
            job.ended.store(true, SeqCst);
        }
        let waiting = std::mem::take(&mut state.waiting);
        let (never, rest): (BTreeMap<_, _>, _) =
            waiting.into_iter().partition(|(_, job)| job.is_in(target));
        state.waiting = rest;
        never.into_values().collect()
    }

    /// No more positions will come; those that wait are still searched.
    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.news.notify_all();
    }

    /// No more positions will come, and none is searched any more.
    pub(super) fn abandon(&self) {
        let all = Target {
            id: None,
            turns: None,
        };
        self.terminate(&all);
        self.close();
    }
}
