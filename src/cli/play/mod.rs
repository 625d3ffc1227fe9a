//! `tanada play`: a game against a person, in the terminal.
//!
//! This file holds the options and the loop over the terminal's lines; `keyboard` and `screen` are the
//! terminal, `dialogue` answers the lines.

mod clocks;
mod dialogue;
pub(super) mod drawing;
mod editor;
mod keyboard;
mod levels;
pub(super) mod removals;
mod screen;
#[cfg(test)]
mod tests;
mod unfinished_game;

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crate::clock::TimeControl;
use crate::params::Level;

use super::game::{GameOptions, running};
use super::options::{EngineOptions, SMALL_BOARD, USUAL_TIME, help_with};
use super::settings::Taken;
use super::{Failure, bail, interrupt, terminal};
use dialogue::{Dialogue, PlayRequest};
use keyboard::{End, Keyboard, Typed};
use unfinished_game::{UnfinishedGame, UnfinishedGameFile};

const TIME: &str = "Maximum time for a move at level full, in seconds";
const SIDE: usize = 9;
/// How long a signal may come after the terminal has gone.
const HANGUP: Duration = Duration::from_millis(100);

#[derive(clap::Args, Clone)]
#[command(
    mut_arg("size", |size| size.help(SMALL_BOARD)),
    mut_arg("time_per_move", |time| time.help(help_with("time_per_move", Some(TIME), Some(USUAL_TIME)))),
    after_help = "\
Examples:
  tanada play                           # 9x9 at an easy level, or the game that you left
  tanada play --size 13 --level medium  # a larger board, a stronger Tanada
  tanada play game.sgf                  # continue a saved game
  tanada play --game taratibu --clock 600+5"
)]
pub(super) struct Arguments {
    /// Tanada's strength: first-game, novice, beginner, easy, casual, medium, skilled, hard, expert
    /// or full (full strength, within the limits you set); each step is about 200 Elo [default:
    /// easy; full if an option limits the search]
    #[arg(long, value_name = "NAME", value_parser = levels::parser(), hide_possible_values = true)]
    level: Option<&'static Level>,
    /// Clocks for both sides: seconds for the game, plus seconds for each turn; a side that runs out
    /// of time loses [default: no clocks]
    #[arg(long, value_name = "MAIN[+INC]", value_parser = clocks::parse)]
    clock: Option<TimeControl>,
    #[command(flatten)]
    game: GameOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

/// Plays. `taken` are the settings among the arguments: what they say was not asked for this time.
pub(super) fn run(arguments: &Arguments, taken: &Taken) -> Result<(), Failure> {
    let game = arguments.game.game_record_or(Some(SIDE))?;
    let params = arguments.engine.params()?;
    let file = UnfinishedGameFile::of_user();
    let has_board = !taken.has_board() && arguments.game.is_given();
    let has_clock = !taken.has("clock") && arguments.clock.is_some();
    let starts_anew = has_board || arguments.game.has_game() || has_clock;
    let (offer, notes) = unfinished(&file, starts_anew);
    // A second Ctrl-C must lose neither the game nor the echo of the terminal.
    let stop = interrupt::patient_flag()?;
    let usual = if params.has_move_limits() && !taken.has_limit() {
        levels::full()
    } else {
        levels::usual()
    };
    let request = PlayRequest {
        game,
        level: arguments.level.unwrap_or(usual),
        params,
        control: arguments.clock.unwrap_or(TimeControl::Unlimited),
        colours: terminal::has_colours(),
        stop: Arc::clone(&stop),
        file,
        offer,
        level_asked: arguments.level.is_some() && !taken.has("level"),
        notes,
    };
    let dialogue = Dialogue::new(request);
    running(&dialogue.engine)?;
    if !io::stdin().is_terminal() {
        bail!(Other: "`play` needs an interactive terminal; scripts use `tanada gtp`");
    }
    play(dialogue, &stop)
}

/// The unfinished game to offer, and what to say of it.
fn unfinished(
    file: &UnfinishedGameFile,
    starts_anew: bool,
) -> (Option<UnfinishedGame>, Vec<String>) {
    match file.load() {
        Ok(Some(game)) if starts_anew => {
            let note = format!(
                "You left {}; `tanada play` without options for another game continues it.\n",
                game.describe()
            );
            (None, vec![note])
        }
        Ok(game) => (game, Vec::new()),
        Err(error) => (None, vec![error + "\n"]),
    }
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

fn lost(error: &str, said: Option<&str>) -> Failure {
    Failure::Other(with_said(&format!("cannot read the input: {error}"), said))
}

/// Why the dialogue ended, and what happened to the game.
fn with_said(why: &str, said: Option<&str>) -> String {
    let said = said.map_or(String::new(), |said| format!(". {said}"));
    format!("{why}{}", said.trim_end_matches('.'))
}

/// Leads the dialogue over the terminal.
fn talk(dialogue: &mut Dialogue, stop: &AtomicBool) -> Result<End, Failure> {
    let mut out = io::stdout();
    dialogue.begin(&mut out)?;
    let keyboard = Keyboard::new().map_err(|error| Failure::no_thread(&error))?;
    loop {
        out.flush()?;
        let line = match keyboard.ask(&dialogue.prompt(), stop) {
            Typed::Line(line) => line,
            Typed::Unreadable => {
                let text = "The line is not UTF-8 text and was dropped; type it again.";
                writeln!(out, "{text}")?;
                continue;
            }
            Typed::Ended(end) => return Ok(end),
        };
        let goes_on = dialogue.line(&line, Instant::now(), &mut out)?;
        if !goes_on {
            return Ok(End::Quit);
        }
    }
}
