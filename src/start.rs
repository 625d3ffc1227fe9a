//! Which start position is configured: by the command line, or by the protocol.

#![cfg_attr(
    not(test),
    deny(
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing
    )
)]

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

use crate::games;
use crate::util::nearest::{hint, nearest};
use crate::variant::{GameRecord, SetupError, SharedStart, Variant};

/// The longest file that is read, in bytes.
pub const MAX_FILE: u64 = 1 << 20;

/// A file that cannot be read as text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{path}` cannot be read: {reason}")]
pub struct ReadError {
    /// The file's name as it was given, shortened.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Weights that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// Their file cannot be read.
    #[error("the weights: {0}")]
    Read(#[from] ReadError),
    /// It holds no weights, or none for the start.
    #[error("the weights `{path}`: {error}")]
    Wrong {
        /// The path, shortened.
        path: String,
        /// What is wrong with it.
        error: String,
    },
}

/// A start position that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StartError {
    /// No game has this name.
    #[error("unknown game `{0}`{hint}", hint = hint(.0, &games::names()))]
    Game(String),
    /// No board has this size, or the named setup does not exist for the size and the number of
    /// players.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// No setup and no file has this name, but a setup has nearly the same.
    #[error("unknown setup `{name}`; did you mean `{meant}`?")]
    Misspelt {
        /// The name as it was given, shortened.
        name: String,
        /// The setup.
        meant: &'static str,
    },
    /// The text names no setup, and no file that can be read.
    #[error("{error}, expected {expected}")]
    Read {
        /// Why it cannot be read.
        error: ReadError,
        /// What would be right.
        expected: String,
    },
    /// The file holds no position, or one that the rules cannot play from.
    #[error("`{path}`: {reason}")]
    File {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: SetupError,
    },
    /// Another size was asked for than the file has.
    #[error("`{path}` holds a {found}x{found} board, expected size `{asked}` as asked for")]
    OtherSize {
        /// The file.
        path: String,
        /// Its size.
        found: usize,
        /// The size that was asked for.
        asked: usize,
    },
    /// The position exists for one size only.
    #[error("the size cannot be `{asked}`, expected {size}: the start position has no other")]
    Fixed {
        /// The size that was asked for.
        asked: usize,
        /// The only size.
        size: usize,
    },
}

impl StartError {
    /// Why a `--setup` that is neither a setup of the game nor a readable file is refused.
    pub fn unreadable(game: &'static dyn Variant, path: &str, error: ReadError) -> Self {
        let setups = game.setups();
        match nearest(path, setups.iter().copied()) {
            Some(meant) if !Path::new(path).exists() => Self::Misspelt {
                name: shorten(path),
                meant,
            },
            _ => Self::Read {
                error,
                expected: format!("{} or the name of a file", setups.join(", ")),
            },
        }
    }
}

/// Where the configured start comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// The setup that each size has without a name.
    Default,
    /// A name.
    Named(String),
    /// A file, read when it was named.
    File,
}

/// The configured start: what a new game begins from.
#[derive(Clone, Debug)]
pub struct Configuration {
    source: Source,
    players: Option<usize>,
    start: SharedStart,
    /// The moves of the record that the file holds, which are not played.
    unplayed: usize,
}

impl PartialEq for Configuration {
    fn eq(&self, other: &Self) -> bool {
        (&self.source, self.players) == (&other.source, other.players)
            && *self.start == *other.start
    }
}

impl Configuration {
    /// The start of the default game that `--size`, `--setup` and `--players` ask for; see
    /// [`Configuration::of`].
    ///
    /// # Errors
    /// Every kind of [`StartError`].
    pub fn new(
        size: Option<usize>,
        setup: Option<&str>,
        players: Option<usize>,
    ) -> Result<Self, StartError> {
        Self::of(games::default(), size, setup, players)
    }

    /// The start that `--size`, `--setup` and `--players` ask for; without any of them the
    /// game's own default.
    ///
    /// `setup` is one of the game's names, or else the name of a file, which brings its own
    /// size and players; the default size is not asked of it.
    ///
    /// # Errors
    /// Every kind of [`StartError`].
    pub fn of(
        game: &'static dyn Variant,
        size: Option<usize>,
        setup: Option<&str>,
        players: Option<usize>,
    ) -> Result<Self, StartError> {
        match setup {
            None => Self::named(game, Source::Default, size, players),
            Some(text) if game.setups().contains(&text) => {
                Self::named(game, Source::Named(text.to_string()), size, players)
            }
            Some(text) => Self::file(game, text, size, players),
        }
    }

    /// The game with this name; the default one without.
    ///
    /// # Errors
    /// An unknown name.
    pub fn game(name: Option<&str>) -> Result<&'static dyn Variant, StartError> {
        match name {
            None => Ok(games::default()),
            Some(name) => games::find(name).ok_or_else(|| StartError::Game(shorten(name))),
        }
    }

    /// A start position that was made elsewhere; it has one size, as a file's has.
    pub fn from_start(start: impl Into<SharedStart>) -> Self {
        Self {
            source: Source::File,
            players: None,
            start: start.into(),
            unplayed: 0,
        }
    }

    fn named(
        game: &'static dyn Variant,
        source: Source,
        size: Option<usize>,
        players: Option<usize>,
    ) -> Result<Self, StartError> {
        let name = match &source {
            Source::Named(name) => Some(name.as_str()),
            _ => None,
        };
        let start = game.start(size, name, players)?;
        Ok(Self {
            source,
            players,
            start,
            unplayed: 0,
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
        let text = record
            .as_ref()
            .map_or(text, |game_record| game_record.start.text());
        let start = match game.read(&text, players) {
            Ok(start) => start,
            Err(reason) => return Err(StartError::File { path, reason }),
        };
        let unplayed = record.map_or(0, |game_record| game_record.moves.len());
        if let Some(asked) = asked
            && asked != start.side()
        {
            let found = start.side();
            return Err(StartError::OtherSize { path, found, asked });
        }
        Ok(Self {
            source: Source::File,
            players,
            start,
            unplayed,
        })
    }

    /// The number of moves in the game record that the start position was read from. A
    /// configuration is only the start of a game: its moves are not played.
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

    /// Points or squares a row.
    pub fn side(&self) -> usize {
        self.start.side()
    }

    /// The board in a word or two: `19x19`, with the game where it is not the default one.
    pub fn board(&self) -> String {
        let (side, game) = (self.side(), self.variant());
        match game.name() == games::default().name() {
            true => format!("{side}x{side}"),
            false => format!("{} {side}x{side}", game.title()),
        }
    }

    /// The same configuration on a board of `side` points a row. The size that it
    /// has changes nothing; on another one, the named setup stays where it exists
    /// for that size, and the size's own default takes its place elsewhere.
    ///
    /// # Errors
    /// A size that the game does not have; any other size than its own for a file; for more than
    /// two players, a size without such a setup.
    pub fn resized(&self, side: usize) -> Result<Self, StartError> {
        if side == self.side() {
            return Ok(self.clone());
        }
        let game = self.variant();
        let default = Self::named(game, Source::Default, Some(side), None)?;
        if self.source == Source::File {
            return Err(StartError::Fixed {
                asked: side,
                size: self.side(),
            });
        }
        let named = Self::named(game, self.source.clone(), Some(side), self.players);
        if self.players.is_some_and(|n| n != 2) {
            // The default of the size is for two.
            return named;
        }
        // The name is kept for sizes that have it again.
        Ok(named.unwrap_or(Self {
            source: self.source.clone(),
            players: self.players,
            ..default
        }))
    }

    /// The configuration after `tanada-setup`: a name on the board that there is, or
    /// a file, which brings its own size. A number of players that was asked for
    /// on the command line holds on.
    ///
    /// # Errors
    /// Every kind of [`StartError`].
    pub fn with_setup(&self, text: &str) -> Result<Self, StartError> {
        let game = self.variant();
        let size = game.setups().contains(&text).then(|| self.side());
        Self::of(game, size, Some(text), self.players)
    }
}

/// The first game of a file, if it holds records and that one can be read.
fn first_record(game: &dyn Variant, bytes: &[u8]) -> Option<GameRecord> {
    if !game.records().is_record(bytes) {
        return None;
    }
    let default = |side| game.start(side, None, None).ok();
    let records = game.records().read_first(bytes, 1, &default);
    records.into_iter().next()?.ok()
}

/// Reads a file of at most [`MAX_FILE`] bytes of UTF-8.
///
/// # Errors
/// What is no regular file, cannot be opened or read, is longer, or is not UTF-8.
pub fn read_text(path: &str) -> Result<String, ReadError> {
    read_long_text(path, MAX_FILE)
}

/// The same of a file of at most so many bytes.
///
/// # Errors
/// What is no regular file, cannot be opened or read, is longer, or is not UTF-8.
pub fn read_long_text(path: &str, most: u64) -> Result<String, ReadError> {
    let text = String::from_utf8(read_at_most(path, most)?);
    text.map_err(|_| ReadError {
        path: shorten(path),
        reason: "it is not UTF-8 text".to_string(),
    })
}

/// The text of a file of weights that judge positions of the start.
///
/// # Errors
/// A file that cannot be read, or is wrong.
pub fn read_weights(path: &str, start: &SharedStart) -> Result<String, WeightsError> {
    let text = read_text(path)?;
    let checked = match start.weights() {
        Some(weights) => weights.check(&text),
        None => Err(format!("{} takes no weights", start.variant().title())),
    };
    match checked {
        Ok(()) => Ok(text),
        Err(error) => Err(WeightsError::Wrong {
            path: shorten(path),
            error,
        }),
    }
}

/// Reads a file of at most [`MAX_FILE`] bytes.
///
/// # Errors
/// What is no regular file, cannot be opened or read, or is longer.
pub fn read_bytes(path: &str) -> Result<Vec<u8>, ReadError> {
    read_at_most(path, MAX_FILE)
}

fn read_at_most(path: &str, most: u64) -> Result<Vec<u8>, ReadError> {
    let error = |reason: &str| ReadError {
        path: shorten(path),
        reason: reason.to_string(),
    };
    let failed = |e: io::Error| match e.kind() {
        io::ErrorKind::NotFound => error("there is no such file"),
        io::ErrorKind::PermissionDenied => error("that is not permitted"),
        _ => error(&e.to_string()),
    };
    // A pipe or a device might never end.
    let found = fs::metadata(path).map_err(failed)?;
    if found.is_dir() {
        return Err(error("it is a directory"));
    }
    if !found.is_file() {
        return Err(error("it is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most.saturating_add(1)).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(error(&format!("it is longer than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

fn shorten(text: &str) -> String {
    crate::util::quote::shorten(text, 120)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tanbo::colour;

    fn named(configuration: &Configuration) -> Option<&'static str> {
        let game = configuration.variant();
        let (side, players) = (configuration.side(), configuration.start().players().len());
        game.setups().iter().copied().find(|name| {
            let built_in = game.start(Some(side), Some(name), Some(players));
            built_in.is_ok_and(|start| *start == **configuration.start())
        })
    }

    fn file(text: impl AsRef<[u8]>) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("start");
        fs::write(&path, text).unwrap();
        let path = path.to_str().unwrap().to_string();
        (folder, path)
    }

    const FIVE: &str = "to move: white\nX...O\n.....\n.....\n.....\nO...X\n";

    #[test]
    fn the_default_is_the_tournament_board() {
        let default = Configuration::new(None, None, None).unwrap();
        assert_eq!(default.side(), 19);
        assert_eq!(named(&default), Some("classic"));
        let seven = Configuration::new(Some(7), None, Some(2)).unwrap();
        assert_eq!(named(&seven), Some("dense"));
        let four = Configuration::new(None, None, Some(4)).unwrap();
        assert_eq!(four.start().players().len(), 4);
    }

    #[test]
    fn names_exist_for_their_sizes_and_players() {
        let error = |size, setup, players| {
            Configuration::new(size, setup, players)
                .unwrap_err()
                .to_string()
        };
        assert!(
            error(Some(8), Some("classic"), None).contains("`classic` has no board of size `8`")
        );
        assert!(error(Some(21), None, Some(4)).contains("for `4` players"));
        assert!(error(Some(8), None, Some(3)).contains("for `3` players"));
        assert!(error(None, None, Some(0)).contains("for `0` players"));
        assert!(error(Some(22), None, None).contains("`22`"));
        assert_eq!(
            error(None, Some("clasic"), None),
            "unknown setup `clasic`; did you mean `classic`?"
        );
        assert_eq!(
            error(None, Some("frob"), None),
            "`frob` cannot be read: there is no such file, \
             expected classic, dense, corners or the name of a file"
        );
        let misspelt = Configuration::game(Some("tambo")).map(|game| game.name());
        assert_eq!(
            misspelt.unwrap_err().to_string(),
            "unknown game `tambo`; did you mean `tanbo`?"
        );
    }

    #[test]
    fn another_size_keeps_the_name_where_it_exists() {
        let default = Configuration::new(None, None, None).unwrap();
        let dense = Configuration::new(Some(7), Some("dense"), None).unwrap();
        for (from, side, name) in [
            (&default, 9, "classic"),
            (&default, 15, "dense"),
            (&default, 8, "corners"),
            (&dense, 19, "dense"),
            (&dense, 9, "classic"),
            (&dense, 10, "corners"),
        ] {
            let other = from.resized(side).unwrap();
            assert_eq!((other.side(), named(&other)), (side, Some(name)));
            assert_eq!(&other.resized(from.side()).unwrap(), from);
        }
        for side in [3, 22, usize::MAX] {
            assert!(matches!(default.resized(side), Err(StartError::Setup(_))));
        }
        for players in [3, 4] {
            let many = Configuration::new(None, None, Some(players)).unwrap();
            assert_eq!(many.resized(19), Ok(many.clone()));
            for side in [9, 13] {
                let other = many.resized(side).unwrap();
                assert_eq!(other.start().players().len(), players);
                assert_eq!((other.side(), named(&other)), (side, Some("classic")));
                assert_eq!(other.resized(19), Ok(many.clone()));
            }
            for side in [3, 4, 21, 22] {
                assert!(matches!(many.resized(side), Err(StartError::Setup(_))));
            }
        }
    }

    #[test]
    fn a_file_brings_its_size_and_its_players() {
        let (_folder, path) = file(FIVE);
        let five = Configuration::new(None, Some(&path), None).unwrap();
        assert_eq!(five.side(), 5);
        assert_eq!(five.start().to_move(), colour::WHITE);
        assert_eq!(
            Configuration::new(Some(5), Some(&path), Some(2))
                .as_ref()
                .map(Configuration::start),
            Ok(five.start())
        );
        let error = Configuration::new(Some(9), Some(&path), None).unwrap_err();
        assert!(error.to_string().contains("5x5"), "{error}");
        let error = Configuration::new(None, Some(&path), Some(4)).unwrap_err();
        assert!(error.to_string().contains("4 players"), "{error}");
        let error = five.resized(9).unwrap_err().to_string();
        assert!(
            error.contains("`9`") && error.contains("expected 5"),
            "{error}"
        );
        assert_eq!(five.resized(5), Ok(five.clone()));
        let corners = five.with_setup("corners").unwrap();
        assert_eq!(corners.side(), 5);
        assert_eq!(corners.with_setup(&path), Ok(five));
        assert!(corners.with_setup("classic").is_err());
    }

    #[test]
    fn sgf_is_told_by_its_bracket() {
        let (_folder, path) = file("\u{feff}\n (;SZ[5]AB[aa][ee]AW[ea][ae]PL[W])");
        let five = Configuration::new(None, Some(&path), None).unwrap();
        assert_eq!(five.start().text().replace(' ', ""), FIVE.replace(' ', ""));
        let wide: Vec<u8> = "mail (;SZ[5]AB[aa][ee]AW[ea][ae]PL[W])"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let (_folder, path) = file(wide);
        assert_eq!(Configuration::new(None, Some(&path), None).unwrap(), five);
        let (_folder, path) = file("(;SZ[7]PL[W];B[aa])");
        let seven = Configuration::new(None, Some(&path), None).unwrap();
        assert_eq!(named(&seven), None);
        assert_eq!(seven.start().to_move(), colour::WHITE);
    }

    #[test]
    fn files_that_hold_no_start_are_explained() {
        for (text, part) in [
            (&b""[..], "no rows"),
            (b"....\n....\n....\n..z.\n", "line 4: unknown character `z`"),
            (b"(;SZ[3])", "`SZ[3]`"),
            (b"XX..\nXX..\n....\n...O\n", "loop"),
            (b"....\n\xff\xfe\n", "not UTF-8"),
            (&[b' '; (1 << 20) + 1], "longer than 1 MiB"),
        ] {
            let (_folder, path) = file(text);
            let error = Configuration::new(None, Some(&path), None)
                .unwrap_err()
                .to_string();
            assert!(error.contains(part) && error.contains(&path), "{error}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let error = Configuration::new(None, Some(path), None)
            .unwrap_err()
            .to_string();
        assert!(error.contains("directory"), "{error}");
        for path in ["", "a\0b", &"x".repeat(100_000)] {
            let error = Configuration::new(None, Some(path), None)
                .unwrap_err()
                .to_string();
            assert!(error.len() < 400, "{error}");
        }
        #[cfg(unix)]
        assert!(
            read_bytes("/dev/zero")
                .unwrap_err()
                .to_string()
                .contains("no regular file")
        );
    }
}
