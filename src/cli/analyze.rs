//! `tanada analyze`: examines a game move by move.

use std::sync::atomic::Ordering::Relaxed;

use crate::review::{self, Effort, Progress, Review, ReviewError};

use super::failure::shorten;
use super::file::{self, ForceOption};
use super::game::GameOptions;
use super::options::{self, EngineOptions};
use super::progress::bar;
use super::values::count;
use super::{Failure, columns, interrupt, print_as};

#[derive(clap::Args, Clone)]
#[command(after_help = "\
Examples:
  tanada analyze game.sgf --html game.html
  tanada analyze --size 9 --moves 'C2 B7 D2' --time-per-move 5")]
pub(super) struct Arguments {
    /// Number of moves to keep for each position, 1 to 50
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count(1..=50))]
    best: usize,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
    /// Write a page with everything, for the browser
    #[arg(long, value_name = "FILE")]
    html: Option<String>,
    #[command(flatten)]
    force: ForceOption,
    #[command(flatten)]
    game: GameOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

/// Most moves of a variation.
const LINE: usize = 12;

/// Most mistakes listed below the table.
const MISTAKES: usize = 10;

/// Searches every position of the game, then prints and writes what was found.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let params = arguments.engine.params()?;
    let record = arguments.game.game_record("analyze")?;
    // A file that cannot be written is reported before hours of searching.
    let html = arguments.html.as_ref();
    let html = arguments.force.output("--html", html, review::KIND);
    file::check(&[html], &arguments.game.inputs())?;
    let stop = interrupt::stop_flag()?;
    let limits = || options::limits(&params);
    let effort = Effort {
        params: params.clone(),
        limits: &limits,
        best: arguments.best,
        line: LINE,
    };
    let progress = bar(record.moves.len() as u64 + 1, "positions");
    let mut watch = |at| match at {
        Progress::Searched(done, _) => progress.set_position(done as u64),
        Progress::Verifying(number) => progress.set_message(format!("move {number} again")),
    };
    let found = review::examine(&record, &effort, &mut watch, &|| stop.load(Relaxed));
    progress.finish_and_clear();
    let found = found.map_err(|error| match error {
        ReviewError::Stopped => {
            let what = "interrupted before the first position was searched; nothing was written";
            Failure::Interrupted(what.to_string())
        }
        error => Failure::input(error),
    })?;
    let written = match &html {
        // The JSON on standard output holds everything that the page does.
        Some(html) => html.keep(&review::page(&found), !arguments.json),
        None => Ok(()),
    };
    print_as(arguments.json, &found, || text(&found))?;
    written?;
    if found.incomplete.is_none() {
        return Ok(());
    }
    let written = html.map_or(String::new(), |html| {
        format!(" in `{}`", shorten(html.path()))
    });
    Err(Failure::Interrupted(format!(
        "interrupted: {} of {} moves were judged{written}",
        found.moves.len(),
        found.length()
    )))
}

/// A chance in percent, or the exact result.
fn value(value: f64, proven: Option<&str>) -> String {
    match proven {
        Some("win") => "won".to_string(),
        Some("loss") => "lost".to_string(),
        Some(word) => word.to_string(),
        None => format!("{:.1}", 100.0 * value),
    }
}

/// The table for people.
fn text(review: &Review) -> String {
    let colour = |player: usize| review.players.get(player).map_or("", |p| p.colour);
    let mut text = heading(review);
    if !review.moves.is_empty() {
        let head = [
            "move", "", "played", "chance %", "best", "chance %", "loss %", "",
        ];
        let mut rows = vec![head.map(str::to_string).to_vec()];
        rows.extend(review.moves.iter().map(|mv| {
            let best = review
                .positions
                .get(mv.number - 1)
                .and_then(|p| p.best.first());
            vec![
                mv.number.to_string(),
                colour(mv.player).to_string(),
                mv.name.clone(),
                value(mv.value, mv.proven),
                mv.best.clone(),
                value(mv.best_value, best.and_then(|b| b.proven)),
                if mv.is_sure() {
                    format!("{:.1}", 100.0 * mv.loss)
                } else {
                    "-".to_string()
                },
                mv.mark.map_or("", |mark| mark.sign()).to_string(),
            ]
        }));
        text.push_str(&columns(&rows, &[0, 3, 5, 6]));
        text.push('\n');
    }
    text.push_str(&summary(review));
    text.push_str(&mistakes(review));
    text.push_str(&last(review));
    text
}

fn heading(review: &Review) -> String {
    let mut text = review.title.to_string();
    if let Some(board) = &review.board {
        text.push_str(&format!(" {0}x{0}", board.side));
    }
    let names = review.players.iter().filter_map(|player| {
        let name = player.name.as_ref()?;
        Some(format!("{} {}", player.colour, shorten(name)))
    });
    for part in names.chain(
        review
            .header
            .result
            .as_deref()
            .map(|r| format!("result {}", shorten(r))),
    ) {
        text.push_str(", ");
        text.push_str(&part);
    }
    text.push_str(&format!(", {}\n\n", review.extent()));
    text
}

/// The mistakes of each player in numbers.
fn summary(review: &Review) -> String {
    if review.moves.is_empty() {
        return String::new();
    }
    let head = ["player", "moves", "mean loss %", "?!", "?", "??"];
    let mut rows = vec![head.map(str::to_string).to_vec()];
    rows.extend(review.players.iter().map(|player| {
        let found = &player.summary;
        let loss = found.mean_loss.map(|loss| format!("{:.1}", 100.0 * loss));
        vec![
            player.colour.to_string(),
            found.moves.to_string(),
            loss.unwrap_or_else(|| "-".to_string()),
            found.doubtful.to_string(),
            found.mistakes.to_string(),
            found.blunders.to_string(),
        ]
    }));
    format!("{}\n", columns(&rows, &[1, 2, 3, 4, 5]))
}

fn mistakes(review: &Review) -> String {
    let Some(thresholds) = (!review.moves.is_empty()).then_some(&review.thresholds) else {
        return String::new();
    };
    if review.mistakes.is_empty() {
        let least = 100.0 * thresholds.doubtful;
        return format!("No move is known to lose {least:.0} % or more.\n");
    }
    let mut rows = Vec::new();
    for &number in review.mistakes.iter().take(MISTAKES) {
        let Some(mv) = review.moves.get(number - 1) else {
            continue;
        };
        let best = review
            .positions
            .get(number - 1)
            .and_then(|p| p.best.first());
        let line = best.map_or_else(Vec::new, |b| {
            b.line.iter().map(|m| m.name.as_str()).collect()
        });
        let colour = review.players.get(mv.player).map_or("", |p| p.colour);
        rows.push(vec![
            mv.number.to_string(),
            colour.to_string(),
            format!("{}{}", mv.name, mv.mark.map_or("", |mark| mark.sign())),
            format!("lost {:.1} %,", 100.0 * mv.loss),
            format!("better {}", line.join(" ")),
        ]);
    }
    let of = match review.mistakes.len() {
        count if count > MISTAKES => format!(", the {MISTAKES} largest of {count}"),
        _ => String::new(),
    };
    format!("Mistakes{of}:\n{}", columns(&rows, &[0]))
}

/// The best moves of the last position.
fn last(review: &Review) -> String {
    let Some(position) = review.positions.last().filter(|p| !p.best.is_empty()) else {
        return String::new();
    };
    let colour = position
        .to_move
        .and_then(|player| review.players.get(player));
    let head = ["move", "chance %", "visits", "line"].map(str::to_string);
    let mut rows = vec![head.to_vec()];
    rows.extend(position.best.iter().map(|best| {
        let line: Vec<&str> = best.line.iter().map(|m| m.name.as_str()).collect();
        vec![
            best.name.clone(),
            value(best.value, best.proven),
            best.visits.to_string(),
            line.join(" "),
        ]
    }));
    let gap = if review.moves.is_empty() { "" } else { "\n" };
    let colour = colour.map_or("", |player| player.colour);
    let when = match review.moves.len() {
        judged if judged < review.length() => format!("after move {judged}"),
        _ => "now".to_string(),
    };
    format!(
        "{gap}Best moves of {colour} {when}:\n{}",
        columns(&rows, &[1, 2])
    )
}
