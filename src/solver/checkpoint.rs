//! What is known, in a file, to go on from later.
//!
//! The file holds a line that names it, a number that tells the question, the nodes so far and
//! the results that took the most nodes, 12 bytes each, with a sum over all of it at the end.
//! It is written beside its place and renamed, so a file that is there is whole.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::key::Key;
use super::run::Solver;
use super::table::{Entry, ResultTable};
use crate::util::files::{self, Kind};

/// What a file of this kind begins with.
const NAME: &[u8; 24] = b"tanada solver results 2\n";
/// Checkpoints, of older versions too.
pub const KIND: Kind<'_> = Kind {
    maker: "tanada solve --checkpoint",
    is_own: &|head| head.starts_with(b"tanada solver results "),
};
/// Results that took at least `2^(KEPT - 1)` nodes are kept; cheaper ones are found anew.
const KEPT: u32 = 11;

/// Why a file is no checkpoint to go on from.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The file could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is something else, or a part of one.
    #[error("it is no whole checkpoint of this program")]
    Damaged,
    /// It belongs to another question.
    #[error("it belongs to another position")]
    Other,
}

/// A file that keeps what is known.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The file.
    pub path: PathBuf,
    /// The time between two writings while a search runs.
    pub every: Duration,
    /// Tells what it is about.
    pub question: Key,
    /// Whether a file that is no checkpoint is written over; else it stays and the writing fails.
    pub force: bool,
}

impl Checkpoint {
    /// Whether the file is there and is no checkpoint.
    fn is_foreign(&self) -> bool {
        files::is_foreign(&self.path, &KIND).unwrap_or(false)
    }

    /// Whether there is a checkpoint to be read, or a file that must not be written over.
    pub fn is_there(&self) -> bool {
        files::is_there(&self.path) && !(self.force && self.is_foreign())
    }

    /// Writes what is known; `nodes` are those searched so far.
    ///
    /// # Errors
    /// As [`write()`]; the file is somebody else's.
    pub fn write(&self, nodes: u64, table: &ResultTable) -> io::Result<()> {
        if self.is_foreign() && !self.force {
            let why = "the file there is no checkpoint";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        write(&self.path, self.question, nodes, table)
    }
}

/// A sum that notices what was changed or is missing.
#[derive(Clone, Copy)]
struct Sum(Key);

impl Sum {
    fn add(&mut self, word: u64) {
        let Key([a, b]) = self.0;
        self.0 = Key::of(&[a ^ word, b]);
    }
}

/// Writes what is known and took long. `question` tells what it is about; `nodes` are those
/// searched so far.
///
/// # Errors
/// The file cannot be written; one that was there stays.
pub fn write(path: &Path, question: Key, nodes: u64, table: &ResultTable) -> io::Result<()> {
    files::replace_with(path, |file| fill(file, question, nodes, table))
}

fn fill(
    file: &mut BufWriter<File>,
    question: Key,
    nodes: u64,
    table: &ResultTable,
) -> io::Result<()> {
    let mut sum = Sum(question);
    file.write_all(NAME)?;
    for word in [question.0[0], question.0[1], nodes] {
        sum.add(word);
        file.write_all(&word.to_le_bytes())?;
    }
    let mut result = Ok(());
    table.each(KEPT, &mut |entry| {
        if result.is_ok() {
            sum.add(u64::from(entry.place));
            sum.add(entry.word);
            let written = file.write_all(&entry.place.to_le_bytes());
            result = written.and_then(|()| file.write_all(&entry.word.to_le_bytes()));
        }
    });
    result?;
    let Sum(Key([a, b])) = sum;
    // No result has this place, so it ends the list.
    file.write_all(&u32::MAX.to_le_bytes())?;
    file.write_all(&(a ^ b).to_le_bytes())
}

/// Learns what a file holds, and counts on from its nodes.
///
/// # Errors
/// What is wrong with the file; what was read before may be known then, which is no harm only
/// if the solver is dropped.
pub fn read(path: &Path, question: Key, solver: &mut Solver) -> Result<(), CheckpointError> {
    let mut file = BufReader::new(File::open(path)?);
    let mut name = [0; NAME.len()];
    let mut sum = Sum(question);
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
    let head = [get(8)?, get(8)?, get(8)?];
    if head[..2] != question.0 {
        return Err(CheckpointError::Other);
    }
    head.iter().for_each(|&word| sum.add(word));
    loop {
        let place = get(4)? as u32;
        let word = get(8)?;
        if place == u32::MAX {
            let Sum(Key([a, b])) = sum;
            if word != a ^ b {
                return Err(CheckpointError::Damaged);
            }
            break;
        }
        let entry = Entry { place, word };
        if !entry.is_sound() {
            return Err(CheckpointError::Damaged);
        }
        sum.add(u64::from(place));
        sum.add(word);
        solver.table().restore(entry);
    }
    solver.set_nodes(head[2]);
    Ok(())
}
