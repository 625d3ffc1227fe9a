//! Leaving a game, going on with it, beginning another one.

use std::io::Write;
use std::time::Instant;

use crate::variant::{GameRecord, MoveCode};

use super::super::keep::Kept;
use super::super::times::Times;
use super::super::words;
use super::{Dialogue, Out, Stage, Talk, offer};

impl Dialogue {
    /// An answer to whether the player goes on with the kept game.
    pub(super) fn go_on(&mut self, first: &str, words: &[&str], out: &mut Out) -> Talk {
        match (first, words.len()) {
            ("yes" | "y", 1) => match std::mem::replace(&mut self.stage, Stage::Choose) {
                Stage::GoOn(kept) => self.resume(*kept, out),
                _ => Ok(()),
            },
            ("no" | "n" | "new", 1) => {
                self.stage = Stage::Choose;
                match self.shelf.set_aside() {
                    Ok(Some(path)) => writeln!(
                        out,
                        "That game stays in `{path}` until another one takes its place.\n"
                    )?,
                    Ok(None) => {}
                    Err(error) => writeln!(out, "{error}\n")?,
                }
                self.introduce(out)
            }
            _ => match &self.stage {
                Stage::GoOn(kept) => offer(kept, out),
                _ => Ok(()),
            },
        }
    }

    /// Goes on with a game that was kept.
    fn resume(&mut self, kept: Kept, out: &mut Out) -> Talk {
        self.engine.restart(kept.record.start);
        for played in &kept.record.moves {
            // They were legal when the game was read.
            let _ = self.engine.play(played.mv);
        }
        self.shelf.take();
        self.kept = kept.first.min(self.engine.events().len());
        self.how = kept.record.comment.unwrap_or_default();
        self.control = kept.control;
        self.times = kept.times;
        self.last = self.engine.last_move().into_iter().collect();
        if !self.level_asked {
            self.level = kept.level;
        }
        writeln!(out, "{}", self.level.describe(&self.settings))?;
        let Some(seat) = kept.player else {
            self.stage = Stage::Pie;
            self.draw(out)?;
            return self.ask_for_colour(out);
        };
        self.stage = Stage::Play(seat);
        let colour = self.engine.variant().colour(seat);
        writeln!(out, "You play {colour}. `help` lists what you can type.")?;
        self.others(seat, out)
    }

    /// Another game from the same start.
    pub(super) fn start_anew(&mut self, out: &mut Out) -> Talk {
        if let Some(text) = self.unfinished(Instant::now()) {
            let aside = self.shelf.put(&text).and_then(|()| self.shelf.set_aside());
            match aside {
                Ok(Some(path)) => writeln!(
                    out,
                    "The unfinished game stays in `{path}` until another one takes its place.\n"
                )?,
                Ok(None) => {}
                Err(error) => writeln!(out, "{error}\n")?,
            }
        } else {
            self.shelf.clear();
        }
        let start = self.engine.start().clone();
        self.engine.restart(start.clone());
        self.loaded = GameRecord::new(start);
        self.times = Times::new(self.control);
        self.stage = Stage::Choose;
        self.loss = None;
        self.kept = 0;
        self.last = Vec::new();
        self.how = String::new();
        self.thought = None;
        self.saved = None;
        self.draw(out)?;
        self.ask(out)
    }

    /// Keeps an unfinished game for the next time; what is to be said of it. `Err` if it is lost.
    pub(in super::super) fn leave(&mut self, now: Instant) -> Result<Option<String>, String> {
        match self.unfinished(now) {
            Some(text) => self.shelf.put(&text).map(|()| {
                Some(
                    "The game is kept; the next `tanada play` offers to go on with it.".to_string(),
                )
            }),
            None => {
                self.shelf.clear();
                Ok(None)
            }
        }
    }

    /// The game as the shelf keeps it, if it is worth keeping: it has begun and goes on.
    fn unfinished(&self, now: Instant) -> Option<String> {
        let player = match self.stage {
            Stage::Play(seat) => Some(seat),
            Stage::Pie => None,
            _ => return None,
        };
        let mut times = self.times.clone();
        if let Some(seat) = player.filter(|&seat| self.engine.to_move() == seat) {
            let thought = now.saturating_duration_since(self.began);
            if times.is_over(seat, thought) {
                return None;
            }
            times.pause(seat, thought);
        }
        let played: Vec<MoveCode> = self.engine.moves().map(|(_, code)| code).collect();
        let loaded: Vec<MoveCode> = self.loaded.moves.iter().map(|played| played.mv).collect();
        // A game of a file to which nothing was added is in its file.
        if self.is_over() || loaded.starts_with(&played) {
            return None;
        }
        let mut record = words::game_record(self)?;
        record.comment = Some(self.how.clone());
        let kept = Kept {
            player,
            level: self.level,
            first: self.kept,
            control: self.control,
            times,
            record,
        };
        kept.write()
    }
}
