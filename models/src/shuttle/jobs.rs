//! Numbered jobs on threads, whose results are taken in order.

use std::sync::Arc;

use shuttle::thread;

use crate::util::atomics::{AtomicBool, Mutex, Ordering::Relaxed};
use crate::util::jobs::Jobs;

pub(crate) const MODELS: &[(&str, fn())] = &[
    ("jobs", all),
    ("jobs-last", up_to_the_last),
    ("jobs-error", up_to_an_error),
    ("jobs-stop", until_a_stop),
];

const COUNT: usize = 4;
const THREADS: usize = 2;

/// The numbers of the jobs that began, those whose results were taken, and how the run ended.
type Run = (Vec<usize>, Vec<usize>, Result<(), usize>);

/// Runs jobs of which one may fail; no more results are wanted after that of `last`.
fn run(stop: &AtomicBool, failing: usize, last: usize) -> Run {
    let begun = Mutex::new(Vec::new());
    let mut taken = Vec::new();
    let job = |(): &mut (), number: usize| {
        begun.lock().push(number);
        thread::yield_now();
        Some(number).filter(|&n| n != failing).ok_or(number)
    };
    let end = Jobs::new(COUNT, THREADS, stop).run(job, |number| {
        taken.push(number);
        Ok(number != last)
    });
    let mut begun = begun.into_inner();
    begun.sort_unstable();
    (begun, taken, end)
}

/// Each job runs once, and the results come in order.
fn all() {
    let (begun, taken, end) = run(&AtomicBool::new(false), COUNT, COUNT);
    assert!(begun.iter().copied().eq(0..COUNT), "{begun:?}");
    assert_eq!((taken, end), (begun, Ok(())));
}

/// Results after the last one that is wanted are not taken.
fn up_to_the_last() {
    let (begun, taken, end) = run(&AtomicBool::new(false), COUNT, 1);
    assert!(begun.iter().copied().eq(0..begun.len()), "{begun:?}");
    assert_eq!((taken, end), (vec![0, 1], Ok(())));
}

/// The results before a failure are taken, and the failure is returned, although later jobs may have
/// ended before.
fn up_to_an_error() {
    let (_, taken, end) = run(&AtomicBool::new(false), 1, COUNT);
    assert_eq!((taken, end), (vec![0], Err(1)));
}

/// Whenever the run is stopped, the result of each job that began is taken.
fn until_a_stop() {
    let stop = Arc::new(AtomicBool::new(false));
    let stopper = thread::spawn({
        let stop = Arc::clone(&stop);
        move || stop.store(true, Relaxed)
    });
    let (begun, taken, end) = run(&stop, COUNT, COUNT);
    stopper.join().expect("the thread that stops the run");
    assert!(begun.iter().copied().eq(0..begun.len()), "{begun:?}");
    assert_eq!((taken, end), (begun, Ok(())));
}
