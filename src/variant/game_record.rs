//! A recorded game, whatever its format.

use super::move_code::MoveCode;
use crate::game::{PerSeat, Seat};

/// A recorded game: from a start `S`, by moves `M`. Nothing in it is checked against the rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Record<S, M> {
    /// Where it began.
    pub start: S,
    /// The version of Tanada that wrote it.
    pub version: String,
    /// The game's name.
    pub name: Option<String>,
    /// The tournament or match.
    pub event: Option<String>,
    /// The round of the event.
    pub round: Option<String>,
    /// The date, such as `2025-01-31`.
    pub date: Option<String>,
    /// Where it was played.
    pub place: Option<String>,
    /// The players' names.
    pub players: PerSeat<Option<String>>,
    /// The result: `B+`, `B+R` (resigned), `B+T` (time), `B+F` (forfeit), `0`, `Void`, `?`.
    pub result: Option<String>,
    /// The seconds that each player has for the whole game.
    pub main_time: Option<f64>,
    /// The overtime, in words.
    pub overtime: Option<String>,
    /// A comment before the first move.
    pub comment: Option<String>,
    /// The moves.
    pub moves: Vec<RecordedMove<M>>,
    /// The moves beside the main line. Files of many games are read without them.
    pub variations: Vec<VariationMove<M>>,
}

/// A move of a [`Record`] that is not on its main line.
#[derive(Clone, Debug, PartialEq)]
pub struct VariationMove<M = MoveCode> {
    /// The number of the move before it: 0 for the start, then the moves of the main line, then
    /// those of the variations, in their order. It is smaller than this move's own number.
    pub follows: usize,
    /// The move.
    pub played: RecordedMove<M>,
}

/// A move of a [`Record`].
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let params = tanada::Params { threads: 1, seed: 1, ..tanada::Params::default() };
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), params);
/// engine.play_word(engine.to_move(), "C2")?;
/// let record = engine.game_record().ok_or("somebody left")?;
/// let played: &tanada::RecordedMove = &record.moves[0];
/// assert_eq!(engine.name(played.mv), "C2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMove<M = MoveCode> {
    /// Who moved.
    pub seat: Seat,
    /// The move.
    pub mv: M,
    /// A comment on it.
    pub comment: Option<String>,
    /// The seconds that the player had left after it.
    pub time_left: Option<f64>,
}

impl<M> RecordedMove<M> {
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

impl<S, M> Record<S, M> {
    /// A record without moves, written by this version of Tanada.
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
            variations: Vec::new(),
        }
    }

    /// Copies from `loaded` what it says about the game: names, and the comments and times of the
    /// moves that both records begin with. The result is copied if the moves are the same and
    /// this record has none. A record from another start is ignored.
    #[must_use]
    pub(crate) fn with_words_of(mut self, loaded: &Self) -> Self
    where
        S: PartialEq + Clone,
        M: PartialEq + Clone,
    {
        if self.start != loaded.start {
            return self;
        }
        let mut both = 0;
        for (own, old) in self.moves.iter_mut().zip(&loaded.moves) {
            if (own.seat, &own.mv) != (old.seat, &old.mv) {
                break;
            }
            own.comment.clone_from(&old.comment);
            own.time_left = old.time_left;
            both += 1;
        }
        let is_same = both == self.moves.len() && both == loaded.moves.len();
        let result = self.result.take();
        Self {
            result: result.or_else(|| loaded.result.clone().filter(|_| is_same)),
            start: self.start,
            version: self.version,
            moves: self.moves,
            variations: self.variations,
            ..loaded.clone()
        }
    }

    /// The same record with another type of start and moves.
    pub(crate) fn map<T, N>(self, start: T, form: impl Fn(M) -> N) -> Record<T, N> {
        let mapped = |played: RecordedMove<M>| RecordedMove {
            seat: played.seat,
            mv: form(played.mv),
            comment: played.comment,
            time_left: played.time_left,
        };
        let variations = self.variations.into_iter().map(|each| VariationMove {
            follows: each.follows,
            played: mapped(each.played),
        });
        Record {
            start,
            variations: variations.collect(),
            moves: self.moves.into_iter().map(mapped).collect(),
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

/// Appends a line to a comment.
pub(crate) fn append_line(comment: &mut Option<String>, line: &str) {
    match comment {
        Some(text) => {
            text.push('\n');
            text.push_str(line);
        }
        None => *comment = Some(line.to_string()),
    }
}

/// Seconds as text, to the millisecond; `None` if they are not finite.
pub(crate) fn seconds(number: f64) -> Option<String> {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let text = if text == "-0" { "0" } else { text };
    number.is_finite().then(|| text.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_loaded_game_are_taken_over() {
        let mv = |mv: u16, comment: &str| RecordedMove {
            comment: Some(comment.to_string()).filter(|text| !text.is_empty()),
            ..RecordedMove::new(Seat::ALL[0], mv)
        };
        let loaded = Record {
            comment: Some("all".to_string()),
            result: Some("B+R".to_string()),
            moves: vec![mv(1, "one"), mv(2, "two")],
            ..Record::new("start")
        };
        let played = |moves: &[u16]| Record {
            moves: moves.iter().map(|&number| mv(number, "")).collect(),
            ..Record::new("start")
        };
        assert_eq!(played(&[1, 2]).with_words_of(&loaded), loaded);
        let other = played(&[1, 3, 2]).with_words_of(&loaded);
        assert_eq!(other.moves, [mv(1, "one"), mv(3, ""), mv(2, "")]);
        assert_eq!(other.comment.as_deref(), Some("all"));
        assert_eq!(other.result, None);
        let elsewhere = Record::new("elsewhere");
        assert_eq!(elsewhere.clone().with_words_of(&loaded), elsewhere);
    }

    #[test]
    fn seconds_are_plain_numbers() {
        for (number, text) in [
            (0.0, Some("0")),
            (-0.0, Some("0")),
            (-0.0001, Some("0")),
            (-1.5, Some("-1.5")),
            (100.0, Some("100")),
            (0.1 + 0.2, Some("0.3")),
            (59.9996, Some("60")),
            (1e9, Some("1000000000")),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(seconds(number).as_deref(), text, "{number}");
        }
    }
}
