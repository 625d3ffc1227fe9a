//! The setups of small boards that are solved: their files, and who wins them.

use std::collections::BTreeMap;

use super::{Pair, winner};
use crate::oracle::quick::Quick;
use crate::oracle::{Board, Colour};
use crate::{files, seat, start, text};

/// The boards of the files, and `corners` of the same sizes, with their names.
pub(super) fn boards() -> Vec<(String, Board)> {
    let mut boards: Vec<_> = files("solved")
        .into_iter()
        .map(|file| {
            let board = Board::parse(&text(&format!("solved/{file}"))).unwrap();
            (file.trim_end_matches(".txt").to_string(), board)
        })
        .collect();
    for side in 4..=6 {
        let corners = Board::setup("corners", side, 2).unwrap();
        boards.push((format!("{side}x{side}-corners"), corners));
    }
    boards
}

/// The stones after a quarter turn.
fn quarter(board: &Board) -> BTreeMap<(i32, i32), Colour> {
    let stones = board.stones.iter();
    stones
        .map(|(&(x, y), &colour)| ((y, board.size - 1 - x), colour))
        .collect()
}

#[test]
fn the_files_are_what_their_names_say() {
    let boards = boards();
    for side in 4..=6 {
        let name = |what: &str| format!("{side}x{side}-{what}");
        let find = |what: &str| boards.iter().find(|(found, _)| *found == name(what));
        let edges: &[&str] = match side {
            5 => &["edges"],
            _ => &["edges-pairs", "edges-turned"],
        };
        for what in [
            &["corners", "one-in", "second-black", "second-white"],
            edges,
        ]
        .concat()
        {
            let (_, board) = find(what).unwrap_or_else(|| panic!("no {}", name(what)));
            assert_eq!(board.size, side);
            assert_eq!(board.to_move, Colour::Black, "{what} {side}");
            // The rules can play from all of them.
            assert_eq!(board.refusals(), [], "{what} {side}");
            let of = |colour| board.stones.values().filter(|&&c| c == colour).count();
            let (black, white) = (of(Colour::Black), of(Colour::White));
            match what {
                "second-black" | "second-white" => {
                    let first = match what {
                        "second-black" => Colour::Black,
                        _ => Colour::White,
                    };
                    assert_eq!(board.stones[&(0, 0)], first);
                    assert_eq!(black + white, ((side + 1) / 2 * ((side + 1) / 2)) as usize);
                    for (&(x, y), &colour) in &board.stones {
                        assert!(x % 2 == 0 && y % 2 == 0);
                        assert_eq!(colour == first, (x + y) / 2 % 2 == 0);
                    }
                }
                _ => {
                    // A quarter turn exchanges the colours.
                    let turned = quarter(board);
                    assert_eq!(black, white);
                    for (point, colour) in &board.stones {
                        assert!(
                            turned.get(point).is_some_and(|c| c != colour),
                            "{what} {side}"
                        );
                    }
                }
            }
        }
    }
    assert_eq!(boards.len(), 4 * 3 + 2 * 2 + 1);
}

/// Compares who wins the setups of a size, as far as the exhaustive search ends within so many
/// positions; their names.
fn compare(side: i32, most: usize) -> Vec<String> {
    let mut pair = Pair::new(side);
    let mut compared = Vec::new();
    for (name, board) in boards() {
        let same = board.size == side;
        let expected = same.then(|| pair.exhaustive.winner(&board, most));
        if let Some(Some(expected)) = expected {
            assert_eq!(winner(&start(&board)), seat(expected), "{name}");
            compared.push(name);
        }
    }
    compared
}

#[test]
fn every_setup_of_4x4() {
    assert_eq!(compare(4, usize::MAX).len(), 6);
    let mut pair = Pair::new(4);
    for (_, board) in boards() {
        if board.size == 4 {
            let quick = Quick::new(&board).1;
            for position in [quick, quick.turned()] {
                assert!(pair.compare(&position, usize::MAX));
            }
        }
    }
}

#[test]
fn setups_of_5x5() {
    assert_eq!(compare(5, 400_000), ["5x5-one-in", "5x5-corners"]);
}

#[test]
#[ignore = "takes a minute: `edges`, too; the exhaustive search does not end on `second`"]
fn more_setups_of_5x5() {
    assert_eq!(
        compare(5, 3_000_000),
        ["5x5-edges", "5x5-one-in", "5x5-corners"]
    );
}

// Who wins is what somebody wants to read.
#[allow(clippy::print_stdout)]
#[test]
#[ignore = "takes minutes: solves every setup of 6x6"]
fn every_setup_of_6x6() {
    for (name, board) in boards() {
        if board.size == 6 {
            println!("{name}: {:?}", winner(&start(&board)));
        }
    }
}
