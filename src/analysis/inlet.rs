//! Lines on their way in: a thread of their own reads them ahead, so that the end of the input is
//! seen at once, whatever keeps the rest busy.

use std::io::{self, BufRead, BufReader, Read};

use parking_lot::{Condvar, Mutex};

use super::MAX_LINE;
use crate::util::spool::Spool;

/// Bytes of lines that wait in memory; more of them wait in files.
const MAX_MEMORY: usize = 64 << 20;

/// Bytes of lines that are read ahead at most, but for one line more.
const MAX_AHEAD: u64 = 1 << 30;

/// A line.
pub(super) struct Line {
    pub(super) bytes: Vec<u8>,
    /// Whether it was longer than [`MAX_LINE`]; then these are its first bytes.
    pub(super) is_cut: bool,
}

/// The byte behind a line that waits, if it is whole.
const WHOLE: u8 = b'.';

/// The same if it was cut.
const CUT: u8 = b'+';

impl Line {
    /// As it waits.
    fn packed(mut self) -> Vec<u8> {
        self.bytes.push(if self.is_cut { CUT } else { WHOLE });
        self.bytes
    }

    fn unpacked(mut bytes: Vec<u8>) -> Self {
        let is_cut = bytes.pop() == Some(CUT);
        Self { bytes, is_cut }
    }
}

/// The lines that wait.
pub(super) struct Inlet {
    state: Mutex<State>,
    /// A line came, or none will come any more.
    news: Condvar,
    /// A line was taken, or nobody will take one any more.
    room: Condvar,
    /// With so many bytes of lines, no more are read.
    most: u64,
}

struct State {
    lines: Spool,
    has_ended: bool,
    is_closed: bool,
}

impl Default for Inlet {
    fn default() -> Self {
        Self::new(MAX_MEMORY, MAX_AHEAD)
    }
}

impl Inlet {
    fn new(memory: usize, most: u64) -> Self {
        let state = State {
            lines: Spool::new(memory),
            has_ended: false,
            is_closed: false,
        };
        Self {
            state: Mutex::new(state),
            news: Condvar::new(),
            room: Condvar::new(),
            most,
        }
    }

    /// Reads lines until the stream ends or fails, or until nobody wants them.
    pub(super) fn feed(&self, input: impl Read) {
        let mut input = BufReader::with_capacity(1 << 16, input);
        // A stream that fails has ended.
        while let Ok(Some(line)) = read_line(&mut input) {
            if !self.push(&line.packed()) {
                break;
            }
        }
        self.state.lock().has_ended = true;
        self.news.notify_one();
    }

    /// Appends a line as soon as there is room; false if nobody wants it any more.
    fn push(&self, line: &[u8]) -> bool {
        let mut state = self.state.lock();
        // Where no file can be written, as on a full disk, there is room once lines are taken.
        while !state.is_closed
            && (state.lines.bytes() > self.most || state.lines.push(line).is_err())
        {
            self.room.wait(&mut state);
        }
        self.news.notify_one();
        !state.is_closed
    }

    /// The next line; waits for it. None after the last one, and once it is closed.
    ///
    /// # Errors
    /// It waits in a file that cannot be read.
    pub(super) fn next(&self) -> io::Result<Option<Line>> {
        let mut state = self.state.lock();
        loop {
            if let Some(line) = state.lines.pop()? {
                self.room.notify_one();
                return Ok(Some(Line::unpacked(line)));
            }
            if state.has_ended || state.is_closed {
                return Ok(None);
            }
            self.news.wait(&mut state);
        }
    }

    /// Drops the lines that wait, and takes no more.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        state.lines = Spool::new(0);
        self.news.notify_all();
        self.room.notify_all();
    }
}

/// The next line; none at the end.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let most = MAX_LINE as u64 + 1;
    if input.take(most).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let is_cut = bytes.len() > MAX_LINE && bytes.last() != Some(&b'\n');
    if is_cut {
        input.skip_until(b'\n')?;
        // Only its beginning is quoted.
        bytes.truncate(256);
        bytes.shrink_to_fit();
    }
    Ok(Some(Line { bytes, is_cut }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_up_to_the_limit() {
        let long = |n: usize| vec![b'x'; n];
        let text = [
            long(MAX_LINE),
            b"\n".to_vec(),
            long(MAX_LINE + 9),
            b"\nab\n\nc".to_vec(),
        ];
        let text = text.concat();
        let mut input = BufReader::new(&text[..]);
        let mut next = || {
            let found = read_line(&mut input).unwrap();
            found.map(|line| (line.bytes.trim_ascii().len(), line.is_cut))
        };
        assert_eq!(next(), Some((MAX_LINE, false)));
        assert_eq!(next(), Some((256, true)));
        assert_eq!(
            [next(), next(), next()],
            [Some((2, false)), Some((0, false)), Some((1, false))]
        );
        assert_eq!(next(), None);
    }

    fn taken(inlet: &Inlet) -> usize {
        std::iter::from_fn(|| inlet.next().unwrap()).count()
    }

    #[test]
    fn the_end_is_seen_behind_more_lines_than_memory_may_hold() {
        let inlet = Inlet::new(1 << 10, 1 << 30);
        let count = 100_000;
        let long = vec![b'x'; MAX_LINE + 9];
        inlet.feed(io::repeat(b'\n').take(count).chain(&long[..]));
        assert!(inlet.state.lock().has_ended);
        for _ in 0..count {
            let line = inlet.next().unwrap().unwrap();
            assert!(line.bytes.trim_ascii().is_empty() && !line.is_cut);
        }
        let last = inlet.next().unwrap().unwrap();
        assert!(last.is_cut && last.bytes == long[..256]);
        assert!(inlet.next().unwrap().is_none());
    }

    #[test]
    fn reading_ahead_has_a_limit() {
        let inlet = Inlet::new(1 << 10, 1 << 16);
        let count = 1 << 16;
        std::thread::scope(|scope| {
            scope.spawn(|| inlet.feed(io::repeat(b'\n').take(count)));
            while inlet.state.lock().lines.bytes() <= inlet.most {
                std::thread::yield_now();
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
            let (ahead, ended) = {
                let state = inlet.state.lock();
                (state.lines.bytes(), state.has_ended)
            };
            let taken = taken(&inlet);
            assert!(ahead <= inlet.most + 100 && !ended, "{ahead}");
            assert_eq!(taken as u64, count);
        });
    }

    #[test]
    fn who_waits_for_room_is_let_go() {
        let inlet = Inlet::new(1 << 10, 1 << 16);
        std::thread::scope(|scope| {
            let feeder = scope.spawn(|| inlet.feed(io::repeat(b'\n')));
            while inlet.state.lock().lines.bytes() <= inlet.most {
                std::thread::yield_now();
            }
            inlet.close();
            feeder.join().unwrap();
        });
        assert_eq!(taken(&inlet), 0);
    }
}
