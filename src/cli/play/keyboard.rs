//! Lines from the player: with an editor and a history where the terminal allows, plain elsewhere.

use std::borrow::Cow;
use std::io::{self, BufRead, ErrorKind, IsTerminal, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::util::quote;
use crate::util::system::{InputModes, USUAL_TERM};
use rustyline::completion::Completer;
use rustyline::config::Config;
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::history::{DefaultHistory, MemHistory};
use rustyline::validate::Validator;
use rustyline::{ColorMode, Editor, Helper};

/// The longest line in bytes; the rest is dropped.
const LONGEST: u64 = 4096;
/// How often the program checks for a signal while it waits.
const INTERVAL: Duration = Duration::from_millis(50);

pub(super) enum Typed {
    Line(String),
    /// A line that is not UTF-8 text; it is dropped.
    Unreadable,
    Ended(End),
}

/// Why no more lines are read.
pub(super) enum End {
    /// `quit`, Ctrl-D on an empty line, or the end of the input.
    Quit,
    /// Ctrl-C, or a signal.
    Stopped,
    /// The terminal is gone, or cannot be read.
    Lost(String),
}

/// The keyboard. A thread of its own reads it, so a signal need not wait for a line.
pub(super) struct Keyboard {
    prompts: Sender<String>,
    lines: Receiver<Typed>,
    /// The terminal's modes at the start; the editor changes them while it reads.
    terminal: Option<InputModes>,
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.restore();
    }
}

impl Keyboard {
    /// # Errors
    /// No thread can be started.
    pub(super) fn new() -> io::Result<Self> {
        let (prompts, asked) = channel();
        let (answers, lines) = channel();
        let terminal = InputModes::read();
        let editor = editor();
        if let (Some(_), Some(terminal)) = (&editor, &terminal) {
            // The echo would show raw what is typed while Tanada thinks. The editor shows it later.
            terminal.hide_echo();
        }
        let keyboard = Self {
            prompts,
            lines,
            terminal,
        };
        // If it fails, the drop gives the terminal its echo back.
        thread::Builder::new().spawn(move || read_lines(editor, &asked, &answers))?;
        Ok(keyboard)
    }

    fn restore(&self) {
        if let Some(terminal) = &self.terminal {
            terminal.restore();
        }
    }

    pub(super) fn ask(&self, prompt: &str, stop: &AtomicBool) -> Typed {
        let gone = || Typed::Ended(End::Lost("the reader has ended".to_string()));
        if stop.load(Relaxed) {
            return Typed::Ended(End::Stopped);
        }
        if self.prompts.send(prompt.to_string()).is_err() {
            return gone();
        }
        loop {
            match self.lines.recv_timeout(INTERVAL) {
                Ok(typed) => return typed,
                Err(RecvTimeoutError::Disconnected) => return gone(),
                Err(RecvTimeoutError::Timeout) if stop.load(Relaxed) => {
                    // The editor is still waiting for keys and will not restore it.
                    self.restore();
                    // The cursor is behind the prompt.
                    let _ = writeln!(io::stdout());
                    return Typed::Ended(End::Stopped);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Answers each prompt with what is typed.
fn read_lines(mut editor: Option<LineEditor>, prompts: &Receiver<String>, answers: &Sender<Typed>) {
    for prompt in prompts {
        let typed = match &mut editor {
            Some(editor) => edited(editor, &prompt),
            None => plain(&prompt),
        };
        if answers.send(typed).is_err() {
            return;
        }
    }
}

type LineEditor = Editor<Shown, DefaultHistory>;

/// An editor, if the terminal can show one.
fn editor() -> Option<LineEditor> {
    let term = std::env::var("TERM").unwrap_or_else(|_| USUAL_TERM.to_string());
    if term.is_empty() || term == "dumb" || !io::stdout().is_terminal() {
        return None;
    }
    let config = Config::builder()
        // Treat pasted text as typed: its control characters are keys, not part of the line.
        .bracketed_paste(false)
        // `Shown` must always be called; it adds no colours.
        .color_mode(ColorMode::Forced)
        .build();
    let history = MemHistory::with_config(&config);
    let mut editor = Editor::with_history(config, history).ok()?;
    editor.set_helper(Some(Shown));
    Some(editor)
}

fn edited(editor: &mut LineEditor, prompt: &str) -> Typed {
    match editor.readline(prompt) {
        Ok(mut line) => {
            line.truncate(line.floor_char_boundary(LONGEST as usize));
            if !line.trim().is_empty() {
                // The line counts even if the history is full.
                let _ = editor.add_history_entry(&line);
            }
            Typed::Line(line)
        }
        Err(ReadlineError::Interrupted) => Typed::Ended(End::Stopped),
        Err(ReadlineError::Eof) => Typed::Ended(End::Quit),
        Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
            Typed::Unreadable
        }
        Err(error) => Typed::Ended(End::Lost(error.to_string())),
    }
}

fn plain(prompt: &str) -> Typed {
    let mut out = io::stdout();
    // If this fails, the dialogue's next output fails too and is reported.
    let _ = out.write_all(prompt.as_bytes()).and_then(|()| out.flush());
    let mut line = Vec::new();
    loop {
        let mut input = io::stdin().lock().take(LONGEST);
        return match input.read_until(b'\n', &mut line) {
            Ok(0) => {
                let _ = out.write_all(b"\n");
                Typed::Ended(End::Quit)
            }
            Ok(_) => Typed::Line(String::from_utf8_lossy(&line).into_owned()),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => Typed::Ended(End::Lost(error.to_string())),
        };
    }
}

/// Hides control characters in the line, which Ctrl-V or an odd keyboard may have put there.
struct Shown;

impl Highlighter for Shown {
    fn highlight<'l>(&self, line: &'l str, _cursor: usize) -> Cow<'l, str> {
        quote::one_line(line)
    }

    fn highlight_char(&self, line: &str, _cursor: usize, _kind: CmdKind) -> bool {
        line.contains(quote::is_hidden)
    }
}

impl Completer for Shown {
    type Candidate = String;
}
impl Hinter for Shown {
    type Hint = String;
}
impl Validator for Shown {}
impl Helper for Shown {}
