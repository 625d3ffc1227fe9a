//! The folder of a match: its settings and every finished game. A runner that was killed at any
//! moment resumes from it.
//!
//! - `match.json`: the [`MatchSettings`], written before the first game;
//! - `games.jsonl`: one [`MatchGame`] a line, in the order in which the games ended while the match
//!   runs, by number once it is over;
//! - `games/000001.sgf`: the same games as records of their own kind;
//! - `report.txt` and `report.json`: the last report;
//! - `running.json`: the games in progress, while a runner works here;
//! - `lock`: held by that runner.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::plan::MatchSettings;
use super::record::MatchGame;
use super::results::MatchResults;
use super::run_folder::{
    FolderError, FolderKind, append, at, difference, expect_folder, json, lock, read_lines,
    repair_lines, write_file,
};
use super::running;
use crate::games;
use crate::util::files;

const KIND: FolderKind = FolderKind {
    what: "match",
    settings: "match.json",
    journal: "games.jsonl",
    journal_start: "{\"game\":",
};

/// The locked folder of a match.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// The extension of the games' files.
    extension: &'static str,
    games: Option<File>,
    /// Released by the system when the process ends, however it ends.
    _lock: File,
}

impl Folder {
    /// Opens the folder of a new match, or of an earlier one if `resume`. Returns the settings in
    /// force and the games played so far. Without `settings` those in the folder hold, with
    /// `rounds` in place of theirs if given.
    ///
    /// More rounds do not make it another match. A folder without games holds no match yet: its
    /// engines may have failed at the start.
    pub(crate) fn open(
        path: &Path,
        settings: Option<&MatchSettings>,
        rounds: Option<usize>,
        resume: bool,
    ) -> Result<(Self, MatchSettings, Vec<MatchGame>), FolderError> {
        expect_folder(path)?;
        let file = path.join(KIND.settings);
        if !file.exists() && settings.is_none() {
            return Err(nothing_here(path));
        }
        KIND.guard(path, &["report.txt", "report.json", running::FILE])?;
        let journal = path.join(KIND.journal);
        let games_folder = path.join("games");
        if !file.exists() && !files::is_there(&journal) {
            guard_games(&games_folder)?;
        }
        expect_folder(&games_folder)?;
        // Nothing is created before this: the folder may be somebody else's.
        KIND.read_settings::<MatchSettings>(path)?;
        fs::create_dir_all(&games_folder).map_err(at(&games_folder))?;
        let lock = lock(path)?;
        let stored: Option<MatchSettings> = KIND.read_settings(path)?;
        let records = parse_games(&journal, &repair_lines(&journal)?)?;
        if !records.is_empty() && !resume {
            let problem = "holds a match already; `--resume` continues it";
            return Err(FolderError::new(path, problem));
        }
        let stored = stored.filter(|_| !records.is_empty() || settings.is_none());
        let settings = merge_settings(path, stored, settings, rounds, &records)?;
        write_file(&file, &json(&settings))?;
        let folder = Self {
            path: path.to_path_buf(),
            extension: extension(&settings),
            games: Some(append(&journal)?),
            _lock: lock,
        };
        Ok((folder, settings, records))
    }

    /// Reads the folder of a match, with settings as for [`Folder::open`]. It neither locks nor
    /// writes anything, so a runner may be at work there.
    pub(crate) fn read(
        path: &Path,
        settings: Option<&MatchSettings>,
        rounds: Option<usize>,
    ) -> Result<(MatchSettings, Vec<MatchGame>), FolderError> {
        expect_folder(path)?;
        let stored: Option<MatchSettings> = KIND.read_settings(path)?;
        if stored.is_none() {
            let problem = "holds no match: `match.json` is missing";
            return Err(FolderError::new(path, problem));
        }
        let journal = path.join(KIND.journal);
        let records = parse_games(&journal, &read_lines(&journal)?)?;
        let settings = merge_settings(path, stored, settings, rounds, &records)?;
        Ok((settings, records))
    }

    /// Refuses a folder that holds files with these names but no match.
    pub(crate) fn guard(path: &Path, names: &[&str]) -> Result<(), FolderError> {
        KIND.guard(path, names)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn game_path(&self, game: usize) -> PathBuf {
        let name = format!("{game:06}.{}", self.extension);
        self.path.join("games").join(name)
    }

    /// Keeps a game. Its own record comes first: a game in the journal always has both.
    pub(crate) fn keep(&mut self, record: &MatchGame, event: &str) -> Result<(), FolderError> {
        self.write_game(record, event)?;
        let line = json(record) + "\n";
        let journal = self.path.join(KIND.journal);
        let games = match &mut self.games {
            Some(games) => games,
            closed => closed.insert(append(&journal)?),
        };
        games.write_all(line.as_bytes()).map_err(at(&journal))
    }

    fn write_game(&self, record: &MatchGame, event: &str) -> Result<(), FolderError> {
        let text = record.text(event).map_err(|error| {
            FolderError::in_line(&self.path.join(KIND.journal), record.game, &error)
        })?;
        write_file(&self.game_path(record.game), &text)
    }

    /// Leaves exactly these games in the folder, by number: those of a finished match.
    pub(crate) fn finish(
        &mut self,
        records: &[&MatchGame],
        event: &str,
    ) -> Result<(), FolderError> {
        let mut lines = String::new();
        let mut expected = Vec::new();
        for record in records {
            lines.push_str(&json(record));
            lines.push('\n');
            // The file may be left from a game that was replayed since.
            self.write_game(record, event)?;
            expected.push(self.game_path(record.game));
        }
        let journal = self.path.join(KIND.journal);
        // Not every system replaces an open file.
        self.games = None;
        write_file(&journal, &lines)?;
        let folder = self.path.join("games");
        let ending = format!(".{}", self.extension);
        for entry in fs::read_dir(&folder).map_err(at(&folder))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let number = name.trim_end_matches(".new").strip_suffix(&ending);
            if number.is_some_and(is_game) && !expected.contains(&entry.path()) {
                // A game that ended after the test decided, or a half-written one.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// Writes the last report, as text and as JSON.
    pub(crate) fn report(&self, results: &MatchResults) -> Result<(), FolderError> {
        write_file(&self.path.join("report.txt"), &results.to_string())?;
        write_file(&self.path.join("report.json"), &results.json())
    }
}

fn nothing_here(path: &Path) -> FolderError {
    FolderError::new(path, "holds no match to resume, and no engines were given")
}

/// The settings in force, given the stored ones and those that were asked for.
fn merge_settings(
    path: &Path,
    stored: Option<MatchSettings>,
    asked: Option<&MatchSettings>,
    rounds: Option<usize>,
    records: &[MatchGame],
) -> Result<MatchSettings, FolderError> {
    let settings = match (stored, asked) {
        (Some(stored), Some(asked)) => {
            if let Some(field) = difference(&stored, asked, &["rounds"]) {
                let problem = format!("holds another match: its `{field}` differs");
                return Err(FolderError::new(path, problem));
            }
            asked.clone()
        }
        (Some(stored), None) => MatchSettings {
            rounds: rounds.unwrap_or(stored.rounds),
            ..stored
        },
        (None, Some(asked)) if records.is_empty() => asked.clone(),
        (None, Some(_)) => {
            let error = io::ErrorKind::NotFound.into();
            return Err(at(&path.join(KIND.settings))(error));
        }
        (None, None) => return Err(nothing_here(path)),
    };
    let played = records.iter().map(|record| record.round).max().unwrap_or(0);
    if settings.rounds < played {
        let problem = format!(
            "holds games of {played} rounds: expected at least as many, not `{}`",
            settings.rounds
        );
        return Err(FolderError::new(path, problem));
    }
    Ok(settings)
}

/// Whether the file of a game can have this name, without its extension.
fn is_game(name: &str) -> bool {
    name.len() >= 6 && name.bytes().all(|b| b.is_ascii_digit())
}

/// Refuses a folder that holds files with the names of games.
fn guard_games(folder: &Path) -> Result<(), FolderError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if is_game(&stem) {
            return Err(FolderError::foreign(&path));
        }
    }
    Ok(())
}

fn extension(settings: &MatchSettings) -> &'static str {
    let start = games::read_start(&settings.start);
    start.map_or("txt", |start| start.variant().records().extension())
}

/// The games in the text of a journal, by number.
fn parse_games(path: &Path, text: &str) -> Result<Vec<MatchGame>, FolderError> {
    // A game may come twice: it was void at first, or somebody merged journals. The last counts.
    let mut records = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let broken = |error: &str| FolderError::in_line(path, number, error);
        let record: MatchGame = serde_json::from_str(line).map_err(|e| broken(&e.to_string()))?;
        if record.game == 0 {
            return Err(broken("invalid `game` `0`: expected 1 or more"));
        }
        let players = record.players.len();
        if !(2..=4).contains(&players) {
            return Err(broken(&format!("expected 2 to 4 `players`, not {players}")));
        }
        records.insert(record.game, record);
    }
    Ok(records.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::matches::record::PlayerRecord;

    #[test]
    fn a_game_of_a_journal_has_a_number_and_two_to_four_players() {
        let read = |game, players| {
            let record = MatchGame {
                game,
                players: vec![PlayerRecord::default(); players],
                ..MatchGame::default()
            };
            let line = serde_json::to_string(&record).unwrap();
            parse_games(Path::new("games.jsonl"), &line).map_err(|error| error.to_string())
        };
        for players in 2..=4 {
            assert_eq!(read(7, players).unwrap()[0].players.len(), players);
        }
        for (game, players, expected) in [
            (
                0,
                2,
                "`games.jsonl`, line 1: invalid `game` `0`: expected 1 or more",
            ),
            (
                1,
                0,
                "`games.jsonl`, line 1: expected 2 to 4 `players`, not 0",
            ),
            (
                1,
                1,
                "`games.jsonl`, line 1: expected 2 to 4 `players`, not 1",
            ),
            (
                1,
                5,
                "`games.jsonl`, line 1: expected 2 to 4 `players`, not 5",
            ),
        ] {
            assert_eq!(read(game, players).unwrap_err(), expected);
        }
    }

    #[test]
    fn files_of_others_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("games")).unwrap();
        for name in ["report.txt", "games.jsonl", "games/000001.sgf"] {
            let file = path.join(name);
            fs::write(&file, "theirs").unwrap();
            let found = match name {
                "games/000001.sgf" => guard_games(&path.join("games")),
                _ => Folder::guard(path, &["report.txt"]),
            };
            let error = found.unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
            assert!(error.contains("not written by Tanada"), "{error}");
            fs::write(path.join("match.json"), "{}").unwrap();
            Folder::guard(path, &["report.txt"]).unwrap();
            fs::remove_file(path.join("match.json")).unwrap();
            fs::remove_file(&file).unwrap();
        }
    }
}
