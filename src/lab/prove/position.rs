//! Positions of a proof: in canonical form, with a name.

use super::log::LogError;
use crate::lab::endings::{Ending, canonical};
use crate::tanbo::{Start, line};

/// A position as text.
pub(super) fn name(start: &Start) -> String {
    line::write(start.setup())
}

/// The position with a name.
pub(super) fn start(name: &str) -> Result<Start, LogError> {
    let ending = Ending::parse(name);
    ending
        .map(|ending| ending.start)
        .map_err(|_| LogError::Foreign)
}

/// The position in canonical form, with its name.
pub(super) fn normal(start: &Start) -> (Start, String) {
    let setup = canonical(start.setup());
    // It is as legal as the position itself.
    let start = setup.check(Some(2)).unwrap_or_else(|_| start.clone());
    let name = name(&start);
    (start, name)
}
