//! Version 2: parts with tables of their own, written, nested, met again, damaged.

use std::collections::{BTreeMap, HashMap};

use tanada::game::Seat;
use tanada::tanbo::certificate::{Defect, Part, PartStrategy, Step, write, write_with_parts};
use tanada::variant::{CertificateSummary, MoveCode, Strategy};

use super::damage::damage_every_byte;
use super::known::{Key, Knows, Solver, key, seal, unseal};
use super::program::both;
use super::{certificate, ending, refusal, small, verify};
use crate::oracle::{Board, Colour};
use crate::{place, point, seat, size, start};

/// Writes version 2 by its description, with code of its own.
struct Emitter {
    solver: Solver,
    winner: Colour,
    /// Whether a part begins after the winner's move in a position, by the parts around it.
    begins: fn(&Board, usize) -> bool,
    /// Finished positions and parts, of each part that is not finished.
    tables: Vec<[HashMap<Key, u64>; 2]>,
    moves: Vec<u8>,
    positions: u64,
    parts: u64,
    /// Parts met again, and the most parts within each other.
    again: u64,
    deepest: usize,
}

impl Emitter {
    fn of(board: &Board, begins: fn(&Board, usize) -> bool) -> (Self, Vec<u8>) {
        let mut solver = Solver::default();
        let winner = solver.winner(board);
        let mut emitter = Self {
            solver,
            winner,
            begins,
            tables: vec![Default::default()],
            moves: Vec::new(),
            positions: 0,
            parts: 0,
            again: 0,
            deepest: 0,
        };
        let plies = emitter.longest(board);
        let numbers = (emitter.positions, emitter.parts, plies);
        let bytes = seal(&head(board, winner, numbers), &emitter.moves);
        (emitter, bytes)
    }

    fn known(&mut self, kind: usize) -> &mut HashMap<Key, u64> {
        &mut self.tables.last_mut().unwrap()[kind]
    }

    fn longest(&mut self, board: &Board) -> u64 {
        if board.winner().is_some() {
            return 0;
        }
        let moves = board.legal_points();
        if board.to_move != self.winner {
            let replies = moves.into_iter();
            let longest = replies.map(|at| 1 + self.longest(&after(board, at)));
            return longest.max().unwrap_or(0);
        }
        if let Some(&plies) = self.known(0).get(&key(board)) {
            return plies;
        }
        let wins = |&at: &(i32, i32)| self.solver.winner(&after(board, at)) == self.winner;
        let number = moves.iter().position(wins).unwrap();
        let next = after(board, moves[number]);
        self.positions += 1;
        let plies = if (self.begins)(board, self.tables.len() - 1) {
            self.moves.extend([255, number as u8]);
            self.part(&next)
        } else {
            self.moves.push(number as u8);
            self.longest(&next)
        };
        self.known(0).insert(key(board), 1 + plies);
        1 + plies
    }

    fn part(&mut self, board: &Board) -> u64 {
        if let Some(&plies) = self.known(1).get(&key(board)) {
            self.again += 1;
            return plies;
        }
        self.parts += 1;
        self.tables.push(Default::default());
        self.deepest = self.deepest.max(self.tables.len() - 1);
        let plies = self.longest(board);
        self.tables.pop();
        self.known(1).insert(key(board), plies);
        plies
    }
}

fn after(board: &Board, at: (i32, i32)) -> Board {
    let mut after = board.clone();
    after.play(at);
    after
}

/// The head of version 2 with these positions, parts and plies.
fn head(board: &Board, winner: Colour, numbers: (u64, u64, u64)) -> String {
    let text = shared_head(board, winner);
    let (positions, parts, plies) = numbers;
    format!(
        "tanada certificate 2\n{text}positions: {positions}\nparts: {parts}\nplies: {plies}\nmoves: zlib\n"
    )
}

/// The lines of a head that both versions share.
fn shared_head(board: &Board, winner: Colour) -> String {
    let (bytes, _) = certificate(board, winner, 0).unwrap();
    let (head, _) = unseal(&bytes);
    let shared = head.lines().skip(1);
    let shared = shared.take_while(|line| !line.starts_with("positions"));
    shared.map(|line| format!("{line}\n")).collect()
}

fn sum(board: &Board) -> usize {
    let stones = board.stones.keys();
    stones.map(|&(x, y)| (7 * x + 3 * y) as usize).sum()
}

#[test]
fn parts_within_parts_and_parts_met_again() {
    let (mut again, mut deepest) = (0, 0);
    let rules: [fn(&Board, usize) -> bool; 4] = [
        |_, _| false,
        |_, _| true,
        |board, around| around == 0 && sum(board).is_multiple_of(3),
        |board, around| around < 3 && sum(board).is_multiple_of(2),
    ];
    let boards = [
        Board::setup("corners", 4, 2).unwrap(),
        small().0,
        ending(4, 9, 1),
        ending(5, 7, 2),
    ];
    for (number, board) in boards.iter().enumerate() {
        for rule in rules {
            let (emitter, bytes) = Emitter::of(board, rule);
            let proof = verify(&bytes).unwrap();
            let found = (proof.positions, proof.parts);
            assert_eq!(found, (emitter.positions, Some(emitter.parts)));
            let begun = emitter.positions + emitter.parts + emitter.again;
            assert_eq!(emitter.moves.len() as u64, begun);
            assert!(number == 3 || both(&bytes));
            (again, deepest) = (again + emitter.again, deepest.max(emitter.deepest));
        }
    }
    assert!(again > 0 && deepest > 2, "{again} {deepest}");
}

/// A version 2 of the small position with a few parts, one within another.
fn small_parts() -> Vec<u8> {
    let (emitter, bytes) = Emitter::of(&small().0, |board, _| sum(board).is_multiple_of(2));
    assert!(emitter.parts > 2 && emitter.positions > 10 && emitter.deepest > 1);
    bytes
}

#[test]
fn damage_in_every_byte_is_refused() {
    damage_every_byte(&small_parts(), 3);
}

#[test]
fn every_move_replaced_is_judged_alike_by_both_verifiers() {
    let (head, moves) = unseal(&small_parts());
    for at in 0..moves.len() {
        for number in [0, 1, 2, 254, 255] {
            let mut changed = moves.clone();
            changed[at] = number;
            let bytes = seal(&head, &changed);
            if (at + usize::from(number)) % 5 == 0 {
                assert_eq!(both(&bytes), verify(&bytes).is_ok());
            }
            // Another winning move may come to the same numbers.
            let is_other = number > 200 && number != moves[at];
            assert!(!is_other || verify(&bytes).is_err(), "{at} {number}");
        }
        let short = refusal(&seal(&head, &moves[..at]));
        assert!(matches!(short.defect, Defect::Missing(_)), "{short}");
    }
    let more = refusal(&seal(&head, &[&moves[..], &[0]].concat()));
    assert_eq!(more.defect, Defect::Leftover);
}

#[test]
fn the_lines_about_parts_are_strict() {
    let bytes = small_parts();
    let (text, moves) = unseal(&bytes);
    let parts = verify(&bytes).unwrap().parts.unwrap();
    let line = format!("parts: {parts}\n");
    for wrong in [
        String::new(),
        format!("{line}{line}"),
        format!("parts: 0{parts}\n"),
        format!("parts:  {parts}\n"),
        format!("Parts: {parts}\n"),
        "parts: 1000000000000000000\n".to_string(),
        "parts: -1\n".to_string(),
    ] {
        let damaged = seal(&text.replace(&line, &wrong), &moves);
        assert!(matches!(refusal(&damaged).defect, Defect::Header { .. }));
        assert!(!both(&damaged));
    }
    for claimed in [0, parts - 1, parts + 1] {
        let damaged = seal(&text.replace(&line, &format!("parts: {claimed}\n")), &moves);
        let found = parts;
        assert_eq!(
            refusal(&damaged).defect,
            Defect::Count {
                what: "parts",
                claimed,
                found
            }
        );
        assert!(!both(&damaged));
    }
    // The other version, with and without the line.
    for first in ["certificate 1", "certificate 3"] {
        let text = text.replace("certificate 2", first);
        assert!(!both(&seal(&text, &moves)));
        assert!(!both(&seal(&text.replace(&line, ""), &moves)));
    }
}

/// A position on 21x21 that move 255 wins.
fn move_255() -> Board {
    let mut stones = BTreeMap::new();
    for (x, y) in (0..17).flat_map(|y| (0..21).map(move |x| (x, y))) {
        if (x + 2 * y) % 5 == 1 {
            stones.insert((x, y), Colour::Black);
        }
    }
    stones.insert((0, 20), Colour::White);
    stones.insert((1, 20), Colour::Black);
    stones.insert((0, 18), Colour::Black);
    let number = |stones: &BTreeMap<_, _>| {
        let board = Board::new(21, stones.clone(), Colour::Black);
        let legal = board.legal_points();
        legal.iter().position(|&at| at == (0, 19)).unwrap()
    };
    // A stone less is up to four moves less.
    let removable: Vec<_> = stones.keys().filter(|at| at.1 < 15).copied().collect();
    for at in removable {
        let mut fewer = stones.clone();
        fewer.remove(&at);
        if number(&fewer) >= 255 && number(&stones) > 255 {
            stones = fewer;
        }
    }
    // One more may be one less.
    let board = Board::new(21, stones.clone(), Colour::Black);
    let added = board.legal_points().into_iter().filter(|at| at.1 < 15);
    let mut added = added.map(|at| {
        let mut more = stones.clone();
        more.insert(at, Colour::Black);
        more
    });
    let stones = added.find(|more| number(more) == 255).unwrap();
    Board::new(21, stones, Colour::Black)
}

struct Says(MoveCode);

impl Strategy for Says {
    fn winning_move(&mut self, _: &[MoveCode]) -> Option<MoveCode> {
        Some(self.0)
    }
}

impl PartStrategy for Says {
    fn step(&mut self, _: &[MoveCode]) -> Option<Step> {
        Some(Step::Move(self.0))
    }
}

#[test]
fn move_255_is_a_move_in_version_1_only() {
    let board = move_255();
    let from = start(&board);
    let mut says = Says(point((0, 19), size(21)).into());
    let mut bytes = Vec::new();
    write(&from, Seat::new(0), &mut says, None, &mut bytes).unwrap();
    assert!(both(&bytes));
    let (text, moves) = unseal(&bytes);
    assert_eq!(moves, [255]);
    let error = write_with_parts(&from, Seat::new(0), &mut says, None, &mut Vec::new());
    let error = error.unwrap_err();
    let expected = "number 255: a certificate can name 0 to 254";
    assert!(error.ends_with(expected), "{error}");
    let text = text.replace("certificate 1", "certificate 2");
    let text = text.replace("plies", "parts: 0\nplies");
    for (moves, defect) in [
        (&[255][..], Defect::Missing("black")),
        (&[255, 255], Defect::PartMove(255)),
    ] {
        let damaged = seal(&text, moves);
        assert_eq!(refusal(&damaged).defect, defect);
        assert!(!both(&damaged));
    }
}

/// Makes parts of some positions: a certificate of the position, or of the one after a move.
struct Divides {
    first: Board,
    winner: Colour,
    knows: Knows,
    /// What is done to the bytes of each part.
    spoil: fn(Vec<u8>) -> Vec<u8>,
}

impl Divides {
    fn write(
        board: &Board,
        spoil: fn(Vec<u8>) -> Vec<u8>,
    ) -> Result<(Vec<u8>, CertificateSummary), String> {
        let winner = Solver::default().winner(board);
        let mut divides = Self {
            first: board.clone(),
            winner,
            knows: Knows::new(board.clone(), 0),
            spoil,
        };
        let mut bytes = Vec::new();
        let seat = seat(winner);
        let written = write_with_parts(&start(board), seat, &mut divides, None, &mut bytes);
        assert!(written.is_ok() || bytes.is_empty());
        written.map(|summary| (bytes, summary))
    }

    fn part(&self, board: &Board, name: &str) -> Part {
        let (bytes, _) = certificate(board, self.winner, 0).unwrap();
        let file = Box::new(std::io::Cursor::new((self.spoil)(bytes)));
        let name = name.to_string();
        Part { name, file }
    }
}

impl PartStrategy for Divides {
    fn step(&mut self, line: &[MoveCode]) -> Option<Step> {
        let code = self.knows.winning_move(line)?;
        let side = size(self.first.size);
        let mut board = self.first.clone();
        for code in line {
            board.play(place(code.point(), side));
        }
        let next = after(&board, place(code.point(), side));
        Some(match line.len() {
            3.. if sum(&board).is_multiple_of(3) => Step::Whole(self.part(&board, "whole")),
            2.. if next.winner().is_none() && sum(&board) % 3 == 1 => {
                Step::Part(code, self.part(&next, "after"))
            }
            _ => Step::Move(code),
        })
    }
}

#[test]
fn parts_are_put_together_and_checked_meanwhile() {
    for board in [
        Board::setup("corners", 4, 2).unwrap(),
        small().0,
        ending(4, 9, 1),
        ending(5, 7, 2),
    ] {
        let (bytes, summary) = Divides::write(&board, |bytes| bytes).unwrap();
        let proof = verify(&bytes).unwrap();
        assert_eq!(bytes.len() as u64, summary.bytes);
        let found = (proof.positions, proof.parts, proof.moves, proof.plies);
        let parts = Some(summary.parts);
        let expected = (summary.positions, parts, summary.moves, summary.plies);
        assert_eq!(found, expected);
        assert!(summary.parts > 0 || board.size > 4);
        assert!(board.size > 4 || both(&bytes));
    }
}

#[test]
fn a_bad_part_is_named() {
    let board = small().0;
    let refused = |spoil: fn(Vec<u8>) -> Vec<u8>| Divides::write(&board, spoil).unwrap_err();
    for (error, reason) in [
        (refused(|_| Vec::new()), "line 1 of the header is ``"),
        (
            refused(|mut bytes| {
                let last = bytes.len() - 1;
                bytes[last] ^= 1;
                bytes
            }),
            "the checksum at the end is",
        ),
        (
            refused(|bytes| {
                let (head, mut moves) = unseal(&bytes);
                moves[0] = 200;
                seal(&head, &moves)
            }),
            "move 200 was chosen where",
        ),
        (
            refused(|bytes| {
                let (head, moves) = unseal(&bytes);
                seal(&head.replacen("plies: ", "plies: 1", 1), &moves)
            }),
            "positions and",
        ),
        (refused(|_| small().2), "is of another position"),
        (
            refused(|bytes| {
                let (head, moves) = unseal(&bytes);
                let colours = ["claim: black", "claim: white"];
                let [from, to] = if head.contains(colours[0]) {
                    colours
                } else {
                    [colours[1], colours[0]]
                };
                seal(&head.replace(from, to), &moves)
            }),
            "claims that",
        ),
        (
            refused(|bytes| {
                let (head, moves) = unseal(&bytes);
                let head = head.replace("certificate 1", "certificate 2");
                seal(&head.replace("plies", "parts: 0\nplies"), &moves)
            }),
            "has parts itself",
        ),
    ] {
        let is_named = ["the part `after`", "the part `whole`"];
        let is_named = is_named.iter().any(|name| error.starts_with(name));
        assert!(is_named && error.contains(reason), "{error}");
    }
}
