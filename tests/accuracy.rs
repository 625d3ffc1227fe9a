//! Games judged by the solver, compared with an exhaustive search of all games.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tanada::game::Outcome;
use tanada::lab::accuracy::{AccuracyError, AccuracyResults, AccuracySettings, JudgedGame};
use tanada::params::Params;
use tanada::start::Configuration;

use super::oracle::quick::Quick;
use super::oracle::{Board, Colour};
use super::seat;
use super::solver::length::Lengths;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Games from the start of a 4x4 board by a weak engine, which makes mistakes.
fn settings() -> AccuracySettings {
    AccuracySettings {
        start: Configuration::new(Some(4), Some("corners"), None)
            .unwrap()
            .start()
            .clone(),
        games: 30,
        plies: 0,
        seed: 3,
        params: Params {
            threads: 1,
            memory: 16,
            evaluation_noise: 0.5,
            solve_points: 0,
            iterations: Some(2),
            ..Params::default()
        },
        nodes: 1_000_000,
        bytes: 1 << 24,
        concurrency: 1,
    }
}

#[test]
fn results_agree_with_an_exhaustive_search() {
    let settings = settings();
    let mut lengths = Lengths::new(4);
    let mut winner = |board: &Board| match board.winner() {
        Some(winner) => winner,
        None => {
            let found = lengths.of(&Quick::new(board).1, 1_000_000).unwrap();
            Colour::ALL[found.0]
        }
    };
    let mut results = AccuracyResults::default();
    let (mut slips, mut moves) = (0, 0);
    for number in 0..settings.games {
        let game = JudgedGame::new(&settings, number, &NEVER).unwrap();
        let mut board = Board::setup("corners", 4, 2).unwrap();
        for judged in &game.moves {
            assert_eq!(judged.mover, seat(board.to_move));
            let own = board.to_move;
            let before = winner(&board);
            assert_eq!(judged.before, Some(Outcome::Winner(seat(before))));
            let word = judged.name.as_bytes();
            board.play((i32::from(word[0] - b'A'), i32::from(word[1] - b'1')));
            let after = winner(&board);
            assert_eq!(judged.after, Some(Outcome::Winner(seat(after))));
            slips += usize::from(before == own && after != own);
            moves += 1;
        }
        assert!(board.winner().is_some());
        results.add(number, &game);
    }
    assert_eq!((results.moves, results.judged), (moves, moves));
    assert_eq!(results.slips.len(), slips);
    assert!(slips > 10, "{slips}");
    assert_eq!(results.proven + results.unproven(), moves);
    assert_eq!(results.wrong, []);
    let beside = AccuracySettings {
        concurrency: 3,
        ..settings
    };
    assert_eq!(beside.run(&NEVER, &|_| {}), Ok(results));
}

#[test]
fn unsolved_positions_are_left_out() {
    let start = Configuration::new(Some(6), Some("corners"), None).unwrap();
    let few = AccuracySettings {
        start: start.start().clone(),
        nodes: 10,
        games: 3,
        ..settings()
    };
    let results = few.run(&NEVER, &|_| {}).unwrap();
    assert!(results.judged < results.moves, "{results:?}");
    assert!(results.proven + results.unproven() < results.moves);
    assert!(results.judged > 0, "the last positions take few nodes");
}

#[test]
fn unsolvable_starts_are_explained() {
    let four = AccuracySettings {
        start: Configuration::new(Some(19), None, Some(4))
            .unwrap()
            .start()
            .clone(),
        ..settings()
    };
    let error = four.run(&NEVER, &|_| {}).unwrap_err();
    assert!(matches!(error, AccuracyError::Start { .. }), "{error}");
    let long = AccuracySettings {
        plies: 1000,
        ..settings()
    };
    let error = long.run(&NEVER, &|_| {}).unwrap_err();
    assert!(matches!(error, AccuracyError::Opening(_)), "{error}");
}

#[test]
fn a_stop_keeps_the_finished_games() {
    let stopped = settings().run(&AtomicBool::new(true), &|_| {});
    assert_eq!(stopped, Ok(AccuracyResults::default()));
    let stop = AtomicBool::new(false);
    let after = |done| stop.store(done == 3, Relaxed);
    let some = settings().run(&stop, &after).unwrap();
    let few = AccuracySettings {
        games: 3,
        ..settings()
    };
    assert_eq!(some, few.run(&NEVER, &|_| {}).unwrap());
}
