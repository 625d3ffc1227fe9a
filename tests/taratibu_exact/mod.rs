//! Exact results of Taratibu against everything the oracle can try.

mod measure;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use tanada::game::{Game, Outcome, Seat};
use tanada::solver::{SolverLimits, Stopped};
use tanada::taratibu::Position;
use tanada::util::random::Random;
use tanada::variant::{Capabilities, ExactSettings, ExactSolver, Verdict};

use super::oracle::SplitMix;
use super::oracle::taratibu::{self as oracle, Board, KINDS, Piece, Side};
use super::oracle::taratibu_turn::Turn;

const WHITE: Outcome = Outcome::Winner(Seat::new(0));
const BLACK: Outcome = Outcome::Winner(Seat::new(1));

fn line(board: &Board) -> String {
    board.to_text().trim_end().replace('\n', "/")
}

fn exact(line: &str, threads: usize, has_order: bool) -> Box<dyn ExactSolver> {
    let settings = ExactSettings {
        threads,
        has_order,
        ..ExactSettings::new(0)
    };
    let position = Position::parse(line).unwrap_or_else(|e| panic!("{line}: {e}"));
    position.exact(&settings).unwrap()
}

fn solve(exact: &mut dyn ExactSolver) -> Result<Verdict, Stopped> {
    exact.solve(&SolverLimits::default(), &mut |_| ControlFlow::Continue(()))
}

/// Whether the side to move wins in its turn, by a complete search.
fn wins_turn(board: &Board) -> bool {
    let found = Turn::new(board).pruned(usize::MAX);
    found.unwrap().is_some()
}

/// Whether White, to move in turn 9, can get out of it so that Black cannot win in turn 10, by
/// trying every step.
fn holds(board: &Board, seen: &mut BTreeMap<Board, bool>) -> bool {
    if board.outcome().is_some() {
        return true;
    }
    if let Some(&holds) = seen.get(board) {
        return holds;
    }
    let holds = match board.to_move() {
        Side::White => {
            let steps = board.legal_steps();
            let mut steps = steps.into_iter();
            steps.any(|step| self::holds(&board.after(step), seen))
        }
        Side::Black => !wins_turn(board),
    };
    seen.insert(board.clone(), holds);
    holds
}

fn expected(board: &Board) -> Outcome {
    match (board.turn, wins_turn(board)) {
        (10, true) => BLACK,
        (10, false) => Outcome::Draw,
        (_, true) => WHITE,
        (_, false) if holds(board, &mut BTreeMap::new()) => Outcome::Draw,
        (_, false) => BLACK,
    }
}

/// A running position with so many pieces of White's and Black's anywhere; some of the mover's
/// are spent.
fn random_board(turn: u32, steps_left: u32, counts: [usize; 2], rng: &mut SplitMix) -> Board {
    loop {
        let mut board = Board {
            pieces: BTreeMap::new(),
            spent: Default::default(),
            turn,
            steps_left,
        };
        let mut squares = oracle::squares();
        for (side, count) in Side::ALL.into_iter().zip(counts) {
            let mut kinds = KINDS.map(|(kind, _)| kind).to_vec();
            for _ in 0..count {
                let kind = kinds.swap_remove(rng.below(kinds.len()));
                let square = squares.swap_remove(rng.below(squares.len()));
                board.pieces.insert(square, Piece { side, kind });
            }
        }
        let mover = board.to_move();
        let lost = board.lost(mover.other()).len();
        let most = lost.min((turn - steps_left) as usize).min(2);
        let own = board.pieces.iter().filter(|(_, piece)| piece.side == mover);
        let own: Vec<oracle::Square> = own.map(|(&square, _)| square).collect();
        for square in own.into_iter().take(rng.below(most + 1)) {
            board.spent.insert(square);
        }
        if board.outcome().is_none() && !board.legal_steps().is_empty() {
            return board;
        }
    }
}

/// Solves in every way, and follows a line with the result to its end.
fn check(board: &Board) -> Outcome {
    let (text, expected) = (line(board), expected(board));
    let wins = expected == [BLACK, WHITE][(board.turn % 2) as usize];
    let verdict = Verdict {
        outcome: Some(expected),
        wins_this_turn: Some(wins),
    };
    for (threads, has_order) in [(1, false), (3, true), (1, true)] {
        let mut exact = exact(&text, threads, has_order);
        assert_eq!(solve(&mut *exact), Ok(verdict), "{text}");
    }
    let mut exact = exact(&text, 1, true);
    let mut board = board.clone();
    while exact.over().is_none() {
        let found = solve(&mut *exact).unwrap();
        assert_eq!(found.outcome, Some(expected), "{text}: {}", line(&board));
        let code = exact.keeps(expected).unwrap();
        let step = Position::decode(code.number());
        board.play(oracle::step(&step.to_string()));
        exact.play(code).unwrap();
    }
    assert_eq!(exact.over(), Some(expected), "{text}");
    assert_eq!(solve(&mut *exact), Ok(Verdict::of(expected)));
    while exact.undo() {}
    assert_eq!(solve(&mut *exact), Ok(verdict), "{text}");
    expected
}

#[test]
fn turn_9_is_solved_as_by_trying_everything() {
    let mut rng = SplitMix::new(9);
    let mut counts = BTreeMap::new();
    // Steps left, the most pieces of White's and of Black's: what the oracle can go through. Few
    // black pieces make draws.
    for (steps_left, most, most_black) in [
        (1, 8, 7),
        (2, 4, 7),
        (3, 2, 7),
        (4, 2, 7),
        (6, 1, 7),
        (9, 1, 7),
        (1, 8, 2),
        (2, 8, 4),
    ] {
        for _ in 0..60 {
            let white = most - rng.below(most.min(3));
            let black = 1 + rng.below(most_black);
            let board = random_board(9, steps_left, [white, black], &mut rng);
            let outcome = check(&board);
            let sort = (steps_left, format!("{outcome:?}"));
            *counts.entry(sort).or_insert(0) += 1;
        }
    }
    let sum = |outcome: Outcome| -> i32 {
        let name = format!("{outcome:?}");
        let of = counts.iter().filter(|((_, found), _)| *found == name);
        of.map(|(_, count)| count).sum()
    };
    let least = [WHITE, BLACK, Outcome::Draw].map(sum);
    assert!(least.iter().all(|&count| count >= 20), "{counts:?}");
    for steps_left in 1..=2 {
        let draws = counts.get(&(steps_left, format!("{:?}", Outcome::Draw)));
        assert!(draws.is_some_and(|&draws| draws >= 5), "{counts:?}");
    }
}

/// A draw needs no search of everything: White cannot win its turn, and Black cannot win the one
/// that the line leads to.
#[test]
fn draws_in_turn_9_are_proved_by_their_lines() {
    let mut rng = SplitMix::new(99);
    let mut random = Random::new(99);
    for steps_left in [3, 5, 9] {
        let mut draws = 0;
        for _ in 0..20_000 {
            // At random, White nearly always wins with nine steps; less so in games.
            let mut board = match steps_left {
                9 => match measure::reach(9, &mut random) {
                    Some(position) => Board::parse(&position.to_text()),
                    None => continue,
                },
                _ => {
                    let counts = [4 + rng.below(6), 4 + rng.below(6)];
                    random_board(9, steps_left, counts, &mut rng)
                }
            };
            let text = line(&board);
            let mut exact = exact(&text, 1, true);
            let limits = SolverLimits {
                deadline: None,
                nodes: Some(3000),
            };
            let found = exact.solve(&limits, &mut |_| ControlFlow::Continue(()));
            if found.is_ok_and(|verdict| verdict.outcome == Some(Outcome::Draw)) {
                draws += 1;
                assert!(!wins_turn(&board), "{text}");
                while board.outcome().is_none() && board.turn == 9 {
                    let code = exact.keeps(Outcome::Draw).unwrap();
                    let step = Position::decode(code.number());
                    board.play(oracle::step(&step.to_string()));
                    exact.play(code).unwrap();
                }
                assert!(board.outcome().is_some() || !wins_turn(&board), "{text}");
            }
            if draws == 3 {
                break;
            }
        }
        assert_eq!(draws, 3, "with {steps_left} steps");
    }
}

#[test]
fn turn_10_is_solved_as_by_trying_everything() {
    let mut rng = SplitMix::new(10);
    let mut wins = 0;
    for _ in 0..150 {
        let steps_left = 1 + rng.below(10) as u32;
        let counts = [1 + rng.below(6), 1 + rng.below(8)];
        let board = random_board(10, steps_left, counts, &mut rng);
        wins += u32::from(check(&board) == BLACK);
    }
    assert!((20..=130).contains(&wins), "{wins}");
}

#[test]
fn earlier_turns_tell_whether_they_can_be_won() {
    let mut rng = SplitMix::new(8);
    let mut wins = 0;
    for _ in 0..150 {
        let turn = 1 + rng.below(8) as u32;
        let steps_left = 1 + rng.below(turn as usize) as u32;
        let counts = [1 + rng.below(5), 1 + rng.below(5)];
        let board = random_board(turn, steps_left, counts, &mut rng);
        let (won, mover) = (wins_turn(&board), [BLACK, WHITE][(turn % 2) as usize]);
        let verdict = Verdict {
            outcome: won.then_some(mover),
            wins_this_turn: Some(won),
        };
        let mut exact = exact(&line(&board), 1, true);
        assert_eq!(solve(&mut *exact), Ok(verdict), "{}", line(&board));
        wins += u32::from(won);
    }
    assert!((20..=130).contains(&wins), "{wins}");
}

#[test]
fn a_turn_without_steps_passes_and_a_finished_game_is_refused() {
    // White's only piece is spent, so Black is to move.
    let line = "......./......./......./......./......./......m/M...... / turn 9, 3 steps left";
    let mut spent = exact(&format!("{line} / spent 11"), 1, true);
    assert_eq!(spent.to_move(), Seat::new(1));
    let verdict = solve(&mut *spent).unwrap();
    assert_eq!(verdict.outcome, Some(BLACK));
    // A capture by the only piece ends the turn, though two steps are left.
    for text in [
        "......./......./......./......./......./h....../M.....m/turn 9, white to move, 3 steps left",
        "......./......./......./......./......d/h....../M.....m/turn 9, white to move, 3 steps left",
    ] {
        check(&Board::parse(&text.replace('/', "\n")));
    }
    let mut position =
        Position::parse("......M/......./......./......./......./......./Am..... / turn 1")
            .unwrap();
    position
        .play_turn(&tanada::taratibu::notation::parse_turn("1121").unwrap())
        .unwrap();
    let settings = ExactSettings::new(0);
    let refused = position.exact(&settings).map(|_| ()).unwrap_err();
    assert_eq!(refused, "the game is over");
}

#[test]
fn a_limit_stops_it() {
    let line = "d . f . . t s / m . . . . . . / . . . . . . . / . . a . . . . / . . . . h . . / \
                . . . T . A . / S . . M . . D / turn 9, white to move, 9 steps left";
    let mut exact = exact(line, 1, true);
    let limits = SolverLimits {
        deadline: None,
        nodes: Some(1000),
    };
    let found = exact.solve(&limits, &mut |_| ControlFlow::Continue(()));
    assert_eq!(found, Err(Stopped));
    let found = exact.solve(&SolverLimits::default(), &mut |_| ControlFlow::Break(()));
    assert_eq!(found, Err(Stopped));
}
