//! What games are played, and how far they are solved.

use thiserror::Error;

use crate::lab::matches::OpeningError;
use crate::params::Params;
use crate::variant::SharedStart;

/// What games are played, and how far they are solved.
#[derive(Clone, Debug)]
pub struct AccuracySettings {
    pub start: SharedStart,
    pub games: usize,
    /// Random moves at the beginning of each, which are not judged.
    pub plies: usize,
    pub seed: u64,
    /// The parameters of the engine except the seed; its time and iterations are those of a move
    /// ([`SearchLimits::of`](crate::search::SearchLimits::of)).
    pub params: Params,
    /// The most nodes of the solver for a position.
    pub nodes: u64,
    /// The most bytes of the solver's table, for each concurrent game.
    pub bytes: usize,
    /// Concurrent games, 1 or more.
    pub concurrency: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AccuracyError {
    #[error("`accuracy` cannot solve {start}: {reason}")]
    Start { start: String, reason: String },
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error("interrupted")]
    Interrupted,
}
