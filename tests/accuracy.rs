//! Games judged by the solver, against what playing all games to their ends says.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tanada::game::Outcome;
use tanada::lab::accuracy::{AccuracyError, JudgedGame, Settings, Tally};
use tanada::params::Params;
use tanada::start::Configuration;

use super::oracle::quick::Quick;
use super::oracle::{Board, Colour};
use super::seat;
use super::solver::length::Lengths;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Games from the start of a 4x4 board, by an engine that hardly thinks, so that it slips.
fn settings() -> Settings {
    Settings {
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
            iterations: 2,
            ..Params::default()
        },
        nodes: 1_000_000,
        bytes: 1 << 24,
        concurrency: 1,
    }
}

#[test]
fn results_are_those_of_all_games_played_to_their_ends() {
    let settings = settings();
    let mut lengths = Lengths::new(4);
    let mut winner = |board: &Board| match board.winner() {
        Some(winner) => winner,
        None => {
            let found = lengths.of(&Quick::new(board).1, 1_000_000).unwrap();
            Colour::ALL[found.0]
        }
    };
    let mut tally = Tally::default();
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
        tally.add(number, &game);
    }
    assert_eq!((tally.moves, tally.judged), (moves, moves));
    assert_eq!(tally.slips.len(), slips);
    assert!(slips > 10, "{slips}");
    assert_eq!(tally.proven + tally.weighed(), moves);
    assert_eq!(tally.wrong, []);
    let beside = Settings {
        concurrency: 3,
        ..settings
    };
    assert_eq!(beside.run(&NEVER, &|_| {}), Ok(tally));
}

#[test]
fn what_the_solver_gives_up_is_left_out() {
    let start = Configuration::new(Some(6), Some("corners"), None).unwrap();
    let few = Settings {
        start: start.start().clone(),
        nodes: 10,
        games: 3,
        ..settings()
    };
    let tally = few.run(&NEVER, &|_| {}).unwrap();
    assert!(tally.judged < tally.moves, "{tally:?}");
    assert!(tally.proven + tally.weighed() < tally.moves);
    assert!(tally.judged > 0, "the last positions take few nodes");
}

#[test]
fn what_cannot_be_judged_is_explained() {
    let four = Settings {
        start: Configuration::new(Some(19), None, Some(4))
            .unwrap()
            .start()
            .clone(),
        ..settings()
    };
    let error = four.run(&NEVER, &|_| {}).unwrap_err();
    assert!(matches!(error, AccuracyError::Start { .. }), "{error}");
    let long = Settings {
        plies: 1000,
        ..settings()
    };
    let error = long.run(&NEVER, &|_| {}).unwrap_err();
    assert_eq!(
        error,
        AccuracyError::Long {
            plies: 1000,
            side: 4
        }
    );
}

#[test]
fn what_is_stopped_counts_the_games_before() {
    let stopped = settings().run(&AtomicBool::new(true), &|_| {});
    assert_eq!(stopped, Ok(Tally::default()));
    let stop = AtomicBool::new(false);
    let after = |done| stop.store(done == 3, Relaxed);
    let some = settings().run(&stop, &after).unwrap();
    let few = Settings {
        games: 3,
        ..settings()
    };
    assert_eq!(some, few.run(&NEVER, &|_| {}).unwrap());
}
