//! Game records as plain text, for every game without a format of its own.
//!
//! ```text
//! # Title of the game
//! # date: 2025-01-31
//! # result: W+
//! # white: Ann
//! #
//! # A comment before the first move.
//! the start position,
//! in lines
//! 1 white 4765
//! 2 black 4163-6345 # a comment on the last of these moves
//! # goes on here
//! ```
//!
//! A record begins with `#` and the title of the game. More lines with `#` follow: headers, then a
//! line with `#` alone, then the comment on the game. After them comes the start position in the
//! form of a setup file; without one the game begins from its default. Then come the moves: a
//! number, the colour, the moves of the turn in the game's notation, and the seconds that the
//! player has left, such as `12.5s`. A turn is split into several lines with the same number
//! where a move within it has a comment or a time.

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod headers;
mod read;
mod write;

use super::definition::{DefaultStart, GameRecord, RecordFormat, Variant};

/// The plain text records of a game.
pub struct TextRecords(pub &'static dyn Variant);

impl RecordFormat for TextRecords {
    fn extension(&self) -> &'static str {
        "txt"
    }

    fn write(&self, record: GameRecord) -> String {
        write::write(&record)
    }

    fn is_record(&self, bytes: &[u8]) -> bool {
        headers::begins_record(self.0.title(), bytes)
    }

    fn is_own(&self, head: &[u8]) -> bool {
        headers::is_own(self.0.title(), head)
    }

    fn read_first(
        &self,
        bytes: &[u8],
        most: usize,
        default: &DefaultStart<'_>,
    ) -> Vec<Result<GameRecord, String>> {
        read::read(self.0, bytes, most, default)
    }
}
