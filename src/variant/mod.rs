//! What a game must offer beside [`Game`](crate::game::Game) to be played by name: start
//! positions, texts, and a table to play at. Nothing here names a game.

pub mod board_view;
pub mod definition;
mod endgame_searcher;
pub mod exact;
pub mod game_record;
pub mod notation;
mod resist;
pub mod running_game;
pub mod text_record;

pub use board_view::{BoardView, Ground, Piece, Space};
pub use definition::{Arrangement, Case, SetupError, SharedStart, StartPosition, Variant};
pub use exact::{CheckpointFile, Exact, ExactSettings, Verdict};
pub use game_record::{GameRecord, RecordedMove};
pub use notation::{Group, MoveCode, Notation, PlayableGame, Stones};
pub use running_game::{RunningGame, with_searcher, with_tree_search};
