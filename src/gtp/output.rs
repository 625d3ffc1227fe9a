//! Writing to a client that may have stopped reading.

use std::io::{self, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(unix)]
use std::time::Duration;

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
        #[cfg(unix)]
        return send(io::stdout(), text, give_up);
        #[cfg(not(unix))]
        {
            let _ = give_up;
            let mut output = io::stdout().lock();
            output.write_all(text).and_then(|()| output.flush())
        }
    }
}

/// The time between two calls of `give_up`.
#[cfg(unix)]
const PAUSE: Duration = Duration::from_millis(10);

/// The number of bytes that a pipe accepts without blocking once `poll` reports room: `PIPE_BUF`, or
/// the least that POSIX allows.
#[cfg(unix)]
const PART: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// Waits at most `wait` until something can be written; returns whether it can.
#[cfg(unix)]
fn has_room(to: impl AsFd, wait: Duration) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let wait = Timespec::try_from(wait).ok();
    match poll(&mut [PollFd::new(&to, PollFlags::OUT)], wait.as_ref()) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(unix)]
fn send(to: impl AsFd, mut text: &[u8], give_up: &dyn Fn() -> bool) -> io::Result<()> {
    while !text.is_empty() {
        if !has_room(&to, PAUSE)? {
            if give_up() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            continue;
        }
        let part = text.get(..PART).unwrap_or(text);
        match rustix::io::write(&to, part) {
            Ok(written) => text = text.get(written..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Writes graphics for GoGui to standard error. A reader that is missing or slow is ignored.
pub(super) fn draw(text: &str) {
    #[cfg(unix)]
    if !has_room(io::stderr(), Duration::ZERO).unwrap_or(false) {
        return;
    }
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(all(test, unix))]
mod tests {
    use std::cell::Cell;
    use std::io::Read;

    use super::*;

    #[test]
    fn a_text_is_written_whole() {
        let (mut reader, writer) = io::pipe().unwrap();
        let text: Vec<u8> = (0..300_000_u32).map(|n| n as u8).collect();
        let expected = text.clone();
        let thread = std::thread::spawn(move || send(writer, &text, &|| false));
        let mut found = Vec::new();
        reader.read_to_end(&mut found).unwrap();
        thread.join().unwrap().unwrap();
        assert!(found == expected);
    }

    #[test]
    fn a_full_pipe_is_given_up_on_request() {
        let (reader, writer) = io::pipe().unwrap();
        let asked = Cell::new(0);
        let give_up = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let error = send(&writer, &vec![b'x'; 1 << 22], &give_up).unwrap_err();
        assert_eq!((error.kind(), asked.get()), (io::ErrorKind::TimedOut, 3));
        drop(reader);
        let error = send(&writer, b"x", &|| false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
