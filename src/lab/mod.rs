//! The laboratory: matches between engines, statistics, tuning, training data, measurements.
//!
//! | module | for |
//! |---|---|
//! | `accuracy` | how often the engine throws a result away |
//! | `bench` | the bench signature, and speeds |
//! | `endings` | suites of late positions, and checks of solver and engine on them |
//! | `matches` | matches between engines |
//! | `prove` | finds a winner by parts: a frontier of positions, each solved by itself |
//! | `stats` | statistics of matches |
//! | `train` | training data, and training of the linear evaluation |
//! | `tune` | tuning of parameters |

pub mod accuracy;
pub(crate) mod bench;
pub mod endings;
pub(crate) mod matches;
pub(crate) mod prove;
pub(crate) mod stats;
pub mod train;
pub(crate) mod tune;
