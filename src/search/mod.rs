//! Parallel Monte Carlo tree search over any [`Game`](crate::game::Game).
//!
//! Reads in this order: [`node`], `transposition` and [`tree`] (what is remembered), `bias` (what
//! evaluations were wrong by), `select` (the formulas), `proof` (exact results), `iteration` (one
//! pass down and up), [`searcher`] (workers, limits, the kept tree) and [`report`] (what comes
//! out); a [`MoveSearcher`] is this search or another one, and [`Pace`] tells when it has thought
//! enough.
//! Nothing here names a game, and nothing prints.

mod bias;
#[cfg(test)]
mod graph_tests;
mod iteration;
mod move_searcher;
pub mod node;
mod pace;
mod proof;
pub mod report;
pub mod searcher;
mod select;
#[cfg(test)]
mod tests;
mod transposition;
pub mod tree;
mod treeless;

pub use move_searcher::MoveSearcher;
pub use pace::Pace;
pub use report::{MoveReport, Report};
pub use searcher::{SearchLimits, Searcher};
pub use treeless::{TreelessPlayer, one_ply};
