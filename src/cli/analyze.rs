//! `tanada analyze`: examines a game move by move.

use std::sync::atomic::Ordering::Relaxed;

use crate::review::{self, BestMove, Review, ReviewError, ReviewProgress, ReviewSettings};

use super::failure::shorten;
use super::file::{self, ForceOption};
use super::game::GameOptions;
use super::options::{self, EngineOptions, TIME, USUAL_TIME, help_with};
use super::progress::bar;
use super::values::count;
use super::{Failure, bail, columns, interrupt, print_as, table};

#[derive(clap::Args, Clone)]
#[command(
    mut_arg("time_per_move", |time| time.help(help_with("time_per_move", Some(TIME), Some(USUAL_TIME)))),
    after_help = "\
Examples:
  tanada analyze game.sgf --html game.html
  tanada analyze --size 9 --moves 'C2 B7 D2' --time-per-move 5"
)]
pub(super) struct Arguments {
    /// Number of moves to keep for each position, 1 to 50
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = count(1..=50))]
    best: usize,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
    /// Write the review as a page for the browser
    #[arg(long, value_name = "FILE")]
    html: Option<String>,
    #[command(flatten)]
    force: ForceOption,
    #[command(flatten)]
    game: GameOptions,
    #[command(flatten)]
    engine: EngineOptions,
}

const LINE: usize = 12;

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
    let settings = ReviewSettings {
        params: params.clone(),
        limits: &limits,
        best: arguments.best,
        line: LINE,
    };
    let progress = bar(record.moves.len() as u64 + 1, "positions");
    let mut watch = |at| match at {
        ReviewProgress::Searched(done, _) => progress.set_position(done as u64),
        ReviewProgress::Verifying(number) => progress.set_message(format!("move {number} again")),
    };
    let found = review::examine(&record, &settings, &mut watch, &|| stop.load(Relaxed));
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
        Some(html) => html.keep(&review::review_page(&found), !arguments.json),
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
    let (done, all) = (found.moves.len(), found.length());
    bail!(Interrupted: "interrupted: {done} of {all} moves were judged{written}");
}

/// A chance in per cent, or the exact result.
fn value(value: f64, proven: Option<&str>) -> String {
    match proven {
        Some("win") => "won".to_string(),
        Some("loss") => "lost".to_string(),
        Some(word) => word.to_string(),
        None => format!("{:.1}", 100.0 * value),
    }
}

fn colour(review: &Review, player: usize) -> &'static str {
    let player = review.players.get(player);
    player.map_or("", |player| player.colour)
}

/// The best move in the place of move `number`.
fn best(review: &Review, number: usize) -> Option<&BestMove> {
    review.positions.get(number - 1)?.best.first()
}

fn line(best: &BestMove) -> String {
    let names: Vec<&str> = best.line.iter().map(|mv| mv.name.as_str()).collect();
    names.join(" ")
}

/// The table for people.
fn text(review: &Review) -> String {
    let text = heading(review);
    if review.moves.is_empty() {
        return text + &last(review);
    }
    let heads = [
        "move", "", "played", "chance %", "best", "chance %", "loss %", "",
    ];
    let rows = review.moves.iter().map(|mv| {
        let best = best(review, mv.number);
        let loss = mv.is_sure().then(|| format!("{:.1}", 100.0 * mv.loss));
        [
            mv.number.to_string(),
            colour(review, mv.player).to_string(),
            mv.name.clone(),
            value(mv.value, mv.proven),
            mv.best.clone(),
            value(mv.best_value, best.and_then(|b| b.proven)),
            loss.unwrap_or_else(|| "-".to_string()),
            mv.mark.map_or("", |mark| mark.sign()).to_string(),
        ]
    });
    let table = table(heads, rows, &[0, 3, 5, 6]);
    format!(
        "{text}{table}\n{}{}{}",
        summary(review),
        mistakes(review),
        last(review)
    )
}

fn heading(review: &Review) -> String {
    let mut text = review.title.to_string();
    if let Some(board) = &review.board {
        text += &format!(" {0}x{0}", board.side);
    }
    let names = review.players.iter().filter_map(|player| {
        let name = player.name.as_ref()?;
        Some(format!("{} {}", player.colour, shorten(name)))
    });
    let result = review.header.result.as_deref();
    let result = result.map(|result| format!("result {}", shorten(result)));
    for part in names.chain(result) {
        text += &format!(", {part}");
    }
    format!("{text}, {}\n\n", review.extent())
}

/// The mistakes of each player in numbers.
fn summary(review: &Review) -> String {
    let heads = ["player", "moves", "mean loss %", "?!", "?", "??"];
    let rows = review.players.iter().map(|player| {
        let found = &player.summary;
        let loss = found.mean_loss.map(|loss| format!("{:.1}", 100.0 * loss));
        [
            player.colour.to_string(),
            found.moves.to_string(),
            loss.unwrap_or_else(|| "-".to_string()),
            found.doubtful.to_string(),
            found.mistakes.to_string(),
            found.blunders.to_string(),
        ]
    });
    table(heads, rows, &[1, 2, 3, 4, 5]) + "\n"
}

fn mistakes(review: &Review) -> String {
    if review.mistakes.is_empty() {
        let least = 100.0 * review.thresholds.doubtful;
        return format!("No move is known to lose {least:.0} % or more.\n");
    }
    let worst = review.mistakes.iter().take(MISTAKES);
    let rows = worst
        .filter_map(|number| review.moves.get(number - 1))
        .map(|mv| {
            [
                mv.number.to_string(),
                colour(review, mv.player).to_string(),
                format!("{}{}", mv.name, mv.mark.map_or("", |mark| mark.sign())),
                format!("lost {:.1} %,", 100.0 * mv.loss),
                format!(
                    "better {}",
                    best(review, mv.number).map(line).unwrap_or_default()
                ),
            ]
        });
    let rows: Vec<_> = rows.collect();
    let of = match review.mistakes.len() {
        count if count > MISTAKES => format!(", the {MISTAKES} largest of {count}"),
        _ => String::new(),
    };
    format!("Mistakes{of}:\n{}", columns(&rows, &[0]))
}

fn last(review: &Review) -> String {
    let Some(position) = review.positions.last().filter(|p| !p.best.is_empty()) else {
        return String::new();
    };
    let rows = position.best.iter().map(|best| {
        [
            best.name.clone(),
            value(best.value, best.proven),
            best.visits.to_string(),
            line(best),
        ]
    });
    let table = table(["move", "chance %", "visits", "line"], rows, &[1, 2]);
    let gap = if review.moves.is_empty() { "" } else { "\n" };
    let colour = position.to_move.map_or("", |player| colour(review, player));
    let when = match review.moves.len() {
        judged if judged < review.length() => format!("after move {judged}"),
        _ => "now".to_string(),
    };
    format!("{gap}Best moves of {colour} {when}:\n{table}")
}
