//! The sequential probability ratio test for Elo differences.
//!
//! A. Wald, "Sequential Tests of Statistical Hypotheses", Ann. Math. Stat. 16
//! (1945), with the likelihoods generalised as in M. Van den Bergh, "Comments on
//! Normalized Elo" (<https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>).

use thiserror::Error;

use super::{PairResults, score_from_elo};

/// What an empty bin counts, so that its logarithm exists.
const EMPTY_BIN: f64 = 1e-3;

/// A test of two logistic Elo differences against each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// Why numbers describe no test.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    /// The hypotheses are not finite, or not in order.
    #[error("elo0 {elo0} and elo1 {elo1} bound no test, expected elo0 < elo1")]
    Elo {
        /// The difference of the null hypothesis.
        elo0: f64,
        /// The difference of the alternative.
        elo1: f64,
    },
    /// The error rates are out of range.
    #[error(
        "alpha {alpha} and beta {beta} are no error rates, expected both above 0 and their sum below 1"
    )]
    Rates {
        /// The rate of passing what is no better than `elo0`.
        alpha: f64,
        /// The rate of failing what is as good as `elo1`.
        beta: f64,
    },
}

/// What a test says at some point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Play on.
    Continue,
    /// The difference is taken to be `elo0`: the patch fails.
    AcceptH0,
    /// The difference is taken to be `elo1`: the patch passes.
    AcceptH1,
}

impl Sprt {
    /// A test of `elo0` against `elo1`, which passes what is no better than
    /// `elo0` with probability `alpha`, and fails what is as good as `elo1` with
    /// probability `beta`.
    ///
    /// # Errors
    /// Differences that are not finite or not in order; rates that are not above
    /// 0, or of a sum of 1 or more.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        if !(elo0.is_finite() && elo1.is_finite() && elo0 < elo1) {
            return Err(SprtError::Elo { elo0, elo1 });
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtError::Rates { alpha, beta });
        }
        Ok(Self {
            elo0,
            elo1,
            alpha,
            beta,
        })
    }

    /// The two Elo differences, `elo0` first.
    pub fn elos(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// The log-likelihood ratios at which the test ends: `ln(beta / (1 - alpha))`
    /// below and `ln((1 - beta) / alpha)` above (Wald 1945).
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// The log-likelihood ratio of the results so far; 0 without a pair. An empty
    /// bin counts 0.001, as in fastchess.
    pub fn llr(&self, results: &PairResults) -> f64 {
        if results.pairs() == 0 {
            return 0.0;
        }
        let counts = results.counts();
        let outcomes: [(f64, f64); 5] =
            std::array::from_fn(|bin| (PairResults::SCORES[bin], counts[bin] as f64));
        logistic_llr(
            &outcomes,
            score_from_elo(self.elo0),
            score_from_elo(self.elo1),
        )
    }

    /// What a log-likelihood ratio decides.
    pub fn decide(&self, llr: f64) -> Decision {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            Decision::AcceptH1
        } else if llr <= lower {
            Decision::AcceptH0
        } else {
            Decision::Continue
        }
    }
}

/// The generalised log-likelihood ratio of an expected score of `score1` against
/// `score0`, both strictly between the least and the greatest outcome.
///
/// `outcomes` holds a score and how often it came; 0 times counts as 0.001. The
/// likelihood of an expected score is that of the likeliest distribution with
/// it (Van den Bergh, proposition 1.1).
pub fn logistic_llr(outcomes: &[(f64, f64)], score0: f64, score1: f64) -> f64 {
    let outcomes: Vec<(f64, f64)> = outcomes
        .iter()
        .map(|&(score, count)| (score, if count > 0.0 { count } else { EMPTY_BIN }))
        .collect();
    let theta0 = tilt(&outcomes, score0);
    let theta1 = tilt(&outcomes, score1);
    // With Van den Bergh's equation 1.2, p = q / (1 + theta (a - s)), the observed shares q
    // cancel in the ratio.
    outcomes
        .iter()
        .map(|&(a, count)| {
            count * ((theta0 * (a - score0)).ln_1p() - (theta1 * (a - score1)).ln_1p())
        })
        .sum()
}

/// The theta that solves Van den Bergh's equation 1.3, `sum q (a - s) / (1 + theta (a - s)) = 0`.
/// The sum falls from plus to minus infinity between the ends of the interval in
/// which all probabilities are positive, so halving finds the root.
fn tilt(outcomes: &[(f64, f64)], score: f64) -> f64 {
    let least = outcomes.iter().map(|o| o.0).fold(f64::INFINITY, f64::min);
    let most = outcomes
        .iter()
        .map(|o| o.0)
        .fold(f64::NEG_INFINITY, f64::max);
    let (mut low, mut high) = (-1.0 / (most - score), -1.0 / (least - score));
    loop {
        let theta = (low + high) / 2.0;
        if theta <= low || theta >= high || theta.is_nan() {
            return theta;
        }
        let sum: f64 = outcomes
            .iter()
            .map(|&(a, count)| count * (a - score) / (1.0 + theta * (a - score)))
            .sum();
        if sum > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05).unwrap()
    }

    /// The ratios that the tests of fastchess expect for the same counts.
    #[test]
    fn known_matches_in_pairs() {
        let near = |sprt: Sprt, counts, expected: f64| {
            let llr = sprt.llr(&PairResults::new(counts));
            assert!((llr - expected).abs() < 0.006, "{llr}, not {expected}");
        };
        near(test(0.5, 2.5), [223, 9863, 21279, 10037, 246], -3.07);
        near(test(0.0, 2.0), [871, 26175, 55983, 26678, 821], -4.98);
    }

    /// The same for single games: losses, draws, wins.
    #[test]
    fn known_matches_in_games() {
        let near = |(elo0, elo1), [l, d, w]: [f64; 3], expected: f64| {
            let outcomes = [(0.0, l), (0.5, d), (1.0, w)];
            let llr = logistic_llr(&outcomes, score_from_elo(elo0), score_from_elo(elo1));
            assert!((llr - expected).abs() < 0.006, "{llr}, not {expected}");
        };
        near((0.5, 2.5), [21184.0, 40708.0, 21404.0], -1.57);
        near((0.0, 2.0), [57030.0, 106593.0, 57433.0], -2.59);
    }

    /// With two outcomes the ratio is that of the binomial distribution.
    #[test]
    fn two_outcomes_are_binomial() {
        let llr = logistic_llr(&[(0.0, 40.0), (1.0, 60.0)], 0.5, 0.6);
        let exact = 60.0 * (0.6f64 / 0.5).ln() + 40.0 * (0.4f64 / 0.5).ln();
        assert!((llr - exact).abs() < 1e-9);
    }

    #[test]
    fn bounds_and_decisions() {
        let sprt = test(0.0, 5.0);
        let (lower, upper) = sprt.bounds();
        assert!((lower + 2.944_438_979).abs() < 1e-9);
        assert!((upper - 2.944_438_979).abs() < 1e-9);
        assert_eq!(sprt.decide(2.95), Decision::AcceptH1);
        assert_eq!(sprt.decide(-2.95), Decision::AcceptH0);
        assert_eq!(sprt.decide(0.0), Decision::Continue);
    }

    #[test]
    fn extreme_results_have_a_sign() {
        let sprt = test(0.0, 10.0);
        assert_eq!(sprt.llr(&PairResults::default()), 0.0);
        let won = sprt.llr(&PairResults::new([0, 0, 0, 0, 500]));
        let lost = sprt.llr(&PairResults::new([500, 0, 0, 0, 0]));
        assert!(won.is_finite() && won > 0.0, "{won}");
        assert!(lost.is_finite() && lost < 0.0, "{lost}");
        let far = test(-3000.0, 3000.0);
        assert!(far.llr(&PairResults::new([1, 0, 2, 0, 1])).is_finite());
    }

    #[test]
    fn swapped_matches_swap_the_sign() {
        let one = test(-5.0, 5.0).llr(&PairResults::new([3, 5, 20, 9, 8]));
        let other = test(-5.0, 5.0).llr(&PairResults::new([8, 9, 20, 5, 3]));
        assert!((one + other).abs() < 1e-9);
    }

    #[test]
    fn bad_tests_are_refused() {
        for (elo0, elo1) in [
            (5.0, 5.0),
            (5.0, 0.0),
            (f64::NAN, 1.0),
            (0.0, f64::INFINITY),
        ] {
            assert!(Sprt::new(elo0, elo1, 0.05, 0.05).is_err());
        }
        for (alpha, beta) in [(0.0, 0.05), (0.05, -1.0), (0.5, 0.5), (f64::NAN, 0.05)] {
            assert!(Sprt::new(0.0, 5.0, alpha, beta).is_err());
        }
        assert_eq!(
            Sprt::new(5.0, 0.0, 0.05, 0.05).unwrap_err().to_string(),
            "elo0 5 and elo1 0 bound no test, expected elo0 < elo1"
        );
    }
}
