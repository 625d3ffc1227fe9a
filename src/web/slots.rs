//! Which pages have an engine. Engines take memory, so their number is limited; the least recently used
//! one is put to sleep for a new one.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::page_state::{Job, Page};

/// How often a page that waits for a slot looks whether its job was stopped.
const TICK: Duration = Duration::from_millis(20);

pub(super) struct Slots {
    most: usize,
    /// In MiB, for all engines together.
    memory: u64,
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    holders: Vec<Arc<Page>>,
    /// The page whose engine has the memory of the free slots too.
    borrower: Option<Arc<Page>>,
    /// Pages that wait for a slot.
    waiting: usize,
}

/// The right to have an engine.
pub(super) struct Permit {
    slots: Arc<Slots>,
    page: Arc<Page>,
}

impl Slots {
    pub(super) fn new(most: usize, memory: u64) -> Self {
        Self {
            most,
            memory,
            state: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// The part of the memory that every engine can have, in MiB.
    pub(super) fn part(&self) -> u64 {
        (self.memory / self.most as u64).max(1)
    }

    /// Waits for the right to have an engine. If there are too many, another page loses its own.
    /// `None` if the job was stopped meanwhile.
    pub(super) fn acquire(self: &Arc<Self>, page: &Arc<Page>, job: &Job) -> Option<Permit> {
        let mut state = self.state.lock();
        state.waiting += 1;
        let mut permit = None;
        while !job.is_stopped() {
            let is_full = state.holders.len() >= self.most;
            if !is_full && state.borrower.is_none() {
                state.holders.push(Arc::clone(page));
                permit = Some(Permit {
                    slots: Arc::clone(self),
                    page: Arc::clone(page),
                });
                break;
            }
            if !state.holders.iter().any(|page| page.is_falling_asleep()) {
                match &state.borrower {
                    Some(borrower) if !is_full => borrower.begin_again(),
                    _ => {
                        let least = state.holders.iter().min_by_key(|page| page.usage());
                        least.inspect(|page| page.put_to_sleep());
                    }
                }
            }
            self.freed.wait_for(&mut state, TICK);
        }
        state.waiting -= 1;
        permit
    }
}

impl Permit {
    /// The memory for the next job, in MiB: a part, and those of the free slots unless another engine
    /// has or needs them.
    pub(super) fn memory(&self) -> u64 {
        let mut state = self.slots.state.lock();
        let is_own = |page: &Arc<Page>| Arc::ptr_eq(page, &self.page);
        let is_free = state.waiting == 0 && state.borrower.as_ref().is_none_or(is_own);
        let free = self.slots.most - state.holders.len();
        if !is_free || free == 0 {
            return self.slots.part();
        }
        state.borrower = Some(Arc::clone(&self.page));
        self.slots.part() * (1 + free as u64)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.slots.state.lock();
        let is_own = |page: &Arc<Page>| Arc::ptr_eq(page, &self.page);
        if let Some(own) = state.holders.iter().position(is_own) {
            state.holders.swap_remove(own);
        }
        if state.borrower.as_ref().is_some_and(is_own) {
            state.borrower = None;
        }
        self.slots.freed.notify_all();
    }
}
