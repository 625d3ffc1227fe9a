//! Certificates: winning strategies in files that others can check.

use std::io::Write;

use super::move_code::MoveCode;
use crate::game::Seat;
use crate::util::files::Kind;

/// The most positions that the search of an ending may need.
pub(crate) const MAX_ENDING: u64 = 1_000_000;

/// Writes the certificate of a start position.
pub trait CertificateWriter {
    /// How files of this kind are recognised.
    fn kind(&self) -> Kind<'static>;
    /// Writes the strategy with which `winner` wins; positions that a search of at most `ending_limit`
    /// positions wins are left to the verifier.
    ///
    /// # Errors
    /// Why nothing was written, in one sentence.
    fn write(
        &self,
        winner: Seat,
        strategy: &mut dyn Strategy,
        ending_limit: Option<u64>,
        out: &mut dyn Write,
    ) -> Result<CertificateSummary, String>;
}

/// Knows the winning moves.
pub trait Strategy {
    /// A move that keeps the win after `line`, the moves from the start position; `None` ends
    /// the writing. It is asked once for each position where the winner is to move, in the order
    /// of a depth-first walk.
    fn winning_move(&mut self, line: &[MoveCode]) -> Option<MoveCode>;
}

/// The size of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CertificateSummary {
    /// Positions of the strategy where the winner is to move: those that differ, in each part by
    /// itself.
    pub positions: u64,
    /// Parts with tables of their own; 0 in version 1.
    pub parts: u64,
    /// Positions that are left to a search; `None` before version 3.
    pub endings: Option<u64>,
    /// Moves of both sides that were played to find it, outside endings.
    pub moves: u64,
    /// Plies of the longest game that the loser can make of it, or of its part before an ending.
    pub plies: u64,
    /// Bytes of the file.
    pub bytes: u64,
}
