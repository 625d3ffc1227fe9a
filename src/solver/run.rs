//! Threads, limits, progress, the answer.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Instant;

use super::checkpoint::{self, Checkpoint, CheckpointError};
use super::table::ResultTable;
use super::worker::{Shared, Watch, Worker};
use super::{ByKey, ByRank, Order, Solvable};
use crate::util::jobs::STACK;

/// Nodes that one thread searches before others are woken.
const ALONE: u64 = 1 << 13;
/// Places to mark positions that are being searched.
const MARKS: usize = 1 << 12;

/// When a search ends without an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolverLimits {
    /// The moment to stop.
    pub deadline: Option<Instant>,
    /// Nodes at most, about.
    pub nodes: Option<u64>,
}

impl SolverLimits {
    /// What is left after so many nodes.
    pub fn after(&self, nodes: u64) -> Self {
        Self {
            nodes: self.nodes.map(|most| most.saturating_sub(nodes)),
            ..*self
        }
    }
}

/// A search ended without an answer: a limit was reached, or it was told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search ended before the result was known")]
pub struct Stopped;

/// How far a search is.
pub struct Progress<'a> {
    /// Nodes of this search.
    pub nodes: u64,
    /// The share of the tree that is done, 0 to 1, as if all moves of a position took as long.
    pub done: f64,
    /// What is known.
    pub table: &'a ResultTable,
    /// Whether the checkpoint could be written, just after it was tried.
    pub saved: Option<&'a io::Result<()>>,
}

/// What is known, and the threads to find out more.
pub struct Solver {
    table: ResultTable,
    threads: usize,
    nodes: u64,
    has_order: bool,
    checkpoint: Option<Checkpoint>,
    /// When the checkpoint was last written, or the solver made.
    written: Instant,
}

impl Solver {
    /// A solver that knows nothing. The table takes at most so many bytes, and at least
    /// 1 MiB.
    pub fn new(bytes: usize, threads: usize) -> Self {
        Self {
            table: ResultTable::new(bytes),
            threads: threads.max(1),
            nodes: 0,
            has_order: true,
            checkpoint: None,
            written: Instant::now(),
        }
    }

    /// The same, that takes moves as the game ranks them or in no particular order.
    pub fn ordered(self, has_order: bool) -> Self {
        Self { has_order, ..self }
    }

    /// The same, that writes what it knows into a file now and then.
    pub fn kept(self, checkpoint: Option<Checkpoint>) -> Self {
        Self { checkpoint, ..self }
    }

    /// Writes the checkpoint, if there is one.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save(&self) -> io::Result<()> {
        match &self.checkpoint {
            None => Ok(()),
            Some(kept) => kept.write(self.nodes, &self.table),
        }
    }

    /// Learns what the checkpoint holds, if it is there; false if not.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn load(&mut self) -> Result<bool, CheckpointError> {
        match self.checkpoint.clone() {
            Some(kept) if kept.is_there() => {
                checkpoint::read(&kept.path, kept.question, self)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Whether the side to move wins, by the order that was asked for. The checkpoint is written
    /// meanwhile; `watch` hears whether it could be.
    ///
    /// # Errors
    /// As [`Solver::solve`].
    pub fn ask<P: Solvable>(
        &mut self,
        position: &P,
        limits: &SolverLimits,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        let (kept, before, mut written) = (self.checkpoint.clone(), self.nodes, self.written);
        let watch = &mut |progress: &Progress<'_>| {
            let is_due = |kept: &&Checkpoint| written.elapsed() >= kept.every;
            let Some(kept) = kept.as_ref().filter(is_due) else {
                return watch(progress);
            };
            // A disk that is full now may have room the next time.
            let saved = kept.write(before + progress.nodes, progress.table);
            written = Instant::now();
            watch(&Progress {
                saved: Some(&saved),
                ..*progress
            })
        };
        let won = match self.has_order {
            true => self.solve(position, &ByRank, limits, watch),
            false => self.solve(position, &ByKey, limits, watch),
        };
        self.written = written;
        won
    }

    /// What is known.
    pub fn table(&self) -> &ResultTable {
        &self.table
    }

    /// Nodes of all searches so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Goes on counting nodes from here.
    pub(super) fn set_nodes(&mut self, nodes: u64) {
        self.nodes = nodes;
    }

    /// Whether the side to move wins. `watch` hears of the progress about twenty times a
    /// second and may end the search.
    ///
    /// With one thread and no limit of time the number of nodes is the same each time.
    ///
    /// # Errors
    /// A limit was reached, or `watch` ended it; what was found out stays known.
    pub fn solve<P: Solvable>(
        &mut self,
        position: &P,
        order: &impl Order,
        limits: &SolverLimits,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        if let Some(won) = self.table.probe(position.key()) {
            return Ok(won);
        }
        let most = limits.nodes.unwrap_or(u64::MAX);
        if self.threads == 1 {
            return self.run(position, order, limits, most, 1, watch);
        }
        let alone = ALONE.min(most);
        match self.run(position, order, limits, alone, 1, watch) {
            Ok(won) => Ok(won),
            Err(Stopped) if alone == most => Err(Stopped),
            Err(Stopped) => self.run(position, order, limits, most - alone, self.threads, watch),
        }
    }

    fn run<P: Solvable>(
        &mut self,
        position: &P,
        order: &impl Order,
        limits: &SolverLimits,
        most_nodes: u64,
        threads: usize,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        let marks = if threads > 1 { MARKS } else { 0 };
        let shared = Shared {
            table: &self.table,
            order,
            nodes: AtomicU64::new(0),
            most_nodes,
            deadline: limits.deadline,
            stop: AtomicBool::new(false),
            marks: (0..marks).map(|_| AtomicU64::new(0)).collect(),
        };
        let shared = &shared;
        // The first answer of a thread: in the table it may get lost while that grows.
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
                let thread = thread::Builder::new().stack_size(STACK);
                // Without threads to be had, one does the work.
                let _ = thread.spawn_scoped(scope, work);
            }
            let result = Worker::new(shared, Some(watch)).solve(position);
            shared.stop.store(true, Relaxed);
            result
        });
        let nodes = shared.nodes.load(Relaxed);
        self.nodes += nodes;
        let won = answer.or_else(|_| found.get().copied().ok_or(Stopped))?;
        if threads > 1 && self.table.probe(position.key()).is_none() {
            // Lost while the table grew.
            let is_new = self.table.store(position.key(), won, nodes);
            self.table.count(is_new.into());
        }
        Ok(won)
    }
}
