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
    /// Value and short-term value of each seat after the first, with more than two.
    others: Vec<[u16; 2]>,
    result: u8,
    flags: u8,
    left: u8,
    winner: u8,
    game: u32,
}

/// The samples of files of games of so many players.
fn samples(files: &[&Path], points: usize, players: usize) -> (String, Vec<Record>) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("samples");
    let files = files.iter().map(|path| name(path));
    let words: Vec<&str> = ["samples"].into_iter().chain(files).collect();
    run(&[&words[..], &["--out", name(&out)]].concat());
    let bytes = fs::read(&out).unwrap();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let header = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let (globals, others) = shape(players);
    let length = 4 * globals + 6 * points + 4 * others + 14;
    assert_eq!((bytes.len() - end - 1) % length, 0);
    let record = |bytes: &[u8]| {
        let (globals, rest) = bytes.split_at(4 * globals);
        let (planes, rest) = rest.split_at(4 * points);
        let (policy, rest) = rest.split_at(points);
        let (fates, rest) = rest.split_at(points);
        let four = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        let two = |at: usize| u16::from_le_bytes([rest[at], rest[at + 1]]);
        let other = |i: usize| [two(6 + 4 * i), two(8 + 4 * i)];
        let end = &rest[6 + 4 * others..];
        Record {
            globals: globals.chunks(4).map(|b| f32::from_bits(four(b))).collect(),
            planes: planes.chunks(4).map(four).collect(),
            policy: policy.to_vec(),
            fates: fates.to_vec(),
            reply: two(0),
            value: two(2),
            short_term: two(4),
            others: (0..others).map(other).collect(),
            result: end[0],
            flags: end[1],
            left: end[2],
            winner: end[3],
            game: four(&end[4..]),
        }
    };
    (
        header,
        bytes[end + 1..].chunks(length).map(record).collect(),
    )
}

/// The global features of a record, and how many seats after the first have values.
fn shape(players: usize) -> (usize, usize) {
    match players {
        2 => (56, 0),
        _ => (106, players - 1),
    }
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
fn replay(game: &Value, setup: &str, side: i32, players: usize) -> (Vec<Board>, Vec<Point>) {
    let mut board = Board::setup(setup, side, players).unwrap();
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

fn check_games(setup: &str, side: i32, players: usize, options: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games");
    let text = selfplay(
        &path,
        &format!("--size {side} --setup {setup} --players {players} --plies 4 {options}"),
    );
    let area = (side * side) as usize;
    let (header, records) = samples(&[&path], area, players);
    let (globals, others) = shape(players);
    let planes = if players == 2 { 16 } else { 24 };
    let bytes = 4 * globals + 6 * area + 4 * others + 14;
    assert_eq!(
        header,
        format!(
            "tanada samples side {side} points {area} planes {planes} globals {globals} moves {area} \
             seats {players} bytes {bytes}"
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
    let (mut beside, mut out, mut left_out) = (0, 0, 0);
    for (number, line) in (0..).zip(text.lines().skip(1)) {
        let game: Value = serde_json::from_str(line).unwrap();
        let (boards, moves) = replay(&game, setup, side, players);
        let plies = game["moves"].as_array().unwrap();
        for (now, mv) in plies.iter().enumerate() {
            let board = &boards[now];
            // The seats in play, from the side to move on.
            let own = Colour::ALL.iter().position(|&c| c == board.to_move);
            let seats: Vec<usize> = (0..players)
                .map(|turn| (own.unwrap() + turn) % players)
                .filter(|&seat| board.stones.values().any(|&c| c == Colour::ALL[seat]))
                .collect();
            // The network for two evaluates the end of a game of more.
            if players > 2 && seats.len() == 2 {
                left_out += 1;
                continue;
            }
            out += usize::from(seats.len() < players);
            let record = records.next().unwrap();
            assert_eq!(record.planes, expected_planes(board));
            assert_eq!(record.globals, expected_numbers(board));
            let fates = points.iter().map(|&at| fate(&boards, &moves, now, at));
            assert_eq!(record.fates, fates.collect::<Vec<_>>());
            let reply = moves.get(now + 1).map_or(0, |&at| place(at) as u16 + 1);
            assert_eq!(record.reply, reply);
            let found = [[record.value, record.short_term]];
            let mut found = found.iter().chain(&record.others);
            for &seat in &seats[..1 + others.min(seats.len() - 1)] {
                let value = |ply: usize| plies[ply]["values"][seat].as_f64().unwrap();
                let won = game["winner"] == Colour::ALL[seat].word();
                let fixed = |value: f64| (65535.0 * value).round() as i32;
                let &[at_once, soon] = found.next().unwrap();
                assert_eq!(i32::from(at_once), fixed(value(now)));
                let mut mean =
                    (6.0f64 / 7.0).powi((plies.len() - now) as i32) * f64::from(u8::from(won));
                for ply in now..plies.len() {
                    mean += (6.0f64 / 7.0).powi((ply - now) as i32) / 7.0 * value(ply);
                }
                assert!((i32::from(soon) - fixed(mean)).abs() <= 1);
            }
            // Those that are out.
            assert!(found.all(|values| *values == [0, 0]));
            let winner = seats
                .iter()
                .position(|&seat| game["winner"] == Colour::ALL[seat].word())
                .unwrap();
            assert_eq!(usize::from(record.winner), winner);
            assert_eq!(record.result, u8::from(winner == 0));
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
            assert_eq!((record.flags, record.result), (0, 2));
            assert_eq!((record.left, record.winner), (0, 0));
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
    assert!(records.next().is_none());
    assert_eq!((beside > 5, left_out > 0), (players == 2, players > 2));
    assert_eq!(out > 0, players == 4);
}

#[test]
fn samples_are_what_the_naive_rules_say() {
    check_games("corners", 5, 2, "--games 6 --iterations 60 --seed 2");
    let quick = "--games 2 --iterations 60 --full-share 0.4 --quick-iterations 8";
    check_games("dense", 7, 2, quick);
    check_games("classic", 9, 3, quick);
    check_games("classic", 9, 4, quick);
}

#[test]
fn files_of_one_shape_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two, other] = ["one", "two", "other"].map(|name| folder.path().join(name));
    let quick = "--iterations 5 --plies 2 --games 3";
    selfplay(&one, &format!("--size 5 {quick}"));
    selfplay(&two, &format!("--size 5 {quick} --first 4"));
    selfplay(&other, &format!("--size 6 {quick}"));
    let (_, records) = samples(&[&one, &two], 25, 2);
    let (_, first) = samples(&[&one], 25, 2);
    assert_eq!(records[..first.len()], first[..]);
    assert_eq!(records.last().unwrap().game, 5);
    let out = folder.path().join("samples");
    let complaint = refusal(&["samples", name(&one), name(&other), "--out", name(&out)]);
    let expected = format!(
        "`{}`, line 1: the samples would be `side 6 points 36 planes 16 globals 56 moves 36 seats 2 \
         bytes 454`: expected `side 5 points 25 planes 16 globals 56 moves 25 seats 2 bytes 388`",
        name(&other)
    );
    assert!(complaint.contains(&expected), "{complaint}");
    assert!(!out.exists());
    let complaint = refusal(&["samples", name(&one), "--out", name(&one), "--force"]);
    assert!(
        complaint.contains("would overwrite the input"),
        "{complaint}"
    );
    // Other colours than Black and White are for two players, too.
    let start = folder.path().join("start");
    let diagram = "to move: red\nR . . . .\n. . . . .\n. . . . .\n. . . . .\n. . . . G\n";
    fs::write(&start, diagram).unwrap();
    let quick = format!(
        "--setup {} --iterations 1 --plies 0 --games 1",
        name(&start)
    );
    selfplay(&other, &format!("{quick} --force"));
    let (header, more) = samples(&[&other], 25, 2);
    assert!(header.contains("planes 16") && !more.is_empty(), "{header}");
}

#[test]
fn games_on_boards_of_one_size_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    let out = folder.path().join("samples");
    selfplay(&one, "--size 7 --iterations 5 --plies 2 --games 1");
    let quick = "--game taratibu --iterations 2 --plies 2 --games 1";
    selfplay(&other, quick);
    let complaint = refusal(&["samples", name(&one), name(&other), "--out", name(&out)]);
    let expected = "the samples would be `side 7 points 49 planes 21 ";
    assert!(complaint.contains(expected), "{complaint}");
    selfplay(&one, "--size 9 --iterations 1 --plies 2 --games 1 --force");
    let quick = "--size 9 --players 4 --iterations 1 --plies 2 --games 1 --force";
    selfplay(&other, quick);
    let complaint = refusal(&["samples", name(&other), name(&one), "--out", name(&out)]);
    let expected =
        "planes 16 globals 56 moves 81 seats 2 bytes 724`: expected `side 9 points 81 planes 24 ";
    assert!(complaint.contains(expected), "{complaint}");
    assert!(!out.exists());
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
