//! The lines of the protocol, read ahead by a thread while another executes them.

use std::sync::Arc;

use shuttle::thread;

mod call {
    /// As the engine's.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Signal {
        GoOn,
        AnswerNow,
        Abandon,
    }
}
#[path = "../../../src/gtp/input.rs"]
mod input;
#[path = "../../../src/gtp/parse.rs"]
mod parse;

use call::Signal;
use input::Input;

pub(crate) const MODELS: &[(&str, fn())] = &[("input", input), ("input-end", input_end)];

/// Reads the text in a thread, takes its lines in this one, and tells what the search of each should
/// do: twice after the line is taken, and at the end.
fn read(text: &'static str) -> Vec<(String, [Signal; 3])> {
    let input = Arc::new(Input::new());
    let feeder = thread::spawn({
        let input = Arc::clone(&input);
        move || input.feed(text.as_bytes())
    });
    let mut lines = Vec::new();
    while let Some(line) = input.next().expect("lines in memory") {
        let number = line.number;
        assert_eq!(number, lines.len() as u64 + 1);
        let mut signals = [Signal::GoOn; 3];
        signals[..2].fill_with(|| input.signal(number));
        // A search before this line was told of it, if it is an interrupt.
        if line.bytes == b"# interrupt" {
            assert_ne!(input.signal(number - 1), Signal::GoOn);
        }
        assert!(number == 1 || input.has_news(number - 2));
        lines.push((String::from_utf8(line.bytes).expect("ASCII"), signals));
    }
    feeder.join().expect("the feeder");
    assert!(input.has_news(lines.len() as u64));
    for (number, (_, signals)) in (1..).zip(&mut lines) {
        signals[2] = input.signal(number);
    }
    lines
}

/// With `quit`, every line comes once and in order, no search is abandoned, and the one before the
/// interrupt is told to answer, for good.
fn input() {
    let lines = read("genmove b\n# interrupt\ngenmove w\nquit\nname\n");
    let words: Vec<&str> = lines.iter().map(|(line, _)| line.as_str()).collect();
    assert_eq!(words, ["genmove b", "# interrupt", "genmove w", "quit"]);
    let [earlier, later, last] = lines[0].1;
    assert!(earlier == Signal::GoOn || earlier == Signal::AnswerNow);
    assert!(later == Signal::AnswerNow || later == earlier);
    assert_eq!(last, Signal::AnswerNow);
    for (line, signals) in &lines[1..] {
        assert_eq!(*signals, [Signal::GoOn; 3], "{line}");
    }
}

/// Without `quit`, the end of the input abandons every search, for good. Lines that still wait some
/// time after it may be left out.
fn input_end() {
    let lines = read("genmove b\nname");
    assert!(lines.len() <= 2);
    for (line, signals) in &lines {
        assert!(!signals.contains(&Signal::AnswerNow), "{line}");
        assert!(signals.is_sorted_by_key(|&signal| signal == Signal::Abandon));
        assert_eq!(signals[2], Signal::Abandon, "{line}");
    }
}
