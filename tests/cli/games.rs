//! Every subcommand with another game, and with more players.

use serde_json::Value;

use super::{answers, json, run};
use crate::oracle::taratibu::{Board, name};

const QUICK: [&str; 6] = ["--threads", "1", "--seed", "1", "--iterations", "20"];

fn with<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [first, more].concat()
}

#[test]
fn taratibu_is_played_searched_and_counted() {
    let game = ["--game", "taratibu"];
    let counts = json(&with(&["perft", "--depth", "3", "--json"], &game));
    assert_eq!(counts["counts"], serde_json::json!([31, 961, 32054]));
    let moves = ["genmove", "--json", "--moves", "7264 4765-6564"];
    let found = json(&with(&with(&moves, &game), &QUICK));
    let board = Board::new_game();
    let board = ["7264", "4765", "6564"].iter().fold(board, |board, step| {
        board.after(crate::oracle::taratibu::step(step))
    });
    let legal: Vec<String> = board.legal_steps().into_iter().map(name).collect();
    assert!(legal.contains(&found["move"].as_str().unwrap().to_string()));
    assert_eq!(
        (&found["to_move"], &found["winner"]),
        (&"white".into(), &Value::Null)
    );
    let demo = run(&with(&with(&["demo"], &game), &QUICK));
    assert!(
        demo.contains("Glenn Overby II") && demo.contains("turn 1, white to move"),
        "{demo}"
    );
    assert!(
        demo.contains(" wins after ") || demo.contains("A draw after "),
        "{demo}"
    );
    let told = answers(
        &with(&["gtp"], &game),
        "play w 7264\ngogui-rules_side_to_move\nquit\n",
    );
    assert_eq!(told, "= \n\n= black\n\n= \n\n");
}

#[test]
fn taratibu_is_benched_trained_and_tuned() {
    let game = ["--game", "taratibu"];
    for part in ["playouts", "search"] {
        let bench = ["bench", "--seconds", "0.05", "--json", "--only", part];
        let found = json(&with(&bench, &game));
        assert!(!found.as_object().unwrap().is_empty());
    }
    let openings = [
        "openings", "--count", "2", "--plies", "3", "--low", "0.1", "--high", "0.9",
    ];
    let openings = with(&openings, &["--engine", "iterations=20"]);
    let book = run(&with(&openings, &game));
    let lines: Vec<&str> = book.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 2, "{book}");
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("weights");
    let weights = weights.to_str().unwrap();
    let train = [
        "train",
        "--generations",
        "1",
        "--games",
        "10",
        "--iterations",
        "3",
    ];
    run(&with(
        &with(&train, &["--plies", "3", "--out", weights]),
        &game,
    ));
    let match_of = [
        "match",
        "--pairs",
        "1",
        "--iterations",
        "10",
        "--engine",
        "name=old",
    ];
    let engine = format!("name=new,weights={weights}");
    let report = run(&with(&with(&match_of, &["--engine", &engine]), &game));
    assert!(report.contains("Games: 2,"), "{report}");
    let tune = ["tune", "--iterations", "10", "--steps", "1", "--pairs", "1"];
    let out = folder.path().join("tune");
    let more = [
        "--param",
        "uct_exploration",
        "--folder",
        out.to_str().unwrap(),
    ];
    run(&with(&with(&tune, &more), &game));
}

#[test]
fn four_players_train_and_meet_in_all_rotations() {
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("four.txt");
    std::fs::write(&start, "X...O\n.....\n.....\n.....\nG...R\n").unwrap();
    let start = ["--setup", start.to_str().unwrap()];
    let weights = folder.path().join("weights");
    let weights = weights.to_str().unwrap();
    let train = [
        "train",
        "--generations",
        "1",
        "--games",
        "10",
        "--iterations",
        "5",
    ];
    run(&with(
        &with(&train, &["--plies", "1", "--out", weights]),
        &start,
    ));
    let engines = format!("name=one,paranoia=1,weights={weights}");
    let match_of = [
        "match",
        "--pairs",
        "2",
        "--plies",
        "2",
        "--iterations",
        "10",
    ];
    let engines = ["--engine", &engines, "--engine", "name=others"];
    let report = run(&with(&with(&match_of, &engines), &start));
    for part in ["seat 4", "one: ", "over 2 units of 4 rotations"] {
        assert!(report.contains(part), "{report}");
    }
    let demo = run(&with(&with(&["demo"], &start), &QUICK));
    assert!(demo.contains(" wins after "), "{demo}");
}

#[test]
fn taratibu_is_solved_as_far_as_it_can_be() {
    let game = ["solve", "--game", "taratibu", "--threads", "1", "--moves"];
    let told = run(&with(&game, &["7264"]));
    assert!(
        told.starts_with("black cannot win within this turn; the result beyond it is unknown: "),
        "{told}"
    );
    let found = json(&with(&game, &["7264", "--json"]));
    assert_eq!(found["winner"], Value::Null);
    assert_eq!(found["wins_this_turn"], Value::Bool(false));
    let folder = tempfile::tempdir().unwrap();
    let solve = |board: &str, more: &[&str]| {
        let path = folder.path().join("position");
        std::fs::write(&path, board.replace('/', "\n")).unwrap();
        let setup = ["solve", "--game", "taratibu", "--setup"];
        let setup = with(&setup, &[path.to_str().unwrap()]);
        with(&setup, more).iter().map(ToString::to_string).collect()
    };
    let words = |arguments: &Vec<String>| -> Value {
        json(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let near = "......M/......./......./......./......./......./Am...../turn 9, 3 steps left";
    let arguments: Vec<String> = solve(near, &["--json"]);
    let found = words(&arguments);
    assert_eq!(
        (&found["winner"], &found["move"]),
        (&"white".into(), &"1121".into())
    );
    assert_eq!(found["wins_this_turn"], Value::Bool(true));
    assert_eq!(found["line"], serde_json::json!(["1121"]));
    // The white Man is far from everything, and a Man alone takes no other pieces.
    let drawn = "......M/......./......./......./......./m....../.A...../turn 10, 1 step left";
    let found = words(&solve(drawn, &["--json"]));
    assert_eq!(
        (&found["winner"], &found["wins_this_turn"]),
        (&"draw".into(), &false.into())
    );
    let arguments: Vec<String> = solve(near, &["--moves", "1121"]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let refused = super::refusals::refusal(&arguments);
    assert!(refused.contains("the game is over"), "{refused}");
}
