//! A person at a terminal: real sessions over a pseudo-terminal.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::output;

/// How long the program may take to say something; nothing is measured.
const PATIENCE: Duration = Duration::from_secs(120);

/// The program at one end of a pseudo-terminal.
pub(super) struct Terminal {
    child: Child,
    keys: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    pub(super) fn new(arguments: &[&str], no_color: bool) -> Self {
        let controller: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let name = name.into_string().unwrap();
        let end = || {
            Stdio::from(
                OpenOptions::new()
                    .read(true)
                    .write(true)
                    .open(&name)
                    .unwrap(),
            )
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_tanada"));
        command
            .args(["play", "--threads", "1", "--seed", "1"])
            .args(arguments)
            .env("TERM", "xterm")
            .env_remove("NO_COLOR");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        let child = command
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        // The ends that the command holds are closed with it.
        drop(command);
        let keys = File::from(controller);
        let mut from = keys.try_clone().unwrap();
        let (to, screen) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                if to.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            keys,
            screen,
            seen: String::new(),
        }
    }

    /// What is shown up to `part`, which has to come.
    pub(super) fn until(&mut self, part: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.find(part) {
                let rest = self.seen.split_off(at + part.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let left = end.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.seen += &String::from_utf8(bytes).unwrap(),
                Err(_) => panic!("`{part}` does not come, but\n{}", self.seen),
            }
        }
    }

    pub(super) fn keys(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }

    /// Types a line; what is shown up to `part`.
    pub(super) fn line(&mut self, text: &str, part: &str) -> String {
        self.keys(&format!("{text}\n"));
        self.until(part)
    }

    pub(super) fn end(mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            if Instant::now() > end {
                self.child.kill().unwrap();
                panic!("the program does not end");
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn without_a_terminal_it_says_what_it_needs() {
    for arguments in [&["play"][..], &["play", "--game", "taratibu"]] {
        let output = output(arguments);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        assert!(
            complaint.contains("needs a terminal on standard input"),
            "{complaint}"
        );
        assert!(output.stdout.is_empty());
    }
    for (arguments, part) in [
        (["play", "--level", "best"], "`best` is no level"),
        (
            ["play", "--clock", "soon"],
            "`soon` is no value of `--clock`",
        ),
    ] {
        let output = output(&arguments);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(complaint.contains(part), "{complaint}");
    }
}

#[test]
fn a_person_plays_and_quits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let mut terminal = Terminal::new(
        &["--size", "9", "--iterations", "20", "--clock", "3600+5"],
        false,
    );
    let shown = terminal.until("your colour> ");
    assert!(
        shown.contains("Mark Steere") && shown.contains("\x1b[1;36mX\x1b[0m"),
        "{shown}"
    );
    terminal.line("black", "black> ");
    assert!(terminal.line("E5", "black> ").contains("`E5` is illegal"));
    assert!(
        terminal
            .line("hint", "black> ")
            .contains("Tanada would play ")
    );
    let shown = terminal.line("B3", "black> ");
    assert!(
        shown.contains("Tanada plays white ") && shown.contains(";7mO"),
        "{shown}"
    );
    assert!(terminal.line("why", "black> ").contains("It gave itself "));
    let save = format!("save {}", path.display());
    assert!(terminal.line(&save, "black> ").contains("Saved as"));
    terminal.keys("quit\n");
    assert!(terminal.end().success());
    let sheets = tanada::games::default().read_games(&std::fs::read(path).unwrap());
    let sheet = &sheets.unwrap()[0];
    assert_eq!((sheet.moves.len(), sheet.main_time), (2, Some(3600.0)));
    assert_eq!(sheet.comment.as_deref(), Some("The player chose black."));
}

#[test]
fn a_saved_game_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    std::fs::write(&path, "(;SZ[9];B[bg];W[bc];B[bf])").unwrap();
    let path = path.to_str().unwrap();
    for file in [&[path][..], &["--setup", path]] {
        let mut terminal = Terminal::new(&[file, &["--iterations", "20"]].concat(), true);
        let shown = terminal.until("your colour> ");
        assert!(
            shown.contains("goes on after 3 moves, the last one B4. It is white's turn."),
            "{shown}"
        );
        let shown = terminal.line("black", "black> ");
        assert!(shown.contains("Tanada plays white "), "{shown}");
        terminal.line("undo", "black> ");
        let save = format!("save {path}.{}", file.len());
        assert!(terminal.line(&save, "black> ").contains("Saved as"));
        terminal.keys("quit\n");
        assert!(terminal.end().success());
        let saved = std::fs::read(format!("{path}.{}", file.len())).unwrap();
        let sheets = tanada::games::default().read_games(&saved).unwrap();
        assert_eq!(sheets[0].moves.len(), 2);
    }
}

#[test]
fn all_games_are_played_without_colours_where_they_are_not_wanted() {
    for (arguments, colour) in [
        (&["--game", "taratibu", "--iterations", "20"][..], "black"),
        (&["--players", "4", "--iterations", "20"], "green"),
    ] {
        let mut terminal = Terminal::new(arguments, true);
        let mut shown = terminal.until("your colour> ");
        shown += &terminal.line(colour, &format!("{colour}> "));
        assert!(
            shown.contains("Tanada plays ") && !shown.contains('\x1b'),
            "{shown}"
        );
        terminal.keys("quit\n");
        assert!(terminal.end().success());
    }
}

#[test]
fn interrupts_and_the_end_of_input_leave_cleanly() {
    for thinking in [false, true] {
        let mut terminal = Terminal::new(&["--size", "9", "--iterations", "1000000000"], false);
        terminal.until("your colour> ");
        match thinking {
            true => terminal.line("white", "Tanada plays black "),
            false => terminal.line("black", "black> "),
        };
        let id = Pid::from_child(&terminal.child);
        kill_process(id, Signal::INT).unwrap();
        assert_eq!(terminal.end().code(), Some(130));
    }
    let mut terminal = Terminal::new(&["--size", "9"], false);
    terminal.until("your colour> ");
    terminal.keys("\x04");
    assert!(terminal.end().success());
}
