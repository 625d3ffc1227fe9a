//! Certificates of solved positions: written, checked by both verifiers, damaged.

mod damage;
mod endings;
pub(crate) mod known;
mod parts;
pub(crate) mod program;

use std::collections::BTreeMap;

use tanada::board::Point;
use tanada::game::Seat;
use tanada::tanbo::NamedSetup;
use tanada::tanbo::certificate::{self, CertificateError, Defect, Proof, VerifyError};
use tanada::variant::{CertificateSummary, MoveCode, Strategy};

use crate::oracle::{Board, Colour, SplitMix};
use crate::{point, seat, size, start};
use known::{Knows, Solver, replay, seal, unseal};

/// What `certificate::verify` says.
fn verify(bytes: &[u8]) -> Result<Proof, VerifyError> {
    certificate::verify(bytes, None, &mut |_, _| ())
}

/// Why a certificate is refused.
fn refusal(bytes: &[u8]) -> CertificateError {
    match verify(bytes) {
        Ok(proof) => panic!("accepted: {proof:?}"),
        Err(VerifyError::Certificate(error)) => error,
        Err(error) => panic!("{error}"),
    }
}

fn diagram(text: &str) -> Board {
    Board::parse(text).unwrap()
}

/// A certificate with the moves that a solver finds; `salt` picks among several.
fn certificate(
    board: &Board,
    winner: Colour,
    salt: u64,
) -> Result<(Vec<u8>, CertificateSummary), String> {
    let mut guide = Knows::new(board.clone(), salt);
    let mut bytes = Vec::new();
    let summary = certificate::write(&start(board), seat(winner), &mut guide, None, &mut bytes)?;
    Ok((bytes, summary))
}

/// The position before the last `plies` moves of a random game.
fn ending(size: i32, plies: usize, seed: u64) -> Board {
    let mut rng = SplitMix::new(seed);
    let first = Board::setup("corners", size, 2).unwrap();
    let mut game = first.clone();
    let line = game.random_game(&mut rng, usize::MAX);
    let mut board = first;
    for &at in &line[..line.len().saturating_sub(plies)] {
        board.play(at);
    }
    board
}

/// A position with some thirty positions to its certificate, of up to 12 plies.
fn small() -> (Board, Colour, Vec<u8>) {
    let board = diagram("to move: white\nO O . X\n. . . X\nX . O X\nX X O O\n");
    let winner = Solver::default().winner(&board);
    let (bytes, _) = certificate(&board, winner, 0).unwrap();
    (board, winner, bytes)
}

/// A certificate is what its position, its solver and a third reader say.
fn holds(board: &Board, winner: Colour, salt: u64) -> Vec<u8> {
    let (bytes, summary) = certificate(board, winner, salt).unwrap();
    let proof = verify(&bytes).unwrap();
    assert_eq!(proof.winner, seat(winner));
    assert_eq!(proof.start.to_move(), seat(board.to_move));
    for at in board.points() {
        let stone = proof.start.stone_at(point(at, size(board.size)));
        assert_eq!(stone, board.stones.get(&at).copied().map(seat));
    }
    let of_proof = (proof.positions, proof.moves, proof.plies);
    assert_eq!(of_proof, (summary.positions, summary.moves, summary.plies));
    assert_eq!(bytes.len() as u64, summary.bytes);
    let (head, moves) = unseal(&bytes);
    assert_eq!(moves.len() as u64, summary.positions);
    let read = replay(board, winner, &moves).unwrap();
    assert_eq!(read, (summary.positions, summary.plies));
    assert!(head.contains(&format!("\nclaim: {} wins\n", winner.word())));
    bytes
}

#[test]
fn the_whole_game_on_4x4_and_endings_on_larger_boards() {
    let (mut wins, mut first) = ([0; 2], [0; 2]);
    let board = Board::setup("corners", 4, 2).unwrap();
    let winner = Solver::default().winner(&board);
    assert!(holds(&board, winner, 0).len() < 1000);
    for (size, plies) in [(4, 9), (5, 6), (6, 5)] {
        for seed in 0..10 {
            let board = ending(size, plies, seed);
            let Some(winner) = Solver::within(500).try_winner(&board) else {
                continue;
            };
            holds(&board, winner, seed);
            wins[seat(winner).index()] += 1;
            first[usize::from(winner == board.to_move)] += 1;
        }
    }
    // Both colours have won, and both who begins and who does not.
    assert!(
        wins.into_iter().chain(first).all(|n| n > 0),
        "{wins:?} {first:?}"
    );
}

#[test]
fn a_win_in_one_move_on_every_kind_of_board() {
    // White's only stone is in the corner, and A2 is the last point beside it.
    for size in 4..=21 {
        let stones = [
            ((0, 0), Colour::White),
            ((1, 0), Colour::Black),
            ((0, 2), Colour::Black),
        ];
        let board = Board::new(size, stones.into(), Colour::Black);
        let bytes = holds(&board, Colour::Black, 1);
        let (head, moves) = unseal(&bytes);
        assert!(head.contains("\npositions: 1\nplies: 1\n"));
        assert_eq!(verify(&bytes).unwrap().moves, 1);
        assert_eq!(board.legal_points()[usize::from(moves[0])], (0, 1));
        assert!(![4, 9, 21].contains(&size) || program::both(&bytes));
    }
}

#[test]
fn the_example_of_the_documentation_is_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide/certificates.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (head, _) = unseal(&small().2);
    assert!(text.contains(&format!("```text\n{head}```\n")), "{head}");
}

/// A strategy with a list of answers.
struct Says(Vec<Option<Point>>);

impl Strategy for Says {
    fn winning_move(&mut self, _: &[MoveCode]) -> Option<MoveCode> {
        self.0.remove(0).map(MoveCode::from)
    }
}

#[test]
fn what_cannot_be_certified_is_refused() {
    let board = Board::setup("corners", 4, 2).unwrap();
    let from = start(&board);
    let named = |at| Some(point(at, size(4)));
    let write = |winner: usize, answers: Vec<Option<Point>>| {
        let mut bytes = Vec::new();
        let error = certificate::write(
            &from,
            Seat::new(winner),
            &mut Says(answers),
            None,
            &mut bytes,
        );
        assert!(bytes.is_empty());
        error.unwrap_err()
    };
    assert!(write(0, vec![None]).contains("no winning move is known after no moves"));
    assert!(write(0, vec![named((1, 1))]).contains("the move B2 after no moves is illegal"));
    let error = write(0, vec![named((1, 0)), named((1, 0))]);
    assert!(error.starts_with("the move B1 after B1 "), "{error}");
    assert!(write(2, vec![None]).contains("black and white"));
    // The side that loses has no certificate, whoever asks for it.
    let winner = Solver::default().winner(&board);
    let error = certificate(&board, crate::oracle::endings::other(winner), 0).unwrap_err();
    assert!(error.starts_with("no winning move is known"), "{error}");

    let four = NamedSetup::Classic
        .setup(size(19), 4)
        .unwrap()
        .check(None)
        .unwrap();
    let error = certificate::write(
        &four,
        Seat::new(0),
        &mut Says(vec![]),
        None,
        &mut Vec::new(),
    );
    assert!(error.unwrap_err().ends_with("not for `4` players"));
}

#[test]
fn a_losing_guide_is_found_out() {
    // Black's only root has one point left, and then none.
    let board = diagram("to move: black\nX O . .\n. O . .\nO O . .\n. . . .\n");
    let from = start(&board);
    let only = point(board.legal_points()[0], size(4));
    let mut guide = Says(vec![Some(only)]);
    let mut bytes = Vec::new();
    let error = certificate::write(&from, Seat::new(0), &mut guide, None, &mut bytes).unwrap_err();
    assert!(error.contains("the other side wins after A3"), "{error}");
    assert!(bytes.is_empty());
    // And so it is a certificate for White, without a single move of White's.
    let bytes = holds(&board, Colour::White, 0);
    assert!(unseal(&bytes).1.is_empty());
    assert!(unseal(&bytes).0.contains("positions: 0\nplies: 1\n"));
    assert_eq!(verify(&bytes).unwrap().moves, 1);
}

/// Black's stones are a knight's move apart, each with four points of its own.
#[test]
fn a_move_beyond_the_255th_cannot_be_named() {
    let mut stones = BTreeMap::new();
    for (x, y) in (0..21).flat_map(|y| (0..21).map(move |x| (x, y))) {
        if (x + 2 * y) % 5 == 1 {
            stones.insert((x, y), Colour::Black);
        }
    }
    stones.insert((0, 0), Colour::White);
    let board = Board::new(21, stones, Colour::Black);
    let from = start(&board);
    let legal = board.legal_points();
    assert!(legal.len() > 256);
    let mut guide = Says(vec![Some(point(legal[256], size(21)))]);
    let error =
        certificate::write(&from, Seat::new(0), &mut guide, None, &mut Vec::new()).unwrap_err();
    assert!(error.contains("is number 256"), "{error}");
}

#[test]
fn too_little_memory_is_neither_a_proof_nor_a_refusal() {
    let (_, _, bytes) = small();
    let error = certificate::verify(&bytes[..], Some(0), &mut |_, _| ());
    assert!(
        matches!(error, Err(VerifyError::Memory { mib: Some(0), .. })),
        "{error:?}"
    );
}

#[test]
fn a_position_that_the_rules_cannot_play_proves_nothing() {
    for (text, fault) in [
        (
            "to move: black\n. . . .\n. X . .\n. . . .\n. . . .\n",
            "both sides need stones",
        ),
        (
            "to move: black\nX O . .\nO . . .\n. . . X\n. . . .\n",
            "a root is bounded",
        ),
        (
            "to move: black\nX X . .\nX X . O\n. . . .\n. . . .\n",
            "a root holds a loop",
        ),
    ] {
        let head = format!(
            "tanada certificate 1\ngame: tanbo\n{text}claim: black wins\npositions: 1\nplies: 1\nmoves: zlib\n"
        );
        let refusal = refusal(&seal(&head, &[0]));
        assert_eq!(refusal.defect, Defect::Start(fault));
        let place = refusal.place.unwrap();
        assert_eq!(place.position.diagram(), text);
        assert_eq!(format!("{:?}", place.position), text);
        assert!(place.line.is_empty());
    }
}
