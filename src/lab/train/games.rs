//! The games of self-play as JSON lines: a header, then one line for each game.
//!
//! Moves are words of the game's notation, so the format serves every game and number of players.
//! A finished file is compressed with gzip, whose CRC-32 guards it; the time in it is 0, so the same
//! games give the same bytes.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::selfplay::SelfplaySettings;
use crate::games;
use crate::lab::matches::run_folder::json_error;
use crate::params::{PARAMETERS, Parameter};
use crate::util::files::Kind;
use crate::util::math::{FNV, fnv};
use crate::util::quote::shorten;
use crate::variant::SharedStart;

/// The value of `format` in the first line.
const FORMAT: &str = "tanada games";
const VERSION: u32 = 1;
/// What the first line begins with.
const BEGIN: &[u8] = b"{\"format\":\"tanada games\",";

const MAKER: &str = "tanada selfplay --out";

/// A finished file.
pub(crate) const KIND: Kind<'_> = Kind {
    maker: MAKER,
    is_own: &|head| {
        let mut begin = [0; BEGIN.len()];
        let read = GzDecoder::new(head).read_exact(&mut begin);
        read.is_ok() && begin == BEGIN
    },
};

/// The file of an unfinished run.
pub(super) const UNFINISHED: Kind<'_> = Kind {
    maker: MAKER,
    is_own: &|head| head.starts_with(BEGIN),
};

/// The first line: everything that the games depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    format: String,
    version: u32,
    program: String,
    /// The start position, as [`games::read_start`] reads it.
    pub(super) start: String,
    settings: RunSettings,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct RunSettings {
    seed: u64,
    first: usize,
    iterations: u64,
    quick_iterations: u64,
    full_share: f64,
    plies: usize,
    drawn: usize,
    /// The parameters that differ from their defaults.
    parameters: BTreeMap<String, Json>,
    /// A checksum of the file of weights.
    weights: Option<String>,
}

impl Header {
    pub fn new(start: &SharedStart, settings: &SelfplaySettings) -> Self {
        let value = |parameter: &Parameter| {
            let value = parameter.get(&settings.params);
            // Numbers and words, which JSON can always express.
            let json = serde_json::to_value(value).unwrap_or_default();
            (value != parameter.default()).then(|| (parameter.name.to_string(), json))
        };
        let sum = |text: &str| format!("{:016x}", fnv(FNV, text.as_bytes()));
        Self {
            format: FORMAT.to_string(),
            version: VERSION,
            program: env!("CARGO_PKG_VERSION").to_string(),
            start: games::write_start(start),
            settings: RunSettings {
                seed: settings.seed,
                first: settings.first,
                iterations: settings.iterations,
                quick_iterations: settings.quick_iterations,
                full_share: settings.full_share,
                plies: settings.opening_plies,
                drawn: settings.drawn_plies,
                parameters: PARAMETERS.iter().filter_map(value).collect(),
                weights: settings.weights.as_deref().map(sum),
            },
        }
    }

    /// Reads a first line.
    ///
    /// # Errors
    /// The line is not that of a file of games, or of one in another version.
    pub(super) fn parse(line: &str) -> Result<Self, String> {
        let error = |error| json_error(&error);
        let json: Json = serde_json::from_str(line).map_err(error)?;
        if json["format"] != FORMAT {
            return Err(format!("expected `\"format\":\"{FORMAT}\"`"));
        }
        if json["version"] != VERSION {
            let found = shorten(&json["version"].to_string(), 40);
            return Err(format!(
                "unknown version `{found}` of the format: expected {VERSION}"
            ));
        }
        serde_json::from_value(json).map_err(error)
    }

    /// The number of the first game.
    pub(super) fn first(&self) -> usize {
        self.settings.first
    }

    /// The first option in which another run differs.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let (one, two) = (&self.settings, &other.settings);
        let board = "--game, --size, --setup or --players";
        let fields = [
            (board, self.start != other.start),
            ("--seed", one.seed != two.seed),
            ("--first", one.first != two.first),
            ("--iterations", one.iterations != two.iterations),
            (
                "--quick-iterations",
                one.quick_iterations != two.quick_iterations,
            ),
            ("--full-share", one.full_share != two.full_share),
            ("--plies", one.plies != two.plies),
            ("--drawn", one.drawn != two.drawn),
            ("--set", one.parameters != two.parameters),
            ("--weights", one.weights != two.weights),
            ("version", self.program != other.program),
        ];
        let differs = fields.into_iter().find(|(_, differs)| *differs);
        differs.map(|(name, _)| name)
    }
}

/// A game: the random opening, then the moves that were searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameLine {
    /// The number of the game, from 1; with the seed it decides the opening and all random numbers.
    pub game: usize,
    pub opening: Vec<String>,
    pub moves: Vec<MoveLine>,
    /// The colour that won; `None` for a draw.
    pub winner: Option<String>,
}

/// A move and what the search before it found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveLine {
    #[serde(rename = "move")]
    pub word: String,
    /// Whether it was a full search, from which the policy learns.
    pub full: bool,
    /// The chance of every player, in the order of play.
    pub values: Vec<f64>,
    /// Whether the search knows the result.
    pub proof: bool,
    /// After a full search, the visited moves, most visited first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<NextMove>,
}

/// A move that a search visited: its word, its visits, its value for the player to move, and the
/// visits that count as policy target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextMove(pub String, pub u32, pub f64, pub u32);

/// A line of the file.
pub(super) fn line(content: &impl Serialize) -> String {
    // Texts and finite numbers, which JSON can always express.
    serde_json::to_string(content).unwrap_or_default() + "\n"
}

/// Compresses the lines of all games.
///
/// # Errors
/// An error of the system.
pub(super) fn compress(mut lines: impl Read, out: impl Write) -> io::Result<()> {
    let mut encoder = GzBuilder::new().mtime(0).write(out, Compression::default());
    io::copy(&mut lines, &mut encoder)?;
    encoder.finish()?.flush()
}
