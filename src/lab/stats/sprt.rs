//! The sequential probability ratio test (SPRT) for Elo differences. It ends as soon as the
//! log-likelihood ratio leaves `ln(beta / (1 - alpha))` to `ln((1 - beta) / alpha)`.
//!
//! A. Wald, "Sequential Tests of Statistical Hypotheses", Ann. Math. Stat. 16
//! (1945), with the likelihoods generalised as in M. Van den Bergh, "Comments on
//! Normalized Elo" (<https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>).

use std::f64::consts::{LN_10, SQRT_2};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::elo::score_from_elo;
use super::likelihood::{logistic_llr, normalised_llr};
use super::pentanomial::PairResults;

/// The meaning of the Elo differences of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Model {
    /// The expected score, by [`score_from_elo`].
    #[default]
    Logistic,
    /// The distance of the expected score from 1/2 in standard deviations of a game, at 800 / ln 10
    /// points each: [`PairResults::normalised_elo`].
    Normalised,
}

/// A test of two Elo differences. Written, read and stored as `elo0=0 elo1=10 alpha=0.05 beta=0.05
/// model=logistic`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sprt {
    pub(crate) elo0: f64,
    pub(crate) elo1: f64,
    /// The probability of passing an engine of strength `elo0`, 0 to 1.
    pub(crate) alpha: f64,
    /// The probability of failing an engine of strength `elo1`, 0 to 1.
    pub(crate) beta: f64,
    pub(crate) model: Model,
}

/// Why a text or numbers do not describe a test, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SprtError(pub(super) String);

/// The end of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// `elo0` is accepted: the patch fails.
    AcceptH0,
    /// `elo1` is accepted: the patch passes.
    AcceptH1,
}

impl Sprt {
    /// The greatest Elo difference of a test, in both directions. Its expected score is 1 - 1e-10.
    pub(crate) const MAX_ELO: f64 = 4000.0;

    /// A test of `elo0` against `elo1`. It passes an engine of strength `elo0` with probability
    /// `alpha`, and fails one of strength `elo1` with probability `beta`.
    ///
    /// # Errors
    /// Differences beyond [`MAX_ELO`](Self::MAX_ELO) or not in order; rates that are not above 0,
    /// or whose sum is 1 or more.
    pub(crate) fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        model: Model,
    ) -> Result<Self, SprtError> {
        if !(-Self::MAX_ELO <= elo0 && elo0 < elo1 && elo1 <= Self::MAX_ELO) {
            return Err(SprtError(format!(
                "invalid elo0 `{elo0}` and elo1 `{elo1}`: expected elo0 < elo1, both from -{max} to {max}",
                max = Self::MAX_ELO
            )));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtError(format!(
                "invalid alpha `{alpha}` and beta `{beta}`: expected both above 0 and their sum \
                 below 1"
            )));
        }
        Ok(Self {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        })
    }

    /// The log-likelihood ratios at which the test ends: `ln(beta / (1 - alpha))` and
    /// `ln((1 - beta) / alpha)` (Wald 1945).
    pub(crate) fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// The log-likelihood ratio of results; 0 without pairs. An empty bin counts as 0.001, as in
    /// fastchess.
    pub(crate) fn llr(&self, results: &PairResults) -> f64 {
        if results.pairs() == 0 {
            return 0.0;
        }
        let outcomes: [(f64, f64); 5] =
            std::array::from_fn(|bin| (PairResults::SCORES[bin], results.0[bin] as f64));
        // The deviation of the mean of two games is 1 / sqrt 2 of that of one.
        let t = |elo: f64| SQRT_2 * elo * LN_10 / 800.0;
        match self.model {
            Model::Logistic => {
                let (score0, score1) = (score_from_elo(self.elo0), score_from_elo(self.elo1));
                logistic_llr(&outcomes, score0, score1)
            }
            Model::Normalised => normalised_llr(&outcomes, t(self.elo0), t(self.elo1)),
        }
    }

    /// The decision at a log-likelihood ratio; `None` while the test continues.
    pub(crate) fn decide(&self, llr: f64) -> Option<Decision> {
        match self.bounds() {
            (_, upper) if llr >= upper => Some(Decision::AcceptH1),
            (lower, _) if llr <= lower => Some(Decision::AcceptH0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MODELS: [Model; 2] = [Model::Logistic, Model::Normalised];

    fn test(elo0: f64, elo1: f64, model: Model) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    fn llr(elo0: f64, elo1: f64, model: Model, counts: [u64; 5]) -> f64 {
        test(elo0, elo1, model).llr(&PairResults(counts))
    }

    /// From the tests of fastchess.
    #[test]
    fn known_matches_in_pairs() {
        let near = |model, (elo0, elo1), counts, expected: f64| {
            let llr = llr(elo0, elo1, model, counts);
            // fastchess ends its iteration early, which is noticeable if all games were won.
            let near = 0.006f64.max(3e-4 * expected.abs());
            assert!((llr - expected).abs() < near, "{llr}, not {expected}");
        };
        let [logistic, normalised] = MODELS;
        near(logistic, (0.5, 2.5), [223, 9863, 21279, 10037, 246], -3.07);
        near(logistic, (0.0, 2.0), [871, 26175, 55983, 26678, 821], -4.98);
        near(
            normalised,
            (0.0, 2.0),
            [365, 16618, 36229, 16974, 390],
            2.25,
        );
        near(
            normalised,
            (-1.75, 0.25),
            [127, 4883, 10712, 5150, 104],
            3.01,
        );
        near(normalised, (0.0, 5.0), [0, 0, 0, 0, 5550], 111.82);
        // All pairs won: the maximum-likelihood distribution wins or loses both games, and its mean
        // w solves w - 1/2 = t sqrt(w (1 - w)).
        let t = SQRT_2 * 5.0 * LN_10 / 800.0;
        let exact = 104.0 * (t / (1.0 + t * t).sqrt()).ln_1p();
        let llr = llr(0.0, 5.0, Model::Normalised, [0, 0, 0, 0, 104]);
        assert!((llr - exact).abs() < 0.001, "{llr}, not {exact}");
    }

    #[test]
    fn bounds_and_decisions() {
        let sprt = test(0.0, 5.0, Model::Logistic);
        let (lower, upper) = sprt.bounds();
        assert!((lower + 2.944_438_979).abs() < 1e-9);
        assert!((upper - 2.944_438_979).abs() < 1e-9);
        let decisions = [2.95, -2.95, 0.0].map(|llr| sprt.decide(llr));
        let (h1, h0) = (Decision::AcceptH1, Decision::AcceptH0);
        assert_eq!(decisions, [Some(h1), Some(h0), None]);
    }

    #[test]
    fn extreme_results_have_a_sign() {
        for model in MODELS {
            let llr = |counts| llr(0.0, 10.0, model, counts);
            assert_eq!(llr([0; 5]), 0.0);
            let (won, lost) = (llr([0, 0, 0, 0, 500]), llr([500, 0, 0, 0, 0]));
            assert!(won.is_finite() && won > 0.0, "{won}");
            assert!(lost.is_finite() && lost < 0.0, "{lost}");
        }
    }

    #[test]
    fn swapped_matches_swap_the_sign() {
        for model in MODELS {
            let llr = |counts| llr(-5.0, 5.0, model, counts);
            assert!((llr([3, 5, 20, 9, 8]) + llr([8, 9, 20, 5, 3])).abs() < 1e-9);
        }
    }

    #[test]
    fn extreme_tests_of_extreme_counts_give_numbers() {
        let counts = [0, 1, 1_000_000_000, u64::MAX];
        for mut code in 0..4usize.pow(5) {
            let counts: [u64; 5] = std::array::from_fn(|_| {
                let digit = code % 4;
                code /= 4;
                counts[digit]
            });
            for (elo0, elo1) in [(-4000.0, 4000.0), (0.0, 5.0)] {
                for model in MODELS {
                    let llr = llr(elo0, elo1, model, counts);
                    assert!(llr.is_finite(), "{counts:?}, {elo1}, {model}: {llr}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_counts_give_a_number(
            counts in prop::array::uniform5(prop_oneof![Just(0), 0..20u64, 0..100_000u64, any::<u64>()]),
            elo0 in -4000.0..3999.0,
            more in 0.01..1.0,
        ) {
            let elo1 = elo0 + more * (4000.0 - elo0);
            for model in MODELS {
                prop_assert!(llr(elo0, elo1, model, counts).is_finite());
            }
        }
    }

    #[test]
    fn bad_tests_are_refused() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        for (elo0, elo1) in [(5.0, 5.0), (nan, 1.0), (0.0, infinity), (-4000.5, 0.0)] {
            assert!(Sprt::new(elo0, elo1, 0.05, 0.05, Model::Logistic).is_err());
        }
        for (alpha, beta) in [(0.0, 0.05), (0.05, -1.0), (0.5, 0.5), (f64::NAN, 0.05)] {
            assert!(Sprt::new(0.0, 5.0, alpha, beta, Model::Normalised).is_err());
        }
        let error = Sprt::new(5.0, 0.0, 0.05, 0.05, Model::Logistic).unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid elo0 `5` and elo1 `0`: expected elo0 < elo1, both from -4000 to 4000"
        );
    }
}
