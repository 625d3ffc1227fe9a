//! A program behind pipes: lines out, answers in, with a limit on the wait.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::channel::{Channel, Fault, Reply, Wait};
use super::engine::Program;
use crate::quote::shorten;

/// The longest line of an answer, in bytes; no answer has a longer one.
const MAX_LINE: u64 = 1 << 20;

/// Lines that a program may write before its first answer: banners.
const MOST_NOISE: usize = 1000;

/// Lines of the standard error that are kept.
const STDERR_LINES: usize = 30;

/// How long a process whose pipes are closed may take to end, before it counts as running on.
const LAST_BREATH: Duration = Duration::from_millis(500);

/// How often a wait looks whether the match was stopped.
const POLL: Duration = Duration::from_millis(20);

/// A running program.
pub(super) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Instant, Vec<u8>)>,
    errors: Arc<Mutex<VecDeque<String>>>,
    error_reader: Option<JoinHandle<()>>,
    answered: bool,
}

impl Process {
    /// Starts a program.
    pub(super) fn spawn(program: &Program) -> io::Result<Self> {
        let (name, arguments) = program
            .command
            .split_first()
            .ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(name);
        command
            .args(arguments)
            .envs(&program.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        // A group of its own: an interrupt at the terminal is the runner's to deal with, and what
        // the program started ends with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let (sender, lines) = channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || forward(BufReader::new(output), &sender));
        }
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        let error_reader = child.stderr.take().map(|stderr| {
            let errors = Arc::clone(&errors);
            thread::spawn(move || keep_tail(BufReader::new(stderr), &errors))
        });
        Ok(Self {
            input: child.stdin.take(),
            child,
            lines,
            errors,
            error_reader,
            answered: false,
        })
    }

    /// Why there are no more lines.
    fn closed(&mut self) -> Fault {
        let end = Instant::now() + LAST_BREATH;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    // Its last words are read by another thread; what it started may hold the
                    // stream open.
                    let reads = |reader: &JoinHandle<()>| !reader.is_finished();
                    while self.error_reader.as_ref().is_some_and(reads) && Instant::now() < end {
                        thread::sleep(Duration::from_millis(1));
                    }
                    return Fault::Crash(format!("ended with {status}"));
                }
                Ok(None) if Instant::now() < end => thread::sleep(POLL),
                _ => return Fault::Disconnected,
            }
        }
    }

    /// The next line that is no noise before the first answer.
    fn line(&mut self, wait: &Wait<'_>) -> Result<(Instant, Vec<u8>), Fault> {
        loop {
            let now = Instant::now();
            if (wait.stop)() {
                return Err(Fault::Interrupted);
            }
            let slice = match wait.deadline {
                Some(deadline) if deadline <= now => Duration::ZERO,
                Some(deadline) => POLL.min(deadline - now),
                None => POLL,
            };
            match self.lines.recv_timeout(slice) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) if wait.deadline.is_some_and(|d| d <= now) => {
                    return Err(Fault::Timeout);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.closed()),
            }
        }
    }
}

impl Channel for Process {
    fn ask(&mut self, line: &str, wait: &Wait<'_>) -> Result<Reply, Fault> {
        let sent = Instant::now();
        let written = self
            .input
            .as_mut()
            .is_some_and(|input| input.write_all(format!("{line}\n").as_bytes()).is_ok());
        if !written {
            return Err(self.closed());
        }
        let mut noise = 0;
        let mut text: Option<(bool, String)> = None;
        loop {
            let (at, bytes) = self.line(wait)?;
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim_end_matches(['\n', '\r']);
            match &mut text {
                Some((is_ok, text)) if line.trim().is_empty() => {
                    self.answered = true;
                    return Ok(Reply {
                        is_ok: *is_ok,
                        text: text.trim().to_string(),
                        elapsed: at.saturating_duration_since(sent),
                    });
                }
                Some((_, text)) => {
                    text.push('\n');
                    text.push_str(line);
                }
                None if line.trim().is_empty() => {}
                None => match line.strip_prefix('=').or(line.strip_prefix('?')) {
                    Some(rest) => text = Some((line.starts_with('='), rest.to_string())),
                    None if self.answered || noise >= MOST_NOISE => {
                        return Err(Fault::Garbage(shorten(line, 60)));
                    }
                    None => noise += 1,
                },
            }
        }
    }

    fn stderr_tail(&self) -> Vec<String> {
        self.errors.lock().iter().cloned().collect()
    }
}

impl Drop for Process {
    /// Ends the program: by the end of its input, then by force, with all that it started.
    fn drop(&mut self) {
        self.input = None;
        let end = Instant::now() + LAST_BREATH;
        while let Ok(None) = self.child.try_wait() {
            if Instant::now() < end {
                thread::sleep(Duration::from_millis(2));
                continue;
            }
            #[cfg(unix)]
            if let Some(group) = rustix::process::Pid::from_raw(self.child.id() as i32) {
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Passes lines on with the moment they came, until the stream or the receiver ends.
fn forward(mut output: impl BufRead, sender: &Sender<(Instant, Vec<u8>)>) {
    loop {
        let mut line = Vec::new();
        match output.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if sender.send((Instant::now(), line)).is_err() => return,
            Ok(_) => {}
        }
    }
}

fn keep_tail(mut stderr: impl BufRead, tail: &Mutex<VecDeque<String>>) {
    loop {
        let mut line = Vec::new();
        match stderr.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                let mut tail = tail.lock();
                if tail.len() >= STDERR_LINES {
                    tail.pop_front();
                }
                tail.push_back(shorten(text.trim_end(), 300));
            }
        }
    }
}
