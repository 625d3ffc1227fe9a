//! The accesses of the solver's table that need an order.

use loom::sync::Arc;

#[path = "../../../src/solver/key.rs"]
mod key;
#[path = "../../../src/solver/table.rs"]
mod table;

use crate::together::together;
use crate::util::atomics::put_fences_after_writes;
use key::Key;
use table::ResultTable;

/// One bucket in the first segment.
const BUCKET_BITS: u32 = 0;

pub(crate) const MODELS: &[(&str, fn())] = &[
    ("results", || with_fences(false, results)),
    ("results-x86", || with_fences(true, results)),
    ("growth-probe", || with_fences(false, growth_probe)),
    ("growth-probe-x86", || with_fences(true, growth_probe)),
    ("growth-store", || with_fences(false, growth_store)),
    ("growth-store-x86", || with_fences(true, growth_store)),
    ("growth-alone", || with_fences(false, growth_alone)),
    ("growth-alone-x86", || with_fences(true, growth_alone)),
];

fn with_fences(is_after_writes: bool, model: fn()) {
    put_fences_after_writes(is_after_writes);
    model();
}

/// A key of an even number stays in its bucket when the table doubles, others move.
fn key(number: u64) -> Key {
    Key([number << 6, 0])
}

fn won(number: u64) -> bool {
    number % 4 < 2
}

fn store(table: &ResultTable, number: u64) {
    assert!(table.store(key(number), won(number), number));
}

fn finds(table: &ResultTable, number: u64) -> bool {
    let found = table.probe(key(number));
    assert!(found.is_none_or(|found| found == won(number)));
    found.is_some()
}

/// A table with one bucket, which holds two results, and room for another bucket; it may grow.
fn table(results: [u64; 2]) -> Arc<ResultTable> {
    let table = Arc::new(ResultTable::new(2 << 6));
    for number in results {
        store(&table, number);
    }
    table.count(7);
    table
}

/// Two threads store results in one bucket and look for those of each other: none is wrong, and both
/// stay.
fn results() {
    let table = table([2, 3]);
    together(
        &table,
        [
            |table: &ResultTable| {
                store(table, 4);
                finds(table, 5);
            },
            |table: &ResultTable| {
                store(table, 5);
                finds(table, 4);
            },
        ],
    );
    assert!((2..6).all(|number| finds(&table, number)));
}

/// A result is found while the table grows.
fn growth_probe() {
    let table = table([2, 3]);
    together(
        &table,
        [ResultTable::grow_if_full, |table: &ResultTable| {
            assert!(finds(table, 3) && finds(table, 2));
        }],
    );
    assert!(finds(&table, 2) && finds(&table, 3));
}

/// A result that is stored while the table grows is found at once, and afterwards.
fn stored_while_growing(table: &Arc<ResultTable>) {
    together(
        table,
        [ResultTable::grow_if_full, |table: &ResultTable| {
            store(table, 5);
            assert!(finds(table, 5));
        }],
    );
    assert!(finds(table, 5));
}

fn growth_store() {
    let table = table([2, 3]);
    stored_while_growing(&table);
    assert!(finds(&table, 2) && finds(&table, 3));
}

/// No other word moves, so nothing else orders the accesses of the two threads.
fn growth_alone() {
    let table = table([2, 4]);
    stored_while_growing(&table);
    assert!(finds(&table, 2) && finds(&table, 4));
}
