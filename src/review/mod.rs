//! Examines a game move by move: the value of each position to each player, the best moves, the
//! loss of each played move, and a page that shows it all. Nothing here names a game.
//!
//! | file | what it does |
//! |---|---|
//! | `replay` | replays a game: its boards, and what each move changed |
//! | `mark` | losses and their marks |
//! | `searched` | searched positions; carries results back along the game |
//! | `verification` | verification searches of moves that may be mistakes |
//! | `examine` | searches every position and assembles the review |
//! | `data` | the review, as JSON has it |
//! | `page` | the page, with `drawing` (boards), `graph` (chances), `symbols` (the key) and `text` |

mod data;
mod drawing;
mod examine;
mod graph;
mod mark;
mod page;
mod replay;
mod searched;
mod symbols;
mod text;
mod verification;

pub(crate) use data::{BestMove, Board, LineMove, SpaceReview};
pub use data::{MoveReview, Review};
pub use examine::{ReviewProgress, ReviewSettings, examine, examine_end};
pub(crate) use examine::{best_moves, chance};
pub use mark::Mark;
pub use page::review_page;
pub(crate) use page::{BOARD_CSS, BOARD_JS, KIND};
pub use replay::ReviewError;
pub(crate) use replay::{PositionView, ReplayedMove, board, follow, new_game, place, view};
pub(crate) use searched::SearchedPosition;

use crate::variant::GameRecord;

/// Checks that every move of a game can be played, by the player whose turn it is.
pub(crate) fn check(record: &GameRecord) -> Result<(), ReviewError> {
    follow(record, &mut |_, _| ()).map(drop)
}
