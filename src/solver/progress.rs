//! What a running search reports.

use std::io;
use std::ops::ControlFlow;

use super::table::ResultTable;

/// How far a search is.
pub struct Progress<'a> {
    /// Nodes of this search.
    pub nodes: u64,
    /// The share of the tree that is searched, from 0 to 1, as if all moves of a position took
    /// the same time.
    pub done: f64,
    /// The results found so far.
    pub table: &'a ResultTable,
    /// Whether the checkpoint could be written; only in the report after an attempt.
    pub saved: Option<&'a io::Result<()>>,
}

/// Receives the progress and may end the search.
pub(crate) type ProgressCallback<'a> = dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'a;

/// The search ended before the result was known: it reached a limit or was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search ended before the result was known")]
pub struct Stopped;
