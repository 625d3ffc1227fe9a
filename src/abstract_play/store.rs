//! The games that the bot plays: in memory, and in a folder that survives the bot. Each game is one
//! file, replaced as a whole, so whatever ends the bot, every accepted turn is there when it starts again.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::message::TurnMessage;
use super::queue::TurnId;
use crate::util::{files, system};

/// The folder of the games, and what the names of their files end with.
const GAMES: &str = "games";
const END: &str = ".json";
/// The file of the accepted challenges.
const CHALLENGES: &str = "challenges.json";

/// Why the folder cannot be used.
#[derive(Debug, Error)]
pub(crate) enum StoreError {
    #[error("`{}` is in use by another bot; stop it, or choose another folder", .0.display())]
    InUse(PathBuf),
    #[error("`{path}`: {error}", path = .0.display(), error = files::reason(.1))]
    System(PathBuf, io::Error),
    #[error("`{path}` does not hold a game of this bot: {1}; move it away", path = .0.display())]
    Invalid(PathBuf, String),
}

/// What was accepted and not yet delivered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Turn {
    pub(super) message: TurnMessage,
    /// When it was accepted, in Unix seconds.
    pub(super) accepted: f64,
    /// The move, once it is found.
    #[serde(rename = "move")]
    pub(super) mv: Option<String>,
    /// Whether the move ends the game.
    pub(super) is_last: bool,
    pub(super) sending: Sending,
}

/// What is known of the sending of a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Sending {
    /// It has not reached the server.
    #[default]
    Clear,
    /// It may have reached the server.
    Begun,
    /// It may have, then the bot was killed, and it was sent once more.
    Again,
}

impl Turn {
    fn new(message: TurnMessage, accepted: f64) -> Self {
        Self {
            message,
            accepted,
            mv: None,
            is_last: false,
            sending: Sending::Clear,
        }
    }

    /// The number of moves before the bot's.
    pub(super) fn plies(&self) -> usize {
        self.message.plies()
    }

    /// When the bot's clock is empty, in Unix seconds.
    pub(super) fn end(&self) -> f64 {
        self.accepted + self.message.clock * 3600.0
    }
}

/// A game that the bot plays or has played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Game {
    game: String,
    /// When the server last sent something about it, in Unix seconds.
    seen: f64,
    /// The most that a player's clock can hold, in seconds. The server does not tell the bot that a game
    /// has ended; after a silence this long it has.
    clock: f64,
    is_over: bool,
    /// The number of moves before the last one that the bot has delivered, or of a game that is over.
    answered: Option<usize>,
    turn: Option<Turn>,
}

/// An accepted challenge whose game has not begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Promise {
    /// When it was accepted, in Unix seconds.
    seen: f64,
    /// As in [`Game`].
    clock: f64,
    /// The nonce of its request, so that a restart does not make it new.
    nonce: String,
}

/// What a message about a game turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accepted {
    New,
    /// The same turn as before, or one before it.
    Known,
    /// The game is over.
    Over,
}

pub(super) struct Store {
    folder: PathBuf,
    games: HashMap<String, Game>,
    /// The accepted challenges whose games have not begun, oldest first.
    challenges: Vec<Promise>,
    /// The clock of a game without a challenge, in seconds.
    longest: f64,
    /// Held as long as the bot runs.
    _lock: File,
}

impl Store {
    /// Opens the folder, or makes it, and reads the games in it. `longest` is the most that a clock can
    /// hold, in seconds.
    pub(super) fn open(folder: &Path, longest: f64) -> Result<Self, StoreError> {
        let at = |path: &Path| {
            let path = path.to_path_buf();
            |error| StoreError::System(path, error)
        };
        let games = folder.join(GAMES);
        fs::create_dir_all(&games).map_err(at(&games))?;
        let path = folder.join("lock");
        let lock = OpenOptions::new().create(true).append(true).open(&path);
        let lock = lock.map_err(at(&path))?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(StoreError::InUse(folder.to_path_buf()));
        }
        let mut store = Self {
            folder: folder.to_path_buf(),
            games: HashMap::new(),
            challenges: Vec::new(),
            longest,
            _lock: lock,
        };
        for entry in fs::read_dir(&games).map_err(at(&games))? {
            let path = entry.map_err(at(&games))?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            if name.is_some_and(|name| name.ends_with(END)) {
                let game: Game = read(&path)?;
                store.games.insert(game.game.clone(), game);
            }
        }
        let challenges = folder.join(CHALLENGES);
        if challenges.exists() {
            store.challenges = read(&challenges)?;
        }
        Ok(store)
    }

    /// Accepts a message about a game whose moves were checked, at the time `now` in Unix seconds.
    /// After `Accepted::New` it is on the disk.
    pub(super) fn accept(
        &mut self,
        message: TurnMessage,
        now: f64,
        is_over: bool,
    ) -> Result<Accepted, StoreError> {
        let plies = message.plies();
        let old = self.games.get(&message.game);
        // Which challenge led to which game the server does not tell.
        let promised = self
            .challenges
            .first()
            .filter(|_| old.is_none())
            .map(|promise| promise.clock);
        if old
            .and_then(Game::newest)
            .is_some_and(|newest| plies <= newest)
        {
            return Ok(Accepted::Known);
        }
        let game = Game {
            game: message.game.clone(),
            seen: now,
            clock: old.map_or(promised.unwrap_or(self.longest), |game| game.clock),
            is_over,
            answered: if is_over {
                Some(plies)
            } else {
                old.and_then(|game| game.answered)
            },
            turn: (!is_over).then(|| Turn::new(message, now)),
        };
        self.put(game)?;
        if promised.is_some() {
            self.challenges.remove(0);
            // The turn is on the disk, and that is what counts; the next change writes this, too.
            let _ = self.write_challenges();
        }
        Ok(if is_over {
            Accepted::Over
        } else {
            Accepted::New
        })
    }

    /// Counts a challenge that is about to be accepted, at the time `now` in Unix seconds; a clock of its
    /// game can hold `clock` seconds.
    pub(super) fn add_challenge(
        &mut self,
        now: f64,
        clock: f64,
        nonce: &str,
    ) -> Result<(), StoreError> {
        let nonce = nonce.to_string();
        self.challenges.push(Promise {
            seen: now,
            clock,
            nonce,
        });
        let written = self.write_challenges();
        if written.is_err() {
            self.challenges.pop();
        }
        written
    }

    /// Whether a challenge with this nonce was accepted and its game has not begun.
    pub(super) fn has_challenge(&self, nonce: &str) -> bool {
        self.challenges.iter().any(|promise| promise.nonce == nonce)
    }

    /// The games that run, and the challenges that were accepted.
    pub(super) fn running(&self) -> usize {
        let games = self.games.values().filter(|game| !game.is_over);
        games.count() + self.challenges.len()
    }

    /// A turn, unless it has ended or a newer one has taken its place.
    pub(super) fn turn(&self, (game, plies): &TurnId) -> Option<&Turn> {
        let turn = self.games.get(game)?.turn.as_ref();
        turn.filter(|turn| turn.plies() == *plies)
    }

    /// All turns that are not delivered.
    pub(super) fn turns(&self) -> impl Iterator<Item = (&str, &Turn)> {
        let games = self.games.iter();
        games.filter_map(|(id, game)| Some((id.as_str(), game.turn.as_ref()?)))
    }

    /// Keeps the move of a turn in memory, unless a newer turn has taken its place; returns whether it
    /// is kept. The next change writes it.
    pub(super) fn set_move(&mut self, (game, plies): &TurnId, mv: String, is_last: bool) -> bool {
        let turn = self.games.get_mut(game).and_then(|game| game.turn.as_mut());
        let Some(turn) = turn.filter(|turn| turn.plies() == *plies) else {
            return false;
        };
        (turn.mv, turn.is_last) = (Some(mv), is_last);
        true
    }

    /// Notes on the disk what is known of the sending of a move; returns false if a newer turn has taken
    /// its place.
    pub(super) fn set_sending(
        &mut self,
        id: &TurnId,
        sending: Sending,
    ) -> Result<bool, StoreError> {
        if self.turn(id).is_none() {
            return Ok(false);
        }
        let Some(mut game) = self.games.get(&id.0).cloned() else {
            return Ok(false);
        };
        if let Some(turn) = &mut game.turn {
            turn.sending = sending;
        }
        self.put(game)?;
        Ok(true)
    }

    /// Ends a turn, unless a newer one has taken its place: its move is delivered, or given up.
    pub(super) fn end(&mut self, id: &TurnId, is_delivered: bool) -> Result<(), StoreError> {
        let Some(turn) = self.turn(id) else {
            return Ok(());
        };
        let is_last = turn.is_last && is_delivered;
        let Some(mut game) = self.games.get(&id.0).cloned() else {
            return Ok(());
        };
        game.turn = None;
        game.is_over |= is_last;
        if is_delivered {
            game.answered = Some(id.1);
        }
        self.put(game)
    }

    /// Forgets games and challenges of which nothing was heard for longer than a clock can hold.
    pub(super) fn sweep(&mut self, now: f64) {
        let is_old = |seen: f64, clock: f64| now - seen > clock;
        let games = self.games.values().filter(|game| game.turn.is_none());
        let old = games.filter(|game| is_old(game.seen, game.clock));
        for id in old.map(|game| game.game.clone()).collect::<Vec<_>>() {
            let _ = fs::remove_file(self.path(&id));
            self.games.remove(&id);
        }
        let before = self.challenges.len();
        self.challenges
            .retain(|promise| !is_old(promise.seen, promise.clock));
        if self.challenges.len() < before {
            let _ = self.write_challenges();
        }
    }

    fn path(&self, game: &str) -> PathBuf {
        self.folder.join(GAMES).join(format!("{game}{END}"))
    }

    fn put(&mut self, game: Game) -> Result<(), StoreError> {
        let path = self.path(&game.game);
        write(&path, &game)?;
        self.games.insert(game.game.clone(), game);
        Ok(())
    }

    fn write_challenges(&self) -> Result<(), StoreError> {
        write(&self.folder.join(CHALLENGES), &self.challenges)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, StoreError> {
    let bytes = fs::read(path).map_err(|error| StoreError::System(path.to_path_buf(), error))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| StoreError::Invalid(path.to_path_buf(), error.to_string()))
}

fn write(path: &Path, content: &impl Serialize) -> Result<(), StoreError> {
    let bytes = serde_json::to_vec(content).map_err(io::Error::other);
    let written = bytes.and_then(|bytes| {
        files::replace(path, &bytes)?;
        // The name of a new file must be on the disk, too.
        path.parent().map_or(Ok(()), system::sync_folder)
    });
    written.map_err(|error| StoreError::System(path.to_path_buf(), error))
}

impl Game {
    /// The number of moves of the newest position that the bot knows of.
    fn newest(&self) -> Option<usize> {
        let waiting = self.turn.as_ref().map(Turn::plies);
        waiting.max(self.answered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: f64 = 3600.0;

    fn message(game: &str, plies: usize) -> TurnMessage {
        TurnMessage {
            meta_game: "tanbo".to_string(),
            variants: Vec::new(),
            game: game.to_string(),
            clock: 48.0,
            num_players: 2,
            moves: (0..plies).map(|ply| vec![ply.into()]).collect(),
        }
    }

    fn id(game: &str, plies: usize) -> TurnId {
        (game.to_string(), plies)
    }

    #[test]
    fn a_turn_is_new_once_and_the_newest_one_counts() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), HOUR).unwrap();
        let mut accept = |plies, is_over| store.accept(message("a", plies), 0.0, is_over).unwrap();
        assert_eq!(accept(2, false), Accepted::New);
        assert_eq!(accept(2, false), Accepted::Known);
        assert_eq!(accept(0, false), Accepted::Known);
        assert_eq!(accept(4, false), Accepted::New);
        // The end of a turn that is no longer the newest changes nothing.
        assert!(!store.set_move(&id("a", 2), "b1".to_string(), false));
        store.end(&id("a", 2), true).unwrap();
        assert!(store.turn(&id("a", 4)).is_some());
        store.end(&id("a", 4), true).unwrap();
        let again = store.accept(message("a", 4), 0.0, false).unwrap();
        assert_eq!(again, Accepted::Known);
        // A turn that was given up may come again.
        store.accept(message("a", 6), 0.0, false).unwrap();
        store.end(&id("a", 6), false).unwrap();
        let again = store.accept(message("a", 6), 0.0, false).unwrap();
        assert_eq!(again, Accepted::New);
    }

    #[test]
    fn all_that_was_accepted_is_there_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), HOUR).unwrap();
        assert!(matches!(
            Store::open(folder.path(), HOUR),
            Err(StoreError::InUse(_))
        ));
        store.accept(message("found", 0), 5.0, false).unwrap();
        store.accept(message("sent", 1), 6.0, false).unwrap();
        store.accept(message("done", 2), 7.0, false).unwrap();
        store.accept(message("over", 3), 8.0, true).unwrap();
        store.set_move(&id("found", 0), "a2".to_string(), false);
        store.set_move(&id("sent", 1), "b1".to_string(), true);
        store.set_sending(&id("sent", 1), Sending::Begun).unwrap();
        store.set_move(&id("done", 2), "c2".to_string(), true);
        store.end(&id("done", 2), true).unwrap();
        store.add_challenge(9.0, HOUR, "n").unwrap();
        assert_eq!(store.running(), 3);
        drop(store);
        let store = Store::open(folder.path(), HOUR).unwrap();
        assert_eq!(store.running(), 3);
        let mut turns: Vec<_> = store.turns().collect();
        turns.sort_by_key(|(game, _)| game.to_string());
        let found: Vec<_> = turns
            .iter()
            .map(|(game, turn)| (*game, turn.mv.as_deref(), turn.sending))
            .collect();
        // A move that was not sent yet is searched for again.
        let expected = [
            ("found", None, Sending::Clear),
            ("sent", Some("b1"), Sending::Begun),
        ];
        assert_eq!(found, expected);
        assert!(turns[1].1.is_last && turns[1].1.accepted == 6.0);
    }

    #[test]
    fn a_game_is_forgotten_after_its_clock() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), 10.0 * HOUR).unwrap();
        store.add_challenge(0.0, HOUR, "n").unwrap();
        store.add_challenge(0.0, 2.0 * HOUR, "n").unwrap();
        store.add_challenge(0.0, 2.0 * HOUR, "n").unwrap();
        for game in ["one", "two"] {
            store.accept(message(game, 0), 0.0, false).unwrap();
            store.end(&id(game, 0), true).unwrap();
        }
        assert_eq!(store.running(), 3);
        store.sweep(1.5 * HOUR);
        assert_eq!(store.running(), 2);
        store.sweep(3.0 * HOUR);
        assert_eq!(store.running(), 0);
        drop(store);
        assert_eq!(Store::open(folder.path(), HOUR).unwrap().running(), 0);
    }

    #[test]
    fn a_file_of_somebody_else_is_named() {
        let folder = tempfile::tempdir().unwrap();
        drop(Store::open(folder.path(), HOUR).unwrap());
        let path = folder.path().join("games/x.json");
        fs::write(&path, "{}").unwrap();
        let error = Store::open(folder.path(), HOUR).err().unwrap().to_string();
        assert!(
            error.contains("x.json") && error.contains("move it away"),
            "{error}"
        );
    }
}
