//! The record of the game, for files.

use std::time::SystemTime;

use crate::clock::TimeControl;
use crate::game::PerSeat;
use crate::variant::GameRecord;

use super::state::Dialogue;

/// The text of the record; its comment says how the colours were chosen.
pub(super) fn record(dialogue: &Dialogue) -> Option<String> {
    let mut game_record = game_record(dialogue)?;
    game_record.result = dialogue.result();
    let how = &dialogue.how;
    game_record.comment = Some(match game_record.comment {
        // The game was saved before, with this comment.
        Some(said) if said.lines().any(|line| line == how) => said,
        Some(said) => format!("{said}\n{how}"),
        None => how.to_string(),
    });
    Some(dialogue.engine.variant().write_game(game_record))
}

/// The record: moves, players and clocks, with the texts of the game that was loaded.
pub(super) fn game_record(dialogue: &Dialogue) -> Option<GameRecord> {
    let game_record = dialogue.engine.game_record()?;
    let mut game_record = game_record.with_words_of(&dialogue.loaded);
    // The players and the clocks of the loaded game no longer hold.
    (
        game_record.players,
        game_record.main_time,
        game_record.overtime,
    ) = (PerSeat::default(), None, None);
    let level = dialogue.level;
    for &seat in dialogue.engine.players() {
        game_record.players[seat] = Some(if Some(seat) == dialogue.seat() {
            "player".to_string()
        } else {
            format!("Tanada {} ({})", env!("CARGO_PKG_VERSION"), level.name)
        });
    }
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    game_record.date = now.get(..10).map(str::to_string);
    if let TimeControl::Fischer { main, increment } = dialogue.control {
        game_record.main_time = Some(main.as_secs_f64());
        let increment = increment.as_secs_f64();
        game_record.overtime = (increment > 0.0).then(|| format!("{increment} s a move"));
    }
    Some(game_record)
}
