//! What the folders of matches and of tunings share: settings as JSON, a journal that grows by
//! whole lines, a lock, and the care not to overwrite files of somebody else.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::util::files::{self, Kind};
use crate::util::quote::{self, shorten};

/// The most characters of an error about JSON, which may quote any text of it.
const MOST_OF_ERROR: usize = 300;

/// An error about JSON, at a length that can be read.
pub(crate) fn json_error(error: &serde_json::Error) -> String {
    shorten(&error.to_string(), MOST_OF_ERROR)
}

/// Why the files of a long run cannot be used, in one sentence.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct FolderError(pub(in crate::lab) String);

impl FolderError {
    /// An error about a path: the path, quoted, and what is wrong.
    pub(crate) fn new(path: &Path, problem: impl AsRef<str>) -> Self {
        Self(format!("`{}` {}", path.display(), problem.as_ref()))
    }

    /// A file that somebody else wrote is in the way.
    pub(crate) fn foreign(path: &Path) -> Self {
        let problem = "exists but was not written by Tanada; choose another folder";
        Self::new(path, problem)
    }

    /// An error in a line of a journal, counted from 1.
    pub(crate) fn in_line(path: &Path, line: usize, error: &str) -> Self {
        let error = shorten(error, MOST_OF_ERROR);
        Self(format!("`{}`, line {line}: {error}", path.display()))
    }
}

/// An error that the system reports about a file.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.display().to_string();
    move |error| FolderError(format!("`{path}`: {error}"))
}

/// A kind of folder: the names of its files, and how to tell that it is ours.
pub(crate) struct FolderKind {
    /// What it holds: a match, or a tuning.
    pub(crate) what: &'static str,
    pub(crate) settings: &'static str,
    pub(crate) journal: &'static str,
    /// The beginning of the journal's first line.
    pub(crate) journal_start: &'static str,
}

impl FolderKind {
    /// Refuses a folder that is not ours but holds files with these names, or a journal of
    /// something else.
    pub(crate) fn guard(&self, folder: &Path, names: &[&str]) -> Result<(), FolderError> {
        let journal = folder.join(self.journal);
        let kind = Kind {
            maker: self.journal,
            is_own: &|head| head.starts_with(self.journal_start.as_bytes()),
        };
        let is_foreign = files::is_foreign(&journal, &kind).unwrap_or(false);
        let is_ours = files::is_there(&journal) && !is_foreign;
        if is_ours || folder.join(self.settings).exists() {
            return Ok(());
        }
        let mut others = names.iter().map(|name| folder.join(name));
        let found = is_foreign.then_some(journal);
        match found.or_else(|| others.find(|path| files::is_there(path))) {
            Some(path) => Err(FolderError::foreign(&path)),
            None => Ok(()),
        }
    }

    /// Reads the settings; `None` if there are none.
    pub(crate) fn read_settings<T: DeserializeOwned>(
        &self,
        folder: &Path,
    ) -> Result<Option<T>, FolderError> {
        let path = folder.join(self.settings);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(at(&path)(error)),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let (what, error) = (self.what, json_error(&error));
            let problem =
                format!("does not hold the settings of a {what}: {error}; choose another folder");
            FolderError::new(&path, problem)
        })
    }
}

/// Refuses a path if it, or a parent of it, is a file.
pub(crate) fn expect_folder(path: &Path) -> Result<(), FolderError> {
    let found = path.ancestors().find_map(|path| {
        let found = fs::metadata(path).ok()?;
        Some((path, found.is_dir()))
    });
    let Some((path, false)) = found else {
        return Ok(());
    };
    let problem = "is not a folder; choose another one for the games";
    Err(FolderError::new(path, problem))
}

/// Makes the folder if need be, and locks it for the lifetime of the returned file. The system
/// releases the lock when the process ends, however it ends.
pub(crate) fn lock(folder: &Path) -> Result<File, FolderError> {
    fs::create_dir_all(folder).map_err(at(folder))?;
    let path = folder.join("lock");
    // Somebody else's file with this name keeps its content.
    let mut options = OpenOptions::new();
    let lock = options.write(true).create(true).truncate(false).open(&path);
    let lock = lock.map_err(at(&path))?;
    // Whoever looks whether a runner is at work holds the lock for a moment.
    for _ in 0..10 {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(20)),
            Err(TryLockError::Error(error)) => return Err(at(&path)(error)),
        }
    }
    Err(FolderError::new(folder, "is in use by another runner"))
}

pub(crate) fn append(path: &Path) -> Result<File, FolderError> {
    let mut options = OpenOptions::new();
    let opened = options.create(true).append(true).open(path);
    opened.map_err(at(path))
}

/// A value as one line of JSON that is safe to show on a terminal, whatever names and errors it
/// holds.
pub(crate) fn json(value: &impl Serialize) -> String {
    // Keys are texts and numbers, which JSON can always express.
    let text = serde_json::to_string(value).unwrap_or_default();
    quote::json(&text).into_owned()
}

/// Writes a file in full or not at all. Unlike [`files::replace`] it does not wait for the disk
/// after every game, and what it leaves when killed has a known name.
pub(crate) fn write_file(path: &Path, content: &str) -> Result<(), FolderError> {
    let new = files::with_end(path, ".new");
    let written = fs::write(&new, content).and_then(|()| fs::rename(&new, path));
    written.map_err(|error| {
        // A full disk may have cut it off.
        let _ = fs::remove_file(&new);
        at(path)(error)
    })
}

/// The whole lines of a journal, and the length in bytes of an unfinished one behind them: a line
/// that is being written, or was when the runner was killed. A missing journal is empty.
fn split_journal(path: &Path) -> Result<(Vec<u8>, usize), FolderError> {
    let mut bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(at(path))?,
    };
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    let whole = end.map_or(0, |last| last + 1);
    let torn = bytes.len() - whole;
    bytes.truncate(whole);
    Ok((bytes, torn))
}

/// Reads the whole lines of a journal.
pub(crate) fn read_lines(path: &Path) -> Result<String, FolderError> {
    let (bytes, _) = split_journal(path)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads the whole lines of a journal and cuts an unfinished one off, in the file too.
pub(crate) fn repair_lines(path: &Path) -> Result<String, FolderError> {
    let (bytes, torn) = split_journal(path)?;
    if torn > 0 {
        let file = OpenOptions::new().write(true).open(path);
        let cut = file.and_then(|file| file.set_len(bytes.len() as u64));
        cut.map_err(at(path))?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The first field in which two settings differ, except those in `ignored`.
pub(crate) fn difference<T: Serialize>(stored: &T, asked: &T, ignored: &[&str]) -> Option<String> {
    let [stored, asked] = [stored, asked].map(serde_json::to_value);
    let (stored, asked) = (stored.ok()?, asked.ok()?);
    let fields = stored.as_object()?;
    let differs =
        |name: &&String| !ignored.contains(&name.as_str()) && fields.get(*name) != asked.get(*name);
    fields.keys().find(differs).cloned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("report.txt");
        write_file(&path, "old").unwrap();
        write_file(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        // A folder in its place stops the write as a full disk would.
        fs::create_dir_all(home.path().join("folder/below")).unwrap();
        assert!(write_file(&home.path().join("folder"), "text").is_err());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 2);
    }

    #[test]
    fn lines_of_json_are_safe_on_a_terminal() {
        let odd = "a\u{202e}b\u{9b}31m\u{2066}\u{7f}\u{2028}";
        let line = json(&BTreeMap::from([("name", odd)]));
        assert!(!line.contains(quote::is_hidden), "{line:?}");
        let read: BTreeMap<String, String> = serde_json::from_str(&line).unwrap();
        assert_eq!(read["name"], odd);
    }

    #[test]
    fn what_a_file_holds_is_not_quoted_at_length() {
        let home = tempfile::tempdir().unwrap();
        let long = format!("\"{}\\n\"", "long ".repeat(1000));
        fs::write(home.path().join("settings"), &long).unwrap();
        let kind = FolderKind {
            what: "match",
            settings: "settings",
            journal: "journal",
            journal_start: "{",
        };
        let read = kind.read_settings::<BTreeMap<String, String>>(home.path());
        let in_line = FolderError::in_line(Path::new("journal"), 1, &long);
        for error in [read.unwrap_err().to_string(), in_line.to_string()] {
            assert!(error.len() < 500 && error.contains("long long"), "{error}");
            assert!(!error.contains('\n'), "{error:?}");
        }
    }

    #[test]
    fn unfinished_lines_are_left_out() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("journal");
        assert_eq!(read_lines(&path).unwrap(), "");
        for (text, whole) in [("", ""), ("{}", ""), ("{}\n", "{}\n"), ("{}\n{\"g", "{}\n")] {
            fs::write(&path, text).unwrap();
            assert_eq!(read_lines(&path).unwrap(), whole);
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            assert_eq!(repair_lines(&path).unwrap(), whole);
            assert_eq!(fs::read_to_string(&path).unwrap(), whole);
        }
    }

    #[test]
    fn a_lock_keeps_the_content_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "theirs").unwrap();
        let held = lock(folder.path()).unwrap();
        assert!(lock(folder.path()).is_err());
        drop(held);
        assert_eq!(fs::read_to_string(path).unwrap(), "theirs");
    }
}
