//! Endings of Tanbo: suites of late positions that can be solved, made by self-play and kept as
//! lines of text, with tests of the solver and of the engine on them.
//!
//! | file | what it does |
//! |---|---|
//! | `suite` | a position in a line of text, and files of them |
//! | `canonical` | one position for all that are turned, mirrored or recoloured |
//! | `playable` | the playable points of a position |
//! | `collect` | finds positions with a given number of playable points in games of the engine |
//! | `solve` | the exact solver |
//! | `check` | solves a suite; tests whether the engine keeps a win |

mod canonical;
mod check;
mod collect;
mod playable;
mod solve;
mod suite;

pub(crate) use canonical::canonical;
pub(crate) use check::{EngineCheck, SolverCheck, Spread, check, keep};
pub(crate) use collect::{CollectError, CollectProgress, CollectSettings};
pub use playable::playable_points;
pub(crate) use solve::solver;
pub use suite::{Ending, read, read_file};
