//! Verifies a certificate.

use std::io::Read;

use super::ending::EndingSearch;
use super::error::{CertificateError, Defect, Place, VerifyError};
use super::naive_position::{NaivePosition, word};
use super::reader::Reader;
use super::traversal::{Choice, Decision, Guide, StopReason, traverse};
use crate::game::Seat;

/// What a certificate proves.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The start.
    pub start: NaivePosition,
    /// Who wins, whatever the other side plays.
    pub winner: Seat,
    /// Positions of the strategy with the winner to move, each once in a part.
    pub positions: u64,
    /// Parts that were walked; `None` in version 1, which has none.
    pub parts: Option<u64>,
    /// Positions that were left to a search; `None` before version 3.
    pub endings: Option<u64>,
    /// Positions with the winner to move that these searches needed; `None` before version 3.
    pub searched: Option<u64>,
    /// Moves of both sides that were played to verify it, outside endings.
    pub moves: u64,
    /// The length of the longest game against the strategy, or of its part before an ending.
    pub plies: u64,
}

/// Positions between two calls of `progress`. With endings they take longer.
const PROGRESS_INTERVAL: u64 = 1 << 8;

/// Reads a certificate and plays its whole strategy. The tables of positions take at most `mib` MiB
/// together. `progress` receives the positions checked so far and the number in the header.
///
/// # Errors
/// The certificate is damaged or false; the file cannot be read; the memory is too small.
pub fn verify(
    file: impl Read,
    mib: Option<usize>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Proof, VerifyError> {
    let mut reader = Reader::open(file)?;
    let (start, winner) = (reader.header.start.clone(), reader.header.winner);
    if let Some(fault) = start.fault() {
        let (position, line) = (start, Vec::new());
        let place = Box::new(Place { position, line });
        return Err(at(Defect::Start(fault), place));
    }
    let memory = mib.map_or(usize::MAX, |mib| mib.saturating_mul(1 << 20));
    let endings = reader.header.endings;
    let of_search = endings.map_or(0, |endings| {
        EndingSearch::bytes(start.size(), endings.limit)
    });
    let memory = memory.saturating_sub(of_search);
    let folds = endings.is_some();
    let mut guide = Verifier {
        reader: &mut reader,
        progress,
    };
    let stats = traverse(&start, winner, folds, memory, &mut guide);
    let stats = stats.map_err(|(stop, place)| match stop {
        StopReason::Lost => {
            let loser = Seat::new(1 - winner.index().min(1));
            at(Defect::Lost(word(loser)), place)
        }
        StopReason::Memory(positions) => VerifyError::Memory { mib, positions },
        StopReason::Choice(VerifyError::Certificate(error)) => at(error.defect, place),
        StopReason::Choice(error) => error,
    })?;
    reader.end(&stats)?;
    Ok(Proof {
        start,
        winner,
        positions: stats.positions,
        parts: reader.header.parts,
        endings: reader.header.endings.map(|endings| endings.count),
        searched: reader.searched(),
        moves: stats.moves,
        plies: stats.plies,
    })
}

/// Plays what the file says.
struct Verifier<'a, R> {
    reader: &'a mut Reader<R>,
    progress: &'a mut dyn FnMut(u64, u64),
}

impl<R: Read> Guide for Verifier<'_, R> {
    type Error = VerifyError;

    fn choose(&mut self, decision: &Decision) -> Result<Choice, VerifyError> {
        if decision.positions.is_multiple_of(PROGRESS_INTERVAL) {
            (self.progress)(decision.positions, self.reader.header.positions);
        }
        self.reader.choose(decision)
    }
}

fn at(defect: Defect, place: Box<Place>) -> VerifyError {
    let place = Some(place);
    CertificateError { defect, place }.into()
}
