//! A game by name: its start positions, its texts, what runs it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::game_record::GameRecord;
use super::running_game::RunningGame;
use super::text_record;
use crate::eval::playout::PlayoutCounts;
use crate::game::Seat;
use crate::params::Params;
use crate::util::random::Random;

/// A game that can be asked for by name: one value of this for each, and one line in
/// [`GAMES`](crate::games::GAMES).
pub trait Variant: Sync {
    /// The name as options and files have it: lower case, one word.
    fn name(&self) -> &'static str;
    /// The name as people write it.
    fn title(&self) -> &'static str;
    /// Title, inventor and year, for help and demonstrations.
    fn credit(&self) -> &'static str;
    /// What the rules come to, in at most two short lines.
    fn summary(&self) -> &'static str;
    /// The rules in short, in lines.
    fn rules(&self) -> String {
        format!("{}\n", self.summary())
    }
    /// How each kind of piece moves, in lines, where there are several kinds.
    fn pieces(&self) -> Option<String> {
        None
    }
    /// The words of the seats in the order of play, lower case, each with another first
    /// letter.
    fn colours(&self) -> &'static [&'static str];
    /// The names of the built-in start positions; `--setup` takes one of them or a file.
    fn setups(&self) -> &'static [&'static str];
    /// A built-in start position; each part that is left open has its default.
    ///
    /// # Errors
    /// What is not built in.
    fn start(
        &self,
        side: Option<usize>,
        setup: Option<&str>,
        players: Option<usize>,
    ) -> Result<SharedStart, SetupError>;
    /// The start position in a text: what [`Notation::position_text`] writes, or the start
    /// of a game record.
    ///
    /// # Errors
    /// All that is wrong with it; another number of players than the announced one.
    ///
    /// [`Notation::position_text`]: super::Notation::position_text
    fn read(&self, text: &str, players: Option<usize>) -> Result<SharedStart, SetupError>;
    /// The positions of the bench; the first two or so should run in well under a second.
    fn cases(&self) -> &'static [Case];
    /// What the file names of game records end with.
    fn record_extension(&self) -> &'static str {
        "txt"
    }
    /// A game as a text that people keep: the game's own kind of record where it has one.
    fn record(&self, record: GameRecord) -> String {
        text_record::write(&record)
    }
    /// The text of a file, in the encodings that the game's records come in.
    ///
    /// # Errors
    /// Why it is no text, to complete "the file cannot be read".
    fn decode(&self, bytes: Vec<u8>) -> Result<String, String> {
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_string())
    }
    /// Whether a file holds game records, and not something else that is read of this game.
    fn is_record(&self, bytes: &[u8]) -> bool {
        text_record::is_record(self.title(), bytes)
    }
    /// Whether a file that begins so is a record that [`Variant::record`] wrote.
    fn is_own_record(&self, head: &[u8]) -> bool {
        text_record::is_own(self.title(), head)
    }
    /// The games of a file that people keep records in, the main line of each; there is at
    /// least one. Their starts are checked, their moves are not. A record that names no start
    /// begins from the game's own default, on its size.
    ///
    /// # Errors
    /// What is wrong with the text, in one sentence with line and column.
    fn read_games(&self, bytes: &[u8]) -> Result<Vec<GameRecord>, String> {
        self.read_each(bytes).into_iter().collect()
    }
    /// The same, where each game may have its own fault; there is at least one game or fault.
    fn read_each(&self, bytes: &[u8]) -> Vec<Result<GameRecord, String>> {
        let default = |side| self.start(side, None, None).ok();
        self.read_some(bytes, usize::MAX, &default)
    }
    /// The same of the first `most` games, at least one; nothing behind them is looked at. A record
    /// that names no start begins from what `otherwise` gives for its size, if it says one;
    /// nothing given is a fault.
    fn read_some(
        &self,
        bytes: &[u8],
        most: usize,
        otherwise: &dyn Fn(Option<usize>) -> Option<SharedStart>,
    ) -> Vec<Result<GameRecord, String>> {
        let read = |text: &str| self.read(text, None).map_err(|error| error.to_string());
        text_record::read(self.title(), self.colours(), &read, bytes, most, otherwise)
    }
}

impl dyn Variant + '_ {
    /// The word of a seat.
    pub fn colour(&self, seat: Seat) -> &'static str {
        self.colours()
            .get(seat.index())
            .copied()
            .unwrap_or("nobody")
    }

    /// The capital letter of a seat.
    pub fn letter(&self, seat: Seat) -> char {
        let first = self.colour(seat).chars().next();
        first.unwrap_or('?').to_ascii_uppercase()
    }

    /// The seat that a word or its first letter names, in either case.
    pub fn seat(&self, text: &str) -> Option<Seat> {
        let words = self.colours().iter().zip(Seat::ALL);
        let named = |word: &str| {
            text.eq_ignore_ascii_case(word)
                || text.len() == 1 && text.eq_ignore_ascii_case(word.get(..1).unwrap_or_default())
        };
        words
            .into_iter()
            .find(|(word, _)| named(word))
            .map(|(_, seat)| seat)
    }
}

impl fmt::Debug for dyn Variant + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A start position that the game cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    /// No board has this size, whatever the setup.
    #[error("{0}")]
    Size(String),
    /// The setup does not exist for the size or the number of players.
    #[error("{0}")]
    Setup(String),
    /// The text holds no position, or one that the rules cannot play from.
    #[error("{0}")]
    Text(String),
}

/// A start position, shared by all that play from it.
pub type SharedStart = Arc<dyn StartPosition>;

/// A checked position from which games begin.
pub trait StartPosition: Send + Sync + fmt::Debug {
    /// The game.
    fn variant(&self) -> &'static dyn Variant;
    /// Points or squares a row.
    fn side(&self) -> usize;
    /// Who plays, in the order of play.
    fn players(&self) -> &[Seat];
    /// Whose turn it is.
    fn to_move(&self) -> Seat;
    /// The position as [`Variant::read`] reads it.
    fn text(&self) -> String;
    /// A game from here with what thinks about it. `weights` are those of a file, which
    /// [`StartPosition::check_weights`] has seen, in place of the embedded ones.
    fn new_game(&self, params: &Params, weights: Option<&str>) -> Box<dyn RunningGame>;
    /// The embedded weights of the evaluation, in the order of [`Notation::inputs`].
    ///
    /// [`Notation::inputs`]: super::Notation::inputs
    fn weights(&self) -> Vec<f64>;
    /// The text of a file with these weights; what `beside` holds for other starts stays.
    fn weights_text(&self, weights: &[f64], beside: Option<&str>) -> String;
    /// Whether a text holds weights of the evaluation.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    fn check_weights(&self, text: &str) -> Result<(), String>;
    /// The number of legal sequences of exactly `depth` moves.
    fn perft(&self, depth: u32) -> u64;
    /// Random games from here, each legal move as likely, until `time` is over.
    fn playouts(&self, random: &mut Random, time: Duration) -> (PlayoutCounts, Duration);
    /// How another program is brought here over the protocol.
    fn arrangement(&self) -> Arrangement;
    /// The start itself, for what serves one game only.
    fn any(&self) -> &dyn Any;
}

impl PartialEq for dyn StartPosition + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.variant().name() == other.variant().name() && self.text() == other.text()
    }
}

/// How a program that was told `boardsize` and `clear_board` gets to a start position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// Commands, and what a program at the start answers to them, whatever the blanks; empty
    /// where nothing can be asked.
    pub shown: Vec<(&'static str, String)>,
    /// Commands that bring it there.
    pub lines: Vec<String>,
    /// Whether `clear_board` alone leads there.
    pub is_default: bool,
}

/// A position of the bench: moves from a built-in setup.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What it is, in a word or two.
    pub name: &'static str,
    /// Points or squares a row.
    pub side: usize,
    /// The setup.
    pub setup: &'static str,
    /// The number of players.
    pub players: usize,
    /// The moves from the setup to the position.
    pub moves: &'static str,
}
