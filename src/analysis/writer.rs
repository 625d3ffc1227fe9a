//! The lines on their way out. A thread writes them, so a client that does not read holds up only
//! the threads that would exceed the bound on waiting lines.

use std::collections::VecDeque;
use std::io::{self, Write};

use serde_json::Value;

use super::MAX_UNWRITTEN;
use crate::util::handoff::Handoff;
use crate::util::quote;

/// With this many waiting lines, reports during searches are left out.
const CROWD: usize = 256;

#[derive(Default)]
pub(super) struct Writer {
    waiting: Handoff<Waiting>,
}

#[derive(Default)]
struct Waiting {
    lines: VecDeque<String>,
    bytes: usize,
}

impl Writer {
    /// Adds a line; waits while there are too many. Does nothing after [`Writer::end`].
    pub(super) fn write(&self, object: &Value) {
        // Names and texts of the client may be shown on a terminal.
        let mut line = quote::json(&object.to_string()).into_owned() + "\n";
        self.waiting.put(|waiting| {
            let has_room = waiting.bytes < MAX_UNWRITTEN;
            if has_room {
                waiting.bytes += line.len();
                waiting.lines.push_back(std::mem::take(&mut line));
            }
            has_room
        });
    }

    /// Whether the client does not keep up.
    pub(super) fn is_crowded(&self) -> bool {
        self.waiting
            .with(|waiting| waiting.lines.len() >= CROWD || waiting.bytes >= MAX_UNWRITTEN)
    }

    /// Accepts no more lines; those that wait are still written.
    pub(super) fn end(&self) {
        self.waiting.close();
    }

    /// Accepts no more lines, and drops those that wait.
    pub(super) fn close(&self) {
        self.waiting.close();
        self.waiting.with(std::mem::take);
    }

    /// Writes lines and flushes each, until [`Writer::end`] and the last line.
    ///
    /// # Errors
    /// The output cannot be written; then no more lines are accepted.
    pub(super) fn drain(&self, to: &mut impl Write) -> io::Result<()> {
        while let Some(line) = self.next() {
            let sent = to.write_all(line.as_bytes()).and_then(|()| to.flush());
            sent.inspect_err(|_| self.close())?;
        }
        Ok(())
    }

    /// Waits for the next line. `None` after the last one.
    fn next(&self) -> Option<String> {
        self.waiting.take(|waiting| {
            let line = waiting.lines.pop_front()?;
            waiting.bytes -= line.len();
            Some(line)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn waiting_lines_are_bounded_and_all_are_written() {
        let writer = Writer::default();
        let line = json!({"text": "x".repeat(1 << 20)});
        let count = 3 * (MAX_UNWRITTEN >> 20);
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| {
                for _ in 0..count {
                    writer.write(&line);
                }
                writer.end();
            });
            while !writer.is_crowded() {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(100));
            let bytes = writer.waiting.with(|waiting| waiting.bytes);
            let is_waiting = !sender.is_finished();
            let mut written = Vec::new();
            writer.drain(&mut written).unwrap();
            assert!(bytes <= MAX_UNWRITTEN + (2 << 20) && is_waiting, "{bytes}");
            assert_eq!(written.iter().filter(|&&b| b == b'\n').count(), count);
        });
    }

    #[test]
    fn closing_ends_a_wait_for_room() {
        let writer = Writer::default();
        std::thread::scope(|scope| {
            let line = json!({"text": "x".repeat(MAX_UNWRITTEN)});
            let writer = &writer;
            let sender = scope.spawn(move || {
                writer.write(&line);
                writer.write(&line);
            });
            while !writer.is_crowded() {
                std::thread::yield_now();
            }
            writer.close();
            sender.join().unwrap();
        });
        assert!(writer.next().is_none());
    }

    #[test]
    fn nothing_in_a_line_acts_on_a_terminal() {
        let writer = Writer::default();
        let object = json!({"id": "a\u{202e}b\u{9b}31m\x1b]0;x\x07\u{7f}", "\u{2066}": "é"});
        writer.write(&object);
        writer.end();
        let mut written = Vec::new();
        writer.drain(&mut written).unwrap();
        let text = String::from_utf8(written).unwrap();
        let line = text.strip_suffix('\n').unwrap();
        assert!(!line.contains(quote::is_hidden), "{line:?}");
        assert_eq!(serde_json::from_str::<Value>(line).unwrap(), object);
    }
}
