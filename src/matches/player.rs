//! A side of a match and the text that describes it.

use thiserror::Error;

use crate::params::{ParamError, Params};
use crate::tanbo::setup::Start;
use crate::tanbo::weights::{Table, Weights, WeightsError};

/// One of the two sides of a match: settings of this build. `iterations`, if not
/// 0, limits a move alone; otherwise `time_per_move` does.
#[derive(Clone, Debug, PartialEq)]
pub struct Player {
    /// The name in reports.
    pub name: String,
    /// The settings; the seed is replaced game by game.
    pub params: Params,
    /// Weights of the linear evaluation other than the embedded ones.
    pub weights: Option<Weights>,
}

/// A text that describes no player.
#[derive(Debug, Error)]
pub enum PlayerError {
    /// A part is no setting.
    #[error("player `{text}`: {source}")]
    Param {
        /// The whole text.
        text: String,
        /// What is wrong with it.
        source: ParamError,
    },
    /// The file of weights cannot be read.
    #[error("cannot read the weights `{path}`: {source}")]
    Read {
        /// The path as it was given.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file of weights is wrong.
    #[error("the weights `{path}`: {source}")]
    Weights {
        /// The path as it was given.
        path: String,
        /// What is wrong with it.
        source: WeightsError,
    },
}

impl Player {
    /// Reads settings separated by commas, applied in order on top of `base`:
    /// `NAME=VALUE` for each parameter, `preset=NAME`, `weights=FILE`, and
    /// `name=TEXT` for reports (the whole text without it).
    ///
    /// # Errors
    /// Quotes the setting that is wrong, or the file that cannot be read.
    pub fn parse(text: &str, base: &Params, start: &Start) -> Result<Self, PlayerError> {
        let mut player = Self {
            name: text.to_string(),
            params: base.clone(),
            weights: None,
        };
        for setting in text.split(',').filter(|s| !s.trim().is_empty()) {
            let wrong = |source| PlayerError::Param {
                text: text.to_string(),
                source,
            };
            match setting.split_once('=').map(|(k, v)| (k.trim(), v.trim())) {
                Some(("name", name)) => player.name = name.to_string(),
                Some(("preset", name)) => player.params.apply_preset(name).map_err(wrong)?,
                Some(("weights", path)) => player.weights = Some(read_weights(path, start)?),
                _ => player.params.assign(setting).map_err(wrong)?,
            }
        }
        Ok(player)
    }
}

fn read_weights(path: &str, start: &Start) -> Result<Weights, PlayerError> {
    let text = std::fs::read_to_string(path).map_err(|source| PlayerError::Read {
        path: path.to_string(),
        source,
    })?;
    let table = Table::parse(&text).map_err(|source| PlayerError::Weights {
        path: path.to_string(),
        source,
    })?;
    Ok(table.for_size(start.size()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::BoardSize;
    use crate::params::Leaf;
    use crate::tanbo::setup::Named;

    #[test]
    fn settings_apply_in_order() {
        let size = BoardSize::new(9).unwrap();
        let start = Named::Classic.setup(size, 2).unwrap().check(None).unwrap();
        let parse = |text: &str| Player::parse(text, &Params::default(), &start);
        let player = parse("preset=playout, rave_equivalence=7,name=R").unwrap();
        assert_eq!(
            (player.params.leaf, player.params.rave_equivalence),
            (Leaf::Playout, 7.0)
        );
        assert_eq!(player.name, "R");
        assert_eq!(parse("").unwrap().params, Params::default());
        for (text, part) in [
            ("preset=best", "`best`"),
            ("threads=x", "`x`"),
            ("nonsense", "NAME=VALUE"),
            ("weights=/nowhere/at/all", "`/nowhere/at/all`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
