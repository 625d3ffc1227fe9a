//! A child process that speaks GTP: commands out, answers in, with limits on every wait.

use std::io::{self, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
use std::thread;
use std::time::{Duration, Instant};

use super::channel::{Channel, Fault, Reply, Wait};
use super::engine::Program;
use super::pipe::{ErrorLines, MAX_ANSWER, Reader, Writer};
use crate::util::quote::shorten;
use crate::util::system;

/// How long a program may leave its input unread. The pipe holds some thousand bytes, most of them
/// answered already.
const WRITE_LIMIT: Duration = Duration::from_secs(10);

/// The number of lines that a program may write before its first answer, such as a banner.
const MOST_NOISE: usize = 1000;

/// How long a process may take to end after closing its pipes, before it counts as running on.
const LAST_BREATH: Duration = Duration::from_millis(500);

/// How often a wait checks whether the match was stopped.
const POLL: Duration = Duration::from_millis(20);

pub(super) struct Process {
    child: Child,
    input: Writer,
    output: Reader,
    errors: ErrorLines,
    answered: bool,
    /// Whether the process was waited for.
    reaped: bool,
}

impl Process {
    pub(super) fn spawn(program: &Program) -> io::Result<Self> {
        let words = program.command.split_first();
        let (name, arguments) = words.ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(name);
        command
            .args(arguments)
            // An engine that is a Tanada plays as its command line says, whoever runs the match.
            .env("TANADA_CONFIG", "")
            .envs(&program.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        // A process group of its own: the runner handles Ctrl-C, and can end everything that the
        // program started.
        system::separate(&mut command);
        let mut child = command.spawn()?;
        match Self::pipes(&mut child) {
            Ok((input, output, errors)) => Ok(Self {
                child,
                input,
                output,
                errors,
                answered: false,
                reaped: false,
            }),
            Err(error) => {
                system::kill_group(&mut child);
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Starts the threads of its pipes.
    fn pipes(child: &mut Child) -> io::Result<(Writer, Reader, ErrorLines)> {
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let errors = ErrorLines::new(BufReader::new(stderr))?;
        Ok((Writer::new(stdin)?, Reader::new(stdout)?, errors))
    }

    /// Whether the program has ended.
    fn has_ended(&mut self) -> bool {
        self.reaped || system::has_ended(&mut self.child)
    }

    /// Ends the program, if it runs, with everything it started. Returns how it ended.
    fn reap(&mut self) -> String {
        if !self.reaped {
            system::kill_group(&mut self.child);
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
        // Another thread reads its last lines.
        while !self.errors.is_closed() && Instant::now() < end {
            thread::sleep(Duration::from_millis(1));
        }
        Fault::Crash(format!("ended with {status}"))
    }

    /// Sends a line. A program that does not read it in time would not answer it either.
    fn write(&mut self, wait: &Wait<'_>) -> Result<(), Fault> {
        self.input.send(wait.line);
        let limit = wait.sent + WRITE_LIMIT;
        let limit = wait.deadline.map_or(limit, |deadline| deadline.min(limit));
        loop {
            match self.input.wait(POLL) {
                Ok(()) => return Ok(()),
                Err(Disconnected) => return Err(self.closed()),
                Err(Timeout) if wait.is_stopped() => return Err(Fault::Interrupted),
                Err(Timeout) if Instant::now() >= limit => return Err(Fault::Deaf),
                Err(Timeout) => wait.tell(),
            }
        }
    }

    /// The next line of the output, if it came before the deadline.
    fn line(&mut self, wait: &Wait<'_>) -> Result<(Instant, String), Fault> {
        let mut last_poll = Instant::now();
        loop {
            let now = Instant::now();
            if wait.is_stopped() {
                return Err(Fault::Interrupted);
            }
            wait.tell();
            let is_late = |at: Instant| wait.deadline.is_some_and(|deadline| at > deadline);
            let slice = match wait.deadline {
                Some(deadline) => POLL.min(deadline.saturating_duration_since(now)),
                None => POLL,
            };
            match self.output.line(slice) {
                Ok((at, _)) if is_late(at) => return Err(Fault::Timeout),
                Ok(line) => return Ok(line),
                Err(Disconnected) => return Err(self.closed()),
                Err(Timeout) if is_late(now) => return Err(Fault::Timeout),
                Err(Timeout) => {}
            }
            // A child of a program that has ended may hold its output open.
            if last_poll.elapsed() >= LAST_BREATH {
                if self.has_ended() {
                    return Err(self.closed());
                }
                last_poll = Instant::now();
            }
        }
    }

    /// Sends a line and reads its answer.
    fn exchange(&mut self, wait: &Wait<'_>) -> Result<Reply, Fault> {
        self.write(wait)?;
        let mut noise = 0;
        let mut text: Option<(bool, String)> = None;
        let mut length = 0;
        loop {
            let (at, line) = self.line(wait)?;
            length += line.len();
            let line = line.trim_end_matches(['\n', '\r']);
            if length > MAX_ANSWER {
                return Err(Fault::Garbage(shorten(line, 60)));
            }
            match &mut text {
                Some((is_ok, text)) if line.trim().is_empty() => {
                    self.answered = true;
                    return Ok(Reply {
                        is_ok: *is_ok,
                        text: text.trim().to_string(),
                        elapsed: at.saturating_duration_since(wait.sent),
                    });
                }
                Some((_, text)) => {
                    text.push('\n');
                    text.push_str(line);
                }
                None if line.trim().is_empty() && noise < MOST_NOISE => noise += 1,
                None if at < wait.sent && self.answered && line.starts_with(['=', '?']) => {
                    return Err(Fault::Unasked(shorten(line, 60)));
                }
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
}

impl Channel for Process {
    fn ask(&mut self, wait: &Wait<'_>) -> Result<Reply, Fault> {
        // A service manager ends engines together with the runner; that is not their fault.
        let answer = self.exchange(wait);
        answer.map_err(|fault| {
            if wait.is_stopped() {
                Fault::Interrupted
            } else {
                fault
            }
        })
    }

    fn stderr_tail(&self) -> Vec<String> {
        self.errors.lines()
    }
}

impl Drop for Process {
    /// Ends the program: by `quit` and the end of its input, then by force.
    fn drop(&mut self) {
        self.input.close("quit");
        let end = Instant::now() + LAST_BREATH;
        while !self.has_ended() && Instant::now() < end {
            thread::sleep(Duration::from_millis(2));
        }
        self.reap();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::lab::matches::channel::Supervisor;

    fn start(script: &str) -> Process {
        let program = Program {
            command: ["sh", "-c", script].map(str::to_string).to_vec(),
            ..Program::default()
        };
        Process::spawn(&program).unwrap()
    }

    fn ask(process: &mut Process, line: &str, time: Duration) -> Result<String, Fault> {
        let begin = Instant::now();
        // Stops the match after half a minute.
        let stop = || begin.elapsed() > Duration::from_secs(30);
        let supervisor = Supervisor {
            stop: &stop,
            waiting: &|_| {},
        };
        let wait = Wait::new("A", line, Duration::ZERO, time, &supervisor);
        process.ask(&wait).map(|reply| reply.text)
    }

    const SOON: Duration = Duration::from_millis(300);
    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn a_program_that_answers_without_reading_is_given_up() {
        let chatter = "while :; do printf '= x\n\n'; sleep 0.01; done";
        // More than a pipe holds.
        let line = "x".repeat(300_000);
        for (time, script) in [(SOON, chatter), (LONG, chatter), (SOON, "sleep 600")] {
            let begin = Instant::now();
            let mut process = start(script);
            assert_eq!(ask(&mut process, &line, time), Err(Fault::Deaf));
            drop(process);
            assert!(begin.elapsed() < Duration::from_secs(25));
        }
    }

    #[test]
    fn an_answer_before_its_command_is_a_fault() {
        let mut process = start("printf '= a\n\n= b\n\n'; sleep 600");
        assert_eq!(ask(&mut process, "name", LONG), Ok("a".to_string()));
        let unasked = Fault::Unasked("= b".to_string());
        assert_eq!(ask(&mut process, "version", LONG), Err(unasked));
        // Empty lines after an answer are ignored.
        let echo = "while read -r line; do printf '= %s\n\n\n' \"$line\"; done";
        let mut process = start(echo);
        for line in ["name", "version", "quit"] {
            assert_eq!(ask(&mut process, line, LONG), Ok(line.to_string()));
        }
    }

    #[test]
    fn settings_of_the_user_are_no_settings_of_a_program() {
        let answer = "printf '= file %s\n\n' \"${TANADA_CONFIG-of the user}\"; sleep 600";
        let mut process = start(answer);
        assert_eq!(ask(&mut process, "name", LONG), Ok("file".to_string()));
        let mut named = Program {
            command: ["sh", "-c", answer].map(str::to_string).to_vec(),
            ..Program::default()
        };
        let variable = ("TANADA_CONFIG".to_string(), "named".to_string());
        named.environment.extend([variable]);
        let mut process = Process::spawn(&named).unwrap();
        assert_eq!(
            ask(&mut process, "name", LONG),
            Ok("file named".to_string())
        );
    }

    #[test]
    fn a_program_is_told_to_quit() {
        let folder = tempfile::tempdir().unwrap();
        let told = folder.path().join("told");
        let script = format!(
            "while read -r line; do echo \"$line\" >>{0}; printf '=\\n\\n'; done; echo end >>{0}",
            told.display()
        );
        let mut process = start(&script);
        assert_eq!(ask(&mut process, "name", LONG), Ok(String::new()));
        drop(process);
        let told = std::fs::read_to_string(told).unwrap();
        assert!(told.starts_with("name\nquit\n"), "{told}");
    }
}
