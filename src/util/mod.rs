//! Tools for all other modules: arithmetic, randomness, text, files, threads, the operating system.
//!
//! | file | for |
//! |---|---|
//! | `atomics` | the types that threads share data with |
//! | `files` | writing files atomically, and recognising the program's own |
//! | `handoff` | a bounded queue between threads |
//! | `jobs` | numbered jobs on threads, with results in order |
//! | `lines` | lines of a stream, read ahead by a thread |
//! | `math` | arithmetic with the same bits on every machine |
//! | `nearest` | suggestions for misspelt names |
//! | `place` | lines and columns in files |
//! | `quote` | quoting foreign text in messages |
//! | `random` | seeded randomness |
//! | `spool` | a long queue of lines, partly in temporary files |
//! | `system` | what differs between operating systems |
//! | `threads` | scoped threads with large stacks |
//! | `wilson` | the confidence interval of a share |

pub(crate) mod atomics;
pub(crate) mod files;
pub(crate) mod handoff;
pub(crate) mod jobs;
pub(crate) mod lines;
pub(crate) mod math;
pub(crate) mod nearest;
pub(crate) mod place;
pub mod quote;
pub mod random;
mod spool;
pub(crate) mod system;
pub(crate) mod threads;
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
