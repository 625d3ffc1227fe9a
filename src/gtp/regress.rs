//! `reg_genmove`: a search that depends on the position only, for regression tests.

use std::time::{Duration, Instant};

use super::call::{Answer, Call, Reply, Signal};
use super::genmove::{seat, word_at_end};
use super::parse::GtpError;
use super::session::Session;
use crate::params::Params;
use crate::search::SearchLimits;
use crate::variant::MoveCode;

/// The seed of every such search.
const SEED: u64 = 0;

pub(super) fn reg_genmove(session: &mut Session, call: &Call<'_>) -> Reply {
    let seat = seat(session, call)?;
    if let Some(word) = word_at_end(session, seat) {
        return Ok(word.into());
    }
    let engine = session.engine();
    let signal = call.control.signal;
    // Several threads, a moving seed or an earlier tree would change the answer.
    let params = Params {
        threads: 1,
        seed: SEED,
        ..engine.params().clone()
    };
    let mut fork = engine.fork(params, engine.events().len());
    let move_limits = session.engine().params().move_limits();
    let mut moves: Vec<MoveCode> = Vec::new();
    let mut begin = call.control.received;
    while !fork.is_over() && fork.to_move() == seat {
        if signal() == Signal::Abandon {
            return Ok(Answer::Abandoned);
        }
        let limits = SearchLimits::of(move_limits, begin, Duration::ZERO);
        let report = fork.search(&limits, &|| signal() != Signal::GoOn);
        if signal() == Signal::Abandon {
            return Ok(Answer::Abandoned);
        }
        // A running game always has a legal move.
        let best = report.best().ok_or(GtpError::IllegalMove)?.mv;
        fork.play(best).map_err(|_| GtpError::IllegalMove)?;
        moves.push(best);
        begin = Instant::now();
    }
    Ok(session.engine().notation().write_moves(&moves).into())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use crate::game::Seat;
    use crate::gtp::call::{Control, Signal};
    use crate::gtp::session::tests::{play_out, session, session_of};
    use crate::tanbo::colour;

    #[test]
    fn the_answer_depends_on_the_position_only() {
        let mut session = session(9);
        session.accept("tanada-param evaluation_noise 0.2; kata-time_settings absolute 1");
        let first = session.answer("reg_genmove b");
        assert!(session.engine().events().is_empty());
        for line in [
            "tanada-param seed 77",
            "genmove b",
            "tanada-param threads 3",
        ] {
            session.answer(line);
            if line == "genmove b" {
                session.check("undo", "= ");
            }
            session.check("reg_genmove b", &first);
        }
        assert_eq!(session.clocks[Seat::ALL[1]].left().unwrap().0.as_secs(), 1);
        session.check("reg_genmove w", "? wrong color to move");
        session.check("reg_genmove; reg_genmove x", "? syntax error");
        let point = first.trim_start_matches("= ");
        session.check(format!("play b {point}"), "= ");
        session.check("undo", "= ");
        session.check("undo", "? cannot undo");
    }

    #[test]
    fn a_finished_game_answers_by_who_won_and_plays_nothing() {
        let mut session = session(5);
        let winner = play_out(&mut session);
        for seat in [colour::BLACK, colour::WHITE] {
            let expected = if seat == winner { "= pass" } else { "= resign" };
            session.check(format!("reg_genmove {}", colour::word(seat)), expected);
        }
        session.check("undo", "= ");
        session.check("final_score", "? cannot score");
    }

    #[test]
    fn a_search_answers_or_is_abandoned_when_told() {
        let mut session = session(9);
        session.accept("tanada-param iterations none; tanada-param time_per_move 1000");
        for (signal, answers) in [(Signal::AnswerNow, true), (Signal::Abandon, false)] {
            let signals = || signal;
            let control = Control::new(Instant::now(), &signals);
            let response = session.execute(b"7 reg_genmove b", &control);
            assert_eq!(response.text.is_some(), answers);
            assert_eq!(response.abandoned, !answers);
        }
        assert!(session.engine().events().is_empty());
    }

    #[test]
    fn whole_turns_are_answered() {
        let mut session = session_of("taratibu");
        session.answer("genmove w");
        let turn = session.answer("reg_genmove b");
        let turn = turn.trim_start_matches("= ");
        assert_eq!(turn.split('-').count(), 2);
        session.check(format!("play b {turn}"), "= ");
    }
}
