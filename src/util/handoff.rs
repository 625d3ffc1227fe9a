//! A bounded queue between threads: producers wait for room, consumers wait for items.

use super::atomics::{Condvar, Mutex};

/// A queue `Q` that threads share until it is closed. What the queue holds, and when it is full, is up
/// to the functions that put and take.
#[derive(Default)]
pub(crate) struct Handoff<Q> {
    state: Mutex<State<Q>>,
    /// Something was put, or the queue was closed.
    news: Condvar,
    /// Something was taken, or the queue was closed.
    room: Condvar,
}

#[derive(Default)]
struct State<Q> {
    queue: Q,
    is_closed: bool,
}

impl<Q> Handoff<Q> {
    pub(crate) fn new(queue: Q) -> Self {
        Self {
            state: Mutex::new(State {
                queue,
                is_closed: false,
            }),
            news: Condvar::new(),
            room: Condvar::new(),
        }
    }

    /// Calls `put` until it returns true; between calls, waits until something is taken. Returns
    /// false if the queue is closed.
    pub(crate) fn put(&self, mut put: impl FnMut(&mut Q) -> bool) -> bool {
        let mut state = self.state.lock();
        while !state.is_closed {
            if put(&mut state.queue) {
                self.news.notify_all();
                return true;
            }
            self.room.wait(&mut state);
        }
        false
    }

    /// Calls `take` until it returns something; between calls, waits until something is put. Returns
    /// `None` once the queue is closed and `take` finds nothing.
    pub(crate) fn take<T>(&self, mut take: impl FnMut(&mut Q) -> Option<T>) -> Option<T> {
        let mut state = self.state.lock();
        loop {
            if let Some(item) = take(&mut state.queue) {
                self.room.notify_all();
                return Some(item);
            }
            if state.is_closed {
                return None;
            }
            self.news.wait(&mut state);
        }
    }

    /// Reads the queue, or takes from it without waiting.
    pub(crate) fn with<T>(&self, access: impl FnOnce(&mut Q) -> T) -> T {
        let result = access(&mut self.state.lock().queue);
        self.room.notify_all();
        result
    }

    /// Closes the queue: nothing can be put any more. What it holds can still be taken.
    pub(crate) fn close(&self) {
        self.state.lock().is_closed = true;
        self.news.notify_all();
        self.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts `0..count` into a queue of at most two items.
    fn put(handoff: &Handoff<Vec<u32>>, count: u32) -> bool {
        (0..count).all(|item| {
            handoff.put(|queue| {
                let has_room = queue.len() < 2;
                if has_room {
                    queue.push(item);
                }
                has_room
            })
        })
    }

    fn take(handoff: &Handoff<Vec<u32>>) -> Option<u32> {
        handoff.take(|queue| (!queue.is_empty()).then(|| queue.remove(0)))
    }

    #[test]
    fn items_come_in_order_through_a_bounded_queue() {
        let handoff = Handoff::default();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(put(&handoff, 1000));
                handoff.close();
            });
            let taken: Vec<u32> = std::iter::from_fn(|| take(&handoff)).collect();
            assert!(taken.into_iter().eq(0..1000));
        });
        assert!(!put(&handoff, 1));
    }

    #[test]
    fn closing_wakes_producers_and_consumers() {
        let (full, empty) = (Handoff::default(), Handoff::default());
        std::thread::scope(|scope| {
            let producer = scope.spawn(|| put(&full, 3));
            let consumer = scope.spawn(|| take(&empty));
            while full.with(|queue| queue.len()) < 2 {
                std::thread::yield_now();
            }
            full.close();
            empty.close();
            assert!(!producer.join().unwrap());
            assert_eq!(consumer.join().unwrap(), None);
        });
        // What the queue holds can still be taken.
        assert_eq!(
            (take(&full), take(&full), take(&full)),
            (Some(0), Some(1), None)
        );
    }
}
