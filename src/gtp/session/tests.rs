//! Tests of whole sessions, and what the tests of handlers share.

use std::time::Instant;

use super::*;
use crate::gtp::call::{Control, Signal};
use crate::gtp::registry::Response;
use crate::tanbo::{Setup, colour, diagram};

/// Parameters of a repeatable session: one thread, a fixed seed, few iterations.
fn params() -> Params {
    Params {
        threads: 1,
        memory: 16,
        seed: 1,
        iterations: Some(50),
        ..Params::default()
    }
}

pub(in crate::gtp) fn session(side: usize) -> Session {
    Session::new(
        Configuration::new(Some(side), None, None).unwrap(),
        params(),
    )
}

pub(in crate::gtp) fn session_of(game: &str) -> Session {
    let game = Configuration::game(Some(game)).unwrap();
    Session::new(Configuration::of(game, None, None, None).unwrap(), params())
}

impl Session {
    /// The answer to a line, without its empty line.
    pub(in crate::gtp) fn answer(&mut self, line: impl AsRef<str>) -> String {
        let sent = std::cell::RefCell::new(String::new());
        let control = Control {
            send: &|text| sent.borrow_mut().push_str(text),
            ..Control::new(Instant::now(), &|| Signal::GoOn)
        };
        let response = self.execute(line.as_ref().as_bytes(), &control);
        let text = sent.into_inner() + &response.text.unwrap();
        let text = text.strip_suffix("\n\n").unwrap();
        assert!(!text.contains("\n\n"), "{text:?}");
        text.to_string()
    }

    /// Checks that lines, with `; ` between them, have this answer.
    #[track_caller]
    pub(in crate::gtp) fn check(&mut self, lines: impl AsRef<str>, expected: impl AsRef<str>) {
        for line in lines.as_ref().split("; ") {
            assert_eq!(self.answer(line), expected.as_ref(), "{line}");
        }
    }

    /// Executes such lines, whose answers have no text.
    #[track_caller]
    pub(in crate::gtp) fn accept(&mut self, lines: &str) {
        self.check(lines, "= ");
    }

    /// Checks how the answer to a line begins.
    #[track_caller]
    pub(in crate::gtp) fn check_start(&mut self, line: &str, start: impl AsRef<str>) {
        let text = self.answer(line);
        assert!(text.starts_with(start.as_ref()), "{text}");
    }

    /// Checks that a line fails with an error that has this part.
    #[track_caller]
    pub(in crate::gtp) fn refuse(&mut self, line: impl AsRef<str>, part: &str) {
        let text = self.answer(line);
        assert!(text.starts_with("? ") && text.contains(part), "{text}");
    }
}

/// Plays random moves to the end of the game; returns the winner.
pub(in crate::gtp) fn play_out(session: &mut Session) -> Seat {
    let mut random = crate::util::random::Random::new(7);
    while session.engine().winner().is_none() {
        let engine = session.engine();
        let seat = engine.to_move();
        let legal = engine.legal();
        let vertex = engine.name(legal[random.below(legal.len() as u32) as usize]);
        let line = format!("play {} {vertex}", colour::word(seat));
        session.accept(&line);
    }
    session.engine().winner().unwrap()
}

/// The stones of the position.
pub(in crate::gtp) fn setup(session: &Session) -> Setup {
    let engine = session.engine();
    crate::tanbo::variant::setup(engine.stones().unwrap(), engine.to_move())
}

fn board(session: &Session) -> String {
    diagram::write(&setup(session))
}

/// Whether the session ponders; stops it at once.
fn ponders(session: &mut Session) -> bool {
    let asked = std::sync::atomic::AtomicU32::new(0);
    let count = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    session.ponder(&|| count() > 3);
    asked.into_inner() > 0
}

#[test]
fn a_search_that_would_replace_the_tree_is_not_pondered() {
    for (players, paranoia, expected) in [(4, "0", true), (4, "0.5", false), (2, "1", true)] {
        let mut session = Session::new(
            Configuration::new(Some(19), None, Some(players)).unwrap(),
            Params {
                iterations: Some(10),
                ponder: true,
                ..params()
            },
        );
        session.answer(format!("tanada-param paranoia {paranoia}"));
        session.answer("genmove b");
        assert_eq!(ponders(&mut session), expected, "{players} {paranoia}");
    }
}

#[test]
fn pondering_is_on_request_and_only_after_a_move_of_its_own() {
    let mut session = session(9);
    session.answer("genmove b");
    assert!(!ponders(&mut session), "off by default");
    session.check("tanada-param ponder 1", "= ");
    for (line, expected) in [
        ("name", true),
        ("kata-analyze 1", true),
        ("play b A1", true),
        ("stop", false),
        ("genmove w", true),
        ("undo", false),
        ("genmove w", true),
        ("clear_board", false),
        ("play b B3", false),
    ] {
        session.answer(line);
        assert_eq!(ponders(&mut session), expected, "{line}");
    }
    play_out(&mut session);
    session.answer("genmove b");
    assert!(!ponders(&mut session), "the game is over");
}

#[test]
fn lines_without_commands_have_no_answer() {
    let mut session = session(9);
    let control = Control::new(Instant::now(), &|| Signal::GoOn);
    for line in [&b""[..], b"\n", b" \t\r\n", b"# interrupt", b"\x00"] {
        assert_eq!(session.execute(line, &control), Response::default());
    }
    let response = session.execute(b"3 quit", &control);
    assert_eq!(response.text.as_deref(), Some("=3 \n\n"));
    assert!(response.quit);
}

#[test]
fn a_finished_game_answers_by_who_won() {
    for side in [5, 6, 7] {
        let mut session = session(side);
        let winner = play_out(&mut session);
        let loser = if winner == colour::BLACK { "w" } else { "b" };
        let (word, letter) = (colour::word(winner), colour::letter(winner));
        let before = board(&session);
        session.check(format!("genmove {loser}"), "= resign");
        session.check(format!("genmove {word}"), "= pass");
        session.accept("play b pass; play w PASS");
        session.check("play w A1", "? illegal move");
        session.check("final_score", format!("= {letter}+"));
        session.check("gogui-rules_legal_moves", "= ");
        session.check("gogui-rules_side_to_move", format!("= {word}"));
        let result = session.answer("gogui-rules_final_result");
        assert!(result.ends_with(" wins"), "{result}");
        session.check("gg-undo 3", "= ");
        assert_eq!(board(&session), before);
        session.check("undo", "= ");
        session.check("final_score", "? cannot score");
    }
}

#[test]
fn captured_stones_are_counted_for_both_sides() {
    let mut session = session(5);
    session.check("gogui-rules_captured_count", "= 0 0");
    let winner = play_out(&mut session);
    let engine = session.engine();
    let black = engine.moves().filter(|m| m.0 == colour::BLACK).count() + 2;
    let white = engine.moves().filter(|m| m.0 == colour::WHITE).count() + 2;
    let left = setup(&session).stones.len();
    let expected = if winner == colour::BLACK {
        format!("= {white} {}", black - left)
    } else {
        format!("= {} {black}", white - left)
    };
    session.check("gogui-rules_captured_count", expected);
}
