//! Games of self-play: the same each time, for every game and number of players.

use std::fs;
use std::io::Read;

use serde_json::Value;
use tanada::engine::Engine;
use tanada::params::Params;
use tanada::start::Configuration;

use super::run;

/// The content of a gzip file whose checksum is right.
pub(crate) fn unpacked(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(bytes);
    decoder.read_to_string(&mut text).unwrap();
    text
}

/// The file that `tanada selfplay` writes with these options.
fn played(options: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let line = format!("selfplay {options} --out {}", path.to_str().unwrap());
    run(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    fs::read(&path).unwrap()
}

fn lines(options: &str) -> Vec<Value> {
    let text = unpacked(&played(options));
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

const QUICK: &str = "--size 5 --iterations 40 --plies 3 --drawn 4 --set leaf=linear --seed 3";

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let first = played(&format!("{QUICK} --games 5"));
    assert!(first == played(&format!("{QUICK} --games 5 --concurrency 2")));
    // Neither a time nor an operating system is in the header of gzip.
    assert_eq!(&first[..10], b"\x1f\x8b\x08\0\0\0\0\0\0\xff");
}

#[test]
fn a_game_depends_on_its_number_alone() {
    let random = "--full-share 0.3 --quick-iterations 6";
    let all = lines(&format!("{QUICK} --games 10 {random}"));
    let later = lines(&format!("{QUICK} --first 6 --games 5 {random}"));
    assert_eq!(all.len(), 11);
    assert_eq!(all[6..], later[1..]);
    assert_eq!(later[1]["game"], 6);
    assert_eq!(later[0]["settings"]["first"], 6);
}

/// Replays the games of a file and checks what can be checked by the rules; returns the shares of
/// full searches and of proofs.
fn replay(lines: &[Value], seats: usize) -> (f64, f64) {
    let text = lines[0]["start"].as_str().unwrap();
    let start = tanada::games::read_start(text).unwrap();
    let (mut all, mut full, mut proofs) = (0, 0, 0);
    for game in &lines[1..] {
        let mut engine = Engine::new(start.clone(), Params::default());
        for word in game["opening"].as_array().unwrap() {
            let mover = engine.to_move();
            engine.play_word(mover, word.as_str().unwrap()).unwrap();
        }
        for mv in game["moves"].as_array().unwrap() {
            let values = mv["values"].as_array().unwrap();
            assert_eq!(values.len(), seats);
            let sum: f64 = values.iter().map(|value| value.as_f64().unwrap()).sum();
            assert!((sum - 1.0).abs() < 1e-3, "{values:?}");
            all += 1;
            full += i32::from(mv["full"] == true);
            proofs += i32::from(mv["proof"] == true);
            assert_eq!(mv["full"] == true, mv.get("next").is_some());
            let next = mv["next"].as_array().into_iter().flatten();
            let mut last = u64::MAX;
            for found in next {
                let codes = engine.notation().read_moves(found[0].as_str().unwrap());
                assert!(engine.is_legal(codes.unwrap()[0]), "{found}");
                let [visits, target] = [1, 3].map(|i| found[i].as_u64().unwrap());
                assert!(visits <= last && target <= visits.max(1), "{found}");
                last = visits;
            }
            let mover = engine.to_move();
            engine
                .play_word(mover, mv["move"].as_str().unwrap())
                .unwrap();
        }
        assert!(engine.is_over());
        let winner = engine.winner().map(|seat| engine.variant().colour(seat));
        assert_eq!(game["winner"].as_str(), winner);
    }
    let share = |count| f64::from(count) / f64::from(all);
    (share(full), share(proofs))
}

#[test]
fn games_of_two_players_replay() {
    let (full, proofs) = replay(&lines(&format!("{QUICK} --games 8")), 2);
    assert!(full == 1.0 && proofs > 0.1 && proofs < 0.9, "{proofs}");
    let quick = "--full-share 0.3 --quick-iterations 6";
    let (full, _) = replay(&lines(&format!("{QUICK} --games 8 {quick}")), 2);
    assert!(full > 0.1 && full < 0.5, "{full}");
}

#[test]
fn games_of_others_replay() {
    let few = "--iterations 5 --plies 4 --games 2";
    replay(&lines(&format!("--size 9 --players 4 {few}")), 4);
    replay(&lines(&format!("--game taratibu {few}")), 2);
    replay(&lines(&format!("--size 9 {few}")), 2);
}

#[test]
fn the_header_tells_what_the_games_depend_on() {
    let header = &lines(&format!("{QUICK} --games 1 --set cpuct=0.5"))[0];
    let configuration = Configuration::new(Some(5), None, None).unwrap();
    let expected = serde_json::json!({
        "format": "tanada games",
        "version": 1,
        "program": env!("CARGO_PKG_VERSION"),
        "start": configuration.start().text(),
        "settings": {
            "seed": 3, "first": 1, "iterations": 40, "quick_iterations": 80, "full_share": 1.0,
            "plies": 3, "drawn": 4, "parameters": {
                "cpuct": 0.5, "leaf": "linear", "forced_playouts": 2.0, "root_noise": 0.25,
            },
            "weights": null,
        },
    });
    assert_eq!(*header, expected);
}
