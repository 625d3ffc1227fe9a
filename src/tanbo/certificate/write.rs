//! Writes a certificate.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::CrcWriter;
use flate2::write::ZlibEncoder;

use super::bits::MAX_SIDE;
use super::ending::{EndingSearch, Found};
use super::error::VerifyError;
use super::header::{self, Endings, Header};
use super::naive_position::{NaivePosition, word};
use super::reader::{ENDING, PART, Reader};
use super::traversal::{Choice, Decision, Guide, StopReason, TraversalStats, traverse};
use crate::board::vertex;
use crate::game::Seat;
use crate::tanbo::Start;
use crate::variant::{CertificateSummary, MAX_ENDING, MoveCode, Strategy};

/// A certificate without parts that becomes a part of another one.
pub struct Part {
    /// What errors call it.
    pub name: String,
    /// Its bytes.
    pub file: Box<dyn Read>,
}

/// What the winner does in a position.
pub enum Step {
    /// It plays a move.
    Move(MoveCode),
    /// It plays a move; the part is a certificate of the position after it.
    Part(MoveCode, Part),
    /// The part is a certificate of the position itself, and its first move is played.
    Whole(Part),
}

/// A strategy of which parts are in certificates of their own.
pub trait PartStrategy {
    /// A step that keeps the win after `line`, the moves from the start position; `None` ends the
    /// writing. It is asked as [`Strategy::winning_move`] is, but not within parts.
    fn step(&mut self, line: &[MoveCode]) -> Option<Step>;

    /// Whether the writing should end; asked within parts.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A strategy without parts.
struct WithoutParts<'a>(&'a mut dyn Strategy);

impl PartStrategy for WithoutParts<'_> {
    fn step(&mut self, line: &[MoveCode]) -> Option<Step> {
        self.0.winning_move(line).map(Step::Move)
    }
}

/// Writes a certificate that `winner` wins from `start`. The strategy chooses the moves; the naive
/// rules check them. The certificate has version 1, or 3 with an `ending_limit`, 1 to 10^6: positions
/// that a search of so many positions wins are left to the verifier. That is for boards up to 10x10.
///
/// Nothing is written to `out` before the whole strategy is traversed. Until then the compressed
/// moves and a table of positions are in memory: 14 to 27 bytes a position on boards up to 6x6,
/// 23 to 46 up to 8x8, more on larger ones and with an `ending_limit`.
///
/// # Errors
/// Why there is no certificate, in one sentence.
pub fn write(
    start: &Start,
    winner: Seat,
    strategy: &mut dyn Strategy,
    ending_limit: Option<u64>,
    out: &mut dyn Write,
) -> Result<CertificateSummary, String> {
    let format = (false, ending_limit);
    write_format(start, winner, format, &mut WithoutParts(strategy), out)
}

/// Writes a certificate of version 2, or 3 with an `ending_limit`: like [`write()`], but only the positions of the largest part,
/// and of what is in no part, are in memory at once.
///
/// # Errors
/// Why there is no certificate, in one sentence; a part that is false, damaged or of another
/// position is named.
pub fn write_with_parts(
    start: &Start,
    winner: Seat,
    strategy: &mut dyn PartStrategy,
    ending_limit: Option<u64>,
    out: &mut dyn Write,
) -> Result<CertificateSummary, String> {
    write_format(start, winner, (true, ending_limit), strategy, out)
}

fn write_format(
    start: &Start,
    winner: Seat,
    (has_parts, ending_limit): (bool, Option<u64>),
    strategy: &mut dyn PartStrategy,
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
    let side = setup.size.side();
    if ending_limit.is_some() && side > MAX_SIDE {
        return Err(format!(
            "endings are for boards up to {MAX_SIDE}x{MAX_SIDE}, not for {side}x{side}"
        ));
    }
    if let Some(limit) = ending_limit.filter(|limit| !(1..=MAX_ENDING).contains(limit)) {
        return Err(format!(
            "endings have 1 to {MAX_ENDING} positions, not {limit}"
        ));
    }
    let mut writer = Writer {
        winner,
        last_move: match (has_parts, ending_limit) {
            (_, Some(_)) => ENDING - 1,
            (true, None) => PART - 1,
            (false, None) => u8::MAX,
        },
        ending_limit,
        search: ending_limit.map(|limit| EndingSearch::new(setup.size, limit)),
        strategy,
        path: Vec::new(),
        moves: ZlibEncoder::new(Vec::new(), Compression::best()),
        next: None,
        open: None,
    };
    let stats = traverse(
        &board,
        winner,
        ending_limit.is_some(),
        usize::MAX,
        &mut writer,
    );
    let stats = stats.map_err(|(stop, place)| match stop {
        StopReason::Lost => format!(
            "{} is false: the other side wins after {}",
            writer.culprit(),
            moves_text(&place.line)
        ),
        StopReason::Memory(positions) => {
            format!("out of memory after {positions} positions of the certificate")
        }
        StopReason::Choice(text) => text,
    })?;
    let moves = writer.moves.finish().map_err(unwritable)?;
    let header = header::write(&Header {
        start: board,
        winner,
        positions: stats.positions,
        parts: (has_parts || ending_limit.is_some()).then_some(stats.parts),
        endings: ending_limit.map(|limit| Endings {
            count: stats.endings,
            limit,
        }),
        plies: stats.plies,
    });
    let pieces = [header.as_bytes(), &moves];
    let bytes = write_checked(&pieces, out).map_err(unwritable)?;
    Ok(CertificateSummary {
        positions: stats.positions,
        parts: stats.parts,
        endings: ending_limit.map(|_| stats.endings),
        moves: stats.moves,
        plies: stats.plies,
        bytes,
    })
}

/// Writes the pieces and their checksum; returns the number of bytes.
fn write_checked(pieces: &[&[u8]], out: &mut dyn Write) -> io::Result<u64> {
    let mut out = CrcWriter::new(out);
    for piece in pieces {
        out.write_all(piece)?;
    }
    let check = out.crc().sum().to_be_bytes();
    let out = out.into_inner();
    out.write_all(&check)?;
    out.flush()?;
    Ok((pieces.iter().map(|piece| piece.len()).sum::<usize>() + check.len()) as u64)
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

/// The moves from the start to a decision.
fn line_text(decision: &Decision) -> String {
    let names = decision.line.iter();
    let names = names.map(|&at| decision.position.name(at));
    moves_text(&names.collect::<Vec<_>>())
}

/// The index of a move among the legal ones.
fn number_of(decision: &Decision, code: MoveCode) -> Result<usize, String> {
    let position = decision.position;
    let is_it = |&at: &u16| position.point(at) == Some(code.point());
    decision.legal.iter().position(is_it).ok_or_else(|| {
        let name = vertex::name(code.point(), position.size());
        format!("the move {name} after {} is illegal", line_text(decision))
    })
}

/// A part whose moves are read.
struct OpenPart {
    name: String,
    reader: Reader<Box<dyn Read>>,
    /// Whether its first move is the one before the part.
    has_first: bool,
}

impl OpenPart {
    /// Reads the header, which must be about this position and winner.
    fn open(
        part: Part,
        position: &NaivePosition,
        (winner, ending_limit): (Seat, Option<u64>),
        has_first: bool,
    ) -> Result<Box<Self>, String> {
        let Part { name, file } = part;
        let reader = Reader::open(file).map_err(|error| refused(&name, &error))?;
        let header = &reader.header;
        if header.start.diagram() != position.diagram() {
            return Err(format!("the part `{name}` is of another position"));
        }
        if header.winner != winner {
            let claim = word(header.winner);
            return Err(format!("the part `{name}` claims that {claim} wins"));
        }
        let limit = header.endings.map(|endings| endings.limit);
        if header
            .parts
            .is_some_and(|parts| parts > 0 || limit.is_none())
        {
            return Err(has_parts(&name));
        }
        if limit != ending_limit {
            let text = |limit: Option<u64>| match limit {
                Some(limit) => format!("endings with `search: {limit}`"),
                None => "no endings".to_string(),
            };
            let (found, wanted) = (text(limit), text(ending_limit));
            return Err(format!("the part `{name}` has {found}: expected {wanted}"));
        }
        Ok(Box::new(Self {
            name,
            reader,
            has_first,
        }))
    }

    fn choose(&mut self, decision: &Decision) -> Result<Choice, String> {
        let choice = self.reader.choose(decision);
        let choice = choice.map_err(|error| refused(&self.name, &error))?;
        if matches!(choice, Choice::Part(_)) {
            return Err(has_parts(&self.name));
        }
        Ok(choice)
    }
}

fn has_parts(name: &str) -> String {
    format!("the part `{name}` has parts itself")
}

fn refused(name: &str, error: &VerifyError) -> String {
    match error {
        VerifyError::Read(error) => format!("the part `{name}` cannot be read: {error}"),
        error => format!("the part `{name}` is damaged or false: {error}"),
    }
}

/// Writes the moves during the traversal.
struct Writer<'a> {
    winner: Seat,
    /// The largest number of a move.
    last_move: u8,
    ending_limit: Option<u64>,
    search: Option<EndingSearch>,
    strategy: &'a mut dyn PartStrategy,
    path: Vec<MoveCode>,
    moves: ZlibEncoder<Vec<u8>>,
    /// The part that begins after the move that was chosen last.
    next: Option<Next>,
    /// The part that is traversed.
    open: Option<Box<OpenPart>>,
}

enum Next {
    Closed(Part),
    Open(Box<OpenPart>),
}

impl Writer<'_> {
    /// Asks the strategy, and prepares the part that begins.
    fn ask(&mut self, decision: &Decision) -> Result<Choice, String> {
        let points = decision.line.iter();
        let points = points.filter_map(|&at| decision.position.point(at));
        self.path.clear();
        self.path.extend(points.map(MoveCode::from));
        let Some(step) = self.strategy.step(&self.path) else {
            let line = line_text(decision);
            return Err(format!("no winning move is known after {line}"));
        };
        match step {
            Step::Move(code) => number_of(decision, code).map(Choice::Move),
            Step::Part(code, part) => {
                self.next = Some(Next::Closed(part));
                number_of(decision, code).map(Choice::Part)
            }
            Step::Whole(part) => {
                let form = (self.winner, self.ending_limit);
                let mut open = OpenPart::open(part, decision.position, form, true)?;
                let choice = open.choose(decision)?;
                let Choice::Move(number) = choice else {
                    return Ok(choice);
                };
                self.next = Some(Next::Open(open));
                Ok(Choice::Part(number))
            }
        }
    }

    fn is_ending(&mut self, position: &NaivePosition) -> bool {
        let search = self.search.as_mut();
        search.is_some_and(|search| search.search(position) == Found::Won)
    }

    /// What is false if the other side wins.
    fn culprit(&self) -> String {
        match (&self.open, &self.next) {
            (Some(part), _) | (None, Some(Next::Open(part))) => format!("the part `{}`", part.name),
            (None, _) => "the claim".to_string(),
        }
    }
}

impl Guide for Writer<'_> {
    type Error = String;

    fn choose(&mut self, decision: &Decision) -> Result<Choice, String> {
        self.next = None;
        let choice = if let Some(part) = &mut self.open {
            if self.strategy.is_stopped() {
                return Err("it was stopped".to_string());
            }
            part.choose(decision)?
        } else if self.is_ending(decision.position) {
            Choice::Ending
        } else {
            self.ask(decision)?
        };
        let byte = |number: usize| {
            let last = self.last_move;
            let byte = u8::try_from(number).ok().filter(|&byte| byte <= last);
            byte.ok_or_else(|| {
                let line = line_text(decision);
                format!(
                    "the move after {line} is number {number}: a certificate can name 0 to {last}"
                )
            })
        };
        let written = match choice {
            Choice::Move(number) => self.moves.write_all(&[byte(number)?]),
            Choice::Part(number) => self.moves.write_all(&[PART, byte(number)?]),
            Choice::Ending => self.moves.write_all(&[ENDING]),
        };
        written.map_err(unwritable)?;
        Ok(choice)
    }

    fn skip_part(&mut self) {
        self.next = None;
    }

    fn begin_part(&mut self, start: &NaivePosition) -> Result<(), String> {
        self.open = match self.next.take() {
            Some(Next::Open(part)) => Some(part),
            Some(Next::Closed(part)) => {
                let form = (self.winner, self.ending_limit);
                Some(OpenPart::open(part, start, form, false)?)
            }
            None => None,
        };
        Ok(())
    }

    fn end_part(&mut self, found: &TraversalStats) -> Result<(), String> {
        let Some(mut part) = self.open.take() else {
            return Ok(());
        };
        let first = u64::from(part.has_first);
        let found = TraversalStats {
            positions: found.positions + first,
            plies: found.plies + first,
            ..*found
        };
        let ended = part.reader.end(&found);
        ended.map_err(|error| refused(&part.name, &error))
    }
}
