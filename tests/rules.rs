//! Random games, compared with the oracle after each move.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tanada::board::{Point, PointSet};
use tanada::engine::Engine;
use tanada::game::{Game, IllegalMove, Outcome, Seat};
use tanada::params::Params;
use tanada::tanbo::setup::NamedSetup;
use tanada::tanbo::{Position, Setup, colour, diagram, features};
use tanada::variant::MoveCode;

use super::oracle::{Board, Colour, SplitMix, default_setup};
use super::{files, place, point, seat, setup, size, start, text};

/// The oracle's points as a set of the library's.
fn set<const W: usize>(points: impl IntoIterator<Item = (i32, i32)>, board: &Board) -> PointSet<W> {
    let size = size(board.size);
    points.into_iter().map(|p| point(p, size)).collect()
}

/// Compares everything that can be seen of a position.
fn compare<const W: usize, const SEATS: usize>(position: &Position<W, SEATS>, board: &Board) {
    let size = size(board.size);
    let winner = board.winner();
    assert_eq!(position.size(), size);
    assert_eq!(position.to_move(), seat(board.to_move));
    assert_eq!(position.winner(), winner.map(seat));
    assert_eq!(position.outcome(), winner.map(|c| Outcome::Winner(seat(c))));
    for at in board.points() {
        let p = point(at, size);
        assert_eq!(position.is_legal(p), board.legal(at), "{at:?}\n{board:?}");
        let stone = board.stones.get(&at).copied();
        assert_eq!(position.stone_at(p), stone.map(seat), "{at:?}");
        assert_eq!(position.empty().contains(p), stone.is_none(), "{at:?}");
    }
    for colour in Colour::ALL {
        let mut places = board.points();
        places.retain(|&at| board.can_place(at, colour));
        assert_eq!(position.legal(seat(colour)), set(places, board));
        let own = board.stones.iter().filter(|&(_, &c)| c == colour);
        let own: PointSet<W> = set(own.map(|(&at, _)| at), board);
        assert_eq!(position.stones(seat(colour)), own);
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let legal: Vec<Point> = board
        .legal_points()
        .iter()
        .map(|&p| point(p, size))
        .collect();
    assert_eq!(moves, legal);
    compare_roots(position, board);
}

/// Compares the roots, their spaces and their numbers.
fn compare_roots<const W: usize, const SEATS: usize>(position: &Position<W, SEATS>, board: &Board) {
    let expected: BTreeSet<_> = board
        .roots()
        .into_iter()
        .map(|root| {
            let space = board.root_space(&root);
            (seat(root.colour), root.points, space)
        })
        .collect();
    let places = |points: PointSet<W>| -> BTreeSet<_> {
        points.iter().map(|p| place(p, position.size())).collect()
    };
    let roots = position.roots();
    let found: BTreeSet<_> = roots
        .iter()
        .map(|root| (root.seat, places(root.stones), places(root.space)))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(roots.len(), found.len());
    for seat in Seat::ALL {
        let count = expected.iter().filter(|root| root.0 == seat).count();
        assert_eq!(position.root_count(seat) as usize, count);
    }
}

/// Tries to play on every point where the rules forbid it.
fn try_the_illegal<const W: usize, const SEATS: usize>(
    position: &mut Position<W, SEATS>,
    board: &Board,
) {
    let before = position.clone();
    for at in board.points() {
        if !board.legal(at) {
            let tried = position.try_play(point(at, before.size()));
            assert_eq!(tried.err(), Some(IllegalMove), "{at:?}");
        }
    }
    assert_eq!(*position, before);
}

/// Plays three moves and the same ones with the first and the third swapped,
/// whenever both orders lead to the same stones.
fn swap_two_moves<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
    board: &Board,
    rng: &mut SplitMix,
) -> bool {
    let mut there = board.clone();
    let line = there.random_game(rng, 3);
    let mut back = board.clone();
    for &at in line.iter().rev() {
        if !back.legal(at) {
            return false;
        }
        back.play(at);
    }
    let mut ends = [position.clone(), position.clone()];
    for (i, &at) in line.iter().enumerate() {
        let last = line[line.len() - 1 - i];
        ends[0].play(point(at, position.size()));
        ends[1].play(point(last, position.size()));
    }
    let same = there.stones == back.stones && there.to_move == back.to_move;
    let [a, b] = ends;
    assert_eq!(a.hash() == b.hash(), same);
    same
}

/// How thoroughly a game is compared; everything takes long on large boards.
#[derive(Clone, Copy)]
struct Care {
    /// Every how many plies a fresh position of the same stones is made.
    fresh: usize,
    /// The ply before which the side to move leaves, if it comes to that.
    leave: Option<usize>,
    /// Plies at most.
    plies: usize,
}

const EVERY_PLY: Care = Care {
    fresh: 1,
    leave: None,
    plies: usize::MAX,
};

/// What a game was like.
#[derive(Debug, Default)]
struct Seen {
    plies: usize,
    removals: usize,
    swaps: usize,
    won: Option<Colour>,
}

/// Plays a random game from a start, forth and all the way back.
fn random_game<const W: usize, const SEATS: usize>(
    first: &Position<W, SEATS>,
    board: &Board,
    rng: &mut SplitMix,
    care: Care,
) -> Seen {
    let (mut position, mut board) = (first.clone(), board.clone());
    let size = size(board.size);
    let (mut seen, mut hashes, mut past) = (Seen::default(), HashSet::new(), Vec::new());
    compare(&position, &board);
    for ply in 0..care.plies {
        assert!(hashes.insert(position.hash()), "a hash twice in one game");
        if care.leave == Some(ply) && board.winner().is_none() {
            leave(&mut position, &mut board);
            past.clear();
            assert!(hashes.insert(position.hash()), "a hash twice in one game");
        }
        let careful = ply % care.fresh == 0;
        if careful && board.winner().is_none() {
            let fresh = Position::<W, SEATS>::new(&start(&board));
            compare(&fresh, &board);
            assert_eq!(fresh.hash(), position.hash());
            seen.swaps += usize::from(swap_two_moves(&position, &board, rng));
        }
        if careful {
            try_the_illegal(&mut position, &board);
        }
        let Some(at) = board.random_move(rng) else {
            seen.won = board.winner();
            break;
        };
        let before = position.clone();
        let unwise = position.bounds_its_own_root(point(at, size));
        let undo = position.try_play(point(at, size)).unwrap();
        let removed = board.play(at);
        assert_eq!(unwise, removed.contains(&at));
        seen.plies += 1;
        seen.removals += usize::from(!removed.is_empty());
        compare(&position, &board);
        if careful {
            let mut again = position.clone();
            again.undo(undo.clone());
            assert_eq!(again, before);
        }
        past.push((before, undo));
    }
    while let Some((before, undo)) = past.pop() {
        position.undo(undo);
        assert_eq!(position, before);
        assert_eq!(position.check(), Ok(()));
    }
    seen
}

/// The side to move leaves, or another colour: chosen by the number of stones.
fn leave<const W: usize, const SEATS: usize>(position: &mut Position<W, SEATS>, board: &mut Board) {
    let alive = board.alive();
    let who = alive[board.stones.len() % alive.len()];
    let before = position.clone();
    for colour in Colour::ALL {
        if !alive.contains(&colour) {
            assert_eq!(position.leave(seat(colour)), Err(IllegalMove));
        }
    }
    assert_eq!(*position, before);
    position.leave(seat(who)).unwrap();
    board.leave(who);
    compare(position, board);
    if board.winner().is_some() {
        let before = position.clone();
        for seat in Seat::ALL {
            assert_eq!(position.leave(seat), Err(IllegalMove));
        }
        assert_eq!(*position, before);
    }
}

/// Random games from all built-in two-player setups of these sizes.
fn random_games(sides: std::ops::RangeInclusive<i32>, games: u64, care: Care) {
    let mut setups = 0;
    for (name, side, players) in Board::all_setups() {
        if !sides.contains(&side) || players != 2 {
            continue;
        }
        setups += 1;
        let board = Board::setup(name, side, players).unwrap();
        let (mut removals, mut swaps) = (0, 0);
        for game in 0..games {
            let mut rng = SplitMix::new(game + 1000 * side as u64);
            with_position!(&start(&board), |position| {
                let seen = random_game(&position, &board, &mut rng, care);
                assert!(seen.won.is_some() || seen.plies == care.plies);
                removals += seen.removals;
                swaps += seen.swaps;
            });
        }
        assert!(removals > 0 && swaps > 0, "{name} {side}");
    }
    assert!(setups >= sides.count());
}

#[test]
fn the_built_in_setups_are_the_oracles() {
    for (name, side, players) in Board::all_setups() {
        let board = Board::setup(name, side, players).unwrap();
        let named: NamedSetup = name.parse().unwrap();
        let found = named.setup(size(side), players).unwrap();
        assert_eq!(found, setup(&board), "{name} {side} {players}");
        if players == 2 && name == default_setup(side) {
            assert_eq!(NamedSetup::default_for(size(side)), named);
        }
    }
    for side in 4..=21 {
        let defined = [NamedSetup::Classic, NamedSetup::Dense, NamedSetup::Corners]
            .into_iter()
            .flat_map(|named| (0..6).map(move |players| (named, players)))
            .filter(|&(named, players)| named.setup(size(side), players).is_ok());
        let setups = Board::all_setups();
        let expected = setups.iter().filter(|setup| setup.1 == side);
        assert_eq!(defined.count(), expected.count(), "{side}");
    }
}

#[test]
fn games_on_4_to_9() {
    random_games(4..=9, 16, EVERY_PLY);
}

#[test]
fn games_on_10_to_14() {
    let care = Care {
        fresh: 2,
        ..EVERY_PLY
    };
    random_games(10..=14, 3, care);
}

#[test]
fn games_on_15_to_21() {
    let care = Care {
        fresh: 40,
        ..EVERY_PLY
    };
    random_games(15..=21, 1, care);
}

#[test]
fn four_players_on_19() {
    let board = Board::setup("classic", 19, 4).unwrap();
    let first = Position::<8, 4>::new(&start(&board));
    let care = Care {
        fresh: 30,
        ..EVERY_PLY
    };
    let seen = random_game(&first, &board, &mut SplitMix::new(1), care);
    assert!(seen.won.is_some() && seen.removals > 5, "{seen:?}");
    let care = Care {
        leave: Some(150),
        plies: 250,
        ..care
    };
    random_game(&first, &board, &mut SplitMix::new(2), care);
}

#[test]
fn late_positions_of_two_to_four_players() {
    let mut winners = BTreeSet::new();
    for (i, file) in files("perft/positions").iter().enumerate() {
        let board = Board::parse(&text(&format!("perft/positions/{file}"))).unwrap();
        for game in 0..3 {
            let mut rng = SplitMix::new(game);
            let care = Care {
                leave: [None, Some(i % 7), Some(5 + i % 10)][game as usize],
                ..EVERY_PLY
            };
            with_position!(&start(&board), |position| {
                winners.extend(random_game(&position, &board, &mut rng, care).won);
            });
        }
    }
    assert_eq!(winners, Colour::ALL.into());
}

#[test]
fn three_colours_of_every_choice() {
    let mut rng = SplitMix::new(5);
    for absent in Colour::ALL {
        let mut players = Colour::ALL.to_vec();
        players.retain(|&c| c != absent);
        let stones: BTreeMap<_, _> = (0..9)
            .map(|i| {
                (
                    (3 * (i % 3), 3 * (i / 3)),
                    players[(i % 3 + i / 3) as usize % 3],
                )
            })
            .collect();
        let board = Board::new(7, stones, players[1]);
        let first = Position::<8, 4>::new(&start(&board));
        for leave in [None, Some(3), Some(30)] {
            let care = Care { leave, ..EVERY_PLY };
            random_game(&first, &board, &mut rng, care);
        }
    }
}

/// Compares everything that an engine tells of its position.
fn compare_engine(engine: &Engine, board: &Board) {
    let size = size(board.size);
    assert_eq!(engine.to_move(), seat(board.to_move));
    assert_eq!(engine.winner(), board.winner().map(seat));
    assert_eq!(crate::stones(engine), setup(board));
    for at in board.points() {
        assert_eq!(engine.is_legal(point(at, size)), board.legal(at), "{at:?}");
    }
    for colour in Colour::ALL {
        let mut places = board.points();
        places.retain(|&at| board.winner().is_none() && board.can_place(at, colour));
        let places: Vec<Point> = places.into_iter().map(|at| point(at, size)).collect();
        assert_eq!(engine.stones().unwrap().legal(seat(colour)), places);
        let roots = board.roots_of(colour).len();
        assert_eq!(
            engine.stones().unwrap().groups(seat(colour)) as usize,
            roots
        );
    }
}

/// The numbers that the evaluation looks at, counted point by point.
fn features_of(board: &Board, colour: Colour) -> [i32; features::COUNT] {
    let empty = || {
        board
            .points()
            .into_iter()
            .filter(|&p| board.is_empty_point(p))
    };
    let contacts = |p, c| board.own_neighbours(p, c).len();
    let legal = |p, c| board.is_empty_point(p) && contacts(p, c) == 1;
    let virgin = |p, c| board.is_empty_point(p) && contacts(p, c) == 0;
    let beside = |p, test: &dyn Fn((i32, i32)) -> bool| board.neighbours(p).into_iter().any(test);
    let near = |p, c| virgin(p, c) && beside(p, &|q| legal(q, c));
    let far = |p, c| virgin(p, c) && !near(p, c) && beside(p, &|q| near(q, c));
    let others = || Colour::ALL.into_iter().filter(|&c| c != colour);
    let sole = |p| near(p, colour) && !others().any(|c| legal(p, c) || near(p, c));
    let count = |test: &dyn Fn((i32, i32)) -> bool| empty().filter(|&p| test(p)).count() as i32;
    [
        count(&|p| legal(p, colour)),
        count(&|p| legal(p, colour) && beside(p, &|q| legal(q, colour))),
        count(&|p| near(p, colour)),
        count(&sole),
        count(&|p| far(p, colour)),
        board.playable_space(colour).len() as i32,
        board.roots_of(colour).len() as i32,
    ]
}

fn compare_features(engine: &Engine, board: &Board) {
    // A row for phase 1, one between, one for phase 0, whose shares add up to 1 with the first's.
    let row = features::COUNT + 1;
    for (found, numbers) in engine.training_features().unwrap().linear_features() {
        let colour = Colour::ALL[found.index()];
        let expected = features_of(board, colour);
        let whole = |i: usize| (numbers[i] + numbers[2 * row + i]).round() as i32;
        let counted: Vec<i32> = (0..features::COUNT).map(whole).collect();
        assert_eq!(counted, expected, "{colour:?}\n{board:?}");
        // The tempo of the side to move is 1, of which the first row gets the phase.
        if found == engine.to_move() {
            let playable = board.playable_points().len() as f32;
            let phase = playable / (board.size * board.size) as f32;
            assert_eq!(numbers[row - 1] as f32, phase);
        }
    }
}

/// A game by engine from a start: forth, with other settings, back, and again.
fn engine_game(board: &Board, rng: &mut SplitMix, plies: usize) {
    let first = start(board);
    let size = size(board.size);
    let mut engine = Engine::new(first.clone(), Params::default());
    let players: Vec<Colour> = engine
        .players()
        .iter()
        .map(|s| Colour::ALL[s.index()])
        .collect();
    assert_eq!(players, board.players);
    let mut line = Vec::new();
    let mut past = vec![(board.clone(), engine.hash())];
    let mut now = board.clone();
    while let Some(at) = now.random_move(rng)
        && line.len() < plies
    {
        let illegal = now.points().into_iter().find(|&p| !now.legal(p)).unwrap();
        assert!(engine.play(point(illegal, size)).is_err());
        line.push((engine.to_move(), MoveCode::from(point(at, size))));
        engine.play(point(at, size)).unwrap();
        now.play(at);
        compare_engine(&engine, &now);
        if line.len() % 5 == 0 && now.winner().is_none() {
            compare_features(&engine, &now);
        }
        past.push((now.clone(), engine.hash()));
    }
    assert_eq!(engine.moves().collect::<Vec<_>>(), line);
    let hash = engine.hash();
    engine.set_params(Params::preset("playout").unwrap());
    compare_engine(&engine, &now);
    assert_eq!(engine.moves().collect::<Vec<_>>(), line);
    assert_eq!(engine.hash(), hash);
    while let Some((board, hash)) = past.pop() {
        compare_engine(&engine, &board);
        assert_eq!(engine.hash(), hash);
        assert_eq!(engine.undo(), !past.is_empty());
    }
    compare_engine(&engine, board);
    for &(_, p) in &line {
        engine.play(p).unwrap();
    }
    assert_eq!(engine.hash(), hash);
    engine.restart(first);
    compare_engine(&engine, board);
    assert!(engine.events().is_empty());
}

#[test]
fn engines_hold_every_shape() {
    let mut rng = SplitMix::new(9);
    for (name, side, players) in Board::all_setups() {
        let plies = if side < 10 { 1000 } else { 30 };
        let board = Board::setup(name, side, players).unwrap();
        engine_game(&board, &mut rng, plies);
    }
    for file in files("perft/positions") {
        let board = Board::parse(&text(&format!("perft/positions/{file}"))).unwrap();
        engine_game(&board, &mut rng, 1000);
    }
}

#[test]
fn one_engine_changes_between_games() {
    let boards = [
        Board::setup("dense", 7, 2).unwrap(),
        Board::setup("classic", 19, 4).unwrap(),
        Board::setup("corners", 21, 2).unwrap(),
        Board::setup("corners", 12, 2).unwrap(),
    ];
    let mut engine = Engine::new(start(&boards[3]), Params::default());
    let mut rng = SplitMix::new(3);
    for board in boards {
        engine.restart(start(&board));
        let mut board = board;
        compare_engine(&engine, &board);
        for at in board.clone().random_game(&mut rng, 10) {
            board.play(at);
            engine.play(point(at, size(board.size))).unwrap();
        }
        compare_engine(&engine, &board);
        assert_eq!(engine.events().len(), 10);
    }
}

#[test]
fn the_side_to_move_is_part_of_the_hash() {
    let board = Board::setup("classic", 19, 4).unwrap();
    let hashes: HashSet<u64> = Seat::ALL
        .into_iter()
        .map(|to_move| {
            let setup = Setup {
                to_move,
                ..setup(&board)
            };
            Position::<8, 4>::new(&setup.check(None).unwrap()).hash()
        })
        .collect();
    assert_eq!(hashes.len(), 4);
    assert_eq!(colour::word(seat(Colour::Green)), "green");
}

/// A move bounds two roots; the one that is taken off first would give the other
/// its space back.
#[test]
fn all_bounded_roots_go_at_once() {
    for (before, at, after) in [
        (
            "to move: white\nO . . .\nO O . .\nX X . O\nX . . O",
            (2, 1),
            "to move: white\n. . . .\n. . . .\n. . O O\n. . . O",
        ),
        (
            "to move: black\nO O . X\n. . X X\nX . O O\nX . . O",
            (1, 1),
            "to move: white\nO O . .\n. . . .\nX X . .\nX . . .",
        ),
    ] {
        let mut board = Board::parse(before).unwrap();
        let first = Position::<2, 2>::new(&start(&board));
        let mut position = first.clone();
        let undo = position.play(point(at, size(4)));
        board.play(at);
        compare(&position, &board);
        assert_eq!(setup(&board), diagram::parse(after).unwrap());
        position.undo(undo);
        assert_eq!(position, first);
    }
}
