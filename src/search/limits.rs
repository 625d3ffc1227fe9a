//! When a search ends, and what is given to it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::game::Outcome;
use crate::params::MoveLimits;

/// When a search ends: at the first limit that is reached. Without a limit it ends when `stop`
/// returns true or the result is proven.
///
/// ```
/// use tanada::SearchLimits;
///
/// assert_eq!(SearchLimits::of_iterations(500).iterations, Some(500));
/// ```
#[derive(Clone, Debug, Default)]
pub struct SearchLimits {
    /// When the search has to end.
    pub deadline: Option<Instant>,
    /// When this search has to return a report, if it is one of several on the same position that
    /// go on until `deadline`. Preparing the tree may take a part of the time until `deadline`.
    pub slice: Option<Instant>,
    /// The maximum number of iterations of this search.
    pub iterations: Option<u64>,
    /// The codes of the moves to choose from ([`Game::code`](crate::game::Game::code)). All legal
    /// moves if this is `None` or holds no legal move.
    pub root_moves: Option<Arc<[u16]>>,
    /// Codes of moves with results that are known from elsewhere. The report includes them, and
    /// after the first iteration the search does not visit a lost one.
    pub known: Arc<[(u16, Outcome)]>,
    /// Whether this search has neither forced playouts nor root noise, and ranks its moves without regard
    /// to a level, whatever the parameters say.
    pub plain_root: bool,
}

impl SearchLimits {
    /// Only a number of iterations.
    pub fn of_iterations(most: u64) -> Self {
        Self {
            iterations: Some(most),
            ..Self::default()
        }
    }

    /// The limits of a move for a search that begins at `begin`. The time is shortened by `margin`,
    /// but at most by half.
    pub(crate) fn of(limits: MoveLimits, begin: Instant, margin: Duration) -> Self {
        Self {
            // A moment beyond the range of the system's clock means no limit.
            deadline: limits
                .time()
                .and_then(|time| begin.checked_add(time - margin.min(time / 2))),
            iterations: limits.iterations,
            ..Self::default()
        }
    }

    /// When this search ends at the latest.
    pub fn end(&self) -> Option<Instant> {
        [self.deadline, self.slice].into_iter().flatten().min()
    }

    /// The same limits with a report at this moment, or earlier if one is due.
    #[must_use]
    pub fn sliced(&self, at: Option<Instant>) -> Self {
        Self {
            slice: [self.slice, at].into_iter().flatten().min(),
            ..self.clone()
        }
    }

    /// Whether a move may be chosen.
    pub fn allows(&self, code: u16) -> bool {
        let listed = |moves: &Arc<[u16]>| moves.contains(&code);
        self.root_moves.as_ref().is_none_or(listed)
    }
}
