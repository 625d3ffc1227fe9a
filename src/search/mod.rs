//! Parallel Monte-Carlo tree search over any [`Game`](crate::game::Game).
//!
//! Nothing here names a game, and nothing prints. In the order in which to read:
//!
//! | file | what it is for |
//! |---|---|
//! | `node`, `transposition`, `tree` | the data |
//! | `bias` | the correction of evaluations by earlier errors nearby |
//! | `perspective`, `path` | how a seat values results; the nodes of an iteration |
//! | `selection` | the formulas that choose a child |
//! | `proof` | exact results |
//! | `backup`, `rave` | what a leaf changes on its path |
//! | `symmetry` | moves that a symmetry takes to each other |
//! | `iteration`, `run` | one iteration; one search |
//! | `limits`, `pace` | when a search ends; when one under a clock may end early |
//! | `searcher` | the tree of a game, from move to move |
//! | `noise` | Dirichlet noise on the priors of the root |
//! | `ranking`, `report` | the final choice; the result |
//! | `policy_target` | what a policy learns from the result |
//! | `move_searcher`, `treeless` | the interface of a player; players without a tree |
//! | `limited_strength` | a player that chooses moves as a person might |

mod backup;
mod bias;
#[cfg(test)]
mod graph_tests;
mod iteration;
mod limited_strength;
mod limits;
mod move_searcher;
mod node;
mod noise;
mod pace;
mod path;
mod perspective;
mod policy_target;
mod proof;
mod ranking;
mod rave;
mod report;
mod run;
mod searcher;
mod selection;
mod symmetry;
#[cfg(test)]
mod tests;
mod transposition;
mod tree;
mod treeless;

pub(crate) use limited_strength::LimitedStrength;
pub use limits::SearchLimits;
pub(crate) use move_searcher::MoveSearcher;
pub(crate) use pace::Pace;
pub use report::{MoveReport, Report};
pub use searcher::Searcher;
pub(crate) use treeless::TreelessPlayer;
pub use treeless::one_ply;

/// Nodes, or entries of the transposition table, that are allocated together: a power of two.
const CHUNK: usize = 4096;

// Here, because the types of the models of races are larger.
const _: () = assert!(
    size_of::<node::Node>() <= 32,
    "a node must not exceed 32 bytes"
);
