//! Commands with which GoGui learns the rules and sets up positions.

use super::command::{Answer, Call, colour as parse_colour, done, shorten};
use super::parse::GtpError;
use super::session::Session;
use crate::game::Seat;
use crate::tanbo::{Setup, colour, diagram};
use crate::vertex;

type Reply = Result<Answer, GtpError>;

pub(super) fn interrupt(_: &mut Session, _: &Call<'_>) -> Reply {
    done()
}

pub(super) fn setup(session: &mut Session, call: &Call<'_>) -> Reply {
    let size = session.engine().size();
    let mut setup = Setup::empty(size);
    for pair in call.arguments().chunks(2) {
        let [colour, vertex] = pair else {
            return Err(GtpError::SyntaxError);
        };
        let seat = parse_colour(&shorten(colour)).map_err(GtpError::explain)?;
        let point = vertex::parse(&shorten(vertex), size).map_err(GtpError::explain)?;
        if setup.stones.insert(point, seat).is_some() {
            let text = format!("`{vertex}` is named twice, expected each point once");
            return Err(GtpError::Other(text));
        }
    }
    let start = setup.check(None).map_err(GtpError::explain)?;
    session.begin(start);
    done()
}

pub(super) fn setup_player(session: &mut Session, call: &Call<'_>) -> Reply {
    let mut setup = session.engine().setup();
    setup.to_move = call.colour(0)?;
    let start = setup.check(None).map_err(GtpError::explain)?;
    session.begin(start);
    done()
}

pub(super) fn game_id(_: &mut Session, _: &Call<'_>) -> Reply {
    Ok("Tanbo".into())
}

pub(super) fn board_size(session: &mut Session, _: &Call<'_>) -> Reply {
    Ok(session.engine().size().to_string().into())
}

pub(super) fn board(session: &mut Session, _: &Call<'_>) -> Reply {
    let engine = session.engine();
    let rows = diagram::rows(engine.size(), |point| engine.stone_at(point));
    Ok(rows.join("\n").into())
}

pub(super) fn legal_moves(session: &mut Session, _: &Call<'_>) -> Reply {
    let engine = session.engine();
    let vertices: Vec<String> = engine
        .legal(engine.to_move())
        .into_iter()
        .map(|point| vertex::name(point, engine.size()))
        .collect();
    Ok(vertices.join(" ").into())
}

pub(super) fn side_to_move(session: &mut Session, _: &Call<'_>) -> Reply {
    Ok(colour::word(session.engine().to_move()).into())
}

pub(super) fn final_result(session: &mut Session, _: &Call<'_>) -> Reply {
    let Some(winner) = session.engine().winner() else {
        return done();
    };
    let word = colour::word(winner);
    let capital = word.get(..1).unwrap_or_default().to_uppercase();
    let rest = word.get(1..).unwrap_or_default();
    Ok(format!("{capital}{rest} wins").into())
}

pub(super) fn captured_count(session: &mut Session, _: &Call<'_>) -> Reply {
    let lost = |seat| lost(session, seat);
    let by = |own: Seat| -> usize {
        let others = Seat::ALL.into_iter().filter(|&seat| seat != own);
        others.map(lost).sum()
    };
    Ok(format!("{} {}", by(colour::BLACK), by(colour::WHITE)).into())
}

/// Stones of a colour that have been taken off since the start.
fn lost(session: &Session, seat: Seat) -> usize {
    let engine = session.engine();
    let of_seat = |other: &&Seat| **other == seat;
    let at_start = engine
        .start()
        .setup()
        .stones
        .values()
        .filter(of_seat)
        .count();
    let placed = engine
        .moves()
        .iter()
        .filter(|&&(mover, _)| mover == seat)
        .count();
    let points = engine.size().points();
    let there = points
        .filter(|&point| engine.stone_at(point) == Some(seat))
        .count();
    (at_start + placed).saturating_sub(there)
}
