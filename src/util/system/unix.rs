//! Unix: Linux, macOS and their relatives.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

// Files

/// Whether the path is a stream: a pipe, a terminal, `/dev/null`, or one of the program's own
/// descriptors such as `/dev/stdout`, even if the shell has redirected that to a file.
pub(crate) fn is_stream(path: &Path) -> bool {
    let runs = |kind: FileType| kind.is_fifo() || kind.is_char_device();
    descriptor(path).is_some() || fs::metadata(path).is_ok_and(|found| runs(found.file_type()))
}

/// The number of the file descriptor that a path stands for.
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

/// Opens a [stream](is_stream) for writing.
pub(crate) fn open_stream(path: &Path) -> io::Result<File> {
    // Opening by name would overwrite a redirected file from its beginning.
    let open = match descriptor(path) {
        Some(1) => io::stdout().as_fd().try_clone_to_owned(),
        Some(2) => io::stderr().as_fd().try_clone_to_owned(),
        _ => return OpenOptions::new().append(true).open(path),
    };
    open.map(File::from)
}

/// Identifies an existing file.
pub(crate) fn identity(path: &Path) -> Option<impl PartialEq + use<>> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// A new file will be readable by its owner alone.
pub(crate) fn make_private(options: &mut OpenOptions) {
    options.mode(0o600);
}

pub(crate) fn is_readable_by_others(file: &Metadata) -> bool {
    file.permissions().mode() & 0o077 != 0
}

/// Waits until the names in a folder are on the disk, if the file system can wait.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = File::open(folder)?;
    let _ = folder.sync_all();
    Ok(())
}

// Streams

/// The time between two calls of `give_up`.
const PAUSE: Duration = Duration::from_millis(10);

/// The number of bytes that a pipe accepts without blocking once `poll` reports room: `PIPE_BUF`, or
/// the least that POSIX allows.
const PART: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// Waits at most `wait` until something can be written; returns whether it can.
pub(crate) fn has_room(to: impl AsFd, wait: Duration) -> io::Result<bool> {
    let wait = Timespec::try_from(wait).ok();
    match poll(&mut [PollFd::new(&to, PollFlags::OUT)], wait.as_ref()) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Writes the whole text. Polls `give_up` while the reader does not read.
pub(crate) fn send(to: impl AsFd, mut text: &[u8], give_up: &dyn Fn() -> bool) -> io::Result<()> {
    while !text.is_empty() {
        if !has_room(&to, PAUSE)? {
            if give_up() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            continue;
        }
        let part = text.get(..PART).unwrap_or(text);
        match rustix::io::write(&to, part) {
            Ok(written) => text = text.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

// The terminal

/// The value to assume if `TERM` is unset: nothing is known of the terminal.
pub(crate) const USUAL_TERM: &str = "";

/// The modes of the terminal behind standard input, as they were found.
pub(crate) struct InputModes(Termios);

impl InputModes {
    pub(crate) fn read() -> Option<Self> {
        tcgetattr(io::stdin()).ok().map(Self)
    }

    /// Switches off the echo of what is typed.
    pub(crate) fn hide_echo(&self) {
        let mut hidden = self.0.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &hidden);
    }

    pub(crate) fn restore(&self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

// Processes

/// The signals that end the program: Ctrl-C, a service manager or a cluster, a closed terminal.
pub(crate) fn ending_signals() -> impl Iterator<Item = i32> {
    // Under `nohup` the program survives a closed terminal.
    let survives = |&signal: &i32| signal == SIGHUP && is_ignored(signal);
    let signals = [SIGINT, SIGTERM, SIGHUP].into_iter();
    signals.filter(move |signal| !survives(signal))
}

/// Whether the program was started with the signal ignored; only Linux can tell.
fn is_ignored(signal: i32) -> bool {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = text.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Whether a process with this number may be running on this machine.
pub(crate) fn is_alive(process: u32) -> bool {
    let number = i32::try_from(process).ok();
    let pid = number.and_then(Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(Errno::SRCH))
}

/// Gives a child a process group of its own: Ctrl-C does not reach it, and [`kill_group`] ends
/// everything that it started.
pub(crate) fn separate(command: &mut Command) {
    command.process_group(0);
}

/// Whether a child that was not waited for has ended. It is not reaped here: its process id stays
/// taken, and its group can be ended without hitting another one.
pub(crate) fn has_ended(child: &mut Child) -> bool {
    let Some(pid) = Pid::from_raw(child.id() as i32) else {
        return true;
    };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(rustix::process::waitid(WaitId::Pid(pid), options), Ok(None))
}

/// Ends a [separate] child that was not waited for, with everything that it started.
pub(crate) fn kill_group(child: &mut Child) {
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
}

/// The processor time that the program has used, if the system tells.
pub(crate) fn processor_time() -> Option<Duration> {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanoseconds = u32::try_from(time.tv_nsec).ok()?;
    Some(Duration::new(seconds, nanoseconds))
}

/// The memory of the machine in bytes, if the system tells.
#[cfg(target_os = "linux")]
pub(crate) fn memory() -> Option<u64> {
    let info = rustix::system::sysinfo();
    let unit = u64::from(info.mem_unit.max(1));
    Some((info.totalram as u64).saturating_mul(unit))
}

/// The memory of the machine: only Linux has a safe call for it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn memory() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io::Read;

    use super::*;

    #[test]
    fn a_text_is_written_whole() {
        let (mut reader, writer) = io::pipe().unwrap();
        let text: Vec<u8> = (0..300_000_u32).map(|n| n as u8).collect();
        let expected = text.clone();
        let thread = std::thread::spawn(move || send(writer, &text, &|| false));
        let mut found = Vec::new();
        reader.read_to_end(&mut found).unwrap();
        thread.join().unwrap().unwrap();
        assert!(found == expected);
    }

    #[test]
    fn a_full_pipe_is_given_up_on_request() {
        let (reader, writer) = io::pipe().unwrap();
        let asked = Cell::new(0);
        let give_up = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let error = send(&writer, &vec![b'x'; 1 << 22], &give_up).unwrap_err();
        assert_eq!((error.kind(), asked.get()), (io::ErrorKind::TimedOut, 3));
        drop(reader);
        let error = send(&writer, b"x", &|| false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells_the_memory() {
        let text = fs::read_to_string("/proc/meminfo").unwrap();
        let line = text.lines().find(|line| line.starts_with("MemTotal:"));
        let kilobytes: u64 = line
            .unwrap()
            .split_whitespace()
            .nth(1)
            .unwrap()
            .parse()
            .unwrap();
        // A container may be shown less.
        assert!(memory().unwrap() >> 10 >= kilobytes);
    }
}
