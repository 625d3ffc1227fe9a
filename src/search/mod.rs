//! Parallel Monte Carlo tree search over any [`Game`](crate::game::Game).
//!
//! Reads in this order: [`node`] and [`tree`] (what is remembered), `select` (the
//! formulas), `proof` (exact results), `iteration` (one pass down and up),
//! [`searcher`] (workers, limits, the kept tree) and [`report`] (what comes out); a [`Thinker`]
//! is this search or another one.
//! Nothing here names a game, and nothing prints.

mod iteration;
pub mod node;
mod one_ply;
mod proof;
pub mod report;
pub mod searcher;
mod select;
#[cfg(test)]
mod tests;
mod thinker;
pub mod tree;

pub use one_ply::OnePly;
pub use report::{MoveReport, Report};
pub use searcher::{Limits, Searcher};
pub use thinker::Thinker;
