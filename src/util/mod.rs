//! Tools for all other modules: arithmetic, randomness, text, files, threads.

pub(crate) mod files;
pub(crate) mod handoff;
pub(crate) mod jobs;
pub(crate) mod lines;
pub(crate) mod math;
pub(crate) mod nearest;
pub mod quote;
pub mod random;
mod spool;
pub(crate) mod wilson;

use std::ops::ControlFlow;

/// The answer of a callback that ends a search on a condition.
pub(crate) fn break_if(condition: bool) -> ControlFlow<()> {
    if condition {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
