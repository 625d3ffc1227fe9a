//! Statistics of matches: pure functions of numbers, each with its source.

mod difference;
mod elo;
mod likelihood;
mod mean;
mod normal;
mod pairs;
mod rating;
mod sprt;
mod sprt_text;

pub use difference::{
    MeanDifference, PriorVariance, Sample, mean_difference, student_quantile_975,
};
pub use elo::{elo_from_score, score_from_elo};
pub use likelihood::{logistic_llr, normalised_llr};
pub use mean::mean_and_error;
pub use normal::{erf, erfc, normal_cdf};
pub use pairs::{Estimate, GameScore, PairResults};
pub use rating::{Encounter, Ratings, fit_ratings};
pub use sprt::{Decision, Model, Sprt, SprtError};
pub use sprt_text::{ModelError, SprtTextError};
