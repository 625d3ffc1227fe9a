//! Proves by parts who wins a position of Tanbo: a frontier of positions some plies down, each of
//! which is solved by itself.
//!
//! | file | what it does |
//! |---|---|
//! | `prediction` | how many nodes the solver will need |
//! | `tree` | the positions above the frontier, and the hypotheses to test |
//! | `log` | results in a file that can be cut anywhere |
//! | `position` | positions in canonical form, by name |
//! | `expand` | the positions after each move, and what can be found out about them |
//! | `jobs` | positions that are solved elsewhere |
//! | `run` | threads that expand and solve |

mod expand;
mod jobs;
mod log;
mod position;
mod prediction;
mod run;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use jobs::{Delegate, Job, Order, Report, Reports};
pub(crate) use run::{Proof, ProveError, ProveProgress, ProveSettings, delegate, prove};
