//! Files that are either there in full or as they were.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The file behind links, and where [`replace_with`] writes before it renames: a name that no other
/// program has.
fn places(path: &Path) -> io::Result<(PathBuf, PathBuf)> {
    if path.as_os_str().is_empty() {
        let text = "the name is empty";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let path = match (fs::metadata(path), fs::symlink_metadata(path)) {
        (Ok(found), _) if found.is_dir() => {
            let text = "it is a directory";
            return Err(io::Error::new(io::ErrorKind::IsADirectory, text));
        }
        // In the place of a device or a pipe a file is of no use.
        (Ok(found), _) if !found.is_file() => {
            return Err(io::Error::other("it is no regular file"));
        }
        (Ok(_), link) => {
            // What must not be written must not be replaced either.
            OpenOptions::new().write(true).open(path)?;
            match link.is_ok_and(|link| link.is_symlink()) {
                true => fs::canonicalize(path)?,
                false => path.to_path_buf(),
            }
        }
        (Err(_), Ok(_)) => return Err(io::Error::other("it is a link to nothing")),
        (Err(_), Err(_)) => path.to_path_buf(),
    };
    let mut beside = path.clone().into_os_string();
    beside.push(format!(".{}.tanada-part", std::process::id()));
    Ok((path, beside.into()))
}

/// Finds out whether [`replace`] can write the file.
///
/// # Errors
/// Why it cannot: what is there is no regular file, or nothing can be written beside it.
pub fn probe(path: &Path) -> io::Result<()> {
    let (_, beside) = places(path)?;
    File::create(&beside).and_then(|_| fs::remove_file(&beside))
}

/// Writes a file beside the old one, then puts it in its place, with the permissions of the old one.
///
/// # Errors
/// What the system says; the old file stays. If all was written and only the last step failed, the
/// error says where it is.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(path, |file| file.write_all(content))
}

/// The same with what `fill` writes.
///
/// # Errors
/// What the system or `fill` says, as for [`replace`].
pub fn replace_with<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let (path, beside) = places(path)?;
    let write = || -> Result<T, E> {
        let mut file = BufWriter::new(File::create(&beside)?);
        let filled = fill(&mut file)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Ok(old) = fs::metadata(&path) {
            // Not all file systems have any.
            let _ = file.set_permissions(old.permissions());
        }
        match file.sync_all() {
            // Nor do all wait for the disk.
            Err(error) if !is_missing(error.kind()) => Err(error.into()),
            _ => Ok(filled),
        }
    };
    let filled = write().inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })?;
    fs::rename(&beside, &path).map_err(|error| {
        let whole = beside.display();
        io::Error::other(format!("{error}; what was written is in `{whole}`"))
    })?;
    Ok(filled)
}

/// Why a file cannot be written, to complete a sentence.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".to_string(),
        io::ErrorKind::PermissionDenied => "that is not permitted".to_string(),
        _ => error.to_string(),
    }
}

/// Whether the system says that it cannot do such a thing at all.
fn is_missing(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_in_full_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace(&path, b"old").unwrap();
        let failed = replace_with(&path, |file| {
            file.write_all(b"half")?;
            Err::<(), _>(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        // What others have beside it stays.
        fs::write(folder.path().join("file.new"), "theirs").unwrap();
        let written: io::Result<i32> = replace_with(&path, |file| {
            file.write_all(b"new")?;
            Ok(3)
        });
        assert_eq!(written.unwrap(), 3);
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(probe(&path).is_ok() && probe(folder.path()).is_err());
        assert!(probe(Path::new("")).is_err());
        for nothing in ["nowhere/file", "nowhere/"] {
            assert!(probe(&folder.path().join(nothing)).is_err(), "{nothing}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["file", "link"].map(|name| folder.path().join(name));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        fs::remove_file(&path).unwrap();
        for path in [&link, Path::new("/dev/null")] {
            assert!(probe(path).is_err() && replace(path, b"new").is_err());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
