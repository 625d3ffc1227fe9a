//! Tools for every room: arithmetic, randomness, text, files, threads.

pub mod files;
pub(crate) mod handoff;
pub mod jobs;
pub(crate) mod lines;
pub mod math;
pub mod nearest;
pub mod quote;
pub mod random;
pub mod spool;
pub mod wilson;
