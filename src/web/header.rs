//! What a record says about a game besides its moves.

use serde::{Deserialize, Serialize};

use super::error::ApiError;
use crate::variant::GameRecord;

/// The header of a record as pages send and receive it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Header {
    name: Option<String>,
    event: Option<String>,
    round: Option<String>,
    date: Option<String>,
    place: Option<String>,
    result: Option<String>,
    /// The names of the players, in the order of play.
    players: Vec<Option<String>>,
}

impl Header {
    pub(super) fn of(record: &GameRecord) -> Self {
        let players = record.start.players().iter();
        Self {
            name: record.name.clone(),
            event: record.event.clone(),
            round: record.round.clone(),
            date: record.date.clone(),
            place: record.place.clone(),
            result: record.result.clone(),
            players: players.map(|&seat| record.players[seat].clone()).collect(),
        }
    }

    /// Puts it into a record. Without a result, that of the moves stays.
    ///
    /// # Errors
    /// There are more names than players.
    pub(super) fn apply(self, record: &mut GameRecord) -> Result<(), ApiError> {
        let players = record.start.players().to_vec();
        if self.players.len() > players.len() {
            let (found, expected) = (self.players.len(), players.len());
            let text = format!("the header has `{found}` players: expected at most {expected}");
            return Err(ApiError::content(text));
        }
        record.name = self.name;
        record.event = self.event;
        record.round = self.round;
        record.date = self.date;
        record.place = self.place;
        record.result = self.result.or(record.result.take());
        for (seat, name) in players.into_iter().zip(self.players) {
            record.players[seat] = name;
        }
        Ok(())
    }
}
