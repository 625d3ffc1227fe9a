//! The lines with which a record begins.

/// What a header line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    Version,
    Name,
    Event,
    Round,
    Date,
    Place,
    Result,
    MainTime,
    Overtime,
}

/// The headers with their names. The header of a player is named after the colour.
pub(super) const HEADERS: [(Header, &str); 9] = [
    (Header::Version, "Tanada"),
    (Header::Name, "name"),
    (Header::Event, "event"),
    (Header::Round, "round"),
    (Header::Date, "date"),
    (Header::Place, "place"),
    (Header::Result, "result"),
    (Header::MainTime, "main time"),
    (Header::Overtime, "overtime"),
];

/// Whether a text that begins with `head` was written by Tanada: the first header names it.
pub(super) fn is_own(title: &str, head: &[u8]) -> bool {
    let begin = format!("# {title}\n# {}: ", HEADERS[0].1);
    head.starts_with(begin.as_bytes())
}

/// Whether a text begins like a record of the game.
pub(super) fn begins_record(title: &str, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| is_title(line, title))
}

/// Whether a line begins a record.
pub(super) fn is_title(line: &str, title: &str) -> bool {
    let rest = line.trim_end().strip_prefix('#');
    // A title after more than one blank is part of a comment.
    rest.is_some_and(|rest| rest.strip_prefix(' ').unwrap_or(rest) == title)
}
