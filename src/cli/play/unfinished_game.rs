//! An unfinished game, kept from one `tanada play` to the next.
//!
//! The file is an ordinary game record. The line of its comment that begins with `tanada play:` holds
//! the rest as JSON: who plays which colour, the level and the clocks.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::clock::TimeControl;
use crate::engine::Engine;
use crate::game::{PerSeat, Seat};
use crate::games;
use crate::params::{Level, Params};
use crate::util::files;
use crate::variant::GameRecord;
use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use super::super::counted;
use super::clocks::{self, Clocks};

/// The file's name in the user's state folder, and the suffix of the game before it.
const NAME: &str = "unfinished-game";
const BEFORE: &str = "-before";
/// The beginning of the line in the comment.
const HEAD: &str = "tanada play: ";
/// The largest file to read, in bytes; no game comes near it.
const LARGEST: u64 = 16 << 20;

/// What a game record cannot hold.
#[derive(Debug, Deserialize, Serialize)]
struct Extra {
    /// The colour of the player; none yet after `pie`.
    player: Option<String>,
    level: String,
    /// Number of moves before the player had a colour.
    first: usize,
    /// The time control in the form of `--clock`.
    clock: Option<String>,
    /// Milliseconds that each side has used.
    used: Vec<u64>,
    /// Milliseconds on the clock of each side.
    left: Vec<u64>,
}

pub(super) struct UnfinishedGame {
    /// The moves; the comment says how the colours were chosen.
    pub(super) record: GameRecord,
    /// The player; none yet after `pie`.
    pub(super) player: Option<Seat>,
    pub(super) level: &'static Level,
    /// Number of moves before the player had a colour.
    pub(super) first: usize,
    pub(super) control: TimeControl,
    pub(super) clocks: Clocks,
}

impl UnfinishedGame {
    pub(super) fn write(mut self) -> Option<String> {
        let variant = self.record.start.variant();
        let players = self.record.start.players();
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (used, left): (Vec<_>, Vec<_>) = players.iter().map(|&s| self.clocks.of(s)).unzip();
        let extra = Extra {
            player: self.player.map(|seat| variant.colour(seat).to_string()),
            level: self.level.name.to_string(),
            first: self.first,
            clock: clocks::write(self.control),
            used: used.into_iter().map(milliseconds).collect(),
            left: left.into_iter().flatten().map(milliseconds).collect(),
        };
        let json = serde_json::to_string(&extra).ok()?;
        let how = self.record.comment.unwrap_or_default();
        self.record.comment = Some(format!("{how}\n{HEAD}{json}"));
        Some(variant.write_game(self.record))
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut games = games::GAMES.iter();
        let variant = games.find(|game| game.records().is_record(bytes));
        let variant = *variant.ok_or("it holds no game record")?;
        let record = variant.read_each(bytes).into_iter().next();
        let mut record = record.ok_or("it holds no game")??;
        let comment = record.comment.take().unwrap_or_default();
        let parts = comment.rsplit_once(HEAD);
        let (how, json) = parts.ok_or("its comment does not say who played")?;
        let extra: Extra = serde_json::from_str(json.trim())
            .map_err(|_| "its comment does not say in full who played")?;
        record.comment = Some(how.trim_end().to_string());
        let players = record.start.players();
        let player = match &extra.player {
            None => None,
            Some(word) => {
                let seat = variant.seat(word).filter(|seat| players.contains(seat));
                Some(seat.ok_or("its player has a colour that is not in the game")?)
            }
        };
        let control = match &extra.clock {
            None => TimeControl::Unlimited,
            Some(text) => clocks::parse(text).map_err(|_| "its clocks cannot be read")?,
        };
        let clocks = extra.clock.as_ref().map_or(0, |_| players.len());
        if extra.used.len() != players.len() || extra.left.len() != clocks {
            return Err("its clocks are not those of its players".to_string());
        }
        let (mut used, mut left) = (PerSeat::default(), PerSeat::default());
        for (index, &seat) in players.iter().enumerate() {
            let time = |times: &[u64]| times.get(index).copied().map(duration);
            used[seat] = time(&extra.used).unwrap_or_default();
            left[seat] = time(&extra.left);
        }
        let level = Level::find(&extra.level).map_err(|_| "its level does not exist")?;
        let kept = Self {
            player,
            level,
            first: extra.first,
            control,
            clocks: Clocks::restored(control, used, left),
            record,
        };
        kept.replay()?;
        Ok(kept)
    }

    /// Checks that the moves are legal and the game is not over.
    fn replay(&self) -> Result<(), String> {
        let params = Params {
            threads: 1,
            memory: 1,
            ..Params::default()
        };
        let mut engine = Engine::new(self.record.start.clone(), params);
        for (index, played) in self.record.moves.iter().enumerate() {
            if engine.to_move() != played.seat || engine.play(played.mv).is_err() {
                return Err(format!("its move {} is illegal", index + 1));
            }
        }
        if engine.is_over() {
            return Err("its game is over".to_string());
        }
        Ok(())
    }

    /// The game in a few words that complete "You left".
    pub(super) fn describe(&self) -> String {
        let (start, count) = (&self.record.start, self.record.moves.len());
        let variant = start.variant();
        let side = start.side();
        let moves = counted(count, "move", "moves");
        let role = match self.player {
            Some(seat) => format!("you play {}", variant.colour(seat)),
            None => "you choose a colour".to_string(),
        };
        format!(
            "a game of {} on {side}x{side} after {moves} ({role}, level {})",
            variant.title(),
            self.level.name
        )
    }
}

/// A duration of at most a hundred years, so sums cannot overflow.
fn duration(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds.min(3_155_760_000_000))
}

pub(super) struct UnfinishedGameFile {
    path: Option<PathBuf>,
    /// Whether the game in the file is the one being played.
    pub(super) ours: bool,
}

impl UnfinishedGameFile {
    /// The file in the user's state folder, `$XDG_STATE_HOME`.
    pub(super) fn of_user() -> Self {
        Self::at(folder().map(|folder| folder.join("tanada").join(NAME)))
    }

    /// The file at this path; without a path, games are not kept.
    pub(super) fn at(path: Option<PathBuf>) -> Self {
        Self { path, ours: false }
    }

    /// Reads the game, if there is one.
    ///
    /// # Errors
    /// Why it cannot be read, in one sentence.
    pub(super) fn load(&self) -> Result<Option<UnfinishedGame>, String> {
        let Some(path) = &self.path else {
            return Ok(None);
        };
        let unreadable = |why: String| {
            let path = shown(path);
            format!("Cannot read the unfinished game in `{path}`: {why}.")
        };
        let found = match fs::metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(error.to_string())),
        };
        if !found.is_file() || found.len() > LARGEST {
            return Err(unreadable("it is not a game record".to_string()));
        }
        let bytes = fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        UnfinishedGame::read(&bytes).map(Some).map_err(unreadable)
    }

    /// Writes the game; another game in the file is moved aside.
    ///
    /// # Errors
    /// Why that cannot be done, in one sentence.
    pub(super) fn put(&mut self, text: &str) -> Result<(), String> {
        let Some(path) = self.path.clone() else {
            return Err("The game is not kept: there is no folder for it.".to_string());
        };
        let put = || {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            folder.map_or(Ok(()), fs::create_dir_all)?;
            if !self.ours && path.is_file() {
                fs::rename(&path, files::with_end(&path, BEFORE))?;
            }
            files::replace(&path, text.as_bytes())
        };
        put().map_err(|error| {
            let (path, why) = (shown(&path), files::reason(&error));
            format!("The game is not kept: cannot write `{path}`: {why}.")
        })?;
        self.ours = true;
        Ok(())
    }

    /// Moves the game aside, so it is not offered again; returns its new place.
    ///
    /// # Errors
    /// Why that cannot be done, in one sentence.
    pub(super) fn set_aside(&mut self) -> Result<Option<String>, String> {
        self.ours = false;
        let Some(path) = self.path.as_ref().filter(|path| path.is_file()) else {
            return Ok(None);
        };
        let aside = files::with_end(path, BEFORE);
        match fs::rename(path, &aside) {
            Ok(()) => Ok(Some(shown(&aside))),
            Err(error) => {
                let (path, why) = (shown(path), files::reason(&error));
                Err(format!("Cannot move `{path}`: {why}."))
            }
        }
    }

    /// Removes the game being played, which is over.
    pub(super) fn clear(&mut self) {
        if let Some(path) = self.path.as_ref().filter(|_| self.ours) {
            // If it cannot be removed, reading it later reports that it is over.
            let _ = fs::remove_file(path);
        }
        self.ours = false;
    }
}

/// `$XDG_STATE_HOME`, or its counterpart on this system.
fn folder() -> Option<PathBuf> {
    let places = etcetera::choose_base_strategy().ok()?;
    Some(places.state_dir().unwrap_or_else(|| places.data_dir()))
}

/// The path for a message; long enough to be typed again.
fn shown(path: &Path) -> String {
    crate::util::quote::shorten(&path.to_string_lossy(), 500)
}
