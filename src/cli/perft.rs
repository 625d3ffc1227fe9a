//! `tanada perft`: counts the legal sequences of moves of each length.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::variant::SharedStart;
use serde::Serialize;

use super::options::BoardOptions;
use super::values::count;
use super::{Failure, bail, counted, interrupt, note, print, print_json};

/// The greatest depth; counting that far would never end.
const MAX_DEPTH: usize = 64;
/// How often it checks whether it was interrupted.
const INTERVAL: Duration = Duration::from_millis(50);

#[derive(clap::Args, Clone)]
#[command(after_help = "\
Examples:
  tanada perft --depth 4 --size 9
  tanada perft --depth 3 --game taratibu --json")]
pub(super) struct Arguments {
    /// Length of the longest sequences, 1 to 64 moves
    #[arg(long, value_name = "N", value_parser = count(1..=MAX_DEPTH))]
    depth: usize,
    /// Print one JSON object
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

/// Prints a line `length count` as soon as a length is counted.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let depth = arguments.depth;
    let configuration = arguments.board.configuration()?;
    let stop = interrupt::stop_flag()?;
    let start = Instant::now();
    let mut counts = Vec::new();
    for length in 1..=depth {
        let Some(count) = sequences(configuration.start(), length, &stop)? else {
            break;
        };
        counts.push(count);
        if !arguments.json {
            print(&format!("{length} {count}\n"))?;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let (known, total) = (counts.len(), counts.iter().sum::<u64>());
    if arguments.json {
        print_json(&Counts {
            depth: known,
            counts,
            seconds,
        })?;
    }
    if known < depth {
        bail!(Interrupted: "interrupted after depth {known}");
    }
    if !arguments.json {
        note(&format!(
            "{} in {seconds:.3} s, {:.0} a second",
            counted(total, "sequence", "sequences"),
            total as f64 / seconds.max(1e-9)
        ));
    }
    Ok(())
}

/// The number of sequences of this length, or `None` if a signal came first. Counting cannot be
/// stopped, so it runs in a thread of its own, which ends with the program.
fn sequences(
    start: &SharedStart,
    length: usize,
    stop: &AtomicBool,
) -> Result<Option<u64>, Failure> {
    let start = start.clone();
    let (to, counted) = channel();
    let count = move || to.send(start.perft(length as u32));
    let thread = thread::Builder::new().spawn(count);
    thread.map_err(|error| Failure::no_thread(&error))?;
    loop {
        match counted.recv_timeout(INTERVAL) {
            Ok(count) => return Ok(Some(count)),
            Err(RecvTimeoutError::Timeout) if !stop.load(Relaxed) => {}
            Err(_) => return Ok(None),
        }
    }
}
