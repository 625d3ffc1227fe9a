//! Pentanomial results: a match of two engines counted in pairs of games, one opening with seats
//! swapped. The games of a pair are not independent, so pairs are the samples.

use super::elo::elo_from_score;
use super::mean::Estimate;
use super::normal::normal_cdf;
use crate::util::wilson::Z_95;

/// The result of one game for the first engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GameScore {
    /// Lost: 0 points.
    Loss,
    /// Neither: half a point.
    Draw,
    /// Won: 1 point.
    Win,
}

/// The pentanomial counts of a match: the number of pairs in which the first engine scored 0, 1/2,
/// 1, 3/2 and 2 points (LL, LD, WL and DD, WD, WW).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PairResults(pub(crate) [u64; 5]);

impl PairResults {
    /// The score of a pair in each bin, as a share of its two points.
    pub(crate) const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

    pub(crate) fn add(&mut self, first: GameScore, second: GameScore) {
        let count = &mut self.0[first as usize + second as usize];
        *count = count.saturating_add(1);
    }

    pub(crate) fn pairs(&self) -> u64 {
        self.0.iter().copied().fold(0, u64::saturating_add)
    }

    /// The mean score, 0 to 1; `None` without pairs.
    pub(crate) fn score(&self) -> Option<f64> {
        self.mean(|score| score)
    }

    /// The variance of a pair's score, 0 to 1/4; `None` without pairs.
    pub(crate) fn variance(&self) -> Option<f64> {
        let mean = self.score()?;
        self.mean(|score| (score - mean).powi(2))
    }

    /// The standard error of the mean score; `None` without pairs.
    pub(crate) fn standard_error(&self) -> Option<f64> {
        Some((self.variance()? / self.pairs() as f64).sqrt())
    }

    /// The Elo difference; `None` without pairs, infinite if every pair was won or lost. Its error
    /// is `(elo(score + h) - elo(score - h)) / 2` with h = 1.96 standard errors of the score, as in
    /// fastchess.
    pub(crate) fn elo(&self) -> Option<Estimate> {
        let score = self.score()?;
        let half = Z_95 * self.standard_error()?;
        let value = elo_from_score(score);
        let error = if value.is_finite() {
            (elo_from_score(score + half) - elo_from_score(score - half)) / 2.0
        } else {
            f64::INFINITY
        };
        Some(Estimate { value, error })
    }

    /// The normalised Elo difference, `800 / ln 10 * (score - 1/2) / sqrt(2 variance)`: how many
    /// games it takes to show it does not depend on the openings. `None` without pairs or variance.
    ///
    /// M. Van den Bergh, "Comments on Normalized Elo"
    /// (<https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>); the factor 2 turns
    /// the variance of a pair into that of a game.
    pub(crate) fn normalised_elo(&self) -> Option<Estimate> {
        let scale = 800.0 / std::f64::consts::LN_10;
        let variance = self.variance()?;
        (variance > 0.0).then_some(())?;
        let per_score = scale / (2.0 * variance).sqrt();
        Some(Estimate {
            value: (self.score()? - 0.5) * per_score,
            error: Z_95 * self.standard_error()? * per_score,
        })
    }

    /// The likelihood of superiority, 0 to 1: `Phi((score - 1/2) / standard error)`, the
    /// probability that the first engine is stronger. `None` without pairs.
    pub(crate) fn los(&self) -> Option<f64> {
        let lead = self.score()? - 0.5;
        // 0 / 0: all pairs were even.
        match lead / self.standard_error()? {
            deviations if deviations.is_nan() => Some(0.5),
            deviations => Some(normal_cdf(deviations)),
        }
    }

    /// The share of pairs with one point of two, 0 to 1; `None` without pairs.
    pub(crate) fn draw_ratio(&self) -> Option<f64> {
        self.mean(|score| f64::from(score == 0.5))
    }

    /// Pairs above one point for each pair below; `None` if none is below.
    pub(crate) fn pairs_ratio(&self) -> Option<f64> {
        let [ll, ld, _, wd, ww] = self.0;
        let less = ll as f64 + ld as f64;
        (less > 0.0).then(|| (wd as f64 + ww as f64) / less)
    }

    fn mean(&self, value: impl Fn(f64) -> f64) -> Option<f64> {
        let pairs = self.pairs();
        let bins = Self::SCORES.iter().zip(self.0);
        let terms = bins.map(|(&score, count)| value(score) * count as f64);
        let sum: f64 = terms.sum();
        (pairs > 0).then(|| sum / pairs as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(estimate: Option<Estimate>, value: f64, error: f64) {
        let estimate = estimate.unwrap();
        assert!((estimate.value - value).abs() < 0.006, "{estimate:?}");
        assert!((estimate.error - error).abs() < 0.006, "{estimate:?}");
    }

    /// From the tests of fastchess.
    #[test]
    fn known_matches() {
        let first = PairResults([34, 54, 63, 64, 75]);
        near(first.elo(), 55.58, 27.65);
        near(first.normalised_elo(), 57.94, 28.28);
        assert!(first.los().unwrap() > 0.99995);
        let second = PairResults([332, 433, 498, 333, 334]);
        near(second.elo(), -8.64, 10.33);
        near(second.normalised_elo(), -9.17, 10.96);
        assert!((second.los().unwrap() - 0.0505).abs() < 5e-5);
        let third = PairResults([7895, 8757, 5685, 568, 9999]);
        near(third.elo(), -21.04, 2.95);
        near(third.normalised_elo(), -19.01, 2.65);
    }

    #[test]
    fn pairs_are_counted_by_points() {
        use GameScore::{Draw, Loss, Win};
        let mut results = PairResults::default();
        for first in [Loss, Draw, Win] {
            for second in [Loss, Draw, Win] {
                results.add(first, second);
            }
        }
        assert_eq!(results.0, [1, 2, 3, 2, 1]);
        assert_eq!(results.pairs(), 9);
        assert_eq!(results.score(), Some(0.5));
        assert!((results.variance().unwrap() - 1.0 / 12.0).abs() < 1e-12);
        assert_eq!(results.los(), Some(0.5));
        assert_eq!(results.draw_ratio(), Some(1.0 / 3.0));
        assert_eq!(results.pairs_ratio(), Some(1.0));
    }

    #[test]
    fn no_pairs_no_numbers() {
        assert_eq!(PairResults([1, 2, 3, 2, u64::MAX]).pairs(), u64::MAX);
        let none = PairResults::default();
        assert_eq!([none.elo(), none.normalised_elo()], [None; 2]);
        assert_eq!([none.score(), none.variance()], [None; 2]);
        assert_eq!([none.los(), none.pairs_ratio()], [None; 2]);
    }

    #[test]
    fn one_sided_and_even_matches() {
        let won = PairResults([0, 0, 0, 0, 5]);
        let elo = won.elo().unwrap();
        assert_eq!([elo.value, elo.error], [f64::INFINITY; 2]);
        assert_eq!(won.normalised_elo(), None);
        assert_eq!(won.los(), Some(1.0));
        let even = PairResults([0, 0, 5, 0, 0]);
        assert_eq!(even.los(), Some(0.5));
        assert_eq!(even.elo().unwrap().error, 0.0);
        let small = PairResults([0, 0, 1, 0, 1]);
        assert_eq!(small.elo().unwrap().error, f64::INFINITY);
    }

    #[test]
    fn a_swapped_match_is_mirrored() {
        let one = PairResults([3, 5, 20, 9, 8]);
        let other = PairResults([8, 9, 20, 5, 3]);
        assert!((one.elo().unwrap().value + other.elo().unwrap().value).abs() < 1e-9);
        assert!((one.los().unwrap() + other.los().unwrap() - 1.0).abs() < 1e-12);
    }
}
