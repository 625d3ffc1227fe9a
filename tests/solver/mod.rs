//! The exact solver against exhaustive search by the oracle's rules, on thousands of positions.
//!
//! What takes minutes is left out unless it is asked for:
//! `cargo test --release --test tests solver -- --ignored`.

mod endings;
mod exhaustive;
pub(crate) mod length;
mod random;
mod setups;
mod small;

use std::ops::ControlFlow;

use tanada::game::{Outcome, Seat};
use tanada::solver::SolverLimits;
use tanada::tanbo::{Start, exact};
use tanada::variant::{ExactSettings, ExactSolver};

use crate::oracle::quick::Quick;
use crate::oracle::{Board, Colour, Point, SplitMix, vertex};
use crate::{place, seat, start};
use exhaustive::Exhaustive;

/// The solver of a position, one thread, little memory.
fn solver(start: &Start) -> Box<dyn ExactSolver> {
    let settings = ExactSettings::new(1 << 24);
    with_position!(start, |position| exact::of_position(&position, &settings)).unwrap()
}

/// Who wins the position of a solver.
fn result(solver: &mut dyn ExactSolver) -> Seat {
    let outcome = solver.solve(&SolverLimits::default(), &mut |_| ControlFlow::Continue(()));
    match outcome.unwrap().outcome.unwrap() {
        Outcome::Winner(winner) => winner,
        Outcome::Draw => panic!("a draw"),
    }
}

/// Who wins, by the solver.
fn winner(start: &Start) -> Seat {
    result(&mut *solver(start))
}

/// Each legal move and whether it wins, row by row from A1.
fn moves(start: &Start) -> Vec<(Point, bool)> {
    let mut solver = solver(start);
    let mover = solver.to_move();
    assert_eq!(mover, start.setup().to_move);
    let mut moves = Vec::new();
    for code in solver.legal() {
        solver.play(code).unwrap();
        let wins = result(&mut *solver) == mover;
        assert!(solver.undo());
        moves.push((place(code.point(), start.size()), wins));
    }
    moves.sort_unstable_by_key(|&((column, row), _)| (row, column));
    moves
}

/// The exhaustive search, and what was compared with it.
struct Pair {
    exhaustive: Exhaustive,
    /// Positions that were compared, and those of them that the side to move wins.
    compared: usize,
    won: usize,
}

/// More known positions than this are forgotten before the next question.
const MOST_KNOWN: usize = 2_000_000;

impl Pair {
    fn new(side: i32) -> Pair {
        Pair {
            exhaustive: Exhaustive::new(side),
            compared: 0,
            won: 0,
        }
    }

    /// Compares who wins, and what each move is worth, if the exhaustive search ends within
    /// `most` positions; whether it did.
    fn compare(&mut self, position: &Quick, most: usize) -> bool {
        if self.exhaustive.known() > MOST_KNOWN {
            self.exhaustive = Exhaustive::new(self.exhaustive.grid.size);
        }
        let Some(all) = self.exhaustive.moves(position, most) else {
            return false;
        };
        let board = position.board(&self.exhaustive.grid);
        let start = start(&board);
        let wins = all.iter().any(|&(_, wins)| wins);
        let expected = if wins {
            position.to_move
        } else {
            1 - position.to_move
        };
        let picture = board.to_text();
        let found = winner(&start);
        assert_eq!(found, seat(Colour::ALL[expected]), "{picture}");
        let found = moves(&start);
        let text = |moves: &[(Point, bool)]| -> Vec<String> {
            let texts = moves
                .iter()
                .map(|&(at, wins)| format!("{} {wins}", vertex(at)));
            texts.collect()
        };
        assert_eq!(text(&found), text(&all), "{picture}");
        self.compared += 1;
        self.won += usize::from(wins);
        true
    }

    /// Both sides must win a fair share, or the positions are not worth much.
    fn has_both_results(&self, least: usize) {
        let Pair { compared, won, .. } = self;
        assert!(*compared >= least, "{compared} positions compared");
        let share = *won as f64 / *compared as f64;
        assert!((0.2..0.8).contains(&share), "{won} of {compared} won");
    }
}

#[test]
fn the_exhaustive_search_knows_what_wins_at_once() {
    // Black is alone in the corner: A2 and B1 bound its own root, or White's.
    let board = Board::parse("O . . .\n. . . .\n. . . .\nX . . .\n").unwrap();
    let mut exhaustive = Exhaustive::new(4);
    let quick = Quick::new(&board).1;
    let all = exhaustive.moves(&quick, usize::MAX).unwrap();
    let wins = exhaustive.wins(&quick, usize::MAX).unwrap();
    assert_eq!(all.iter().any(|&(_, wins)| wins), wins);
    // After every move the other side's result is the opposite.
    for (point, wins) in all {
        let mut next = board.clone();
        next.play(point);
        let winner = exhaustive.winner(&next, usize::MAX).unwrap();
        assert_eq!(winner == board.to_move, wins, "{}", vertex(point));
    }
    assert_eq!(Exhaustive::new(4).wins(&quick, 3), None);
}

#[test]
fn two_of_four_colours_are_solved_and_three_players_are_refused() {
    for (name, side) in [("corners", 4), ("corners", 5)] {
        let board = Board::setup(name, side, 2).unwrap();
        let expected = winner(&start(&board));
        let other = |colour| match colour {
            Colour::Black => Colour::Red,
            _ => Colour::Green,
        };
        let stones = board.stones.iter().map(|(&at, &c)| (at, other(c)));
        let board = Board::new(side, stones.collect(), Colour::Red);
        assert_eq!(winner(&start(&board)).index(), expected.index() + 2);
    }
    let settings = ExactSettings::new(1 << 24);
    for (diagram, part) in [
        ("R . . O\n. . . .\n. . . .\nX . . .\n", "3 players"),
        ("R . . O\n. . . .\n. . . .\nX . . G\n", "4 players"),
    ] {
        let start = start(&Board::parse(diagram).unwrap());
        let refused = with_position!(&start, |position| exact::of_position(&position, &settings));
        let reason = refused.err().unwrap();
        assert!(reason.contains(part), "{reason}");
    }
}

#[test]
fn a_finished_game_has_no_solver() {
    let board = Board::setup("corners", 4, 2).unwrap();
    let settings = ExactSettings::new(1 << 24);
    with_position!(&start(&board), |position| {
        let mut position = position;
        while position.winner().is_none() {
            let mv = position.legal(position.to_move()).iter().next().unwrap();
            position.try_play(mv).unwrap();
        }
        let refused = exact::of_position(&position, &settings);
        assert_eq!(refused.err().unwrap(), "the game is over");
    });
}

#[test]
fn a_solver_follows_a_game_and_back() {
    let board = Board::setup("corners", 4, 2).unwrap();
    let mut solver = solver(&start(&board));
    let first = result(&mut *solver);
    assert_eq!(solver.known(), Some(Outcome::Winner(first)));
    assert!(solver.effort().is_some_and(|effort| effort > 1));
    let mut before = Vec::new();
    while solver.over().is_none() {
        before.push((solver.to_move(), solver.legal()));
        let mv = solver.legal()[0];
        solver.play(mv).unwrap();
    }
    assert_eq!(solver.over(), Some(Outcome::Winner(solver.to_move())));
    assert_eq!((solver.known(), solver.effort()), (solver.over(), None));
    assert!(solver.legal().is_empty());
    assert!(before.len() > 3);
    while let Some(expected) = before.pop() {
        assert!(solver.undo());
        assert_eq!((solver.to_move(), solver.legal()), expected);
    }
    assert!(!solver.undo());
    assert_eq!(solver.to_move(), seat(board.to_move));
}

#[test]
fn the_winner_of_a_finished_game_is_to_move() {
    let board = Board::setup("corners", 4, 2).unwrap();
    let mut solver = solver(&start(&board));
    let mut rng = SplitMix::new(15);
    let mut endings = [0; 2];
    for _ in 0..50 {
        let (mut at, mut last) = (board.clone(), solver.to_move());
        while solver.over().is_none() {
            last = solver.to_move();
            let legal = solver.legal();
            let code = legal[rng.below(legal.len())];
            solver.play(code).unwrap();
            at.play(place(code.point(), start(&board).size()));
        }
        let winner = seat(at.winner().unwrap());
        assert_eq!(solver.to_move(), winner);
        assert_eq!(solver.over(), Some(Outcome::Winner(winner)));
        endings[usize::from(winner == last)] += 1;
        while solver.undo() {}
    }
    // The last move bounds the other side's root, or its own.
    assert!(endings.iter().all(|&count| count > 5), "{endings:?}");
}
