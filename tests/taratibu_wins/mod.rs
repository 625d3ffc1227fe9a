//! A win within the turn is always found: Taratibu positions from self-play, labelled by complete
//! searches that share nothing with the library, against the engine.

mod generate;

use std::collections::BTreeMap;

use tanada::engine::Engine;
use tanada::game::{Outcome, Seat};
use tanada::params::Params;
use tanada::search::SearchLimits;
use tanada::taratibu::turn::{WinSearch, find_win};
use tanada::taratibu::{Position, Taratibu};
use tanada::variant::Variant;

use super::oracle::taratibu::{self as oracle, Board, Side};
use super::oracle::taratibu_turn::Turn;
use super::text;

/// The positions, within the test data.
const FILE: &str = "taratibu/wins.txt";

/// Made up, as games hardly have them: wins that need a capture only to get a piece out of the way.
const CLEARED: [&str; 5] = [
    "......./......./......./.EeT.../m.bF.../DM.S.../BhC..../turn 9, white to move, 3 steps left/spent 12 22 24 42 43 44",
    "......./......./......./..Db.../SAEm.../BChF.../TMHa.../turn 9, white to move, 3 steps left/spent 13 23 31 33 34 42",
    "......./......./......./ThC..../SFsA.../b.DE.../mB.H.../turn 9, white to move, 3 steps left/spent 14 23 32 34 41 42",
    "......./......./......./CHhD.../Beam.../TsE..../AFMS.../turn 9, white to move, 3 steps left/spent 24 31 32 41 44",
    "......./......./......./CEsD.../FHbT.../.hMe.../mABS.../turn 9, white to move, 3 steps left/spent 13 14 21 23 31",
];

/// One line of the file.
struct Entry {
    /// The position, on one line.
    line: String,
    board: Board,
    /// The fewest steps that win, if any do.
    steps: Option<u32>,
}

fn entries() -> Vec<Entry> {
    let file = text(FILE);
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.map(entry).collect()
}

fn entry(line: &str) -> Entry {
    let (label, line) = line.split_once(' ').unwrap();
    Entry {
        line: line.to_owned(),
        board: Board::parse(&line.replace('/', "\n")),
        steps: (label != "-").then(|| label.parse().unwrap()),
    }
}

fn seat(side: Side) -> Seat {
    Seat::ALL[Side::ALL.iter().position(|&s| s == side).unwrap()]
}

/// An engine of one thread at a position.
fn engine(line: &str, preset: &str, seed: u64) -> Engine {
    let params = Params {
        threads: 1,
        memory: 1,
        seed,
        ..Params::preset(preset).unwrap()
    };
    Engine::new(Taratibu.read(line, None).unwrap(), params)
}

fn limits(iterations: u64) -> SearchLimits {
    SearchLimits {
        deadline: None,
        iterations: Some(iterations),
        ..SearchLimits::default()
    }
}

#[test]
fn there_are_enough_positions_of_every_sort() {
    let entries = entries();
    let (mut wins, mut others) = (BTreeMap::new(), BTreeMap::new());
    let (mut by_steps, mut all_steps, mut spent, mut starts) = (BTreeMap::new(), 0, 0, 0);
    for entry in &entries {
        let board = &entry.board;
        let Some(steps) = entry.steps else {
            *others.entry(board.turn).or_insert(0) += 1;
            continue;
        };
        *wins.entry(board.turn).or_insert(0) += 1;
        *by_steps.entry(steps).or_insert(0) += 1;
        all_steps += u32::from(steps == board.steps_left);
        spent += u32::from(!board.spent.is_empty());
        starts += u32::from(board.steps_left == board.turn);
    }
    let counts = format!(
        "by turn {wins:?}, by steps {by_steps:?}, {all_steps} with all steps, {spent} with spent \
         pieces, {starts} starts of turns; without a win {others:?}"
    );
    assert!(wins.values().sum::<u32>() >= 1000, "{counts}");
    assert!(others.values().sum::<u32>() >= 400, "{counts}");
    for turn in 5..=10 {
        assert!(wins.get(&turn).is_some_and(|&n| n >= 100), "{counts}");
        assert!(others.get(&turn).is_some_and(|&n| n >= 50), "{counts}");
    }
    assert_eq!(wins.len(), 6, "{counts}");
    let some = |steps| by_steps.get(&steps).is_some_and(|&n| n >= 10);
    assert!((1..=9).all(some) && by_steps.contains_key(&10), "{counts}");
    let many = all_steps >= 400 && spent >= 500 && starts >= 200;
    assert!(many, "{counts}");
    let mut lines: Vec<&str> = entries.iter().map(|entry| &entry.line[..]).collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), entries.len(), "a position twice");
}

/// Whether the plain search of what is left takes no time to speak of.
fn is_cheap(board: &Board) -> bool {
    board.turn <= 6 && board.steps_left <= 3
}

#[test]
fn the_labels_are_what_the_complete_searches_find() {
    let (mut plain, mut close) = (0, 0);
    for entry in entries() {
        let turn = Turn::new(&entry.board);
        let found = turn.pruned(usize::MAX);
        assert_eq!(found, Some(entry.steps), "{}", entry.line);
        let bound = turn.bound(&turn.start);
        close += u32::from(entry.steps.unwrap_or(turn.steps_left + 1) > bound);
        if is_cheap(&entry.board) {
            assert_eq!(turn.plain(), entry.steps, "{}", entry.line);
            plain += 1;
        }
    }
    assert!(
        plain > 100 && close > 100,
        "{plain} searched plainly, {close} where the lower bound alone is wrong"
    );
}

/// Plays the rest of a turn that can be won; every step must be known to win.
fn check_win(entry: &Entry, preset: &str, iterations: u64) {
    let (mut board, mover) = (entry.board.clone(), entry.board.to_move());
    let mut engine = engine(&entry.line, preset, 1);
    let context = format!("{preset}, {iterations} iterations: {}", entry.line);
    let mut steps = 0;
    while board.outcome().is_none() {
        assert_eq!(board.turn, entry.board.turn, "turn over, {context}");
        let report = engine.search(&limits(iterations), &|| false);
        let win = Some(Outcome::Winner(seat(mover)));
        assert_eq!(report.proof, win, "after {steps} steps, {context}");
        let best = report.best().unwrap();
        assert_eq!(best.proof, win, "after {steps} steps, {context}");
        let code = best.mv;
        board.play(oracle::step(&engine.name(code)));
        engine.play(code).unwrap();
        steps += 1;
    }
    let won = oracle::Outcome::Won(mover);
    assert_eq!(board.outcome(), Some(won), "{context}");
    assert_eq!(engine.winner(), Some(seat(mover)), "{context}");
    // The fewest, too: that is what the search of the turn promises.
    assert_eq!(Some(steps), entry.steps, "{context}");
}

#[test]
fn every_win_within_the_turn_is_found_and_played() {
    let mut wins = 0;
    for entry in entries().iter().filter(|entry| entry.steps.is_some()) {
        check_win(entry, "linear", 1);
        check_win(entry, "linear", 50);
        if wins % 5 == 0 {
            check_win(entry, "playout", 20);
        }
        wins += 1;
    }
    assert!(wins >= 1000, "{wins}");
}

#[test]
fn captures_that_only_clear_the_way_are_found() {
    for line in CLEARED {
        let entry = entry(&format!("3 {line}"));
        let turn = Turn::new(&entry.board);
        assert_eq!(turn.plain(), entry.steps, "{line}");
        assert_eq!(turn.pruned(usize::MAX), Some(entry.steps), "{line}");
        check_win(&entry, "linear", 1);
    }
}

#[test]
fn no_win_is_claimed_where_the_turn_has_none() {
    let mut losses = 0;
    for entry in entries().iter().filter(|entry| entry.steps.is_none()) {
        let position = Position::parse(&entry.line).unwrap();
        assert_eq!(
            find_win(&position, None),
            WinSearch::NoWin,
            "{}",
            entry.line
        );
        // A single iteration looks one step ahead: what it proves is won by this step.
        let report = engine(&entry.line, "linear", 1).search(&limits(1), &|| false);
        let win = Some(Outcome::Winner(seat(entry.board.to_move())));
        assert_ne!(report.proof, win, "{}", entry.line);
        losses += 1;
    }
    assert!(losses >= 400, "{losses}");
}
