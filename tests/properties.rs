//! What must hold for every game and for every text.

use std::collections::{BTreeSet, HashSet};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tanada::board::{Symmetry, vertex};
use tanada::engine::Engine;
use tanada::game::{Game, Seat};
use tanada::params::{PARAMETERS, Params};
use tanada::tanbo::setup::SetupFault;
use tanada::tanbo::{Position, Setup, colour, diagram};

use super::oracle::{self, Board, Refusal};
use super::{files, place, size, start, text};

/// So many cases, the same each time.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        max_shrink_iters: 20_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1993),
        ..ProptestConfig::default()
    }
}

/// A built-in setup on a board of up to 13x13, or a late position from a file.
fn board() -> impl Strategy<Value = Board> {
    let mut setups = Board::all_setups();
    setups.retain(|&(_, side, _)| side <= 13);
    let built_in = proptest::sample::select(setups)
        .prop_map(|(name, side, players)| Board::setup(name, side, players).unwrap());
    let file = proptest::sample::select(files("perft/positions"))
        .prop_map(|file| Board::parse(&text(&format!("perft/positions/{file}"))).unwrap());
    prop_oneof![2 => built_in, 1 => file]
}

/// Which of the legal moves is played at each ply.
fn choices() -> impl Strategy<Value = Vec<u16>> {
    vec(any::<u16>(), 0..250)
}

/// A board with stones anywhere; few of them mostly, so that the rules can play
/// from many.
fn any_setup() -> impl Strategy<Value = Setup> {
    let stone = (any::<u16>(), 0..4usize);
    let stones = prop_oneof![2 => vec(stone.clone(), 0..9), 1 => vec(stone, 0..300)];
    (4..=21i32, stones, 0..4usize, 2..=4usize).prop_map(|(side, stones, to_move, colours)| {
        let size = size(side);
        let points: Vec<_> = size.points().collect();
        let mut setup = Setup::empty(size);
        setup.to_move = Seat::new(to_move % colours);
        for (number, seat) in stones {
            let point = points[usize::from(number) % points.len()];
            setup.stones.insert(point, Seat::new(seat % colours));
        }
        setup
    })
}

/// The stones of a position, for telling positions apart.
fn stones<const W: usize, const SEATS: usize>(position: &Position<W, SEATS>) -> Vec<Option<Seat>> {
    let points = position.size().points();
    points.map(|p| position.stone_at(p)).collect()
}

/// Checks what the rules promise after each move of a game.
fn check_game<const W: usize, const SEATS: usize>(
    first: &Position<W, SEATS>,
    choices: &[u16],
) -> Result<(), TestCaseError> {
    // The stones of the start that were never taken off.
    let mut seeds: Vec<_> = first.roots().into_iter().map(|r| r.stones).collect();
    let single = seeds.iter().all(|stones| stones.len() == 1);
    let mut position = first.clone();
    let mut seen = HashSet::from([stones(&position)]);
    for &choice in choices {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        let mv = moves[usize::from(choice) % moves.len()];
        let count = |position: &Position<W, SEATS>| -> (usize, usize) {
            let stones = stones(position).into_iter().flatten().count();
            (stones, position.roots().len())
        };
        let (stones_before, roots_before) = count(&position);
        position.play(mv);
        let (stones_after, roots_after) = count(&position);
        prop_assert!(
            (stones_after == stones_before + 1 && roots_after == roots_before)
                || (stones_after <= stones_before && roots_after < roots_before)
        );
        let roots = position.roots();
        let empty = position.empty();
        seeds.retain(|&seed| (seed & empty).is_empty());
        for root in &roots {
            prop_assert!(!root.space.is_empty(), "a bounded root");
            let own = seeds
                .iter()
                .filter(|&&seed| !(root.stones & seed).is_empty());
            prop_assert!(!single || own.count() == 1);
        }
        prop_assert!(seen.insert(stones(&position)), "a position repeats");
        let alive: BTreeSet<Seat> = roots.iter().map(|r| r.seat).collect();
        prop_assert!(!alive.is_empty());
        prop_assert_eq!(position.winner().is_some(), alive.len() == 1);
        prop_assert!(alive.contains(&position.to_move()));
        for seat in Seat::ALL {
            prop_assert_eq!(!position.legal(seat).is_empty(), alive.contains(&seat));
        }
        let mut moves = Vec::new();
        position.moves(&mut moves);
        prop_assert_eq!(moves.is_empty(), position.winner().is_some());
        prop_assert_eq!(position.check(), Ok(()));
    }
    Ok(())
}

/// Goes forth and back as `steps` say (a multiple of four goes back), and at the
/// end all the way to the start.
fn wander<const W: usize, const SEATS: usize>(
    first: &Position<W, SEATS>,
    steps: &[u16],
) -> Result<(), TestCaseError> {
    let mut position = first.clone();
    let mut past = Vec::new();
    for &step in steps {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if step % 4 == 0 || moves.is_empty() {
            if let Some((before, undo)) = past.pop() {
                position.undo(undo);
                prop_assert_eq!(&position, &before);
            }
        } else {
            let before = position.clone();
            let undo = position.play(moves[usize::from(step / 4) % moves.len()]);
            past.push((before, undo));
        }
    }
    while let Some((before, undo)) = past.pop() {
        position.undo(undo);
        prop_assert_eq!(&position, &before);
    }
    prop_assert_eq!(&position, first);
    Ok(())
}

/// Checks that a game and its image under each symmetry stay images of each other, and that the
/// hashes of all images tell who the symmetries of a position are.
fn check_images<const W: usize, const SEATS: usize>(
    first: &Position<W, SEATS>,
    choices: &[u16],
) -> Result<(), TestCaseError> {
    let mut position = first.clone();
    let mut images = Symmetry::ALL.map(|symmetry| first.image(symmetry));
    for &choice in choices.iter().take(40) {
        let hashes = Symmetry::ALL.map(|symmetry| position.image(symmetry).hash());
        let symmetries = position.symmetries();
        for (i, symmetry) in Symmetry::ALL.into_iter().enumerate() {
            let same = hashes[i] == position.hash();
            prop_assert_eq!(same, i == 0 || symmetries.contains(symmetry));
            prop_assert_eq!(images[i].hash(), hashes[i]);
            prop_assert_eq!(images[i].check(), Ok(()));
            // The least of the hashes is that of all images.
            let turned = Symmetry::ALL.map(|symmetry| images[i].image(symmetry).hash());
            prop_assert_eq!(turned.iter().min(), hashes.iter().min());
        }
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[usize::from(choice) % moves.len()];
        for (image, symmetry) in images.iter_mut().zip(Symmetry::ALL) {
            let turned = symmetry.image(mv, position.size());
            prop_assert!(image.is_legal(turned));
            image.play(turned);
        }
        position.play(mv);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn images_of_games_are_games(board in board(), choices in choices()) {
        with_position!(&start(&board), |position| check_images(&position, &choices)?);
    }
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn games_keep_what_the_rules_promise(board in board(), choices in choices()) {
        with_position!(&start(&board), |position| check_game(&position, &choices)?);
    }

    #[test]
    fn undo_is_exact(board in board(), steps in choices()) {
        with_position!(&start(&board), |position| wander(&position, &steps)?);
    }
}

/// What can be done with a diagram that was read.
fn use_diagram(setup: &Setup) -> Result<(), TestCaseError> {
    let again = diagram::parse(&diagram::write(setup));
    prop_assert_eq!(again.as_ref(), Ok(setup));
    let Ok(start) = setup.clone().check(None) else {
        return Ok(());
    };
    let mut engine = Engine::new(start, Params::default());
    prop_assert_eq!(&crate::stones(&engine), setup);
    for _ in 0..5 {
        let legal = engine.legal();
        prop_assert_eq!(legal.is_empty(), engine.winner().is_some());
        let Some(&point) = legal.last() else {
            break;
        };
        prop_assert!(engine.play(point).is_ok());
    }
    while engine.undo() {}
    prop_assert_eq!(&crate::stones(&engine), setup);
    Ok(())
}

/// Any text at all, or one of the characters of diagrams.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "\\PC{0,200}",
        "(to move: [a-z]{0,6}\n)?([.XOo#+RG| 0-9]{4,9}\r?\n){0,12}",
        "([.]{5}\n){0,4}[.XOGRA-E 1-9:]{5}",
    ]
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn any_text_is_a_diagram_or_an_error(text in any_text()) {
        match diagram::parse(&text) {
            Ok(setup) => use_diagram(&setup)?,
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn a_damaged_diagram_is_a_diagram_or_an_error(
        setup in any_setup(),
        damage in vec((any::<u16>(), any::<char>()), 0..4),
        cut in proptest::option::of(any::<u16>()),
    ) {
        let mut text: Vec<char> = diagram::write(&setup).chars().collect();
        for (at, character) in damage {
            let at = usize::from(at) % text.len();
            text[at] = character;
        }
        if let Some(at) = cut {
            text.remove(usize::from(at) % text.len());
        }
        if let Ok(setup) = diagram::parse(&String::from_iter(text)) {
            use_diagram(&setup)?;
        }
    }

    #[test]
    fn what_is_written_reads_back(setup in any_setup()) {
        use_diagram(&setup)?;
        let drawn = diagram::with_coordinates(setup.size, |p| setup.stones.get(&p).copied());
        let black = Setup { to_move: colour::BLACK, ..setup };
        prop_assert_eq!(diagram::parse(&drawn), Ok(black));
    }

    #[test]
    fn refusals_are_the_oracles(setup in any_setup()) {
        let board = Board::parse(&diagram::write(&setup)).unwrap();
        let lowest = |seat: &str, at: &str| {
            let first = vertex::parse(at, setup.size).unwrap();
            let root = board.root_at(place(first, setup.size));
            assert_eq!(root.colour.word(), seat);
            root.points
        };
        let expected: BTreeSet<_> = board.refusals().into_iter().map(|refusal| {
            let keyword = refusal.keyword();
            match refusal {
                Refusal::Loop(colour, at) | Refusal::Bounded(colour, at) => {
                    (keyword, lowest(colour.word(), &at))
                }
                Refusal::FewPlayers | Refusal::NobodyToMove(_) => (keyword, BTreeSet::new()),
            }
        }).collect();
        let reasons = setup.clone().check(None).err().map_or(Vec::new(), |refusal| refusal.0);
        let found: BTreeSet<_> = reasons.iter().map(|reason| match reason {
            SetupFault::NotATree(at, word) => ("loop", lowest(word, at)),
            SetupFault::Bounded(at, word) => ("bounded", lowest(word, at)),
            SetupFault::TooFewPlayers(_) => ("players", BTreeSet::new()),
            SetupFault::NobodyToMove(_) => ("to move", BTreeSet::new()),
            SetupFault::Players { .. } => ("announced", BTreeSet::new()),
        }).collect();
        prop_assert_eq!(found.len(), reasons.len());
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn any_text_is_a_vertex_or_an_error(
        text in prop_oneof![any::<String>(), "[A-Za-z][0-9]{0,3}", "\\PC{0,4}"],
        side in 4..=21i32,
    ) {
        let size = size(side);
        match vertex::parse(&text, size) {
            Ok(point) => {
                let name = vertex::name(point, size);
                let plain = text.to_ascii_uppercase().replacen('0', "", usize::from(
                    text.as_bytes()[1] == b'0',
                ));
                prop_assert_eq!(&name, &plain);
                prop_assert_eq!(oracle::parse_vertex(&name), Some(place(point, size)));
            }
            Err(error) => {
                let inside = oracle::parse_vertex(&text)
                    .is_some_and(|(x, y)| x < side && y < side);
                prop_assert!(!inside, "{}", error);
            }
        }
    }

    #[test]
    fn any_sgf_point_is_on_the_board_or_refused(
        column in any::<u8>(),
        row in any::<u8>(),
        side in 4..=21i32,
    ) {
        let size = size(side);
        let (column, row) = (usize::from(column), usize::from(row));
        let inside = column < size.side() && row < size.side();
        let found = vertex::from_sgf(column, row, size);
        prop_assert_eq!(found.is_some(), inside);
        if let Some(point) = found {
            prop_assert_eq!((point.column(size), size.side() - 1 - point.row(size)), (column, row));
        }
    }

    #[test]
    fn a_setting_is_taken_over_or_refused_whole(
        line in prop_oneof![
            2 => (proptest::sample::select(PARAMETERS), "[0-9.eE+-]{0,8}")
                .prop_map(|(parameter, value)| format!("{}={value}", parameter.name)),
            1 => (proptest::sample::select(PARAMETERS), 0..200u32)
                .prop_map(|(parameter, value)| format!("{} = {value}", parameter.name)),
            1 => any::<String>(),
            1 => "[a-z_]{0,9}=?\\PC{0,9}",
        ],
        preset in proptest::sample::select(&Params::PRESETS),
    ) {
        let before = Params::preset(preset).unwrap();
        let mut params = before.clone();
        let Ok(()) = params.assign(&line) else {
            prop_assert_eq!(params, before);
            return Ok(());
        };
        let name = line.split('=').next().unwrap().trim();
        for parameter in PARAMETERS {
            let value = parameter.get(&params);
            prop_assert!(parameter.name == name || value == parameter.get(&before));
            prop_assert_eq!(parameter.parse(&value.to_string()), Ok(value));
        }
    }

    #[test]
    fn any_text_is_a_colour_or_none(text in prop_oneof![any::<String>(), "[a-zA-Z]{0,6}"]) {
        if let Some(seat) = colour::parse(&text) {
            prop_assert!(colour::word(seat).starts_with(&text.to_ascii_lowercase()));
        }
    }
}
