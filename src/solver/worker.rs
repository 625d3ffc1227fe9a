//! One thread's search.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::key::Key;
use super::run::Progress;
use super::table::ResultTable;
use super::{Child, Next, Order, Solvable, bounded};

/// Positions below this size are not looked up in the table: searching them is as quick as
/// waiting for memory, and leaves room. Measured on three positions of 6x6, 4 plies from
/// `corners`: 0, 6, 8 and 10 searched 10.7, 10.7, 10.8 and 11.4 million nodes in 10.9, 11.3,
/// 11.3 and 12.0 seconds of processor time.
const KEPT: u32 = 8;
/// From this size on the table is asked for all children before one is searched, below for each
/// in turn. Measured on three positions of 6x6, 4 plies from `corners`: 0, 12, 15, 18 and 21
/// searched 11.6, 12.5, 13.7, 14.9 and 16.1 million nodes in 13.5, 12.3, 11.4, 11.9 and 14.4
/// seconds of processor time.
const ASKED: u32 = 15;
/// Positions from this size on are marked while they are searched, so that other threads take
/// other ones first.
const MARKED: u32 = 12;
/// Nodes between two looks at what the others say.
const INTERVAL: u64 = 1 << 10;
/// Plies from the root whose moves make the estimate of what is done.
const WATCHED: usize = 8;
/// Time between two words on the progress.
const TOLD: Duration = Duration::from_millis(50);
/// The rank of a child that need not be searched any more.
const DONE: i32 = i32::MAX;
/// Added to the rank of a child that another thread searches.
const PUT_OFF: i32 = 1 << 24;

/// Hears of the progress and may end the search.
pub type Watch<'a> = dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'a;

/// What all threads share.
pub(super) struct Shared<'a, O> {
    pub(super) table: &'a ResultTable,
    pub(super) order: &'a O,
    pub(super) nodes: AtomicU64,
    /// Nodes that may be searched at most.
    pub(super) most_nodes: u64,
    pub(super) stop: AtomicBool,
    /// Keys of positions that are being searched, by some of their bits; none with one thread.
    pub(super) marks: Box<[AtomicU64]>,
    pub(super) deadline: Option<Instant>,
}

impl<O> Shared<'_, O> {
    /// Whether other threads search, too.
    fn has_others(&self) -> bool {
        !self.marks.is_empty()
    }

    #[inline(always)]
    fn mark(&self, key: Key) -> Option<&AtomicU64> {
        self.marks.get(key.0[1] as usize % self.marks.len().max(1))
    }
}

/// One thread.
pub(super) struct Worker<'a, O> {
    shared: &'a Shared<'a, O>,
    /// Told of the progress every now and then; only the first thread has it, and lets the
    /// table grow.
    watch: Option<&'a mut Watch<'a>>,
    told: Instant,
    nodes: u64,
    /// Results in free words of the table that it has not been told of.
    filled: u64,
    /// The keys of the positions on the way to the one that is searched.
    line: Vec<Key>,
    /// The place in `line` of a position that another thread has solved meanwhile, and whether
    /// its side to move wins. What it began below is given up: in three runs of
    /// `scripts/lab/solver_threads.py` two threads searched 13 % more nodes than one and were 1.41
    /// times as fast, without that 17 % and 1.36.
    solved: Option<(usize, bool)>,
    /// For the first plies the moves that are done and all moves.
    path: [(u32, u32); WATCHED],
}

/// The search was told to stop, or up to [`Worker::solved`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Told;

impl<'a, O: Order> Worker<'a, O> {
    pub(super) fn new(shared: &'a Shared<'a, O>, watch: Option<&'a mut Watch<'a>>) -> Self {
        Self {
            shared,
            watch,
            told: Instant::now(),
            nodes: 0,
            filled: 0,
            line: Vec::new(),
            solved: None,
            path: [(0, 1); WATCHED],
        }
    }

    /// Whether the side to move wins.
    pub(super) fn solve<P: Solvable>(&mut self, position: &P) -> Result<bool, Told> {
        let key = position.key();
        if let Some(won) = self.shared.table.probe(key) {
            return Ok(won);
        }
        let result = self.wins(&mut Vec::new(), &mut Vec::new(), position, Some(key), 0);
        self.shared.nodes.fetch_add(self.nodes % INTERVAL, Relaxed);
        self.shared.table.count(self.filled);
        result
    }

    /// Whether the side to move wins in a position that the table does not know. `children` and
    /// `later` are stacks: what lies on them is left as it is.
    fn wins<P: Solvable>(
        &mut self,
        children: &mut Vec<Child<P>>,
        later: &mut Vec<Child<P::Later>>,
        position: &P,
        key: Option<Key>,
        depth: usize,
    ) -> Result<bool, Told> {
        let before = self.nodes;
        self.nodes += 1;
        if self.nodes.is_multiple_of(INTERVAL) {
            self.look_up()?;
        }
        let size = position.size();
        let kept = (size >= KEPT).then(|| key.unwrap_or_else(|| position.key()));
        let start = children.len();
        let won = match position.expand(children) {
            Some(won) => Ok(won),
            None => {
                if let Some(key) = kept {
                    let mark = (size >= MARKED).then(|| self.shared.mark(key)).flatten();
                    if let Some(mark) = mark {
                        mark.store(key.0[0], Relaxed);
                    }
                    self.line.push(key);
                    let won = self.with_table(children, later, start, size >= ASKED, depth);
                    self.line.pop();
                    if let Some(mark) = mark {
                        let _ = mark.compare_exchange(key.0[0], 0, Relaxed, Relaxed);
                    }
                    if won.is_err()
                        && let Some(known) = self.solved_here()
                    {
                        // Who found it has stored it, with what it took.
                        children.truncate(start);
                        return Ok(known);
                    }
                    won
                } else {
                    self.plainly(children, later, start, depth)
                }
            }
        };
        children.truncate(start);
        if let (Ok(won), Some(key)) = (won, kept) {
            let is_free = self.shared.table.store(key, won, self.nodes - before);
            self.filled += u64::from(is_free);
        }
        won
    }

    /// The result of the position just taken from the line, if another thread has found it.
    #[cold]
    fn solved_here(&mut self) -> Option<bool> {
        let place = self.line.len();
        self.solved
            .take_if(|(at, _)| *at == place)
            .map(|(_, won)| won)
    }

    /// The children of a small position, one after the other.
    #[inline(always)]
    fn plainly<P: Solvable>(
        &mut self,
        children: &mut Vec<Child<P>>,
        later: &mut Vec<Child<P::Later>>,
        start: usize,
        depth: usize,
    ) -> Result<bool, Told> {
        while let Some(place) = best(children, start) {
            children[place].rank = DONE;
            if self.child(children, later, place, None, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The children, with a look at what the table knows of them: of all first if `ask_all`.
    #[inline(always)]
    fn with_table<P: Solvable>(
        &mut self,
        children: &mut Vec<Child<P>>,
        later: &mut Vec<Child<P::Later>>,
        start: usize,
        ask_all: bool,
        depth: usize,
    ) -> Result<bool, Told> {
        let table = self.shared.table;
        // All of the memory is asked for before any of it is waited for.
        let mut touched = 0;
        for child in &mut children[start..] {
            child.key = child.next.key();
            child.rank = bounded(self.shared.order.rank(child.rank, child.key));
            if ask_all {
                touched |= table.touch(child.key);
            }
        }
        if ask_all {
            std::hint::black_box(touched);
            for child in &mut children[start..] {
                match table.probe(child.key) {
                    Some(won) if child.next.turned(won) => return Ok(true),
                    Some(_) => child.rank = DONE,
                    None => {}
                }
            }
        }
        let count = (children.len() - start) as u32;
        let mut done = 0;
        let mut is_fresh = ask_all;
        while let Some(place) = best(children, start) {
            if depth < WATCHED {
                self.path[depth] = (done, count);
                self.path[depth + 1..].fill((0, 1));
            }
            let child = &mut children[place];
            if !std::mem::take(&mut is_fresh) {
                // Somebody may have found it out meanwhile.
                if let Some(won) = table.probe(child.key) {
                    if child.next.turned(won) {
                        return Ok(true);
                    }
                    child.rank = DONE;
                    done += 1;
                    continue;
                }
                let is_taken = child.rank < PUT_OFF
                    && self
                        .shared
                        .mark(child.key)
                        .is_some_and(|mark| mark.load(Relaxed) == child.key.0[0]);
                if is_taken {
                    child.rank += PUT_OFF;
                    continue;
                }
            }
            child.rank = DONE;
            let key = Some(child.key);
            if self.child(children, later, place, key, depth)? {
                return Ok(true);
            }
            done += 1;
        }
        Ok(false)
    }

    /// Whether the child at `place` is won for the side that moves there from its parent.
    #[inline(always)]
    fn child<P: Solvable>(
        &mut self,
        children: &mut Vec<Child<P>>,
        later: &mut Vec<Child<P::Later>>,
        place: usize,
        key: Option<Key>,
        depth: usize,
    ) -> Result<bool, Told> {
        let next = children[place].next.clone();
        let won = match &next {
            Next::Same(position) | Next::Again(position) => {
                self.wins(children, later, position, key, depth + 1)?
            }
            Next::Later(position) => self.wins(later, &mut Vec::new(), position, key, depth + 1)?,
        };
        Ok(next.turned(won))
    }

    /// Tells the others and hears from them.
    #[cold]
    fn look_up(&mut self) -> Result<(), Told> {
        let shared = self.shared;
        let nodes = shared.nodes.fetch_add(INTERVAL, Relaxed) + INTERVAL;
        shared.table.count(std::mem::take(&mut self.filled));
        let now = Instant::now();
        if let Some(watch) = &mut self.watch {
            shared.table.grow_if_full();
            if now.duration_since(self.told) >= TOLD {
                self.told = now;
                let progress = Progress {
                    nodes,
                    done: done(&self.path),
                    table: shared.table,
                    saved: None,
                };
                if watch(&progress).is_break() {
                    shared.stop.store(true, Relaxed);
                }
            }
        }
        let is_late = shared.deadline.is_some_and(|deadline| now >= deadline);
        if is_late || nodes >= shared.most_nodes {
            shared.stop.store(true, Relaxed);
        }
        if shared.stop.load(Relaxed) {
            return Err(Told);
        }
        if shared.has_others() {
            let known = self.line.iter().map(|&key| shared.table.probe(key));
            let mut known = known.enumerate();
            self.solved = known.find_map(|(place, won)| Some((place, won?)));
        }
        match self.solved {
            Some(_) => Err(Told),
            None => Ok(()),
        }
    }
}

/// The share of the tree that is done, as if all moves of a position took as long.
fn done(path: &[(u32, u32)]) -> f64 {
    let mut share = 1.0;
    let mut sum = 0.0;
    for &(searched, all) in path {
        share /= f64::from(all.max(1));
        sum += share * f64::from(searched);
    }
    sum
}

/// The child with the lowest rank from `start` on that is not done.
#[inline(always)]
fn best<P: Solvable>(children: &[Child<P>], start: usize) -> Option<usize> {
    let best = (start..children.len()).min_by_key(|&i| children[i].rank);
    best.filter(|&best| children[best].rank != DONE)
}
