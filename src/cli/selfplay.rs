//! `tanada selfplay`: games against itself, as samples for a network.

use std::io::Write;
use std::sync::Arc;

use clap::Args;
use tanada::params::{Leaf, Params};
use tanada::start::read_weights;
use tanada::train::selfplay::{self, Settings, WriteError};

use super::file::{apart, probe, replace_with};
use super::options::{BoardOptions, set_elsewhere, whole_from};
use super::progress::bar;
use super::{Failure, note, shorten};

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
    /// Sets a parameter of the search, in turn [default: those of the preset `network`]
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// A file of weights to play with instead of the embedded ones; it says whether a network or
    /// the linear evaluation judges, whatever `leaf` is
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// Where the samples go; a file that is there is replaced at the end
    #[arg(long, value_name = "FILE")]
    out: String,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let configuration = arguments.board.configuration()?;
    let start = configuration.start();
    let mut params = Params::default();
    let names = [
        "iterations",
        "seed",
        "threads",
        "memory",
        "time_per_move",
        "resign",
        "ponder",
        "setup_echo",
    ];
    let expected = "`--iterations`, `--seed`, or what decides how it plays";
    set_elsewhere(&arguments.set, &names, expected)?;
    for setting in &arguments.set {
        params.assign(setting).map_err(Failure::input)?;
    }
    if params.leaf == Leaf::Greedy {
        return Err(Failure::Input(
            "`leaf=greedy` does not search, expected one whose visits can be learnt from"
                .to_string(),
        ));
    }
    if params.leaf == Leaf::Playout && arguments.weights.is_some() {
        return Err(Failure::Input(
            "`leaf=playout` needs no `--weights`, expected `network` or `linear`".to_string(),
        ));
    }
    let weights: Option<Arc<str>> = match &arguments.weights {
        None => None,
        Some(path) => Some(read_weights(path, start).map_err(Failure::input)?.into()),
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
    selfplay::check(start, &settings).map_err(Failure::input)?;
    apart(&[
        ("--out", Some(&arguments.out)),
        ("--weights", arguments.weights.as_ref()),
    ])?;
    probe(&arguments.out)?;
    let bar = bar(arguments.games, "games");
    let concurrency = arguments.concurrency as usize;
    let written = replace_with(&arguments.out, |out| {
        let failed = |error: std::io::Error| WriteError::Out(error);
        let count = out
            .write_all(head.as_bytes())
            .map_err(failed)
            .and_then(|()| selfplay::write(start, &settings, concurrency, out, &|| bar.inc(1)));
        count.map_err(|error| match error {
            WriteError::Game(error) => Failure::input(error),
            WriteError::Out(error) => Failure::Other(format!(
                "cannot write `{}`: {error}",
                shorten(&arguments.out)
            )),
        })
    });
    bar.finish_and_clear();
    let count = written?;
    note(&format!("{count} samples of {} games", arguments.games));
    Ok(())
}
