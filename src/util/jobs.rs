//! Runs numbered jobs on threads and takes their results in the order of their numbers. The outcome
//! does not depend on the number of threads.

use std::collections::BTreeMap;

use super::atomics::{AtomicBool, AtomicUsize, Mutex, Ordering::Relaxed};
use super::threads::{scope, spawn};

/// Jobs to do, numbered from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jobs<'a> {
    count: usize,
    /// The number of threads; 0 means 1.
    concurrency: usize,
    /// Once this is set, no job begins.
    stop: &'a AtomicBool,
}

/// The results that wait for results of lower numbers.
struct Line<T, E, F> {
    waiting: BTreeMap<usize, Result<T, E>>,
    next: usize,
    take: F,
    is_closed: bool,
    error: Option<E>,
}

impl<T, E, F: FnMut(T) -> Result<bool, E>> Line<T, E, F> {
    /// Adds a result, and passes on those whose turn it is; returns whether more are wanted.
    fn add(&mut self, number: usize, result: Result<T, E>) -> bool {
        self.waiting.insert(number, result);
        while !self.is_closed
            && let Some(result) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            // It stays closed if `take` panics.
            self.is_closed = true;
            match result.and_then(&mut self.take) {
                Ok(wants_more) => self.is_closed = !wants_more,
                Err(error) => self.error = Some(error),
            }
        }
        !self.is_closed
    }
}

/// Ends the run after the last job, and after a job that panics.
struct WorkerGuard<'a> {
    over: &'a AtomicBool,
    is_last: bool,
}

impl Drop for WorkerGuard<'_> {
    fn drop(&mut self) {
        self.over.fetch_or(self.is_last, Relaxed);
    }
}

impl<'a> Jobs<'a> {
    pub(crate) fn new(count: usize, concurrency: usize, stop: &'a AtomicBool) -> Self {
        Self {
            count,
            concurrency,
            stop,
        }
    }

    /// Runs the jobs; each thread has a state of its own. `take` gets the results in order, each as
    /// soon as all earlier ones are there, and returns whether it wants more. It should be quick:
    /// threads with a result wait for it. If it wants no more, no job begins.
    ///
    /// # Errors
    /// The error of `take`, or of the failing job with the lowest number that comes before. After an
    /// error no job begins.
    ///
    /// # Panics
    /// If a job or `take` panics. After that no job begins.
    pub(crate) fn run<S: Default, T: Send, E: Send>(
        &self,
        job: impl Fn(&mut S, usize) -> Result<T, E> + Sync,
        take: impl FnMut(T) -> Result<bool, E> + Send,
    ) -> Result<(), E> {
        let numbers = AtomicUsize::new(0);
        let over = AtomicBool::new(false);
        let line = Mutex::new(Line {
            waiting: BTreeMap::new(),
            next: 0,
            take,
            is_closed: false,
            error: None,
        });
        let work = || {
            let mut state = S::default();
            while !over.load(Relaxed) && !self.stop.load(Relaxed) {
                let number = numbers.fetch_add(1, Relaxed);
                if number >= self.count {
                    return;
                }
                let mut ending = WorkerGuard {
                    over: &over,
                    is_last: true,
                };
                let result = job(&mut state, number);
                let failed = result.is_err();
                let wants_more = line.lock().add(number, result);
                ending.is_last = failed || !wants_more;
            }
        };
        scope(|scope| {
            for _ in 0..self.concurrency.max(1) {
                // If no thread can be started, this one does the work.
                if spawn(scope, work).is_err() {
                    work();
                }
            }
        });
        line.into_inner().error.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(milliseconds: u64) {
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
    }

    /// The results up to `last`, and how the run ends if job `failing` fails.
    fn taken(
        count: usize,
        concurrency: usize,
        last: usize,
        failing: usize,
    ) -> (Vec<usize>, Result<(), usize>) {
        let mut taken = Vec::new();
        // Even jobs take longer: they end after odd ones that began later.
        let job = |(): &mut (), number: usize| {
            if number.is_multiple_of(2) {
                pause(1);
            }
            Some(number).filter(|&n| n < failing).ok_or(number)
        };
        let stop = AtomicBool::new(false);
        let end = Jobs::new(count, concurrency, &stop).run(job, |number| {
            taken.push(number);
            Ok(number != last)
        });
        (taken, end)
    }

    #[test]
    fn results_come_in_order_up_to_the_last_or_an_error() {
        for concurrency in [0, 1, 2, 7] {
            let all: Vec<usize> = (0..40).collect();
            assert_eq!(taken(40, concurrency, 99, 99), (all.clone(), Ok(())));
            assert_eq!(taken(40, concurrency, 12, 99), (all[..13].to_vec(), Ok(())));
            assert_eq!(taken(40, concurrency, 99, 9), (all[..9].to_vec(), Err(9)));
            assert_eq!(taken(40, concurrency, 8, 9), (all[..9].to_vec(), Ok(())));
            assert_eq!(taken(0, concurrency, 0, 0), (Vec::new(), Ok(())));
        }
    }

    #[test]
    fn nothing_begins_after_an_error() {
        let begun = AtomicUsize::new(0);
        // The first one waits until the second one, on the other thread, has failed.
        let job = |(): &mut (), number: usize| {
            begun.fetch_add(1, Relaxed);
            pause(u64::from(number == 0) * 50);
            Some(number).filter(|&n| n == 0).ok_or(number)
        };
        let mut taken = Vec::new();
        let end = Jobs::new(usize::MAX, 2, &AtomicBool::new(false)).run(job, |number| {
            taken.push(number);
            Ok(true)
        });
        assert_eq!((end, taken), (Err(1), vec![0]));
        assert_eq!(begun.load(Relaxed), 2);
    }

    #[test]
    fn nothing_begins_after_a_panic() {
        let begun = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let job = |(): &mut (), number: usize| {
            begun.fetch_add(1, Relaxed);
            assert!(number > 0, "this one fails");
            pause(20);
            Ok::<_, ()>(number)
        };
        let run = std::panic::AssertUnwindSafe(|| Jobs::new(1000, 2, &stop).run(job, |_| Ok(true)));
        assert!(std::panic::catch_unwind(run).is_err());
        assert!(begun.load(Relaxed) < 1000);
    }

    #[test]
    fn a_thread_keeps_its_state_and_stops_when_told() {
        let stop = AtomicBool::new(false);
        let mut taken = Vec::new();
        let job = |done: &mut usize, number: usize| {
            *done += number;
            stop.store(number == 4, Relaxed);
            Ok::<_, ()>(*done)
        };
        let end = Jobs::new(100, 1, &stop).run(job, |sum| {
            taken.push(sum);
            Ok(true)
        });
        assert_eq!((end, taken), (Ok(()), vec![0, 1, 3, 6, 10]));
    }
}
