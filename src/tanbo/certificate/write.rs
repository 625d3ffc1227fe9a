//! Writing a certificate.

use std::io::{self, Write};

use flate2::Compression;
use flate2::CrcWriter;
use flate2::write::ZlibEncoder;
use thiserror::Error;

use super::head::{self, Head};
use super::refusal::Place;
use super::rules::Board;
use super::walk::{Met, Stop, walk};
use crate::board::Point;
use crate::game::Seat;
use crate::tanbo::Start;

/// A position where the winner needs a move.
pub struct Asked<'a> {
    /// The position.
    pub board: &'a Board,
    /// The moves that lead to it from the first position.
    pub line: &'a [Point],
}

/// Knows the winning moves.
pub trait Guide {
    /// A move that keeps the win, or none if there is none to be had, which ends
    /// the writing. Asked once for each position where the winner moves, in the
    /// order of a walk in depth.
    fn winning_move(&mut self, asked: &Asked) -> Option<Point>;
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Different positions of the strategy where the winner is to move.
    pub positions: u64,
    /// Moves played to walk through it, of both sides.
    pub moves: u64,
    /// The moves of the longest game that the loser can make of it.
    pub plies: u64,
    /// Bytes of the certificate.
    pub bytes: u64,
}

/// Why no certificate was written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// More than two players, or a winner who does not play.
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
        /// Where.
        place: Box<Place>,
    },
    /// A position has so many moves that a byte cannot name the one chosen.
    #[error("the move after {} is number {number}, a certificate can name 0 to 255", line(.place))]
    Number {
        /// The move's place among the legal ones, from 0.
        number: usize,
        /// Where.
        place: Box<Place>,
    },
    /// The guide's moves lose.
    #[error("the claim is false: the other side wins after {}", line(.0))]
    Lost(Box<Place>),
    /// The positions met do not fit into the memory.
    #[error("the memory does not hold the positions of the certificate after {0} of them")]
    Memory(u64),
    /// The file cannot be written.
    #[error("the certificate cannot be written: {0}")]
    Io(#[from] io::Error),
}

/// The moves that lead to a place, in words.
fn line(place: &Place) -> String {
    match place.line.len() {
        0 => "no moves".to_string(),
        _ => place.line.join(" "),
    }
}

/// Why a move was not written.
enum Wrong {
    NoMove,
    Illegal(Point),
    Number(usize),
    Io(io::Error),
}

/// Writes the certificate that `winner` wins from `start` by the guide's moves,
/// which are checked by the naive rules as they come. Nothing goes to `out`
/// before the whole strategy is walked through; till then its moves are in memory,
/// compressed, besides a table of its positions: 14 to 27 bytes for each of them on
/// boards to 6x6, 23 to 46 to 8x8, more on larger ones.
///
/// # Errors
/// More than two players; a guide that has no move, an illegal or a losing one;
/// a file that cannot be written.
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
    let board = Board::new(setup.size, setup.to_move, |point| {
        setup.stones.get(&point).copied()
    });
    let mut moves = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut path = Vec::new();
    let totals = walk(&board, winner, usize::MAX, &mut |met| {
        choose(met, guide, &mut path, &mut moves)
    });
    let totals = totals.map_err(|(stop, place)| match stop {
        Stop::Lost => WriteError::Lost(place),
        Stop::Memory(positions) => WriteError::Memory(positions),
        Stop::Chooser(Wrong::NoMove) => WriteError::NoMove(place),
        Stop::Chooser(Wrong::Number(number)) => WriteError::Number { number, place },
        Stop::Chooser(Wrong::Io(error)) => WriteError::Io(error),
        Stop::Chooser(Wrong::Illegal(point)) => WriteError::Illegal {
            name: crate::board::vertex::name(point, setup.size),
            place,
        },
    })?;
    let moves = moves.finish()?;
    let head = head::write(&Head {
        board,
        winner,
        positions: totals.positions,
        plies: totals.plies,
    });
    let mut out = CrcWriter::new(out);
    out.write_all(head.as_bytes())?;
    out.write_all(&moves)?;
    let check = out.crc().sum();
    let out = out.into_inner();
    out.write_all(&check.to_be_bytes())?;
    out.flush()?;
    Ok(Summary {
        positions: totals.positions,
        moves: totals.moves,
        plies: totals.plies,
        bytes: (head.len() + moves.len() + size_of_val(&check)) as u64,
    })
}

/// Asks the guide for a move and writes it down.
fn choose(
    met: &Met,
    guide: &mut dyn Guide,
    path: &mut Vec<Point>,
    moves: &mut impl Write,
) -> Result<usize, Wrong> {
    path.clear();
    path.extend(met.line.iter().filter_map(|&at| met.board.point(at)));
    let asked = Asked {
        board: met.board,
        line: path,
    };
    let point = guide.winning_move(&asked).ok_or(Wrong::NoMove)?;
    let legal = |&at: &u16| met.board.point(at) == Some(point);
    let number = met.legal.iter().position(legal);
    let number = number.ok_or(Wrong::Illegal(point))?;
    let byte = u8::try_from(number).map_err(|_| Wrong::Number(number))?;
    moves.write_all(&[byte]).map_err(Wrong::Io)?;
    Ok(number)
}
