//! The exact solver: who wins with best play, for any game between two sides.
//!
//! A position is won or lost for the side to move. The position itself says what counts as won,
//! so a game with draws is solved twice ("do I win?", "do I at least draw?"). The search is
//! depth-first with a transposition table that all threads share. A rank orders the moves of a
//! position; it changes how many positions are searched, never the result.
//!
//! The solver does not use the Monte-Carlo search, an evaluation or a clock. Bounds belong to a game:
//! they are in the folder `exact` of its module, behind [`Solvable::expand`].
//!
//! | file | what it does |
//! |---|---|
//! | `solvable` | what a game implements: [`Solvable`], [`Child`], [`MoveOrdering`](solvable::MoveOrdering) |
//! | `key` | 128-bit keys of positions |
//! | [`table`] | the transposition table, which grows on demand |
//! | `progress` | what a running search reports |
//! | `worker` | the search of one thread |
//! | [`checkpoint`] | the table in a file, to continue later |
//! | `run` | [`Solver`]: threads, limits, checkpoints |

pub(crate) mod checkpoint;
mod key;
mod progress;
mod run;
mod solvable;
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod worker;

pub(crate) use key::Key;
pub(crate) use progress::ProgressCallback;
pub use progress::{SolverProgress, Stopped};
pub(crate) use run::Solver;
pub use run::SolverLimits;
pub(crate) use solvable::{Child, Next, Solvable};

/// The first segment of the table has 2 to this many buckets.
const BUCKET_BITS: u32 = 14;
