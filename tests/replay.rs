//! Records of matches, replayed by the oracle. `scripts/hard/replay.sh` plays them and asks for it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::oracle::{Board, Colour, SplitMix, parse_vertex, vertex};

/// All files with this name in a folder and below it, sorted.
fn find(folder: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{folder:?}: {e}")) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(find(&path, name));
        } else if path.file_name().is_some_and(|n| n == name) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The built-in setup that a board is, in words.
fn setup_name(board: &Board) -> String {
    let is = |&(name, size, players): &(&str, i32, usize)| {
        Board::setup(name, size, players).as_ref() == Some(board)
    };
    let (size, players) = (board.size, board.players.len());
    let name = Board::all_setups().into_iter().find(is);
    let name = name.map_or("another start", |(name, ..)| name);
    format!("{size:>2}x{size} {name}, {players} players")
}

/// Replays one line of a journal; the start in words, and how many moves there were.
fn replay(line: &str) -> Result<(String, usize), String> {
    let record: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
    let text = |value: &Value| value.as_str().map(str::to_string);
    let start = text(&record["start"]).ok_or("no `start`")?;
    let mut board = Board::parse(&start)?;
    if let Some(refusal) = board.refusals().first() {
        return Err(format!("the start position is not playable: {refusal:?}"));
    }
    if record["size"] != json!(board.size) {
        return Err(format!(
            "`size` is {}, {} were drawn",
            record["size"], board.size
        ));
    }
    let name = setup_name(&board);
    let players = record["players"].as_array().ok_or("no `players`")?;
    let colours: Vec<_> = players.iter().map(|p| text(&p["colour"])).collect();
    let expected: Vec<_> = board
        .players
        .iter()
        .map(|c| Some(c.word().to_string()))
        .collect();
    if colours != expected {
        return Err(format!(
            "the players are {colours:?}, expected {expected:?}"
        ));
    }
    let moves = record["moves"].as_array().ok_or("no `moves`")?;
    for (number, mv) in moves.iter().enumerate() {
        let word = text(&mv["vertex"]).ok_or("a move without `vertex`")?;
        let number = number + 1;
        if let Some(winner) = board.winner() {
            return Err(format!(
                "{word} as move {number}: {} has won before",
                winner.word()
            ));
        }
        match parse_vertex(&word).filter(|&point| board.legal(point)) {
            Some(point) => board.play(point),
            None => {
                return Err(format!(
                    "{word} is not legal as move {number}\n{}",
                    board.to_text()
                ));
            }
        };
    }
    let winner = text(&record["winner"]);
    let kind = text(&record["end"]["kind"]).ok_or("no `end`")?;
    let by_rules = board.winner().map(Colour::word);
    match (kind.as_str(), players.len()) {
        ("normal", _) if winner.is_some() && winner.as_deref() == by_rules => {}
        ("normal", _) => {
            return Err(format!(
                "`winner` is {winner:?}, by the rules it is {by_rules:?}"
            ));
        }
        ("interrupted" | "void", _) => {}
        (_, 2) => {
            let by = record["end"]["by"].as_u64().ok_or("nobody is to blame")?;
            if winner != *colours.get(1 - by as usize).unwrap_or(&None) {
                return Err(format!("{kind} of player {by}, but `winner` is {winner:?}"));
            }
        }
        _ => {}
    }
    Ok((name, moves.len()))
}

// What was replayed is what somebody wants to read.
#[allow(clippy::print_stdout)]
#[test]
#[ignore = "replays the records of matches in the folder TANADA_RECORDS"]
fn replay_records() {
    let Ok(folder) = std::env::var("TANADA_RECORDS") else {
        println!("TANADA_RECORDS names no folder with records: nothing is replayed");
        return;
    };
    let mut games = Vec::new();
    for path in find(Path::new(&folder), "games.jsonl") {
        let journal = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let lines = journal.lines().enumerate();
        games.extend(
            lines.map(|(n, line)| (format!("{}:{}", path.display(), n + 1), line.to_string())),
        );
    }
    assert!(
        !games.is_empty(),
        "no games.jsonl with a game below {folder}"
    );
    let results: Vec<_> = games
        .par_iter()
        .map(|(place, line)| (place, replay(line)))
        .collect();
    let mut totals: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut faults = Vec::new();
    for (place, result) in results {
        match result {
            Ok((name, plies)) => {
                let total = totals.entry(name).or_default();
                *total = (total.0 + 1, total.1 + plies);
            }
            Err(fault) => faults.push(format!("{place}: {fault}")),
        }
    }
    for (name, (games, plies)) in &totals {
        println!("{name}: {games} games, {plies} plies");
    }
    let plies: usize = totals.values().map(|total| total.1).sum();
    println!(
        "replayed {} games on {} start positions, {plies} plies, each checked; {} games are wrong",
        games.len(),
        totals.len(),
        faults.len()
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_wrong_record_is_noticed() {
    let mut board = Board::setup("corners", 5, 2).unwrap();
    let start = board.to_text();
    let moves = board.random_game(&mut SplitMix::new(3), 1000);
    let (winner, loser) = match board.winner().unwrap() {
        Colour::Black => ("black", "white"),
        _ => ("white", "black"),
    };
    let record = |moves: &[(i32, i32)], winner: &str, kind: &str, by: Value| {
        let moves: Vec<Value> = moves
            .iter()
            .map(|&p| json!({ "vertex": vertex(p) }))
            .collect();
        let players = json!([{ "colour": "black" }, { "colour": "white" }]);
        let end = json!({ "kind": kind, "by": by, "detail": "" });
        json!({
            "size": 5, "start": start, "players": players, "moves": moves, "winner": winner,
            "end": end,
        })
        .to_string()
    };
    let length = moves.len();
    let good = replay(&record(&moves, winner, "normal", Value::Null)).unwrap();
    assert_eq!(good, (" 5x5 corners, 2 players".to_string(), length));
    let [short, long] = [&moves[..length - 1], &[&moves[..], &[(2, 2)]].concat()];
    let twice = [&moves[..1], &moves[..1]].concat();
    replay(&record(short, "black", "time", json!(1))).unwrap();
    for (line, part) in [
        (record(&moves, loser, "normal", Value::Null), "by the rules"),
        (record(short, winner, "normal", Value::Null), "by the rules"),
        (
            record(long, winner, "normal", Value::Null),
            "has won before",
        ),
        (
            record(&twice, winner, "normal", Value::Null),
            "is not legal as move 2",
        ),
        (record(short, "black", "time", json!(0)), "time of player 0"),
        ("{}".to_string(), "no `start`"),
    ] {
        let fault = replay(&line).unwrap_err();
        assert!(fault.contains(part), "{fault}");
    }
}
