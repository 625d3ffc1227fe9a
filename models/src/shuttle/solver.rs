//! The growth of the solver's table.

use std::sync::Arc;

use shuttle::thread;

#[path = "../../../src/solver/key.rs"]
mod key;
#[path = "../../../src/solver/table.rs"]
mod table;

use key::Key;
use table::ResultTable;

/// One bucket in the first segment.
const BUCKET_BITS: u32 = 0;

pub(crate) const MODELS: &[(&str, fn())] = &[("table-growth", growth)];

/// A key whose high bits choose the bucket of a grown table.
fn key(number: u64) -> Key {
    Key([number << 6, 0])
}

/// The results of the bucket before it grows, and those that two threads add meanwhile: as many as it
/// has room for, so none is replaced.
const KNOWN: u64 = 4;
const ADDED: u64 = 4;

fn won(number: u64) -> bool {
    number.is_multiple_of(3)
}

fn store(table: &ResultTable, number: u64) {
    let is_new = table.store(key(number), won(number), 1 + number);
    table.count(is_new.into());
}

/// A result is found once it is stored, at once and for ever, while the table doubles twice; nobody
/// reads a wrong one.
fn growth() {
    let table = Arc::new(ResultTable::new(4 << 6));
    (0..KNOWN).for_each(|number| store(&table, number));
    let workers: Vec<_> = (0..2u64)
        .map(|worker| {
            let table = Arc::clone(&table);
            thread::spawn(move || {
                for number in (KNOWN + worker..KNOWN + ADDED).step_by(2) {
                    store(&table, number);
                    assert_eq!(table.probe(key(number)), Some(won(number)));
                    assert_eq!(table.probe(key(number - KNOWN)), Some(won(number - KNOWN)));
                    let other = number ^ 1;
                    assert!(
                        table
                            .probe(key(other))
                            .is_none_or(|found| found == won(other))
                    );
                }
            })
        })
        .collect();
    let grower = thread::spawn({
        let table = Arc::clone(&table);
        move || {
            // Says that the table is full, so it doubles twice.
            table.count(16 - KNOWN - ADDED);
            table.grow_if_full();
        }
    });
    workers
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    grower.join().unwrap();
    table.grow_if_full();
    for number in 0..KNOWN + ADDED {
        assert_eq!(table.probe(key(number)), Some(won(number)), "{number}");
    }
    assert_eq!(table.bytes(), 4 << 6);
}
