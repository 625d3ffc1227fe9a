//! The loop that connects a session to streams.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use super::call::{Control, Signal};
use super::input::Input;
use super::output::{Output, draw};
use super::parse::{format_reply, parse_line};
use super::registry::Response;
use super::session::Session;
use crate::util::files::Kind;
use crate::util::lines::Line;

/// Why [`serve()`] returned.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(9), None, None)?;
/// # let mut session = tanada::GtpSession::new(configuration, tanada::Params::default());
/// let reason = tanada::serve_gtp(&mut session, &b"quit\n"[..], &mut Vec::new(), None)?;
/// assert_eq!(reason, tanada::ExitReason::Quit);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// `quit` was received and answered.
    Quit,
    /// The input ended without `quit`.
    InputEnded,
    /// The output was closed.
    OutputClosed,
}

/// Answers the lines of `input` on `output`, in order, until `quit`, the end of the input, or the
/// end of the output.
///
/// All lines before `quit` are answered in full. If the input ends without `quit`, a running search
/// is abandoned, no other is started, and the function returns within 100 ms. The comment
/// `# interrupt` ends the searches of all commands before it, including those that wait.
///
/// Every line and every answer is written to `log`, with the seconds since the start. Errors of the
/// log are ignored.
///
/// A thread that waits for input may be left behind; it ends with the process.
///
/// # Errors
/// The output fails other than by being closed, waiting lines cannot be read back from their
/// file, or no thread can be started.
///
/// ```
/// let configuration = tanada::Configuration::new(Some(9), None, None)?;
/// let mut session = tanada::GtpSession::new(configuration, tanada::Params::default());
/// let end = tanada::serve_gtp(&mut session, std::io::empty(), &mut Vec::new(), None)?;
/// assert_eq!(end, tanada::ExitReason::InputEnded);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn serve(
    session: &mut Session,
    input: impl Read + Send + 'static,
    output: &mut impl Output,
    log: Option<&mut dyn Write>,
) -> io::Result<ExitReason> {
    let mut log = Log {
        begin: Instant::now(),
        to: log,
    };
    let input = Input::read(input)?;
    let mut reason = ExitReason::InputEnded;
    // When the answer before was sent. The time of a command that waited counts from then.
    let mut free = log.begin;
    let give_up = || input.is_over();
    let mut number = 0;
    loop {
        session.ponder(&|| input.has_news(number));
        let Some(line) = input.next()? else { break };
        number = line.number;
        log.line(&line);
        let sender = RefCell::new(Sender {
            output: &mut *output,
            log: &mut log,
            give_up: &give_up,
            failure: None,
        });
        let failed = AtomicBool::new(false);
        let send = |text: &str| {
            let mut sender = sender.borrow_mut();
            sender.send(text);
            failed.store(sender.failure.is_some(), Relaxed);
        };
        let control = Control {
            received: line.arrived.max(free),
            signal: &|| {
                if failed.load(Relaxed) {
                    Signal::Abandon
                } else {
                    input.signal(number)
                }
            },
            has_news: &|| input.has_news(number),
            send: &send,
            draw: &draw,
        };
        let response = if line.is_cut {
            too_long(&line)
        } else {
            session.execute(&line.bytes, &control)
        };
        if let (false, Some(text)) = (response.abandoned, &response.text) {
            send(text);
        }
        match sender.into_inner().failure {
            Some(e) if e.kind() == io::ErrorKind::BrokenPipe => {
                reason = ExitReason::OutputClosed;
                break;
            }
            // The input has ended, and the client does not read.
            Some(e) if e.kind() == io::ErrorKind::TimedOut => break,
            Some(e) => return Err(e),
            None if response.abandoned => break,
            None => {}
        }
        if response.quit {
            reason = ExitReason::Quit;
            break;
        }
        free = Instant::now();
    }
    if log.to.is_some() {
        for line in input.rest() {
            log.line(&line);
        }
    }
    Ok(reason)
}

/// Sends text to the client, and nothing after a failure.
struct Sender<'a, 'b, W> {
    output: &'a mut W,
    log: &'a mut Log<'b>,
    give_up: &'a dyn Fn() -> bool,
    failure: Option<io::Error>,
}

impl<W: Output> Sender<'_, '_, W> {
    fn send(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = self.output.send(text.as_bytes(), self.give_up).err();
            self.log.answer(text);
        }
    }
}

/// The response to a line that was cut. A comment has no answer.
fn too_long(line: &Line) -> Response {
    let head = line.bytes.get(..1024).unwrap_or(&line.bytes);
    let command = parse_line(head);
    if command.is_none() && head.contains(&b'#') {
        return Response::default();
    }
    let id = command.and_then(|command| command.id);
    Response {
        text: Some(format_reply(id, Err(&line.too_long()))),
        ..Response::default()
    }
}

struct Log<'a> {
    begin: Instant,
    to: Option<&'a mut dyn Write>,
}

/// How to recognise a log of [`serve()`]: its first line begins with the seconds and a sign.
pub(crate) const LOG: Kind<'_> = Kind {
    maker: "tanada gtp --log",
    is_own: &|head| {
        let head = String::from_utf8_lossy(head);
        let mut words = head.split(' ');
        let seconds = words.next().and_then(|word| word.split_once('.'));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        seconds.is_some_and(|(whole, part)| is_number(whole) && is_number(part) && part.len() == 3)
            && words.next().is_some_and(|sign| [">", "<"].contains(&sign))
    },
};

impl Log<'_> {
    fn line(&mut self, line: &Line) {
        let text = String::from_utf8_lossy(&line.bytes);
        self.write(line.arrived, '>', text.trim_end());
    }

    fn answer(&mut self, text: &str) {
        self.write(Instant::now(), '<', text.trim_end());
    }

    fn write(&mut self, at: Instant, sign: char, text: &str) {
        if let Some(to) = &mut self.to {
            let seconds = at.saturating_duration_since(self.begin).as_secs_f64();
            // A failing log must not end a game.
            let _ = writeln!(to, "{seconds:.3} {sign} {text}").and_then(|()| to.flush());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::session::tests::session;
    use crate::util::lines::MAX_LINE;
    use std::time::Duration;

    fn run(session: &mut Session, input: impl Read + Send + 'static) -> (ExitReason, String) {
        let mut output = Vec::new();
        let reason = serve(session, input, &mut output, None).unwrap();
        (reason, String::from_utf8(output).unwrap())
    }

    /// A session whose searches outlast the tests.
    fn searching_session() -> Session {
        let mut session = session(9);
        session.accept("tanada-param iterations none; tanada-param time_per_move 100");
        session
    }

    /// A stream of a first text and, some milliseconds after each text, the next one.
    fn slow<const N: usize>(
        first: &'static str,
        pause: u64,
        texts: [&'static str; N],
    ) -> impl Read {
        let mut stream: Box<dyn Read + Send> = Box::new(first.as_bytes());
        for text in texts {
            let later = Later(Duration::from_millis(pause), text.as_bytes());
            stream = Box::new(stream.chain(later));
        }
        stream
    }

    /// A text that comes after a pause.
    struct Later(Duration, &'static [u8]);

    impl Read for Later {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            std::thread::sleep(std::mem::take(&mut self.0));
            self.1.read(buffer)
        }
    }

    #[test]
    fn everything_before_quit_is_answered() {
        let input = &b"1 name\n\n2 genmove b\n3 quit\n4 name\n"[..];
        let (reason, output) = run(&mut session(9), input);
        assert_eq!(reason, ExitReason::Quit);
        assert!(output.starts_with("=1 Tanada\n\n=2 "), "{output}");
        assert!(output.ends_with("\n\n=3 \n\n"), "{output}");
        assert_eq!(output.matches("\n\n").count(), 3);
    }

    #[test]
    fn an_end_without_quit_abandons_the_search() {
        let mut session = searching_session();
        let begin = Instant::now();
        let at_end = |output: &str| (ExitReason::InputEnded, output.to_string());
        let input = &b"1 name\n2 genmove b\n3 name\n"[..];
        assert_eq!(run(&mut session, input), at_end("=1 Tanada\n\n"));
        let input = slow("genmove b\n", 200, [""]);
        assert_eq!(run(&mut session, input), at_end(""));
        assert!(begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn an_interrupt_ends_all_searches_before_it() {
        let mut session = searching_session();
        let begin = Instant::now();
        let input = slow("1 genmove b\n2 genmove w\n", 100, ["# interrupt\n3 quit\n"]);
        let (_, output) = run(&mut session, input);
        assert_eq!(session.engine().events().len(), 2);
        assert!(output.starts_with("=1 "), "{output}");
        assert!(output.ends_with("\n\n=3 \n\n"), "{output}");
        assert!(begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn any_line_ends_an_analysis_and_is_executed() {
        for (ending, rest) in [
            ("\n2 name\n3 quit\n", "=2 Tanada\n\n=3 \n\n"),
            ("2 protocol_version\n3 quit\n", "=2 2\n\n=3 \n\n"),
            ("2 stop\nquit\n", "=2 \n\n= \n\n"),
            ("2 quit\n", "=2 \n\n"),
            ("# interrupt\nquit\n", "= \n\n"),
        ] {
            let input = slow("1 lz-analyze b 1\n", 100, [ending]);
            let (_, output) = run(&mut searching_session(), input);
            let (analysis, answers) = output.split_once("\n\n").unwrap();
            assert!(analysis.starts_with("=1\ninfo move "), "{analysis}");
            let mut lines = analysis.lines().skip(1);
            assert!(lines.all(|line| line.starts_with("info move ")));
            assert_eq!(answers, rest);
        }
    }

    #[test]
    fn an_analysis_is_abandoned_with_the_input() {
        let input = slow("lz-analyze b 1\n", 50, [""]);
        let (reason, output) = run(&mut searching_session(), input);
        assert_eq!(reason, ExitReason::InputEnded);
        assert!(output.starts_with("=\n"), "{output}");
    }

    #[test]
    fn pondering_ends_with_any_line_and_helps_the_next_search() {
        let mut session = session(9);
        session.accept("tanada-param ponder 1");
        let end = "3 genmove w\n4 tanada-last_search\n5 quit\n";
        let input = slow("1 genmove b\n", 100, ["2 name\n", end]);
        let (_, output) = run(&mut session, input);
        let words: Vec<&str> = output.split("=4 ").nth(1).unwrap().split(' ').collect();
        let number = |at: usize| words[at].parse::<u64>().unwrap();
        // `value V visits N iterations M`: more visits than iterations come from pondering.
        assert!(number(3) > number(5), "{output}");
    }

    #[test]
    fn a_closed_output_ends_quietly() {
        struct Closed;
        impl Output for Closed {
            fn send(&mut self, _: &[u8], _: &dyn Fn() -> bool) -> io::Result<()> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        let reason = serve(&mut session(9), &b"name\nquit\n"[..], &mut Closed, None);
        assert_eq!(reason.unwrap(), ExitReason::OutputClosed);
    }

    #[test]
    fn the_end_is_obeyed_while_the_output_is_blocked() {
        /// Takes nothing, like a full pipe.
        struct Full;
        impl Output for Full {
            fn send(&mut self, _: &[u8], give_up: &dyn Fn() -> bool) -> io::Result<()> {
                while !give_up() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(io::ErrorKind::TimedOut.into())
            }
        }
        for line in ["lz-analyze b 1\n", "name\nname\n", "genmove b\nname\n"] {
            let begin = Instant::now();
            let input = slow(line, 100, [""]);
            let reason = serve(&mut searching_session(), input, &mut Full, None).unwrap();
            assert_eq!(reason, ExitReason::InputEnded);
            // 100 ms after the end are promised; a busy machine may take longer.
            assert!(begin.elapsed() < Duration::from_millis(2100));
        }
    }

    #[test]
    fn the_log_holds_lines_and_answers() {
        let mut log = Vec::new();
        let input = &b"name\r\n# interrupt\n\xff\nquit\n"[..];
        serve(&mut session(9), input, &mut Vec::new(), Some(&mut log)).unwrap();
        assert!((LOG.is_own)(&log));
        for other in ["", "> name\n", "1.5 > 3\n", "0.000 = x", "a.000 > x"] {
            assert!(!(LOG.is_own)(other.as_bytes()), "{other}");
        }
        let log = String::from_utf8(log).unwrap();
        let lines = log.lines().map(|line| line.split_once(' ').unwrap().1);
        assert_eq!(
            lines.collect::<Vec<_>>().join("|"),
            "> name|< = Tanada|> # interrupt|> \u{fffd}|< ? unknown command|> quit|< ="
        );
    }

    #[test]
    fn lines_of_any_length_get_one_answer() {
        let long = |head: &str| [head.as_bytes(), &vec![b'x'; MAX_LINE]].concat();
        let input = [long("7 play "), long("\n# "), b"\nquit\n".to_vec()].concat();
        let mut output = Vec::new();
        serve(&mut session(9), io::Cursor::new(input), &mut output, None).unwrap();
        let output = String::from_utf8(output).unwrap();
        assert!(output.starts_with("?7 the line `7 play xxx"), "{output}");
        assert!(output.ends_with("1048576 bytes\n\n= \n\n"), "{output}");
        assert_eq!(output.matches("\n\n").count(), 2);
    }
}
