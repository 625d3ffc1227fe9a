//! One search: its workers, from the first iteration to the last.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use parking_lot::Mutex;
use rayon::ThreadPool;

use super::iteration::Worker;
use super::limits::SearchLimits;
use super::node::Node;
use super::noise;
use super::path::Shared;
use super::proof;
use super::selection::{Priors, Selection, SelectionConfig, Values};
use super::symmetry;
use crate::cpu::{self, Kernel};
use crate::game::{Evaluator, Game, PerSeat};
use crate::util::random::Random;

/// Iterations between two checks of the clock; more checks would slow down cheap iterations.
const CLOCK_INTERVAL: u64 = 4;

pub(super) struct Run<'a, G: Game, E: Evaluator<G>> {
    pub(super) shared: Shared<'a, G, E>,
    pub(super) limits: &'a SearchLimits,
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    pub(super) seed: u64,
    /// The share of noise to mix into the root's priors, and its seed.
    pub(super) noise: Option<(f32, u64)>,
    pub(super) workers: usize,
    /// Threads for the workers; without it one worker does everything.
    pub(super) pool: Option<&'a ThreadPool>,
}

/// Sums over all workers of a search.
#[derive(Default)]
pub(super) struct Counts {
    started: AtomicU64,
    pub(super) iterations: AtomicU64,
    pub(super) child_evaluations: AtomicU64,
    /// The values of all iterations.
    pub(super) values: Mutex<PerSeat<f64>>,
    over: AtomicBool,
}

impl Counts {
    /// Adds what a worker did; its end is that of the search.
    fn finish(&self, iterations: u64, child_evaluations: u64, values: &PerSeat<f64>) {
        self.over.store(true, Relaxed);
        self.iterations.fetch_add(iterations, Relaxed);
        self.child_evaluations.fetch_add(child_evaluations, Relaxed);
        for (sum, value) in self.values.lock().0.iter_mut().zip(values.0) {
            *sum += value;
        }
    }
}

impl<G: Game, E: Evaluator<G>> Run<'_, G, E> {
    /// Searches with the selection of a configuration.
    pub(super) fn select_by(self, config: SelectionConfig) -> Counts {
        // The conditions on `E` are constants, so only selections that an evaluator can have are
        // compiled for it.
        if E::HAS_PRIORS {
            match (config.is_graph, config.corrects) {
                (true, true) => self.run(Priors::<true, true>(config)),
                (true, false) => self.run(Priors::<true, false>(config)),
                (false, _) => self.run(Priors::<false, false>(config)),
            }
        } else if E::HAS_MOVE_EVALUATIONS {
            self.run(Values::<false>(config))
        } else {
            self.run(Values::<true>(config))
        }
    }

    fn run<S: Selection<G>>(self, selection: S) -> Counts {
        let counts = Counts::default();
        let worker = |part: usize| {
            let random = Random::part(self.seed, part as u64);
            Worker::<G, S>::new(selection, random)
        };
        // The root has children before the workers meet there.
        let mut first = worker(0);
        counts.started.store(1, Relaxed);
        self.iterate(&mut first, &|_| false);
        counts.iterations.store(1, Relaxed);
        self.prepare_root();
        let work = |mut worker: Worker<G, S>| {
            let mut done = 0;
            if self.starts(&counts) {
                done = self.iterate(&mut worker, &|done| self.goes_on(&counts, done));
            }
            counts.finish(done, worker.child_evaluations, &worker.values);
        };
        match self.pool {
            Some(pool) => on_threads(pool, self.workers, Box::new(|| work(first)), &|part| {
                work(worker(part));
            }),
            None => work(first),
        }
        counts
    }

    /// Iterates until `goes_on`, which gets the number of iterations so far, returns false; returns
    /// that number.
    #[inline(never)]
    fn iterate<S: Selection<G>>(
        &self,
        worker: &mut Worker<G, S>,
        goes_on: &dyn Fn(u64) -> bool,
    ) -> u64 {
        cpu::dispatch(Iterate {
            shared: &self.shared,
            worker,
            goes_on,
        })
    }

    /// Whether a worker may start another iteration.
    fn starts(&self, counts: &Counts) -> bool {
        let most = self.limits.iterations.unwrap_or(u64::MAX);
        !counts.over.load(Relaxed)
            && !self.is_exhausted()
            && counts.started.fetch_add(1, Relaxed) < most
    }

    /// Whether a worker goes on after so many iterations of its own.
    fn goes_on(&self, counts: &Counts, done: u64) -> bool {
        let is_late = || self.limits.end().is_some_and(|end| Instant::now() >= end);
        let is_over = done.is_multiple_of(CLOCK_INTERVAL) && (is_late() || (self.stop)());
        !is_over && self.starts(counts)
    }

    /// What the root needs once it has children. Called once a search, so it is not compiled into
    /// each selection.
    #[inline(never)]
    fn prepare_root(&self) {
        self.store_known();
        self.restrict_root();
        self.add_noise();
    }

    /// Stores the results that are known from elsewhere.
    fn store_known(&self) {
        let known = &self.limits.known;
        if known.is_empty() {
            return;
        }
        let Shared {
            tree,
            root: position,
            symmetries,
            ..
        } = self.shared;
        let root = tree.root();
        for node in tree.children(root) {
            // What is known of a twin holds for the move in the tree.
            let twins = symmetry::twins(position, symmetries, G::decode(node.move_code()));
            let codes = twins.into_iter().map(|(twin, _)| G::code(twin));
            let codes = Vec::from_iter(codes.chain([node.move_code()]));
            let found = known.iter().find(|(code, _)| codes.contains(code));
            if let Some(&(_, outcome)) = found {
                node.set_proof(Some(outcome));
            }
        }
        let result = proof::from_children(tree, root, position.to_move(), G::SEATS);
        if result.is_some() {
            tree.node(root).set_proof(result);
        }
    }

    /// Removes the children of the root that may not be chosen.
    fn restrict_root(&self) {
        if self.limits.root_moves.is_none() {
            return;
        }
        let tree = self.shared.tree;
        let root = tree.root();
        if tree.retain(root, |node| self.limits.allows(node.move_code())) {
            // The result so far may rest on a removed child.
            let result = proof::from_children(tree, root, self.shared.root.to_move(), G::SEATS);
            tree.node(root).set_proof(result);
        }
    }

    /// Mixes noise into the root's priors and sorts its children again.
    fn add_noise(&self) {
        let Some((share, seed)) = self.noise else {
            return;
        };
        let tree = self.shared.tree;
        noise::mix(tree.children(tree.root()), share, &mut Random::new(seed));
        tree.sort_by_prior(tree.root());
    }

    /// Whether there is nothing left to search: the result of the root or of every move is known,
    /// or the counters are full.
    fn is_exhausted(&self) -> bool {
        let tree = self.shared.tree;
        let root = tree.node(tree.root());
        let is_known = |child: &Node| child.proof().is_some();
        let closed = || tree.children(tree.root()).iter().all(is_known);
        root.proof().is_some() || root.visits() >= u32::MAX - 1024 || closed()
    }
}

/// The iterations of one worker, [`Run::iterate`]. The only caller of [`Worker::iterate`], which is
/// large.
struct Iterate<'a, G: Game, E: Evaluator<G>, S: Selection<G>> {
    shared: &'a Shared<'a, G, E>,
    worker: &'a mut Worker<G, S>,
    goes_on: &'a dyn Fn(u64) -> bool,
}

impl<G: Game, E: Evaluator<G>, S: Selection<G>> Kernel for Iterate<'_, G, E, S> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut done = 0;
        loop {
            self.worker.iterate(self.shared);
            done += 1;
            if !(self.goes_on)(done) {
                return done;
            }
        }
    }
}

/// Runs `first` and, for each other worker, `other` with its number on the threads of a pool.
/// Nothing here is generic: each instance of Rayon's scopes takes 4 kB.
fn on_threads(
    pool: &ThreadPool,
    workers: usize,
    first: Box<dyn FnOnce() + Send + '_>,
    other: &(dyn Fn(usize) + Sync),
) {
    pool.scope(|scope| {
        for part in 1..workers {
            scope.spawn(move |_| other(part));
        }
        first();
    });
}
