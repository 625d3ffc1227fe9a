//! How often positions are won that the engine gives some chance to win.
//!
//! ```text
//! ln(q / (1 - q)) = a + b ln(p / (1 - p))
//! ```
//!
//! `p` is the winning chance as the engine sees it, `q` the share of such positions that are won. The
//! coefficients are fitted by logistic regression to the positions that were solved so far. A short
//! search says 0.6 where positions are won nine times out of ten.

/// Where the coefficients of the shortest search start: the chance as it is.
const START: [f64; 2] = [0.0, 1.0];
/// The weight of the start, beside 1/4 or less for each solved position.
const WEIGHT: f64 = 1.0;
/// Newton steps for each solved position; the next one goes on from there.
const STEPS: usize = 2;
/// A step that makes the outcomes less likely is halved, at most so often.
const HALVINGS: u32 = 30;
/// Chances are kept this far from 0 and 1.
const MIN_CHANCE: f64 = 0.005;

/// The fit so far.
#[derive(Clone, Debug)]
pub(super) struct Calibration {
    coefficients: [f64; 2],
    /// Where they start, and are held with [`WEIGHT`].
    start: [f64; 2],
    /// The log-odds of the solved positions as the engine saw them, and whether they were won.
    outcomes: Vec<(f64, bool)>,
}

impl Default for Calibration {
    fn default() -> Self {
        Self {
            coefficients: START,
            start: START,
            outcomes: Vec::new(),
        }
    }
}

fn log_odds(chance: f64) -> f64 {
    (chance / (1.0 - chance)).ln()
}

/// The chance at these log-odds.
pub(super) fn chance_at(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// The same, kept away from 0 and 1.
pub(super) fn careful_chance(odds: f64) -> f64 {
    chance_at(odds).clamp(MIN_CHANCE, 1.0 - MIN_CHANCE)
}

impl Calibration {
    /// The log-odds that a position with this chance, above 0 and below 1, is won.
    pub(super) fn log_odds(&self, chance: f64) -> f64 {
        let [a, b] = self.coefficients;
        a + b * log_odds(chance)
    }

    /// Learns that a position with this chance was won or lost.
    pub(super) fn learn(&mut self, chance: f64, won: bool) {
        self.outcomes.push((log_odds(chance), won));
        for _ in 0..STEPS {
            self.step();
        }
    }

    /// Changes where the coefficients start.
    pub(super) fn begin_at(&mut self, start: [f64; 2]) {
        self.start = start;
        if self.outcomes.is_empty() {
            self.coefficients = start;
        }
    }

    /// How many positions it has learnt from.
    pub(super) fn outcomes(&self) -> usize {
        self.outcomes.len()
    }

    /// How unlikely the outcomes are with these coefficients, and how far those are from the start.
    fn cost(&self, coefficients: [f64; 2]) -> f64 {
        let [a, b] = coefficients;
        let held = WEIGHT / 2.0 * ((a - self.start[0]).powi(2) + (b - self.start[1]).powi(2));
        let outcomes = self.outcomes.iter().map(|&(x, won)| {
            let odds = a + b * x;
            // -ln of the chance of what happened.
            (if won { -odds } else { odds }).exp().ln_1p()
        });
        held + outcomes.sum::<f64>()
    }

    /// One step of Newton's method towards the likeliest coefficients.
    fn step(&mut self) {
        let [a, b] = self.coefficients;
        let mut slope = [WEIGHT * (self.start[0] - a), WEIGHT * (self.start[1] - b)];
        let (mut curve, mut cross) = ([WEIGHT; 2], 0.0);
        for &(x, won) in &self.outcomes {
            let chance = chance_at(a + b * x);
            let (error, weight) = (f64::from(won) - chance, chance * (1.0 - chance));
            slope[0] += error;
            slope[1] += error * x;
            curve[0] += weight;
            cross += weight * x;
            curve[1] += weight * x * x;
        }
        // At least WEIGHT squared.
        let determinant = curve[0] * curve[1] - cross * cross;
        let mut step = [
            (curve[1] * slope[0] - cross * slope[1]) / determinant,
            (curve[0] * slope[1] - cross * slope[0]) / determinant,
        ];
        let cost = self.cost([a, b]);
        for _ in 0..HALVINGS {
            let next = [a + step[0], b + step[1]];
            if self.cost(next) <= cost {
                self.coefficients = next;
                return;
            }
            step = step.map(|part| part / 2.0);
        }
    }

    pub(super) fn coefficients(&self) -> [f64; 2] {
        self.coefficients
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::random::Random;

    fn chance_of(calibration: &Calibration, chance: f64) -> f64 {
        careful_chance(calibration.log_odds(chance))
    }

    #[test]
    fn it_begins_with_the_chance_as_it_is() {
        let calibration = Calibration::default();
        for chance in [0.02, 0.5, 0.7] {
            assert!((chance_of(&calibration, chance) - chance).abs() < 1e-9);
        }
    }

    #[test]
    fn it_learns_how_far_to_trust_a_chance() {
        let (mut calibration, mut random) = (Calibration::default(), Random::new(7));
        for _ in 0..3000 {
            let chance = 0.3 + 0.4 * f64::from(random.below(1000)) / 1000.0;
            let truth = 1.0 / (1.0 + (-(0.5 + 4.0 * log_odds(chance))).exp());
            let won = f64::from(random.below(1 << 20)) < truth * f64::from(1 << 20);
            calibration.learn(chance, won);
        }
        let [a, b] = calibration.coefficients();
        assert!(
            (0.3..0.7).contains(&a) && (3.5..4.5).contains(&b),
            "{a} {b}"
        );
    }

    #[test]
    fn surprises_after_sure_outcomes_do_not_throw_it_off() {
        let mut calibration = Calibration::default();
        let round = [(0.98, true), (0.02, false), (0.6, true), (0.4, false)];
        let mut learn = |outcomes: &[(f64, bool)]| {
            for &(chance, won) in outcomes {
                calibration.learn(chance, won);
                let [a, b] = calibration.coefficients();
                assert!(a.abs() < 2.0 && (0.5..8.0).contains(&b), "{a} {b}");
            }
            chance_of(&calibration, 0.6)
        };
        for _ in 0..5 {
            learn(&round);
        }
        assert!(learn(&[]) > 0.7);
        learn(&[(0.02, true)]);
        for _ in 0..30 {
            learn(&round);
        }
        assert!(learn(&[]) > 0.7);
    }

    #[test]
    fn one_sided_outcomes_stay_finite() {
        let mut calibration = Calibration::default();
        for _ in 0..500 {
            calibration.learn(0.98, true);
            calibration.learn(0.02, false);
        }
        let [a, b] = calibration.coefficients();
        assert!(a.is_finite() && (1.0..10.0).contains(&b), "{a} {b}");
        assert_eq!(chance_of(&calibration, 0.98), 1.0 - MIN_CHANCE);
    }
}
