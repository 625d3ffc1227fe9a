//! Every part of a certificate damaged, and what is false about one.

use std::io::Read;
use std::iter;

use tanada::tanbo::certificate::{Defect, Proof, VerifyError};

use super::known::{replay, seal, sign, unseal};
use super::program::both;
use super::{refusal, small, verify};
use crate::oracle::endings::other;
use crate::oracle::{Board, SplitMix};

/// Refuses a certificate that is cut or has a changed byte anywhere; the script does so too, in places
/// that the seed picks.
pub(super) fn damage_every_byte(bytes: &[u8], seed: u64) {
    for at in 0..bytes.len() {
        refusal(&bytes[..at]);
        for pattern in (0..8).map(|bit| 1 << bit).chain([0xff, 0x55]) {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= pattern;
            refusal(&damaged);
        }
    }
    let mut rng = SplitMix::new(seed);
    for _ in 0..40 {
        let mut damaged = bytes.to_vec();
        damaged[rng.below(bytes.len())] ^= 1 << rng.below(8);
        assert!(!both(&damaged));
    }
}

#[test]
fn every_byte_flipped() {
    let (_, _, bytes) = small();
    for at in 0..bytes.len() {
        let patterns = (0..8).map(|bit| 1 << bit).chain([0xff, 0x20, 0x55, 0x81]);
        for pattern in patterns {
            let mut damaged = bytes.clone();
            damaged[at] ^= pattern;
            refusal(&damaged);
        }
        for value in [0, b'\n', 0xff] {
            let mut damaged = bytes.clone();
            if std::mem::replace(&mut damaged[at], value) != value {
                refusal(&damaged);
            }
        }
    }
}

#[test]
fn every_byte_left_out_or_doubled_and_every_truncation() {
    let (_, _, bytes) = small();
    for at in 0..bytes.len() {
        refusal(&bytes[..at]);
        let (before, rest) = bytes.split_at(at);
        // Which one of a run of equal bytes is left out or doubled is the same.
        refusal(&[before, &rest[1..]].concat());
        refusal(&[before, &rest[..1], rest].concat());
    }
}

#[test]
fn both_verifiers_refuse_the_same_damage() {
    let (_, _, bytes) = small();
    let mut rng = SplitMix::new(7);
    for _ in 0..40 {
        let mut damaged = bytes.clone();
        let at = rng.below(bytes.len());
        damaged[at] ^= 1 << rng.below(8);
        assert!(!both(&damaged));
    }
    for _ in 0..10 {
        assert!(!both(&bytes[..rng.below(bytes.len())]));
    }
    assert!(!both(&[]));
    assert!(!both(&[&bytes[..], b"\n"].concat()));
    assert!(!both(&[&bytes[..], &bytes[..]].concat()));
}

/// The lines of a head and its moves.
fn lines(bytes: &[u8]) -> (Vec<String>, Vec<u8>) {
    let (head, moves) = unseal(bytes);
    (head.lines().map(String::from).collect(), moves)
}

fn join(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn every_line_of_the_head() {
    let (_, _, bytes) = small();
    let (head, moves) = lines(&bytes);
    let mut altered = Vec::new();
    for at in 0..head.len() {
        let mut without = head.clone();
        let line = without.remove(at);
        altered.push(join(&without));
        let mut with = |text: String| {
            let mut lines = head.clone();
            lines[at] = text;
            altered.push(join(&lines));
        };
        with(format!("{line}\n{line}"));
        with(format!("{line} "));
        with(format!(" {line}"));
        with(format!("{line}\r"));
        with(format!("{line}\n"));
        with(line.to_uppercase().replace('X', "x"));
        with(line.chars().rev().collect());
        with(line[1..].to_string());
        with(line[..line.len() - 1].to_string());
        with(line.replace(' ', "  "));
        with(format!("{line}{}", " .".repeat(60_000)));
        with("\u{e9}".to_string());
    }
    for at in 1..head.len() {
        let mut lines = head.clone();
        lines.swap(at - 1, at);
        altered.push(join(&lines));
    }
    for (from, to) in [
        ("certificate 1", "certificate 2"),
        ("game: tanbo", "game: taratibu"),
        ("to move: black", "to move: white"),
        ("to move: black", "to move: red"),
        ("X", "R"),
        ("X", "#"),
        ("O", "o"),
        (".", "+"),
        ("wins", "loses"),
        ("positions: ", "positions: +"),
        ("positions: ", "positions: 0"),
        ("positions: ", "positions: -"),
        ("positions: ", "positions: 18446744073709551616"),
        ("plies: ", "plies: 0"),
        ("plies: ", "plies: 1"),
        ("moves: zlib", "moves: gzip"),
    ] {
        altered.push(join(&head).replacen(from, to, 1));
    }
    let whole = join(&head);
    for (number, text) in altered.iter().enumerate() {
        // A row that reads the same from both sides is no other one.
        if *text == whole {
            continue;
        }
        let damaged = seal(text, &moves);
        let refusal = refusal(&damaged);
        let (size, named) = (text.len(), refusal.to_string().len());
        assert!(
            named < 300,
            "{size} bytes of head give {named} of complaint"
        );
        if number % 7 == 0 {
            assert!(!both(&damaged));
        }
    }
}

/// What the head should be for other numbers.
fn numbered(head: &str, positions: u64, plies: u64) -> String {
    let line = |line: &str| match line.split_once(": ") {
        Some(("positions", _)) => format!("positions: {positions}\n"),
        Some(("plies", _)) => format!("plies: {plies}\n"),
        _ => format!("{line}\n"),
    };
    head.lines().map(line).collect()
}

#[test]
fn wrong_numbers_in_the_head() {
    let (board, winner, bytes) = small();
    let (head, moves) = unseal(&bytes);
    let (positions, plies) = replay(&board, winner, &moves).unwrap();
    assert!(verify(&seal(&numbered(&head, positions, plies), &moves)).is_ok());
    let fewer = refusal(&seal(&numbered(&head, positions - 1, plies), &moves));
    assert_eq!(fewer.defect, Defect::More(positions - 1));
    assert!(fewer.place.is_some());
    for wrong in [
        (positions + 1, plies),
        (positions, plies + 1),
        (positions, plies - 1),
        (999_999_999_999_999_999, plies),
    ] {
        let damaged = seal(&numbered(&head, wrong.0, wrong.1), &moves);
        let claimed = wrong;
        let found = (positions, plies);
        assert_eq!(refusal(&damaged).defect, Defect::Numbers { claimed, found });
        assert!(!both(&damaged));
    }
}

#[test]
fn every_stone_of_the_diagram_changed() {
    let (board, winner, bytes) = small();
    let (head, moves) = unseal(&bytes);
    let mut accepted = 0;
    for at in board.points() {
        for stone in [None, Some(winner), Some(other(winner))] {
            let mut changed = board.clone();
            match stone {
                Some(colour) => changed.stones.insert(at, colour),
                None => changed.stones.remove(&at),
            };
            if changed == board {
                continue;
            }
            let head = head.replace(&rows(&board), &rows(&changed));
            let playable = changed.refusals().is_empty();
            let truth = playable.then(|| replay(&changed, winner, &moves)).flatten();
            let found = verify(&seal(&head, &moves));
            accepted += usize::from(found.is_ok());
            let (positions, plies) = replay(&board, winner, &moves).unwrap();
            assert_eq!(found.is_ok(), truth == Some((positions, plies)));
        }
    }
    assert!(accepted < 5, "{accepted}");
}

/// The rows of a board as a head has them.
fn rows(board: &Board) -> String {
    let row = |y: i32| -> String {
        let stone = |x: i32| {
            board
                .stones
                .get(&(x, y))
                .map_or('.', |colour| colour.stone())
        };
        let stones: Vec<String> = (0..board.size).map(|x| stone(x).to_string()).collect();
        stones.join(" ") + "\n"
    };
    (0..board.size).rev().map(row).collect()
}

#[test]
fn every_move_replaced_by_every_other() {
    let (board, winner, bytes) = small();
    let (head, moves) = unseal(&bytes);
    let numbers = replay(&board, winner, &moves).unwrap();
    let (mut held, mut lost, mut illegal, mut left, mut missing) = (0, 0, 0, 0, 0);
    for at in 0..moves.len() {
        for number in (0..12).chain([255]) {
            if moves[at] == number {
                continue;
            }
            let mut changed = moves.clone();
            changed[at] = number;
            let truth = replay(&board, winner, &changed);
            let as_it_was = verify(&seal(&head, &changed));
            assert_eq!(as_it_was.is_ok(), truth == Some(numbers), "{at} {number}");
            // With the right numbers in the head, too, if there are any.
            let (positions, plies) = truth.unwrap_or((numbers.0 + 1000, numbers.1));
            let damaged = seal(&numbered(&head, positions, plies), &changed);
            match verify(&damaged) {
                Ok(proof) => {
                    assert_eq!(truth, Some((proof.positions, proof.plies)));
                    held += 1;
                }
                Err(VerifyError::Certificate(refusal)) => {
                    assert_eq!(truth, None, "{refusal}");
                    match refusal.defect {
                        Defect::Lost(_) => lost += 1,
                        Defect::Illegal { .. } => illegal += 1,
                        Defect::Missing(_) => missing += 1,
                        Defect::Leftover => left += 1,
                        reason => panic!("{reason}"),
                    }
                    assert_eq!(refusal.place.is_none(), refusal.defect == Defect::Leftover);
                }
                Err(error) => panic!("{error}"),
            }
            if (at + usize::from(number)) % 97 == 0 {
                both(&damaged);
            }
        }
    }
    let all = [held, lost, illegal, missing, left];
    assert!(
        lost > 0 && illegal > 0 && all.iter().sum::<usize>() > 12 * moves.len() - 1,
        "{all:?}"
    );
}

#[test]
fn the_refusal_names_the_first_position_that_breaks_it() {
    let (board, winner, bytes) = small();
    let (head, moves) = unseal(&bytes);
    for at in 0..moves.len() {
        let mut changed = moves.clone();
        changed[at] = 200;
        let refusal = refusal(&seal(&head, &changed));
        assert!(matches!(
            refusal.defect,
            Defect::Illegal { number: 200, .. }
        ));
        let place = refusal.place.unwrap();
        let mut reached = board.clone();
        for name in &place.line {
            reached.play(crate::oracle::parse_vertex(name).unwrap());
        }
        assert_eq!(reached.to_move, winner);
        assert!(place.position.diagram().ends_with(&rows(&reached)));
        // The moves before it lead there: with one more it is the next.
        let short = super::refusal(&seal(&head, &moves[..at]));
        assert!(matches!(short.defect, Defect::Missing(_)), "{short}");
        assert_eq!(short.place.unwrap().line, place.line);
    }
}

#[test]
fn moves_left_out_added_or_exchanged() {
    let (board, winner, bytes) = small();
    let (head, moves) = unseal(&bytes);
    let numbers = replay(&board, winner, &moves);
    for at in 0..moves.len() {
        let mut without = moves.clone();
        without.remove(at);
        refusal(&seal(&head, &without));
        let mut doubled = moves.clone();
        doubled.insert(at, moves[at]);
        refusal(&seal(&head, &doubled));
        let mut exchanged = moves.clone();
        exchanged.swap(at, at.saturating_sub(1));
        let truth = replay(&board, winner, &exchanged);
        assert_eq!(verify(&seal(&head, &exchanged)).is_ok(), truth == numbers);
    }
    let more = refusal(&seal(&head, &[&moves[..], &[0]].concat()));
    assert_eq!(more.defect, Defect::Leftover);
    assert!(!both(&seal(&head, &[&moves[..], &[0]].concat())));
    assert!(!both(&seal(&head, &moves[..moves.len() - 1])));
    assert!(!both(&seal(&head, &[])));
}

#[test]
fn the_other_side_claimed() {
    let (_, winner, bytes) = small();
    let (head, moves) = unseal(&bytes);
    let claim = format!("claim: {} wins", winner.word());
    let head = head.replace(&claim, &format!("claim: {} wins", other(winner).word()));
    for salt in 0..12 {
        let numbers: Vec<u8> = match salt {
            0 => moves.clone(),
            _ => {
                let mut rng = SplitMix::new(salt);
                iter::repeat_with(|| rng.below(3) as u8)
                    .take(5000)
                    .collect()
            }
        };
        let head = numbered(&head, 5000, 11);
        refusal(&seal(&head, &numbers));
        assert!(!both(&seal(&head, &numbers)));
    }
}

#[test]
fn bytes_after_the_end() {
    let (_, _, bytes) = small();
    let reason = |bytes: &[u8]| refusal(bytes).defect;
    assert_eq!(reason(&[&bytes[..], &[0]].concat()), Defect::Trailing);
    assert_eq!(reason(&[&bytes[..], &bytes[..]].concat()), Defect::Trailing);
    // Between the moves and the checksum, which is right for them.
    let body = &bytes[..bytes.len() - 4];
    for extra in [&b"\0"[..], b"more"] {
        assert!(matches!(
            reason(&sign([body, extra].concat())),
            Defect::Checksum { .. }
        ));
    }
    assert_eq!(reason(body), Defect::Truncated);
}

#[test]
fn random_bytes_and_bombs() {
    let (_, _, bytes) = small();
    let (head, _) = unseal(&bytes);
    let mut rng = SplitMix::new(1);
    for length in [0, 1, 4, 100, 10_000] {
        let noise: Vec<u8> = iter::repeat_with(|| rng.next() as u8)
            .take(length)
            .collect();
        refusal(&noise);
        refusal(&[head.as_bytes(), &noise].concat());
        assert!(!both(&[head.as_bytes(), &noise].concat()));
        refusal(&seal(&head, &noise));
    }
    // Fifty million moves in some fifty thousand bytes, and a claim of as many.
    let zeros = vec![0; 50_000_000];
    let bomb = seal(&numbered(&head, 50_000_000, 9), &zeros);
    assert!(bomb.len() < 100_000);
    refusal(&bomb);
    assert!(!both(&bomb));
    // A line without end.
    let endless = iter::repeat_n(b'x', 10_000_000).collect::<Vec<u8>>();
    assert!(matches!(
        refusal(&endless).defect,
        Defect::Header { line: 1, .. }
    ));
}

/// A file that breaks off with an error is not the certificate's fault.
#[test]
fn a_file_that_cannot_be_read_on() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is gone"))
        }
    }
    let (_, _, bytes) = small();
    for at in [0, 10, 100, bytes.len() - 5, bytes.len()] {
        let file = bytes[..at].chain(Broken);
        let found = tanada::tanbo::certificate::verify(file, Some(100), &mut |_, _| ());
        let Err(VerifyError::Read(error)) = found else {
            panic!("{at}: {found:?}");
        };
        assert_eq!(error.to_string(), "the disk is gone");
    }
}

#[test]
fn reading_in_pieces_and_interruptions_change_nothing() {
    /// One byte at a time, each after an interruption.
    struct Slow<'a> {
        rest: &'a [u8],
        interrupts: bool,
    }
    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            self.interrupts = !self.interrupts;
            if self.interrupts {
                return Err(std::io::ErrorKind::Interrupted.into());
            }
            let piece = to.len().min(1);
            self.rest.read(&mut to[..piece])
        }
    }
    let (_, _, bytes) = small();
    let file = Slow {
        rest: &bytes,
        interrupts: false,
    };
    let slow = tanada::tanbo::certificate::verify(file, None, &mut |_, _| ()).unwrap();
    let whole = verify(&bytes).unwrap();
    assert!(whole.positions > 20);
    let numbers = |proof: &Proof| (proof.positions, proof.moves, proof.plies);
    assert_eq!(numbers(&slow), numbers(&whole));
}
