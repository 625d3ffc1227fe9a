//! Writing to a client that may have stopped reading.

use std::io::{self, Write};
use std::time::Duration;

use crate::util::system;

/// Where a session writes its answers.
///
/// ```
/// struct Screen;
///
/// impl tanada::GtpOutput for Screen {
///     fn send(&mut self, text: &[u8], _: &dyn Fn() -> bool) -> std::io::Result<()> {
///         print!("{}", String::from_utf8_lossy(text));
///         Ok(())
///     }
/// }
/// ```
pub trait Output {
    /// Writes the whole text. Polls `give_up` while the client does not read.
    ///
    /// # Errors
    /// [`TimedOut`](io::ErrorKind::TimedOut) if it gave up after a part of the text; any error of
    /// writing.
    fn send(&mut self, text: &[u8], give_up: &dyn Fn() -> bool) -> io::Result<()>;
}

impl Output for Vec<u8> {
    fn send(&mut self, text: &[u8], _: &dyn Fn() -> bool) -> io::Result<()> {
        self.extend_from_slice(text);
        Ok(())
    }
}

/// The process's standard output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StandardOutput;

impl Output for StandardOutput {
    fn send(&mut self, text: &[u8], give_up: &dyn Fn() -> bool) -> io::Result<()> {
        system::send(io::stdout(), text, give_up)
    }
}

/// Writes graphics for GoGui to standard error. A reader that is missing or slow is ignored.
pub(super) fn draw(text: &str) {
    if !system::has_room(io::stderr(), Duration::ZERO).unwrap_or(false) {
        return;
    }
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
