//! A match that is followed while it is played.

use std::process::Child;

use serde_json::json;

use super::Server;
use crate::cli::{command, run};

#[test]
fn a_match_is_followed() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("match");
    let folder = folder.to_str().unwrap();
    let server = Server::start(&["--matches", folder]);
    assert_eq!(server.ask("catalog", &json!({}))["matches"], true);
    let mut stream = server.stream("a");
    let play = |pairs: &str, more: &[&str]| {
        let usual = ["match", "--records", folder, "--pairs", pairs];
        run(&[&usual, more].concat())
    };
    let engines = [
        "--engine",
        "name=a,iterations=2",
        "--engine",
        "name=b,iterations=1",
        "--size",
        "5",
        "--plies",
        "2",
        "--sprt",
        "elo0=0 elo1=500",
    ];
    play("1", &engines);
    let begun = loop {
        let found = stream.next("match");
        if found["games_done"] == 2 {
            break found;
        }
    };
    assert_eq!(
        (&begun["name"], &begun["games_all"]),
        (&json!("a vs b"), &json!(2))
    );
    assert_eq!(begun["engines"][1]["name"], "b");
    assert!(begun["sprt"]["llr"].is_f64() && begun["sprt"]["verdict"].is_null());
    let game = &begun["games"][0];
    assert_eq!((&game["number"], &game["over"]), (&json!(1), &json!(true)));
    let last = server.ask("position", &game["line"]);
    assert_eq!(last["over"], true);
    assert_eq!(last["line"], game["line"]);
    // A page that comes later is told at once, and both see the next games.
    let mut later = server.stream("b");
    assert_eq!(later.next("match"), begun);
    play("2", &["--resume"]);
    for stream in [&mut stream, &mut later] {
        while stream.next("match")["games_done"] != 4 {}
    }
}

struct Runner(Child);

impl Runner {
    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.end();
    }
}

#[test]
fn a_running_game_is_shown() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("match");
    let folder = folder.to_str().unwrap();
    let server = Server::start(&["--matches", folder]);
    let mut stream = server.stream("a");
    // Nobody waits for its third move.
    let engines = ["--engine", "name=a", "--engine", "name=b"];
    let usual = ["match", "--records", folder, "--size", "19", "--pairs", "1"];
    let limits = ["--plies", "2", "--time-per-move", "600"];
    let mut runner = Runner(
        command(&[&usual[..], &limits, &engines].concat())
            .spawn()
            .unwrap(),
    );
    let found = stream.next("match");
    assert_eq!(found["games_done"], 0);
    let found = stream.next("running");
    let game = &found["games"][0];
    assert_eq!((&game["number"], &game["over"]), (&json!(1), &json!(false)));
    assert_eq!(game["players"], json!(["a", "b"]));
    assert_eq!(game["line"]["moves"].as_array().unwrap().len(), 2);
    assert_eq!(server.ask("position", &game["line"])["over"], false);
    let mut later = server.stream("b");
    assert_eq!(later.next("running"), found);
    // A runner that is killed leaves its file, but no running game.
    runner.end();
    assert!(home.path().join("match/running.json").exists());
    for stream in [&mut stream, &mut later] {
        assert_eq!(stream.next("running")["games"], json!([]));
    }
}
