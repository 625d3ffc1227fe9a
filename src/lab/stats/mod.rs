//! Statistics of matches: pure functions of numbers, each with its source.
//!
//! | file | what it does |
//! |---|---|
//! | `elo`, `normal`, `mean` | Elo and scores; the normal distribution; means with errors |
//! | `pentanomial` | results of pairs of games: Elo, normalised Elo, LOS |
//! | `likelihood`, `sprt`, `sprt_text` | log-likelihood ratios; the SPRT; its text |
//! | `rating` | ratings of many engines |
//! | `t_test` | the difference of two means |

mod elo;
mod likelihood;
mod mean;
mod normal;
mod pentanomial;
mod rating;
mod sprt;
mod sprt_text;
mod t_test;

pub use elo::{elo_from_score, score_from_elo};
pub use likelihood::{logistic_llr, normalised_llr};
pub use mean::{Estimate, mean_and_error};
pub use normal::{erf, erfc, normal_cdf};
pub use pentanomial::{GameScore, PairResults};
pub use rating::{Encounter, Ratings, fit_ratings};
pub use sprt::{Decision, Model, Sprt, SprtError};
pub use t_test::{MeanDifference, PriorVariance, Sample, mean_difference, student_quantile_975};
