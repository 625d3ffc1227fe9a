//! `tanada openings`: balanced openings for matches.

use crate::lab::matches::balance::{BalanceError, BalanceSettings, BalancedOpening};
use crate::lab::matches::{EngineSpec, Limit, LongWait, opening};
use crate::util::files::Kind;
use clap::Args;

use super::failure::invalid_value;
use super::file::{self, ForceOption};
use super::interrupt;
use super::matches;
use super::options::{BoardOptions, MOST, number_in, share};
use super::progress::bar;
use super::{Failure, counted, note};

/// The limit of a judge for which none is given.
const JUDGE_LIMIT: Limit = Limit::Iterations(20_000);

#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    board: BoardOptions,
    /// The engine that judges, in the form of `tanada match --engine` [default: this build with
    /// iterations=20000]
    #[arg(long, value_name = "SETTINGS")]
    engine: Option<String>,
    /// How many openings
    #[arg(
        long,
        value_name = "N",
        default_value = "100",
        allow_negative_numbers = true
    )]
    count: String,
    /// Random moves of each
    #[arg(
        long,
        value_name = "N",
        default_value = "6",
        allow_negative_numbers = true
    )]
    plies: String,
    /// The least chance of the first to move, 0 to 1
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0.4",
        allow_negative_numbers = true
    )]
    low: String,
    /// The greatest
    #[arg(
        long,
        value_name = "CHANCE",
        default_value = "0.6",
        allow_negative_numbers = true
    )]
    high: String,
    /// Give up after this many random openings in a row without a new one
    #[arg(
        long,
        value_name = "N",
        default_value = "200",
        allow_negative_numbers = true
    )]
    tries: String,
    /// Where the random moves start
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_negative_numbers = true
    )]
    seed: String,
    /// Searches side by side, at most one a core; the openings do not depend on it
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_negative_numbers = true
    )]
    concurrency: String,
    /// The file to be written, one line of moves each; else standard output
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
    #[command(flatten)]
    force: ForceOption,
}

/// The files that this command writes.
const KIND: Kind<'_> = Kind {
    maker: "tanada openings --out",
    is_own: &|head| {
        let what = [" opening of ", " openings of "];
        file::is_list(head, &what, &[" random ply on ", " random plies on "])
    },
};

fn whole(text: &str, option: &str, least: usize) -> Result<usize, Failure> {
    // A text that is there stands for a number, or is refused.
    Ok(number_in(&Some(text.to_string()), option, least..=MOST)?.unwrap_or(least))
}

fn chance(text: &str, option: &str) -> Result<f64, Failure> {
    share(text).map_err(|expected| invalid_value(text, option, expected))
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let concurrency = matches::one_a_core(&Some(arguments.concurrency.clone()))?;
    let (low, high) = (
        chance(&arguments.low, "--low")?,
        chance(&arguments.high, "--high")?,
    );
    if low >= high {
        return Err(Failure::Input(format!(
            "`--low {low}` and `--high {high}` leave nothing between, expected low < high"
        )));
    }
    let mut judge = EngineSpec::parse(arguments.engine.as_deref().unwrap_or_default(), JUDGE_LIMIT)
        .map_err(Failure::input)?;
    if judge.name.is_empty() {
        judge.name = format!("Tanada {}", env!("CARGO_PKG_VERSION"));
    }
    let wanted = BalanceSettings {
        configuration: arguments.board.configuration()?,
        judge,
        count: whole(&arguments.count, "--count", 1)?,
        plies: whole(&arguments.plies, "--plies", 0)?,
        chance: (low, high),
        tries: whole(&arguments.tries, "--tries", 1)?,
        seed: whole(&arguments.seed, "--seed", 0)? as u64,
        concurrency,
    };
    let out = arguments
        .force
        .output("--out", arguments.out.as_ref(), KIND);
    let inputs = [
        arguments.board.setup_file(),
        wanted.judge.weights.as_deref(),
    ];
    file::check(&[out], &inputs)?;
    let stop = interrupt::stop_flag()?;
    let bar = bar(wanted.count as u64, "openings");
    let after = |count| bar.set_position(count as u64);
    let waiting = |wait: &LongWait<'_>| bar.suspend(|| note(&wait.to_string()));
    let (openings, end) = wanted.make(&stop, &after, &waiting);
    bar.finish_and_clear();
    if openings.is_empty() {
        end.map_err(failure)?;
        return Ok(());
    }
    let text = describe(&wanted, &openings);
    let count = format!("{} of {} openings", openings.len(), wanted.count);
    let place = file::deliver(out.as_ref(), &text)?;
    match end {
        Ok(()) => {
            if out.is_some() {
                let count = counted(openings.len(), "opening", "openings");
                note(&format!("{count} {place}"));
            }
            Ok(())
        }
        Err(BalanceError::Interrupted) => Err(Failure::Interrupted(format!(
            "interrupted: {count} are {place}"
        ))),
        Err(error) => Err(Failure::Other(format!(
            "{}; {count} are {place}",
            advise(&error)
        ))),
    }
}

/// Why there are no openings at all.
fn failure(error: BalanceError) -> Failure {
    match error {
        BalanceError::Interrupted => Failure::Interrupted(
            "interrupted before the first opening was found; nothing was written".to_string(),
        ),
        BalanceError::Judge { .. } => Failure::Other(error.to_string()),
        error => Failure::Input(advise(&error)),
    }
}

/// The error, with what to change where too few openings were found.
fn advise(error: &BalanceError) -> String {
    match error {
        BalanceError::Few { .. } => format!(
            "{error}; move `--low` and `--high` apart, change `--plies`, or raise `--tries`"
        ),
        error => error.to_string(),
    }
}

/// The file: how it was made, then a line for each opening with the chance of the first to move.
fn describe(wanted: &BalanceSettings, openings: &[BalancedOpening]) -> String {
    let size = wanted.configuration.side();
    let judge = &wanted.judge;
    let mut settings = vec![judge.limit.to_string()];
    settings.extend(
        judge
            .options
            .iter()
            .map(|(key, value)| format!("{key}={value}")),
    );
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
        text.push_str(&format!("{moves} # {:.3}\n", opening.chance));
    }
    text
}
