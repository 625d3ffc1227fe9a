//! The start position that the command line or the protocol configures.

#![cfg_attr(not(test), deny(clippy::indexing_slicing))]

mod read;

use std::path::Path;

use thiserror::Error;

pub use read::{ReadError, WeightsError};
pub(crate) use read::{read_bytes, read_long_text, read_text, read_weights};

use read::shorten;

use crate::games;
use crate::util::nearest::{hint, nearest};
use crate::variant::{GameRecord, SharedStart, Variant};

/// Why there is no such start position, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct StartError(String);

impl From<String> for StartError {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl StartError {
    /// The error for a `--setup` that is neither a setup of the game nor a readable file. A name
    /// like that of a setup is misspelt.
    pub fn unreadable(game: &'static dyn Variant, path: &str, error: ReadError) -> Self {
        let setups = game.setups();
        Self(match nearest(path, setups.iter().copied()) {
            Some(meant) if !Path::new(path).exists() => {
                let name = shorten(path);
                format!("unknown setup `{name}`; did you mean `{meant}`?")
            }
            _ => format!(
                "{error}; expected {} or the name of a file",
                setups.join(", ")
            ),
        })
    }
}

/// Refuses another size than that of a position in a file, whose name is shortened.
pub(crate) fn check_size(
    path: &str,
    start: &SharedStart,
    asked: Option<usize>,
) -> Result<(), StartError> {
    let found = start.side();
    match asked.filter(|&asked| asked != found) {
        None => Ok(()),
        Some(asked) => Err(StartError(format!(
            "invalid board size `{asked}`: the board in `{path}` is {found}x{found}"
        ))),
    }
}

/// Where the configured start comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// The setup of the game with this name, or else its default for the size.
    BuiltIn(Option<String>),
    /// A file; it is read once, when it is named.
    File,
}

/// The configured start position, from which new games begin.
///
/// ```
/// let configuration = tanada::Configuration::new(Some(9), Some("classic"), Some(2))?;
/// assert_eq!(configuration.side(), 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Configuration {
    source: Source,
    players: Option<usize>,
    start: SharedStart,
    /// The number of moves in the game record of the file; they are not played.
    unplayed: usize,
}

impl PartialEq for Configuration {
    fn eq(&self, other: &Self) -> bool {
        (&self.source, self.players) == (&other.source, other.players)
            && *self.start == *other.start
    }
}

impl Configuration {
    /// The start of the default game for `--size`, `--setup` and `--players`; see
    /// [`Configuration::of`].
    ///
    /// # Errors
    /// There is no such start position.
    pub fn new(
        size: Option<usize>,
        setup: Option<&str>,
        players: Option<usize>,
    ) -> Result<Self, StartError> {
        Self::of(games::default(), size, setup, players)
    }

    /// The start of a game for `--size`, `--setup` and `--players`; without them, the game's
    /// default.
    ///
    /// `setup` is one of the game's setups or else a file, which has its own size and players.
    ///
    /// # Errors
    /// There is no such start position.
    pub fn of(
        game: &'static dyn Variant,
        size: Option<usize>,
        setup: Option<&str>,
        players: Option<usize>,
    ) -> Result<Self, StartError> {
        match setup {
            Some(path) if !game.setups().contains(&path) => Self::file(game, path, size, players),
            name => Self::built_in(game, name, size, players),
        }
    }

    /// The game with this name; without a name, the default game.
    ///
    /// # Errors
    /// An unknown name.
    pub fn game(name: Option<&str>) -> Result<&'static dyn Variant, StartError> {
        match name {
            None => Ok(games::default()),
            Some(name) => games::find(name).ok_or_else(|| {
                let name = shorten(name);
                let hint = hint(&name, &games::names());
                StartError(format!("unknown game `{name}`{hint}"))
            }),
        }
    }

    /// A start position that was made elsewhere. Like that of a file, it has one size.
    pub fn from_start(start: impl Into<SharedStart>) -> Self {
        Self {
            source: Source::File,
            players: None,
            start: start.into(),
            unplayed: 0,
        }
    }

    fn built_in(
        game: &'static dyn Variant,
        name: Option<&str>,
        size: Option<usize>,
        players: Option<usize>,
    ) -> Result<Self, StartError> {
        Ok(Self {
            source: Source::BuiltIn(name.map(str::to_string)),
            players,
            ..Self::from_start(game.start(size, name, players)?)
        })
    }

    fn file(
        game: &'static dyn Variant,
        path: &str,
        asked: Option<usize>,
        players: Option<usize>,
    ) -> Result<Self, StartError> {
        let unreadable = |error| StartError::unreadable(game, path, error);
        let bytes = read_bytes(path).map_err(unreadable)?;
        let record = first_record(game, &bytes);
        let path = shorten(path);
        let text = game.records().decode(bytes).map_err(|reason| {
            let path = path.clone();
            unreadable(ReadError { path, reason })
        })?;
        let text = record.as_ref().map_or(text, |record| record.start.text());
        let start = game.read(&text, players);
        let start = start.map_err(|reason| StartError(format!("`{path}`: {reason}")))?;
        check_size(&path, &start, asked)?;
        Ok(Self {
            players,
            unplayed: record.map_or(0, |record| record.moves.len()),
            ..Self::from_start(start)
        })
    }

    /// The number of moves in the game record that the start position was read from. They are
    /// not played: a configuration is only the start of a game.
    pub fn unplayed(&self) -> usize {
        self.unplayed
    }

    /// The start position.
    pub fn start(&self) -> &SharedStart {
        &self.start
    }

    /// The game.
    pub fn variant(&self) -> &'static dyn Variant {
        self.start.variant()
    }

    /// Points or squares per row.
    pub fn side(&self) -> usize {
        self.start.side()
    }

    /// The board in a word or two: `19x19`, after the game if it is not the default one.
    pub fn board(&self) -> String {
        let (side, game) = (self.side(), self.variant());
        if game.name() == games::default().name() {
            format!("{side}x{side}")
        } else {
            format!("{} {side}x{side}", game.title())
        }
    }

    /// The same configuration on a board of `side` points per row. The named setup stays if it
    /// exists for that size; otherwise the default setup of the size takes its place.
    ///
    /// # Errors
    /// A size that the game does not have; for a file, any size but its own; for more than two
    /// players, a size without such a setup.
    pub fn resized(&self, side: usize) -> Result<Self, StartError> {
        if side == self.side() {
            return Ok(self.clone());
        }
        let game = self.variant();
        let default = Self::built_in(game, None, Some(side), None)?;
        let Source::BuiltIn(name) = &self.source else {
            let size = self.side();
            return Err(StartError(format!(
                "invalid board size `{side}`: expected {size}, the only size of the start position"
            )));
        };
        let named = Self::built_in(game, name.as_deref(), Some(side), self.players);
        if self.players.is_some_and(|n| n != 2) {
            // The default setup is for two.
            return named;
        }
        // The name is kept: the next size may have it.
        Ok(named.unwrap_or(Self {
            source: self.source.clone(),
            players: self.players,
            ..default
        }))
    }

    /// The configuration after `tanada-setup`: a setup on the present board, or a file, which has
    /// its own size. The number of players from the command line stays.
    ///
    /// # Errors
    /// There is no such start position.
    pub fn with_setup(&self, text: &str) -> Result<Self, StartError> {
        let game = self.variant();
        let size = game.setups().contains(&text).then(|| self.side());
        Self::of(game, size, Some(text), self.players)
    }
}

/// The first game of a file, if the file holds game records and the first is readable.
fn first_record(game: &dyn Variant, bytes: &[u8]) -> Option<GameRecord> {
    if !game.records().is_record(bytes) {
        return None;
    }
    let default = |side| game.start(side, None, None).ok();
    let records = game.records().read_first(bytes, 1, &default);
    records.into_iter().next()?.ok()
}

#[cfg(test)]
mod tests;
