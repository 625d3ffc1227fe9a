//! A match that is followed while it is played.

use serde_json::json;

use super::Server;
use crate::cli::run;

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
