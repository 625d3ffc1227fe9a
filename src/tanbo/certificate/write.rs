//! Writes a certificate.

use std::io::{self, Write};

use flate2::Compression;
use flate2::CrcWriter;
use flate2::write::ZlibEncoder;

use super::header::{self, Header};
use super::naive_position::NaivePosition;
use super::traversal::{Decision, StopReason, traverse};
use crate::board::vertex;
use crate::game::Seat;
use crate::tanbo::Start;
use crate::variant::{CertificateSummary, MoveCode, Strategy};

/// Writes a certificate that `winner` wins from `start`. The strategy chooses the moves; the naive
/// rules check them.
///
/// Nothing is written to `out` before the whole strategy is traversed. Until then the compressed
/// moves and a table of positions are in memory: 14 to 27 bytes a position on boards up to 6x6,
/// 23 to 46 up to 8x8, more on larger ones.
///
/// # Errors
/// Why there is no certificate, in one sentence.
pub fn write(
    start: &Start,
    winner: Seat,
    strategy: &mut dyn Strategy,
    out: &mut dyn Write,
) -> Result<CertificateSummary, String> {
    let setup = start.setup();
    let two = [0, 1].map(Seat::new);
    if start.players() != two || !two.contains(&winner) {
        return Err(format!(
            "a certificate is for black and white, not for `{}` players",
            start.players().len()
        ));
    }
    let board = NaivePosition::new(setup.size, setup.to_move, |point| {
        setup.stones.get(&point).copied()
    });
    let mut moves = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut path = Vec::new();
    let stats = traverse(&board, winner, usize::MAX, &mut |decision| {
        choose(decision, strategy, &mut path, &mut moves)
    });
    let stats = stats.map_err(|(stop, place)| match stop {
        StopReason::Lost => format!(
            "the claim is false: the other side wins after {}",
            moves_text(&place.line)
        ),
        StopReason::Memory(positions) => {
            format!("out of memory after {positions} positions of the certificate")
        }
        StopReason::Choice(text) => text,
    })?;
    let moves = moves.finish().map_err(unwritable)?;
    let header = header::write(&Header {
        start: board,
        winner,
        positions: stats.positions,
        plies: stats.plies,
    });
    let parts = [header.as_bytes(), &moves];
    let bytes = write_checked(&parts, out).map_err(unwritable)?;
    Ok(CertificateSummary {
        positions: stats.positions,
        moves: stats.moves,
        plies: stats.plies,
        bytes,
    })
}

/// Writes the parts and their checksum; returns the number of bytes.
fn write_checked(parts: &[&[u8]], out: &mut dyn Write) -> io::Result<u64> {
    let mut out = CrcWriter::new(out);
    for part in parts {
        out.write_all(part)?;
    }
    let check = out.crc().sum().to_be_bytes();
    let out = out.into_inner();
    out.write_all(&check)?;
    out.flush()?;
    Ok((parts.iter().map(|part| part.len()).sum::<usize>() + check.len()) as u64)
}

fn unwritable(error: io::Error) -> String {
    format!("the certificate cannot be written: {error}")
}

fn moves_text(names: &[String]) -> String {
    match names {
        [] => "no moves".to_string(),
        _ => names.join(" "),
    }
}

/// Asks the strategy for a move and writes its index.
fn choose(
    decision: &Decision,
    strategy: &mut dyn Strategy,
    path: &mut Vec<MoveCode>,
    moves: &mut impl Write,
) -> Result<usize, String> {
    let position = decision.position;
    let points = decision.line.iter().filter_map(|&at| position.point(at));
    path.clear();
    path.extend(points.map(MoveCode::from));
    let line = || {
        let names = decision.line.iter().map(|&at| position.name(at));
        moves_text(&names.collect::<Vec<_>>())
    };
    let Some(code) = strategy.winning_move(path) else {
        return Err(format!("no winning move is known after {}", line()));
    };
    let legal = |&at: &u16| position.point(at) == Some(code.point());
    let Some(number) = decision.legal.iter().position(legal) else {
        let name = vertex::name(code.point(), position.size());
        return Err(format!("the move {name} after {} is illegal", line()));
    };
    let Ok(byte) = u8::try_from(number) else {
        return Err(format!(
            "the move after {} is number {number}: a certificate can name 0 to 255",
            line()
        ));
    };
    moves.write_all(&[byte]).map_err(unwritable)?;
    Ok(number)
}
