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

mod read;
mod write;

use super::definition::{DefaultStart, GameRecord, RecordFormat, Variant};
use read::{Reader, is_title};
use write::{VERSION, write};

/// The plain text records of a game.
pub struct TextRecords(pub &'static dyn Variant);

impl RecordFormat for TextRecords {
    fn extension(&self) -> &'static str {
        "txt"
    }

    fn write(&self, record: GameRecord) -> String {
        write(&record)
    }

    fn is_record(&self, bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        let first = text.lines().find(|line| !line.trim().is_empty());
        first.is_some_and(|line| is_title(line, self.0.title()))
    }

    fn is_own(&self, head: &[u8]) -> bool {
        let begin = format!("# {}\n# {VERSION}: ", self.0.title());
        head.starts_with(begin.as_bytes())
    }

    fn read_first(
        &self,
        bytes: &[u8],
        most: usize,
        default: &DefaultStart<'_>,
    ) -> Vec<Result<GameRecord, String>> {
        let variant = self.0;
        let records = Reader { variant, default }.records(bytes, most);
        records.unwrap_or_else(|error| vec![Err(error)])
    }
}
