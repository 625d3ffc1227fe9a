//! Checking a certificate.

use std::io::Read;

use super::body::Body;
use super::head;
use super::refusal::{Place, Reason, Refusal, Unverified};
use super::rules::{Board, word};
use super::walk::{Stop, walk};
use crate::game::Seat;

/// How much a check may use.
#[derive(Clone, Copy, Debug)]
pub struct VerifyLimits {
    /// MiB for the table of the positions met, the only thing that grows; none: all that there is.
    pub memory: Option<usize>,
}

/// What a certificate proves.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The first position.
    pub start: Board,
    /// Who wins it, however the other side plays.
    pub winner: Seat,
    /// Different positions of the strategy where the winner is to move.
    pub positions: u64,
    /// Moves played to check it, of both sides.
    pub moves: u64,
    /// The moves of the longest game that the loser can make of it.
    pub plies: u64,
}

/// Positions between two calls of `progress`.
const OFTEN: u64 = 1 << 14;

/// Reads a certificate and plays all of its strategy. `progress` is told from time
/// to time how many positions are done and how many the head claims.
///
/// # Errors
/// A damaged or false certificate, with the first position that breaks it; a
/// file that cannot be read; too little memory.
pub fn verify(
    file: impl Read,
    limits: &VerifyLimits,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Proof, Unverified> {
    let mut body = Body::new(file);
    let head = head::read(&mut || body.plain())?;
    let start = &head.board;
    if let Some(fault) = start.fault() {
        let (board, line) = (start.clone(), Vec::new());
        let place = Box::new(Place { board, line });
        return Err(refused(Reason::Start(fault), place));
    }
    let memory = limits
        .memory
        .map_or(usize::MAX, |mib| mib.saturating_mul(1 << 20));
    let totals = walk(start, head.winner, memory, &mut |met| {
        if met.positions > head.positions {
            return Err(Reason::More(head.positions).into());
        }
        if met.positions.is_multiple_of(OFTEN) {
            progress(met.positions, head.positions);
        }
        let number = body
            .next_move()?
            .ok_or(Reason::Missing(word(head.winner)))?;
        let number = usize::from(number);
        let last = met.legal.len().saturating_sub(1);
        if number > last {
            return Err(Reason::Illegal { number, last }.into());
        }
        Ok(number)
    });
    let totals = totals.map_err(|(stop, place)| match stop {
        Stop::Lost => {
            let loser = Seat::new(1 - head.winner.index().min(1));
            refused(Reason::Lost(word(loser)), place)
        }
        Stop::Memory(positions) => Unverified::Memory {
            mib: limits.memory,
            positions,
        },
        Stop::Chooser(Unverified::Refused(refusal)) => refused(refusal.reason, place),
        Stop::Chooser(error) => error,
    })?;
    body.end()?;
    let claimed = (head.positions, head.plies);
    let found = (totals.positions, totals.plies);
    if claimed != found {
        return Err(Reason::Numbers { claimed, found }.into());
    }
    Ok(Proof {
        start: head.board,
        winner: head.winner,
        positions: totals.positions,
        moves: totals.moves,
        plies: totals.plies,
    })
}

fn refused(reason: Reason, place: Box<Place>) -> Unverified {
    let place = Some(place);
    Refusal { reason, place }.into()
}
