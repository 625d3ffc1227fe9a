//! Lines on their way out: a client that does not read them holds nobody up.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};

use serde_json::Value;

/// With so many lines on their way, reports during searches are left out.
const CROWD: usize = 256;

/// The near end of the way.
pub(super) struct Outlet {
    /// Lines, and nothing at the end.
    lines: Sender<Option<String>>,
    waiting: AtomicUsize,
    is_closed: AtomicBool,
}

impl Outlet {
    /// Both ends of a way.
    pub(super) fn new() -> (Self, Receiver<Option<String>>) {
        let (lines, far) = channel();
        let outlet = Self {
            lines,
            waiting: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
        };
        (outlet, far)
    }

    /// Sends a line; never waits.
    pub(super) fn write(&self, object: &Value) {
        if !self.is_closed.load(SeqCst) {
            self.waiting.fetch_add(1, SeqCst);
            let _ = self.lines.send(Some(format!("{object}\n")));
        }
    }

    /// Whether the client does not keep up.
    pub(super) fn is_crowded(&self) -> bool {
        self.waiting.load(SeqCst) >= CROWD
    }

    /// Takes no more lines.
    pub(super) fn close(&self) {
        self.is_closed.store(true, SeqCst);
    }

    /// Takes no more lines; those that wait are the last.
    pub(super) fn end(&self) {
        self.close();
        let _ = self.lines.send(None);
    }

    /// Writes what comes out at the far end, each line flushed, until the last one.
    ///
    /// # Errors
    /// The output cannot be written; nothing more is taken.
    pub(super) fn drain(
        &self,
        far: &Receiver<Option<String>>,
        to: &mut impl Write,
    ) -> io::Result<()> {
        while let Ok(Some(line)) = far.recv() {
            let sent = to.write_all(line.as_bytes()).and_then(|()| to.flush());
            if sent.is_err() {
                self.close();
                return sent;
            }
            self.waiting.fetch_sub(1, SeqCst);
        }
        Ok(())
    }
}
