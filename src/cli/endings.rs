//! `tanada endings`: collects late positions from self-play, or checks how well they are solved.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use crate::lab::endings::{
    self, CollectError, CollectProgress, CollectSettings, Ending, EngineCheck, SolverCheck, Spread,
};
use crate::util::files::Kind;
use clap::Args;
use serde_json::{Value, json};

use super::failure::invalid_value;
use super::file::{self, ForceOption};
use super::interrupt;
use super::options::{BoardOptions, judged_engine};
use super::progress::bar;
use super::values::{MOST, Setting, count, one_a_core, seconds, whole};
use super::{Failure, bail, counted, print_as, table};

#[derive(Args, Clone)]
#[command(after_help = "\
Examples:
  tanada endings --size 9 --points 20 --count 50 --out endings.txt
  tanada endings --check endings.txt --engine --time 0.5")]
pub(super) struct Arguments {
    /// Playable points of each ending, 1 to 441: those that a player can reach with its own moves
    /// as long as no root is removed
    #[arg(long, value_name = "N", required_unless_present = "check", value_parser = count(1..=441))]
    points: Option<usize>,
    /// Number of endings, all different up to symmetry
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count(1..=MOST))]
    count: usize,
    /// Random moves at the beginning of each game
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = count(0..=MOST))]
    plies: usize,
    /// Iterations of each move after them
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = whole(1..=MOST as u64))]
    iterations: u64,
    /// Give up after this many games in a row without a new ending
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count(1..=MOST))]
    tries: usize,
    /// Give up after this many seconds without a new ending
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    patience: Duration,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Games to play at once, at most one per core; the endings do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = one_a_core)]
    concurrency: usize,
    /// File to write, one position per line [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
    /// Solve the positions of a file, one after the other, and report times and wrong results
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "game", "size", "setup", "players", "points", "count", "plies", "iterations", "tries",
            "patience", "concurrency", "out",
        ]
    )]
    check: Option<String>,
    /// With `--check`: have the engine move with one thread where the side to move wins, and report
    /// how often it keeps the win
    #[arg(long, conflicts_with = "points", requires = "check")]
    engine: bool,
    /// Seconds for each of these moves
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0.1",
        conflicts_with = "points",
        requires = "engine",
        value_parser = seconds
    )]
    time: Duration,
    /// Set a parameter of this engine (`tanada params` lists all); may be repeated
    #[arg(
        long,
        value_name = "NAME=VALUE",
        allow_hyphen_values = true,
        conflicts_with = "points",
        requires = "engine"
    )]
    set: Vec<Setting>,
    /// With `--check`: print one JSON object
    #[arg(long, conflicts_with = "points", requires = "check")]
    json: bool,
    #[command(flatten)]
    force: ForceOption,
    #[command(flatten)]
    board: BoardOptions,
}

const KIND: Kind<'_> = Kind {
    maker: "tanada endings --out",
    is_own: &|head| {
        let points = [" playable point on ", " playable points on "];
        file::is_list(head, &[" ending with ", " endings with "], &points)
    },
};

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.check {
        Some(path) => check(arguments, path),
        None => collect(arguments, arguments.points.unwrap_or_default()),
    }
}

fn collect(arguments: &Arguments, points: usize) -> Result<(), Failure> {
    let wanted = CollectSettings {
        start: arguments.board.configuration()?.start().clone(),
        points,
        count: arguments.count,
        plies: arguments.plies,
        iterations: arguments.iterations,
        tries: arguments.tries,
        patience: arguments.patience,
        seed: arguments.seed,
        concurrency: arguments.concurrency,
    };
    let side = wanted.start.side();
    if points > side * side {
        let expected = format!("at most {}, the points of {side}x{side}", side * side);
        return Err(invalid_value(points, "--points", expected));
    }
    let out = arguments.force.output("--out", &arguments.out, KIND);
    file::check(&[out], &[arguments.board.setup_file()])?;
    let stop = interrupt::stop_flag()?;
    let bar = bar(wanted.count as u64, "endings");
    let (endings, end) = wanted.make(Some(&endings::solver(&stop)), &stop, &|progress| {
        bar.set_position(progress.endings as u64);
        bar.set_message(seen(&progress));
    });
    bar.finish_and_clear();
    let end = end.map_err(|error| match error {
        CollectError::Interrupted => Failure::Interrupted(error.to_string()),
        CollectError::Few { .. } => Failure::Input(format!(
            "{error}; change `--points` or the board, or raise `--tries` or `--patience`"
        )),
        error => Failure::input(error),
    });
    let solved = endings.iter().filter(|ending| ending.winner.is_some());
    file::deliver_list(
        out.as_ref(),
        || describe(&wanted, &endings),
        [endings.len(), wanted.count],
        ["ending", "endings"],
        end,
        &format!(", {} of them solved", solved.count()),
    )
}

fn seen(progress: &CollectProgress) -> String {
    format!(
        "{}, {}",
        counted(progress.games, "game", "games"),
        counted(
            progress.candidates as usize,
            "other position",
            "other positions"
        ),
    )
}

/// The file: how it was made, then a line for each ending.
fn describe(wanted: &CollectSettings, endings: &[Ending]) -> String {
    let side = wanted.start.side();
    let mut text = format!(
        "# {} with {} on {side}x{side}: {}, then {} a move, seed {}\n",
        counted(
            file::count(endings.len(), wanted.count),
            "ending",
            "endings"
        ),
        counted(wanted.points, "playable point", "playable points"),
        counted(wanted.plies, "random ply", "random plies"),
        counted(wanted.iterations, "iteration", "iterations"),
        wanted.seed,
    );
    text.extend(endings.iter().map(|ending| format!("{ending}\n")));
    text
}

fn check(arguments: &Arguments, path: &str) -> Result<(), Failure> {
    let time = arguments.time;
    let mut params = judged_engine(&arguments.set, "`--time` or `--seed`")?;
    params.seed = arguments.seed;
    let endings = endings::read_file(path).map_err(Failure::input)?;
    let stop = interrupt::stop_flag()?;
    let bar = bar(endings.len() as u64, "endings");
    let done = AtomicUsize::new(0);
    let after = |count: usize| {
        done.store(count, Relaxed);
        bar.set_position(count as u64);
    };
    let (text, json, wrong) = if arguments.engine {
        let solver = endings::solver(&stop);
        let kept = endings::keep(&endings, &params, time, &solver, &stop, &after);
        (kept_text(&kept, time), kept_json(&kept, time), false)
    } else {
        let checked = endings::check(&endings, &endings::solver(&stop), &stop, &after);
        let wrong = !checked.wrong.is_empty();
        (checked_text(&checked), checked_json(&checked), wrong)
    };
    bar.finish_and_clear();
    print_as(arguments.json, &json, || text)?;
    if stop.load(Relaxed) {
        let (done, count) = (done.into_inner(), endings.len());
        bail!(Interrupted: "interrupted after {done} of {count} endings");
    }
    if wrong {
        bail!(Other: "the solver disagrees with results in `{}`", super::shorten(path));
    }
    Ok(())
}

/// The line that names the positions without a result; empty if there are none.
fn given_up(lines: &[usize]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
    format!("given up: lines {}\n", lines.join(" "))
}

fn checked_text(checked: &SolverCheck) -> String {
    let row = |name: &str, spread: &Spread, digits: usize| {
        let number = |x: f64| format!("{x:.digits$}");
        [
            name.to_string(),
            number(spread.mean),
            number(spread.median),
            number(spread.max),
        ]
    };
    let mut text = format!(
        "{} solved, {} of them compared: {} wrong\n",
        checked.solved,
        checked.compared,
        checked.wrong.len()
    );
    let rows = [
        row("milliseconds", &checked.milliseconds, 3),
        row("nodes", &checked.nodes, 0),
    ];
    text += &table(["", "mean", "median", "max"], rows, &[1, 2, 3]);
    for (line, winner) in &checked.wrong {
        let winner = crate::tanbo::colour::word(*winner);
        text += &format!("line {line}: {winner} wins\n");
    }
    text + &given_up(&checked.open)
}

fn checked_json(checked: &SolverCheck) -> Value {
    let spread = |s: &Spread| json!({"mean": s.mean, "median": s.median, "max": s.max});
    let wrong: Vec<usize> = checked.wrong.iter().map(|(line, _)| *line).collect();
    json!({
        "solved": checked.solved,
        "compared": checked.compared,
        "wrong": wrong,
        "open": checked.open,
        "milliseconds": spread(&checked.milliseconds),
        "nodes": spread(&checked.nodes),
    })
}

fn share(kept: &EngineCheck) -> f64 {
    (kept.won - kept.lost.len()) as f64 / kept.won.max(1) as f64
}

fn kept_text(kept: &EngineCheck, time: Duration) -> String {
    let mut text = format!(
        "{} of {} wins kept at {} s a move ({:.1} %), {} lost whatever the engine plays\n",
        kept.won - kept.lost.len(),
        kept.won,
        time.as_secs_f64(),
        100.0 * share(kept),
        counted(kept.hopeless, "position", "positions"),
    );
    for (line, mv) in &kept.lost {
        text += &format!("line {line}: {mv} loses\n");
    }
    text + &given_up(&kept.open)
}

fn kept_json(kept: &EngineCheck, time: Duration) -> Value {
    let lost = kept.lost.iter();
    let lost = lost.map(|(line, mv)| json!({"line": line, "move": mv}));
    json!({
        "won": kept.won,
        "kept": kept.won - kept.lost.len(),
        "share": share(kept),
        "hopeless": kept.hopeless,
        "lost": lost.collect::<Vec<_>>(),
        "open": kept.open,
        "seconds": time.as_secs_f64(),
    })
}
