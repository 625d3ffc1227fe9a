//! How the file of positions was made.

use std::collections::{BTreeMap, BTreeSet};

use tanada::engine::Engine;

use super::{Board, FILE, Side, Turn, engine, limits, oracle};
use crate::oracle::SplitMix;
use crate::oracle::taratibu::TURNS;

/// What the file says of itself.
const HEAD: &str = "\
# Taratibu positions at turns 5 to 10 from self-play: before each the fewest steps in which the mover
# wins within this turn, or `-` if it cannot.
#
# Made by `cargo test --test tests -- --ignored taratibu_wins`, which writes it anew (the
# same as long as the engine plays the same).
# Each game has its own seed, from 1. Its first one to four turns are random; then each side is the
# preset `linear` (50 iterations a step, one thread), the preset `greedy`, or one that captures
# whenever it can, and each has a chance of 0, 1/8, 1/3 or 3/4 that its step is random instead.
# Nobody wins before a turn drawn from 5 to 10, so that late turns occur: until then a step that wins
# is replaced by a random one that does not. In every game of an even seed, as wins at turn 5 are
# rare otherwise, only turn 1 is random, Black makes random steps to turn 4, White none, and the game
# is broken off after turn 5.
# One in three of the positions met is offered, of turn 5 and of starts of turns all, and taken as
# long as there is room for its turn, number of steps and number of spare steps. The labels are those
# of the searches in tests/oracle/taratibu_turn.rs: the plain one at turns 5 and 6, the pruned one
# beyond.
";

/// Games played.
const GAMES: u64 = 6000;

/// States that a search may go into before its position is left out; the head tells how often.
const MOST: usize = 3_000_000;

/// Who makes a step.
#[derive(Clone, Copy)]
enum Player {
    Linear,
    Greedy,
    Captor,
}

/// A legal step that does not win, a capture if that is asked for and there is one.
fn random_step(board: &Board, captures: bool, rng: &mut SplitMix) -> Option<oracle::Step> {
    let mut steps = board.legal_steps();
    steps.retain(|&step| !wins(board, step));
    let is_capture = |(_, to): &oracle::Step| board.pieces.contains_key(to);
    if captures && steps.iter().any(is_capture) {
        steps.retain(is_capture);
    }
    (!steps.is_empty()).then(|| steps[rng.below(steps.len())])
}

fn wins(board: &Board, step: oracle::Step) -> bool {
    matches!(board.after(step).outcome(), Some(oracle::Outcome::Won(_)))
}

/// The positions of a game, from turn 5 on.
fn game(seed: u64) -> Vec<Board> {
    let mut rng = SplitMix::new(seed);
    // For the sake of wins at turn 5.
    let early = seed.is_multiple_of(2);
    let (opening, no_win_before, last) = if early {
        (1, 5, 5)
    } else {
        (1 + rng.below(4) as u32, 5 + rng.below(6) as u32, TURNS)
    };
    let mut player = || match rng.below(3) {
        0 => Player::Linear,
        1 => Player::Greedy,
        _ => Player::Captor,
    };
    let players = [player(), player()];
    let lapses = [0, 3, 8, 18][rng.below(4)];
    let mut board = Board::new_game();
    let mut engines = ["linear", "greedy"].map(|preset| engine("start", preset, seed));
    let mut met = Vec::new();
    while board.outcome().is_none() && board.turn <= last {
        if board.turn >= 5 {
            met.push(board.clone());
        }
        let player = players[(board.turn % 2) as usize];
        let lapses = match (early, board.to_move()) {
            (false, _) => lapses,
            (true, Side::Black) => 24,
            (true, Side::White) => 0,
        };
        let mut step = if board.turn <= opening || rng.below(24) < lapses {
            random_step(&board, false, &mut rng)
        } else {
            match player {
                Player::Linear => Some(ask(&mut engines[0])),
                Player::Greedy => Some(ask(&mut engines[1])),
                Player::Captor => random_step(&board, true, &mut rng),
            }
        };
        if step.is_some_and(|step| wins(&board, step)) && board.turn < no_win_before {
            step = random_step(&board, false, &mut rng);
        }
        // Only where every step wins there is none.
        let Some(step) = step else {
            break;
        };
        board.play(step);
        for engine in &mut engines {
            let seat = engine.to_move();
            engine.play_word(seat, &oracle::name(step)).unwrap();
        }
    }
    met
}

fn ask(engine: &mut Engine) -> oracle::Step {
    let report = engine.search(&limits(50), &|| false);
    oracle::step(&engine.name(report.best().unwrap().mv))
}

/// The positions taken so far.
#[derive(Default)]
struct Collection {
    /// How many there are of a sort.
    counts: BTreeMap<(u32, Option<u32>, u32), u32>,
    lines: BTreeSet<(u32, Option<u32>, String)>,
    seen: BTreeSet<String>,
    left_out: u32,
}

impl Collection {
    /// Takes a position unless there are enough of its sort.
    fn offer(&mut self, board: &Board) {
        let line = board.to_text().trim_end().replace('\n', "/");
        if !self.seen.insert(line.clone()) {
            return;
        }
        let turn = Turn::new(board);
        let Some(steps) = turn.pruned(MOST) else {
            self.left_out += 1;
            return;
        };
        // Spare steps, or those that lack by the lower bound.
        let bound = turn.bound(&turn.start);
        let (spare, room) = match steps {
            Some(steps) => ((turn.steps_left - steps).min(3), 12),
            None if bound <= turn.steps_left => (0, 60),
            None => (10 * turn.steps_left + (bound - turn.steps_left).min(2), 6),
        };
        let count = self.counts.entry((board.turn, steps, spare)).or_default();
        if *count >= room {
            return;
        }
        *count += 1;
        if board.turn <= 6 {
            assert_eq!(turn.plain(), steps, "{line}");
        }
        self.lines.insert((board.turn, steps, line));
    }
}

#[test]
#[ignore = "writes the file of positions anew, in many minutes"]
fn taratibu_wins_are_made_anew() {
    let mut collection = Collection::default();
    for seed in 1..=GAMES {
        let mut rng = SplitMix::new(seed << 32);
        for board in game(seed) {
            // Only some of each game: positions of one turn resemble each other.
            let rare = board.turn == 5 || board.steps_left == board.turn;
            if rare || rng.below(3) == 0 {
                collection.offer(&board);
            }
        }
    }
    let mut text = format!(
        "{HEAD}# {GAMES} games; {} positions were left out, on which {MOST} states did not decide.\n",
        collection.left_out
    );
    for (_, steps, line) in &collection.lines {
        let label = steps.map_or("-".to_owned(), |steps| steps.to_string());
        text += &format!("{label} {line}\n");
    }
    let path = format!("{}/tests/data/{FILE}", env!("CARGO_MANIFEST_DIR"));
    std::fs::write(path, text).unwrap();
}
