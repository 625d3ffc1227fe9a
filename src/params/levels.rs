//! The levels: how strong Tanada is against people. A level is only a set of parameter values.

use super::table::{PARAMETERS, Params};
use super::value::{ParamError, Value, shorten};
use crate::util::nearest::hint;

/// How strong Tanada is against people.
///
/// ```
/// let level = tanada::Level::find("medium")?;
/// let params = level.of(&tanada::Params::default());
/// assert!(params.iterations.is_some() && level.elo > tanada::LEVELS[0].elo);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The name: one word, lower case with hyphens.
    pub name: &'static str,
    /// The name as a title.
    pub title: &'static str,
    /// How it plays, in one sentence.
    pub meaning: &'static str,
    /// The Elo difference to the weakest level, measured on 9x9 by `scripts/lab/levels.sh`; full
    /// strength had 50,000 iterations a move.
    pub elo: u32,
    /// The limits; `None` for full strength.
    limits: Option<LevelLimits>,
}

/// The values of the parameters that make a level.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LevelLimits {
    iterations: u64,
    choice_temperature: f64,
    choice_max_loss: f64,
    overlooked: f64,
    solve_points: u64,
}

/// The levels, from the weakest to the strongest.
///
/// ```
/// assert!(tanada::LEVELS.is_sorted_by(|a, b| a.elo < b.elo));
/// ```
pub const LEVELS: &[Level] = &[
    Level {
        name: "first-game",
        title: "First game",
        meaning: "Has just learnt the rules, and overlooks a lot, even wins.",
        elo: 0,
        limits: Some(LevelLimits {
            iterations: 8,
            choice_temperature: 0.5,
            choice_max_loss: 1.0,
            overlooked: 0.55,
            solve_points: 0,
        }),
    },
    Level {
        name: "novice",
        title: "Novice",
        meaning: "Sees what is near, but sometimes overlooks a win or a threat.",
        elo: 200,
        limits: Some(LevelLimits {
            iterations: 8,
            choice_temperature: 0.5,
            choice_max_loss: 1.0,
            overlooked: 0.27,
            solve_points: 0,
        }),
    },
    Level {
        name: "beginner",
        title: "Beginner",
        meaning: "Plays a win when it sees one, but overlooks whole parts of the board.",
        elo: 390,
        limits: Some(LevelLimits {
            iterations: 128,
            choice_temperature: 2.0,
            choice_max_loss: 0.9,
            overlooked: 0.9,
            solve_points: 0,
        }),
    },
    Level {
        name: "easy",
        title: "Easy",
        meaning: "Plays sound moves near the last ones, but hardly looks ahead.",
        elo: 570,
        limits: Some(LevelLimits {
            iterations: 64,
            choice_temperature: 1.0,
            choice_max_loss: 0.3,
            overlooked: 0.9,
            solve_points: 0,
        }),
    },
    Level {
        name: "casual",
        title: "Casual",
        meaning: "Looks a few moves ahead, but sometimes plays the second-best move.",
        elo: 750,
        limits: Some(LevelLimits {
            iterations: 64,
            choice_temperature: 0.06,
            choice_max_loss: 0.2,
            overlooked: 0.15,
            solve_points: 0,
        }),
    },
    Level {
        name: "medium",
        title: "Medium",
        meaning: "Makes few obvious mistakes, but does not look far ahead.",
        elo: 900,
        limits: Some(LevelLimits {
            iterations: 256,
            choice_temperature: 0.03,
            choice_max_loss: 0.15,
            overlooked: 0.1,
            solve_points: 0,
        }),
    },
    Level {
        name: "skilled",
        title: "Skilled",
        meaning: "Looks well ahead and judges soundly, but misses deep plans.",
        elo: 1_080,
        limits: Some(LevelLimits {
            iterations: 800,
            choice_temperature: 0.02,
            choice_max_loss: 0.1,
            overlooked: 0.05,
            solve_points: 20,
        }),
    },
    Level {
        name: "hard",
        title: "Hard",
        meaning: "Avoids any mistake that a short search finds, and plays the last moves exactly.",
        elo: 1_280,
        limits: Some(LevelLimits {
            iterations: 1_600,
            choice_temperature: 0.0,
            choice_max_loss: 1.0,
            overlooked: 0.0,
            solve_points: 40,
        }),
    },
    Level {
        name: "expert",
        title: "Expert",
        meaning: "Looks deeper than most people can.",
        elo: 1_500,
        limits: Some(LevelLimits {
            iterations: 7_000,
            choice_temperature: 0.0,
            choice_max_loss: 1.0,
            overlooked: 0.0,
            solve_points: 40,
        }),
    },
    Level {
        name: "full",
        title: "Full strength",
        meaning: "As strong as the time, the memory and the processor allow.",
        elo: 1_800,
        limits: None,
    },
];

fn names() -> Vec<&'static str> {
    LEVELS.iter().map(|level| level.name).collect()
}

impl Level {
    /// The level with this name; blanks count as hyphens, and case does not matter.
    ///
    /// # Errors
    /// An unknown name.
    pub fn find(name: &str) -> Result<&'static Self, ParamError> {
        let word = name.trim().to_lowercase().replace(' ', "-");
        let found = LEVELS.iter().find(|level| level.name == word);
        found.ok_or_else(|| ParamError::Level(shorten(name), hint(&word, &names())))
    }

    /// An engine's own settings, limited to the level: it never takes more time or iterations than
    /// without a level. It has one thread, which is enough and makes its moves repeatable.
    pub fn of(&self, own: &Params) -> Params {
        let Some(limits) = self.limits else {
            return own.clone();
        };
        let iterations = own
            .iterations
            .map_or(limits.iterations, |n| n.min(limits.iterations));
        Params {
            iterations: Some(iterations),
            time_per_move: own.move_limits().seconds,
            threads: 1,
            ..limits.chosen(own)
        }
    }

    /// The parameters that the level changes, with their values.
    pub fn settings(&self) -> Vec<(&'static str, Value)> {
        let (usual, mut params) = (Params::default(), Params::default());
        if let Some(limits) = self.limits {
            params = Params {
                iterations: Some(limits.iterations),
                ..limits.chosen(&params)
            };
        }
        let changed = PARAMETERS
            .iter()
            .filter(|p| p.get(&params) != p.get(&usual));
        changed.map(|p| (p.name, p.get(&params))).collect()
    }

    /// Iterations for a move; `None` at full strength.
    pub fn iterations(&self) -> Option<u64> {
        self.limits.map(|limits| limits.iterations)
    }

    /// The next stronger level; `None` at full strength.
    pub fn stronger(&self) -> Option<&'static Self> {
        let place = LEVELS.iter().position(|level| level.name == self.name)?;
        LEVELS.get(place + 1)
    }
}

impl LevelLimits {
    /// The settings that choose a move, without those that limit the search.
    fn chosen(&self, own: &Params) -> Params {
        Params {
            choice_temperature: self.choice_temperature,
            choice_max_loss: self.choice_max_loss,
            overlooked: self.overlooked,
            solve_points: self.solve_points,
            ..own.clone()
        }
    }
}

impl Params {
    /// Adopts the settings of a level. Full strength resets whatever levels set, including the
    /// limit of iterations.
    ///
    /// # Errors
    /// An unknown name; nothing is changed.
    pub fn apply_level(&mut self, name: &str) -> Result<(), ParamError> {
        let level = Level::find(name)?;
        let usual = Self::default();
        *self = Self {
            iterations: level.iterations(),
            choice_temperature: usual.choice_temperature,
            choice_max_loss: usual.choice_max_loss,
            overlooked: usual.overlooked,
            solve_points: usual.solve_points,
            ..self.clone()
        };
        if let Some(limits) = level.limits {
            *self = limits.chosen(self);
        }
        Ok(())
    }

    /// The level with these settings, if there is one.
    pub(crate) fn level(&self) -> Option<&'static Level> {
        LEVELS.iter().find(|level| match level.limits {
            Some(limits) => {
                self.iterations == Some(limits.iterations) && *self == limits.chosen(self)
            }
            None => {
                let is_drawn = self.choice_temperature > 0.0 || self.overlooked > 0.0;
                !is_drawn
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_and_are_values_of_parameters() {
        for pair in LEVELS.windows(2) {
            assert!(pair[1].elo >= pair[0].elo + 100, "{}", pair[1].name);
            assert_eq!(pair[0].stronger(), Some(&pair[1]));
        }
        for level in LEVELS {
            assert!(level.meaning.ends_with('.') && level.name == level.name.to_lowercase());
            let mut params = Params::default();
            params.apply_level(level.name).unwrap();
            let mut again = Params::default();
            for (name, value) in level.settings() {
                again.set(name, &value.to_string()).unwrap();
            }
            assert_eq!(again, params);
            assert_eq!(params.level(), Some(level));
        }
    }

    #[test]
    fn names_are_found_in_any_form() {
        for (text, name) in [
            ("First game", "first-game"),
            (" EASY ", "easy"),
            ("medium", "medium"),
            ("hard", "hard"),
            ("full", "full"),
        ] {
            assert_eq!(Level::find(text).unwrap().name, name);
        }
        let error = Level::find("best").unwrap_err().to_string();
        assert!(
            error.contains("unknown level `best`") && error.contains("novice"),
            "{error}"
        );
    }

    #[test]
    fn a_level_takes_no_longer_than_its_engine_would() {
        let own = Params {
            threads: 4,
            seed: 7,
            ..Params::default()
        };
        for level in LEVELS {
            let params = level.of(&own);
            assert_eq!((params.seed, params.move_limits().seconds), (7, Some(1.0)));
            let few = Params {
                iterations: Some(3),
                ..own.clone()
            };
            let limits = level.of(&few).move_limits();
            assert!(limits.iterations.is_some_and(|n| n <= 3) && limits.seconds.is_none());
        }
        assert_eq!(LEVELS.last().unwrap().of(&own), own);
    }

    #[test]
    fn full_strength_resets_what_levels_set() {
        let mut params = Params::default();
        params.apply_level("easy").unwrap();
        params.apply_level("full").unwrap();
        assert_eq!(params, Params::default());
        let error = params.apply_level("best").unwrap_err();
        assert!(matches!(error, ParamError::Level(..)) && params == Params::default());
    }
}
