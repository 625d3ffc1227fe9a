//! Searches of one game: the tree that is kept from move to move, and the workers' threads.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::bias::SubtreeValueBias;
use super::limits::SearchLimits;
use super::node::VirtualLoss;
use super::path::Shared;
use super::proof;
use super::report::{self, FirstValues, Report};
use super::run::{Counts, Run};
use super::selection::SelectionConfig;
use super::symmetry;
use super::tree::Tree;
use crate::board::Symmetries;
use crate::game::{Evaluator, Game, MultiplayerUtility, Outcome, PerSeat};
use crate::params::Params;
use crate::util::random::Random;

/// A tree, a random stream and the workers for one game.
pub struct Searcher<G: Game, E: Evaluator<G>> {
    pub(super) evaluator: E,
    config: SelectionConfig,
    /// See [`report::ranked_moves`].
    lcb_deviations: f32,
    /// Lives as long as the tree.
    pub(super) bias: SubtreeValueBias,
    virtual_loss: u16,
    paranoia: f32,
    /// The memory of the tree in bytes.
    budget: usize,
    /// Allocated at the first search, to keep the start of the program fast.
    pub(super) tree: Option<Tree>,
    /// The hash of the position at the root of the tree; `None` if the tree is of no use.
    root_hash: Option<u64>,
    /// The utility that the values of the tree have.
    utility: Option<MultiplayerUtility>,
    /// The moves to which the root of the tree is restricted.
    root_moves: Option<Arc<[u16]>>,
    /// The priors at the root of the tree have noise already.
    has_noise: bool,
    pub(super) random: Random,
    workers: usize,
    /// Created at the first search with several workers.
    pool: Option<ThreadPool>,
    game: std::marker::PhantomData<fn() -> G>,
}

impl<G: Game, E: Evaluator<G>> Searcher<G, E> {
    /// A searcher with an empty tree.
    pub fn new(params: &Params, evaluator: E) -> Self {
        Self {
            evaluator,
            config: SelectionConfig::new::<G, E>(params),
            lcb_deviations: if E::HAS_PRIORS {
                params.lcb_deviations as f32
            } else {
                0.0
            },
            bias: SubtreeValueBias::new(params),
            virtual_loss: params.virtual_loss as u16,
            paranoia: params.paranoia as f32,
            budget: (params.memory as usize).saturating_mul(1 << 20),
            tree: None,
            root_hash: None,
            utility: None,
            root_moves: None,
            has_noise: false,
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

    /// Keeps the subtree of the position after `mv`, which leads to `position`.
    pub fn advance(&mut self, mv: G::Move, position: &G) {
        self.root_moves = None;
        self.has_noise = false;
        if self.root_hash.is_none() {
            return;
        }
        let tree = self.tree.as_mut();
        let kept = tree.is_some_and(|tree| tree.advance(G::code(mv)));
        self.root_hash = kept.then(|| position.hash());
    }

    /// Searches `position` until a limit is reached, the result is proven, or `stop` returns true.
    /// Makes at least one iteration. The report on a finished game has no moves.
    ///
    /// With one worker, the same seed and only an iteration limit, the report is the same each
    /// time, except for the elapsed time.
    pub fn search(
        &mut self,
        position: &G,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<G::Move> {
        let start = Instant::now();
        let seed = self.random.bits();
        let config = self.config;
        let new_tree = || Tree::new(self.budget, config.uses_rave(), config.is_graph);
        let mut tree = self.tree.take().unwrap_or_else(new_tree);
        let utility = MultiplayerUtility {
            root: position.to_move(),
            paranoia: self.paranoia,
        };
        self.prepare(&mut tree, position, utility, limits, start, stop);
        let (forced_playouts, noise) = self.root_exploration(limits);
        let symmetries = match limits.root_moves {
            None => position.symmetries(),
            // Only some of the twins may be allowed.
            Some(_) => Symmetries::NONE,
        };
        let mut counts = Counts::default();
        if position.outcome().is_none() {
            self.start_threads();
            let run = Run {
                shared: Shared {
                    tree: &tree,
                    root: position,
                    evaluator: &self.evaluator,
                    bias: &self.bias,
                    utility,
                    virtual_loss: VirtualLoss {
                        visits: self.virtual_loss,
                        is_alone: self.pool.is_none(),
                    },
                    forced_playouts,
                    symmetries,
                },
                limits,
                noise,
                stop,
                seed,
                workers: self.workers,
                pool: self.pool.as_ref(),
            };
            counts = run.select_by(config);
        }
        let iterations = counts.iterations.load(Relaxed);
        let mean = |sum: f64| (sum / iterations.max(1) as f64) as f32;
        let root = tree.node(tree.root());
        let is_won = |outcome: &Outcome| outcome.value_for(utility.root, G::SEATS) >= 1.0;
        let proven = root.proof();
        let proven = proven.filter(|outcome| limits.root_moves.is_none() || is_won(outcome));
        let first_values = FirstValues::of::<G, E>();
        let moves =
            report::ranked_moves(&tree, position, &utility, self.lcb_deviations, first_values);
        let report = Report {
            moves: symmetry::add_twins(position, symmetries, moves),
            proof: position.outcome().or(proven),
            values: PerSeat(counts.values.into_inner().0.map(mean)),
            visits: root.visits(),
            iterations,
            child_evaluations: counts.child_evaluations.load(Relaxed),
            nodes: tree.len(),
            is_full: tree.is_full(),
            elapsed: start.elapsed(),
        };
        self.tree = Some(tree);
        report
    }

    /// Keeps or clears the tree for a search of `position`, and makes room in it.
    fn prepare(
        &mut self,
        tree: &mut Tree,
        position: &G,
        utility: MultiplayerUtility,
        limits: &SearchLimits,
        start: Instant,
        stop: &dyn Fn() -> bool,
    ) {
        // Values of a search for another seat may mean something else.
        let before = self.utility.replace(utility);
        let kept = self.root_hash == Some(position.hash())
            && self.root_moves == limits.root_moves
            && before.is_some_and(|before| before.agrees_with(&utility, G::SEATS));
        if kept {
            // Compaction may take a quarter of the time.
            let end = limits.deadline.map(|d| start + (d - start.min(d)) / 4);
            tree.compact(&mut || stop() || end.is_some_and(|end| Instant::now() >= end));
        }
        let root = tree.root();
        let proof = tree.node(root).proof();
        // Compaction may have dropped the children of a proven node.
        let bare = tree.children(root).is_empty() && proof.is_some();
        if !kept || bare {
            tree.clear();
            self.bias.clear();
            self.has_noise = false;
            self.root_hash = Some(position.hash());
        } else if proof != proof::from_children(tree, root, utility.root, G::SEATS) {
            // The result was known from elsewhere, and no child tells which move achieves it.
            tree.node(root).set_proof(None);
        }
        self.root_moves.clone_from(&limits.root_moves);
    }

    /// The factor of forced playouts, and the share and the seed of noise that the root has yet to get.
    fn root_exploration(&mut self, limits: &SearchLimits) -> (f32, Option<(f32, u64)>) {
        if limits.plain_root {
            return (0.0, None);
        }
        let share = self.config.root_noise;
        // Slices of a search share the noise, and searches without noise the random stream.
        let wants_noise = share > 0.0 && !std::mem::replace(&mut self.has_noise, share > 0.0);
        let noise = wants_noise.then(|| (share, self.random.bits()));
        (self.config.forced_playouts, noise)
    }

    /// Creates the threads of several workers. If the system allows none, one worker does
    /// everything.
    fn start_threads(&mut self) {
        if self.workers > 1 && self.pool.is_none() {
            let builder = ThreadPoolBuilder::new().num_threads(self.workers);
            self.pool = builder.build().ok();
        }
    }
}
