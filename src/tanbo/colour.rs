//! The names, letters and diagram symbols of the four colours.

use crate::game::Seat;

/// Black, the first in the order of play.
pub const BLACK: Seat = Seat::ALL[0];
pub(crate) const WHITE: Seat = Seat::ALL[1];
pub(crate) const RED: Seat = Seat::ALL[2];
pub(crate) const GREEN: Seat = Seat::ALL[3];

/// The names in the order of play.
pub(super) const NAMES: [&str; 4] = ["black", "white", "red", "green"];

/// The name: `black`, `white`, `red` or `green`.
pub fn word(seat: Seat) -> &'static str {
    NAMES[seat.index()]
}

/// The letter: `B`, `W`, `R` or `G`.
pub(crate) fn letter(seat: Seat) -> char {
    ['B', 'W', 'R', 'G'][seat.index()]
}

/// The symbol in diagrams: `X`, `O`, `R` or `G`.
pub(crate) fn stone(seat: Seat) -> char {
    ['X', 'O', 'R', 'G'][seat.index()]
}

/// The colour of a symbol in a diagram: `X` or `#`, `O` or `o`, `R`, `G`.
pub(crate) fn from_stone(stone: char) -> Option<Seat> {
    match stone {
        'X' | '#' => Some(BLACK),
        'O' | 'o' => Some(WHITE),
        'R' => Some(RED),
        'G' => Some(GREEN),
        _ => None,
    }
}

/// The colour with this name or letter, in either case.
pub fn parse(text: &str) -> Option<Seat> {
    Seat::ALL.into_iter().find(|&seat| {
        text.eq_ignore_ascii_case(word(seat))
            || text.eq_ignore_ascii_case(&letter(seat).to_string())
    })
}
