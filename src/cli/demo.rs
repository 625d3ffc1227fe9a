//! `tanada demo`: shows a short game of Tanada against itself.

use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::game::Outcome;
use crate::params::Params;
use crate::search::SearchLimits;
use crate::variant::MoveCode;

use super::game::{self, GameOptions};
use super::options::{self, EngineOptions, SMALL_BOARD, TIME, help_with};
use super::play::drawing::drawing;
use super::play::removals::{name, removals};
use super::{Failure, bail, counted, interrupt, print, terminal, write_out};

const USUAL: &str = "0.15, and 0.01 after 20 seconds; none if iterations are limited";
const SIDE: usize = 9;
const TIME_PER_MOVE: f64 = 0.15;
/// Without a limit from the options, moves take only [`HURRY`] after this time.
const PATIENCE: Duration = Duration::from_secs(20);
const HURRY: Duration = Duration::from_millis(10);
/// Moves between two boards if the output is not a terminal.
const BOARD_INTERVAL: usize = 10;

#[derive(clap::Args, Clone)]
#[command(
    mut_arg("size", |size| size.help(SMALL_BOARD)),
    mut_arg("time_per_move", |time| time.help(help_with("time_per_move", Some(TIME), Some(USUAL)))),
    after_help = "\
Examples:
  tanada demo                                # 9x9, less than half a minute
  tanada demo --players 4 --iterations 100   # four players on 9x9"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let record = arguments.game.game_record_or(Some(SIDE))?;
    let mut params = arguments.engine.params()?;
    let hurried = !params.has_move_limits();
    if hurried {
        params.time_per_move = Some(TIME_PER_MOVE);
    }
    let mut engine = game::engine(&record, params.clone());
    game::running(&engine)?;
    let screen = Screen::new();
    let variant = engine.variant();
    let side = engine.start().side();
    print(&format!(
        "Tanada plays {}, on {side}x{side} against itself.\n{}\n\n",
        variant.credit(),
        variant.summary()
    ))?;
    screen.draw(&engine, None, "")?;
    let stop = interrupt::stop_flag()?;
    let begin = Instant::now();
    while !engine.is_over() {
        let limits = limits(&params, hurried && begin.elapsed() >= PATIENCE);
        let report = engine.search(&limits, &|| stop.load(Relaxed));
        if stop.load(Relaxed) {
            let moves = counted(engine.events().len(), "move", "moves");
            bail!(Interrupted: "interrupted after {moves}");
        }
        let Some(best) = report.best() else { break };
        let mut text = format!(
            "{:3}. {:5} {:3}  {:3.0} %",
            engine.events().len() + 1,
            variant.colour(engine.to_move()),
            engine.name(best.mv),
            100.0 * best.value
        );
        if engine.play(best.mv).is_err() {
            break;
        }
        for sentence in removals(&engine) {
            text += &format!("\n     {sentence}");
        }
        screen.draw(&engine, Some(best.mv), &text)?;
    }
    let end = match engine.outcome() {
        Some(Outcome::Winner(seat)) => format!("{} wins", name(&engine, seat)),
        _ => "A draw".to_string(),
    };
    print(&format!(
        "\n{end} after {}, {:.1} seconds.\n",
        counted(engine.events().len(), "move", "moves"),
        begin.elapsed().as_secs_f64()
    ))
}

fn limits(params: &Params, hurry: bool) -> SearchLimits {
    if hurry {
        return SearchLimits {
            deadline: Instant::now().checked_add(HURRY),
            ..SearchLimits::default()
        };
    }
    options::limits(params)
}

/// The output: on a terminal each board replaces the last, elsewhere text goes on.
struct Screen {
    terminal: bool,
    colours: bool,
    /// Height of the last drawing in lines.
    height: Cell<usize>,
}

impl Screen {
    fn new() -> Self {
        Self {
            terminal: terminal::can_draw(),
            colours: terminal::has_colours(),
            height: Cell::new(0),
        }
    }

    /// Draws the position after `last`, which `text` describes.
    fn draw(&self, engine: &Engine, last: Option<MoveCode>, text: &str) -> Result<(), Failure> {
        if self.terminal {
            // Go up to the top of the last board and write over it.
            let up = match self.height.get() {
                0 => String::new(),
                height => format!("\x1b[{height}A"),
            };
            let board = drawing(engine, last.as_slice(), self.colours).replace('\n', "\x1b[K\n");
            let text = text.replace('\n', "\x1b[K\n  ");
            let drawing = format!("{board}\n\x1b[K\n  {text}\x1b[K\n");
            self.height.set(drawing.matches('\n').count());
            return write_out(&format!("{up}{drawing}\x1b[J"));
        }
        let mut out = String::new();
        if last.is_some() {
            out = format!("{text}\n");
        }
        let number = engine.events().len();
        if last.is_none() || number.is_multiple_of(BOARD_INTERVAL) || engine.is_over() {
            out += &format!("\n{}\n\n", engine.notation().show());
        }
        print(&out)
    }
}
