//! What a game record is to say.

use super::notation::Code;
use super::ruleset::SharedStart;
use crate::game::{PerSeat, Seat};

/// A game as records have it: from a start `S`, by moves `M`. Nothing in it is checked against
/// the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet<S = SharedStart, M = Code> {
    /// Where it began.
    pub start: S,
    /// Tanada's version.
    pub version: String,
    /// The game's name.
    pub name: Option<String>,
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
    /// The seconds that each player has for the game.
    pub main_time: Option<f64>,
    /// The rest of the time control, in words.
    pub overtime: Option<String>,
    /// What is worth saying before the first move.
    pub comment: Option<String>,
    /// The moves.
    pub moves: Vec<Played<M>>,
}

/// A move in a [`Sheet`].
#[derive(Clone, Debug, PartialEq)]
pub struct Played<M = Code> {
    /// Who moved.
    pub seat: Seat,
    /// The move.
    pub mv: M,
    /// A comment on it.
    pub comment: Option<String>,
    /// The seconds that the player has left after it.
    pub time_left: Option<f64>,
}

impl<M> Played<M> {
    /// A move without comment and time.
    pub fn new(seat: Seat, mv: M) -> Self {
        Self {
            seat,
            mv,
            comment: None,
            time_left: None,
        }
    }
}

impl<S, M> Sheet<S, M> {
    /// A game from this start that has no moves yet, by this version of Tanada.
    pub fn new(start: S) -> Self {
        Self {
            start,
            version: env!("CARGO_PKG_VERSION").to_string(),
            name: None,
            event: None,
            round: None,
            date: None,
            place: None,
            players: PerSeat::default(),
            result: None,
            main_time: None,
            overtime: None,
            comment: None,
            moves: Vec::new(),
        }
    }

    /// The same sheet about a start and moves of another form.
    pub fn map<T, N>(self, start: T, form: impl Fn(M) -> N) -> Sheet<T, N> {
        let moves = self.moves.into_iter().map(|played| Played {
            seat: played.seat,
            mv: form(played.mv),
            comment: played.comment,
            time_left: played.time_left,
        });
        Sheet {
            start,
            moves: moves.collect(),
            version: self.version,
            name: self.name,
            event: self.event,
            round: self.round,
            date: self.date,
            place: self.place,
            players: self.players,
            result: self.result,
            main_time: self.main_time,
            overtime: self.overtime,
            comment: self.comment,
        }
    }
}
