//! What a running search reports.

use std::io;
use std::ops::ControlFlow;

use super::table::ResultTable;

/// How far a search is.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(4), None, None)?;
/// # let engine = tanada::Engine::new(configuration.start().clone(), tanada::Params::default());
/// # let mut solver = engine.exact(&tanada::ExactSettings::new(1 << 20))?;
/// use std::ops::ControlFlow;
///
/// let mut show = |progress: &tanada::SolverProgress<'_>| {
///     println!("{:.0} %", 100.0 * progress.done);
///     ControlFlow::Continue(())
/// };
/// solver.solve(&tanada::SolverLimits::default(), &mut show)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SolverProgress<'a> {
    /// Nodes of this search.
    pub nodes: u64,
    /// The share of the tree that is searched, from 0 to 1, as if all moves of a position took
    /// the same time.
    pub done: f64,
    /// The results found so far.
    pub(crate) table: &'a ResultTable,
    /// Whether the checkpoint could be written; only in the report after an attempt.
    pub saved: Option<&'a io::Result<()>>,
}

/// Receives the progress and may end the search.
pub(crate) type ProgressCallback<'a> = dyn FnMut(&SolverProgress<'_>) -> ControlFlow<()> + 'a;

/// The search ended before the result was known: it reached a limit or was told to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the search ended before the result was known")]
pub struct Stopped;
