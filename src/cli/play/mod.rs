//! `tanada play`: a game against a person, in the terminal.
//!
//! `dialogue` leads the talk over lines in and text out, `editor` makes up start positions,
//! `words` answers what is not a move, `levels` says how strong Tanada plays, `times` keeps the
//! clocks, `board` draws. Here are only the options and the streams.

pub(super) mod board;
mod dialogue;
mod editor;
mod levels;
#[cfg(test)]
mod tests;
mod times;
mod words;

use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::time::Instant;

use tanada::clock::TimeControl;

use super::Failure;
use super::game::{GameOptions, running};
use super::options::EngineOptions;
use dialogue::{Dialogue, Wishes};
use levels::Level;

/// The longest line that is read, in bytes.
const LONGEST: u64 = 4096;

/// What `tanada play` takes.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// How strong Tanada plays: first-game (2 iterations a move, half of the moves at random),
    /// easy (10, one in five), medium (100, one in twenty), hard (1,000, none) or full (as the
    /// limits allow); nothing more is known of their strength
    #[arg(long, value_name = "NAME", default_value = "full")]
    level: String,
    /// Clocks for both sides: seconds for the game, and for each turn; who oversteps has lost
    /// [default: no limit, the time is only shown]
    #[arg(long, value_name = "MAIN[+INC]", allow_hyphen_values = true)]
    clock: Option<String>,
    #[command(flatten)]
    game: GameOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

/// Plays until the player has enough.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let wishes = Wishes {
        game: arguments.game.sheet_or(None)?,
        settings: arguments.engine.settings()?,
        level: Level::find(&arguments.level)?,
        control: match &arguments.clock {
            Some(text) => times::parse(text)?,
            None => TimeControl::Unlimited,
        },
        colours: colours(),
    };
    let dialogue = Dialogue::new(wishes);
    running(&dialogue.engine)?;
    if !io::stdin().is_terminal() {
        return Err(Failure::Other(
            "`play` needs a terminal on standard input, expected a person there; programs use \
             `tanada gtp`"
                .to_string(),
        ));
    }
    ctrlc::set_handler(|| {
        // The terminal is as it was; only the line is not ended.
        let _ = writeln!(io::stdout());
        std::process::exit(130);
    })
    .map_err(|error| Failure::Other(format!("interrupts cannot be handled: {error}")))?;
    talk(dialogue, &mut io::stdin().lock())
}

/// Whether standard output shows colours, and the user wants some.
fn colours() -> bool {
    io::stdout().is_terminal()
        && std::env::var("TERM").as_deref() != Ok("dumb")
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn talk(mut dialogue: Dialogue, input: &mut impl BufRead) -> Result<(), Failure> {
    let mut out = io::stdout();
    dialogue.begin(&mut out)?;
    loop {
        write!(out, "{}", dialogue.prompt())?;
        out.flush()?;
        let mut line = Vec::new();
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        let read =
            read.map_err(|error| Failure::Other(format!("the input cannot be read: {error}")))?;
        if read == 0 {
            writeln!(out)?;
            return Ok(());
        }
        let line = String::from_utf8_lossy(&line);
        if !dialogue.line(&line, Instant::now(), &mut out)? {
            return Ok(());
        }
        out.flush()?;
    }
}
