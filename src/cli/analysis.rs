//! `tanada analysis`: questions and answers as lines of JSON on standard input and output.

use std::io;

use crate::analysis::{Options, Perspective, PerspectiveError, TIME_AFTER_END, serve};
use crate::params::Params;
use crate::util::random;

use super::Failure;
use super::options::{EngineOptions, number_in, seconds_from_zero};

/// What `tanada analysis` takes.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// Positions that are searched at once, 1 to 256 [default: one for each core]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    analysis_threads: Option<String>,
    /// Whose winning chances are told: SIDETOMOVE, BLACK or WHITE [default: SIDETOMOVE]
    #[arg(long, value_name = "VIEW")]
    report_winrates_as: Option<String>,
    /// At the end of the input, drops what is not answered yet and quits at once
    #[arg(long)]
    quit_without_waiting: bool,
    /// At the end of the input, how long each search without a time limit may go on; then it is
    /// answered with what it has [default: 60]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time_after_end: Option<String>,
    /// How each position is searched: one thread, unless `--threads` says otherwise; `--memory`
    /// is for all positions together
    #[command(flatten)]
    engine: EngineOptions,
}

/// Answers until the input has ended and everything is answered.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let positions = number_in(&arguments.analysis_threads, "--analysis-threads", 1..=256)?;
    let settings = arguments.engine.settings_from(Params {
        threads: 1,
        seed: random::system_seed(),
        ..Params::default()
    })?;
    let perspective = match &arguments.report_winrates_as {
        None => Perspective::default(),
        Some(text) => text
            .parse()
            .map_err(|error: PerspectiveError| Failure::input(error))?,
    };
    let time_after_end = match &arguments.time_after_end {
        None => TIME_AFTER_END,
        Some(text) => seconds_from_zero(text, "--time-after-end")?,
    };
    let all = || std::thread::available_parallelism().map_or(1, |n| n.get());
    let options = Options {
        positions: positions.unwrap_or_else(all),
        params: settings.params,
        perspective,
        quits_without_waiting: arguments.quit_without_waiting,
        time_after_end,
    };
    Ok(serve(&options, io::stdin(), io::stdout())?)
}
