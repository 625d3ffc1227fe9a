//! Why a certificate is refused, and where.

use std::io;

use thiserror::Error;

use super::rules::Board;

/// A position of the strategy.
#[derive(Clone, Debug)]
pub struct Place {
    /// The position; in a finished game, the last stones.
    pub board: Board,
    /// The names of the moves that lead to it from the first position.
    pub line: Vec<String>,
}

/// What is wrong with a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// A line of the head is not what stands there in a certificate.
    #[error("line {line} of the head is `{found}`, expected {expected}")]
    Head {
        /// The line, from 1.
        line: usize,
        /// What it is, shortened.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// The rules cannot play from the first position.
    #[error("the rules cannot play from the position of the head: {0}")]
    Start(&'static str),
    /// There are no moves left where the winner needs one.
    #[error("the moves end where {0} needs one")]
    Missing(&'static str),
    /// There are not as many legal moves.
    #[error("move {number} was chosen where there are only moves 0 to {last}")]
    Illegal {
        /// The move's place among the legal ones, from 0.
        number: usize,
        /// The place of the last.
        last: usize,
    },
    /// The other side has won.
    #[error("{0} wins this game")]
    Lost(&'static str),
    /// There are more positions than the head says.
    #[error("the strategy has more than the {0} positions that the head claims")]
    More(u64),
    /// The head has other numbers than the strategy.
    #[error(
        "the strategy has {} positions and {} plies, not {} and {}",
        .found.0, .found.1, .claimed.0, .claimed.1
    )]
    Numbers {
        /// Positions and plies in the head.
        claimed: (u64, u64),
        /// What they should be.
        found: (u64, u64),
    },
    /// There are moves after the last position.
    #[error("there are more moves than the strategy has positions")]
    Leftover,
    /// The compressed moves cannot be unpacked.
    #[error("the compressed moves are damaged")]
    Damaged,
    /// The file is too short.
    #[error("the file ends too early")]
    Truncated,
    /// The check number at the end is another one.
    #[error("the check number at the end is `{found:08x}`, expected `{expected:08x}`")]
    Checksum {
        /// What the file says.
        found: u32,
        /// What the bytes before it give.
        expected: u32,
    },
    /// The file goes on after the check number.
    #[error("the file goes on after its end")]
    Trailing,
}

/// A certificate that proves nothing.
#[derive(Clone, Debug, Error)]
#[error("{reason}")]
pub struct Refusal {
    /// What is wrong.
    pub reason: Reason,
    /// The first position that breaks it, for what shows at a position.
    pub place: Option<Box<Place>>,
}

/// Why nothing was proven.
#[derive(Debug, Error)]
pub enum Unverified {
    /// The certificate is damaged or false.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The positions met do not fit into the memory allowed.
    #[error(
        "{} not hold the positions after {positions} of them, expected more",
        mib.map_or_else(|| "the memory does".to_string(), |mib| format!("`{mib}` MiB do"))
    )]
    Memory {
        /// MiB allowed, where there was a limit.
        mib: Option<usize>,
        /// Positions met so far.
        positions: u64,
    },
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self {
            reason,
            place: None,
        }
    }
}

impl From<Reason> for Unverified {
    fn from(reason: Reason) -> Self {
        Self::Refused(reason.into())
    }
}
