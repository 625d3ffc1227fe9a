//! Inputs of many lines.
//!
//! With `UPDATE_GOLDEN=1` in the environment `tests/data/analysis/answers.jsonl` is rewritten.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ask, nine, options, output};
use crate::cli::command;

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

#[test]
fn the_answers_repeat_to_the_letter() {
    let questions = crate::data("analysis/questions.jsonl");
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/analysis/answers.jsonl"
    );
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        let found = sorted(output(&options(1), &questions));
        std::fs::write(path, found.join("\n") + "\n").unwrap();
    }
    let expected = crate::text("analysis/answers.jsonl");
    let expected: Vec<&str> = expected.lines().collect();
    for positions in [1, 3] {
        let found = sorted(output(&options(positions), &questions));
        assert_eq!(
            found,
            expected,
            "with {positions} positions at once:\n{}",
            found.join("\n")
        );
    }
}

/// Queries about every turn of a game, and about other games.
fn many() -> Vec<String> {
    let mut lines = Vec::new();
    for visits in [1, 7, 40] {
        for turn in 0..=4 {
            let moves = r#"[["B","C2"],["W","C8"],["B","D2"],["W","D8"]]"#;
            lines.push(nine(&format!(
                r#""moves":{moves},"analyzeTurns":[{turn}],"maxVisits":{visits}"#
            )));
        }
        for fields in [
            r#""game":"taratibu","moves":[]"#,
            r#""setup":"dense","boardXSize":7,"boardYSize":7,"moves":[]"#,
            r#""players":4,"boardXSize":19,"boardYSize":19,"moves":[]"#,
        ] {
            lines.push(super::query(&format!("{fields},\"maxVisits\":{visits}")));
        }
    }
    let name = |(number, line): (usize, String)| line.replace("\"q\"", &format!("\"{number}\""));
    lines.into_iter().enumerate().map(name).collect()
}

#[test]
fn many_at_once_are_answered_like_one_by_one() {
    let lines = many();
    let mut alone = Vec::new();
    for line in &lines {
        alone.extend(output(&options(1), line));
    }
    assert_eq!(alone.len(), lines.len());
    let alone = sorted(alone);
    assert_eq!(sorted(output(&options(4), lines.concat())), alone);
    let reversed: String = lines.iter().rev().map(String::as_str).collect();
    assert_eq!(sorted(output(&options(2), reversed)), alone);
}

#[test]
fn every_turn_gets_one_answer() {
    let moves = r#"[["B","C2"],["W","C8"],["B","D2"]]"#;
    let mut input = String::new();
    for number in 0..50 {
        let line = nine(&format!(
            r#""moves":{moves},"analyzeTurns":[3,0,2],"maxVisits":3"#
        ));
        input += &line.replace("\"q\"", &format!("\"{number}\""));
    }
    let mut found: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for answer in ask(&options(4), &input) {
        let id = answer["id"].as_str().unwrap().to_string();
        assert_eq!(answer["isDuringSearch"], false);
        assert_eq!(answer["rootInfo"]["visits"], 3);
        found
            .entry(id)
            .or_default()
            .push(answer["turnNumber"].as_u64().unwrap());
    }
    assert_eq!(found.len(), 50);
    for mut turns in found.into_values() {
        turns.sort_unstable();
        assert_eq!(turns, [0, 2, 3]);
    }
}

#[test]
fn blank_lines_and_line_ends_are_no_questions() {
    let line = nine(r#""moves":[],"maxVisits":2"#);
    let input = format!("\n  \r\n\t\n{}\r\n\n{}", line.trim_end(), line.trim_end());
    assert_eq!(ask(&options(2), input).len(), 2);
}

#[test]
fn a_line_may_be_long_but_not_longer() {
    let line = nine(r#""moves":[],"maxVisits":2"#);
    let longest = tanada::analysis::MAX_LINE;
    let fill = |length: usize| {
        let mut text = line.trim_end().to_string();
        text.push_str(&" ".repeat(length - text.len() - 1));
        text + "x"
    };
    let input = format!("{}\n{}\n{line}", fill(longest), fill(longest + 1));
    let answers = ask(&options(1), input);
    assert_eq!(answers.len(), 3);
    let error = |n: usize| answers[n]["error"].as_str().unwrap().to_string();
    assert!(error(0).contains("could not parse"), "{}", error(0));
    let text = error(1);
    assert!(
        text.ends_with("is too long: expected at most 1048576 bytes"),
        "{text}"
    );
    assert_eq!(answers[2]["rootInfo"]["visits"], 2);
}

#[test]
fn the_program_answers_and_ends() {
    use std::io::Write;
    let begin = Instant::now();
    let ran = |arguments: &[&str], input: &str| {
        let arguments = [&["analysis", "--seed", "1"], arguments].concat();
        let mut command = command(&arguments);
        let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
        let mut to = child.stdin.take().unwrap();
        to.write_all(input.as_bytes()).unwrap();
        drop(to);
        let output = child.wait_with_output().unwrap();
        let complaint = String::from_utf8(output.stderr).unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            complaint,
        )
    };
    let line = nine(r#""moves":[],"maxVisits":25"#);
    let (status, text, complaint) = ran(&["--analysis-threads", "2"], &line.repeat(3));
    assert_eq!(
        (status, text.lines().count(), &*complaint),
        (Some(0), 3, "")
    );
    let first = text.lines().next().unwrap();
    assert!(text.lines().all(|other| other == first));
    // Without `maxVisits` the limits of the program apply.
    let line = nine(r#""moves":[]"#);
    let (_, text, _) = ran(
        &["--iterations", "12", "--report-winrates-as", "white"],
        &line,
    );
    let answer: Value = serde_json::from_str(&text).unwrap();
    let root = &answer["rootInfo"];
    assert_eq!(root["visits"], 12);
    assert_eq!(root["winrate"], root["values"]["W"]);
    let endless = nine(r#""moves":[],"maxVisits":1000000000000,"overrideSettings":{"memory":16}"#);
    let (status, text, _) = ran(&["--quit-without-waiting"], &endless.repeat(3));
    assert_eq!((status, &*text), (Some(0), ""));
    for (arguments, part) in [
        (
            ["--analysis-threads", "0"],
            "invalid value `0` for `--analysis-threads`",
        ),
        (["--report-winrates-as", "red"], "invalid perspective `red`"),
        (["--threads", "x"], "invalid value `x` for `--threads`"),
    ] {
        let (status, text, complaint) = ran(&arguments, "");
        assert_eq!(
            (status, &*text, complaint.lines().count()),
            (Some(2), "", 1)
        );
        assert!(complaint.contains(part), "{complaint}");
    }
    assert!(begin.elapsed() < Duration::from_secs(60));
}

/// Arbitrary JSON that often has known names.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3i64..30).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[A-Za-z0-9(),: ]{0,4}".prop_map(Value::from),
        Just(json!([["B", "C2"], ["W", "C8"]])),
        prop::sample::select(vec![
            "B", "W", "C2", "dense", "taratibu", "resign", "BLACK", "1"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    const NAMES: [&str; 38] = [
        "action",
        "allowMoves",
        "analysisPVLen",
        "analyzeTurns",
        "avoidMoves",
        "boardXSize",
        "boardYSize",
        "firstReportDuringSearchAfter",
        "game",
        "id",
        "includeMovesOwnership",
        "includeOwnership",
        "includePVVisits",
        "includePolicy",
        "initialPlayer",
        "initialStones",
        "komi",
        "maxTime",
        "moves",
        "overrideSettings",
        "player",
        "players",
        "position",
        "preset",
        "priorities",
        "priority",
        "reportAnalysisWinratesAs",
        "rules",
        "setup",
        "terminateId",
        "time_per_move",
        "turnNumbers",
        "untilDepth",
        "iterations",
        "seed",
        "leaf",
        "odd",
        "resign",
    ];
    prop::sample::select(NAMES.to_vec()).prop_map(str::to_string)
}

/// A valid query with some fields replaced by arbitrary values.
fn broken() -> impl Strategy<Value = Value> {
    prop::collection::vec((name(), value()), 0..3).prop_map(|changes| {
        let mut object = json!({
            "id": "q",
            "boardXSize": 9,
            "boardYSize": 9,
            "moves": [["B", "C2"]],
            "maxVisits": 2,
        });
        for (name, value) in changes {
            object[name] = value;
        }
        object
    })
}

/// Options with which no query takes long.
fn quick() -> tanada::analysis::Options {
    let mut options = options(1);
    options.params.iterations = Some(2);
    options
}

/// Whether the answers to a line are one error, one echo, or an answer for each turn with warnings.
fn is_fine(answers: &[Value]) -> bool {
    let has = |answer: &&Value, name: &str| answer.get(name).is_some();
    let count = |name: &str| answers.iter().filter(|answer| has(answer, name)).count();
    let (errors, warnings, echoes) = (count("error"), count("warning"), count("action"));
    let rest = answers.len() - errors - warnings - echoes;
    match (errors, echoes, rest) {
        (1, 0, 0) => warnings == 0,
        (0, 1, 0) => warnings == 0,
        (0, 0, n) => n >= 1 && count("rootInfo") + count("noResults") == n,
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_query_is_answered_or_refused_once(mut object in broken()) {
        // A random limit could ask for more time than a test has.
        if let Some(settings) = object.get_mut("overrideSettings").and_then(Value::as_object_mut) {
            for name in ["iterations", "time_per_move", "maxTime"] {
                settings.remove(name);
            }
        }
        let answers = ask(&quick(), object.to_string());
        prop_assert!(is_fine(&answers), "{object}: {answers:?}");
    }

    #[test]
    fn any_json_is_answered_or_refused_once(object in value()) {
        let answers = ask(&quick(), object.to_string());
        prop_assert!(is_fine(&answers), "{object}: {answers:?}");
    }

    #[test]
    fn any_bytes_are_answered_once(mut line in prop::collection::vec(any::<u8>(), 1..60)) {
        line.retain(|&byte| byte != b'\n');
        let is_blank = line.trim_ascii().is_empty();
        let answers = ask(&quick(), &line);
        prop_assert_eq!(answers.len(), usize::from(!is_blank));
        prop_assert!(is_blank || answers[0].get("error").is_some());
    }
}
