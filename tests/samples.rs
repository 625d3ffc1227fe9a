//! Training samples, against what the naive rules say of the same games.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use super::cli::refusals::refusal;
use super::cli::run;
use super::cli::selfplay::unpacked;
use super::network::{expected_numbers, expected_planes};
use super::oracle::{Board, Colour, Point, parse_vertex};
use super::size;

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn pack(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn selfplay(path: &Path, options: &str) -> String {
    let line = format!("selfplay {options} --set leaf=linear --out {}", name(path));
    run(&line.split(' ').collect::<Vec<_>>());
    unpacked(&fs::read(path).unwrap())
}

/// A record, as docs/how-it-works/network.md describes it.
#[derive(Debug, PartialEq)]
struct Record {
    globals: Vec<f32>,
    planes: Vec<u32>,
    policy: Vec<u8>,
    fates: Vec<u8>,
    reply: u16,
    value: u16,
    short_term: u16,
    result: u8,
    flags: u8,
    left: u8,
    game: u32,
}

/// The samples of files.
fn samples(files: &[&Path], points: usize) -> (String, Vec<Record>) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("samples");
    let files = files.iter().map(|path| name(path));
    let words: Vec<&str> = ["samples"].into_iter().chain(files).collect();
    run(&[&words[..], &["--out", name(&out)]].concat());
    let bytes = fs::read(&out).unwrap();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let header = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let length = 4 * 56 + 6 * points + 14;
    assert_eq!((bytes.len() - end - 1) % length, 0);
    let record = |bytes: &[u8]| {
        let (globals, rest) = bytes.split_at(4 * 56);
        let (planes, rest) = rest.split_at(4 * points);
        let (policy, rest) = rest.split_at(points);
        let (fates, rest) = rest.split_at(points);
        let four = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        let two = |at: usize| u16::from_le_bytes([rest[at], rest[at + 1]]);
        assert_eq!(rest[9], 0);
        Record {
            globals: globals.chunks(4).map(|b| f32::from_bits(four(b))).collect(),
            planes: planes.chunks(4).map(four).collect(),
            policy: policy.to_vec(),
            fates: fates.to_vec(),
            reply: two(0),
            value: two(2),
            short_term: two(4),
            result: rest[6],
            flags: rest[7],
            left: rest[8],
            game: four(&rest[10..]),
        }
    };
    (
        header,
        bytes[end + 1..].chunks(length).map(record).collect(),
    )
}

fn words(line: &Value) -> Vec<&str> {
    let words = line.as_array().unwrap().iter();
    words.map(|word| word.as_str().unwrap()).collect()
}

/// What becomes of a point between the position with this number and the end, told in words.
fn fate(boards: &[Board], moves: &[Point], now: usize, at: Point) -> u8 {
    let own = boards[now].to_move;
    let side = |colour: Option<&Colour>| match colour {
        None => 0,
        Some(&colour) => 1 + u8::from(colour != own),
    };
    let next = (now..moves.len()).find(|&ply| moves[ply] == at);
    let mover = next.map(|ply| boards[ply].to_move);
    let last = boards.last().unwrap().stones.get(&at);
    let stays = boards[now..]
        .iter()
        .all(|board| board.stones.contains_key(&at));
    side(mover.as_ref()) | side(last) << 2 | u8::from(stays) << 4
}

/// The positions and moves of a game after its opening.
fn replay(game: &Value, setup: &str, side: i32) -> (Vec<Board>, Vec<Point>) {
    let mut board = Board::setup(setup, side, 2).unwrap();
    for word in words(&game["opening"]) {
        board.play(parse_vertex(word).unwrap());
    }
    let (mut boards, mut moves) = (vec![board], Vec::new());
    for mv in game["moves"].as_array().unwrap() {
        let at = parse_vertex(mv["move"].as_str().unwrap()).unwrap();
        let mut next = boards.last().unwrap().clone();
        next.play(at);
        boards.push(next);
        moves.push(at);
    }
    (boards, moves)
}

fn check_games(setup: &str, side: i32, options: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let text = selfplay(
        &path,
        &format!("--size {side} --setup {setup} --plies 4 {options}"),
    );
    let area = (side * side) as usize;
    let (header, records) = samples(&[&path], area);
    let bytes = 4 * 56 + 6 * area + 14;
    assert_eq!(
        header,
        format!(
            "tanada samples side {side} points {area} planes 16 globals 56 moves {area} bytes {bytes}"
        )
    );
    // The points in the order of the records, and the place of each.
    let board_size = size(side);
    let points: Vec<Point> = board_size
        .points()
        .map(|point| super::place(point, board_size))
        .collect();
    let place = |at: Point| points.iter().position(|&point| point == at).unwrap();
    let mut records = records.iter().peekable();
    let mut beside = 0;
    for (number, line) in (0..).zip(text.lines().skip(1)) {
        let game: Value = serde_json::from_str(line).unwrap();
        let (boards, moves) = replay(&game, setup, side);
        let plies = game["moves"].as_array().unwrap();
        for (now, mv) in plies.iter().enumerate() {
            let record = records.next().unwrap();
            let board = &boards[now];
            let own = Colour::ALL
                .iter()
                .position(|&c| c == board.to_move)
                .unwrap();
            assert_eq!(record.planes, expected_planes(board));
            assert_eq!(record.globals, expected_numbers(board));
            let fates = points.iter().map(|&at| fate(&boards, &moves, now, at));
            assert_eq!(record.fates, fates.collect::<Vec<_>>());
            let reply = moves.get(now + 1).map_or(0, |&at| place(at) as u16 + 1);
            assert_eq!(record.reply, reply);
            let value = |ply: usize| plies[ply]["values"][own].as_f64().unwrap();
            let won = game["winner"] == board.to_move.word();
            let fixed = |value: f64| (65535.0 * value).round() as i32;
            assert_eq!(i32::from(record.value), fixed(value(now)));
            let mut mean =
                (6.0f64 / 7.0).powi((plies.len() - now) as i32) * f64::from(u8::from(won));
            for ply in now..plies.len() {
                mean += (6.0f64 / 7.0).powi((ply - now) as i32) / 7.0 * value(ply);
            }
            assert!((i32::from(record.short_term) - fixed(mean)).abs() <= 1);
            assert_eq!(record.result, u8::from(won));
            assert_eq!(usize::from(record.left), plies.len() - now);
            assert_eq!(record.game, number);
            let mut policy = vec![0; points.len()];
            let next = mv["next"].as_array().map_or(&[][..], |next| next);
            let most = next.iter().map(|found| found[3].as_u64().unwrap()).max();
            for found in next {
                let at = place(parse_vertex(found[0].as_str().unwrap()).unwrap());
                let share = found[3].as_f64().unwrap() / most.unwrap() as f64;
                policy[at] = (255.0 * share).round() as u8;
            }
            assert_eq!(record.policy, policy);
            let proof = u8::from(mv["proof"] == true);
            assert_eq!(record.flags, 4 | proof << 1 | u8::from(!next.is_empty()));
        }
        // Then come positions that were not played, one ply away from those that were.
        while let Some(record) = records.next_if(|r| r.flags & 4 == 0 && r.game == number) {
            beside += 1;
            assert_eq!((record.flags, record.result, record.left), (0, 2, 0));
            assert_eq!((record.reply, record.value), (0, record.short_term));
            assert!(
                record
                    .policy
                    .iter()
                    .chain(&record.fates)
                    .all(|&byte| byte == 0)
            );
            let is_there = boards.iter().any(|board| {
                board.legal_points().iter().any(|&at| {
                    let mut next = board.clone();
                    next.play(at);
                    next.winner().is_none() && expected_planes(&next) == record.planes
                })
            });
            assert!(is_there);
        }
    }
    assert!(records.next().is_none() && beside > 5, "{beside}");
}

#[test]
fn samples_are_what_the_naive_rules_say() {
    check_games("corners", 5, "--games 6 --iterations 60 --seed 2");
    check_games(
        "dense",
        7,
        "--games 2 --iterations 60 --full-share 0.4 --quick-iterations 8",
    );
}

#[test]
fn files_of_one_size_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two, other] = ["one", "two", "other"].map(|name| folder.path().join(name));
    let quick = "--iterations 5 --plies 2 --games 3";
    selfplay(&one, &format!("--size 5 {quick}"));
    selfplay(&two, &format!("--size 5 {quick} --first 4"));
    selfplay(&other, &format!("--size 6 {quick}"));
    let (_, records) = samples(&[&one, &two], 25);
    let (_, first) = samples(&[&one], 25);
    assert_eq!(records[..first.len()], first[..]);
    assert_eq!(records.last().unwrap().game, 5);
    let out = folder.path().join("samples");
    let complaint = refusal(&["samples", name(&one), name(&other), "--out", name(&out)]);
    let expected = format!(
        "`{}`, line 1: the board has the size `6`: expected `5`",
        name(&other)
    );
    assert!(complaint.contains(&expected), "{complaint}");
    assert!(!out.exists());
    let complaint = refusal(&["samples", name(&one), "--out", name(&one), "--force"]);
    assert!(
        complaint.contains("would overwrite the input"),
        "{complaint}"
    );
    selfplay(
        &other,
        "--size 9 --players 4 --iterations 1 --games 1 --force",
    );
    let complaint = refusal(&["samples", name(&other), "--out", name(&out)]);
    assert!(complaint.contains("there is no network"), "{complaint}");
}

#[test]
fn damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [path, out] = ["games", "samples"].map(|name| folder.path().join(name));
    let text = selfplay(&path, "--size 5 --iterations 20 --plies 2 --games 2");
    let good = fs::read(&path).unwrap();
    let complaint = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let complaint = refusal(&["samples", name(&path), "--out", name(&out)]);
        assert!(
            !out.exists() && complaint.contains(name(&path)),
            "{complaint}"
        );
        complaint
    };
    let mut checksum = good.clone();
    let end = checksum.len() - 8;
    checksum[end] ^= 1;
    let changed = |old: &str, new: &str| {
        assert!(text.contains(old), "{old} is not in {text}");
        pack(&text.replacen(old, new, 1))
    };
    let second = text.lines().nth(1).unwrap();
    let game: Value = serde_json::from_str(second).unwrap();
    let mv = &game["moves"][0];
    let word = mv["move"].as_str().unwrap();
    let next = mv["next"][0][0].as_str().unwrap();
    let winner = game["winner"].as_str().unwrap();
    let loser = if winner == "black" { "white" } else { "black" };
    let ply = game["opening"].as_array().unwrap().len() + 1;
    let unfinished = {
        let mut game = game.clone();
        game["moves"].as_array_mut().unwrap().pop();
        pack(&text.replacen(second, &game.to_string(), 1))
    };
    let cases: [(Vec<u8>, &str); 15] = [
        (checksum, "line 4: the file is damaged"),
        (good[..good.len() / 2].to_vec(), "the file is damaged"),
        (
            text.clone().into_bytes(),
            "line 1: the file was not written by",
        ),
        (Vec::new(), "line 1: the file was not written by"),
        (pack(""), "line 1: the file was not written by"),
        (pack("(;SZ[5])\n"), "line 1: the file was not written by"),
        (pack(text.trim_end()), "line 3: the file is damaged"),
        (
            changed("\"version\":1", "\"version\":9"),
            "unknown version `9`",
        ),
        (changed("{\"game\":1", "{\"game\":x"), "line 2: no game"),
        (
            changed(&format!("\"move\":\"{word}\""), "\"move\":\"Z9\""),
            &format!("line 2: move {ply}: invalid point `Z9`"),
        ),
        (
            changed(&format!("\"move\":\"{word}\""), "\"move\":\"A1 A1\""),
            &format!("line 2: move {ply}: "),
        ),
        (
            changed(&format!("\"next\":[[\"{next}\""), "\"next\":[[\"Q\""),
            &format!("line 2: move {ply}: invalid point `Q`"),
        ),
        (
            changed("\"values\":[", "\"values\":[7,"),
            &format!("line 2: move {ply}: invalid values `[7.0, "),
        ),
        (
            changed(
                &format!("\"winner\":\"{winner}\""),
                &format!("\"winner\":\"{loser}\""),
            ),
            &format!("line 2: the winner is `{loser}`: expected `{winner}`"),
        ),
        (unfinished, "line 2: the game is not over"),
    ];
    for (bytes, expected) in &cases {
        let found = complaint(bytes);
        assert!(found.contains(expected), "{expected}: {found}");
    }
    let absent = refusal(&["samples", "nowhere", "--out", name(&out)]);
    assert!(absent.contains("`nowhere` cannot be read"), "{absent}");
}
