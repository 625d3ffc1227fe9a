//! How often the engine throws the result away: it plays games on a small board, and the exact
//! solver judges every position. Nothing here names a game.
//!
//! | file | what it does |
//! |---|---|
//! | `settings` | which games, and how far they are solved |
//! | `game` | one game of the engine against itself, with the exact result of each position |
//! | `results` | moves that throw the result away, and how well the values fit the results |

mod game;
mod results;
mod settings;

use std::sync::atomic::AtomicBool;

pub use game::JudgedGame;
pub use results::AccuracyResults;
pub(crate) use results::Slip;
pub use settings::{AccuracyError, AccuracySettings};

use crate::util::jobs::Jobs;

impl AccuracySettings {
    /// Plays and judges the games. `after` is called with the number of finished games, in their
    /// order. With iterations a move and one thread, the games depend only on the settings. When
    /// stopped, it returns the results of the games finished before.
    pub fn run(
        &self,
        stop: &AtomicBool,
        after: &(dyn Fn(usize) + Sync),
    ) -> Result<AccuracyResults, AccuracyError> {
        let jobs = Jobs::new(self.games, self.concurrency, stop);
        let job = |(): &mut (), number| match JudgedGame::new(self, number, stop) {
            Ok(game) => Ok(Some((number, game))),
            Err(AccuracyError::Interrupted) => Ok(None),
            Err(error) => Err(error),
        };
        let mut results = AccuracyResults::default();
        jobs.run(job, |judged| {
            if let Some((number, game)) = judged {
                results.add(number, &game);
                after(results.games);
            }
            Ok(true)
        })?;
        Ok(results)
    }
}
