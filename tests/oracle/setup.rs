//! The built-in start positions.

use std::collections::BTreeMap;

use super::{Board, Colour, Point};

/// The setups for three and four players, as pictures: size, players, the columns and rows that the
/// letters and dots stand for, from the left and from the top.
const MANY_PLAYERS: [(i32, usize, &[i32], &str); 6] = [
    (19, 4, &[1, 7, 13, 19], "bwrg rgbw wbgr grwb"),
    (13, 4, &[1, 5, 9, 13], "bgrw wrgb rwbg gbwr"),
    (9, 4, &[2, 4, 6, 8], "bgrw wrgb rwbg gbwr"),
    (
        19,
        3,
        &[2, 3, 4, 10, 16, 17, 18],
        "..w.b.. ...r... b.....w .r...r. w.....b ...r... ..b.w..",
    ),
    (13, 3, &[2, 3, 7, 11, 12], ".w.b. b.r.w .r.r. w.r.b .b.w."),
    (9, 3, &[2, 3, 5, 7, 8], ".wrb. b...w r...r w...b .brw."),
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

/// The stones for more than two players, where there is such a setup.
fn many_players(size: i32, players: usize) -> Option<BTreeMap<Point, Colour>> {
    let is = |row: &&(i32, usize, &[i32], &str)| (row.0, row.1) == (size, players);
    let (_, _, lines, rows) = MANY_PLAYERS.iter().find(is)?;
    let mut stones = BTreeMap::new();
    for (row, letters) in lines.iter().zip(rows.split(' ')) {
        for (column, letter) in lines.iter().zip(letters.chars()) {
            let colour = match letter {
                'b' => Colour::Black,
                'w' => Colour::White,
                'r' => Colour::Red,
                'g' => Colour::Green,
                _ => continue,
            };
            // The rows are as far from the top as the columns are from the left.
            stones.insert((column - 1, size - row), colour);
        }
    }
    Some(stones)
}

impl Board {
    /// A built-in setup with Black to move, or none where there is no such setup.
    pub(crate) fn setup(name: &str, size: i32, players: usize) -> Option<Board> {
        use Colour::{Black, White};
        let last = size - 1;
        let stones = match (name, size, players) {
            ("classic", _, 3 | 4) => many_players(size, players)?,
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
        all.extend(MANY_PLAYERS.map(|(size, players, ..)| ("classic", size, players)));
        all
    }
}
