//! Files, and commands that answer at once.

use serde_json::json;

use super::{Server, head, line};

#[test]
fn files_are_served_with_strict_headers() {
    let server = Server::start(&[]);
    let answer = server.get("/");
    assert_eq!(answer.status, 200);
    assert!(answer.text().starts_with("<!doctype html>"));
    for (name, part) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-cache"),
        ("content-security-policy", "default-src 'none'"),
        ("content-security-policy", "script-src 'self';"),
        ("content-security-policy", "frame-ancestors 'none'"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        let found = answer.head.header(name);
        assert!(found.contains(part), "{name}: {found}");
        assert!(!found.contains("unsafe"));
    }
    assert_eq!(answer.body, server.get("/index.html").body);
    assert_eq!(answer.body, server.get("/?token=0").body);
    let host = format!("Host: {}", server.address);
    let known = format!("If-None-Match: {}", answer.head.header("etag"));
    let again = server.raw(head("GET /", &[&host, &known]));
    assert_eq!((again.status, again.body.len()), (304, 0));
    for name in ["/board.js", "/board.css", "/main.js", "/vendor/preact.js"] {
        let answer = server.get(name);
        assert_eq!(answer.status, 200, "{name}");
        assert!(
            !answer.head.header("content-type").contains("plain"),
            "{name}"
        );
    }
    let answer = server.raw(head("POST /", &[&host, "Content-Length: 0"]));
    assert_eq!(answer.refusal().0, 405);
}

#[test]
fn positions_and_replays_are_told() {
    let server = Server::start(&[]);
    let catalog = server.ask("catalog", &json!({}));
    assert_eq!(catalog["version"], env!("CARGO_PKG_VERSION"));
    let games = catalog["games"].as_array().unwrap();
    assert_eq!(
        (&games[0]["name"], &games[1]["name"]),
        (&json!("tanbo"), &json!("taratibu"))
    );
    let position = server.ask("position", &line(&["c2", "B7"]));
    assert_eq!(position["line"]["moves"], json!(["C2", "B7"]));
    assert_eq!(
        position["line"]["start"],
        json!({"size": 9, "setup": "classic", "players": 2})
    );
    assert_eq!(
        position["change"],
        json!({"move": "B7", "player": 1, "to": 19})
    );
    assert_eq!(
        (&position["number"], &position["to_move"], &position["over"]),
        (&json!(2), &json!(0), &json!(false))
    );
    assert!(position["legal"].as_array().unwrap().len() > 5);
    assert_eq!(position["spaces"].as_array().unwrap().len(), 4);
    // What a position says of itself can be sent back.
    let text = json!({"start": {"text": position["text"]}});
    let again = server.ask("position", &text);
    assert_eq!(
        (&again["rows"], &again["legal"]),
        (&position["rows"], &position["legal"])
    );
    let replay = server.ask("replay", &line(&["C2", "B7"]));
    let positions = replay["positions"].as_array().unwrap();
    assert_eq!(positions.len(), 3);
    assert_eq!(positions[2]["rows"], position["rows"]);
    assert_eq!(positions[0]["change"], json!(null));
    let four = json!({"start": {"size": 9, "players": 4}});
    let four = server.ask("position", &four);
    assert_eq!(four["players"], json!(["black", "white", "red", "green"]));
    assert_eq!(four["board"]["pieces"].as_array().unwrap().len(), 4);
    let turns = server.ask("position", &json!({"game": "taratibu"}));
    assert_eq!(turns["turn"], "turn 1, 1 step left");
    assert_eq!(turns["board"]["pieces"].as_array().unwrap().len(), 20);
    let step = turns["legal"][0]["move"].clone();
    let turns = server.ask("position", &json!({"game": "taratibu", "moves": [step]}));
    assert_eq!(
        (&turns["turn"], &turns["to_move"]),
        (&json!("turn 2, 2 steps left"), &json!(1))
    );
    assert!(turns["change"]["from"].is_u64());
}

#[test]
fn refused_moves_name_the_rule() {
    let server = Server::start(&[]);
    let why = |to: usize| server.ask("why", &json!({"line": line(&[]), "to": to}));
    let middle = why(40);
    assert_eq!(
        (&middle["legal"], &middle["rule"]),
        (&json!(false), &json!("no-stone"))
    );
    assert_eq!(why(65)["legal"], true);
    let why = json!({"line": {"game": "taratibu"}, "to": 0, "from": 24});
    assert_eq!(server.ask("why", &why)["rule"], "no-piece");
    let beyond = json!({"line": line(&[]), "to": 81});
    assert_eq!(server.refusal("why", &beyond).0, 422);
}

#[test]
fn games_are_saved_and_opened() {
    let server = Server::start(&[]);
    let tree = json!([
        {"parent": null, "move": null, "comment": null},
        {"parent": 0, "move": "C2", "comment": "The start."},
        {"parent": 1, "move": "B7", "comment": null},
        {"parent": 1, "move": "C8", "comment": null},
    ]);
    let asked = json!({"line": line(&[]), "tree": tree, "format": "record",
        "header": {"players": ["Ann", "Bob"], "date": "2026-02-03"}});
    let saved = server.ask("save", &asked);
    assert_eq!(saved["extension"], "sgf");
    let text = saved["text"].as_str().unwrap();
    assert!(text.starts_with("(;") && text.contains("PB[Ann]"), "{text}");
    use base64::Engine as _;
    let base64 = base64::prelude::BASE64_STANDARD.encode(text);
    let opened = server.ask("open", &json!({"base64": base64}));
    let game = &opened["games"][0];
    assert_eq!(
        (&game["tree"], &game["line"]["moves"]),
        (&tree, &json!(["C2", "B7"]))
    );
    assert_eq!(game["header"]["players"], json!(["Ann", "Bob"]));
}
