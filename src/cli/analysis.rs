//! `tanada analysis`: queries and answers as lines of JSON on standard input and output.

use std::io;
use std::time::Duration;

use crate::analysis::{Options, Perspective, TIME_AFTER_END, serve};
use crate::params::Params;
use crate::util::random;
use crate::util::threads::cores;

use super::Failure;
use super::options::{EngineOptions, USUAL_TIME, help_with};
use super::values::{count, seconds_from_zero};

const THREADS: &str = "Search threads of each position; 0 is one for each core";
const TIME: &str = "Maximum time for a position without `maxVisits`, in seconds";
const MEMORY: &str = "Maximum memory for the search trees of all positions together, in MiB";

#[derive(clap::Args, Clone)]
#[command(
    mut_arg("threads", |threads| threads.help(help_with("threads", Some(THREADS), Some("1")))),
    mut_arg("time_per_move", |time| time.help(help_with("time_per_move", Some(TIME), Some(USUAL_TIME)))),
    mut_arg("memory", |memory| memory.help(help_with("memory", Some(MEMORY), None))),
    after_help = "\
Examples:
  tanada analysis < requests.jsonl > answers.jsonl
  tanada analysis --analysis-threads 2 --iterations 2000 --report-winrates-as BLACK"
)]
pub(super) struct Arguments {
    /// Positions to search at once, 1 to 256 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = count(1..=256))]
    analysis_threads: Option<usize>,
    /// Side whose winning chances are reported: SIDETOMOVE, BLACK or WHITE
    #[arg(long, value_name = "SIDE", default_value_t)]
    report_winrates_as: Perspective,
    /// Quit at the end of the input, without answering the queries that are left
    #[arg(long)]
    quit_without_waiting: bool,
    /// Seconds that a search without a time limit may continue after the end of input; then it is
    /// answered with what it has [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds_from_zero)]
    time_after_end: Option<Duration>,
    #[command(flatten)]
    engine: EngineOptions,
}

/// Answers until the input has ended and everything is answered.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let params = arguments.engine.params_from(Params {
        threads: 1,
        seed: random::system_seed(),
        ..Params::default()
    })?;
    let options = Options {
        positions: arguments.analysis_threads.unwrap_or_else(cores),
        params,
        perspective: arguments.report_winrates_as,
        quits_without_waiting: arguments.quit_without_waiting,
        time_after_end: arguments.time_after_end.unwrap_or(TIME_AFTER_END),
    };
    Ok(serve(&options, io::stdin(), io::stdout())?)
}
