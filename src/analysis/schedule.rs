//! The positions that wait for a search, and those that are being searched.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::request::{Query, Target};
use crate::util::atomics::{AtomicBool, Ordering::SeqCst};
use crate::util::handoff::Handoff;

/// With this many bytes of waiting positions, the next query has to wait.
const MAX_WAITING: usize = 64 << 20;

/// The bytes of a waiting position without its query.
const JOB_COST: usize = 256;

/// One position of a query.
pub(super) struct Job {
    pub(super) query: Arc<Query>,
    pub(super) turn: usize,
    /// The number of positions that arrived before it.
    number: u64,
    /// The approximate bytes that it takes while it waits, with its share of the query.
    cost: usize,
    ended: AtomicBool,
}

impl Job {
    /// Whether its search should end.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(SeqCst)
    }

    fn is_in(&self, target: &Target) -> bool {
        let same = |id: &String| *id == self.query.id;
        let listed = |turns: &BTreeSet<usize>| turns.contains(&self.turn);
        target.id.as_ref().is_none_or(same) && target.turns.as_ref().is_none_or(listed)
    }
}

/// The positions of all queries that are not answered yet.
#[derive(Default)]
pub(super) struct Schedule {
    jobs: Handoff<Jobs>,
}

#[derive(Default)]
struct Jobs {
    /// By priority, then by arrival.
    waiting: BTreeMap<(Reverse<i64>, u64), Arc<Job>>,
    running: BTreeMap<u64, Arc<Job>>,
    /// The number of positions that have arrived.
    count: u64,
    /// The sum of the costs of the waiting positions.
    cost: usize,
}

impl Schedule {
    /// Adds the positions of a query; waits while there are too many.
    pub(super) fn add(&self, query: &Arc<Query>) {
        let cost = JOB_COST + query.cost() / query.turns.len().max(1);
        self.jobs.put(|jobs| {
            if jobs.cost >= MAX_WAITING {
                return false;
            }
            for (&turn, &priority) in &query.turns {
                let number = jobs.count;
                let job = Job {
                    query: Arc::clone(query),
                    turn,
                    number,
                    cost,
                    ended: AtomicBool::new(false),
                };
                jobs.count += 1;
                jobs.cost += cost;
                jobs.waiting
                    .insert((Reverse(priority), number), Arc::new(job));
            }
            true
        });
    }

    /// Waits for the next position. `None` once the schedule is closed and empty.
    pub(super) fn next(&self) -> Option<Arc<Job>> {
        self.jobs.take(|jobs| {
            let (_, job) = jobs.waiting.pop_first()?;
            jobs.running.insert(job.number, Arc::clone(&job));
            jobs.cost -= job.cost;
            Some(job)
        })
    }

    /// Removes a position that was answered.
    pub(super) fn done(&self, job: &Job) {
        self.jobs.with(|jobs| jobs.running.remove(&job.number));
    }

    /// Ends the searches of a target. Returns the positions whose search had not started; they are
    /// removed.
    pub(super) fn terminate(&self, target: &Target) -> Vec<Arc<Job>> {
        self.jobs.with(|jobs| {
            for job in jobs.running.values().filter(|job| job.is_in(target)) {
                job.ended.store(true, SeqCst);
            }
            let removed = jobs.waiting.extract_if(.., |_, job| job.is_in(target));
            let removed: Vec<Arc<Job>> = removed.map(|(_, job)| job).collect();
            jobs.cost -= removed.iter().map(|job| job.cost).sum::<usize>();
            removed
        })
    }

    /// Accepts no more positions; those that wait are still searched.
    pub(super) fn close(&self) {
        self.jobs.close();
    }

    /// Accepts no more positions, and ends all searches.
    pub(super) fn abandon(&self) {
        // Closed first, so nothing can be added in between.
        self.close();
        self.terminate(&Target::default());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::analysis::request::{Request, read};
    use crate::analysis::{Options, Perspective, TIME_AFTER_END};
    use crate::params::Params;

    #[test]
    fn waiting_positions_are_bounded() {
        let options = Options {
            positions: 1,
            params: Params::default(),
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
        let waiting = || schedule.jobs.with(|jobs| jobs.waiting.len());
        let most = MAX_WAITING / (JOB_COST + query.cost()) + 1;
        std::thread::scope(|scope| {
            let adder = scope.spawn(|| (0..most + 2).for_each(|_| schedule.add(&query)));
            while waiting() < most {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(50));
            let count = waiting();
            let job = schedule.next().unwrap();
            schedule.done(&job);
            let terminated = schedule.terminate(&Target::default()).len();
            adder.join().unwrap();
            assert!(count == most && terminated >= most - 1, "{count}");
            // Closing ends the wait for room.
            (waiting()..most).for_each(|_| schedule.add(&query));
            schedule.abandon();
            schedule.add(&query);
            assert!(schedule.next().is_none());
        });
    }
}
