//! `tanada openings`: makes balanced openings for matches.

use crate::lab::matches::balance::{BalanceError, BalanceSettings, BalancedOpening};
use crate::lab::matches::{EngineError, EngineSpec, Limit, LongWait, opening};
use crate::util::files::Kind;
use clap::Args;

use super::file::{self, ForceOption};
use super::interrupt;
use super::options::BoardOptions;
use super::progress::bar;
use super::values::{MOST, count, one_a_core, share, whole};
use super::{Failure, bail, counted, note};

const JUDGE_LIMIT: Limit = Limit::Iterations(20_000);

#[derive(Args, Clone)]
#[command(after_help = "\
Examples:
  tanada openings --size 9 --count 50 --out openings.txt
  tanada openings --plies 4 --low 0.45 --high 0.55 --engine iterations=5000")]
pub(super) struct Arguments {
    /// Engine that judges, in the form of `tanada match --engine` [default: this build with
    /// iterations=20000]
    #[arg(
        long,
        value_name = "SETTINGS",
        default_value = "",
        hide_default_value = true,
        value_parser = judge
    )]
    engine: EngineSpec,
    /// Number of openings
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count(1..=MOST))]
    count: usize,
    /// Random moves of each opening
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = count(0..=MOST))]
    plies: usize,
    /// Lowest winning chance of the first player, 0 to 1
    #[arg(long, value_name = "CHANCE", default_value_t = 0.4, value_parser = share)]
    low: f64,
    /// Highest winning chance of the first player, 0 to 1
    #[arg(long, value_name = "CHANCE", default_value_t = 0.6, value_parser = share)]
    high: f64,
    /// Give up after this many random openings in a row without a new one
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = count(1..=MOST))]
    tries: usize,
    /// Seed of the random moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Searches to run at once, at most one per core; the openings do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = one_a_core)]
    concurrency: usize,
    /// File to write, one opening per line [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
    #[command(flatten)]
    force: ForceOption,
    #[command(flatten)]
    board: BoardOptions,
}

fn judge(text: &str) -> Result<EngineSpec, EngineError> {
    let mut judge = EngineSpec::parse(text, JUDGE_LIMIT)?;
    if judge.name.is_empty() {
        judge.name = format!("Tanada {}", env!("CARGO_PKG_VERSION"));
    }
    Ok(judge)
}

const KIND: Kind<'_> = Kind {
    maker: "tanada openings --out",
    is_own: &|head| {
        let what = [" opening of ", " openings of "];
        file::is_list(head, &what, &[" random ply on ", " random plies on "])
    },
};

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (low, high) = (arguments.low, arguments.high);
    if low >= high {
        bail!(Input: "`--low {low}` must be below `--high {high}`");
    }
    let wanted = BalanceSettings {
        configuration: arguments.board.configuration()?,
        judge: arguments.engine.clone(),
        count: arguments.count,
        plies: arguments.plies,
        chance: (low, high),
        tries: arguments.tries,
        seed: arguments.seed,
        concurrency: arguments.concurrency,
    };
    let out = arguments.force.output("--out", &arguments.out, KIND);
    let weights = wanted.judge.weights.as_deref();
    file::check(&[out], &[arguments.board.setup_file(), weights])?;
    let stop = interrupt::stop_flag()?;
    let bar = bar(wanted.count as u64, "openings");
    let after = |count| bar.set_position(count as u64);
    let waiting = |wait: &LongWait<'_>| bar.suspend(|| note(&wait.to_string()));
    let (openings, end) = wanted.make(&stop, &after, &waiting);
    bar.finish_and_clear();
    let end = end.map_err(|error| match error {
        BalanceError::Interrupted => Failure::Interrupted(error.to_string()),
        BalanceError::Judge { .. } => Failure::Other(error.to_string()),
        BalanceError::Few { .. } => Failure::Input(format!(
            "{error}; widen `--low` to `--high`, change `--plies`, or raise `--tries`"
        )),
        error => Failure::input(error),
    });
    file::deliver_list(
        out.as_ref(),
        || describe(&wanted, &openings),
        [openings.len(), wanted.count],
        ["opening", "openings"],
        end,
        "",
    )
}

/// The file: how it was made, then a line for each opening with the chance of the first to move.
fn describe(wanted: &BalanceSettings, openings: &[BalancedOpening]) -> String {
    let size = wanted.configuration.side();
    let judge = &wanted.judge;
    let options = judge.options.iter();
    let mut settings = vec![judge.limit.to_string()];
    settings.extend(options.map(|(key, value)| format!("{key}={value}")));
    let mut text = format!(
        "# {} of {} on {size}x{size}, seed {}; chance of the first to move {} to {}\n\
         # judged by {}: {}\n",
        counted(
            file::count(openings.len(), wanted.count),
            "opening",
            "openings"
        ),
        counted(wanted.plies, "random ply", "random plies"),
        wanted.seed,
        wanted.chance.0,
        wanted.chance.1,
        judge.name,
        settings.join(","),
    );
    for opening in openings {
        let moves = opening::line(&opening.moves, wanted.configuration.start());
        text += &format!("{moves} # {:.3}\n", opening.chance);
    }
    text
}
