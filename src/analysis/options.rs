//! The options of the program, which apply where a query does not say otherwise.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::params::Params;
use crate::util::quote::shorten;

/// The longest line that is accepted, in bytes. Understanding JSON of many small objects takes about a
/// hundred times as much memory.
pub const MAX_LINE: usize = crate::util::lines::MAX_LINE;

/// The default of [`Options::time_after_end`].
pub const TIME_AFTER_END: Duration = Duration::from_secs(60);

/// How many moves of a variation follow its first one by default.
pub(super) const PV_LENGTH: usize = 15;

/// The options of the analysis engine.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of positions searched at once, at least 1.
    pub positions: usize,
    /// The parameters of each search. `threads` are those of one position, `memory` is shared by
    /// all positions.
    pub params: Params,
    /// Whose winning chances are reported.
    pub perspective: Perspective,
    /// Whether unanswered queries are dropped at the end of the input.
    pub quits_without_waiting: bool,
    /// How long a search without a time limit may continue after the end of the input, or after its
    /// own start if that is later.
    pub time_after_end: Duration,
}

/// Whose winning chances an answer reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Perspective {
    /// Those of the side to move.
    #[default]
    SideToMove,
    /// Those of Black.
    Black,
    /// Those of White.
    White,
}

impl Perspective {
    /// The colour of the one player whose chances are reported.
    pub(super) fn colour(self) -> Option<&'static str> {
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
    /// Why the text is not a perspective.
    type Err = String;

    /// `SIDETOMOVE`, `BLACK` or `B`, `WHITE` or `W`, in either case.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "sidetomove" => Ok(Perspective::SideToMove),
            "black" | "b" => Ok(Perspective::Black),
            "white" | "w" => Ok(Perspective::White),
            _ => Err(format!(
                "invalid perspective `{}`: expected SIDETOMOVE, BLACK or WHITE",
                shorten(text, 60)
            )),
        }
    }
}
