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
fn a_wrong_turn_is_an_illegal_move_and_changes_nothing() {
    let mut session = session(9);
    session.check("play b B3", "= ");
    let before = board(&session);
    let illegal = "play b B4; play w B4; play w B3; play w pass; play r B9";
    session.check(illegal, "? illegal move");
    let wrong = "play; play b; play x B3; play w Z9; play w K1; play w I1";
    session.check(wrong, "? syntax error");
    assert_eq!(board(&session), before);
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
fn sequences_are_played_whole_or_not_at_all() {
    let mut session = session(9);
    let before = board(&session);
    let line = "gogui-play_sequence b B3 w B7 b B5 w A1";
    session.check(line, "? illegal move");
    let form = "expected `gogui-play_sequence [COLOR MOVE ...]`";
    session.refuse("gogui-play_sequence b B3 w", form);
    assert_eq!(board(&session), before);
    session.check("undo", "? cannot undo");
    session.check("gogui-play_sequence b B3 w B7 b B4", "= ");
    session.check("gg-undo 4", "? cannot undo");
    session.check("gg-undo 3", "= ");
    assert_eq!(board(&session), before);
}

#[test]
fn setting_up_replaces_the_game_or_changes_nothing() {
    let mut session = session(5);
    session.check("play b A2", "= ");
    let before = board(&session);
    for part in ["loop", "the board has 1", "black is to move"] {
        session.refuse("gogui-setup w A1 w B1 w A2 w B2", part);
    }
    for stones in ["", " b A1 b A1 w C3", " x A1", " b A9"] {
        session.refuse(format!("gogui-setup{stones}"), "");
    }
    assert_eq!(board(&session), before);
    session.accept("undo; gogui-setup b A1 w C3");
    session.check("gogui-rules_side_to_move", "= black");
    session.check("gogui-setup_player w", "= ");
    session.check("gogui-rules_side_to_move", "= white");
    session.refuse("gogui-setup_player r", "red is to move");
    session.check("gogui-rules_side_to_move", "= white");
    session.check("undo", "? cannot undo");
    session.check("clear_board", "= ");
    assert_eq!(session.engine().start(), session.configuration().start());
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

#[test]
fn parameters_are_shown_and_set() {
    let mut session = session(5);
    let all = session.answer("tanada-param");
    for part in [
        "list/network/linear/playout/greedy] leaf network",
        "string] iterations 50",
    ] {
        assert!(all.contains(&format!("\n[{part}\n")), "{all}");
    }
    session.check("tanada-param iterations", "= 50");
    session.check("tanada-param preset", "= network");
    session.check("tanada-param preset uct", "= ");
    session.check("tanada-param preset", "= uct");
    session.check("tanada-param playout_redraws 1", "= ");
    session.check("tanada-param preset", "= custom");
    session.check("tanada-param iterations", "= 50");
    for (line, part) in [
        ("tanada-param speed", "unknown parameter `speed`"),
        ("tanada-param speed 1", "unknown parameter `speed`"),
        ("tanada-param resign 2", "invalid value `2` for `resign`"),
        ("tanada-param preset best", "unknown preset `best`"),
        ("tanada-param resign 0 1", "unexpected argument `1`"),
    ] {
        session.refuse(line, part);
    }
}

#[test]
fn boardsize_begins_a_new_game() {
    let mut session = session(9);
    session.accept("play b B3; boardsize 7");
    let text = session.engine().start().text();
    assert_eq!(text.matches(['X', 'O']).count(), 16);
    for size in ["3", "22", "-9", "99999999999999999999999", "9 13"] {
        session.check(format!("boardsize {size}"), "? unacceptable size");
    }
    session.check("boardsize; boardsize nine; boardsize 9.5", "? syntax error");
    assert_eq!(session.engine().start().side(), 7);
    session.check("boardsize 9 9", "= ");
    assert!(session.engine().events().is_empty());
}
