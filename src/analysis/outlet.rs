//! Lines on their way out: a thread of their own writes them, and a client that does not read them
//! holds up only what would be too much to keep for it.

use std::collections::VecDeque;
use std::io::{self, Write};

use parking_lot::{Condvar, Mutex};
use serde_json::Value;

use crate::util::quote;

/// With so many lines on their way, reports during searches are left out.
const CROWD: usize = 256;

/// With so many bytes on their way, whoever has another line waits.
const MAX_BEHIND: usize = 16 << 20;

/// The lines that wait to be written.
#[derive(Default)]
pub(super) struct Outlet {
    state: Mutex<State>,
    /// A line came, or none will come any more.
    news: Condvar,
    /// A line was taken, or nobody will take one any more.
    room: Condvar,
}

#[derive(Default)]
struct State {
    lines: VecDeque<String>,
    bytes: usize,
    is_closed: bool,
}

impl Outlet {
    /// Sends a line; waits while there are too many.
    pub(super) fn write(&self, object: &Value) {
        // The names and texts in it came from a client and may be shown on a terminal.
        let line = quote::json(&object.to_string()).into_owned() + "\n";
        let mut state = self.state.lock();
        while state.bytes >= MAX_BEHIND && !state.is_closed {
            self.room.wait(&mut state);
        }
        if !state.is_closed {
            state.bytes += line.len();
            state.lines.push_back(line);
            self.news.notify_one();
        }
    }

    /// Whether the client does not keep up.
    pub(super) fn is_crowded(&self) -> bool {
        let state = self.state.lock();
        state.lines.len() >= CROWD || state.bytes >= MAX_BEHIND
    }

    /// Takes no more lines; those that wait are the last.
    pub(super) fn end(&self) {
        self.state.lock().is_closed = true;
        self.news.notify_all();
        self.room.notify_all();
    }

    /// Takes no more lines, and drops those that wait.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.lines.clear();
        state.bytes = 0;
        drop(state);
        self.end();
    }

    /// Writes the lines, each flushed, until the last one.
    ///
    /// # Errors
    /// The output cannot be written; nothing more is taken.
    pub(super) fn drain(&self, to: &mut impl Write) -> io::Result<()> {
        while let Some(line) = self.next() {
            let sent = to.write_all(line.as_bytes()).and_then(|()| to.flush());
            if sent.is_err() {
                self.close();
                return sent;
            }
        }
        Ok(())
    }

    /// The next line; waits for it. None after the last one.
    fn next(&self) -> Option<String> {
        let mut state = self.state.lock();
        loop {
            if let Some(line) = state.lines.pop_front() {
                state.bytes = state.bytes.saturating_sub(line.len());
                self.room.notify_one();
                return Some(line);
            }
            if state.is_closed {
                return None;
            }
            self.news.wait(&mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn what_waits_has_a_bound_and_all_of_it_is_written() {
        let outlet = Outlet::default();
        let line = json!({"text": "x".repeat(1 << 20)});
        let count = 3 * (MAX_BEHIND >> 20);
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| {
                for _ in 0..count {
                    outlet.write(&line);
                }
                outlet.end();
            });
            while !outlet.is_crowded() {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(100));
            let bytes = outlet.state.lock().bytes;
            let is_waiting = !sender.is_finished();
            let mut written = Vec::new();
            outlet.drain(&mut written).unwrap();
            assert!(bytes <= MAX_BEHIND + (2 << 20) && is_waiting, "{bytes}");
            assert_eq!(written.iter().filter(|&&b| b == b'\n').count(), count);
        });
    }

    #[test]
    fn who_waits_for_room_is_let_go() {
        let outlet = Outlet::default();
        std::thread::scope(|scope| {
            let line = json!({"text": "x".repeat(MAX_BEHIND)});
            let outlet = &outlet;
            let sender = scope.spawn(move || {
                outlet.write(&line);
                outlet.write(&line);
            });
            while !outlet.is_crowded() {
                std::thread::yield_now();
            }
            outlet.close();
            sender.join().unwrap();
        });
        assert!(outlet.next().is_none());
    }

    #[test]
    fn nothing_in_a_line_acts_on_a_terminal() {
        let outlet = Outlet::default();
        let object = json!({"id": "a\u{202e}b\u{9b}31m\x1b]0;x\x07\u{7f}", "\u{2066}": "é"});
        outlet.write(&object);
        outlet.end();
        let mut written = Vec::new();
        outlet.drain(&mut written).unwrap();
        let text = String::from_utf8(written).unwrap();
        let line = text.strip_suffix('\n').unwrap();
        assert!(!line.contains(quote::is_hidden), "{line:?}");
        assert_eq!(serde_json::from_str::<Value>(line).unwrap(), object);
    }
}
