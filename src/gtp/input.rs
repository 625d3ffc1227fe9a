//! Lines from a stream, read ahead by a thread of their own, so that a running
//! search learns of an interrupt or of the stream's end.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::parse::{is_interrupt, is_quit};
use super::session::Signal;
use crate::util::spool::Spool;

/// The longest line that is read, in bytes; of a longer one the rest is dropped.
pub const MAX_LINE: usize = 1 << 20;

/// Bytes of lines that wait in memory; those beyond wait in a temporary file.
const IN_MEMORY: usize = 64 << 20;

/// Bytes of lines that wait at most, but for one line more. The end of the input, interrupts and
/// `quit` are seen this far ahead. More would take too long to give back: the program promises to end
/// within 100 ms.
const MAX_AHEAD: u64 = 1 << 30;

/// How long lines that need no search are still answered after the input has
/// ended without `quit`.
const AFTER_END: Duration = Duration::from_millis(50);

/// How long an answer still waits for somebody to read it after such an end.
const UNREAD_AFTER_END: Duration = Duration::from_millis(20);

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Its bytes, without the line feed; at most [`MAX_LINE`] of them.
    pub(super) bytes: Vec<u8>,
    /// Whether it was longer.
    pub(super) cut: bool,
    /// When its last byte was read.
    pub(super) arrived: Instant,
    /// Its place in the input, from 1.
    pub(super) number: u64,
}

/// The lines that wait, and what is known of those to come.
pub(super) struct Input {
    waiting: Mutex<Waiting>,
    /// A line came, or none will come any more.
    news: Condvar,
    /// A line was taken.
    room: Condvar,
    /// From when on the arrival of waiting lines is counted.
    begin: Instant,
    /// The number of the last line that came.
    arrived: AtomicU64,
    /// No line will come any more.
    ended: AtomicBool,
    /// The number of the last interrupt.
    interrupt: AtomicU64,
    /// The input has ended, and no line of it was `quit`.
    cut_off: AtomicBool,
}

struct Waiting {
    lines: Spool,
    /// The number of the line that was taken last.
    taken: u64,
    /// When the last line had come.
    end: Option<Instant>,
}

impl Waiting {
    fn has_ended_for(&self, time: Duration) -> bool {
        self.end.is_some_and(|end| end.elapsed() > time)
    }
}

impl Input {
    /// Begins to read. The thread goes on until the stream ends, fails, or `quit`
    /// is received; nobody needs to wait for it.
    ///
    /// # Errors
    /// No thread is to be had.
    pub(super) fn read(stream: impl Read + Send + 'static) -> io::Result<Arc<Self>> {
        let input = Arc::new(Self {
            waiting: Mutex::new(Waiting {
                lines: Spool::new(IN_MEMORY),
                taken: 0,
                end: None,
            }),
            news: Condvar::new(),
            room: Condvar::new(),
            begin: Instant::now(),
            arrived: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            interrupt: AtomicU64::new(0),
            cut_off: AtomicBool::new(false),
        });
        let feeder = Arc::clone(&input);
        std::thread::Builder::new()
            .name("input".into())
            .spawn(move || feeder.feed(stream))?;
        Ok(input)
    }

    fn feed(&self, stream: impl Read) {
        let mut stream = BufReader::with_capacity(1 << 16, stream);
        let mut quit = false;
        let mut number = 0;
        while !quit {
            // A stream that fails has ended.
            let Ok(Some((bytes, cut))) = read_line(&mut stream) else {
                break;
            };
            number += 1;
            quit = is_quit(&bytes);
            if is_interrupt(&bytes) {
                self.interrupt.store(number, SeqCst);
            }
            let line = self.pack(cut, &bytes);
            let mut waiting = self.waiting.lock();
            // A full disk has room again when lines are taken.
            while waiting.lines.bytes() > MAX_AHEAD || waiting.lines.push(&line).is_err() {
                self.room.wait(&mut waiting);
            }
            self.arrived.store(number, SeqCst);
            self.news.notify_one();
        }
        self.cut_off.store(!quit, SeqCst);
        self.ended.store(true, SeqCst);
        self.waiting.lock().end = Some(Instant::now());
        self.news.notify_one();
    }

    /// A line with what is known of it, as it waits.
    fn pack(&self, cut: bool, bytes: &[u8]) -> Vec<u8> {
        let arrived = self.begin.elapsed().as_nanos() as u64;
        [&[u8::from(cut)], &arrived.to_le_bytes()[..], bytes].concat()
    }

    /// A line that waited.
    fn unpack(&self, packed: &[u8], number: u64) -> Option<Line> {
        let (cut, rest) = packed.split_first()?;
        let (arrived, bytes) = rest.split_first_chunk()?;
        Some(Line {
            bytes: bytes.to_vec(),
            cut: *cut != 0,
            arrived: self.begin + Duration::from_nanos(u64::from_le_bytes(*arrived)),
            number,
        })
    }

    /// Takes the next of the lines that wait.
    fn take(&self, waiting: &mut Waiting) -> io::Result<Option<Line>> {
        let Some(packed) = waiting.lines.pop()? else {
            return Ok(None);
        };
        waiting.taken += 1;
        self.room.notify_one();
        Ok(self.unpack(&packed, waiting.taken))
    }

    /// The next line; waits for it. None after the last one, and once lines have
    /// been answered for long enough after an end without `quit`.
    ///
    /// # Errors
    /// The line waits in a file that cannot be read.
    pub(super) fn next(&self) -> io::Result<Option<Line>> {
        let mut waiting = self.waiting.lock();
        loop {
            if waiting.has_ended_for(AFTER_END) && self.cut_off.load(SeqCst) {
                return Ok(None);
            }
            if let Some(line) = self.take(&mut waiting)? {
                return Ok(Some(line));
            }
            if waiting.end.is_some() {
                return Ok(None);
            }
            self.news.wait(&mut waiting);
        }
    }

    /// Whether the input ended without `quit` so long ago that nobody waits any more for the output
    /// to be read.
    pub(super) fn is_over(&self) -> bool {
        self.cut_off.load(SeqCst) && self.waiting.lock().has_ended_for(UNREAD_AFTER_END)
    }

    /// The lines that nobody will execute any more.
    pub(super) fn rest(&self) -> impl Iterator<Item = Line> {
        std::iter::from_fn(|| self.take(&mut self.waiting.lock()).ok().flatten())
    }

    /// Whether a line has come after the one with this number, or none will any more.
    pub(super) fn has_news(&self, number: u64) -> bool {
        self.arrived.load(SeqCst) > number || self.ended.load(SeqCst)
    }

    /// What the search for the line with this number is to do.
    pub(super) fn signal(&self, number: u64) -> Signal {
        if self.cut_off.load(SeqCst) {
            Signal::Abandon
        } else if self.interrupt.load(SeqCst) > number {
            Signal::AnswerNow
        } else {
            Signal::GoOn
        }
    }
}

/// The next line without its line feed, and whether it was cut; none at the end.
fn read_line(stream: &mut impl BufRead) -> io::Result<Option<(Vec<u8>, bool)>> {
    let mut line = Vec::new();
    let mut cut = false;
    let mut any = false;
    loop {
        let bytes = match stream.fill_buf() {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        if bytes.is_empty() {
            return Ok(any.then_some((line, cut)));
        }
        any = true;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        let kept = part.len().min(MAX_LINE - line.len());
        line.extend_from_slice(part.get(..kept).unwrap_or_default());
        cut |= kept < part.len();
        let used = part.len() + usize::from(end.is_some());
        stream.consume(used);
        if end.is_some() {
            return Ok(Some((line, cut)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &'static [u8]) -> (Arc<Input>, Vec<String>) {
        let input = Input::read(text).unwrap();
        let texts = std::iter::from_fn(|| input.next().unwrap())
            .map(|line| String::from_utf8_lossy(&line.bytes).into_owned())
            .collect();
        (input, texts)
    }

    #[test]
    fn lines_come_in_order_up_to_quit() {
        let (input, texts) = lines(b"name\r\n\n\xff\nquit\nversion\n");
        assert_eq!(texts, ["name\r", "", "\u{fffd}", "quit"]);
        assert_eq!(input.signal(1), Signal::GoOn);
    }

    #[test]
    fn the_last_line_needs_no_line_feed() {
        let (input, texts) = lines(b"name\nquit");
        assert_eq!(texts, ["name", "quit"]);
        assert_eq!(input.signal(1), Signal::GoOn);
    }

    #[test]
    fn an_end_without_quit_cuts_searches_off() {
        let (input, texts) = lines(b"name\n# interrupt\nversion");
        assert_eq!(texts, ["name", "# interrupt", "version"]);
        assert_eq!(input.signal(3), Signal::Abandon);
    }

    #[test]
    fn an_interrupt_ends_the_searches_before_it() {
        let (input, _) = lines(b"name\nversion\n# interrupt\nname\nquit\n");
        assert_eq!(input.signal(2), Signal::AnswerNow);
        assert_eq!(input.signal(4), Signal::GoOn);
    }

    #[test]
    fn long_lines_are_cut() {
        let text = [&vec![b'x'; MAX_LINE + 5][..], b"\nname\n"].concat();
        let mut stream = BufReader::new(&text[..]);
        let (line, cut) = read_line(&mut stream).unwrap().unwrap();
        assert!(cut && line.len() == MAX_LINE);
        let next = read_line(&mut stream).unwrap();
        assert_eq!(next, Some((b"name".to_vec(), false)));
        assert_eq!(read_line(&mut stream).unwrap(), None);
    }

    #[test]
    fn what_comes_is_seen_behind_many_lines() {
        let many = std::io::repeat(b'\n').take(3 << 20);
        let input = Input::read(many.chain(&b"# interrupt\nquit\n"[..])).unwrap();
        // More than memory holds, and the end of it is seen.
        let begin = Instant::now();
        while !input.ended.load(SeqCst) {
            assert!(begin.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(input.waiting.lock().lines.bytes() > 10 << 20);
        assert_eq!(input.signal(1), Signal::AnswerNow);
        let lines: Vec<Line> = std::iter::from_fn(|| input.next().unwrap()).collect();
        assert_eq!(lines.len(), (3 << 20) + 2);
        assert_eq!(lines[1 << 20].number, (1 << 20) + 1);
        assert!(lines.is_sorted_by_key(|line| line.arrived));
    }
}
