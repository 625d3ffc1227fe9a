//! Lines on their way in: a thread of their own reads them ahead, so that the end of the input is
//! seen at once, whatever keeps the rest busy.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};

use parking_lot::{Condvar, Mutex};

use super::MAX_LINE;

/// Bytes of lines that are read ahead at most, but for one line more.
const MAX_AHEAD: usize = 64 << 20;

/// What a waiting line takes beyond its bytes.
const LINE_COST: usize = 64;

/// A line without its end.
pub(super) struct Line {
    pub(super) bytes: Vec<u8>,
    /// Whether it was longer than [`MAX_LINE`]; then these are its first bytes.
    pub(super) is_cut: bool,
}

impl Line {
    fn cost(&self) -> usize {
        self.bytes.capacity() + LINE_COST
    }
}

/// The lines that wait.
#[derive(Default)]
pub(super) struct Inlet {
    state: Mutex<State>,
    /// A line came, or none will come any more.
    news: Condvar,
    /// A line was taken, or nobody will take one any more.
    room: Condvar,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Line>,
    cost: usize,
    has_ended: bool,
    is_closed: bool,
}

impl Inlet {
    /// Reads lines until the stream ends or fails, or until nobody wants them.
    pub(super) fn feed(&self, input: impl Read) {
        let mut input = BufReader::with_capacity(1 << 16, input);
        // A stream that fails has ended.
        while let Ok(Some(line)) = read_line(&mut input) {
            let mut state = self.state.lock();
            while state.cost > MAX_AHEAD && !state.is_closed {
                self.room.wait(&mut state);
            }
            if state.is_closed {
                break;
            }
            state.cost += line.cost();
            state.lines.push_back(line);
            self.news.notify_one();
        }
        self.state.lock().has_ended = true;
        self.news.notify_one();
    }

    /// The next line; waits for it. None after the last one, and once it is closed.
    pub(super) fn next(&self) -> Option<Line> {
        let mut state = self.state.lock();
        loop {
            if let Some(line) = state.lines.pop_front() {
                state.cost = state.cost.saturating_sub(line.cost());
                self.room.notify_one();
                return Some(line);
            }
            if state.has_ended || state.is_closed {
                return None;
            }
            self.news.wait(&mut state);
        }
    }

    /// Drops the lines that wait, and takes no more.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.is_closed = true;
        state.lines.clear();
        state.cost = 0;
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

    #[test]
    fn reading_ahead_has_a_limit() {
        let inlet = Inlet::default();
        let count = 3 << 20;
        std::thread::scope(|scope| {
            scope.spawn(|| inlet.feed(io::repeat(b'\n').take(count)));
            while inlet.state.lock().cost <= MAX_AHEAD {
                std::thread::yield_now();
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
            let (ahead, ended) = {
                let state = inlet.state.lock();
                (state.cost, state.has_ended)
            };
            let taken = std::iter::from_fn(|| inlet.next()).count();
            assert!(ahead <= MAX_AHEAD + 2 * LINE_COST && !ended, "{ahead}");
            assert_eq!(taken as u64, count);
        });
    }

    #[test]
    fn who_waits_for_room_is_let_go() {
        let inlet = Inlet::default();
        std::thread::scope(|scope| {
            let feeder = scope.spawn(|| inlet.feed(io::repeat(b'\n')));
            while inlet.state.lock().cost <= MAX_AHEAD {
                std::thread::yield_now();
            }
            inlet.close();
            feeder.join().unwrap();
        });
        assert!(inlet.next().is_none());
    }
}
