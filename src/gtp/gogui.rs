//! Commands that tell GoGui the rules and set up positions.

use std::collections::BTreeMap;

use super::call::{Call, Reply, done, shorten};
use super::parse::GtpError;
use super::session::Session;
use crate::board::{BoardSize, Point, vertex};
use crate::game::{Outcome, Seat};
use crate::variant::Stones;

/// The stones of the position. The table of commands offers what needs them only to games with stones.
pub(super) fn stones(session: &Session) -> Result<&dyn Stones, GtpError> {
    session.engine().stones().ok_or(GtpError::UnknownCommand)
}

pub(super) fn setup(session: &mut Session, call: &Call<'_>) -> Reply {
    let size = stones(session)?.size();
    let variant = session.engine().variant();
    let mut stones = BTreeMap::new();
    for pair in call.arguments.chunks(2) {
        let [colour, vertex] = pair else {
            return Err(GtpError::SyntaxError);
        };
        let seat = variant.seat(colour).ok_or_else(|| {
            let (colour, colours) = (shorten(colour), variant.colours().join(", "));
            let text = format!("invalid color `{colour}`: expected {colours}, or a first letter");
            GtpError::Other(text)
        })?;
        let point = vertex::parse(vertex, size).map_err(GtpError::explain)?;
        if stones.insert(point, seat).is_some() {
            return Err(GtpError::Other(format!("duplicate point `{vertex}`")));
        }
    }
    begin(session, size, stones, Seat::ALL[0])
}

pub(super) fn setup_player(session: &mut Session, call: &Call<'_>) -> Reply {
    let to_move = call.colour(0, session.engine().variant())?;
    let stones = stones(session)?;
    let size = stones.size();
    let at = |point: Point| Some((point, stones.stone_at(point)?));
    let stones = size.points().filter_map(at).collect();
    begin(session, size, stones, to_move)
}

fn begin(
    session: &mut Session,
    size: BoardSize,
    stones: BTreeMap<Point, Seat>,
    to_move: Seat,
) -> Reply {
    let setup = session.engine().variant().stone_setup();
    let setup = setup.ok_or(GtpError::UnknownCommand)?;
    let start = setup.start(size, stones, to_move, None);
    session.begin(start.map_err(GtpError::explain)?);
    done()
}

pub(super) fn game_id(session: &mut Session, _: &Call<'_>) -> Reply {
    Ok(session.engine().variant().title().into())
}

pub(super) fn board_size(session: &mut Session, _: &Call<'_>) -> Reply {
    Ok(session.engine().start().side().to_string().into())
}

pub(super) fn board(session: &mut Session, _: &Call<'_>) -> Reply {
    let board = session.engine().board_view();
    let board = board.ok_or(GtpError::UnknownCommand)?;
    Ok(board.rows().join("\n").into())
}

pub(super) fn side_to_move(session: &mut Session, _: &Call<'_>) -> Reply {
    let engine = session.engine();
    Ok(engine.variant().colour(engine.to_move()).into())
}

pub(super) fn final_result(session: &mut Session, _: &Call<'_>) -> Reply {
    let engine = session.engine();
    let variant = engine.variant();
    let winner = match engine.outcome() {
        None => return done(),
        Some(Outcome::Draw) => return Ok("Draw".into()),
        Some(Outcome::Winner(winner)) => winner,
    };
    let (letter, colour) = (variant.letter(winner), variant.colour(winner));
    let rest = colour.get(1..).unwrap_or_default();
    Ok(format!("{letter}{rest} wins").into())
}

pub(super) fn captured_count(session: &mut Session, _: &Call<'_>) -> Reply {
    let lost = Seat::ALL.iter().map(|&seat| lost(session, seat));
    let lost: Vec<usize> = lost.collect::<Result<_, _>>()?;
    let all: usize = lost.iter().sum();
    // Black and White are the first two seats.
    let captured = lost.iter().take(2).map(|own| (all - own).to_string());
    Ok(captured.collect::<Vec<_>>().join(" ").into())
}

/// The number of stones of a colour that were captured since the start.
fn lost(session: &Session, seat: Seat) -> Result<usize, GtpError> {
    let engine = session.engine();
    let start = engine.start().stones().ok_or(GtpError::UnknownCommand)?;
    let at_start = start.values().filter(|&&other| other == seat).count();
    let placed = engine.moves().filter(|&(mover, _)| mover == seat).count();
    let stones = stones(session)?;
    let points = stones.size().points();
    let there = points
        .filter(|&point| stones.stone_at(point) == Some(seat))
        .count();
    Ok((at_start + placed).saturating_sub(there))
}
