//! Why a tuning cannot begin or continue.

use thiserror::Error;

use super::parameter::TunableError;
use crate::lab::matches::{EngineStartError, FolderError, PlanError, RunError};

/// Why a tuning cannot begin or continue.
#[derive(Debug, Error)]
pub(crate) enum TuneError {
    /// A parameter is wrong.
    #[error(transparent)]
    Parameter(#[from] TunableError),
    /// There are no parameters.
    #[error("no parameters to tune: expected `NAME` or `NAME=value:min:max:c_end:r_end`")]
    Nothing,
    /// A parameter is given twice, or a number is out of range.
    #[error("{0}")]
    Settings(String),
    /// Tuning needs two seats.
    #[error("tuning compares two engines on two seats, not on `{0}`")]
    Seats(usize),
    /// There is a tuning or a match already.
    #[error("`{0}` holds games already; `--resume` continues a tuning")]
    Taken(String),
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The games of a step cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An engine cannot be started.
    #[error(transparent)]
    Start(#[from] EngineStartError),
    /// The games were not played to the end.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The diagram cannot be drawn.
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
