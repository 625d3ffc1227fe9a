//! Checkpoints: the results of a search in a file, to continue later.
//!
//! A file holds, little-endian: a line that identifies the format, the key of the question
//! (16 bytes), the nodes so far (8), the results that took the most nodes (12 each) and a
//! checksum over all of it (12). It is written beside its final path and then renamed, so a file
//! that exists is complete.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::key::Key;
use super::table::{Entry, ResultTable};
use crate::util::files::{self, Kind};

/// The first line of a checkpoint.
const NAME: &[u8; 24] = b"tanada solver results 2\n";
/// Checkpoints of this and of older versions.
pub(crate) const KIND: Kind<'_> = Kind {
    maker: "tanada solve --checkpoint",
    is_own: &|head| head.starts_with(b"tanada solver results "),
};
/// Results with at least this [`effort`](ResultTable::effort) are written, that is, results
/// that took at least `2^(MIN_EFFORT - 1)` nodes. Cheaper ones are searched again.
const MIN_EFFORT: u32 = 11;

/// Why a checkpoint cannot be read.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file could not be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is not a checkpoint, or is incomplete.
    #[error("it is not a complete checkpoint of this program")]
    Damaged,
    /// The checkpoint belongs to another question.
    #[error("it belongs to another position")]
    Other,
}

/// A file that keeps the table of a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointFile {
    /// The file.
    pub path: PathBuf,
    /// How often it is written while a search runs.
    pub every: Duration,
    /// Whether a file that is no checkpoint is overwritten; otherwise writing fails.
    pub force: bool,
}

impl CheckpointFile {
    /// Whether the file exists and is not a checkpoint.
    fn is_foreign(&self) -> bool {
        files::is_foreign(&self.path, &KIND).unwrap_or(false)
    }

    /// Whether the file exists, as a checkpoint or as a file that must not be overwritten.
    pub(crate) fn is_there(&self) -> bool {
        files::is_there(&self.path) && !(self.force && self.is_foreign())
    }

    /// Removes the file if it is a checkpoint, and what killed programs have left of one.
    pub(super) fn remove(&self) {
        files::sweep(&self.path);
        let found = fs::metadata(&self.path);
        let has_content = found.is_ok_and(|found| found.is_file() && found.len() > 0);
        if has_content && matches!(files::is_foreign(&self.path, &KIND), Ok(false)) {
            // If it cannot be removed, it stays.
            let _ = fs::remove_file(&self.path);
        }
    }

    /// As [`write()`].
    ///
    /// # Errors
    /// As [`write()`]; or the file exists and is not a checkpoint.
    pub(super) fn write(&self, question: Key, nodes: u64, table: &ResultTable) -> io::Result<()> {
        if self.is_foreign() && !self.force {
            let why = "the file there is not a checkpoint";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        write(&self.path, question, nodes, table)
    }
}

/// A checksum, which starts from the key of the question.
#[derive(Clone, Copy)]
struct Checksum(Key);

impl Checksum {
    fn add(&mut self, word: u64) {
        let Key([a, b]) = self.0;
        self.0 = Key::of(&[a ^ word, b]);
    }

    fn value(self) -> u64 {
        let Key([a, b]) = self.0;
        a ^ b
    }
}

/// Writes the expensive results of a table. `question` identifies the position to solve;
/// `nodes` is the number searched so far.
///
/// # Errors
/// The file cannot be written; an existing one stays as it was.
pub(crate) fn write(path: &Path, question: Key, nodes: u64, table: &ResultTable) -> io::Result<()> {
    files::replace_with(path, |file| {
        encode(file, question, nodes, table.entries(MIN_EFFORT))
    })
}

/// Writes the bytes of a checkpoint.
pub(crate) fn encode(
    out: &mut impl Write,
    question: Key,
    nodes: u64,
    entries: impl Iterator<Item = Entry>,
) -> io::Result<()> {
    let mut checksum = Checksum(question);
    out.write_all(NAME)?;
    for word in [question.0[0], question.0[1], nodes] {
        checksum.add(word);
        out.write_all(&word.to_le_bytes())?;
    }
    for Entry { bucket, word } in entries {
        checksum.add(u64::from(bucket));
        checksum.add(word);
        out.write_all(&bucket.to_le_bytes())?;
        out.write_all(&word.to_le_bytes())?;
    }
    // No entry has this bucket, so it ends the list.
    out.write_all(&u32::MAX.to_le_bytes())?;
    out.write_all(&checksum.value().to_le_bytes())
}

/// Reads a checkpoint into a table and returns its nodes.
///
/// # Errors
/// The file is not a complete checkpoint of this question. The table may then hold wrong
/// results and must not be used.
pub(crate) fn read(
    path: &Path,
    question: Key,
    table: &ResultTable,
) -> Result<u64, CheckpointError> {
    let file = BufReader::new(File::open(path)?);
    decode(file, question, |entry| table.restore(entry))
}

/// Reads the bytes of a checkpoint; `restore` gets its results. Returns its nodes.
pub(crate) fn decode(
    mut file: impl BufRead,
    question: Key,
    mut restore: impl FnMut(Entry),
) -> Result<u64, CheckpointError> {
    let mut name = [0; NAME.len()];
    let mut checksum = Checksum(question);
    let damaged = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => CheckpointError::Damaged,
        _ => error.into(),
    };
    file.read_exact(&mut name).map_err(damaged)?;
    if name != *NAME {
        return Err(CheckpointError::Damaged);
    }
    let mut get = |bytes: usize| -> Result<u64, CheckpointError> {
        let mut word = [0; 8];
        file.read_exact(&mut word[..bytes]).map_err(damaged)?;
        Ok(u64::from_le_bytes(word))
    };
    let header = [get(8)?, get(8)?, get(8)?];
    if header[..2] != question.0 {
        return Err(CheckpointError::Other);
    }
    header.iter().for_each(|&word| checksum.add(word));
    loop {
        let bucket = get(4)? as u32;
        let word = get(8)?;
        if bucket == u32::MAX {
            // Nothing may follow.
            if word != checksum.value() || !file.fill_buf()?.is_empty() {
                return Err(CheckpointError::Damaged);
            }
            return Ok(header[2]);
        }
        let entry = Entry { bucket, word };
        if !entry.is_valid() {
            return Err(CheckpointError::Damaged);
        }
        checksum.add(u64::from(bucket));
        checksum.add(word);
        restore(entry);
    }
}
