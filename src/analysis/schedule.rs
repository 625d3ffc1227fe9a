//! Which position is searched next, and which searches are to end.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use parking_lot::{Condvar, Mutex};

use super::request::{Query, Target};

/// With positions that wait worth so many bytes, the next query waits until one of them begins.
const MAX_WAITING: usize = 64 << 20;

/// What a waiting position takes beside its query, in bytes.
const JOB_COST: usize = 256;

/// One position of a query.
pub(super) struct Job {
    pub(super) query: Arc<Query>,
    pub(super) turn: usize,
    /// Its place in the order of arrival.
    number: u64,
    /// What it takes while it waits, in bytes: its share of the query, roughly.
    cost: usize,
    ended: AtomicBool,
}

impl Job {
    /// Whether its search is to end.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(SeqCst)
    }

    fn is_in(&self, target: &Target) -> bool {
        let same = |id: &String| *id == self.query.id;
        let listed = |turns: &BTreeSet<usize>| turns.contains(&self.turn);
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
    /// A position was taken, or none will come any more.
    room: Condvar,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<(Reverse<i64>, u64), Arc<Job>>,
    running: BTreeMap<u64, Arc<Job>>,
    count: u64,
    /// What all that wait take.
    cost: usize,
    is_closed: bool,
}

impl Schedule {
    /// Takes the positions of a query in; waits while there are too many.
    pub(super) fn add(&self, query: &Arc<Query>) {
        let cost = JOB_COST + query.cost() / query.turns.len().max(1);
        let mut state = self.state.lock();
        while state.cost >= MAX_WAITING && !state.is_closed {
            self.room.wait(&mut state);
        }
        if state.is_closed {
            return;
        }
        for (&turn, &priority) in &query.turns {
            state.count += 1;
            state.cost += cost;
            let number = state.count;
            let job = Job {
                query: Arc::clone(query),
                turn,
                number,
                cost,
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
                state.cost = state.cost.saturating_sub(job.cost);
                self.room.notify_all();
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
        state.cost = rest.values().map(|job| job.cost).sum();
        state.waiting = rest;
        self.room.notify_all();
        never.into_values().collect()
    }

    /// No more positions will come; those that wait are still searched.
    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.news.notify_all();
        self.room.notify_all();
    }

    /// No more positions will come, and none is searched any more.
    pub(super) fn abandon(&self) {
        let all = Target {
            id: None,
            turns: None,
        };
        // Nothing may come in between.
        self.close();
        self.terminate(&all);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::request::{Request, read};
    use super::super::{Options, Perspective, TIME_AFTER_END};
    use super::*;
    use crate::params::Params;

    #[test]
    fn what_waits_has_a_bound() {
        let options = Options {
            positions: 1,
            params: Params::default(),
            explicit_time: false,
            perspective: Perspective::SideToMove,
            quits_without_waiting: false,
            time_after_end: TIME_AFTER_END,
        };
        let line = br#"{"id":"q","moves":[],"boardXSize":9,"boardYSize":9}"#;
        let Ok(Request::Query(query, _)) = read(line, &options) else {
            panic!("a query");
        };
        let query: Arc<Query> = Arc::from(query);
        let schedule = Schedule::default();
        let most = MAX_WAITING / (JOB_COST + query.cost()) + 1;
        std::thread::scope(|scope| {
            let adder = scope.spawn(|| (0..most + 2).for_each(|_| schedule.add(&query)));
            while schedule.state.lock().waiting.len() < most {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(50));
            let waiting = schedule.state.lock().waiting.len();
            let job = schedule.next().unwrap();
            schedule.done(&job);
            let all = Target {
                id: None,
                turns: None,
            };
            let terminated = schedule.terminate(&all).len();
            adder.join().unwrap();
            assert!(waiting == most && terminated >= most - 1, "{waiting}");
            // Nobody waits for room once it is closed.
            let waiting = schedule.state.lock().waiting.len();
            (waiting..most).for_each(|_| schedule.add(&query));
            schedule.abandon();
            schedule.add(&query);
            assert!(schedule.next().is_none());
        });
    }
}
