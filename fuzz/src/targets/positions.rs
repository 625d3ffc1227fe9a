//! Texts of positions.

use std::collections::BTreeMap;

use tanada::GAMES;

use super::oracle::{Board, Colour};
use super::sentence;

/// Reads text as a position of each game.
pub(super) fn diagram(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    for game in GAMES {
        match game.read(text, None) {
            Ok(start) => {
                let again = game.read(&start.text(), None).expect("its own text");
                assert!(*again == *start, "{}", start.text());
                if start.stones().is_some() {
                    let board = Board::parse(&start.text()).expect("a diagram");
                    assert_eq!(board.refusals(), []);
                }
            }
            Err(reason) => sentence(&reason),
        }
    }
}

/// Makes a board of the bytes: its side, who is to move, and a byte for each point.
pub(super) fn setup(bytes: &[u8]) {
    let [side, to_move, points @ ..] = bytes else {
        return;
    };
    let size = 4 + i32::from(side % 18);
    let mut stones = BTreeMap::new();
    for (at, byte) in (0..size * size).zip(points) {
        if let Some(&colour) = Colour::ALL.get(usize::from(byte % 8)) {
            stones.insert((at % size, at / size), colour);
        }
    }
    let board = Board::new(size, stones, Colour::ALL[usize::from(to_move % 4)]);
    match GAMES[0].read(&board.to_text(), None) {
        Ok(start) => {
            assert_eq!(board.refusals(), []);
            assert_eq!(Board::parse(&start.text()), Ok(board));
        }
        Err(reason) => {
            assert_ne!(board.refusals(), [], "{reason}");
            sentence(&reason);
        }
    }
}
