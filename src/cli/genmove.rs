//! `tanada genmove`: one position in, the best moves out.

use std::sync::atomic::Ordering::Relaxed;

use crate::engine::Engine;
use crate::game::{Outcome, Seat};
use crate::search::{MoveReport, Report};
use crate::variant::MoveCode;
use serde::Serialize;

use super::game::{self, GameOptions};
use super::options::{EngineOptions, TIME, USUAL_TIME, help_with, limits};
use super::values::count;
use super::{Failure, bail, counted, interrupt, print_as, table};

#[derive(clap::Args, Clone)]
#[command(
    mut_arg("time_per_move", |time| time.help(help_with("time_per_move", Some(TIME), Some(USUAL_TIME)))),
    after_help = "\
Examples:
  tanada genmove --size 9 --moves 'C2 B7'
  tanada genmove game.sgf --at 20 --time-per-move 5 --json"
)]
pub(super) struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Number of moves to list, 1 to 441
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count(1..=441))]
    best: usize,
    #[command(flatten)]
    game: GameOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

/// A move, seen from the side to move.
#[derive(Clone, Default, Serialize)]
struct Line {
    /// None after the end of the game.
    #[serde(rename = "move")]
    vertex: Option<String>,
    value: f32,
    visits: u32,
    /// The evaluator's probability that the move is the best.
    prior: Option<f32>,
    /// The evaluator's winning chance after the move, without priors.
    initial_value: Option<f32>,
    /// `win`, `loss` or `draw`.
    proven: Option<&'static str>,
    pv: Vec<String>,
}

/// The answer as JSON: the best move at the top level, then a list of moves.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    best: Line,
    to_move: &'static str,
    winner: Option<&'static str>,
    iterations: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    moves: Vec<Line>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let record = arguments.game.game_record_or(None)?;
    let mut engine = game::engine(&record, arguments.engine.params()?);
    let stop = interrupt::stop_flag()?;
    let limits = limits(engine.params());
    let report = engine.search(&limits, &|| stop.load(Relaxed));
    let answer = answer(&engine, &report, arguments.best);
    print_as(arguments.json, &answer, || text(&answer))?;
    if stop.load(Relaxed) {
        bail!(Interrupted: "interrupted: this is the best move so far");
    }
    Ok(())
}

fn line(found: &MoveReport<MoveCode>, engine: &Engine) -> Line {
    let variation = found.principal_variation.iter();
    Line {
        vertex: Some(engine.name(found.mv)),
        value: found.value,
        visits: found.visits,
        prior: found.prior,
        initial_value: found.initial_value,
        proven: proven(found.proof, engine.to_move()),
        pv: variation.map(|&code| engine.name(code)).collect(),
    }
}

fn proven(outcome: Option<Outcome>, seat: Seat) -> Option<&'static str> {
    outcome.map(|outcome| match outcome {
        Outcome::Winner(winner) if winner == seat => "win",
        Outcome::Winner(_) => "loss",
        Outcome::Draw => "draw",
    })
}

fn answer(engine: &Engine, report: &Report<MoveCode>, best: usize) -> Answer {
    let seat = engine.to_move();
    let word = |seat| engine.variant().colour(seat);
    let listed = report.listed().take(best);
    let moves: Vec<Line> = listed.map(|m| line(m, engine)).collect();
    let mut best = moves.first().cloned().unwrap_or(Line {
        // In a won game the winner is the side to move.
        value: if engine.winner().is_some() { 1.0 } else { 0.5 },
        ..Line::default()
    });
    best.proven = proven(report.proof, seat).or(best.proven);
    Answer {
        best,
        to_move: word(seat),
        winner: engine.winner().map(word),
        iterations: report.iterations,
        seconds: report.elapsed.as_secs_f64(),
        order: why_first(&moves),
        moves,
    }
}

/// Why the first move comes before one of a higher value, where it does.
fn why_first(moves: &[Line]) -> Option<String> {
    let (first, others) = moves.split_first()?;
    let shown = |line: &Line| (1000.0 * line.value).round();
    let higher = others.iter().find(|other| shown(other) > shown(first))?;
    let (one, other) = (first.vertex.as_ref()?, higher.vertex.as_ref()?);
    let reason = match first.proven {
        Some(_) => format!("the result of {one} is certain"),
        None => format!(
            "moves are also ranked by how certain their values are, and {other} with {} is less \
             certain than {one} with {}",
            counted(higher.visits, "visit", "visits"),
            first.visits
        ),
    };
    Some(format!(
        "{one} comes before {other}, which has a higher value: {reason}."
    ))
}

fn text(answer: &Answer) -> String {
    let best = &answer.best;
    let Some(name) = &best.vertex else {
        let end = answer.winner.map_or("it is drawn".to_string(), |winner| {
            format!("{winner} has won")
        });
        return format!("The game is over, {end}; there is no move.\n");
    };
    let mut text = format!(
        "{} plays {name}: value {:.3}, {} in {:.2} s\n\n",
        answer.to_move,
        best.value,
        counted(answer.iterations, "iteration", "iterations"),
        answer.seconds
    );
    let head = match best.initial_value {
        Some(_) => "initial value",
        None => "prior",
    };
    let heads = ["move", "value", "visits", head, "proven", "line"];
    let rows = answer.moves.iter().map(|m| {
        let before = m.prior.or(m.initial_value);
        [
            m.vertex.clone().unwrap_or_default(),
            format!("{:.3}", m.value),
            m.visits.to_string(),
            before.map_or("-".to_string(), |before| format!("{before:.3}")),
            m.proven.unwrap_or("-").to_string(),
            m.pv.join(" "),
        ]
    });
    text += &table(heads, rows, &[1, 2, 3]);
    if let Some(order) = &answer.order {
        text += &format!("\n{order}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(values: &[(f32, u32)], proven: Option<&'static str>) -> Vec<Line> {
        let line = |(name, &(value, visits)): (&str, &(f32, u32))| Line {
            vertex: Some(name.to_string()),
            value,
            visits,
            proven: proven.filter(|_| name == "C2"),
            ..Line::default()
        };
        ["C2", "B7", "D4"]
            .into_iter()
            .zip(values)
            .map(line)
            .collect()
    }

    #[test]
    fn a_first_move_of_lower_value_has_its_reason() {
        let falling = moves(&[(0.6, 100), (0.6001, 50), (0.5, 80)], None);
        assert_eq!(why_first(&falling), None, "equal as they are shown");
        assert_eq!(why_first(&[]), None);
        let rising = moves(&[(0.6, 100), (0.59, 90), (0.65, 8)], None);
        assert_eq!(
            why_first(&rising).unwrap(),
            "C2 comes before D4, which has a higher value: moves are also ranked by how certain \
             their values are, and D4 with 8 visits is less certain than C2 with 100."
        );
        let drawn = moves(&[(0.5, 1), (0.52, 9)], Some("draw"));
        let reason = why_first(&drawn).unwrap();
        assert!(reason.ends_with("the result of C2 is certain."), "{reason}");
    }
}
