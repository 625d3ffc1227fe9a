//! The records of games, checked by the naive rules.

use serde_json::Value;

use super::{Folder, data_path, play, vertices, words};
use crate::oracle::{Board, parse_vertex};
use crate::{place, point, seat};

/// Matches of all kinds: two engines, more engines, four seats, openings from a file.
fn matches() -> Vec<(Folder, usize)> {
    let engine = |name: &str, iterations: usize| {
        let engine = format!("name={name},preset=uct,iterations={iterations},memory=8");
        ["--engine".to_string(), engine]
    };
    let book = tempfile::tempdir().unwrap();
    let openings = book.path().join("book");
    std::fs::write(&openings, "b1 A4\nA2 B5 A3 # a comment\n").unwrap();
    let openings = format!("--openings {} --size 5 --pairs 3", openings.display());
    let four = data_path("matches/four-seats.diagram");
    let four = format!("--setup {four} --pairs 2");
    let found = [
        ("--size 9 --pairs 2 --plies 6", 2, 4),
        ("--size 7 --pairs 1 --setup corners", 2, 2),
        ("--size 5 --pairs 2 --plies 2", 3, 12),
        ("--size 5 --pairs 1 --format gauntlet --plies 0", 4, 6),
        (&openings, 2, 6),
        (&four, 2, 8),
    ]
    .into_iter()
    .map(|(first, engines, games)| {
        let folder = Folder::new();
        let mut arguments = words(first, &["--records", &folder.text()]);
        for (number, name) in ["A", "B", "C", "D"].into_iter().enumerate().take(engines) {
            arguments.extend(engine(name, 2 + number));
        }
        play(&arguments);
        (folder, games)
    });
    found.collect()
}

/// The oracle's board after the game.
pub(super) fn replayed(game: &Value) -> Board {
    let mut board = Board::parse(game["start"].as_str().unwrap()).unwrap();
    assert_eq!(game["size"], board.size);
    for vertex in vertices(game) {
        assert!(board.winner().is_none(), "moves after the end");
        let point = parse_vertex(vertex).unwrap();
        assert!(board.legal(point), "{vertex}");
        board.play(point);
    }
    board
}

/// Journals and SGF files have the same games, and the rules replay them to the recorded winner.
#[test]
fn records_replay_to_the_recorded_winner() {
    for (folder, count) in matches() {
        let games = folder.games();
        assert_eq!(games.len(), count);
        assert_eq!(folder.sgf_names().len(), count);
        for (number, game) in &games {
            let board = replayed(game);
            let winner = board.winner().expect("a game that is over").word();
            assert_eq!(game["winner"], winner, "game {number}");
            let letter = winner.chars().next().unwrap().to_ascii_uppercase();
            assert_eq!(game["result"], format!("{letter}+"));
            assert_eq!(game["end"]["kind"], "normal");
            assert_eq!(game["end"]["by"], Value::Null);
            let sgf = folder.read(&format!("games/{number:06}.sgf"));
            let record = tanada::tanbo::sgf::parse(&sgf).unwrap();
            let mut replay = Board::parse(game["start"].as_str().unwrap()).unwrap();
            assert_eq!(record.size, crate::size(replay.size));
            assert_eq!(record.setup, Some(crate::setup(&replay)));
            assert_eq!(record.record.moves.len(), vertices(game).len());
            for (played, vertex) in record.record.moves.iter().zip(vertices(game)) {
                let (mover, to) = (played.seat, played.mv);
                let expected = parse_vertex(vertex).unwrap();
                assert_eq!(mover, seat(replay.to_move), "game {number}");
                assert_eq!(to, point(expected, record.size), "game {number}");
                replay.play(place(to, record.size));
            }
            assert!(sgf.contains(&format!("RE[{letter}+]")), "{sgf}");
        }
    }
}

/// The games of a unit share their opening, and each player takes each seat once. Openings differ
/// between rounds, and are the same for all pairings of a round.
#[test]
fn the_games_of_a_unit_differ_in_the_seats_only() {
    for (folder, _) in matches() {
        let games = folder.games();
        let seats = games[&1]["players"].as_array().unwrap().len() as u64;
        let opening = |game: &Value| {
            let plies = game["opening"].as_u64().unwrap() as usize;
            let moves = game["moves"].as_array().unwrap();
            for (number, record) in moves.iter().enumerate() {
                let thought = record.get("seconds").is_some();
                assert_eq!(thought, number >= plies, "move {number}");
            }
            vertices(game)[..plies].join(" ")
        };
        let seating = |game: &Value| -> Vec<u64> {
            let players = game["players"].as_array().unwrap().iter();
            players.map(|p| p["engine"].as_u64().unwrap()).collect()
        };
        let mut rounds = std::collections::BTreeMap::new();
        for (number, game) in &games {
            let unit = (number - 1) / seats + 1;
            assert_eq!(game["unit"], unit);
            let first = &games[&((unit - 1) * seats + 1)];
            assert_eq!(opening(game), opening(first), "game {number}");
            let mut expected = seating(first);
            expected.rotate_right(((number - 1) % seats) as usize);
            assert_eq!(seating(game), expected, "game {number}");
            let round = game["round"].as_u64().unwrap();
            let same = rounds.entry(round).or_insert_with(|| opening(game));
            assert_eq!(*same, opening(game), "game {number}");
            let colours = game["players"].as_array().unwrap().iter();
            let colours: Vec<&str> = colours.map(|p| p["colour"].as_str().unwrap()).collect();
            let all = ["black", "white", "red", "green"];
            assert_eq!(colours, all[..seats as usize]);
        }
        if rounds.len() > 1 && !rounds[&1].is_empty() {
            assert_ne!(rounds[&1], rounds[&2]);
        }
    }
}

/// Records have times, clocks, values and visits of every move.
#[test]
fn records_have_times_and_values() {
    let folder = Folder::new();
    let engines = [
        "--engine",
        "name=A,memory=8,iterations=5",
        "--engine",
        "name=B,memory=8,clock=60+1,send=tanada-param iterations 5",
    ];
    let text = folder.text();
    let first = "--size 5 --plies 2 --pairs 1";
    play(&words(
        first,
        &[&engines[..], &["--records", &text]].concat(),
    ));
    for game in folder.games().values() {
        let opening = game["opening"].as_u64().unwrap() as usize;
        let mut board = Board::parse(game["start"].as_str().unwrap()).unwrap();
        let mut clock = 60.0;
        for (number, record) in game["moves"].as_array().unwrap().iter().enumerate() {
            let players = game["players"].as_array().unwrap();
            let colour = board.to_move.word();
            let player = players.iter().find(|p| p["colour"] == colour).unwrap();
            board.play(parse_vertex(record["vertex"].as_str().unwrap()).unwrap());
            if number < opening {
                assert_eq!(record.as_object().unwrap().len(), 1, "{record}");
                continue;
            }
            let value = record["value"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&value), "{record}");
            assert!(record["visits"].is_u64(), "{record}");
            let seconds = record["seconds"].as_f64().unwrap();
            assert!(seconds >= 0.0);
            match player["name"].as_str().unwrap() {
                "A" => assert!(record.get("left").is_none(), "{record}"),
                _ => {
                    let left = record["left"].as_f64().unwrap();
                    assert!((left - (clock - seconds + 1.0)).abs() < 1e-3, "{record}");
                    clock = left;
                }
            }
        }
        let players = game["players"].as_array().unwrap();
        let limits: Vec<&str> = players
            .iter()
            .map(|p| p["limit"].as_str().unwrap())
            .collect();
        let mut sorted = limits.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, ["clock=fischer 60 1", "iterations=5"]);
    }
}
