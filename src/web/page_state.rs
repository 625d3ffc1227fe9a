//! An open page: the job that it asked for, and the events for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::job::Work;
use super::outbox::{Event, Next, Outbox};

/// A stream that takes nothing for this long does not reach its page.
const STALL: Duration = Duration::from_secs(5);
/// And after this long the page is gone.
const GONE: Duration = Duration::from_secs(60);

pub(super) struct Page {
    pub(super) id: String,
    outbox: Outbox,
    state: Mutex<State>,
    /// For the thread of the page.
    news: Condvar,
}

struct State {
    next: Option<Arc<Job>>,
    running: Option<Arc<Job>>,
    serial: u64,
    /// The engine is to be freed.
    sleeps: bool,
    is_closed: bool,
    has_thread: bool,
    /// When the page last asked for a job.
    used: Instant,
    /// When the stream last took an event or a ping.
    taken: Instant,
}

/// Something to compute.
pub(super) struct Job {
    /// The number that the page gave it.
    pub(super) id: u64,
    serial: u64,
    is_stopped: AtomicBool,
    pub(super) work: Arc<Work>,
}

impl Job {
    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }

    fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }
}

/// What the thread of a page does next.
pub(super) enum Order {
    Run(Arc<Job>),
    Sleep,
    End,
}

impl Page {
    pub(super) fn new(id: &str) -> Self {
        let now = Instant::now();
        Self {
            id: id.to_string(),
            outbox: Outbox::default(),
            state: Mutex::new(State {
                next: None,
                running: None,
                serial: 0,
                sleeps: false,
                is_closed: false,
                has_thread: false,
                used: now,
                taken: now,
            }),
            news: Condvar::new(),
        }
    }

    /// Replaces the job of the page. Returns whether the page needs a thread for it.
    pub(super) fn submit(&self, id: u64, work: Work) -> bool {
        let mut state = self.state.lock();
        if state.is_closed {
            return false;
        }
        state.drop_jobs();
        state.serial += 1;
        let serial = state.serial;
        self.outbox.begin(Some(serial));
        state.next = Some(Arc::new(Job {
            id,
            serial,
            is_stopped: AtomicBool::new(false),
            work: Arc::new(work),
        }));
        state.used = Instant::now();
        self.news.notify_one();
        !std::mem::replace(&mut state.has_thread, true)
    }

    /// Notes that the thread could not be started.
    pub(super) fn has_no_thread(&self) {
        self.state.lock().has_thread = false;
    }

    /// Ends the job of the page; nothing more is said about it.
    pub(super) fn stop(&self) {
        self.state.lock().drop_jobs();
        self.outbox.begin(None);
    }

    /// Ends the job, frees the engine and ends the stream.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.drop_jobs();
        state.is_closed = true;
        self.outbox.close();
        self.news.notify_one();
    }

    /// Makes the page free its engine.
    pub(super) fn put_to_sleep(&self) {
        let mut state = self.state.lock();
        state.sleeps = true;
        if let Some(job) = &state.running {
            job.stop();
        }
        self.news.notify_one();
    }

    /// Makes the page free its engine and begin its job again, with another one.
    pub(super) fn begin_again(&self) {
        let mut state = self.state.lock();
        state.sleeps = true;
        if let Some(job) = state.running.clone()
            && !job.is_stopped()
        {
            job.stop();
            state.next = Some(Arc::new(Job {
                id: job.id,
                serial: job.serial,
                is_stopped: AtomicBool::new(false),
                work: Arc::clone(&job.work),
            }));
        }
        self.news.notify_one();
    }

    pub(super) fn is_falling_asleep(&self) -> bool {
        self.state.lock().sleeps
    }

    /// The order in which pages have to free their engines: the smallest first.
    pub(super) fn usage(&self) -> (bool, Instant) {
        let state = self.state.lock();
        let is_working = state.running.as_ref().is_some_and(|job| !job.is_stopped());
        (is_working || state.next.is_some(), state.used)
    }

    /// Puts the engine to sleep if it works for a stream that nobody reads. Returns whether the page is gone.
    pub(super) fn check_stream(&self) -> bool {
        let (silence, is_working) = {
            let state = self.state.lock();
            let is_working = state.running.is_some() && !state.sleeps;
            (state.taken.elapsed(), is_working)
        };
        if silence > STALL && is_working {
            self.put_to_sleep();
        }
        silence > GONE
    }

    /// The thread of the page waits for what to do.
    pub(super) fn next_order(&self) -> Order {
        let mut state = self.state.lock();
        loop {
            if state.is_closed {
                return Order::End;
            }
            if std::mem::take(&mut state.sleeps) {
                return Order::Sleep;
            }
            if let Some(job) = state.next.take() {
                state.running = Some(Arc::clone(&job));
                return Order::Run(job);
            }
            self.news.wait(&mut state);
        }
    }

    /// The thread of the page has ended its job. Returns whether it was cut short to free the engine,
    /// and nothing follows.
    pub(super) fn done(&self) -> bool {
        let mut state = self.state.lock();
        state.running = None;
        state.sleeps && state.next.is_none()
    }

    /// Sends an event of a job.
    pub(super) fn post(&self, job: &Job, name: &'static str, data: &impl serde::Serialize) {
        if let Ok(data) = serde_json::to_string(data) {
            self.outbox.post(job.serial, name, data);
        }
    }

    /// Sends an event that belongs to no job.
    pub(super) fn announce(&self, name: &'static str, data: String) {
        self.outbox.announce(name, data);
    }

    /// The next event of the stream within `time`; `Ok(None)` if there is none.
    ///
    /// # Errors
    /// The stream has ended.
    pub(super) async fn take(&self, time: Duration) -> Result<Option<Event>, ()> {
        let end = Instant::now() + time;
        loop {
            self.state.lock().taken = Instant::now();
            match self.outbox.take() {
                Next::Closed => return Err(()),
                Next::Event(event) => return Ok(Some(event)),
                Next::Nothing => {}
            }
            let left = end.saturating_duration_since(Instant::now());
            if tokio::time::timeout(left, self.outbox.news())
                .await
                .is_err()
            {
                return Ok(None);
            }
        }
    }
}

impl State {
    fn drop_jobs(&mut self) {
        self.next = None;
        if let Some(job) = &self.running {
            job.stop();
        }
    }
}
