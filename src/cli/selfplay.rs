//! `tanada selfplay`: games against itself, as samples for a network.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use clap::Args;
use tanada::matches::opening::Openings;
use tanada::params::Params;
use tanada::start::read_text;
use tanada::train::selfplay::{self, Settings};

use super::options::{BoardOptions, set_elsewhere, whole_from};
use super::progress::bar;
use super::{Failure, note};

#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    board: BoardOptions,
    /// Where all randomness starts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_from(0, u64::MAX), allow_negative_numbers = true)]
    seed: u64,
    /// Games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole_from(1, 100_000_000), allow_negative_numbers = true)]
    games: u64,
    /// Iterations a move
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = whole_from(1, 1_000_000_000), allow_negative_numbers = true)]
    iterations: u64,
    /// Random moves at the beginning of a game: any number up to this
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole_from(0, 1000), allow_negative_numbers = true)]
    plies: u64,
    /// Moves after those that are drawn in proportion to their visits
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole_from(0, 1000), allow_negative_numbers = true)]
    drawn: u64,
    /// Games side by side; what is written does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_from(1, 256), allow_negative_numbers = true)]
    concurrency: u64,
    /// Sets a parameter, in turn; threads, memory, seed and iterations are set otherwise [default:
    /// those of the preset `network`]
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// A file of weights to play with instead of the embedded ones
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// Where the samples go; a file that is there is overwritten
    #[arg(long, value_name = "FILE")]
    out: String,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let configuration = arguments.board.configuration()?;
    let start = configuration.start();
    let mut params = Params::default();
    let names = ["iterations", "seed", "threads", "memory"];
    let expected = "`--iterations` or `--seed`; threads and memory are what a game needs";
    set_elsewhere(&arguments.set, &names, expected)?;
    for setting in &arguments.set {
        params.assign(setting).map_err(Failure::input)?;
    }
    let weights: Option<Arc<str>> = match &arguments.weights {
        None => None,
        Some(path) => {
            let text = read_text(path).map_err(Failure::input)?;
            start
                .check_weights(&text)
                .map_err(|error| Failure::Input(format!("weights `{path}`: {error}")))?;
            Some(text.into())
        }
    };
    let Some(head) = selfplay::head(start) else {
        return Err(Failure::Input(
            "there is no network for this start, expected Tanbo of Black and White".to_string(),
        ));
    };
    let settings = Settings {
        seed: arguments.seed,
        games: arguments.games as usize,
        iterations: arguments.iterations,
        opening_plies: arguments.plies as usize,
        drawn_plies: arguments.drawn as usize,
        params,
        weights,
    };
    let plies = settings.opening_plies;
    let first = Openings::Random { plies }.moves(start, settings.seed, 0);
    first.map_err(Failure::input)?;
    let path = &arguments.out;
    let failed = |error: std::io::Error| Failure::Other(format!("cannot write `{path}`: {error}"));
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    out.write_all(head.as_bytes()).map_err(failed)?;
    let bar = bar(arguments.games, "games");
    let concurrency = arguments.concurrency as usize;
    let count = selfplay::write(start, &settings, concurrency, &mut out, &|| bar.inc(1));
    bar.finish_and_clear();
    let count = count.map_err(failed)?;
    out.flush().map_err(failed)?;
    note(&format!("{count} samples of {} games", arguments.games));
    Ok(())
}
