//! Parallel Monte-Carlo tree search over any [`Game`](crate::game::Game).
//!
//! Read the modules in this order: `node`, `transposition` and `tree` (the data), `bias` (the
//! correction of evaluations), `perspective` and `path`, `selection` (the formulas), `proof` (exact results), `backup` and
//! `rave`, `iteration` (one iteration), `run` (one search), [`Searcher`] (the tree of a game),
//! `ranking` and [`Report`] (the result). [`MoveSearcher`] is the interface of a player: this
//! search or another one. [`Pace`] decides when a search under a clock may end.
//!
//! Nothing here names a game, and nothing prints.

mod backup;
mod bias;
#[cfg(test)]
mod graph_tests;
mod iteration;
mod limits;
mod move_searcher;
mod node;
mod pace;
mod path;
mod perspective;
mod proof;
mod ranking;
mod rave;
mod report;
mod run;
mod searcher;
mod selection;
#[cfg(test)]
mod tests;
mod transposition;
mod tree;
mod treeless;

pub use limits::SearchLimits;
pub(crate) use move_searcher::MoveSearcher;
pub(crate) use pace::Pace;
pub use report::{MoveReport, Report};
pub use searcher::Searcher;
pub(crate) use treeless::TreelessPlayer;
pub use treeless::one_ply;
