//! `tanada endings`: late positions from self-play, and how well they are solved.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use crate::lab::endings::{
    self, CollectError, CollectSettings, Ending, EngineCheck, SolverCheck, Spread,
};
use crate::params::Params;
use crate::util::files::Kind;
use clap::Args;
use serde_json::{Value, json};

use super::failure::invalid_value;
use super::file::{self, ForceOption};
use super::interrupt;
use super::matches;
use super::options::{BoardOptions, MOST, number_in, seconds, set_elsewhere};
use super::progress::bar;
use super::{Failure, columns, counted, note, print, print_json};

/// What `tanada endings` takes.
#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    board: BoardOptions,
    /// Playable points of each ending: those where a player can get to with moves of its own as
    /// long as no root is removed, 1 to 441
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    points: Option<String>,
    /// How many endings, different ones but for symmetry [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    count: Option<String>,
    /// Random moves at the beginning of each game [default: 6]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    plies: Option<String>,
    /// Iterations of each move after them [default: 200]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    iterations: Option<String>,
    /// Give up after this many games in a row without a new ending [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    tries: Option<String>,
    /// Where all randomness starts [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Games side by side, at most one a core; the endings do not depend on it [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    concurrency: Option<String>,
    /// The file to be written, one line a position; else standard output
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
    /// Solves the positions of a file one after the other in place of making some, and tells how
    /// long it took and which results are wrong
    #[arg(long, value_name = "FILE")]
    check: Option<String>,
    /// With `--check`: asks the engine for a move, one thread, where the side to move wins, and
    /// tells how often it still wins afterwards
    #[arg(long)]
    engine: bool,
    /// Seconds of each of these moves [default: 0.1]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time: Option<String>,
    /// Sets a parameter of this engine, of the table that `tanada params` lists; may be repeated
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// With `--check`: prints one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    force: ForceOption,
}

/// The files that this command writes.
const KIND: Kind<'_> = Kind {
    maker: "tanada endings --out",
    is_own: &|head| {
        let what = [" ending with ", " endings with "];
        file::is_list(
            head,
            &what,
            &[" playable point on ", " playable points on "],
        )
    },
};

/// The number that an option's text stands for.
fn whole(
    text: &Option<String>,
    option: &str,
    least: usize,
    default: usize,
) -> Result<usize, Failure> {
    Ok(number_in(text, option, least..=MOST)?.unwrap_or(default))
}

impl Arguments {
    /// An option that means nothing beside or without `--check`.
    fn misplaced(&self) -> Option<(&'static str, &'static str)> {
        let making = [
            ("--points", &self.points),
            ("--count", &self.count),
            ("--plies", &self.plies),
            ("--iterations", &self.iterations),
            ("--tries", &self.tries),
            ("--concurrency", &self.concurrency),
            ("--out", &self.out),
        ];
        let given = |(name, text): (&'static str, &Option<String>)| text.as_ref().map(|_| name);
        let (wrong, why) = match &self.check {
            Some(_) => (
                making
                    .into_iter()
                    .find_map(given)
                    .or(self.board.given())
                    .or(self.board.game_name().map(|_| "--game")),
                "has no place beside `--check`, which takes all from the file",
            ),
            None => (
                [("--engine", self.engine), ("--json", self.json)]
                    .into_iter()
                    .find_map(|(name, given)| given.then_some(name))
                    .or(self.time.as_ref().map(|_| "--time"))
                    .or(self.set.first().map(|_| "--set")),
                "has a place beside `--check FILE` only",
            ),
        };
        let of_engine = [
            ("--time", self.time.is_some()),
            ("--seed", self.seed.is_some()),
            ("--set", !self.set.is_empty()),
        ];
        let idle = of_engine.into_iter().find(|(_, given)| *given);
        let idle = idle.filter(|_| self.check.is_some() && !self.engine);
        let idle = idle.map(|(name, _)| (name, "has a place beside `--check FILE --engine` only"));
        wrong.map(|name| (name, why)).or(idle)
    }
}

/// Makes endings, or checks some.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some((name, why)) = arguments.misplaced() {
        return Err(Failure::Input(format!("`{name}` {why}")));
    }
    match &arguments.check {
        Some(path) => check(arguments, path),
        None => make(arguments),
    }
}

fn make(arguments: &Arguments) -> Result<(), Failure> {
    let points = number_in(&arguments.points, "--points", 1..=441)?;
    let points = points.ok_or_else(|| {
        Failure::Input(
            "`endings` lacks `--points <K>`, expected it among the options, or `--check <FILE>`"
                .to_string(),
        )
    })?;
    let wanted = CollectSettings {
        start: arguments.board.configuration()?.start().clone(),
        points,
        count: whole(&arguments.count, "--count", 1, 100)?,
        plies: whole(&arguments.plies, "--plies", 0, 6)?,
        iterations: whole(&arguments.iterations, "--iterations", 1, 200)? as u64,
        tries: whole(&arguments.tries, "--tries", 1, 100)?,
        seed: whole(&arguments.seed, "--seed", 0, 1)? as u64,
        concurrency: matches::one_a_core(&arguments.concurrency)?,
    };
    let side = wanted.start.side();
    if points > side * side {
        return Err(invalid_value(
            &points.to_string(),
            "--points",
            format!("at most {}, the points of {side}x{side}", side * side),
        ));
    }
    let out = arguments
        .force
        .output("--out", arguments.out.as_ref(), KIND);
    file::check(&[out], &[arguments.board.setup_file()])?;
    let stop = interrupt::stop_flag()?;
    let bar = bar(wanted.count as u64, "endings");
    let (endings, end) = wanted.make(Some(&endings::solver(&stop)), &stop, &|count| {
        bar.set_position(count as u64);
    });
    bar.finish_and_clear();
    if endings.is_empty() {
        return end.map_err(|error| match error {
            CollectError::Interrupted => Failure::Interrupted(
                "interrupted before the first ending was found; nothing was written".to_string(),
            ),
            error => Failure::Input(advise(&error)),
        });
    }
    let text = describe(&wanted, &endings);
    let place = file::deliver(out.as_ref(), &text)?;
    let solved = endings.iter().filter(|ending| ending.winner.is_some());
    let (found, count, solved) = (endings.len(), wanted.count, solved.count());
    match end {
        Ok(()) => {
            if out.is_some() {
                let count = counted(found, "ending", "endings");
                note(&format!("{count} {place}"));
            }
            Ok(())
        }
        Err(CollectError::Interrupted) => Err(Failure::Interrupted(format!(
            "interrupted: {found} of {count} endings are {place}, {solved} of them solved"
        ))),
        Err(error) => Err(Failure::Other(format!(
            "{}; {found} of {count} endings are {place}",
            advise(&error)
        ))),
    }
}

/// The error, with what to change where too few endings were found.
fn advise(error: &CollectError) -> String {
    match error {
        CollectError::Few { .. } => {
            format!("{error}; change `--points` or the board, or raise `--tries`")
        }
        error => error.to_string(),
    }
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
    for ending in endings {
        text.push_str(&format!("{ending}\n"));
    }
    text
}

fn check(arguments: &Arguments, path: &str) -> Result<(), Failure> {
    let time = seconds(arguments.time.as_deref().unwrap_or("0.1"), "--time")?;
    let seed = whole(&arguments.seed, "--seed", 0, 1)? as u64;
    set_elsewhere(
        &arguments.set,
        |p| p.is_limit() || p.is_seed(),
        "`--time` or `--seed`",
    )?;
    let endings = endings::read_file(path).map_err(Failure::input)?;
    let stop = interrupt::stop_flag()?;
    let bar = bar(endings.len() as u64, "endings");
    let done = AtomicUsize::new(0);
    let after = |count: usize| {
        done.store(count, Relaxed);
        bar.set_position(count as u64);
    };
    let (text, value, wrong) = if arguments.engine {
        let mut params = Params {
            threads: 1,
            memory: 256,
            seed,
            ..Params::default()
        };
        for assignment in &arguments.set {
            params.assign(assignment).map_err(Failure::input)?;
        }
        let kept = endings::keep(
            &endings,
            &params,
            time,
            &endings::solver(&stop),
            &stop,
            &after,
        );
        (tell_kept(&kept, time), kept_json(&kept, time), false)
    } else {
        let checked = endings::check(&endings, &endings::solver(&stop), &stop, &after);
        let wrong = !checked.wrong.is_empty();
        (tell_checked(&checked), checked_json(&checked), wrong)
    };
    bar.finish_and_clear();
    match arguments.json {
        true => print_json(&value)?,
        false => print(&text)?,
    }
    if stop.load(Relaxed) {
        let (done, count) = (done.into_inner(), endings.len());
        return Err(Failure::Interrupted(format!(
            "interrupted after {done} of {count} endings"
        )));
    }
    match wrong {
        true => Err(Failure::Other(format!(
            "results in `{}` are not those of the solver",
            super::shorten(path)
        ))),
        false => Ok(()),
    }
}

fn lines(numbers: &[usize]) -> String {
    let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
    numbers.join(" ")
}

fn tell_checked(checked: &SolverCheck) -> String {
    let row = |name: &str, spread: &Spread, digits: usize| {
        let cells = [spread.mean, spread.median, spread.max];
        let cells = cells.map(|x| format!("{x:.digits$}"));
        [vec![name.to_string()], cells.to_vec()].concat()
    };
    let heads = ["", "mean", "median", "max"].map(String::from).to_vec();
    let mut text = format!(
        "{} solved, {} of them compared: {} wrong\n",
        checked.solved,
        checked.compared,
        checked.wrong.len()
    );
    text += &columns(
        &[
            heads,
            row("milliseconds", &checked.milliseconds, 3),
            row("nodes", &checked.nodes, 0),
        ],
        &[1, 2, 3],
    );
    for (line, winner) in &checked.wrong {
        let winner = crate::tanbo::colour::word(*winner);
        text += &format!("line {line}: {winner} wins\n");
    }
    if !checked.open.is_empty() {
        text += &format!("given up: lines {}\n", lines(&checked.open));
    }
    text
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

fn tell_kept(kept: &EngineCheck, time: Duration) -> String {
    let mut text = format!(
        "{} of {} wins kept at {} s a move ({:.1} %), {} lost whatever is played\n",
        kept.won - kept.lost.len(),
        kept.won,
        time.as_secs_f64(),
        100.0 * share(kept),
        counted(kept.hopeless, "position", "positions"),
    );
    for (line, mv) in &kept.lost {
        text += &format!("line {line}: {mv} loses\n");
    }
    if !kept.open.is_empty() {
        text += &format!("given up: lines {}\n", lines(&kept.open));
    }
    text
}

fn kept_json(kept: &EngineCheck, time: Duration) -> Value {
    let lost = kept
        .lost
        .iter()
        .map(|(line, mv)| json!({"line": line, "move": mv}));
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
