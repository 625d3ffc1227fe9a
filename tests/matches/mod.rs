//! Matches from outside: the program plays them, and the tests check its output and the folder.

#[cfg(unix)]
mod faults;
mod records;
mod refusals;
mod reports;
mod resume;
#[cfg(unix)]
mod signals;
mod turns;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// `tanada match` with these arguments and its streams in pipes.
fn command<S: AsRef<str>>(arguments: &[S]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tanada"));
    command
        .arg("match")
        .args(arguments.iter().map(AsRef::as_ref))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn output<S: AsRef<str>>(arguments: &[S]) -> Output {
    command(arguments).output().unwrap()
}

/// The output of a match that must succeed.
fn play<S: AsRef<str> + std::fmt::Debug>(arguments: &[S]) -> String {
    let output = output(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{arguments:?}: {:?}, {complaint}",
        output.status
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The error of a match that must end with this status. Lines about finished games and slow engines
/// may come before it.
fn failure<S: AsRef<str> + std::fmt::Debug>(arguments: &[S], status: i32) -> String {
    let output = output(arguments);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        output.status.code(),
        Some(status),
        "{arguments:?}: {complaint}"
    );
    assert!(output.stdout.is_empty(), "{arguments:?}");
    let lines = complaint.lines();
    let (_, mut sentence): (Vec<&str>, Vec<&str>) =
        lines.partition(|line| line.starts_with("Finished game ") || line.starts_with("waiting "));
    assert_eq!(sentence.len(), 1, "{arguments:?}: {complaint}");
    let sentence = sentence.remove(0);
    assert!(sentence.starts_with("tanada: "), "{complaint}");
    assert_eq!(complaint.lines().last(), Some(sentence));
    if status == 2 {
        assert!(!complaint.contains("Finished game "), "{complaint}");
    }
    sentence.to_string()
}

/// The words of a text, and more words.
fn words(first: &str, more: &[&str]) -> Vec<String> {
    let first = first.split_whitespace();
    first
        .chain(more.iter().copied())
        .map(str::to_string)
        .collect()
}

/// A folder for the records of one match.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("match")
    }

    /// The folder as an argument.
    fn text(&self) -> String {
        self.path().to_str().unwrap().to_string()
    }

    fn read(&self, name: &str) -> String {
        let path = self.path().join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// The number of lines of the journal.
    fn lines(&self) -> usize {
        let journal = std::fs::read(self.path().join("games.jsonl")).unwrap_or_default();
        journal.iter().filter(|&&b| b == b'\n').count()
    }

    /// The games of the journal by number, one a line.
    fn games(&self) -> BTreeMap<u64, Value> {
        let text = self.read("games.jsonl");
        let games: BTreeMap<u64, Value> = text
            .lines()
            .map(|line| {
                let game: Value = serde_json::from_str(line).unwrap();
                (game["game"].as_u64().unwrap(), game)
            })
            .collect();
        assert_eq!(games.len(), text.lines().count(), "a game came twice");
        games
    }

    /// The games without times and clocks.
    fn timeless(&self) -> BTreeMap<u64, Value> {
        let mut games = self.games();
        for game in games.values_mut() {
            for key in ["started", "seconds"] {
                game.as_object_mut().unwrap().remove(key).unwrap();
            }
            for record in game["moves"].as_array_mut().unwrap() {
                record.as_object_mut().unwrap().remove("seconds");
            }
        }
        games
    }

    /// The names of the SGF files, sorted.
    fn sgf_names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path().join("games")).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// A file of the test data.
fn data_path(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    path.join(name).to_str().unwrap().to_string()
}

/// The vertices of a game.
fn vertices(game: &Value) -> Vec<&str> {
    let moves = game["moves"].as_array().unwrap().iter();
    moves.map(|m| m["vertex"].as_str().unwrap()).collect()
}
