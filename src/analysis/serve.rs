//! Questions and answers on streams.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::answer::{answer, nothing, position_hash, root_moves};
use super::fields::Remark;
use super::outlet::Outlet;
use super::request::{Action, Request, read};
use super::schedule::{Job, Schedule};
use super::{MAX_LINE, Options};
use crate::games;
use crate::jobs::STACK;
use crate::params::{self, Leaf, Params};
use crate::random::mix;
use crate::search::Limits;

/// Lines that are read ahead of the one that is understood.
const AHEAD: usize = 4;

/// What the reading thread and the workers tell.
enum Event {
    /// A line, without its end; true if it was longer than [`MAX_LINE`] and is cut.
    Line(Vec<u8>, bool),
    /// The input has ended, or the output cannot be written.
    End,
}

/// Answers the lines of `input` on `output`, each answer one line that is flushed, in the order
/// in which they are ready. Returns when the input has ended and everything is answered.
///
/// Every position of every query gets exactly one answer that is not during its search, and
/// every other line one error or one echo; but where [`Options::quits_without_waiting`] is set,
/// what is not answered when the input ends gets none.
///
/// With one thread a position, limits on visits alone and no reports during the search, the same
/// seed gives the same answers, in whatever order and number they are asked for.
///
/// A thread may be left behind that waits for input; it ends with the process.
///
/// # Errors
/// The output cannot be written, or no thread is to be had.
pub fn serve(
    options: &Options,
    input: impl Read + Send + 'static,
    output: &mut (impl Write + Send),
) -> io::Result<()> {
    let (sender, events) = sync_channel(AHEAD);
    let feeder = sender.clone();
    std::thread::Builder::new()
        .name("input".into())
        .spawn(move || feed(input, &feeder))?;
    let (outlet, lines) = Outlet::new();
    let desk = Desk {
        options,
        schedule: Schedule::default(),
        outlet,
    };
    std::thread::scope(|scope| {
        let desk = &desk;
        let writer = std::thread::Builder::new().spawn_scoped(scope, move || {
            let done = desk.outlet.drain(&lines, output);
            if done.is_err() {
                desk.schedule.abandon();
                // The reading side may wait for a line that never comes.
                let _ = sender.send(Event::End);
            }
            done
        })?;
        let work = || {
            while let Some(job) = desk.schedule.next() {
                desk.search(&job);
                desk.schedule.done(&job);
            }
        };
        let spawn = |_| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, work)
        };
        let workers: io::Result<Vec<_>> = (0..options.positions.max(1)).map(spawn).collect();
        match &workers {
            Ok(_) => desk.receive(events),
            Err(_) => {
                drop(events);
                desk.schedule.abandon();
            }
        }
        // What is left of the answers comes before the end.
        let ends = workers.map(|all| all.into_iter().map(|one| one.join()).collect::<Vec<_>>());
        desk.outlet.end();
        let written = writer.join();
        for end in ends? {
            end.unwrap_or_else(|panic| resume_unwind(panic));
        }
        written.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Reads lines until the end, or until nobody wants them.
fn feed(input: impl Read, to: &SyncSender<Event>) {
    let mut input = BufReader::with_capacity(1 << 16, input);
    // A stream that fails has ended.
    while let Ok(Some((line, is_cut))) = read_line(&mut input) {
        if to.send(Event::Line(line, is_cut)).is_err() {
            break;
        }
    }
    let _ = to.send(Event::End);
}

/// The next line without its end, and whether it was cut; none at the end.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<(Vec<u8>, bool)>> {
    let mut line = Vec::new();
    let most = MAX_LINE as u64 + 1;
    if input.take(most).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let is_cut = line.len() > MAX_LINE && line.last() != Some(&b'\n');
    if is_cut {
        input.skip_until(b'\n')?;
        line.truncate(MAX_LINE);
    }
    Ok(Some((line, is_cut)))
}

/// Where questions come in and answers go out.
struct Desk<'a> {
    options: &'a Options,
    schedule: Schedule,
    outlet: Outlet,
}

impl Desk<'_> {
    fn write(&self, object: &Value) {
        self.outlet.write(object);
    }

    fn warn(&self, id: &str, warning: &Remark) {
        self.write(&warning.object("warning", Some(id)));
    }

    /// Takes lines until the input ends or the output fails.
    fn receive(&self, events: Receiver<Event>) {
        while let Ok(Event::Line(line, is_cut)) = events.recv() {
            self.line(&line, is_cut);
        }
        // Nobody waits for room in it any more.
        drop(events);
        if self.options.quits_without_waiting {
            self.outlet.close();
            self.schedule.abandon();
        }
        self.schedule.close();
    }

    fn line(&self, line: &[u8], is_cut: bool) {
        if is_cut {
            let start =
                crate::quote::shorten(&String::from_utf8_lossy(line.get(..64).unwrap_or(line)), 40);
            let text = format!("the line `{start}` is too long, expected at most {MAX_LINE} bytes");
            return self.write(&Remark::general(text).object("error", None));
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        match read(line, self.options) {
            Err(refusal) => {
                let id = refusal.id.as_deref();
                self.write(&refusal.remark.object("error", id));
            }
            Ok(Request::Action(action, echo)) => self.act(&action, echo),
            Ok(Request::Query(query)) => {
                for warning in &query.warnings {
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
        let limits = Limits {
            root_moves,
            ..query.search.limits()
        };
        let stop = || job.has_ended();
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
        self.write(&answer(job, &engine, &report, false));
    }
}

/// The evaluations that there are, in KataGo's form as far as it fits.
fn models(params: &Params) -> Value {
    let leaf = params::find("leaf").map(|leaf| leaf.get(params).to_string());
    let leaf = leaf.unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let model = |game: &&dyn crate::play::Ruleset| {
        let name = game.name();
        let start = game.start(None, None, None).ok();
        let numbers = start.and_then(|start| start.table(params, None).notation().numbers());
        let leaf = match params.leaf {
            Leaf::Network if numbers.is_none() => "linear",
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
            found.map(|(line, is_cut)| (line.trim_ascii().len(), is_cut))
        };
        assert_eq!(next(), Some((MAX_LINE, false)));
        assert_eq!(next(), Some((MAX_LINE, true)));
        assert_eq!(
            [next(), next(), next()],
            [Some((2, false)), Some((0, false)), Some((1, false))]
        );
        assert_eq!(next(), None);
    }
}
