//! The transposition table of the exact solver, shared by its threads.
//!
//! A result is one 64-bit word:
//!
//! ```text
//! bits 63 .. 6: 58 bits of the key    bit 5: side to move wins    bits 4 .. 0: effort
//! effort = min(floor(log2(nodes)) + 1, 31)
//! ```
//!
//! Eight words make a bucket of one cache line. A new result replaces the one with the least
//! effort (replacement by size of subtree; Breuker, Uiterwijk and van den Herik, "Replacement
//! schemes for chess transposition tables", 1994). Words are read and written atomically, so
//! threads need no lock; a lost result costs only time.
//!
//! The table begins with 1 MiB, which fits into a cache while a short search runs. It doubles
//! when three quarters are full, up to its limit. A doubling adds a segment as large as all
//! before and moves half of the words there, chosen by one more of the 58 bits. So a table
//! of `2^k` MiB compares `58 - k` bits, beside the 14 bits of the other half of the key that
//! choose the bucket: a full table of 4 GiB returns a wrong result about once in 10^13
//! lookups.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::key::Key;
use crate::cpu;

/// Words in a bucket.
const WAYS: usize = 8;
/// The first segment has 2 to this many buckets.
const BUCKET_BITS: u32 = 14;
/// Bytes of the smallest table.
const MIN_BYTES: usize = (WAYS * 8) << BUCKET_BITS;
/// A table that is fuller than this grows, if its limit allows.
const MAX_FILL: f64 = 0.75;
/// From 1 MiB to 64 TiB.
const MAX_DOUBLINGS: usize = 26;
/// The low bits of a word, which do not belong to the key.
const KEY_SHIFT: u32 = 6;
/// The bits of the effort, which is at least 1 in a word that holds a result.
const EFFORT_MASK: u64 = 31;
/// The bit that is set if the side to move wins.
const WON_BIT: u64 = 32;

/// A result as a checkpoint stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its bucket, as if the table had only the first segment.
    pub(super) bucket: u32,
    pub(super) word: u64,
}

impl Entry {
    /// Whether a table can hold it.
    pub(super) fn is_valid(&self) -> bool {
        self.bucket >> BUCKET_BITS == 0 && self.word & EFFORT_MASK != 0
    }
}

/// Results by key.
pub struct ResultTable {
    segments: [OnceLock<Segment>; MAX_DOUBLINGS + 1],
    /// Segments in use, at least 1.
    used: AtomicU32,
    max_segments: u32,
    /// Words in use.
    filled: AtomicU64,
}

struct Segment {
    words: Vec<AtomicU64>,
    /// The index of the first word at the start of a cache line.
    offset: usize,
}

impl Segment {
    fn new(buckets: usize) -> Self {
        // Zeroed memory takes no room until it is touched.
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
    /// A table of at most `bytes`, rounded down to a power of two but at least 1 MiB.
    pub fn new(bytes: usize) -> Self {
        let doublings = (bytes.max(MIN_BYTES) / MIN_BYTES).ilog2();
        let table = Self {
            segments: [const { OnceLock::new() }; MAX_DOUBLINGS + 1],
            used: AtomicU32::new(1),
            max_segments: 1 + doublings.min(MAX_DOUBLINGS as u32),
            filled: AtomicU64::new(0),
        };
        table.segments[0].get_or_init(|| Segment::new(1 << BUCKET_BITS));
        table
    }

    /// The bucket of a key while `used` segments are in use.
    #[inline(always)]
    fn bucket(&self, key: Key, used: u32) -> &[AtomicU64] {
        self.bucket_at(key.0[1] as u32 & ((1 << BUCKET_BITS) - 1), key.0[0], used)
    }

    #[inline(always)]
    fn bucket_at(&self, first: u32, low: u64, used: u32) -> &[AtomicU64] {
        // The high bits of the bucket's number come from the key bits of the word.
        let more = (low >> KEY_SHIFT) & ((1 << (used - 1)) - 1);
        let (segment, base) = if more == 0 {
            (0, 0)
        } else {
            let top = more.ilog2();
            (top as usize + 1, (more ^ 1 << top) << BUCKET_BITS)
        };
        match self.segments[segment].get() {
            Some(segment) => segment.bucket(base as usize + first as usize),
            // Unreachable: a segment exists before it is in use.
            None => &[],
        }
    }

    /// Loads the cache line of a key before [`ResultTable::probe`] needs it. The value means
    /// nothing; use it, or the compiler drops the load.
    #[inline(always)]
    pub fn touch(&self, key: Key) -> u64 {
        let bucket = self.bucket(key, self.used.load(Relaxed));
        bucket.first().map_or(0, |word| word.load(Relaxed))
    }

    /// Whether the side to move wins, if that is known.
    #[inline(always)]
    pub fn probe(&self, key: Key) -> Option<bool> {
        self.entry(key).map(|word| word & WON_BIT != 0)
    }

    /// The effort of a known result: `floor(log2(nodes)) + 1`, at most 31.
    pub fn effort(&self, key: Key) -> Option<u32> {
        self.entry(key).map(|word| (word & EFFORT_MASK) as u32)
    }

    #[inline(always)]
    fn entry(&self, key: Key) -> Option<u64> {
        let check = key.0[0] >> KEY_SHIFT;
        let bucket = self.bucket(key, self.used.load(Relaxed));
        let words = bucket.iter().map(|word| word.load(Relaxed));
        let mut found = words.filter(|word| word >> KEY_SHIFT == check && word & EFFORT_MASK != 0);
        found.next()
    }

    /// Stores a result with the number of nodes that it took. Returns whether it went into a free
    /// word; report those to [`ResultTable::count`] now and then.
    ///
    /// Counting here would move the counter's cache line between the threads at each result.
    #[inline(always)]
    #[must_use]
    pub fn store(&self, key: Key, won: bool, nodes: u64) -> bool {
        let effort = u64::from(nodes.max(1).ilog2() + 1).min(EFFORT_MASK);
        let word = (key.0[0] >> KEY_SHIFT) << KEY_SHIFT | if won { WON_BIT } else { 0 } | effort;
        Self::put(self.bucket(key, self.used.load(Relaxed)), word)
    }

    /// Counts results that went into free words.
    pub fn count(&self, results: u64) {
        self.filled.fetch_add(results, Relaxed);
    }

    /// Stores a word; returns whether it went into a free slot.
    #[inline(always)]
    fn put(bucket: &[AtomicU64], word: u64) -> bool {
        let mut place = 0;
        let mut least = u64::MAX;
        for (i, entry) in bucket.iter().enumerate() {
            let old = entry.load(Relaxed);
            if old >> KEY_SHIFT == word >> KEY_SHIFT || old & EFFORT_MASK == 0 {
                place = i;
                least = old & EFFORT_MASK;
                break;
            }
            if old & EFFORT_MASK < least {
                least = old & EFFORT_MASK;
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
        MIN_BYTES << (self.used.load(Relaxed) - 1)
    }

    /// The share of the words that hold results, from 0 to 1.
    pub fn fill(&self) -> f64 {
        self.filled.load(Relaxed) as f64 * 8.0 / self.bytes() as f64
    }

    /// Doubles the table if it is full and below its limit. Only one thread may call this; the
    /// others continue meanwhile and may lose results.
    pub(super) fn grow_if_full(&self) {
        while self.fill() > MAX_FILL && self.used.load(Relaxed) < self.max_segments {
            self.grow();
        }
    }

    fn grow(&self) {
        let used = self.used.load(Relaxed);
        let size = 1usize << (BUCKET_BITS + used - 1);
        self.segments[used as usize].get_or_init(|| Segment::new(size));
        let moves = |word: u64| word >> (KEY_SHIFT + used - 1) & 1 != 0;
        for (first, entry) in self.words(used) {
            let word = entry.load(Relaxed);
            if word & EFFORT_MASK != 0 && moves(word) {
                let free = self.bucket_at(first, word, used + 1).iter();
                if let Some(free) = { free }.find(|free| free.load(Relaxed) == 0) {
                    free.store(word, Relaxed);
                }
                entry.store(0, Relaxed);
            }
        }
        self.used.store(used + 1, Relaxed);
    }

    /// All words of the first `used` segments, with their buckets as if there were only the first.
    fn words(&self, used: u32) -> impl Iterator<Item = (u32, &AtomicU64)> {
        let segments = self.segments[..used as usize].iter();
        segments.filter_map(OnceLock::get).flat_map(|segment| {
            (0..segment.words.len() / WAYS - 1).flat_map(move |index| {
                let bucket = index as u32 & ((1 << BUCKET_BITS) - 1);
                segment.bucket(index).iter().map(move |word| (bucket, word))
            })
        })
    }

    /// The results of at least this effort.
    pub(super) fn entries(&self, effort: u32) -> impl Iterator<Item = Entry> {
        let words = self.words(self.used.load(Relaxed));
        let entries = words.map(|(bucket, word)| Entry {
            bucket,
            word: word.load(Relaxed),
        });
        entries.filter(move |entry| entry.word & EFFORT_MASK >= u64::from(effort.max(1)))
    }

    /// Stores an entry of [`ResultTable::entries`].
    pub(super) fn restore(&self, entry: Entry) {
        let bucket = self.bucket_at(entry.bucket, entry.word, self.used.load(Relaxed));
        if Self::put(bucket, entry.word) {
            self.count(1);
        }
        self.grow_if_full();
    }
}
