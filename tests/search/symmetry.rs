//! Moves that are images of each other under a symmetry of the position, compared with orbits that
//! are found point by point.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// A map of the points of a board to themselves.
type Map = fn((i32, i32), i32) -> (i32, i32);

/// The eight symmetries, `m` being the last row and column.
const MAPS: [Map; 8] = [
    |(x, y), _| (x, y),
    |(x, y), m| (m - x, y),
    |(x, y), m| (x, m - y),
    |(x, y), m| (m - x, m - y),
    |(x, y), _| (y, x),
    |(x, y), m| (m - y, x),
    |(x, y), m| (y, m - x),
    |(x, y), m| (m - y, m - x),
];

/// The image of a board.
fn image(board: &Board, map: Map) -> Board {
    let stones = board.stones.iter();
    let stones = stones.map(|(&at, &colour)| (map(at, board.size - 1), colour));
    Board::new(board.size, stones.collect(), board.to_move)
}

/// The maps that leave the board as it is.
fn symmetries(board: &Board) -> Vec<Map> {
    let keeps = |map: &Map| image(board, *map).stones == board.stones;
    MAPS.into_iter().filter(keeps).collect()
}

/// The legal moves, those that are images of each other together.
fn orbits(board: &Board) -> BTreeSet<BTreeSet<oracle::Point>> {
    let maps = symmetries(board);
    let orbit = |at| maps.iter().map(|map| map(at, board.size - 1)).collect();
    board.legal_points().into_iter().map(orbit).collect()
}

/// The moves of a report, those that were searched as one together.
fn reported(report: &Report<Point>, board: &Board) -> BTreeSet<BTreeSet<oracle::Point>> {
    let size = size(board.size);
    let mut groups: BTreeMap<Point, BTreeSet<oracle::Point>> = BTreeMap::new();
    for found in &report.moves {
        let group = groups.entry(found.searched_move()).or_default();
        group.insert(place(found.mv, size));
    }
    groups.into_values().collect()
}

/// Checks the twins of a report: the same numbers and lines that are legal.
fn check_twins(report: &Report<Point>, board: &Board) {
    check_report(report, board);
    let size = size(board.size);
    let mut ahead: Option<&MoveReport<Point>> = None;
    for found in &report.moves {
        if let Some(searched) = found.symmetry_of {
            let ahead = ahead.unwrap();
            assert_eq!((ahead.mv, ahead.symmetry_of), (searched, None));
            assert_eq!((found.value, found.visits), (ahead.value, ahead.visits));
            assert_eq!((found.prior, found.proof), (ahead.prior, ahead.proof));
            assert_eq!(found.variation_visits, ahead.variation_visits);
            let after = |line: &[Point]| {
                let mut board = board.clone();
                for &p in line {
                    board.play(place(p, size));
                }
                MAPS.map(|map| image(&board, map).stones)
            };
            let twin = after(&found.principal_variation);
            assert!(after(&ahead.principal_variation).contains(&twin[0]));
        } else {
            ahead = Some(found);
        }
    }
    let priors: Vec<f32> = report.moves.iter().filter_map(|m| m.prior).collect();
    assert!(priors.is_empty() || (priors.iter().sum::<f32>() - 1.0).abs() < 1e-4);
}

/// All built-in starts for two players up to this side.
fn starts(most: i32) -> Vec<Board> {
    let setups = Board::all_setups().into_iter();
    let small = setups.filter(|&(_, side, players)| side <= most && players == 2);
    small
        .map(|(name, side, _)| Board::setup(name, side, 2).unwrap())
        .collect()
}

#[test]
fn twins_are_the_orbits_at_all_plies_of_small_games() {
    let mut found = [0; 3];
    let mut rng = SplitMix::new(33);
    for board in starts(7) {
        for game in 0..80 {
            let mut board = board.clone();
            let mut played: Vec<oracle::Point> = Vec::new();
            while board.winner().is_none() {
                let symmetries = symmetries(&board).len();
                if symmetries > 1 || game == 0 {
                    // The solver's results are those of all twins, too.
                    let solve_points = if game % 2 == 0 { 0 } else { 40 };
                    let params = Params {
                        solve_points,
                        ..params(TREES[game % 4], 1)
                    };
                    let report = search(&mut engine(&board, params), 3);
                    assert_eq!(reported(&report, &board), orbits(&board), "{played:?}");
                    if solve_points == 0 {
                        check_twins(&report, &board);
                    }
                    found[0] += usize::from(symmetries > 1);
                    found[1] += usize::from(symmetries > 1 && !played.is_empty());
                }
                // Often the twin of the side's move before, so that symmetry returns.
                let before = (played.len() % 4 >= 2).then(|| played[played.len() - 2]);
                let twin = before.map(|at| MAPS[3](at, board.size - 1));
                let twin = twin.filter(|&at| board.legal(at) && rng.below(8) > 0);
                let at = twin.unwrap_or_else(|| board.random_move(&mut rng).unwrap());
                let is_removal = !board.play(at).is_empty();
                let is_symmetric = board.winner().is_none() && self::symmetries(&board).len() > 1;
                found[2] += usize::from(is_removal && is_symmetric);
                played.push(at);
            }
        }
    }
    assert!(found[0] > 150 && found[1] > 40 && found[2] > 5, "{found:?}");
}

#[test]
fn twins_have_the_same_numbers_at_all_symmetric_starts() {
    let mut symmetric = 0;
    for board in starts(13) {
        for preset in TREES {
            let mut engine = engine(&board, params(preset, 7));
            for iterations in [1, 60] {
                let report = search(&mut engine, iterations);
                check_twins(&report, &board);
                assert_eq!(reported(&report, &board), orbits(&board));
            }
        }
        symmetric += usize::from(symmetries(&board).len() > 1);
    }
    assert!(symmetric > 8, "{symmetric}");
}

/// Searches with all moves at the root.
fn search_each(engine: &mut Engine, iterations: u64) -> Report<Point> {
    let codes = engine.legal().into_iter().map(MoveCode::number);
    let limits = SearchLimits {
        root_moves: Some(codes.collect()),
        ..SearchLimits::of_iterations(iterations)
    };
    engine.search(&limits, &|| false).map(MoveCode::point)
}

#[test]
fn results_are_those_of_a_search_of_every_move() {
    let mut proven = 0;
    for board in starts(7) {
        let params = params("network", 5);
        let folded = search(&mut engine(&board, params.clone()), 20_000);
        let each = search_each(&mut engine(&board, params), 20_000);
        assert!(each.moves.iter().all(|found| found.symmetry_of.is_none()));
        let [one, other] = [&folded, &each].map(|report| report.best().unwrap());
        match (one.proof, other.proof) {
            (Some(one), Some(other)) => {
                proven += 1;
                assert_eq!(one, other, "{board:?}");
            }
            (None, None) => {
                let values = (one.value, other.value);
                assert!((values.0 - values.1).abs() < 0.1, "{board:?}: {values:?}");
            }
            // Without twins more is proven.
            (Some(_), None) => (),
            (None, Some(_)) => panic!("{board:?}"),
        }
    }
    assert!(proven > 0);
}

#[test]
fn a_twin_that_was_played_starts_a_new_tree() {
    let mut board = Board::setup("classic", 9, 2).unwrap();
    let mut engine = engine(&board, params("network", 3));
    let report = search(&mut engine, 100);
    let size = size(board.size);
    let twin = report.moves.iter().find(|m| m.symmetry_of.is_some());
    play(&mut engine, &mut board, place(twin.unwrap().mv, size));
    let report = search(&mut engine, 50);
    check_report(&report, &board);
    assert_eq!(u64::from(report.visits), report.iterations);
    // The move that was searched keeps its tree.
    engine.undo();
    let best = search(&mut engine, 100).best().unwrap().mv;
    engine.play(best).unwrap();
    let report = search(&mut engine, 50);
    assert!(u64::from(report.visits) > report.iterations);
}

#[test]
fn restricted_moves_may_be_twins() {
    let board = Board::setup("classic", 9, 2).unwrap();
    let mut engine = engine(&board, params("network", 3));
    let all = search(&mut engine, 50);
    for found in all.moves.iter().filter(|found| found.symmetry_of.is_some()) {
        let limits = SearchLimits {
            root_moves: Some([found.mv.number()].into()),
            ..SearchLimits::of_iterations(5)
        };
        let report = engine.search(&limits, &|| false).map(MoveCode::point);
        assert_eq!(report.moves.len(), 1);
        assert_eq!(report.best().unwrap().mv, found.mv);
    }
}

#[test]
fn the_root_is_evaluated_alike_however_the_board_is_turned() {
    let mut board = Board::setup("classic", 9, 2).unwrap();
    let mut rng = SplitMix::new(4);
    board.random_game(&mut rng, 15);
    let size = size(board.size);
    let priors = |map: Map| {
        let board = image(&board, map);
        let report = search(&mut engine(&board, params("network", 1)), 1);
        let own = report.moves.into_iter().map(|found| {
            let values = (found.prior.unwrap(), found.value);
            (place(found.mv, size), values)
        });
        own.collect::<BTreeMap<_, _>>()
    };
    let first = priors(MAPS[0]);
    for map in MAPS {
        let turned = priors(map);
        for (at, (prior, value)) in &first {
            let found = turned[&map(*at, board.size - 1)];
            assert!((found.0 - prior).abs() < 1e-5 && (found.1 - value).abs() < 1e-5);
        }
    }
}
