//! A game or a position on the command line: a file, or a board with moves.

use tanada::engine::Engine;
use tanada::games;
use tanada::params::Params;
use tanada::play::{Played, Ruleset, Sheet};
use tanada::start::read_bytes;

use super::failure::shorten;
use super::options::{BoardOptions, number_in};
use super::{Failure, genmove, note};

/// Which game or position is meant.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct GameOptions {
    /// A game record, such as an SGF file, or a position: a diagram
    pub(super) file: Option<String>,
    /// Which game of a file that holds several, from 1 [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    number: Option<String>,
    /// Moves that go on from the position or the end of the game, such as "C3 D4"
    #[arg(
        long,
        value_name = "VERTICES",
        default_value = "",
        hide_default_value = true
    )]
    moves: String,
    #[command(flatten)]
    board: BoardOptions,
}

impl GameOptions {
    /// The files that are read.
    pub(super) fn inputs(&self) -> [Option<&str>; 2] {
        [self.file.as_deref(), self.board.setup_file()]
    }

    /// The game. `work` is what is to be done with it.
    pub(super) fn sheet(&self, work: &str) -> Result<Sheet, Failure> {
        let number = number_in(&self.number, "--number", 1..=super::options::MOST)?;
        let mut sheet = match (&self.file, self.board.given()) {
            (Some(path), Some(option)) => {
                return Err(Failure::Input(format!(
                    "`{option}` was given with the file `{}`, expected one of the two",
                    shorten(path)
                )));
            }
            (Some(path), None) => self.read(path, number)?,
            (None, _) if number.is_some() => {
                return Err(Failure::Input(
                    "`--number` was given without a file, expected both".to_string(),
                ));
            }
            (None, None) if self.moves.trim().is_empty() => {
                return Err(Failure::Input(format!(
                    "there is nothing to {work}, expected a file or a position by `--setup`, \
                     `--size` or `--moves`"
                )));
            }
            (None, _) => Sheet::new(self.board.configuration()?.start().clone()),
        };
        if !self.moves.trim().is_empty() {
            let mut engine = Engine::new(sheet.start.clone(), Params::default());
            let played = sheet.moves.iter().all(|m| engine.play(m.mv).is_ok());
            // Moves of the file that cannot be played are told with their place there.
            if played {
                genmove::play(&mut engine, &self.moves)?;
                let new = engine.moves().skip(sheet.moves.len());
                sheet
                    .moves
                    .extend(new.map(|(seat, mv)| Played::new(seat, mv)));
            }
        }
        Ok(sheet)
    }

    /// A game of a file, or its position.
    fn read(&self, path: &str, number: Option<usize>) -> Result<Sheet, Failure> {
        let bytes = read_bytes(path)
            .map_err(|error| Failure::Input(format!("{error}, expected a game or a position")))?;
        let game = match self.board.game_name() {
            Some(_) => self.board.game()?,
            None => headed(&bytes).map_or_else(|| self.board.game(), Ok)?,
        };
        let wrong = |why: &str| Failure::Input(format!("`{}`: {why}", shorten(path)));
        let records = if game.is_record(&bytes) {
            game.read_each(&bytes)
        } else {
            let text = game.decode(bytes).map_err(|error| wrong(&error))?;
            let start = game.read(&text, None);
            vec![start.map(Sheet::new).map_err(|error| error.to_string())]
        };
        let count = records.len();
        if count > 1 && number.is_none() {
            note(&format!(
                "`{}` holds {count} games, this is the first; `--number` takes another",
                shorten(path)
            ));
        }
        let number = number.unwrap_or(1);
        let games = if count == 1 { "game" } else { "games" };
        // Behind a fault there may be more games.
        let is_cut = number > count && records.last().is_some_and(Result::is_err);
        let place = if is_cut { count } else { number } - 1;
        let record = records.into_iter().nth(place).ok_or_else(|| {
            wrong(&format!(
                "there is no game {number}, expected 1 to {count} as the file holds {count} {games}"
            ))
        })?;
        record.map_err(|error| wrong(&error))
    }
}

/// The game whose title the first line of a file has behind `#`.
fn headed(bytes: &[u8]) -> Option<&'static dyn Ruleset> {
    let text = String::from_utf8_lossy(bytes);
    let head = text.trim_start_matches('\u{feff}').lines().next()?;
    let title = head.strip_prefix('#')?.trim();
    games::GAMES
        .iter()
        .copied()
        .find(|game| game.title() == title)
}
