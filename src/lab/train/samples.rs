//! Training samples, computed from games of self-play by replaying them.
//!
//! The file is a line `tanada samples side S points P planes K globals N moves M seats A bytes B`, then
//! records of B bytes, little-endian; `Sample::put` writes them. Each position after the opening is a
//! sample if the network of the start is used there. In games of two, for each fully searched position
//! the file also has the position after another move that the search visited, with its value: the
//! network must evaluate positions that are never played, too (Veness et al., "Bootstrapping from game
//! tree search", 2009).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use flate2::bufread::GzDecoder;
use thiserror::Error;

use super::fate;
use super::games::{GameLine, Header, MoveLine, NextMove};
use super::sample::{Sample, Shape};
use crate::engine::{Engine, PlayError};
use crate::game::Seat;
use crate::games;
use crate::lab::matches::run_folder::json_error;
use crate::params::Params;
use crate::util::files::Kind;
use crate::util::quote::shorten;
use crate::util::random::Random;
use crate::variant::MoveCode;

pub(crate) const KIND: Kind<'_> = Kind {
    maker: "tanada samples --out",
    is_own: &|head| head.starts_with(b"tanada samples "),
};

/// The least visits of a move for a sample of the position after it.
const LEAST_VISITS: u32 = 4;
/// Bytes of the longest line that is read; a game on the largest board has a few.
const MAX_LINE: u64 = 64 << 20;
/// What each ply further ahead weighs in the short-term value: the mean is 6 plies ahead.
const DECAY: f64 = 6.0 / 7.0;

/// Why no samples were made.
#[derive(Debug, Error)]
pub enum SampleError {
    #[error("`{0}` cannot be read: {1}")]
    Read(String, io::Error),
    #[error("`{file}`, line {line}: {problem}")]
    Line {
        file: String,
        line: usize,
        problem: Problem,
    },
    #[error(transparent)]
    Write(#[from] io::Error),
    #[error("interrupted")]
    Interrupted,
}

/// What is wrong with a line of a file of games.
#[derive(Debug, Error)]
pub enum Problem {
    #[error("the file was not written by `tanada selfplay`: {0}")]
    Foreign(String),
    #[error("the file is damaged: {0}")]
    Damaged(String),
    #[error("the line is longer than {} MiB", MAX_LINE >> 20)]
    Long,
    #[error("the start position: {0}")]
    Start(String),
    #[error("there is no network for a game with this start")]
    NoNetwork,
    #[error("the samples would be `{found}`: expected `{expected}`, as in the first file")]
    Shape { found: String, expected: String },
    #[error("no game can be read: {0}")]
    Game(String),
    #[error("move {ply}: {error}")]
    Move { ply: usize, error: PlayError },
    #[error("move {ply}: invalid values `{found}`: expected one from 0 to 1 for each player")]
    Values { ply: usize, found: String },
    #[error("the game is not over after its last move")]
    Unfinished,
    #[error("the winner is `{found}`: expected `{expected}`, as the moves say")]
    Winner { found: String, expected: String },
}

/// Writes the samples of games.
pub struct SampleWriter<'a, W> {
    out: W,
    stop: &'a AtomicBool,
    seed: u64,
    /// Known from the first file on.
    shape: Option<Shape>,
    games: u32,
    samples: usize,
}

impl<'a, W: Write> SampleWriter<'a, W> {
    /// `seed` decides which positions that were not played are samples. Once `stop` is set, no more
    /// games are read.
    pub fn new(out: W, seed: u64, stop: &'a AtomicBool) -> Self {
        Self {
            out,
            stop,
            seed,
            shape: None,
            games: 0,
            samples: 0,
        }
    }

    /// The games that were read, and the samples that were written.
    pub fn counts(&self) -> (u32, usize) {
        (self.games, self.samples)
    }

    /// Adds the games of a file that `tanada selfplay` wrote.
    ///
    /// # Errors
    /// The file cannot be read or is wrong, the samples cannot be written, or `stop` is set.
    pub fn add(&mut self, path: &str) -> Result<(), SampleError> {
        if self.stop.load(Relaxed) {
            return Err(SampleError::Interrupted);
        }
        let file = shorten(path, 120);
        let opened = File::open(path).map_err(|error| SampleError::Read(file.clone(), error))?;
        let mut lines = Lines {
            stream: BufReader::new(GzDecoder::new(BufReader::new(opened))),
            number: 0,
        };
        let added = self.add_lines(&mut lines);
        added.map_err(|fault| match fault {
            Fault::Write(error) => SampleError::Write(error),
            Fault::Stopped => SampleError::Interrupted,
            Fault::File(problem) => SampleError::Line {
                file,
                line: lines.number,
                problem,
            },
        })
    }

    fn add_lines(&mut self, lines: &mut Lines<impl BufRead>) -> Result<(), Fault> {
        let first = lines.next()?.unwrap_or_default();
        let header = Header::parse(&first).map_err(Problem::Foreign)?;
        let start = games::read_start(&header.start).map_err(Problem::Start)?;
        let mut engine = Engine::new(start, Params::default());
        let shape = self.begin(&engine)?;
        let mut bytes = Vec::new();
        while let Some(line) = lines.next()? {
            if self.stop.load(Relaxed) {
                return Err(Fault::Stopped);
            }
            let game = serde_json::from_str(&line);
            let game: GameLine = game.map_err(|error| Problem::Game(json_error(&error)))?;
            while engine.undo() {}
            let mut random = Random::part(self.seed, u64::from(self.games));
            let samples = samples(&mut engine, &shape, &game, &mut random)?;
            bytes.clear();
            for sample in &samples {
                sample.put(&shape, self.games, &mut bytes);
            }
            self.out.write_all(&bytes).map_err(Fault::Write)?;
            self.samples += samples.len();
            self.games += 1;
        }
        Ok(())
    }

    /// Writes the first line, or compares a further file with it.
    fn begin(&mut self, engine: &Engine) -> Result<Shape, Fault> {
        let shape = Shape::of(engine).ok_or(Problem::NoNetwork)?;
        match &self.shape {
            None => {
                let line = format!("tanada samples {shape}\n");
                self.out.write_all(line.as_bytes()).map_err(Fault::Write)?;
                self.shape = Some(shape.clone());
            }
            Some(expected) if *expected == shape => {}
            Some(expected) => {
                let (found, expected) = (shape.to_string(), expected.to_string());
                return Err(Problem::Shape { found, expected }.into());
            }
        }
        Ok(shape)
    }
}

/// What ends the work on a file.
enum Fault {
    File(Problem),
    Write(io::Error),
    Stopped,
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self::File(problem)
    }
}

/// The lines of a compressed file.
struct Lines<R> {
    stream: R,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    /// The next line; `None` at the end of a file whose checksum is right.
    fn next(&mut self) -> Result<Option<String>, Problem> {
        self.number += 1;
        let mut bytes = Vec::new();
        let read = (&mut self.stream)
            .take(MAX_LINE)
            .read_until(b'\n', &mut bytes);
        read.map_err(|error| match self.number {
            1 => Problem::Foreign(error.to_string()),
            _ => Problem::Damaged(error.to_string()),
        })?;
        match bytes.pop() {
            None => Ok(None),
            Some(b'\n') => {
                let text = String::from_utf8(bytes);
                let text = text.map_err(|_| Problem::Damaged("it is not UTF-8".to_string()))?;
                Ok(Some(text))
            }
            Some(_) if bytes.len() as u64 + 1 == MAX_LINE => Err(Problem::Long),
            Some(_) => Err(Problem::Damaged("its last line has no end".to_string())),
        }
    }
}

/// A move of a game that is replayed.
struct Ply {
    mover: Seat,
    /// The number of its point in row order, from 0; `None` in a game without stones.
    point: Option<usize>,
    /// The search's value for each player.
    values: Vec<f64>,
    stones: Vec<Option<Seat>>,
}

/// The samples of a game: the positions that were played, then the others. `engine` is at the start.
fn samples(
    engine: &mut Engine,
    shape: &Shape,
    game: &GameLine,
    random: &mut Random,
) -> Result<Vec<Sample>, Problem> {
    for (ply, word) in (1..).zip(&game.opening) {
        play(engine, ply, word)?;
    }
    let (mut played, mut others, mut plies) = (Vec::new(), Vec::new(), Vec::new());
    for (ply, mv) in (1 + game.opening.len()..).zip(&game.moves) {
        let mover = engine.to_move();
        let values = values(engine, mv, ply)?;
        let policy = policy(engine, &mv.next, ply)?;
        let mut sample = inputs(engine, shape);
        if let Some(sample) = &mut sample {
            sample.policy = policy;
            sample.is_exact = mv.proof;
        }
        played.push(sample);
        others.extend(other(engine, shape, mv, ply, random)?);
        let stones = fate::stones(engine);
        let code = play(engine, ply, &mv.word)?;
        plies.push(Ply {
            mover,
            point: place(engine, code),
            values,
            stones,
        });
    }
    if !engine.is_over() {
        return Err(Problem::Unfinished);
    }
    let winner = engine.winner();
    let expected = winner.map(|seat| engine.variant().colour(seat));
    if game.winner.as_deref() != expected {
        let quoted = |winner: Option<&str>| shorten(winner.unwrap_or("null"), 60);
        return Err(Problem::Winner {
            found: quoted(game.winner.as_deref()),
            expected: quoted(expected),
        });
    }
    targets(&mut played, &plies, engine);
    Ok(played.into_iter().flatten().chain(others).collect())
}

/// Adds what the rest of the game tells of the positions that were played.
fn targets(samples: &mut [Option<Sample>], plies: &[Ply], engine: &Engine) {
    let winner = engine.winner();
    let players = engine.players();
    let values = |player: usize| plies.iter().map(move |ply| ply.values[player]);
    let result = |seat: Seat| match winner {
        Some(winner) => f64::from(u8::from(winner == seat)),
        None => 0.5,
    };
    let short_term: Vec<Vec<f64>> = (0..players.len())
        .map(|player| {
            let values: Vec<f64> = values(player).collect();
            short_term_values(&values, result(players[player]))
        })
        .collect();
    // Without stones there are no points to tell of.
    let moves = plies
        .iter()
        .map(|ply| (ply.mover, ply.point.unwrap_or(usize::MAX)));
    let stones = plies.iter().map(|ply| &ply.stones[..]);
    let fates = fate::fates(
        &moves.collect::<Vec<_>>(),
        &stones.collect::<Vec<_>>(),
        &fate::stones(engine),
    );
    for (i, (sample, fates)) in samples.iter_mut().zip(fates).enumerate() {
        let Some(sample) = sample else { continue };
        let of_seat = |seat: &Seat| {
            let player = players.iter().position(|player| player == seat);
            player.map_or([0.0; 2], |player| {
                [plies[i].values[player], short_term[player][i]]
            })
        };
        sample.values = sample.seats.iter().map(of_seat).collect();
        sample.fates = fates;
        sample.is_played = true;
        sample.winner = winner.and_then(|winner| sample.seats.iter().position(|s| *s == winner));
        sample.plies_left = plies.len() - i;
        let reply = plies.get(i + 1).filter(|next| next.mover != plies[i].mover);
        let reply = reply.and_then(|next| next.point);
        sample.reply = reply.map_or(0, |point| point as u16 + 1);
    }
}

/// For each ply the mean of its value, those of the plies after it, and the result behind them,
/// exponentially weighted (as KataGo's short-term value targets).
fn short_term_values(values: &[f64], result: f64) -> Vec<f64> {
    let mut mean = result;
    let mut means: Vec<f64> = values
        .iter()
        .rev()
        .map(|value| {
            mean = DECAY * mean + (1.0 - DECAY) * value;
            mean
        })
        .collect();
    means.reverse();
    means
}

/// The inputs at the position. `None` if the network of the start is not used there, as at the end of a
/// game for more than two players.
fn inputs(engine: &Engine, shape: &Shape) -> Option<Sample> {
    let features = engine.training_features()?;
    if features.plane_count() != shape.planes {
        return None;
    }
    let players = engine.players().iter().copied();
    let in_play = engine.progress().in_play();
    // From the side to move on.
    let turns = players.clone().chain(players);
    let turns = turns.skip_while(|seat| *seat != engine.to_move());
    let turns = turns.take(engine.players().len());
    Some(Sample {
        global_features: features.global_features()?,
        planes: features.input_planes()?,
        seats: turns.filter(|seat| in_play.contains(seat)).collect(),
        ..Sample::default()
    })
}

/// Plays a word that stands for one legal move.
fn play(engine: &mut Engine, ply: usize, word: &str) -> Result<MoveCode, Problem> {
    let played = engine.play_word(engine.to_move(), word);
    played.map_err(|error| Problem::Move { ply, error })?;
    let unreadable = || PlayError::Unreadable(format!("invalid move `{}`", shorten(word, 60)));
    engine.last_move().ok_or_else(|| Problem::Move {
        ply,
        error: unreadable(),
    })
}

/// The number of a move's point in row order.
fn place(engine: &Engine, code: MoveCode) -> Option<usize> {
    let mut points = engine.stones()?.size().points();
    points.position(|point| MoveCode::from(point) == code)
}

/// The chances of each player.
fn values(engine: &Engine, mv: &MoveLine, ply: usize) -> Result<Vec<f64>, Problem> {
    let is_chance = |value: &f64| (0.0..=1.0).contains(value);
    if mv.values.len() == engine.players().len() && mv.values.iter().all(is_chance) {
        return Ok(mv.values.clone());
    }
    Err(Problem::Values {
        ply,
        found: shorten(&format!("{:?}", mv.values), 60),
    })
}

/// The policy target of each move; empty if no move counts.
fn policy(engine: &Engine, next: &[NextMove], ply: usize) -> Result<Vec<u8>, Problem> {
    let most = next.iter().map(|found| found.3).max().unwrap_or(0);
    let mut target = Vec::new();
    for NextMove(word, _, _, visits) in next {
        let code = legal(engine, word, ply)?;
        let features = engine.training_features();
        let place = features.and_then(|features| features.policy_place(code));
        if let (Some(place), true) = (place, most > 0) {
            target.resize(features.map_or(0, |features| features.policy_size()), 0);
            let share = f64::from(*visits) / f64::from(most);
            target[place] = (255.0 * share).round() as u8;
        }
    }
    Ok(target)
}

/// The legal move that a word stands for.
fn legal(engine: &Engine, word: &str, ply: usize) -> Result<MoveCode, Problem> {
    let wrong = |error| Problem::Move { ply, error };
    let notation = engine.notation();
    let codes = notation.read_moves(word);
    let codes = codes.map_err(|error| wrong(PlayError::Unreadable(error)))?;
    match codes[..] {
        [code] if engine.is_legal(code) => Ok(code),
        _ => {
            let expected = format!("expected {}", notation.expected_move());
            Err(wrong(PlayError::Illegal(shorten(word, 60), expected)))
        }
    }
}

/// The position after a random visited move that was not played, in a game of two: the search does not
/// give the chances of each of several opponents. A move whose value is 0 or 1 is taken as proven:
/// there is nothing to learn from what the search says of the position after it.
fn other(
    engine: &mut Engine,
    shape: &Shape,
    mv: &MoveLine,
    ply: usize,
    random: &mut Random,
) -> Result<Option<Sample>, Problem> {
    if mv.proof || engine.players().len() > 2 {
        return Ok(None);
    }
    let is_open = |found: &&NextMove| {
        let NextMove(word, visits, value, _) = found;
        *word != mv.word && *visits >= LEAST_VISITS && *value > 0.0 && *value < 1.0
    };
    let open: Vec<&NextMove> = mv.next.iter().filter(is_open).collect();
    if open.is_empty() {
        return Ok(None);
    }
    let NextMove(word, _, value, _) = open[random.below(open.len() as u32) as usize];
    let mover = engine.to_move();
    play(engine, ply, word)?;
    let sample = (!engine.is_over()).then(|| inputs(engine, shape)).flatten();
    let value = if engine.to_move() == mover {
        *value
    } else {
        1.0 - value
    };
    engine.undo();
    Ok(sample.map(|sample| Sample {
        values: vec![[value; 2]],
        ..sample
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_term_value_is_six_plies_ahead_in_the_mean() {
        assert_eq!(short_term_values(&[], 1.0), [0.0; 0]);
        let constant = short_term_values(&[0.25; 9], 0.25);
        assert!(constant.iter().all(|value| (value - 0.25).abs() < 1e-12));
        // The values are the numbers of their plies.
        let plies: Vec<f64> = (0..2000).map(f64::from).collect();
        assert!((short_term_values(&plies, 2000.0)[0] - 6.0).abs() < 1e-9);
        let last = short_term_values(&[0.5, 0.0], 1.0);
        assert!((last[1] - 6.0 / 7.0).abs() < 1e-12);
        assert!((last[0] - (36.0 / 49.0 + 0.5 / 7.0)).abs() < 1e-12);
    }
}
