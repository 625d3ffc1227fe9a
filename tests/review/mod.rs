//! Reviews: values, losses and variations, and the page, for every kind of game.

mod page;

use std::sync::atomic::Ordering::Relaxed;

use serde_json::Value;
use tanada::engine::Engine;
use tanada::game::Outcome;
use tanada::games;
use tanada::params::Params;
use tanada::review::{self, Mark, Review, ReviewError, ReviewProgress, ReviewSettings};
use tanada::search::SearchLimits;
use tanada::tanbo::colour;
use tanada::util::random::Random;
use tanada::variant::{GameRecord, RecordedMove, SharedStart};

const FOUR: &str = "to move: black\n\
                    X . . . O . .\n\
                    . . . . . . .\n\
                    . . . . . . .\n\
                    R . . . G . .\n\
                    . . . . . . .\n\
                    . . . . . . X\n\
                    O . . . . . .\n";

const THREE: &str = "to move: white\n\
                     X . . . O\n\
                     . . . . .\n\
                     . . . . .\n\
                     . . . . .\n\
                     R . . . .\n";

/// A game of black and red only.
const APART: &str = "to move: red\n\
                     X . . R\n\
                     . . . .\n\
                     . . . .\n\
                     R . . X\n";

fn start(game: &str, side: Option<usize>) -> SharedStart {
    games::find(game).unwrap().start(side, None, None).unwrap()
}

fn diagram(text: &str) -> SharedStart {
    games::default().read(text, None).unwrap()
}

/// A random game of at most so many moves.
fn game(start: SharedStart, most: usize, seed: u64) -> GameRecord {
    let mut random = Random::new(seed);
    let mut engine = Engine::new(start.clone(), Params::default());
    let mut record = GameRecord::new(start);
    while record.moves.len() < most && !engine.is_over() {
        let legal = engine.legal();
        let code = legal[random.below(legal.len() as u32) as usize];
        record.moves.push(RecordedMove::new(engine.to_move(), code));
        engine.play(code).unwrap();
    }
    record
}

/// A reproducible analysis that keeps this many best moves, and variations of this length.
fn settings<'a>(
    limits: &'a dyn Fn() -> SearchLimits,
    best: usize,
    line: usize,
) -> ReviewSettings<'a> {
    ReviewSettings {
        params: Params {
            threads: 1,
            seed: 1,
            ..Params::default()
        },
        limits,
        best,
        line,
    }
}

fn limits(iterations: u64) -> SearchLimits {
    SearchLimits {
        iterations: Some(iterations),
        ..SearchLimits::default()
    }
}

fn examine(record: &GameRecord, iterations: u64) -> Result<Review, ReviewError> {
    let limits = || limits(iterations);
    review::examine(record, &settings(&limits, 4, 6), &mut |_| (), &|| false)
}

/// Games of every kind, some of them finished.
fn kinds() -> Vec<(&'static str, GameRecord)> {
    vec![
        ("4x4", game(start("tanbo", Some(4)), 100, 1)),
        ("9x9", game(start("tanbo", Some(9)), 30, 2)),
        ("21x21", game(start("tanbo", Some(21)), 3, 3)),
        ("three", game(diagram(THREE), 100, 4)),
        ("four", game(diagram(FOUR), 200, 5)),
        ("apart", game(diagram(APART), 100, 6)),
        ("taratibu", game(start("taratibu", None), 30, 7)),
        ("taratibu, whole", game(start("taratibu", None), 100, 8)),
        ("no moves", game(start("tanbo", Some(5)), 0, 9)),
    ]
}

#[test]
fn every_kind_of_game_is_consistent() {
    for (kind, record) in kinds() {
        let found = examine(&record, 40).unwrap();
        assert_eq!(found.moves.len(), record.moves.len(), "{kind}");
        assert_eq!(found.positions.len(), record.moves.len() + 1, "{kind}");
        let mut engine = Engine::new(record.start.clone(), Params::default());
        let board = found.board.as_ref().unwrap();
        for (number, position) in found.positions.iter().enumerate() {
            let at = format!("{kind}, position {number}");
            let sum: f64 = position.values.iter().sum();
            assert!((sum - 1.0).abs() < 1e-3, "{at}: {sum}");
            assert_eq!(position.values.len(), record.start.players().len());
            assert_eq!(position.over, engine.is_over(), "{at}");
            let mover = record
                .start
                .players()
                .iter()
                .position(|&p| p == engine.to_move());
            assert_eq!(position.to_move, mover.filter(|_| !position.over), "{at}");
            assert_eq!(position.rows.len(), board.side);
            assert!(
                position
                    .rows
                    .iter()
                    .all(|row| row.chars().count() == board.side)
            );
            let shown: String = engine
                .notation()
                .position_text()
                .split_whitespace()
                .collect();
            assert!(shown.contains(&position.rows.concat()), "{at}: {shown}");
            assert_eq!(position.best.is_empty(), position.over, "{at}");
            if let (Some(best), Some(mover)) = (position.best.first(), position.to_move) {
                assert_eq!(best.value, position.values[mover], "{at}");
            }
            for best in &position.best {
                assert_eq!(best.line[0].name, best.name);
                let mut played = 0;
                for mv in &best.line {
                    let seat = engine.to_move();
                    assert_eq!(record.start.players()[mv.player], seat);
                    played += engine.play_word(seat, &mv.name).unwrap();
                }
                for _ in 0..played {
                    engine.undo();
                }
            }
            let Some(mv) = found.moves.get(number) else {
                continue;
            };
            assert_eq!(mv.number, number + 1);
            assert_eq!(mv.name, engine.name(record.moves[number].mv));
            assert!(
                mv.loss >= 0.0 && mv.best_value <= 1.0 && mv.value >= 0.0,
                "{at}"
            );
            assert!(
                (mv.loss - (mv.best_value - mv.value).max(0.0)).abs() < 1e-9,
                "{at}"
            );
            match mv.loss_interval {
                // The limit is 0.04; here it is rounded.
                Some([low, _]) if (low - 0.04).abs() < 1e-4 => (),
                Some([low, _]) if low >= 0.04 => {
                    assert_eq!(mv.mark, Mark::of(mv.loss), "{at}")
                }
                _ => assert_eq!(mv.mark, None, "{at}"),
            }
            assert_eq!(mv.best, position.best[0].name);
            assert!(
                position.best.iter().any(|best| best.name == mv.name),
                "{at}"
            );
            engine.play(record.moves[number].mv).unwrap();
        }
        let last = found.positions.last().unwrap();
        if last.over {
            let drawn = last.values.iter().all(|value| *value == 0.5);
            assert!(
                last.exact && (drawn || last.values.contains(&1.0)),
                "{kind}"
            );
        }
    }
}

#[test]
fn removals_are_what_the_boards_say() {
    let mut removals = 0;
    for (kind, record) in kinds() {
        let found = examine(&record, 2).unwrap();
        let squares = found.board.as_ref().unwrap().ground == "squares";
        for (mv, pair) in found.moves.iter().zip(found.positions.windows(2)) {
            let [before, after] = pair else { continue };
            let cells = |rows: &[String]| rows.concat().chars().collect::<Vec<_>>();
            let (before, after) = (cells(&before.rows), cells(&after.rows));
            let count = |cells: &[char]| cells.iter().filter(|c| **c != '.').count();
            let new = usize::from(!squares);
            let gone = mv.change.removed.len();
            assert_eq!(
                count(&before) + new,
                count(&after) + gone,
                "{kind} {}",
                mv.number
            );
            assert_eq!(mv.change.from.is_some(), squares);
            removals += gone;
        }
    }
    assert!(removals > 20, "{removals}");
}

#[test]
fn a_thrown_away_win_is_a_blunder_and_exact() {
    let mut thrown = 0;
    for seed in 0..40 {
        let record = game(start("tanbo", Some(4)), 100, seed);
        let params = Params {
            threads: 1,
            seed,
            ..Params::default()
        };
        let limits = limits(3000);
        let mut engine = Engine::new(record.start.clone(), params);
        let mut short = GameRecord::new(record.start.clone());
        for played in &record.moves {
            let report = engine.search(&limits, &|| false);
            let seat = engine.to_move();
            let won = report.proof == Some(Outcome::Winner(seat));
            let lost = report.moves.iter().find(|m| {
                m.proof
                    .is_some_and(|outcome| outcome != Outcome::Winner(seat))
            });
            if let (true, Some(lost)) = (won, lost) {
                short.moves.push(RecordedMove::new(seat, lost.mv));
                let found = examine(&short, 3000).unwrap();
                let mv = found.moves.last().unwrap();
                assert_eq!((mv.best_value, mv.value, mv.loss), (1.0, 0.0, 1.0));
                assert_eq!((mv.mark, mv.proven), (Some(Mark::Blunder), Some("loss")));
                assert_eq!(mv.loss_interval, Some([1.0, 1.0]));
                assert!(found.mistakes.contains(&mv.number));
                assert_eq!(found.moves[found.mistakes[0] - 1].loss, 1.0);
                let [.., before, after] = &found.positions[..] else {
                    panic!()
                };
                assert!(before.exact && after.exact);
                assert_eq!(before.best[0].proven, Some("win"));
                thrown += 1;
                break;
            }
            short.moves.push(played.clone());
            engine.play(played.mv).unwrap();
        }
    }
    assert!(thrown > 5, "{thrown}");
}

/// Every mark has an interval beyond the threshold, verification takes at most as many iterations
/// as the first searches, and the summary of a player counts its marks.
#[test]
fn marks_are_beyond_the_noise_and_cost_at_most_twice() {
    let mut marks = 0;
    for (kind, record) in kinds() {
        let found = examine(&record, 60).unwrap();
        let spent: u64 = found.positions.iter().map(|p| p.iterations).sum();
        assert!(spent <= 2 * 60 * found.positions.len() as u64, "{kind}");
        for mv in &found.moves {
            if let Some([low, high]) = mv.loss_interval {
                assert!(0.0 <= low && low <= high && high <= 1.0, "{kind}");
                let shown = low <= mv.loss + 2e-4 && mv.loss <= high + 2e-4;
                assert!(shown || mv.loss == 0.0, "{kind} {mv:?}");
            }
            if mv.mark.is_some() {
                assert!(mv.is_sure() && mv.loss_interval.unwrap()[0] >= 0.04);
                assert!(mv.loss >= 0.05);
                assert!(found.mistakes.contains(&mv.number));
                marks += 1;
            }
        }
        for (player, who) in found.players.iter().enumerate() {
            let own = || found.moves.iter().filter(|mv| mv.player == player);
            let of = |mark| own().filter(|mv| mv.mark == Some(mark)).count();
            let summary = &who.summary;
            assert_eq!(summary.moves, own().count());
            let counts = [summary.doubtful, summary.mistakes, summary.blunders];
            assert_eq!(counts, Mark::ALL.map(of));
            assert_eq!(summary.mean_loss.is_some(), summary.moves > 0);
            let lost: f64 = own().filter(|mv| mv.is_sure()).map(|mv| mv.loss).sum();
            let mean = lost / summary.moves.max(1) as f64;
            assert!((summary.mean_loss.unwrap_or(0.0) - mean).abs() < 1e-4);
        }
    }
    assert!(marks > 10, "{marks}");
}

#[test]
fn the_end_of_a_game_can_be_examined_alone() {
    let record = game(start("tanbo", Some(5)), 6, 1);
    let settings = settings(&|| limits(50), 1, 1);
    let end = |from| review::examine_end(&record, from, &settings, &|| false).unwrap();
    let last = end(4);
    let numbers: Vec<usize> = last.iter().map(|mv| mv.number).collect();
    assert_eq!(numbers, [5, 6]);
    assert!(last.iter().all(|mv| mv.value > 0.0 || mv.proven.is_some()));
    assert_eq!((end(6).len(), end(9).len(), end(0).len()), (0, 0, 6));
}

#[test]
fn one_thread_a_seed_and_iterations_are_reproducible() {
    let text = |record: &GameRecord| serde_json::to_string(&examine(record, 60).unwrap()).unwrap();
    for (kind, record) in kinds().into_iter().take(5) {
        assert_eq!(text(&record), text(&record), "{kind}");
    }
}

#[test]
fn spaces_add_up() {
    let record = game(diagram(FOUR), 40, 12);
    let found = examine(&record, 2).unwrap();
    for position in &found.positions {
        let map = position.map.concat();
        let rows = position.rows.concat();
        for (sign, symbol) in map.chars().zip(rows.chars()) {
            assert_eq!(sign == ' ', symbol != '.');
        }
        for (player, digit) in "0123".chars().enumerate() {
            let own: usize = position
                .spaces
                .iter()
                .filter(|space| space.player == player)
                .map(|space| space.own)
                .sum();
            assert_eq!(own, map.chars().filter(|c| *c == digit).count());
        }
        for space in &position.spaces {
            assert!(space.now.len() <= space.reach && space.own <= space.reach);
            assert!(!space.now.is_empty());
            assert!(space.now.iter().all(|&cell| rows.as_bytes()[cell] == b'.'));
            assert!(space.now.iter().all(|&cell| map.as_bytes()[cell] != b'-'));
        }
    }
}

#[test]
fn games_that_cannot_be_played_are_refused_before_any_search() {
    let record = game(start("tanbo", Some(5)), 4, 1);
    let searched = |record: &GameRecord| {
        let mut heard = 0;
        let settings = settings(&|| panic!("a search began"), 1, 1);
        let found = review::examine(record, &settings, &mut |_| heard += 1, &|| false);
        assert_eq!(heard, 0);
        found.unwrap_err()
    };
    let mut illegal = record.clone();
    illegal.moves[2].mv = illegal.moves[0].mv;
    let error = searched(&illegal);
    assert!(
        matches!(error, ReviewError::Illegal { number: 3, .. }),
        "{error}"
    );
    assert!(
        error.to_string().contains("exactly one black stone"),
        "{error}"
    );
    let mut turned = record.clone();
    turned.moves[1].seat = colour::BLACK;
    assert_eq!(
        searched(&turned).to_string(),
        "move 2 is by black, but it is white's turn"
    );
    let mut long = game(start("tanbo", Some(4)), 100, 1);
    let count = long.moves.len();
    long.moves.push(long.moves[0].clone());
    let error = searched(&long);
    assert_eq!(error, ReviewError::AfterEnd { number: count + 1 });
}

#[test]
fn a_stop_keeps_the_judged_moves() {
    let record = game(start("tanbo", Some(5)), 6, 1);
    let settings = settings(&|| limits(10), 1, 1);
    let stopped = review::examine(&record, &settings, &mut |_| (), &|| true);
    assert_eq!(stopped.unwrap_err(), ReviewError::Stopped);
    let whole = review::examine(&record, &settings, &mut |_| (), &|| false).unwrap();
    assert!(whole.incomplete.is_none() && whole.extent() == "6 moves");
    let over = std::sync::atomic::AtomicBool::new(false);
    let mut watch = |at| over.store(at == ReviewProgress::Searched(4, 7), Relaxed);
    let part = review::examine(&record, &settings, &mut watch, &|| over.load(Relaxed)).unwrap();
    assert_eq!((part.moves.len(), part.positions.len()), (3, 4));
    assert_eq!(part.extent(), "the first 3 of 6 moves, analysis stopped");
    let names = |review: &Review| -> Vec<String> {
        let moves = review.moves.iter().take(3);
        moves.map(|mv| mv.name.clone()).collect()
    };
    assert_eq!(names(&part), names(&whole));
    assert!(review::review_page(&part).contains("the first 3 of 6 moves"));
    let mut heard = Vec::new();
    review::examine(&record, &settings, &mut |at| heard.push(at), &|| false).unwrap();
    let forward: Vec<ReviewProgress> = (0..=7).map(|n| ReviewProgress::Searched(n, 7)).collect();
    assert_eq!(heard[..8], forward);
}

/// The JSON of a short game, apart from the version. A change of play changes it; the message says
/// how to update it.
#[test]
fn the_json_of_a_short_game_does_not_change() {
    let arguments = [
        "analyze",
        "--size",
        "5",
        "--moves",
        "A2 A4 E4 B5 D5 D1",
        "--iterations",
        "50",
        "--threads",
        "1",
        "--seed",
        "1",
        "--best",
        "2",
        "--json",
    ];
    let found = crate::cli::run(&arguments);
    let expected = crate::text("review/short.json");
    let parsed = |text: &str| {
        let mut value: Value = serde_json::from_str(text).unwrap();
        value["version"] = Value::Null;
        value
    };
    assert_eq!(
        parsed(&found),
        parsed(&expected),
        "if the play was meant to change: tanada {} > tests/data/review/short.json",
        arguments
            .join(" ")
            .replace("A2 A4 E4 B5 D5 D1", "'A2 A4 E4 B5 D5 D1'")
    );
}
