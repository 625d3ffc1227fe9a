//! The difference of two means with its interval: the moderated t statistic.

/// The difference of the means of two samples, with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MeanDifference {
    /// The mean of the first sample minus that of the second.
    pub(crate) value: f64,
    /// The standard error of `value`, at least 0.
    pub(crate) error: f64,
    /// Degrees of freedom of `error`; infinite where it is exact.
    pub(crate) degrees: f64,
}

/// A prior of a variance: a typical value that counts as `degrees` degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PriorVariance {
    /// The typical variance of one value.
    pub(crate) variance: f64,
    /// Its weight in degrees of freedom; 0 for no prior.
    pub(crate) degrees: f64,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sample {
    /// A value without error.
    Exact(f64),
    /// Independent measurements.
    Measured(Vec<f64>),
}

impl Sample {
    /// The mean; `None` without measurements.
    pub(crate) fn mean(&self) -> Option<f64> {
        match self {
            Self::Exact(value) => Some(*value),
            Self::Measured(values) if values.is_empty() => None,
            Self::Measured(values) => Some(values.iter().sum::<f64>() / values.len() as f64),
        }
    }

    /// The sum of squared deviations from the mean, its degrees of freedom, and 1/n.
    fn spread(&self) -> (f64, f64, f64) {
        match (self, self.mean()) {
            (Self::Measured(values), Some(mean)) => {
                let n = values.len() as f64;
                let squares = values.iter().map(|x| (x - mean).powi(2)).sum();
                (squares, n - 1.0, 1.0 / n)
            }
            _ => (0.0, 0.0, 0.0),
        }
    }
}

/// The mean of `a` minus that of `b`, with the moderated t statistic (Smyth, "Linear models and
/// empirical Bayes methods", 2004). The variance is pooled over both samples and the prior:
///
/// ```text
/// variance = (SS_a + SS_b + d_0 s_0^2) / (d_a + d_b + d_0)
/// error = sqrt(variance (1 / n_a + 1 / n_b))
/// ```
///
/// with sums of squared deviations SS, degrees of freedom d = n - 1, and the prior's d_0 and s_0^2.
/// The prior prevents false certainty from a few samples that happen to lie close together. `None`
/// if a sample is empty, or if nothing determines the variance.
pub(crate) fn mean_difference(
    a: &Sample,
    b: &Sample,
    prior: PriorVariance,
) -> Option<MeanDifference> {
    let value = a.mean()? - b.mean()?;
    let (squares_a, degrees_a, share_a) = a.spread();
    let (squares_b, degrees_b, share_b) = b.spread();
    let share = share_a + share_b;
    if share == 0.0 {
        return Some(MeanDifference {
            value,
            error: 0.0,
            degrees: f64::INFINITY,
        });
    }
    let degrees = degrees_a + degrees_b + prior.degrees;
    let variance = (squares_a + squares_b + prior.degrees * prior.variance) / degrees;
    (degrees > 0.0).then(|| MeanDifference {
        value,
        error: (variance * share).sqrt(),
        degrees,
    })
}

impl MeanDifference {
    /// The two-sided 95 % interval by Student's t.
    pub(crate) fn interval(&self) -> (f64, f64) {
        // Exact values have infinite degrees of freedom.
        let half = student_quantile_975(self.degrees) * self.error;
        (self.value - half, self.value + half)
    }
}

/// The 97.5 % quantile of Student's t for at least 1 degree of freedom: the expansion of Cornish
/// and Fisher (Abramowitz and Stegun, 26.7.5), accurate to 0.5 % from 4 degrees of freedom on. For
/// fewer it interpolates between exact values.
pub(crate) fn student_quantile_975(degrees: f64) -> f64 {
    const FEW: [f64; 4] = [12.706_204_7, 4.302_652_7, 3.182_446_3, 2.776_445_1];
    let degrees = degrees.max(1.0);
    if degrees < FEW.len() as f64 {
        let place = degrees as usize - 1;
        let part = degrees - degrees.floor();
        return FEW[place] + part * (FEW[place + 1] - FEW[place]);
    }
    let z = crate::util::wilson::Z_95;
    let [z3, z5, z7, z9] = [3, 5, 7, 9].map(|power| z.powi(power));
    let terms = [
        (z3 + z) / 4.0,
        (5.0 * z5 + 16.0 * z3 + 3.0 * z) / 96.0,
        (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / 384.0,
        (79.0 * z9 + 776.0 * z7 + 1482.0 * z5 - 1920.0 * z3 - 945.0 * z) / 92160.0,
    ];
    let mut scale = 1.0;
    terms.iter().fold(z, |sum, term| {
        scale /= degrees;
        sum + term * scale
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The classical two-sample t statistic.
    const NONE: PriorVariance = PriorVariance {
        variance: 0.0,
        degrees: 0.0,
    };

    /// From Student's table.
    #[test]
    fn quantiles_of_students_t() {
        for (degrees, value) in [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (4.0, 2.776),
            (5.0, 2.571),
            (8.0, 2.306),
            (10.0, 2.228),
            (18.0, 2.101),
            (30.0, 2.042),
            (120.0, 1.980),
            (f64::INFINITY, 1.960),
        ] {
            let found = student_quantile_975(degrees);
            assert!((found / value - 1.0).abs() < 2e-3, "{degrees}: {found}");
        }
        let falls = |pair: &[f64]| student_quantile_975(pair[0]) > student_quantile_975(pair[1]);
        assert!([1.0, 1.5, 2.0, 3.9, 4.0, 4.5, 7.0].windows(2).all(falls));
    }

    /// Quantiles computed with 30 digits.
    #[test]
    fn the_expansion_lacks_only_its_fifth_term() {
        for (degrees, value) in [
            (20.0, 2.085_963_447_266),
            (30.0, 2.042_272_456_301),
            (40.0, 2.021_075_390_306),
        ] {
            let lacking = value - student_quantile_975(degrees);
            let coefficient = lacking * f64::powi(degrees, 5);
            assert!((0.7..0.8).contains(&coefficient), "{coefficient}");
        }
    }

    /// Student, "The probable error of a mean", Biometrika 6 (1908): the hours of sleep that ten
    /// patients gained with each of two drugs. As two samples, t is 1.8608 with 18 degrees of
    /// freedom.
    #[test]
    fn hours_of_sleep_with_two_drugs() {
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let [first, second] = [first, second].map(|sample| Sample::Measured(sample.to_vec()));
        let found = mean_difference(&second, &first, NONE).unwrap();
        assert!((found.value - 1.58).abs() < 1e-12);
        assert_eq!(found.degrees, 18.0);
        assert!((found.value / found.error - 1.860_81).abs() < 1e-4);
        let (low, high) = found.interval();
        assert!((low + 0.203_9).abs() < 2e-3 && (high - 3.363_9).abs() < 2e-3);
    }

    #[test]
    fn exact_values_have_no_error_and_single_ones_need_a_prior() {
        let exact = |value| Sample::Exact(value);
        let one = Sample::Measured(vec![0.25]);
        let both = mean_difference(&exact(1.0), &exact(0.0), NONE).unwrap();
        assert_eq!(both.interval(), (1.0, 1.0));
        assert_eq!(mean_difference(&exact(1.0), &one, NONE), None);
        let prior = PriorVariance {
            variance: 0.04,
            degrees: 4.0,
        };
        let found = mean_difference(&exact(1.0), &one, prior).unwrap();
        assert_eq!((found.value, found.degrees), (0.75, 4.0));
        assert!((found.error - 0.2).abs() < 1e-12);
        let none = Sample::Measured(Vec::new());
        assert_eq!(mean_difference(&exact(1.0), &none, prior), None);
        // Two equal values are not certain.
        let same = Sample::Measured(vec![0.25; 2]);
        assert!(mean_difference(&same, &same, prior).unwrap().error > 0.1);
    }
}
