//! The games in progress: a file in the folder of a match, for those who watch it. Nothing else
//! depends on it, so a failure to write it stops no match.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::plan::{Plan, ScheduledGame};
use super::run_folder::{json, write_file};
use crate::engine::Engine;

/// The file in the folder of the match.
pub(super) const FILE: &str = "running.json";
/// How often the file is written while games move on. Fast games make thousands of moves a second.
const TICK: Duration = Duration::from_millis(200);

/// A game in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunningGame {
    /// Its number in the match, from 1.
    pub(crate) game: usize,
    /// The names of the players, in the order of play.
    pub(crate) players: Vec<String>,
    /// The moves so far, as written in records.
    pub(crate) moves: Vec<String>,
}

/// The games in progress, by worker, and the file that tells them.
pub(super) struct RunningGames {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    games: BTreeMap<usize, RunningGame>,
    is_written: bool,
}

impl RunningGames {
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            path: folder.join(FILE),
            state: Mutex::default(),
        }
    }

    /// A worker's game has reached a position.
    pub(super) fn moved(
        &self,
        worker: usize,
        plan: &Plan,
        scheduled: &ScheduledGame,
        position: &Engine,
    ) {
        let engines = &plan.settings().engines;
        let names = scheduled.seating.iter().map(|&e| engines[e].name.clone());
        let game = RunningGame {
            game: scheduled.game + 1,
            players: names.collect(),
            moves: position.moves().map(|(_, mv)| position.name(mv)).collect(),
        };
        let mut state = self.state.lock();
        state.games.insert(worker, game);
        state.is_written = false;
    }

    /// A worker has no game.
    pub(super) fn ended(&self, worker: usize) {
        let mut state = self.state.lock();
        if state.games.remove(&worker).is_some() {
            state.is_written = false;
        }
    }

    /// Writes the file as games move on, until the other end of `over` is dropped; then removes it.
    pub(super) fn write_until(&self, over: &Receiver<()>) {
        while over.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            let games: Vec<RunningGame> = {
                let mut state = self.state.lock();
                if std::mem::replace(&mut state.is_written, true) {
                    continue;
                }
                state.games.values().cloned().collect()
            };
            let _ = write_file(&self.path, &json(&games));
        }
        let _ = fs::remove_file(&self.path);
    }
}

/// The games in progress in the folder of a match, by number; none if no runner is at work there.
pub(crate) fn read(folder: &Path) -> Vec<RunningGame> {
    let bytes = fs::read(folder.join(FILE)).unwrap_or_default();
    let games: Option<Vec<RunningGame>> = serde_json::from_slice(&bytes).ok();
    let mut games = games.unwrap_or_default();
    // A runner that was killed leaves its file.
    if !games.is_empty() && !is_locked(folder) {
        return Vec::new();
    }
    games.sort_by_key(|game| game.game);
    games
}

fn is_locked(folder: &Path) -> bool {
    let lock = File::open(folder.join("lock"));
    let tried = lock.map(|lock| lock.try_lock_shared());
    matches!(tried, Ok(Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::super::run_folder::lock;
    use super::*;

    #[test]
    fn only_a_runner_at_work_has_running_games() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path();
        assert_eq!(read(folder), []);
        let game = |number| RunningGame {
            game: number,
            players: vec!["a".to_string(), "b".to_string()],
            moves: vec!["C3".to_string()],
        };
        write_file(&folder.join(FILE), &json(&[game(2), game(1)])).unwrap();
        assert_eq!(read(folder), []);
        let held = lock(folder).unwrap();
        assert_eq!(read(folder), [game(1), game(2)]);
        for broken in ["", "[", "{\"game\":1}", "[{\"game\":-1}]"] {
            fs::write(folder.join(FILE), broken).unwrap();
            assert_eq!(read(folder), [], "{broken}");
        }
        drop(held);
    }

    #[test]
    fn a_look_does_not_keep_a_runner_out() {
        let home = tempfile::tempdir().unwrap();
        drop(lock(home.path()).unwrap());
        let look = File::open(home.path().join("lock")).unwrap();
        look.try_lock_shared().unwrap();
        let looking = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            drop(look);
        });
        assert!(lock(home.path()).is_ok());
        looking.join().unwrap();
    }
}
