//! Lines of a stream, read ahead by a thread. The end of the stream, and lines that concern a
//! running search, are noticed at once, however many lines wait before them.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::atomics::{AtomicU64, OnceLock, Ordering::SeqCst};
use super::handoff::Handoff;
use super::quote::shorten;
use super::spool::Spool;

/// The longest line that is accepted, in bytes.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// Bytes of waiting lines in memory; the others wait in a temporary file.
const IN_MEMORY: usize = 64 << 20;

/// Bytes of waiting lines at which reading pauses. It bounds the time to free them: a program whose
/// input has ended should be gone within 100 ms.
const MAX_AHEAD: u64 = 1 << 30;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// The bytes without the line feed, or the first bytes of a line longer than [`MAX_LINE`].
    pub(crate) bytes: Vec<u8>,
    /// Whether it was longer than [`MAX_LINE`].
    pub(crate) is_cut: bool,
    pub(crate) arrived: Instant,
    /// Its number in the stream, from 1.
    pub(crate) number: u64,
}

impl Line {
    /// The error about a line that was cut.
    pub(crate) fn too_long(&self) -> String {
        let head = self.bytes.get(..160).unwrap_or(&self.bytes);
        let head = shorten(&String::from_utf8_lossy(head), 40);
        format!("the line `{head}` is too long: expected at most {MAX_LINE} bytes")
    }
}

pub(crate) struct Lines {
    waiting: Handoff<Waiting>,
    /// How many bytes of a line that is too long are kept.
    kept: usize,
    /// Bytes of waiting lines at which reading pauses.
    most: u64,
    /// Arrival times are stored relative to this.
    begin: Instant,
    /// The number of the last line that was read.
    last: AtomicU64,
    /// When the stream ended.
    end: OnceLock<Instant>,
}

struct Waiting {
    lines: Spool,
    /// The number of the line that was taken last.
    taken: u64,
}

impl Lines {
    /// No lines yet; `kept` bytes are kept of a line that is too long.
    pub(crate) fn new(kept: usize) -> Self {
        Self::with_limits(kept, IN_MEMORY, MAX_AHEAD)
    }

    fn with_limits(kept: usize, memory: usize, most: u64) -> Self {
        Self {
            waiting: Handoff::new(Waiting {
                lines: Spool::new(memory),
                taken: 0,
            }),
            kept,
            most,
            begin: Instant::now(),
            last: AtomicU64::new(0),
            end: OnceLock::new(),
        }
    }

    /// Reads lines until the stream ends or fails, `watch` breaks, or [`Lines::close`] is called.
    /// `watch` gets the number and the bytes of each line as soon as it is read.
    pub(crate) fn feed(
        &self,
        stream: impl Read,
        mut watch: impl FnMut(u64, &[u8]) -> ControlFlow<()>,
    ) {
        let mut stream = BufReader::with_capacity(1 << 16, stream);
        let mut number = 0;
        while let Ok(Some((bytes, is_cut))) = read_line(&mut stream, self.kept) {
            number += 1;
            let is_last = watch(number, &bytes).is_break();
            let line = self.pack(is_cut, &bytes);
            // A disk that is full has room again once lines are taken.
            let is_open = self.waiting.put(|waiting| {
                waiting.lines.bytes() <= self.most && waiting.lines.push(&line).is_ok()
            });
            self.last.store(number, SeqCst);
            if is_last || !is_open {
                break;
            }
            // Only now, so the line is refused before its end.
            if is_cut && stream.skip_until(b'\n').is_err() {
                break;
            }
        }
        let _ = self.end.set(Instant::now());
        self.waiting.close();
    }

    /// The form in which a line waits.
    fn pack(&self, is_cut: bool, bytes: &[u8]) -> Vec<u8> {
        let arrived = self.begin.elapsed().as_nanos() as u64;
        [&[u8::from(is_cut)], &arrived.to_le_bytes()[..], bytes].concat()
    }

    fn unpack(&self, packed: &[u8], number: u64) -> Option<Line> {
        let (is_cut, rest) = packed.split_first()?;
        let (arrived, bytes) = rest.split_first_chunk()?;
        Some(Line {
            bytes: bytes.to_vec(),
            is_cut: *is_cut != 0,
            arrived: self.begin + Duration::from_nanos(u64::from_le_bytes(*arrived)),
            number,
        })
    }

    /// Takes the first of the waiting lines.
    fn pop(&self, waiting: &mut Waiting) -> Option<io::Result<Line>> {
        let packed = match waiting.lines.pop() {
            Ok(packed) => packed?,
            Err(error) => return Some(Err(error)),
        };
        waiting.taken += 1;
        self.unpack(&packed, waiting.taken).map(Ok)
    }

    /// Waits for the next line. `None` after the last one, and after [`Lines::close`].
    pub(crate) fn next(&self) -> io::Result<Option<Line>> {
        self.waiting.take(|waiting| self.pop(waiting)).transpose()
    }

    /// Takes the lines that wait now.
    pub(crate) fn rest(&self) -> impl Iterator<Item = Line> {
        std::iter::from_fn(|| self.waiting.with(|waiting| self.pop(waiting))?.ok())
    }

    /// When the stream ended.
    pub(crate) fn end(&self) -> Option<Instant> {
        self.end.get().copied()
    }

    /// Whether a line was read after the one with this number, or the stream has ended.
    pub(crate) fn has_news(&self, number: u64) -> bool {
        self.last.load(SeqCst) > number || self.end().is_some()
    }

    /// Drops the lines that wait, and reads no more.
    pub(crate) fn close(&self) {
        self.waiting.close();
        self.waiting.with(|waiting| waiting.lines = Spool::new(0));
    }
}

/// Reads a line. Returns its bytes without the line feed and whether it was too long; then only the
/// first `kept` bytes are returned, and its rest is left in the stream, where the caller skips it.
pub(crate) fn read_line(
    stream: &mut impl BufRead,
    kept: usize,
) -> io::Result<Option<(Vec<u8>, bool)>> {
    let mut bytes = Vec::new();
    let most = MAX_LINE as u64 + 1;
    if stream.take(most).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    let is_cut = bytes.len() > MAX_LINE;
    if is_cut {
        bytes.truncate(kept);
        bytes.shrink_to_fit();
    }
    Ok(Some((bytes, is_cut)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(lines: &Lines, stream: impl Read) {
        lines.feed(stream, |_, _| ControlFlow::Continue(()));
    }

    fn waiting_bytes(lines: &Lines) -> u64 {
        lines.waiting.with(|waiting| waiting.lines.bytes())
    }

    fn count(lines: &Lines) -> usize {
        std::iter::from_fn(|| lines.next().unwrap()).count()
    }

    #[test]
    fn lines_are_read_up_to_the_limit() {
        let long = |n: usize| vec![b'x'; n];
        let text = [
            &long(MAX_LINE),
            &b"\n"[..],
            &long(MAX_LINE + 9),
            b"\nab\n\nc",
        ]
        .concat();
        for kept in [256, MAX_LINE] {
            let lines = Lines::new(kept);
            feed(&lines, &text[..]);
            let next = || {
                let line = lines.next().unwrap();
                line.map(|line| (line.bytes.len(), line.is_cut))
            };
            assert_eq!(next(), Some((MAX_LINE, false)));
            assert_eq!(next(), Some((kept, true)));
            assert_eq!(
                [next(), next(), next()],
                [Some((2, false)), Some((0, false)), Some((1, false))]
            );
            assert_eq!(next(), None);
        }
    }

    /// A stream that must not be read before a line has been told.
    struct Rest<'a>(&'a Lines);

    impl Read for Rest<'_> {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            assert!(self.0.has_news(0));
            Ok(0)
        }
    }

    #[test]
    fn a_long_line_is_told_before_its_end() {
        let lines = Lines::new(256);
        let long = io::repeat(b'x').take(MAX_LINE as u64 + 9);
        feed(&lines, long.chain(Rest(&lines)));
        assert!(lines.next().unwrap().unwrap().is_cut);
        assert!(lines.next().unwrap().is_none());
    }

    #[test]
    fn the_end_is_seen_behind_more_lines_than_memory_may_hold() {
        let lines = Lines::with_limits(256, 1 << 10, 1 << 30);
        let many = 100_000;
        let long = vec![b'x'; MAX_LINE + 9];
        feed(&lines, io::repeat(b'\n').take(many).chain(&long[..]));
        assert!(lines.end().is_some() && lines.has_news(many + 1));
        for number in 1..=many {
            let line = lines.next().unwrap().unwrap();
            assert!(line.bytes.is_empty() && !line.is_cut && line.number == number);
        }
        let last = lines.next().unwrap().unwrap();
        assert!(last.is_cut && last.bytes == long[..256]);
        let error = format!("the line `{}...` is too long: ", "x".repeat(37));
        assert!(last.too_long().starts_with(&error), "{}", last.too_long());
        assert!(lines.next().unwrap().is_none());
    }

    #[test]
    fn every_line_is_watched_until_a_break() {
        let lines = Lines::new(256);
        let mut seen = Vec::new();
        lines.feed(&b"a\nb\nc\n"[..], |number, bytes| {
            seen.push((number, bytes.to_vec()));
            if bytes == b"b" {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        assert_eq!(seen, [(1, b"a".to_vec()), (2, b"b".to_vec())]);
        assert_eq!(lines.rest().count(), 2);
    }

    #[test]
    fn reading_ahead_has_a_limit() {
        let lines = Lines::with_limits(256, 1 << 10, 1 << 16);
        let many = 1 << 16;
        std::thread::scope(|scope| {
            scope.spawn(|| feed(&lines, io::repeat(b'\n').take(many)));
            while waiting_bytes(&lines) <= lines.most {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(50));
            let (ahead, end) = (waiting_bytes(&lines), lines.end());
            let taken = count(&lines);
            assert!(ahead <= lines.most + 100 && end.is_none(), "{ahead}");
            assert_eq!(taken as u64, many);
        });
    }

    #[test]
    fn closing_ends_a_feeder_that_waits_for_room() {
        let lines = Lines::with_limits(256, 1 << 10, 1 << 16);
        std::thread::scope(|scope| {
            let feeder = scope.spawn(|| feed(&lines, io::repeat(b'\n')));
            while waiting_bytes(&lines) <= lines.most {
                std::thread::yield_now();
            }
            lines.close();
            feeder.join().unwrap();
        });
        assert_eq!(count(&lines), 0);
    }
}
