//! Games of the engine against itself, written as samples for the training of a network.
//!
//! A sample is a position after the opening: the input planes ([`input_planes`]), the global
//! features ([`global_features`]), the visits of each move (0 for moves proven to lose), the
//! value of the search, and the winner. For each position the file also has the position after
//! another move that the search visited, with its value: the network must evaluate positions that
//! are never played, too (Veness et al., "Bootstrapping from game tree search", 2009). Nothing here
//! names a game.
//!
//! [`input_planes`]: crate::variant::TrainingFeatures::input_planes
//! [`global_features`]: crate::variant::TrainingFeatures::global_features

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use thiserror::Error;

use super::game::{GameError, finished};
use crate::engine::Engine;
use crate::game::Seat;
use crate::lab::matches::opening;
use crate::params::Params;
use crate::search::{MoveReport, Report, SearchLimits};
use crate::util::files::Kind;
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
    pub games: usize,
    pub iterations: u64,
    /// The most random moves at the beginning of a game.
    pub opening_plies: usize,
    /// The number of moves after the opening that are drawn in proportion to their visits.
    pub drawn_plies: usize,
    /// The parameters of the engine except seed, threads and memory.
    pub params: Params,
    /// Weights other than the built-in ones.
    pub weights: Option<Arc<str>>,
}

pub(crate) const KIND: Kind<'_> = Kind {
    maker: "tanada selfplay --out",
    is_own: &|head| head.starts_with(b"tanada samples "),
};

/// The least visits of a move for a sample of the position after it.
const LEAST_VISITS: u32 = 4;
/// The winner of a position that was not played.
const UNKNOWN: u8 = 2;

/// A position and the targets of training.
struct Sample {
    global_features: Vec<f32>,
    planes: Vec<u16>,
    /// The visits of the move to each point, scaled to 255 for the most visited move; all 0 if
    /// unknown.
    visits: Vec<u8>,
    /// The value of the search for the side to move, 0 to 1.
    value: f32,
    /// The side to move, if the position was part of the game.
    mover: Option<Seat>,
}

impl Sample {
    fn put(&self, winner: Option<Seat>, left: usize, bytes: &mut Vec<u8>) {
        for number in &self.global_features {
            bytes.extend(number.to_le_bytes());
        }
        for word in &self.planes {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(&self.visits);
        let won = match self.mover {
            Some(mover) => u8::from(winner == Some(mover)),
            None => UNKNOWN,
        };
        let value = (255.0 * self.value).round() as u8;
        bytes.extend([value, won, left.min(255) as u8, 0]);
    }
}

/// The first line of a file of samples; `None` if the game has no network for the start.
///
/// It is `tanada samples`, then `side`, `planes` (points), `numbers` (global features) and `bytes`
/// (of a sample), each followed by its number. A sample is little-endian:
///
/// | bytes | content |
/// |---|---|
/// | 4 a global feature | `f32` |
/// | 2 a point | input planes, a bit each |
/// | 1 a point | visits of the move there, at most 255 |
/// | 1 | the value of the search, at most 255 |
/// | 1 | the winner: 1 the side to move, 0 the other, 2 unknown |
/// | 1 | plies left in the game, at most 255; 0 in positions that were not played |
/// | 1 | unused |
pub fn header(start: &SharedStart) -> Option<String> {
    let engine = Engine::new(start.clone(), Params::default());
    let features = engine.training_features()?;
    let points = features.input_planes()?.len();
    let numbers = features.global_features()?.len();
    let bytes = 4 * numbers + 3 * points + 4;
    let side = start.side();
    Some(format!(
        "tanada samples side {side} planes {points} numbers {numbers} bytes {bytes}\n"
    ))
}

/// Checks that all games have openings, and that one of the greatest length exists.
pub(crate) fn check(start: &SharedStart, settings: &SelfplaySettings) -> Result<(), GameError> {
    opening::random(start, settings.opening_plies, settings.seed, 0)?;
    let found = |number| random_opening(start, settings, number).map(|_| ());
    (0..settings.games).try_for_each(found)
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

/// Receives the samples of a game as bytes, and their number.
pub(crate) type Take<'a> = dyn FnMut(&[u8], usize) -> io::Result<()> + Send + 'a;

/// Plays all games from `first` with `concurrency` threads; their number does not matter.
/// `take` gets the samples of each game in order. Once `stop` is set, unfinished games are dropped.
pub fn play(
    start: &SharedStart,
    settings: &SelfplaySettings,
    first: usize,
    concurrency: usize,
    stop: &AtomicBool,
    take: &mut Take<'_>,
) -> Result<(), WriteError> {
    let jobs = Jobs::new(settings.games.saturating_sub(first), concurrency, stop);
    let job = |(): &mut (), number| {
        let number = first + number;
        let (opening, random) = random_opening(start, settings, number)?;
        let played = play_on(start, settings, &opening, random, stop);
        Ok(finished(played, number, stop)?)
    };
    jobs.run(job, |game| match game {
        Some((bytes, count)) => Ok(take(&bytes, count).map(|()| true)?),
        None => Ok(false),
    })
}

/// Plays a game from its opening on, and returns its samples as bytes, and their number. `None` if it
/// is stopped, or (a defect) if the game refuses a move that it offered.
fn play_on(
    start: &SharedStart,
    settings: &SelfplaySettings,
    opening: &[MoveCode],
    mut random: Random,
    stop: &AtomicBool,
) -> Option<(Vec<u8>, usize)> {
    let params = Params {
        threads: 1,
        memory: 64,
        seed: random.bits(),
        ..settings.params.clone()
    };
    let mut engine = Engine::with_weights(start.clone(), params, settings.weights.clone());
    // Follows the game and tries other moves, which would discard the tree of the engine that
    // plays.
    let mut beside = Engine::new(start.clone(), Params::default());
    for &code in opening {
        engine.play(code).ok()?;
        beside.play(code).ok()?;
    }
    let limits = SearchLimits::of_iterations(settings.iterations);
    let mut played: Vec<Sample> = Vec::new();
    let mut others: Vec<Sample> = Vec::new();
    while !engine.is_over() {
        let report = engine.search(&limits, &|| stop.load(Relaxed));
        if stop.load(Relaxed) {
            return None;
        }
        let best = report.best()?;
        played.push(Sample {
            global_features: beside.training_features()?.global_features()?,
            planes: beside.training_features()?.input_planes()?,
            visits: visits(&beside, &report)?,
            value: best.value,
            mover: Some(beside.to_move()),
        });
        others.extend(other(&mut beside, &report, &mut random));
        let is_drawn = played.len() <= settings.drawn_plies && best.proof.is_none();
        let drawn = is_drawn.then(|| drawn(&report, &mut random)).flatten();
        let chosen = drawn.unwrap_or(best.mv);
        engine.play(chosen).ok()?;
        beside.play(chosen).ok()?;
    }
    let winner = engine.winner();
    let mut bytes = Vec::new();
    for (ply, sample) in played.iter().enumerate() {
        sample.put(winner, played.len() - ply, &mut bytes);
    }
    for sample in &others {
        sample.put(winner, 0, &mut bytes);
    }
    Some((bytes, played.len() + others.len()))
}

/// The visits of a move; 0 if it is proven to lose, though it was visited until then.
fn counted(found: &MoveReport<MoveCode>) -> u32 {
    match found.proof {
        Some(_) if found.value <= 0.0 => 0,
        _ => found.visits,
    }
}

/// Visits by point. If the best move is proven, it alone counts.
fn visits(engine: &Engine, report: &Report<MoveCode>) -> Option<Vec<u8>> {
    let size = engine.stones()?.size();
    let best = report.best()?;
    let most = report.moves.iter().map(counted).max()?.max(1);
    let of_point = |point| {
        let mut moves = report.moves.iter();
        let found = moves.find(|found| found.mv == MoveCode::from(point))?;
        let share = match best.proof {
            Some(_) => f64::from(u8::from(found.mv == best.mv)),
            None => f64::from(counted(found)) / f64::from(most),
        };
        Some((255.0 * share).round() as u8)
    };
    let bytes = size.points().map(|point| of_point(point).unwrap_or(0));
    Some(bytes.collect())
}

/// The position after a random visited move other than the best.
fn other(beside: &mut Engine, report: &Report<MoveCode>, random: &mut Random) -> Option<Sample> {
    let (best, rest) = report.moves.split_first()?;
    let looked_at =
        |found: &&MoveReport<MoveCode>| found.visits >= LEAST_VISITS && found.proof.is_none();
    let rest: Vec<_> = rest.iter().filter(looked_at).collect();
    if rest.is_empty() || best.proof.is_some() {
        return None;
    }
    let found = rest[random.below(rest.len() as u32) as usize];
    beside.play(found.mv).ok()?;
    let features = beside.training_features();
    let planes = features.and_then(|features| features.input_planes());
    let global_features = features.and_then(|features| features.global_features());
    let is_over = beside.is_over();
    beside.undo();
    let planes = planes.filter(|_| !is_over)?;
    Some(Sample {
        global_features: global_features?,
        visits: vec![0; planes.len()],
        planes,
        value: 1.0 - found.value,
        mover: None,
    })
}

/// A random move with probability proportional to its counted visits.
fn drawn(report: &Report<MoveCode>, random: &mut Random) -> Option<MoveCode> {
    let total: u32 = report.moves.iter().map(counted).sum();
    let mut left = random.below(total.max(1));
    for found in &report.moves {
        if left < counted(found) {
            return Some(found.mv);
        }
        left -= counted(found);
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
        for _ in 0..100 {
            assert_ne!(drawn(&report, &mut random).unwrap(), lost);
        }
        let target = visits(&engine, &report).unwrap();
        let size = engine.stones().unwrap().size();
        let of = |mv| {
            let mut points = size.points();
            target[points
                .position(|point| mv == MoveCode::from(point))
                .unwrap()]
        };
        assert_eq!(of(lost), 0);
        assert!(target.contains(&255) && of(best) > 0);
    }
}
