//! Entry points to what reads requests.

use serde_json::Value;

use crate::abstract_play;
use crate::analysis::{self, Options};
use crate::engine::Engine;
use crate::tanbo;
use crate::variant::{GameRecord, MoveCode};

pub use crate::abstract_play::Steps as BotSteps;
pub use crate::web::Commands;

/// Reads a line of the analysis protocol: the objects of its error or its warnings, and the positions
/// to search with their turn numbers.
pub fn analysis(line: &[u8], options: &Options) -> (Vec<Value>, Vec<(usize, Engine)>) {
    analysis::outline(line, options)
}

/// Reads a message of Abstract Play: the game in which the bot is to move, or nothing if it is a
/// challenge.
///
/// # Errors
/// It is no message.
pub fn abstract_play_message(body: &[u8]) -> Result<Option<Value>, String> {
    abstract_play::outline(body)
}

/// Reads a game of a message of Abstract Play. Whether its moves are legal is not checked.
///
/// # Errors
/// It is no game of Tanbo.
pub fn abstract_play_game(
    name: &str,
    variants: &[String],
    rounds: &[Vec<Value>],
) -> Result<GameRecord, String> {
    let size = tanbo::abstract_play::board(name, variants)?;
    tanbo::abstract_play::game(size, rounds)
}

/// A move as Abstract Play writes it.
///
/// # Errors
/// There is no such board.
pub fn abstract_play_word(name: &str, variants: &[String], mv: MoveCode) -> Result<String, String> {
    let size = tanbo::abstract_play::board(name, variants)?;
    Ok(tanbo::abstract_play::word(mv, size))
}
