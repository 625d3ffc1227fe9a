//! Before the game: who plays which colour.

use std::io::Write;

use crate::game::Seat;

use super::super::super::counted;
use super::super::super::failure::shorten;
use super::super::levels;
use super::moves::tanada_plays;
use super::state::{Dialogue, Out, Stage, Talk};
use super::{commands, help};

const LARGER: usize = 13;

pub(super) fn introduce(dialogue: &mut Dialogue, out: &mut Out) -> Talk {
    let variant = dialogue.engine.variant();
    writeln!(out, "{}\n{}\n", variant.credit(), variant.summary())?;
    dialogue.draw(out)?;
    tell_loaded(dialogue, out)?;
    writeln!(
        out,
        "{}",
        levels::describe(dialogue.level, &dialogue.params)
    )?;
    if let Some(stronger) = dialogue.level.stronger() {
        writeln!(
            out,
            "`level {}` makes Tanada stronger; `level` lists all levels.",
            stronger.name
        )?;
        let side = dialogue.engine.start().side();
        let larger = side < LARGER && variant.start(Some(LARGER), None, None).is_ok();
        if larger && dialogue.engine.players().len() == 2 && dialogue.loaded.moves.is_empty() {
            writeln!(
                out,
                "`tanada play --size {LARGER}` plays on a larger board."
            )?;
        }
    }
    ask(dialogue, out)
}

fn tell_loaded(dialogue: &Dialogue, out: &mut Out) -> Talk {
    let count = dialogue.loaded.moves.len();
    if count == 0 {
        return Ok(());
    }
    let moves = counted(count, "move", "moves");
    let engine = &dialogue.engine;
    let last = engine
        .previous()
        .zip(engine.last_move())
        .map(|(before, code)| format!(", the last one {}", before.write_moves(&[code])));
    let last = last.unwrap_or_default();
    let colour = engine.variant().colour(engine.to_move());
    // By the rules, a game with a result can be played on.
    let result = dialogue.loaded.result.as_deref();
    let result = result.map(|result| format!(" The record says `{}`.", shorten(result)));
    let result = result.unwrap_or_default();
    writeln!(
        out,
        "The game continues after {moves}{last}. It is {colour}'s turn.{result}"
    )
}

pub(super) fn ask(dialogue: &Dialogue, out: &mut Out) -> Talk {
    let colours = colour_words(dialogue);
    writeln!(
        out,
        "Which colour do you play, {colours}? Or `pie`: Tanada makes the next move, then you choose\n\
         a colour. `setup`: you make up a start position, then Tanada chooses. `help`: more."
    )
}

/// Asks for a colour after Tanada's move of `pie`.
pub(super) fn ask_for_colour(dialogue: &Dialogue, out: &mut Out) -> Talk {
    writeln!(out, "Which colour do you take, {}?", colour_words(dialogue))
}

/// `black or white`.
fn colour_words(dialogue: &Dialogue) -> String {
    let variant = dialogue.engine.variant();
    let players = dialogue.engine.players().iter();
    let words: Vec<&str> = players.map(|&seat| variant.colour(seat)).collect();
    words.join(" or ")
}

/// Answers a line before a colour is chosen.
pub(super) fn answer(dialogue: &mut Dialogue, first: &str, words: &[&str], out: &mut Out) -> Talk {
    match (first, words.len()) {
        ("pie", 1) => {
            make_even_move(dialogue, out)?;
            if dialogue.is_stopped() {
                return Ok(());
            }
            dialogue.stage = Stage::Pie;
            dialogue.draw(out)?;
            ask_for_colour(dialogue, out)
        }
        ("setup", 1) => match dialogue.engine.start().editor() {
            Some(editor) => {
                write!(out, "{}", editor.help())?;
                dialogue.stage = Stage::Edit(editor);
                Ok(())
            }
            None => writeln!(out, "The positions of this game cannot be edited."),
        },
        ("level", _) => commands::level(dialogue, words, out),
        ("board", 1) => dialogue.draw(out),
        ("help", 1) => help::before_play(dialogue, out),
        _ => match player(dialogue, words) {
            Ok(seat) => {
                let colour = dialogue.engine.variant().colour(seat);
                dialogue.how = format!("The player chose {colour}.");
                take_seat(dialogue, seat, out)
            }
            Err(text) => writeln!(out, "{text}, `pie`, `setup`, `level`, `help` or `quit`."),
        },
    }
}

/// Plays a turn for Tanada that makes the chances as even as possible.
fn make_even_move(dialogue: &mut Dialogue, out: &mut Out) -> Talk {
    let seat = dialogue.engine.to_move();
    let even = 1.0 / dialogue.engine.players().len().max(1) as f32;
    let mut moves = Vec::new();
    let mut chance = even;
    while !dialogue.engine.is_over() && dialogue.engine.to_move() == seat {
        let Some(report) = dialogue.search() else {
            return writeln!(out);
        };
        let far = |value: f32| (value - even).abs();
        // The values of moves with few visits are not reliable.
        let most = report.best().map_or(0, |best| best.visits);
        let found = report.moves.iter();
        let known = found.filter(|found| found.visits >= most / 20);
        let best = known.min_by(|a, b| far(a.value).total_cmp(&far(b.value)));
        let Some(best) = best else { break };
        chance = best.value;
        if dialogue.engine.play(best.mv).is_err() {
            break;
        }
        moves.push(best.mv);
    }
    dialogue.fixed = dialogue.engine.events().len();
    let colour = dialogue.engine.variant().colour(seat);
    let word = dialogue.engine.notation().write_moves(&moves);
    dialogue.last = moves;
    writeln!(
        out,
        "Tanada plays {colour} {word} to make the game even: {:.0} % for {colour}.",
        100.0 * chance
    )
}

/// The seat of a colour, if it is in the game.
fn player(dialogue: &Dialogue, words: &[&str]) -> Result<Seat, String> {
    let named = match words {
        [word] => dialogue.engine.variant().seat(word),
        _ => None,
    };
    let players = dialogue.engine.players();
    named.filter(|seat| players.contains(seat)).ok_or_else(|| {
        let text = shorten(&words.join(" "));
        format!("`{text}` is not a colour: type {}", colour_words(dialogue))
    })
}

/// Answers a line after Tanada's move of `pie`.
pub(super) fn after_pie(dialogue: &mut Dialogue, words: &[&str], out: &mut Out) -> Talk {
    match player(dialogue, words) {
        Ok(seat) => {
            let colour = dialogue.engine.variant().colour(seat);
            dialogue.how =
                format!("Pie: Tanada made the first move, then the player took {colour}.");
            take_seat(dialogue, seat, out)
        }
        Err(text) => writeln!(out, "{text}."),
    }
}

/// Gives the player a seat and begins the game.
pub(super) fn take_seat(dialogue: &mut Dialogue, seat: Seat, out: &mut Out) -> Talk {
    dialogue.stage = Stage::Play(seat);
    let colour = dialogue.engine.variant().colour(seat);
    writeln!(out, "You play {colour}. `help` lists what you can type.")?;
    tanada_plays(dialogue, seat, out)
}
