//! Writing plain text records.

use crate::params::Params;
use crate::variant::definition::GameRecord;
use crate::variant::game_record::{RecordedMove, seconds};
use crate::variant::move_code::MoveCode;

/// The header with the version that wrote a record.
pub(super) const VERSION: &str = "Tanada";

/// The record as text that [`Reader`](super::read::Reader) reads back. Line ends in headers become
/// blanks, and seconds have three digits.
pub(super) fn write(record: &GameRecord) -> String {
    let variant = record.start.variant();
    let title = variant.title();
    let mut text = format!("# {title}\n");
    let mut header = |name: &str, value: Option<&str>| {
        if let Some(value) = value.map(one_line).filter(|value| !value.is_empty()) {
            text.push_str(&format!("# {name}: {value}\n"));
        }
    };
    header(VERSION, Some(&record.version));
    header("name", record.name.as_deref());
    header("event", record.event.as_deref());
    header("round", record.round.as_deref());
    header("date", record.date.as_deref());
    header("place", record.place.as_deref());
    header("result", record.result.as_deref());
    header("main time", record.main_time.and_then(seconds).as_deref());
    header("overtime", record.overtime.as_deref());
    for &seat in record.start.players() {
        header(variant.colour(seat), record.players[seat].as_deref());
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
    let mut game = record.start.new_game(&Params::default(), None);
    let turns = record.moves.chunk_by(|a, b| a.seat == b.seat);
    for (number, turn) in (1..).zip(turns) {
        let ends_line =
            |played: &RecordedMove| played.comment.is_some() || played.time_left.is_some();
        for part in turn.chunk_by(|before, _| !ends_line(before)) {
            let codes: Vec<MoveCode> = part.iter().map(|played| played.mv).collect();
            let Some(last) = part.last() else { continue };
            let colour = variant.colour(last.seat);
            let moves = game.position().write_moves(&codes);
            text.push_str(&format!("{number} {colour} {moves}"));
            if let Some(left) = last.time_left.and_then(seconds) {
                text.push_str(&format!(" {left}s"));
            }
            let mut comment = last.comment.iter().flat_map(|comment| lines(comment));
            if let Some(line) = comment.next() {
                text.push_str(format!(" # {line}").trim_end_matches(' '));
            }
            text.push('\n');
            for line in comment {
                push_comment(&mut text, title, &line);
            }
            for code in codes {
                // Moves of a record are legal.
                let _ = game.play(code);
            }
        }
    }
    text
}

/// Appends a line of a comment as a line of its own.
fn push_comment(text: &mut String, title: &str, line: &str) {
    // At the left edge, a line that is the title would begin the next record.
    let indent = if line == title { " " } else { "" };
    text.push_str(format!("{indent}# {line}").trim_end_matches(' '));
    text.push('\n');
}

/// The lines of a comment without control characters.
fn lines(comment: &str) -> Vec<String> {
    let comment = comment.replace("\r\n", "\n").replace('\r', "\n");
    comment.split('\n').map(one_line).collect()
}

fn one_line(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let line: String = text.chars().map(clean).collect();
    line.trim_end().to_string()
}
