//! Questions and answers on streams.

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::answer::{answer, nothing, position_hash, root_moves};
use super::fields::Remark;
use super::inlet::{Inlet, Line};
use super::outlet::Outlet;
use super::request::{Action, Request, read};
use super::schedule::{Job, Schedule};
use super::{MAX_LINE, Options};
use crate::games;
use crate::params::{self, Leaf, Params};
use crate::search::SearchLimits;
use crate::util::jobs::STACK;
use crate::util::random::mix;

/// How long lines that need no search are still answered, and answers still written, after the
/// input has ended, if nobody is to be waited for.
const AFTER_END: Duration = Duration::from_millis(50);

/// What the reading and the writing thread tell.
enum Event {
    /// The input has ended, and nobody is to be waited for.
    Quit,
    /// Everything is written, or the output cannot be written.
    Written(io::Result<()>),
}

/// Answers the lines of `input` on `output`, each answer one line that is flushed, in the order
/// in which they are ready. Returns when the input has ended and everything is answered.
///
/// Every position of every query gets exactly one answer that is not during its search, and
/// every other line one error or one echo; but where [`Options::quits_without_waiting`] is set,
/// what is not answered when the input ends gets none, and the function returns at once even if
/// nobody reads the output. Otherwise a search without a time limit gets
/// [`Options::time_after_end`] after the end of the input, and is answered with what it has then.
///
/// With one thread a position, limits on visits alone and no reports during the search, the same
/// seed gives the same answers, in whatever order and number they are asked for, unless the end
/// of the input cuts a search short.
///
/// What waits has a bound: lines that are read ahead, in memory and beyond that in temporary files,
/// positions whose search has not begun, and answers that are not written. Where one is reached,
/// whoever has more waits.
///
/// Threads may be left behind that wait for input, or for somebody to read the output; they end
/// with the process.
///
/// # Errors
/// The output cannot be written, or no thread is to be had.
pub fn serve(
    options: &Options,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let desk = Arc::new(Desk::new(options.clone()));
    let (to, events) = channel();
    let reader = desk
        .start(input, output, &to)
        .inspect_err(|_| desk.give_up())?;
    drop(to);
    let written = match events.recv() {
        Ok(Event::Quit) => {
            let last = events.recv_timeout(AFTER_END);
            // Giving back all that waits takes long, so another thread does it.
            let _ = std::thread::Builder::new().spawn(move || desk.give_up());
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

/// Where questions come in and answers go out.
struct Desk {
    options: Options,
    inlet: Inlet,
    schedule: Schedule,
    outlet: Outlet,
    /// When the last line was read.
    input_ended: OnceLock<Instant>,
    /// Searches are no longer answered.
    has_quit: AtomicBool,
}

/// Lets go everybody who waits if its thread panics.
struct Alarm(Arc<Desk>);

impl Drop for Alarm {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.give_up();
        }
    }
}

impl Desk {
    fn new(options: Options) -> Self {
        Self {
            options,
            inlet: Inlet::default(),
            schedule: Schedule::default(),
            outlet: Outlet::default(),
            input_ended: OnceLock::new(),
            has_quit: AtomicBool::new(false),
        }
    }

    /// Starts all threads. The one that is given back takes the lines, and ends when everything is
    /// answered.
    fn start(
        self: &Arc<Self>,
        input: impl Read + Send + 'static,
        mut output: impl Write + Send + 'static,
        to: &Sender<Event>,
    ) -> io::Result<JoinHandle<()>> {
        let mut workers = Vec::new();
        for _ in 0..self.options.positions.max(1) {
            workers.push(self.spawn("search", Desk::work)?);
        }
        let reader = self.spawn("lines", move |desk| {
            desk.receive();
            let ends: Vec<_> = workers.into_iter().map(JoinHandle::join).collect();
            desk.outlet.end();
            for end in ends {
                end.unwrap_or_else(|panic| resume_unwind(panic));
            }
        })?;
        let events = to.clone();
        self.spawn("output", move |desk| {
            let written = desk.outlet.drain(&mut output);
            if written.is_err() {
                desk.give_up();
            }
            let _ = events.send(Event::Written(written));
        })?;
        let events = to.clone();
        self.spawn("input", move |desk| {
            desk.inlet.feed(input);
            let _ = desk.input_ended.set(Instant::now());
            if desk.options.quits_without_waiting {
                desk.has_quit.store(true, SeqCst);
                desk.schedule.abandon();
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
        let desk = Arc::clone(self);
        let thread = std::thread::Builder::new().name(name.into());
        thread.stack_size(STACK).spawn(move || {
            let alarm = Alarm(desk);
            work(&alarm.0);
        })
    }

    /// Ends everything; nobody waits for anything any more.
    fn give_up(&self) {
        self.has_quit.store(true, SeqCst);
        self.inlet.close();
        self.schedule.abandon();
        self.outlet.close();
    }

    /// Searches positions until none will come any more.
    fn work(&self) {
        while let Some(job) = self.schedule.next() {
            self.search(&job);
            self.schedule.done(&job);
        }
    }

    fn write(&self, object: &Value) {
        self.outlet.write(object);
    }

    fn warn(&self, id: &str, warning: &Remark) {
        self.write(&warning.object("warning", Some(id)));
    }

    /// Takes lines until the input ends or the output fails.
    fn receive(&self) {
        loop {
            match self.inlet.next() {
                Ok(Some(line)) => self.line(&line),
                Ok(None) => break,
                Err(error) => {
                    let text = format!("the lines that wait in a file cannot be read: {error}");
                    self.write(&Remark::general(text).object("error", None));
                    self.inlet.close();
                    break;
                }
            }
        }
        self.schedule.close();
    }

    fn line(&self, line: &Line) {
        let bytes = line.bytes.as_slice();
        if line.is_cut {
            let start = bytes.get(..64).unwrap_or(bytes);
            let start = crate::util::quote::shorten(&String::from_utf8_lossy(start), 40);
            let text = format!("the line `{start}` is too long, expected at most {MAX_LINE} bytes");
            return self.write(&Remark::general(text).object("error", None));
        }
        let line = bytes.trim_ascii();
        if line.is_empty() {
            return;
        }
        match read(line, &self.options) {
            Err(refusal) => {
                let id = refusal.id.as_deref();
                self.write(&refusal.remark.object("error", id));
            }
            Ok(Request::Action(action)) => {
                for warning in &action.warnings {
                    self.warn(&action.id, warning);
                }
                self.act(&action.kind, action.echo);
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
            // Nothing is kept from one position to the next.
            Action::ClearCache => {}
            Action::Terminate(target) => {
                for job in self.schedule.terminate(target) {
                    self.write(&nothing(&job));
                }
            }
        }
        self.write(&Value::Object(echo));
    }

    /// Searches a position and answers.
    fn search(&self, job: &Job) {
        let query = &job.query;
        let mut engine = query.told.engine(job.turn, query.search.params.clone());
        engine.reseed(mix(query.search.params.seed ^ position_hash(&engine)));
        let root_moves = root_moves(&query.bounds, &engine).unwrap_or_else(|warning| {
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
                engine.watch(&limits, first.min(every), &stop, &mut |engine, report| {
                    let now = Instant::now();
                    let is_due = due.is_some_and(|due| now >= due);
                    if is_due && !stop() && !self.outlet.is_crowded() {
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
                "The search was ended {seconds} seconds after the end of the input, with {} of \
                 {asked} visits; `--time-after-end` gives it more",
                report.visits
            );
            self.warn(&query.id, &Remark::new("maxVisits", text));
        }
        self.write(&answer(job, &engine, &report, false));
    }

    /// Whether a search that began then, and has no time limit, has had its time after the end of
    /// the input.
    fn is_late(&self, begin: Instant) -> bool {
        let ended = self.input_ended.get();
        ended.is_some_and(|&end| end.max(begin).elapsed() >= self.options.time_after_end)
    }
}

/// The evaluations that there are, in KataGo's form as far as it fits.
fn models(params: &Params) -> Value {
    let leaf = params::find("leaf").map(|leaf| leaf.get(params).to_string());
    let leaf = leaf.unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let model = |game: &&dyn crate::variant::Variant| {
        let name = game.name();
        let start = game.start(None, None, None).ok();
        let features = start.and_then(|start| {
            let game = start.new_game(params, None);
            game.training_features()?.global_features()
        });
        let leaf = match params.leaf {
            Leaf::Network if features.is_none() => "linear",
            _ => &leaf,
        };
        json!({
            "name": format!("{name} {leaf}"),
            "internalName": format!("tanada-{version}-{name}-{leaf}"),
            "usesHumanSLProfile": false,
        })
    };
    games::GAMES.iter().map(model).collect()
}
