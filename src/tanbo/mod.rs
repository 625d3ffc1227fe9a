//! Tanbo, Mark Steere's game of roots (1993), for two to four players.
//!
//! Players take turns to put a stone on an empty point that touches exactly one stone of their own.
//! A *root* is a maximal connected group of one colour; by the rule for moves it is a tree and
//! never meets another root of its colour. The *root space* of a root is the set of points where
//! its owner could extend it; a root without root space is *bounded*. If a move bounds the root
//! that it extends, only that root is removed; otherwise all other bounded roots are removed. A
//! player without stones is out, and the last one with stones wins.

pub(crate) mod abstract_play;
mod board_view;
mod capabilities;
mod cases;
pub mod certificate;
pub mod colour;
pub mod diagram;
mod editor;
pub mod exact;
pub mod features;
mod game;
pub mod line;
mod linear;
mod network;
mod playout_board;
mod position;
mod records;
pub mod setup;
pub mod sgf;
pub mod variant;
mod weights;

pub use position::Position;
pub use setup::{NamedSetup, Setup, Start};
pub(crate) use variant::Tanbo;

/// The name of the game in options and files.
const NAME: &str = "tanbo";

/// Evaluates an expression with the [`Position`] of a [`Start`], in the smallest type that holds
/// it: `with_position!(start, |position| expression)`.
macro_rules! with_position {
    ($start:expr, |$position:ident| $body:expr) => {
        match $crate::tanbo::words_for_two($start) {
            Some(2) => {
                let $position = $crate::tanbo::Position::<2, 2>::new($start);
                $body
            }
            Some(4) => {
                let $position = $crate::tanbo::Position::<4, 2>::new($start);
                $body
            }
            Some(_) => {
                let $position = $crate::tanbo::Position::<8, 2>::new($start);
                $body
            }
            None => {
                let $position = $crate::tanbo::Position::<8, 4>::new($start);
                $body
            }
        }
    };
}
pub(crate) use with_position;

/// How many words (2, 4 or 8) a point set needs for a start of Black and White; `None` with other
/// colours, which take 8 words and four seats.
pub(crate) fn words_for_two(start: &Start) -> Option<usize> {
    let size = start.size();
    if !start.players().iter().all(|seat| seat.index() < 2) {
        None
    } else if position::fits::<2>(size) {
        Some(2)
    } else if position::fits::<4>(size) {
        Some(4)
    } else {
        Some(8)
    }
}
