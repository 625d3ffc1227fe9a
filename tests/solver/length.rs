//! How long games last, against playing every game to its end by the oracle's rules.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use ahash::AHashMap;
use tanada::game::{Outcome, Seat};
use tanada::solver::{SolverLimits, SolverProgress, Stopped};
use tanada::tanbo::{Start, exact};
use tanada::variant::{ExactSettings, ExactSolver, MoveCode};

use super::exhaustive::bits;
use super::random::{Wanted, random_position};
use super::setups::boards;
use crate::oracle::quick::{Grid, Quick};
use crate::oracle::{Board, Colour, SplitMix};
use crate::{place, seat, start};

/// Who wins, and the plies until then if the winner hurries and the loser resists, by all moves
/// of all positions.
pub(crate) struct Lengths {
    grid: Grid,
    seen: AHashMap<Quick, (usize, u32)>,
    /// So many more positions may be looked into.
    left: usize,
}

impl Lengths {
    pub(crate) fn new(side: i32) -> Lengths {
        Lengths {
            grid: Grid::new(side),
            seen: AHashMap::new(),
            left: 0,
        }
    }

    /// None if that takes more than `most` positions.
    pub(crate) fn of(&mut self, position: &Quick, most: usize) -> Option<(usize, u32)> {
        if self.seen.len() > super::MOST_KNOWN {
            self.seen.clear();
        }
        self.left = most;
        self.search(position)
    }

    fn search(&mut self, position: &Quick) -> Option<(usize, u32)> {
        if let Some(winner) = position.winner() {
            return Some((winner, 0));
        }
        if let Some(&known) = self.seen.get(position) {
            return Some(known);
        }
        self.left = self.left.checked_sub(1)?;
        let mover = position.to_move;
        let (mut quickest, mut longest) = (None, 0);
        for point in bits(position.legal(&self.grid)) {
            let (winner, plies) = self.search(&position.after(&self.grid, point))?;
            if winner == mover {
                quickest = Some(quickest.map_or(plies, |least: u32| least.min(plies)));
            }
            longest = longest.max(plies);
        }
        let found = match quickest {
            Some(plies) => (mover, plies + 1),
            None => (1 - mover, longest + 1),
        };
        self.seen.insert(*position, found);
        Some(found)
    }
}

const NO_LIMITS: SolverLimits = SolverLimits {
    deadline: None,
    nodes: None,
};

fn solver(start: &Start, threads: usize, has_order: bool) -> Box<dyn ExactSolver> {
    let settings = ExactSettings {
        threads,
        has_order,
        ..ExactSettings::new(1 << 24)
    };
    with_position!(start, |position| exact::of_position(&position, &settings)).unwrap()
}

/// Who wins and how soon, by the solver.
fn length(solver: &mut dyn ExactSolver) -> (Seat, u32) {
    let watch = &mut |_: &SolverProgress<'_>| ControlFlow::Continue(());
    let verdict = solver.solve(&NO_LIMITS, watch).unwrap();
    let Some(Outcome::Winner(winner)) = verdict.outcome else {
        panic!("{verdict:?}");
    };
    (winner, solver.length(&NO_LIMITS, watch).unwrap().unwrap())
}

/// Compares the length of a position, of what its moves lead to, and of the positions along a
/// line of that length; none if the exhaustive search takes more than `most` positions.
fn compare(lengths: &mut Lengths, position: &Quick, threads: usize, most: usize) -> Option<u32> {
    let (winner, plies) = lengths.of(position, most)?;
    let board = position.board(&lengths.grid);
    let picture = board.to_text();
    let of = |side: usize| seat(Colour::ALL[side]);
    let mut exact = solver(&start(&board), threads, plies % 3 != 0);
    assert!(exact.has_length());
    assert_eq!(length(&mut *exact), (of(winner), plies), "{picture}");

    let size = start(&board).size();
    let after = |lengths: &Lengths, position: &Quick, code: MoveCode| {
        let bit = lengths.grid.bit(place(code.point(), size));
        position.after(&lengths.grid, bit)
    };
    for code in exact.legal() {
        let next = after(lengths, position, code);
        let (winner, plies) = lengths.search(&next).unwrap();
        exact.play(code).unwrap();
        assert_eq!(length(&mut *exact), (of(winner), plies), "{picture}");
        assert!(exact.undo());
    }

    let mut at = *position;
    for left in (0..plies).rev() {
        let code = exact
            .lasting(left + 1, &NO_LIMITS, &mut |_: &SolverProgress<'_>| {
                ControlFlow::Continue(())
            })
            .unwrap()
            .unwrap();
        exact.play(code).unwrap();
        at = after(lengths, &at, code);
        assert_eq!(lengths.search(&at), Some((winner, left)), "{picture}");
    }
    assert_eq!(exact.over(), Some(Outcome::Winner(of(winner))), "{picture}");
    Some(plies)
}

/// Compares random positions until there are enough.
fn compare_random(wanted: &Wanted) {
    let mut rng = SplitMix::new(wanted.seed);
    let mut lengths = Lengths::new(wanted.side);
    let grid = Grid::new(wanted.side);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut tries = 0;
    while found.len() < wanted.count {
        tries += 1;
        assert!(tries < 20 * wanted.count, "{} compared", found.len());
        let Some(position) = random_position(wanted, &grid, &mut rng) else {
            continue;
        };
        for position in [position, position.turned()] {
            if seen.insert(position) {
                found.extend(compare(&mut lengths, &position, 1, wanted.most));
            }
        }
    }
    // Most must take more than a look, and some a long fight.
    let long = found.iter().filter(|&&plies| plies > 2).count();
    assert!(2 * long > found.len(), "{long} of {}", found.len());
    assert!(found.iter().any(|&plies| plies > 8), "{found:?}");
    let odd = found.iter().filter(|&&plies| plies % 2 == 1).count();
    assert!((1..found.len()).contains(&odd), "{odd}");
}

#[test]
fn lengths_of_random_positions() {
    for (side, setup, count, before_end, most, seed) in [
        (4, None, 300, 20, 30_000, 1),
        (5, None, 200, 14, 10_000, 2),
        (6, Some("corners"), 150, 16, 10_000, 3),
        (7, Some("dense"), 100, 16, 10_000, 4),
        // Two words a set.
        (8, Some("corners"), 60, 14, 10_000, 5),
    ] {
        compare_random(&Wanted {
            side,
            setup,
            count,
            before_end,
            most,
            seed,
        });
    }
}

#[test]
fn lengths_of_every_setup_of_4x4() {
    let mut lengths = Lengths::new(4);
    let mut found = Vec::new();
    for (name, board) in boards() {
        if board.size == 4 {
            let quick = Quick::new(&board).1;
            for threads in [1, 2] {
                let plies = compare(&mut lengths, &quick, threads, usize::MAX).unwrap();
                found.push((name.clone(), plies));
            }
            compare(&mut lengths, &quick.turned(), 1, usize::MAX).unwrap();
        }
    }
    found.dedup();
    let found: Vec<_> = found.iter().map(|(n, plies)| (&n[4..], *plies)).collect();
    assert_eq!(
        found,
        [
            ("edges-pairs", 8),
            ("edges-turned", 16),
            ("one-in", 15),
            ("second-black", 12),
            ("second-white", 11),
            ("corners", 15),
        ]
    );
}

/// On these the searches are long enough for a second thread to join.
#[test]
fn lengths_of_5x5_depend_neither_on_threads_nor_on_order() {
    for (name, board) in boards() {
        if let "5x5-corners" | "5x5-one-in" = &name[..] {
            let found = |threads, has_order| {
                let mut exact = solver(&start(&board), threads, has_order);
                length(&mut *exact)
            };
            let one = found(1, true);
            assert_eq!(found(2, true), one, "{name}");
            assert_eq!(found(2, false), one, "{name}");
        }
    }
}

#[test]
fn limits_end_the_search_for_a_length() {
    let board = Board::setup("corners", 5, 2).unwrap();
    let mut exact = solver(&start(&board), 1, true);
    let go_on = &mut |_: &SolverProgress<'_>| ControlFlow::Continue(());
    exact.solve(&NO_LIMITS, go_on).unwrap();
    let before = exact.nodes();
    let few = SolverLimits {
        nodes: Some(20_000),
        ..NO_LIMITS
    };
    assert_eq!(exact.length(&few, go_on), Err(Stopped));
    assert!((20_000..30_000).contains(&(exact.nodes() - before)));
    let late = SolverLimits {
        deadline: Some(std::time::Instant::now()),
        ..NO_LIMITS
    };
    assert_eq!(exact.length(&late, go_on), Err(Stopped));
    let soon = SolverLimits {
        deadline: Some(std::time::Instant::now() + std::time::Duration::from_secs(3600)),
        ..NO_LIMITS
    };
    let small = Board::setup("corners", 4, 2).unwrap();
    let mut small = solver(&start(&small), 1, true);
    assert!(small.length(&soon, go_on).unwrap().is_some());
    // What was found out stays known, and does no harm.
    let mut other = solver(&start(&board), 1, true);
    assert_eq!(length(&mut *exact), length(&mut *other));
}
