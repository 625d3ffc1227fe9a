//! Verifies a certificate.

use std::io::Read;

use super::body::Body;
use super::error::{CertificateError, Defect, Place, VerifyError};
use super::header;
use super::naive_position::{NaivePosition, word};
use super::traversal::{StopReason, traverse};
use crate::game::Seat;

/// What a certificate proves.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The start.
    pub start: NaivePosition,
    /// Who wins, whatever the other side plays.
    pub winner: Seat,
    /// Different positions of the strategy with the winner to move.
    pub positions: u64,
    /// Moves of both sides that were played to verify it.
    pub moves: u64,
    /// The length of the longest game against the strategy.
    pub plies: u64,
}

/// Positions between two calls of `progress`.
const PROGRESS_INTERVAL: u64 = 1 << 14;

/// Reads a certificate and plays its whole strategy. The table of positions takes at
/// most `mib` MiB. `progress` receives the positions checked so far and the number in the header.
///
/// # Errors
/// The certificate is damaged or false; the file cannot be read; the memory is too small.
pub fn verify(
    file: impl Read,
    mib: Option<usize>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Proof, VerifyError> {
    let mut body = Body::new(file);
    let header = header::read(&mut || body.plain())?;
    let start = &header.start;
    if let Some(fault) = start.fault() {
        let (position, line) = (start.clone(), Vec::new());
        let place = Box::new(Place { position, line });
        return Err(at(Defect::Start(fault), place));
    }
    let memory = mib.map_or(usize::MAX, |mib| mib.saturating_mul(1 << 20));
    let stats = traverse(start, header.winner, memory, &mut |decision| {
        if decision.positions > header.positions {
            return Err(Defect::More(header.positions).into());
        }
        if decision.positions.is_multiple_of(PROGRESS_INTERVAL) {
            progress(decision.positions, header.positions);
        }
        let number = body
            .next_move()?
            .ok_or(Defect::Missing(word(header.winner)))?;
        let number = usize::from(number);
        let last = decision.legal.len().saturating_sub(1);
        if number > last {
            return Err(Defect::Illegal { number, last }.into());
        }
        Ok(number)
    });
    let stats = stats.map_err(|(stop, place)| match stop {
        StopReason::Lost => {
            let loser = Seat::new(1 - header.winner.index().min(1));
            at(Defect::Lost(word(loser)), place)
        }
        StopReason::Memory(positions) => VerifyError::Memory { mib, positions },
        StopReason::Choice(VerifyError::Certificate(error)) => at(error.defect, place),
        StopReason::Choice(error) => error,
    })?;
    body.end()?;
    let claimed = (header.positions, header.plies);
    let found = (stats.positions, stats.plies);
    if claimed != found {
        return Err(Defect::Numbers { claimed, found }.into());
    }
    Ok(Proof {
        start: header.start,
        winner: header.winner,
        positions: stats.positions,
        moves: stats.moves,
        plies: stats.plies,
    })
}

fn at(defect: Defect, place: Box<Place>) -> VerifyError {
    let place = Some(place);
    CertificateError { defect, place }.into()
}
