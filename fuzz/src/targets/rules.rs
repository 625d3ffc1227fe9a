//! Whole games, compared with the oracle after each ply.

use tanada::board::{BoardSize, Point};
use tanada::game::{Game, Outcome, Seat};
use tanada::tanbo::{Position, Start};
use tanada::taratibu::notation::{parse_turn, write_turn};
use tanada::{GAMES, taratibu};

use super::oracle::taratibu as second;
use super::oracle::{Board, Colour};

/// The first byte chooses a start of either game, each of the others a ply.
pub(super) fn games(bytes: &[u8]) {
    let mut choices = bytes.iter().copied();
    let setups = Board::all_setups();
    let choice = choices.next().unwrap_or(0);
    if choice >= 192 {
        return steps(choices);
    }
    // Most of the others choose a small board, whose games are soon over.
    let small = setups.iter().filter(|(_, size, _)| *size < 10).cycle();
    let Some(&(name, size, players)) = setups.iter().chain(small).nth(usize::from(choice)) else {
        return;
    };
    let Some(board) = Board::setup(name, size, players) else {
        return;
    };
    let start = GAMES[0].start(Some(size as usize), Some(name), Some(players));
    let start = start.expect("a setup of the oracle");
    assert_eq!(Board::parse(&start.text()), Ok(board.clone()));
    let start: Start = checked(&board);
    match (players, size) {
        (2, ..=9) => plies(&Position::<2, 2>::new(&start), board, choices),
        (2, ..=14) => plies(&Position::<4, 2>::new(&start), board, choices),
        (2, _) => plies(&Position::<8, 2>::new(&start), board, choices),
        _ => plies(&Position::<8, 4>::new(&start), board, choices),
    }
}

fn checked(board: &Board) -> Start {
    let setup = tanada::tanbo::diagram::parse(&board.to_text()).expect("a diagram of the oracle");
    setup.check(None).expect("a setup of the oracle")
}

fn seat(colour: Colour) -> Seat {
    Seat::ALL[Colour::ALL
        .iter()
        .position(|&other| other == colour)
        .unwrap_or(0)]
}

fn point(board: &Board, (column, row): (i32, i32)) -> Point {
    let size = BoardSize::new(board.size as usize).expect("a size of the oracle");
    size.point(column as usize, row as usize)
        .expect("a point of the oracle")
}

/// What a ply does besides playing a legal move.
#[derive(Clone, Copy)]
enum Also {
    Nothing,
    /// The move is taken back and made again.
    Undo,
    /// The side to move leaves instead, if there are more than two.
    Leave,
}

fn plies<const W: usize, const SEATS: usize>(
    first: &Position<W, SEATS>,
    mut board: Board,
    mut choices: impl Iterator<Item = u8>,
) {
    let mut position = first.clone();
    let mut past = Vec::new();
    while let Some(byte) = choices.next() {
        let legal = board.legal_points();
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let expected: Vec<Point> = legal.iter().map(|&at| point(&board, at)).collect();
        assert_eq!(moves, expected, "{}", board.to_text());
        assert_eq!(
            position.winner(),
            board.winner().map(seat),
            "{}",
            board.to_text()
        );
        if let Err(fault) = position.check() {
            panic!("{fault}\n{}", board.to_text());
        }
        // Boards with more than 64 legal moves take a second byte.
        let chosen = match legal.len() {
            ..=64 => usize::from(byte & 0x3f),
            _ => usize::from(byte & 0x3f) << 8 | usize::from(choices.next().unwrap_or(0)),
        };
        let Some(&at) = legal.get(chosen % legal.len().max(1)) else {
            break;
        };
        let also = match byte >> 6 {
            0 | 1 => Also::Nothing,
            2 => Also::Undo,
            _ => Also::Leave,
        };
        if matches!(also, Also::Leave) && board.alive().len() > 2 {
            let colour = board.to_move;
            assert!(position.leave(seat(colour)).is_ok());
            board.leave(colour);
            past.clear();
            continue;
        }
        let before = position.clone();
        let undo = position.try_play(point(&board, at)).expect("a legal move");
        if matches!(also, Also::Undo) {
            position.undo(undo);
            assert_eq!(position, before);
            past.push((before, position.play(point(&board, at))));
        } else {
            past.push((before, undo));
        }
        board.play(at);
        for other in board.points() {
            let stone = board.stones.get(&other).map(|&colour| seat(colour));
            assert_eq!(
                position.stone_at(point(&board, other)),
                stone,
                "{}",
                board.to_text()
            );
        }
    }
    while let Some((before, undo)) = past.pop() {
        position.undo(undo);
        assert_eq!(position, before);
    }
}

fn step(text: &str) -> <taratibu::Position as Game>::Move {
    match parse_turn(text).as_deref() {
        Ok(&[step]) => step,
        other => panic!("`{text}` is {other:?}"),
    }
}

fn steps(choices: impl Iterator<Item = u8>) {
    let mut board = second::Board::new_game();
    let mut position = taratibu::Position::new_game();
    let mut past = Vec::new();
    for byte in choices {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let mut names: Vec<String> = moves.iter().map(|&step| write_turn(&[step])).collect();
        names.sort();
        let steps = board.legal_steps();
        let mut expected: Vec<String> = steps.iter().map(|&step| second::name(step)).collect();
        expected.sort();
        assert_eq!(names, expected, "{}", board.to_text());
        let outcome = board.outcome().map(|outcome| match outcome {
            second::Outcome::Drawn => Outcome::Draw,
            second::Outcome::Won(side) => {
                let seat = second::Side::ALL.iter().position(|&other| other == side);
                Outcome::Winner(Seat::ALL[seat.unwrap_or(0)])
            }
        });
        assert_eq!(position.outcome(), outcome, "{}", board.to_text());
        let Some(&chosen) = steps.get(usize::from(byte) % steps.len().max(1)) else {
            break;
        };
        let before = (position.to_text(), position.hash());
        past.push((before, position.play(step(&second::name(chosen)))));
        board.play(chosen);
        if board.outcome().is_none() {
            assert_eq!(second::Board::parse(&position.to_text()), board);
        }
    }
    while let Some((before, undo)) = past.pop() {
        position.undo(undo);
        assert_eq!((position.to_text(), position.hash()), before);
    }
}
