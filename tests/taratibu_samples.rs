//! Training samples of Taratibu, against what the naive rules say of the same games.

use std::fs;

use serde_json::Value;

use super::cli::run;
use super::cli::selfplay::unpacked;
use super::oracle::taratibu::{Board, Side, Square, step, targets};

const GLOBALS: usize = 90;
const PLACES: usize = 490;
const BYTES: usize = 4 * GLOBALS + 5 * 49 + PLACES + 14;

/// The number of a square, seen by a side.
fn seen((file, rank): Square, side: Side) -> usize {
    let square = (7 * (rank - 1) + file - 1) as usize;
    match side {
        Side::White => square,
        Side::Black => 48 - square,
    }
}

fn number_of(kind: char) -> usize {
    // The order of the inventor's list.
    "SEBAFMDCTH".find(kind).unwrap()
}

/// The planes by the definition in docs/how-it-works/network.md.
fn planes(board: &Board) -> Vec<u32> {
    let own = board.to_move();
    let mut planes = vec![0; 49];
    for (&square, piece) in &board.pieces {
        let plane = number_of(piece.kind) + if piece.side == own { 0 } else { 10 };
        planes[seen(square, own)] |= 1 << plane;
    }
    for &square in &board.spent {
        planes[seen(square, own)] |= 1 << 20;
    }
    planes
}

/// For each kind of the other side: the fewest steps of an attacker to it, 0 if more than 6. Pieces that
/// captured in this turn do not step if `rested` is false.
fn distances(board: &Board, attacker: Side, rested: bool) -> [usize; 10] {
    let mut fewest = [0; 10];
    let mut reached: Vec<(char, Vec<Square>)> = board
        .pieces
        .iter()
        .filter(|(square, piece)| {
            piece.side == attacker && (rested || !board.spent.contains(square))
        })
        .map(|(&square, piece)| (piece.kind, vec![square]))
        .collect();
    for steps in 1..=6 {
        for (kind, squares) in &mut reached {
            let next = squares.iter().flat_map(|&from| targets(*kind, from));
            let mut next: Vec<Square> = next.chain(squares.iter().copied()).collect();
            next.sort_unstable();
            next.dedup();
            *squares = next;
            for square in squares {
                match board.pieces.get(square) {
                    Some(piece) if piece.side != attacker => {
                        let place = &mut fewest[number_of(piece.kind)];
                        if *place == 0 {
                            *place = steps;
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    fewest
}

#[test]
fn samples_of_steps_are_what_the_naive_rules_say() {
    let folder = tempfile::tempdir().unwrap();
    let [games, out] = ["games", "samples"].map(|name| folder.path().join(name));
    let [games, out] = [&games, &out].map(|path| path.to_str().unwrap());
    let options = "selfplay --game taratibu --games 3 --iterations 60 --plies 5 --seed 4 --out";
    run(&[&options.split(' ').collect::<Vec<_>>()[..], &[games]].concat());
    run(&["samples", games, "--out", out]);
    let bytes = fs::read(out).unwrap();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    assert_eq!(
        String::from_utf8_lossy(&bytes[..end]),
        format!(
            "tanada samples side 7 points 49 planes 21 globals {GLOBALS} moves {PLACES} seats 2 bytes {BYTES}"
        )
    );
    let mut records = bytes[end + 1..].chunks(BYTES).peekable();
    let text = unpacked(&fs::read(games).unwrap());
    let two = |bytes: &[u8]| f64::from(u16::from_le_bytes([bytes[0], bytes[1]])) / 65535.0;
    let (mut beside, mut same_side) = (0, 0);
    for line in text.lines().skip(1) {
        let game: Value = serde_json::from_str(line).unwrap();
        let mut board = Board::new_game();
        for word in game["opening"].as_array().unwrap() {
            board.play(step(word.as_str().unwrap()));
        }
        let mut others = Vec::new();
        for mv in game["moves"].as_array().unwrap() {
            let own = board.to_move();
            let side = usize::from(own == Side::Black);
            let record = records.next().unwrap();
            let words: Vec<u32> = record[4 * GLOBALS..][..4 * 49]
                .chunks(4)
                .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
                .collect();
            assert_eq!(words, planes(&board));
            let numbers: Vec<f32> = record[..4 * GLOBALS]
                .chunks(4)
                .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
                .collect();
            let steps: Vec<usize> = numbers[58..]
                .iter()
                .map(|number| (10.0 * number).round() as usize)
                .collect();
            assert_eq!(steps[..2], [board.turn as usize, board.steps_left as usize]);
            assert_eq!(steps[2..12], distances(&board, own, false));
            assert_eq!(steps[12..22], distances(&board, own, true));
            assert_eq!(steps[22..], distances(&board, own.other(), true));
            let mut policy = vec![0; PLACES];
            let next = mv["next"].as_array().unwrap();
            let most = next.iter().map(|found| found[3].as_u64().unwrap()).max();
            for found in next {
                let (from, to) = step(found[0].as_str().unwrap());
                let place = 49 * number_of(board.pieces[&from].kind) + seen(to, own);
                let share = found[3].as_f64().unwrap() / most.unwrap().max(1) as f64;
                policy[place] = (255.0 * share).round() as u8;
                let mut after = board.clone();
                after.play((from, to));
                let value = found[2].as_f64().unwrap();
                if after.outcome().is_none() {
                    let stays = after.to_move() == own;
                    let value = if stays { value } else { 1.0 - value };
                    others.push((planes(&after), value, stays));
                }
            }
            let rest = &record[4 * GLOBALS + 4 * 49..];
            assert_eq!(rest[..PLACES], policy);
            // There are no fates, and a reply has no point.
            assert_eq!(rest[PLACES..][..51], [0; 51]);
            let rest = &rest[PLACES + 49..];
            let value = mv["values"][side].as_f64().unwrap();
            assert!((two(&rest[2..]) - value).abs() < 1e-4);
            let won = match game["winner"].as_str() {
                Some(winner) => u8::from(winner == own.word()),
                None => 2,
            };
            assert_eq!((rest[6], rest[7] & 4), (won, 4));
            board.play(step(mv["move"].as_str().unwrap()));
        }
        // Then come positions that were not played, with the value of the search for the side to move.
        let is_other = |record: &&[u8]| record[BYTES - 7] & 4 == 0;
        while let Some(record) = records.next_if(is_other) {
            let words: Vec<u32> = record[4 * GLOBALS..][..4 * 49]
                .chunks(4)
                .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
                .collect();
            let value = two(&record[BYTES - 12..]);
            let found = others
                .iter()
                .find(|(planes, wanted, _)| *planes == words && (value - wanted).abs() < 1e-3);
            let (_, _, stays) = found.unwrap();
            beside += 1;
            same_side += usize::from(*stays);
        }
    }
    assert!(records.next().is_none());
    assert!(beside > 10 && same_side > 5, "{beside} {same_side}");
}
