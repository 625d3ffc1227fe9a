//! Records of the server Abstract Play: every point of every board, whole games through every command
//! that reads them, and texts that are nearly records.

use std::fs;

use proptest::prelude::*;
use serde_json::{Value, json};
use tanada::games;
use tanada::variant::GameRecord;

use super::round_trip::game;
use crate::cli::{answers, run};

/// The boards with the variants that name them.
const BOARDS: [(usize, &[&str]); 4] = [
    (7, &[]),
    (11, &["size-11"]),
    (15, &["size-15"]),
    (19, &["size-19", "#board"]),
];
/// The letters of the columns: the server's, and those of GTP.
const SERVER: &str = "abcdefghijklmnopqrs";
const GTP: &str = "ABCDEFGHJKLMNOPQRST";

/// The start: every second point from a1, which is the second player's.
fn dense(side: usize) -> String {
    let stone = |x: usize, y: usize| match (x % 2 + y % 2, (x / 2 + y / 2) % 2) {
        (0, 0) => 'O',
        (0, _) => 'X',
        _ => '.',
    };
    let row = |y| (0..side).map(|x| stone(x, y)).collect::<String>();
    (0..side).rev().map(row).collect::<Vec<_>>().join("\n")
}

fn read(text: &str) -> Vec<GameRecord> {
    let tanbo = games::find("tanbo").unwrap();
    tanbo.read_games(text.as_bytes()).unwrap()
}

/// The moves of a record as GTP has them.
fn vertices(record: &GameRecord) -> Vec<String> {
    let table = record.start.new_game(&tanada::Params::default(), None);
    let word = |played: &tanada::RecordedMove| table.position().write_moves(&[played.mv]);
    record.moves.iter().map(word).collect()
}

/// A vertex of GTP as the server writes it.
fn server_word(vertex: &str) -> String {
    let (column, row) = vertex.split_at(1);
    let at = GTP.find(column).unwrap();
    format!("{}{row}", &SERVER[at..=at])
}

/// A game as the server publishes it: every second move is an object.
fn published(record: &GameRecord, variants: &[&str]) -> Value {
    let moves = vertices(record).into_iter().enumerate();
    let moves: Vec<Value> = moves
        .map(|(ply, vertex)| match ply % 2 {
            0 => json!(server_word(&vertex)),
            _ => json!({ "move": server_word(&vertex), "sequence": ply }),
        })
        .collect();
    json!({
        "header": {
            "game": { "name": "Tanbo", "variants": variants },
            "players": [{ "name": "Ann", "result": 1 }, { "name": "Bo", "result": 0 }],
            "date-end": "2026-06-01T10:00:00Z",
        },
        "moves": moves.chunks(2).collect::<Vec<_>>(),
    })
}

#[test]
fn every_point_of_every_board() {
    for (side, variants) in BOARDS {
        let columns = SERVER.chars().zip(GTP.chars()).take(side);
        for (server, gtp) in columns {
            for row in 1..=side {
                let game = json!({
                    "header": { "game": { "name": "Tanbo", "variants": variants } },
                    "moves": [[format!("{server}{row}")]],
                });
                let record = read(&game.to_string()).remove(0);
                assert_eq!(record.start.side(), side);
                assert_eq!(vertices(&record), [format!("{gtp}{row}")], "{side}");
            }
        }
    }
}

#[test]
fn whole_games_go_through_every_command_and_come_back_equal() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let quick = ["--iterations", "1", "--threads", "1", "--seed", "1"];
    for (number, (side, variants)) in BOARDS.into_iter().enumerate() {
        let whole = game("tanbo", &dense(side), 40, 5);
        let other = game("tanbo", &dense(side), 4, 6);
        let games = [published(&other, variants), published(&whole, variants)];
        let (source, sgf) = (
            path(&format!("{number}.json")),
            path(&format!("{number}.sgf")),
        );
        fs::write(&source, json!(games).to_string()).unwrap();
        // The second game of the collection, as it is and as SGF.
        let analyze = |file: &str, number: &str| {
            let options = ["analyze", file, "--json", "--number", number];
            run(&[&options[..], &quick].concat())
        };
        let found: Value = serde_json::from_str(&analyze(&source, "2")).unwrap();
        let moves = found["moves"].as_array().unwrap();
        let words: Vec<&str> = moves
            .iter()
            .map(|mv| mv["move"].as_str().unwrap())
            .collect();
        assert_eq!(words, vertices(&whole), "{side}");
        let commands = format!("loadsgf {source}\nprintsgf\nquit\n");
        let printed = answers(&[], &commands);
        let first = printed.split_once("(;").unwrap().1;
        fs::write(&sgf, format!("(;{first}")).unwrap();
        assert_eq!(analyze(&source, "1"), analyze(&sgf, "1"), "{side}");
        // The rounds alone, at the end of the game.
        let rounds = path(&format!("{number}-rounds.json"));
        fs::write(&rounds, games[1]["moves"].to_string()).unwrap();
        let genmove = |file: &str, more: &[&str]| {
            let text = run(&[&["genmove", file, "--json"], more, &quick[..]].concat());
            let mut found: Value = serde_json::from_str(&text).unwrap();
            found["seconds"] = Value::Null;
            found
        };
        let expected = genmove(&source, &["--number", "2"]);
        let size = side.to_string();
        if read(&games[1]["moves"].to_string())[0].start.side() == side {
            assert_eq!(genmove(&rounds, &[]), expected, "{side}");
        }
        // Openings of a match: both games of the collection.
        let opened = run(&[
            "match",
            "--size",
            &size,
            "--setup",
            "dense",
            "--openings",
            &source,
            "--pairs",
            "2",
            "--iterations",
            "1",
            "--engine",
            "name=one",
            "--engine",
            "name=other",
            "--json",
        ]);
        let report: Value = serde_json::from_str(&opened).unwrap();
        assert_eq!(report["ends"], json!({ "normal": 4 }), "{report}");
    }
}

/// Texts that are records, or were before a few of their bytes changed.
fn nearly_records() -> impl Strategy<Value = Vec<u8>> {
    let whole = game("tanbo", &dense(11), 20, 7);
    let one = published(&whole, &["size-11"]);
    let texts = [
        one.to_string(),
        json!([one, one]).to_string(),
        one["moves"].to_string(),
    ];
    let change = (
        any::<prop::sample::Index>(),
        prop::sample::select(b"\"[]{}:,019aikz\\ \xff".to_vec()),
    );
    let changes = prop::collection::vec(change, 0..6);
    (prop::sample::select(texts.to_vec()), changes).prop_map(|(text, changes)| {
        let mut bytes = text.into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    })
}

proptest! {
    #[test]
    fn any_bytes_are_a_record_or_an_error(bytes in nearly_records()) {
        let tanbo = games::find("tanbo").unwrap();
        if let Ok(found) = tanbo.read_games(&bytes) {
            for record in found {
                let moves = vertices(&record);
                let written = tanbo.records().write(record);
                let again = tanbo.read_games(written.as_bytes()).unwrap().remove(0);
                prop_assert_eq!(moves, vertices(&again));
            }
        }
    }
}
