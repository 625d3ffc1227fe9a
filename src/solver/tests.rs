//! The solver on a game whose results are known.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use super::solvable::MoveOrdering;
use super::*;

/// One heap; a move takes one to three, and whoever takes the last one wins. Lost for the side to
/// move if the heap is a multiple of four. With `again`, taking exactly three gives another move.
#[derive(Clone, Debug, PartialEq)]
struct Heap {
    left: u32,
    again: bool,
}

enum After {
    /// The end of the game; whether the side that moved has won.
    Over(bool),
    Position(Next<Heap>),
}

impl Heap {
    fn after(&self, taken: u32) -> After {
        let next = Self {
            left: self.left - taken,
            again: self.again,
        };
        match (next.left, self.again && taken == 3) {
            (0, _) => After::Over(true),
            (_, true) => After::Position(Next::Again(next)),
            (_, false) => After::Position(Next::Same(next)),
        }
    }

    fn each_move(&self, show: &mut dyn FnMut(u32, After)) {
        for taken in 1..=self.left.min(3) {
            show(taken, self.after(taken));
        }
    }

    fn wins(&self) -> bool {
        let mut wins = false;
        self.each_move(&mut |_, after| {
            wins |= match after {
                After::Over(won) => won,
                After::Position(next) => match &next {
                    Next::Same(heap) | Next::Again(heap) | Next::Later(heap) => {
                        next.for_parent(heap.wins())
                    }
                },
            };
        });
        wins
    }
}

impl Solvable for Heap {
    type Later = Self;

    fn key(&self) -> Key {
        Key::of(&[u64::from(self.left), 7])
    }

    fn size(&self) -> u32 {
        self.left
    }

    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let before = children.len();
        let mut wins = false;
        self.each_move(&mut |mv, after| match after {
            After::Over(won) => wins |= won,
            After::Position(next) => children.push(Child::new(mv as i32, next)),
        });
        if wins {
            return Some(true);
        }
        (children.len() == before).then_some(false)
    }
}

const NO_LIMITS: SolverLimits = SolverLimits {
    deadline: None,
    nodes: None,
};

fn go_on(_: &SolverProgress<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

struct Backwards;

impl MoveOrdering for Backwards {
    fn rank(&self, rank: i32, _: Key) -> i32 {
        -rank
    }
}

struct Extreme;

impl MoveOrdering for Extreme {
    fn rank(&self, rank: i32, _: Key) -> i32 {
        if rank % 2 == 0 { i32::MAX } else { i32::MIN }
    }
}

fn search(heap: &Heap, threads: usize, order: Option<&dyn MoveOrdering>) -> Result<bool, Stopped> {
    Solver::new(0, threads).search(heap, order, &NO_LIMITS, &mut go_on)
}

#[test]
fn results_depend_neither_on_order_nor_on_threads() {
    for again in [false, true] {
        for left in 1..=22 {
            let heap = Heap { left, again };
            let expected = heap.wins();
            assert!(again || expected != left.is_multiple_of(4));
            for threads in [1, 3] {
                assert_eq!(search(&heap, threads, None), Ok(expected), "{heap:?}");
                assert_eq!(
                    search(&heap, threads, Some(&Backwards)),
                    Ok(expected),
                    "{heap:?}"
                );
                assert_eq!(
                    search(&heap, threads, Some(&Extreme)),
                    Ok(expected),
                    "{heap:?}"
                );
            }
        }
    }
}

/// A heap that the table never finds again, as if every result got lost while it grows.
#[derive(Clone, Debug)]
struct Forgotten {
    heap: Heap,
    /// Keys given so far.
    keys: Arc<AtomicU64>,
}

impl Forgotten {
    /// A lost heap that takes a while to solve.
    fn new() -> Self {
        Self {
            heap: Heap {
                left: 40,
                again: false,
            },
            keys: Arc::default(),
        }
    }

    /// The key that it gives after `before` others.
    fn key_after(before: u64) -> Key {
        Key::of(&[before, 5])
    }
}

impl Solvable for Forgotten {
    type Later = Self;

    fn key(&self) -> Key {
        Self::key_after(self.keys.fetch_add(1, Relaxed))
    }

    fn size(&self) -> u32 {
        self.heap.size()
    }

    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let mut heaps = Vec::new();
        let known = self.heap.expand(&mut heaps);
        let forgotten = |heap| Self {
            heap,
            keys: self.keys.clone(),
        };
        children.extend(heaps.into_iter().map(|child| {
            let next = match child.next {
                Next::Same(heap) | Next::Later(heap) => Next::Same(forgotten(heap)),
                Next::Again(heap) => Next::Again(forgotten(heap)),
            };
            Child::new(child.rank, next)
        }));
        known
    }
}

#[test]
fn the_answer_of_another_thread_needs_no_table() {
    let mut solver = Solver::new(0, 2);
    let begin = Instant::now();
    // The first thread is slow, so the other one finishes before it.
    let mut told = 0;
    let slowly = &mut |_: &SolverProgress<'_>| {
        told += 1;
        std::thread::sleep(4 * begin.elapsed());
        ControlFlow::Continue(())
    };
    let found = solver.search(&Forgotten::new(), Some(&Backwards), &NO_LIMITS, slowly);
    assert_eq!(found, Ok(false));
    assert!(told > 0, "one thread was done before two were needed");
}

/// Plays the part of another thread: after this many children it stores a result for the first
/// position.
struct Solved<'a> {
    table: &'a table::ResultTable,
    after: u64,
    asked: AtomicU64,
}

impl MoveOrdering for Solved<'_> {
    fn rank(&self, rank: i32, _: Key) -> i32 {
        if self.asked.fetch_add(1, Relaxed) == self.after {
            assert!(self.table.store(Forgotten::key_after(0), true, 1 << 20));
        }
        rank
    }
}

#[test]
fn what_another_thread_has_solved_is_given_up() {
    for (others, expected) in [(1, Ok(true)), (0, Err(Stopped))] {
        let table = table::ResultTable::new(0);
        let order = Solved {
            table: &table,
            after: 5000,
            asked: AtomicU64::new(0),
        };
        let shared = worker::Shared {
            table: &table,
            ordering: Some(&order),
            nodes: AtomicU64::new(0),
            max_nodes: 100_000,
            stop: AtomicBool::new(false),
            marks: (0..others).map(|_| AtomicU64::new(0)).collect(),
            deadline: None,
        };
        let found = worker::Worker::new(&shared, None).solve(&Forgotten::new());
        assert_eq!(found, expected);
        // The other thread's effort stays.
        assert_eq!(table.effort(Forgotten::key_after(0)), Some(21));
        assert_eq!(shared.nodes.load(Relaxed) < 40_000, others > 0);
    }
}

#[test]
fn limits_end_a_search_and_what_was_found_stays() {
    let heap = Heap {
        left: 3000,
        again: false,
    };
    let few = SolverLimits {
        nodes: Some(1500),
        ..NO_LIMITS
    };
    let mut solver = Solver::new(0, 1);
    let order = None;
    assert_eq!(solver.search(&heap, order, &few, &mut go_on), Err(Stopped));
    assert!((1024..=3000).contains(&solver.nodes()));
    let late = SolverLimits {
        deadline: Some(Instant::now()),
        ..NO_LIMITS
    };
    let mut solver = Solver::new(0, 1);
    assert_eq!(solver.search(&heap, order, &late, &mut go_on), Err(Stopped));
    let found = solver.search(&heap, order, &NO_LIMITS, &mut go_on);
    assert_eq!(found, Ok(false));
    let nodes = solver.nodes();
    assert_eq!(solver.search(&heap, order, &late, &mut go_on), Ok(false));
    assert_eq!(solver.nodes(), nodes);
}

#[test]
fn a_growing_table_keeps_nearly_all() {
    let table = table::ResultTable::new(64 << 20);
    let key = |i: u64| Key::of(&[i, 1]);
    let count = 5_000_000;
    for i in 0..count {
        let is_new = table.store(key(i), i % 3 == 0, 1 + i % 5);
        table.count(is_new.into());
        if i % 1000 == 0 {
            table.grow_if_full();
        }
    }
    assert_eq!(table.bytes(), 64 << 20);
    let known = (0..count).filter(|&i| {
        let found = table.probe(key(i));
        assert!(found.is_none_or(|won| won == (i % 3 == 0)));
        found.is_some()
    });
    let known = known.count() as f64 / count as f64;
    // Some buckets overflow before three quarters of all are full.
    assert!(known > 0.9, "{known}");
    assert_eq!(table.probe(key(count + 1)), None);
    assert!((0.5..0.8).contains(&table.fill()), "{}", table.fill());
}

#[test]
fn a_table_that_grows_beside_threads_loses_nothing() {
    // Few enough that no bucket overflows.
    const COUNT: u64 = 8_000;
    const THREADS: u64 = 3;
    let key = |i: u64| Key::of(&[i, 7]);
    let won = |i: u64| i.is_multiple_of(3);
    for round in 0..20 {
        let table = table::ResultTable::new(64 << 20);
        let numbers = |thread: u64| (0..COUNT).map(move |i| i + thread * COUNT + round);
        let check = |i: u64| assert_eq!(table.probe(key(i)), Some(won(i)), "{round} {i}");
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (table, check) = (&table, &check);
                scope.spawn(move || {
                    for i in numbers(thread) {
                        let _ = table.store(key(i), won(i), 1 + i % 9);
                        check(i);
                        check(numbers(thread).next().unwrap());
                    }
                });
            }
            for _ in 0..6 {
                std::thread::sleep(std::time::Duration::from_micros(100));
                table.grow_now();
            }
        });
        (0..THREADS).flat_map(numbers).for_each(check);
        assert_eq!(table.bytes(), 64 << 20);
    }
}

#[test]
fn a_checkpoint_brings_back_what_took_long() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("check");
    let question = Key::of(&[1, 2]);
    let table = table::ResultTable::new(32 << 20);
    let key = |i: u64| Key::of(&[i, 9]);
    for i in 0..5000 {
        let nodes = if i % 10 == 0 { 1 << 12 } else { 3 };
        assert!(table.store(key(i), i % 2 == 0, nodes));
    }
    checkpoint::write(&path, question, 77, &table).unwrap();
    let read = |question, bytes| {
        let table = table::ResultTable::new(bytes);
        checkpoint::read(&path, question, &table).map(|nodes| (nodes, table))
    };
    let (nodes, table) = read(question, 64 << 20).unwrap();
    assert_eq!(nodes, 77);
    for i in 0..5000 {
        let expected = (i % 10 == 0).then_some(i % 2 == 0);
        assert_eq!(table.probe(key(i)), expected, "{i}");
    }
    let other = read(key(1), 0).map(|_| ());
    assert!(matches!(other, Err(checkpoint::CheckpointError::Other)));
    let bytes = std::fs::read(&path).unwrap();
    for at in [0, 30, 41, 60, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 64;
        std::fs::write(&path, &damaged).unwrap();
        assert!(read(question, 0).is_err(), "{at}");
        std::fs::write(&path, &bytes[..at]).unwrap();
        assert!(read(question, 0).is_err(), "{at}");
    }
    std::fs::write(&path, [&bytes[..], &[0]].concat()).unwrap();
    assert!(read(question, 0).is_err());
}
