//! The search: the same each time, exact where it claims a proof, and able to
//! play whole games by the rules.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tanada::board::Point;
use tanada::engine::Engine;
use tanada::game::Outcome;
use tanada::params::Params;
use tanada::search::{MoveReport, Report, SearchLimits};
use tanada::start::Configuration;
use tanada::variant::MoveCode;

use super::oracle::{self, Board, Colour, SplitMix};
use super::{files, place, point, seat, setup, size, start, text};

mod proofs;
mod symmetry;

/// The settings of a preset that do not depend on the machine, the tree alone.
fn params(preset: &str, seed: u64) -> Params {
    Params {
        threads: 1,
        memory: 16,
        solve_points: 0,
        seed,
        ..Params::preset(preset).unwrap()
    }
}

/// The presets that search a tree.
const TREES: [&str; 4] = ["network", "linear", "playout", "uct"];

fn engine(board: &Board, params: Params) -> Engine {
    Engine::new(start(board), params)
}

/// A search that only the number of iterations ends; without the elapsed time,
/// which is never the same.
fn search(engine: &mut Engine, iterations: u64) -> Report<Point> {
    let limits = SearchLimits::of_iterations(iterations);
    let mut report = engine.search(&limits, &|| false);
    report.elapsed = Duration::ZERO;
    report.map(MoveCode::point)
}

/// The best move of a report, as the oracle's point.
fn best(report: &Report<Point>, board: &Board) -> oracle::Point {
    place(report.best().unwrap().mv, size(board.size))
}

/// Plays in the engine and in the oracle.
fn play(engine: &mut Engine, board: &mut Board, at: oracle::Point) {
    engine.play(point(at, size(board.size))).unwrap();
    board.play(at);
    assert_eq!(crate::stones(engine), setup(board));
}

/// What must hold for every report.
fn check_report(report: &Report<Point>, board: &Board) {
    let size = size(board.size);
    let mut moves: Vec<Point> = report.moves.iter().map(|m| m.mv).collect();
    moves.sort_unstable();
    let legal = board.legal_points();
    assert_eq!(
        moves,
        Vec::from_iter(legal.iter().map(|&at| point(at, size)))
    );
    assert!(report.iterations >= 1 || report.proof.is_some());
    assert!(u64::from(report.visits) >= report.iterations);
    for found in &report.moves {
        assert!((0.0..=1.0).contains(&found.value), "{found:?}");
        let before: Vec<f32> = found.prior.into_iter().chain(found.initial_value).collect();
        assert!(before.len() <= 1, "{found:?}");
        assert!(before.iter().all(|x| (0.0..=1.0).contains(x)), "{found:?}");
        if let Some(outcome) = found.proof {
            let wins = outcome == Outcome::Winner(seat(board.to_move));
            assert_eq!(found.value, f32::from(u8::from(wins)));
        }
        let mut board = board.clone();
        assert_eq!(found.principal_variation[0], found.mv);
        for &p in &found.principal_variation {
            board.play(place(p, size));
        }
    }
}

fn four_players() -> Board {
    Board::setup("classic", 19, 4).unwrap()
}

/// Start positions with the iterations that a slow build can afford.
fn boards() -> Vec<(Board, u64)> {
    let file = |name| Board::parse(&text(&format!("perft/positions/{name}.txt"))).unwrap();
    vec![
        (Board::setup("classic", 9, 2).unwrap(), 40),
        (Board::setup("dense", 7, 2).unwrap(), 40),
        (Board::setup("corners", 11, 2).unwrap(), 15),
        (file("three_7_a"), 60),
        (file("four_8_b"), 60),
    ]
}

/// The reports of the first plies of a game of the engine against itself.
fn thoughts(board: &Board, params: Params, iterations: u64, plies: usize) -> Vec<Report<Point>> {
    let (mut engine, mut board) = (engine(board, params), board.clone());
    let mut reports = Vec::new();
    while reports.len() < plies && board.winner().is_none() {
        let report = search(&mut engine, iterations);
        check_report(&report, &board);
        // Only searches with playouts know nothing of a move before its first visit.
        let known = |found: &MoveReport<_>| found.prior.or(found.initial_value).is_some();
        let evaluates = engine.params().evaluates_moves();
        assert!(report.moves.iter().all(|found| known(found) == evaluates));
        let at = best(&report, &board);
        play(&mut engine, &mut board, at);
        reports.push(report);
    }
    reports
}

#[test]
fn one_thread_and_a_seed_always_think_the_same() {
    for (board, iterations) in boards() {
        for preset in TREES {
            let think = |seed| thoughts(&board, params(preset, seed), iterations, 4);
            let once = think(1);
            assert_eq!(once, think(1), "{preset} {board:?}");
            assert_ne!(once, think(2), "{preset} {board:?}");
        }
    }
    let think = |seed| thoughts(&four_players(), params("linear", seed), 4, 2);
    let once = think(1);
    assert_eq!(once, think(1));
    assert_ne!(once, think(2));
}

/// What the solver may spend does not add up over searches that begin anew.
#[test]
fn near_the_end_a_seed_thinks_the_same_again() {
    let board = Board::setup("corners", 6, 2).unwrap();
    let settings = Params {
        solve_points: 60,
        ..params("linear", 5)
    };
    let mut engine = engine(&board, settings);
    let mut solved = 0;
    while !engine.is_over() {
        engine.reseed(5);
        let once = search(&mut engine, 1000);
        for _ in 0..4 {
            engine.reseed(5);
            let again = search(&mut engine, 1000);
            assert_eq!(again, once, "after {}", engine.moves().count());
        }
        solved += usize::from(once.proof.is_some());
        engine.play(once.moves[0].mv).unwrap();
    }
    assert!(solved > 0 && solved < engine.moves().count(), "{solved}");
}

#[test]
fn the_random_stream_goes_on_in_the_next_game() {
    let board = Board::setup("dense", 7, 2).unwrap();
    for preset in TREES {
        let mut engine = engine(&board, params(preset, 7));
        let first = search(&mut engine, 50);
        engine.restart(start(&board));
        let second = search(&mut engine, 50);
        assert_ne!(first, second, "{preset}");
        engine.reseed(7);
        assert_eq!(search(&mut engine, 50), first, "{preset}");
        let mut other = params(preset, 7);
        other.time_per_move = Some(2.0);
        engine.set_params(other.clone());
        assert_ne!(search(&mut engine, 50), first, "{preset}");
        other.seed = 8;
        engine.set_params(other.clone());
        other.seed = 7;
        engine.set_params(other);
        assert_eq!(search(&mut engine, 50), first, "{preset}");
    }
}

#[test]
fn two_threads_share_the_iterations() {
    let board = Board::setup("classic", 9, 2).unwrap();
    for preset in TREES {
        let mut params = params(preset, 1);
        params.threads = 2;
        let report = search(&mut engine(&board, params), 60);
        check_report(&report, &board);
        assert_eq!((report.iterations, report.visits), (60, 60), "{preset}");
    }
}

#[test]
fn a_full_tree_searches_on_without_growing() {
    for (preset, name, side, iterations) in [
        ("network", "classic", 9, 3000),
        ("linear", "classic", 9, 700),
        ("playout", "dense", 7, 500),
        ("uct", "corners", 6, 3000),
    ] {
        let mut params = params(preset, 1);
        params.memory = 1;
        let mut board = Board::setup(name, side, 2).unwrap();
        let mut engine = engine(&board, params);
        let mut fullest = 0;
        for _ in 0..3 {
            let report = search(&mut engine, iterations);
            check_report(&report, &board);
            assert_eq!(report.iterations, iterations);
            assert!(
                report.nodes * 32 <= 1 << 19,
                "{preset}: {} nodes",
                report.nodes
            );
            fullest = fullest.max(report.nodes);
            let at = best(&report, &board);
            play(&mut engine, &mut board, at);
        }
        assert!(fullest > 7000, "{preset}: {fullest} nodes");
    }
}

#[test]
fn the_tree_is_kept_from_move_to_move_and_dropped_by_undo() {
    for (board, iterations) in boards() {
        for preset in TREES {
            let (mut board, iterations) = (board.clone(), 2 * iterations);
            let mut engine = engine(&board, params(preset, 1));
            let first = search(&mut engine, iterations);
            assert_eq!(u64::from(first.visits), first.iterations);
            let at = best(&first, &board);
            play(&mut engine, &mut board, at);
            let second = search(&mut engine, iterations);
            check_report(&second, &board);
            let kept = first.best().unwrap().visits;
            assert!(kept > 0);
            assert_eq!(
                u64::from(second.visits),
                u64::from(kept) + second.iterations
            );
            // Thinking again in the same position keeps all of it.
            let third = search(&mut engine, 1);
            assert_eq!(third.visits, second.visits + third.iterations as u32);
            assert!(engine.undo());
            let again = search(&mut engine, iterations);
            assert_eq!(u64::from(again.visits), again.iterations);
        }
    }
}

#[test]
fn one_iteration_is_made_when_time_is_up() {
    let board = Board::setup("dense", 7, 2).unwrap();
    for threads in [1, 2] {
        let mut params = params("linear", 1);
        params.threads = threads;
        let mut engine = engine(&board, params);
        let past = SearchLimits {
            deadline: Some(Instant::now()),
            iterations: None,
            ..SearchLimits::default()
        };
        let report = engine.search(&past, &|| false).map(MoveCode::point);
        check_report(&report, &board);
        assert!(report.iterations <= 16, "{}", report.iterations);
        let report = engine
            .search(&SearchLimits::default(), &|| true)
            .map(MoveCode::point);
        check_report(&report, &board);
        assert!(report.iterations <= 16, "{}", report.iterations);
    }
}

#[test]
fn a_finished_game_has_nothing_to_search() {
    let mut board = Board::setup("corners", 4, 2).unwrap();
    let mut engine = engine(&board, params("linear", 1));
    for at in board.clone().random_game(&mut SplitMix::new(1), usize::MAX) {
        play(&mut engine, &mut board, at);
    }
    let report = search(&mut engine, 100);
    assert!(report.best().is_none());
    assert_eq!((report.iterations, report.nodes), (0, 1));
    assert_eq!(report.proof, engine.winner().map(Outcome::Winner));
}

/// A whole game of an engine against itself, each ply checked.
fn self_play(board: &Board, params: Params, iterations: u64) -> usize {
    self_play_by(board, params, |engine| search(engine, iterations))
}

fn self_play_by(
    board: &Board,
    params: Params,
    search: impl Fn(&mut Engine) -> Report<Point>,
) -> usize {
    let (mut engine, mut board) = (engine(board, params), board.clone());
    while board.winner().is_none() {
        let report = search(&mut engine);
        check_report(&report, &board);
        let at = best(&report, &board);
        play(&mut engine, &mut board, at);
        assert_eq!(engine.winner(), board.winner().map(seat));
    }
    assert!(engine.legal().is_empty());
    engine.events().len()
}

#[test]
fn whole_games_of_two_end_with_a_winner() {
    for (name, side, network, linear, playout) in [
        ("corners", 4, 60, 60, 60),
        ("corners", 5, 40, 40, 40),
        ("dense", 7, 10, 10, 6),
        ("classic", 9, 6, 6, 3),
        ("classic", 13, 2, 2, 0),
    ] {
        let board = Board::setup(name, side, 2).unwrap();
        let presets = ["network", "linear", "playout"];
        for (preset, iterations) in presets.into_iter().zip([network, linear, playout]) {
            if iterations > 0 {
                let plies = self_play(&board, params(preset, 5), iterations);
                assert!(
                    plies >= 2 * side as usize,
                    "{preset} {name} {side}: {plies} plies"
                );
            }
        }
    }
}

#[test]
fn a_whole_game_of_four_ends_with_a_winner() {
    let plies = self_play(&four_players(), params("linear", 5), 1);
    assert!(plies > 100, "{plies}");
}

#[test]
fn whole_games_of_three_and_four_on_small_boards_end_with_a_winner() {
    for file in files("perft/positions") {
        let board = Board::parse(&text(&format!("perft/positions/{file}"))).unwrap();
        if board.players.len() > 2 {
            for preset in TREES {
                self_play(&board, params(preset, 5), 10);
            }
            let mut paranoid = params("linear", 5);
            paranoid.paranoia = 1.0;
            self_play(&board, paranoid, 10);
        }
    }
}

#[test]
fn greedy_plays_games_without_a_tree() {
    let board = Board::setup("classic", 9, 2).unwrap();
    let mut engine = engine(&board, params("greedy", 1));
    let mut moves = 0;
    while !engine.is_over() {
        let report = engine.search(&SearchLimits::default(), &|| false);
        assert_eq!((report.iterations, report.nodes), (1, 1));
        assert_eq!(report.moves.len(), engine.legal().len());
        let best = report.best().unwrap();
        assert!(report.moves.iter().all(|m| m.value <= best.value));
        engine.play(best.mv).unwrap();
        moves += 1;
    }
    assert!(moves > 20);
    let report = engine.search(&SearchLimits::default(), &|| false);
    assert!(report.moves.is_empty() && report.proof.is_some());
}

#[test]
fn a_bound_root_chooses_among_its_moves_and_is_free_again_afterwards() {
    for preset in ["network", "linear", "playout", "uct", "greedy"] {
        let configuration = Configuration::new(Some(7), None, None).unwrap();
        let mut engine = Engine::new(configuration.start().clone(), params(preset, 3));
        let limits = |moves: &[MoveCode]| SearchLimits {
            iterations: Some(200),
            root_moves: (!moves.is_empty()).then(|| moves.iter().map(|m| m.number()).collect()),
            ..SearchLimits::default()
        };
        let free = engine.search(&limits(&[]), &|| false);
        assert_eq!(free.moves.len(), engine.legal().len());
        let worst: Vec<MoveCode> = free.moves.iter().rev().take(2).map(|m| m.mv).collect();
        for _ in 0..2 {
            let bound = engine.search(&limits(&worst), &|| false);
            assert_eq!(bound.moves.len(), 2, "{preset}");
            assert!(bound.moves.iter().all(|found| worst.contains(&found.mv)));
        }
        // The tree under a move of the bound root is as good as any.
        engine.play(worst[0]).unwrap();
        let next = engine.search(&limits(&[]), &|| false);
        assert_eq!(next.moves.len(), engine.legal().len(), "{preset}");
        engine.undo();
        let nowhere = limits(&[MoveCode::new(0)]);
        let all = engine.search(&nowhere, &|| false);
        let legal = engine.legal().len();
        assert_eq!(
            all.moves.len(),
            if engine.is_legal(MoveCode::new(0)) {
                1
            } else {
                legal
            }
        );
    }
}

#[test]
fn what_is_known_of_root_moves_is_believed() {
    for preset in TREES {
        let configuration = Configuration::new(Some(7), None, None).unwrap();
        let mut engine = Engine::new(configuration.start().clone(), params(preset, 3));
        let (mover, other) = (seat(Colour::Black), seat(Colour::White));
        let search = |engine: &mut Engine, known: &[(MoveCode, Outcome)]| {
            let limits = SearchLimits {
                iterations: Some(200),
                known: known.iter().map(|(mv, o)| (mv.number(), *o)).collect(),
                ..SearchLimits::default()
            };
            engine.search(&limits, &|| false)
        };
        let free = search(&mut engine, &[]);
        let searched = free.moves.iter().filter(|m| m.symmetry_of.is_none());
        let best: Vec<MoveCode> = searched.take(2).map(|m| m.mv).collect();
        let is_lost = |found: &&MoveReport<_>| best.contains(&found.searched_move());
        let twins = free.moves.iter().filter(is_lost).count();
        let lost: Vec<_> = best
            .iter()
            .map(|&mv| (mv, Outcome::Winner(other)))
            .collect();
        let report = search(&mut engine, &lost);
        assert_eq!((report.proof, report.iterations), (None, 200), "{preset}");
        let (left, last) = report.moves.split_at(report.moves.len() - twins);
        assert!(left.iter().all(|found| found.proof.is_none()));
        for found in last {
            assert!(is_lost(&found), "{preset}: lost moves come last");
            assert_eq!(
                (found.proof, found.value),
                (Some(Outcome::Winner(other)), 0.0)
            );
            let before = free.moves.iter().find(|m| m.mv == found.mv).unwrap();
            // The first iteration of a search goes before what is known is written down.
            assert!(found.visits <= before.visits + 1, "{preset}");
        }
        // After such a move no child says how to keep its result: that is searched for.
        engine.play(best[0]).unwrap();
        let next = search(&mut engine, &[]);
        assert_eq!((next.proof, next.iterations), (None, 200), "{preset}");
        engine.undo();
        // What is known of a move holds for its twins, too.
        let won = &left[left.len() - 1];
        let report = search(&mut engine, &[(won.mv, Outcome::Winner(mover))]);
        assert_eq!(report.proof, Some(Outcome::Winner(mover)), "{preset}");
        let found = report.best().unwrap();
        assert_eq!((found.mv, found.value), (won.searched_move(), 1.0));
    }
}

#[test]
fn a_watched_search_adds_its_slices_up() {
    let configuration = Configuration::new(Some(9), None, None).unwrap();
    for preset in ["network", "linear"] {
        watch(Engine::new(
            configuration.start().clone(),
            params(preset, 3),
        ));
    }
}

/// A search that is looked at every millisecond, twice.
fn watch(mut engine: Engine) {
    let limits = SearchLimits::of_iterations(3_000);
    let mut seen = Vec::new();
    let whole = engine.search_in_slices(
        &limits,
        Duration::from_millis(1),
        &|| false,
        &mut |_, report| {
            seen.push((report.iterations, report.visits));
            ControlFlow::Continue(())
        },
    );
    assert_eq!((whole.iterations, whole.visits), (3_000, 3_000));
    assert!(seen.len() > 1 && seen.is_sorted(), "{seen:?}");
    assert!(whole.values.0[..2].iter().all(|v| (0.2..0.8).contains(v)));
    // A second one begins with the tree of the first, and ends when it is told to.
    let broken = engine.search_in_slices(
        &SearchLimits::default(),
        Duration::from_millis(1),
        &|| false,
        &mut |_, report| {
            if report.visits > 4_000 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    );
    assert!(broken.visits > 4_000 && broken.iterations < u64::from(broken.visits));
}
