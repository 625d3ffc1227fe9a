//! How strong Tanada plays against a person.
//!
//! A level bounds the search and lets some moves be drawn at random. No rating stands behind the
//! words: what each does is said, and that is all that is known of it.

use super::super::Failure;
use super::super::failure::shorten;

/// A level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    /// One word.
    pub(super) name: &'static str,
    /// Iterations a move; none where the limits that were asked for hold.
    pub(super) iterations: Option<u64>,
    /// How many moves of a hundred are drawn at random from the legal ones.
    pub(super) slips: u32,
}

/// From the weakest to the strongest.
pub(super) const LEVELS: [Level; 5] = [
    level("first-game", Some(2), 50),
    level("easy", Some(10), 20),
    level("medium", Some(100), 5),
    level("hard", Some(1_000), 0),
    level("full", None, 0),
];

const fn level(name: &'static str, iterations: Option<u64>, slips: u32) -> Level {
    Level {
        name,
        iterations,
        slips,
    }
}

impl Level {
    /// The level of a name, of which blanks may be part.
    pub(super) fn find(name: &str) -> Result<Self, Failure> {
        let word = name.trim().to_lowercase().replace(' ', "-");
        let found = LEVELS.into_iter().find(|level| level.name == word);
        found.ok_or_else(|| {
            let (name, names) = (shorten(name), LEVELS.map(|level| level.name).join(", "));
            Failure::Input(format!("`{name}` is no level, expected one of {names}"))
        })
    }

    /// What it does.
    pub(super) fn meaning(&self) -> String {
        let search = match self.iterations {
            Some(n) => format!("{n} iterations a move"),
            None => "the whole time of a move, or the limits asked for".to_string(),
        };
        match self.slips {
            0 => search,
            n => format!("{search}, {n} moves of 100 at random"),
        }
    }
}

/// All levels with what they do, one a line.
pub(super) fn list() -> String {
    let lines = LEVELS.map(|level| format!("  {:10}  {}\n", level.name, level.meaning()));
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise() {
        for pair in LEVELS.windows(2) {
            let most = |level: Level| level.iterations.unwrap_or(u64::MAX);
            assert!(most(pair[0]) < most(pair[1]) && pair[0].slips >= pair[1].slips);
        }
        assert_eq!(Level::find("First game").unwrap(), LEVELS[0]);
        assert_eq!(Level::find("full").unwrap(), LEVELS[4]);
        let error = Level::find("best").unwrap_err().to_string();
        assert!(error.contains("`best`") && error.contains("easy, medium"));
        assert_eq!(list().lines().count(), LEVELS.len());
    }
}
