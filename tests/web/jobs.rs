//! What pages have computed, and who has an engine.

use std::io::{BufReader, Write};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Server, line};

fn analyze(server: &Server, page: &str, id: u64, moves: &[&str]) {
    let asked = json!({"page": page, "id": id, "line": line(moves), "best": 3});
    assert_eq!(server.ask("analyze", &asked), json!({}));
}

#[test]
fn an_analysis_reports_until_it_is_replaced_or_stopped() {
    let server = Server::start(&["--threads", "1"]);
    let mut stream = server.stream("a");
    analyze(&server, "a", 1, &[]);
    let first = stream.next("analysis");
    assert_eq!(
        (&first["id"], &first["done"], &first["reason"]),
        (&json!(1), &json!(false), &json!(null))
    );
    let later = stream.next("analysis");
    assert!(later["iterations"].as_u64() > first["iterations"].as_u64());
    let values: f64 = later["values"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_f64)
        .sum();
    assert!((values - 1.0).abs() < 0.01);
    let best = &later["best"][0];
    assert!(best["visits"].as_u64() > Some(0) && best["line"][0]["move"] == best["move"]);
    analyze(&server, "a", 2, &["C2"]);
    let other = loop {
        let found = stream.next("analysis");
        if found["id"] == 2 {
            break found;
        }
    };
    assert_eq!(other["best"].as_array().unwrap().len(), 3);
    // What is threatened: the other side to move.
    let asked = json!({"page": "a", "id": 3, "line": line(&[]), "threat": true});
    server.ask("analyze", &asked);
    let threat = loop {
        let found = stream.next("analysis");
        if found["id"] == 3 {
            break found;
        }
    };
    assert_eq!(threat["best"][0]["line"][0]["player"], 1);
    server.ask("stop", &json!({"page": "a"}));
    // An event that was on its way may still come.
    stream.within(Duration::from_millis(300));
    assert!(stream.within(Duration::from_millis(700)).is_empty());
    for wrong in [
        json!({"page": "b", "id": 1, "line": {}}),
        json!({"page": "", "id": 1, "line": {}}),
    ] {
        assert_eq!(server.refusal("analyze", &wrong).0, 409);
    }
    for wrong in [
        json!({"page": "a", "id": 1}),
        json!({"page": "a", "line": {}}),
        json!({"page": "a", "id": -1, "line": {}}),
        json!({"page": "a", "id": 1, "line": {}, "best": 0}),
        json!({"page": "a", "id": 1, "line": {}, "speed": 1}),
        json!({"page": "a", "id": 1, "line": line(&["A1"])}),
        json!({"page": "a", "id": 1, "line": {"start": {"size": 9, "players": 3}}, "threat": true}),
    ] {
        assert_eq!(server.refusal("analyze", &wrong).0, 422, "{wrong}");
    }
    stream.wait_for_ping();
}

#[test]
fn a_proven_position_ends_an_analysis_and_so_does_a_full_tree() {
    let server = Server::start(&["--threads", "1", "--memory", "4"]);
    let mut stream = server.stream("a");
    let small = json!({"start": {"text": "X...\n....\n....\n...O"}});
    server.ask("analyze", &json!({"page": "a", "id": 1, "line": small}));
    let last = last_analysis(&mut stream);
    assert_eq!(
        (&last["exact"], &last["reason"]),
        (&json!(true), &json!("proven"))
    );
    analyze(&server, "a", 2, &[]);
    assert_eq!(last_analysis(&mut stream)["reason"], "memory");
}

fn last_analysis(stream: &mut super::Stream) -> Value {
    loop {
        let found = stream.next("analysis");
        if found["done"] == true {
            return found;
        }
    }
}

#[test]
fn moves_are_found_at_a_level_and_on_a_clock() {
    let server = Server::start(&["--threads", "1"]);
    let mut stream = server.stream("a");
    let ask = |more: Value| {
        let mut asked = json!({"page": "a", "id": 1, "line": line(&[])});
        asked
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        asked
    };
    server.ask("genmove", &ask(json!({"level": "easy"})));
    let found = stream.next("move");
    let moves = found["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 1);
    server.ask("position", &line(&[moves[0].as_str().unwrap()]));
    let clock = json!({"main": 60, "increment": 0, "left": 2});
    server.ask("genmove", &ask(json!({"level": "full", "clock": clock})));
    let found = stream.next("move");
    assert!(found["seconds"].as_f64().unwrap() < 2.0, "{found}");
    server.ask("genmove", &ask(json!({"level": "full", "seconds": 0.05})));
    assert!(stream.next("move")["value"].is_f64());
    // A turn of several moves comes as one.
    let turns = server.ask("position", &json!({"game": "taratibu"}));
    let begun = json!({"game": "taratibu", "moves": [turns["legal"][0]["move"]]});
    server.ask(
        "genmove",
        &json!({"page": "a", "id": 2, "line": begun, "level": "easy"}),
    );
    assert_eq!(stream.next("move")["moves"].as_array().unwrap().len(), 2);
    for wrong in [
        json!({"level": "best"}),
        json!({"level": "/etc/passwd"}),
        json!({"seconds": -1}),
        json!({"seconds": 1e300}),
        json!({"clock": {"main": -1, "left": 1}}),
        json!({"clock": {"left": 1}}),
    ] {
        assert_eq!(
            server.refusal("genmove", &ask(wrong.clone())).0,
            422,
            "{wrong}"
        );
    }
}

#[test]
fn a_game_is_reviewed_in_the_background() {
    let server = Server::start(&["--threads", "1"]);
    let mut stream = server.stream("a");
    let asked = json!({"page": "a", "id": 5, "line": line(&["C2", "B7"]), "iterations": 20,
        "comments": ["good", null], "header": {"event": "Club"}});
    server.ask("review", &asked);
    let progress = stream.next("progress");
    assert_eq!((&progress["id"], &progress["all"]), (&json!(5), &json!(3)));
    let found = stream.next("review");
    let review = &found["review"];
    assert_eq!(
        (&review["event"], &review["moves"][0]["comment"]),
        (&json!("Club"), &json!("good"))
    );
    assert_eq!(review["positions"].as_array().unwrap().len(), 3);
    assert_eq!(review["search"]["iterations"], 20);
    for wrong in [
        json!({"page": "a", "id": 1, "line": {}, "iterations": 0}),
        json!({"page": "a", "id": 1, "line": {}, "seconds": 0}),
        json!({"page": "a", "id": 1, "line": {}, "seconds": 1e9}),
        json!({"page": "a", "id": 1, "line": {}, "header": {"players": [null, null, null]}}),
    ] {
        assert_eq!(server.refusal("review", &wrong).0, 422, "{wrong}");
    }
    // Another job ends a review.
    let long = json!({"page": "a", "id": 6, "line": line(&["C2", "B7"]), "seconds": 1000});
    server.ask("review", &long);
    stream.next("progress");
    analyze(&server, "a", 7, &[]);
    assert_eq!(stream.next("analysis")["id"], 7);
}

#[test]
fn the_least_recently_used_engine_goes_to_sleep() {
    let server = Server::start(&["--threads", "1", "--engines", "2"]);
    let mut streams = ["a", "b", "c"].map(|page| server.stream(page));
    for (number, page) in ["a", "b"].into_iter().enumerate() {
        analyze(&server, page, number as u64, &[]);
        streams[number].next("analysis");
    }
    analyze(&server, "c", 2, &[]);
    assert_eq!(streams[2].next("analysis")["id"], 2);
    assert_eq!(streams[0].next("asleep"), json!({"id": 0}));
    assert_eq!(streams[1].next("analysis")["id"], 1);
    // Sending the job again wakes it, and now the second one has to go.
    analyze(&server, "a", 9, &[]);
    assert_eq!(streams[0].next("analysis")["id"], 9);
    assert_eq!(streams[1].next("asleep"), json!({"id": 1}));
    // An engine without a job goes first.
    server.ask("stop", &json!({"page": "a"}));
    analyze(&server, "b", 10, &[]);
    assert_eq!(streams[1].next("analysis")["id"], 10);
    let others = streams[2].within(Duration::from_millis(500));
    assert!(others.iter().all(|(name, _)| name == "analysis"));
}

#[test]
fn free_memory_is_lent_and_given_back() {
    let iterations = |arguments: &[&str]| {
        let server = Server::start(&[&["--threads", "1", "--seed", "1"], arguments].concat());
        let mut stream = server.stream("a");
        analyze(&server, "a", 1, &[]);
        let last = last_analysis(&mut stream);
        assert_eq!(last["reason"], "memory");
        last["iterations"].as_u64().unwrap()
    };
    let part = iterations(&["--engines", "1", "--memory", "2"]);
    let all = iterations(&["--engines", "4", "--memory", "8"]);
    // With its own part alone it would make as many as `part`; with all four, as many as `whole`.
    let whole = iterations(&["--engines", "1", "--memory", "8"]);
    assert!(all > 2 * part, "{all} and {part}");
    assert!(5 * all > 4 * whole, "{all} and {whole}");

    // A second page takes its part; the analysis of the first begins again with what is left.
    let server = Server::start(&["--threads", "1", "--engines", "2", "--memory", "2000"]);
    let mut first = server.stream("a");
    analyze(&server, "a", 1, &[]);
    let seconds = |event: &Value| event["seconds"].as_f64().unwrap();
    while seconds(&first.next("analysis")) < 0.5 {}
    let mut second = server.stream("b");
    analyze(&server, "b", 2, &[]);
    assert_eq!(second.next("analysis")["id"], 2);
    let events = first.within(Duration::from_secs(2));
    assert!(events.iter().all(|(name, _)| name == "analysis"));
    assert!(events.iter().all(|(_, found)| found["id"] == 1));
    assert!(events.iter().any(|(_, found)| seconds(found) < 0.5));
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_page_frees_its_engine() {
    let server = Server::start(&["--threads", "2"]);
    let mut stream = server.stream("a");
    analyze(&server, "a", 1, &[]);
    stream.next("analysis");
    assert!(server.processor_time() > Duration::ZERO);
    drop(stream);
    let idle = server.wait_until_idle();
    // Two seconds are promised; a busy machine gets some more.
    assert!(idle < Duration::from_secs(10), "{idle:?}");
    assert_eq!(server.refusal("stop", &json!({"page": "a"})).0, 409);
}

/// A page that is open but reads nothing does not keep an engine at work.
#[cfg(target_os = "linux")]
#[test]
fn a_page_that_does_not_read_frees_its_engine() {
    let server = Server::start(&["--threads", "1"]);
    let stalled = server.stream("a");
    let asked = json!({"page": "a", "id": 1, "line": {"start": {"size": 19}}, "best": 400});
    server.ask("analyze", &asked);
    server.wait_until_idle();
    drop(stalled);
}

#[test]
fn commands_answer_while_analyses_run() {
    let server = Server::start(&[]);
    let mut stream = server.stream("a");
    analyze(&server, "a", 1, &[]);
    stream.next("analysis");
    let mut connection = server.connect();
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let body = line(&["C2", "B7"]).to_string();
    let length = format!("Content-Length: {}", body.len());
    let request = server.head(
        "POST /api/position",
        &["Content-Type: application/json", &length],
    );
    for _ in 0..100 {
        connection
            .write_all((request.clone() + &body).as_bytes())
            .unwrap();
        let answer = super::client::Answer::read(&mut reader).unwrap();
        assert_eq!(answer.status, 200);
    }
    assert_eq!(stream.next("analysis")["id"], 1);
}
