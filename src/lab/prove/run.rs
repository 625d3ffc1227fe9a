//! Runs a proof: threads that expand positions above the frontier and solve those on it, or leave that
//! to others.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use thiserror::Error;

use super::expand::Scout;
use super::jobs::{Delegate, Event, Reports, UnknownJob};
use super::log::{Log, LogError};
use super::position::{name, normal, start};
use super::shared::{Done, ProveProgress, Shared, Task, WorkLimits};
use crate::solver::Solver;
use crate::solver::checkpoint::{CheckpointError, CheckpointFile};
use crate::tanbo::{Start, exact, with_position};
use crate::util::files::reason;
use crate::util::threads;
use crate::variant::ExactSettings;

/// The name of the log in the folder of a proof.
pub(crate) const LOG: &str = "results.log";
/// The name of the file there that keeps the table of results until the winner is known.
pub(crate) const CHECKPOINT: &str = "results.checkpoint";
/// How often that is written.
const CHECKPOINT_INTERVAL: Duration = Duration::from_mins(10);
/// Time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Clone, Debug)]
pub(crate) struct ProveSettings {
    pub(crate) folder: PathBuf,
    /// The position; `None` continues the proof that the folder holds.
    pub(crate) start: Option<Start>,
    /// Positions that are predicted to need more nodes are expanded.
    pub(crate) nodes: u64,
    /// Iterations of the engine for a winning chance.
    pub(crate) iterations: u64,
    pub(crate) threads: usize,
    /// The most bytes of the table of results.
    pub(crate) bytes: usize,
    /// For the certificate: how long the search of an ending may be; `None` for no endings.
    pub(crate) ending_limit: Option<u64>,
}

#[derive(Debug, Error)]
pub(crate) enum ProveError {
    #[error(transparent)]
    Log(#[from] LogError),
    #[error("{0}")]
    Unsolvable(String),
    #[error("the folder cannot be created: {0}")]
    Folder(io::Error),
    #[error("no thread can be started: {0}")]
    Threads(io::Error),
    #[error("the log cannot be written: {0}")]
    Unwritten(io::Error),
    #[error("`{CHECKPOINT}` cannot be read: {0}; remove it to go on without what the solver knew")]
    Checkpoint(#[from] CheckpointError),
    #[error("the jobs cannot be written: {0}")]
    Unsent(io::Error),
    #[error(transparent)]
    UnknownJob(#[from] UnknownJob),
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Proof {
    /// The position, and its text.
    pub(crate) start: Start,
    pub(crate) question: String,
    /// Whether the side to move wins; `None` if the run was stopped before.
    pub(crate) won: Option<bool>,
    pub(crate) progress: ProveProgress,
}

struct Run<'a> {
    settings: &'a ProveSettings,
    /// Its table is that of all threads: what one position needed helps with the next.
    solver: Solver,
    shared: Mutex<Shared>,
    changed: Condvar,
    /// Wakes the thread that reports.
    events: Sender<Event>,
    stop: AtomicBool,
}

/// Ends the run if a thread panics, so that the others do not wait for it.
struct WorkerGuard<'a>(&'a Run<'a>);

impl Drop for WorkerGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop.store(true, Relaxed);
            self.0.shared.lock().is_over = true;
            self.0.notify();
        }
    }
}

/// Proves who wins, as far as `on_progress` lets it go on.
///
/// # Errors
/// The folder cannot be used, or the position cannot be solved.
pub(crate) fn prove(
    settings: &ProveSettings,
    on_progress: &mut dyn FnMut(&ProveProgress) -> ControlFlow<()>,
) -> Result<Proof, ProveError> {
    run(settings, None, on_progress)
}

/// The same, where `delegate` solves the positions of the frontier.
///
/// # Errors
/// Also: a job cannot be sent, or a report is about no job.
pub(crate) fn delegate(
    settings: &ProveSettings,
    delegate: &mut dyn Delegate,
    on_progress: &mut dyn FnMut(&ProveProgress) -> ControlFlow<()>,
) -> Result<Proof, ProveError> {
    run(settings, Some(delegate), on_progress)
}

fn run(
    settings: &ProveSettings,
    mut delegate: Option<&mut dyn Delegate>,
    on_progress: &mut dyn FnMut(&ProveProgress) -> ControlFlow<()>,
) -> Result<Proof, ProveError> {
    if let Some(start) = &settings.start {
        let small = ExactSettings::new(0);
        let solver = with_position!(start, |position| exact::of_position(&position, &small));
        solver.map_err(ProveError::Unsolvable)?;
        std::fs::create_dir_all(&settings.folder).map_err(ProveError::Folder)?;
    }
    let path = settings.folder.join(LOG);
    let asked = settings.start.as_ref().map(name);
    let (log, known, entries) = Log::open(&path, asked.as_deref())?;
    let question = asked.unwrap_or(known.clone());
    let asked = start(&question)?;
    let (canonical, root) = normal(&asked);
    let solves = delegate.is_none();
    let mut solver = solver(settings, &canonical)?;
    if normal(&start(&known)?).1 != root {
        return Err(LogError::Other(known).into());
    }
    let limits = WorkLimits::new(settings.nodes, settings.iterations, settings.threads);
    let mut shared = Shared::new(log, limits);
    entries.into_iter().for_each(|entry| shared.remember(entry));
    shared.begin(canonical, root);
    if solves && !shared.is_over {
        solver.load()?;
    }
    let (events, heard) = channel();
    if let Some(delegate) = &mut delegate {
        let listening = delegate.listen(Reports(events.clone()));
        listening.map_err(ProveError::Threads)?;
    }
    let run = Run {
        settings,
        solver,
        shared: Mutex::new(shared),
        changed: Condvar::new(),
        events,
        stop: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        for number in 0..settings.threads.max(1) {
            match threads::spawn(scope, || run.work(solves)) {
                Err(error) if number == 0 => return Err(ProveError::Threads(error)),
                // Those that run do the work.
                Err(_) => break,
                Ok(_) => {}
            }
        }
        if solves {
            // Without that thread the table is written at the end only.
            let _ = threads::spawn(scope, || run.keep());
        }
        let watched = run.watch(&heard, delegate, on_progress);
        run.end(&mut run.shared.lock());
        watched
    })?;
    let mut shared = run.shared.into_inner();
    let failure = shared.failure.take();
    if shared.plan.result().is_some() && failure.is_none() {
        run.solver.forget();
    } else if solves {
        shared.progress.unsaved = run.solver.save().err().map(|error| reason(&error));
    }
    match failure {
        Some(error) => Err(ProveError::Unwritten(error)),
        None => Ok(Proof {
            start: asked,
            question,
            won: shared.plan.result(),
            progress: shared.progress,
        }),
    }
}

/// The solver whose table all threads share, with its checkpoint.
pub(super) fn solver(settings: &ProveSettings, start: &Start) -> Result<Solver, ProveError> {
    let checkpoint = CheckpointFile {
        path: settings.folder.join(CHECKPOINT),
        every: CHECKPOINT_INTERVAL,
        force: false,
    };
    let exact = ExactSettings {
        checkpoint: Some(checkpoint),
        ..ExactSettings::new(settings.bytes)
    };
    let exact = with_position!(start, |position| exact::of_position(&position, &exact));
    let mut exact = exact.map_err(ProveError::Unsolvable)?;
    Ok(std::mem::replace(exact.solver_mut(), Solver::new(0, 1)))
}

impl Run<'_> {
    /// Reports and gives orders until the work is over.
    fn watch(
        &self,
        heard: &Receiver<Event>,
        mut delegate: Option<&mut dyn Delegate>,
        on_progress: &mut dyn FnMut(&ProveProgress) -> ControlFlow<()>,
    ) -> Result<(), ProveError> {
        loop {
            let (progress, orders) = {
                let mut shared = self.shared.lock();
                if shared.is_over {
                    return Ok(());
                }
                let is_delegated = delegate.is_some();
                let orders = is_delegated.then(|| shared.orders());
                (shared.progress.clone(), orders.unwrap_or_default())
            };
            if let Some(delegate) = &mut delegate {
                let sent = orders.iter().try_for_each(|order| delegate.send(order));
                sent.map_err(ProveError::Unsent)?;
            }
            if on_progress(&progress).is_break() {
                return Ok(());
            }
            if let Ok(Event::Report(report)) = heard.recv_timeout(REPORT_INTERVAL) {
                self.shared.lock().hear(report)?;
                self.changed.notify_all();
            }
        }
    }

    /// Writes the table now and then until the work is over.
    fn keep(&self) {
        let mut shared = self.shared.lock();
        let mut due = Instant::now() + CHECKPOINT_INTERVAL;
        while !shared.is_over {
            if self.changed.wait_until(&mut shared, due).timed_out() {
                let saved = MutexGuard::unlocked(&mut shared, || self.solver.save());
                // A disk that is full now may have room the next time.
                shared.progress.unsaved = saved.err().map(|error| reason(&error));
                due = Instant::now() + CHECKPOINT_INTERVAL;
            }
        }
    }

    /// Ends the run; the threads stop soon.
    fn end(&self, shared: &mut Shared) {
        shared.is_over = true;
        self.stop.store(true, Relaxed);
        self.notify();
    }

    /// Wakes all threads.
    fn notify(&self) {
        self.changed.notify_all();
        // Nobody listens any more at the end.
        let _ = self.events.send(Event::Changed);
    }

    /// One thread. It expands positions, and solves them if it `solves`.
    fn work(&self, solves: bool) {
        // Dropped last, when the lock is free.
        let _guard = WorkerGuard(self);
        let mut scout = Scout {
            solver: self.solver.beside(),
            iterations: self.settings.iterations,
            stop: &self.stop,
        };
        let mut shared = self.shared.lock();
        loop {
            if shared.is_over {
                self.end(&mut shared);
                return;
            }
            let Some(task) = shared.next(solves) else {
                self.changed.wait(&mut shared);
                continue;
            };
            let (before, begin) = (scout.solver.nodes(), Instant::now());
            let node = task.node();
            let start = shared.tree.node(node).start.clone();
            let most = shared.limits.patience();
            let done = MutexGuard::unlocked(&mut shared, || match &task {
                Task::Expand(_) => {
                    let look_up = |name: &str| self.shared.lock().look_up(name);
                    scout.expand(&start, &look_up).map(Done::Expanded)
                }
                Task::Ask(_, iterations) => {
                    let chance = scout.chance(&start, *iterations);
                    chance.map(|chance| Done::Asked(chance, *iterations))
                }
                Task::Solve(hypothesis) => {
                    let won = scout.solve(&start, most);
                    won.map(|won| Done::Solved(*hypothesis, won))
                }
            });
            let nodes = scout.solver.nodes() - before;
            if matches!(task, Task::Solve(_)) {
                shared.progress.searched += nodes;
                shared.progress.seconds += begin.elapsed().as_secs_f64();
            }
            shared.running.remove(&node);
            match done {
                Some(Done::Expanded(expansion)) => shared.expanded(node, expansion),
                Some(Done::Asked(chance, iterations)) => shared.asked(node, chance, iterations),
                Some(Done::Solved(hypothesis, won)) => shared.solved(hypothesis, won, nodes),
                None => {}
            }
            shared.replan();
            self.notify();
        }
    }
}
