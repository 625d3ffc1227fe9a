//! SPSA, simultaneous perturbation stochastic approximation: a step moves all parameters at random
//! at once, plays the moved engine against the one moved the opposite way, and follows the winner.
//! With parameters theta, random signs flip, and result = games won less games lost by plus:
//!
//! ```text
//! plus = theta + c_k flip,  minus = theta - c_k flip
//! theta <- theta + (a_k / c_k) flip result
//! c_k = c_end (N / k)^gamma,  a_k = r_end c_end^2 ((A + N) / (A + k))^alpha,  A = N / 10
//! ```
//!
//! J. C. Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient
//! approximation", IEEE Transactions on Automatic Control 37 (1992). Gains: "Implementation
//! of the simultaneous perturbation algorithm for stochastic optimization", IEEE Transactions on
//! Aerospace and Electronic Systems 34 (1998), specified by their final values as in fishtest
//! (<https://github.com/official-stockfish/fishtest>, `server/fishtest/rundb.py`) and OpenBench.

use super::parameter::Tunable;
use crate::util::random::Random;

/// The exponent of the step sizes (Spall, 1998, section III).
pub(crate) const ALPHA: f64 = 0.602;

/// The exponent of the distances of trials (Spall, 1998, section III).
pub(crate) const GAMMA: f64 = 0.101;

/// The stability constant A as a share of the steps N (Spall, 1998: a tenth or less).
pub(crate) const STABILITY: f64 = 0.1;

/// The gains of one parameter in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gains {
    /// c_k: how far a trial is from the present value, in units of the parameter.
    pub(crate) c: f64,
    /// a_k / c_k^2: the learning rate.
    pub(crate) r: f64,
}

/// The two players of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Trial {
    /// The direction of each parameter, 1 or -1.
    pub(crate) flips: Vec<f64>,
    /// The values moved along the flips, as allowed values.
    pub(crate) plus: Vec<f64>,
    /// The values moved against the flips.
    pub(crate) minus: Vec<f64>,
}

/// SPSA for given parameters and a number of steps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spsa {
    parameters: Vec<Tunable>,
    steps: usize,
}

impl Spsa {
    /// SPSA for these parameters and 1 or more steps.
    pub(crate) fn new(parameters: Vec<Tunable>, steps: usize) -> Self {
        Self { parameters, steps }
    }

    /// The values before the first step.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.value).collect()
    }

    /// The gains in step k, from 1 to N.
    pub(crate) fn gains(&self, parameter: &Tunable, step: usize) -> Gains {
        let (n, k) = (self.steps.max(1) as f64, step.max(1) as f64);
        let stability = STABILITY * n;
        let c = parameter.c_end * (n / k).powf(GAMMA);
        let a_end = parameter.r_end * parameter.c_end.powi(2);
        let a = a_end * ((stability + n) / (stability + k)).powf(ALPHA);
        let r = a / c.powi(2);
        Gains { c, r }
    }

    /// The players of a step: theta + c_k flip against theta - c_k flip, kept in range. They depend
    /// only on `seed` and the step, so a repeated step is the same.
    ///
    /// Whole parameters are rounded at random: x to floor(x + u), with u uniform in 0 to 1. The
    /// mean is x, so even a trial distance below one half has an effect. Both players share u, so
    /// they never differ in the wrong direction.
    pub(crate) fn trial(&self, theta: &[f64], step: usize, seed: u64) -> Trial {
        let mut random = Random::part(seed, step as u64);
        let mut trial = Trial::default();
        for (parameter, &value) in self.parameters.iter().zip(theta) {
            let flip = if random.bits() >> 63 == 0 { 1.0 } else { -1.0 };
            let u = random.unit();
            let c = self.gains(parameter, step).c;
            let is_integer = parameter.is_integer();
            let playable = |x: f64| {
                let x = x.clamp(parameter.min, parameter.max);
                let x = if is_integer { (x + u).floor() } else { x };
                x.clamp(parameter.min, parameter.max)
            };
            trial.flips.push(flip);
            trial.plus.push(playable(value + c * flip));
            trial.minus.push(playable(value - c * flip));
        }
        trial
    }

    /// The values after a step whose first player won `result` games more than it lost:
    /// theta + (a_k / c_k^2) c_k flip result, kept in range.
    pub(crate) fn step(&self, theta: &[f64], step: usize, flips: &[f64], result: f64) -> Vec<f64> {
        let moved = |((parameter, value), flip): ((&Tunable, &f64), &f64)| {
            let Gains { c, r } = self.gains(parameter, step);
            (value + r * c * flip * result).clamp(parameter.min, parameter.max)
        };
        let parameters = self.parameters.iter().zip(theta);
        parameters.zip(flips).map(moved).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::stats::elo::score_from_elo;
    use proptest::prelude::*;

    const STEPS: usize = 2000;
    const BEST: [f64; 2] = [6.0, 30.0];

    fn parameter(name: &str, value: f64, max: f64, c_end: f64) -> Tunable {
        Tunable {
            name: name.to_string(),
            value,
            min: 0.0,
            max,
            c_end,
            r_end: 0.05,
        }
    }

    fn spsa() -> Spsa {
        let parameters = vec![
            parameter("uct_exploration", 2.0, 10.0, 0.5),
            parameter("initial_value_visits", 80.0, 100.0, 5.0),
        ];
        Spsa::new(parameters, STEPS)
    }

    fn value(theta: &[f64]) -> f64 {
        let errors = [theta[0] - BEST[0], (theta[1] - BEST[1]) / 10.0];
        -errors.iter().map(|e| e * e).sum::<f64>()
    }

    fn run(result: impl Fn(f64, &mut Random) -> f64) -> Vec<f64> {
        let spsa = spsa();
        let mut random = Random::new(9);
        let mut theta = spsa.start();
        for step in 1..=STEPS {
            let trial = spsa.trial(&theta, step, 4);
            let lead = value(&trial.plus) - value(&trial.minus);
            theta = spsa.step(&theta, step, &trial.flips, result(lead, &mut random));
        }
        theta
    }

    #[test]
    fn the_top_of_a_parabola_is_found() {
        let theta = run(|lead, _| lead);
        assert!((theta[0] - BEST[0]).abs() < 0.01, "{theta:?}");
        assert!((theta[1] - BEST[1]).abs() < 0.1, "{theta:?}");
    }

    #[test]
    fn it_is_found_from_games_too() {
        let theta = run(|lead, random| {
            let chance = score_from_elo(40.0 * lead);
            let won = |random: &mut Random| if random.unit() < chance { 1.0 } else { -1.0 };
            (0..16).map(|_| won(random)).sum()
        });
        assert!((theta[0] - BEST[0]).abs() < 1.0, "{theta:?}");
        assert!((theta[1] - BEST[1]).abs() < 10.0, "{theta:?}");
    }

    /// The gains that fishtest computes from the same numbers.
    #[test]
    fn gains_fall_to_those_of_the_end() {
        let spsa = spsa();
        let parameter = &spsa.parameters[0];
        let end = spsa.gains(parameter, STEPS);
        assert!((end.c - 0.5).abs() < 1e-12 && (end.r - 0.05).abs() < 1e-12);
        let (n, k, big_a) = (2000f64, 7f64, 200f64);
        let c = 0.5 * n.powf(0.101);
        let a = 0.05 * 0.5 * 0.5 * (big_a + n).powf(0.602);
        let c_k = c / k.powf(0.101);
        let r_k = a / (big_a + k).powf(0.602) / c_k / c_k;
        let gains = spsa.gains(parameter, 7);
        assert!((gains.c - c_k).abs() < 1e-12 && (gains.r - r_k).abs() < 1e-12);
    }

    #[test]
    fn whole_parameters_are_rounded_without_bias() {
        let whole = Tunable {
            c_end: 0.2,
            ..parameter("virtual_loss", 3.3, 16.0, 1.0)
        };
        let spsa = Spsa::new(vec![whole], 1000);
        let (mut sum, mut against) = (0.0, 0);
        for step in 1..=1000 {
            // Always the trial distance of the last step.
            let trial = spsa.trial(&[3.3], 1000, step);
            let (plus, minus) = (trial.plus[0], trial.minus[0]);
            assert_eq!((plus.fract(), minus.fract()), (0.0, 0.0));
            sum += plus + minus;
            against += u32::from((plus - minus) * trial.flips[0] < 0.0);
        }
        assert!((sum / 2000.0 - 3.3).abs() < 0.05, "{sum}");
        assert_eq!(against, 0);
    }

    proptest! {
        #[test]
        fn nothing_leaves_its_range(
            seed: u64,
            step in 1..=STEPS,
            theta in (0.0..=10.0, 0.0..=100.0),
            result in -1e9..1e9,
        ) {
            let spsa = spsa();
            let theta = [theta.0, theta.1];
            let trial = spsa.trial(&theta, step, seed);
            let next = spsa.step(&theta, step, &trial.flips, result);
            prop_assert!(trial.flips.iter().all(|flip| flip.abs() == 1.0));
            for values in [&trial.plus, &trial.minus, &next] {
                for (x, parameter) in values.iter().zip(&spsa.parameters) {
                    prop_assert!((parameter.min..=parameter.max).contains(x));
                }
            }
        }
    }
}
