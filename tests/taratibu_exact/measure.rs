//! How large positions of turn 9 can be solved: `scripts/lab/taratibu_exact.sh`.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::env;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tanada::game::{Game, Outcome};
use tanada::solver::SolverLimits;
use tanada::taratibu::turn::{WinSearch, find_win, greedy};
use tanada::taratibu::{Position, Step};
use tanada::util::random::Random;
use tanada::variant::{Capabilities, ExactSettings};

/// A random step that does not win, if there is one.
fn random_step(position: &Position, random: &mut Random) -> Option<Step> {
    let mut steps = Vec::new();
    position.moves(&mut steps);
    steps.retain(|&step| !wins(position, step));
    let place = random.below(steps.len().max(1) as u32);
    steps.get(place as usize).copied()
}

fn wins(position: &Position, step: Step) -> bool {
    let mut next = *position;
    next.play(step);
    matches!(next.outcome(), Some(Outcome::Winner(_)))
}

/// The start of a turn in a game between greedy and random sides; some are both by
/// turns; nobody has won before.
pub(super) fn reach(turn: u8, random: &mut Random) -> Option<Position> {
    let mut position = Position::new_game();
    let opening = 1 + random.below(4) as u8;
    let lapses = [0, 3, 8, 18, 24][random.below(5) as usize];
    let is_greedy = [0, 1].map(|_| random.below(2) == 1);
    while position.turn() < turn && position.outcome().is_none() {
        let mover = position.to_move().index();
        let is_random = position.turn() <= opening || random.below(24) < lapses;
        let mut step = if is_greedy[mover] && !is_random {
            greedy(&position)?
        } else {
            random_step(&position, random)?
        };
        if wins(&position, step) {
            step = random_step(&position, random)?;
        }
        position.play(step);
    }
    let is_start = position.turn() == turn && position.steps_left() == turn;
    (position.outcome().is_none() && is_start).then_some(position)
}

/// The position with random pieces taken off until `count` are left.
fn thinned(position: &Position, count: usize, random: &mut Random) -> Option<Position> {
    let line = position.to_line();
    let (board, moment) = line.split_once("turn")?;
    let mut board: Vec<char> = board.chars().collect();
    loop {
        let pieces = (0..board.len()).filter(|&i| board[i].is_alphabetic());
        let pieces: Vec<usize> = pieces.collect();
        if pieces.len() <= count {
            let board: String = board.into_iter().collect();
            let position = Position::parse(&format!("{board}turn{moment}")).ok();
            return position.filter(|p| pieces.len() == count && p.turn() == 9);
        }
        board[pieces[random.below(pieces.len() as u32) as usize]] = '.';
    }
}

fn number(name: &str, default: usize) -> usize {
    let text = env::var(name);
    text.map_or(default, |text| text.parse().unwrap())
}

#[test]
#[ignore = "measures for an hour"]
fn taratibu_exact_is_measured() {
    let positions = number("POSITIONS", 200);
    let seconds = number("SECONDS_PER_POSITION", 60) as u64;
    let counts = env::var("PIECES").unwrap_or("4 6 8 10 12 14 16".to_string());
    println!("pieces  white  drawn  black  open  median s  max s  max nodes  max MiB");
    for count in counts.split_whitespace() {
        let count: usize = count.parse().unwrap();
        let mut random = Random::new(7);
        let mut results: BTreeMap<String, usize> = BTreeMap::new();
        let (mut times, mut nodes, mut bytes) = (Vec::new(), 0, 0);
        while times.len() < positions {
            let position = reach(9, &mut random);
            let position = position.and_then(|p| thinned(&p, count, &mut random));
            // A win in the turn is found at once; those are left out.
            let Some(position) = position.filter(|p| find_win(p, None) == WinSearch::NoWin) else {
                continue;
            };
            let settings = ExactSettings::new(1 << 30);
            let mut exact = position.exact(&settings).unwrap();
            let begin = Instant::now();
            let limits = SolverLimits {
                deadline: begin.checked_add(Duration::from_secs(seconds)),
                nodes: None,
            };
            let found = exact.solve(&limits, &mut |_| ControlFlow::Continue(()));
            times.push(begin.elapsed().as_secs_f64());
            let outcome = found.ok().and_then(|verdict| verdict.outcome);
            let name = match outcome {
                Some(Outcome::Winner(seat)) => ["white", "black"][seat.index()],
                Some(Outcome::Draw) => "drawn",
                None => {
                    println!("open: {}", position.to_line());
                    "open"
                }
            };
            *results.entry(name.to_string()).or_default() += 1;
            nodes = exact.nodes().max(nodes);
            bytes = exact.solver().table().bytes().max(bytes);
        }
        times.sort_by(f64::total_cmp);
        let of = |name: &str| results.get(name).copied().unwrap_or(0);
        println!(
            "{count:6}  {:5}  {:5}  {:5}  {:4}  {:8.4}  {:5.2}  {nodes:9}  {:7}",
            of("white"),
            of("drawn"),
            of("black"),
            of("open"),
            times[times.len() / 2],
            times[times.len() - 1],
            bytes >> 20
        );
    }
}

#[test]
#[ignore = "measures for some minutes"]
fn the_longest_search_of_a_turn_is_measured() {
    let positions = number("POSITIONS", 20_000);
    let mut random = Random::new(3);
    for turn in 3..=10 {
        let (mut longest, mut wins, mut count) = ((0.0, String::new()), 0, 0);
        for i in 0..positions {
            let position = match i % 2 {
                0 => reach(turn, &mut random),
                _ => anywhere(turn, &mut random),
            };
            let Some(position) = position else {
                continue;
            };
            let begin = Instant::now();
            wins += u32::from(find_win(&position, None) != WinSearch::NoWin);
            let seconds = begin.elapsed().as_secs_f64();
            count += 1;
            if seconds > longest.0 {
                longest = (seconds, position.to_line());
            }
        }
        println!(
            "turn {turn}: {wins} wins of {count}, longest {:.4} s: {}",
            longest.0, longest.1
        );
    }
}

/// All pieces, or about three in four, on random squares.
fn anywhere(turn: u8, random: &mut Random) -> Option<Position> {
    let mut board = ['.'; 49];
    let thin = random.below(2) == 1;
    for letter in "sebafmdcthSEBAFMDCTH".chars() {
        while !(thin && random.below(4) == 0) {
            let square = random.below(49) as usize;
            if board[square] == '.' {
                board[square] = letter;
                break;
            }
        }
    }
    let rows = board.chunks(7).map(|row| row.iter().collect::<String>());
    let rows: Vec<String> = rows.collect();
    Position::parse(&format!("{}/turn {turn}", rows.join("/"))).ok()
}
