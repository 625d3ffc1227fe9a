//! Each shortcut of the solver on and off: the results are equal.

use std::fmt::Debug;
use std::ops::ControlFlow;

use super::length::LengthSearch;
use super::mask::Mask;
use super::one_root::OneRoot;
use super::ordering_network::OrderingNetworks;
use super::roots::{BoardGeometry, Roots};
use super::{FEW_ROOTS, MAX_ROOTS};
use crate::solver::{Child, Key, Next, Solvable, Solver, SolverLimits, SolverProgress};

/// What a search makes use of. All off, it plays every move to the end of the game.
#[derive(Clone, Copy, Debug)]
struct Shortcuts {
    /// Counting decides who wins.
    bounds: bool,
    /// With one root a side only the playable spaces are kept.
    phases: bool,
    /// Positions that are turned or mirrored share a key.
    symmetry: bool,
    order: bool,
    /// The table, from its usual size on.
    table: bool,
    budgets: bool,
}

const ALL: Shortcuts = Shortcuts {
    bounds: true,
    phases: true,
    symmetry: true,
    order: true,
    table: true,
    budgets: true,
};

impl Shortcuts {
    /// The size that the solver is told: it has no table below 8 and no budgets below 12.
    fn size(self, size: u32) -> u32 {
        match self {
            Self { table: false, .. } => size.min(7),
            Self { budgets: false, .. } => size.min(11),
            Self { .. } => size,
        }
    }

    fn networks(self) -> Option<&'static OrderingNetworks> {
        OrderingNetworks::get().filter(|_| self.order)
    }

    fn rank(self, rank: i32) -> i32 {
        if self.order { rank } else { 0 }
    }
}

/// A search with some of the shortcuts is given up after this many nodes.
const MOST: Option<u64> = Some(1 << 16);

#[derive(Clone)]
struct First<M: Mask, const N: usize>(Roots<M, N>, Shortcuts);

#[derive(Clone)]
struct Last<M: Mask>(OneRoot<M>, Shortcuts);

impl<M: Mask, const N: usize> Solvable for First<M, N> {
    type Later = Last<M>;

    fn key(&self) -> Key {
        if self.1.symmetry {
            return self.0.key();
        }
        let [[a, c], [b, d]] = self.0.stones().map(M::words);
        Key::of(&[a, b, c, d])
    }

    fn size(&self) -> u32 {
        self.1.size(self.0.size())
    }

    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let (Self(position, with), start) = (self, children.len());
        for point in position.legal().points() {
            let next = match position.play(point) {
                Err(true) => return Some(true),
                Err(false) => continue,
                Ok(next) => next,
            };
            let later = next.one_root().filter(|_| with.phases);
            let ranked = match &later {
                Some(one_root) => one_root.ranked(with.networks()),
                None => next.ranked(with.networks()),
            };
            let rank = match ranked {
                Err(false) if with.bounds => return Some(true),
                Err(true) if with.bounds => continue,
                ranked => with.rank(ranked.unwrap_or(0)),
            };
            let next = match later {
                Some(one_root) => Next::Later(Last(one_root, *with)),
                None => Next::Same(First(next, *with)),
            };
            children.push(Child::new(rank, next));
        }
        (children.len() == start).then_some(false)
    }
}

impl<M: Mask> Solvable for Last<M> {
    type Later = Self;

    fn key(&self) -> Key {
        self.0.key()
    }

    fn size(&self) -> u32 {
        self.1.size(self.0.size())
    }

    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let (Self(one_root, with), start) = (self, children.len());
        let points = one_root.own.legal.points();
        let mut all: Vec<_> = points.map(|point| one_root.play(point)).collect();
        if one_root.spare[0] > 0 {
            all.push(Ok(one_root.play_spare()));
        }
        for next in all {
            let next = match next {
                Err(true) => return Some(true),
                Err(false) => continue,
                Ok(next) => next,
            };
            let rank = match next.ranked(with.networks()) {
                Err(false) if with.bounds => return Some(true),
                Err(true) if with.bounds => continue,
                ranked => with.rank(ranked.unwrap_or(0)),
            };
            children.push(Child::new(rank, Next::Same(Last(next, *with))));
        }
        (children.len() == start).then_some(false)
    }
}

/// The stones of the side to move and of the other side, and the board.
fn parse<M: Mask>(line: &str) -> (M, M, BoardGeometry<M>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let side: u32 = words[0].parse().unwrap();
    let stride = M::stride(side as usize).unwrap();
    let (mut black, mut white, mut points) = (M::EMPTY, M::EMPTY, M::EMPTY);
    for (row, text) in (0..side).rev().zip(words[2].split('/')) {
        let (mut column, mut digits) = (0, 0);
        for c in text.chars().chain(['|']) {
            if let Some(digit) = c.to_digit(10) {
                digits = 10 * digits + digit;
                continue;
            }
            column += std::mem::take(&mut digits);
            let point = M::bit(row * stride + column.min(side - 1));
            match c {
                'X' => black |= point,
                'O' => white |= point,
                _ => break,
            }
            column += 1;
        }
        for column in 0..side {
            points |= M::bit(row * stride + column);
        }
    }
    let board = BoardGeometry {
        side,
        stride,
        points,
    };
    match words[1] {
        "b" => (black, white, board),
        _ => (white, black, board),
    }
}

/// Whether the side to move wins, `None` if that takes more than `most` nodes; and the nodes.
fn wins<P: Solvable>(position: &P, threads: usize, most: Option<u64>) -> (Option<bool>, u64) {
    let limits = SolverLimits {
        nodes: most,
        ..SolverLimits::default()
    };
    let mut solver = Solver::new(1 << 22, threads);
    let result = solver.solve(position, &limits, &mut |_| ControlFlow::Continue(()));
    (result.ok(), solver.nodes())
}

/// What a suite showed.
#[derive(Debug, Default)]
struct Tally {
    /// Endings that the side to move loses, and wins.
    results: [usize; 2],
    /// Searches that ended with the same result, and that were given up.
    equal: usize,
    given_up: usize,
    /// The nodes with all shortcuts, and without each of them.
    nodes: [u64; 7],
}

impl Tally {
    /// Solves a position with everything, and in every other way.
    fn compare<M: Mask>(&mut self, line: &str) {
        let (own, other, board) = parse::<M>(line);
        let position: Roots<M, FEW_ROOTS> = Roots::new(own, other, board).unwrap();
        let expected = match position.one_root() {
            Some(one_root) => wins(&one_root, 1, None),
            None => wins(&position, 1, None),
        };
        let won = expected.0.unwrap();
        self.results[usize::from(won)] += 1;
        let mut compare = |(found, nodes): (Option<bool>, u64), way: &dyn Debug| {
            match found {
                Some(found) => {
                    assert_eq!(found, won, "{line} {way:?}");
                    self.equal += 1;
                }
                None => self.given_up += 1,
            }
            nodes
        };
        let switches: [fn(&mut Shortcuts); 7] = [
            |_| {},
            |with| with.bounds = false,
            |with| with.symmetry = false,
            |with| with.order = false,
            |with| with.table = false,
            |with| with.budgets = false,
            |with| with.phases = false,
        ];
        for (sum, switch) in self.nodes.iter_mut().zip(switches) {
            let mut with = ALL;
            switch(&mut with);
            let found = match position.one_root().filter(|_| with.phases) {
                Some(one_root) => wins(&Last(one_root, with), 1, MOST),
                None => wins(&First(position, with), 1, MOST),
            };
            *sum += compare(found, &with);
        }
        let none = Shortcuts {
            bounds: false,
            phases: false,
            symmetry: false,
            order: false,
            ..ALL
        };
        compare(wins(&First(position, none), 1, MOST), &none);
        let many: Roots<M, MAX_ROOTS> = Roots::new(own, other, board).unwrap();
        compare(wins(&many, 1, MOST), &"many roots");
        compare(wins(&position, 2, MOST), &"two threads");
    }

    fn of(suite: &str) -> Self {
        let mut tally = Self::default();
        for line in suite.lines().filter(|line| !line.starts_with('#')) {
            match line.split(' ').next() {
                Some("4" | "5" | "6" | "7") => tally.compare::<u64>(line),
                _ => tally.compare::<u128>(line),
            }
        }
        tally
    }
}

#[test]
fn shortcuts_change_no_result() {
    let tally = Tally::of(include_str!("../../../tests/data/endings/10.txt"));
    assert!(tally.results.iter().all(|&count| count > 20), "{tally:?}");
    assert!(tally.equal > 20 * tally.given_up, "{tally:?}");
    let [all, without @ ..] = tally.nodes;
    assert!(without.iter().all(|&nodes| nodes != all), "{tally:?}");
}

/// The nodes that it takes to solve a position, and those with its length.
fn nodes<M: Mask>(line: &str, with_length: bool) -> [u64; 2] {
    let (own, other, board) = parse::<M>(line);
    let position: Roots<M, FEW_ROOTS> = Roots::new(own, other, board).unwrap();
    let (limits, mut solver) = (SolverLimits::default(), Solver::new(1 << 22, 1));
    let go_on = &mut |_: &SolverProgress<'_>| ControlFlow::Continue(());
    let won = match position.one_root() {
        Some(one_root) => solver.solve(&one_root, &limits, go_on),
        None => solver.solve(&position, &limits, go_on),
    };
    let solved = solver.nodes();
    if with_length {
        let mut search = LengthSearch::new(&mut solver, &limits, go_on);
        search.length(&position, won.unwrap()).unwrap();
    }
    [solved, solver.nodes()]
}

/// With one thread the number of nodes is deterministic. It changes with the bounds, the order of moves,
/// the budgets and the questions about lengths; measure the speed before you write other numbers here.
#[test]
fn searches_take_as_many_nodes_as_they_did() {
    let mut sums = [[0; 2]; 2];
    let suites = [
        (include_str!("../../../tests/data/endings/10.txt"), 2, true),
        (
            include_str!("../../../tests/data/endings/20.txt"),
            200,
            false,
        ),
    ];
    for ((suite, step, with_length), sums) in suites.into_iter().zip(&mut sums) {
        let lines = suite.lines().filter(|line| !line.starts_with('#'));
        for line in lines.step_by(step) {
            let nodes = match &line[..1] {
                "6" | "7" => nodes::<u64>(line, with_length),
                _ => nodes::<u128>(line, with_length),
            };
            for (sum, nodes) in sums.iter_mut().zip(nodes) {
                *sum += nodes;
            }
        }
    }
    assert_eq!(sums, [[9_928, 199_017], [69_190, 69_190]]);
}

/// As `scripts/lab/shortcuts.sh` runs it.
#[test]
#[ignore = "takes minutes; scripts/lab/shortcuts.sh"]
#[expect(clippy::print_stdout, reason = "the result is what the script shows")]
fn shortcuts_change_no_result_of_a_suite() {
    let path = std::env::var("ENDINGS").unwrap();
    let tally = Tally::of(&std::fs::read_to_string(path).unwrap());
    println!("{tally:?}");
}
