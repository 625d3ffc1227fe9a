//! A game examined move by move: what each position is worth to each player, what was best,
//! what the move that was played lost, and a page to look at it.
//!
//! Reads in this order: [`mod@examine`] (the search of each position), [`settle`] (exact results
//! carried back, losses, marks), [`second_look`] (what losses are beyond the noise), [`data`] (the result, as JSON has it), `walk` (the boards of the
//! game), `page` with `drawing`, `key` and `graph` (the page). Nothing here names a game.

pub mod data;
mod drawing;
mod escape;
pub mod examine;
mod graph;
mod key;
mod page;
pub mod second_look;
pub mod settle;
mod walk;

pub use data::{MoveReview, PositionReview, Review};
pub use examine::{Effort, Progress, ReviewError, examine, examine_end};
pub use page::{KIND, page};
pub use settle::Mark;

use crate::variant::GameRecord;

/// Whether the moves of a game can be played, each by whose turn it is.
///
/// # Errors
/// The first that cannot.
pub fn check(record: &GameRecord) -> Result<(), ReviewError> {
    walk::walk(record).map(drop)
}
