//! Files that are either there in full or as they were, and what the program's own files look like.
//!
//! A file is written beside its place, under the name `FILE.PID.tanada-part`, and renamed at the end.
//! The writer holds a lock on its part. A part whose process is gone and whose lock is free was left
//! by a run that was killed; the next write of the same file removes it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// The bytes at the beginning of a file that tell its kind.
pub const HEAD: u64 = 512;

/// What the names of files that are still being written end with.
const PART: &str = ".tanada-part";

/// A kind of file that the program writes, recognised by its first bytes.
#[derive(Clone, Copy)]
pub struct Kind<'a> {
    /// The command that writes such files, as it is typed.
    pub maker: &'a str,
    /// Whether a file that begins with these bytes, at most [`HEAD`] of them, is of this kind.
    pub is_own: &'a (dyn Fn(&[u8]) -> bool + Sync),
}

/// Whether the file exists and is of another kind. An empty file is of every kind.
///
/// # Errors
/// The file cannot be read.
pub fn is_foreign(path: &Path, kind: &Kind<'_>) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() > 0 => {
            let mut head = Vec::new();
            File::open(path)?.take(HEAD).read_to_end(&mut head)?;
            Ok(!(kind.is_own)(&head))
        }
        // What is no regular file is refused or written to, never replaced.
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether what is written to the path runs through: a pipe, a terminal, `/dev/null`, or what the
/// program was started with as `/dev/stdout` and the like, a file that the shell appends to among them.
#[cfg(unix)]
pub fn is_stream(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let runs = |kind: fs::FileType| kind.is_fifo() || kind.is_char_device();
    descriptor(path).is_some() || fs::metadata(path).is_ok_and(|found| runs(found.file_type()))
}

/// Whether what is written to the path runs through.
#[cfg(not(unix))]
pub fn is_stream(_: &Path) -> bool {
    false
}

/// The number of the open file that a path stands for.
#[cfg(unix)]
fn descriptor(path: &Path) -> Option<u32> {
    match path.to_str()? {
        "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        path => {
            let number = path.strip_prefix("/dev/fd/");
            let number = number.or_else(|| path.strip_prefix("/proc/self/fd/"));
            number?.parse().ok()
        }
    }
}

/// Opens a [stream](is_stream) to write after what is there already, or makes a file anew.
///
/// # Errors
/// What the system says.
pub fn create(path: &Path) -> io::Result<File> {
    if !is_stream(path) {
        return File::create(path);
    }
    #[cfg(unix)]
    {
        // Opened by its name a file would be written from its beginning.
        let open = match descriptor(path) {
            Some(1) => Some(io::stdout().as_fd().try_clone_to_owned()),
            Some(2) => Some(io::stderr().as_fd().try_clone_to_owned()),
            _ => None,
        };
        if let Some(open) = open {
            return Ok(File::from(open?));
        }
    }
    OpenOptions::new().append(true).open(path)
}

/// Whether there is anything at the path; an empty file is nothing.
pub fn is_there(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() || found.len() > 0)
}

/// Whether two paths lead to the same file: by another spelling, a symbolic link or a hard link. Where
/// neither exists, whether they would.
pub fn is_same(one: &Path, other: &Path) -> bool {
    match (identity(one), identity(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => match (future(one), future(other)) {
            (Some(one), Some(other)) => one == other,
            _ => false,
        },
        _ => false,
    }
}

/// What tells an existing file from all others.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// What tells an existing file from all others, hard links aside.
#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Where a file that does not exist yet would be.
fn future(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let folder = fs::canonicalize(path.parent()?).ok()?;
    Some(folder.join(path.file_name()?))
}

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
    beside.push(format!(".{}{PART}", std::process::id()));
    Ok((path, beside.into()))
}

/// The file behind links.
///
/// # Errors
/// Why no file can be written there.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    places(path).map(|(path, _)| path)
}

/// Removes the parts of a file that dead runs have left beside it.
fn sweep(path: &Path) {
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

/// Whether a process with this number may be running on this machine.
#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    let number = i32::try_from(process).ok();
    let pid = number.and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// Whether a process with this number may be running on this machine: the lock has to tell.
#[cfg(not(unix))]
fn is_alive(process: u32) -> bool {
    process == std::process::id()
}

/// Whether nobody holds a lock on the file, on another machine that shares the folder either.
fn is_free(path: &Path) -> bool {
    OpenOptions::new()
        .write(true)
        .open(path)
        .is_ok_and(|file| file.try_lock().is_ok())
}

/// Finds out whether [`replace`] can write the file, and removes what dead runs have left beside it.
///
/// # Errors
/// Why it cannot: what is there is no regular file, or nothing can be written beside it.
pub fn probe(path: &Path) -> io::Result<()> {
    let (path, beside) = places(path)?;
    sweep(&path);
    File::create(&beside).and_then(|_| fs::remove_file(&beside))
}

/// Writes a file beside the old one, then puts it in its place, with the permissions of the old one,
/// and removes what dead runs have left beside it.
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
    sweep(&path);
    let write = || -> Result<T, E> {
        let file = File::create(&beside)?;
        // Not all file systems have locks; the number of the process protects the part as well.
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
        io::Error::other(format!("{error}; what was written is in `{whole}`"))
    })?;
    Ok(filled)
}

/// Puts a file that was written under another name in the place of the old one, with its permissions.
///
/// # Errors
/// What the system says; both files stay.
pub fn rename(written: &File, from: &Path, path: &Path) -> io::Result<()> {
    let (path, _) = places(path)?;
    finish(written, &path)?;
    fs::rename(from, path)
}

/// Gives a file that was written the permissions of the one whose place it takes, and waits for the
/// disk.
fn finish(written: &File, path: &Path) -> io::Result<()> {
    if let Ok(old) = fs::metadata(path) {
        // Not all file systems have any.
        let _ = written.set_permissions(old.permissions());
    }
    match written.sync_all() {
        // Nor do all wait for the disk.
        Err(error) if !is_missing(error.kind()) => Err(error),
        _ => Ok(()),
    }
}

/// Writes what could not be written to `path` into the temporary folder, to a new file with a similar
/// name; that file.
///
/// # Errors
/// What the system says; nothing is left there then.
pub fn write_aside(path: &Path, content: &[u8]) -> io::Result<PathBuf> {
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
    let written = file.write_all(content).and_then(|()| file.sync_all());
    match written {
        Err(error) if !is_missing(error.kind()) => {
            let _ = fs::remove_file(&aside);
            Err(error)
        }
        _ => Ok(aside),
    }
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
        create(Path::new("/dev/null"))
            .unwrap()
            .write_all(b"new")
            .unwrap();
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
        #[cfg(unix)]
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
        // Whoever writes it holds it, on another machine too, where the number says nothing.
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
