//! The terminal's size.

#[cfg(unix)]
use std::os::fd::AsFd;

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
