//! Saved games on the command line: every command that looks at a position takes a game to its
//! end, and goes on from there.

use std::fs;

use super::refusals::refusal;
use super::{json, output, run, undecided_json};

const QUICK: [&str; 6] = ["--threads", "1", "--seed", "1", "--iterations", "20"];

/// Two games: one with stones of its own, one without.
const GAMES: &str = "(;SZ[5]AB[ae][ea]AW[aa][ee]PL[B];B[ad];W[ab];B[eb])\
                     (;FF[4]SZ[9];B[bg];W[bc])";

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    }
}

fn note(arguments: &[&str]) -> String {
    String::from_utf8(output(arguments).stderr).unwrap()
}

fn quick<'a>(command: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
    [&[command], arguments, &QUICK[..]].concat()
}

#[test]
fn a_position_may_be_a_line() {
    let files = Files::new();
    let diagram = "to move: white\nXX..O\n.....\n.....\n.....\nO..XX\n";
    let diagram = files.write("diagram", diagram);
    let solved = json(&["solve", &diagram, "--json"]);
    for line in [
        "5 w XX2O/5/5/5/O2XX\n",
        "5 w XX2O/5/5/5/O2XX ?",
        "\u{feff}5 w XX2O/5/5/5/O2XX b\r\n",
    ] {
        let line = files.write("line", line);
        for file in [&[line.as_str()][..], &["--setup", &line]] {
            let found = json(&[&["solve", "--json"], file].concat());
            assert_eq!(found["winner"], solved["winner"]);
            let found = json(&quick("genmove", &[&["--json"], file].concat()));
            assert_eq!(found["to_move"], "white");
            json(&quick("analyze", &[&["--json"], file].concat()));
        }
    }
    for (line, part) in [
        ("5 w XX2O/5/5/O2XX", "has 4 rows: expected 5"),
        (
            "5 r XX2O/5/5/5/O2XX",
            "invalid side to move `r`: expected `b` or `w`",
        ),
        (
            "5 w XX2O/5/5/5/O2XX w 17 5e6f7a8b",
            "invalid position `5 w XX2O/5/5/5/O2XX w 17 5e6f7a8b`",
        ),
        ("4 w XX2/XX2/4/O2X", "the black root at A3 holds a loop"),
    ] {
        let complaint = refusal(&["solve", &files.write("wrong", line)]);
        assert!(complaint.contains(part), "{part} is not in: {complaint}");
    }
    // The protocol has `/` for line ends.
    let board = |position: &str| {
        let commands = format!("tanada-position {position}\nshowboard\n");
        super::answers(&["gtp"], &commands)
    };
    let diagram = board("to move: white/XX..O/...../...../...../O..XX");
    assert!(diagram.starts_with("= \n"), "{diagram}");
    assert_eq!(board("5 w XX2O/5/5/5/O2XX"), diagram);
}

#[test]
fn a_game_is_loaded_to_its_end_or_to_a_ply() {
    let files = Files::new();
    let games = files.write("games.sgf", GAMES);
    let games = games.as_str();
    for file in [&[games][..], &["--setup", games]] {
        let genmove = |more: &[&str]| {
            let arguments = [&["--json"], file, more].concat();
            json(&quick("genmove", &arguments))
        };
        assert_eq!(genmove(&[])["to_move"], "white", "after three moves");
        assert_eq!(genmove(&["--at", "2"])["to_move"], "black");
        assert_eq!(genmove(&["--at", "3"])["to_move"], "white");
        assert_eq!(genmove(&["--moves", "B5"])["to_move"], "black");
        // A stone of Black is there only after the first move.
        for (at, is_taken) in [("0", false), ("1", true)] {
            let listed = genmove(&["--at", at, "--best", "99"]).to_string();
            assert_eq!(listed.contains("\"move\":\"A2\""), !is_taken, "{listed}");
        }
        let second = genmove(&["--number", "2", "--at", "1"]);
        assert_eq!(second["to_move"], "white");
        let review = [&["--json", "--at", "2", "--moves", "E4"], file].concat();
        let review = json(&quick("analyze", &review));
        assert_eq!(review["moves"].as_array().unwrap().len(), 3);
        let solve = [&["solve", "--json", "--threads", "1", "--nodes", "1"], file].concat();
        assert_eq!(undecided_json(&solve)["to_move"], "white");
        let demo = run(&quick("demo", file));
        assert!(demo.contains("\n  4. white "), "{demo}");
        assert!(!demo.contains("\n  1. "), "{demo}");
        // The last board of the file is drawn first.
        assert!(
            demo.contains("2 X . . . .") && demo.contains("4 O . . . X"),
            "{demo}"
        );
    }
    let shown = note(&quick("genmove", &[games]));
    assert!(
        shown.contains("holds 2 games") && !shown.contains("ignored"),
        "{shown}"
    );
}

#[test]
fn every_kind_of_record_is_loaded() {
    let files = Files::new();
    let game = "play w 7264\nplay b 4143\ntanada-print_record\nquit\n";
    let text = super::answers(&["--game", "taratibu", "--threads", "1"], game);
    let record = &text[text.find("# Taratibu").unwrap()..];
    let record = record.split("\n\n").next().unwrap();
    let path = files.write("game.txt", record);
    for file in [&[path.as_str()][..], &["--setup", &path]] {
        let arguments = [&["--json"], file].concat();
        let answer = json(&quick("genmove", &arguments));
        assert_eq!(answer["to_move"], "black", "{answer}");
        let answer = json(&quick(
            "genmove",
            &[&arguments[..], &["--at", "1"]].concat(),
        ));
        assert_eq!(answer["to_move"], "black", "{answer}");
        let answer = json(&quick(
            "genmove",
            &[&arguments[..], &["--at", "0"]].concat(),
        ));
        assert_eq!(answer["to_move"], "white", "{answer}");
    }
}

#[test]
fn a_record_without_stones_begins_from_what_the_options_say() {
    let files = Files::new();
    // As GoGui saves a game: no stones, whatever the engine's start was.
    let dense = files.write("dense.sgf", "(;FF[4]SZ[19];B[eb])");
    let dense = dense.as_str();
    let four = files.write("four.sgf", "(;FF[4]SZ[19])");
    let own = files.write("own.sgf", GAMES);
    let diagram = files.write("diagram", "X...O\n.....\n.....\n.....\nO...X\n");
    let refused = |arguments: &[&str]| refusal(&quick("genmove", arguments));
    let legal = |arguments: &[&str]| {
        let arguments = [arguments, &["--json", "--best", "99"]].concat();
        json(&quick("genmove", &arguments))
    };
    assert!(refused(&[dense]).contains("move 1"));
    let bare = refusal(&["genmove", dense]);
    assert!(
        bare.contains("the record names no start position: try `--setup` with classic, dense, "),
        "{bare}"
    );
    let answer = legal(&[dense, "--setup", "dense"]);
    assert_eq!(answer["to_move"], "white", "{answer}");
    legal(&[dense, "--setup", "dense", "--size", "19"]);
    let four = [four.as_str(), "--players", "4", "--moves", "D5 E16"];
    assert_eq!(legal(&four[..3])["to_move"], "black");
    for (arguments, parts) in [
        (
            &[dense, "--size", "9"][..],
            &["dense.sgf", "19x19", "board size `9`"][..],
        ),
        (&[dense, "--setup", "frob"], &["`frob`", "no such file"]),
        (
            &[&own, "--setup", "corners"],
            &["own.sgf", "its own start position", "leave out `--setup`"],
        ),
        (&[&own, "--players", "4"], &["own.sgf", "4 players"]),
        (&["--setup", &own, "--size", "9"], &["own.sgf", "5x5"]),
        (&[&diagram, "--setup", "corners"], &["diagram", "`--setup`"]),
        (&[&diagram, "--size", "9"], &["5x5", "`9`"]),
        (&[&diagram, "--number", "2"], &["diagram", "`--number`"]),
        (&[&diagram, "--at", "1"], &["`1`", "`--at`", "0 moves"]),
    ] {
        let complaint = refused(arguments);
        for part in parts {
            assert!(complaint.contains(part), "{part} is not in: {complaint}");
        }
    }
}

#[test]
fn what_cannot_be_loaded_is_told_in_one_sentence() {
    let files = Files::new();
    let games = files.write("games.sgf", GAMES);
    let illegal = files.write("illegal.sgf", "(;SZ[5];B[ad];W[cc])");
    for command in ["genmove", "demo", "play", "analyze", "solve"] {
        for (arguments, parts) in [
            (
                &[games.as_str(), "--at", "4"][..],
                &["`4`", "`--at`", "games.sgf", "3 moves"][..],
            ),
            (&["--setup", &games, "--at", "99"], &["`99`", "3 moves"]),
            (&[&games, "--at", "-1"], &["`-1`", "--at"]),
            (&["--at", "1"], &["`--at` needs a file"]),
            (&["--size", "5", "--at", "1"], &["`--at` needs a file"]),
            (&["--number", "1"], &["`--number` needs a file"]),
            (&[&games, "--number", "3"], &["the file holds only 2 games"]),
            (&[&illegal], &["illegal.sgf", "move 2", "illegal move `C3`"]),
            (&["missing.sgf"], &["`missing.sgf`", "no such file"]),
            (&[&games, "more"], &["`more`"]),
        ] {
            let complaint = refusal(&[&[command], arguments].concat());
            for part in parts {
                assert!(
                    complaint.contains(part),
                    "{command} {arguments:?}: {part} is not in: {complaint}"
                );
            }
        }
        // An earlier position of the same game is fine.
        if ["genmove", "analyze"].contains(&command) {
            run(&quick(command, &[&illegal, "--at", "1"]));
        }
    }
}

#[test]
fn a_finished_game_has_no_next_move() {
    let files = Files::new();
    let record = super::answers(
        &["--size", "5", "--threads", "1", "--iterations", "10"],
        &format!("{}printsgf\nquit\n", "genmove b\ngenmove w\n".repeat(20)),
    );
    let record = &record[record.find("(;").unwrap()..];
    assert!(record.contains("RE["), "the game is not over: {record}");
    let over = files.write("over.sgf", record.split("\n\n").next().unwrap());
    let text = run(&quick("genmove", &[&over]));
    assert!(text.starts_with("The game is over, "), "{text}");
    for command in ["demo", "play", "solve"] {
        let complaint = refusal(&[command, &over]);
        for part in ["the game is over after ", " has won", "`--at PLY`"] {
            assert!(complaint.contains(part), "{command}: {complaint}");
        }
    }
    let text = run(&quick("demo", &[&over, "--at", "6"]));
    assert!(text.contains("\n  7. black "), "{text}");
}

#[test]
fn ignored_moves_are_told() {
    let files = Files::new();
    let games = files.write("games.sgf", GAMES);
    let one = files.write("one.sgf", "(;SZ[5];B[ad])");
    let none = files.write("none.sgf", "(;SZ[5]AB[ae]AW[ee])");
    let setup = |path| ["--depth", "1", "--setup", path];
    for (path, said) in [
        (&games, "its 3 moves are ignored"),
        (&one, "its move is ignored"),
    ] {
        let arguments = [&["perft"], &setup(path)[..]].concat();
        let shown = note(&arguments);
        assert!(shown.contains("only the start position"), "{shown}");
        assert!(
            shown.contains(path.as_str()) && shown.contains(said),
            "{shown}"
        );
    }
    let arguments = [&["perft"], &setup(&none)[..]].concat();
    assert!(!note(&arguments).contains("ignored"));
    assert!(note(&["gtp", "--setup", &games]).contains("3 moves are ignored"));
    let engine = "name=a,iterations=1";
    let shown = note(&[
        "match",
        "--setup",
        &games,
        "--engine",
        engine,
        "--engine",
        "name=b,iterations=1",
        "--pairs",
        "1",
    ]);
    assert_eq!(shown.matches("3 moves are ignored").count(), 1, "{shown}");
}
