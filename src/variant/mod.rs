//! What a game must offer beside [`Game`](crate::game::Game) to be played by name: start
//! positions, texts, and a table to play at. Nothing here names a game.

pub mod drawn;
mod ending;
pub mod exact;
pub mod notation;
pub mod plain;
mod resist;
pub mod ruleset;
pub mod sheet;
pub mod table;

pub use drawn::{Drawn, Ground, Piece, Space};
pub use exact::{CheckpointFile, Exact, ExactSettings, Verdict};
pub use notation::{Code, Group, Notation, Stones, Tellable};
pub use ruleset::{Arrangement, Case, Ruleset, SetupError, SharedStart, Start};
pub use sheet::{Played, Sheet};
pub use table::{Table, with_search, with_thinker};
