//! The search, held to everything there is to know about a game.

use std::collections::{HashMap, HashSet};

use std::time::Instant;

use super::variant::ThreeInARow;
use tanada::eval::playout::{self, Playout};
use tanada::game::{Evaluator, Game, Outcome, Seat, perft};
use tanada::gtp::{Control, Session, Signal};
use tanada::params::Params;
use tanada::search::{Report, SearchLimits, Searcher};
use tanada::start::Configuration;
use tanada::util::random::Random;

use super::{Column, OpenLines, Position};

/// The result of every position that can come up, with the best play of both sides.
pub(super) type Solution = HashMap<Position, Outcome>;

pub(super) fn moves(position: &Position) -> Vec<Column> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves
}

pub(super) fn after(position: &Position, mv: Column) -> Position {
    let mut next = *position;
    next.play(mv);
    next
}

/// Plain minimax.
fn solve(position: &Position, known: &mut Solution) -> Outcome {
    if let Some(&outcome) = known.get(position) {
        return outcome;
    }
    let seat = position.to_move();
    let outcome = position.outcome().unwrap_or_else(|| {
        let results = moves(position)
            .into_iter()
            .map(|mv| solve(&after(position, mv), known));
        let by_value = |a: &Outcome, b: &Outcome| {
            let value = |o: &Outcome| o.value_for(seat, 2);
            value(a).total_cmp(&value(b))
        };
        results.max_by(by_value).unwrap()
    });
    known.insert(*position, outcome);
    outcome
}

pub(super) fn solution() -> Solution {
    let mut known = Solution::new();
    solve(&Position::default(), &mut known);
    known
}

#[test]
fn the_game_is_drawn_and_has_694_positions() {
    let known = solution();
    assert_eq!(known[&Position::default()], Outcome::Draw);
    let count = |outcome| known.values().filter(|&&o| o == outcome).count();
    let [first, second] = [Seat::ALL[0], Seat::ALL[1]].map(|s| count(Outcome::Winner(s)));
    assert_eq!((known.len(), count(Outcome::Draw)), (694, 160));
    assert_eq!((first, second), (371, 163));
}

#[test]
fn its_moves_are_taken_back_and_its_hashes_differ() {
    let known = solution();
    let hashes: HashSet<u64> = known.keys().map(Game::hash).collect();
    assert_eq!(hashes.len(), known.len());
    for position in known.keys() {
        let mut again = *position;
        for mv in moves(position) {
            let undo = again.play(mv);
            again.undo(undo);
            assert_eq!(again, *position);
            assert_eq!(Position::decode(Position::code(mv)), mv);
        }
        assert_eq!(moves(position).is_empty(), position.outcome().is_some());
    }
    let counts = (0..11).map(|depth| perft(&mut Position::default(), depth));
    let expected = [1, 3, 9, 27, 78, 210, 456, 890, 982, 622, 0];
    assert_eq!(Vec::from_iter(counts), expected);
}

/// The chance that the first seat wins if both sides move at random.
fn chance(position: &Position) -> f64 {
    if let Some(outcome) = position.outcome() {
        return f64::from(outcome.value_for(Seat::ALL[0], 2) == 1.0);
    }
    let moves = moves(position);
    let sum: f64 = moves.iter().map(|&mv| chance(&after(position, mv))).sum();
    sum / moves.len() as f64
}

#[test]
fn uniform_playouts_win_as_often_as_they_should() {
    let start = Position::default();
    let totals = playout::uniform(&start, 20_000, &mut Random::new(1));
    let found = totals.first_seat_wins as f64 / totals.playouts as f64;
    let expected = chance(&start);
    // Three times the standard error.
    assert!((found - expected).abs() < 0.011, "{found} {expected}");
}

/// Searches until the result is known, and checks every proof.
fn search<E: Evaluator<Position>>(
    searcher: &mut Searcher<Position, E>,
    position: &Position,
    known: &Solution,
) -> Report<Column> {
    let limits = SearchLimits {
        deadline: None,
        iterations: Some(20_000),
        ..SearchLimits::default()
    };
    let report = searcher.search(position, &limits, &|| false);
    assert_eq!(report.proof, Some(known[position]), "{position:?}");
    for found in &report.moves {
        if let Some(outcome) = found.proof {
            assert_eq!(outcome, known[&after(position, found.mv)], "{position:?}");
            assert_eq!(found.value, outcome.value_for(position.to_move(), 2));
        }
    }
    report
}

/// Plays `own` against every line of replies; the number of lines and of wins.
fn play_all<E: Evaluator<Position>>(
    searcher: &mut Searcher<Position, E>,
    own: Seat,
    known: &Solution,
) -> (u32, u32) {
    let (mut lines, mut wins) = (0, 0);
    // Among equal moves the search may choose another one each time; then lines would not
    // lead where they led before.
    let mut choices = HashMap::new();
    // Replies by their places among the legal moves; the lines that begin so are open.
    let mut open = vec![Vec::new()];
    while let Some(mut replies) = open.pop() {
        let mut position = Position::default();
        let mut given = 0;
        searcher.clear();
        while position.outcome().is_none() {
            let mv = if position.to_move() == own {
                let report = search(searcher, &position, known);
                let mv = report.best().unwrap().mv;
                assert_eq!(known[&position], known[&after(&position, mv)]);
                *choices.entry(position).or_insert(mv)
            } else {
                let moves = moves(&position);
                if given == replies.len() {
                    for other in 1..moves.len() {
                        open.push([&replies[..], &[other]].concat());
                    }
                    replies.push(0);
                }
                given += 1;
                moves[replies[given - 1]]
            };
            position.play(mv);
            searcher.advance(mv, &position);
        }
        let value = position.outcome().unwrap().value_for(own, 2);
        assert!(value > 0.0, "lost as {own:?}: {position:?}");
        lines += 1;
        wins += u32::from(value == 1.0);
    }
    (lines, wins)
}

fn plays_perfectly<E: Evaluator<Position>>(preset: &str, evaluator: impl Fn(&Params) -> E) {
    let known = solution();
    for threads in [1, 2] {
        let params = Params {
            threads,
            memory: 1,
            seed: 1,
            ..Params::preset(preset).unwrap()
        };
        let mut searcher = Searcher::new(&params, evaluator(&params));
        let report = search(&mut searcher, &Position::default(), &known);
        assert_eq!(report.proof, Some(Outcome::Draw));
        assert_eq!(report.best().unwrap().value, 0.5);
        for own in [Seat::ALL[0], Seat::ALL[1]] {
            let (lines, wins) = play_all(&mut searcher, own, &known);
            // The least that perfect play can come to: whoever errs is beaten.
            assert!(lines >= 12 && wins >= 10, "{lines} lines, {wins} wins");
        }
    }
}

#[test]
fn plays_perfectly_with_an_evaluator() {
    plays_perfectly("linear", |_| OpenLines);
}

#[test]
fn plays_perfectly_with_playouts() {
    for preset in ["playout", "uct"] {
        plays_perfectly(preset, |params| Playout {
            redraws: params.playout_redraws,
            record: params.rave_equivalence > 0.0,
        });
    }
}

/// A session over the protocol that plays the game by name.
fn session() -> Session {
    let configuration = Configuration::of(&ThreeInARow, None, None, None).unwrap();
    let params = Params {
        threads: 1,
        memory: 16,
        seed: 1,
        iterations: Some(1000),
        ..Params::default()
    };
    Session::new(configuration, params)
}

fn answer(session: &mut Session, line: &str) -> String {
    let control = Control::new(Instant::now(), &|| Signal::GoOn);
    let text = session.execute(line.as_bytes(), &control).text.unwrap();
    text.trim_end().to_string()
}

#[test]
fn a_session_plays_it_by_name() {
    let mut session = session();
    assert_eq!(
        answer(&mut session, "gogui-rules_game_id"),
        "= Three in a Row"
    );
    assert_eq!(answer(&mut session, "known_command loadsgf"), "= false");
    assert_eq!(answer(&mut session, "tanada-legal_steps"), "= a b c");
    assert_eq!(answer(&mut session, "play black a"), "? syntax error");
    assert_eq!(answer(&mut session, "play blue a"), "? illegal move");
    let mut plies = 0;
    while answer(&mut session, "final_score") == "? cannot score" {
        let side = answer(&mut session, "gogui-rules_side_to_move");
        let moved = answer(
            &mut session,
            &format!("genmove {}", side.trim_start_matches("= ")),
        );
        assert!(["= a", "= b", "= c"].contains(&moved.as_str()), "{moved}");
        plies += 1;
    }
    // Nobody wins against somebody who plays as well.
    assert_eq!(
        (plies, answer(&mut session, "final_score").as_str()),
        (9, "= 0")
    );
    assert_eq!(answer(&mut session, "gogui-rules_final_result"), "= Draw");
    assert_eq!(answer(&mut session, "genmove yellow"), "= pass");
    assert_eq!(answer(&mut session, "genmove blue"), "= pass");
    assert_eq!(answer(&mut session, "gg-undo 3"), "=");
    assert_eq!(answer(&mut session, "final_score"), "? cannot score");
    let wins = "tanada-position .../BB./YY.";
    assert_eq!(answer(&mut session, wins), "=");
    assert_eq!(answer(&mut session, "genmove y"), "= c");
    assert_eq!(answer(&mut session, "final_score"), "= Y+");
    assert_eq!(answer(&mut session, "genmove b"), "= resign");
    assert!(answer(&mut session, "tanada-position Y/B").starts_with("? `Y"));
}
