//! The search of one thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::key::Key;
use super::progress::{ProgressCallback, SolverProgress, Stopped};
use super::solvable::{Child, MAX_RANK, MoveOrdering, Next, Solvable, clamp_rank};
use super::table::ResultTable;

/// Positions below this size are neither looked up nor stored: searching them is as fast as a
/// cache miss, and the table lasts longer. Measured on three positions of 6x6, 4 plies from
/// `corners`: 0, 6, 8 and 10 searched 10.7, 10.7, 10.8 and 11.4 million nodes in 10.9, 11.3,
/// 11.3 and 12.0 seconds of processor time.
const MIN_TABLE_SIZE: u32 = 8;
/// Positions from this size on are marked while they are searched, and other threads defer
/// them (akin to ABDADA, Weill, 1996).
const MIN_MARKED_SIZE: u32 = 12;
/// Nodes between two synchronisations with the other threads.
const SYNC_INTERVAL: u64 = 1 << 10;
/// Plies from the root that the estimate of the searched share takes into account.
const PROGRESS_PLIES: usize = 8;
/// Time between two reports of the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);
/// The rank of a child that is searched.
const SEARCHED: i32 = i32::MAX;
/// Added to the rank of a child that another thread is searching.
const DEFERRED: i32 = 4 * MAX_RANK;
/// Added to the rank of a child that its [budget](BUDGETS) was too small for.
const POSTPONED: i32 = 4 * DEFERRED;
/// No child that is not postponed has a rank from here on.
const FIRST_POSTPONED: i32 = POSTPONED / 2;

/// Positions from this size on search a child with a budget, unless it is the only one left: if its
/// nodes are not enough, the other children come first. A move that frees much space may need a
/// thousand times the nodes of another winning move, and the order of moves does not tell.
const MIN_BUDGETED_SIZE: usize = 12;
/// When all children were tried, the budget is multiplied by this, and they are tried again. What
/// was found out below them is in the table.
const BUDGET_STEP: u64 = 8;
/// The budget of a child by the size of its parent, in nodes: 8 * 1.8^(size - 8). Measured with one
/// thread on 101 endings of 20 playable points and 31 of 24: 22,837 and 183,295 nodes without
/// budgets, 19,993 and 164,987 with these.
const BUDGETS: [u64; 64] = {
    let mut budgets = [u64::MAX; 64];
    let (mut size, mut nodes) = (MIN_BUDGETED_SIZE, 8.0 * 1.8 * 1.8 * 1.8 * 1.8);
    while size < budgets.len() {
        budgets[size] = nodes as u64;
        nodes *= 1.8;
        size += 1;
    }
    budgets
};

/// From this many plies below the root on, positions from this size on have their budgets divided by
/// [`FAR_DIVISOR`]. Measured with one thread: 12 % fewer nodes on seven positions of 7x7, 4 % fewer
/// to 5 % more on three boards of 6x6. On all plies, endings of 20 points would take 24 % more.
const FAR_PLIES: usize = 14;
const MIN_FAR_SIZE: u32 = 16;
const FAR_DIVISOR: u64 = 10;

/// Why a position was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unsolved {
    /// The search ends, or an ancestor is [solved](Worker::solved).
    Stopped,
    /// A budget is used up.
    OverBudget,
}

/// What all threads share.
pub(super) struct Shared<'a> {
    pub(super) table: &'a ResultTable,
    /// Replaces the game's order of moves. It is seldom there, so the search is not compiled again
    /// for it.
    pub(super) ordering: Option<&'a dyn MoveOrdering>,
    pub(super) nodes: AtomicU64,
    /// The search stops at about this many nodes.
    pub(super) max_nodes: u64,
    pub(super) stop: AtomicBool,
    /// Half of the keys of positions that are being searched, in slots chosen by the other half;
    /// empty with one thread.
    pub(super) marks: Box<[AtomicU64]>,
    pub(super) deadline: Option<Instant>,
}

impl Shared<'_> {
    fn has_other_threads(&self) -> bool {
        !self.marks.is_empty()
    }

    #[inline(always)]
    fn mark(&self, key: Key) -> Option<&AtomicU64> {
        self.marks.get(key.0[1] as usize % self.marks.len().max(1))
    }
}

/// One thread.
pub(super) struct Worker<'a> {
    shared: &'a Shared<'a>,
    /// Only the first thread has it; that thread also lets the table grow.
    on_progress: Option<&'a mut ProgressCallback<'a>>,
    last_report: Instant,
    nodes: u64,
    /// Results stored in free words that the table has not counted yet.
    filled: u64,
    /// The keys of the positions from the root to the current one.
    ancestors: Vec<Key>,
    /// The index in `ancestors` of a position that another thread has solved meanwhile, and
    /// whether its side to move wins. The search below it is abandoned: in three runs of
    /// `scripts/lab/solver_threads.py` two threads searched 13 % more nodes than one and were
    /// 1.41 times as fast; without this, 17 % and 1.36.
    solved: Option<(usize, bool)>,
    /// The nodes at which the smallest budget is used up.
    limit: u64,
    /// For each of the first plies: the searched moves and all moves.
    path: [(u32, u32); PROGRESS_PLIES],
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        shared: &'a Shared<'a>,
        on_progress: Option<&'a mut ProgressCallback<'a>>,
    ) -> Self {
        Self {
            shared,
            on_progress,
            last_report: Instant::now(),
            nodes: 0,
            filled: 0,
            ancestors: Vec::new(),
            solved: None,
            limit: u64::MAX,
            path: [(0, 1); PROGRESS_PLIES],
        }
    }

    /// Whether the side to move wins.
    pub(super) fn solve<P: Solvable>(&mut self, position: &P) -> Result<bool, Stopped> {
        let key = position.key();
        if let Some(won) = self.shared.table.probe(key) {
            return Ok(won);
        }
        let result = self.wins(&mut Vec::new(), &mut Vec::new(), position, Some(key), 0);
        self.shared
            .nodes
            .fetch_add(self.nodes % SYNC_INTERVAL, Relaxed);
        self.shared.table.count(self.filled);
        // At the root no budget is set.
        result.map_err(|_| Stopped)
    }

    /// Whether the side to move wins a position that is not in the table. `children` and `later`
    /// are stacks of both phases; the entries on them stay.
    fn wins<P: Solvable>(
        &mut self,
        children: &mut Vec<Child<P>>,
        later: &mut Vec<Child<P::Later>>,
        position: &P,
        key: Option<Key>,
        depth: usize,
    ) -> Result<bool, Unsolved> {
        let before = self.nodes;
        self.nodes += 1;
        if self.nodes.is_multiple_of(SYNC_INTERVAL) {
            self.synchronise()?;
        }
        if self.nodes >= self.limit {
            return Err(Unsolved::OverBudget);
        }
        let size = position.size();
        let table_key = (size >= MIN_TABLE_SIZE).then(|| key.unwrap_or_else(|| position.key()));
        let start = children.len();
        let won = match position.expand(children) {
            Some(won) => Ok(won),
            None => {
                if let Some(key) = table_key {
                    let mark = (size >= MIN_MARKED_SIZE)
                        .then(|| self.shared.mark(key))
                        .flatten();
                    if let Some(mark) = mark {
                        mark.store(key.0[0], Relaxed);
                    }
                    self.ancestors.push(key);
                    let won = self.search_with_table(children, later, start, size, depth);
                    self.ancestors.pop();
                    if let Some(mark) = mark {
                        let _ = mark.compare_exchange(key.0[0], 0, Relaxed, Relaxed);
                    }
                    if won == Err(Unsolved::Stopped)
                        && let Some(known) = self.take_solved()
                    {
                        // The other thread has stored it with its effort.
                        children.truncate(start);
                        return Ok(known);
                    }
                    won
                } else {
                    self.search_without_table(children, later, start, depth)
                }
            }
        };
        children.truncate(start);
        if let (Ok(won), Some(key)) = (won, table_key) {
            let is_free = self.shared.table.store(key, won, self.nodes - before);
            self.filled += u64::from(is_free);
        }
        won
    }

    /// The result of the position that was just removed from `ancestors`, if another thread has
    /// found it.
    #[cold]
    fn take_solved(&mut self) -> Option<bool> {
        let index = self.ancestors.len();
        self.solved
            .take_if(|(at, _)| *at == index)
            .map(|(_, won)| won)
    }

    /// Searches the children of a small position.
    #[inline(always)]
    fn search_without_table<P: Solvable>(
        &mut self,
        children: &mut Vec<Child<P>>,
        later: &mut Vec<Child<P::Later>>,
        start: usize,
        depth: usize,
    ) -> Result<bool, Unsolved> {
        while let Some(place) = next_child(children, start) {
            children[place].rank = SEARCHED;
            if self.search_child(children, later, place, None, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Searches the children of a position of this size that the table does not know.
    #[inline(always)]
    fn search_with_table<P: Solvable>(
        &mut self,
        children: &mut Vec<Child<P>>,
        later: &mut Vec<Child<P::Later>>,
        start: usize,
        size: u32,
        depth: usize,
    ) -> Result<bool, Unsolved> {
        let table = self.shared.table;
        // All cache lines are asked for first, so that their misses overlap.
        for child in &mut children[start..] {
            child.key = child.next.key();
            table.prefetch(child.key);
            if let Some(ordering) = self.shared.ordering {
                child.rank = clamp_rank(ordering.rank(child.rank, child.key));
            }
        }
        // Enhanced transposition cutoff (Plaat et al., 1996).
        for child in &mut children[start..] {
            match table.probe(child.key) {
                Some(won) if child.next.for_parent(won) => return Ok(true),
                Some(_) => child.rank = SEARCHED,
                None => {}
            }
        }
        let count = (children.len() - start) as u32;
        let mut done = children[start..]
            .iter()
            .filter(|c| c.rank == SEARCHED)
            .count() as u32;
        let mut budget = BUDGETS[BUDGETS.len().min(size as usize + 1) - 1];
        if depth >= FAR_PLIES && size >= MIN_FAR_SIZE {
            budget /= FAR_DIVISOR;
        }
        let mut is_fresh = true;
        while let Some(place) = next_child(children, start) {
            if depth < PROGRESS_PLIES {
                self.path[depth] = (done, count);
                self.path[depth + 1..].fill((0, 1));
            }
            if children[place].rank >= FIRST_POSTPONED {
                // All are: another round.
                for child in &mut children[start..] {
                    child.rank -= if child.rank == SEARCHED { 0 } else { POSTPONED };
                }
                budget = budget.saturating_mul(BUDGET_STEP);
            }
            let child = &mut children[place];
            if !std::mem::take(&mut is_fresh) {
                // Another thread may have solved it meanwhile.
                if let Some(won) = table.probe(child.key) {
                    if child.next.for_parent(won) {
                        return Ok(true);
                    }
                    child.rank = SEARCHED;
                    done += 1;
                    continue;
                }
                let is_taken = child.rank <= MAX_RANK
                    && self
                        .shared
                        .mark(child.key)
                        .is_some_and(|mark| mark.load(Relaxed) == child.key.0[0]);
                if is_taken {
                    child.rank += DEFERRED;
                    continue;
                }
            }
            let rank = std::mem::replace(&mut child.rank, SEARCHED);
            let key = Some(child.key);
            let limit = self.limit;
            if done + 1 < count {
                self.limit = limit.min(self.nodes.saturating_add(budget));
            }
            let won = self.search_child(children, later, place, key, depth);
            self.limit = limit;
            match won {
                Ok(true) => return Ok(true),
                Ok(false) => done += 1,
                Err(Unsolved::OverBudget) if self.nodes < limit => {
                    children[place].rank = rank + POSTPONED;
                }
                Err(unsolved) => return Err(unsolved),
            }
        }
        Ok(false)
    }

    /// Whether the child at `place` is won for the side to move in its parent.
    #[inline(always)]
    fn search_child<P: Solvable>(
        &mut self,
        children: &mut Vec<Child<P>>,
        later: &mut Vec<Child<P::Later>>,
        place: usize,
        key: Option<Key>,
        depth: usize,
    ) -> Result<bool, Unsolved> {
        let next = children[place].next.clone();
        let won = match &next {
            Next::Same(position) | Next::Again(position) => {
                self.wins(children, later, position, key, depth + 1)?
            }
            Next::Later(position) => self.wins(later, &mut Vec::new(), position, key, depth + 1)?,
        };
        Ok(next.for_parent(won))
    }

    /// Shares the counts, reports the progress, and looks for reasons to stop.
    #[cold]
    fn synchronise(&mut self) -> Result<(), Unsolved> {
        let shared = self.shared;
        let nodes = shared.nodes.fetch_add(SYNC_INTERVAL, Relaxed) + SYNC_INTERVAL;
        shared.table.count(std::mem::take(&mut self.filled));
        let now = Instant::now();
        if let Some(on_progress) = &mut self.on_progress {
            shared.table.grow_if_full();
            if now.duration_since(self.last_report) >= PROGRESS_INTERVAL {
                self.last_report = now;
                let progress = SolverProgress {
                    nodes,
                    done: searched_share(&self.path),
                    table: shared.table,
                    saved: None,
                };
                if on_progress(&progress).is_break() {
                    shared.stop.store(true, Relaxed);
                }
            }
        }
        let is_late = shared.deadline.is_some_and(|deadline| now >= deadline);
        if is_late || nodes >= shared.max_nodes {
            shared.stop.store(true, Relaxed);
        }
        if shared.stop.load(Relaxed) {
            return Err(Unsolved::Stopped);
        }
        if shared.has_other_threads() {
            let known = self.ancestors.iter().map(|&key| shared.table.probe(key));
            let mut known = known.enumerate();
            self.solved = known.find_map(|(index, won)| Some((index, won?)));
        }
        if self.solved.is_some() {
            Err(Unsolved::Stopped)
        } else {
            Ok(())
        }
    }
}

/// The share of the tree that is searched, as if all moves of a position took the same time.
fn searched_share(path: &[(u32, u32)]) -> f64 {
    let mut share = 1.0;
    let mut sum = 0.0;
    for &(searched, all) in path {
        share /= f64::from(all.max(1));
        sum += share * f64::from(searched);
    }
    sum
}

/// The unsearched child with the lowest rank from `start` on.
#[inline(always)]
fn next_child<P: Solvable>(children: &[Child<P>], start: usize) -> Option<usize> {
    let best = (start..children.len()).min_by_key(|&i| children[i].rank);
    best.filter(|&best| children[best].rank != SEARCHED)
}
