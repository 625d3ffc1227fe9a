//! Reads the files that a user names.

use std::fs::{self, File};
use std::io::{self, Read};

use thiserror::Error;

use crate::util::quote;
use crate::variant::SharedStart;

/// The longest file that is read, in bytes.
pub(crate) const MAX_FILE: u64 = 1 << 20;

/// A file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{path}` cannot be read: {reason}")]
pub struct ReadError {
    /// The file's name as it was given, shortened.
    pub(crate) path: String,
    /// Why.
    pub(crate) reason: String,
}

impl ReadError {
    pub(crate) fn new(path: &str, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_string(),
            io::ErrorKind::PermissionDenied => "permission denied".to_string(),
            io::ErrorKind::IsADirectory => "it is a directory".to_string(),
            _ => error.to_string(),
        };
        Self::because(path, &reason)
    }

    pub(crate) fn because(path: &str, reason: &str) -> Self {
        Self {
            path: shorten(path),
            reason: reason.to_string(),
        }
    }
}

/// Weights that cannot be loaded: the file cannot be read, or holds none for this start position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the weights{0}")]
pub struct WeightsError(String);

/// Reads a file of at most [`MAX_FILE`] bytes of UTF-8.
///
/// # Errors
/// The file is not a regular file, cannot be opened or read, is longer, or is not UTF-8.
pub(crate) fn read_text(path: &str) -> Result<String, ReadError> {
    read_long_text(path, MAX_FILE)
}

/// The same for a file of at most `most` bytes.
///
/// # Errors
/// The file is not a regular file, cannot be opened or read, is longer, or is not UTF-8.
pub(crate) fn read_long_text(path: &str, most: u64) -> Result<String, ReadError> {
    let text = String::from_utf8(read_at_most(path, most)?);
    text.map_err(|_| ReadError::because(path, "it is not UTF-8 text"))
}

/// Reads a file of weights that can evaluate positions of a game from `start`.
///
/// # Errors
/// The file cannot be read, or holds no such weights.
pub(crate) fn read_weights(path: &str, start: &SharedStart) -> Result<String, WeightsError> {
    let text = read_text(path).map_err(|error| WeightsError(format!(": {error}")))?;
    let checked = match start.weights() {
        Some(weights) => weights.check(&text),
        None => Err(format!("{} takes no weights", start.variant().title())),
    };
    match checked {
        Ok(()) => Ok(text),
        Err(error) => Err(WeightsError(format!(" `{}`: {error}", shorten(path)))),
    }
}

/// Reads a file of at most [`MAX_FILE`] bytes.
///
/// # Errors
/// The file is not a regular file, cannot be opened or read, or is longer.
pub(crate) fn read_bytes(path: &str) -> Result<Vec<u8>, ReadError> {
    read_at_most(path, MAX_FILE)
}

fn read_at_most(path: &str, most: u64) -> Result<Vec<u8>, ReadError> {
    let failed = |error: io::Error| ReadError::new(path, &error);
    let error = |reason: &str| ReadError::because(path, reason);
    // Reading a pipe or a device might never end.
    let found = fs::metadata(path).map_err(failed)?;
    if found.is_dir() {
        return Err(error("it is a directory"));
    }
    if !found.is_file() {
        return Err(error("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(error(&format!("it is longer than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

pub(super) fn shorten(text: &str) -> String {
    quote::shorten(text, 120)
}
