//! The moves: the player's, Tanada's, and taking them back.

use std::io::Write;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use crate::clock::end_of_move;
use crate::game::Seat;
use crate::search::SearchLimits;
use crate::variant::MoveCode;

use super::super::super::failure::shorten;
use super::super::super::{counted, options};
use super::super::removals::removals;
use super::state::{Dialogue, Loss, Out, Talk};

/// What a turn costs on the clock beyond the time of its searches.
const CLOCK_MARGIN: Duration = Duration::from_millis(20);

/// Plays the move that the player typed, then Tanada's turn.
pub(super) fn player_move(
    dialogue: &mut Dialogue,
    seat: Seat,
    word: &str,
    thought: Duration,
    out: &mut Out,
) -> Talk {
    let codes = match dialogue.engine.notation().read_moves(word) {
        Ok(codes) => codes,
        Err(text) => return writeln!(out, "{text}, or see `help`."),
    };
    let Some(sentences) = play_all(dialogue, seat, &codes) else {
        let (word, expected) = (shorten(word), dialogue.engine.notation().expected_move());
        return writeln!(out, "illegal move `{word}`: expected {expected}.");
    };
    for text in sentences {
        writeln!(out, "{text}")?;
    }
    dialogue.last = codes;
    if !dialogue.is_over() && dialogue.engine.to_move() == seat {
        // The turn goes on, and so does its time.
        return dialogue.draw(out);
    }
    dialogue.clocks.spend(seat, thought);
    tanada_plays(dialogue, seat, out)
}

/// Plays moves, all by `seat`, and returns sentences on what they removed. If one is illegal, plays
/// nothing and returns `None`.
fn play_all(dialogue: &mut Dialogue, seat: Seat, codes: &[MoveCode]) -> Option<Vec<String>> {
    let mut sentences = Vec::new();
    for (played, &code) in codes.iter().enumerate() {
        if dialogue.engine.is_over()
            || dialogue.engine.to_move() != seat
            || dialogue.engine.play(code).is_err()
        {
            for _ in 0..played {
                dialogue.engine.undo();
            }
            return None;
        }
        sentences.extend(removals(&dialogue.engine));
    }
    Some(sentences)
}

/// Lets Tanada play until it is the player's turn, and shows the position.
pub(super) fn tanada_plays(dialogue: &mut Dialogue, player: Seat, out: &mut Out) -> Talk {
    let mut last = Vec::new();
    while !dialogue.is_over() && dialogue.engine.to_move() != player {
        let seat = dialogue.engine.to_move();
        engine_turn(dialogue, seat, out)?;
        if dialogue.is_stopped() {
            return Ok(());
        }
        last.append(&mut dialogue.last);
    }
    if !last.is_empty() {
        dialogue.last = last;
    }
    dialogue.draw(out)?;
    if dialogue.is_over() {
        return dialogue.tell_end(out);
    }
    dialogue.tell_times(None, out)?;
    dialogue.began = Instant::now();
    Ok(())
}

fn engine_turn(dialogue: &mut Dialogue, seat: Seat, out: &mut Out) -> Talk {
    let colour = dialogue.engine.variant().colour(seat);
    write!(out, "Tanada plays {colour} ")?;
    out.flush()?;
    let began = Instant::now();
    let steps = dialogue.engine.progress().moves_in_turn().max(1);
    let turns = dialogue.engine.progress().moves_left().div_ceil(steps);
    let budget = dialogue.clocks.budget(seat, turns, CLOCK_MARGIN);
    let mut moves = Vec::new();
    let mut sentences = Vec::new();
    dialogue.thought = None;
    while !dialogue.engine.is_over() && dialogue.engine.to_move() == seat {
        let played = moves.len() as u32;
        let end = budget.and_then(|time| end_of_move(began, time, played, steps));
        let found = decide(dialogue, end);
        if dialogue.is_stopped() {
            // When the game is resumed, Tanada plays the whole turn again.
            for _ in &moves {
                dialogue.engine.undo();
            }
            dialogue.thought = None;
            return writeln!(out);
        }
        let Some(code) = found else { break };
        if dialogue.engine.play(code).is_err() {
            break;
        }
        moves.push(code);
        sentences.extend(removals(&dialogue.engine));
    }
    writeln!(out, "{}", dialogue.engine.notation().write_moves(&moves))?;
    for text in sentences {
        writeln!(out, "{text}")?;
    }
    dialogue.last = moves;
    if dialogue.clocks.spend(seat, began.elapsed()) && !dialogue.engine.is_over() {
        dialogue.loss = Some(Loss::Time(seat));
    }
    Ok(())
}

/// Tanada's next move, at its level.
fn decide(dialogue: &mut Dialogue, end: Option<Instant>) -> Option<MoveCode> {
    let usual = options::limits(dialogue.engine.params());
    let limits = SearchLimits {
        deadline: end.or(usual.deadline),
        ..usual
    };
    let stop = &dialogue.stop;
    let report = dialogue.engine.search(&limits, &|| stop.load(Relaxed));
    let best = report.best()?;
    let percent = 100.0 * best.value;
    dialogue.thought.get_or_insert_with(|| {
        let name = dialogue.engine.name(best.mv);
        let iterations = counted(report.iterations, "iteration", "iterations");
        format!("It gave itself {percent:.0} % with {name}, after {iterations}.")
    });
    Some(best.mv)
}

/// Takes back the player's last move and everything after it.
pub(super) fn undo(dialogue: &mut Dialogue, seat: Seat, out: &mut Out) -> Talk {
    let mut since = dialogue.engine.events().iter().skip(dialogue.fixed);
    if !since.any(|&(mover, _)| mover == seat) {
        return writeln!(out, "There is no move of yours to take back.");
    }
    if let Some(Loss::Time(late)) = dialogue.loss
        && dialogue.clocks.is_over(late, Duration::from_nanos(1))
    {
        return writeln!(out, "There is no time left; `new` starts another game.");
    }
    if dialogue.is_over() {
        // The time since the end is charged to neither side.
        dialogue.began = Instant::now();
    }
    dialogue.loss = None;
    while let Some(&(mover, _)) = dialogue.engine.events().last() {
        dialogue.engine.undo();
        if mover == seat {
            break;
        }
    }
    dialogue.last = Vec::new();
    dialogue.thought = None;
    dialogue.draw(out)?;
    let clocks = if dialogue.clocks.is_limited() {
        "; the clocks stay as they are"
    } else {
        ""
    };
    writeln!(out, "Taken back{clocks}.")
}
