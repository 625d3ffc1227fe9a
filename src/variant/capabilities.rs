//! What a position offers beyond the rules of its game.

use super::board_view::BoardView;
use super::exact::{ExactSettings, ExactSolver};
use super::notation::Notation;
use super::progress::GameProgress;
use super::stones::Stones;
use super::training::TrainingFeatures;
use crate::game::Game;

/// What code can ask of a position without knowing its game. Every game has notation and progress;
/// everything else is optional.
pub trait Capabilities: Notation + GameProgress {
    /// The stones, in a game of stones on points.
    fn stones(&self) -> Option<&dyn Stones> {
        None
    }
    /// The board as it is drawn, in a game on a square board.
    fn board_view(&self) -> Option<&dyn BoardView> {
        None
    }
    /// The inputs of the evaluations, in a game whose evaluation can be trained.
    fn training_features(&self) -> Option<&dyn TrainingFeatures> {
        None
    }
    /// A solver that starts at this position.
    ///
    /// # Errors
    /// Why there is no solver for it, in one sentence.
    fn exact(&self, settings: &ExactSettings) -> Result<Box<dyn ExactSolver>, String> {
        let _ = settings;
        Err("there are no exact results for this game".to_string())
    }
}

/// A game that [`RunningGame`](super::RunningGame) can run: its rules and its capabilities.
pub trait PlayableGame: Game + Capabilities + 'static {}

impl<G: Game + Capabilities + 'static> PlayableGame for G {}
