//! Taratibu, held to the naive oracle.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tanada::game::{self, Game, Outcome, Playout, Seat};
use tanada::taratibu::Position;
use tanada::taratibu::notation::{parse_turn, write_turn};
use tanada::util::random::Random;

use super::oracle::SplitMix;
use super::oracle::taratibu::{self as oracle, Board, Side};
use super::{files, text};

type Step = <Position as Game>::Move;

/// The text of one step.
fn name(step: Step) -> String {
    write_turn(&[step])
}

/// The step of four digits.
fn step(text: &str) -> Option<Step> {
    match parse_turn(text).ok()?[..] {
        [step] => Some(step),
        _ => None,
    }
}

/// The same position in the library's types.
fn position(board: &Board) -> Position {
    Position::parse(&board.to_text()).unwrap()
}

fn seat(side: Side) -> Seat {
    Seat::ALL[Side::ALL.iter().position(|&s| s == side).unwrap()]
}

fn outcome(board: &Board) -> Option<Outcome> {
    board.outcome().map(|outcome| match outcome {
        oracle::Outcome::Won(side) => Outcome::Winner(seat(side)),
        oracle::Outcome::Drawn => Outcome::Draw,
    })
}

fn moves(position: &Position) -> Vec<Step> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves
}

/// Everything that can be asked of a position.
fn compare(position: &Position, board: &Board, rng: &mut SplitMix) {
    assert_eq!(position.outcome(), outcome(board), "{board:?}");
    let found = moves(position);
    let names: BTreeSet<String> = found.iter().map(|&step| name(step)).collect();
    let expected = board.legal_steps().into_iter().map(oracle::name).collect();
    assert_eq!(names, expected, "{board:?}");
    assert_eq!(names.len(), found.len());
    let codes: BTreeSet<u16> = found.iter().map(|&step| Position::code(step)).collect();
    assert_eq!(codes.len(), found.len());
    for &mv in &found {
        assert!(position.is_legal(mv));
        assert!(usize::from(Position::code(mv)) < Position::MOVE_CODES);
        assert_eq!(Position::decode(Position::code(mv)), mv);
        assert_eq!(step(&name(mv)), Some(mv));
    }
    let squares = oracle::squares();
    for _ in 0..20 {
        let mut square = || squares[rng.below(squares.len())];
        let any = (square(), square());
        // What no piece could ever do need not be a step.
        if let Some(step) = step(&oracle::name(any)) {
            let legal = board.legal_steps().contains(&any);
            assert_eq!(position.is_legal(step), legal, "{any:?} {board:?}");
        }
    }
    if board.outcome().is_none() {
        assert_eq!(position.to_move(), seat(board.to_move()));
        assert_eq!(position.turn().to_string(), board.turn.to_string());
        let left = board.steps_left.to_string();
        assert_eq!(position.steps_left().to_string(), left);
        assert_eq!(&Board::parse(&position.to_text()), board);
        assert_eq!(self::position(board).hash(), position.hash());
    }
    // A finished game may be refused as a position to play from.
    match Position::parse(&position.to_text()) {
        Ok(again) => assert_eq!(again.to_text(), position.to_text()),
        Err(error) => assert!(board.outcome().is_some(), "{error}: {board:?}"),
    }
    assert!(!position.show().is_empty());
}

/// A step of the board, a capture more often than not.
fn choose(board: &Board, rng: &mut SplitMix) -> Option<oracle::Step> {
    let captures: Vec<oracle::Step> = board
        .legal_steps()
        .into_iter()
        .filter(|(_, to)| board.pieces.contains_key(to))
        .collect();
    if !captures.is_empty() && rng.below(6) > 0 {
        return Some(captures[rng.below(captures.len())]);
    }
    board.random_step(rng)
}

/// Plays games from a seed, and back: those won, drawn, turns that ended early, and steps.
fn there_and_back(seed: u64, games: u32) -> (u32, u32, u32, u64) {
    let mut rng = SplitMix::new(seed);
    let (mut won, mut drawn, mut early, mut steps) = (0, 0, 0, 0);
    for game in 0..games {
        let mut board = Board::new_game();
        let mut position = Position::new_game();
        let mut past = Vec::new();
        loop {
            compare(&position, &board, &mut rng);
            // Every other game is played without regard to captures.
            let chosen = match game % 2 {
                0 => choose(&board, &mut rng),
                _ => board.random_step(&mut rng),
            };
            let Some(chosen) = chosen else {
                break;
            };
            let before = (position.to_text(), position.hash());
            let (turn, left) = (board.turn, board.steps_left);
            past.push((before, position.play(step(&oracle::name(chosen)).unwrap())));
            board.play(chosen);
            steps += 1;
            early += u32::from(board.turn > turn && left > 1);
        }
        match board.outcome() {
            Some(oracle::Outcome::Drawn) => drawn += 1,
            _ => won += 1,
        }
        while let Some((before, undo)) = past.pop() {
            position.undo(undo);
            assert_eq!((position.to_text(), position.hash()), before);
        }
        assert_eq!(position.hash(), Position::new_game().hash());
    }
    (won, drawn, early, steps)
}

#[test]
fn games_go_as_the_oracle_says_and_back() {
    let (won, drawn, early, _) = there_and_back(2005, 60);
    assert!(
        won > 5 && drawn > 20 && early > 1,
        "{won} won, {drawn} drawn, {early} early ends"
    );
}

#[test]
#[ignore = "plays as many games as TANADA_GAMES says, from the seed TANADA_SEED"]
#[allow(clippy::print_stdout)]
fn many_games_go_as_the_oracle_says() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let (Some(games), Some(seed)) = (number("TANADA_GAMES"), number("TANADA_SEED")) else {
        println!("TANADA_GAMES and TANADA_SEED say nothing: nothing is played");
        return;
    };
    let games = u32::try_from(games).unwrap();
    let (.., steps) = there_and_back(seed, games);
    println!("compared {games} games of Taratibu, {steps} steps");
}

/// The position of a perft table, and all of its counts.
fn table(file: &str) -> (Board, Vec<u64>) {
    let text = text(&format!("taratibu/perft/{file}"));
    let (counts, rows): (Vec<&str>, Vec<&str>) = text
        .lines()
        .partition(|line| line.starts_with("perft ") || line.starts_with("deeper "));
    let counts = counts.iter().flat_map(|line| line.split(' ').skip(1));
    let counts = counts.map(|count| count.parse().unwrap()).collect();
    (Board::parse(&rows.join("\n")), counts)
}

#[test]
fn every_table_is_met() {
    // Longer counts are left to optimised builds.
    let most = if cfg!(debug_assertions) {
        350_000
    } else {
        u64::MAX
    };
    let mut compared = 0;
    for file in files("taratibu/perft") {
        let (board, counts) = table(&file);
        let mut position = position(&board);
        let before = (position.to_text(), position.hash());
        for (depth, &leaves) in (1..).zip(&counts) {
            if leaves <= most {
                let found = game::perft(&mut position, depth);
                assert_eq!(found, leaves, "{file} depth {depth}");
                compared += 1;
            }
        }
        assert_eq!((position.to_text(), position.hash()), before, "{file}");
    }
    assert!(compared > 50, "{compared} numbers compared");
    let (start, _) = table("start.txt");
    assert_eq!(position(&start).hash(), Position::new_game().hash());
}

/// Walks the whole tree, and notes the hash of every state.
fn collect(
    position: &mut Position,
    board: &Board,
    depth: u32,
    seen: &mut BTreeMap<Board, u64>,
) -> u64 {
    let known = *seen.entry(board.clone()).or_insert_with(|| position.hash());
    assert_eq!(known, position.hash(), "{board:?}");
    let mut visits = 1;
    if depth > 0 {
        for chosen in board.legal_steps() {
            let undo = position.play(step(&oracle::name(chosen)).unwrap());
            let next = board.after(chosen);
            // What a finished game hashes to is its own affair.
            if next.outcome().is_none() {
                visits += collect(position, &next, depth - 1, seen);
            }
            position.undo(undo);
        }
    }
    visits
}

#[test]
fn equal_states_and_only_those_have_equal_hashes() {
    let mut seen = BTreeMap::new();
    let mut visits = 0;
    for file in files("taratibu/perft") {
        let (board, counts) = table(&file);
        let depth = counts.iter().take_while(|&&leaves| leaves < 2000).count();
        visits += collect(&mut position(&board), &board, depth as u32, &mut seen);
    }
    let mut by_hash: HashMap<u64, &Board> = HashMap::new();
    for (board, &hash) in &seen {
        if let Some(other) = by_hash.insert(hash, board) {
            panic!("one hash: {other:?} {board:?}");
        }
    }
    let states = seen.len() as u64;
    assert!(
        states > 3000 && visits > 3 * states / 2,
        "{visits} visits, {states} states"
    );
}

/// Positions that differ in one thing alone must differ in their hashes.
#[test]
fn turn_steps_left_and_spent_pieces_are_hashed() {
    let board = table("spent_turn_4.txt").0;
    let mut others = vec![board.clone(); 4];
    others[1].spent.clear();
    others[2].turn += 2;
    others[3].steps_left += 1;
    let hashes: BTreeSet<u64> = others.iter().map(|board| position(board).hash()).collect();
    assert_eq!(hashes.len(), 4);
}

#[test]
fn playouts_make_legal_steps_and_end_as_they_say() {
    let mut random = Random::new(1);
    let mut wins = 0;
    for file in files("taratibu/perft") {
        let start = table(&file).0;
        for redraws in [0, 3].repeat(10) {
            let mut board = start.clone();
            let mut playout = position(&board).playout();
            let mut made = Vec::new();
            let end = playout.finish(redraws, &mut random, |seat, code| made.push((seat, code)));
            for (by, code) in made {
                assert_eq!(by, seat(board.to_move()), "{file}");
                board.play(oracle::step(&name(Position::decode(code))));
            }
            assert_eq!(outcome(&board), Some(end), "{file}");
            wins += u32::from(end != Outcome::Draw);
        }
    }
    assert!(wins > 10, "{wins}");
}

/// Every first step of a uniform playout comes up as often as every other one.
#[test]
fn playouts_are_uniform() {
    let mut random = Random::new(2);
    let start = Position::new_game();
    let mut counts: BTreeMap<u16, u32> = BTreeMap::new();
    for _ in 0..3100 {
        let mut first = None;
        let mut playout = start.playout();
        playout.finish(0, &mut random, |_, code| {
            first.get_or_insert(code);
        });
        *counts.entry(first.unwrap()).or_default() += 1;
    }
    assert_eq!(counts.len(), 31);
    // 100 each; six times the standard deviation.
    assert!(counts.values().all(|n| (40..160).contains(n)), "{counts:?}");
}

#[test]
fn the_sample_game_replays() {
    let file = text("taratibu/sample_game.txt");
    let mut lines: Vec<&str> = file.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.pop(), Some("1:0"));
    let mut position = Position::new_game();
    for line in lines {
        let (turn, steps) = line.split_once(' ').unwrap();
        assert_eq!(position.turn().to_string(), turn);
        let parsed = parse_turn(steps).unwrap();
        assert_eq!(write_turn(&parsed), steps);
        for step in parsed {
            assert_eq!(position.outcome(), None);
            assert!(position.is_legal(step));
            position.play(step);
        }
    }
    assert_eq!(position.outcome(), Some(Outcome::Winner(Seat::ALL[0])));
}

#[test]
fn what_is_no_turn_is_refused() {
    for text in [
        "",
        "-",
        "416",
        "41636",
        "4163-",
        "-4163",
        "4163--6345",
        "4163_6345",
        "4163 - 6345",
        "4183",
        "0011",
        "1811",
        "1108",
        "ab12",
        "4163-6",
        "+163",
        "٤١٦٣",
    ] {
        assert!(parse_turn(text).is_err(), "{text:?}");
    }
}

/// So many cases, the same each time.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2005),
        ..ProptestConfig::default()
    }
}

/// What can be done with any text of a position.
fn use_text(text: &str) -> Result<(), TestCaseError> {
    match Position::parse(text) {
        Ok(mut position) => {
            let written = position.to_text();
            let again = Position::parse(&written);
            prop_assert_eq!(again.unwrap().to_text(), written.clone());
            let moves = moves(&position);
            prop_assert_eq!(moves.is_empty(), position.outcome().is_some());
            for mv in moves {
                let undo = position.play(mv);
                position.undo(undo);
                prop_assert_eq!(position.to_text(), written.clone());
            }
        }
        Err(error) => prop_assert!(!error.to_string().is_empty()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn any_text_is_a_position_or_an_error(text in prop_oneof![
        any::<String>(),
        "([.SEBAFMDCTHsebafmdcth]{7}\n){7}turn [0-9]{1,2}, (white|black) to move, [0-9]{1,2} steps? left\n",
        "([.MSmsTD]{6,8}\n){6,8}(turn 2, black to move, 2 steps left)?\n(spent( [0-8]{2}){0,3})?",
    ]) {
        use_text(&text)?;
    }

    #[test]
    fn a_damaged_text_is_a_position_or_an_error(
        file in proptest::sample::select(files("taratibu/perft")),
        damage in vec((any::<u16>(), any::<char>()), 0..4),
        cut in proptest::option::of(any::<u16>()),
    ) {
        let mut text: Vec<char> = table(&file).0.to_text().chars().collect();
        for (at, character) in damage {
            let at = usize::from(at) % text.len();
            text[at] = character;
        }
        if let Some(at) = cut {
            text.remove(usize::from(at) % text.len());
        }
        use_text(&String::from_iter(text))?;
    }

    #[test]
    fn any_text_is_a_turn_or_an_error(text in prop_oneof![
        any::<String>(),
        "[0-8]{4}(-[0-8]{4}){0,3}",
        "[0-9-]{0,12}",
    ]) {
        if let Ok(steps) = parse_turn(&text) {
            prop_assert_eq!(write_turn(&steps), text);
        }
    }
}
