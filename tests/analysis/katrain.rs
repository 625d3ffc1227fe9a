//! Answers as the `GameNode` of KaTrain 1.20 reads them.
//!
//! KaTrain shows no hints if a field is missing that it reads without a default.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{ask, options};

/// A query as KaTrain sends it for a 9x9 game.
fn query(moves: &[(&str, &str)], more: Value) -> String {
    let mut query = json!({
        "id": "QUERY:1",
        "rules": "japanese",
        "priority": 0,
        "analyzeTurns": [moves.len()],
        "maxVisits": 40,
        "komi": 6.5,
        "boardXSize": 9,
        "boardYSize": 9,
        "includeOwnership": true,
        "includeMovesOwnership": true,
        "includePolicy": true,
        "initialStones": [],
        "initialPlayer": "B",
        "moves": moves,
        "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "wideRootNoise": 0.04, "maxTime": 8.0},
        "reportDuringSearchEvery": 1,
    });
    for (name, value) in more.as_object().unwrap() {
        query[name] = value.clone();
    }
    query.to_string()
}

fn number(object: &Map<String, Value>, name: &str) -> f64 {
    let value = object.get(name).unwrap_or_else(|| panic!("no {name}"));
    value.as_f64().unwrap_or_else(|| panic!("{name}: {value}"))
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> &'a str {
    object[name].as_str().unwrap()
}

/// The order of a move that only other answers have.
const ADDITIONAL: f64 = 999.0;

/// KaTrain's data of a position.
#[derive(Default)]
struct Node {
    moves: BTreeMap<String, Map<String, Value>>,
    root: Map<String, Value>,
    policy: Vec<f64>,
}

/// A move that KaTrain shows.
#[derive(Debug)]
struct Hint {
    mv: String,
    order: f64,
    points_lost: f64,
    winrate_lost: f64,
}

impl Node {
    /// Takes over the data of a move.
    fn update(&mut self, told: &Map<String, Value>, name: &str) {
        let Some(known) = self.moves.get_mut(name) else {
            let mut all = json!({"move": name, "order": ADDITIONAL});
            let all = all.as_object_mut().unwrap();
            all.extend(told.clone());
            self.moves.insert(name.to_string(), all.clone());
            return;
        };
        let order = told
            .get("order")
            .map_or(ADDITIONAL, |n| n.as_f64().unwrap());
        let order = number(known, "order").min(order);
        known.insert("order".into(), json!(order));
        if number(known, "visits") < number(told, "visits") {
            known.extend(told.clone());
        } else {
            for (name, value) in told {
                known.entry(name).or_insert_with(|| value.clone());
            }
        }
    }

    fn read(answer: &Value) -> Self {
        let mut node = Self::default();
        for info in answer["moveInfos"].as_array().unwrap() {
            let info = info.as_object().unwrap();
            assert!(info["pv"].as_array().unwrap().iter().all(Value::is_string));
            node.update(info, text(info, "move"));
        }
        node.root = answer["rootInfo"].as_object().unwrap().clone();
        let policy = answer["policy"].as_array().unwrap().iter();
        node.policy = policy.map(|prior| prior.as_f64().unwrap()).collect();
        node
    }

    /// The moves to show, best first.
    fn hints(&self, sign: f64) -> Vec<Hint> {
        let (score, winrate) = (
            number(&self.root, "scoreLead"),
            number(&self.root, "winrate"),
        );
        let mut hints: Vec<Hint> = self
            .moves
            .values()
            .map(|info| {
                assert!(number(info, "visits") >= 0.0);
                Hint {
                    mv: text(info, "move").to_string(),
                    order: number(info, "order"),
                    points_lost: sign * (score - number(info, "scoreLead")),
                    winrate_lost: sign * (winrate - number(info, "winrate")),
                }
            })
            .collect();
        hints.sort_by(|a, b| {
            (a.order, a.points_lost)
                .partial_cmp(&(b.order, b.points_lost))
                .unwrap()
        });
        hints
    }
}

/// The answer, and the fields with warnings.
fn answer(line: &str) -> (Value, Vec<String>) {
    let mut answers = ask(&options(1), line);
    let last = answers.pop().unwrap();
    assert!(last.get("error").is_none(), "{last}");
    assert_eq!(last["isDuringSearch"], false);
    let fields = answers
        .iter()
        .filter(|answer| answer.get("warning").is_some());
    let fields = fields.map(|answer| answer["field"].as_str().unwrap().to_string());
    (last, fields.collect())
}

#[test]
fn katrain_shows_hints() {
    let played = [("B", "C2"), ("W", "C8")];
    let mut parent: Option<Node> = None;
    for count in 0..=played.len() {
        let (answer, mut warned) = answer(&query(&played[..count], json!({})));
        warned.sort();
        let expected = [
            "includeMovesOwnership",
            "includeOwnership",
            "overrideSettings",
            "rules",
        ];
        assert_eq!(warned, expected);
        let node = Node::read(&answer);
        assert_eq!(node.policy.len(), 9 * 9 + 1);
        assert!(answer.get("ownership").is_none());
        let sign = if count % 2 == 0 { 1.0 } else { -1.0 };
        let hints = node.hints(sign);
        assert!(hints.len() > 1, "{hints:?}");
        assert_eq!(hints[0].order, 0.0);
        // Tanbo has no score.
        assert!(
            hints.iter().all(|hint| hint.points_lost == 0.0),
            "{hints:?}"
        );
        assert!(hints.iter().all(|hint| hint.winrate_lost.abs() < 1.0));
        for info in node.moves.values().chain([&node.root]) {
            assert_eq!(number(info, "scoreStdev"), 0.0);
        }
        // A move is compared with the score of its parent.
        if let Some(mut parent) = parent.take() {
            let (_, mv) = played[count - 1];
            let before = number(&parent.root, "scoreLead");
            parent.update(&node.root, mv);
            assert_eq!(before - number(&node.root, "scoreLead"), 0.0);
            let hints = parent.hints(-sign);
            assert!(hints.iter().any(|hint| hint.mv == mv), "{hints:?}");
        }
        parent = Some(node);
    }
}

#[test]
fn katrain_looks_for_alternatives_and_reads_a_finished_game() {
    let (first, _) = answer(&query(&[], json!({})));
    let known: Vec<&Value> = first["moveInfos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|info| &info["move"])
        .take(2)
        .collect();
    let avoided = json!([{"moves": known, "player": "B", "untilDepth": 1}]);
    let (other, _) = answer(&query(&[], json!({"avoidMoves": avoided})));
    let found = super::moves(&other);
    assert!(!found.is_empty() && !found.iter().any(|mv| known.contains(&&json!(mv))));

    // A finished game has no move to show, but all data of the position.
    let (end, _) = answer(&query(&[("B", "resign")], json!({})));
    assert_eq!(end["moveInfos"], json!([]));
    let node = Node::read(&end);
    assert!(node.hints(1.0).is_empty());
    assert_eq!(number(&node.root, "winrate"), 0.0);
    assert_eq!(number(&node.root, "visits"), 0.0);
    assert_eq!(node.policy.len(), 9 * 9 + 1);
}
