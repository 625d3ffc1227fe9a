//! Questions and answers as lines of JSON: the protocol of KataGo's analysis engine.
//!
//! [`serve()`] reads questions from a stream and writes answers to another, many positions at a
//! time. `docs/guide/json.md` describes each field. Reads in this order: `fields` (what a JSON
//! object holds), `game` (the start and the moves), `request` (a line as a query or an action), `settings` (how to search),
//! `names` (which names mean something), `schedule` (which position comes next), `answer` (what a search found, as JSON),
//! `inlet`, `outlet` and `serve`.

#![cfg_attr(
    not(test),
    deny(
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing
    )
)]

mod answer;
mod fields;
mod game;
mod inlet;
mod names;
mod outlet;
mod request;
mod schedule;
mod serve;
mod settings;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::params::Params;

pub use serve::serve;

/// The longest line that is read, in bytes; a longer one is refused. JSON of many small objects takes
/// about a hundred times as much memory while it is understood.
pub const MAX_LINE: usize = 1 << 20;

/// How long a search without a time limit goes on after the end of the input if nothing is said.
pub const TIME_AFTER_END: Duration = Duration::from_secs(60);

/// How many moves of a variation come after its first one if nothing is said.
pub const PV_LENGTH: usize = 15;

/// How the questions are answered, where they leave it open.
#[derive(Clone, Debug)]
pub struct Options {
    /// Positions that are searched at once, at least 1.
    pub positions: usize,
    /// The settings of each search: `threads` of each position, `seed` of all, `memory` of all
    /// positions together.
    pub params: Params,
    /// Whether `time_per_move` holds beside a number of iterations, too.
    pub explicit_time: bool,
    /// Whose winning chances are told.
    pub perspective: Perspective,
    /// Whether the end of the input drops what is not answered yet.
    pub quits_without_waiting: bool,
    /// How long a search without a time limit may go on after the end of the input, or after its
    /// own beginning if that is later.
    pub time_after_end: Duration,
}

/// Whose winning chances an answer tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Perspective {
    /// Those of the side to move in the position.
    #[default]
    SideToMove,
    /// Black's.
    Black,
    /// White's.
    White,
}

/// A text that names no perspective.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is nobody's view, expected SIDETOMOVE, BLACK or WHITE")]
pub struct PerspectiveError(String);

impl Perspective {
    /// The word of the one colour that it is of.
    fn colour(self) -> Option<&'static str> {
        match self {
            Perspective::SideToMove => None,
            Perspective::Black => Some("black"),
            Perspective::White => Some("white"),
        }
    }
}

impl fmt::Display for Perspective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Perspective::SideToMove => "SIDETOMOVE",
            Perspective::Black => "BLACK",
            Perspective::White => "WHITE",
        })
    }
}

impl FromStr for Perspective {
    type Err = PerspectiveError;

    /// `SIDETOMOVE`, `BLACK` or `B`, `WHITE` or `W`, in either case.
    fn from_str(text: &str) -> Result<Self, PerspectiveError> {
        match text.to_ascii_lowercase().as_str() {
            "sidetomove" => Ok(Perspective::SideToMove),
            "black" | "b" => Ok(Perspective::Black),
            "white" | "w" => Ok(Perspective::White),
            _ => Err(PerspectiveError(crate::util::quote::shorten(text, 60))),
        }
    }
}
