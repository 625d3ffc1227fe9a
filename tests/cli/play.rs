//! A person at a terminal: real sessions over a pseudo-terminal.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};
use tempfile::TempDir;

use super::output;

/// How long the program may take to say something; nothing is measured.
const PATIENCE: Duration = Duration::from_secs(120);

/// The program at one end of a pseudo-terminal.
pub(super) struct Terminal {
    child: Child,
    keys: File,
    /// The end of the program, which stays open to see how it is left.
    end: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
    closed: Arc<AtomicBool>,
    /// Where games are kept, if nobody else knows of it.
    _state: Option<TempDir>,
}

impl Terminal {
    /// With no game to go on with.
    pub(super) fn new(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let state = tempfile::tempdir().unwrap();
        let mut terminal = Self::with_state(state.path(), arguments, environment);
        terminal._state = Some(state);
        terminal
    }

    /// With games kept in this folder.
    fn with_state(state: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let play = [&["play", "--threads", "1", "--seed", "1"], arguments].concat();
        Self::start(state, &play, environment)
    }

    fn start(state: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let controller: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        // Programs that others start meanwhile must not hold this end open.
        fcntl_setfd(&controller, FdFlags::CLOEXEC).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let name = name.into_string().unwrap();
        let end = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).open(&name).unwrap()
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_tanada"));
        command
            .args(arguments)
            .env("TERM", "xterm")
            .env("XDG_STATE_HOME", state)
            .env("XDG_CONFIG_HOME", state)
            .env_remove("TANADA_CONFIG")
            .env_remove("NO_COLOR")
            .envs(environment.iter().copied());
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
        let closed = Arc::new(AtomicBool::new(false));
        let is_closed = Arc::clone(&closed);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                if to.send(bytes[..count].to_vec()).is_err() || is_closed.load(Relaxed) {
                    break;
                }
            }
        });
        Self {
            child,
            keys,
            end: end(),
            screen,
            seen: String::new(),
            closed,
            _state: None,
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

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for the end, after which the terminal must be as it was.
    pub(super) fn end(mut self) -> ExitStatus {
        let status = self.status();
        let modes = tcgetattr(&self.end).unwrap().local_modes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
        status
    }

    fn status(&mut self) -> ExitStatus {
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

    /// Takes the terminal away from the program.
    fn hang_up(self) {
        let Self {
            mut child,
            mut keys,
            end,
            closed,
            ..
        } = self;
        closed.store(true, Relaxed);
        // The thread that reads the screen ends with what it sees next.
        keys.write_all(b"time\n").unwrap();
        drop((keys, end));
        let until = Instant::now() + PATIENCE;
        while child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < until, "the program does not end");
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
            complaint.contains("needs an interactive terminal"),
            "{complaint}"
        );
        assert!(output.stdout.is_empty());
    }
    for (arguments, part) in [
        (
            ["play", "--level", "best"],
            "invalid value `best` for `--level`: expected first-game, novice,",
        ),
        (
            ["play", "--clock", "soon"],
            "invalid value `soon` for `--clock`: expected seconds",
        ),
    ] {
        let output = output(&arguments);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(complaint.contains(part), "{complaint}");
    }
}

#[test]
fn who_starts_the_program_on_a_terminal_is_greeted() {
    let state = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::start(state.path(), &[], &[]);
    let shown = terminal.until("tanada help\r\n");
    assert_eq!(shown.lines().count(), 3, "{shown}");
    assert!(
        shown.starts_with("Tanada plays Tanbo") && shown.contains("tanada play\r\n"),
        "{shown}"
    );
    // It speaks the protocol all the same.
    terminal.line("name", "= Tanada");
    terminal.keys("quit\n");
    assert!(terminal.end().success());
    // Somebody who gives options knows the program.
    let mut terminal = Terminal::start(state.path(), &["--threads", "1"], &[]);
    let shown = terminal.line("name", "= Tanada");
    assert!(!shown.contains("tanada help"), "{shown}");
    terminal.keys("quit\n");
    assert!(terminal.end().success());
    // A client that is no terminal gets nothing but answers.
    let mut child = super::start(&[]);
    child.stdin.take().unwrap().write_all(b"quit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (&output.stdout[..], &output.stderr[..]),
        (&b"= \n\n"[..], &b""[..])
    );
}

#[test]
fn a_person_plays_and_quits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    let mut terminal = Terminal::new(
        &["--size", "9", "--iterations", "20", "--clock", "3600+5"],
        &[],
    );
    let shown = terminal.until("your colour> ");
    assert!(
        shown.contains("Mark Steere") && shown.contains("\x1b[1;36mX\x1b[0m"),
        "{shown}"
    );
    terminal.line("black", "black> ");
    assert!(terminal.line("E5", "black> ").contains("illegal move `E5`"));
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
    let records = tanada::games::default().read_games(&std::fs::read(path).unwrap());
    let record = &records.unwrap()[0];
    assert_eq!((record.moves.len(), record.main_time), (2, Some(3600.0)));
    assert_eq!(record.comment.as_deref(), Some("The player chose black."));
}

#[test]
fn a_saved_game_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    std::fs::write(&path, "(;SZ[9];B[bg];W[bc];B[bf])").unwrap();
    let path = path.to_str().unwrap();
    for file in [&[path][..], &["--setup", path]] {
        let mut terminal = Terminal::new(&[file, &["--iterations", "20"]].concat(), &[]);
        let shown = terminal.until("your colour> ");
        assert!(
            shown.contains("continues after 3 moves, the last one B4. It is white's turn."),
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
        let records = tanada::games::default().read_games(&saved).unwrap();
        assert_eq!(records[0].moves.len(), 2);
    }
}

#[test]
fn all_games_are_played_without_colours_where_they_are_not_wanted() {
    for (arguments, colour) in [
        (&["--game", "taratibu", "--iterations", "20"][..], "black"),
        (&["--players", "4", "--iterations", "20"], "green"),
    ] {
        for environment in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let mut terminal = Terminal::new(arguments, &[environment]);
            let mut shown = terminal.until("your colour> ");
            shown += &terminal.line(colour, &format!("{colour}> "));
            assert!(shown.contains("Tanada plays "), "{shown}");
            // The editor still moves the cursor.
            let control = if environment.0 == "TERM" {
                "\x1b"
            } else {
                "m\x1b[0m"
            };
            assert!(
                !shown.contains(control) && !shown.contains(";7m"),
                "{shown:?}"
            );
            terminal.keys("quit\n");
            assert!(terminal.end().success());
        }
    }
}

#[test]
fn without_options_the_game_is_small_and_friendly() {
    let mut terminal = Terminal::new(&[], &[]);
    let shown = terminal.until("your colour> ");
    assert!(
        shown.contains("Level easy: ") && shown.contains("A B C D E F G H J\r\n"),
        "{shown}"
    );
    assert!(
        shown.contains("`level casual` makes Tanada stronger"),
        "{shown}"
    );
    terminal.keys("\x04");
    assert!(terminal.end().success());
}

#[test]
fn lines_are_edited_and_remembered() {
    let mut terminal = Terminal::new(&["--iterations", "20"], &[]);
    terminal.until("your colour> ");
    terminal.line("black", "black> ");
    // `3`, left, `B`; then the second to last line again.
    assert!(
        terminal
            .line("3\x1b[DB", "Time: ")
            .contains("Tanada plays white ")
    );
    terminal.until("black> ");
    assert!(
        terminal
            .line("time", "Time: black ")
            .ends_with("Time: black ")
    );
    terminal.until("black> ");
    assert!(
        terminal
            .line("\x1b[A\x1b[A\x1b[A\x1b[B\x1b[B", "Time: black ")
            .contains("time")
    );
    // Between two lines the terminal itself would take the key.
    terminal.until("black> ");
    terminal.keys("\x04");
    assert!(terminal.end().success());
}

#[test]
fn nothing_typed_is_shown_raw() {
    for environment in [("TERM", "xterm"), ("TERM", "dumb")] {
        let mut terminal = Terminal::new(&["--iterations", "20"], &[environment]);
        terminal.until("your colour> ");
        terminal.line("black", "black> ");
        // Ctrl-V takes the next key as it is.
        let mut shown = String::new();
        if environment.1 == "xterm" {
            shown = terminal.line("\x16\x1b]0;title\x16\x07\u{202e}x", "or see `help`.");
            assert!(
                shown.contains("`\u{fffd}]0;title\u{fffd}\u{fffd}x`"),
                "{shown:?}"
            );
        }
        shown += &terminal.line("\x1b]0;title\x07 one two", "lists the commands.");
        shown += &terminal.until("black> ");
        for raw in ["\x1b]", "\u{202e}"] {
            assert!(!shown.contains(raw), "{shown:?}");
        }
        terminal.keys("\x04");
        assert!(terminal.end().success());
    }
}

/// Whether the terminal shows by itself what is typed.
fn has_echo(terminal: &Terminal) -> bool {
    let modes = tcgetattr(&terminal.end).unwrap().local_modes;
    modes.contains(LocalModes::ECHO)
}

#[test]
fn a_byte_that_is_no_text_ends_nothing() {
    let mut terminal = Terminal::new(&["--iterations", "20"], &[]);
    terminal.until("your colour> ");
    terminal.line("black", "black> ");
    for bytes in [&b"B\xff\n"[..], b"caf\xe9 B3\n"] {
        terminal.keys.write_all(bytes).unwrap();
        terminal.until("The line is not UTF-8 text and was dropped; type it again.");
        terminal.until("black> ");
    }
    let shown = terminal.line("B3", "Time: ");
    assert!(shown.contains("Tanada plays white "), "{shown}");
    terminal.until("black> ");
    terminal.keys("\x04");
    assert!(terminal.end().success());
}

#[test]
fn pasted_lines_are_all_read() {
    let mut terminal = Terminal::new(&["--iterations", "20"], &[]);
    terminal.until("your colour> ");
    let shown = terminal.line("black\nB3\nlegal\nundo", "Taken back.");
    assert!(
        shown.contains("Tanada plays white ") && shown.contains(" legal moves:"),
        "{shown}"
    );
    terminal.until("black> ");
    terminal.keys("\x04");
    assert!(terminal.end().success());
}

#[test]
fn what_is_typed_while_tanada_thinks_is_read_later() {
    let thinks = ["--level", "full", "--time-per-move", "2"];
    let mut terminal = Terminal::new(&thinks, &[]);
    terminal.until("your colour> ");
    terminal.line("black", "black> ");
    terminal.line("B3", "Tanada plays white ");
    assert!(!has_echo(&terminal));
    let shown = terminal.line("\u{9b}2J\u{202e}\nlegal", " legal moves:");
    assert!(!shown.contains(['\u{9b}', '\u{202e}']), "{shown:?}");
    terminal.until("black> ");
    terminal.keys("\x04");
    assert!(terminal.end().success());
}

#[test]
fn two_signals_leave_the_terminal_as_it_was() {
    let thinks = ["--level", "full", "--iterations", "1000000000"];
    let mut terminal = Terminal::new(&thinks, &[]);
    terminal.until("your colour> ");
    terminal.line("black", "black> ");
    terminal.line("B3", "Tanada plays white ");
    terminal.signal(Signal::INT);
    terminal.signal(Signal::INT);
    terminal.until("The game is kept");
    assert_eq!(terminal.end().code(), Some(130));
}

#[test]
fn whoever_leaves_can_go_on() {
    let state = tempfile::tempdir().unwrap();
    let kept = state.path().join("tanada/unfinished-game");
    let offer = "You left a game of Tanbo on 9x9 after 2 moves (you play black, level full).";
    let go_on = |arguments: &[&str]| {
        let mut terminal = Terminal::with_state(state.path(), arguments, &[]);
        let shown = terminal.until("continue? ");
        assert!(shown.contains(offer), "{shown}");
        let shown = terminal.line("yes", "black> ");
        assert!(shown.contains("You play black."), "{shown}");
        terminal
    };
    let mut terminal = Terminal::with_state(state.path(), &["--iterations", "20"], &[]);
    terminal.until("your colour> ");
    terminal.line("black", "black> ");
    terminal.line("B3", "black> ");
    let mut shown = terminal.line("quit", "The game is kept");
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        assert!(shown.contains("The game is kept"), "{shown}");
        assert!(terminal.end().success() || shown.contains("interrupted"));
        terminal = go_on(&["--iterations", "20"]);
        terminal.signal(signal);
        shown = terminal.until("The game is kept");
        assert!(shown.contains("tanada: interrupted"), "{shown}");
        assert_eq!(terminal.status().code(), Some(status));
    }
    terminal.end();
    for (key, status) in [("\x03", 130), ("\x04", 0)] {
        let mut terminal = go_on(&["--iterations", "20"]);
        terminal.keys(key);
        terminal.until("The game is kept");
        assert_eq!(terminal.end().code(), Some(status));
    }
    go_on(&["--iterations", "20"]).hang_up();

    // What the settings say was not asked for.
    let settings = [
        ("TANADA_SIZE", "5"),
        ("TANADA_CLOCK", "600+5"),
        ("TANADA_LEVEL", "hard"),
    ];
    let mut terminal = Terminal::with_state(state.path(), &["--iterations", "20"], &settings);
    let shown = terminal.until("continue? ");
    assert!(shown.contains(offer), "{shown}");
    let shown = terminal.line("yes", "black> ");
    assert!(!shown.contains("hard"), "{shown}");
    terminal.hang_up();

    // Other options do not go on, and do not lose the game.
    let mut terminal = Terminal::with_state(state.path(), &["--size", "5"], &[]);
    let shown = terminal.until("your colour> ");
    assert!(shown.contains(offer.trim_end_matches('.')), "{shown}");
    terminal.keys("\x04");
    assert!(terminal.end().success() && kept.exists());

    // While Tanada thinks it is the same: the position before its move is kept.
    let mut terminal = go_on(&["--iterations", "1000000000", "--level", "full"]);
    terminal.line("B4", "Tanada plays white ");
    terminal.signal(Signal::INT);
    terminal.until("The game is kept");
    assert_eq!(terminal.end().code(), Some(130));
    let mut terminal = Terminal::with_state(state.path(), &["--iterations", "20"], &[]);
    assert!(terminal.until("continue? ").contains("after 3 moves"));
    assert!(
        terminal
            .line("yes", "black> ")
            .contains("Tanada plays white ")
    );
    // A game that is over is not offered again.
    terminal.line("resign", "game over> ");
    assert!(
        terminal
            .line("help", "game over> ")
            .contains("What still works")
    );
    terminal.keys("quit\n");
    assert!(terminal.end().success());
    assert!(!kept.exists());
}

#[test]
fn a_state_that_cannot_be_written_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut terminal = Terminal::with_state(&file, &["--iterations", "20"], &[]);
    terminal.until("your colour> ");
    terminal.line("black", "black> ");
    terminal.line("B3", "black> ");
    terminal.line("quit", "The game is not kept: cannot write `");
    assert!(terminal.end().success());
}
