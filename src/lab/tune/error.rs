//! Why a tuning cannot begin or continue.

use thiserror::Error;

use super::parameter::TunableError;
use crate::lab::matches::{EngineStartError, FolderError, PlanError, RunError};

/// Why a tuning cannot begin or continue.
#[derive(Debug, Error)]
pub(crate) enum TuneError {
    #[error(transparent)]
    Parameter(#[from] TunableError),
    #[error("no parameters to tune: expected `NAME` or `NAME=value:min:max:c_end:r_end`")]
    Nothing,
    #[error("{0}")]
    Settings(String),
    #[error("tuning compares two engines on two seats, not on `{0}`")]
    Seats(usize),
    #[error("`{0}` holds games already; `--resume` continues a tuning")]
    Taken(String),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Start(#[from] EngineStartError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("cannot draw the diagram: {0}")]
    Plot(String),
}

impl TuneError {
    /// An error before the first game. An engine that cannot be started then has wrong settings.
    pub(crate) fn before(error: RunError) -> Self {
        match error {
            RunError::Start(error) => Self::Start(error),
            error => Self::Run(error),
        }
    }
}
