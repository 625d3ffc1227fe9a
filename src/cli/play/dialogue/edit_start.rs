//! A start position that the player makes up.

use std::io::Write;

use crate::game::Seat;
use crate::variant::GameRecord;

use super::super::super::counted;
use super::super::super::failure::shorten;
use super::super::editor;
use super::choose_colour::{ask, take_seat};
use super::state::{Dialogue, Out, Stage, Talk};

pub(super) fn answer(dialogue: &mut Dialogue, first: &str, words: &[&str], out: &mut Out) -> Talk {
    let variant = dialogue.engine.variant();
    let Stage::Edit(edited) = &mut dialogue.stage else {
        return Ok(());
    };
    match (first, words.len()) {
        ("board", 1) => return write!(out, "{}", edited.show()),
        ("help", 1) => return write!(out, "{}", edited.help()),
        ("cancel", 1) => {
            dialogue.stage = Stage::Choose;
            return ask(dialogue, out);
        }
        ("done", 1) => {}
        _ => {
            return match editor::edit(&mut **edited, words, variant) {
                Some(Ok(())) => write!(out, "{}", edited.show()),
                Some(Err(text)) => writeln!(out, "{text}."),
                None => writeln!(
                    out,
                    "`{}` is not an edit; type put, clear, to move, board, done, cancel or help.",
                    shorten(&words.join(" "))
                ),
            };
        }
    }
    let start = match variant.read(&edited.text(), None) {
        Ok(start) => start,
        Err(error) => return writeln!(out, "This is not a valid start position: {error}."),
    };
    dialogue.engine.restart(start.clone());
    dialogue.loaded = GameRecord::new(start);
    dialogue.last = Vec::new();
    if dialogue.engine.is_over() {
        return writeln!(out, "This is not a valid start position: the game is over.");
    }
    leave_a_colour(dialogue, out)
}

/// Searches the start position and leaves the player the colour with the worst chance.
fn leave_a_colour(dialogue: &mut Dialogue, out: &mut Out) -> Talk {
    writeln!(out, "Tanada analyses the position ...")?;
    out.flush()?;
    let Some(report) = dialogue.search() else {
        return writeln!(out);
    };
    let mover = dialogue.engine.to_move();
    let chance = report.best().map_or(0.5, |best| best.value);
    let players = dialogue.engine.players();
    let others = players.iter().filter(|&&seat| seat != mover);
    let others: f32 = others.map(|&seat| report.values[seat]).sum();
    let count = players.len().saturating_sub(1).max(1) as f32;
    let value = |seat: Seat| {
        if seat == mover {
            chance
        } else if others > 0.0 {
            // The mean over all moves, scaled to what the best move leaves.
            (1.0 - chance) * report.values[seat] / others
        } else {
            (1.0 - chance) / count
        }
    };
    let seats = players.iter().copied();
    let worst = seats.min_by(|&a, &b| value(a).total_cmp(&value(b)));
    let Some(seat) = worst else { return Ok(()) };
    let variant = dialogue.engine.variant();
    let chance = |&seat: &Seat| format!("{} ({:.0} %)", variant.colour(seat), 100.0 * value(seat));
    let taken = players.iter().filter(|&&other| other != seat);
    let taken: Vec<String> = taken.map(chance).collect();
    dialogue.how = format!(
        "The player made up the start position; Tanada chose {} by a search of {}.",
        taken.join(" and "),
        counted(report.iterations, "iteration", "iterations")
    );
    writeln!(out, "{}", dialogue.how)?;
    take_seat(dialogue, seat, out)
}
