//! `tanada accuracy`: compares games on a small board with the exact solver.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::lab::accuracy::{AccuracyResults, AccuracySettings, Slip};
use crate::util::wilson::{Z_95, wilson};
use clap::Args;
use serde_json::{Value, json};

use super::interrupt;
use super::options::{BoardOptions, judged_engine};
use super::progress::bar;
use super::values::{MOST, Setting, count, one_a_core, seconds, whole};
use super::{Failure, bail, counted, print_as, table};

/// The default board, the largest that the solver decides in seconds.
const SIDE: usize = 6;
/// The largest board that the solver takes.
const LARGEST: usize = 10;

#[derive(Args, Clone)]
#[command(
    mut_arg("size", |size| size.help(
        "Points per row: 4 to 10 [default: 6, or the size of the file; needed with a named setup]"
    )),
    after_help = "\
Examples:
  tanada accuracy                                # 20 games on 6x6 at 0.1 s a move
  tanada accuracy --size 5 --iterations 50 --json"
)]
pub(super) struct Arguments {
    /// Number of games of the engine against itself
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = count(1..=MOST))]
    games: usize,
    /// Random moves at the beginning of each game, which are not judged
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = count(0..=MOST))]
    plies: usize,
    /// Seconds per move
    #[arg(long, value_name = "SECONDS", default_value = "0.1", value_parser = seconds)]
    time: Duration,
    /// Iterations per move, instead of a time; with one thread the games are reproducible
    #[arg(long, value_name = "N", conflicts_with = "time", value_parser = whole(1..=MOST as u64))]
    iterations: Option<u64>,
    /// Maximum number of solver nodes for a position; a position that needs more is left out
    #[arg(long, value_name = "N", default_value_t = 100_000_000, value_parser = whole(1..=MOST as u64))]
    nodes: u64,
    /// Maximum memory for the solver's table in each concurrent game, 16 to 1048576 MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = count(16..=1 << 20))]
    memory: usize,
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Games to play at once, at most one per core
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = one_a_core)]
    concurrency: usize,
    /// Set a parameter of the engine (`tanada params` lists all); may be repeated. The engine has
    /// one thread and 256 MiB by default; `solve_points=0` switches its own solver off
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    set: Vec<Setting>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    board: BoardOptions,
}

impl Arguments {
    fn settings(&self) -> Result<AccuracySettings, Failure> {
        let mut params = judged_engine(&self.set, "`--iterations`, `--time` or `--seed`")?;
        match self.iterations {
            Some(iterations) => params.iterations = Some(iterations),
            None => params.time_per_move = Some(self.time.as_secs_f64()),
        }
        let start = self.board.configuration_or(Some(SIDE))?.start().clone();
        if start.players().len() == 2 && start.side() > LARGEST {
            bail!(
                Input: "invalid board size `{}`: `accuracy` needs at most {LARGEST}x{LARGEST}, such as `--size {SIDE}`",
                start.side()
            );
        }
        Ok(AccuracySettings {
            start,
            games: self.games,
            plies: self.plies,
            seed: self.seed,
            params,
            nodes: self.nodes,
            bytes: self.memory << 20,
            concurrency: self.concurrency,
        })
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = arguments.settings()?;
    let stop = interrupt::stop_flag()?;
    let bar = bar(settings.games as u64, "games");
    let tally = settings.run(&stop, &|done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let tally = tally.map_err(Failure::input)?;
    print_as(arguments.json, &to_json(&tally), || report(&tally))?;
    if stop.load(Relaxed) {
        let (done, all) = (tally.games, settings.games);
        bail!(Interrupted: "interrupted: {done} of {all} games were played and judged");
    }
    if !tally.wrong.is_empty() {
        bail!(Other: "the search and the solver disagree about proven results");
    }
    Ok(())
}

fn report(tally: &AccuracyResults) -> String {
    let slips = tally.slips.len();
    let (low, high) = wilson(slips as f64, tally.judged as f64, Z_95);
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
    let mut text = format!(
        "{}, {}, {} of them judged\n\
         {slips} of {} moves ({:.1} %, 95 % interval {:.1} to {:.1}) threw the result away; \
         {:.1} % of the {} moves that could\n\
         {} proven by the search, {} of them wrongly\n",
        counted(tally.games, "game", "games"),
        counted(tally.moves, "move", "moves"),
        tally.judged,
        tally.judged,
        percent(slips, tally.judged),
        100.0 * low,
        100.0 * high,
        percent(slips, tally.holding),
        tally.holding,
        counted(tally.proven, "position", "positions"),
        tally.wrong.len(),
    );
    let scores = (tally.brier(), tally.log_loss(), tally.calibration_error());
    if let (Some(brier), Some(loss), Some(error)) = scores {
        text += &format!(
            "{} other positions: Brier score {brier:.4}, log loss {loss:.4}, calibration error {error:.4}\n",
            tally.unproven()
        );
        let bins = tally.bins.iter().enumerate();
        let rows = bins.filter(|(_, bin)| bin.count > 0).map(|(at, bin)| {
            let end = |at: usize| at as f64 / tally.bins.len() as f64;
            [
                format!("{:.1} to {:.1}", end(at), end(at + 1)),
                bin.count.to_string(),
                format!("{:.3}", bin.values / bin.count as f64),
                format!("{:.3}", bin.results / bin.count as f64),
            ]
        });
        text += &table(["value", "positions", "mean", "result"], rows, &[1, 2, 3]);
    }
    for (slips, what) in [
        (&tally.slips, "threw the result away"),
        (&tally.wrong, "was proven wrongly"),
    ] {
        for Slip { game, ply, name } in slips {
            text += &format!("game {game}, move {ply}: {name} {what}\n");
        }
    }
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
