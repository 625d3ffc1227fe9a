//! `tanada play`: a game against a person, in the terminal.
//!
//! `dialogue` leads the talk over lines in and text out, `editor` makes up start positions,
//! `words` answers what is not a move, `levels` says how strong Tanada plays, `times` keeps the
//! clocks, `keep` an unfinished game, `board` draws, `told` puts what a move did into words. The
//! terminal is behind `keyboard` and `screen`. Here are only the options and the loop.

pub(super) mod board;
mod dialogue;
mod editor;
mod judgement;
mod keep;
mod keyboard;
mod levels;
mod screen;
#[cfg(test)]
mod tests;
mod times;
pub(super) mod told;
mod words;

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crate::clock::TimeControl;

use super::game::{GameOptions, running};
use super::options::{EngineOptions, Settings};
use super::{Failure, interrupt};
use dialogue::{Dialogue, Wishes};
use keep::{Kept, Shelf};
use keyboard::{Keyboard, Typed};
use levels::Level;

/// The board where none is asked for.
const SIDE: usize = 9;
/// The level where none is asked for, and no limits for the search are.
const FRIENDLY: &str = "easy";
/// The level where limits for the search are asked for.
const FULL: &str = "full";
/// How long a signal may come after the terminal has gone.
const HANGUP: Duration = Duration::from_millis(100);

/// What `tanada play` takes.
#[derive(clap::Args, Clone, Debug)]
#[command(
    mut_arg("size", |size| size.help(
        "Points a row, in Tanbo 4 to 21 [default: 9, or that of the file or the setup]"
    )),
    after_help = "\
Examples:
  tanada play                           9x9 at an easy level, or the game that you left
  tanada play --size 13 --level medium  a larger board, a stronger Tanada
  tanada play game.sgf                  goes on with a saved game
  tanada play --game taratibu --clock 600+5"
)]
pub(super) struct Arguments {
    /// How strong Tanada plays: first-game (2 iterations a move, half of the moves at random),
    /// easy (10, one in five), medium (100, one in twenty), hard (1,000, none) or full (full
    /// strength) [default: easy; full if a limit for the search is given]
    #[arg(long, value_name = "NAME")]
    level: Option<String>,
    /// Clocks for both sides: seconds for the game, and for each turn; whoever runs out of time
    /// loses [default: no limit, the time is only shown]
    #[arg(long, value_name = "MAIN[+INC]", allow_hyphen_values = true)]
    clock: Option<String>,
    #[command(flatten)]
    game: GameOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

/// Plays until the player has enough.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let game = arguments.game.game_record_or(Some(SIDE))?;
    let settings = arguments.engine.settings()?;
    let level = arguments.level.as_deref();
    let level = Level::find(level.unwrap_or_else(|| usual_level(&settings)))?;
    let control = match &arguments.clock {
        Some(text) => times::parse(text)?,
        None => TimeControl::Unlimited,
    };
    let shelf = Shelf::of_user();
    let (offer, notes) = kept(&shelf, asks_for_a_start(arguments));
    // A second Ctrl-C must lose neither the game nor the echo of the terminal.
    let stop = interrupt::patient_flag()?;
    let wishes = Wishes {
        game,
        settings,
        level,
        control,
        colours: colours(),
        stop: Arc::clone(&stop),
        shelf,
        offer,
        level_asked: arguments.level.is_some(),
        notes,
    };
    let dialogue = Dialogue::new(wishes);
    running(&dialogue.engine)?;
    if !io::stdin().is_terminal() {
        return Err(Failure::Other(
            "`play` needs an interactive terminal; scripts use `tanada gtp`".to_string(),
        ));
    }
    play(dialogue, &stop)
}

fn usual_level(settings: &Settings) -> &'static str {
    if settings.params.has_move_limits() {
        FULL
    } else {
        FRIENDLY
    }
}

/// Whether the options ask for a game of their own.
fn asks_for_a_start(arguments: &Arguments) -> bool {
    arguments.game.is_given() || arguments.clock.is_some()
}

/// The game that was left, and what is to be said of it.
fn kept(shelf: &Shelf, another: bool) -> (Option<Kept>, Vec<String>) {
    match shelf.load() {
        Ok(Some(kept)) if another => {
            let note = format!(
                "You left {}; `tanada play` without options for another game goes on with it.\n",
                kept.describe()
            );
            (None, vec![note])
        }
        Ok(kept) => (kept, Vec::new()),
        Err(error) => (None, vec![error + "\n"]),
    }
}

/// Whether standard output shows colours, and the user wants some.
fn colours() -> bool {
    io::stdout().is_terminal()
        && std::env::var("TERM").as_deref() != Ok("dumb")
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// How a talk ended.
enum End {
    /// The player left.
    Quit,
    /// Ctrl-C, or a signal.
    Stopped,
    /// The terminal cannot be read any more.
    Lost(String),
}

fn play(mut dialogue: Dialogue, stop: &AtomicBool) -> Result<(), Failure> {
    let end = talk(&mut dialogue, stop);
    let kept = dialogue.leave(Instant::now());
    let said = match &kept {
        Ok(said) => said.as_deref(),
        Err(error) => Some(error.as_str()),
    };
    if let Ok(End::Lost(_)) | Err(_) = &end {
        thread::sleep(HANGUP);
    }
    match end {
        _ if stop.load(Relaxed) => Err(interrupted(said)),
        Ok(End::Stopped) => Err(interrupted(said)),
        Ok(End::Quit) => match said {
            Some(said) => Ok(writeln!(screen::Screen::new(&mut io::stdout()), "{said}")?),
            None => Ok(()),
        },
        Ok(End::Lost(error)) => Err(lost(&error, said)),
        Err(failure) => Err(failure),
    }
}

fn interrupted(said: Option<&str>) -> Failure {
    Failure::Interrupted(with_said("interrupted", said))
}

/// The terminal cannot be read any more.
fn lost(error: &str, said: Option<&str>) -> Failure {
    Failure::Other(with_said(
        &format!("the input cannot be read: {error}"),
        said,
    ))
}

/// Why the talk ended, and what became of the game.
fn with_said(why: &str, said: Option<&str>) -> String {
    let said = said.map_or(String::new(), |said| format!(". {said}"));
    format!("{why}{}", said.trim_end_matches('.'))
}

fn talk(dialogue: &mut Dialogue, stop: &AtomicBool) -> Result<End, Failure> {
    let mut out = io::stdout();
    dialogue.begin(&mut out)?;
    let keyboard = Keyboard::new();
    loop {
        out.flush()?;
        let line = match keyboard.ask(&dialogue.prompt(), stop) {
            Typed::Line(line) => line,
            Typed::Unreadable => {
                writeln!(
                    out,
                    "The line is not UTF-8 text and was dropped; type it again."
                )?;
                continue;
            }
            Typed::Interrupt | Typed::Stopped => return Ok(End::Stopped),
            Typed::End => return Ok(End::Quit),
            Typed::Lost(error) => return Ok(End::Lost(error)),
        };
        let goes_on = dialogue.line(&line, Instant::now(), &mut out)?;
        if !goes_on {
            return Ok(End::Quit);
        }
    }
}
