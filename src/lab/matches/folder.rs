//! The folder of a match: what was asked for, and each game as it ended. A runner that was killed
//! at any moment goes on from it.
//!
//! - `match.json`: the [`Settings`], written before the first game;
//! - `games.jsonl`: one [`MatchGame`] a line, in the order in which the games ended while the
//!   match runs, by number when it is over;
//! - `games/000001.sgf`: the same games, each as its game's own kind of record;
//! - `report.txt` and `report.json`: the last report;
//! - `lock`: held by the runner that works here.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::plan::Settings;
use super::record::MatchGame;
use crate::games;
use crate::util::files::{self, Kind};
use crate::util::quote::{self, one_line};

/// A folder that cannot be worked in.
#[derive(Debug, Error)]
pub enum FolderError {
    /// A file that cannot be read or written.
    #[error("`{path}`: {error}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// Another runner is at work.
    #[error("`{0}` is in use by another runner")]
    Locked(String),
    /// There is a match already.
    #[error("`{0}` holds a match already; `--resume` goes on with it")]
    Taken(String),
    /// There is no match.
    #[error("`{0}` holds no match to go on with, and no engines were given")]
    Nothing(String),
    /// There is no match to report.
    #[error("`{0}` holds no match: `match.json` is missing")]
    Missing(String),
    /// There is another match.
    #[error("`{path}` holds another match: its `{field}` differs")]
    Other {
        /// The folder.
        path: String,
        /// What differs first.
        field: String,
    },
    /// Fewer rounds were asked for than games were played in.
    #[error("`{path}` holds games of {played} rounds, expected as many or more, not `{rounds}`")]
    Fewer {
        /// The folder.
        path: String,
        /// What was asked for.
        rounds: usize,
        /// What was played.
        played: usize,
    },
    /// A file that would be written over, in a folder without a match.
    #[error("`{path}` exists and no {what} wrote it; choose another folder")]
    Foreign {
        /// The file.
        path: String,
        /// What would write it: a match, or a tuning.
        what: &'static str,
    },
    /// Settings that somebody else wrote, or broke.
    #[error("`{path}` does not hold the settings of a {what}: {error}; choose another folder")]
    Settings {
        /// The file.
        path: String,
        /// What it should be of: a match, or a tuning.
        what: &'static str,
        /// What is wrong.
        error: String,
    },
    /// A file where a folder has to be.
    #[error("`{0}` is no folder; choose another one for the games")]
    NoFolder(String),
    /// A file that somebody else wrote, or broke.
    #[error("`{path}`, line {line}: {error}")]
    Broken {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        error: String,
    },
}

impl FolderError {
    /// The same where a tuning was asked for, whose games are a match.
    pub(crate) fn of_tuning(mut self) -> Self {
        if let Self::Foreign { what, .. } | Self::Settings { what, .. } = &mut self {
            *what = "tuning";
        }
        self
    }
}

/// What is asked for, unless the error is [`of_tuning`](FolderError::of_tuning).
const WHAT: &str = "match";

/// A folder, locked.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// What the names of the games' files end with.
    extension: &'static str,
    games: File,
    /// Held as long as this lives; the system lets go of it when the process ends, however.
    _lock: File,
}

/// What the system says of a file.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.display().to_string();
    move |error| FolderError::Io { path, error }
}

impl Folder {
    /// Opens the folder of a new match, or of one that is gone on with if `resume`; the settings
    /// that hold and the games that were played. Without `settings`, those in the folder hold.
    ///
    /// More rounds are no other match, and a match without games is none: its engines
    /// may have failed at the start. `rounds` are those that are kept where there are no
    /// `settings`.
    ///
    /// # Errors
    /// Every kind of [`FolderError`].
    pub fn open(
        path: &Path,
        settings: Option<&Settings>,
        rounds: Option<usize>,
        resume: bool,
    ) -> Result<(Self, Settings, Vec<MatchGame>), FolderError> {
        expect_folder(path)?;
        let file = path.join("match.json");
        if !file.exists() && settings.is_none() {
            return Err(FolderError::Nothing(path.display().to_string()));
        }
        guard(path, &MARK, &["report.txt", "report.json"])?;
        let games_folder = path.join("games");
        if !file.exists() && !files::is_there(&path.join("games.jsonl")) {
            guard_games(&games_folder)?;
        }
        expect_folder(&games_folder)?;
        // Before anything is made there: the folder may be somebody else's.
        read_settings::<Settings>(&file)?;
        fs::create_dir_all(&games_folder).map_err(at(&games_folder))?;
        let lock = lock(path)?;
        let stored: Option<Settings> = read_settings(&file)?;
        let journal = path.join("games.jsonl");
        let records = parse_games(&journal, &whole_lines(&journal)?)?;
        if !records.is_empty() && !resume {
            return Err(FolderError::Taken(path.display().to_string()));
        }
        let stored = stored.filter(|_| !records.is_empty() || settings.is_none());
        let settings = settle(path, stored, settings, rounds, &records)?;
        write_file(&file, &json(&settings)).map_err(at(&file))?;
        let games = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&journal)
            .map_err(at(&journal))?;
        let folder = Self {
            path: path.to_path_buf(),
            extension: extension(&settings),
            games,
            _lock: lock,
        };
        Ok((folder, settings, records))
    }

    /// Reads the folder of a match as it is, with the settings as for [`Folder::open`]: nothing is
    /// locked and nothing is written, so a runner may be at work there.
    ///
    /// # Errors
    /// Every kind of [`FolderError`] but those of locks.
    pub fn read(
        path: &Path,
        settings: Option<&Settings>,
        rounds: Option<usize>,
    ) -> Result<(Settings, Vec<MatchGame>), FolderError> {
        expect_folder(path)?;
        let stored: Option<Settings> = read_settings(&path.join("match.json"))?;
        if stored.is_none() {
            return Err(FolderError::Missing(path.display().to_string()));
        }
        let journal = path.join("games.jsonl");
        let bytes = read_journal(&journal)?;
        let whole = whole_length(&bytes);
        let records = parse_games(&journal, &String::from_utf8_lossy(&bytes[..whole]))?;
        let settings = settle(path, stored, settings, rounds, &records)?;
        Ok((settings, records))
    }

    /// Refuses a folder that holds files with these names and no match.
    ///
    /// # Errors
    /// [`FolderError::Foreign`].
    pub fn guard(path: &Path, names: &[&str]) -> Result<(), FolderError> {
        guard(path, &MARK, names)
    }

    fn game_path(&self, game: usize) -> PathBuf {
        let name = format!("{game:06}.{}", self.extension);
        self.path.join("games").join(name)
    }

    /// Keeps a game: its own record first, so that a game in the journal has both.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn keep(&mut self, record: &MatchGame, event: &str) -> Result<(), FolderError> {
        self.write_game(record, event)?;
        let line = json(record) + "\n";
        let journal = self.path.join("games.jsonl");
        self.games.write_all(line.as_bytes()).map_err(at(&journal))
    }

    fn write_game(&self, record: &MatchGame, event: &str) -> Result<(), FolderError> {
        let path = self.game_path(record.game);
        let text = record.text(event).map_err(|error| FolderError::Broken {
            path: self.path.join("games.jsonl").display().to_string(),
            line: record.game,
            error,
        })?;
        write_file(&path, &text).map_err(at(&path))
    }

    /// Leaves exactly these games in the folder, by number: those of a match that is over.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn finish(&mut self, records: &[&MatchGame], event: &str) -> Result<(), FolderError> {
        let mut lines = String::new();
        let mut expected = Vec::new();
        for record in records {
            lines.push_str(&json(record));
            lines.push('\n');
            // One that is there may be of a game that was played again.
            self.write_game(record, event)?;
            expected.push(self.game_path(record.game));
        }
        let journal = self.path.join("games.jsonl");
        write_file(&journal, &lines).map_err(at(&journal))?;
        self.games = OpenOptions::new()
            .append(true)
            .open(&journal)
            .map_err(at(&journal))?;
        let folder = self.path.join("games");
        let ending = format!(".{}", self.extension);
        for entry in fs::read_dir(&folder).map_err(at(&folder))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let number = name.trim_end_matches(".new").strip_suffix(&ending);
            if number.is_some_and(is_game) && !expected.contains(&entry.path()) {
                // Of a game that ended beyond the decision, or a half written one.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// Keeps the last report, as text and as JSON.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn report(&self, text: &str, json: &str) -> Result<(), FolderError> {
        for (name, content) in [("report.txt", text), ("report.json", json)] {
            let path = self.path.join(name);
            write_file(&path, content).map_err(at(&path))?;
        }
        Ok(())
    }
}

/// The settings that hold where some are stored, or asked for, or both.
fn settle(
    path: &Path,
    stored: Option<Settings>,
    asked: Option<&Settings>,
    rounds: Option<usize>,
    records: &[MatchGame],
) -> Result<Settings, FolderError> {
    let shown = || path.display().to_string();
    let settings = match (stored, asked) {
        (Some(stored), Some(asked)) => {
            if let Some(field) = difference(&stored, asked, &["rounds"]) {
                let path = shown();
                return Err(FolderError::Other { path, field });
            }
            asked.clone()
        }
        (Some(stored), None) => Settings {
            rounds: rounds.unwrap_or(stored.rounds),
            ..stored
        },
        (None, Some(asked)) if records.is_empty() => asked.clone(),
        (None, Some(_)) => {
            let file = path.join("match.json");
            return Err(at(&file)(io::ErrorKind::NotFound.into()));
        }
        (None, None) => return Err(FolderError::Nothing(shown())),
    };
    let played = records.iter().map(|record| record.round).max().unwrap_or(0);
    if settings.rounds < played {
        return Err(FolderError::Fewer {
            path: shown(),
            rounds: settings.rounds,
            played,
        });
    }
    Ok(settings)
}

/// Whether this is how the file of a game is called, its extension aside.
fn is_game(name: &str) -> bool {
    name.len() >= 6 && name.bytes().all(|b| b.is_ascii_digit())
}

/// What tells the folder of a match, or of a tuning, from somebody else's.
pub(crate) struct Mark<'a> {
    /// The file of the settings.
    pub(crate) settings: &'a str,
    /// The journal, and what its first line begins with.
    pub(crate) journal: (&'a str, &'a str),
}

/// The mark of a match.
const MARK: Mark<'_> = Mark {
    settings: "match.json",
    journal: ("games.jsonl", "{\"game\":"),
};

/// Refuses a folder that holds files with these names, or a journal of something else, unless its mark
/// shows that it is ours.
pub(crate) fn guard(folder: &Path, mark: &Mark<'_>, names: &[&str]) -> Result<(), FolderError> {
    let (name, begin) = mark.journal;
    let journal = folder.join(name);
    let kind = Kind {
        maker: name,
        is_own: &|head| head.starts_with(begin.as_bytes()),
    };
    let is_foreign = files::is_foreign(&journal, &kind).unwrap_or(false);
    let is_ours = files::is_there(&journal) && !is_foreign;
    if is_ours || folder.join(mark.settings).exists() {
        return Ok(());
    }
    let foreign = is_foreign.then_some(journal);
    let mut others = names.iter().map(|name| folder.join(name));
    let found = foreign.or_else(|| others.find(|path| files::is_there(path)));
    match found {
        Some(path) => Err(theirs(&path)),
        None => Ok(()),
    }
}

fn theirs(path: &Path) -> FolderError {
    FolderError::Foreign {
        path: path.display().to_string(),
        what: WHAT,
    }
}

/// Refuses a path that is no folder and cannot become one: it, or one on the way to it, is a file.
pub(crate) fn expect_folder(path: &Path) -> Result<(), FolderError> {
    let found = path.ancestors().find_map(|path| {
        let found = fs::metadata(path).ok()?;
        Some((path, found.is_dir()))
    });
    match found {
        Some((path, false)) => Err(FolderError::NoFolder(path.display().to_string())),
        _ => Ok(()),
    }
}

/// Refuses a folder with files that are called as those of games are.
fn guard_games(folder: &Path) -> Result<(), FolderError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if is_game(&stem) {
            return Err(theirs(&path));
        }
    }
    Ok(())
}

/// What the names of the games' files end with.
fn extension(settings: &Settings) -> &'static str {
    let start = games::read_start(&settings.start);
    start.map_or("txt", |start| start.variant().records().extension())
}

/// Makes the folder if need be, and locks it as long as what is returned lives; the system lets go
/// of it when the process ends, however.
pub(crate) fn lock(folder: &Path) -> Result<File, FolderError> {
    fs::create_dir_all(folder).map_err(at(folder))?;
    let path = folder.join("lock");
    // Somebody else's file of this name stays as it is.
    let mut options = OpenOptions::new();
    let lock = options.write(true).create(true).truncate(false).open(&path);
    let lock = lock.map_err(at(&path))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(FolderError::Locked(folder.display().to_string())),
        Err(TryLockError::Error(error)) => Err(at(&path)(error)),
    }
}

/// A value as one line of JSON that may be shown on a terminal, whatever names and errors it holds.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Maps with keys of text and numbers only: there is nothing that JSON cannot say.
    let text = serde_json::to_string(value).unwrap_or_default();
    quote::json(&text).into_owned()
}

/// Writes a file that is either there in full or not at all; unlike
/// [`files::replace`] it does not wait for the disk, after every game, and what
/// it leaves behind when it is killed is known by its name.
///
/// # Errors
/// What the system says.
pub(crate) fn write_file(path: &Path, content: &str) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".new");
    let new = path.with_file_name(name);
    let written = fs::write(&new, content).and_then(|()| fs::rename(&new, path));
    written.inspect_err(|_| {
        // What a full disk has cut off is of no use.
        let _ = fs::remove_file(&new);
    })
}

/// Reads the settings from their file; none if it is not there.
pub(crate) fn read_settings<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, FolderError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(at(path)(error)),
    };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| FolderError::Settings {
            path: path.display().to_string(),
            what: WHAT,
            // It may quote what the file holds.
            error: one_line(&error.to_string()).into_owned(),
        })
}

/// The bytes of a journal; there are none if it is not there.
fn read_journal(path: &Path) -> Result<Vec<u8>, FolderError> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(at(path)),
    }
}

/// The bytes of a journal up to the end of its last whole line. What follows is being written, or was
/// when the runner was killed.
fn whole_length(bytes: &[u8]) -> usize {
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    end.map_or(0, |last| last + 1)
}

/// Reads a journal; it is empty if it is not there. A last line without its end is cut off, in the
/// file too.
pub(crate) fn whole_lines(path: &Path) -> Result<String, FolderError> {
    let bytes = read_journal(path)?;
    let whole = whole_length(&bytes);
    if whole < bytes.len() {
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(at(path))?;
        file.set_len(whole as u64).map_err(at(path))?;
    }
    Ok(String::from_utf8_lossy(&bytes[..whole]).into_owned())
}

/// The games in the text of a journal, by number.
fn parse_games(path: &Path, text: &str) -> Result<Vec<MatchGame>, FolderError> {
    // A game may come twice, where it was void at first, or where somebody merged journals: the
    // last counts.
    let mut records = BTreeMap::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let broken = |error: String| FolderError::Broken {
            path: path.display().to_string(),
            line: number + 1,
            error: one_line(&error).into_owned(),
        };
        let record: MatchGame = serde_json::from_str(line).map_err(|e| broken(e.to_string()))?;
        if record.game == 0 {
            return Err(broken("`game` is 0, expected 1 or more".to_string()));
        }
        records.insert(record.game, record);
    }
    Ok(records.into_values().collect())
}

/// The first field in which settings differ, those named in `but` aside.
pub(crate) fn difference<T: Serialize>(stored: &T, asked: &T, but: &[&str]) -> Option<String> {
    let (stored, asked) = (
        serde_json::to_value(stored).ok()?,
        serde_json::to_value(asked).ok()?,
    );
    let fields = stored.as_object()?;
    let differs =
        |name: &&String| !but.contains(&name.as_str()) && fields.get(*name) != asked.get(*name);
    fields.keys().find(differs).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("report.txt");
        write_file(&path, "old").unwrap();
        write_file(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        // As little of a file as a full disk.
        fs::create_dir(home.path().join("folder")).unwrap();
        assert!(write_file(&home.path().join("folder"), "text").is_err());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 2);
    }

    #[test]
    fn lines_of_json_hold_nothing_that_a_terminal_acts_on() {
        let odd = "a\u{202e}b\u{9b}31m\u{2066}\u{7f}\u{2028}";
        let line = json(&BTreeMap::from([("name", odd)]));
        assert!(!line.contains(quote::is_hidden), "{line:?}");
        let read: BTreeMap<String, String> = serde_json::from_str(&line).unwrap();
        assert_eq!(read["name"], odd);
    }

    #[test]
    fn half_a_line_is_none() {
        for (text, whole) in [("", 0), ("{}", 0), ("{}\n", 3), ("{}\n{\"ga", 3)] {
            assert_eq!(whole_length(text.as_bytes()), whole, "{text}");
        }
    }

    #[test]
    fn what_no_match_wrote_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("games")).unwrap();
        for name in ["report.txt", "games.jsonl", "games/000001.sgf"] {
            let file = path.join(name);
            fs::write(&file, "theirs").unwrap();
            let found = match name {
                "games/000001.sgf" => guard_games(&path.join("games")),
                _ => guard(path, &MARK, &["report.txt"]),
            };
            let error = found.unwrap_err().to_string();
            assert!(
                error.contains(name) && error.contains("no match wrote it"),
                "{error}"
            );
            fs::write(path.join("match.json"), "{}").unwrap();
            guard(path, &MARK, &["report.txt"]).unwrap();
            fs::remove_file(path.join("match.json")).unwrap();
            fs::remove_file(&file).unwrap();
        }
        fs::write(path.join("lock"), "theirs").unwrap();
        drop(lock(path).unwrap());
        assert_eq!(fs::read_to_string(path.join("lock")).unwrap(), "theirs");
    }

    #[test]
    fn a_file_that_cannot_be_put_in_its_place_leaves_nothing_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taken");
        fs::create_dir_all(path.join("below")).unwrap();
        assert!(write_file(&path, "text").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
