//! The commands that wait. A thread reads them ahead, so a running search learns of an interrupt or
//! of the end of the input at once.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::call::Signal;
use super::parse::{is_interrupt, is_quit};
use crate::util::atomics::{AtomicBool, AtomicU64, Ordering::SeqCst};
use crate::util::lines::{Line, Lines, MAX_LINE};

/// How long waiting commands are still executed after the input has ended without `quit`.
const AFTER_END: Duration = Duration::from_millis(50);

/// How long an answer waits for the client to read it after such an end.
const UNREAD_AFTER_END: Duration = Duration::from_millis(20);

/// The lines that wait, and what the lines behind them ask of a running search.
pub(super) struct Input {
    lines: Lines,
    /// The number of the last interrupt.
    interrupt: AtomicU64,
    has_quit: AtomicBool,
}

impl Input {
    /// Starts a thread that reads the stream until it ends, fails, or sends `quit`.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn read(stream: impl Read + Send + 'static) -> io::Result<Arc<Self>> {
        let input = Arc::new(Self::new());
        let feeder = Arc::clone(&input);
        let thread = std::thread::Builder::new().name("input".into());
        thread.spawn(move || feeder.feed(stream))?;
        Ok(input)
    }

    pub(super) fn new() -> Self {
        Self {
            lines: Lines::new(MAX_LINE),
            interrupt: AtomicU64::new(0),
            has_quit: AtomicBool::new(false),
        }
    }

    /// Reads the stream until it ends, fails, or sends `quit`.
    pub(super) fn feed(&self, stream: impl Read) {
        self.lines
            .feed(stream, |number, line| self.watch(number, line));
    }

    fn watch(&self, number: u64, line: &[u8]) -> ControlFlow<()> {
        if is_interrupt(line) {
            self.interrupt.store(number, SeqCst);
        }
        if is_quit(line) {
            self.has_quit.store(true, SeqCst);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn is_cut_off(&self) -> bool {
        self.lines.end().is_some() && !self.has_quit.load(SeqCst)
    }

    /// Whether the input ended without `quit` more than `time` ago.
    fn is_cut_off_for(&self, time: Duration) -> bool {
        let is_past = |end: Instant| end.elapsed() > time;
        self.is_cut_off() && self.lines.end().is_some_and(is_past)
    }

    /// Waits for the next line. `None` after the last one, and some time after an end without `quit`.
    ///
    /// # Errors
    /// The temporary file with waiting lines cannot be read.
    pub(super) fn next(&self) -> io::Result<Option<Line>> {
        if self.is_cut_off_for(AFTER_END) {
            return Ok(None);
        }
        self.lines.next()
    }

    /// Whether the input ended without `quit` so long ago that the output need not be read any more.
    pub(super) fn is_over(&self) -> bool {
        self.is_cut_off_for(UNREAD_AFTER_END)
    }

    /// The lines that will not be executed.
    pub(super) fn rest(&self) -> impl Iterator<Item = Line> {
        self.lines.rest()
    }

    /// Whether a line arrived after the one with this number, or the input has ended.
    pub(super) fn has_news(&self, number: u64) -> bool {
        self.lines.has_news(number)
    }

    /// What the search for the line with this number should do.
    pub(super) fn signal(&self, number: u64) -> Signal {
        if self.is_cut_off() {
            Signal::Abandon
        } else if self.interrupt.load(SeqCst) > number {
            Signal::AnswerNow
        } else {
            Signal::GoOn
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
    fn an_end_without_quit_abandons_searches() {
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
    fn an_interrupt_is_seen_behind_many_lines() {
        let many = std::io::repeat(b'\n').take(3 << 20);
        let input = Input::read(many.chain(&b"# interrupt\nquit\n"[..])).unwrap();
        // The end is seen behind more lines than memory holds.
        let begin = Instant::now();
        while input.lines.end().is_none() {
            assert!(begin.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(input.signal(1), Signal::AnswerNow);
        let lines: Vec<Line> = std::iter::from_fn(|| input.next().unwrap()).collect();
        assert_eq!(lines.len(), (3 << 20) + 2);
        assert_eq!(lines[1 << 20].number, (1 << 20) + 1);
        assert!(lines.is_sorted_by_key(|line| line.arrived));
    }
}
