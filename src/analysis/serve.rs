//! The threads that read queries, search positions and write answers.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::answer::{answer, no_results, root_moves};
use super::fields::Remark;
use super::options::Options;
use super::request::{Action, Request, read};
use super::schedule::{Job, Schedule};
use super::writer::Writer;
use crate::games;
use crate::params::Params;
use crate::search::SearchLimits;
use crate::util::lines::{Line, Lines};
use crate::util::random::mix;
use crate::util::threads::STACK;

/// How many bytes are kept of a line that is too long; errors only quote its beginning.
const KEPT: usize = 256;

/// With [`Options::quits_without_waiting`], how long lines are still executed, and answers still
/// written, after the input has ended.
const AFTER_END: Duration = Duration::from_millis(50);

/// A message from the reading or the writing thread.
enum Event {
    /// The input has ended, and the program should quit without waiting.
    Quit,
    /// Everything is written, or the output cannot be written.
    Written(io::Result<()>),
}

/// Answers the lines of `input` on `output`. Each answer is a line of its own, flushed, in the order
/// in which they are ready. Returns when the input has ended and everything is answered.
///
/// Every position of every query gets exactly one final answer, and every other line gets one error
/// or one echo. With [`Options::quits_without_waiting`], what is not answered at the end of the input
/// is dropped, and the function returns at once even if the output is not read. Otherwise a search
/// without a time limit may continue for [`Options::time_after_end`] after the end of the input, and
/// is then answered as it is.
///
/// The same seed gives the same answers, whatever the order and number of the queries, if each
/// position has one thread, only visits are limited, no reports are made during the search, and the
/// end of the input stops no search.
///
/// All queues are bounded: lines read ahead (in memory, then in a temporary file), positions whose
/// search has not started, and answers not written yet. A thread that would exceed a bound waits.
///
/// Threads that wait for input or output may be left behind; they end with the process.
///
/// # Errors
/// The output cannot be written, or no thread can be started.
pub fn serve(
    options: &Options,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let server = Arc::new(Server {
        options: options.clone(),
        lines: Lines::new(KEPT),
        schedule: Schedule::default(),
        writer: Writer::default(),
        has_quit: AtomicBool::new(false),
    });
    let (to, events) = channel();
    let reader = server
        .start(input, output, &to)
        .inspect_err(|_| server.give_up())?;
    drop(to);
    let written = match events.recv() {
        Ok(Event::Quit) => {
            let last = events.recv_timeout(AFTER_END);
            // Freeing everything that waits takes a long time, so another thread does it.
            let _ = std::thread::Builder::new().spawn(move || server.give_up());
            return match last {
                Ok(Event::Written(result)) => result,
                _ => Ok(()),
            };
        }
        Ok(Event::Written(result)) => result,
        Err(_) => Ok(()),
    };
    reader.join().unwrap_or_else(|panic| resume_unwind(panic));
    written
}

/// What the threads share.
struct Server {
    options: Options,
    lines: Lines,
    schedule: Schedule,
    writer: Writer,
    /// Searches are no longer answered.
    has_quit: AtomicBool,
}

/// Ends the other threads if its own panics.
struct PanicGuard(Arc<Server>);

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.give_up();
        }
    }
}

impl Server {
    /// Starts all threads. Returns the one that executes the lines, which ends when everything is
    /// answered.
    fn start(
        self: &Arc<Self>,
        input: impl Read + Send + 'static,
        mut output: impl Write + Send + 'static,
        to: &Sender<Event>,
    ) -> io::Result<JoinHandle<()>> {
        let mut workers = Vec::new();
        for _ in 0..self.options.positions.max(1) {
            workers.push(self.spawn("search", Server::work)?);
        }
        let reader = self.spawn("lines", move |server| {
            server.receive();
            let ends: Vec<_> = workers.into_iter().map(JoinHandle::join).collect();
            server.writer.end();
            for end in ends {
                end.unwrap_or_else(|panic| resume_unwind(panic));
            }
        })?;
        let events = to.clone();
        self.spawn("output", move |server| {
            let written = server.writer.drain(&mut output);
            if written.is_err() {
                server.give_up();
            }
            let _ = events.send(Event::Written(written));
        })?;
        let events = to.clone();
        self.spawn("input", move |server| {
            server.lines.feed(input, |_, _| ControlFlow::Continue(()));
            if server.options.quits_without_waiting {
                server.has_quit.store(true, SeqCst);
                server.schedule.abandon();
                let _ = events.send(Event::Quit);
            }
        })?;
        Ok(reader)
    }

    fn spawn(
        self: &Arc<Self>,
        name: &str,
        work: impl FnOnce(&Self) + Send + 'static,
    ) -> io::Result<JoinHandle<()>> {
        let server = Arc::clone(self);
        let thread = std::thread::Builder::new().name(name.into());
        thread.stack_size(STACK).spawn(move || {
            let guard = PanicGuard(server);
            work(&guard.0);
        })
    }

    /// Makes all threads end, whatever they wait for.
    fn give_up(&self) {
        self.has_quit.store(true, SeqCst);
        self.lines.close();
        self.schedule.abandon();
        self.writer.close();
    }

    /// Searches positions until the schedule is closed and empty.
    fn work(&self) {
        while let Some(job) = self.schedule.next() {
            self.search(&job);
            self.schedule.done(&job);
        }
    }

    fn write(&self, object: &Value) {
        self.writer.write(object);
    }

    fn warn(&self, id: &str, warning: &Remark) {
        self.write(&warning.object("warning", Some(id)));
    }

    fn fail(&self, id: Option<&str>, error: &Remark) {
        self.write(&error.object("error", id));
    }

    /// Executes lines until the input ends or the output fails.
    fn receive(&self) {
        loop {
            match self.lines.next() {
                Ok(Some(line)) => self.line(&line),
                Ok(None) => break,
                Err(error) => {
                    let text = format!("cannot read the waiting lines from their file: {error}");
                    self.fail(None, &Remark::general(text));
                    self.lines.close();
                    break;
                }
            }
        }
        self.schedule.close();
    }

    fn line(&self, line: &Line) {
        if line.is_cut {
            return self.fail(None, &Remark::general(line.too_long()));
        }
        let line = line.bytes.trim_ascii();
        if line.is_empty() {
            return;
        }
        match read(line, &self.options) {
            Err((id, error)) => self.fail(id.as_deref(), &error),
            Ok(Request::Action(id, action, echo, warnings)) => {
                for warning in &warnings {
                    self.warn(&id, warning);
                }
                self.act(&action, echo);
            }
            Ok(Request::Query(query, warnings)) => {
                for warning in &warnings {
                    self.warn(&query.id, warning);
                }
                self.schedule.add(&Arc::from(query));
            }
        }
    }

    fn act(&self, action: &Action, mut echo: Map<String, Value>) {
        match action {
            Action::Version => {
                echo.insert("version".into(), json!(env!("CARGO_PKG_VERSION")));
                echo.insert("git_hash".into(), json!("<omitted>"));
            }
            Action::Models => {
                echo.insert("models".into(), models(&self.options.params));
            }
            // Searches share nothing, so there is no cache.
            Action::ClearCache => {}
            Action::Terminate(target) => {
                for job in self.schedule.terminate(target) {
                    self.write(&no_results(&job));
                }
            }
        }
        self.write(&Value::Object(echo));
    }

    fn search(&self, job: &Job) {
        let query = &job.query;
        let mut engine = query.game.engine(job.turn, query.search.params.clone());
        engine.reseed(mix(query.search.params.seed ^ engine.game_hash()));
        let root_moves = root_moves(&query.restriction, &engine).unwrap_or_else(|warning| {
            self.warn(&query.id, &warning);
            None
        });
        let limits = SearchLimits {
            root_moves,
            ..query.search.limits()
        };
        let begin = Instant::now();
        let is_cut = AtomicBool::new(false);
        let stop = || {
            let is_late = limits.deadline.is_none() && self.is_late(begin);
            is_cut.fetch_or(is_late, SeqCst);
            is_late || job.has_ended()
        };
        let report = match query.reports {
            None => engine.search(&limits, &stop),
            Some((first, every)) => {
                let mut due = Instant::now().checked_add(first);
                engine.search_in_slices(&limits, first.min(every), &stop, &mut |engine, report| {
                    let now = Instant::now();
                    let is_due = due.is_some_and(|due| now >= due);
                    if is_due && !stop() && !self.writer.is_crowded() {
                        self.write(&answer(job, engine, report, true));
                        due = now.checked_add(every);
                    }
                    ControlFlow::Continue(())
                })
            }
        };
        if self.has_quit.load(SeqCst) {
            return;
        }
        let asked = limits.iterations.unwrap_or(u64::MAX);
        if is_cut.load(SeqCst) && u64::from(report.visits) < asked && report.proof.is_none() {
            let seconds = self.options.time_after_end.as_secs_f64();
            let text = format!(
                "The search was stopped {seconds} seconds after the end of the input, with {} of \
                 {asked} visits; `--time-after-end` allows more time",
                report.visits
            );
            self.warn(&query.id, &Remark::new("maxVisits", text));
        }
        self.write(&answer(job, &engine, &report, false));
    }

    /// Whether a search without a time limit, which started at `begin`, has used up its time after the
    /// end of the input.
    fn is_late(&self, begin: Instant) -> bool {
        let is_past = |end: Instant| end.max(begin).elapsed() >= self.options.time_after_end;
        self.lines.end().is_some_and(is_past)
    }
}

/// The evaluations of the games, in the form of KataGo's models.
fn models(params: &Params) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let model = |game: &&dyn crate::variant::Variant| {
        let name = game.name();
        let leaf = params.leaf.word();
        json!({
            "name": format!("{name} {leaf}"),
            "internalName": format!("tanada-{version}-{name}-{leaf}"),
            "usesHumanSLProfile": false,
        })
    };
    games::GAMES.iter().map(model).collect()
}
