//! `tanada perft`: how many legal sequences of moves there are of each length.

use std::time::Instant;

use serde::Serialize;

use super::options::{BoardOptions, number_in};
use super::{Failure, note, print, print_json};

/// The greatest depth; nobody sees the end of it.
const MAX_DEPTH: usize = 64;

/// What `tanada perft` takes.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct Arguments {
    /// The length of the longest sequences, 1 to 64
    #[arg(long, value_name = "D", required = true, allow_negative_numbers = true)]
    depth: Option<String>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    board: BoardOptions,
}

#[derive(Serialize)]
struct Counts {
    depth: usize,
    /// The number of sequences of length 1, 2, ...
    counts: Vec<u64>,
    seconds: f64,
}

/// Prints a line `length count` for each length as soon as it is known.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let depth = number_in(&arguments.depth, "--depth", 1..=MAX_DEPTH)?.unwrap_or(0);
    let configuration = arguments.board.configuration()?;
    let start = Instant::now();
    let mut counts = Vec::new();
    for length in 1..=depth {
        let count = configuration.start().perft(length as u32);
        counts.push(count);
        if !arguments.json {
            print(&format!("{length} {count}\n"))?;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    if arguments.json {
        return print_json(&Counts {
            depth,
            counts,
            seconds,
        });
    }
    let total: u64 = counts.iter().sum();
    note(&format!(
        "{total} sequences in {seconds:.3} s, {:.0} a second",
        total as f64 / seconds.max(1e-9)
    ));
    Ok(())
}
