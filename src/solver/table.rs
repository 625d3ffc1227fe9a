//! What is known of positions, for all threads at once.
//!
//! One word holds one result: 58 bits of the key, whether the side to move wins, and the
//! logarithm of the nodes that it took. Eight words make a bucket in one cache line; a new
//! result takes the place of the one that took the fewest nodes (after the sorted buckets of
//! NoGo's solvers: what was dear stays). Words are read and written whole, so threads need no
//! lock, and a lost result costs only time.
//!
//! The table begins with 1 MiB, which a processor's own memory may hold while a short search
//! runs, and doubles when three quarters are full, up to its limit, so that memory is touched as
//! it is needed. A doubling adds a segment as large as all before and moves half of the words
//! there. Which half is told by one more of the 58 bits, so a table of `2^k` MiB compares
//! `58 - k` bits beside the place, 14 bits of the other half of the key: a look at 4 GiB takes
//! another position for the right one about once in 10^13 times.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::key::Key;
use crate::cpu;

/// Words of a bucket.
const WAYS: usize = 8;
/// The logarithm of the buckets of the first segment.
const FIRST: u32 = 14;
/// Bytes of the smallest table.
const SMALLEST: usize = (WAYS * 8) << FIRST;
/// A table that is fuller than this grows, if it may.
const FULL: f64 = 0.75;
/// The most doublings: 1 MiB to 64 TiB.
const DOUBLINGS: usize = 26;
/// Bits of a word that are not the key's.
const EXTRA: u32 = 6;
/// The logarithm of the nodes is in these bits, at least 1 in a word that holds a result.
const EFFORT: u64 = 31;
/// The bit that says that the side to move wins.
const WON: u64 = 32;

/// A result in the form that a checkpoint keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Where it was in the first segment.
    pub(super) place: u32,
    /// The word.
    pub(super) word: u64,
}

impl Entry {
    /// Whether any table could hold it.
    pub(super) fn is_sound(&self) -> bool {
        self.place >> FIRST == 0 && self.word & EFFORT != 0
    }
}

/// Results by key.
pub struct ResultTable {
    segments: [OnceLock<Segment>; DOUBLINGS + 1],
    /// Segments in use, at least 1.
    used: AtomicU32,
    /// The most segments.
    most: u32,
    /// Results that were written into free words.
    filled: AtomicU64,
}

struct Segment {
    words: Vec<AtomicU64>,
    /// The first word that begins a cache line.
    offset: usize,
}

impl Segment {
    fn new(buckets: usize) -> Self {
        // All zero, so the system need not touch it before it is used.
        let words: Vec<AtomicU64> = bytemuck::zeroed_vec((buckets + 1) * WAYS);
        cpu::use_huge_pages(&words);
        let offset = words.as_ptr().align_offset(64).min(WAYS);
        Self { words, offset }
    }

    #[inline(always)]
    fn bucket(&self, index: usize) -> &[AtomicU64] {
        let at = index * WAYS + self.offset;
        &self.words[at..at + WAYS]
    }
}

impl ResultTable {
    /// A table of at most so many bytes, rounded down to a power of two and at least 1 MiB.
    pub fn new(bytes: usize) -> Self {
        let doublings = (bytes.max(SMALLEST) / SMALLEST).ilog2();
        let table = Self {
            segments: [const { OnceLock::new() }; DOUBLINGS + 1],
            used: AtomicU32::new(1),
            most: 1 + doublings.min(DOUBLINGS as u32),
            filled: AtomicU64::new(0),
        };
        table.segments[0].get_or_init(|| Segment::new(1 << FIRST));
        table
    }

    /// The bucket of a key while so many segments are in use.
    #[inline(always)]
    fn bucket(&self, key: Key, used: u32) -> &[AtomicU64] {
        self.place(key.0[1] as u32 & ((1 << FIRST) - 1), key.0[0], used)
    }

    #[inline(always)]
    fn place(&self, first: u32, low: u64, used: u32) -> &[AtomicU64] {
        // The more significant bits of the number of the bucket come from the word's bits.
        let more = (low >> EXTRA) & ((1 << (used - 1)) - 1);
        let (segment, base) = if more == 0 {
            (0, 0)
        } else {
            let top = more.ilog2();
            (top as usize + 1, (more ^ 1 << top) << FIRST)
        };
        match self.segments[segment].get() {
            Some(segment) => segment.bucket(base as usize + first as usize),
            // Never: a segment is made before it is in use.
            None => &[],
        }
    }

    /// Asks for the memory of a key before [`ResultTable::probe`] needs it; what it returns means
    /// nothing, but must be used.
    #[inline(always)]
    pub fn touch(&self, key: Key) -> u64 {
        let bucket = self.bucket(key, self.used.load(Relaxed));
        bucket.first().map_or(0, |word| word.load(Relaxed))
    }

    /// Whether the side to move wins, if that is known.
    #[inline(always)]
    pub fn probe(&self, key: Key) -> Option<bool> {
        self.entry(key).map(|word| word & WON != 0)
    }

    /// The logarithm to base 2 of the nodes that a known result took.
    pub fn effort(&self, key: Key) -> Option<u32> {
        self.entry(key).map(|word| (word & EFFORT) as u32)
    }

    #[inline(always)]
    fn entry(&self, key: Key) -> Option<u64> {
        let check = key.0[0] >> EXTRA;
        let bucket = self.bucket(key, self.used.load(Relaxed));
        let words = bucket.iter().map(|word| word.load(Relaxed));
        let mut found = words.filter(|word| word >> EXTRA == check && word & EFFORT != 0);
        found.next()
    }

    /// Keeps a result and the number of nodes that it took; whether a free word took it, which
    /// [`ResultTable::count`] is to be told of sooner or later.
    ///
    /// Counting each here would have the threads pass one cache line to and fro.
    #[inline(always)]
    #[must_use]
    pub fn store(&self, key: Key, won: bool, nodes: u64) -> bool {
        let effort = u64::from(nodes.max(1).ilog2() + 1).min(EFFORT);
        let word = (key.0[0] >> EXTRA) << EXTRA | if won { WON } else { 0 } | effort;
        Self::put(self.bucket(key, self.used.load(Relaxed)), word)
    }

    /// Counts results that were stored in free words.
    pub fn count(&self, results: u64) {
        self.filled.fetch_add(results, Relaxed);
    }

    /// Whether a free word took it.
    #[inline(always)]
    fn put(bucket: &[AtomicU64], word: u64) -> bool {
        let mut place = 0;
        let mut least = u64::MAX;
        for (i, entry) in bucket.iter().enumerate() {
            let old = entry.load(Relaxed);
            if old >> EXTRA == word >> EXTRA || old & EFFORT == 0 {
                place = i;
                least = old & EFFORT;
                break;
            }
            if old & EFFORT < least {
                least = old & EFFORT;
                place = i;
            }
        }
        if let Some(entry) = bucket.get(place) {
            entry.store(word, Relaxed);
        }
        least == 0
    }

    /// Bytes of the segments in use.
    pub fn bytes(&self) -> usize {
        SMALLEST << (self.used.load(Relaxed) - 1)
    }

    /// The share of the table in use that holds results, 0 to 1.
    pub fn fill(&self) -> f64 {
        self.filled.load(Relaxed) as f64 * 8.0 / self.bytes() as f64
    }

    /// Doubles the table if it is full and may grow. Only one thread may do so; others may
    /// go on meanwhile, and may lose results.
    pub(super) fn grow_if_full(&self) {
        while self.fill() > FULL && self.used.load(Relaxed) < self.most {
            self.grow();
        }
    }

    fn grow(&self) {
        let used = self.used.load(Relaxed);
        let size = 1usize << (FIRST + used - 1);
        self.segments[used as usize].get_or_init(|| Segment::new(size));
        let moves = |word: u64| word >> (EXTRA + used - 1) & 1 != 0;
        let old = || {
            self.segments[..used as usize]
                .iter()
                .filter_map(OnceLock::get)
        };
        for segment in old() {
            for bucket in 0..segment.words.len() / WAYS - 1 {
                let first = bucket as u32 & ((1 << FIRST) - 1);
                for entry in segment.bucket(bucket) {
                    let word = entry.load(Relaxed);
                    if word & EFFORT != 0 && moves(word) {
                        let free = self.place(first, word, used + 1).iter();
                        if let Some(free) = { free }.find(|free| free.load(Relaxed) == 0) {
                            free.store(word, Relaxed);
                        }
                        entry.store(0, Relaxed);
                    }
                }
            }
        }
        self.used.store(used + 1, Relaxed);
    }

    /// Shows every result that took at least `2^(effort - 1)` nodes.
    pub(super) fn each(&self, effort: u32, show: &mut dyn FnMut(Entry)) {
        let used = self.used.load(Relaxed) as usize;
        for segment in self.segments[..used].iter().filter_map(OnceLock::get) {
            for bucket in 0..segment.words.len() / WAYS - 1 {
                for word in segment.bucket(bucket) {
                    let word = word.load(Relaxed);
                    if word & EFFORT >= u64::from(effort.max(1)) {
                        let place = bucket as u32 & ((1 << FIRST) - 1);
                        show(Entry { place, word });
                    }
                }
            }
        }
    }

    /// Puts back what [`ResultTable::each`] showed.
    pub(super) fn restore(&self, entry: Entry) {
        let bucket = self.place(entry.place, entry.word, self.used.load(Relaxed));
        if Self::put(bucket, entry.word) {
            self.count(1);
        }
        self.grow_if_full();
    }
}
