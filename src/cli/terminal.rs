//! What the terminal can show.

use std::io::{self, IsTerminal};
#[cfg(unix)]
use std::os::fd::AsFd;

/// Whether standard output can be drawn on.
pub(super) fn can_draw() -> bool {
    io::stdout().is_terminal() && std::env::var("TERM").as_deref() != Ok("dumb")
}

/// Whether standard output can show colours, and the user does not object.
pub(super) fn has_colours() -> bool {
    can_draw() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Columns and lines of the terminal behind a stream; 80 and 24 if it does not say.
#[cfg(unix)]
pub(super) fn size(stream: impl AsFd) -> (usize, usize) {
    match rustix::termios::tcgetwinsize(stream) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
        _ => (80, 24),
    }
}

/// The usual columns and lines.
#[cfg(not(unix))]
pub(super) fn size<S>(_stream: S) -> (usize, usize) {
    (80, 24)
}
