//! Trains the weights of a linear evaluation by self-play.
//!
//! In every round the engine plays games against itself from random openings, with the weights of
//! the round before. Every position after the opening is an example: the inputs of the seats in
//! play, the chances that the search gave them, and the result of the game. The new weights are the
//! softmax regression ([`fit`](mod@super::fit)) on the examples of this round and the one before.
//! Every tenth game is held out to measure the fit.
//!
//! The search gives the chance of the seat to move: that of the best move. The rest is shared among
//! the others in proportion to their mean values in the same search.
//!
//! The fit uses the platform's `exp`, so the last digits may differ between machines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use serde::{Deserialize, Serialize};

use super::fit::{FitQuality, TrainingExample, fit, fit_quality};
use super::game::{GameError, finished};
use crate::engine::Engine;
use crate::game::{MAX_SEATS, PerSeat, Seat};
use crate::games;
use crate::lab::matches::opening;
use crate::params::{Leaf, Params};
use crate::search::{Report, SearchLimits};
use crate::util::jobs::Jobs;
use crate::util::random::Random;
use crate::variant::{MoveCode, SharedStart};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TrainSettings {
    pub(crate) seed: u64,
    /// Rounds of playing and fitting.
    pub(crate) generations: usize,
    pub(crate) games: usize,
    /// Iterations a move.
    pub(crate) iterations: u64,
    /// Random moves at the beginning of each game.
    pub(crate) opening_plies: usize,
    /// The share of the search's value in the target of an example, 0 to 1. The rest is the result
    /// of the game.
    pub(crate) value_share: f64,
    /// The weight decay: the penalty on the squares of the weights, per example.
    pub(crate) decay: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RoundReport {
    /// The round, from 1.
    pub(crate) generation: usize,
    /// Examples in the fit.
    pub(crate) samples: usize,
    /// Examples held out.
    pub(crate) held_out: usize,
    /// How well the new weights predict the results of the held-out games.
    pub(crate) after: FitQuality,
    /// The same for the weights before.
    pub(crate) before: FitQuality,
    /// The mean length of the games in plies.
    pub(crate) plies: f64,
    /// The share of the games that each seat won, 0 to 1; draws are shared equally.
    pub(crate) wins: Vec<f64>,
    /// The new weights.
    pub(crate) weights: Vec<f64>,
}

/// The state of a training between two rounds, as a checkpoint stores it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainState {
    /// The settings; a training continues only with the same ones.
    pub(crate) settings: TrainSettings,
    /// The start position as text.
    pub(crate) start: String,
    /// The built-in weights for it, with the names of their inputs.
    pub origin: String,
    pub weights: Vec<f64>,
    pub(crate) rounds: Vec<RoundReport>,
    /// The examples of the last round, which the next fit uses too.
    pub samples: Vec<TrainingExample>,
}

/// The text of a file with weights; empty in a game without weights.
fn text_of(start: &SharedStart, weights: &[f64]) -> String {
    let format = start.weights();
    format.map_or_else(String::new, |format| format.to_text(weights, None))
}

impl TrainState {
    /// The state before the first round, with the built-in weights for the start position.
    pub(crate) fn new(settings: TrainSettings, start: &SharedStart) -> Self {
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

    /// Whether a state read from a file is consistent and has this many weights.
    pub(crate) fn is_sound(&self, weights: usize) -> bool {
        let fits = |sample: &TrainingExample| {
            sample.result.len() == sample.search.len()
                && sample.result.len() == sample.differences.len() + 1
                && sample.differences.iter().all(|row| row.len() == weights)
        };
        self.weights.len() == weights && self.samples.iter().all(fits)
    }

    /// Checks that the first of the remaining games have openings.
    pub(crate) fn check(&self, start: &SharedStart) -> Result<(), GameError> {
        let numbers = 0..self.settings.games;
        let generations = self.rounds.len()..self.settings.generations;
        let games =
            generations.flat_map(|generation| numbers.clone().map(move |n| (generation, n)));
        for (generation, number) in games.take(opening::CHECKED) {
            self.opening(start, generation, number)?;
        }
        Ok(())
    }

    /// The opening of a game, and the random numbers for the rest of it.
    fn opening(
        &self,
        start: &SharedStart,
        generation: usize,
        number: usize,
    ) -> Result<(Vec<MoveCode>, Random), GameError> {
        let seed = Random::part(self.settings.seed, generation as u64).bits();
        let plies = self.settings.opening_plies;
        let moves = opening::random(start, plies, seed, number)?;
        let random = Random::new(Random::part(!seed, number as u64).bits());
        Ok((moves, random))
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.rounds.len() >= self.settings.generations
    }

    /// Plays and fits a round on `concurrency` threads, on which the result does not depend, and
    /// calls `after_game` after each game. Returns false if it was stopped. If it was, or a game
    /// cannot be played, the state is unchanged.
    pub(crate) fn round(
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
            let set = match i % 10 {
                9 => &mut held_out,
                _ => &mut training,
            };
            set.append(&mut game.samples);
        }
        let fresh = training.len();
        training.append(&mut self.samples);
        let (value_share, decay) = (self.settings.value_share, self.settings.decay);
        let weights = fit(&training, self.weights.len(), value_share, decay);
        self.rounds.push(RoundReport {
            generation: generation + 1,
            samples: training.len(),
            held_out: held_out.len(),
            after: fit_quality(&weights, &held_out),
            before: fit_quality(&self.weights, &held_out),
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
    ) -> Result<Vec<PlayedGame>, GameError> {
        let jobs = Jobs::new(self.settings.games, concurrency, stop);
        let mut played = Vec::new();
        let job = |(): &mut (), number| {
            let (opening, random) = self.opening(start, generation, number)?;
            finished(self.play_on(start, &opening, random, stop), number, stop)
        };
        jobs.run(job, |game| {
            let Some(game) = game else { return Ok(false) };
            after_game();
            played.push(game);
            Ok(true)
        })?;
        Ok(played)
    }

    /// Plays a game from its opening on. `None` if it is stopped, or (a defect) if the game refuses
    /// a move that it offered.
    fn play_on(
        &self,
        start: &SharedStart,
        opening: &[MoveCode],
        mut random: Random,
        stop: &AtomicBool,
    ) -> Option<PlayedGame> {
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
        let limits = SearchLimits::of_iterations(self.settings.iterations);
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
                    seen.push(example(seat, &inputs, &report));
                    report.best()?.mv
                }
            };
            for engine in &mut engines {
                engine.play(code).ok()?;
            }
            plies += 1;
        };
        let with_result = |(seats, example): (Vec<Seat>, TrainingExample)| {
            let result = |&seat: &Seat| outcome.value_for(seat, seats.len());
            TrainingExample {
                result: seats.iter().map(result).collect(),
                ..example
            }
        };
        Some(PlayedGame {
            samples: seen.into_iter().map(with_result).collect(),
            plies,
            result: outcome.values(start.players().len()),
        })
    }
}

struct PlayedGame {
    samples: Vec<TrainingExample>,
    plies: usize,
    result: PerSeat<f32>,
}

/// The seats in play, the one to move first, and the example without its result.
fn example<M>(
    mover: Seat,
    inputs: &PerSeat<Vec<f64>>,
    report: &Report<M>,
) -> (Vec<Seat>, TrainingExample) {
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
    let example = TrainingExample {
        differences: seats[1..].iter().map(difference).collect(),
        search: [value].into_iter().chain(others).collect(),
        result: Vec::new(),
    };
    (seats, example)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: &SharedStart, settings: &TrainSettings, concurrency: usize) -> TrainState {
        let mut state = TrainState::new(settings.clone(), start);
        while !state.is_finished() {
            // A checkpoint holds everything that the next round needs.
            let text = serde_json::to_string(&state).unwrap();
            state = serde_json::from_str(&text).unwrap();
            let stop = AtomicBool::new(false);
            assert!(state.round(start, concurrency, &stop, &|| ()).unwrap());
        }
        state
    }

    const SETTINGS: TrainSettings = TrainSettings {
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
        let mut state = TrainState::new(SETTINGS, &start);
        let before = state.clone();
        let stop = AtomicBool::new(false);
        let games = std::sync::atomic::AtomicUsize::new(0);
        let after = || stop.store(games.fetch_add(1, Relaxed) == 4, Relaxed);
        assert_eq!(state.round(&start, 1, &stop, &after), Ok(false));
        assert_eq!((games.load(Relaxed), &state), (5, &before));
    }

    #[test]
    fn more_than_two_seats_can_be_trained() {
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
