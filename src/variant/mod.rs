//! What a game must offer beside [`Game`](crate::game::Game) to be played by name. Nothing here
//! names a game.
//!
//! | file | what it declares |
//! |---|---|
//! | `definition` | a game by name: [`Variant`], [`StartPosition`], [`RecordFormat`], [`StoneSetup`] |
//! | `capabilities` | what a position offers: [`Capabilities`] |
//! | `notation`, `progress`, `stones`, `board_view`, `training`, `exact` | one capability each |
//! | `setup_editor`, `certificate` | capabilities of a start position |
//! | `running_game` | a position and its search behind one object |
//! | `endgame_searcher`, `resist` | the search that asks the solver near the end of the game |
//! | `game_record`, `text_record` | records of games, and their text |

pub mod board_view;
pub mod capabilities;
pub mod certificate;
pub mod definition;
mod endgame_searcher;
pub mod exact;
pub mod game_record;
mod move_code;
pub mod notation;
mod progress;
mod resist;
pub mod running_game;
mod setup_editor;
mod stones;
pub mod text_record;
mod training;

pub use board_view::{BoardView, Ground, Piece, Space};
pub use capabilities::{Capabilities, PlayableGame};
pub use certificate::{CertificateSummary, CertificateWriter, Strategy};
pub use definition::{
    Arrangement, Case, DefaultStart, GameRecord, RecordFormat, SetupError, SharedStart,
    StartPosition, StoneSetup, Variant,
};
pub use exact::{CheckpointFile, Exact, ExactSettings, Verdict};
pub use game_record::RecordedMove;
pub use move_code::MoveCode;
pub use notation::Notation;
pub use progress::Progress;
pub use running_game::{RunningGame, with_searcher, with_tree_search};
pub use setup_editor::SetupEditor;
pub use stones::{Group, Stones};
pub use text_record::TextRecords;
pub use training::{EvaluationWeights, TrainingFeatures};
