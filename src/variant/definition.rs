//! The definition of a game that can be selected by name: [`Variant`], its start positions and
//! its game records.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::certificate::CertificateWriter;
use super::game_record;
use super::move_code::MoveCode;
use super::running_game::RunningGame;
use super::setup_editor::SetupEditor;
use super::training::EvaluationWeights;
use crate::board::{BoardSize, Point};
use crate::eval::playout::PlayoutCounts;
use crate::game::Seat;
use crate::params::Params;
use crate::util::random::Random;

/// A game record from a start position of any variant. Parsers use it with other types of starts
/// and moves.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), tanada::Params::default());
/// engine.play_word(engine.to_move(), "C2")?;
/// let record: tanada::GameRecord = engine.game_record().ok_or("somebody left")?;
/// let text = engine.variant().write_game(record);
/// assert_eq!(engine.variant().read_games(text.as_bytes())?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type GameRecord<S = SharedStart, M = MoveCode> = game_record::Record<S, M>;

/// A game that can be selected by name. Each game has one value of this type and one line in
/// [`GAMES`](crate::games::GAMES).
///
/// ```
/// let variant: &dyn tanada::Variant = tanada::GAMES[0];
/// println!("{}", variant.rules());
/// ```
pub trait Variant: Sync {
    /// The name in options and files: one word in lower case.
    fn name(&self) -> &'static str;
    /// The name as people write it.
    fn title(&self) -> &'static str;
    /// Title, inventor and year, for help and demonstrations.
    fn credit(&self) -> &'static str;
    /// The rules in at most two short lines.
    fn summary(&self) -> &'static str;
    /// The rules in brief, as lines of text.
    fn rules(&self) -> String {
        format!("{}\n", self.summary())
    }
    /// How each kind of piece moves, as lines of text, in a game with several kinds.
    fn pieces(&self) -> Option<String> {
        None
    }
    /// The colours of the seats in the order of play, in lower case. Their first letters differ.
    fn colours(&self) -> &'static [&'static str];
    /// The names of the built-in start positions. `--setup` takes one of them or a file.
    fn setups(&self) -> &'static [&'static str];
    /// A built-in start position. `None` stands for the game's default.
    ///
    /// # Errors
    /// No start position like this is built in.
    fn start(
        &self,
        side: Option<usize>,
        setup: Option<&str>,
        players: Option<usize>,
    ) -> Result<SharedStart, String>;
    /// Reads the start position in a text: what
    /// [`Notation::position_text`](super::Notation::position_text) writes, or the start of a game
    /// record. `players` is the number of players that the user requested.
    ///
    /// # Errors
    /// Everything that is wrong with the text, or a number of players other than requested.
    fn read(&self, text: &str, players: Option<usize>) -> Result<SharedStart, String>;
    /// The positions of the bench. The first two should run in well under a second.
    #[doc(hidden)]
    fn cases(&self) -> &'static [Case];
    /// The format of the game records that people keep. A game without a format of its own uses
    /// [`TextRecords`](super::TextRecords).
    #[doc(hidden)]
    fn records(&self) -> &dyn RecordFormat;
    /// Makes start positions from lists of stones, in a game of stones on points.
    #[doc(hidden)]
    fn stone_setup(&self) -> Option<&dyn StoneSetup> {
        None
    }
}

impl dyn Variant + '_ {
    /// The colour of a seat.
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

    /// The seat that a colour or its first letter names, in upper or lower case.
    pub(crate) fn seat(&self, text: &str) -> Option<Seat> {
        let named = |word: &&str| {
            text.eq_ignore_ascii_case(word)
                || text.len() == 1 && text.eq_ignore_ascii_case(word.get(..1).unwrap_or_default())
        };
        self.colours().iter().position(named).map(Seat::new)
    }

    /// Reads every game of a file; at least one. A record without a start position begins from
    /// the game's default on the size that it names.
    ///
    /// # Errors
    /// The first fault of the text, in one sentence with line and column.
    pub fn read_games(&self, bytes: &[u8]) -> Result<Vec<GameRecord>, String> {
        self.read_each(bytes).into_iter().collect()
    }

    /// Writes a game, whose moves are legal, as `read_games` reads it.
    pub fn write_game(&self, record: GameRecord) -> String {
        self.records().write(record)
    }

    /// Reads every game of a file, each of which may have its own fault; at least one game or
    /// fault.
    pub fn read_each(&self, bytes: &[u8]) -> Vec<Result<GameRecord, String>> {
        let default = |side| self.start(side, None, None).ok();
        self.records().read_first(bytes, usize::MAX, &default)
    }
}

impl fmt::Debug for dyn Variant + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The start position of a record that names none, for the board size that it names.
pub(crate) type DefaultStart<'a> = dyn Fn(Option<usize>) -> Option<SharedStart> + 'a;

/// A format of game records.
pub trait RecordFormat: Sync {
    /// The file name extension, without the dot.
    fn extension(&self) -> &'static str;
    /// Whether the format is SGF, which other programs read and write, too.
    fn is_sgf(&self) -> bool {
        false
    }
    /// Writes a game, whose moves are legal.
    fn write(&self, record: GameRecord) -> String;
    /// Decodes a file that may be in any encoding the format allows.
    ///
    /// # Errors
    /// Why the bytes are not text; completes "the file cannot be read".
    fn decode(&self, bytes: Vec<u8>) -> Result<String, String> {
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_string())
    }
    /// Whether a file holds game records, rather than a position or a list of moves.
    fn is_record(&self, bytes: &[u8]) -> bool;
    /// Whether a file that begins with `head` is a record that [`RecordFormat::write`] wrote.
    fn is_own(&self, head: &[u8]) -> bool;
    /// Reads the main lines of the first `most` games, at least one, and nothing after them.
    /// Starts are checked, moves are not. A record without a start position begins from
    /// `default`; it is a fault if that gives none.
    fn read_first(
        &self,
        bytes: &[u8],
        most: usize,
        default: &DefaultStart<'_>,
    ) -> Vec<Result<GameRecord, String>>;
    /// As [`RecordFormat::read_first`], with the variations, in a format that has them.
    fn read_with_variations(
        &self,
        bytes: &[u8],
        most: usize,
        default: &DefaultStart<'_>,
    ) -> Vec<Result<GameRecord, String>> {
        self.read_first(bytes, most, default)
    }
}

/// Makes start positions from lists of stones.
pub trait StoneSetup {
    /// The start position with these stones. `players` is the number of players that the user
    /// requested.
    ///
    /// # Errors
    /// Why the rules cannot play from there, or a number of players other than requested.
    fn start(
        &self,
        size: BoardSize,
        stones: BTreeMap<Point, Seat>,
        to_move: Seat,
        players: Option<usize>,
    ) -> Result<SharedStart, String>;
}

/// A start position that games share.
///
/// ```
/// let game = tanada::GAMES[0];
/// let start: tanada::SharedStart = game.start(Some(9), Some("classic"), Some(2))?;
/// assert!(game.read(&start.text(), None)? == start);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type SharedStart = Arc<dyn StartPosition>;

/// A checked position from which games begin.
///
/// ```
/// # let configuration = tanada::Configuration::new(Some(7), None, None)?;
/// # let mut engine = tanada::Engine::new(configuration.start().clone(), tanada::Params::default());
/// let start: &dyn tanada::StartPosition = &**engine.start();
/// assert_eq!(start.perft(1), engine.legal().len() as u64);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait StartPosition: Send + Sync + fmt::Debug {
    /// The game.
    fn variant(&self) -> &'static dyn Variant;
    /// The points or squares of a row.
    fn side(&self) -> usize;
    /// Who plays, in the order of play.
    fn players(&self) -> &[Seat];
    /// Whose turn it is.
    fn to_move(&self) -> Seat;
    /// The position in the form that [`Variant::read`] reads.
    fn text(&self) -> String;
    /// Starts a game here, together with the search that plays it. `weights` is the text of a
    /// file that `EvaluationWeights::check` accepted; it replaces the embedded weights.
    #[doc(hidden)]
    fn new_game(&self, params: &Params, weights: Option<&str>) -> Box<dyn RunningGame>;
    /// The number of legal sequences of exactly `depth` moves.
    fn perft(&self, depth: u32) -> u64;
    /// Plays random games from here, every legal move with the same probability, until `time` is
    /// over.
    #[doc(hidden)]
    fn playouts(&self, random: &mut Random, time: Duration) -> (PlayoutCounts, Duration);
    /// How another program is brought to this position over the protocol.
    #[doc(hidden)]
    fn arrangement(&self) -> Arrangement;
    /// The stones, in a game of stones on points.
    fn stones(&self) -> Option<&BTreeMap<Point, Seat>> {
        None
    }
    /// The same position with another side to move, where the rules allow that.
    fn with_to_move(&self, seat: Seat) -> Option<SharedStart> {
        let _ = seat;
        None
    }
    /// An editor that begins with this position.
    #[doc(hidden)]
    fn editor(&self) -> Option<Box<dyn SetupEditor>> {
        None
    }
    /// The weights of the linear evaluation, in a game where they can be trained.
    #[doc(hidden)]
    fn weights(&self) -> Option<&dyn EvaluationWeights> {
        None
    }
    /// Writes the certificate of this position once its result is known.
    ///
    /// # Errors
    /// Why there is no certificate for it, in one sentence.
    #[doc(hidden)]
    fn certificate(&self) -> Result<&dyn CertificateWriter, String> {
        let title = self.variant().title();
        Err(format!("there are no certificates for {title}"))
    }
}

impl PartialEq for dyn StartPosition + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.variant().name() == other.variant().name() && self.text() == other.text()
    }
}

/// How a program that was sent `boardsize` and `clear_board` is brought to a start position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// Commands, each with the answer of a program that stands at the start; white space in
    /// answers does not matter. Empty if no command can tell.
    pub shown: Vec<(&'static str, String)>,
    /// Commands that bring the program there.
    pub lines: Vec<String>,
    /// Whether `clear_board` alone is enough.
    pub is_default: bool,
}

/// A position of the bench: moves from a built-in setup.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// A word or two that describe it.
    pub name: &'static str,
    /// The points or squares of a row.
    pub side: usize,
    /// The setup.
    pub setup: &'static str,
    /// The number of players.
    pub players: usize,
    /// The moves from the setup to the position.
    pub moves: &'static str,
}

impl Case {
    pub(crate) const fn new(
        name: &'static str,
        side: usize,
        setup: &'static str,
        players: usize,
        moves: &'static str,
    ) -> Self {
        Self {
            name,
            side,
            setup,
            players,
            moves,
        }
    }
}
