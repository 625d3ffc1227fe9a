//! Games saved by GoGui, by `tanada play` and by a match, each through `genmove`, `analyze`,
//! `play`, the protocol and back.

use std::fs;
use std::path::Path;

use tanada::games;
use tanada::variant::GameRecord;

#[cfg(unix)]
use super::play::Terminal;
use super::{answers, json, run};

const QUICK: [&str; 6] = ["--threads", "1", "--seed", "1", "--iterations", "20"];

fn game_record(path: &str) -> GameRecord {
    let game_records = games::default().read_games(&fs::read(path).unwrap());
    game_records.unwrap().remove(0)
}

/// Takes a saved game through everything; `board` names its start where it does not.
fn through_everything(path: &str, moves: usize, board: &[&str]) {
    let with = |command: &str, more: &[&str]| {
        let mut arguments = vec![command.to_string(), path.to_string()];
        arguments.extend(more.iter().chain(board).map(ToString::to_string));
        if command != "solve" {
            arguments.extend(QUICK.map(String::from));
        }
        arguments
    };
    let json = |arguments: Vec<String>| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        json(&arguments)
    };
    let original = game_record(path);
    let to_move = json(with("genmove", &["--json"]))["to_move"].clone();
    let before = json(with("genmove", &["--json", "--at", "1"]))["to_move"].clone();
    assert_eq!(to_move == before, moves % 2 == 1, "{path}");
    let review = json(with("analyze", &["--json"]));
    assert_eq!(review["moves"].as_array().unwrap().len(), moves);
    // The protocol, and what it saves, as often as you like.
    let saved = format!("{path}.saved.sgf");
    let options: Vec<&str> = [board, &["--threads", "1"]].concat();
    let text = answers(
        &options,
        &format!("loadsgf {path}\nprintsgf {saved}\ngogui-rules_side_to_move\nquit\n"),
    );
    assert_eq!(
        text,
        format!("= \n\n= \n\n= {}\n\n= \n\n", to_move.as_str().unwrap())
    );
    let once = fs::read_to_string(&saved).unwrap();
    let again = format!("loadsgf {saved}\nprintsgf {saved}\nloadsgf {saved}\nprintsgf {saved}\n");
    answers(&options, &again);
    assert_eq!(fs::read_to_string(&saved).unwrap(), once);
    let read = game_record(&saved);
    assert_eq!(read.moves, original.moves);
    assert_eq!(
        (&read.comment, &read.players),
        (&original.comment, &original.players)
    );
    assert_eq!(once.matches("GoGui opens this game").count(), 1, "{once}");
    // What was saved brings its start, so it needs no options.
    let review = super::json(&[&["analyze", "--json", &saved], &QUICK[..]].concat());
    assert_eq!(review["moves"].as_array().unwrap().len(), moves);
    #[cfg(unix)]
    through_play(&saved, moves);
}

/// Goes on with a game in the terminal, and saves it.
#[cfg(unix)]
fn through_play(path: &str, moves: usize) {
    let mut terminal = Terminal::new(&[path, "--iterations", "20"], &[("NO_COLOR", "1")]);
    let shown = terminal.until("your colour> ");
    assert!(
        shown.contains(&format!("continues after {moves} move")),
        "{shown}"
    );
    terminal.line("white", "white> ");
    let saved = format!("{path}.played.sgf");
    terminal.line(&format!("save {saved}"), "Saved as");
    terminal.keys("quit\n");
    terminal.end();
    let (before, after) = (game_record(path), game_record(&saved));
    assert!(after.moves.starts_with(&before.moves));
    let comment = after.comment.unwrap();
    assert!(comment.contains("The player chose white."), "{comment}");
    assert!(comment.starts_with(before.comment.as_deref().unwrap_or_default()));
    let text = fs::read_to_string(&saved).unwrap();
    assert_eq!(text.matches("GoGui opens this game").count(), 1, "{text}");
    run(&[&["analyze", &saved], &QUICK[..]].concat());
}

#[test]
fn a_game_saved_by_gogui() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gogui.sgf");
    let path = path.to_str().unwrap();
    for (text, moves, board) in [
        (
            "(;FF[4]CA[UTF-8]AP[GoGui:1.6.0]SZ[9]\n;B[ch]PL[W];W[bc]PL[B])",
            2,
            &["--size", "9"][..],
        ),
        (
            "(;FF[4]CA[UTF-8]AP[GoGui:1.6.0]SZ[9]KM[0]DT[2026-11-01]\n;B[ch]PL[W]\n\
             ;W[bc]C[a comment]PL[B];B[bg]PL[W])",
            3,
            &["--size", "9"],
        ),
        (
            "(;FF[4]CA[UTF-8]AP[GoGui:1.6.0]SZ[19]\n;B[eb]PL[W])",
            1,
            &["--size", "19", "--setup", "dense"],
        ),
    ] {
        fs::write(path, text).unwrap();
        through_everything(path, moves, board);
        fs::remove_file(format!("{path}.saved.sgf.played.sgf")).ok();
    }
}

#[test]
fn a_game_of_four() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("four.sgf");
    let path = path.to_str().unwrap();
    let four = ["--players", "4", "--threads", "1", "--iterations", "10"];
    let play = "genmove b\ngenmove w\ngenmove r\ngenmove g\ngenmove b\n";
    answers(&four, &format!("{play}printsgf {path}\nquit\n"));
    let text = fs::read_to_string(path).unwrap();
    // GoGui cannot show it, so nothing is said of it.
    assert!(!text.contains("GoGui"), "{text}");
    // Each node names whose turn comes after it.
    let turns = ["PL[W]", "TURN[R]", "TURN[G]", "PL[B]", "PL[W]"];
    let nodes = text.trim_end().trim_end_matches(')');
    let mut told = String::new();
    for (index, node) in nodes.split(';').enumerate() {
        match index {
            0 => told += node,
            1 => told += &format!(";{node}"),
            _ => told += &format!(";{}{}", node.trim_end(), turns[index - 2]),
        }
    }
    fs::write(path, told + ")").unwrap();
    let options = [&["genmove", path, "--json"], &QUICK[..]].concat();
    assert_eq!(json(&options)["to_move"], "white");
    let text = answers(
        &four,
        &format!("loadsgf {path}\ngogui-rules_side_to_move\nquit\n"),
    );
    assert!(text.starts_with("= \n\n= white\n"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_game_saved_by_play() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let path = path.to_str().unwrap();
    let mut terminal = Terminal::new(&["--size", "9", "--iterations", "20"], &[("NO_COLOR", "1")]);
    terminal.until("your colour> ");
    terminal.line("black", "black> ");
    terminal.line("B3", "black> ");
    terminal.line(&format!("save {path}"), "Saved as");
    terminal.keys("quit\n");
    terminal.end();
    assert!(
        fs::read_to_string(path)
            .unwrap()
            .contains("`tanada --size 9`.")
    );
    through_everything(path, 2, &["--size", "9"]);
}

#[test]
fn a_game_of_a_match() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("records");
    let engine = |name: &str| format!("name={name},iterations=5");
    run(&[
        "match",
        "--size",
        "7",
        "--pairs",
        "1",
        "--engine",
        &engine("a"),
        "--engine",
        &engine("b"),
        "--records",
        records.to_str().unwrap(),
    ]);
    let first = first_sgf(&records.join("games"));
    let text = fs::read_to_string(&first).unwrap();
    assert!(text.contains("`tanada --size 7`."), "{text}");
    assert!(text.contains("opening: "), "its own comment stays: {text}");
    // It is over, and an earlier position is not.
    let count = game_record(&first).moves.len();
    let over = run(&[&["genmove", first.as_str()], &QUICK[..]].concat());
    assert!(over.starts_with("The game is over, "), "{over}");
    let cut = folder.path().join("cut.sgf");
    let cut = cut.to_str().unwrap();
    let before = format!("loadsgf {first} 9\nprintsgf {cut}\nquit\n");
    answers(&["--size", "7", "--threads", "1"], &before);
    through_everything(cut, 8, &[]);
    let review = json(&[&["analyze", "--json", &first], &QUICK[..]].concat());
    assert_eq!(review["moves"].as_array().unwrap().len(), count);
}

fn first_sgf(folder: &Path) -> String {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files[0].to_str().unwrap().to_string()
}

/// What was wrong in the clients' page once.
#[test]
fn the_clients_page_says_what_clients_need() {
    let page = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/docs/guide/clients.md"
    ))
    .unwrap();
    // twogtp plays 19x19 unless it is told the size of its engines.
    let begin = page.find("gogui-twogtp -").unwrap();
    let command = page[begin..].split("```").next().unwrap();
    let size = command.split("-size ").nth(1).unwrap();
    let size = size.split(' ').next().unwrap();
    assert_eq!(
        command.matches(&format!("\"tanada --size {size}")).count(),
        2
    );
    for part in [
        "*Program > Interrupt*",
        "## gomill",
        "Two players of Tanbo only",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for (more, part) in [
        (&["--size", "9"][..], "= Tanada - Tanbo\n"),
        (&["--players", "3"], "Tanbo: GoGui cannot show this game"),
        (
            &["--game", "taratibu"],
            "Taratibu: GoGui cannot show this game",
        ),
    ] {
        let title = answers(more, "gogui-title\nquit\n");
        assert!(title.contains(part), "{title}");
    }
}
