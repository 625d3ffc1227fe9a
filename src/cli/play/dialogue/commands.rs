//! Everything that can be typed during a game, apart from moves.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::params::Level;
use crate::util::files;

use super::super::super::failure::shorten;
use super::super::super::{counted, table};
use super::super::levels;
use super::super::{drawing, removals};
use super::move_review::review_of_last_turn;
use super::record::record;
use super::state::{Dialogue, Out, Talk};

const WIDTH: usize = 78;

const SHOWN: usize = 5;
const LINE: usize = 8;

/// Shows the rules of the game, or how its pieces move.
pub(super) fn rules(dialogue: &Dialogue, word: &str, out: &mut Out) -> Talk {
    let variant = dialogue.engine.variant();
    match (word, variant.pieces()) {
        ("pieces", Some(pieces)) => write!(out, "{pieces}"),
        ("pieces", None) => writeln!(
            out,
            "There is only one kind of stone; `rules` shows the rules."
        ),
        (_, pieces) => {
            writeln!(out, "{}", variant.credit())?;
            write!(out, "{}", variant.rules())?;
            match pieces {
                Some(_) => writeln!(out, "`pieces` shows how each piece moves."),
                None => Ok(()),
            }
        }
    }
}

/// Lists the legal moves and marks them on the board.
pub(super) fn legal(dialogue: &Dialogue, out: &mut Out) -> Talk {
    let engine = &dialogue.engine;
    if let Some(board) = drawing::with_legal_points(engine) {
        writeln!(out, "\n{}\n", board.trim_end_matches('\n'))?;
    }
    let legal = engine.legal();
    let mut names: Vec<String> = legal.iter().map(|&code| engine.name(code)).collect();
    names.sort_unstable();
    let colour = removals::name(engine, engine.to_move());
    let moves = counted(names.len(), "legal move", "legal moves");
    writeln!(out, "{colour} has {moves}:")?;
    let mut line = String::new();
    for name in &names {
        if line.len() + name.len() >= WIDTH {
            writeln!(out, " {line}")?;
            line.clear();
        }
        line.push(' ');
        line.push_str(name);
    }
    writeln!(out, " {line}")
}

pub(super) fn hint(dialogue: &mut Dialogue, out: &mut Out) -> Talk {
    let Some(report) = dialogue.search() else {
        return writeln!(out);
    };
    match report.best() {
        Some(best) => {
            let (name, chance) = (dialogue.engine.name(best.mv), 100.0 * best.value);
            writeln!(
                out,
                "Tanada would play {name}: your chance is {chance:.0} %."
            )
        }
        None => writeln!(out, "There is no legal move."),
    }
}

/// Shows how Tanada rated its last move, and the player's best moves.
pub(super) fn why(dialogue: &mut Dialogue, out: &mut Out) -> Talk {
    if let Some(thought) = &dialogue.thought {
        writeln!(out, "{thought}")?;
    }
    if let Some(review) = review_of_last_turn(dialogue) {
        writeln!(out, "{review}")?;
    }
    let Some(report) = dialogue.search() else {
        return writeln!(out);
    };
    let engine = &dialogue.engine;
    let rows = report.listed().take(SHOWN).map(|found| {
        let line = found.principal_variation.iter().take(LINE);
        let line: Vec<String> = line.map(|&code| engine.name(code)).collect();
        let exact = if found.proof.is_some() { " exact" } else { "" };
        [
            engine.name(found.mv),
            format!("{:.0} %{exact}", 100.0 * found.value),
            found.visits.to_string(),
            line.join(" "),
        ]
    });
    let heads = ["your move", "chance", "visits", "line"];
    write!(out, "{}", table(heads, rows, &[2]))?;
    let iterations = counted(report.iterations, "iteration", "iterations");
    let seconds = report.elapsed.as_secs_f64();
    writeln!(out, "{iterations} in {seconds:.1} s.")
}

/// Writes the record to a new file, or to the file it was saved to before.
pub(super) fn save(dialogue: &mut Dialogue, path: &str, out: &mut Out) -> Talk {
    let Some(text) = record(dialogue) else {
        return writeln!(out, "The game cannot be recorded.");
    };
    let shown = shorten(path);
    let again = dialogue.saved.as_deref() == Some(path);
    let written = if again {
        files::replace(Path::new(path), text.as_bytes())
    } else {
        File::create_new(path).and_then(|mut file| {
            file.write_all(text.as_bytes()).inspect_err(|_| {
                let _ = fs::remove_file(path);
            })
        })
    };
    match written {
        Ok(()) => {
            dialogue.saved = Some(path.to_string());
            writeln!(out, "Saved as `{shown}`.")
        }
        Err(error) => {
            let reason = match error.kind() {
                io::ErrorKind::AlreadyExists => "the file exists already".to_string(),
                _ => files::reason(&error),
            };
            writeln!(
                out,
                "Cannot save to `{shown}`: {reason}; give the name of a new file."
            )
        }
    }
}

pub(super) fn level(dialogue: &mut Dialogue, words: &[&str], out: &mut Out) -> Talk {
    let name = words.get(1..).unwrap_or_default().join(" ");
    if name.is_empty() {
        return write!(
            out,
            "The level is {}.\n{}",
            dialogue.level.name,
            levels::list(&dialogue.params)
        );
    }
    match Level::find(&name) {
        Ok(level) => {
            dialogue.set_level(level);
            writeln!(out, "{}", levels::describe(level, &dialogue.params))
        }
        Err(error) => writeln!(out, "{error}."),
    }
}
