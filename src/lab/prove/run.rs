//! Runs a proof: threads that expand positions above the frontier and solve those on it, or leave that
//! to others.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use thiserror::Error;

use super::expand::{Child, Expansion, Known, Scout, outlook, state};
use super::jobs::{Delegate, Event, Job, Jobs, Order, Report, Reports, Sent};
use super::log::{Entry, Finding, Log, LogError};
use super::position::{name, normal, start};
use super::prediction::Prediction;
use super::tree::{Hypothesis, Plan, State, Tree};
use crate::solver::Solver;
use crate::tanbo::{Start, exact, with_position};
use crate::util::jobs::STACK;
use crate::variant::ExactSettings;

/// The name of the log in the folder of a proof.
pub(crate) const LOG: &str = "results.log";
/// The solver gives up after this many times the nodes of the frontier; the position is expanded.
const PATIENCE: u64 = 8;
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
    #[error("the jobs cannot be written: {0}")]
    Unsent(io::Error),
    #[error("unknown job `{0}`: expected the number of a job that was sent and has no result yet")]
    UnknownJob(u64),
}

/// How far a proof is.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ProveProgress {
    /// Positions of the frontier that decide the question if they are as expected, and those of them
    /// that are still to be expanded.
    pub(crate) frontier: usize,
    pub(crate) large: usize,
    /// Positions in the log that the solver solved.
    pub(crate) done: u64,
    /// Those of this run that were as expected, and that were not.
    pub(crate) held: u64,
    pub(crate) refuted: u64,
    /// Nodes in the log.
    pub(crate) nodes: u64,
    /// Nodes that the solver searched in this run, and the seconds that one thread needed for them.
    pub(crate) searched: u64,
    pub(crate) seconds: f64,
    /// Positions that are solved at the same time.
    pub(crate) solvers: usize,
    /// Nodes that the frontier needs, as predicted.
    pub(crate) left: f64,
    /// The factor by which predictions were wrong, and their coefficients.
    pub(crate) error: Option<f64>,
    pub(crate) coefficients: [f64; 3],
    /// Whether the side to move would win.
    pub(crate) won: bool,
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

enum Task {
    Expand(usize),
    Solve(Hypothesis),
}

struct Shared {
    tree: Tree,
    log: Log,
    known: HashMap<String, Known>,
    prediction: Prediction,
    plan: Plan,
    /// The nodes of tasks that run, and of jobs.
    running: HashSet<usize>,
    jobs: Jobs,
    progress: ProveProgress,
    failure: Option<io::Error>,
    is_over: bool,
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
    if normal(&start(&known)?).1 != root {
        return Err(LogError::Other(known).into());
    }
    let mut shared = Shared {
        tree: Tree::default(),
        log,
        known: HashMap::new(),
        prediction: Prediction::default(),
        plan: Plan {
            won: true,
            hypotheses: Vec::new(),
        },
        running: HashSet::new(),
        jobs: Jobs::default(),
        progress: ProveProgress {
            solvers: settings.threads.max(1),
            ..ProveProgress::default()
        },
        failure: None,
        is_over: false,
    };
    entries.into_iter().for_each(|entry| shared.remember(entry));
    let known = shared.known.get(&root).copied().unwrap_or_default();
    // At the root a guess would change nothing.
    let state = state(known, &canonical, 0.5);
    shared.tree.add(canonical, root, state);
    shared.replan();
    let (events, heard) = channel();
    let solves = delegate.is_none();
    if let Some(delegate) = &mut delegate {
        delegate.listen(Reports(events.clone()));
    }
    let run = Run {
        settings,
        solver: Solver::new(settings.bytes, 1),
        shared: Mutex::new(shared),
        changed: Condvar::new(),
        events,
        stop: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        for number in 0..settings.threads.max(1) {
            let builder = thread::Builder::new().stack_size(STACK);
            match builder.spawn_scoped(scope, || run.work(solves)) {
                Err(error) if number == 0 => return Err(ProveError::Threads(error)),
                // Those that run do the work.
                Err(_) => break,
                Ok(_) => {}
            }
        }
        let watched = run.watch(&heard, delegate, on_progress);
        run.end(&mut run.shared.lock());
        watched
    })?;
    let mut shared = run.shared.into_inner();
    match shared.failure.take() {
        Some(error) => Err(ProveError::Unwritten(error)),
        None => Ok(Proof {
            start: asked,
            question,
            won: shared.plan.result(),
            progress: shared.progress,
        }),
    }
}

impl Shared {
    /// Chooses the hypotheses again, after something was learnt; the run is over if none is left.
    fn replan(&mut self) {
        self.plan = self.tree.plan(&self.prediction);
        self.progress.won = self.plan.won;
        self.progress.frontier = self.plan.hypotheses.len();
        let nodes = self.plan.hypotheses.iter().map(|h| h.nodes);
        // The sum of nothing is -0.
        self.progress.left = nodes.sum::<f64>() + 0.0;
        self.progress.error = self.prediction.error();
        self.progress.coefficients = self.prediction.coefficients();
        if self.plan.result().is_some() && !self.is_over {
            self.conclude();
        }
    }

    /// The next task: positions that are too large come first, because they may change the plan.
    /// The others only if `solves`.
    fn next(&mut self, most: u64, solves: bool) -> Option<Task> {
        let is_large = |h: &&Hypothesis| h.is_given_up || h.nodes > most as f64;
        let large = self.plan.hypotheses.iter().filter(is_large);
        self.progress.large = large.count();
        let free = self.plan.hypotheses.iter();
        let free = free.filter(|h| !self.running.contains(&h.node));
        let by_nodes = |a: &&Hypothesis, b: &&Hypothesis| a.nodes.total_cmp(&b.nodes);
        let by_worth = |a: &&Hypothesis, b: &&Hypothesis| a.worth().total_cmp(&b.worth());
        let task = match free.clone().filter(is_large).max_by(by_nodes) {
            Some(large) => Task::Expand(large.node),
            None => Task::Solve(*free.max_by(by_worth).filter(|_| solves)?),
        };
        let (Task::Expand(node) | Task::Solve(Hypothesis { node, .. })) = task;
        self.running.insert(node);
        Some(task)
    }

    /// What to tell whoever solves positions. Nothing while a position that is too large waits for a
    /// thread, because that may change the plan.
    fn orders(&mut self, most: u64) -> Vec<Order> {
        let is_large = |h: &Hypothesis| h.is_given_up || h.nodes > most as f64;
        let waits = |h: &Hypothesis| is_large(h) && !self.running.contains(&h.node);
        if self.is_over || self.plan.hypotheses.iter().any(waits) {
            return Vec::new();
        }
        let cancelled = self.jobs.cancel(&self.plan).into_iter();
        let cancelled = cancelled.map(|(number, node)| {
            self.running.remove(&node);
            Order::Cancel(number)
        });
        let mut orders: Vec<Order> = cancelled.collect();
        while self.jobs.has_room()
            && let Some(Task::Solve(hypothesis)) = self.next(most, true)
        {
            orders.push(Order::Solve(Job {
                number: self.jobs.begin(hypothesis),
                position: self.tree.node(hypothesis.node).name.clone(),
                nodes: most.saturating_mul(PATIENCE),
                worth: hypothesis.worth(),
            }));
        }
        orders
    }

    /// Takes a report over.
    fn hear(&mut self, report: Report) -> Result<(), ProveError> {
        match report {
            Report::Most(most) => {
                self.jobs.most = most;
                self.progress.solvers = most.max(1);
            }
            Report::End => self.is_over = true,
            Report::Lost { job, .. } => {
                self.end(job)?;
            }
            Report::Solved { job, winner, nodes } => {
                let sent = self.end(job)?;
                self.progress.searched = self.progress.searched.saturating_add(nodes);
                self.progress.seconds += sent.begin.elapsed().as_secs_f64();
                let start = &self.tree.node(sent.hypothesis.node).start;
                let won = winner.map(|winner| winner == start.setup().to_move);
                self.solved(sent.hypothesis, won, nodes);
                self.replan();
            }
        }
        Ok(())
    }

    /// Forgets a job that has ended.
    fn end(&mut self, job: u64) -> Result<Sent, ProveError> {
        let sent = self.jobs.end(job).ok_or(ProveError::UnknownJob(job))?;
        // A position whose job was cancelled may be in another one.
        if !sent.is_cancelled {
            self.running.remove(&sent.hypothesis.node);
        }
        Ok(sent)
    }

    /// The state of a position in the tree, and what the log says about it.
    fn look_up(&self, name: &str) -> (Option<State>, Known) {
        let here = self.tree.find(name);
        let state = here.map(|index| self.tree.node(index).state.clone());
        (state, self.known.get(name).copied().unwrap_or_default())
    }

    /// Takes an entry of the log over.
    fn remember(&mut self, entry: Entry) {
        let Entry { position, finding } = entry;
        self.count(finding);
        let known = self.known.entry(position.clone()).or_default();
        match finding {
            Finding::Result(won, _) => known.won = Some(won),
            Finding::GivenUp(_) => known.is_given_up = true,
            Finding::Chance(chance, _) => {
                known.chance = Some(f64::from(chance) / 1000.0);
                return;
            }
        }
        if let (Some(chance), Ok(start)) = (known.chance, start(&position)) {
            self.prediction
                .learn(outlook(&start, chance), finding.nodes());
        }
    }

    fn count(&mut self, finding: Finding) {
        self.progress.nodes = self.progress.nodes.saturating_add(finding.nodes());
        self.progress.done += u64::from(matches!(finding, Finding::Result(..)));
    }

    fn append(&mut self, entry: &Entry) {
        if self.failure.is_some() {
            return;
        }
        self.count(entry.finding);
        if let Err(error) = self.log.append(entry) {
            self.failure = Some(error);
            self.is_over = true;
        }
    }

    /// Logs the answer, so that it need not be put together again.
    fn conclude(&mut self) {
        self.is_over = true;
        let question = self.tree.node(Tree::ROOT).name.clone();
        let is_logged = matches!(self.tree.node(Tree::ROOT).state, State::Solved(_));
        if let (Some(won), false) = (self.plan.result(), is_logged) {
            self.append(&Entry {
                position: question,
                finding: Finding::Result(won, 0),
            });
        }
    }

    fn expanded(&mut self, node: usize, expansion: Expansion) {
        if matches!(self.tree.node(node).state, State::Solved(_)) {
            // The late answer to a job.
            return;
        }
        let children = expansion.children.into_iter();
        let children = children.map(|child| self.add(child)).collect();
        let won = expansion.is_won.then_some(State::Solved(true));
        self.tree.set(node, won.unwrap_or(State::Inner(children)));
    }

    fn add(&mut self, child: Child) -> usize {
        let Child {
            start,
            name,
            state,
            found,
        } = child;
        // Another thread may have found it meanwhile.
        let here = self.tree.find(&name);
        let is_known = |index| matches!(self.tree.node(index).state, State::Solved(_));
        if let Some(index) = here
            && (is_known(index) || !matches!(state, State::Solved(_)))
        {
            return index;
        }
        if let Some(entry) = &found {
            self.append(entry);
        }
        if let Some(index) = here {
            self.tree.set(index, state);
            return index;
        }
        self.tree.add(start, name, state)
    }

    fn solved(&mut self, hypothesis: Hypothesis, won: Option<bool>, nodes: u64) {
        let node = self.tree.node(hypothesis.node);
        // What comes after a job was cancelled may be known already.
        let outlook = match &node.state {
            State::Open(outlook) => Some(*outlook),
            State::GivenUp(outlook) if won.is_some() => Some(*outlook),
            State::Inner(_) if won.is_some() => None,
            State::Solved(_) | State::GivenUp(_) | State::Inner(_) => return,
        };
        let position = node.name.clone();
        let finding = match won {
            Some(won) => Finding::Result(won, nodes),
            None => Finding::GivenUp(nodes),
        };
        self.append(&Entry { position, finding });
        self.progress.held += u64::from(won == Some(hypothesis.won));
        self.progress.refuted += u64::from(won == Some(!hypothesis.won));
        if let Some(outlook) = outlook {
            self.prediction.learn(outlook, nodes);
        }
        let given_up = outlook.map(State::GivenUp);
        if let Some(state) = won.map(State::Solved).or(given_up) {
            self.tree.set(hypothesis.node, state);
        }
    }
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
                let orders = is_delegated.then(|| shared.orders(self.settings.nodes));
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
            let Some(task) = shared.next(self.settings.nodes, solves) else {
                self.changed.wait(&mut shared);
                continue;
            };
            let (before, begin) = (scout.solver.nodes(), Instant::now());
            let (Task::Expand(node) | Task::Solve(Hypothesis { node, .. })) = task;
            let start = shared.tree.node(node).start.clone();
            let done = MutexGuard::unlocked(&mut shared, || match &task {
                Task::Expand(_) => {
                    let look_up = |name: &str| self.shared.lock().look_up(name);
                    scout.expand(&start, &look_up).map(Ok)
                }
                Task::Solve(_) => {
                    let most = self.settings.nodes.saturating_mul(PATIENCE);
                    scout.solve(&start, most).map(Err)
                }
            });
            let nodes = scout.solver.nodes() - before;
            if matches!(task, Task::Solve(_)) {
                shared.progress.searched += nodes;
                shared.progress.seconds += begin.elapsed().as_secs_f64();
            }
            shared.running.remove(&node);
            match (task, done) {
                (Task::Expand(node), Some(Ok(expansion))) => shared.expanded(node, expansion),
                (Task::Solve(hypothesis), Some(Err(won))) => shared.solved(hypothesis, won, nodes),
                _ => {}
            }
            shared.replan();
            self.notify();
        }
    }
}
