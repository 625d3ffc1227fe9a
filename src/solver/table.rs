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
//! threads need no lock.
//!
//! The table begins with 1 MiB, which fits into a cache while a short search runs. It doubles
//! when three quarters are full, up to its limit. A doubling adds a segment as large as all
//! before and moves half of the words there, chosen by one more of the 58 bits. So a table
//! of `2^k` MiB compares `58 - k` bits, beside the 14 bits of the other half of the key that
//! choose the bucket: a full table of 4 GiB returns a wrong result about once in 10^13
//! lookups.
//!
//! The other threads go on while one moves the words. New results go to their new buckets at
//! once; a look-up that finds nothing there looks into the old one as well. A word is in its new
//! bucket before it leaves the old one, and a full bucket is emptied before anything in it is
//! replaced, so no result is lost.

use super::BUCKET_BITS;
use super::key::Key;
use crate::cpu;
use crate::util::atomics::Ordering::{Acquire, Relaxed, SeqCst};
use crate::util::atomics::{AtomicU32, AtomicU64, Mutex, OnceLock, zeros};

/// Words in a bucket.
const WAYS: usize = 8;
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
/// The bit of [`ResultTable::used`] that is set while words move to the last segment.
const MOVING: u32 = 1 << 31;

/// A result as a checkpoint stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its bucket, as if the table had only the first segment.
    pub(crate) bucket: u32,
    pub(crate) word: u64,
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
    /// Segments in use, at least 1, and [`MOVING`].
    used: AtomicU32,
    max_segments: u32,
    /// Words in use.
    filled: AtomicU64,
    /// Held by the thread that lets the table grow.
    growth: Mutex<()>,
}

struct Segment {
    words: Vec<AtomicU64>,
    /// The index of the first word at the start of a cache line.
    offset: usize,
}

impl Segment {
    fn new(buckets: usize) -> Self {
        let words = zeros((buckets + 1) * WAYS);
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
            growth: Mutex::new(()),
        };
        table.segments[0].get_or_init(|| Segment::new(1 << BUCKET_BITS));
        table
    }

    /// The number of the key's bucket, as if the table had only the first segment.
    #[inline(always)]
    fn first(key: Key) -> u32 {
        key.0[1] as u32 & ((1 << BUCKET_BITS) - 1)
    }

    /// The segments in use, and whether words move to the last one.
    #[inline(always)]
    fn used(&self) -> (u32, bool) {
        let used = self.used.load(SeqCst);
        (used & !MOVING, used & MOVING != 0)
    }

    /// The bucket of a key.
    #[inline(always)]
    fn bucket(&self, key: Key) -> &[AtomicU64] {
        self.bucket_at(Self::first(key), key.0[0], self.used().0)
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

    /// Asks for the cache line of a key before [`ResultTable::probe`] needs it.
    #[inline(always)]
    pub fn prefetch(&self, key: Key) {
        cpu::prefetch(self.bucket(key));
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
        let (used, is_moving) = self.used();
        let bucket = self.bucket_at(Self::first(key), key.0[0], used);
        let found = Self::find(bucket, key);
        if found.is_none() && (is_moving || self.used() != (used, false)) {
            return self.moving_entry(key);
        }
        found
    }

    #[inline(always)]
    fn find(bucket: &[AtomicU64], key: Key) -> Option<u64> {
        let check = key.0[0] >> KEY_SHIFT;
        let words = bucket.iter().map(|word| word.load(Acquire));
        let mut found = words.filter(|word| word >> KEY_SHIFT == check && word & EFFORT_MASK != 0);
        found.next()
    }

    /// The entry of a key that was not where it belongs, because the table grows or has just grown.
    #[cold]
    fn moving_entry(&self, key: Key) -> Option<u64> {
        loop {
            let before = self.used();
            let (used, is_moving) = before;
            let bucket = |used| self.bucket_at(Self::first(key), key.0[0], used);
            let old = is_moving
                .then(|| Self::find(bucket(used - 1), key))
                .flatten();
            // If it is not there, it has moved.
            let found = old.or_else(|| Self::find(bucket(used), key));
            if found.is_some() || self.used() == before {
                return found;
            }
        }
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
        self.put(Self::first(key), word)
    }

    /// Counts results that went into free words.
    pub fn count(&self, results: u64) {
        self.filled.fetch_add(results, Relaxed);
    }

    /// Stores a word whose key belongs to the bucket `first` of the first segment; returns whether it
    /// went into a free slot.
    #[inline(always)]
    fn put(&self, first: u32, word: u64) -> bool {
        let mut is_new = false;
        let mut before = self.used();
        loop {
            let (used, is_moving) = before;
            let bucket = self.bucket_at(first, word, used);
            if is_moving {
                // Makes room before a result is replaced.
                self.move_words(bucket, first, used);
            }
            is_new |= Self::put_into(bucket, word);
            // If the table began to grow meanwhile, the bucket may have been emptied before.
            let now = self.used();
            if now.0 == used {
                return is_new;
            }
            before = now;
        }
    }

    #[inline(always)]
    fn put_into(bucket: &[AtomicU64], word: u64) -> bool {
        loop {
            let (mut place, mut least) = (None, u64::MAX);
            for entry in bucket {
                let old = entry.load(Relaxed);
                if old >> KEY_SHIFT == word >> KEY_SHIFT || old & EFFORT_MASK == 0 {
                    (place, least) = (Some((entry, old)), old & EFFORT_MASK);
                    break;
                }
                if old & EFFORT_MASK < least {
                    (place, least) = (Some((entry, old)), old & EFFORT_MASK);
                }
            }
            let Some((entry, old)) = place else {
                return false;
            };
            // Another thread may have taken the slot meanwhile.
            if entry.compare_exchange(old, word, SeqCst, Relaxed).is_ok() {
                return least == 0;
            }
        }
    }

    /// Bytes of the segments in use.
    pub fn bytes(&self) -> usize {
        MIN_BYTES << (self.used().0 - 1)
    }

    /// The share of the words that hold results, from 0 to 1.
    pub fn fill(&self) -> f64 {
        self.filled.load(Relaxed) as f64 * 8.0 / self.bytes() as f64
    }

    /// Doubles the table however full it is.
    #[cfg(test)]
    pub(super) fn grow_now(&self) {
        let _growth = self.growth.lock();
        self.grow();
    }

    /// Doubles the table if it is full and below its limit, unless another thread does so. The other
    /// threads continue meanwhile.
    pub(super) fn grow_if_full(&self) {
        while self.fill() > MAX_FILL && self.used().0 < self.max_segments {
            let Some(_growth) = self.growth.try_lock() else {
                return;
            };
            if self.fill() > MAX_FILL && self.used().0 < self.max_segments {
                self.grow();
            }
        }
    }

    /// Doubles the table; only the thread that holds `growth` may call it.
    fn grow(&self) {
        let (used, _) = self.used();
        let size = 1usize << (BUCKET_BITS + used - 1);
        self.segments[used as usize].get_or_init(|| Segment::new(size));
        self.used.store((used + 1) | MOVING, SeqCst);
        for (first, bucket) in self.buckets(used) {
            self.move_words(bucket, first, used + 1);
        }
        self.used.store(used + 1, SeqCst);
    }

    /// Moves the words of a bucket that belong elsewhere now that `used` segments are in use.
    fn move_words(&self, bucket: &[AtomicU64], first: u32, used: u32) {
        for entry in bucket {
            let word = entry.load(SeqCst);
            if word & EFFORT_MASK == 0 {
                continue;
            }
            let home = self.bucket_at(first, word, used);
            if !std::ptr::eq(home, bucket) {
                Self::put_into(home, word);
                // If it was replaced meanwhile, the thread that did so looks after its own word.
                let _ = entry.compare_exchange(word, 0, SeqCst, Relaxed);
            }
        }
    }

    /// The buckets of the first `used` segments, with their numbers as if there were only the first.
    fn buckets(&self, used: u32) -> impl Iterator<Item = (u32, &[AtomicU64])> {
        let segments = self.segments[..used as usize].iter();
        segments.filter_map(OnceLock::get).flat_map(|segment| {
            (0..segment.words.len() / WAYS - 1).map(move |index| {
                let bucket = index as u32 & ((1 << BUCKET_BITS) - 1);
                (bucket, segment.bucket(index))
            })
        })
    }

    /// The results of at least this effort.
    pub(super) fn entries(&self, effort: u32) -> impl Iterator<Item = Entry> {
        let buckets = self.buckets(self.used().0);
        let entries = buckets.flat_map(|(bucket, words)| {
            words.iter().map(move |word| Entry {
                bucket,
                word: word.load(Relaxed),
            })
        });
        entries.filter(move |entry| entry.word & EFFORT_MASK >= u64::from(effort.max(1)))
    }

    /// Stores an entry of [`ResultTable::entries`].
    pub(super) fn restore(&self, entry: Entry) {
        if self.put(entry.bucket, entry.word) {
            self.count(1);
        }
        self.grow_if_full();
    }
}
