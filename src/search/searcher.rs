//! Runs searches: workers on one tree, limits, the tree kept from move to move.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::bias::Bias;
use super::iteration::{Shared, Worker};
use super::proof;
use super::report::{self, Report};
use super::select::Formula;
use super::tree::Tree;
use crate::game::{Evaluator, Game, MultiplayerUtility, Outcome, PerSeat, Seat};
use crate::params::Params;
use crate::util::random::Random;

/// When a search ends; the first limit that is reached holds. Without any limit
/// it ends when `stop` says so or the result is proven.
#[derive(Clone, Debug, Default)]
pub struct SearchLimits {
    /// The moment to stop.
    pub deadline: Option<Instant>,
    /// The moment to report before the search goes on, which stops it, too; only the care for the
    /// tree takes its time from the whole until the deadline.
    pub slice: Option<Instant>,
    /// Iterations of this search at most.
    pub iterations: Option<u64>,
    /// The codes of the moves to choose from ([`Game::code`]); all legal ones without it, and
    /// where it holds no legal one.
    pub root_moves: Option<Arc<[u16]>>,
    /// Codes of moves whose exact results are known from elsewhere: the report says so, and after
    /// the first iteration none goes to a lost one.
    pub known: Arc<[(u16, Outcome)]>,
}

impl SearchLimits {
    /// What the settings say of a search that begins at `begin`: `iterations`, and
    /// `time_per_move` where that is the only limit or was asked for. The time ends by `margin`
    /// earlier, or by half of it where that is less.
    pub fn of(params: &Params, has_explicit_time: bool, begin: Instant, margin: Duration) -> Self {
        let iterations = (params.iterations > 0).then_some(params.iterations);
        let is_timed = iterations.is_none() || has_explicit_time;
        let time = Duration::try_from_secs_f64(params.time_per_move).ok();
        Self {
            // A moment beyond what the system can say is no limit.
            deadline: time
                .filter(|_| is_timed)
                .and_then(|time| begin.checked_add(time - margin.min(time / 2))),
            iterations,
            ..Self::default()
        }
    }

    /// The moment when this search stops at the latest.
    pub fn end(&self) -> Option<Instant> {
        [self.deadline, self.slice].into_iter().flatten().min()
    }

    /// The same, with a report at this moment, if none is due before it.
    #[must_use]
    pub fn sliced(&self, at: Option<Instant>) -> Self {
        Self {
            slice: [self.slice, at].into_iter().flatten().min(),
            ..self.clone()
        }
    }

    /// Whether a move may be chosen.
    pub fn allows(&self, code: u16) -> bool {
        let listed = |moves: &Arc<[u16]>| moves.contains(&code);
        self.root_moves.as_ref().is_none_or(listed)
    }
}

/// A tree, a random stream and the workers for one game.
pub struct Searcher<G: Game, E: Evaluator<G>> {
    evaluator: E,
    formula: Formula,
    /// Lives as long as the tree.
    pub(super) bias: Bias,
    virtual_loss: u16,
    paranoia: f32,
    budget: usize,
    /// Made at the first search, so that starting up costs nothing.
    pub(super) tree: Option<Tree>,
    /// The hash of the position that the root of the tree stands for.
    root_hash: Option<u64>,
    /// The view that the values of the tree have.
    view: Option<MultiplayerUtility>,
    /// The moves that the root of the tree is bound to.
    root_moves: Option<Arc<[u16]>>,
    random: Random,
    workers: usize,
    pool: Option<ThreadPool>,
    game: std::marker::PhantomData<fn() -> G>,
}

/// Iterations between two looks at the clock: cheap ones would be slowed by it.
const CLOCK_INTERVAL: u64 = 4;

impl<G: Game, E: Evaluator<G>> Searcher<G, E> {
    /// A searcher with an empty tree.
    pub fn new(params: &Params, evaluator: E) -> Self {
        Self {
            formula: Formula::new(params, E::HAS_PRIORS, evaluator.has_policy(), G::SEATS),
            evaluator,
            bias: Bias::new(params),
            virtual_loss: params.virtual_loss as u16,
            paranoia: params.paranoia as f32,
            budget: (params.memory as usize).saturating_mul(1 << 20),
            tree: None,
            root_hash: None,
            view: None,
            root_moves: None,
            random: Random::new(params.seed),
            workers: params.workers(),
            pool: None,
            game: std::marker::PhantomData,
        }
    }

    /// Drops the tree; the random stream goes on.
    pub fn clear(&mut self) {
        self.root_hash = None;
    }

    /// Starts the random stream anew.
    pub fn reseed(&mut self, seed: u64) {
        self.random = Random::new(seed);
    }

    /// Takes the random stream of another searcher over, so that it goes on.
    pub fn set_random(&mut self, random: Random) {
        self.random = random;
    }

    /// The random stream.
    pub fn random(&self) -> &Random {
        &self.random
    }

    /// Keeps what the tree knows about the position after `mv`, which leads to
    /// `position`.
    pub fn advance(&mut self, mv: G::Move, position: &G) {
        self.root_moves = None;
        if self.root_hash.is_none() {
            return;
        }
        let kept = self
            .tree
            .as_mut()
            .is_some_and(|tree| tree.advance(G::code(mv)));
        self.root_hash = kept.then(|| position.hash());
    }

    /// Searches `position` until a limit is reached, the result is proven, or
    /// `stop` returns true. A finished game gives a report without moves. At
    /// least one iteration is made.
    ///
    /// With one worker, the same seed and an iteration limit alone, the report is
    /// the same each time, but for the elapsed time.
    pub fn search(
        &mut self,
        position: &G,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<G::Move> {
        let start = Instant::now();
        let seed = self.random.bits();
        let formula = self.formula;
        let budget = self.budget;
        let tree = self
            .tree
            .get_or_insert_with(|| Tree::new(budget, formula.uses_rave(), formula.is_graph()));
        let view = MultiplayerUtility {
            root: position.to_move(),
            paranoia: self.paranoia,
        };
        // Where views differ, values from another seat's search mean something else.
        let before = self.view.replace(view);
        let kept = self.root_hash == Some(position.hash())
            && self.root_moves == limits.root_moves
            && before.is_some_and(|before| before.agrees_with(&view, G::SEATS));
        if kept {
            // The copy may take a quarter of the time there is.
            let enough = limits.deadline.map(|d| start + (d - start.min(d)) / 4);
            tree.make_room(&mut || stop() || enough.is_some_and(|e| Instant::now() >= e));
        }
        // A node whose result is known may have lost its children in the copy.
        let root = tree.root();
        let proof = tree.node(root).proof();
        let bare = tree.children(root).is_empty() && proof.is_some();
        if !kept || bare {
            tree.clear();
            self.bias.clear();
            self.root_hash = Some(position.hash());
        } else if proof != proof::settled(tree, root, position.to_move(), G::SEATS) {
            // It came from elsewhere, and no child tells which move keeps it.
            tree.node(root).set_proof(None);
        }
        self.root_moves.clone_from(&limits.root_moves);
        let mut iterations = 0;
        let mut child_evaluations = 0;
        let mut values = PerSeat::default();
        if position.outcome().is_none() {
            let shared = Shared {
                tree,
                root: position,
                evaluator: &self.evaluator,
                formula: self.formula,
                bias: &self.bias,
                view,
                virtual_loss: self.virtual_loss,
            };
            let run = Run {
                shared: &shared,
                limits,
                stop,
                started: AtomicU64::new(0),
                finished: AtomicU64::new(0),
                child_evaluations: AtomicU64::new(0),
                values: Mutex::new(PerSeat::default()),
                over: AtomicBool::new(false),
            };
            // The root has children before the workers meet there.
            let mut first = Worker::new(Random::part(seed, 0));
            run.first(&mut first);
            run.note_known(position.to_move());
            if limits.root_moves.is_some() {
                run.bind_root(position.to_move());
            }
            if self.workers <= 1 {
                run.work(first);
            } else {
                let workers = self.workers;
                let pool = match &mut self.pool {
                    Some(pool) => Some(&*pool),
                    slot => ThreadPoolBuilder::new()
                        .num_threads(workers)
                        .build()
                        .ok()
                        .map(|p| &*slot.insert(p)),
                };
                match pool {
                    Some(pool) => pool.scope(|scope| {
                        for part in 1..workers {
                            let run = &run;
                            scope.spawn(move |_| {
                                run.work(Worker::new(Random::part(seed, part as u64)))
                            });
                        }
                        run.work(first);
                    }),
                    // Without threads to be had, one does the work.
                    None => run.work(first),
                }
            }
            iterations = run.finished.load(Relaxed);
            child_evaluations = run.child_evaluations.load(Relaxed);
            let sums = run.values.into_inner();
            values = PerSeat(sums.0.map(|sum| (sum / iterations as f64) as f32));
        }
        Report {
            moves: report::moves(tree, position, &view, formula.lcb_deviations),
            proof: position.outcome().or_else(|| {
                let result = tree.node(tree.root()).proof();
                let seat = position.to_move();
                let is_won = |outcome: &Outcome| outcome.value_for(seat, G::SEATS) >= 1.0;
                result.filter(|outcome| limits.root_moves.is_none() || is_won(outcome))
            }),
            values,
            visits: tree.node(tree.root()).visits(),
            iterations,
            child_evaluations,
            nodes: tree.len(),
            elapsed: start.elapsed(),
        }
    }
}

/// One search that is going on.
struct Run<'a, G: Game, E: Evaluator<G>> {
    shared: &'a Shared<'a, G, E>,
    limits: &'a SearchLimits,
    stop: &'a (dyn Fn() -> bool + Sync),
    started: AtomicU64,
    finished: AtomicU64,
    child_evaluations: AtomicU64,
    values: Mutex<PerSeat<f64>>,
    over: AtomicBool,
}

impl<G: Game, E: Evaluator<G>> Run<'_, G, E> {
    /// The first iteration, which gives the root its children.
    fn first(&self, worker: &mut Worker<G>) {
        self.started.store(1, Relaxed);
        worker.iterate(self.shared);
        self.finished.store(1, Relaxed);
    }

    /// Writes down what is known from elsewhere.
    fn note_known(&self, seat: Seat) {
        let known = &self.limits.known;
        if known.is_empty() {
            return;
        }
        let tree = self.shared.tree;
        let root = tree.root();
        for node in tree.children(root) {
            let found = known.iter().find(|(code, _)| *code == node.move_code());
            if let Some(&(_, outcome)) = found {
                node.set_proof(Some(outcome));
            }
        }
        let result = proof::settled(tree, root, seat, G::SEATS);
        if result.is_some() {
            tree.node(root).set_proof(result);
        }
    }

    /// Leaves the root only the children that may be chosen.
    fn bind_root(&self, seat: Seat) {
        let tree = self.shared.tree;
        let root = tree.root();
        if tree.retain(root, |node| self.limits.allows(node.move_code())) {
            // What was known rested on all children.
            let result = proof::settled(tree, root, seat, G::SEATS);
            tree.node(root).set_proof(result);
        }
    }

    /// Whether nothing is left to learn: the result is known, or that of every
    /// move, or the counters are full.
    fn is_settled(&self) -> bool {
        let tree = self.shared.tree;
        let root = tree.node(tree.root());
        let closed = || {
            tree.children(tree.root())
                .iter()
                .all(|c| c.proof().is_some())
        };
        root.proof().is_some() || root.visits() >= u32::MAX - 1024 || closed()
    }

    fn work(&self, mut worker: Worker<G>) {
        let mut done = 0u64;
        let most = self.limits.iterations.unwrap_or(u64::MAX);
        let end = self.limits.end();
        while !self.over.load(Relaxed) {
            if self.is_settled() || self.started.fetch_add(1, Relaxed) >= most {
                break;
            }
            worker.iterate(self.shared);
            done += 1;
            let late = || end.is_some_and(|end| Instant::now() >= end);
            if done.is_multiple_of(CLOCK_INTERVAL) && (late() || (self.stop)()) {
                break;
            }
        }
        self.over.store(true, Relaxed);
        self.finished.fetch_add(done, Relaxed);
        self.child_evaluations
            .fetch_add(worker.child_evaluations, Relaxed);
        let mut values = self.values.lock();
        for (sum, value) in values.0.iter_mut().zip(worker.values.0) {
            *sum += value;
        }
    }
}
