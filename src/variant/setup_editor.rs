//! Editing a start position by typed commands.

use std::fmt;

use crate::game::Seat;

/// A position that is being edited. It need not be legal until it is done; then
/// [`Variant::read`](super::Variant::read) checks its text.
///
/// An edit that fails changes nothing, and says in one sentence why.
pub trait SetupEditor: fmt::Debug + Send {
    /// The commands that can be typed, in lines.
    fn help(&self) -> &'static str;
    /// The position in the form of a setup file.
    fn text(&self) -> String;
    /// The position with coordinates.
    fn show(&self) -> String;
    /// Puts pieces of a seat on the board.
    ///
    /// # Errors
    /// Words that name no piece or no place.
    fn put(&mut self, seat: Seat, words: &[&str]) -> Result<(), String>;
    /// Clears the places that the words name, or the whole board if there are no words.
    ///
    /// # Errors
    /// Words that name no place, or an empty one.
    fn clear(&mut self, words: &[&str]) -> Result<(), String>;
    /// Changes the side to move.
    ///
    /// # Errors
    /// The side to move is fixed in this game.
    fn set_to_move(&mut self, seat: Seat) -> Result<(), String>;
}
