//! Files that are either there in full or not at all.

use std::fs;
use std::io::Write;

use super::Failure;
use super::failure::shorten;

/// Where [`replace`] writes before it renames: no file of anybody else.
fn beside(path: &str) -> String {
    format!("{path}.{}.new", std::process::id())
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
    replace_with(path, |file| {
        file.write_all(text.as_bytes())
            .map_err(|error| unwritten(path, &error))
    })
}

/// The same with what `fill` writes; if that fails, the old file stays.
pub(super) fn replace_with<T>(
    path: &str,
    fill: impl FnOnce(&mut fs::File) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let beside = beside(path);
    let write = || {
        let mut file = fs::File::create(&beside).map_err(|error| unwritten(path, &error))?;
        let filled = fill(&mut file)?;
        file.sync_all()
            .and_then(|()| fs::rename(&beside, path))
            .map_err(|error| unwritten(path, &error))?;
        Ok(filled)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })
}

fn unwritten(path: &str, error: &std::io::Error) -> Failure {
    Failure::Other(format!("cannot write `{}`: {error}", shorten(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_in_full_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let path = path.to_str().unwrap();
        replace(path, "old").unwrap();
        let failed = replace_with(path, |file| {
            file.write_all(b"half").unwrap();
            Err::<(), _>(Failure::Other("no more".to_string()))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(fs::read_to_string(path).unwrap(), "old");
        let written = replace_with(path, |file| {
            file.write_all(b"new").unwrap();
            Ok(3)
        });
        assert_eq!(written.unwrap(), 3);
        assert_eq!(fs::read_to_string(path).unwrap(), "new");
        // What others have beside it stays.
        fs::write(format!("{path}.new"), "theirs").unwrap();
        assert!(probe(path).is_ok() && probe(folder.path().to_str().unwrap()).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
