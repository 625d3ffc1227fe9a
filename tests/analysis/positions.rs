//! The content of the answers.

use serde_json::Value;
use tanada::analysis::Perspective;
use tanada::engine::Engine;
use tanada::params::Params;
use tanada::search::SearchLimits;
use tanada::start::Configuration;

use super::{ask, moves, nine, one, options, query};

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn the_moves_are_those_of_a_search() {
    let answer = one(&nine(
        r#""moves":[["B","C2"]],"maxVisits":300,"includePVVisits":true,"analysisPVLen":2"#,
    ));
    let root = &answer["rootInfo"];
    assert_eq!(
        (&answer["id"], &answer["turnNumber"]),
        (&Value::from("q"), &Value::from(1))
    );
    assert_eq!(
        (&root["currentPlayer"], &root["visits"]),
        (&Value::from("W"), &Value::from(300))
    );
    assert_eq!(root["winrate"], root["values"]["W"]);
    let sum = number(&root["values"]["B"]) + number(&root["values"]["W"]);
    assert!((sum - 1.0).abs() < 1e-5, "{root}");
    let infos = answer["moveInfos"].as_array().unwrap();
    let visits: u64 = infos
        .iter()
        .map(|info| info["visits"].as_u64().unwrap())
        .sum();
    assert_eq!(visits, 299, "the first visit is the root's own");
    for (order, info) in infos.iter().enumerate() {
        assert_eq!(info["order"], order);
        let (winrate, lcb) = (number(&info["winrate"]), number(&info["lcb"]));
        assert!(
            (0.0..=1.0).contains(&winrate) && (0.0..winrate).contains(&lcb),
            "{info}"
        );
        assert!((0.0..=1.0).contains(&number(&info["prior"])));
        let (pv, counts) = (
            info["pv"].as_array().unwrap(),
            info["pvVisits"].as_array().unwrap(),
        );
        assert_eq!((&pv[0], &counts[0]), (&info["move"], &info["visits"]));
        assert!(pv.len() == counts.len() && pv.len() <= 3);
    }
    let best = &infos[0];
    assert!(
        infos
            .iter()
            .all(|info| number(&info["visits"]) <= number(&best["visits"])
                || number(&info["lcb"]) <= number(&best["lcb"]))
    );
    let mut engine = {
        let configuration = Configuration::new(Some(9), None, None).unwrap();
        let params = Params {
            threads: 1,
            ..Params::default()
        };
        Engine::new(configuration.start().clone(), params)
    };
    engine.play_word(engine.to_move(), "C2").unwrap();
    let searched = engine.search(&SearchLimits::of_iterations(300), &|| false);
    let legal: Vec<String> = searched
        .moves
        .iter()
        .map(|found| engine.name(found.mv))
        .collect();
    assert!(
        moves(&answer)
            .iter()
            .all(|name| legal.contains(&name.to_string()))
    );
}

#[test]
fn one_visit_names_one_move() {
    let answer = one(&nine(r#""moves":[],"maxVisits":1"#));
    assert_eq!(moves(&answer).len(), 1);
    assert_eq!(answer["moveInfos"][0]["visits"], 0);
    assert_eq!(answer["moveInfos"][0]["lcb"], 0.0);
}

#[test]
fn winning_chances_are_told_from_the_view_that_was_asked_for() {
    let line = nine(r#""moves":[["B","C2"]],"maxVisits":60"#);
    let own = one(&line);
    let told = |perspective, line: &str| {
        let mut options = options(1);
        options.perspective = perspective;
        ask(&options, line).remove(0)
    };
    assert_eq!(told(Perspective::White, &line), own);
    let black = told(Perspective::Black, &line);
    let setting = r#""maxVisits":60,"overrideSettings":{"reportAnalysisWinratesAs":"B"}"#;
    assert_eq!(one(&line.replace(r#""maxVisits":60"#, setting)), black);
    let pairs = own["moveInfos"].as_array().unwrap().iter();
    let pairs = pairs.zip(black["moveInfos"].as_array().unwrap());
    for (own, other) in pairs.chain([(&own["rootInfo"], &black["rootInfo"])]) {
        for name in ["winrate", "lcb"] {
            if let (Some(own), Some(other)) = (own[name].as_f64(), other[name].as_f64()) {
                assert!((own + other - 1.0).abs() < 2e-6, "{own} {other}");
            }
        }
        assert_eq!(own["prior"], other["prior"]);
    }
    assert_eq!(own["rootInfo"]["values"], black["rootInfo"]["values"]);
}

#[test]
fn priors_are_told_by_point() {
    let answer = one(&nine(
        r#""moves":[["B","C2"]],"maxVisits":2000,"includePolicy":true"#,
    ));
    let policy = answer["policy"].as_array().unwrap();
    assert_eq!((policy.len(), &policy[81]), (82, &Value::from(-1)));
    let at = |name: &str| {
        let column = "ABCDEFGHJ".find(&name[..1]).unwrap();
        let row: usize = name[1..].parse().unwrap();
        &policy[(9 - row) * 9 + column]
    };
    let infos = answer["moveInfos"].as_array().unwrap();
    for info in infos {
        assert_eq!(*at(info["move"].as_str().unwrap()), info["prior"]);
    }
    let legal = policy.iter().filter(|prior| number(prior) >= 0.0).count();
    assert_eq!(legal, 8);
    assert!(infos.len() > 1 && infos.len() <= legal);
    let sum: f64 = policy.iter().map(number).filter(|p| *p >= 0.0).sum();
    assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    // Without priors the initial values take their place.
    for (preset, given, absent) in [
        ("network", "prior", "initialValue"),
        ("linear", "initialValue", "prior"),
    ] {
        let steps = one(&query(
            &format!(
                r#""game":"taratibu","moves":[],"maxVisits":900,"includePolicy":true,
            "overrideSettings":{{"preset":"{preset}"}}"#,
            )
            .replace('\n', ""),
        ));
        let policy = steps["policy"].as_object().unwrap();
        for info in steps["moveInfos"].as_array().unwrap() {
            assert_eq!(policy[info["move"].as_str().unwrap()], info[given]);
            assert_eq!(info[absent], Value::Null);
        }
    }
}

#[test]
fn the_root_can_be_bound() {
    let searched = |moves: &str, fields: &str| {
        // The linear evaluation visits every move early.
        let every = r#""overrideSettings":{"preset":"linear"}"#;
        let line = nine(&format!(
            "\"moves\":{moves},\"maxVisits\":200,{every},{fields}"
        ));
        let mut answers = ask(&options(1), &line);
        assert_eq!(answers.len(), 1, "{answers:?}");
        let answer = answers.remove(0);
        let mut names: Vec<String> = super::moves(&answer)
            .iter()
            .map(|m| m.to_string())
            .collect();
        names.sort();
        names
    };
    let only = r#""allowMoves":[{"player":"B","moves":["C2","(7,0)","E5"],"untilDepth":1}]"#;
    assert_eq!(searched("[]", only), ["C2", "H9"]);
    // White is to move, so the restriction of Black has no effect.
    assert_eq!(searched(r#"[["B","C2"]]"#, only).len(), 8);
    let without = r#""avoidMoves":[{"player":"B","moves":["C2","B3"],"untilDepth":1},
        {"player":"B","moves":["H9"],"untilDepth":1},
        {"player":"W","moves":["G8"],"untilDepth":1}]"#;
    let left = searched("[]", &without.replace('\n', " "));
    assert_eq!(left, ["A2", "B1", "G8", "H7", "J8"]);
}

#[test]
fn positions_come_as_stones_setups_and_texts() {
    let stones = r#"[["B","B2"],["B","H8"],["W","b8"],["W","(7,7)"]]"#;
    let by = |fields: &str| {
        let answer = one(&nine(&format!("\"moves\":[],\"maxVisits\":30,{fields}")));
        assert!(answer.get("error").is_none(), "{answer}");
        answer
    };
    let built_in = by(r#""setup":"classic""#);
    assert_eq!(by(&format!("\"initialStones\":{stones}")), built_in);
    assert_eq!(by(r#""initialStones":[]"#), built_in);
    let rows =
        "........./.O.....X./........./........./........./........./........./.X.....O./.........";
    assert_eq!(by(&format!("\"position\":\"{rows}\"")), built_in);
    let white = by(r#""initialPlayer":"white""#);
    assert_eq!(white["rootInfo"]["currentPlayer"], "W");
    let moved = one(&nine(
        r#""moves":[["W","C8"]],"analyzeTurns":[0],"maxVisits":30"#,
    ));
    assert_eq!(moved, white);
    let crossed = by(r#""initialStones":[["W","B2"],["W","H8"],["R","B8"],["R","H2"]]"#);
    assert_eq!(crossed["rootInfo"]["currentPlayer"], "W");
    assert_eq!(crossed["rootInfo"]["values"].as_object().unwrap().len(), 2);
}

#[test]
fn hashes_tell_positions_apart() {
    let hashes = |fields: &str| {
        let answer = one(&nine(&format!("\"maxVisits\":1,{fields}")));
        let root = &answer["rootInfo"];
        let text = |name: &str| root[name].as_str().unwrap().to_string();
        (text("thisHash"), text("symHash"))
    };
    let start = hashes(r#""moves":[]"#);
    let left = hashes(r#""moves":[["B","B3"]]"#);
    let below = hashes(r#""moves":[["B","C2"]]"#);
    let other_way = hashes(r#""moves":[["B","C2"],["W","C8"],["B","D2"]]"#);
    let one_way = hashes(r#""moves":[["B","C2"],["W","C8"],["B","D2"]]"#);
    assert_eq!(one_way, other_way);
    assert_ne!(left.0, below.0);
    assert_eq!(left.1, below.1);
    assert!(start != left && start.1 != left.1);
    assert_ne!(hashes(r#""moves":[],"initialPlayer":"W""#), start);
    assert_eq!((start.0.len(), start.1.len()), (16, 16));
}

/// The moves of a game on 5x5 that White wins whatever Black does next.
fn decided() -> String {
    let words = "A2 E2 A3 E3 B1 D3 C1 C3 D1 B3 D5 B4 A4 B5 C5 A5";
    let pairs = words.split(' ').zip(["B", "W"].into_iter().cycle());
    let pairs: Vec<[&str; 2]> = pairs.map(|(word, colour)| [colour, word]).collect();
    serde_json::to_string(&pairs).unwrap()
}

#[test]
fn exact_results_are_told_as_such() {
    let list = decided();
    let line = query(&format!(
        "\"boardXSize\":5,\"boardYSize\":5,\"moves\":{list},\"analyzeTurns\":[15,16],\"maxVisits\":20000"
    ));
    let mut answers = ask(&options(1), line);
    answers.sort_by_key(|answer| answer["turnNumber"].as_u64());
    for (answer, (mover, won)) in answers.iter().zip([("W", 1.0), ("B", 0.0)]) {
        let root = &answer["rootInfo"];
        assert_eq!(
            (&root["currentPlayer"], &root["proof"]),
            (&Value::from(mover), &Value::from("W"))
        );
        assert_eq!(
            (number(&root["winrate"]), number(&root["values"]["W"])),
            (won, 1.0)
        );
        assert!(root["visits"].as_u64().unwrap() < 20_000);
        let best = &answer["moveInfos"][0];
        assert_eq!(best["proof"], "W");
        assert_eq!((number(&best["winrate"]), number(&best["lcb"])), (won, won));
    }
}

#[test]
fn what_was_left_out_may_be_better_than_what_is_lost() {
    let list = decided();
    let by = |fields: &str| {
        one(&query(&format!(
            "\"boardXSize\":5,\"boardYSize\":5,\"moves\":{list},\"maxVisits\":2000{fields}"
        )))
    };
    let free = by("");
    assert_eq!(free["rootInfo"]["proof"], "W");
    let first = free["moveInfos"][0]["move"].as_str().unwrap();
    let bound = |name: &str, list: &str| {
        by(&format!(
            ",\"{name}\":[{{\"player\":\"B\",\"moves\":[{list}],\"untilDepth\":1}}]"
        ))
    };
    let one_move = bound("allowMoves", &format!("\"{first}\""));
    assert_eq!(one_move["moveInfos"][0]["proof"], "W");
    assert_eq!(one_move["rootInfo"].get("proof"), None, "{one_move}");
    // A restriction without effect changes nothing.
    assert_eq!(bound("avoidMoves", "\"A2\""), free);
}

#[test]
fn a_finished_game_has_a_winner_and_no_moves() {
    let answer = one(&nine(r#""moves":[["B","C2"],["W","resign"]]"#));
    assert_eq!(moves(&answer).len(), 0);
    let root = &answer["rootInfo"];
    assert_eq!(
        (&root["proof"], &root["winrate"]),
        (&Value::from("B"), &Value::from(1.0))
    );
    assert_eq!(
        (&root["currentPlayer"], &root["visits"]),
        (&Value::from("B"), &Value::from(0))
    );
    assert_eq!(root["values"]["W"], 0.0);
}

#[test]
fn turns_of_several_steps_are_one_entry() {
    let line = query(
        r#""game":"taratibu","moves":[["W","4142"],["B","4746-4645"],["W","4243"],["W","4353-5363"]],
        "analyzeTurns":[0,1,2,3,4],"maxVisits":15"#,
    );
    let mut answers = ask(&options(1), line.replace('\n', " "));
    answers.sort_by_key(|answer| answer["turnNumber"].as_u64());
    let movers: Vec<&str> = answers
        .iter()
        .map(|answer| answer["rootInfo"]["currentPlayer"].as_str().unwrap())
        .collect();
    assert_eq!(movers, ["W", "B", "W", "W", "B"], "{answers:?}");
    for answer in &answers {
        assert!(moves(answer).iter().all(|step| step.len() == 4), "{answer}");
        assert!(answer["rootInfo"].get("symHash").is_none());
    }
}

#[test]
fn four_players_have_a_value_each() {
    let line = query(
        r#""boardXSize":19,"boardYSize":19,"players":4,
        "moves":[["B","G6"],["W","O1"],["R","resign"],["G","B1"]],"analyzeTurns":[0,2,4],"maxVisits":40"#,
    );
    let mut answers = ask(&options(1), line.replace('\n', " "));
    answers.sort_by_key(|answer| answer["turnNumber"].as_u64());
    let movers: Vec<&str> = answers
        .iter()
        .map(|answer| {
            answer["rootInfo"]["currentPlayer"]
                .as_str()
                .unwrap_or_else(|| panic!("{answer}"))
        })
        .collect();
    assert_eq!(movers, ["B", "R", "B"]);
    for answer in &answers {
        let root = &answer["rootInfo"];
        let values = root["values"].as_object().unwrap();
        assert_eq!(values.keys().collect::<Vec<_>>(), ["B", "G", "R", "W"]);
        let sum: f64 = values.values().map(number).sum();
        assert!((sum - 1.0).abs() < 0.01, "{root}");
        assert_eq!(
            root["winrate"],
            values[root["currentPlayer"].as_str().unwrap()]
        );
    }
    assert_eq!(answers[2]["rootInfo"]["values"]["R"], 0.0);
    let mut options = options(1);
    options.perspective = Perspective::Black;
    let line = query(r#""boardXSize":19,"boardYSize":19,"players":4,"moves":[],"maxVisits":5"#);
    let answers = ask(&options, line);
    assert_eq!(answers[0]["field"], "reportAnalysisWinratesAs");
    assert_eq!(answers[1]["rootInfo"]["visits"], 5);
}
