//! How far a game has come.

use crate::game::Seat;

/// Who is still in the game, and how much is left to play.
pub trait GameProgress {
    /// The seats that are still in the game.
    fn in_play(&self) -> Vec<Seat>;
    /// An estimate of how many moves the side to move has yet to make; the clock divides the
    /// time by it.
    fn moves_left(&self) -> u32;
    /// How many moves the side to move can still make in this turn.
    fn moves_in_turn(&self) -> u32 {
        1
    }
    /// Where the game is within its turns, in words, in a game whose turns have several moves.
    fn turn_in_words(&self) -> Option<String> {
        None
    }
}
