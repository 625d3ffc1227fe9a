//! Wilson's confidence interval of a proportion.

/// The quantile of the normal distribution for a two-sided 95 % interval.
pub(crate) const Z_95: f64 = 1.959_963_984_540_054;

/// The score interval of a proportion, as its lower and upper end from 0 to 1.
///
/// There are `successes` in `n` trials; halves may be counted. `z` is the normal quantile of the
/// level, [`Z_95`] for 95 %. Without trials the interval is (0, 1).
///
/// E. B. Wilson, "Probable inference, the law of succession, and statistical
/// inference", J. Am. Stat. Assoc. 22 (1927).
pub(crate) fn wilson(successes: f64, n: f64, z: f64) -> (f64, f64) {
    if n <= 0.0 {
        return (0.0, 1.0);
    }
    let p = (successes / n).clamp(0.0, 1.0);
    let t = z * z / n;
    let centre = p + t / 2.0;
    let half = (t * (p * (1.0 - p) + t / 4.0)).sqrt();
    let end = |x: f64| (x / (1.0 + t)).clamp(0.0, 1.0);
    (end(centre - half), end(centre + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R. G. Newcombe, "Two-sided confidence intervals for the single
    /// proportion", Statistics in Medicine 17 (1998), table I, method 3.
    #[test]
    fn published_intervals() {
        for (successes, n, low, high) in [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
        ] {
            let ends = wilson(successes, n, Z_95);
            assert!((ends.0 - low).abs() < 5e-5, "{ends:?}");
            assert!((ends.1 - high).abs() < 5e-5, "{ends:?}");
            let mirrored = wilson(n - successes, n, Z_95);
            assert!((mirrored.0 - (1.0 - ends.1)).abs() < 1e-12);
        }
    }

    #[test]
    fn the_ends_of_the_scale() {
        assert_eq!(wilson(0.0, 0.0, Z_95), (0.0, 1.0));
        assert_eq!(wilson(7.0, 7.0, Z_95).1, 1.0);
        assert_eq!(wilson(3.0, 6.0, 0.0), (0.5, 0.5));
    }
}
