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

/// A session of another game.
pub(in crate::gtp) fn session_of(game: &str) -> Session {
    let game = Configuration::game(Some(game)).unwrap();
    Session::new(Configuration::of(game, None, None, None).unwrap(), params())
}

/// The answer to a line, without its empty line.
pub(in crate::gtp) fn answer(session: &mut Session, line: &str) -> String {
    let sent = std::cell::RefCell::new(String::new());
    let control = Control {
        send: &|text| sent.borrow_mut().push_str(text),
        ..Control::new(Instant::now(), &|| Signal::GoOn)
    };
    let rest = session.execute(line.as_bytes(), &control).text.unwrap();
    let text = sent.into_inner() + &rest;
    let text = text.strip_suffix("\n\n").unwrap();
    assert!(!text.contains("\n\n"), "{text:?}");
    text.to_string()
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
        assert_eq!(answer(session, &line), "= ");
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
        answer(&mut session, &format!("tanada-param paranoia {paranoia}"));
        answer(&mut session, "genmove b");
        assert_eq!(ponders(&mut session), expected, "{players} {paranoia}");
    }
}

#[test]
fn pondering_is_on_request_and_only_after_a_move_of_its_own() {
    let mut session = session(9);
    answer(&mut session, "genmove b");
    assert!(!ponders(&mut session), "off by default");
    answer(&mut session, "tanada-param ponder 1");
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
        answer(&mut session, line);
        assert_eq!(ponders(&mut session), expected, "{line}");
    }
    play_out(&mut session);
    answer(&mut session, "genmove b");
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
    assert_eq!(answer(&mut session, "play b B3"), "= ");
    let before = board(&session);
    for line in [
        "play b B4",
        "play w B4",
        "play w B3",
        "play w pass",
        "play r B9",
    ] {
        assert_eq!(answer(&mut session, line), "? illegal move", "{line}");
    }
    for line in [
        "play",
        "play b",
        "play x B3",
        "play w Z9",
        "play w K1",
        "play w I1",
    ] {
        assert_eq!(answer(&mut session, line), "? syntax error", "{line}");
    }
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
        assert_eq!(
            answer(&mut session, &format!("genmove {loser}")),
            "= resign"
        );
        assert_eq!(answer(&mut session, &format!("genmove {word}")), "= pass");
        assert_eq!(answer(&mut session, "play b pass"), "= ");
        assert_eq!(answer(&mut session, "play w PASS"), "= ");
        assert_eq!(answer(&mut session, "play w A1"), "? illegal move");
        assert_eq!(answer(&mut session, "final_score"), format!("= {letter}+"));
        assert_eq!(answer(&mut session, "gogui-rules_legal_moves"), "= ");
        assert_eq!(
            answer(&mut session, "gogui-rules_side_to_move"),
            format!("= {word}")
        );
        assert!(answer(&mut session, "gogui-rules_final_result").ends_with(" wins"));
        assert_eq!(answer(&mut session, "gg-undo 3"), "= ");
        assert_eq!(board(&session), before);
        assert_eq!(answer(&mut session, "undo"), "= ");
        assert_eq!(answer(&mut session, "final_score"), "? cannot score");
    }
}

#[test]
fn sequences_are_played_whole_or_not_at_all() {
    let mut session = session(9);
    let before = board(&session);
    let line = "gogui-play_sequence b B3 w B7 b B5 w A1";
    assert_eq!(answer(&mut session, line), "? illegal move");
    assert_eq!(
        answer(&mut session, "gogui-play_sequence b B3 w"),
        "? syntax error, expected `gogui-play_sequence [COLOR MOVE ...]`"
    );
    assert_eq!(board(&session), before);
    assert_eq!(answer(&mut session, "undo"), "? cannot undo");
    assert_eq!(
        answer(&mut session, "gogui-play_sequence b B3 w B7 b B4"),
        "= "
    );
    assert_eq!(answer(&mut session, "gg-undo 4"), "? cannot undo");
    assert_eq!(answer(&mut session, "gg-undo 3"), "= ");
    assert_eq!(board(&session), before);
}

#[test]
fn setting_up_replaces_the_game_or_changes_nothing() {
    let mut session = session(5);
    assert_eq!(answer(&mut session, "play b A2"), "= ");
    let before = board(&session);
    let refused = answer(&mut session, "gogui-setup w A1 w B1 w A2 w B2");
    for part in ["loop", "the board has 1", "black is to move"] {
        assert!(
            refused.starts_with("? ") && refused.contains(part),
            "{refused}"
        );
    }
    for line in [
        "gogui-setup",
        "gogui-setup b A1 b A1 w C3",
        "gogui-setup x A1",
        "gogui-setup b A9",
    ] {
        assert!(answer(&mut session, line).starts_with("? "), "{line}");
    }
    assert_eq!(board(&session), before);
    assert_eq!(answer(&mut session, "undo"), "= ");
    assert_eq!(answer(&mut session, "gogui-setup b A1 w C3"), "= ");
    assert_eq!(answer(&mut session, "gogui-rules_side_to_move"), "= black");
    assert_eq!(answer(&mut session, "gogui-setup_player w"), "= ");
    assert_eq!(answer(&mut session, "gogui-rules_side_to_move"), "= white");
    assert!(answer(&mut session, "gogui-setup_player r").contains("red is to move"));
    assert_eq!(answer(&mut session, "gogui-rules_side_to_move"), "= white");
    assert_eq!(answer(&mut session, "undo"), "? cannot undo");
    assert_eq!(answer(&mut session, "clear_board"), "= ");
    assert_eq!(session.engine().start(), session.configuration().start());
}

#[test]
fn captured_stones_are_counted_for_both_sides() {
    let mut session = session(5);
    assert_eq!(answer(&mut session, "gogui-rules_captured_count"), "= 0 0");
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
    assert_eq!(answer(&mut session, "gogui-rules_captured_count"), expected);
}

#[test]
fn parameters_are_shown_and_set() {
    let mut session = session(5);
    let all = answer(&mut session, "tanada-param");
    assert!(
        all.contains("\n[list/network/linear/playout/greedy] leaf network\n"),
        "{all}"
    );
    assert!(all.contains("\n[string] iterations 50\n"), "{all}");
    assert_eq!(answer(&mut session, "tanada-param iterations"), "= 50");
    assert_eq!(answer(&mut session, "tanada-param preset"), "= network");
    assert_eq!(answer(&mut session, "tanada-param preset uct"), "= ");
    assert_eq!(answer(&mut session, "tanada-param preset"), "= uct");
    assert_eq!(answer(&mut session, "tanada-param playout_redraws 1"), "= ");
    assert_eq!(answer(&mut session, "tanada-param preset"), "= custom");
    assert_eq!(answer(&mut session, "tanada-param iterations"), "= 50");
    for (line, part) in [
        ("tanada-param speed", "unknown parameter `speed`"),
        ("tanada-param speed 1", "unknown parameter `speed`"),
        ("tanada-param resign 2", "invalid value `2` for `resign`"),
        ("tanada-param preset best", "unknown preset `best`"),
        ("tanada-param resign 0 1", "unexpected argument `1`"),
    ] {
        let text = answer(&mut session, line);
        assert!(text.starts_with("? ") && text.contains(part), "{text}");
    }
}

#[test]
fn boardsize_begins_a_new_game() {
    let mut session = session(9);
    answer(&mut session, "play b B3");
    assert_eq!(answer(&mut session, "boardsize 7"), "= ");
    assert_eq!(
        session.engine().start().text().matches(['X', 'O']).count(),
        16
    );
    for (line, text) in [
        ("boardsize 3", "? unacceptable size"),
        ("boardsize 22", "? unacceptable size"),
        ("boardsize -9", "? unacceptable size"),
        ("boardsize 99999999999999999999999", "? unacceptable size"),
        ("boardsize 9 13", "? unacceptable size"),
        ("boardsize", "? syntax error"),
        ("boardsize nine", "? syntax error"),
        ("boardsize 9.5", "? syntax error"),
    ] {
        assert_eq!(answer(&mut session, line), text, "{line}");
        assert_eq!(session.engine().start().side(), 7);
    }
    assert_eq!(answer(&mut session, "boardsize 9 9"), "= ");
    assert!(session.engine().events().is_empty());
}
