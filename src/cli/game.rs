//! A game or a position on the command line: a file, or a board with moves.

use std::cell::RefCell;

use crate::engine::Engine;
use crate::game::Outcome;
use crate::games;
use crate::params::Params;
use crate::review;
use crate::start::{Configuration, StartError, check_size, read_bytes};
use crate::variant::{GameRecord, RecordedMove, SharedStart, Variant};

use super::failure::{invalid_value, shorten};
use super::options::{BoardOptions, first_given};
use super::values::{MOST, Moves, count};
use super::{Failure, bail, counted, note};

/// A game or a position.
#[derive(clap::Args, Clone)]
pub(super) struct GameOptions {
    /// Game record, such as an SGF file, or position as a diagram or a line
    pub(super) file: Option<String>,
    /// Number of the game in a file with several, from 1 [default: 1]
    #[arg(long, value_name = "N", value_parser = count(1..=MOST))]
    number: Option<usize>,
    /// Take the position after this many moves of the game, from 0 [default: the last one]
    #[arg(long, value_name = "PLY", value_parser = count(0..=MOST))]
    at: Option<usize>,
    /// Moves to play from there, such as "C3 D4"
    #[arg(long, default_value = "", hide_default_value = true)]
    moves: Moves,
    #[command(flatten)]
    board: BoardOptions,
}

impl GameOptions {
    pub(super) fn inputs(&self) -> [Option<&str>; 2] {
        [self.file.as_deref(), self.board.setup_file()]
    }

    /// The game, which must be given; `work` says what for.
    pub(super) fn game_record(&self, work: &str) -> Result<GameRecord, Failure> {
        if self.path().is_none() && self.board.given().is_none() && self.moves.0.is_empty() {
            self.only_with_a_file()?;
            bail!(
                Input: "there is nothing to {work}; give a file or a position with `--setup`, `--size` \
                        or `--moves`"
            );
        }
        self.game_record_or(None)
    }

    /// The game, all moves of which are legal. If nothing is given, it is an empty game on a board of
    /// this `size`, or else of the default size.
    pub(super) fn game_record_or(&self, size: Option<usize>) -> Result<GameRecord, Failure> {
        let mut game_record = match self.path() {
            Some(path) => self.read(path)?,
            None => {
                self.only_with_a_file()?;
                GameRecord::new(self.board.configuration_or(size)?.start().clone())
            }
        };
        if !self.moves.0.is_empty() {
            let mut engine = engine(&game_record, Params::default());
            play(&mut engine, &self.moves.0)?;
            let new = engine.moves().skip(game_record.moves.len());
            game_record
                .moves
                .extend(new.map(|(seat, mv)| RecordedMove::new(seat, mv)));
        }
        Ok(game_record)
    }

    /// The file with the game or the position: `FILE`, or the one of `--setup`.
    pub(super) fn path(&self) -> Option<&str> {
        self.file.as_deref().or_else(|| self.board.setup_file())
    }

    pub(super) fn is_given(&self) -> bool {
        let has_board = self.board.given().is_some() || self.board.game_name().is_some();
        has_board || self.has_game()
    }

    /// Whether there is more than an empty board.
    pub(super) fn has_game(&self) -> bool {
        self.file.is_some() || !self.moves.0.is_empty()
    }

    fn only_with_a_file(&self) -> Result<(), Failure> {
        let options = [
            ("--number", self.number.is_some()),
            ("--at", self.at.is_some()),
        ];
        match first_given(options) {
            Some(option) => bail!(Input: "`{option}` needs a file"),
            None => Ok(()),
        }
    }

    /// The game in a file, up to `--at`, or the position in it.
    fn read(&self, path: &str) -> Result<GameRecord, Failure> {
        let number = self.number.unwrap_or(1);
        let (size, players) = (self.board.size, self.board.players);
        let setup = self.board.setup.as_deref();
        let setup = setup.filter(|_| self.file.is_some());
        let bytes = match (read_bytes(path), &self.file) {
            (Ok(bytes), _) => bytes,
            (Err(error), Some(_)) => return Err(Failure::input(error)),
            // It may be a misspelt name of a setup.
            (Err(error), None) => {
                let game = self.board.game();
                return Err(Failure::input(StartError::unreadable(game, path, error)));
            }
        };
        let named = headed(&bytes).filter(|_| self.board.game_name().is_none());
        let game = named.unwrap_or_else(|| self.board.game());
        let file = File { path, game };
        let mut game_record = if game.records().is_record(&bytes) {
            let start =
                |side: Option<usize>| Configuration::of(game, side.or(size), setup, players);
            let game_record = file.game(&bytes, number, &start)?;
            if setup.is_some() && file.has_own_start(&bytes, number) {
                return Err(file.wrong("it has its own start position; leave out `--setup`"));
            }
            game_record
        } else {
            if setup.is_some() {
                return Err(file.wrong("it holds a position; leave out `--setup`"));
            }
            if number > 1 {
                return Err(file.wrong("it holds a position; leave out `--number`"));
            }
            let text = game.records().decode(bytes.clone());
            let start = game.read(&text.map_err(|error| file.wrong(&error))?, None);
            GameRecord::new(start.map_err(|error| file.wrong(&error.to_string()))?)
        };
        file.check(&game_record.start, size, players)?;
        let is_one_of = (self.number.is_none() && game.records().is_record(&bytes))
            .then(|| game.read_each(&bytes).len())
            .filter(|&count| count > 1);
        if let Some(at) = self.at {
            let count = game_record.moves.len();
            if at > count {
                let moves = counted(count, "move", "moves");
                let expected = format!("at most {count}, since `{}` has {moves}", shorten(path));
                return Err(invalid_value(at, "--at", expected));
            }
            if at < count {
                game_record.moves.truncate(at);
                // The result is that of the whole game.
                game_record.result = None;
            }
        }
        review::check(&game_record).map_err(|error| {
            let mut why = error.to_string();
            // Some clients save a game without the setup it began from.
            let is_bare = setup.is_none()
                && game.records().is_record(&bytes)
                && !file.has_own_start(&bytes, number);
            if is_bare && game.setups().len() > 1 {
                let setups = game.setups().join(", ");
                why += &format!(
                    "; the record names no start position: try `--setup` with {setups} or a file"
                );
            }
            file.wrong(&why)
        })?;
        if let Some(count) = is_one_of {
            let path = shorten(path);
            note(&format!(
                "`{path}` holds {count} games; this is the first, `--number` selects another"
            ));
        }
        Ok(game_record)
    }
}

struct File<'a> {
    path: &'a str,
    game: &'static dyn Variant,
}

impl File<'_> {
    fn wrong(&self, why: &str) -> Failure {
        Failure::Input(format!("`{}`: {why}", shorten(self.path)))
    }

    /// The game with this number; `start` is for records without a start position.
    fn game(
        &self,
        bytes: &[u8],
        number: usize,
        start: &dyn Fn(Option<usize>) -> Result<Configuration, StartError>,
    ) -> Result<GameRecord, Failure> {
        let refused = RefCell::new(None);
        let otherwise = |side| {
            let configuration = start(side).map_err(|error| refused.replace(Some(error)));
            configuration.ok().map(|found| found.start().clone())
        };
        let records = self.game.records().read_first(bytes, number, &otherwise);
        let count = records.len();
        let games = counted(count, "game", "games");
        // After an error in the file there may be more games.
        let is_cut = number > count && records.last().is_some_and(Result::is_err);
        let place = if is_cut { count } else { number } - 1;
        let record = records.into_iter().nth(place);
        let few = || self.wrong(&format!("the file holds only {games}"));
        record
            .ok_or_else(few)?
            .map_err(|error| match refused.take() {
                Some(start) => self.wrong(&start.to_string()),
                None => self.wrong(&error),
            })
    }

    fn has_own_start(&self, bytes: &[u8], number: usize) -> bool {
        let records = self.game.records().read_first(bytes, number, &|_| None);
        records.get(number - 1).is_some_and(Result::is_ok)
    }

    /// Refuses another size or number of players than the file has.
    fn check(
        &self,
        start: &SharedStart,
        size: Option<usize>,
        players: Option<usize>,
    ) -> Result<(), Failure> {
        check_size(&shorten(self.path), start, size).map_err(Failure::input)?;
        match self.game.read(&start.text(), players) {
            Err(reason) if players.is_some() => Err(self.wrong(&reason.to_string())),
            _ => Ok(()),
        }
    }
}

/// An engine after the moves of a game, all of which are legal.
pub(super) fn engine(game_record: &GameRecord, params: Params) -> Engine {
    let mut engine = Engine::new(game_record.start.clone(), params);
    for played in &game_record.moves {
        // The game was checked when it was read.
        let _ = engine.play(played.mv);
    }
    engine
}

pub(super) fn running(engine: &Engine) -> Result<(), Failure> {
    let end = match engine.outcome() {
        None => return Ok(()),
        Some(Outcome::Winner(seat)) => format!("{} has won", engine.variant().colour(seat)),
        Some(Outcome::Draw) => "it is drawn".to_string(),
    };
    let moves = counted(engine.events().len(), "move", "moves");
    bail!(Input: "the game is over after {moves}: {end}; `--at PLY` selects an earlier position")
}

/// Plays the moves; an illegal one is quoted with its number.
fn play(engine: &mut Engine, moves: &[String]) -> Result<(), Failure> {
    for (index, word) in moves.iter().enumerate() {
        let number = index + 1;
        let refused = |why: String| Failure::Input(format!("move {number} of `--moves`: {why}"));
        if engine.is_over() {
            let (word, moves) = (shorten(word), counted(index, "move", "moves"));
            let why = format!("`{word}` comes after the end of the game, which has {moves}");
            return Err(refused(why));
        }
        let played = engine.play_word(engine.to_move(), word);
        played.map_err(|error| refused(error.to_string()))?;
    }
    Ok(())
}

/// The game that the first line of a file names: `# Taratibu`.
fn headed(bytes: &[u8]) -> Option<&'static dyn Variant> {
    let text = String::from_utf8_lossy(bytes);
    let head = text.trim_start_matches('\u{feff}').lines().next()?;
    let title = head.strip_prefix('#')?.trim();
    let mut games = games::GAMES.iter().copied();
    games.find(|game| game.title() == title)
}
