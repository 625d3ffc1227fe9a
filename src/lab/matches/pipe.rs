//! The pipes of a program, each with its own thread. The runner can give up waiting for either: a
//! program may neither read nor write, or write without end.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::util::quote::shorten;

/// Bytes read at once. At most [`CHUNKS`] chunks wait to be taken: 4 MiB, the longest answer. A
/// program that writes more has to wait.
const CHUNK: usize = 64 << 10;
const CHUNKS: usize = 64;

/// The maximum bytes of an answer with anything before it, and therefore of a line.
pub(super) const MAX_ANSWER: usize = 4 << 20;

/// Lines of standard error that are kept, and bytes that are read of each.
const STDERR_LINES: usize = 30;
const STDERR_BYTES: u64 = 4 << 10;

/// Writes lines to a program.
#[derive(Debug)]
pub(super) struct Writer {
    /// `None` once the program was told to quit.
    lines: Option<Sender<String>>,
    /// For each line, whether it could be written.
    written: Receiver<bool>,
}

impl Writer {
    pub(super) fn new(mut input: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, queue) = channel::<String>();
        let (report, written) = channel();
        thread::Builder::new().spawn(move || {
            for line in queue {
                let is_written = input.write_all(line.as_bytes()).is_ok();
                if report.send(is_written).is_err() || !is_written {
                    return;
                }
            }
        })?;
        Ok(Self {
            lines: Some(lines),
            written,
        })
    }

    /// Hands over a line. [`wait`](Self::wait) tells what became of it.
    pub(super) fn send(&mut self, line: &str) {
        if let Some(lines) = &self.lines {
            // If the thread is gone, the wait says so.
            let _ = lines.send(format!("{line}\n"));
        }
    }

    /// Waits until the line is written, at most `time`. The pipe may be full or closed.
    pub(super) fn wait(&self, time: Duration) -> Result<(), RecvTimeoutError> {
        let is_written = self.written.recv_timeout(time)?;
        is_written
            .then_some(())
            .ok_or(RecvTimeoutError::Disconnected)
    }

    /// Sends the last line and closes the pipe, without waiting.
    pub(super) fn close(&mut self, line: &str) {
        self.send(line);
        self.lines = None;
    }
}

/// A piece of the output, and when it came.
type Chunk = (Instant, Vec<u8>);

/// Reads lines of a program.
#[derive(Debug)]
pub(super) struct Reader {
    chunks: Receiver<Chunk>,
    /// The output so far; lines before `taken` were returned.
    bytes: Vec<u8>,
    taken: usize,
    /// How far it was searched for a line end.
    searched: usize,
    /// When the last piece came.
    at: Instant,
}

impl Reader {
    pub(super) fn new(output: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(CHUNKS);
        thread::Builder::new().spawn(move || forward(output, &sender))?;
        Ok(Self {
            chunks,
            bytes: Vec::new(),
            taken: 0,
            searched: 0,
            at: Instant::now(),
        })
    }

    /// The next line including its end, and when the end came, if it comes within `time`. A line
    /// longer than any answer is returned in part, as is one cut off by the end of the output.
    pub(super) fn line(&mut self, time: Duration) -> Result<(Instant, String), RecvTimeoutError> {
        let deadline = Instant::now() + time;
        loop {
            let open = &self.bytes[self.searched..];
            if let Some(end) = open.iter().position(|&byte| byte == b'\n') {
                return Ok(self.take(self.searched + end + 1));
            }
            self.searched = self.bytes.len();
            if self.searched - self.taken > MAX_ANSWER {
                return Ok(self.take(self.searched));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.chunks.recv_timeout(left) {
                Ok((at, chunk)) => {
                    self.bytes.drain(..self.taken);
                    self.searched -= self.taken;
                    self.taken = 0;
                    self.bytes.extend(chunk);
                    self.at = at;
                }
                Err(RecvTimeoutError::Disconnected) if self.taken < self.searched => {
                    return Ok(self.take(self.searched));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn take(&mut self, end: usize) -> (Instant, String) {
        let line = String::from_utf8_lossy(&self.bytes[self.taken..end]).into_owned();
        (self.taken, self.searched) = (end, end);
        (self.at, line)
    }
}

/// Passes an output on in pieces with the time they came, until it or the receiver ends.
fn forward(mut output: impl Read, sender: &SyncSender<Chunk>) {
    let mut buffer = vec![0; CHUNK];
    loop {
        match output.read(&mut buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return,
            Ok(count) => {
                let chunk = (Instant::now(), buffer[..count].to_vec());
                if sender.send(chunk).is_err() {
                    return;
                }
            }
        }
    }
}

/// The last lines of a program's standard error; long lines are cut.
#[derive(Debug)]
pub(super) struct ErrorLines {
    lines: Arc<Mutex<VecDeque<String>>>,
    reader: JoinHandle<()>,
}

impl ErrorLines {
    pub(super) fn new(stderr: impl BufRead + Send + 'static) -> io::Result<Self> {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&lines);
        let reader = thread::Builder::new().spawn(move || keep_tail(stderr, &kept))?;
        Ok(Self { lines, reader })
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.lines.lock().iter().cloned().collect()
    }

    /// Whether the standard error is closed.
    pub(super) fn is_closed(&self) -> bool {
        self.reader.is_finished()
    }
}

fn keep_tail(mut stderr: impl BufRead, tail: &Mutex<VecDeque<String>>) {
    loop {
        let mut line = Vec::new();
        let mut head = stderr.by_ref().take(STDERR_BYTES);
        if let Ok(0) | Err(_) = head.read_until(b'\n', &mut line) {
            return;
        }
        {
            let text = String::from_utf8_lossy(&line);
            let mut tail = tail.lock();
            if tail.len() >= STDERR_LINES {
                tail.pop_front();
            }
            tail.push_back(shorten(text.trim_end(), 300));
        }
        if line.last() != Some(&b'\n') && stderr.skip_until(b'\n').is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// An endless output that counts the bytes read of it.
    struct Flood {
        line: &'static [u8],
        read: Arc<AtomicUsize>,
    }

    impl Read for Flood {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let begin = self.read.load(Relaxed);
            for (i, byte) in buffer.iter_mut().enumerate() {
                *byte = self.line[(begin + i) % self.line.len()];
            }
            self.read.fetch_add(buffer.len(), Relaxed);
            Ok(buffer.len())
        }
    }

    #[test]
    fn a_flood_is_read_as_far_as_an_answer_is_long() {
        for line in [&b"= A1\n"[..], b"no end"] {
            let read = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&read);
            let begin = Instant::now();
            let mut reader = Reader::new(Flood { line, read }).unwrap();
            // One chunk is being sent, the others wait.
            let most = (CHUNKS + 1) * CHUNK;
            while count.load(Relaxed) < most && begin.elapsed() < LONG {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(50));
            assert_eq!(count.load(Relaxed), most);
            let (at, first) = reader.line(LONG).unwrap();
            assert!(at >= begin && first.starts_with(std::str::from_utf8(line).unwrap()));
            assert!(first.len() <= MAX_ANSWER + CHUNK, "{}", first.len());
            assert!(reader.bytes.capacity() <= 4 * MAX_ANSWER);
        }
    }

    #[test]
    fn lines_come_whole_and_the_last_one_as_it_is() {
        let mut reader = Reader::new(&b"= one\r\n\n\xff two\n\nrest"[..]).unwrap();
        for line in ["= one\r\n", "\n", "\u{fffd} two\n", "\n", "rest"] {
            assert_eq!(reader.line(LONG).unwrap().1, line);
        }
        assert_eq!(
            reader.line(LONG).unwrap_err(),
            RecvTimeoutError::Disconnected
        );
    }

    /// Takes this many bytes, then blocks for ever.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                loop {
                    thread::park();
                }
            }
            let count = buffer.len().min(self.0);
            self.0 -= count;
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_pipe_keeps_nobody_waiting() {
        let (full, soon) = (Err(RecvTimeoutError::Timeout), Duration::from_millis(20));
        let mut writer = Writer::new(Full(7)).unwrap();
        writer.send("name");
        assert_eq!(writer.wait(LONG), Ok(()));
        writer.send("version");
        assert_eq!(writer.wait(soon), full);
        writer.close("quit");
        assert_eq!(writer.wait(soon), full);
        // A slice that is full fails.
        let mut closed = Writer::new(Box::leak(Box::new([0; 2])).as_mut_slice()).unwrap();
        for _ in 0..2 {
            closed.send("name");
            assert_eq!(closed.wait(LONG), Err(RecvTimeoutError::Disconnected));
        }
    }

    #[test]
    fn long_lines_of_the_standard_error_are_cut() {
        let mut text = vec![b'x'; 1 << 20];
        text.extend(b"\nlast\n");
        let errors = ErrorLines::new(BufReader::new(io::Cursor::new(text))).unwrap();
        let begin = Instant::now();
        while !errors.is_closed() && begin.elapsed() < LONG {
            thread::sleep(Duration::from_millis(1));
        }
        let lines = errors.lines();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert_eq!((lines[0].chars().count(), lines[1].as_str()), (300, "last"));
    }
}
