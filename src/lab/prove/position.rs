//! Positions of a proof: in canonical form, with a name.

use super::log::LogError;
use crate::lab::endings::{Ending, canonical};
use crate::tanbo::Start;

/// A position as text, as in a suite of endings without the winner.
pub(super) fn name(start: &Start) -> String {
    let ending = Ending {
        start: start.clone(),
        winner: None,
    };
    let text = ending.to_string();
    text.trim_end_matches(" ?").to_string()
}

/// The position with a name.
pub(super) fn start(name: &str) -> Result<Start, LogError> {
    let ending = Ending::parse(&format!("{name} ?"));
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
