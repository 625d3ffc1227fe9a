//! `tanada accuracy`: games on a small board, held against the exact solver.

use std::sync::atomic::Ordering::Relaxed;

use crate::lab::accuracy::{AccuracyResults, AccuracySettings, Slip};
use crate::params::Params;
use crate::util::wilson::{Z_95, wilson};
use clap::Args;
use serde_json::{Value, json};

use super::interrupt;
use super::matches;
use super::options::{BoardOptions, MOST, number_in, seconds, set_elsewhere};
use super::progress::bar;
use super::{Failure, columns, counted, print, print_json};

/// The board where none is asked for: the largest that the solver decides in seconds.
const SIDE: usize = 6;

/// What `tanada accuracy` takes.
#[derive(Args, Clone, Debug)]
#[command(
    mut_arg("size", |size| size.help(
        "Points a row, at most 10 [default: 6, or that of the file]"
    )),
    after_help = "\
Examples:
  tanada accuracy                                20 games on 6x6 at 0.1 s a move
  tanada accuracy --size 5 --iterations 50 --json"
)]
pub(super) struct Arguments {
    #[command(flatten)]
    board: BoardOptions,
    /// Games of the engine against itself [default: 20]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    games: Option<String>,
    /// Random moves at the beginning of each game, which are not judged [default: 4]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    plies: Option<String>,
    /// Seconds a move [default: 0.1]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time: Option<String>,
    /// Iterations a move in place of seconds; with one thread the games repeat
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    iterations: Option<String>,
    /// Nodes of the solver for a position at most; without an answer it is left out [default:
    /// 100000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    nodes: Option<String>,
    /// Memory of the solver's table at most, in MiB, for each game that is played at once
    /// [default: 1024]
    #[arg(long, value_name = "MIB", allow_negative_numbers = true)]
    memory: Option<String>,
    /// Where all randomness starts [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<String>,
    /// Games side by side, at most one a core [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    concurrency: Option<String>,
    /// Sets a parameter of the engine, of the table that `tanada params` lists; it has one thread
    /// and 256 MiB otherwise; with `solve_points=0` it does without a solver of its own; may be
    /// repeated
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn settings(&self) -> Result<AccuracySettings, Failure> {
        let whole = |text: &Option<String>, option: &str, least: usize, default: usize| {
            Ok::<_, Failure>(number_in(text, option, least..=MOST)?.unwrap_or(default))
        };
        let mut params = Params {
            threads: 1,
            memory: 256,
            ..Params::default()
        };
        set_elsewhere(
            &self.set,
            |p| p.is_limit() || p.is_seed(),
            "`--iterations`, `--time` or `--seed`",
        )?;
        for assignment in &self.set {
            params.assign(assignment).map_err(Failure::input)?;
        }
        if self.iterations.is_some() && self.time.is_some() {
            let why = "`--iterations` has no place beside `--time`, expected one of the two";
            return Err(Failure::Input(why.to_string()));
        }
        match number_in(&self.iterations, "--iterations", 1..=MOST)? {
            Some(iterations) => params.iterations = Some(iterations as u64),
            None => {
                let time = seconds(self.time.as_deref().unwrap_or("0.1"), "--time")?;
                params.time_per_move = Some(time.as_secs_f64());
            }
        }
        let mib = number_in(&self.memory, "--memory", 16..=1 << 20)?.unwrap_or(1024);
        Ok(AccuracySettings {
            start: self.board.configuration_or(Some(SIDE))?.start().clone(),
            games: whole(&self.games, "--games", 1, 20)?,
            plies: whole(&self.plies, "--plies", 0, 4)?,
            seed: whole(&self.seed, "--seed", 0, 1)? as u64,
            params,
            nodes: whole(&self.nodes, "--nodes", 1, 100_000_000)? as u64,
            bytes: mib << 20,
            concurrency: matches::one_a_core(&self.concurrency)?,
        })
    }
}

/// Plays the games and says what the solver thinks of them.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = arguments.settings()?;
    let stop = interrupt::stop_flag()?;
    let bar = bar(settings.games as u64, "games");
    let tally = settings.run(&stop, &|done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let tally = tally.map_err(Failure::input)?;
    match arguments.json {
        true => print_json(&to_json(&tally))?,
        false => print(&tell(&tally))?,
    }
    match (tally.wrong.is_empty(), stop.load(Relaxed)) {
        (_, true) => Err(Failure::Interrupted(format!(
            "interrupted: {} of {} games were played and judged",
            tally.games, settings.games
        ))),
        (false, _) => Err(Failure::Other(
            "results that the search knew are not those of the solver".to_string(),
        )),
        (true, _) => Ok(()),
    }
}

fn percent(part: usize, whole: usize) -> String {
    let (low, high) = wilson(part as f64, whole as f64, Z_95);
    let share = 100.0 * part as f64 / whole.max(1) as f64;
    format!("{share:.2} %, {:.2} to {:.2}", 100.0 * low, 100.0 * high)
}

fn tell(tally: &AccuracyResults) -> String {
    let slips = tally.slips.len();
    let mut text = format!(
        "{}, {}, {} of them judged\n\
         {slips} give the result away: of those judged {}; of {} that could {}\n\
         {} known to the search, {} of them wrongly\n",
        counted(tally.games, "game", "games"),
        counted(tally.moves, "move", "moves"),
        tally.judged,
        percent(slips, tally.judged),
        tally.holding,
        percent(slips, tally.holding),
        counted(tally.proven, "position", "positions"),
        tally.wrong.len(),
    );
    let scores = (tally.brier(), tally.log_loss(), tally.calibration_error());
    if let (Some(brier), Some(loss), Some(error)) = scores {
        text += &format!(
            "{} others: Brier score {brier:.4}, log loss {loss:.4}, calibration error {error:.4}\n",
            tally.unproven()
        );
        let mut rows = vec![
            ["value", "positions", "mean", "result"]
                .map(String::from)
                .to_vec(),
        ];
        for (at, bin) in tally
            .bins
            .iter()
            .enumerate()
            .filter(|(_, bin)| bin.count > 0)
        {
            let (low, count) = (at as f64 / tally.bins.len() as f64, bin.count as f64);
            let high = (at + 1) as f64 / tally.bins.len() as f64;
            rows.push(vec![
                format!("{low:.1} to {high:.1}"),
                bin.count.to_string(),
                format!("{:.3}", bin.values / count),
                format!("{:.3}", bin.results / count),
            ]);
        }
        text += &columns(&rows, &[1, 2, 3]);
    }
    let each = |slip: &Slip, what: &str| {
        let Slip { game, ply, name } = slip;
        format!("game {game}, move {ply}: {name} {what}\n")
    };
    text.extend(
        tally
            .slips
            .iter()
            .map(|slip| each(slip, "gives the result away")),
    );
    text.extend(
        tally
            .wrong
            .iter()
            .map(|slip| each(slip, "was known wrongly")),
    );
    text
}

fn to_json(tally: &AccuracyResults) -> Value {
    let moves = |slips: &[Slip]| -> Vec<Value> {
        let each = |slip: &Slip| json!({"game": slip.game, "move": slip.ply, "name": slip.name});
        slips.iter().map(each).collect()
    };
    let bins = tally.bins.iter().map(|bin| {
        let mean = |sum: f64| (bin.count > 0).then(|| sum / bin.count as f64);
        json!({"positions": bin.count, "mean": mean(bin.values), "result": mean(bin.results)})
    });
    json!({
        "games": tally.games,
        "moves": tally.moves,
        "judged": tally.judged,
        "holding": tally.holding,
        "slips": moves(&tally.slips),
        "proven": tally.proven,
        "wrong": moves(&tally.wrong),
        "unproven": tally.unproven(),
        "brier": tally.brier(),
        "log_loss": tally.log_loss(),
        "calibration_error": tally.calibration_error(),
        "bins": bins.collect::<Vec<_>>(),
    })
}
