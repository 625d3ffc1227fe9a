//! Searches fixed positions with fixed iterations: a signature of the play, and speeds.
//!
//! The signature is a checksum of the moves, visits and values of all searches. It does not depend
//! on time and is the same on every machine. If it changes, the play has changed.

use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::eval::playout::PlayoutCounts;
use crate::params::{ParamError, Params};
use crate::search::{Report, SearchLimits};
use crate::util::math;
use crate::util::random::Random;
use crate::variant::{Case, MoveCode, SharedStart, Variant};

/// The presets of the bench, and the iterations of a search.
pub(crate) const PRESETS: [(&str, u64); 3] =
    [("network", 1000), ("linear", 4000), ("playout", 1500)];

/// The parameters of a preset for the signature.
fn fixed(preset: &str) -> Result<Params, ParamError> {
    Ok(Params {
        threads: 1,
        memory: 64,
        seed: 1,
        // Only the search is measured, not the solver.
        solve_points: 0,
        ..Params::preset(preset)?
    })
}

/// The position of a case; `None` if the game is over, which a test excludes.
pub(crate) fn engine(variant: &dyn Variant, case: &Case, params: Params) -> Option<Engine> {
    let start = variant.start(Some(case.side), Some(case.setup), Some(case.players));
    let mut engine = Engine::new(start.ok()?, params);
    for word in case.moves.split_whitespace() {
        engine.play_word(engine.to_move(), word).ok()?;
    }
    (!engine.is_over()).then_some(engine)
}

/// A case searched with a preset: a search, its best move, and a search with the tree kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CaseResult {
    pub(crate) name: &'static str,
    pub(crate) preset: &'static str,
    /// The best move of the first search.
    pub(crate) best: String,
    /// The iterations of both searches, fewer than asked for if the result was proven.
    pub(crate) iterations: u64,
    /// The wall clock time of both searches.
    pub(crate) elapsed: Duration,
}

/// Tells a measurement to end.
pub(crate) type Stop<'a> = dyn Fn() -> bool + Sync + 'a;

/// The signature of a game; `None` if it was stopped. `after` gets each result.
pub(crate) fn signature(
    variant: &dyn Variant,
    stop: &Stop<'_>,
    after: &mut dyn FnMut(CaseResult),
) -> Option<u32> {
    let mut digest = math::FNV;
    for case in variant.cases() {
        for (preset, iterations) in PRESETS {
            let Some(mut engine) = fixed(preset)
                .ok()
                .and_then(|params| engine(variant, case, params))
            else {
                continue;
            };
            let limits = SearchLimits::of_iterations(iterations);
            let first = engine.search(&limits, stop);
            digest = add_report(digest, &first);
            let mut result = CaseResult {
                name: case.name,
                preset,
                best: String::new(),
                iterations: first.iterations,
                elapsed: first.elapsed,
            };
            if let Some(best) = first.best() {
                result.best = engine.name(best.mv);
                if engine.play(best.mv).is_ok() {
                    let second = engine.search(&limits, stop);
                    digest = add_report(digest, &second);
                    result.iterations += second.iterations;
                    result.elapsed += second.elapsed;
                }
            }
            if stop() {
                return None;
            }
            after(result);
        }
    }
    Some(fold(digest))
}

/// The FNV-1a hash `digest` continued with the moves of a report, the best first, with visits and
/// the bits of values.
fn add_report(digest: u64, report: &Report<MoveCode>) -> u64 {
    let moves = report.moves.iter().flat_map(|found| {
        let (code, value) = (u64::from(found.mv.number()), found.value.to_bits());
        [code, u64::from(found.visits), u64::from(value)]
    });
    let words = std::iter::once(report.moves.len() as u64).chain(moves);
    words.fold(digest, |sum, word| math::fnv(sum, &word.to_le_bytes()))
}

fn fold(digest: u64) -> u32 {
    (digest ^ (digest >> 32)) as u32
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PlayoutSpeed {
    /// Playouts, moves and wins of the first seat.
    pub(crate) totals: PlayoutCounts,
    pub(crate) elapsed: Duration,
}

impl PlayoutSpeed {
    pub(crate) fn moves_per_second(&self) -> f64 {
        per_second(self.totals.moves, self.elapsed)
    }
}

fn per_second(count: u64, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64().max(1e-9)
}

/// Plays uniform playouts from `start` on one thread for `time`, or until shortly after `stop`.
pub(crate) fn playouts(
    start: &SharedStart,
    seed: u64,
    time: Duration,
    stop: &Stop<'_>,
) -> PlayoutSpeed {
    const SLICE: Duration = Duration::from_millis(100);
    let mut random = Random::new(seed);
    let mut speed = PlayoutSpeed::default();
    loop {
        let left = time.saturating_sub(speed.elapsed).min(SLICE);
        let (totals, elapsed) = start.playouts(&mut random, left);
        speed.totals.playouts += totals.playouts;
        speed.totals.moves += totals.moves;
        speed.totals.first_seat_wins += totals.first_seat_wins;
        speed.elapsed += elapsed;
        if speed.elapsed >= time || stop() {
            return speed;
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SearchSpeed {
    pub(crate) threads: u64,
    pub(crate) iterations: u64,
    pub(crate) child_evaluations: u64,
    pub(crate) elapsed: Duration,
}

impl SearchSpeed {
    pub(crate) fn iterations_per_second(&self) -> f64 {
        per_second(self.iterations, self.elapsed)
    }

    pub(crate) fn child_evaluations_per_second(&self) -> f64 {
        per_second(self.child_evaluations, self.elapsed)
    }
}

/// Searches `start` with one thread and with two for `time`, or until `stop`. They alternate in
/// short rounds, which exposes both to the same load of the machine. Each round begins with an
/// empty tree in memory that the first round has touched.
pub(crate) fn search(
    start: &SharedStart,
    params: &Params,
    time: Duration,
    stop: &Stop<'_>,
) -> [SearchSpeed; 2] {
    const ROUND: Duration = Duration::from_millis(200);
    let round = (time / 4).min(ROUND);
    let mut engines = [1, 2].map(|threads| {
        let params = Params {
            threads,
            ..params.clone()
        };
        Engine::new(start.clone(), params)
    });
    let mut speeds = [1, 2].map(|threads| SearchSpeed {
        threads,
        ..SearchSpeed::default()
    });
    let begin = Instant::now();
    let mut warm = false;
    loop {
        for (engine, speed) in engines.iter_mut().zip(&mut speeds) {
            engine.restart(start.clone());
            let limits = SearchLimits {
                deadline: Instant::now().checked_add(round),
                ..SearchLimits::default()
            };
            let report = engine.search(&limits, stop);
            if stop() {
                return speeds;
            }
            if warm {
                speed.iterations += report.iterations;
                speed.child_evaluations += report.child_evaluations;
                speed.elapsed += report.elapsed;
            }
        }
        if warm && begin.elapsed() >= time {
            return speeds;
        }
        warm = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;

    #[test]
    fn every_case_is_a_running_game() {
        for &variant in games::GAMES {
            for case in variant.cases() {
                let engine = engine(variant, case, Params::default());
                assert!(engine.is_some(), "{}", case.name);
            }
        }
        for (preset, _) in PRESETS {
            assert!(fixed(preset).is_ok());
        }
    }

    #[test]
    fn the_ending_is_an_ending() {
        let case = games::default().cases().last().unwrap();
        let engine = engine(games::default(), case, Params::default()).unwrap();
        for &seat in engine.players() {
            assert!((1..=2).contains(&engine.stones().unwrap().groups(seat)));
        }
    }

    #[test]
    fn the_digest_sees_every_bit() {
        let digest = |word: u64| fold(math::fnv(math::FNV, &word.to_le_bytes()));
        let all: std::collections::BTreeSet<u32> = (0..64).map(|bit| digest(1 << bit)).collect();
        assert_eq!(all.len(), 64);
    }

    #[test]
    fn measurements_can_be_stopped() {
        let start = games::default().start(Some(5), None, None).unwrap();
        let begin = Instant::now();
        let day = Duration::from_secs(86_400);
        assert!(playouts(&start, 1, day, &|| true).totals.playouts > 0);
        let speeds = search(&start, &Params::default(), day, &|| true);
        assert_eq!(speeds[0].iterations, 0);
        assert_eq!(signature(games::default(), &|| true, &mut |_| ()), None);
        assert!(begin.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn speeds_count_what_was_done() {
        let start = games::default().start(Some(5), None, None).unwrap();
        let speed = playouts(&start, 1, Duration::from_millis(1), &|| false);
        assert!(speed.totals.moves > speed.totals.playouts && speed.moves_per_second() > 0.0);
        let time = Duration::from_millis(20);
        let speeds = search(&start, &Params::default(), time, &|| false);
        for speed in speeds {
            assert!(speed.iterations > 0);
            assert!(speed.child_evaluations_per_second() > speed.iterations_per_second());
        }
    }
}
