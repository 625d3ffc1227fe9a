//! What the dialogue shows beside moves: removals, rules, legal points, nothing that a terminal
//! would act on.

use std::sync::atomic::Ordering::Relaxed;

use crate::util::quote;

use super::super::lost;
use super::*;

#[test]
fn what_is_typed_is_never_shown_raw() {
    let folder = tempfile::tempdir().unwrap();
    let save = format!("save {}/", folder.path().display());
    let typed = "\x1b[31mX\x1b]0;title\x07\u{9b}2J\u{202e}";
    for before in [
        &[][..],
        &["pie"],
        &["setup"],
        &["black"],
        &["black", "resign"],
    ] {
        let mut dialogue = after(wishes(start("tanbo", 5)), before);
        for words in [
            "",
            &save,
            "save /nowhere/",
            "level ",
            "put ",
            "put black ",
            "clear ",
            "B2 ",
        ] {
            let text = say(&mut dialogue, &format!("{words}{typed}"));
            assert!(!text.is_empty(), "{before:?} {words}");
            let hidden = |c| c != '\n' && quote::is_hidden(c);
            assert!(!text.contains(hidden), "{before:?} {words}: {text:?}");
        }
    }
    let mut dialogue = playing("taratibu", 7, "white");
    assert!(!say(&mut dialogue, typed).contains('\x1b'));
}

#[test]
fn help_lists_pieces_where_there_are_several() {
    for (game, side) in [("tanbo", 9), ("taratibu", 7)] {
        let (mut dialogue, _) = begin(wishes(start(game, side)));
        for before in ["", "black", "resign"] {
            say(&mut dialogue, before);
            let help = say(&mut dialogue, "help");
            assert!(help.contains("  rules  "), "{help}");
            assert_eq!(help.contains("  pieces  "), game == "taratibu", "{help}");
        }
    }
}

#[test]
fn why_that_is_cut_short_leaves_no_half_a_sentence() {
    let asked = wishes(start("tanbo", 9));
    let stop = Arc::clone(&asked.stop);
    let mut dialogue = after(asked, &["black", "B3"]);
    stop.store(true, Relaxed);
    let why = say(&mut dialogue, "why");
    assert!(
        why.starts_with("It gave itself ") && !why.contains("After a longer search"),
        "{why}"
    );
}

#[test]
fn a_lost_terminal_is_told_with_what_became_of_the_game() {
    let said = "The game is kept; the next `tanada play` offers to continue it.";
    let expected = "cannot read the input: gone. The game is kept; the next `tanada play` offers \
                    to continue it";
    assert_eq!(lost("gone", Some(said)).to_string(), expected);
    let expected = "cannot read the input: gone";
    assert_eq!(lost("gone", None).to_string(), expected);
}

#[test]
fn rules_and_pieces_are_told_at_any_time() {
    let (mut dialogue, _) = begin(wishes(start("tanbo", 9)));
    for colour in ["", "black", "resign"] {
        say(&mut dialogue, colour);
        let rules = say(&mut dialogue, "rules");
        has(&rules, &["Mark Steere", "bounded"]);
        assert!(say(&mut dialogue, "pieces").contains("`rules`"));
    }
    let (mut dialogue, _) = begin(wishes(start("taratibu", 7)));
    let rules = say(&mut dialogue, "rules");
    has(&rules, &["Glenn Overby", "`pieces`"]);
    let pieces = say(&mut dialogue, "Pieces");
    has(&pieces, &["  T  Turtle    aquatic, quadruped\n"]);
    has(&pieces, &["winged: exactly two squares diagonally."]);
}

#[test]
fn legal_moves_are_listed_and_marked() {
    let mut dialogue = playing("tanbo", 9, "black");
    let text = say(&mut dialogue, "legal");
    has(
        &text,
        &["Black has 8 legal moves:\n  A2 B1 B3 C2 G8 H7 H9 J8\n"],
    );
    assert_eq!(text.matches('*').count(), 8, "{text}");
    assert!(text.contains(" 2 * X * . . . . O . 2\n"), "{text}");
    let mut dialogue = playing("taratibu", 7, "white");
    let text = say(&mut dialogue, "legal");
    let count = dialogue.engine.legal().len();
    begins(&text, &format!("White has {count} legal moves:\n"));
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
}

#[test]
fn removals_are_told_for_both_sides() {
    let game = games::default();
    // Tanada takes the last root, which wins.
    for (rows, colour) in [
        ("....O\n.....\n.....\nXX...\nO....\n", "black"),
        (".....\n.....\n.....\nXX...\nO....\n", "white"),
    ] {
        let mut asked = wishes(game.read(rows, None).unwrap());
        asked.params.iterations = Some(300);
        let (mut dialogue, _) = begin(asked);
        let mut text = say(&mut dialogue, colour);
        if colour == "black" {
            text = say(&mut dialogue, "B1");
        }
        let sentence = "White's root of 1 stone at A1 is bounded and removed.\n";
        assert!(text.contains(sentence), "{text}");
    }
}

#[test]
fn the_last_move_is_marked_with_and_without_colours() {
    for colours in [false, true] {
        let asked = PlayRequest {
            colours,
            ..wishes(start("tanbo", 9))
        };
        let mut dialogue = after(asked, &["black"]);
        let text = say(&mut dialogue, "B3");
        let board = text.split("Tanada plays").nth(1).unwrap();
        let mark = if colours { ";7mO" } else { "(O)" };
        assert_eq!(board.matches(mark).count(), 1, "{board}");
    }
}

#[test]
fn the_beginning_tells_how_to_get_more() {
    let asked = PlayRequest {
        level: Level::find("easy").unwrap(),
        ..wishes(start("tanbo", 9))
    };
    let (_, text) = begin(asked);
    has(&text, &["Level easy: ", " Elo.\n"]);
    has(&text, &["`level casual` makes Tanada stronger"]);
    assert!(text.contains("`tanada play --size 13`"), "{text}");
    let (_, text) = begin(wishes(start("taratibu", 7)));
    assert!(
        !text.contains("--size") && !text.contains("stronger"),
        "{text}"
    );
}

#[test]
fn a_stopped_search_plays_nothing() {
    let asked = wishes(start("tanbo", 9));
    let stop = Arc::clone(&asked.stop);
    let (mut dialogue, _) = begin(asked);
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let text = say(&mut dialogue, "white");
    assert!(text.ends_with("Tanada plays black \n"), "{text}");
    assert!(dialogue.engine.events().is_empty());
    for line in ["hint", "why"] {
        assert_eq!(say(&mut dialogue, line), "\n");
    }
}
