//! Subtree value bias correction (KataGo, 2020): evaluations are corrected by the mean error of
//! earlier evaluations of positions with the same local pattern around the last move, anywhere in
//! the tree. Here each visit of a node counts once, and all nodes share one table.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::params::Params;

/// One entry for each hash of a pattern; together 512 KiB. Patterns may share an entry.
const ENTRIES: usize = 1 << 16;
/// Halve both counters at this many visits, so recent errors outweigh old ones.
const HALVE_AT: f32 = 1000.0;

/// The sum of the errors and their number, two `f32`.
#[derive(Debug, Default)]
struct Entry(AtomicU64);

impl Entry {
    #[inline(always)]
    fn get(&self) -> (f32, f32) {
        let word = self.0.load(Relaxed);
        let (sum, visits) = (word as u32, (word >> 32) as u32);
        (f32::from_bits(sum), f32::from_bits(visits))
    }

    /// Two threads may race here; losing one update is acceptable.
    #[inline(always)]
    fn set(&self, sum: f32, visits: f32) {
        let word = u64::from(sum.to_bits()) | u64::from(visits.to_bits()) << 32;
        self.0.store(word, Relaxed);
    }
}

/// The correction of a node's evaluation, and the pattern that it was found by.
#[derive(Clone, Copy, Default)]
pub(super) struct Correction {
    /// `None` at the root, where the last move is unknown.
    pub(super) pattern: Option<u16>,
    /// What to add to the evaluation, for the side to move.
    pub(super) amount: f32,
}

#[derive(Debug)]
pub(super) struct SubtreeValueBias {
    /// Allocated at the first use.
    entries: OnceLock<Box<[Entry]>>,
    /// The part of the mean error that is added to an evaluation; 0 turns the correction off.
    factor: f32,
    /// The number of visits without an error that the mean starts with.
    prior_visits: f32,
}

impl SubtreeValueBias {
    pub(super) fn new(params: &Params) -> Self {
        Self {
            entries: OnceLock::new(),
            factor: params.value_bias_factor as f32,
            prior_visits: params.value_bias_prior_visits as f32,
        }
    }

    pub(super) fn clear(&mut self) {
        for entry in self.entries.get().into_iter().flatten() {
            entry.set(0.0, 0.0);
        }
    }

    #[inline(always)]
    fn entry(&self, pattern: u16) -> &Entry {
        let make = || (0..ENTRIES).map(|_| Entry::default()).collect();
        &self.entries.get_or_init(make)[usize::from(pattern)]
    }

    /// The correction for a position with this pattern.
    #[inline(always)]
    pub(super) fn correction(&self, pattern: u16) -> Correction {
        let (sum, visits) = self.entry(pattern).get();
        let visits = visits + self.prior_visits;
        let amount = if visits > 0.0 {
            self.factor * sum / visits
        } else {
            0.0
        };
        Correction {
            pattern: Some(pattern),
            amount,
        }
    }

    /// Adds that an evaluation was too low by `error`, -1 to 1, for the side to move.
    #[inline(always)]
    pub(super) fn learn(&self, pattern: u16, error: f32) {
        let entry = self.entry(pattern);
        let (sum, visits) = entry.get();
        let fade = if visits >= HALVE_AT { 0.5 } else { 1.0 };
        entry.set(fade * (sum + error), fade * (visits + 1.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(factor: f64, visits: f64) -> SubtreeValueBias {
        SubtreeValueBias::new(&Params {
            value_bias_factor: factor,
            value_bias_prior_visits: visits,
            ..Params::default()
        })
    }

    #[test]
    fn a_correction_is_a_part_of_the_mean_error() {
        let mut table = table(0.5, 2.0);
        assert_eq!(table.correction(7).amount, 0.0);
        table.learn(7, 0.5);
        table.learn(7, 0.1);
        assert!((table.correction(7).amount - 0.5 * 0.6 / 4.0).abs() < 1e-6);
        assert_eq!(table.correction(8).amount, 0.0);
        table.learn(8, -0.3);
        assert!((table.correction(8).amount + 0.5 * 0.3 / 3.0).abs() < 1e-6);
        table.clear();
        assert_eq!(
            [7, 8].map(|pattern| table.correction(pattern).amount),
            [0.0; 2]
        );
    }

    #[test]
    fn what_was_long_ago_fades() {
        let table = table(1.0, 0.0);
        assert_eq!(table.correction(0).amount, 0.0);
        for _ in 0..10_000 {
            table.learn(0, 1.0);
        }
        assert!((table.correction(0).amount - 1.0).abs() < 1e-3);
        for _ in 0..10_000 {
            table.learn(0, -1.0);
        }
        assert!(table.correction(0).amount < -0.9);
    }
}
