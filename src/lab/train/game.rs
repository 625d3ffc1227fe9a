//! What all games of self-play share.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use thiserror::Error;

use crate::lab::matches::opening::OpeningError;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The game with this number, from 1, refused a move that it had offered.
    #[error("game {0} could not be played to its end")]
    Broken(usize),
}

/// The result of playing the game with this number, from 0; `None` if it was stopped.
pub(super) fn finished<T>(
    played: Option<T>,
    number: usize,
    stop: &AtomicBool,
) -> Result<Option<T>, GameError> {
    // The stop may have cut its last search short.
    match played {
        _ if stop.load(Relaxed) => Ok(None),
        None => Err(GameError::Broken(number + 1)),
        played => Ok(played),
    }
}
