//! What evaluations were wrong by, by the local pattern of the last move: positions that look
//! alike there are likely to be misjudged alike, wherever they are in the tree, so that what one of
//! them taught corrects the evaluation of the others (KataGo's subtree value bias correction,
//! 2020). Here each visit of a node teaches once, and all teach the same table.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::params::Params;

/// Entries, a power of two; patterns that meet in one share it. They take 512 KiB beside the tree.
const ENTRIES: usize = 1 << 16;
/// At so many visits sum and number are halved, so that the newest are heard.
const MOST: f32 = 1000.0;

/// Sum and number of what evaluations were wrong by.
#[derive(Debug, Default)]
struct Entry(AtomicU64);

impl Entry {
    #[inline(always)]
    fn get(&self) -> (f32, f32) {
        let word = self.0.load(Relaxed);
        (
            f32::from_bits(word as u32),
            f32::from_bits((word >> 32) as u32),
        )
    }

    /// Of two workers that write at the same time one may be lost.
    #[inline(always)]
    fn set(&self, sum: f32, visits: f32) {
        let word = u64::from(sum.to_bits()) | u64::from(visits.to_bits()) << 32;
        self.0.store(word, Relaxed);
    }
}

/// The table, shared by all workers.
#[derive(Debug)]
pub(super) struct Bias {
    /// Made when it is first needed.
    entries: OnceLock<Box<[Entry]>>,
    /// How much of the mean is added to an evaluation; 0 learns nothing, either.
    factor: f32,
    /// Visits that were right, which the mean begins with.
    visits: f32,
}

impl Bias {
    pub(super) fn new(params: &Params) -> Self {
        Self {
            entries: OnceLock::new(),
            factor: params.value_bias_factor as f32,
            visits: params.value_bias_prior_visits as f32,
        }
    }

    /// Whether evaluations are corrected.
    #[inline(always)]
    pub(super) fn is_on(&self) -> bool {
        self.factor > 0.0
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        let entries = self.entries.get();
        entries
            .into_iter()
            .flatten()
            .for_each(|entry| entry.set(0.0, 0.0));
    }

    #[inline(always)]
    fn entry(&self, pattern: u64) -> &Entry {
        let make = || (0..ENTRIES).map(|_| Entry::default()).collect();
        &self.entries.get_or_init(make)[pattern as usize % ENTRIES]
    }

    /// What to add to the evaluation of a position, -1 to 1, for the side to move.
    #[inline(always)]
    pub(super) fn correction(&self, pattern: u64) -> f32 {
        let (sum, visits) = self.entry(pattern).get();
        let visits = visits + self.visits;
        match visits > 0.0 {
            true => self.factor * sum / visits,
            false => 0.0,
        }
    }

    /// The evaluation of such a position was so much too low, -1 to 1, for the side to move.
    #[inline(always)]
    pub(super) fn learn(&self, pattern: u64, error: f32) {
        let entry = self.entry(pattern);
        let (sum, visits) = entry.get();
        let fade = if visits >= MOST { 0.5 } else { 1.0 };
        entry.set(fade * (sum + error), fade * (visits + 1.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bias(factor: f64, visits: f64) -> Bias {
        Bias::new(&Params {
            value_bias_factor: factor,
            value_bias_prior_visits: visits,
            ..Params::default()
        })
    }

    #[test]
    fn a_correction_is_a_part_of_the_mean_error() {
        let mut bias = bias(0.5, 2.0);
        assert_eq!(bias.correction(7), 0.0);
        bias.learn(7, 0.5);
        bias.learn(7, 0.1);
        assert!((bias.correction(7) - 0.5 * 0.6 / 4.0).abs() < 1e-6);
        assert_eq!(bias.correction(8), 0.0);
        bias.learn(8, -0.3);
        assert!((bias.correction(8) + 0.5 * 0.3 / 3.0).abs() < 1e-6);
        bias.clear();
        assert_eq!((bias.correction(7), bias.correction(8)), (0.0, 0.0));
    }

    #[test]
    fn what_was_long_ago_fades() {
        let bias = bias(1.0, 0.0);
        assert_eq!(bias.correction(0), 0.0);
        for _ in 0..10_000 {
            bias.learn(0, 1.0);
        }
        assert!((bias.correction(0) - 1.0).abs() < 1e-3);
        for _ in 0..10_000 {
            bias.learn(0, -1.0);
        }
        assert!(bias.correction(0) < -0.9);
    }
}
