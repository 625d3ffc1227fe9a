//! Statistics of matches: pure functions of numbers, each with its source.

mod elo;
mod normal;
mod pairs;
mod proportion;
mod sprt;

pub use elo::{elo_from_score, score_from_elo};
pub use normal::{erf, erfc, normal_cdf};
pub use pairs::{Estimate, GameScore, PairResults};
pub use proportion::wilson;
pub use sprt::{Decision, Sprt, SprtError, logistic_llr};

/// The quantile of the normal distribution that bounds 95 % on two sides.
pub const Z_95: f64 = 1.959_963_984_540_054;
