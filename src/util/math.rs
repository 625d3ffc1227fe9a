//! Arithmetic with the same bits on every machine: play depends only on IEEE additions,
//! multiplications, divisions and square roots in a fixed order, never on a platform library.

/// `exp(x)` with a relative error below 1e-6; `x` is clamped to -80 to 80.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let x = x.clamp(-80.0, 80.0);
    // Cody and Waite (1980): x = k ln 2 + r with |r| <= ln 2 / 2, ln 2 in two parts.
    let scaled = x * std::f32::consts::LOG2_E;
    let k = (scaled + if scaled < 0.0 { -0.5 } else { 0.5 }) as i32;
    let kf = k as f32;
    let r = (x - kf * 0.693_359_4) - kf * -2.121_944_4e-4;
    // Taylor's series, Horner's scheme.
    let mut p = 1.0 / 5040.0;
    for c in [
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        p = p * r + c;
    }
    p * f32::from_bits(((k + 127) as u32) << 23)
}

/// The logistic function `1 / (1 + exp(-x))`.
#[inline(always)]
pub(crate) fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// `ln(x)` with an absolute error below 1e-6 for `x` of at least 1.
#[inline(always)]
pub(crate) fn ln(x: f32) -> f32 {
    let bits = x.to_bits();
    let mut e = (bits >> 23) as i32 - 127;
    let mut m = f32::from_bits((bits & 0x007f_ffff) | 0x3f80_0000);
    if m > std::f32::consts::SQRT_2 {
        m *= 0.5;
        e += 1;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)).
    let s = (m - 1.0) / (m + 1.0);
    let s2 = s * s;
    let mut p = 1.0 / 9.0;
    for c in [1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0] {
        p = p * s2 + c;
    }
    2.0 * s * p + e as f32 * std::f32::consts::LN_2
}

/// The 64-bit FNV-1a hash of no bytes (Fowler, Noll and Vo).
pub(crate) const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// The FNV-1a hash `sum` continued with `bytes`.
pub(crate) fn fnv(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_to_the_platform_library() {
        for i in -8000..=8000 {
            let x = i as f32 * 0.01;
            let relative = (f64::from(exp(x)) / f64::from(x).exp() - 1.0).abs();
            assert!(relative < 1e-6, "exp({x}) is off by {relative}");
            let absolute = f64::from(logistic(x)) - 1.0 / (1.0 + (-f64::from(x)).exp());
            assert!(absolute.abs() < 1e-6);
        }
        let mut x = 1.0f32;
        while x < 1e9 {
            assert!(
                (f64::from(ln(x)) - f64::from(x).ln()).abs() < 2e-6,
                "ln({x}) = {}",
                ln(x)
            );
            x *= 1.01;
        }
    }

    #[test]
    fn extremes_stay_finite() {
        for x in [f32::MAX, f32::MIN, 1e30, -1e30, 0.0] {
            assert!((0.0..=1.0).contains(&logistic(x)));
        }
    }
}
