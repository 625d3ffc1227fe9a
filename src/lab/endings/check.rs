//! Tests on a suite: the solver's results against those of the file, with time and nodes; and
//! whether the engine keeps a win.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::solve::Solve;
use super::suite::Ending;
use crate::engine::Engine;
use crate::game::Seat;
use crate::params::Params;
use crate::search::SearchLimits;
use crate::tanbo::variant;

/// Mean, median and maximum of some numbers; 0 without numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    pub(crate) mean: f64,
    /// The mean of the middle two of an even number.
    pub(crate) median: f64,
    pub(crate) max: f64,
}

impl Spread {
    pub(crate) fn of(mut numbers: Vec<f64>) -> Self {
        numbers.sort_unstable_by(f64::total_cmp);
        let count = numbers.len();
        let (Some(&low), Some(&high), Some(&max)) = (
            numbers.get(count.saturating_sub(1) / 2),
            numbers.get(count / 2),
            numbers.last(),
        ) else {
            return Self::default();
        };
        Self {
            mean: numbers.iter().sum::<f64>() / count as f64,
            median: (low + high) / 2.0,
            max,
        }
    }
}

/// The results of the solver on a suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SolverCheck {
    pub(crate) solved: usize,
    /// Those of them with a result in the file.
    pub(crate) compared: usize,
    /// Lines whose result differs from the file's: the line number, and the solver's winner.
    pub(crate) wrong: Vec<(usize, Seat)>,
    /// Lines it did not solve.
    pub(crate) open: Vec<usize>,
    /// Milliseconds a solved position.
    pub(crate) milliseconds: Spread,
    /// Nodes a solved position.
    pub(crate) nodes: Spread,
}

/// Solves the lines of a suite one by one. `after` is called with the number of finished lines.
/// When `stop` is set, it returns the results so far.
pub(crate) fn check(
    endings: &[(usize, Ending)],
    solve: &Solve<'_>,
    stop: &AtomicBool,
    after: &dyn Fn(usize),
) -> SolverCheck {
    let mut checked = SolverCheck::default();
    let (mut times, mut nodes) = (Vec::new(), Vec::new());
    for (done, (line, ending)) in (1..).zip(endings) {
        let begin = Instant::now();
        let solved = solve(&ending.start);
        let time = begin.elapsed();
        if stop.load(Relaxed) {
            break;
        }
        after(done);
        let Some(solved) = solved else {
            checked.open.push(*line);
            continue;
        };
        times.push(time.as_secs_f64() * 1000.0);
        nodes.push(solved.nodes as f64);
        checked.solved += 1;
        checked.compared += usize::from(ending.winner.is_some());
        let is_wrong = |expected| expected != solved.winner;
        if ending.winner.is_some_and(is_wrong) {
            checked.wrong.push((*line, solved.winner));
        }
    }
    checked.milliseconds = Spread::of(times);
    checked.nodes = Spread::of(nodes);
    checked
}

/// The results of the engine on a suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EngineCheck {
    /// Won positions in which the engine moved.
    pub(crate) won: usize,
    /// The lines of those in which the engine's move loses, and the move.
    pub(crate) lost: Vec<(usize, String)>,
    /// Positions in which every move loses; they are skipped.
    pub(crate) hopeless: usize,
    /// Lines that the solver did not solve.
    pub(crate) open: Vec<usize>,
}

/// Asks the engine for a move in each won position, with `time` each, and the solver for the winner
/// after it. `after` is called with the number of finished lines. When `stop` is set, it returns
/// the results so far.
pub(crate) fn keep(
    endings: &[(usize, Ending)],
    params: &Params,
    time: Duration,
    solve: &Solve<'_>,
    stop: &AtomicBool,
    after: &dyn Fn(usize),
) -> EngineCheck {
    let mut kept = EngineCheck::default();
    for (done, (line, ending)) in (1..).zip(endings) {
        let own = ending.start.setup().to_move;
        let solved = || solve(&ending.start).map(|solved| solved.winner);
        let winner = ending.winner.or_else(solved);
        if stop.load(Relaxed) {
            return kept;
        }
        match winner {
            None => kept.open.push(*line),
            Some(winner) if winner != own => kept.hopeless += 1,
            Some(_) => {
                let mut engine = Engine::new(ending.start.clone(), params.clone());
                let limits = SearchLimits {
                    deadline: Instant::now().checked_add(time),
                    ..SearchLimits::default()
                };
                let report = engine.search(&limits, &|| stop.load(Relaxed));
                let best = report.best().map(|best| best.mv);
                if stop.load(Relaxed) {
                    return kept;
                }
                match best.map(|mv| (engine.name(mv), engine.play(mv))) {
                    Some((name, Ok(()))) => match winner_of(&engine, solve) {
                        None if stop.load(Relaxed) => return kept,
                        None => kept.open.push(*line),
                        Some(winner) => {
                            kept.won += 1;
                            if winner != own {
                                kept.lost.push((*line, name));
                            }
                        }
                    },
                    // A running game has a legal move, so this does not happen.
                    _ => kept.open.push(*line),
                }
            }
        }
        if stop.load(Relaxed) {
            return kept;
        }
        after(done);
    }
    kept
}

/// The winner of the present position.
fn winner_of(engine: &Engine, solve: &Solve<'_>) -> Option<Seat> {
    if engine.is_over() {
        return engine.winner();
    }
    let setup = variant::setup(engine.stones()?, engine.to_move());
    let start = setup.check(None).ok()?;
    solve(&start).map(|solved| solved.winner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::endings::read;
    use crate::lab::endings::solve::Solved;
    use crate::tanbo::{Start, colour};

    /// Black wins; positions with five stones or more are not solved.
    fn black(start: &Start) -> Option<Solved> {
        let nodes = start.setup().stones.len() as u64;
        (nodes < 5).then_some(Solved {
            winner: colour::BLACK,
            nodes,
        })
    }

    const SUITE: &str =
        "4 b X2O/4/4/O2X b\n\n4 w X2O/4/4/4 w\n4 w X2O/4/4/4 ?\n4 b XX1O/X3/4/OO1X b\n";

    #[test]
    fn a_spread_is_mean_median_and_maximum() {
        assert_eq!(Spread::of(Vec::new()), Spread::default());
        let spread = |mean, median, max| Spread { mean, median, max };
        assert_eq!(Spread::of(vec![4.0]), spread(4.0, 4.0, 4.0));
        assert_eq!(Spread::of(vec![5.0, 1.0, 3.0]), spread(3.0, 3.0, 5.0));
        assert_eq!(Spread::of(vec![9.0, 1.0, 2.0, 4.0]), spread(4.0, 3.0, 9.0));
    }

    #[test]
    fn wrong_and_open_lines_are_named() {
        let endings = read(SUITE, "suite").unwrap();
        let checked = check(&endings, &black, &AtomicBool::new(false), &|_| {});
        assert_eq!((checked.solved, checked.compared), (3, 2));
        assert_eq!(checked.wrong, [(3, colour::BLACK)]);
        assert_eq!(checked.open, [5]);
        assert_eq!(checked.nodes.mean, 8.0 / 3.0);
        let stopped = check(&endings, &black, &AtomicBool::new(true), &|_| {});
        assert_eq!(stopped, SolverCheck::default());
    }

    #[test]
    fn the_solver_judges_the_moves_of_the_engine() {
        let endings = read(SUITE, "suite").unwrap();
        let params = Params {
            threads: 1,
            memory: 16,
            seed: 1,
            ..Params::default()
        };
        let time = Duration::from_millis(2);
        let keep = |stop| {
            let stop = AtomicBool::new(stop);
            keep(&endings, &params, time, &black, &stop, &|_| {})
        };
        let kept = keep(false);
        // The move adds a stone, which makes the first line too large to solve, like the last one.
        assert_eq!(kept.open, [1, 5]);
        assert_eq!((kept.won, kept.hopeless), (1, 1));
        assert_eq!(kept.lost.len(), 1);
        assert_eq!(kept.lost[0].0, 3);
        assert_eq!(keep(true), EngineCheck::default());
    }
}
