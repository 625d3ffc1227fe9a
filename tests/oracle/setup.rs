//! The built-in start positions.

use std::collections::BTreeMap;

use super::{Board, Colour, Point};

/// The four player tournament setup, rows from the top, on columns A, G, N and T.
const FOUR_PLAYERS: [(i32, [char; 4]); 4] = [
    (19, ['b', 'w', 'r', 'g']),
    (13, ['r', 'g', 'b', 'w']),
    (7, ['w', 'b', 'g', 'r']),
    (1, ['g', 'r', 'w', 'b']),
];

/// The name of the setup a size has when none is asked for.
pub(crate) fn default_setup(size: i32) -> &'static str {
    match size {
        9 | 13 | 19 | 21 => "classic",
        7 | 11 | 15 => "dense",
        _ => "corners",
    }
}

/// Stones on every `step`-th point from A1, colours alternating, `first` on A1.
fn lattice(size: i32, step: i32, first: Colour) -> BTreeMap<Point, Colour> {
    let second = match first {
        Colour::Black => Colour::White,
        _ => Colour::Black,
    };
    let mut stones = BTreeMap::new();
    for i in 0..=(size - 1) / step {
        for j in 0..=(size - 1) / step {
            let colour = if (i + j) % 2 == 0 { first } else { second };
            stones.insert((i * step, j * step), colour);
        }
    }
    stones
}

/// The sixteen stones of the four player game.
fn four_players() -> BTreeMap<Point, Colour> {
    let mut stones = BTreeMap::new();
    for (row, letters) in FOUR_PLAYERS {
        for (column, letter) in [0, 6, 12, 18].into_iter().zip(letters) {
            let colour = match letter {
                'b' => Colour::Black,
                'w' => Colour::White,
                'r' => Colour::Red,
                _ => Colour::Green,
            };
            stones.insert((column, row - 1), colour);
        }
    }
    stones
}

impl Board {
    /// A built-in setup with Black to move, or none where there is no such setup.
    pub(crate) fn setup(name: &str, size: i32, players: usize) -> Option<Board> {
        use Colour::{Black, White};
        let last = size - 1;
        let stones = match (name, size, players) {
            ("classic", 19, 4) => four_players(),
            ("classic", 9, 2) => BTreeMap::from([
                ((1, 1), Black),
                ((7, 7), Black),
                ((1, 7), White),
                ((7, 1), White),
            ]),
            ("classic", 13 | 21, 2) => lattice(size, 4, Black),
            ("classic", 19, 2) => lattice(size, 6, Black),
            ("dense", 7 | 11 | 15 | 19, 2) => lattice(size, 2, White),
            ("corners", 4..=21, 2) => BTreeMap::from([
                ((0, 0), Black),
                ((last, last), Black),
                ((0, last), White),
                ((last, 0), White),
            ]),
            _ => return None,
        };
        Some(Board::new(size, stones, Black))
    }

    /// Every built-in setup as (name, size, players).
    pub(crate) fn all_setups() -> Vec<(&'static str, i32, usize)> {
        let mut all: Vec<_> = (4..=21).map(|n| ("corners", n, 2)).collect();
        all.extend([7, 11, 15, 19].map(|n| ("dense", n, 2)));
        all.extend([9, 13, 19, 21].map(|n| ("classic", n, 2)));
        all.push(("classic", 19, 4));
        all
    }
}
