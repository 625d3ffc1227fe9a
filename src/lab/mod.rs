//! The laboratory: matches between engines, statistics, tuning, training data, measurements.

pub mod accuracy;
pub mod bench;
pub mod endings;
pub mod matches;
pub mod stats;
pub mod train;
pub mod tune;
