//! The suites of endings, `tests/data/endings`: that they are what `scripts/lab/make_endings.sh` says,
//! and who wins.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use tanada::lab::endings::{Ending, read};

use super::exhaustive::Exhaustive;
use super::{Pair, winner};
use crate::oracle::quick::Quick;
use crate::oracle::{Board, Colour, SplitMix};
use crate::{seat, setup, text};

/// The playable points of the files.
const POINTS: [usize; 3] = [10, 20, 24];

/// The lines of a file, without comments.
fn lines(points: usize) -> Vec<String> {
    let text = text(&format!("endings/{points}.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(str::to_string).collect()
}

/// A line as the oracle reads it: the board, and who wins.
fn parse(line: &str) -> (Board, Option<Colour>) {
    let words: Vec<&str> = line.split(' ').collect();
    let side = |word: &str| match word {
        "b" => Some(Colour::Black),
        "w" => Some(Colour::White),
        other => {
            assert_eq!(other, "?", "{line}");
            None
        }
    };
    let [size, to_move, rows, winner] = words[..] else {
        panic!("{line}");
    };
    let size: i32 = size.parse().unwrap();
    let mut diagram = format!("to move: {}\n", side(to_move).unwrap().word());
    for row in rows.split('/') {
        for c in row.chars() {
            match c.to_digit(10) {
                Some(run) => diagram += &".".repeat(run as usize),
                None => diagram.push(c),
            }
        }
        diagram.push('\n');
    }
    let board = Board::parse(&diagram).unwrap();
    assert_eq!(board.size, size, "{line}");
    (board, side(winner))
}

/// Every `step`-th line of the files, a different rest for each.
fn sample(step: usize) -> Vec<(usize, String)> {
    let file = |(rest, points): (usize, usize)| {
        let lines = lines(points).into_iter().skip(rest).step_by(step);
        lines.map(move |line| (points, line))
    };
    (0..).zip(POINTS).flat_map(file).collect()
}

#[test]
fn the_suites_are_what_they_are_called() {
    for points in POINTS {
        let lines = lines(points);
        let endings = read(&text(&format!("endings/{points}.txt")), "").unwrap();
        let written: Vec<String> = endings.iter().map(|(_, e)| e.to_string()).collect();
        assert_eq!(written, lines);
        let mut sizes = BTreeMap::new();
        let mut different = BTreeSet::new();
        let mut results = BTreeMap::new();
        for (line, (_, ending)) in lines.iter().zip(&endings) {
            assert_eq!(ending.check(points), Ok(()));
            different.insert(line.rsplit_once(' ').unwrap().0);
            *sizes.entry(ending.start.size().side()).or_insert(0) += 1;
            let winner = ending.winner.unwrap();
            *results
                .entry(winner == ending.start.setup().to_move)
                .or_insert(0) += 1;
        }
        let [six, seven, nine] = match points {
            10 => [60; 3],
            _ => [334, 333, 333],
        };
        assert_eq!(sizes, BTreeMap::from([(6, six), (7, seven), (9, nine)]));
        assert_eq!(different.len(), six + seven + nine);
        assert!(results.values().all(|&n| n > six / 2), "{results:?}");
    }
}

#[test]
fn the_oracle_finds_the_same_roots_and_playable_points() {
    for (points, line) in sample(1) {
        let (board, winner) = parse(&line);
        assert_eq!(board.refusals(), [], "{line}");
        assert_eq!(board.winner(), None, "{line}");
        assert_eq!(board.playable_points().len(), points, "{line}");
        for colour in [Colour::Black, Colour::White] {
            assert!((1..=2).contains(&board.roots_of(colour).len()), "{line}");
        }
        let ending = Ending::parse(&line).unwrap();
        assert_eq!(ending.start.setup(), &setup(&board));
        assert_eq!(ending.winner, winner.map(seat));
    }
}

#[test]
fn the_solver_says_what_the_suites_say() {
    for (_, line) in sample(100) {
        let ending = Ending::parse(&line).unwrap();
        assert_eq!(Some(winner(&ending.start)), ending.winner, "{line}");
    }
}

#[test]
#[ignore = "takes minutes: solves all lines of the suites"]
fn the_solver_says_all_that_the_suites_say() {
    sample(1).par_iter().for_each(|(_, line)| {
        let ending = Ending::parse(line).unwrap();
        assert_eq!(Some(winner(&ending.start)), ending.winner, "{line}");
    });
}

#[test]
fn the_smallest_endings_are_right_by_exhaustive_search() {
    let lines = lines(10);
    let compare = |line: &String| {
        let (board, expected) = parse(line);
        let found = Exhaustive::new(board.size).winner(&board, 50_000);
        assert!(found.is_none() || found == expected, "{line}");
        usize::from(found.is_some())
    };
    let compared: usize = lines.par_iter().map(compare).sum();
    assert!(compared >= 100, "{compared} lines compared");
}

#[test]
fn random_games_from_the_suites() {
    let mut rng = SplitMix::new(8);
    let mut compared = 0;
    for (_, line) in sample(20) {
        let (board, _) = parse(&line);
        let (grid, mut position) = Quick::new(&board);
        for _ in 0..7 + rng.below(4) {
            let point = position.random_move(&grid, &mut rng);
            let next = point.map(|point| position.after(&grid, point));
            match next.filter(|next| next.winner().is_none()) {
                Some(next) => position = next,
                None => break,
            }
        }
        compared += usize::from(Pair::new(board.size).compare(&position, 10_000));
    }
    assert!(compared > 60, "{compared} positions compared");
}

#[test]
#[ignore = "takes an hour: every tenth line of the suites"]
fn the_suites_are_right_by_exhaustive_search() {
    let compare = |(_, line): &(usize, String)| {
        let (board, expected) = parse(line);
        let found = Exhaustive::new(board.size).winner(&board, 10_000_000);
        assert!(found.is_none() || found == expected, "{line}");
        usize::from(found.is_some())
    };
    let compared: usize = sample(10).par_iter().map(compare).sum();
    assert!(compared >= 100, "{compared} lines compared");
}
