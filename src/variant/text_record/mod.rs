//! Game records as plain text, for every game that has no form of its own.
//!
//! ```text
//! # Title of the game
//! # date: 2025-01-31
//! # result: W+
//! # white: Ann
//! #
//! # What is worth saying before the first move.
//! the start position,
//! in lines
//! 1 white 4765
//! 2 black 4163-6345 # a comment on the last of these moves
//! # goes on here
//! ```
//!
//! A record begins with `#` and the game's title. Lines with `#` follow: heads, then, behind a `#`
//! alone, the comment. Then come the start position, as setup files have it (without one, the
//! game's default), and the moves: a number, the colour, the moves of its turn as the game
//! writes them, and the seconds that the player has left, such as `12.5s`. A turn takes several
//! lines with the same number where something is said of a move within it.

#![cfg_attr(
    not(test),
    deny(
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing
    )
)]

mod read;

pub(super) use read::{is_record, read};

use super::game_record::{GameRecord, RecordedMove};
use super::notation::MoveCode;

/// What a head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
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

/// The heads with their names; those of players are their colours.
const HEADS: [(Head, &str); 9] = [
    (Head::Version, "Tanada"),
    (Head::Name, "name"),
    (Head::Event, "event"),
    (Head::Round, "round"),
    (Head::Date, "date"),
    (Head::Place, "place"),
    (Head::Result, "result"),
    (Head::MainTime, "main time"),
    (Head::Overtime, "overtime"),
];

/// Whether a text that begins so was written here: the first head names the program.
pub(super) fn is_own(title: &str, head: &[u8]) -> bool {
    let begin = format!("# {title}\n# {}: ", HEADS[0].1);
    head.starts_with(begin.as_bytes())
}

/// The record as text that [`read()`] reads back. Line ends in heads become blanks, seconds have
/// three digits.
pub(super) fn write(record: &GameRecord) -> String {
    let definition = record.start.variant();
    let title = definition.title();
    let mut text = format!("# {title}\n");
    for (head, name) in HEADS {
        let value = match head {
            Head::Version => Some(record.version.clone()),
            Head::Name => record.name.clone(),
            Head::Event => record.event.clone(),
            Head::Round => record.round.clone(),
            Head::Date => record.date.clone(),
            Head::Place => record.place.clone(),
            Head::Result => record.result.clone(),
            Head::MainTime => record.main_time.and_then(seconds),
            Head::Overtime => record.overtime.clone(),
        };
        push_head(&mut text, name, value.as_deref());
    }
    for &seat in record.start.players() {
        let name = record.players[seat].as_deref();
        push_head(&mut text, definition.colour(seat), name);
    }
    if let Some(comment) = &record.comment {
        text.push_str("#\n");
        for line in lines(comment) {
            push_comment(&mut text, title, &line);
        }
    }
    for line in record.start.text().lines() {
        text.push_str(&format!("{line}\n"));
    }
    let mut table = record
        .start
        .new_game(&crate::params::Params::default(), None);
    let turns = record.moves.chunk_by(|a, b| a.seat == b.seat);
    for (number, turn) in (1..).zip(turns) {
        let said = |played: &RecordedMove| played.comment.is_some() || played.time_left.is_some();
        for part in turn.chunk_by(|before, _| !said(before)) {
            let codes: Vec<MoveCode> = part.iter().map(|played| played.mv).collect();
            let Some(last) = part.last() else { continue };
            let (colour, moves) = (
                definition.colour(last.seat),
                table.notation().write_moves(&codes),
            );
            text.push_str(&format!("{number} {colour} {moves}"));
            if let Some(left) = last.time_left.and_then(seconds) {
                text.push_str(&format!(" {left}s"));
            }
            let comment = last.comment.iter().flat_map(|comment| lines(comment));
            let mut begun = false;
            for line in comment {
                match begun {
                    true => push_comment(&mut text, title, &line),
                    false => text.push_str(format!(" # {line}").trim_end_matches(' ')),
                }
                if !begun {
                    text.push('\n');
                }
                begun = true;
            }
            if !begun {
                text.push('\n');
            }
            for code in codes {
                // Moves of a record are legal.
                let _ = table.play(code);
            }
        }
    }
    text
}

fn push_head(text: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value.map(one_line).filter(|value| !value.is_empty()) {
        text.push_str(&format!("# {name}: {value}\n"));
    }
}

/// A line of a comment that has one to itself.
fn push_comment(text: &mut String, title: &str, line: &str) {
    // Else the next record would begin here.
    let blank = if line.trim() == title { " " } else { "" };
    text.push_str(format!("# {blank}{line}").trim_end_matches(' '));
    text.push('\n');
}

/// The lines of a comment without what cannot be seen.
fn lines(comment: &str) -> Vec<String> {
    let comment = comment.replace("\r\n", "\n").replace('\r', "\n");
    comment.split('\n').map(one_line).collect()
}

fn one_line(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let line: String = text.chars().map(clean).collect();
    line.trim_end().to_string()
}

fn seconds(number: f64) -> Option<String> {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    number.is_finite().then(|| text.to_string())
}
