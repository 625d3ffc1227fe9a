//! Fits the weights of the linear evaluation by self-play.
//!
//! In each generation the engine plays games against itself with the weights of
//! the generation before, from random openings. Every position after the opening
//! is a sample: the differences of the features, from the view of the side to
//! move, and how the game ended for it, mixed with what the search thought. The
//! weights of the next generation are the logistic regression on the samples
//! of this generation and the one before. A part of the games is held out to measure.
//! The fit uses the platform's `exp`, so that the last digits may differ between machines.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::game::Seat;
use crate::grid::BoardSize;
use crate::matches::opening;
use crate::params::Params;
use crate::play::SharedStart;
use crate::random::Random;
use crate::search::Limits;
use crate::tanbo::features;
use crate::tanbo::setup::Start;
use crate::tanbo::weights::{self, ROWS, Weights, weights_for};
use std::sync::Arc;

/// Features and tempo, once for each row of weights; at most 32, for serde.
pub const INPUTS: usize = ROWS * COLUMNS;
const COLUMNS: usize = features::COUNT + 1;

/// What is to be trained, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Where all randomness starts.
    pub seed: u64,
    /// Rounds of playing and fitting.
    pub generations: usize,
    /// Games a round.
    pub games: usize,
    /// Iterations a move.
    pub iterations: u64,
    /// Random moves at the beginning of each game.
    pub opening_plies: usize,
    /// How much of a sample's target is the search's value, 0 to 1; the rest is the
    /// game's result.
    pub value_share: f64,
    /// Weight of the penalty on the squares of the weights, per sample.
    pub decay: f64,
}

/// A position seen in a game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Differences of the features, side to move minus opponent, and 1; times the
    /// share that each row of weights has at the phase.
    pub inputs: [f32; INPUTS],
    /// The winning chance of the side to move as the search saw it, 0 to 1.
    pub value: f32,
    /// Whether the side to move won.
    pub won: bool,
}

/// What a round came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The round, from 1.
    pub generation: usize,
    /// Samples that were fitted.
    pub samples: usize,
    /// Samples held out.
    pub held_out: usize,
    /// Mean logarithmic loss of the new weights against the results of the
    /// held-out games, in nats; ln 2 is a coin.
    pub loss: f64,
    /// The same of the weights before.
    pub loss_before: f64,
    /// Share of held-out positions whose winner the new weights name, 0 to 1.
    pub accuracy: f64,
    /// Mean length of the games in plies.
    pub plies: f64,
    /// Share of the games that Black won, 0 to 1.
    pub black_wins: f64,
    /// The new weights: features and tempo, row by row.
    pub weights: [f64; INPUTS],
}

/// The state of a training run between two rounds: what a checkpoint holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The settings; a run goes on only with the same ones.
    pub settings: Settings,
    /// Which start position: its setup as a diagram.
    pub start: String,
    /// The weights so far.
    pub weights: [f64; INPUTS],
    /// The rounds so far.
    pub rounds: Vec<Measured>,
    /// Samples of the last round, which the next fit uses as well.
    pub samples: Vec<Sample>,
}

impl State {
    /// The state before the first round, from the embedded weights.
    pub fn new(settings: Settings, start: &Start) -> Self {
        Self {
            settings,
            start: crate::tanbo::diagram::write(start.setup()),
            weights: from_weights(weights_for(start)),
            rounds: Vec::new(),
            samples: Vec::new(),
        }
    }

    /// Whether all rounds are done.
    pub fn is_finished(&self) -> bool {
        self.rounds.len() >= self.settings.generations
    }

    /// The weights so far.
    pub fn weights(&self) -> Weights {
        to_weights(&self.weights)
    }

    /// Plays and fits one round on `concurrency` threads and calls `after_game`
    /// after each game. The result does not depend on `concurrency`.
    pub fn round(&mut self, start: &Start, concurrency: usize, after_game: &(dyn Fn() + Sync)) {
        let generation = self.rounds.len();
        let start = &SharedStart::from(start.clone());
        let games = self.play(start, generation, concurrency, after_game);
        let plies: usize = games.iter().map(|game| game.plies).sum();
        let black: usize = games.iter().filter(|game| game.black_won).count();
        // Every tenth game is held out; positions of one game stay together.
        let part = |held: bool| {
            let chosen = games
                .iter()
                .enumerate()
                .filter(move |(i, _)| (i % 10 == 9) == held);
            chosen
                .flat_map(|(_, game)| game.samples.iter().copied())
                .collect::<Vec<Sample>>()
        };
        let (fresh, held_out) = (part(false), part(true));
        let mut training = fresh.clone();
        training.append(&mut self.samples);
        let weights = fit(&training, self.settings.value_share, self.settings.decay);
        let (loss, accuracy) = judge(&weights, &held_out);
        self.rounds.push(Measured {
            generation: generation + 1,
            samples: training.len(),
            held_out: held_out.len(),
            loss,
            loss_before: judge(&self.weights, &held_out).0,
            accuracy,
            plies: plies as f64 / games.len().max(1) as f64,
            black_wins: black as f64 / games.len().max(1) as f64,
            weights,
        });
        self.weights = weights;
        self.samples = fresh;
    }

    fn play(
        &self,
        start: &SharedStart,
        generation: usize,
        concurrency: usize,
        after_game: &(dyn Fn() + Sync),
    ) -> Vec<Played> {
        let next = AtomicUsize::new(0);
        let played = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..concurrency.max(1) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Relaxed);
                        if number >= self.settings.games {
                            return;
                        }
                        let game = self.game(start, generation, number);
                        after_game();
                        played.lock().push((number, game));
                    }
                });
            }
        });
        let mut played = played.into_inner();
        played.sort_by_key(|(number, _)| *number);
        played.into_iter().filter_map(|(_, game)| game).collect()
    }

    fn game(&self, start: &SharedStart, generation: usize, number: usize) -> Option<Played> {
        let seed = Random::part(self.settings.seed, generation as u64).bits();
        let opening = opening::random(start, self.settings.opening_plies, seed, number)?;
        let mut random = Random::part(!seed, number as u64);
        random = Random::new(random.bits());
        let params = Params {
            threads: 1,
            memory: 64,
            ..Params::default()
        };
        let size = BoardSize::new(start.side()).ok()?;
        let weights: Arc<str> = weights::Table::single(size, self.weights())
            .to_text()
            .into();
        // Each side has a tree of its own, as in a match.
        let mut engines: [Engine; 2] = std::array::from_fn(|_| {
            let seed = random.bits();
            let params = Params {
                seed,
                ..params.clone()
            };
            Engine::with_weights(start.clone(), params, Some(weights.clone()))
        });
        let limits = Limits {
            deadline: None,
            iterations: Some(self.settings.iterations),
        };
        let mut seen = Vec::new();
        let mut plies = 0;
        let winner = loop {
            if let Some(winner) = engines[0].winner() {
                break winner;
            }
            let seat = engines[0].to_move();
            let point = match opening.get(plies) {
                Some(&point) => point,
                None => {
                    let engine = &mut engines[seat.index() % 2];
                    let inputs = inputs(engine);
                    let best = engine.search(&limits, &|| false).moves.into_iter().next()?;
                    seen.push((seat, inputs, best.value));
                    best.mv
                }
            };
            for engine in &mut engines {
                engine.play(point).ok()?;
            }
            plies += 1;
        };
        let samples = seen.into_iter().map(|(seat, inputs, value)| Sample {
            inputs,
            value,
            won: winner == seat,
        });
        Some(Played {
            samples: samples.collect(),
            plies,
            black_won: winner == Seat::ALL[0],
        })
    }
}

struct Played {
    samples: Vec<Sample>,
    plies: usize,
    black_won: bool,
}

/// The regression's inputs for the side to move of a game for two.
fn inputs(engine: &Engine) -> [f32; INPUTS] {
    let seats = engine.notation().inputs();
    let of = |own: bool| {
        seats
            .iter()
            .find(|(seat, _)| (*seat == engine.to_move()) == own)
    };
    let at = |own: bool, i: usize| of(own).map_or(0.0, |(_, numbers)| numbers[i]);
    std::array::from_fn(|i| (at(true, i) - at(false, i)) as f32)
}

fn from_weights(weights: Weights) -> [f64; INPUTS] {
    std::array::from_fn(|i| f64::from(weights.rows[i / COLUMNS][i % COLUMNS]))
}

fn to_weights(weights: &[f64; INPUTS]) -> Weights {
    let row = |row| std::array::from_fn(|column| weights[row * COLUMNS + column] as f32);
    Weights {
        rows: std::array::from_fn(row),
    }
}

fn chance(weights: &[f64; INPUTS], sample: &Sample) -> f64 {
    let x: f64 = weights
        .iter()
        .zip(sample.inputs)
        .map(|(w, x)| w * f64::from(x))
        .sum();
    1.0 / (1.0 + (-x).exp())
}

/// Mean logarithmic loss against the results, and the share of winners named.
fn judge(weights: &[f64; INPUTS], samples: &[Sample]) -> (f64, f64) {
    let n = samples.len().max(1) as f64;
    let mut loss = 0.0;
    let mut right = 0.0;
    for sample in samples {
        let p = chance(weights, sample).clamp(1e-9, 1.0 - 1e-9);
        loss -= if sample.won { p.ln() } else { (1.0 - p).ln() };
        right += f64::from(u8::from((p > 0.5) == sample.won));
    }
    (loss / n, right / n)
}

/// Logistic regression by Newton's method (iteratively reweighted least squares)
/// with a quadratic penalty.
#[allow(clippy::needless_range_loop)] // as the formulas are written
pub fn fit(samples: &[Sample], value_share: f64, decay: f64) -> [f64; INPUTS] {
    let mut weights = [0.0; INPUTS];
    let n = samples.len().max(1) as f64;
    for _ in 0..50 {
        let mut gradient = [0.0; INPUTS];
        let mut hessian = [[0.0; INPUTS]; INPUTS];
        for sample in samples {
            let p = chance(&weights, sample);
            let result = f64::from(u8::from(sample.won));
            let target = value_share * f64::from(sample.value) + (1.0 - value_share) * result;
            for i in 0..INPUTS {
                let x = f64::from(sample.inputs[i]);
                gradient[i] += (target - p) * x / n;
                for j in 0..INPUTS {
                    hessian[i][j] += p * (1.0 - p) * x * f64::from(sample.inputs[j]) / n;
                }
            }
        }
        for i in 0..INPUTS {
            gradient[i] -= decay * weights[i];
            hessian[i][i] += decay + 1e-12;
        }
        let step = solve(hessian, gradient);
        for i in 0..INPUTS {
            weights[i] += step[i].clamp(-1.0, 1.0);
        }
        if step.iter().all(|s| s.abs() < 1e-9) {
            break;
        }
    }
    weights
}

/// The solution of a positive definite system by Gauss-Jordan elimination with
/// row pivots.
#[allow(clippy::needless_range_loop)] // as the formulas are written
fn solve(mut a: [[f64; INPUTS]; INPUTS], mut b: [f64; INPUTS]) -> [f64; INPUTS] {
    for i in 0..INPUTS {
        let pivot = (i..INPUTS)
            .max_by(|&x, &y| a[x][i].abs().total_cmp(&a[y][i].abs()))
            .unwrap_or(i);
        a.swap(i, pivot);
        b.swap(i, pivot);
        for j in 0..INPUTS {
            if j != i && a[i][i] != 0.0 {
                let factor = a[j][i] / a[i][i];
                for k in 0..INPUTS {
                    a[j][k] -= factor * a[i][k];
                }
                b[j] -= factor * b[i];
            }
        }
    }
    std::array::from_fn(|i| if a[i][i] == 0.0 { 0.0 } else { b[i] / a[i][i] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::BoardSize;
    use crate::tanbo::setup::Named;

    #[test]
    fn the_fit_finds_the_weights_that_made_the_data() {
        let truth: [f64; INPUTS] = std::array::from_fn(|i| [0.3, -0.2, 0.1, 0.0, -0.1][i % 5]);
        let mut random = Random::new(5);
        let samples: Vec<Sample> = (0..40_000)
            .map(|_| {
                let mut inputs = [1.0; INPUTS];
                for x in &mut inputs[..INPUTS - 1] {
                    *x = random.below(9) as f32 - 4.0;
                }
                let mut sample = Sample {
                    inputs,
                    value: 0.5,
                    won: false,
                };
                sample.won = random.unit() < chance(&truth, &sample);
                sample
            })
            .collect();
        let found = fit(&samples, 0.0, 0.0);
        for (w, t) in found.iter().zip(truth) {
            assert!((w - t).abs() < 0.03, "{found:?}");
        }
    }

    #[test]
    fn a_run_does_not_depend_on_concurrency() {
        let size = BoardSize::new(5).unwrap();
        let start = Named::Corners.setup(size, 2).unwrap().check(None).unwrap();
        let settings = Settings {
            seed: 3,
            generations: 2,
            games: 10,
            iterations: 20,
            opening_plies: 2,
            value_share: 0.5,
            decay: 1e-3,
        };
        let run = |concurrency: usize| {
            let mut state = State::new(settings.clone(), &start);
            while !state.is_finished() {
                // What a checkpoint holds is all that the next round needs.
                let text = serde_json::to_string(&state).unwrap();
                state = serde_json::from_str(&text).unwrap();
                state.round(&start, concurrency, &|| ());
            }
            state
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert!(one.rounds[1].samples > 100 && one.rounds[1].held_out > 5);
    }
}
