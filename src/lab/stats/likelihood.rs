//! Generalised log-likelihood ratios of matches. The likelihood of a hypothesis is that of the
//! maximum-likelihood distribution of outcomes among those it allows.
//!
//! M. Van den Bergh, "Comments on Normalized Elo"
//! (<https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>).

/// The count of an empty bin, which makes its logarithm finite.
const EMPTY_BIN: f64 = 1e-3;
/// Bisections of an interval, more than a float has bits.
const BISECTIONS: usize = 100;
/// The most steps of the iteration, and the most halvings of one step.
const STEPS: usize = 200;
const HALVINGS: usize = 30;
/// The iteration ends when no moment changes by more than this.
const TOLERANCE: f64 = 1e-12;
/// The mean score of equal engines.
const EVEN: f64 = 0.5;

/// The generalised log-likelihood ratio of the expected score `score1` against `score0`, both
/// strictly between the least and the greatest outcome (Van den Bergh, proposition 1.1).
///
/// `outcomes` holds scores and their counts; a count of 0 is taken as 0.001.
pub(crate) fn logistic_llr(outcomes: &[(f64, f64)], score0: f64, score1: f64) -> f64 {
    let sample = Frequencies::new(outcomes);
    sample.ratio(
        &sample.tilted(|a| a - score0).0,
        &sample.tilted(|a| a - score1).0,
    )
}

/// The generalised log-likelihood ratio of the t-value `t1` against `t0` (Van den Bergh, section
/// 4). The t-value is (mean - 1/2) / deviation of an outcome.
///
/// `outcomes` holds scores, 0 to 1, and their counts; a count of 0 is taken as 0.001.
pub(crate) fn normalised_llr(outcomes: &[(f64, f64)], t0: f64, t1: f64) -> f64 {
    let sample = Frequencies::new(outcomes);
    sample.ratio(&sample.with_t_value(t0), &sample.with_t_value(t1))
}

/// Outcomes with their frequencies q, all above 0.
struct Frequencies {
    total: f64,
    outcomes: Vec<(f64, f64)>,
}

/// Mean and standard deviation of a score.
#[derive(Clone, Copy)]
struct Moments {
    mean: f64,
    deviation: f64,
}

/// The maximum-likelihood distribution for a constraint linearised at some moments.
struct Step {
    /// `ln(q / p)` of each outcome.
    logs: Vec<f64>,
    /// The mean of `ln(q / p)`: the log-likelihood lost against the frequencies q.
    loss: f64,
    /// The moments of the distribution itself.
    moments: Moments,
}

impl Frequencies {
    fn new(outcomes: &[(f64, f64)]) -> Self {
        let count = |count: f64| if count > 0.0 { count } else { EMPTY_BIN };
        let total = outcomes.iter().map(|o| count(o.1)).sum();
        let outcomes = outcomes.iter().map(|o| (o.0, count(o.1) / total)).collect();
        Self { total, outcomes }
    }

    /// The log-likelihood ratio of two distributions, given as `ln(q / p)`.
    fn ratio(&self, logs0: &[f64], logs1: &[f64]) -> f64 {
        let logs = logs0.iter().zip(logs1).zip(&self.outcomes);
        let terms = logs.map(|((l0, l1), o)| o.1 * (l0 - l1));
        self.total * terms.sum::<f64>()
    }

    /// `ln(q / p)` of the maximum-likelihood distribution p in which the mean of `phi` is 0, and
    /// whether there is one. It is `p = q / (1 + theta phi)` (equation 1.2), where theta solves
    /// `sum q phi / (1 + theta phi) = 0` (1.3, 4.9).
    fn tilted(&self, phi: impl Fn(f64) -> f64) -> (Vec<f64>, bool) {
        // No p exceeds 1, so 1 + theta phi >= q bounds theta. Between the bounds the sum falls, and
        // bisection finds the root.
        let terms: Vec<(f64, f64)> = self.outcomes.iter().map(|&(a, q)| (phi(a), q)).collect();
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for &(phi, q) in &terms {
            let end = (q - 1.0) / phi;
            if phi > 0.0 {
                low = low.max(end);
            } else if phi < 0.0 {
                high = high.min(end);
            }
        }
        if !(low.is_finite() && high.is_finite()) {
            return (vec![0.0; terms.len()], false);
        }
        let slope = |theta: f64| -> f64 {
            let slopes = terms.iter().map(|&(phi, q)| q * phi / (1.0 + theta * phi));
            slopes.sum()
        };
        let (low, high) = bisect(low, high, |theta| slope(theta) > 0.0);
        let theta = (low + high) / 2.0;
        let log = |&(phi, q): &(f64, f64)| {
            let x = theta * phi;
            if 1.0 + x > q { x.ln_1p() } else { q.ln() }
        };
        (terms.iter().map(log).collect(), true)
    }

    /// The moments of the distribution with these `ln(q / p)`.
    fn moments(&self, logs: &[f64]) -> Moments {
        let pairs = || self.outcomes.iter().zip(logs);
        let p = || pairs().map(|(o, l)| (o.0, o.1 * (-l).exp()));
        let sum: f64 = p().map(|(_, p)| p).sum();
        let mean = p().map(|(a, p)| a * p).sum::<f64>() / sum;
        let variance = p().map(|(a, p)| p * (a - mean).powi(2)).sum::<f64>() / sum;
        Moments {
            mean,
            deviation: variance.sqrt().max(TOLERANCE),
        }
    }

    /// The maximum-likelihood distribution for the t-value's constraint, linearised at some
    /// moments. `None` if no distribution satisfies it.
    fn step(&self, at: Moments, t: f64) -> Option<Step> {
        let (logs, solved) = self.tilted(|a| {
            let distance = (a - at.mean) / at.deviation;
            a - EVEN - t * at.deviation * (1.0 + distance * distance) / 2.0
        });
        solved.then(|| Step {
            loss: logs.iter().zip(&self.outcomes).map(|(l, o)| l * o.1).sum(),
            moments: self.moments(&logs),
            logs,
        })
    }

    /// `ln(q / p)` of the maximum-likelihood distribution with the t-value t.
    ///
    /// This is the iteration of Van den Bergh's section 4, with each step halved until it improves.
    /// The deviation is a concave function of the distribution. If q lies beyond the t-value, the
    /// linear constraint allows too much and the loss rises towards that of the curved one. If q
    /// falls short of it, the linear constraint allows too little, the loss falls, and the
    /// iteration must start from a distribution that reaches the t-value.
    fn with_t_value(&self, t: f64) -> Vec<f64> {
        let shares = self.moments(&vec![0.0; self.outcomes.len()]);
        let lead = |m: Moments| (m.mean - EVEN - t * m.deviation) * t.signum();
        let rising = lead(shares) >= 0.0 || t == 0.0;
        let starts = if rising {
            vec![shares]
        } else {
            // Mixtures of q with a single outcome that just reach the t-value.
            let beyond = self.outcomes.iter().filter(|o| (o.0 - EVEN) * t > 0.0);
            beyond.map(|&(a, _)| towards(shares, a, lead)).collect()
        };
        let climbed = |&start: &Moments| self.climb(start, t, rising);
        let ends = starts.iter().filter_map(climbed);
        ends.min_by(|x, y| x.loss.total_cmp(&y.loss))
            .map_or_else(|| vec![0.0; self.outcomes.len()], |step| step.logs)
    }

    fn climb(&self, start: Moments, t: f64, rising: bool) -> Option<Step> {
        let mut at = start;
        let mut step = self.step(at, t)?;
        for _ in 0..STEPS {
            let to = step.moments;
            let far = |x: f64, y: f64| (x - y).abs() > TOLERANCE;
            if !far(to.mean, at.mean) && !far(to.deviation, at.deviation) {
                break;
            }
            let shortened = (0..HALVINGS).find_map(|halvings| {
                let part = 0.5f64.powi(halvings as i32);
                let try_at = Moments {
                    mean: at.mean + part * (to.mean - at.mean),
                    deviation: at.deviation + part * (to.deviation - at.deviation),
                };
                let next = self.step(try_at, t)?;
                let leads_on = if rising {
                    next.loss >= step.loss
                } else {
                    next.loss <= step.loss
                };
                leads_on.then_some((try_at, next))
            });
            let Some(next) = shortened else { break };
            (at, step) = next;
        }
        Some(step)
    }
}

/// The moments of the mixture with the outcome `a` that has the least share of `a` with
/// `lead >= 0`.
fn towards(from: Moments, a: f64, lead: impl Fn(Moments) -> f64) -> Moments {
    let mixed = |share: f64| {
        let variance = (1.0 - share) * from.deviation.powi(2)
            + share * (1.0 - share) * (a - from.mean).powi(2);
        Moments {
            mean: from.mean + share * (a - from.mean),
            deviation: variance.sqrt().max(TOLERANCE),
        }
    };
    mixed(bisect(0.0, 1.0, |share| lead(mixed(share)) < 0.0).1)
}

/// Halves an interval around the point up to which `is_below` holds, until no float lies inside.
fn bisect(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> (f64, f64) {
    for _ in 0..BISECTIONS {
        let middle = (low + high) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        let end = if is_below(middle) {
            &mut low
        } else {
            &mut high
        };
        *end = middle;
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::LN_10;

    use super::*;
    use crate::lab::stats::elo::score_from_elo;

    fn games([l, d, w]: [f64; 3]) -> [(f64, f64); 3] {
        [(0.0, l), (0.5, d), (1.0, w)]
    }

    /// From the tests of fastchess for single games, in Elo and in normalised Elo: losses, draws,
    /// wins.
    #[test]
    fn known_matches_in_games() {
        let near = |llr: f64, expected: f64| {
            // fastchess ends its iteration early, which is noticeable if all games were won.
            let near = 0.006f64.max(3e-4 * expected.abs());
            assert!((llr - expected).abs() < near, "{llr}, not {expected}");
        };
        for (elo0, elo1, counts, expected) in [
            (0.5, 2.5, [21184.0, 40708.0, 21404.0], -1.57),
            (0.0, 2.0, [57030.0, 106593.0, 57433.0], -2.59),
        ] {
            let (score0, score1) = (score_from_elo(elo0), score_from_elo(elo1));
            near(logistic_llr(&games(counts), score0, score1), expected);
        }
        let t = |elo: f64| elo * LN_10 / 800.0;
        for (elo0, elo1, counts, expected) in [
            (0.0, 2.0, [36027.0, 68692.0, 36433.0], 0.92),
            (-1.75, 0.25, [10650.0, 20431.0, 10871.0], 2.30),
            (0.0, 10.0, [0.0, 0.0, 4250.0], 120.56),
        ] {
            near(normalised_llr(&games(counts), t(elo0), t(elo1)), expected);
        }
    }

    /// With two outcomes the ratio is that of the binomial distribution.
    #[test]
    fn two_outcomes_are_binomial() {
        let outcomes = [(0.0, 40.0), (1.0, 60.0)];
        let exact = 60.0 * (0.6f64 / 0.5).ln() + 40.0 * (0.4f64 / 0.5).ln();
        assert!((logistic_llr(&outcomes, 0.5, 0.6) - exact).abs() < 1e-9);
        let t = 0.1 / 0.24f64.sqrt();
        assert!((normalised_llr(&outcomes, 0.0, t) - exact).abs() < 1e-9);
    }

    /// With three outcomes the distributions with a t-value lie on a curve, which can be searched
    /// for the maximum.
    #[test]
    fn no_other_distribution_is_likelier() {
        let tried = |counts: [f64; 3], t: f64| {
            let lead = |d: f64, w: f64| {
                let mean = w + d / 2.0;
                mean - EVEN - t * (w + d / 4.0 - mean * mean).max(0.0).sqrt()
            };
            let of_draws = |d: f64| {
                let (mut low, mut high) = (0.0, 1.0 - d);
                for _ in 0..60 {
                    let w = (low + high) / 2.0;
                    if lead(d, w) < 0.0 {
                        low = w;
                    } else {
                        high = w;
                    }
                }
                let logs = [(1.0 - d - high).ln(), d.ln(), high.ln()];
                logs.iter().zip(counts).map(|(l, n)| l * n).sum::<f64>()
            };
            let draws = (1..20_000).map(|i| of_draws(f64::from(i) / 20_000.0));
            draws.fold(f64::NEG_INFINITY, f64::max)
        };
        for counts in [
            [30.0, 40.0, 50.0],
            [50.0, 40.0, 30.0],
            [9.0, 1.0, 2.0],
            [1.0, 9.0, 2.0],
        ] {
            for (t0, t1) in [(0.0, 0.3), (-0.5, 0.1), (0.2, 1.0), (-2.0, -0.4)] {
                let expected = tried(counts, t1) - tried(counts, t0);
                let llr = normalised_llr(&games(counts), t0, t1);
                let what = format!("{counts:?}, {t0} against {t1}");
                assert!((llr - expected).abs() < 1e-3, "{what}: {llr}, {expected}");
            }
        }
    }

    #[test]
    fn a_mixture_has_the_moments_of_its_outcomes() {
        let sample = Frequencies::new(&games([30.0, 40.0, 20.0]));
        let from = sample.moments(&[0.0; 3]);
        let t = 0.4;
        let lead = |m: Moments| m.mean - EVEN - t * m.deviation;
        let mixture = towards(from, 1.0, lead);
        assert!(lead(from) < 0.0 && lead(mixture).abs() < 1e-12);
        let share = (mixture.mean - from.mean) / (1.0 - from.mean);
        let mixed = sample.outcomes.iter().map(|&(a, q)| (a, (1.0 - share) * q));
        let mixed: Vec<(f64, f64)> = mixed.chain([(1.0, share)]).collect();
        let variance: f64 = mixed
            .iter()
            .map(|(a, p)| p * (a - mixture.mean).powi(2))
            .sum();
        assert!((variance.sqrt() - mixture.deviation).abs() < 1e-12);
    }

    /// A t-value of 0 is a mean of 1/2.
    #[test]
    fn no_difference_is_the_same_in_both() {
        for counts in [[30.0, 40.0, 50.0], [0.0, 0.0, 7.0], [5.0, 0.0, 1.0]] {
            let sample = Frequencies::new(&games(counts));
            let (logs, _) = sample.tilted(|a| a - EVEN);
            assert!(sample.ratio(&sample.with_t_value(0.0), &logs).abs() < 1e-9);
        }
    }
}
