//! What the terminal can show.

use std::io::{self, IsTerminal};

use anstyle_query::windows::enable_ansi_colors;
use terminal_size::{Height, Width, terminal_size_of};

/// Whether standard output can be drawn on.
pub(super) fn can_draw() -> bool {
    let is_dumb = std::env::var("TERM").as_deref() == Ok("dumb");
    io::stdout().is_terminal() && !is_dumb && has_escapes()
}

/// Whether standard output can show colours, and the user does not object.
pub(super) fn has_colours() -> bool {
    can_draw() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Whether escape sequences work. A console of Windows must be asked to obey them, and old ones do not.
pub(super) fn has_escapes() -> bool {
    enable_ansi_colors().unwrap_or(true)
}

/// Columns and lines of the terminal behind standard output.
pub(super) fn output_size() -> (usize, usize) {
    or_usual(terminal_size_of(io::stdout()))
}

/// Columns and lines of the terminal behind standard error.
pub(super) fn error_size() -> (usize, usize) {
    or_usual(terminal_size_of(io::stderr()))
}

/// 80 columns and 24 lines if the terminal does not say.
fn or_usual(size: Option<(Width, Height)>) -> (usize, usize) {
    size.map_or((80, 24), |(Width(columns), Height(lines))| {
        (columns.into(), lines.into())
    })
}
