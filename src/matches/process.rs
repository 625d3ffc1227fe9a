//! A program behind pipes: lines out, answers in, with a limit on the wait.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::channel::{Channel, Fault, Reply, Wait};
use super::engine::Program;
use crate::quote::shorten;

/// The longest line of an answer, in bytes; no answer has a longer one.
const MAX_LINE: u64 = 1 << 20;

/// The longest answer, in bytes, with what stands before it.
const MAX_ANSWER: usize = 4 << 20;

/// Lines that wait to be read; beyond them a program that floods its output has to wait.
const QUEUE: usize = 1024;

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
    /// Whether the system has forgotten the process.
    reaped: bool,
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
        let (sender, lines) = sync_channel(QUEUE);
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
            reaped: false,
        })
    }

    /// Whether the program itself has ended. Its number stays taken until it is reaped, so that
    /// its group can be ended without hitting another.
    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let Some(pid) = Pid::from_raw(self.child.id() as i32).filter(|_| !self.reaped) else {
            return true;
        };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
    }

    /// Whether the program has ended.
    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends the program, if it runs, and all that it started; how it ended.
    fn reap(&mut self) -> String {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.child.id() as i32)
            && !self.reaped
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let status = self.child.wait();
        self.reaped = true;
        status.map_or_else(|error| error.to_string(), |status| status.to_string())
    }

    /// Why there are no more lines.
    fn closed(&mut self) -> Fault {
        let end = Instant::now() + LAST_BREATH;
        while !self.has_ended() {
            if Instant::now() >= end {
                return Fault::Disconnected;
            }
            thread::sleep(POLL);
        }
        let status = self.reap();
        // Its last words are read by another thread.
        let reads = |reader: &JoinHandle<()>| !reader.is_finished();
        while self.error_reader.as_ref().is_some_and(reads) && Instant::now() < end {
            thread::sleep(Duration::from_millis(1));
        }
        Fault::Crash(format!("ended with {status}"))
    }

    /// The next line, if it came before the deadline.
    fn line(&mut self, wait: &Wait<'_>) -> Result<(Instant, Vec<u8>), Fault> {
        let mut last_poll = Instant::now();
        loop {
            let now = Instant::now();
            if (wait.stop)() {
                return Err(Fault::Interrupted);
            }
            let is_late = |at: Instant| wait.deadline.is_some_and(|deadline| at > deadline);
            let slice = match wait.deadline {
                Some(deadline) => POLL.min(deadline.saturating_duration_since(now)),
                None => POLL,
            };
            match self.lines.recv_timeout(slice) {
                Ok((at, _)) if is_late(at) => return Err(Fault::Timeout),
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.closed()),
                Err(RecvTimeoutError::Timeout) if is_late(now) => return Err(Fault::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // What a program that has ended started may hold its output open.
            if last_poll.elapsed() >= LAST_BREATH {
                if self.has_ended() {
                    return Err(self.closed());
                }
                last_poll = Instant::now();
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
        let mut length = 0;
        loop {
            let (at, bytes) = self.line(wait)?;
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim_end_matches(['\n', '\r']);
            length += bytes.len();
            if length > MAX_ANSWER {
                return Err(Fault::Garbage(shorten(line, 60)));
            }
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
                None if line.trim().is_empty() && noise < MOST_NOISE => noise += 1,
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
        while !self.has_ended() && Instant::now() < end {
            thread::sleep(Duration::from_millis(2));
        }
        self.reap();
    }
}

/// Passes lines on with the moment they came, until the stream or the receiver ends.
fn forward(mut output: impl BufRead, sender: &SyncSender<(Instant, Vec<u8>)>) {
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
