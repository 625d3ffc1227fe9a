//! Tuning: parameters of the table that win more games.
//!
//! Two ways: [`Tuner`] moves several parameters at once by SPSA, from small differences between
//! many short batches of games; a [`Scan`] compares some values of one parameter with the engine
//! as it is. Both play through [`matches`](mod@crate::lab::matches), two seats at the board.
//!
//! | file | what it does |
//! |---|---|
//! | `parameter` | what is tuned: start, range and step sizes |
//! | `spsa` | the method: pure functions of numbers |
//! | `history` | the folder of a tuning: settings, and a row for each step |
//! | `tuner` | from a step to games and back |
//! | `scan` | values of one parameter side by side |
//! | `plot` | both as SVG |

mod history;
mod parameter;
mod plot;
mod scan;
mod spsa;
mod tuner;

use thiserror::Error;

pub use history::Row;
pub use parameter::{R_END, Tunable, TunableError};
pub use plot::{course, whiskers};
pub use scan::{Scan, ScanError, ScanPoint, ScanResult};
pub use spsa::{ALPHA, GAMMA, Gains, STABILITY, Spsa, Trial};
pub use tuner::{Settings, Tuner};

use crate::lab::matches::{FolderError, PlanError, RunError, StartError};

/// Why a tuning cannot begin or go on.
#[derive(Debug, Error)]
pub enum TuneError {
    /// A parameter is wrong.
    #[error(transparent)]
    Parameter(#[from] TunableError),
    /// No parameters.
    #[error("no parameters to tune, expected `NAME` or `NAME=value:min:max:c_end:r_end`")]
    Nothing,
    /// A parameter is there twice.
    #[error("`{0}` is to be tuned twice, expected it once")]
    Twice(String),
    /// A number of steps or pairs that is none.
    #[error("`{number}` {what}, expected 1 to {most}")]
    Count {
        /// What was asked for.
        number: usize,
        /// Of what.
        what: &'static str,
        /// The most that is possible.
        most: usize,
    },
    /// Another number of players than two.
    #[error("tuning compares two engines on two seats, `{0}` seats were given")]
    Seats(usize),
    /// There is a tuning or a match already.
    #[error("`{0}` holds games already; `--resume` goes on with a tuning")]
    Taken(String),
    /// There is no tuning.
    #[error("`{0}` holds no tuning to go on with")]
    Missing(String),
    /// There is another tuning.
    #[error("`{path}` holds another tuning: its `{field}` differs")]
    Other {
        /// The folder.
        path: String,
        /// What differs first.
        field: String,
    },
    /// The folder.
    #[error(transparent)]
    Folder(FolderError),
    /// The games of a step.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// An engine.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The games were not played to the end.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The diagram.
    #[error("no diagram can be drawn: {0}")]
    Plot(String),
}

impl From<FolderError> for TuneError {
    fn from(error: FolderError) -> Self {
        Self::Folder(error.of_tuning())
    }
}

impl TuneError {
    /// What goes wrong before the first game: an engine that cannot be started is a matter of the
    /// settings then.
    pub fn before(error: RunError) -> Self {
        match error {
            RunError::Start(error) => Self::Start(error),
            error => Self::Run(error),
        }
    }
}

/// The most steps, and the most pairs a step.
pub const MOST: usize = 1_000_000;
