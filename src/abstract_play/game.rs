//! The game of a message, replayed and checked.

use super::message::TurnMessage;
use crate::board::BoardSize;
use crate::review;
use crate::tanbo::abstract_play as records;
use crate::variant::{GameRecord, MoveCode, SharedStart};

pub(super) struct Game {
    size: BoardSize,
    record: GameRecord,
    is_over: bool,
}

impl Game {
    /// Replays the moves of a message; the error says what is wrong with them.
    pub(super) fn read(message: &TurnMessage) -> Result<Self, String> {
        if message.num_players != 2 {
            return Err(format!("{} players: expected 2", message.num_players));
        }
        let size = records::board(&message.meta_game, &message.variants)?;
        let record = records::game(size, &message.moves)?;
        let game = review::follow(&record, &mut |_, _| ()).map_err(|error| error.to_string())?;
        let is_over = game.outcome().is_some();
        Ok(Self {
            size,
            record,
            is_over,
        })
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) fn start(&self) -> &SharedStart {
        &self.record.start
    }

    pub(super) fn moves(&self) -> Vec<MoveCode> {
        self.record.moves.iter().map(|played| played.mv).collect()
    }

    /// A move as the server writes it.
    pub(super) fn word(&self, mv: MoveCode) -> String {
        records::word(mv, self.size)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::message::{Message, tests::changed};
    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_a_game_or_an_error(bytes in changed()) {
            if let Ok(Message::Turn(turn)) = Message::read(&bytes)
                && let Ok(game) = Game::read(&turn)
            {
                prop_assert_eq!(game.moves().len(), turn.plies());
            }
        }
    }
}
