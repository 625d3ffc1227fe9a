//! Games of the engine against itself. Nothing here names a game.
//!
//! Each game begins with random moves and is then played by the search. Its line in the file
//! ([`GameLine`]) has what the searches found; training samples are computed from that later.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use thiserror::Error;

use super::game::{GameError, finished};
use super::games::{GameLine, MoveLine, NextMove};
use crate::engine::Engine;
use crate::game::Seat;
use crate::lab::matches::opening;
use crate::params::Params;
use crate::search::{MoveReport, Report, SearchLimits};
use crate::util::jobs::Jobs;
use crate::util::random::Random;
use crate::variant::{MoveCode, SharedStart};

#[derive(Debug, Error)]
pub enum WriteError {
    #[error(transparent)]
    Game(#[from] GameError),
    #[error(transparent)]
    Out(#[from] io::Error),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SelfplaySettings {
    pub seed: u64,
    /// The number of the first game, from 1. A game depends on its number, not on those before it.
    pub first: usize,
    pub games: usize,
    pub iterations: u64,
    /// Playout cap randomisation (Wu, "Accelerating self-play learning in Go", 2019): a move is
    /// searched fully with probability `full_share`, otherwise with `quick_iterations`. Only full
    /// searches are policy targets, but quick ones make more games for the value.
    pub quick_iterations: u64,
    pub full_share: f64,
    /// The most random moves at the beginning of a game.
    pub opening_plies: usize,
    /// The number of moves after the opening that are drawn in proportion to their visits.
    pub drawn_plies: usize,
    /// The parameters of the engine except seed, threads and memory.
    pub params: Params,
    /// Weights other than the built-in ones.
    pub weights: Option<Arc<str>>,
}

/// Checks that the first games have openings, and that one of the greatest length exists.
pub(crate) fn check(start: &SharedStart, settings: &SelfplaySettings) -> Result<(), GameError> {
    opening::random(start, settings.opening_plies, settings.seed, 0)?;
    let found = |place| random_opening(start, settings, number(settings, place)).map(|_| ());
    (0..settings.games.min(opening::CHECKED)).try_for_each(found)
}

/// The number of a game of this run, from 0 in the sequence of all games of the seed.
fn number(settings: &SelfplaySettings, place: usize) -> usize {
    settings.first.saturating_sub(1) + place
}

/// The opening of a game, and the random numbers for the rest of it.
fn random_opening(
    start: &SharedStart,
    settings: &SelfplaySettings,
    number: usize,
) -> Result<(Vec<MoveCode>, Random), GameError> {
    let mut random = Random::part(!settings.seed, number as u64);
    let plies = random.below(settings.opening_plies as u32 + 1) as usize;
    let moves = opening::random(start, plies, settings.seed, number)?;
    Ok((moves, random))
}

/// Receives the games in order.
pub(crate) type Take<'a> = dyn FnMut(&GameLine) -> io::Result<()> + Send + 'a;

/// Plays all games except the first `done` with `concurrency` threads; their number does not matter.
/// Once `stop` is set, unfinished games are dropped.
pub fn play(
    start: &SharedStart,
    settings: &SelfplaySettings,
    done: usize,
    concurrency: usize,
    stop: &AtomicBool,
    take: &mut Take<'_>,
) -> Result<(), WriteError> {
    let jobs = Jobs::new(settings.games.saturating_sub(done), concurrency, stop);
    let job = |(): &mut (), place| {
        let number = number(settings, done + place);
        let (opening, random) = random_opening(start, settings, number)?;
        let played = play_on(start, settings, &opening, random, stop);
        let played = played.map(|played| GameLine {
            game: number + 1,
            ..played
        });
        Ok(finished(played, number, stop)?)
    };
    jobs.run(job, |game| match game {
        Some(game) => Ok(take(&game).map(|()| true)?),
        None => Ok(false),
    })
}

/// Plays a game from its opening on. `None` if it is stopped, or (a defect) if the game refuses a
/// move that it offered.
fn play_on(
    start: &SharedStart,
    settings: &SelfplaySettings,
    opening: &[MoveCode],
    mut random: Random,
    stop: &AtomicBool,
) -> Option<GameLine> {
    let params = Params {
        threads: 1,
        memory: 64,
        seed: random.bits(),
        ..settings.params.clone()
    };
    let mut engine = Engine::with_weights(start.clone(), params, settings.weights.clone());
    let mut game = GameLine {
        game: 0,
        opening: Vec::new(),
        moves: Vec::new(),
        winner: None,
    };
    for &code in opening {
        game.opening.push(engine.name(code));
        engine.play(code).ok()?;
    }
    while !engine.is_over() {
        let is_full = settings.full_share >= 1.0 || random.unit() < settings.full_share;
        let iterations = if is_full {
            settings.iterations
        } else {
            settings.quick_iterations
        };
        let limits = SearchLimits {
            // Quick searches only carry the game on.
            plain_root: !is_full,
            ..SearchLimits::of_iterations(iterations)
        };
        let report = engine.search(&limits, &|| stop.load(Relaxed));
        if stop.load(Relaxed) {
            return None;
        }
        let best = report.best()?;
        let is_drawn = game.moves.len() < settings.drawn_plies && best.proof.is_none();
        let target = target(&report, is_full, &settings.params);
        let place = is_drawn.then(|| drawn(&target, &mut random)).flatten();
        let drawn = place.and_then(|place| Some(report.moves.get(place)?.mv));
        let chosen = drawn.unwrap_or(best.mv);
        game.moves.push(MoveLine {
            word: engine.name(chosen),
            full: is_full,
            values: values(&engine, &report)?,
            proof: report.proof.is_some(),
            next: if is_full {
                next(&engine, &report, &target)
            } else {
                Vec::new()
            },
        });
        engine.play(chosen).ok()?;
    }
    let winner = engine.winner();
    game.winner = winner.map(|seat| engine.variant().colour(seat).to_string());
    Some(game)
}

fn rounded(value: f64, decimals: i32) -> f64 {
    let unit = 10f64.powi(decimals);
    (value * unit).round() / unit
}

/// The chance of every player: the best move's value for the player to move; the others share the
/// rest as in the mean of the search.
fn values(engine: &Engine, report: &Report<MoveCode>) -> Option<Vec<f64>> {
    let (players, mover) = (engine.players(), engine.to_move());
    let best = f64::from(report.best()?.value);
    let others = players.iter().filter(|&&seat| seat != mover);
    let sum: f64 = others.map(|&seat| f64::from(report.values[seat])).sum();
    let chance = |&seat: &Seat| match report.proof {
        Some(outcome) => f64::from(outcome.value_for(seat, players.len())),
        None if seat == mover => best,
        None if players.len() == 2 => 1.0 - best,
        None => (1.0 - best) * f64::from(report.values[seat]) / sum.max(1e-9),
    };
    let values = players.iter().map(|seat| rounded(chance(seat), 4));
    Some(values.collect())
}

/// The visits of each move that count as policy target.
fn target(report: &Report<MoveCode>, is_full: bool, params: &Params) -> Vec<u32> {
    let forced = if is_full { params.forced_playouts } else { 0.0 };
    report.policy_target(forced, params.cpuct)
}

/// The visited moves, most visited first. The best move is one of them even if the solver proved it
/// without a visit.
fn next(engine: &Engine, report: &Report<MoveCode>, target: &[u32]) -> Vec<NextMove> {
    let moves = report.moves.iter().zip(target);
    let mut moves: Vec<_> = moves
        .filter(|(found, target)| found.visits > 0 || **target > 0)
        .collect();
    moves.sort_by_key(|(found, _)| std::cmp::Reverse(found.visits));
    let line = |(found, &target): (&MoveReport<MoveCode>, &u32)| {
        let value = rounded(f64::from(found.value), 3);
        NextMove(engine.name(found.mv), found.visits, value, target)
    };
    moves.into_iter().map(line).collect()
}

/// The place of a random move, with probability proportional to its target.
fn drawn(target: &[u32], random: &mut Random) -> Option<usize> {
    let total: u32 = target.iter().sum();
    let mut left = random.below(total.max(1));
    for (place, &visits) in target.iter().enumerate() {
        if left < visits {
            return Some(place);
        }
        left -= visits;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Outcome;
    use crate::games;

    #[test]
    fn a_move_proven_to_lose_is_neither_drawn_nor_learnt() {
        let start = games::default().start(Some(5), None, None).unwrap();
        let mut engine = Engine::new(start, Params::default());
        let limits = SearchLimits::of_iterations(200);
        let mut report = engine.search(&limits, &|| false);
        assert_eq!(report.best().unwrap().proof, None);
        let other = Some(Outcome::Winner(engine.to_move().other()));
        let lost = report.moves.last_mut().unwrap();
        (lost.visits, lost.value, lost.proof) = (1000, 0.0, other);
        let (lost, best) = (lost.mv, report.best().unwrap().mv);
        let mut random = Random::new(1);
        let target = target(&report, true, &Params::default());
        for _ in 0..100 {
            let place = drawn(&target, &mut random).unwrap();
            assert_ne!(report.moves[place].mv, lost);
        }
        let moves = next(&engine, &report, &target);
        let of = |mv| moves.iter().find(|found| found.0 == engine.name(mv));
        assert_eq!(of(lost).map(|found| (found.1, found.3)), Some((1000, 0)));
        assert!(of(best).unwrap().3 > 0);
        assert!(moves.is_sorted_by(|a, b| a.1 >= b.1));
    }
}
