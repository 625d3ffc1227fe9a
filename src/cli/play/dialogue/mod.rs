//! The dialogue with the player: lines in, text out. It reads no stream, so tests can lead it.
//!
//! | file | what it holds |
//! |---|---|
//! | `state` | the game, the clocks, what the next line answers |
//! | `moves` | the player's moves, Tanada's, and undo |
//! | `record`, `move_review`, `help` | the game record, a review of Tanada's last move, the help texts |
//! | `commands` | everything else that can be typed during a game |
//! | `choose_colour`, `edit_start` | before the game |
//! | `resume` | leaving a game, resuming it, starting another one |
//!
//! Each uses only the files above it; this one dispatches lines to all of them.

mod choose_colour;
mod commands;
mod edit_start;
mod help;
mod move_review;
mod moves;
mod record;
mod resume;
mod state;

use std::io::{self, Write};
use std::time::Instant;

use crate::game::Seat;

use super::super::failure::shorten;
use super::screen::Screen;
pub(super) use state::{Dialogue, PlayRequest};
use state::{Loss, Out, Stage, Talk};

impl Dialogue {
    /// Writes the notes and asks the first question.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub(super) fn begin(&mut self, to: &mut dyn Write) -> Talk {
        let out = &mut Screen::new(to);
        for note in std::mem::take(&mut self.notes) {
            writeln!(out, "{note}")?;
        }
        match &self.stage {
            Stage::Resume(game) => resume::offer(game, out),
            _ => choose_colour::introduce(self, out),
        }
    }

    pub(super) fn prompt(&self) -> String {
        match &self.stage {
            Stage::Resume(_) => "continue? ".to_string(),
            Stage::Choose | Stage::Pie => "your colour> ".to_string(),
            Stage::Edit(_) => "start position> ".to_string(),
            Stage::Play(_) if self.is_over() => "game over> ".to_string(),
            Stage::Play(seat) => format!("{}> ", self.engine.variant().colour(*seat)),
        }
    }

    /// Answers a line that came at `received`; returns whether the dialogue goes on.
    ///
    /// # Errors
    /// Output that cannot be written.
    pub(super) fn line(
        &mut self,
        line: &str,
        received: Instant,
        to: &mut dyn Write,
    ) -> io::Result<bool> {
        let out = &mut Screen::new(to);
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().map_or(String::new(), |w| w.to_lowercase());
        match (first.as_str(), words.len()) {
            ("", _) => return Ok(true),
            ("quit" | "exit" | "q", 1) => return Ok(false),
            ("rules" | "pieces", 1) => commands::rules(self, &first, out)?,
            (first, _) => match &self.stage {
                Stage::Resume(_) => resume::answer(self, first, &words, out)?,
                Stage::Choose => choose_colour::answer(self, first, &words, out)?,
                Stage::Pie => choose_colour::after_pie(self, &words, out)?,
                Stage::Edit(_) => edit_start::answer(self, first, &words, out)?,
                &Stage::Play(seat) => play(self, seat, first, &words, received, out)?,
            },
        }
        Ok(true)
    }
}

/// Answers a line during the game, or after its end.
fn play(
    dialogue: &mut Dialogue,
    seat: Seat,
    first: &str,
    words: &[&str],
    received: Instant,
    out: &mut Out,
) -> Talk {
    let thought = received.saturating_duration_since(dialogue.began);
    if !dialogue.is_over() && dialogue.clocks.is_over(seat, thought) {
        dialogue.clocks.spend(seat, thought);
        dialogue.loss = Some(Loss::Time(seat));
        return dialogue.tell_end(out);
    }
    match (first, words.len()) {
        ("save", 2..) => {
            let path = words.get(1..).unwrap_or_default().join(" ");
            commands::save(dialogue, &path, out)
        }
        ("save", _) => writeln!(out, "`save` needs a file name, such as `save game.sgf`."),
        ("level", _) => commands::level(dialogue, words, out),
        ("board", 1) => dialogue.draw(out),
        ("help", 1) => help::during_play(dialogue, out),
        ("time" | "clock", 1) => {
            let running = (!dialogue.is_over()).then_some((seat, thought));
            dialogue.tell_times(running, out)
        }
        ("undo", 1) => moves::undo(dialogue, seat, out),
        ("new", 1) => resume::start_anew(dialogue, out),
        _ if dialogue.is_over() => {
            writeln!(out, "The game is over; `help` lists what still works.")
        }
        ("hint", 1) => commands::hint(dialogue, out),
        ("why", 1) => commands::why(dialogue, out),
        ("legal", 1) => commands::legal(dialogue, out),
        ("resign", 1) => {
            dialogue.clocks.spend(seat, thought);
            dialogue.loss = Some(Loss::Resigned(seat));
            dialogue.tell_end(out)
        }
        (_, 1) => moves::player_move(dialogue, seat, words.concat().as_str(), thought, out),
        _ => {
            let text = shorten(&words.join(" "));
            let text = format!("`{text}` is neither a move nor a command");
            writeln!(out, "{text}; `help` lists the commands.")
        }
    }
}
