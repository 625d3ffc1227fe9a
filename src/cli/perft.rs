//! `tanada perft`: how many legal sequences of moves there are of each length.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::variant::SharedStart;
use serde::Serialize;

use super::options::{BoardOptions, number_in};
use super::{Failure, counted, interrupt, note, print, print_json};

/// The greatest depth; nobody sees the end of it.
const MAX_DEPTH: usize = 64;
/// How often it looks whether it was told to end.
const INTERVAL: Duration = Duration::from_millis(50);

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
    let stop = interrupt::stop_flag()?;
    let start = Instant::now();
    let mut counts = Vec::new();
    for length in 1..=depth {
        let Some(count) = count(configuration.start(), length, &stop) else {
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
        return Err(Failure::Interrupted(format!(
            "interrupted after depth {known}"
        )));
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

/// The number of sequences of this length; none if a signal came first. Counting looks at no flag, so
/// it goes on beside the thread that does, until the program ends.
fn count(start: &SharedStart, length: usize, stop: &AtomicBool) -> Option<u64> {
    let start = start.clone();
    let (to, counted) = channel();
    thread::spawn(move || to.send(start.perft(length as u32)));
    loop {
        match counted.recv_timeout(INTERVAL) {
            Ok(count) => return Some(count),
            Err(RecvTimeoutError::Timeout) if !stop.load(Relaxed) => {}
            Err(_) => return None,
        }
    }
}
