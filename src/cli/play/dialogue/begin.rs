//! Before the game: who plays what, and from where.

use std::io::Write;

use crate::game::Seat;
use crate::variant::GameRecord;

use super::super::super::counted;
use super::super::super::failure::shorten;
use super::super::editor;
use super::super::words::BEGIN;
use super::{Dialogue, Out, Stage, Talk};

/// The larger board that the introduction speaks of.
const LARGER: usize = 13;

impl Dialogue {
    /// Shows the start position, and asks who plays what.
    pub(super) fn introduce(&mut self, out: &mut Out) -> Talk {
        let variant = self.engine.variant();
        writeln!(out, "{}\n{}\n", variant.credit(), variant.summary())?;
        self.draw(out)?;
        self.tell_loaded(out)?;
        writeln!(out, "{}", self.level.describe(&self.settings))?;
        if let Some(stronger) = self.level.stronger() {
            writeln!(
                out,
                "`level {stronger}` makes Tanada stronger, `level` lists all levels."
            )?;
            let side = self.engine.start().side();
            let larger = side < LARGER && variant.start(Some(LARGER), None, None).is_ok();
            if larger && self.engine.players().len() == 2 && self.loaded.moves.is_empty() {
                writeln!(
                    out,
                    "`tanada play --size {LARGER}` plays on a larger board."
                )?;
            }
        }
        self.ask(out)
    }

    /// What was played before the talk.
    fn tell_loaded(&self, out: &mut Out) -> Talk {
        let count = self.loaded.moves.len();
        if count == 0 {
            return Ok(());
        }
        let moves = counted(count, "move", "moves");
        let last = self.engine.last_move();
        let last =
            last.and_then(|code| Some(self.engine.previous()?.notation().write_moves(&[code])));
        let variant = self.engine.variant();
        let colour = variant.colour(self.engine.to_move());
        let last = last.map_or(String::new(), |name| format!(", the last one {name}"));
        let result = match &self.loaded.result {
            // The rules go on.
            Some(result) => format!(" The record says `{}`.", shorten(result)),
            None => String::new(),
        };
        writeln!(
            out,
            "The game goes on after {moves}{last}. It is {colour}'s turn.{result}"
        )
    }

    pub(super) fn ask(&self, out: &mut Out) -> Talk {
        let colours = self.colour_words();
        writeln!(
            out,
            "Which colour do you play, {colours}? `pie`: Tanada makes the next move and you choose\n\
             a colour. `setup`: you make up a start position and Tanada chooses a colour. `help`: more."
        )
    }

    /// Asks for a colour after Tanada has made the first move.
    pub(super) fn ask_for_colour(&self, out: &mut Out) -> Talk {
        writeln!(out, "Which colour do you take, {}?", self.colour_words())
    }

    /// `black or white`.
    fn colour_words(&self) -> String {
        let variant = self.engine.variant();
        let players = self.engine.players().iter();
        let words: Vec<&str> = players.map(|&seat| variant.colour(seat)).collect();
        words.join(" or ")
    }

    pub(super) fn choose(&mut self, first: &str, words: &[&str], out: &mut Out) -> Talk {
        match (first, words.len()) {
            ("pie", 1) => {
                self.cut(out)?;
                if self.is_stopped() {
                    return Ok(());
                }
                self.stage = Stage::Pie;
                self.draw(out)?;
                self.ask_for_colour(out)
            }
            ("setup", 1) => match self.engine.start().editor() {
                Some(editor) => {
                    write!(out, "{}", editor.help())?;
                    self.stage = Stage::Edit(editor);
                    Ok(())
                }
                None => writeln!(out, "The positions of this game cannot be edited."),
            },
            ("level", _) => self.change_level(words, out),
            ("board", 1) => self.draw(out),
            ("help", 1) => self.help(BEGIN, out),
            _ => match self.player(words) {
                Ok(seat) => {
                    let colour = self.engine.variant().colour(seat);
                    self.how = format!("The player chose {colour}.");
                    self.take_seat(seat, out)
                }
                Err(text) => writeln!(out, "{text}, `pie`, `setup`, `level`, `help` or `quit`."),
            },
        }
    }

    /// Tanada's first turn where the player takes a colour afterwards: as even as it finds.
    fn cut(&mut self, out: &mut Out) -> Talk {
        let seat = self.engine.to_move();
        let even = 1.0 / self.engine.players().len().max(1) as f32;
        let mut moves = Vec::new();
        let mut chance = even;
        while !self.engine.is_over() && self.engine.to_move() == seat {
            let report = self.search();
            if self.is_stopped() {
                return writeln!(out);
            }
            let far = |value: f32| (value - even).abs();
            // Of moves that were hardly looked at nobody knows how even they are.
            let most = report.best().map_or(0, |best| best.visits);
            let known = report
                .moves
                .iter()
                .filter(|found| found.visits >= most / 20);
            let cut = known.min_by(|a, b| far(a.value).total_cmp(&far(b.value)));
            let Some(cut) = cut else { break };
            chance = cut.value;
            if self.engine.play(cut.mv).is_err() {
                break;
            }
            moves.push(cut.mv);
        }
        self.kept = self.engine.events().len();
        let colour = self.engine.variant().colour(seat);
        let word = self.engine.notation().write_moves(&moves);
        self.last = moves;
        writeln!(
            out,
            "Tanada plays {colour} {word}, as even as it finds: {:.0} % for {colour}.",
            100.0 * chance
        )
    }

    /// The seat that words name, if it plays.
    fn player(&self, words: &[&str]) -> Result<Seat, String> {
        let named = match words {
            [word] => self.engine.variant().seat(word),
            _ => None,
        };
        let players = self.engine.players();
        named.filter(|seat| players.contains(seat)).ok_or_else(|| {
            let text = shorten(&words.join(" "));
            format!("`{text}` is no colour, expected {}", self.colour_words())
        })
    }

    pub(super) fn take_colour(&mut self, words: &[&str], out: &mut Out) -> Talk {
        match self.player(words) {
            Ok(seat) => {
                let colour = self.engine.variant().colour(seat);
                self.how =
                    format!("Pie: Tanada made the first move, then the player took {colour}.");
                self.take_seat(seat, out)
            }
            Err(text) => writeln!(out, "{text}."),
        }
    }

    fn take_seat(&mut self, seat: Seat, out: &mut Out) -> Talk {
        self.stage = Stage::Play(seat);
        let colour = self.engine.variant().colour(seat);
        writeln!(out, "You play {colour}. `help` lists what you can type.")?;
        self.others(seat, out)
    }

    pub(super) fn edit(&mut self, first: &str, words: &[&str], out: &mut Out) -> Talk {
        let variant = self.engine.variant();
        let Stage::Edit(edited) = &mut self.stage else {
            return Ok(());
        };
        match (first, words.len()) {
            ("board", 1) => return write!(out, "{}", edited.show()),
            ("help", 1) => return write!(out, "{}", edited.help()),
            ("cancel", 1) => {
                self.stage = Stage::Choose;
                return self.ask(out);
            }
            ("done", 1) => {}
            _ => {
                return match editor::edit(&mut **edited, words, variant) {
                    Some(Ok(())) => write!(out, "{}", edited.show()),
                    Some(Err(text)) => writeln!(out, "{text}."),
                    None => {
                        let text = shorten(&words.join(" "));
                        writeln!(
                            out,
                            "`{text}` is no edit, expected put, clear, board, done, cancel or help."
                        )
                    }
                };
            }
        }
        let start = match variant.read(&edited.text(), None) {
            Ok(start) => start,
            Err(error) => return writeln!(out, "This is no start position: {error}."),
        };
        self.engine.restart(start.clone());
        self.loaded = GameRecord::new(start);
        self.last = Vec::new();
        if self.engine.is_over() {
            return writeln!(out, "This is no start position: the game is over in it.");
        }
        self.leave_a_colour(out)
    }

    /// Tanada looks at the start position and leaves the player the colour with the least
    /// chances.
    fn leave_a_colour(&mut self, out: &mut Out) -> Talk {
        writeln!(out, "Tanada looks at the position ...")?;
        out.flush()?;
        let report = self.search();
        if self.is_stopped() {
            return writeln!(out);
        }
        let mover = self.engine.to_move();
        let chance = report.best().map_or(0.5, |best| best.value);
        let players = self.engine.players();
        let others: f32 = players
            .iter()
            .filter(|&&seat| seat != mover)
            .map(|&seat| report.values[seat])
            .sum();
        let count = players.len().saturating_sub(1).max(1) as f32;
        let value = |seat: Seat| match seat == mover {
            true => chance,
            // The mean over all moves, scaled to what the best move leaves.
            false if others > 0.0 => (1.0 - chance) * report.values[seat] / others,
            false => (1.0 - chance) / count,
        };
        let worst = players
            .iter()
            .copied()
            .min_by(|&a, &b| value(a).total_cmp(&value(b)));
        let Some(seat) = worst else { return Ok(()) };
        let variant = self.engine.variant();
        let taken: Vec<String> = players
            .iter()
            .filter(|&&other| other != seat)
            .map(|&other| format!("{} ({:.0} %)", variant.colour(other), 100.0 * value(other)))
            .collect();
        self.how = format!(
            "The player made up the start position; Tanada chose {} by a search of {}.",
            taken.join(" and "),
            counted(report.iterations, "iteration", "iterations")
        );
        writeln!(out, "{}", self.how)?;
        self.take_seat(seat, out)
    }
}
