//! Fixed positions searched with fixed iterations: a signature of the play, and
//! speeds.
//!
//! The signature is one number over everything that the searches say of the
//! moves. It has no time in it and is the same on every machine; a change of it
//! means that the play changed.

use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::eval::playout::{self, Totals};
use crate::grid::{BoardSize, Point};
use crate::params::{ParamError, Params};
use crate::random::Random;
use crate::search::{Limits, Report};
use crate::tanbo::setup::{Named, Start};
use crate::tanbo::with_position;
use crate::vertex;

/// A position of the bench: moves from a named setup.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What it is, in a word or two.
    pub name: &'static str,
    /// Points a row.
    pub side: usize,
    /// The setup.
    pub setup: Named,
    /// The number of players.
    pub players: usize,
    /// The moves from the setup to the position.
    pub moves: &'static str,
}

/// The positions, all of them running games.
pub const CASES: &[Case] = &[
    case("9x9 start", 9, Named::Classic, 2, ""),
    case("9x9 middle", 9, Named::Classic, 2, NINE_MIDDLE),
    case("9x9 late", 9, Named::Classic, 2, NINE_LATE),
    case("13x13 start", 13, Named::Classic, 2, ""),
    case("13x13 middle", 13, Named::Classic, 2, THIRTEEN_MIDDLE),
    case("19x19 start", 19, Named::Classic, 2, ""),
    case("19x19 middle", 19, Named::Classic, 2, NINETEEN_MIDDLE),
    case("19x19 four players", 19, Named::Classic, 4, ""),
    case("7x7 dense", 7, Named::Dense, 2, ""),
    case("11x11 dense", 11, Named::Dense, 2, ""),
    case("5x5 corners", 5, Named::Corners, 2, ""),
    case("6x6 ending", 6, Named::Corners, 2, SIX_ENDING),
];

const NINE_MIDDLE: &str = "H7 B7 H6 B6 C2 B5 D2 H3 E2 G3 E3 B4 E4 B9 E5 B3 E6 G4 H5 A3";
const NINE_LATE: &str = "\
    H7 B7 H6 B6 C2 B5 D2 H3 E2 G3 E3 B4 E4 B9 E5 B3 E6 G4 H5 A3 A2 J3 E7 G5 E8 J4 J5 \
    H1 D8 G1 C8 G6 C3 C9 F2 F1 E1 G7 H9 D9 E9 C5 G8 C7";
const THIRTEEN_MIDDLE: &str = "\
    B9 E2 M5 E3 J10 J6 J8 D9 J7 E4 C9 J12 J2 M9 D5 L9 E12 J11 F5 K9 C5 B5 F4 F9 L5 \
    J4 K10 G9 J3 A12 F3 N2 L10 A11 E11 A10 F2 N3 M10 N4 N10 F1 B1 G1 K5 G2 C1 K4 M13 \
    K3";
const NINETEEN_MIDDLE: &str = "\
    B13 N18 N2 G12 N3 S13 C13 B7 S7 N6 G6 N17 G5 G2 D13 N8 O13 N16 E13 G3 M13 N9 G4 \
    G14 P13 G11 F13 N5 G18 N15 G8 N10 N4 N11 G9 G15 Q13 G10 R13 G16 G17 N12 M12 C7 \
    M11 D7 M10 E7 M9 N14 M14 T2 M8 B19 M7 C19 M15 D19 R7 E19 Q7 T3 M16 T4 P7 T5 O7 \
    T6 T18 M17";
const SIX_ENDING: &str = "B1 A5 C1 A4 E6 F2 D6 F3 C6 A3 D1 B3";

const fn case(
    name: &'static str,
    side: usize,
    setup: Named,
    players: usize,
    moves: &'static str,
) -> Case {
    Case {
        name,
        side,
        setup,
        players,
        moves,
    }
}

/// The presets that are benched, each with its iterations for a search.
pub const PRESETS: [(&str, u64); 2] = [("linear", 4000), ("playout", 1500)];

/// What the parts of the signature do not leave to anybody's settings.
fn fixed(preset: &str) -> Result<Params, ParamError> {
    Ok(Params {
        threads: 1,
        memory: 64,
        seed: 1,
        ..Params::preset(preset)?
    })
}

impl Case {
    /// The position; `None` if the case is no legal position, which a test rules
    /// out.
    pub fn engine(&self, params: Params) -> Option<Engine> {
        let size = BoardSize::new(self.side).ok()?;
        let setup = self.setup.setup(size, self.players).ok()?;
        let mut engine = Engine::new(setup.check(Some(self.players)).ok()?, params);
        for word in self.moves.split_whitespace() {
            engine.play(vertex::parse(word, size).ok()?).ok()?;
        }
        engine.winner().is_none().then_some(engine)
    }
}

/// One case searched with one preset: a search, its best move, and a search with
/// the kept tree.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseResult {
    /// The name of the case.
    pub name: &'static str,
    /// The preset.
    pub preset: &'static str,
    /// The best move of the first search.
    pub best: String,
    /// Iterations of both searches; fewer than asked for where the result was
    /// proven.
    pub iterations: u64,
    /// Wall clock of both searches.
    pub elapsed: Duration,
}

/// The signature of the play. `after` sees each result as it comes.
pub fn signature(after: &mut dyn FnMut(CaseResult)) -> u32 {
    let mut digest = Digest::new();
    for case in CASES {
        for (preset, iterations) in PRESETS {
            // Presets of this list are known, and cases are tested.
            let Some(mut engine) = fixed(preset).ok().and_then(|params| case.engine(params)) else {
                continue;
            };
            let limits = Limits {
                deadline: None,
                iterations: Some(iterations),
            };
            let first = engine.search(&limits, &|| false);
            digest.report(&first);
            let mut result = CaseResult {
                name: case.name,
                preset,
                best: String::new(),
                iterations: first.iterations,
                elapsed: first.elapsed,
            };
            if let Some(best) = first.best() {
                result.best = vertex::name(best.mv, engine.size());
                if engine.play(best.mv).is_ok() {
                    let second = engine.search(&limits, &|| false);
                    digest.report(&second);
                    result.iterations += second.iterations;
                    result.elapsed += second.elapsed;
                }
            }
            after(result);
        }
    }
    digest.fold()
}

/// 64-bit FNV-1a (Fowler, Noll and Vo).
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The moves, the best first, with visits and values to the bit.
    fn report(&mut self, report: &Report<Point>) {
        self.word(report.moves.len() as u64);
        for found in &report.moves {
            self.word(u64::from(found.mv.number()));
            self.word(u64::from(found.visits));
            self.word(u64::from(found.value.to_bits()));
        }
    }

    fn fold(&self) -> u32 {
        (self.0 ^ (self.0 >> 32)) as u32
    }
}

/// What uniform playouts came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayoutSpeed {
    /// Playouts, moves and wins of Black.
    pub totals: Totals,
    /// Wall clock.
    pub elapsed: Duration,
}

impl PlayoutSpeed {
    /// Moves a second.
    pub fn moves_per_second(&self) -> f64 {
        per_second(self.totals.moves, self.elapsed)
    }
}

fn per_second(count: u64, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64().max(1e-9)
}

/// Plays uniform playouts from `start` on one thread until `time` is over.
pub fn playouts(start: &Start, seed: u64, time: Duration) -> PlayoutSpeed {
    const BATCH: u64 = 100;
    let mut random = Random::new(seed);
    with_position!(start, |position| {
        let begin = Instant::now();
        let mut totals = Totals::default();
        loop {
            let batch = playout::uniform(&position, BATCH, &mut random);
            totals.playouts += batch.playouts;
            totals.moves += batch.moves;
            totals.first_seat_wins += batch.first_seat_wins;
            let elapsed = begin.elapsed();
            if elapsed >= time {
                return PlayoutSpeed { totals, elapsed };
            }
        }
    })
}

/// How fast a number of workers searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSpeed {
    /// Workers.
    pub threads: u64,
    /// Iterations.
    pub iterations: u64,
    /// Children judged.
    pub child_evaluations: u64,
    /// Wall clock of the searches.
    pub elapsed: Duration,
}

impl SearchSpeed {
    /// Iterations a second.
    pub fn iterations_per_second(&self) -> f64 {
        per_second(self.iterations, self.elapsed)
    }

    /// Children judged a second.
    pub fn child_evaluations_per_second(&self) -> f64 {
        per_second(self.child_evaluations, self.elapsed)
    }
}

/// Searches `start` with one worker and with two in short rounds by turns, so that
/// both meet the same weather, until `time` is over. Each round begins without a
/// tree, in memory that an earlier one has touched.
pub fn search(start: &Start, params: &Params, time: Duration) -> [SearchSpeed; 2] {
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
        iterations: 0,
        child_evaluations: 0,
        elapsed: Duration::ZERO,
    });
    let begin = Instant::now();
    let mut warm = false;
    loop {
        for (engine, speed) in engines.iter_mut().zip(&mut speeds) {
            engine.restart(start.clone());
            let limits = Limits {
                deadline: Instant::now().checked_add(round),
                iterations: None,
            };
            let report = engine.search(&limits, &|| false);
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

    #[test]
    fn every_case_is_a_running_game() {
        for case in CASES {
            let engine = case.engine(Params::default());
            assert!(engine.is_some(), "{}", case.name);
        }
        for (preset, _) in PRESETS {
            assert!(fixed(preset).is_ok());
        }
    }

    #[test]
    fn the_ending_is_an_ending() {
        let case = CASES.last().unwrap();
        let engine = case.engine(Params::default()).unwrap();
        for &seat in engine.players() {
            assert!((1..=2).contains(&engine.root_count(seat)));
        }
    }

    #[test]
    fn the_digest_sees_every_bit() {
        let digest = |word| {
            let mut digest = Digest::new();
            digest.word(word);
            digest.fold()
        };
        let all: std::collections::BTreeSet<u32> = (0..64).map(|bit| digest(1 << bit)).collect();
        assert_eq!(all.len(), 64);
    }

    #[test]
    fn speeds_count_what_was_done() {
        let size = BoardSize::new(5).unwrap();
        let start = Named::Corners.setup(size, 2).unwrap().check(None).unwrap();
        let speed = playouts(&start, 1, Duration::from_millis(1));
        assert!(speed.totals.moves > speed.totals.playouts && speed.moves_per_second() > 0.0);
        let speeds = search(&start, &Params::default(), Duration::from_millis(20));
        assert!(speeds.iter().all(|s| s.iterations > 0));
        assert!(
            speeds
                .iter()
                .all(|s| s.child_evaluations_per_second() > s.iterations_per_second())
        );
    }
}
