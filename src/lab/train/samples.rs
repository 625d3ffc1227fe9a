//! Training samples, computed from games of self-play by replaying them.
//!
//! The file is a line `tanada samples side S points P planes K globals N moves M bytes B`, then records
//! of B bytes, little-endian; [`Sample::put`] writes them. Each position after the opening is a sample. For
//! each fully searched position the file also has the position after another move that the search
//! visited, with its value: the network must evaluate positions that are never played, too (Veness
//! et al., "Bootstrapping from game tree search", 2009).

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use flate2::bufread::GzDecoder;
use thiserror::Error;

use super::fate;
use super::games::{GameLine, Header, MoveLine, NextMove};
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
    #[error("the board has the size `{found}`: expected `{expected}`, as in the first file")]
    Size { found: usize, expected: usize },
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

/// A position and the targets of training.
#[derive(Default)]
struct Sample {
    global_features: Vec<f32>,
    planes: Vec<u32>,
    /// The policy target of each place of a move, 255 for the greatest; empty if unknown.
    policy: Vec<u8>,
    /// See [`fate::fates`]; empty if the position was not played, or in a game without stones.
    fates: Vec<u8>,
    /// The number of the point of the opponent's reply, from 1; 0 if unknown.
    reply: u16,
    /// For the side to move, 0 to 1.
    value: f64,
    short_term_value: f64,
    is_exact: bool,
    is_played: bool,
    /// Whether the side to move won.
    is_won: Option<bool>,
    plies_left: usize,
}

impl Sample {
    /// | bytes | content |
    /// |---|---|
    /// | 4 a global feature | `f32` |
    /// | 4 a point | input planes, a bit each |
    /// | 1 a move | policy target, 255 for the most visited move; 0 where unknown |
    /// | 1 a point | fate, see [`fate::fates`]; 0 if the position was not played |
    /// | 2 | the opponent's reply: number of the point in row order, from 1; 0 if unknown |
    /// | 2 | value of the search for the side to move, 65535 for 1 |
    /// | 2 | short-term value, see [`short_term_values`] |
    /// | 1 | result: 1 won by the side to move, 0 lost, 2 unknown |
    /// | 1 | bit 0: there is a policy target; bit 1: the value is exact; bit 2: the position was played |
    /// | 1 | plies left in the game, at most 255 |
    /// | 1 | unused |
    /// | 4 | number of the game among all games that were read, from 0 |
    fn put(&self, moves: usize, game: u32, bytes: &mut Vec<u8>) {
        let points = self.planes.len();
        for number in &self.global_features {
            bytes.extend(number.to_le_bytes());
        }
        for word in &self.planes {
            bytes.extend(word.to_le_bytes());
        }
        for (each, length) in [(&self.policy, moves), (&self.fates, points)] {
            let end = bytes.len() + length;
            bytes.extend(each);
            bytes.resize(end, 0);
        }
        let fixed = |value: f64| (65535.0 * value).round() as u16;
        for number in [self.reply, fixed(self.value), fixed(self.short_term_value)] {
            bytes.extend(number.to_le_bytes());
        }
        let flags = u8::from(!self.policy.is_empty())
            | u8::from(self.is_exact) << 1
            | u8::from(self.is_played) << 2;
        let result = self.is_won.map_or(2, u8::from);
        bytes.extend([result, flags, self.plies_left.min(255) as u8, 0]);
        bytes.extend(game.to_le_bytes());
    }
}

/// Writes the samples of games.
pub struct SampleWriter<'a, W> {
    out: W,
    stop: &'a AtomicBool,
    seed: u64,
    /// The side of the board, known from the first file on.
    board: Option<usize>,
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
            board: None,
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
        let moves = self.begin(&engine)?;
        let mut bytes = Vec::new();
        while let Some(line) = lines.next()? {
            if self.stop.load(Relaxed) {
                return Err(Fault::Stopped);
            }
            let game = serde_json::from_str(&line);
            let game: GameLine = game.map_err(|error| Problem::Game(json_error(&error)))?;
            while engine.undo() {}
            let mut random = Random::part(self.seed, u64::from(self.games));
            let samples = samples(&mut engine, &game, &mut random)?;
            bytes.clear();
            for sample in &samples {
                sample.put(moves, self.games, &mut bytes);
            }
            self.out.write_all(&bytes).map_err(Fault::Write)?;
            self.samples += samples.len();
            self.games += 1;
        }
        Ok(())
    }

    /// Writes the first line, or compares a further file with it. Returns the size of a policy target.
    fn begin(&mut self, engine: &Engine) -> Result<usize, Fault> {
        let features = engine.training_features();
        let shape = features.and_then(|features| {
            let points = features.input_planes()?.len();
            Some((
                points,
                features.plane_count(),
                features.global_features()?.len(),
                features.policy_size(),
            ))
        });
        let (points, planes, globals, moves) = shape.ok_or(Problem::NoNetwork)?;
        let side = engine.start().side();
        match self.board.replace(side) {
            None => {}
            Some(expected) if side == expected => return Ok(moves),
            Some(expected) => {
                let found = side;
                return Err(Problem::Size { found, expected }.into());
            }
        }
        let bytes = 4 * globals + 5 * points + moves + 14;
        let line = format!(
            "tanada samples side {side} points {points} planes {planes} globals {globals} \
             moves {moves} bytes {bytes}\n"
        );
        self.out.write_all(line.as_bytes()).map_err(Fault::Write)?;
        Ok(moves)
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
    /// The search's value for the first player.
    value: f64,
    stones: Vec<Option<Seat>>,
}

/// The samples of a game: the positions that were played, then the others. `engine` is at the start.
fn samples(
    engine: &mut Engine,
    game: &GameLine,
    random: &mut Random,
) -> Result<Vec<Sample>, Problem> {
    for (ply, word) in (1..).zip(&game.opening) {
        play(engine, ply, word)?;
    }
    let (mut played, mut others, mut plies) = (Vec::new(), Vec::new(), Vec::new());
    for (ply, mv) in (1 + game.opening.len()..).zip(&game.moves) {
        let mover = engine.to_move();
        let values = values(mv, ply)?;
        let policy = policy(engine, &mv.next, ply)?;
        let mut sample = inputs(engine).ok_or(Problem::NoNetwork)?;
        sample.policy = policy;
        sample.value = values[usize::from(engine.players()[0] != mover)];
        sample.is_exact = mv.proof;
        played.push(sample);
        others.extend(other(engine, mv, ply, random)?);
        let stones = fate::stones(engine);
        let code = play(engine, ply, &mv.word)?;
        plies.push(Ply {
            mover,
            point: place(engine, code),
            value: values[0],
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
    played.extend(others);
    Ok(played)
}

/// Adds what the rest of the game tells of the positions that were played.
fn targets(samples: &mut [Sample], plies: &[Ply], engine: &Engine) {
    let winner = engine.winner();
    let first = engine.players()[0];
    let result = match winner {
        Some(seat) => f64::from(u8::from(seat == first)),
        None => 0.5,
    };
    let values: Vec<f64> = plies.iter().map(|ply| ply.value).collect();
    let short_term = short_term_values(&values, result);
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
        let mover = plies[i].mover;
        let value = short_term[i];
        sample.short_term_value = if mover == first { value } else { 1.0 - value };
        sample.fates = fates;
        sample.is_played = true;
        sample.is_won = winner.map(|seat| seat == mover);
        sample.plies_left = plies.len() - i;
        let reply = plies.get(i + 1).filter(|next| next.mover != mover);
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

/// The network's inputs at the position.
fn inputs(engine: &Engine) -> Option<Sample> {
    let features = engine.training_features()?;
    Some(Sample {
        global_features: features.global_features()?,
        planes: features.input_planes()?,
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

/// The chances of both players.
fn values(mv: &MoveLine, ply: usize) -> Result<[f64; 2], Problem> {
    match mv.values[..] {
        [one, two] if [one, two].iter().all(|x| (0.0..=1.0).contains(x)) => Ok([one, two]),
        _ => Err(Problem::Values {
            ply,
            found: shorten(&format!("{:?}", mv.values), 60),
        }),
    }
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

/// The position after a random visited move that was not played. A move whose value is 0 or 1 is
/// taken as proven: there is nothing to learn from what the search says of the position after it.
fn other(
    engine: &mut Engine,
    mv: &MoveLine,
    ply: usize,
    random: &mut Random,
) -> Result<Option<Sample>, Problem> {
    if mv.proof {
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
    let sample = (!engine.is_over()).then(|| inputs(engine)).flatten();
    let value = if engine.to_move() == mover {
        *value
    } else {
        1.0 - value
    };
    engine.undo();
    Ok(sample.map(|sample| Sample {
        value,
        short_term_value: value,
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
