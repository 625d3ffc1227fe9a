//! What a game record is to say, and the plain text that serves every game.

use super::notation::Code;
use super::ruleset::SharedStart;
use crate::game::{PerSeat, Seat};

/// A game as records have it; the moves are legal.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Where it began.
    pub start: SharedStart,
    /// The tournament or match.
    pub event: Option<String>,
    /// The round of it.
    pub round: Option<String>,
    /// The day, `2025-01-31`.
    pub date: Option<String>,
    /// Where it was played.
    pub place: Option<String>,
    /// The players' names.
    pub players: PerSeat<Option<String>>,
    /// The result: `B+`, `B+R` (resigned), `B+T` (time), `B+F` (forfeit), `0`, `Void`, `?`.
    pub result: Option<String>,
    /// What is worth saying before the first move.
    pub comment: Option<String>,
    /// The moves.
    pub moves: Vec<Played>,
}

/// A move in a [`Sheet`].
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// Who moved.
    pub seat: Seat,
    /// The move.
    pub code: Code,
    /// A comment on it.
    pub comment: Option<String>,
    /// The seconds that the player has left after it.
    pub time_left: Option<f64>,
}

impl Sheet {
    /// A game from this start that has no moves yet.
    pub fn new(start: SharedStart) -> Self {
        Self {
            start,
            event: None,
            round: None,
            date: None,
            place: None,
            players: PerSeat::default(),
            result: None,
            comment: None,
            moves: Vec::new(),
        }
    }
}

/// The record as plain text: lines that begin with `#` say what is known of the game, then
/// comes the start position, then one line for each turn with its number, the colour and the
/// moves, and comments behind `#`.
pub fn plain(sheet: &Sheet) -> String {
    let ruleset = sheet.start.ruleset();
    let mut text = format!("# {}\n", ruleset.title());
    let heads = [
        ("event", &sheet.event),
        ("round", &sheet.round),
        ("date", &sheet.date),
        ("place", &sheet.place),
        ("result", &sheet.result),
    ];
    for (name, value) in heads {
        if let Some(value) = value {
            text.push_str(&format!("# {name}: {}\n", one_line(value)));
        }
    }
    for (&seat, name) in sheet.start.players().iter().zip(&sheet.players.0) {
        if let Some(name) = name {
            text.push_str(&format!("# {}: {}\n", ruleset.colour(seat), one_line(name)));
        }
    }
    for line in sheet.comment.iter().flat_map(|comment| comment.lines()) {
        text.push_str(&format!("# {line}\n"));
    }
    for line in sheet.start.text().lines() {
        text.push_str(&format!("{line}\n"));
    }
    let mut table = sheet.start.table(&crate::params::Params::default(), None);
    let turns = sheet.moves.chunk_by(|a, b| a.seat == b.seat);
    for (number, turn) in turns.enumerate() {
        let codes: Vec<Code> = turn.iter().map(|played| played.code).collect();
        let moves = table.notation().write_moves(&codes);
        let Some(first) = turn.first() else { continue };
        text.push_str(&format!(
            "{} {} {moves}",
            number + 1,
            ruleset.colour(first.seat)
        ));
        let comments: Vec<String> = turn
            .iter()
            .filter_map(|played| played.comment.as_deref().map(one_line))
            .collect();
        if !comments.is_empty() {
            text.push_str(&format!(" # {}", comments.join("; ")));
        }
        text.push('\n');
        for code in codes {
            // Moves of a sheet are legal.
            let _ = table.play(code);
        }
    }
    text
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
