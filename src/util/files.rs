//! Writes files atomically, and recognises the program's own files.
//!
//! A new file is first written beside its place, as the part `FILE.PID.tanada-part`, and renamed when
//! it is complete. The writer holds a lock on the part. If the process of a part is gone and its lock
//! is free, a killed run has left it; the next write of the same file removes it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::system::{self, is_alive, is_stream};

/// The number of bytes at the beginning of a file that decide its kind.
pub(crate) const HEAD: u64 = 512;

/// The end of the names of parts.
const PART: &str = ".tanada-part";

/// A kind of file that the program writes, recognised by its first bytes.
#[derive(Clone, Copy)]
pub struct Kind<'a> {
    /// The command that writes such files, as users type it.
    pub maker: &'a str,
    /// Whether a file with this beginning of at most [`HEAD`] bytes is of this kind.
    pub is_own: &'a (dyn Fn(&[u8]) -> bool + Sync),
}

/// Whether the file exists and has another kind. An empty file is of every kind.
pub(crate) fn is_foreign(path: &Path, kind: &Kind<'_>) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() > 0 => {
            let mut head = Vec::new();
            File::open(path)?.take(HEAD).read_to_end(&mut head)?;
            Ok(!(kind.is_own)(&head))
        }
        // Anything but a regular file is refused or written to, never replaced.
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a [stream](is_stream) for appending, or makes a new file.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    if is_stream(path) {
        system::open_stream(path)
    } else {
        File::create(path)
    }
}

/// Whether anything but an empty file is at the path.
pub(crate) fn is_there(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() || found.len() > 0)
}

/// Whether two paths lead to the same file: by another spelling, a symbolic link or a hard link. If
/// neither exists, whether they would.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    match (system::identity(one), system::identity(other)) {
        (None, None) => future(one).is_some_and(|one| future(other) == Some(one)),
        (one, other) => one == other,
    }
}

/// The canonical path of a file that does not exist yet.
fn future(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let folder = fs::canonicalize(path.parent()?).ok()?;
    Some(folder.join(path.file_name()?))
}

/// The path with `end` appended to the name.
pub(crate) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut path = path.as_os_str().to_os_string();
    path.push(end);
    path.into()
}

/// The file behind links, and the name of its part, which no other program uses.
fn places(path: &Path) -> io::Result<(PathBuf, PathBuf)> {
    let refuse = |kind, text: &str| Err(io::Error::new(kind, text));
    if path.as_os_str().is_empty() {
        return refuse(io::ErrorKind::InvalidInput, "the name is empty");
    }
    let path = match (fs::metadata(path), fs::symlink_metadata(path)) {
        (Ok(found), _) if found.is_dir() => {
            return refuse(io::ErrorKind::IsADirectory, "it is a directory");
        }
        // A file cannot take the place of a device or a pipe.
        (Ok(found), _) if !found.is_file() => {
            return refuse(io::ErrorKind::Other, "it is not a regular file");
        }
        (Ok(_), link) => {
            // A file that must not be written must not be replaced.
            OpenOptions::new().write(true).open(path)?;
            if link.is_ok_and(|link| link.is_symlink()) {
                fs::canonicalize(path)?
            } else {
                path.to_path_buf()
            }
        }
        (Err(_), Ok(_)) => return refuse(io::ErrorKind::Other, "it is a dangling link"),
        (Err(_), Err(_)) => path.to_path_buf(),
    };
    let beside = with_end(&path, &format!(".{}{PART}", std::process::id()));
    Ok((path, beside))
}

/// The file behind links.
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
    places(path).map(|(path, _)| path)
}

/// Removes the parts of a file that killed runs have left.
pub(crate) fn sweep(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let begin = format!("{}.", name.to_string_lossy());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let middle = name.strip_prefix(&begin);
        let process = middle.and_then(|name| name.strip_suffix(PART)?.parse::<u32>().ok());
        if process.is_some_and(|process| !is_alive(process)) && is_free(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether nobody holds a lock on the file, not even on another machine that shares the folder.
fn is_free(path: &Path) -> bool {
    let file = OpenOptions::new().write(true).open(path);
    file.is_ok_and(|file| file.try_lock().is_ok())
}

/// Checks that [`replace`] can write the file, and removes the parts that killed runs have left.
pub(crate) fn probe(path: &Path) -> io::Result<()> {
    let (path, beside) = places(path)?;
    sweep(&path);
    File::create(&beside).and_then(|_| fs::remove_file(&beside))
}

/// Writes a file beside the old one and then puts it in its place, with the same permissions. It also
/// removes the parts that killed runs have left.
///
/// # Errors
/// An error of the system; the old file stays. If only the last step failed, the error says where the
/// new file is.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_with(path, |file| file.write_all(content))
}

/// Like [`replace`], with the content that `fill` writes.
pub(crate) fn replace_with<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let (path, beside) = places(path)?;
    sweep(&path);
    let write = || -> Result<T, E> {
        let file = File::create(&beside)?;
        // Not all file systems have locks; the process number protects the part, too.
        let _ = file.try_lock();
        let mut file = BufWriter::new(file);
        let filled = fill(&mut file)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        finish(&file, &path)?;
        Ok(filled)
    };
    let filled = write().inspect_err(|_| {
        let _ = fs::remove_file(&beside);
    })?;
    fs::rename(&beside, &path).map_err(|error| {
        let whole = beside.display();
        io::Error::other(format!("{error}; the complete file is `{whole}`"))
    })?;
    Ok(filled)
}

/// Gives a new file the permissions of the old one, and waits until it is on the disk.
fn finish(written: &File, path: &Path) -> io::Result<()> {
    if let Ok(old) = fs::metadata(path) {
        // Not all file systems have permissions.
        let _ = written.set_permissions(old.permissions());
    }
    sync(written)
}

/// Waits until a file is on the disk, if the file system can wait.
fn sync(file: &File) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, Unsupported};
    match file.sync_all() {
        Err(error) if !matches!(error.kind(), Unsupported | InvalidInput) => Err(error),
        _ => Ok(()),
    }
}

/// Writes content that could not be written to `path` to a new file with a similar name in the
/// temporary folder, and returns its path.
///
/// # Errors
/// An error of the system; nothing is left in the folder.
pub(crate) fn write_aside(path: &Path, content: &[u8]) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let process = std::process::id();
    let mut number = 0;
    let (aside, mut file) = loop {
        let aside = std::env::temp_dir().join(format!("tanada-{process}-{number}-{name}"));
        match File::create_new(&aside) {
            Ok(file) => break (aside, file),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 100 => {
                number += 1;
            }
            Err(error) => return Err(error),
        }
    };
    let written = file.write_all(content).and_then(|()| sync(&file));
    written.inspect_err(|_| {
        let _ = fs::remove_file(&aside);
    })?;
    Ok(aside)
}

/// Why a file cannot be written, as the end of a sentence.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => error.to_string(),
    }
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
        // Files of others beside it stay.
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

    const TEXT: Kind<'_> = Kind {
        maker: "tanada test",
        is_own: &|head| head.starts_with(b"# ours"),
    };

    #[test]
    fn files_are_told_by_their_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert!(!is_foreign(&path, &TEXT).unwrap(), "there is none");
        for (content, foreign) in [("", false), ("# ours, 1\n", false), ("# theirs", true)] {
            fs::write(&path, content).unwrap();
            assert_eq!(is_foreign(&path, &TEXT).unwrap(), foreign, "{content}");
            assert_eq!(is_there(&path), !content.is_empty());
        }
        assert!(!is_foreign(folder.path(), &TEXT).unwrap());
        assert!(is_foreign(&path.join("below"), &TEXT).is_err());
        // Only the beginning is read.
        let long = Kind {
            maker: "",
            is_own: &|head| head.len() == 512,
        };
        fs::write(&path, "x".repeat(9999)).unwrap();
        assert!(!is_foreign(&path, &long).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn streams_are_told_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        assert!(!is_stream(&path) && !is_stream(folder.path()));
        create(&path).unwrap().write_all(b"old").unwrap();
        create(&path).unwrap().write_all(b"new").unwrap();
        assert!(!is_stream(&path));
        assert_eq!(fs::read(&path).unwrap(), b"new");
        for stream in ["/dev/null", "/dev/stdout", "/dev/fd/2", "/proc/self/fd/1"] {
            assert!(is_stream(Path::new(stream)), "{stream}");
        }
        for other in ["/dev/fd/x", "/dev/fd", "dev/stdout"] {
            assert!(!is_stream(Path::new(other)), "{other}");
        }
        let mut null = create(Path::new("/dev/null")).unwrap();
        null.write_all(b"new").unwrap();
    }

    #[test]
    fn one_file_has_many_names() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        let around = folder.path().join("below").join("..").join("one");
        fs::create_dir(folder.path().join("below")).unwrap();
        // Neither exists.
        assert!(is_same(&one, &around) && !is_same(&one, &other));
        assert!(!is_same(Path::new("nowhere/one"), Path::new("nowhere/one")));
        fs::write(&one, "").unwrap();
        assert!(is_same(&one, &around) && !is_same(&one, &other));
        fs::hard_link(&one, folder.path().join("hard")).unwrap();
        assert!(is_same(&one, &folder.path().join("hard")));
        #[cfg(unix)]
        {
            let link = folder.path().join("soft");
            std::os::unix::fs::symlink(&one, &link).unwrap();
            assert!(is_same(&one, &link));
        }
        fs::write(&other, "").unwrap();
        assert!(!is_same(&one, &other));
    }

    #[cfg(unix)]
    #[test]
    fn parts_of_dead_runs_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let (dead, alive) = (child.id(), std::process::id());
        child.wait().unwrap();
        let part = |name: &str, process: u32| {
            let path = folder.path().join(format!("{name}.{process}.tanada-part"));
            fs::write(&path, "part").unwrap();
            path
        };
        let gone = part("file", dead);
        let kept = [
            part("file", 1),
            part("other", dead),
            folder.path().join("file.x.tanada-part"),
        ];
        fs::write(&kept[2], "theirs").unwrap();
        probe(&path).unwrap();
        assert!(!gone.exists());
        assert!(kept.iter().all(|path| path.exists()));
        // A lock protects it, also on another machine, where the process number means nothing.
        let held = part("file", dead);
        let lock = File::open(&held).unwrap();
        lock.lock().unwrap();
        probe(&path).unwrap();
        assert!(held.exists());
        drop(lock);
        probe(&path).unwrap();
        assert!(!held.exists());
        let gone = part("file", dead);
        replace(&path, b"new").unwrap();
        assert!(!gone.exists() && kept.iter().all(|path| path.exists()));
        replace_with(&path, |file| {
            file.write_all(b"new")?;
            let own = folder.path().join(format!("file.{alive}.tanada-part"));
            assert!(own.exists() && !is_free(&own));
            Ok::<_, io::Error>(())
        })
        .unwrap();
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
