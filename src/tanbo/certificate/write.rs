//! Writes a certificate.

use std::io::{self, Write};

use flate2::Compression;
use flate2::CrcWriter;
use flate2::write::ZlibEncoder;
use thiserror::Error;

use super::error::Place;
use super::header::{self, Header};
use super::naive_position::NaivePosition;
use super::traversal::{Decision, StopReason, traverse};
use crate::board::Point;
use crate::game::Seat;
use crate::tanbo::Start;

/// A position of the strategy with the winner to move.
pub struct WinnerToMove<'a> {
    /// The position.
    pub position: &'a NaivePosition,
    /// The moves from the start to it.
    pub line: &'a [Point],
}

/// Supplies the winning moves.
pub trait Guide {
    /// A move that keeps the win; `None` ends the writing. It is called once for each position
    /// with the winner to move, in depth-first order.
    fn winning_move(&mut self, at: &WinnerToMove) -> Option<Point>;
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Different positions of the strategy with the winner to move.
    pub positions: u64,
    /// Moves of both sides that were played to traverse it.
    pub moves: u64,
    /// The length of the longest game against the strategy.
    pub plies: u64,
    /// The size of the certificate.
    pub bytes: u64,
}

/// Why a certificate could not be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// Players other than Black and White, or a winner who does not play.
    #[error("`{0}` players play from this position, a certificate is for black and white")]
    Players(usize),
    /// The guide has no move.
    #[error("no winning move is known after {}", line(.0))]
    NoMove(Box<Place>),
    /// The guide's move is illegal.
    #[error("the move {name} after {} is illegal", line(.place))]
    Illegal {
        /// The move.
        name: String,
        /// The position.
        place: Box<Place>,
    },
    /// The index of a move does not fit into a byte.
    #[error("the move after {} is number {number}, a certificate can name 0 to 255", line(.place))]
    Number {
        /// The index of the move among the legal ones.
        number: usize,
        /// The position.
        place: Box<Place>,
    },
    /// The guide's moves lose.
    #[error("the claim is false: the other side wins after {}", line(.0))]
    Lost(Box<Place>),
    /// The positions of the strategy do not fit into memory.
    #[error("out of memory after {0} positions of the certificate")]
    Memory(u64),
    /// The certificate cannot be written.
    #[error("the certificate cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// The moves to a place, as text.
fn line(place: &Place) -> String {
    match place.line.len() {
        0 => "no moves".to_string(),
        _ => place.line.join(" "),
    }
}

/// Why a move could not be written.
enum ChoiceError {
    NoMove,
    Illegal(Point),
    Number(usize),
    Io(io::Error),
}

/// Writes a certificate that `winner` wins from `start` with the guide's moves, which the naive
/// rules check on the way.
///
/// Nothing is written to `out` before the whole strategy is traversed. Until then the compressed
/// moves and a table of positions are in memory: 14 to 27 bytes a position on boards up to 6x6,
/// 23 to 46 up to 8x8, more on larger ones.
///
/// # Errors
/// See [`WriteError`].
pub fn write(
    start: &Start,
    winner: Seat,
    guide: &mut dyn Guide,
    out: &mut dyn Write,
) -> Result<Summary, WriteError> {
    let setup = start.setup();
    let two = [0, 1].map(Seat::new);
    if start.players() != two || !two.contains(&winner) {
        return Err(WriteError::Players(start.players().len()));
    }
    let board = NaivePosition::new(setup.size, setup.to_move, |point| {
        setup.stones.get(&point).copied()
    });
    let mut moves = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut path = Vec::new();
    let stats = traverse(&board, winner, usize::MAX, &mut |decision| {
        choose(decision, guide, &mut path, &mut moves)
    });
    let stats = stats.map_err(|(stop, place)| match stop {
        StopReason::Lost => WriteError::Lost(place),
        StopReason::Memory(positions) => WriteError::Memory(positions),
        StopReason::Choice(ChoiceError::NoMove) => WriteError::NoMove(place),
        StopReason::Choice(ChoiceError::Number(number)) => WriteError::Number { number, place },
        StopReason::Choice(ChoiceError::Io(error)) => WriteError::Io(error),
        StopReason::Choice(ChoiceError::Illegal(point)) => WriteError::Illegal {
            name: crate::board::vertex::name(point, setup.size),
            place,
        },
    })?;
    let moves = moves.finish()?;
    let header = header::write(&Header {
        start: board,
        winner,
        positions: stats.positions,
        plies: stats.plies,
    });
    let mut out = CrcWriter::new(out);
    out.write_all(header.as_bytes())?;
    out.write_all(&moves)?;
    let check = out.crc().sum();
    let out = out.into_inner();
    out.write_all(&check.to_be_bytes())?;
    out.flush()?;
    Ok(Summary {
        positions: stats.positions,
        moves: stats.moves,
        plies: stats.plies,
        bytes: (header.len() + moves.len() + size_of_val(&check)) as u64,
    })
}

/// Asks the guide for a move and writes its index.
fn choose(
    decision: &Decision,
    guide: &mut dyn Guide,
    path: &mut Vec<Point>,
    moves: &mut impl Write,
) -> Result<usize, ChoiceError> {
    path.clear();
    path.extend(
        decision
            .line
            .iter()
            .filter_map(|&at| decision.position.point(at)),
    );
    let at = WinnerToMove {
        position: decision.position,
        line: path,
    };
    let point = guide.winning_move(&at).ok_or(ChoiceError::NoMove)?;
    let legal = |&at: &u16| decision.position.point(at) == Some(point);
    let number = decision.legal.iter().position(legal);
    let number = number.ok_or(ChoiceError::Illegal(point))?;
    let byte = u8::try_from(number).map_err(|_| ChoiceError::Number(number))?;
    moves.write_all(&[byte]).map_err(ChoiceError::Io)?;
    Ok(number)
}
