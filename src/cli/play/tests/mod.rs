//! Talks over lines in and text out.

mod shown;
mod unfinished;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::clock::TimeControl;
use crate::games;
use crate::params::{Level, Params};
use crate::variant::{GameRecord, SharedStart};

use super::clocks;
use super::dialogue::{Dialogue, PlayRequest};
use super::unfinished_game::UnfinishedGameFile;

fn wishes(start: SharedStart) -> PlayRequest {
    PlayRequest {
        game: GameRecord::new(start),
        params: Params {
            threads: 1,
            memory: 16,
            seed: 1,
            iterations: Some(30),
            ..Params::default()
        },
        level: Level::find("full").unwrap(),
        control: TimeControl::Unlimited,
        colours: false,
        stop: Arc::default(),
        file: UnfinishedGameFile::at(None),
        offer: None,
        level_asked: false,
        notes: Vec::new(),
    }
}

fn with_clocks(clock: &str, request: PlayRequest) -> PlayRequest {
    let control = clocks::parse(clock).unwrap();
    PlayRequest { control, ..request }
}

fn start(game: &str, side: usize) -> SharedStart {
    let game = games::find(game).unwrap();
    game.start(Some(side), None, None).unwrap()
}

fn begin(wishes: PlayRequest) -> (Dialogue, String) {
    let mut dialogue = Dialogue::new(wishes);
    let mut out = Vec::new();
    dialogue.begin(&mut out).unwrap();
    (dialogue, String::from_utf8(out).unwrap())
}

/// A game on a board of this size, in which the player has chosen a colour.
fn playing(game: &str, side: usize, colour: &str) -> Dialogue {
    after(wishes(start(game, side)), &[colour])
}

/// A dialogue in which these lines were said.
fn after(wishes: PlayRequest, lines: &[&str]) -> Dialogue {
    let (mut dialogue, _) = begin(wishes);
    for line in lines {
        say(&mut dialogue, line);
    }
    dialogue
}

fn say(dialogue: &mut Dialogue, line: &str) -> String {
    say_after(dialogue, line, 0)
}

/// Says a line whose answer contains `part`.
fn expect(dialogue: &mut Dialogue, line: &str, part: &str) {
    let text = say(dialogue, line);
    assert!(text.contains(part), "{line}: {text}");
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

fn begins(text: &str, part: &str) {
    assert!(text.starts_with(part), "{text}");
}

/// Says a line as if this many seconds had passed.
fn say_after(dialogue: &mut Dialogue, line: &str, seconds: u64) -> String {
    let received = Instant::now() + Duration::from_secs(seconds);
    let mut out = Vec::new();
    assert!(dialogue.line(line, received, &mut out).unwrap(), "{line}");
    String::from_utf8(out).unwrap()
}

/// Plays the first legal move for the player until the game is over.
fn to_the_end(dialogue: &mut Dialogue) -> String {
    let mut text = String::new();
    for _ in 0..1000 {
        if dialogue.is_over() {
            return text;
        }
        let word = dialogue.engine.name(dialogue.engine.legal()[0]);
        text = say(dialogue, &word);
    }
    panic!("the game does not end");
}

#[test]
fn a_colour_is_chosen_and_a_game_played() {
    for (game, side) in [("tanbo", 5), ("taratibu", 7)] {
        let (mut dialogue, text) = begin(wishes(start(game, side)));
        assert!(text.contains("Which colour do you play"), "{text}");
        assert_eq!(dialogue.prompt(), "your colour> ");
        assert!(say(&mut dialogue, "pink").contains("`pink` is not a colour"));
        let text = say(&mut dialogue, "White");
        assert!(text.contains("You play white"), "{text}");
        assert_eq!(text.contains("Tanada plays black"), game == "tanbo");
        assert_eq!(dialogue.prompt(), "white> ");
        let text = to_the_end(&mut dialogue);
        has(&text, &[" moves.\nTime: ", "`new` starts another"]);
        assert_eq!(dialogue.prompt(), "game over> ");
        for line in ["hint", "why", "legal", "resign", "C3"] {
            let text = say(&mut dialogue, line);
            assert!(text.starts_with("The game is over"), "{text}");
        }
        let help = say(&mut dialogue, "help");
        assert!(
            help.contains("What still works")
                && help.contains("  new ")
                && !help.contains("  hint ")
        );
        let mut out = Vec::new();
        assert!(!dialogue.line("quit", Instant::now(), &mut out).unwrap());
    }
}

#[test]
fn what_cannot_be_played_is_explained() {
    let mut dialogue = playing("tanbo", 9, "b");
    for (line, part) in [
        (
            "E5",
            "illegal move `E5`: expected an empty point with exactly one black stone",
        ),
        (
            "Z9",
            "invalid point `Z9`: expected A1 to J9 on the 9x9 board",
        ),
        ("B3 B4", "`B3 B4` is neither a move nor a command"),
        ("save", "`save` needs a file name"),
        ("undo", "no move of yours"),
        ("level best", "unknown level `best`: expected first-game, "),
    ] {
        expect(&mut dialogue, line, part);
        assert!(dialogue.engine.events().is_empty());
    }
    assert_eq!(say(&mut dialogue, "  \n"), "");
    let mut dialogue = playing("taratibu", 7, "white");
    expect(&mut dialogue, "1112", "expected a step of a white piece");
}

#[test]
fn hints_reasons_levels_and_moves_taken_back() {
    let mut dialogue = playing("tanbo", 9, "black");
    assert!(say(&mut dialogue, "help").contains("  undo "));
    let hint = say(&mut dialogue, "hint");
    assert!(hint.starts_with("Tanada would play "), "{hint}");
    let why = say(&mut dialogue, "why");
    begins(&why, "your move  chance  visits  line\n");
    assert!(
        why.lines().count() > 4 && why.contains("30 iterations"),
        "{why}"
    );
    let text = say(&mut dialogue, "B3");
    assert!(text.contains("Tanada plays white ") && text.contains("Time: black 0:00 used"));
    let why = say(&mut dialogue, "why");
    assert!(why.starts_with("It gave itself "), "{why}");
    assert!(why.contains("\nAfter a longer search: "), "{why}");
    assert_eq!(dialogue.engine.events().len(), 2);
    assert!(say(&mut dialogue, "undo").ends_with("Taken back.\n"));
    assert_eq!(dialogue.engine.events().len(), 0);
    assert!(say(&mut dialogue, "level").contains("The level is full.\n"));
    begins(
        &say(&mut dialogue, "level First Game"),
        "Level first-game: ",
    );
    let answer = say(&mut dialogue, "B3");
    assert!(say(&mut dialogue, "why").contains("30 iterations in"));
    // Neither that search nor another try changes what the level thinks of the position.
    say(&mut dialogue, "undo");
    say(&mut dialogue, "hint");
    let word = |text: &str| {
        text.split("plays white ")
            .nth(1)
            .map(|rest| rest[..2].to_string())
    };
    assert_eq!(word(&say(&mut dialogue, "B3")), word(&answer));
    say(&mut dialogue, "undo");
    say(&mut dialogue, "board");
    say(&mut dialogue, "time");
    assert!(say(&mut dialogue, "resign").contains("Black has resigned after 0 moves"));
    assert_eq!(dialogue.result().as_deref(), Some("W+R"));
    say(&mut dialogue, "undo");
}

#[test]
fn a_turn_of_several_steps_may_be_typed_one_by_one() {
    let mut dialogue = playing("taratibu", 7, "black");
    assert_eq!(dialogue.engine.events().len(), 1);
    let word = dialogue.engine.name(dialogue.engine.legal()[0]);
    say(&mut dialogue, &word);
    assert_eq!(
        (dialogue.engine.events().len(), dialogue.prompt()),
        (2, "black> ".into())
    );
    say(&mut dialogue, "undo");
    assert_eq!(dialogue.engine.events().len(), 1);
    say(&mut dialogue, &word);
    let word = dialogue.engine.name(dialogue.engine.legal()[0]);
    expect(&mut dialogue, &word, "Tanada plays white ");
    assert_eq!(dialogue.engine.events().len(), 6);
}

#[test]
fn the_pie_is_cut_by_tanada() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a game.sgf");
    let path = path.to_str().unwrap();
    let (mut dialogue, _) = begin(wishes(start("tanbo", 9)));
    let text = say(&mut dialogue, "pie");
    assert!(text.starts_with("Tanada plays black ") && text.contains("Which colour do you take"));
    let chance = text
        .split(": ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let chance: u32 = chance.unwrap().parse().unwrap();
    assert!((35..=65).contains(&chance), "{text}");
    assert_eq!(dialogue.engine.events().len(), 1);
    assert!(say(&mut dialogue, "setup").contains("`setup` is not a colour"));
    say(&mut dialogue, "black");
    assert_eq!(dialogue.engine.events().len(), 2);
    // The first move is Tanada's, though the colour is the player's.
    assert!(say(&mut dialogue, "undo").contains("no move of yours"));
    let text = say(&mut dialogue, &format!("save {path}"));
    assert_eq!(text, format!("Saved as `{path}`.\n"));
    let read = || {
        let bytes = std::fs::read(path).unwrap();
        games::default().read_games(&bytes).unwrap()
    };
    let records = read();
    let (record, comment) = (&records[0], records[0].comment.as_deref());
    let expected = "Pie: Tanada made the first move, then the player took black.";
    assert_eq!(comment, Some(expected));
    assert_eq!(record.moves.len(), 2);
    assert_eq!(record.players.0[0].as_deref(), Some("player"));
    assert!(record.players.0[1].as_ref().unwrap().starts_with("Tanada "));
    // The same file again, but no other that is there.
    say(&mut dialogue, "resign");
    assert!(say(&mut dialogue, &format!("save {path}")).starts_with("Saved"));
    assert_eq!(read()[0].result.as_deref(), Some("W+R"));
    dialogue.saved = None;
    assert!(say(&mut dialogue, &format!("save {path}")).contains("the file exists already"));
    assert!(say(&mut dialogue, "save /nowhere/at/all").contains("no such folder"));
}

#[test]
fn a_start_is_made_up_and_tanada_takes_the_better_colour() {
    let (mut dialogue, _) = begin(wishes(start("tanbo", 5)));
    assert!(say(&mut dialogue, "setup").contains("put COLOUR POINT"));
    assert_eq!(dialogue.prompt(), "start position> ");
    assert!(say(&mut dialogue, "done with it").contains("`done with it` is not an edit"));
    // White has one stone in a corner with one free point, and Black the rest of the board.
    for line in ["clear", "put black B2 D4 D1", "put white A1"] {
        say(&mut dialogue, line);
    }
    expect(&mut dialogue, "put white Z1", "invalid point `Z1`");
    say(&mut dialogue, "put black A1");
    let text = say(&mut dialogue, "done");
    begins(&text, "This is not a valid start position: ");
    say(&mut dialogue, "put white A1");
    let text = say(&mut dialogue, "done");
    assert!(text.contains("Tanada chose black"), "{text}");
    assert!(text.contains("You play white"), "{text}");
    assert_eq!(dialogue.engine.start().text().matches('O').count(), 1);
    let mut dialogue = playing("tanbo", 5, "setup");
    assert!(say(&mut dialogue, "cancel").contains("Which colour"));
    assert_eq!(dialogue.prompt(), "your colour> ");
}

#[test]
fn one_person_plays_against_three_colours() {
    let game = games::default();
    for (text, colours) in [
        (".....\n.X.O.\n.....\n.R.G.\n.....\n", 4),
        ("X....\n....O\n.....\n.....\n..R..\n", 3),
    ] {
        let (mut dialogue, _) = begin(wishes(game.read(text, None).unwrap()));
        expect(&mut dialogue, "pink", "black or white or red");
        say(&mut dialogue, "red");
        assert_eq!(dialogue.engine.events().len(), 2);
        let text = say(&mut dialogue, "time");
        assert_eq!(text.matches(" used").count(), colours, "{text}");
        say(&mut dialogue, "level easy");
        to_the_end(&mut dialogue);
        assert!(dialogue.engine.is_over());
    }
}

#[test]
fn clocks_run_for_both_and_end_the_game() {
    let mut dialogue = after(with_clocks("60+1", wishes(start("tanbo", 9))), &["black"]);
    let text = say_after(&mut dialogue, "B3", 30);
    assert!(text.contains("black 0:30 used, 0:30 left"), "{text}");
    let text = say_after(&mut dialogue, "B4", 40);
    begins(&text, "Black has lost on time after 2 moves.");
    assert_eq!(dialogue.engine.events().len(), 2);
    assert_eq!(dialogue.result().as_deref(), Some("W+T"));
    assert!(say(&mut dialogue, "B4").starts_with("The game is over"));
}

#[test]
fn a_clock_that_has_run_out_cannot_be_taken_back() {
    let asked = with_clocks("60", wishes(start("tanbo", 9)));
    let mut dialogue = after(asked, &["black", "B3"]);
    let text = say_after(&mut dialogue, "time", 20);
    assert!(text.contains("black 0:20 used, 0:39 left"), "{text}");
    let text = say_after(&mut dialogue, "board", 70);
    assert!(text.starts_with("Black has lost on time"), "{text}");
    assert!(say(&mut dialogue, "undo").starts_with("There is no time left"));
    assert_eq!(dialogue.result().as_deref(), Some("W+T"));
    assert_eq!(dialogue.engine.events().len(), 2);
}

/// A request to go on with a game of three moves.
fn loaded() -> PlayRequest {
    let text = "(;SZ[9]RE[W+R];B[bg];W[bc];B[bf])";
    let games = games::default().read_games(text.as_bytes()).unwrap();
    PlayRequest {
        game: games.into_iter().next().unwrap(),
        ..wishes(start("tanbo", 9))
    }
}

#[test]
fn a_saved_game_goes_on() {
    let (mut dialogue, text) = begin(loaded());
    let parts = [
        "after 3 moves, the last one B4. It is white's turn.",
        "The record says `W+R`.",
        "Which colour do you play",
    ];
    has(&text, &parts);
    assert_eq!(dialogue.engine.events().len(), 3);
    // Black's turn comes after a move of Tanada's.
    expect(&mut dialogue, "black", "Tanada plays white ");
    assert_eq!(dialogue.engine.events().len(), 4);
    // Moves of the file can be taken back, down to the player's first.
    assert!(say(&mut dialogue, "undo").contains("Taken back"));
    assert_eq!(dialogue.engine.events().len(), 2);
    assert!(say(&mut dialogue, "undo").contains("Taken back"));
    assert_eq!(dialogue.engine.events().len(), 0);
    assert!(say(&mut dialogue, "undo").contains("no move of yours"));
}

#[test]
fn tanada_may_make_the_next_move_of_a_saved_game() {
    let (mut dialogue, _) = begin(loaded());
    assert!(say(&mut dialogue, "pie").contains("Tanada plays white "));
    say(&mut dialogue, "white");
    // That move stays.
    assert!(say(&mut dialogue, "undo").contains("no move of yours"));
    assert!(dialogue.engine.events().len() >= 4);
}
