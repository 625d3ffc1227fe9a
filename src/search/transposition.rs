//! A table from positions to their children in the tree, which all paths to a position share.

use super::CHUNK;
use super::node::NodeIndex;
use crate::util::atomics::Ordering::{Acquire, Release};
use crate::util::atomics::{AtomicU64, OnceLock};

/// The number of entries in which a hash may be stored.
const WAYS: usize = 4;
const _: () = assert!(CHUNK.is_multiple_of(WAYS), "a bucket lies in one chunk");
/// Positions have dozens of children, but only a few near the end of a game.
const NODES_PER_ENTRY: usize = 16;
/// Fields of an entry's data: the first child, the number of children, and the table's age.
const COUNT_SHIFT: u32 = 32;
const AGE_SHIFT: u32 = 48;

/// The children of a position: the first and their number.
pub(super) type Block = (NodeIndex, usize);

/// The children in an entry's data.
fn block(data: u64) -> Block {
    let count = (data >> COUNT_SHIFT) as usize & 0xffff;
    (NodeIndex(data as u32), count)
}

/// Two words that are written without a lock. The hash is stored XORed with the data, so words of
/// different writers do not match (Hyatt and Mann, "A lock-less transposition table implementation
/// for parallel search", 2002).
#[derive(Debug, Default)]
struct Entry {
    check: AtomicU64,
    data: AtomicU64,
}

impl Entry {
    /// The hash and the data, if the entry has this age.
    #[inline(always)]
    fn of_age(&self, age: u64) -> Option<(u64, u64)> {
        let data = self.data.load(Acquire);
        let valid = data >> AGE_SHIFT == age;
        valid.then(|| (self.check.load(Acquire) ^ data, data))
    }
}

/// A table from the hashes of positions to their children. A full bucket replaces an entry.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    /// Parts of the table, each allocated at its first insertion: allocating a large table at once
    /// would take longer than a move.
    chunks: Box<[OnceLock<Box<[Entry]>>]>,
    count: usize,
    /// Entries of another age are empty; 0 is not used as an age.
    age: u64,
}

impl TranspositionTable {
    /// A table for trees of about this many nodes.
    pub(super) fn new(nodes: usize) -> Self {
        let count = 1usize << (nodes / NODES_PER_ENTRY).max(WAYS).ilog2();
        Self {
            chunks: Self::no_chunks(count),
            count,
            age: 1,
        }
    }

    fn no_chunks(count: usize) -> Box<[OnceLock<Box<[Entry]>>]> {
        (0..count.div_ceil(CHUNK))
            .map(|_| OnceLock::new())
            .collect()
    }

    /// Its size in bytes once all chunks are allocated.
    pub(super) fn bytes(&self) -> usize {
        self.count * size_of::<Entry>() + size_of_val(&*self.chunks)
    }

    pub(super) fn clear(&mut self) {
        self.age += 1;
        if self.age >> (u64::BITS - AGE_SHIFT) > 0 {
            self.chunks = Self::no_chunks(self.count);
            self.age = 1;
        }
    }

    /// The chunk of a hash, and the first entry of its bucket there.
    #[inline(always)]
    fn place(&self, hash: u64) -> (&OnceLock<Box<[Entry]>>, usize) {
        let first = hash as usize & (self.count - 1) & !(WAYS - 1);
        (&self.chunks[first / CHUNK], first % CHUNK)
    }

    /// The children of the position with this hash, if they are in the table.
    pub(super) fn get(&self, hash: u64) -> Option<Block> {
        let (chunk, at) = self.place(hash);
        let bucket = &chunk.get()?[at..at + WAYS];
        let mut known = bucket.iter().filter_map(|entry| entry.of_age(self.age));
        known
            .find(|(other, _)| *other == hash)
            .map(|(_, data)| block(data))
    }

    /// Inserts the children of the position with this hash, unless it has an entry.
    pub(super) fn insert(&self, hash: u64, (first, count): Block) {
        let data = u64::from(first.0) | (count as u64) << COUNT_SHIFT | self.age << AGE_SHIFT;
        let make = || {
            let entries = 0..self.count.min(CHUNK);
            entries.map(|_| Entry::default()).collect()
        };
        let (chunk, at) = self.place(hash);
        let bucket = &chunk.get_or_init(make)[at..at + WAYS];
        let mut known = bucket.iter().filter_map(|entry| entry.of_age(self.age));
        if known.any(|(other, _)| other == hash) {
            return;
        }
        let free = bucket.iter().find(|entry| entry.of_age(self.age).is_none());
        // Bits that do not select the bucket choose the entry to replace.
        let entry = free.unwrap_or(&bucket[(hash >> 60) as usize % WAYS]);
        entry.data.store(data, Release);
        entry.check.store(hash ^ data, Release);
    }

    /// All entries: hashes and children. No worker may run.
    pub(super) fn entries(&self) -> impl Iterator<Item = (u64, Block)> {
        self.chunks
            .iter()
            .filter_map(OnceLock::get)
            .flatten()
            .filter_map(|entry| entry.of_age(self.age))
            .map(|(hash, data)| (hash, block(data)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::random::Random;

    #[test]
    fn what_was_inserted_last_is_found_until_it_is_cleared() {
        let mut table = TranspositionTable::new(NODES_PER_ENTRY * 64);
        let mut random = Random::new(3);
        let mut last = Vec::new();
        for i in 0..1000u32 {
            let hash = random.bits();
            let block = (NodeIndex(i * 4000), i as usize % 4097);
            table.insert(hash, block);
            assert_eq!(table.get(hash), Some(block));
            assert_eq!(table.get(!hash), None);
            last.push((hash, block));
        }
        assert_eq!(table.entries().count(), 64, "a full table");
        for entry in table.entries() {
            assert!(last.contains(&entry));
        }
        table.clear();
        assert_eq!(table.entries().count(), 0);
        assert!(last.iter().all(|(hash, _)| table.get(*hash).is_none()));
    }

    #[test]
    fn a_large_table_is_made_where_it_is_used_and_the_first_children_stay() {
        let table = TranspositionTable::new(NODES_PER_ENTRY * CHUNK * 8);
        let made = || table.chunks.iter().filter_map(OnceLock::get).count();
        assert_eq!((table.get(77), table.chunks.len(), made()), (None, 8, 0));
        let [first, second] = [10, 20].map(|node| (NodeIndex(node), 5));
        table.insert(77, first);
        table.insert(77, second);
        assert_eq!((table.get(77), made()), (Some(first), 1));
        table.insert(77 + CHUNK as u64 * 3, second);
        assert_eq!((table.entries().count(), made()), (2, 2));
        assert!(table.bytes() >= CHUNK * 8 * size_of::<Entry>());
    }

    #[test]
    fn ages_end_and_begin_anew() {
        let mut table = TranspositionTable::new(1);
        for age in 0..70_000u64 {
            assert_eq!(table.get(age % 3), None, "{age}");
            table.insert(age % 3, (NodeIndex(7), 2));
            table.clear();
        }
    }
}
