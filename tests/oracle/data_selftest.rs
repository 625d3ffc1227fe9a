//! The perft tables and the wrong diagrams, checked with the oracle alone.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Board, Refusal};

/// Longer tables are checked up to this many leaves.
const LEAVES: u64 = 13_000;

fn folder(name: &str) -> String {
    format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The names of the `.txt` files in a folder.
fn files(folder: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|e| e.unwrap().file_name().into_string().unwrap());
    names.filter(|n| n.ends_with(".txt")).collect()
}

#[test]
fn perft_tables_are_the_oracles() {
    let folder = folder("perft");
    let mut setups = 0;
    for file in files(&folder) {
        let text = std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
        let line = text.lines().find(|l| !l.starts_with('#')).unwrap();
        let fields: Vec<&str> = line.split(' ').collect();
        let size: i32 = fields[0].parse().unwrap();
        let players: usize = fields[2].parse().unwrap();
        let board = if fields[1].ends_with(".txt") {
            let text = std::fs::read_to_string(format!("{folder}/{}", fields[1])).unwrap();
            Board::parse(&text).unwrap()
        } else {
            setups += 1;
            Board::setup(fields[1], size, players).unwrap()
        };
        assert_eq!((board.size, board.players.len()), (size, players), "{file}");
        assert_eq!(board.refusals(), [], "{file}");
        for (depth, field) in (1..).zip(&fields[3..]) {
            let leaves: u64 = field.parse().unwrap();
            if leaves <= LEAVES {
                assert_eq!(board.perft(depth), leaves, "{file} depth {depth}");
            }
        }
    }
    assert_eq!(setups, Board::all_setups().len());
}

#[test]
fn wrong_diagrams_are_refused_for_the_reasons_in_the_index() {
    let folder = folder("bad");
    let index = std::fs::read_to_string(format!("{folder}/index.json")).unwrap();
    let index: Value = serde_json::from_str(&index).unwrap();
    let index = index["files"].as_object().unwrap();
    let named: BTreeSet<String> = index.keys().cloned().collect();
    assert_eq!(named, files(&folder));
    for (file, expected) in index {
        let bytes = std::fs::read(format!("{folder}/{file}")).unwrap();
        let reasons = match Board::parse(&String::from_utf8_lossy(&bytes)) {
            Err(reason) => vec![reason],
            Ok(board) => {
                let kinds: BTreeSet<&str> = board.refusals().iter().map(Refusal::keyword).collect();
                kinds.into_iter().map(str::to_owned).collect()
            }
        };
        assert!(!reasons.is_empty(), "{file}");
        let expected: Vec<&str> = expected
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(reasons.len(), expected.len(), "{file}: {reasons:?}");
        let all = reasons.join("; ").to_lowercase();
        for words in expected {
            assert!(words.split('|').any(|w| all.contains(w)), "{file}: {all}");
        }
    }
}
