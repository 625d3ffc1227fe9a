//! The positions that wait for a search, and the lines on their way out.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use serde_json::json;
use shuttle::sync::atomic::{AtomicBool, Ordering::SeqCst};
use shuttle::thread;

mod request {
    use std::collections::{BTreeMap, BTreeSet};

    /// What the schedule sees of the engine's query.
    pub(super) struct Query {
        pub(super) id: String,
        pub(super) turns: BTreeMap<usize, i64>,
    }

    impl Query {
        pub(super) fn cost(&self) -> usize {
            0
        }
    }

    /// As the engine's.
    #[derive(Default)]
    pub(super) struct Target {
        pub(super) id: Option<String>,
        pub(super) turns: Option<BTreeSet<usize>>,
    }
}
#[path = "../../../src/analysis/schedule.rs"]
mod schedule;
#[path = "../../../src/analysis/writer.rs"]
mod writer;

use request::{Query, Target};
use schedule::Schedule;
use writer::Writer;

pub(crate) const MODELS: &[(&str, fn())] = &[
    ("schedule", schedule),
    ("schedule-end", schedule_end),
    ("writer", writer),
    ("writer-fault", writer_fault),
];

fn query(id: &str, priorities: &[i64]) -> Arc<Query> {
    let turns = priorities.iter().copied().enumerate().collect();
    let id = id.to_string();
    Arc::new(Query { id, turns })
}

/// What became of a position: of which query, which turn, and whether its search was told to end.
type Found = (String, usize, bool);

/// Takes positions until there are none, as a thread of searches does. When `over` is set, those of
/// the query `ended` have been told.
fn search(schedule: &Schedule, over: &AtomicBool) -> Vec<Found> {
    let mut found = Vec::new();
    while let Some(job) = schedule.next() {
        thread::yield_now();
        let is_over = over.load(SeqCst);
        let told = job.has_ended();
        assert!(told || !is_over || job.query.id != "ended");
        schedule.done(&job);
        found.push((job.query.id.clone(), job.turn, told));
    }
    found
}

/// Two searches, a client that adds and then terminates a query, and another that only adds: each
/// position is searched or removed, once; only the terminated query loses positions, and only its
/// searches are told to end, all that still run.
fn schedule() {
    let schedule = Arc::new(Schedule::default());
    let over = Arc::new(AtomicBool::new(false));
    let searches = [(); 2].map(|()| {
        let (schedule, over) = (Arc::clone(&schedule), Arc::clone(&over));
        thread::spawn(move || search(&schedule, &over))
    });
    let adder = thread::spawn({
        let schedule = Arc::clone(&schedule);
        move || schedule.add(&query("kept", &[0, 5]))
    });
    schedule.add(&query("ended", &[0, 0]));
    let target = Target {
        id: Some("ended".to_string()),
        turns: None,
    };
    let removed = schedule.terminate(&target);
    over.store(true, SeqCst);
    adder.join().expect("the adder");
    schedule.close();
    let mut count: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for job in removed {
        assert_eq!(job.query.id, "ended");
        *count.entry((job.query.id.clone(), job.turn)).or_default() += 1;
    }
    for search in searches {
        let found = search.join().expect("a search");
        for (id, turn, told) in found {
            assert!(!told || id == "ended");
            *count.entry((id, turn)).or_default() += 1;
        }
    }
    assert_eq!(count.len(), 4);
    assert!(count.values().all(|&count| count == 1));
}

/// After the schedule is abandoned, every position that a search still has was told to end, none is
/// added, and none waits.
fn schedule_end() {
    let schedule = Arc::new(Schedule::default());
    let over = Arc::new(AtomicBool::new(false));
    let search = thread::spawn({
        let (schedule, over) = (Arc::clone(&schedule), Arc::clone(&over));
        move || {
            while let Some(job) = schedule.next() {
                let is_over = over.load(SeqCst);
                assert!(!is_over || job.has_ended());
                schedule.done(&job);
            }
        }
    });
    let adder = thread::spawn({
        let schedule = Arc::clone(&schedule);
        move || (0..2).for_each(|_| schedule.add(&query("late", &[0])))
    });
    schedule.add(&query("early", &[0, 0]));
    schedule.abandon();
    over.store(true, SeqCst);
    adder.join().expect("the adder");
    search.join().expect("the search");
    assert!(schedule.next().is_none());
}

/// With a line waiting, another one has to wait.
const MAX_UNWRITTEN: usize = 1;

/// An output that fails once, after so many lines.
struct Output {
    lines: Vec<u64>,
    failing: Option<usize>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        thread::yield_now();
        if self
            .failing
            .take_if(|after| *after == self.lines.len())
            .is_some()
        {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.lines
            .push(serde_json::from_slice(bytes).expect("one whole line"));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Two threads that write two lines each: what was written, and whether that failed. Ends once nobody
/// waits.
fn written(failing: Option<usize>) -> (Vec<u64>, bool) {
    let writer = Writer::default();
    let mut output = Output {
        lines: Vec::new(),
        failing,
    };
    let has_failed = thread::scope(|scope| {
        let writer = &writer;
        let drain = scope.spawn(|| writer.drain(&mut output).is_err());
        let senders = [0, 10].map(|first| {
            scope.spawn(move || (first..first + 2).for_each(|line| writer.write(&json!(line))))
        });
        for sender in senders {
            sender.join().expect("a sender");
        }
        writer.end();
        drain.join().expect("the thread that writes")
    });
    (output.lines, has_failed)
}

/// Each line is written once, those of a thread in their order, and the last ones after the end.
fn writer() {
    let (lines, has_failed) = written(None);
    assert!(!has_failed);
    let of = |first: u64| {
        lines
            .iter()
            .copied()
            .filter(move |&line| line / 10 == first)
    };
    assert!(of(0).eq([0, 1]) && of(1).eq([10, 11]), "{lines:?}");
    assert_eq!(lines.len(), 4);
}

/// After a fault nothing more is written, and nobody waits.
fn writer_fault() {
    let (lines, has_failed) = written(Some(1));
    assert!(has_failed && matches!(*lines, [0 | 10]), "{lines:?}");
}
