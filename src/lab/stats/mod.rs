//! Statistics of matches: pure functions of numbers, each with its source.
//!
//! | file | what it does |
//! |---|---|
//! | `elo`, `normal`, `mean` | Elo and scores; the normal distribution; means with errors |
//! | `pentanomial` | results of pairs of games: Elo, normalised Elo, LOS |
//! | `likelihood`, `sprt`, `sprt_text` | log-likelihood ratios; the SPRT; its text |
//! | `rating` | ratings of many engines |
//! | `t_test` | the difference of two means |

pub(crate) mod elo;
mod likelihood;
mod mean;
mod normal;
mod pentanomial;
mod rating;
mod sprt;
mod sprt_text;
mod t_test;

pub(crate) use elo::elo_from_score;
pub(crate) use mean::{Estimate, mean_and_error};
pub(crate) use pentanomial::{GameScore, PairResults};
pub(crate) use rating::{Encounter, Ratings, fit_ratings};
pub(crate) use sprt::{Decision, Sprt};
pub(crate) use t_test::{PriorVariance, Sample, mean_difference};
