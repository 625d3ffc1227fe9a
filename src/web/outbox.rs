//! The events that wait to be sent to a page. Of each kind only the newest waits, so a slow page gets
//! fewer events and holds nobody up.

use parking_lot::Mutex;
use tokio::sync::Notify;

/// An event: its name and its data, JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) name: &'static str,
    pub(super) data: String,
    /// The job that it belongs to; its events are dropped once it is replaced.
    job: Option<u64>,
}

#[derive(Default)]
pub(super) struct Outbox {
    state: Mutex<State>,
    news: Notify,
}

#[derive(Default)]
struct State {
    waiting: Vec<Event>,
    /// The serial number of the job whose events are sent.
    job: Option<u64>,
    is_closed: bool,
}

/// What the stream finds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Event(Event),
    Nothing,
    Closed,
}

impl Outbox {
    /// Puts an event that belongs to no job.
    pub(super) fn announce(&self, name: &'static str, data: String) {
        let mut state = self.state.lock();
        state.put(Event {
            name,
            data,
            job: None,
        });
        self.news.notify_one();
    }

    /// Puts an event of a job, unless the job has been replaced.
    pub(super) fn post(&self, job: u64, name: &'static str, data: String) {
        let mut state = self.state.lock();
        if state.job == Some(job) {
            state.put(Event {
                name,
                data,
                job: Some(job),
            });
            self.news.notify_one();
        }
    }

    /// From now on only events of this job are sent; those of other jobs are dropped.
    pub(super) fn begin(&self, job: Option<u64>) {
        let mut state = self.state.lock();
        state.job = job;
        state.waiting.retain(|event| event.job.is_none());
    }

    /// Ends the stream.
    pub(super) fn close(&self) {
        self.state.lock().is_closed = true;
        self.news.notify_one();
    }

    /// Takes the next event.
    pub(super) fn take(&self) -> Next {
        let mut state = self.state.lock();
        if state.is_closed {
            return Next::Closed;
        }
        if state.waiting.is_empty() {
            return Next::Nothing;
        }
        Next::Event(state.waiting.remove(0))
    }

    /// Waits until there may be something to take.
    pub(super) async fn news(&self) {
        self.news.notified().await;
    }
}

impl State {
    fn put(&mut self, event: Event) {
        match self.waiting.iter_mut().find(|old| old.name == event.name) {
            Some(old) => *old = event,
            None => self.waiting.push(event),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(outbox: &Outbox) -> Option<String> {
        match outbox.take() {
            Next::Event(event) => Some(format!("{} {}", event.name, event.data)),
            Next::Nothing => None,
            Next::Closed => Some("closed".to_string()),
        }
    }

    #[test]
    fn only_the_newest_of_each_kind_waits() {
        let outbox = Outbox::default();
        outbox.announce("hello", "0".to_string());
        outbox.begin(Some(1));
        for data in ["1", "2", "3"] {
            outbox.post(1, "analysis", data.to_string());
        }
        outbox.post(1, "failed", "4".to_string());
        assert_eq!(next(&outbox).unwrap(), "hello 0");
        assert_eq!(next(&outbox).unwrap(), "analysis 3");
        assert_eq!(next(&outbox).unwrap(), "failed 4");
        assert_eq!(next(&outbox), None);
    }

    #[test]
    fn a_replaced_job_has_no_events() {
        let outbox = Outbox::default();
        outbox.begin(Some(1));
        outbox.post(1, "analysis", "1".to_string());
        outbox.announce("match", "0".to_string());
        outbox.begin(Some(2));
        outbox.post(1, "analysis", "2".to_string());
        assert_eq!(next(&outbox).unwrap(), "match 0");
        assert_eq!(next(&outbox), None);
        outbox.post(2, "analysis", "3".to_string());
        outbox.close();
        assert_eq!(next(&outbox).unwrap(), "closed");
    }
}
