//! Positions that random play reaches, from random starts on small boards and late in games on
//! larger ones.

use std::collections::BTreeSet;

use tanada::game::Outcome;

use super::{Pair, result, solver};
use crate::oracle::quick::{Grid, Quick};
use crate::oracle::{Board, SplitMix};
use crate::start;

/// What positions there are to be, and how much work each may be.
pub(super) struct Wanted {
    pub(super) side: i32,
    /// A built-in setup; none for random stones.
    pub(super) setup: Option<&'static str>,
    /// Different positions, half as many for each side to move.
    pub(super) count: usize,
    /// Games go on to at most so many plies before their end.
    pub(super) before_end: usize,
    /// Positions that the exhaustive search may look into for one.
    pub(super) most: usize,
    pub(super) seed: u64,
}

/// A start with one to four random stones a side, if the rules can play from it.
fn random_start(grid: &Grid, rng: &mut SplitMix) -> Option<Quick> {
    let mut stones = [0, 0];
    for side in 0..2 {
        for _ in 0..1 + rng.below(4) {
            let at = rng.below((grid.size * grid.size) as usize);
            if (stones[0] | stones[1]) >> at & 1 == 0 {
                stones[side] |= 1 << at;
            }
        }
    }
    let to_move = rng.below(2);
    let quick = Quick { stones, to_move };
    quick.board(grid).refusals().is_empty().then_some(quick)
}

/// A position of a random game, chosen from its last ones.
pub(super) fn random_position(wanted: &Wanted, grid: &Grid, rng: &mut SplitMix) -> Option<Quick> {
    let mut position = match wanted.setup {
        Some(name) => Quick::new(&Board::setup(name, wanted.side, 2).unwrap()).1,
        None => random_start(grid, rng)?,
    };
    let mut game = Vec::new();
    while let Some(point) = position.random_move(grid, rng) {
        game.push(position);
        position = position.after(grid, point);
    }
    let back = 1 + rng.below(wanted.before_end.min(game.len()));
    Some(game[game.len() - back])
}

/// Compares positions until there are enough; there must be positions with one, two
/// and more roots a side among them.
fn compare(wanted: &Wanted) {
    let mut rng = SplitMix::new(wanted.seed);
    let mut pair = Pair::new(wanted.side);
    let grid = Grid::new(wanted.side);
    let mut seen = BTreeSet::new();
    let mut roots = BTreeSet::new();
    let mut tries = 0;
    while pair.compared < wanted.count {
        tries += 1;
        assert!(tries < 20 * wanted.count, "{} compared", pair.compared);
        let Some(position) = random_position(wanted, &grid, &mut rng) else {
            continue;
        };
        for position in [position, position.turned()] {
            if seen.insert(position) && pair.compare(&position, wanted.most) {
                let [own, other] = position.roots(&grid).map(|n| n.min(3));
                roots.insert((own, other));
            }
        }
    }
    pair.has_both_results(wanted.count);
    for own in 1..=3 {
        for other in 1..=3 {
            let expected = match wanted.setup {
                None => own + other < 6,
                Some("dense") => true,
                Some(_) => own < 3 && other < 3,
            };
            assert!(
                !expected || roots.contains(&(own, other)),
                "{own} and {other} roots: {roots:?}"
            );
        }
    }
}

#[test]
fn random_positions_of_4x4() {
    compare(&Wanted {
        side: 4,
        setup: None,
        count: 1500,
        before_end: 20,
        most: 100_000,
        seed: 1,
    });
}

#[test]
fn random_positions_of_5x5() {
    compare(&Wanted {
        side: 5,
        setup: None,
        count: 1200,
        before_end: 14,
        most: 10_000,
        seed: 2,
    });
}

#[test]
fn random_endings_of_6x6() {
    compare(&Wanted {
        side: 6,
        setup: Some("corners"),
        count: 600,
        before_end: 16,
        most: 10_000,
        seed: 3,
    });
}

#[test]
fn random_endings_of_7x7() {
    for setup in ["corners", "dense"] {
        compare(&Wanted {
            side: 7,
            setup: Some(setup),
            count: 250,
            before_end: 16,
            most: 10_000,
            seed: 4,
        });
    }
}

#[test]
fn random_endings_of_9x9() {
    compare(&Wanted {
        side: 9,
        setup: Some("classic"),
        count: 250,
        before_end: 16,
        most: 10_000,
        seed: 5,
    });
}

#[test]
fn random_endings_of_even_boards() {
    compare(&Wanted {
        side: 8,
        setup: Some("corners"),
        count: 200,
        before_end: 14,
        most: 10_000,
        seed: 6,
    });
}

#[test]
#[ignore = "takes minutes: many more and larger positions"]
fn many_random_positions() {
    for (side, setup) in [
        (4, None),
        (5, None),
        (6, None),
        (6, Some("corners")),
        (7, Some("corners")),
        (7, Some("dense")),
        (9, Some("classic")),
        (11, Some("dense")),
    ] {
        compare(&Wanted {
            side,
            setup,
            count: 5000,
            before_end: 24,
            most: 300_000,
            seed: 7,
        });
    }
}

#[test]
fn what_is_known_without_a_search_is_right() {
    let wanted = Wanted {
        side: 5,
        setup: Some("corners"),
        count: 4000,
        before_end: 12,
        most: 0,
        seed: 16,
    };
    let mut rng = SplitMix::new(wanted.seed);
    let grid = Grid::new(wanted.side);
    // Several roots on some side, or one on each; the side to move loses, or wins.
    let mut known = [[0; 2]; 2];
    for _ in 0..wanted.count {
        let position = random_position(&wanted, &grid, &mut rng).unwrap();
        let mut solver = solver(&start(&position.board(&grid)));
        let (mover, at_once) = (solver.to_move(), solver.known());
        let winner = result(&mut *solver);
        if at_once.is_some() {
            assert_eq!(at_once, Some(Outcome::Winner(winner)), "{position:?}");
            let has_one_root = position.roots(&grid) == [1, 1];
            known[usize::from(has_one_root)][usize::from(winner == mover)] += 1;
        }
    }
    assert!(known.iter().flatten().all(|&count| count > 5), "{known:?}");
}
