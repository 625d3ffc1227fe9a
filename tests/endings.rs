//! The engine near the end of a game: it knows the result, keeps it, and resists as long as
//! possible when it is lost.

use std::time::{Duration, Instant};

use tanada::board::Point;
use tanada::engine::Engine;
use tanada::game::Outcome;
use tanada::params::Params;
use tanada::search::{Report, SearchLimits};
use tanada::variant::MoveCode;

use super::oracle::quick::Quick;
use super::oracle::{Board, Colour, SplitMix};
use super::solver::length::Lengths;
use super::{place, point, seat, size, start};

fn params(preset: &str) -> Params {
    Params {
        threads: 1,
        memory: 16,
        seed: 1,
        solve_points: 60,
        ..Params::preset(preset).unwrap()
    }
}

fn search(engine: &mut Engine, iterations: u64) -> Report<Point> {
    let limits = SearchLimits {
        iterations: Some(iterations),
        ..SearchLimits::default()
    };
    let mut report = engine.search(&limits, &|| false);
    report.elapsed = Duration::ZERO;
    report.map(MoveCode::point)
}

/// The most positions below an ending.
const MOST: usize = 150;

/// The winner and the length of the rest of the game; `None` if there are too many positions.
fn solve(lengths: &mut Lengths, board: &Board) -> Option<(Colour, u32)> {
    let (winner, plies) = lengths.of(&Quick::new(board).1, MOST)?;
    Some((Colour::ALL[winner], plies))
}

/// The winner and the length after a move.
fn after(lengths: &mut Lengths, board: &Board, at: super::oracle::Point) -> (Colour, u32) {
    let mut next = board.clone();
    next.play(at);
    match next.winner() {
        Some(winner) => (winner, 0),
        None => solve(lengths, &next).unwrap(),
    }
}

/// The earliest positions of random games that can be solved.
fn endings(side: i32, count: usize, seed: u64) -> Vec<Board> {
    let mut rng = SplitMix::new(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let from = Board::setup("corners", side, 2).unwrap();
        let moves = from.clone().random_game(&mut rng, usize::MAX);
        let mut earliest = None;
        for plies in (0..moves.len()).rev() {
            let mut board = from.clone();
            for &at in &moves[..plies] {
                board.play(at);
            }
            if solve(&mut Lengths::new(side), &board).is_none() {
                break;
            }
            earliest = Some(board);
        }
        found.extend(earliest);
    }
    found
}

/// Positions of random games `plies` moves before their end.
fn positions(side: i32, count: usize, plies: usize, seed: u64) -> Vec<Board> {
    let mut rng = SplitMix::new(seed);
    let mut position = || {
        let mut board = Board::setup("corners", side, 2).unwrap();
        let moves = board.clone().random_game(&mut rng, usize::MAX);
        for &at in moves.iter().take(moves.len().saturating_sub(plies)) {
            board.play(at);
        }
        board
    };
    (0..count).map(|_| position()).collect()
}

fn outcome(colour: Colour) -> Outcome {
    Outcome::Winner(seat(colour))
}

#[test]
fn exact_results_are_right_and_the_lost_side_resists_longest() {
    let (mut won, mut lost, mut chosen) = (0, 0, 0);
    for (side, seed) in [(4, 1), (5, 2), (6, 3)] {
        let mut all = Lengths::new(side);
        for board in endings(side, 20, seed) {
            let (winner, plies) = solve(&mut all, &board).unwrap();
            for preset in ["network", "linear", "playout"] {
                let mut engine = Engine::new(start(&board), params(preset));
                let report = search(&mut engine, 2000);
                assert_eq!(report.proof, Some(outcome(winner)), "{board:?}");
                assert_eq!(report.iterations, 1, "nothing is left to learn");
                let to_place = |p: Point| place(p, size(board.size));
                let mut lengths = Vec::new();
                let mut last = 1.0;
                for found in &report.moves {
                    let after = after(&mut all, &board, to_place(found.mv));
                    if let Some(proof) = found.proof {
                        assert_eq!(proof, outcome(after.0), "{board:?}");
                        let value = f32::from(u8::from(after.0 == board.to_move));
                        assert_eq!(found.value, value);
                    }
                    assert!(
                        found.proof.is_none() || found.value <= last,
                        "won ones first"
                    );
                    last = found.proof.map_or(last, |_| found.value);
                    lengths.push(after.1 + 1);
                }
                let best = report.best().unwrap();
                assert_eq!(best.proof, Some(outcome(winner)));
                let line = &best.principal_variation;
                assert_eq!(
                    (line[0], line.len()),
                    (best.mv, best.variation_visits.len())
                );
                let mut end = board.clone();
                for &p in line {
                    end.play(to_place(p));
                }
                assert_eq!(end.winner(), Some(winner), "the line goes to the end");
                if winner == board.to_move {
                    won += 1;
                } else {
                    assert_eq!(lengths[0], plies, "{board:?}");
                    chosen += u32::from(lengths.iter().any(|&l| l < plies));
                    lost += 1;
                }
            }
        }
    }
    assert!(
        won > 20 && lost > 20 && chosen > 10,
        "{won} {lost} {chosen}"
    );
}

#[test]
fn a_won_start_is_won_against_anybody() {
    let from = Board::setup("corners", 5, 2).unwrap();
    let mut rng = SplitMix::new(9);
    let mut engine = Engine::new(start(&from), params("linear"));
    for game in 0..5 {
        let mut board = from.clone();
        let mut is_won = None;
        while board.winner().is_none() {
            let report = search(&mut engine, 1_000_000);
            let winner = report.proof.expect("5x5 is small");
            let last = *is_won.get_or_insert(winner);
            assert_eq!(winner, last, "game {game}: who wins never changes");
            let mover = outcome(board.to_move);
            let best = report.best().unwrap();
            assert_eq!(best.proof, Some(winner));
            // The other side plays at random.
            let at = if winner == mover {
                place(best.mv, size(5))
            } else {
                board.random_move(&mut rng).unwrap()
            };
            engine.play(point(at, size(5))).unwrap();
            board.play(at);
        }
        assert_eq!(is_won, board.winner().map(outcome));
        engine.restart(start(&from));
    }
}

#[test]
fn one_thread_and_iterations_are_reproducible_in_endings() {
    let (mut known, mut open) = (0, 0);
    for board in positions(6, 6, 14, 5) {
        let think = || {
            let mut engine = Engine::new(start(&board), params("linear"));
            let mut reports = vec![search(&mut engine, 100)];
            for _ in 0..3 {
                let best = reports.last().and_then(|r| r.best()).map(|m| m.mv);
                if best.is_none_or(|mv| engine.play(mv).is_err()) {
                    break;
                }
                reports.push(search(&mut engine, 100));
            }
            reports
        };
        let reports = think();
        assert_eq!(reports, think());
        let settled = reports.iter().filter(|r| r.proof.is_some()).count();
        known += settled;
        open += reports.len() - settled;
    }
    assert!(known > 0 && open > 0, "{known} {open}");
}

#[test]
fn results_follow_the_game_back_and_forth() {
    let mut lengths = Lengths::new(5);
    for board in endings(5, 8, 7) {
        let winner = solve(&mut lengths, &board).unwrap().0;
        let mut engine = Engine::new(start(&board), params("linear"));
        for at in board.legal_points() {
            assert_eq!(search(&mut engine, 500).proof, Some(outcome(winner)));
            engine.play(point(at, size(5))).unwrap();
            let after = after(&mut lengths, &board, at).0;
            assert_eq!(
                search(&mut engine, 500).proof,
                Some(outcome(after)),
                "{board:?}"
            );
            engine.undo();
        }
    }
}

#[test]
fn without_points_the_solver_is_not_asked() {
    // With 20 playable points nobody can win within three moves.
    let suite = tanada::lab::endings::read_file("tests/data/endings/20.txt").unwrap();
    for (line, ending) in &suite[..5] {
        let report = |solve_points, iterations| {
            let params = Params {
                solve_points,
                ..params("linear")
            };
            search(&mut Engine::new(ending.start.clone(), params), iterations)
        };
        let (with, without) = (report(60, 1_000_000), report(0, 3));
        assert_eq!(
            with.proof,
            ending.winner.map(Outcome::Winner),
            "line {line}"
        );
        assert_eq!((without.proof, without.iterations), (None, 3));
        assert_eq!(with.iterations, 1);
    }
}

#[test]
fn limits_cover_the_solver_and_the_search() {
    let suite = tanada::lab::endings::read_file("tests/data/endings/24.txt").unwrap();
    let (mut open, mut late) = (0, 0);
    for (line, ending) in &suite[..4] {
        for iterations in [1, 2, 7, 8, 9, 127, 128, 129, 600] {
            let mut engine = Engine::new(ending.start.clone(), params("linear"));
            let report = search(&mut engine, iterations);
            assert!(report.iterations <= iterations, "line {line}: {iterations}");
            if report.proof.is_none() {
                assert_eq!(report.iterations, iterations, "line {line}");
                open += 1;
            }
            // A search whose limit has passed does a minimum of work.
            let past = SearchLimits {
                deadline: Some(Instant::now()),
                ..SearchLimits::default()
            };
            for (limits, stop) in [(past, false), (SearchLimits::default(), true)] {
                let report = engine.search(&limits, &|| stop);
                assert!(report.iterations < 20, "line {line}: {}", report.iterations);
                assert!(!report.moves.is_empty());
                late += 1;
            }
        }
    }
    assert!(open > 20 && late == 72, "{open} {late}");
}

#[test]
fn restricted_roots_are_searched_as_usual() {
    let board = &positions(6, 1, 18, 11)[0];
    let mut engine = Engine::new(start(board), params("linear"));
    let report = search(&mut engine, 1_000_000);
    assert!(report.proof.is_some());
    let again = search(&mut engine, 50);
    assert_eq!(again.iterations, 1, "what is known stays known");
    assert_eq!(again.proof, report.proof);
    let codes: Vec<u16> = engine.legal().iter().map(|code| code.number()).collect();
    let limits = SearchLimits {
        iterations: Some(50),
        root_moves: Some(codes[..1].into()),
        ..SearchLimits::default()
    };
    let report = engine.search(&limits, &|| false);
    assert_eq!((report.moves.len(), report.iterations), (1, 50));
}

#[test]
fn several_workers_share_the_result() {
    let mut lengths = Lengths::new(6);
    for board in endings(6, 6, 13) {
        let (winner, _) = solve(&mut lengths, &board).unwrap();
        for threads in [1, 2] {
            let params = Params {
                threads,
                ..params("linear")
            };
            let mut engine = Engine::new(start(&board), params);
            let limits = SearchLimits {
                deadline: Instant::now().checked_add(Duration::from_secs(60)),
                ..SearchLimits::default()
            };
            let report = engine.search(&limits, &|| false);
            assert_eq!(report.proof, Some(outcome(winner)));
            assert_eq!(report.best().unwrap().proof, Some(outcome(winner)));
        }
    }
}
