//! Numbered jobs on threads, whose results are taken in the order of their numbers, so that what
//! comes of them does not depend on how many threads there are.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use parking_lot::Mutex;

/// Room on a thread for a solver's recursion, in bytes: some hundred plies. Only what is used
/// takes memory.
const STACK: usize = 64 << 20;

/// Jobs to be done.
#[derive(Clone, Copy, Debug)]
pub struct Jobs<'a> {
    /// The numbers of the jobs are those below this.
    pub count: usize,
    /// Jobs side by side; 0 is 1.
    pub concurrency: usize,
    /// Once this is set no job begins.
    pub stop: &'a AtomicBool,
}

/// Results that wait for those before them.
struct Line<T, F> {
    waiting: BTreeMap<usize, T>,
    next: usize,
    take: F,
}

impl<T, F: FnMut(T) -> ControlFlow<()>> Line<T, F> {
    fn add(&mut self, number: usize, result: T) -> ControlFlow<()> {
        self.waiting.insert(number, result);
        while let Some(result) = self.waiting.remove(&self.next) {
            self.next += 1;
            (self.take)(result)?;
        }
        ControlFlow::Continue(())
    }
}

impl Jobs<'_> {
    /// Does the jobs; each thread has a state of its own. `take` hears the results in order,
    /// each when those before it are there; after a break it hears nothing more, and no job begins.
    pub fn run<S: Default, T: Send>(
        &self,
        job: impl Fn(&mut S, usize) -> T + Sync,
        take: impl FnMut(T) -> ControlFlow<()> + Send,
    ) {
        let numbers = AtomicUsize::new(0);
        let over = AtomicBool::new(false);
        let line = Mutex::new(Line {
            waiting: BTreeMap::new(),
            next: 0,
            take,
        });
        let work = || {
            let mut state = S::default();
            while !over.load(Relaxed) && !self.stop.load(Relaxed) {
                let number = numbers.fetch_add(1, Relaxed);
                if number >= self.count {
                    return;
                }
                let result = job(&mut state, number);
                let mut line = line.lock();
                if !over.load(Relaxed) && line.add(number, result).is_break() {
                    over.store(true, Relaxed);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.concurrency.max(1) {
                let builder = thread::Builder::new().stack_size(STACK);
                // Without threads to be had, this one does the work.
                if builder.spawn_scoped(scope, work).is_err() {
                    work();
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is taken of the jobs below `count` if the one numbered `last` ends them.
    fn taken(count: usize, concurrency: usize, last: usize) -> Vec<usize> {
        let stop = AtomicBool::new(false);
        let jobs = Jobs {
            count,
            concurrency,
            stop: &stop,
        };
        let mut taken = Vec::new();
        // Even ones take longer, so that they end after odd ones that began later.
        let job = |_: &mut (), number: usize| {
            if number.is_multiple_of(2) {
                thread::sleep(std::time::Duration::from_millis(1));
            }
            number
        };
        jobs.run(job, |number| {
            taken.push(number);
            match number == last {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        taken
    }

    #[test]
    fn results_come_in_order_up_to_a_break() {
        for concurrency in [0, 1, 2, 7] {
            let all: Vec<usize> = (0..40).collect();
            assert_eq!(taken(40, concurrency, 99), all);
            assert_eq!(taken(40, concurrency, 12), all[..13]);
            assert!(taken(0, concurrency, 0).is_empty());
        }
    }

    #[test]
    fn a_thread_keeps_its_state_and_stops_when_told() {
        let stop = AtomicBool::new(false);
        let jobs = Jobs {
            count: 100,
            concurrency: 1,
            stop: &stop,
        };
        let mut taken = Vec::new();
        let job = |done: &mut usize, number: usize| {
            *done += number;
            stop.store(number == 4, Relaxed);
            *done
        };
        jobs.run(job, |sum| {
            taken.push(sum);
            ControlFlow::Continue(())
        });
        assert_eq!(taken, [0, 1, 3, 6, 10]);
    }
}
