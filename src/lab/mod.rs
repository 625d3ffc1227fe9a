//! The laboratory: matches between engines, statistics, tuning, training data, measurements.

pub mod accuracy;
pub(crate) mod bench;
pub mod endings;
pub(crate) mod matches;
pub(crate) mod stats;
pub mod train;
pub(crate) mod tune;
