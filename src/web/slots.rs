//! Which pages have an engine. Engines take memory, so there are only so many; the least recently used
//! one makes room.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::page_state::{Job, Page};

/// How often a page that waits for a slot looks whether its job was stopped.
const TICK: Duration = Duration::from_millis(20);

pub(super) struct Slots {
    most: usize,
    holders: Mutex<Vec<Arc<Page>>>,
    freed: Condvar,
}

/// The right to have an engine.
pub(super) struct Permit {
    slots: Arc<Slots>,
    page: Arc<Page>,
}

impl Slots {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            holders: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Waits for the right to have an engine. If there are too many, another page loses its own.
    /// `None` if the job was stopped meanwhile.
    pub(super) fn acquire(self: &Arc<Self>, page: &Arc<Page>, job: &Job) -> Option<Permit> {
        let mut holders = self.holders.lock();
        while !job.is_stopped() {
            if holders.len() < self.most {
                holders.push(Arc::clone(page));
                return Some(Permit {
                    slots: Arc::clone(self),
                    page: Arc::clone(page),
                });
            }
            if !holders.iter().any(|holder| holder.is_falling_asleep()) {
                let least = holders.iter().min_by_key(|holder| holder.usage());
                least.inspect(|holder| holder.put_to_sleep());
            }
            self.freed.wait_for(&mut holders, TICK);
        }
        None
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut holders = self.slots.holders.lock();
        let own = holders
            .iter()
            .position(|page| Arc::ptr_eq(page, &self.page));
        if let Some(own) = own {
            holders.swap_remove(own);
        }
        self.slots.freed.notify_all();
    }
}
