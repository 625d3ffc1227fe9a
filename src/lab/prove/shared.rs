//! What the threads of a proof share: what is known, and what is to be done next.

use std::collections::{HashMap, HashSet};
use std::io;

use super::expand::{Child, Expansion, Known, outlook, state};
use super::jobs::{Job, Jobs, Order, Report, Sent, UnknownJob};
use super::log::{self, Entry, Finding, Log};
use super::position::start;
use super::prediction::{DEPTHS, Prediction};
use super::tree::{Hypothesis, Plan, State, Tree};
use crate::tanbo::Start;

/// The solver gives up after this many times the nodes of the frontier; the position is expanded.
const PATIENCE: u64 = 8;
/// Before the solver begins with a position, the engine is asked again with one iteration for this many
/// of the most nodes of a position, which takes about a hundredth of their time, and then a fifteenth.
const NODES_PER_ITERATION: [u64; DEPTHS] = [3000, 300];
/// The engine is asked again only with at least this many times the iterations of the first guess.
const MIN_DEEPENING: u64 = 4;
/// An answer in the log counts as one of a length if it took at least one part in this many of its
/// iterations: an earlier run may have had fewer nodes.
const MAX_SHORTFALL: u64 = 2;
/// The engine is asked again only about positions that are predicted to need at least this share of the
/// most nodes.
const MIN_ASKED: [f64; DEPTHS] = [0.1, 0.2];
/// The engine is asked for longest only about hypotheses that are less sure.
const SURE: f64 = 0.98;
/// Before that, it is asked about up to this many solved positions, to learn what its chances mean.
const TRIALS: usize = 50;

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
    /// The coefficients that turn the engine's winning chances into true ones.
    /// Those of the first guesses, and of those after longer searches.
    pub(crate) calibrations: [[f64; 2]; DEPTHS + 1],
    /// Whether the side to move would win.
    pub(crate) won: bool,
    /// Why the checkpoint could not be written the last time.
    pub(crate) unsaved: Option<String>,
}

/// How much work is put into a position.
#[derive(Clone, Copy)]
pub(super) struct WorkLimits {
    /// Positions that are predicted to need more nodes are expanded.
    nodes: u64,
    /// The iterations with which the engine is asked again, and whether it is.
    deep_iterations: [u64; DEPTHS],
    is_asked: [bool; DEPTHS],
    threads: usize,
}

impl WorkLimits {
    /// `iterations` are those of the first guess.
    pub(super) fn new(nodes: u64, iterations: u64, threads: usize) -> Self {
        let least = iterations.saturating_mul(MIN_DEEPENING);
        let deep_iterations = NODES_PER_ITERATION.map(|per| nodes / per);
        Self {
            nodes,
            deep_iterations,
            is_asked: deep_iterations.map(|deep| deep >= least),
            threads: threads.max(1),
        }
    }

    /// The depth of a search of so many iterations, if any.
    pub(super) fn depth(self, iterations: u64) -> Option<usize> {
        let most = iterations.saturating_mul(MAX_SHORTFALL);
        let index = self
            .deep_iterations
            .iter()
            .rposition(|&wanted| most >= wanted)?;
        Some(index + 1)
    }

    /// The nodes after which the solver gives up.
    pub(super) fn patience(self) -> u64 {
        self.nodes.saturating_mul(PATIENCE)
    }
}

/// What a thread has to do.
pub(super) enum Task {
    Expand(usize),
    /// To ask the engine again, with so many iterations.
    Ask(usize, u64),
    Solve(Hypothesis),
}

impl Task {
    /// The position that it is about.
    pub(super) fn node(&self) -> usize {
        let (Task::Expand(node) | Task::Ask(node, _) | Task::Solve(Hypothesis { node, .. })) =
            *self;
        node
    }
}

/// What a task found out.
pub(super) enum Done {
    Expanded(Expansion),
    /// A winning chance, and the iterations that it took.
    Asked(f64, u64),
    Solved(Hypothesis, Option<bool>),
}

/// What the threads share.
pub(super) struct Shared {
    pub(super) tree: Tree,
    log: Log,
    known: HashMap<String, Known>,
    prediction: Prediction,
    pub(super) plan: Plan,
    /// The nodes of tasks that run, and of jobs.
    pub(super) running: HashSet<usize>,
    pub(super) limits: WorkLimits,
    jobs: Jobs,
    pub(super) progress: ProveProgress,
    pub(super) failure: Option<io::Error>,
    pub(super) is_over: bool,
}

impl Shared {
    pub(super) fn new(log: Log, limits: WorkLimits) -> Self {
        Self {
            tree: Tree::default(),
            log,
            known: HashMap::new(),
            prediction: Prediction::default(),
            plan: Plan {
                won: true,
                hypotheses: Vec::new(),
            },
            running: HashSet::new(),
            limits,
            jobs: Jobs::default(),
            progress: ProveProgress {
                solvers: limits.threads,
                ..ProveProgress::default()
            },
            failure: None,
            is_over: false,
        }
    }

    /// Begins with the position in question, after all entries of the log.
    pub(super) fn begin(&mut self, start: Start, name: String) {
        let known = self.known.get(&name).copied().unwrap_or_default();
        // At the root a guess would change nothing.
        let state = state(known, &start);
        self.tree.add(start, name, state, None);
        self.replan();
    }

    /// Chooses the hypotheses again, after something was learnt; the run is over if none is left.
    pub(super) fn replan(&mut self) {
        self.plan = self.tree.plan(&self.prediction);
        self.progress.won = self.plan.won;
        self.progress.frontier = self.plan.hypotheses.len();
        let nodes = self.plan.hypotheses.iter().map(|h| h.nodes);
        // The sum of nothing is -0.
        self.progress.left = nodes.sum::<f64>() * self.prediction.excess() + 0.0;
        self.progress.error = self.prediction.error();
        self.progress.coefficients = self.prediction.coefficients();
        self.progress.calibrations = self.prediction.calibrations();
        if self.plan.result().is_some() && !self.is_over {
            self.conclude();
        }
    }

    /// Whether a position is to be expanded.
    fn is_large(&self, hypothesis: &Hypothesis) -> bool {
        hypothesis.is_given_up || hypothesis.nodes > self.limits.nodes as f64
    }

    /// The depth at which the engine is to be asked again before the solver begins.
    fn next_depth(&self, hypothesis: &Hypothesis) -> Option<usize> {
        // A guess about the root changes nothing.
        if hypothesis.node == Tree::ROOT {
            return None;
        }
        let share = hypothesis.nodes / self.limits.nodes as f64;
        let is_wanted = |depth: &usize| {
            let index = depth - 1;
            let is_sure = *depth == DEPTHS && hypothesis.chance >= SURE;
            self.limits.is_asked[index] && share >= MIN_ASKED[index] && !is_sure
        };
        (hypothesis.depth + 1..=DEPTHS).find(is_wanted)
    }

    /// The engine is asked again about the most expensive hypothesis first, and for longest about the
    /// one that is expected to waste most nodes.
    fn question(&self) -> Option<Task> {
        let unsure = self.free().filter_map(|h| Some((self.next_depth(h)?, h)));
        let stake = |depth, h: &Hypothesis| match depth {
            DEPTHS => h.nodes * (1.0 - h.chance),
            _ => h.nodes,
        };
        let urgent = unsure.max_by(|&(a, left), &(b, right)| {
            let by_stake = stake(a, left).total_cmp(&stake(b, right));
            b.cmp(&a).then(by_stake)
        });
        let (depth, hypothesis) = urgent?;
        let trial = (depth == DEPTHS).then(|| self.trial()).flatten();
        let iterations = self.limits.deep_iterations[depth - 1];
        Some(Task::Ask(trial.unwrap_or(hypothesis.node), iterations))
    }

    /// The solved position about which the engine was least sure, of those about which it was asked
    /// again, but not for longest. `None` after enough of them.
    fn trial(&self) -> Option<usize> {
        if self.prediction.outcomes(DEPTHS) >= TRIALS {
            return None;
        }
        let chance = |index: usize| {
            let node = self.tree.node(index);
            let outlook = node.outlook.filter(|o| o.depth() + 1 == DEPTHS)?;
            let is_free = !self.running.contains(&index);
            let is_solved = matches!(node.state, State::Solved(_));
            (is_free && is_solved).then(|| self.prediction.chance(outlook, 0.0))
        };
        let solved = self
            .tree
            .indices()
            .filter_map(|index| Some((index, chance(index)?)));
        let doubt = |chance: f64| (chance - 0.5).abs();
        let unsure = solved.min_by(|a, b| doubt(a.1).total_cmp(&doubt(b.1)));
        unsure.map(|(index, _)| index)
    }

    /// The hypotheses that nobody is at work on.
    fn free(&self) -> impl Iterator<Item = &Hypothesis> {
        let hypotheses = self.plan.hypotheses.iter();
        hypotheses.filter(|h| !self.running.contains(&h.node))
    }

    /// The first hypothesis of those that the solver may begin with.
    fn first_ready(&self) -> Option<Hypothesis> {
        let is_ready = |h: &&Hypothesis| !self.is_large(h) && self.next_depth(h).is_none();
        self.free().find(is_ready).copied()
    }

    /// The next task: what may change the plan comes first. Positions are solved only if `solves`.
    pub(super) fn next(&mut self, solves: bool) -> Option<Task> {
        let hypotheses = &self.plan.hypotheses;
        self.progress.large = hypotheses.iter().filter(|h| self.is_large(h)).count();
        let by_nodes = |a: &&Hypothesis, b: &&Hypothesis| a.nodes.total_cmp(&b.nodes);
        let large = self.free().filter(|h| self.is_large(h));
        let task = if let Some(large) = large.max_by(by_nodes) {
            Task::Expand(large.node)
        } else if let Some(question) = self.question() {
            question
        } else {
            Task::Solve(self.first_ready().filter(|_| solves)?)
        };
        self.running.insert(task.node());
        Some(task)
    }

    /// What to tell whoever solves positions. Nothing while a position that is too large waits for a
    /// thread, because that may change the plan.
    pub(super) fn orders(&mut self) -> Vec<Order> {
        if self.is_over || self.free().any(|h| self.is_large(h)) {
            return Vec::new();
        }
        let cancelled = self.jobs.cancel(&self.plan).into_iter();
        let cancelled = cancelled.map(|(number, node)| {
            self.running.remove(&node);
            Order::Cancel(number)
        });
        let mut orders: Vec<Order> = cancelled.collect();
        while self.jobs.has_room()
            && let Some(hypothesis) = self.first_ready()
        {
            self.running.insert(hypothesis.node);
            let mut places = (1..).zip(&self.plan.hypotheses);
            let place = places.find(|(_, h)| h.node == hypothesis.node);
            orders.push(Order::Solve(Job {
                number: self.jobs.begin(hypothesis),
                position: self.tree.node(hypothesis.node).name.clone(),
                nodes: self.limits.patience(),
                worth: place.map_or(0.0, |(place, _)| 1.0 / f64::from(place)),
            }));
        }
        orders
    }

    /// Takes a report over.
    pub(super) fn hear(&mut self, report: Report) -> Result<(), UnknownJob> {
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
    fn end(&mut self, job: u64) -> Result<Sent, UnknownJob> {
        let sent = self.jobs.end(job).ok_or(UnknownJob(job))?;
        // A position whose job was cancelled may be in another one.
        if !sent.is_cancelled {
            self.running.remove(&sent.hypothesis.node);
        }
        Ok(sent)
    }

    /// The state of a position in the tree, and what the log says about it.
    pub(super) fn look_up(&self, name: &str) -> (Option<State>, Known) {
        let here = self.tree.find(name);
        let state = here.map(|index| self.tree.node(index).state.clone());
        (state, self.known.get(name).copied().unwrap_or_default())
    }

    /// Takes an entry of the log over.
    pub(super) fn remember(&mut self, entry: Entry) {
        let Entry { position, finding } = entry;
        self.count(finding);
        let known = self.known.entry(position.clone()).or_default();
        match finding {
            Finding::Result(won, _) => known.won = Some(won),
            Finding::GivenUp(_) => known.is_given_up = true,
            Finding::Chance(chance, _) => {
                known.chance = Some(log::chance(chance));
                return;
            }
            Finding::DeepChance(chance, iterations) => {
                if let Some(depth) = self.limits.depth(iterations) {
                    let chance = log::chance(chance);
                    let before = known.deep_chances[depth - 1].replace(chance);
                    if let (Some(won), None) = (known.won, before) {
                        self.prediction.learn_chance(depth, chance, won);
                    }
                }
                return;
            }
        }
        let known = *known;
        if let (Some(_), Ok(start)) = (known.chance, start(&position)) {
            let outlook = outlook(&start, known);
            let (nodes, won) = (finding.nodes(), finding.won());
            self.prediction.learn(outlook, nodes, won);
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
        let is_logged = matches!(self.tree.node(Tree::ROOT).state, State::Solved(_));
        if let (Some(won), false) = (self.plan.result(), is_logged) {
            self.answer(won);
        }
    }

    fn answer(&mut self, won: bool) {
        self.append(&Entry {
            position: self.tree.node(Tree::ROOT).name.clone(),
            finding: Finding::Result(won, 0),
        });
    }

    pub(super) fn expanded(&mut self, node: usize, expansion: Expansion) {
        if matches!(self.tree.node(node).state, State::Solved(_)) {
            // The late answer to a job.
            return;
        }
        let children = expansion.children.into_iter();
        let children = children.map(|child| self.add(child)).collect();
        self.tree.set(node, State::Inner(children));
        if expansion.is_won {
            self.tree.set(node, State::Solved(true));
            if node == Tree::ROOT {
                self.answer(true);
            }
        }
    }

    fn add(&mut self, child: Child) -> usize {
        let Child {
            start,
            name,
            state,
            outlook,
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
        self.tree.add(start, name, state, outlook)
    }

    pub(super) fn asked(&mut self, node: usize, chance: f64, iterations: u64) {
        let Some(depth) = self.limits.depth(iterations) else {
            return;
        };
        let node = self.tree.node_mut(node);
        match (&mut node.state, &mut node.outlook) {
            (State::Open(outlook) | State::GivenUp(outlook), _) => {
                outlook.deep_chances[depth - 1] = Some(chance);
            }
            (State::Solved(won), Some(outlook)) => {
                outlook.deep_chances[depth - 1] = Some(chance);
                self.prediction.learn_chance(depth, chance, *won);
            }
            (State::Solved(_) | State::Inner(_), _) => return,
        }
        let finding = Finding::DeepChance(log::thousandths(chance), iterations);
        let position = node.name.clone();
        self.append(&Entry { position, finding });
    }

    pub(super) fn solved(&mut self, hypothesis: Hypothesis, won: Option<bool>, nodes: u64) {
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
            // An answer without nodes would be one that was put together.
            Some(won) if hypothesis.node == Tree::ROOT => Finding::Result(won, nodes.max(1)),
            Some(won) => Finding::Result(won, nodes),
            None => Finding::GivenUp(nodes),
        };
        self.append(&Entry { position, finding });
        self.progress.held += u64::from(won == Some(hypothesis.won));
        self.progress.refuted += u64::from(won == Some(!hypothesis.won));
        if let Some(outlook) = outlook.filter(|_| hypothesis.node != Tree::ROOT) {
            self.prediction.learn(outlook, nodes, won);
        }
        let given_up = outlook.map(State::GivenUp);
        if let Some(state) = won.map(State::Solved).or(given_up) {
            self.tree.set(hypothesis.node, state);
        }
    }
}
