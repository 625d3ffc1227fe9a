//! What a game must offer besides [`Game`](crate::game::Game) to be played by name. Nothing here
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
//! | `solver_strategy` | the winner's moves for a certificate |
//! | `game_record`, `text_record` | records of games, and their text |

mod board_view;
mod capabilities;
mod certificate;
mod definition;
mod endgame_searcher;
mod exact;
mod game_record;
mod move_code;
mod notation;
mod progress;
mod resist;
pub(crate) mod running_game;
mod setup_editor;
mod solver_strategy;
mod stones;
mod text_record;
mod training;

pub use board_view::BoardView;
pub(crate) use board_view::{Ground, GroupReach, Piece, Refusal};
pub use capabilities::Capabilities;
pub use certificate::{CertificateSummary, Strategy};
pub(crate) use certificate::{CertificateWriter, MAX_ENDING};
pub use definition::{
    Arrangement, Case, GameRecord, RecordFormat, SharedStart, StartPosition, Variant,
};
pub(crate) use definition::{DefaultStart, StoneSetup};
pub use exact::{ExactSettings, ExactSolver, Verdict};
pub use game_record::{RecordedMove, VariationMove};
pub(crate) use game_record::{append_line, seconds};
pub use move_code::MoveCode;
pub use notation::Notation;
pub use progress::GameProgress;
pub use running_game::{RunningGame, with_searcher, with_tree_search};
pub(crate) use setup_editor::SetupEditor;
pub(crate) use solver_strategy::{LimitedSolver, SolverStrategy, winning_move};
pub(crate) use stones::Group;
pub use stones::Stones;
pub use text_record::TextRecords;
pub(crate) use training::{EvaluationWeights, TrainingFeatures};
