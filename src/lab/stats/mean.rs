//! Estimates with errors; the mean of independent samples.

use serde::Serialize;

use crate::util::wilson::Z_95;

/// An estimate and the half width of its 95 % interval. Either may be infinite, which JSON writes
/// as `null`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    pub value: f64,
    /// The half width of the interval, at least 0.
    pub error: f64,
}

/// The mean of independent samples and 1.96 standard errors of it, from the sample variance with
/// divisor n - 1. `None` without samples; the error of a single sample is infinite.
pub(crate) fn mean_and_error(samples: &[f64]) -> Option<Estimate> {
    let n = samples.len() as f64;
    let value = samples.iter().sum::<f64>() / n;
    let squares: f64 = samples.iter().map(|x| (x - value).powi(2)).sum();
    let error = match samples.len() {
        0 => return None,
        1 => f64::INFINITY,
        _ => Z_95 * (squares / (n - 1.0) / n).sqrt(),
    };
    Some(Estimate { value, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Student, "The probable error of a mean", Biometrika 6 (1908): the hours of sleep that ten
    /// patients gained with the second drug; mean 2.33, standard deviation 2.002 (n - 1).
    #[test]
    fn hours_of_sleep_gained() {
        let gained = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let estimate = mean_and_error(&gained).unwrap();
        assert!((estimate.value - 2.33).abs() < 1e-12);
        let deviation = estimate.error / Z_95 * 10f64.sqrt();
        assert!((deviation - 2.002).abs() < 5e-4, "{deviation}");
    }

    #[test]
    fn few_samples() {
        assert_eq!(mean_and_error(&[]), None);
        let one = mean_and_error(&[0.25]).unwrap();
        assert_eq!((one.value, one.error), (0.25, f64::INFINITY));
        let same = mean_and_error(&[0.5; 4]).unwrap();
        assert_eq!((same.value, same.error), (0.5, 0.0));
    }
}
