//! What evaluations are trained on, and their weights.

use super::MoveCode;
use crate::game::Seat;

/// The inputs of the evaluations at a position.
pub trait TrainingFeatures {
    /// The features of the linear evaluation for each seat in play. With the weights `w`, the
    /// winning chances of the seats are in proportion to `exp(w . x)`.
    fn linear_features(&self) -> Vec<(Seat, Vec<f64>)>;
    /// The input planes of the network, seen by the side to move: for each point one word whose
    /// bit `i` belongs to plane `i`, row by row. `None` where the game has no network for this
    /// position.
    fn input_planes(&self) -> Option<Vec<u32>> {
        None
    }
    /// The number of input planes at this position; 0 where the game has no network for it.
    fn plane_count(&self) -> usize {
        0
    }
    /// The number of places in a policy target; 0 in a game without a network.
    fn policy_size(&self) -> usize {
        0
    }
    /// The place of a legal move in a policy target, below [`TrainingFeatures::policy_size`].
    fn policy_place(&self, code: MoveCode) -> Option<usize> {
        let _ = code;
        None
    }
    /// The features of the whole position that the network takes besides the planes; `None` where
    /// the game has no network for this position.
    fn global_features(&self) -> Option<Vec<f32>> {
        None
    }
}

/// The weights of a linear evaluation and the files that hold them.
pub trait EvaluationWeights {
    /// The weights that are built in, in the order of [`TrainingFeatures::linear_features`].
    fn embedded(&self) -> Vec<f64>;
    /// The text of a file with these weights. Weights in the text `beside` that belong to other
    /// starts are kept.
    fn to_text(&self, weights: &[f64], beside: Option<&str>) -> String;
    /// Checks that a text holds weights of this evaluation, or a network.
    ///
    /// # Errors
    /// What is wrong with the text, in one sentence.
    fn check(&self, text: &str) -> Result<(), String>;
    /// Whether a text that [`EvaluationWeights::check`] accepts is a network.
    fn is_network(&self, text: &str) -> bool {
        let _ = text;
        false
    }
}
