//! Matches between players of this build: paired openings, one game at a time on
//! each worker, results that can be counted on.
//!
//! A *pair* is one opening played twice with the colours exchanged. It is the
//! unit of all statistics, since both games depend on the same opening.

mod game;
mod player;
mod summary;

pub use game::{Game, PlayError, Thought, play};
pub use player::{Player, PlayerError};
pub use summary::Summary;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::engine::Engine;
use crate::grid::Point;
use crate::params::Params;
use crate::random::Random;
use crate::tanbo::setup::Start;

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Match {
    /// The start position of every game, for two players.
    pub start: Start,
    /// The two sides; the first has Black in the first game of a pair.
    pub players: [Player; 2],
    /// Pairs of games.
    pub pairs: usize,
    /// Random moves at the beginning of each pair's games.
    pub opening_plies: usize,
    /// Where all randomness starts: openings, and the players' seeds.
    pub seed: u64,
    /// Games played side by side.
    pub concurrency: usize,
}

/// One pair that was played.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Its place in the match, from 0.
    pub number: usize,
    /// The games: the first player is Black in the first, White in the second.
    pub games: [Game; 2],
}

impl Pair {
    /// Games won by the first player, 0 to 2.
    pub fn score(&self) -> usize {
        let won = |game: usize, seat: usize| usize::from(self.games[game].winner.index() == seat);
        won(0, 0) + won(1, 1)
    }
}

/// The random opening of a pair: `plies` legal moves after which the game still
/// runs; `None` if a hundred tries find none.
pub fn opening(start: &Start, plies: usize, seed: u64, pair: usize) -> Option<Vec<Point>> {
    let mut random = Random::part(seed, pair as u64);
    let mut engine = Engine::new(start.clone(), Params::default());
    for _ in 0..100 {
        let mut moves = Vec::new();
        while moves.len() < plies && engine.winner().is_none() {
            let legal = engine.legal(engine.to_move());
            let point = legal[random.below(legal.len() as u32) as usize];
            // A legal point cannot be refused.
            let _ = engine.play(point);
            moves.push(point);
        }
        if engine.winner().is_none() {
            return Some(moves);
        }
        while engine.undo() {}
    }
    None
}

impl Match {
    /// Plays all pairs and calls `after` with each as it ends, in whatever order;
    /// once `after` returns false no new pair begins. With iteration limits and
    /// one thread each, the games depend on the settings alone, not on how many
    /// are played side by side.
    ///
    /// # Errors
    /// An illegal move by a player, which is a fault of this program.
    pub fn run(&self, after: &(dyn Fn(&Pair) -> bool + Sync)) -> Result<Vec<Pair>, PlayError> {
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let done = Mutex::new(Vec::new());
        let fault = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..self.concurrency.max(1) {
                scope.spawn(|| {
                    while !stop.load(Relaxed) {
                        let number = next.fetch_add(1, Relaxed);
                        if number >= self.pairs {
                            return;
                        }
                        match self.pair(number) {
                            Ok(pair) => {
                                if !after(&pair) {
                                    stop.store(true, Relaxed);
                                }
                                done.lock().push(pair);
                            }
                            Err(error) => {
                                stop.store(true, Relaxed);
                                *fault.lock() = Some(error);
                            }
                        }
                    }
                });
            }
        });
        if let Some(error) = fault.into_inner() {
            return Err(error);
        }
        let mut pairs = done.into_inner();
        pairs.sort_by_key(|pair| pair.number);
        Ok(pairs)
    }

    /// Plays one pair.
    ///
    /// # Errors
    /// See [`Match::run`].
    pub fn pair(&self, number: usize) -> Result<Pair, PlayError> {
        let opening = opening(&self.start, self.opening_plies, self.seed, number).ok_or(
            PlayError::Opening {
                plies: self.opening_plies,
                size: self.start.size(),
            },
        )?;
        let [a, b] = &self.players;
        let seed = |game: u64| Random::part(!self.seed, number as u64 * 2 + game).bits();
        Ok(Pair {
            number,
            games: [
                play(&self.start, [a, b], &opening, seed(0))?,
                play(&self.start, [b, a], &opening, seed(1))?,
            ],
        })
    }
}
