//! Commands that play moves, take them back and show the game.

use super::call::{Call, Reply, done};
use super::parse::{GtpError, parse_float, parse_integer};
use super::search_info::names;
use super::session::{Move, Session};
use crate::game::Outcome;

pub(super) fn boardsize(session: &mut Session, call: &Call<'_>) -> Reply {
    let side = side(call.argument(0)?)?;
    // Some clients send columns and rows.
    if let Some(text) = call.optional(1)
        && self::side(text)? != side
    {
        return Err(GtpError::UnacceptableSize);
    }
    let configuration = session.configuration().resized(side);
    session.configure(configuration.map_err(|_| GtpError::UnacceptableSize)?);
    done()
}

/// Reads an integer of any length and sign. One that does not fit is not a board size.
fn side(text: &str) -> Result<usize, GtpError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(GtpError::SyntaxError);
    }
    text.parse().map_err(|_| GtpError::UnacceptableSize)
}

pub(super) fn clear_board(session: &mut Session, _: &Call<'_>) -> Reply {
    session.new_game();
    done()
}

pub(super) fn komi(_: &mut Session, call: &Call<'_>) -> Reply {
    parse_float(call.argument(0)?)?;
    done()
}

pub(super) fn play(session: &mut Session, call: &Call<'_>) -> Reply {
    if let [word] = call.arguments
        && is_null(word)
    {
        // GoGui sends it without a colour.
        session.play(session.engine().to_move(), &Move::Null)?;
        return done();
    }
    let seat = call.colour(0, session.engine().variant())?;
    let mv = parse_move(call.argument(1)?, session)?;
    session.play(seat, &mv)?;
    done()
}

pub(super) fn play_sequence(session: &mut Session, call: &Call<'_>) -> Reply {
    let variant = session.engine().variant();
    let mut moves = Vec::new();
    for pair in call.arguments.chunks(2) {
        let [colour, word] = pair else {
            return Err(GtpError::SyntaxError);
        };
        let seat = variant.seat(colour).ok_or(GtpError::SyntaxError)?;
        moves.push((seat, parse_move(word, session)?));
    }
    session.play_all(&moves)?;
    done()
}

fn is_null(text: &str) -> bool {
    text.eq_ignore_ascii_case("null")
}

fn parse_move(text: &str, session: &Session) -> Result<Move, GtpError> {
    if text.eq_ignore_ascii_case("pass") {
        return Ok(Move::Pass);
    }
    if is_null(text) {
        return Ok(Move::Null);
    }
    let codes = session.engine().notation().read_moves(text);
    codes.map(Move::Turn).map_err(|_| GtpError::SyntaxError)
}

pub(super) fn leave(session: &mut Session, call: &Call<'_>) -> Reply {
    let variant = session.engine().variant();
    let seat = call.colour(0, variant)?;
    let colour = variant.colour(seat);
    let why = if session.engine().is_over() {
        "the game is over".to_string()
    } else {
        format!("{colour} is not in the game")
    };
    let wrong = |_| GtpError::Other(format!("`{colour}` cannot leave: {why}"));
    session.leave(seat).map_err(wrong)?;
    done()
}

pub(super) fn legal_moves(session: &mut Session, _: &Call<'_>) -> Reply {
    let engine = session.engine();
    Ok(names(engine, &engine.legal()).into())
}

pub(super) fn undo(session: &mut Session, _: &Call<'_>) -> Reply {
    session.undo(1)?;
    done()
}

pub(super) fn undo_several(session: &mut Session, call: &Call<'_>) -> Reply {
    let number = call.optional(0).map_or(Ok(1), parse_integer)?;
    session.undo(number as usize)?;
    done()
}

pub(super) fn showboard(session: &mut Session, _: &Call<'_>) -> Reply {
    Ok(format!("\n{}", session.engine().notation().show()).into())
}

pub(super) fn final_score(session: &mut Session, _: &Call<'_>) -> Reply {
    let engine = session.engine();
    Ok(match engine.outcome().ok_or(GtpError::CannotScore)? {
        Outcome::Winner(seat) => format!("{}+", engine.variant().letter(seat)).into(),
        Outcome::Draw => "0".into(),
    })
}

#[cfg(test)]
mod tests {
    use crate::gtp::session::tests::session;

    #[test]
    fn null_moves_change_nothing_and_are_taken_back() {
        let mut session = session(9);
        session.check("play b B3", "= ");
        let before = session.answer("showboard");
        for line in ["play null", "play b NULL", "play w null", "play r null"] {
            session.check(line, "= ");
            session.check("gogui-rules_side_to_move", "= white");
        }
        session.check("play x null; play b", "? syntax error");
        session.accept("gogui-play_sequence w null w B7 b null b B4");
        assert_eq!(session.engine().moves().count(), 3);
        session.check("gg-undo 8", "= ");
        session.check("showboard", before);
        session.check("undo", "= ");
        session.check("undo", "? cannot undo");
        // A record may have a node without a move after its end.
        crate::gtp::session::tests::play_out(&mut session);
        session.accept("play null; undo");
        assert_ne!(session.answer("final_score"), "? cannot score");
    }

    #[test]
    fn start_stones_may_be_echoed_if_asked_for() {
        let mut session = session(9);
        let before = session.answer("showboard");
        session.check("play b B2", "? illegal move");
        session.refuse("tanada-param setup_echo 2", "");
        session.check("tanada-param setup_echo true", "= ");
        // Sabaki sends the stones of a root node like this: all black ones, then all white ones.
        session.accept("play B B2; play B H8; play W H2; play W B8");
        let illegal = "play W B2; play B A1; play W B7; play B pass";
        session.check(illegal, "? illegal move");
        session.check("play B B3", "= ");
        session.check("play W B8", "? illegal move");
        assert_eq!(session.engine().events().len(), 1);
        session.accept("undo; play W B8; gg-undo 5");
        session.check("undo", "? cannot undo");
        session.check("showboard", before);
        session.check("tanada-param setup_echo 0", "= ");
        session.check("play b B2", "? illegal move");
    }
}
