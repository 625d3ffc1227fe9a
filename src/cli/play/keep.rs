//! An unfinished game, kept from one `play` to the next.
//!
//! It is an ordinary record of the game, which everything that reads records reads. The line of its
//! comment that begins with `tanada play:` holds, as JSON, what no record can say: who played what, at
//! which level, and what the clocks showed.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::clock::TimeControl;
use crate::engine::Engine;
use crate::game::{PerSeat, Seat};
use crate::games;
use crate::params::Params;
use crate::util::files;
use crate::variant::GameRecord;
use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use super::super::counted;
use super::levels::Level;
use super::times::{self, Times};

/// The file's name in the user's folder of states, and that of the game before it.
const NAME: &str = "unfinished-game";
const BEFORE: &str = "-before";
/// What the line in the comment begins with.
const HEAD: &str = "tanada play: ";
/// No game comes near this many bytes.
const LARGEST: u64 = 16 << 20;

/// What no record can say.
#[derive(Debug, Deserialize, Serialize)]
struct Extra {
    /// The colour of the player; none while a pie is on the table.
    player: Option<String>,
    level: String,
    /// Moves that were made before the player had a colour.
    first: usize,
    /// As `--clock` has it.
    clock: Option<String>,
    /// Milliseconds that each side has used.
    used: Vec<u64>,
    /// Milliseconds on the clock of each side.
    left: Vec<u64>,
}

/// A game that can be gone on with.
pub(super) struct Kept {
    /// Start, moves, and how the colours came about as its comment.
    pub(super) record: GameRecord,
    /// The player; none while a pie is on the table.
    pub(super) player: Option<Seat>,
    /// How strong Tanada played.
    pub(super) level: Level,
    /// Moves that were made before the player had a colour.
    pub(super) first: usize,
    /// The clocks' control.
    pub(super) control: TimeControl,
    /// The clocks.
    pub(super) times: Times,
}

impl Kept {
    /// The game as a record.
    pub(super) fn write(mut self) -> Option<String> {
        let variant = self.record.start.variant();
        let players = self.record.start.players();
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let side = |seat: &Seat| self.times.of(*seat);
        let extra = Extra {
            player: self.player.map(|seat| variant.colour(seat).to_string()),
            level: self.level.name.to_string(),
            first: self.first,
            clock: times::write(self.control),
            used: players
                .iter()
                .map(|seat| milliseconds(side(seat).0))
                .collect(),
            left: players
                .iter()
                .filter_map(|seat| side(seat).1.map(milliseconds))
                .collect(),
        };
        let json = serde_json::to_string(&extra).ok()?;
        let how = self.record.comment.unwrap_or_default();
        self.record.comment = Some(format!("{how}\n{HEAD}{json}"));
        Some(variant.records().write(self.record))
    }

    /// Reads such a record.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let variant = games::GAMES
            .iter()
            .find(|game| game.records().is_record(bytes));
        let variant = *variant.ok_or("it holds no game record")?;
        let mut record = variant
            .read_each(bytes)
            .into_iter()
            .next()
            .ok_or("it holds no game")??;
        let comment = record.comment.take().unwrap_or_default();
        let (how, json) = comment
            .rsplit_once(HEAD)
            .ok_or("its comment does not say who played")?;
        let extra: Extra = serde_json::from_str(json.trim())
            .map_err(|_| "its comment does not say in full who played")?;
        record.comment = Some(how.trim_end().to_string());
        let players = record.start.players();
        let player = match &extra.player {
            None => None,
            Some(word) => {
                let seat = variant.seat(word).filter(|seat| players.contains(seat));
                Some(seat.ok_or("its player has none of its colours")?)
            }
        };
        let control = match &extra.clock {
            None => TimeControl::Unlimited,
            Some(text) => times::parse(text).map_err(|_| "its clocks cannot be read")?,
        };
        let shown = if extra.clock.is_some() {
            players.len()
        } else {
            0
        };
        if extra.used.len() != players.len() || extra.left.len() != shown {
            return Err("its clocks are not those of its players".to_string());
        }
        let (mut used, mut left) = (PerSeat::default(), PerSeat::default());
        for (index, &seat) in players.iter().enumerate() {
            used[seat] = extra
                .used
                .get(index)
                .copied()
                .map(duration)
                .unwrap_or_default();
            left[seat] = extra.left.get(index).copied().map(duration);
        }
        let level = Level::find(&extra.level).map_err(|_| "its level does not exist")?;
        let kept = Self {
            player,
            level,
            first: extra.first,
            control,
            times: Times::restored(control, used, left),
            record,
        };
        kept.replay()?;
        Ok(kept)
    }

    /// Whether the moves are legal, and the game is not over.
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

    /// The game in a few words, to complete "You left".
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

/// At most a hundred years, so that nothing that is added overflows.
fn duration(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds.min(3_155_760_000_000))
}

/// The place where an unfinished game lies.
pub(super) struct Shelf {
    path: Option<PathBuf>,
    /// Whether what lies there is this dialogue's own game.
    ours: bool,
}

impl Shelf {
    /// The one in the user's folder of states, which `XDG_STATE_HOME` moves.
    pub(super) fn of_user() -> Self {
        Self::at(folder().map(|folder| folder.join("tanada").join(NAME)))
    }

    /// This file; without one nothing can be kept.
    pub(super) fn at(path: Option<PathBuf>) -> Self {
        Self { path, ours: false }
    }

    /// The game that lies there, if one does.
    ///
    /// # Errors
    /// Why it cannot be read, in one sentence.
    pub(super) fn load(&self) -> Result<Option<Kept>, String> {
        let Some(path) = &self.path else {
            return Ok(None);
        };
        let told = |why: String| {
            format!(
                "The unfinished game in `{}` cannot be read: {why}.",
                shown(path)
            )
        };
        let found = match fs::metadata(path) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(told(error.to_string())),
        };
        if !found.is_file() || found.len() > LARGEST {
            return Err(told("it is no record of a game".to_string()));
        }
        let bytes = fs::read(path).map_err(|error| told(error.to_string()))?;
        Kept::read(&bytes).map(Some).map_err(told)
    }

    /// Says that the game that lies there is the dialogue's own from now on.
    pub(super) fn take(&mut self) {
        self.ours = true;
    }

    /// Puts the dialogue's game there. What lay there and is another one moves aside.
    ///
    /// # Errors
    /// Why that cannot be done, in one sentence.
    pub(super) fn put(&mut self, text: &str) -> Result<(), String> {
        let Some(path) = self.path.clone() else {
            return Err("The game is not kept: there is no folder for it.".to_string());
        };
        let put = || {
            if let Some(folder) = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
            {
                fs::create_dir_all(folder)?;
            }
            if !self.ours && path.is_file() {
                fs::rename(&path, before(&path))?;
            }
            files::replace(&path, text.as_bytes())
        };
        put().map_err(|error| {
            format!(
                "The game is not kept: `{}` cannot be written: {}.",
                shown(&path),
                files::reason(&error)
            )
        })?;
        self.ours = true;
        Ok(())
    }

    /// Puts what lies there aside, so that it is not offered again; where it is then.
    ///
    /// # Errors
    /// Why that cannot be done, in one sentence.
    pub(super) fn set_aside(&mut self) -> Result<Option<String>, String> {
        self.ours = false;
        let Some(path) = self.path.as_ref().filter(|path| path.is_file()) else {
            return Ok(None);
        };
        let aside = before(path);
        match fs::rename(path, &aside) {
            Ok(()) => Ok(Some(shown(&aside))),
            Err(error) => Err(format!(
                "`{}` cannot be moved: {}.",
                shown(path),
                files::reason(&error)
            )),
        }
    }

    /// Removes the dialogue's own game, which is over.
    pub(super) fn clear(&mut self) {
        if let Some(path) = self.path.as_ref().filter(|_| self.ours) {
            // A finished game that stays is told of when it is read.
            let _ = fs::remove_file(path);
        }
        self.ours = false;
    }
}

/// `$XDG_STATE_HOME`, or what stands for it on this system.
fn folder() -> Option<PathBuf> {
    let places = etcetera::choose_base_strategy().ok()?;
    Some(places.state_dir().unwrap_or_else(|| places.data_dir()))
}

fn before(path: &Path) -> PathBuf {
    let mut name = path.to_path_buf().into_os_string();
    name.push(BEFORE);
    name.into()
}

/// Whole paths are typed again, so they are cut late.
fn shown(path: &Path) -> String {
    crate::util::quote::shorten(&path.to_string_lossy(), 500)
}
