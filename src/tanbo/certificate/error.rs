//! What can be wrong with a certificate, and where.

use std::io;

use thiserror::Error;

use super::naive_position::NaivePosition;

/// A position of the strategy.
#[derive(Clone, Debug)]
pub struct Place {
    /// The position; in a finished game, the remaining stones.
    pub position: NaivePosition,
    /// The names of the moves from the start to it.
    pub line: Vec<String>,
}

/// What is wrong with a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Defect {
    /// A line of the header has another form.
    #[error("line {line} of the header is `{found}`: expected {expected}")]
    Header {
        /// The line, from 1.
        line: usize,
        /// The line, shortened.
        found: String,
        /// The correct form.
        expected: String,
    },
    /// The rules cannot play from the start.
    #[error("the rules cannot play from the position of the header: {0}")]
    Start(&'static str),
    /// No move is left where the winner needs one.
    #[error("the moves end where {0} needs one")]
    Missing(&'static str),
    /// A position has fewer legal moves.
    #[error("move {number} was chosen where there are only moves 0 to {last}")]
    Illegal {
        /// The index of the move among the legal ones.
        number: usize,
        /// The index of the last legal move.
        last: usize,
    },
    /// A byte that is no move where a part needs its first move.
    #[error("byte {0} stands where the move of a part is needed")]
    PartMove(u8),
    /// An ending that the claimed winner does not win.
    #[error("{0} does not win this ending")]
    EndingLost(&'static str),
    /// An ending that needs a longer search than the header says.
    #[error("the search of this ending needs more than {0} positions")]
    EndingSize(u64),
    /// The other side has won.
    #[error("{0} wins this game")]
    Lost(&'static str),
    /// There are more positions than the header claims.
    #[error("the strategy has more than the {0} positions that the header claims")]
    More(u64),
    /// The header claims other numbers.
    #[error(
        "the strategy has {} positions and {} plies, not {} and {}",
        .found.0, .found.1, .claimed.0, .claimed.1
    )]
    Numbers {
        /// Positions and plies in the header.
        claimed: (u64, u64),
        /// The correct numbers.
        found: (u64, u64),
    },
    /// The header claims another number of parts or endings.
    #[error("the strategy has {found} {what}, not {claimed}")]
    Count {
        /// `parts` or `endings`.
        what: &'static str,
        /// The number in the header.
        claimed: u64,
        /// The correct number.
        found: u64,
    },
    /// There are moves after the last position.
    #[error("there are more moves than the strategy has positions")]
    Leftover,
    /// The moves cannot be decompressed.
    #[error("the compressed moves are damaged")]
    Damaged,
    /// The file is too short.
    #[error("the file ends too early")]
    Truncated,
    /// The checksum is wrong.
    #[error("the checksum at the end is `{found:08x}`: expected `{expected:08x}`")]
    Checksum {
        /// The number in the file.
        found: u32,
        /// The CRC-32 of the bytes before it.
        expected: u32,
    },
    /// The file goes on after the checksum.
    #[error("there are bytes after the checksum")]
    Trailing,
}

/// The certificate is damaged or false.
#[derive(Clone, Debug, Error)]
#[error("{defect}")]
pub struct CertificateError {
    /// What is wrong with it.
    pub defect: Defect,
    /// The first position where that shows, if it shows at a position.
    pub place: Option<Box<Place>>,
}

/// Why a certificate could not be verified.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The certificate is damaged or false.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The positions of the strategy do not fit into the memory.
    #[error(
        "{} too small: it was full after {positions} positions",
        mib.map_or_else(|| "the memory is".to_string(), |mib| format!("`{mib}` MiB are"))
    )]
    Memory {
        /// The limit in MiB, if there is one.
        mib: Option<usize>,
        /// Positions so far.
        positions: u64,
    },
}

impl From<Defect> for CertificateError {
    fn from(defect: Defect) -> Self {
        Self {
            defect,
            place: None,
        }
    }
}

impl From<Defect> for VerifyError {
    fn from(defect: Defect) -> Self {
        Self::Certificate(defect.into())
    }
}
