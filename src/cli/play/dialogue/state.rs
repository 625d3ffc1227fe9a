//! The state of the dialogue: the game, the clocks, and what the next line answers.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::clock::TimeControl;
use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::params::{Level, Params};
use crate::search::Report;
use crate::variant::{GameRecord, MoveCode, SetupEditor};

use super::super::super::options;
use super::super::super::{counted, game};
use super::super::clocks::Clocks;
use super::super::screen::Screen;
use super::super::unfinished_game::{UnfinishedGame, UnfinishedGameFile};
use super::super::{drawing, removals};

pub(crate) struct PlayRequest {
    /// The game so far; all moves are legal.
    pub(crate) game: GameRecord,
    pub(crate) params: Params,
    pub(crate) level: &'static Level,
    pub(crate) control: TimeControl,
    pub(crate) colours: bool,
    /// Set when the program is to end.
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) file: UnfinishedGameFile,
    pub(crate) offer: Option<UnfinishedGame>,
    /// Whether the level was given as an option; it then holds in the offered game too.
    pub(crate) level_asked: bool,
    pub(crate) notes: Vec<String>,
}

/// The question that the next line answers.
pub(super) enum Stage {
    /// Does the player resume this game?
    Resume(Box<UnfinishedGame>),
    /// Which colour does the player take?
    Choose,
    /// Tanada has made the first move: which colour does the player take?
    Pie,
    /// What is the start position?
    Edit(Box<dyn SetupEditor>),
    /// What does the player, in this seat, do?
    Play(Seat),
}

/// A loss that the rules of the game do not cover.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    Time(Seat),
    Resigned(Seat),
}

/// A game between a person and Tanada, and the talk about it.
pub(crate) struct Dialogue {
    /// Plays at the level.
    pub(crate) engine: Engine,
    pub(super) loaded: GameRecord,
    /// The settings at full strength.
    pub(super) params: Params,
    pub(crate) level: &'static Level,
    pub(crate) control: TimeControl,
    pub(super) clocks: Clocks,
    colours: bool,
    pub(super) stage: Stage,
    pub(super) loss: Option<Loss>,
    /// The number of moves that cannot be undone: those up to Tanada's move of `pie`. Moves of a
    /// loaded game can be undone.
    pub(super) fixed: usize,
    pub(super) began: Instant,
    /// The moves since the player's last one, or that one; they are marked on the board.
    pub(super) last: Vec<MoveCode>,
    /// How the colours were chosen, for the record.
    pub(crate) how: String,
    pub(super) thought: Option<String>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) file: UnfinishedGameFile,
    pub(super) level_asked: bool,
    pub(super) notes: Vec<String>,
    /// The last record saved, which may be overwritten.
    pub(crate) saved: Option<String>,
}

pub(super) type Talk = io::Result<()>;
pub(super) type Out<'a> = Screen<'a>;

impl Dialogue {
    pub(crate) fn new(request: PlayRequest) -> Self {
        let PlayRequest {
            game,
            params,
            level,
            control,
            colours,
            stop,
            file,
            offer,
            level_asked,
            notes,
        } = request;
        let last = game.moves.last().map(|played| played.mv);
        Self {
            engine: game::engine(&game, level.of(&params)),
            loaded: game,
            params,
            level,
            control,
            clocks: Clocks::new(control),
            colours,
            stage: offer.map_or(Stage::Choose, |game| Stage::Resume(Box::new(game))),
            loss: None,
            fixed: 0,
            began: Instant::now(),
            last: last.into_iter().collect(),
            how: String::new(),
            thought: None,
            stop,
            file,
            level_asked,
            notes,
            saved: None,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.loss.is_some() || self.engine.is_over()
    }

    /// Draws the board with the last moves marked.
    pub(super) fn draw(&self, out: &mut Out) -> Talk {
        let board = drawing::drawing(&self.engine, &self.last, self.colours);
        out.draw(&format!("\n{}\n\n", board.trim_end_matches('\n')))
    }

    /// Tells the time of each side; `running` is the side to move and how long it has thought.
    pub(super) fn tell_times(&self, running: Option<(Seat, Duration)>, out: &mut Out) -> Talk {
        let (variant, players) = (self.engine.variant(), self.engine.players());
        let times = self.clocks.tell(variant, players, running);
        writeln!(out, "Time: {times}.")
    }

    pub(super) fn tell_end(&self, out: &mut Out) -> Talk {
        let name = |seat: Seat| removals::name(&self.engine, seat);
        let text = match (self.loss, self.engine.outcome()) {
            (Some(Loss::Time(seat)), _) => format!("{} has lost on time", name(seat)),
            (Some(Loss::Resigned(seat)), _) => format!("{} has resigned", name(seat)),
            (None, Some(Outcome::Winner(seat))) => format!("{} has won", name(seat)),
            (None, _) => "The game is drawn".to_string(),
        };
        let moves = counted(self.engine.moves().count(), "move", "moves");
        writeln!(out, "{text} after {moves}.")?;
        self.tell_times(None, out)?;
        writeln!(
            out,
            "`new` starts another game; `help` lists what still works."
        )
    }

    /// The result for the record, `?` if one of more than two players has lost.
    pub(crate) fn result(&self) -> Option<String> {
        let (loser, letter) = match self.loss {
            None => return self.engine.game_record()?.result,
            Some(Loss::Time(seat)) => (seat, 'T'),
            Some(Loss::Resigned(seat)) => (seat, 'R'),
        };
        match self.engine.players() {
            [a, b] => {
                let winner = if loser == *a { *b } else { *a };
                Some(format!("{}+{letter}", self.engine.variant().letter(winner)))
            }
            _ => Some("?".to_string()),
        }
    }

    /// The player's seat, once it is known.
    pub(crate) fn seat(&self) -> Option<Seat> {
        match self.stage {
            Stage::Play(seat) => Some(seat),
            _ => None,
        }
    }

    /// Whether the program is to end; searches are then cut short.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Searches the position at full strength, whatever the level. `None` if the program is to end.
    pub(super) fn search(&mut self) -> Option<Report<MoveCode>> {
        let limits = options::limits(&self.params);
        let stop = &self.stop;
        let stop = || stop.load(Relaxed);
        let report = if *self.engine.params() == self.params {
            self.engine.search(&limits, &stop)
        } else {
            // What this search learns must not help the level.
            let events = self.engine.events().len();
            let mut strong = self.engine.fork(self.params.clone(), events);
            strong.search(&limits, &stop)
        };
        (!self.is_stopped()).then_some(report)
    }

    /// Plays on at a level.
    pub(super) fn set_level(&mut self, level: &'static Level) {
        self.level = level;
        self.engine.set_params(level.of(&self.params));
    }
}
