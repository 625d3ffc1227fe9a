//! The solver: threads, limits, checkpoints.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use super::checkpoint::{self, CheckpointError, CheckpointFile};
use super::key::Key;
use super::progress::{ProgressCallback, SolverProgress, Stopped};
use super::solvable::{ByKey, MoveOrdering, Solvable};
use super::table::ResultTable;
use super::worker::{Shared, Worker};
use crate::util::threads;

/// Nodes that one thread searches before the others start.
const SINGLE_THREAD_NODES: u64 = 1 << 13;
/// Slots for marks of positions that are being searched.
const MARKS: usize = 1 << 12;

/// When a search ends without a result.
///
/// ```
/// let limits = tanada::SolverLimits { nodes: Some(1_000_000), ..tanada::SolverLimits::default() };
/// assert_eq!(limits.nodes, Some(1_000_000));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SolverLimits {
    /// The moment to stop.
    pub deadline: Option<Instant>,
    /// About this many nodes at most.
    pub nodes: Option<u64>,
}

impl SolverLimits {
    /// The limits that remain after `nodes` nodes.
    pub fn after(&self, nodes: u64) -> Self {
        Self {
            nodes: self.nodes.map(|most| most.saturating_sub(nodes)),
            ..*self
        }
    }
}

/// A table of results, and the threads that fill it.
pub struct Solver {
    table: Arc<ResultTable>,
    threads: usize,
    nodes: u64,
    /// Whether [`Solver::solve`] searches moves as the game ranks them; otherwise in an arbitrary
    /// order.
    pub(crate) has_order: bool,
    /// The checkpoint that it writes while it searches, and the key of the question.
    pub(crate) checkpoint: Option<(CheckpointFile, Key)>,
    /// When the last checkpoint was written, or the solver was created.
    last_checkpoint: Instant,
}

impl Solver {
    /// A solver with an empty table of at most `bytes`, but at least 1 MiB.
    pub fn new(bytes: usize, threads: usize) -> Self {
        Self {
            table: Arc::new(ResultTable::new(bytes)),
            threads: threads.max(1),
            nodes: 0,
            has_order: true,
            checkpoint: None,
            last_checkpoint: Instant::now(),
        }
    }

    /// Another solver of one thread with the same table, to use beside this one.
    pub(crate) fn beside(&self) -> Self {
        Self {
            table: Arc::clone(&self.table),
            has_order: self.has_order,
            ..Self::new(0, 1)
        }
    }

    /// Writes a checkpoint, if the solver has a file for it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self) -> io::Result<()> {
        match &self.checkpoint {
            None => Ok(()),
            Some((file, question)) => file.write(*question, self.nodes, &self.table),
        }
    }

    /// Removes the checkpoint, if there is one.
    pub(crate) fn forget(&self) {
        if let Some((file, _)) = &self.checkpoint {
            file.remove();
        }
    }

    /// Reads the checkpoint; false if there is no file.
    ///
    /// # Errors
    /// As [`checkpoint::read`].
    pub fn load(&mut self) -> Result<bool, CheckpointError> {
        match &self.checkpoint {
            Some((file, question)) if file.is_there() => {
                self.nodes = checkpoint::read(&file.path, *question, &self.table)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Whether the side to move wins. Writes checkpoints meanwhile; `on_progress` is told whether
    /// that worked.
    ///
    /// # Errors
    /// As [`Solver::search`].
    pub fn solve<P: Solvable>(
        &mut self,
        position: &P,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<bool, Stopped> {
        let (file, before, mut last) = (self.checkpoint.clone(), self.nodes, self.last_checkpoint);
        let on_progress = &mut |progress: &SolverProgress<'_>| {
            let is_due = |(file, _): &&(CheckpointFile, Key)| last.elapsed() >= file.every;
            let Some((file, question)) = file.as_ref().filter(is_due) else {
                return on_progress(progress);
            };
            // A disk that is full now may have room the next time.
            let saved = file.write(*question, before + progress.nodes, progress.table);
            last = Instant::now();
            on_progress(&SolverProgress {
                saved: Some(&saved),
                ..*progress
            })
        };
        let ordering: Option<&dyn MoveOrdering> = if self.has_order { None } else { Some(&ByKey) };
        let won = self.search(position, ordering, limits, on_progress);
        self.last_checkpoint = last;
        won
    }

    /// The results found so far.
    pub fn table(&self) -> &ResultTable {
        &self.table
    }

    /// Nodes of all searches so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Whether the side to move wins, with moves in the given order or in the game's own. `on_progress` is called
    /// about twenty times a second and may end the search.
    ///
    /// With one thread and no time limit the number of nodes is always the same.
    ///
    /// # Errors
    /// A limit was reached, or `on_progress` ended the search; results found so far stay in the
    /// table.
    pub fn search<P: Solvable>(
        &mut self,
        position: &P,
        ordering: Option<&dyn MoveOrdering>,
        limits: &SolverLimits,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<bool, Stopped> {
        if let Some(won) = self.table.probe(position.key()) {
            return Ok(won);
        }
        let most = limits.nodes.unwrap_or(u64::MAX);
        if self.threads == 1 {
            return self.run(position, ordering, limits, most, 1, on_progress);
        }
        let alone = SINGLE_THREAD_NODES.min(most);
        match self.run(position, ordering, limits, alone, 1, on_progress) {
            Err(Stopped) if alone < most => {
                let (rest, threads) = (most - alone, self.threads);
                self.run(position, ordering, limits, rest, threads, on_progress)
            }
            result => result,
        }
    }

    fn run<P: Solvable>(
        &mut self,
        position: &P,
        ordering: Option<&dyn MoveOrdering>,
        limits: &SolverLimits,
        max_nodes: u64,
        threads: usize,
        on_progress: &mut ProgressCallback<'_>,
    ) -> Result<bool, Stopped> {
        let marks = if threads > 1 { MARKS } else { 0 };
        let shared = Shared {
            table: &self.table,
            ordering,
            nodes: AtomicU64::new(0),
            max_nodes,
            deadline: limits.deadline,
            stop: AtomicBool::new(false),
            marks: (0..marks).map(|_| AtomicU64::new(0)).collect(),
        };
        let shared = &shared;
        // The first answer of a thread. In a full table it may be replaced at once.
        let found = OnceLock::new();
        let answer = thread::scope(|scope| {
            for _ in 1..threads {
                let found = &found;
                let work = move || {
                    // One answer is enough.
                    if let Ok(won) = Worker::new(shared, None).solve(position) {
                        let _ = found.set(won);
                        shared.stop.store(true, Relaxed);
                    }
                };
                // If no thread can be started, the first one does all the work.
                let _ = threads::spawn(scope, work);
            }
            let result = Worker::new(shared, Some(on_progress)).solve(position);
            shared.stop.store(true, Relaxed);
            result
        });
        let nodes = shared.nodes.load(Relaxed);
        self.nodes += nodes;
        let won = answer.or_else(|_| found.get().copied().ok_or(Stopped))?;
        if threads > 1 && self.table.probe(position.key()).is_none() {
            // It was replaced.
            let is_new = self.table.store(position.key(), won, nodes);
            self.table.count(is_new.into());
        }
        Ok(won)
    }
}
