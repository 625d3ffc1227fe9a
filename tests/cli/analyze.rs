//! `tanada analyze` as a process: what it reads, prints, writes and refuses.

use std::fs;

use super::refusals::refusal;
use super::{json, output, run};

const QUICK: [&str; 6] = ["--threads", "1", "--seed", "1", "--iterations", "20"];

fn quick<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["analyze"], arguments, &QUICK[..]].concat()
}

#[test]
fn a_table_has_a_row_for_each_move() {
    let text = run(&quick(&["--size", "5", "--moves", "A2 A4 E4"]));
    assert!(text.starts_with("Tanbo 5x5, 3 moves\n"), "{text}");
    let head = "move         played  chance %  best  chance %  loss %";
    assert!(text.contains(head), "{text}");
    for row in ["1  black  A2", "2  white  A4", "3  black  E4"] {
        assert!(text.contains(row), "{text}");
    }
    assert!(text.contains("Best moves of white now:"), "{text}");
    assert!(text.contains("Mistakes") || text.contains("No move certainly lost 5 % or more."));
    assert!(
        text.contains("player  moves  mean loss %  ?!  ?  ??\nblack       2 "),
        "{text}"
    );
}

#[test]
fn games_and_positions_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let two = "(;SZ[5];B[ad];W[ab])(;SZ[5];B[eb])";
    fs::write(path("two.sgf"), two).unwrap();
    let first = json(&quick(&[&path("two.sgf"), "--json"]));
    assert_eq!(first["moves"].as_array().unwrap().len(), 2);
    assert_eq!(first["moves"][0]["move"], "A2");
    let note = String::from_utf8(output(&quick(&[&path("two.sgf"), "--json"])).stderr).unwrap();
    assert!(note.contains("holds 2 games"), "{note}");
    let second = json(&quick(&[
        &path("two.sgf"),
        "--number",
        "2",
        "--json",
        "--moves",
        "A4",
    ]));
    let names: Vec<&str> = second["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mv| mv["move"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["E4", "A4"]);
    fs::write(
        path("diagram"),
        "to move: white\nX...O\n.....\n.....\n.....\nO...X\n",
    )
    .unwrap();
    let found = json(&quick(&[&path("diagram"), "--json"]));
    assert_eq!(found["moves"].as_array().unwrap().len(), 0);
    assert_eq!(found["positions"][0]["to_move"], 1);
    assert_eq!(found["positions"][0]["rows"][0], "X...O");
    // Told by its first line.
    let position = "turn 1, white to move, 1 step left\n";
    let rows = run(&["gtp", "--game", "taratibu", "--help"]);
    assert!(!rows.is_empty());
    let start = tanada::games::find("taratibu")
        .unwrap()
        .start(None, None, None)
        .unwrap();
    assert!(start.text().contains(position.trim()));
    fs::write(path("start"), start.text()).unwrap();
    let found = json(&quick(&[&path("start"), "--game", "taratibu", "--json"]));
    assert_eq!(found["game"], "taratibu");
    let best = found["positions"][0]["best"].as_array().unwrap();
    assert!((2..=5).contains(&best.len()), "{best:?}");
}

#[test]
fn a_page_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder
        .path()
        .join("page.html")
        .to_str()
        .unwrap()
        .to_string();
    let arguments = quick(&["--size", "5", "--moves", "A2", "--html", &path]);
    let table = run(&arguments);
    assert!(table.contains("black  A2"), "{table}");
    let page = fs::read_to_string(&path).unwrap();
    assert!(page.starts_with("<!doctype html>"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    // The same again: no date, no time.
    run(&arguments);
    assert_eq!(fs::read_to_string(&path).unwrap(), page);
    // What is refused leaves the old page as it is.
    let complaint = refusal(&quick(&[
        "--size", "5", "--moves", "A2 A2", "--html", &path,
    ]));
    assert!(
        complaint.contains("move 2 of `--moves`: illegal move `A2`: expected an empty point"),
        "{complaint}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), page);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn bad_input_is_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().to_str().unwrap().to_string();
    let path = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let game = path("game.sgf", b"(;SZ[5];B[ad];W[ab])");
    let illegal = path("illegal.sgf", b"(;SZ[5];B[ad];W[cc])");
    let twice = path("twice.sgf", b"(;SZ[5];B[ad];B[eb])");
    let broken = path("broken.sgf", b"(;SZ[5];B[ad]");
    let size = path("size.sgf", b"(;SZ[3];B[aa])");
    let ragged = path("ragged", b"....\n...\n....\n....\n");
    let empty = path("empty", b"");
    let bytes = path("bytes", &[0, 255, 254, 1]);
    let nowhere = format!("{directory}/no/page.html");
    let before = fs::read_dir(folder.path()).unwrap().count();
    for (arguments, parts) in [
        (&[][..], &["nothing to analyze", "--setup"][..]),
        (&["missing.sgf"], &["`missing.sgf`", "no such file"]),
        (&[&directory], &["directory"]),
        (
            &[&illegal],
            &["illegal.sgf", "move 2", "illegal move `C3`", "white stone"],
        ),
        (
            &[&twice],
            &["twice.sgf", "move 2", "black", "it is white's turn"],
        ),
        (&[&broken], &["broken.sgf"]),
        (&[&size], &["size.sgf", "`SZ[3]`"]),
        (&[&ragged], &["ragged", "`...` has 3 points"]),
        (&[&empty], &["empty"]),
        (&[&bytes], &["bytes"]),
        (&[&game, "--number", "2"], &["the file holds only 1 game"]),
        (&[&game, "--number", "0"], &["`0`", "--number", "1 to"]),
        (
            &[&game, "--size", "9"],
            &["game.sgf", "5x5", "board size `9`"],
        ),
        (&[&game, "--best", "0"], &["`0`", "--best", "1 to 50"]),
        (&[&game, "--moves", "Z9"], &["move 1 of `--moves`", "`Z9`"]),
        (
            &[&game, "--html", &directory],
            &["cannot write", "directory"],
        ),
        (
            &[&game, "--html", &nowhere],
            &["cannot write", "no/page.html"],
        ),
        (&[&game, "more"], &["unexpected argument `more`"]),
        (
            &["--number", "1", "--size", "5"],
            &["`--number` needs a file"],
        ),
        (&[&game, "--iterations", "x"], &["`x`"]),
    ] {
        let complaint = refusal(&[&["analyze"], arguments].concat());
        for part in parts {
            assert!(complaint.contains(part), "{part} is not in: {complaint}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before);
}

#[test]
fn the_sample_games_are_whole_games() {
    for (name, players, result) in [
        ("9x9.sgf", 2, "W+"),
        ("13x13.sgf", 2, "W+"),
        ("four-players.sgf", 4, "G+"),
        ("taratibu.txt", 2, "W+"),
    ] {
        let path = format!("{}/examples/games/{name}", env!("CARGO_MANIFEST_DIR"));
        let game = json(&["analyze", &path, "--iterations", "1", "--json"]);
        assert_eq!(game["players"].as_array().unwrap().len(), players, "{name}");
        assert_eq!(game["result"], result, "{name}");
        let last = game["positions"].as_array().unwrap().last().unwrap();
        assert_eq!(last["over"], true, "{name}");
        let winner = usize::from(last["values"][0] == 0.0);
        if players == 2 {
            let colour = game["players"][winner]["colour"].as_str().unwrap();
            assert!(colour.to_uppercase().starts_with(&result[..1]), "{name}");
        }
    }
}
