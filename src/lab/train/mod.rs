//! Fits the weights of a linear evaluation by self-play.
//!
//! In each generation the engine plays games against itself with the weights of
//! the generation before, from random openings. Every position after the opening
//! is a sample: the inputs of the seats in play, what the search thought of their chances,
//! and how the game ended. The weights of the next generation are the softmax regression
//! ([`mod@fit`]) on the samples of this generation and the one before. A part of the games
//! is held out to measure.
//!
//! The search speaks of the seat to move: its chance is that of the best move. What
//! is left is shared among the others in proportion to their mean values in the same search.
//!
//! The fit uses the platform's `exp`, so that the last digits may differ between machines.
//! Nothing here names a game.

pub mod fit;
pub mod part;
pub mod selfplay;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::engine::Engine;
use crate::game::{MAX_SEATS, Outcome, PerSeat, Seat};
use crate::games;
use crate::lab::matches::opening::{OpeningError, Openings};
use crate::params::{Leaf, Params};
use crate::search::{Report, SearchLimits};
use crate::util::jobs::Jobs;
use crate::util::random::Random;
use crate::variant::{MoveCode, SharedStart};
use fit::{Judgement, Sample, fit, judge};

/// A game that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GameError {
    /// It has no opening of that length.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// It was refused a move that it was offered; the game with this number, from 1.
    #[error("game {0} could not be played to its end")]
    Broken(usize),
}

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

/// What a round came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The round, from 1.
    pub generation: usize,
    /// Samples that were fitted.
    pub samples: usize,
    /// Samples held out.
    pub held_out: usize,
    /// How well the new weights tell the results of the held-out games.
    pub after: Judgement,
    /// The same of the weights before.
    pub before: Judgement,
    /// Mean length of the games in plies.
    pub plies: f64,
    /// Share of the games that each seat won, 0 to 1, a draw shared equally.
    pub wins: Vec<f64>,
    /// The new weights.
    pub weights: Vec<f64>,
}

/// The state of a training run between two rounds: what a checkpoint holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The settings; a run goes on only with the same ones.
    pub settings: Settings,
    /// The start position as text.
    pub start: String,
    /// The weights that the program carries for it, with the names of what they weigh.
    pub origin: String,
    /// The weights so far.
    pub weights: Vec<f64>,
    /// The rounds so far.
    pub rounds: Vec<Measured>,
    /// Samples of the last round, which the next fit uses as well.
    pub samples: Vec<Sample>,
}

/// The text of a file with weights for a start; empty in a game without weights.
fn text_of(start: &SharedStart, weights: &[f64]) -> String {
    let format = start.weights();
    format.map_or_else(String::new, |format| format.to_text(weights, None))
}

impl State {
    /// The state before the first round of games from a start position, with the weights that
    /// the program carries for it.
    pub fn new(settings: Settings, start: &SharedStart) -> Self {
        let weights = start.weights().map(|weights| weights.embedded());
        let weights = weights.unwrap_or_default();
        Self {
            settings,
            start: games::write_start(start),
            origin: text_of(start, &weights),
            weights,
            rounds: Vec::new(),
            samples: Vec::new(),
        }
    }

    /// Whether the parts, read from a file, fit each other and a start with so many weights.
    pub fn is_sound(&self, weights: usize) -> bool {
        let fits = |sample: &Sample| {
            sample.result.len() == sample.search.len()
                && sample.result.len() == sample.differences.len() + 1
                && sample.differences.iter().all(|row| row.len() == weights)
        };
        self.weights.len() == weights && self.samples.iter().all(fits)
    }

    /// Looks for the openings of all games that are left to play, of which a long one may not be
    /// found.
    ///
    /// # Errors
    /// The first game without one.
    pub fn check(&self, start: &SharedStart) -> Result<(), GameError> {
        for generation in self.rounds.len()..self.settings.generations {
            for number in 0..self.settings.games {
                self.opening(start, generation, number)?;
            }
        }
        Ok(())
    }

    /// The opening of a game, and the randomness that is left for it.
    fn opening(
        &self,
        start: &SharedStart,
        generation: usize,
        number: usize,
    ) -> Result<(Vec<MoveCode>, Random), GameError> {
        let seed = Random::part(self.settings.seed, generation as u64).bits();
        let plies = self.settings.opening_plies;
        let moves = Openings::Random { plies }.moves(start, seed, number)?;
        let random = Random::new(Random::part(!seed, number as u64).bits());
        Ok((moves, random))
    }

    /// Whether all rounds are done.
    pub fn is_finished(&self) -> bool {
        self.rounds.len() >= self.settings.generations
    }

    /// Plays and fits one round on `concurrency` threads and calls `after_game`
    /// after each game. The result does not depend on `concurrency`. Once `stop` is set, the games of
    /// the round are dropped and the state stays; whether the round was done.
    ///
    /// # Errors
    /// The first game that cannot be played; the state is then as it was.
    pub fn round(
        &mut self,
        start: &SharedStart,
        concurrency: usize,
        stop: &AtomicBool,
        after_game: &(dyn Fn() + Sync),
    ) -> Result<bool, GameError> {
        let generation = self.rounds.len();
        let games = self.play(start, generation, concurrency, stop, after_game)?;
        if games.len() < self.settings.games {
            return Ok(false);
        }
        let count = games.len().max(1) as f64;
        let plies: usize = games.iter().map(|game| game.plies).sum();
        let mut wins = vec![0.0; MAX_SEATS];
        for game in &games {
            for (sum, &result) in wins.iter_mut().zip(&game.result.0) {
                *sum += f64::from(result) / count;
            }
        }
        // Every tenth game is held out; positions of one game stay together.
        let (mut training, mut held_out) = (Vec::new(), Vec::new());
        for (i, mut game) in games.into_iter().enumerate() {
            let part = if i % 10 == 9 {
                &mut held_out
            } else {
                &mut training
            };
            part.append(&mut game.samples);
        }
        let fresh = training.len();
        training.append(&mut self.samples);
        let weights = fit(
            &training,
            self.weights.len(),
            self.settings.value_share,
            self.settings.decay,
        );
        self.rounds.push(Measured {
            generation: generation + 1,
            samples: training.len(),
            held_out: held_out.len(),
            after: judge(&weights, &held_out),
            before: judge(&self.weights, &held_out),
            plies: plies as f64 / count,
            wins,
            weights: weights.clone(),
        });
        self.weights = weights;
        training.truncate(fresh);
        self.samples = training;
        Ok(true)
    }

    fn play(
        &self,
        start: &SharedStart,
        generation: usize,
        concurrency: usize,
        stop: &AtomicBool,
        after_game: &(dyn Fn() + Sync),
    ) -> Result<Vec<RecordedMove>, GameError> {
        let jobs = Jobs {
            count: self.settings.games,
            concurrency,
            stop,
        };
        let mut played = Vec::new();
        let job = |(): &mut (), number| self.game(start, generation, number, stop);
        jobs.run(job, |game| {
            let Some(game) = game else {
                return ControlFlow::Break(());
            };
            after_game();
            played.push(game);
            ControlFlow::Continue(())
        })?;
        Ok(played)
    }

    fn game(
        &self,
        start: &SharedStart,
        generation: usize,
        number: usize,
        stop: &AtomicBool,
    ) -> Result<Option<RecordedMove>, GameError> {
        let (opening, random) = self.opening(start, generation, number)?;
        let played = self.play_on(start, &opening, random, stop);
        // A search that was cut short may have been the last one.
        match (played, stop.load(Relaxed)) {
            (_, true) => Ok(None),
            (Some(played), false) => Ok(Some(played)),
            (None, false) => Err(GameError::Broken(number + 1)),
        }
    }

    /// A game from its opening on; `None` comes if it is stopped, or if the game offers what it then
    /// refuses, which it never does.
    fn play_on(
        &self,
        start: &SharedStart,
        opening: &[MoveCode],
        mut random: Random,
        stop: &AtomicBool,
    ) -> Option<RecordedMove> {
        let weights: Arc<str> = text_of(start, &self.weights).into();
        // Each seat has a tree of its own, as in a match.
        let engine = |random: &mut Random| {
            let params = Params {
                leaf: Leaf::Linear,
                threads: 1,
                memory: 64,
                seed: random.bits(),
                ..Params::default()
            };
            Engine::with_weights(start.clone(), params, Some(weights.clone()))
        };
        let seats = start.players().iter().map(|seat| seat.index() + 1).max()?;
        let mut engines: Vec<Engine> = (0..seats).map(|_| engine(&mut random)).collect();
        let limits = SearchLimits {
            deadline: None,
            iterations: Some(self.settings.iterations),
            ..SearchLimits::default()
        };
        let mut seen = Vec::new();
        let mut plies = 0;
        let outcome = loop {
            if let Some(outcome) = engines[0].outcome() {
                break outcome;
            }
            let seat = engines[0].to_move();
            let code = match opening.get(plies) {
                Some(&code) => code,
                None => {
                    let engine = &mut engines[seat.index()];
                    let mut inputs = PerSeat::default();
                    for (seat, numbers) in engine.training_features()?.linear_features() {
                        inputs[seat] = numbers;
                    }
                    let report = engine.search(&limits, &|| stop.load(Relaxed));
                    if stop.load(Relaxed) {
                        return None;
                    }
                    seen.push(Seen::new(seat, &inputs, &report));
                    report.best()?.mv
                }
            };
            for engine in &mut engines {
                engine.play(code).ok()?;
            }
            plies += 1;
        };
        Some(RecordedMove {
            samples: seen.into_iter().map(|seen| seen.sample(outcome)).collect(),
            plies,
            result: outcome.values(start.players().len()),
        })
    }
}

struct RecordedMove {
    samples: Vec<Sample>,
    plies: usize,
    result: PerSeat<f32>,
}

/// A [`Sample`] of a game that is not over yet.
struct Seen {
    /// The seats in play, the one to move first.
    seats: Vec<Seat>,
    differences: Vec<Vec<f32>>,
    search: Vec<f32>,
}

impl Seen {
    fn new<M>(mover: Seat, inputs: &PerSeat<Vec<f64>>, report: &Report<M>) -> Self {
        let others = Seat::ALL.into_iter();
        let others = others.filter(|&seat| seat != mover && !inputs[seat].is_empty());
        let seats: Vec<Seat> = [mover].into_iter().chain(others).collect();
        let difference = |other: &Seat| {
            let pairs = inputs[mover].iter().zip(&inputs[*other]);
            pairs.map(|(own, other)| (own - other) as f32).collect()
        };
        let value = report.best().map_or(0.5, |best| best.value);
        let total: f32 = seats[1..].iter().map(|&seat| report.values[seat]).sum();
        let share = |&seat: &Seat| {
            if total > 0.0 {
                report.values[seat] / total
            } else {
                1.0 / (seats.len() - 1) as f32
            }
        };
        let others = seats[1..].iter().map(|seat| (1.0 - value) * share(seat));
        Self {
            differences: seats[1..].iter().map(difference).collect(),
            search: [value].into_iter().chain(others).collect(),
            seats,
        }
    }

    fn sample(self, outcome: Outcome) -> Sample {
        let result = |&seat: &Seat| outcome.value_for(seat, self.seats.len());
        Sample {
            result: self.seats.iter().map(result).collect(),
            differences: self.differences,
            search: self.search,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: &SharedStart, settings: &Settings, concurrency: usize) -> State {
        let mut state = State::new(settings.clone(), start);
        while !state.is_finished() {
            // What a checkpoint holds is all that the next round needs.
            let text = serde_json::to_string(&state).unwrap();
            state = serde_json::from_str(&text).unwrap();
            let stop = AtomicBool::new(false);
            assert!(state.round(start, concurrency, &stop, &|| ()).unwrap());
        }
        state
    }

    const SETTINGS: Settings = Settings {
        seed: 3,
        generations: 2,
        games: 10,
        iterations: 20,
        opening_plies: 2,
        value_share: 0.5,
        decay: 1e-3,
    };

    #[test]
    fn a_run_does_not_depend_on_concurrency() {
        let start = games::default().start(Some(5), None, None).unwrap();
        let one = run(&start, &SETTINGS, 1);
        assert_eq!(one, run(&start, &SETTINGS, 2));
        assert!(one.rounds[1].samples > 100 && one.rounds[1].held_out > 5);
    }

    #[test]
    fn a_round_that_is_stopped_changes_nothing() {
        let start = games::default().start(Some(5), None, None).unwrap();
        let mut state = State::new(SETTINGS, &start);
        let before = state.clone();
        let stop = AtomicBool::new(false);
        let games = std::sync::atomic::AtomicUsize::new(0);
        let after = || stop.store(games.fetch_add(1, Relaxed) == 4, Relaxed);
        assert_eq!(state.round(&start, 1, &stop, &after), Ok(false));
        assert_eq!((games.load(Relaxed), &state), (5, &before));
    }

    #[test]
    fn more_than_two_seats_train_alike() {
        let text = "R.....G\n.......\n.......\n.......\n.......\n.......\nX.....O\n";
        let start = games::default().read(text, None).unwrap();
        let state = run(&start, &SETTINGS, 1);
        let last = &state.rounds[1];
        assert!((last.wins.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        let mut seats = [0; 5];
        for sample in &state.samples {
            seats[sample.result.len()] += 1;
            assert_eq!(sample.differences.len() + 1, sample.result.len());
            assert!((sample.search.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            assert_eq!(sample.result.iter().sum::<f32>(), 1.0);
        }
        assert!(seats[2] > 10 && seats[4] > 100, "{seats:?}");
    }
}
