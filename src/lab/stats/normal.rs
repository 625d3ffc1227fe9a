//! The normal distribution.

use std::f64::consts::{PI, SQRT_2};

/// From here on the continued fraction replaces the series.
const SERIES_END: f64 = 2.5;

/// The error function, to about 15 digits.
///
/// Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964): the series 7.1.6 below 2.5,
/// the continued fraction 7.1.14 from there on.
pub(crate) fn erf(x: f64) -> f64 {
    if x.abs() < SERIES_END {
        series(x)
    } else {
        (1.0 - tail(x.abs())).copysign(x)
    }
}

/// `1 - erf(x)`, accurate for large `x` too.
pub(crate) fn erfc(x: f64) -> f64 {
    if x >= SERIES_END {
        tail(x)
    } else {
        1.0 - erf(x)
    }
}

/// The probability that a standard normal variable is at most `x`
/// (Abramowitz and Stegun, section 26.2).
pub(crate) fn normal_cdf(x: f64) -> f64 {
    erfc(-x / SQRT_2) / 2.0
}

/// `erf x = 2/sqrt(pi) exp(-x^2) sum 2^n x^(2n+1) / (1 * 3 * ... * (2n+1))`.
fn series(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    let mut odd = 1.0;
    while term.abs() > sum.abs() * f64::EPSILON / 4.0 {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    2.0 / PI.sqrt() * (-x * x).exp() * sum
}

/// `erfc x = exp(-x^2) / sqrt(pi) / (x + (1/2)/(x + 1/(x + (3/2)/(x + ...))))`.
fn tail(x: f64) -> f64 {
    let fraction = (1..=100).rev().fold(x, |f, k| x + f64::from(k) / 2.0 / f);
    (-x * x).exp() / PI.sqrt() / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of Abramowitz and Stegun, table 7.1, to its ten digits.
    #[test]
    fn table_of_the_error_function() {
        for (x, value) in [
            (0.0, 0.0),
            (0.1, 0.112_462_916_0),
            (0.5, 0.520_499_877_8),
            (1.0, 0.842_700_792_9),
            (1.5, 0.966_105_146_5),
            (2.0, 0.995_322_265_0),
        ] {
            assert!((erf(x) - value).abs() < 1e-10, "erf({x})");
            assert_eq!(erf(-x), -erf(x));
            assert!((erfc(x) - (1.0 - value)).abs() < 1e-10);
            assert!((erfc(-x) - (1.0 + value)).abs() < 1e-10);
        }
    }

    #[test]
    fn small_tails_keep_their_digits() {
        for (x, value) in [
            (3.0, 2.209_049_699_858_544e-5),
            (5.0, 1.537_459_794_428_035e-12),
            (10.0, 2.088_487_583_762_545e-45),
        ] {
            assert!((erfc(x) / value - 1.0).abs() < 1e-12, "erfc({x})");
            assert!((erf(x) - (1.0 - value)).abs() < 1e-15, "erf({x})");
        }
        assert_eq!(erfc(f64::INFINITY), 0.0);
        assert_eq!(erf(f64::NEG_INFINITY), -1.0);
        assert!(erf(f64::NAN).is_nan());
    }

    #[test]
    fn both_methods_meet() {
        assert!((1.0 - series(2.5) - tail(2.5)).abs() < 1e-14);
    }

    #[test]
    fn quantiles_of_the_normal_distribution() {
        assert_eq!(normal_cdf(0.0), 0.5);
        for (x, value) in [
            (crate::util::wilson::Z_95, 0.975),
            (1.0, 0.841_344_746_068_543),
            (-1.644_853_626_951_472, 0.05),
            (-3.0, 0.001_349_898_031_630_1),
        ] {
            assert!((normal_cdf(x) - value).abs() < 1e-13, "at {x}");
        }
    }
}
