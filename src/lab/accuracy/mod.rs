//! How near to perfect play the engine is: its games on a small board, each position of which the
//! exact solver judges. Nothing here names a game.
//!
//! | file | what it does |
//! |---|---|
//! | `game` | one game of the engine against itself, with the exact result of each position |
//! | `tally` | moves that give the result away, and how well the values fit the results |

mod game;
mod tally;

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use thiserror::Error;

pub use game::{JudgedGame, JudgedMove};
pub use tally::{Bin, Slip, Tally};

use crate::params::Params;
use crate::util::jobs::Jobs;
use crate::variant::SharedStart;

/// What games are played, and how far they are solved.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the games start.
    pub start: SharedStart,
    /// How many.
    pub games: usize,
    /// Random moves at the beginning of each, which are not judged.
    pub plies: usize,
    /// Where all randomness starts.
    pub seed: u64,
    /// The engine's settings but for the seed; what they say of time and iterations is what each
    /// move gets ([`SearchLimits::of`](crate::search::SearchLimits::of)).
    pub params: Params,
    /// Nodes of the solver for a position at most.
    pub nodes: u64,
    /// Bytes of the solver's table at most, for each game that is played at once.
    pub bytes: usize,
    /// Games side by side, 1 or more.
    pub concurrency: usize,
}

/// Why there are no results.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AccuracyError {
    /// The game or the number of players has no solver.
    #[error("`{start}` has no exact results: {reason}")]
    Start {
        /// The start, in words.
        start: String,
        /// What the game says.
        reason: String,
    },
    /// Random openings of that length end the game.
    #[error("`{plies}` random plies outlast the game on {side}x{side}, expected fewer")]
    Long {
        /// The number of plies.
        plies: usize,
        /// The board.
        side: usize,
    },
    /// It was stopped.
    #[error("interrupted")]
    Interrupted,
}

impl Settings {
    /// Plays the games and judges them; `after` hears how many are done with all before them. With
    /// iterations a move and one thread the games depend on the settings alone. What is
    /// stopped counts the games that were done before.
    ///
    /// # Errors
    /// See [`AccuracyError`]; [`AccuracyError::Interrupted`] is none of them.
    pub fn run(
        &self,
        stop: &AtomicBool,
        after: &(dyn Fn(usize) + Sync),
    ) -> Result<Tally, AccuracyError> {
        let jobs = Jobs {
            count: self.games,
            concurrency: self.concurrency,
            stop,
        };
        let job = |(): &mut (), number| match JudgedGame::new(self, number, stop) {
            Ok(game) => Ok(Some((number, game))),
            Err(AccuracyError::Interrupted) => Ok(None),
            Err(error) => Err(error),
        };
        let mut tally = Tally::default();
        let mut taken = 0;
        jobs.run(job, |judged| {
            if let Some((number, game)) = judged {
                tally.add(number, &game);
                taken += 1;
                after(taken);
            }
            ControlFlow::Continue(())
        })?;
        Ok(tally)
    }
}
