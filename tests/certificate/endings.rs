//! Version 3: endings that are left to the verifier: written, within parts, false, damaged.

use std::collections::HashMap;

use tanada::tanbo::certificate::{
    self, Defect, Part, PartStrategy, Step, VerifyError, write_with_parts,
};
use tanada::variant::{MoveCode, Strategy};

use super::damage::damage_every_byte;
use super::known::{Knows, Solver, seal, unseal};
use super::program::both;
use super::{ending, refusal, small, verify};
use crate::oracle::endings::{Folded, Search, folded};
use crate::oracle::{Board, Colour};
use crate::{point, seat, size, start};

fn write(board: &Board, limit: u64) -> (Vec<u8>, Colour) {
    let winner = Solver::default().winner(board);
    let mut guide = Knows::new(board.clone(), 1);
    let mut bytes = Vec::new();
    let (start, winner_seat) = (start(board), seat(winner));
    let summary =
        certificate::write(&start, winner_seat, &mut guide, Some(limit), &mut bytes).unwrap();
    let proof = verify(&bytes).unwrap();
    assert_eq!(
        (
            proof.positions,
            proof.parts,
            proof.endings,
            proof.moves,
            proof.plies
        ),
        (
            summary.positions,
            Some(0),
            summary.endings,
            summary.moves,
            summary.plies
        )
    );
    (bytes, winner)
}

/// Walks through a certificate without parts. Each ending is one that the search of the description
/// decides, and each other position is not.
struct Replay<'a> {
    moves: std::slice::Iter<'a, u8>,
    winner: Colour,
    limit: u64,
    done: HashMap<Folded, u64>,
    endings: u64,
    searched: u64,
}

impl Replay<'_> {
    fn longest(&mut self, board: &Board) -> u64 {
        if let Some(winner) = board.winner() {
            assert_eq!(winner, self.winner);
            return 0;
        }
        let mut moves = board.legal_points();
        let is_winners = board.to_move == self.winner;
        if is_winners {
            if let Some(&plies) = self.done.get(&folded(board)) {
                return plies;
            }
            let &number = self.moves.next().unwrap();
            let (won, counted) = Search::of(board);
            assert!(won);
            assert_eq!(number == 254, counted <= self.limit);
            if number == 254 {
                self.endings += 1;
                self.searched += counted;
                moves.clear();
            } else {
                moves = vec![moves[usize::from(number)]];
            }
        }
        let mut longest = 0;
        for at in moves {
            let mut after = board.clone();
            after.play(at);
            longest = longest.max(1 + self.longest(&after));
        }
        if is_winners {
            self.done.insert(folded(board), longest);
        }
        longest
    }
}

#[test]
fn endings_are_what_the_description_says() {
    let mut sizes = Vec::new();
    for (board, limits) in [
        (small().0, vec![1, 2, 5, 1000]),
        (Board::setup("corners", 4, 2).unwrap(), vec![1, 20, 200]),
        (ending(4, 9, 1), vec![1, 3]),
        (ending(5, 7, 2), vec![1, 3, 30]),
    ] {
        for limit in limits {
            let (bytes, winner) = write(&board, limit);
            let (head, moves) = unseal(&bytes);
            let mut replay = Replay {
                moves: moves.iter(),
                winner,
                limit,
                done: HashMap::new(),
                endings: 0,
                searched: 0,
            };
            let plies = replay.longest(&board);
            assert_eq!(replay.moves.next(), None);
            let proof = verify(&bytes).unwrap();
            assert_eq!(proof.positions, replay.done.len() as u64);
            assert_eq!((proof.endings, proof.plies), (Some(replay.endings), plies));
            assert_eq!(proof.searched, Some(replay.searched));
            assert!(head.contains(&format!("\nendings: {}\nsearch: {limit}\n", replay.endings)));
            assert!(both(&bytes));
            sizes.push((proof.positions, replay.endings));
        }
    }
    assert!(
        sizes
            .iter()
            .any(|&(positions, endings)| endings > 2 && positions > 2 * endings)
    );
    assert!(sizes.contains(&(1, 1)));
}

/// A certificate that says only that its first position is an ending.
fn only_an_ending(board: &Board, winner: Colour, limit: u64) -> Vec<u8> {
    let rows = start_lines(board);
    let head = format!(
        "tanada certificate 3\ngame: tanbo\n{rows}claim: {} wins\npositions: 1\nparts: 0\n\
         endings: 1\nsearch: {limit}\nplies: 0\nmoves: zlib\n",
        winner.word()
    );
    seal(&head, &[254])
}

/// The side to move and the rows, as in a head.
fn start_lines(board: &Board) -> String {
    let rows = (0..board.size).rev().map(|y| {
        let stone = |x| {
            board
                .stones
                .get(&(x, y))
                .map_or('.', |colour| colour.stone())
        };
        let stones: Vec<_> = (0..board.size).map(|x| stone(x).to_string()).collect();
        stones.join(" ") + "\n"
    });
    format!(
        "to move: {}\n{}",
        board.to_move.word(),
        rows.collect::<String>()
    )
}

#[test]
fn an_ending_needs_no_more_positions_than_the_header_says() {
    let (mut won, mut lost, mut large) = (0, 0, HashMap::new());
    for (side, plies) in [(4, 8), (5, 7), (7, 5), (8, 5), (10, 4)] {
        for seed in 0..6 {
            let board = ending(side, plies, seed);
            if board.winner().is_some() {
                continue;
            }
            let (is_won, counted) = Search::of(&board);
            let mover = board.to_move;
            let enough = only_an_ending(&board, mover, counted.max(1));
            if is_won {
                assert_eq!(verify(&enough).unwrap().searched, Some(counted));
                assert!(seed > 1 || both(&enough));
                won += 1;
            } else {
                assert_eq!(refusal(&enough).defect, Defect::EndingLost(mover.word()));
                assert!(seed > 1 || !both(&enough));
                lost += 1;
            }
            if counted > 1 {
                *large.entry(side).or_insert(0) += 1;
                let few = only_an_ending(&board, mover, counted - 1);
                let refused = refusal(&few);
                assert_eq!(refused.defect, Defect::EndingSize(counted - 1));
                assert_eq!(refused.place.unwrap().line, Vec::<String>::new());
                assert!(seed > 1 || !both(&few));
            }
        }
    }
    assert!(won > 3 && lost > 3, "{won} {lost}");
    // Searches on boards of every kind.
    assert_eq!(large.len(), 5, "{large:?}");
}

/// A version 3 of 4x4 with endings and other positions.
fn small_endings() -> Vec<u8> {
    let (bytes, _) = write(&Board::setup("corners", 4, 2).unwrap(), 2);
    let proof = verify(&bytes).unwrap();
    assert!(proof.endings.unwrap() > 3 && proof.positions > 2 + proof.endings.unwrap());
    bytes
}

#[test]
fn damage_in_every_byte_is_refused() {
    damage_every_byte(&small_endings(), 4);
}

#[test]
fn every_move_replaced_is_judged_alike_by_both_verifiers() {
    let (head, moves) = unseal(&small_endings());
    for at in 0..moves.len() {
        for number in [0, 1, 2, 253, 254, 255] {
            let mut changed = moves.clone();
            changed[at] = number;
            let bytes = seal(&head, &changed);
            if (at + usize::from(number)).is_multiple_of(24) {
                assert_eq!(both(&bytes), verify(&bytes).is_ok());
            }
            // Another winning move may come to the same numbers.
            let is_other = number > 200 && number != moves[at];
            assert!(!is_other || verify(&bytes).is_err(), "{at} {number}");
        }
    }
    let first = refusal(&seal(&head, &[255, 254]));
    assert_eq!(first.defect, Defect::PartMove(254));
    assert!(!both(&seal(&head, &[255, 254])));
}

#[test]
fn the_lines_about_endings_are_strict() {
    let bytes = small_endings();
    let (text, moves) = unseal(&bytes);
    let endings = verify(&bytes).unwrap().endings.unwrap();
    let lines = [
        "parts: 0\n",
        &format!("endings: {endings}\n"),
        "search: 2\n",
    ];
    for line in lines {
        let (name, number) = line.trim_end().split_once(": ").unwrap();
        for wrong in [
            String::new(),
            line.repeat(2),
            format!("{name}: 0{number}\n"),
            format!("{name}:  {number}\n"),
            format!("{name}: -1\n"),
            format!("{name}: 1000000000000000000\n"),
        ] {
            let damaged = seal(&text.replace(line, &wrong), &moves);
            assert!(
                matches!(refusal(&damaged).defect, Defect::Header { .. }),
                "{wrong}"
            );
            assert!(!both(&damaged));
        }
    }
    for limit in [0, 1_000_001] {
        let damaged = seal(
            &text.replace(lines[2], &format!("search: {limit}\n")),
            &moves,
        );
        let error = refusal(&damaged).to_string();
        assert!(error.contains("1 to 1000000"), "{error}");
        assert!(!both(&damaged));
    }
    for claimed in [endings - 1, endings + 1] {
        let text = text.replace(lines[1], &format!("endings: {claimed}\n"));
        let (what, found) = ("endings", endings);
        let defect = Defect::Count {
            what,
            claimed,
            found,
        };
        assert_eq!(refusal(&seal(&text, &moves)).defect, defect);
        assert!(!both(&seal(&text, &moves)));
    }
    // Larger limits hold as well, smaller ones do not.
    assert!(both(&seal(
        &text.replace(lines[2], "search: 1000000\n"),
        &moves
    )));
    let defect = refusal(&seal(&text.replace(lines[2], "search: 1\n"), &moves)).defect;
    assert_eq!(defect, Defect::EndingSize(1));
    for version in [1, 2, 4] {
        let text = text.replace("certificate 3", &format!("certificate {version}"));
        assert!(!both(&seal(&text, &moves)));
    }
}

#[test]
fn boards_have_up_to_ten_rows() {
    let board = ending(11, 3, 1);
    let bytes = only_an_ending(&board, board.to_move, 1000);
    let error = refusal(&bytes).to_string();
    assert!(error.contains("a row of 4 to 10 points"), "{error}");
    assert!(!both(&bytes));
    let mut guide = Knows::new(board.clone(), 0);
    let mut write = |board: &Board, limit| {
        let winner = seat(board.to_move);
        let out = &mut Vec::new();
        certificate::write(&start(board), winner, &mut guide, Some(limit), out).unwrap_err()
    };
    let error = write(&board, 1000);
    assert_eq!(error, "endings are for boards up to 10x10, not for 11x11");
    for limit in [0, 1_000_001] {
        let error = write(&ending(5, 3, 1), limit);
        assert_eq!(
            error,
            format!("endings have 1 to 1000000 positions, not {limit}")
        );
    }
}

/// Divides at the positions three plies after the start; the parts have endings of their own.
struct Divides {
    first: Board,
    knows: Knows,
    limit_of_parts: Option<u64>,
    /// What becomes of the moves of a part.
    spoil: fn(&mut Vec<u8>),
    parts: u64,
}

impl PartStrategy for Divides {
    fn step(&mut self, line: &[MoveCode]) -> Option<Step> {
        let code = self.knows.winning_move(line)?;
        if line.len() != 3 {
            return Some(Step::Move(code));
        }
        let side = size(self.first.size);
        let mut board = self.first.clone();
        for code in line.iter().chain([&code]) {
            board.play(crate::place(code.point(), side));
        }
        if board.winner().is_some() {
            return Some(Step::Move(code));
        }
        let winner = Solver::default().winner(&board);
        let mut bytes = Vec::new();
        let mut guide = Knows::new(board.clone(), 0);
        let limit = self.limit_of_parts;
        certificate::write(&start(&board), seat(winner), &mut guide, limit, &mut bytes).unwrap();
        self.parts += 1;
        let (head, mut moves) = unseal(&bytes);
        (self.spoil)(&mut moves);
        let bytes = seal(&head, &moves);
        let (name, file) = ("after".to_string(), Box::new(std::io::Cursor::new(bytes)));
        Some(Step::Part(code, Part { name, file }))
    }
}

fn write_divided(
    board: &Board,
    limits: [Option<u64>; 2],
    spoil: fn(&mut Vec<u8>),
) -> Result<(Vec<u8>, u64), String> {
    let winner = Solver::default().winner(board);
    let mut divides = Divides {
        first: board.clone(),
        knows: Knows::new(board.clone(), 0),
        limit_of_parts: limits[1],
        spoil,
        parts: 0,
    };
    let mut bytes = Vec::new();
    write_with_parts(
        &start(board),
        seat(winner),
        &mut divides,
        limits[0],
        &mut bytes,
    )?;
    Ok((bytes, divides.parts))
}

#[test]
fn parts_have_endings_of_the_same_size() {
    let board = Board::setup("corners", 4, 2).unwrap();
    let (bytes, parts) = write_divided(&board, [Some(2); 2], |_| ()).unwrap();
    let proof = verify(&bytes).unwrap();
    assert!(parts > 1 && proof.parts.unwrap() <= parts && proof.parts.unwrap() > 1);
    assert!(proof.endings.unwrap() > 1);
    assert!(both(&bytes));
    for (limits, wanted) in [
        (
            [Some(2), None],
            "has no endings: expected endings with `search: 2`",
        ),
        (
            [None, Some(2)],
            "has endings with `search: 2`: expected no endings",
        ),
        (
            [Some(2), Some(3)],
            "has endings with `search: 3`: expected endings with `search: 2`",
        ),
    ] {
        let error = write_divided(&board, limits, |_| ()).unwrap_err();
        assert!(error.contains(wanted), "{error}");
    }
    // A part within a part, where the file begins or later.
    for at in [0, 1] {
        let spoil: fn(&mut Vec<u8>) = match at {
            0 => |moves| moves.insert(0, 255),
            _ => |moves| moves.insert(moves.len() / 2, 255),
        };
        let error = write_divided(&board, [Some(2); 2], spoil).unwrap_err();
        assert!(error.contains("the part `after`"), "{error}");
        assert!(at == 1 || error.contains("has parts itself"), "{error}");
    }
}

/// White wins 6x6 `corners`.
#[test]
fn the_certificate_of_6x6_corners_holds() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/solved/6x6-corners.cert"
    );
    let proof = verify(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(proof.winner, seat(Colour::White));
    let board = Board::setup("corners", 6, 2).unwrap();
    for at in board.points() {
        let stone = proof.start.stone_at(point(at, size(6)));
        assert_eq!(stone, board.stones.get(&at).copied().map(seat));
    }
    assert_eq!(proof.start.to_move(), seat(Colour::Black));
}

#[test]
fn the_memory_covers_the_search() {
    let (head, moves) = unseal(&small_endings());
    let bytes = seal(&head.replace("search: 2\n", "search: 1000000\n"), &moves);
    let within = |mib| certificate::verify(&bytes[..], Some(mib), &mut |_, _| ());
    assert!(within(100).is_ok());
    let Err(error @ VerifyError::Memory { .. }) = within(64) else {
        panic!("64 MiB are enough");
    };
    assert!(error.to_string().contains("`64` MiB are too small"));
}
