//! Files that are either there in full or not at all.

use std::fs;
use std::io::Write;

use super::Failure;
use super::failure::shorten;

/// Where [`replace`] writes before it renames.
fn beside(path: &str) -> String {
    format!("{path}.new")
}

/// Finds out whether [`replace`] can write the file.
pub(super) fn probe(path: &str) -> Result<(), Failure> {
    let wrong = |why: &dyn std::fmt::Display| {
        Failure::Input(format!("cannot write `{}`: {why}", shorten(path)))
    };
    if fs::metadata(path).is_ok_and(|found| found.is_dir()) {
        return Err(wrong(&"it is a directory"));
    }
    let beside = beside(path);
    fs::File::create(&beside)
        .and_then(|_| fs::remove_file(&beside))
        .map_err(|error| wrong(&error))
}

/// Writes a file beside the old one, then puts it in its place.
pub(super) fn replace(path: &str, text: &str) -> Result<(), Failure> {
    let beside = beside(path);
    let write = || {
        let mut file = fs::File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&beside);
        Failure::Other(format!("cannot write `{}`: {error}", shorten(path)))
    })
}
