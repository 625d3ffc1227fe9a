//! `tanada solve` as a process: what it prints, writes, goes on from and refuses.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::refusals::refusal;
use super::{command, json, keys, output, run, undecided, undecided_json};
use crate::oracle::{Board, Colour, vertex};

/// 5x5 `corners`: Black wins, as a solver of another author found, too.
const FIVE: [&str; 3] = ["solve", "--size", "5"];
const TWENTY: [&str; 2] = ["--moves", "A2 B5 A3 C5"];

fn five<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&FIVE, more].concat()
}

#[test]
fn the_answer_is_one_object_with_its_fields() {
    let found = json(&five(&["--json", "--threads", "1"]));
    let names = [
        "line", "memory", "move", "nodes", "seconds", "to_move", "winner",
    ];
    assert_eq!(keys(&found), names);
    assert_eq!(found["winner"], "black");
    assert_eq!(found["line"][0], found["move"]);
    assert!(found["nodes"].as_u64().unwrap() > 1000);
    assert!(found["seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(found["memory"], 1.0);
    let again = json(&five(&["--json", "--threads", "1"]));
    assert_eq!(again["nodes"], found["nodes"]);
    let text = run(&five(&["--threads", "2"]));
    assert!(text.starts_with("black wins with "), "{text}");
    assert!(text.contains("\nline: "), "{text}");
}

#[test]
fn moves_have_values_and_order_changes_none() {
    let value = |more: &[&str]| {
        let found = json(&five(
            &[&["--json", "--all-moves"], &TWENTY[..], more].concat(),
        ));
        (found["winner"].clone(), found["moves"].clone())
    };
    let (winner, moves) = value(&[]);
    let moves_of = moves.as_array().unwrap();
    let wins = |found: &serde_json::Value| found["winner"] == "black";
    assert_eq!(winner == "black", moves_of.iter().any(wins));
    assert_eq!(value(&["--unordered"]), (winner.clone(), moves.clone()));
    assert_eq!(
        value(&["--threads", "2", "--memory", "64"]),
        (winner, moves)
    );
}

#[test]
fn the_length_is_that_of_a_line_to_the_end() {
    for (more, plies, winner) in [(&[][..], 24, "black"), (&["--moves", "B1"], 23, "black")] {
        let found = json(&five(&[&["--json", "--length"], more].concat()));
        assert_eq!(found["length"], plies);
        assert_eq!(found["winner"], winner);
        let line: Vec<&str> = found["line"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_str().unwrap())
            .collect();
        assert_eq!(line.len(), plies);
        assert_eq!(found["move"], line[0]);
        let mut board = Board::setup("corners", 5, 2).unwrap();
        for &name in more.get(1).iter().copied().chain(&line) {
            assert_eq!(board.winner(), None);
            let point = board
                .points()
                .into_iter()
                .find(|&point| vertex(point) == name);
            assert!(board.legal(point.unwrap()), "{name}");
            board.play(point.unwrap());
        }
        assert_eq!(board.winner().map(Colour::word), Some(winner));
    }
    let text = run(&five(&["--length", "--threads", "1"]));
    assert!(text.contains(", in 24 plies: "), "{text}");
}

#[test]
fn limits_leave_the_length_undecided() {
    let limited = five(&["--length", "--threads", "1", "--nodes", "120000"]);
    let found = undecided_json(&[&limited[..], &["--json"]].concat());
    assert_eq!(found["winner"], "black");
    assert_eq!(found.get("length"), Some(&serde_json::Value::Null));
    assert_eq!(found["line"][0], found["move"]);
    let text = undecided(&limited);
    assert!(text.contains(", length not decided: "), "{text}");
    let why = String::from_utf8(output(&limited).stderr).unwrap();
    assert!(why.ends_with(" before the length was known\n"), "{why}");
    let found = undecided_json(&[
        "solve", "--size", "7", "--json", "--time", "0.2", "--length",
    ]);
    assert!(found["winner"].is_null() && found["length"].is_null());
    let refused = refusal(&["solve", "--game", "taratibu", "--size", "7", "--length"]);
    assert!(
        refused.contains("`--length`") && refused.contains("Taratibu"),
        "{refused}"
    );
}

#[test]
fn limits_leave_it_undecided() {
    let found = undecided_json(&["solve", "--size", "7", "--json", "--time", "0.2"]);
    assert!(found["winner"].is_null() && found["move"].is_null());
    assert_eq!(found["line"].as_array().unwrap().len(), 0);
    let limited = ["solve", "--size", "7", "--nodes", "5000", "--threads", "1"];
    let text = undecided(&limited);
    assert!(text.starts_with("Not decided: "), "{text}");
    let why = String::from_utf8(output(&limited).stderr).unwrap();
    assert!(
        why.ends_with("reached `--nodes 5000` before the result was known\n"),
        "{why}"
    );
    // What was found is not lost where a checkpoint was asked for.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known");
    let known = path.to_str().unwrap();
    let kept = [&limited[..], &["--checkpoint", known]].concat();
    let why = String::from_utf8(output(&kept).stderr).unwrap();
    let expected = format!("before the result was known; `{known}` keeps what is known\n");
    assert!(why.ends_with(&expected) && path.exists(), "{why}");
}

#[test]
fn a_killed_solver_goes_on_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known");
    let known = path.to_str().unwrap();
    let seven = ["solve", "--size", "6", "--checkpoint", known];
    let often = ["--checkpoint-every", "0.2", "--threads", "1"];
    let mut child = command(&[&seven[..], &often].concat()).spawn().unwrap();
    let begin = Instant::now();
    while fs::metadata(&path).map_or(0, |file| file.len()) < 10_000 {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    // On Unix this is SIGKILL.
    child.kill().unwrap();
    child.wait().unwrap();
    let nodes = |more: &[&str]| {
        let more = [&seven[..], &["--json", "--nodes", "1"], more].concat();
        undecided_json(&more)["nodes"].as_u64().unwrap()
    };
    assert!(nodes(&[]) > 10_000);
    let other = refusal(&["solve", "--size", "5", "--checkpoint", known]);
    assert!(other.contains("another position"), "{other}");
    fs::write(&path, "tanada solver results 2\nsomething else").unwrap();
    let damaged = refusal(&seven);
    assert!(damaged.contains("not a complete checkpoint"), "{damaged}");
}

#[test]
fn a_checkpoint_changes_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known");
    let known = path.to_str().unwrap();
    let part = five(&["--json", "--checkpoint", known, "--threads", "1"]);
    let stopped = undecided_json(&[&part[..], &["--nodes", "40000"]].concat());
    assert!(stopped["winner"].is_null());
    let whole = json(&part);
    assert_eq!(whole["winner"], "black");
    assert!(whole["nodes"].as_u64() > stopped["nodes"].as_u64());
}

#[test]
fn a_certificate_is_written_and_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("five.cert");
    let name = path.to_str().unwrap();
    let certified = [&TWENTY[..], &["--json", "--certificate", name]].concat();
    let found = json(&five(&certified));
    let verified = json(&["verify", name, "--json"]);
    assert_eq!(verified["valid"], true);
    assert_eq!(verified["winner"], found["winner"]);
    assert_eq!(verified["positions"], found["certificate"]["positions"]);
    assert_eq!(verified["plies"], found["certificate"]["plies"]);
    assert_eq!(
        found["certificate"]["bytes"],
        fs::metadata(&path).unwrap().len()
    );
    let small = folder.path().join("small.cert");
    let small = small.to_str().unwrap();
    let certified = ["--json", "--certificate", small, "--endings", "50"];
    let found = json(&five(&[&TWENTY[..], &certified].concat()));
    let smaller = json(&["verify", small, "--json"]);
    assert_eq!(smaller["winner"], verified["winner"]);
    for name in ["positions", "endings", "plies"] {
        assert_eq!(smaller[name], found["certificate"][name]);
    }
    assert!(smaller["endings"].as_u64() > Some(0));
    assert!(smaller["searched"].as_u64() > smaller["endings"].as_u64());
    assert!(smaller["positions"].as_u64() < verified["positions"].as_u64());
    let alone = refusal(&five(&["--endings", "50"]));
    assert!(alone.contains("--certificate"), "{alone}");
    let wrong = refusal(&five(&["--certificate", small, "--endings", "0"]));
    assert!(wrong.contains("`0`"), "{wrong}");
    let missing = folder.path().join("none").join("five.cert");
    let missing = missing.to_str().unwrap();
    let refused = refusal(&five(&["--certificate", missing]));
    assert!(refused.contains("cannot write"), "{refused}");
    let undecided = output(&[
        "solve",
        "--size",
        "7",
        "--time",
        "0.1",
        "--certificate",
        name,
    ]);
    let note = String::from_utf8(undecided.stderr).unwrap();
    assert!(note.contains("no certificate was written"), "{note}");
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let red = file("red", "X....\n.....\n.....\n.....\n....R\n");
    let certificate = folder.path().join("certificate");
    let refused = refusal(&[
        "solve",
        &red,
        "--certificate",
        certificate.to_str().unwrap(),
    ]);
    assert!(
        refused.contains("no certificates for black and red"),
        "{refused}"
    );
    let twice = file("twice.sgf", "(;SZ[5]AB[aa]AW[ee];B[ab];B[ac])");
    let refused = refusal(&["solve", &twice]);
    assert!(
        refused.contains("move 2 is by black, but it is white's turn"),
        "{refused}"
    );
    let three = file("three", "X..O\n....\n....\nR...\n");
    let refused = refusal(&["solve", &three]);
    assert!(refused.contains("3 players"), "{refused}");
    let refused = refusal(&["solve", "--size", "11", "--setup", "corners"]);
    assert!(refused.contains("11x11"), "{refused}");
    for (option, value, part) in [
        ("--memory", "0", "16 to"),
        ("--memory", "999999999", "16 to"),
        ("--memory", "x", "`x`"),
        ("--threads", "0", "1 to 1024"),
        ("--time", "-1", "above 0"),
        ("--nodes", "0", "1 to"),
    ] {
        let refused = refusal(&five(&[option, value]));
        assert!(refused.contains(part), "{refused}");
    }
    let refused = refusal(&five(&["--moves", "A2 A2"]));
    assert!(refused.contains("move 2"), "{refused}");
    let refused = refusal(&["solve"]);
    assert!(refused.contains("nothing to solve"), "{refused}");
    let folder = Path::new(folder.path()).to_str().unwrap();
    let refused = refusal(&five(&["--checkpoint", folder]));
    assert!(refused.contains("directory"), "{refused}");
}

#[test]
fn a_finished_game_has_nothing_to_solve() {
    let (moves, _) = super::finished_game();
    let refused = refusal(&five(&["--moves", &moves]));
    assert!(refused.contains("the game is over"), "{refused}");
}
