//! Windows.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

// Files

/// Whether the path is a stream: the console, or `NUL`.
pub(crate) fn is_stream(path: &Path) -> bool {
    let is = |name: &&str| path.as_os_str().eq_ignore_ascii_case(name);
    ["NUL", "CON", "CONOUT$"].iter().any(is)
}

/// Opens a [stream](is_stream) for writing.
pub(crate) fn open_stream(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// Identifies an existing file.
pub(crate) fn identity(path: &Path) -> Option<impl PartialEq + use<>> {
    same_file::Handle::from_path(path).ok()
}

/// A new file has the permissions of its folder; the temporary folder belongs to the user.
pub(crate) fn make_private(_: &mut OpenOptions) {}

/// Permissions are not checked.
pub(crate) fn is_readable_by_others(_: &Metadata) -> bool {
    false
}

/// Windows has no call that flushes a folder.
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

// Streams

/// A pipe does not tell whether it has room.
pub(crate) fn has_room(_: impl Write, _: Duration) -> io::Result<bool> {
    Ok(true)
}

/// Writes the whole text. It waits for a reader that does not read, and never asks `give_up`.
pub(crate) fn send(mut to: impl Write, text: &[u8], _: &dyn Fn() -> bool) -> io::Result<()> {
    to.write_all(text).and_then(|()| to.flush())
}

// The terminal

/// The value to assume if `TERM` is unset: every console has the keys that an editor needs.
pub(crate) const USUAL_TERM: &str = "windows";

/// Nothing needs to be hidden or restored: a console echoes only while a line is read, and the editor,
/// which reads Ctrl-C as a key, restores its modes itself.
pub(crate) struct InputModes;

impl InputModes {
    pub(crate) fn read() -> Option<Self> {
        Some(Self)
    }

    pub(crate) fn hide_echo(&self) {}

    pub(crate) fn restore(&self) {}
}

// Processes

/// The signals that end the program. Windows sends only the first, for Ctrl-C; when its window is
/// closed the program ends at once.
pub(crate) fn ending_signals() -> impl Iterator<Item = i32> {
    [SIGINT, SIGTERM].into_iter()
}

/// Whether a process with this number may be running on this machine; only locks tell of others.
pub(crate) fn is_alive(process: u32) -> bool {
    process == std::process::id()
}

/// Gives a child a process group of its own: Ctrl-C does not reach it.
pub(crate) fn separate(command: &mut Command) {
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// Whether a child has ended.
pub(crate) fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Ends a child. What it started goes on, because a group cannot be ended.
pub(crate) fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

/// The processor time that the program has used: the standard library does not tell it.
pub(crate) fn processor_time() -> Option<Duration> {
    None
}

/// The memory of the machine: the standard library does not tell it.
pub(crate) fn memory() -> Option<u64> {
    None
}
