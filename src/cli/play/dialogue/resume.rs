//! Leaving a game, resuming it, starting another one.

use std::io::Write;
use std::time::Instant;

use crate::variant::{GameRecord, MoveCode};

use super::super::clocks::Clocks;
use super::super::levels;
use super::super::unfinished_game::UnfinishedGame;
use super::choose_colour::{ask, ask_for_colour, introduce, take_seat};
use super::record::game_record;
use super::state::{Dialogue, Out, Stage, Talk};

pub(super) fn offer(game: &UnfinishedGame, out: &mut Out) -> Talk {
    writeln!(
        out,
        "You left {}.\nContinue it, yes or no?",
        game.describe()
    )
}

/// Answers a line after the offer to resume a game.
pub(super) fn answer(dialogue: &mut Dialogue, first: &str, words: &[&str], out: &mut Out) -> Talk {
    match (first, words.len()) {
        ("yes" | "y", 1) => match std::mem::replace(&mut dialogue.stage, Stage::Choose) {
            Stage::Resume(game) => resume(dialogue, *game, out),
            _ => Ok(()),
        },
        ("no" | "n" | "new", 1) => {
            dialogue.stage = Stage::Choose;
            tell_aside("That game", dialogue.file.set_aside(), out)?;
            introduce(dialogue, out)
        }
        _ => match &dialogue.stage {
            Stage::Resume(game) => offer(game, out),
            _ => Ok(()),
        },
    }
}

/// Tells where a game lies that was set aside.
fn tell_aside(game: &str, aside: Result<Option<String>, String>, out: &mut Out) -> Talk {
    match aside {
        Ok(Some(path)) => writeln!(
            out,
            "{game} stays in `{path}` until another one takes its place.\n"
        ),
        Ok(None) => Ok(()),
        Err(error) => writeln!(out, "{error}\n"),
    }
}

fn resume(dialogue: &mut Dialogue, game: UnfinishedGame, out: &mut Out) -> Talk {
    dialogue.engine.restart(game.record.start);
    for played in &game.record.moves {
        // They were checked when the game was read.
        let _ = dialogue.engine.play(played.mv);
    }
    dialogue.file.ours = true;
    dialogue.fixed = game.first.min(dialogue.engine.events().len());
    dialogue.how = game.record.comment.unwrap_or_default();
    dialogue.control = game.control;
    dialogue.clocks = game.clocks;
    dialogue.last = dialogue.engine.last_move().into_iter().collect();
    if !dialogue.level_asked {
        dialogue.set_level(game.level);
    }
    writeln!(
        out,
        "{}",
        levels::describe(dialogue.level, &dialogue.params)
    )?;
    let Some(seat) = game.player else {
        dialogue.stage = Stage::Pie;
        dialogue.draw(out)?;
        return ask_for_colour(dialogue, out);
    };
    take_seat(dialogue, seat, out)
}

/// Starts another game from the same position.
pub(super) fn start_anew(dialogue: &mut Dialogue, out: &mut Out) -> Talk {
    if let Some(text) = unfinished(dialogue, Instant::now()) {
        let file = &mut dialogue.file;
        let aside = file.put(&text).and_then(|()| file.set_aside());
        tell_aside("The unfinished game", aside, out)?;
    } else {
        dialogue.file.clear();
    }
    let start = dialogue.engine.start().clone();
    dialogue.engine.restart(start.clone());
    dialogue.loaded = GameRecord::new(start);
    dialogue.clocks = Clocks::new(dialogue.control);
    dialogue.stage = Stage::Choose;
    dialogue.loss = None;
    dialogue.fixed = 0;
    dialogue.last = Vec::new();
    dialogue.how = String::new();
    dialogue.thought = None;
    dialogue.saved = None;
    dialogue.draw(out)?;
    ask(dialogue, out)
}

impl Dialogue {
    /// Leaves the game: keeps an unfinished one for the next time and returns what to tell the
    /// player.
    ///
    /// # Errors
    /// Why the game could not be kept, in one sentence.
    pub(in super::super) fn leave(&mut self, now: Instant) -> Result<Option<String>, String> {
        let Some(text) = unfinished(self, now) else {
            self.file.clear();
            return Ok(None);
        };
        self.file.put(&text)?;
        let said = "The game is kept; the next `tanada play` offers to continue it.";
        Ok(Some(said.to_string()))
    }
}

/// The text of the game for the file, if it has begun and is not over.
fn unfinished(dialogue: &Dialogue, now: Instant) -> Option<String> {
    let player = match dialogue.stage {
        Stage::Play(seat) => Some(seat),
        Stage::Pie => None,
        _ => return None,
    };
    let mut clocks = dialogue.clocks.clone();
    if let Some(seat) = player.filter(|&seat| dialogue.engine.to_move() == seat) {
        let thought = now.saturating_duration_since(dialogue.began);
        if clocks.is_over(seat, thought) {
            return None;
        }
        clocks.pause(seat, thought);
    }
    let played: Vec<MoveCode> = dialogue.engine.moves().map(|(_, code)| code).collect();
    let loaded = dialogue.loaded.moves.iter();
    let loaded: Vec<MoveCode> = loaded.map(|played| played.mv).collect();
    // A loaded game without new moves is in its own file already.
    if dialogue.is_over() || loaded.starts_with(&played) {
        return None;
    }
    let mut record = game_record(dialogue)?;
    record.comment = Some(dialogue.how.clone());
    let game = UnfinishedGame {
        player,
        level: dialogue.level,
        first: dialogue.fixed,
        control: dialogue.control,
        clocks,
        record,
    };
    game.write()
}
