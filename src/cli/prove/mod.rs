//! `tanada prove`: finds by parts who wins with best play.

mod delegate;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};

use super::game::{self, GameOptions};
use super::output::columns;
use super::values::{cores, count, seconds, whole};
use super::{Failure, bail, counted, interrupt, note, print_as, print_json, progress, shorten};
use crate::engine::Engine;
use crate::game::Seat;
use crate::lab::prove::{self, Proof, ProveError, ProveProgress, ProveSettings, prove};
use crate::params::Params;
use crate::tanbo::{Start, Tanbo, colour, variant};
use crate::util::break_if;
use crate::variant::Variant;
use delegate::{End, MOST_JOBS, Peer};

/// Time between two lines about the progress where standard error is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Args, Clone)]
#[command(after_help = "\
The engine guesses who wins the positions some plies down and chooses the cheapest set of guesses \
that decides the question; the solver tests them one by one. What it finds is appended to \
FOLDER/results.log, so the same command continues a run, however it ended.

With `--delegate` lines of JSON on standard output ask for positions to be solved, and lines on \
standard input answer; the guide says how. scripts/cluster/prove.py has them solved by many machines.

Exit status: 0 if the winner is known, 1 if the log could not be written, 2 for wrong arguments or \
files, 3 after `--time`, 130, 143 or 129 after a signal, 130 at the end of the input with `--delegate`.

Examples:
  tanada prove six --size 6 --setup corners --nodes 200000
  tanada prove six --nodes 200000")]
pub(super) struct Arguments {
    /// Folder of the proof, created if it does not exist
    folder: PathBuf,
    /// Expand positions that are expected to need more nodes than this, 10^3 to 10^12
    #[arg(
        long,
        value_name = "N",
        default_value = "50000000",
        value_parser = whole(1_000..=1_000_000_000_000)
    )]
    nodes: u64,
    /// Iterations of the engine for each guess, 1 to 10^6
    #[arg(long, value_name = "N", default_value = "200", value_parser = whole(1..=1_000_000))]
    iterations: u64,
    /// Positions that are searched at the same time, each by one thread [default: one for each core]
    #[arg(long, value_name = "N", value_parser = count(1..=1024))]
    threads: Option<usize>,
    /// Maximum memory for the table of known results, from 1 MiB, rounded down to a power of two
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = count(1..=1 << 24))]
    memory: usize,
    /// Stop after this many seconds [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Let another program solve positions, at most N at once, by lines on standard output and input
    #[arg(long, value_name = "N", value_parser = count(1..=MOST_JOBS), conflicts_with = "json")]
    delegate: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    game: GameOptions,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let start = arguments.start()?;
    let settings = ProveSettings {
        folder: arguments.folder.clone(),
        start,
        nodes: arguments.nodes,
        iterations: arguments.iterations,
        threads: arguments.threads.unwrap_or_else(cores),
        bytes: arguments.memory << 20,
    };
    let stop = interrupt::stop_flag()?;
    let begin = Instant::now();
    let deadline = arguments.time.and_then(|time| begin.checked_add(time));
    let bar = progress::nodes(None);
    let mut last_line = begin;
    let mut peer = arguments.delegate.map(Peer::new);
    let mut on_progress = |progress: &ProveProgress| {
        let line = describe(progress);
        bar.set_position(progress.nodes);
        if last_line.elapsed() >= LINE_INTERVAL && !io::stderr().is_terminal() {
            last_line = Instant::now();
            note(&format!("{} nodes, {line}", progress.nodes));
        }
        bar.set_message(line);
        break_if(stop.load(Relaxed) || deadline.is_some_and(|at| Instant::now() >= at))
    };
    let proof = match &mut peer {
        Some(peer) => prove::delegate(&settings, peer, &mut on_progress),
        None => prove(&settings, &mut on_progress),
    };
    bar.finish_and_clear();
    let folder = shorten(&arguments.folder.to_string_lossy());
    let proof = proof.map_err(|error| {
        let text = format!("`{folder}`: {error}");
        match error {
            ProveError::Unwritten(_) | ProveError::Unsent(_) => Failure::Other(text),
            ProveError::UnknownJob(_) => Failure::Input(format!("standard input: {error}")),
            _ => Failure::Input(text),
        }
    })?;
    let winner = proof
        .won
        .map(|won| winner(proof.start.setup().to_move, won));
    let seconds = begin.elapsed().as_secs_f64();
    let end = peer.as_ref().and_then(Peer::end);
    if let (None, Some(End::Refused(error))) = (winner, end) {
        bail!(Input: "standard input: {error}");
    }
    let (as_json, as_text) = (
        as_json(&proof, winner, seconds),
        as_text(&proof, winner, seconds),
    );
    match peer {
        Some(_) => print_json(&json!({"done": as_json, "text": as_text}))?,
        None => print_as(arguments.json, &as_json, || as_text)?,
    }
    match winner {
        Some(_) => Ok(()),
        None if end.is_some() && !stop.load(Relaxed) => {
            bail!(
                Interrupted: "the input ended before the winner was known; `{folder}` keeps what is known"
            )
        }
        None if stop.load(Relaxed) => {
            bail!(Interrupted: "stopped before the winner was known; `{folder}` keeps what is known")
        }
        None => {
            let time = arguments.time.unwrap_or_default().as_secs_f64();
            bail!(
                Undecided: "`--time {time}` ended before the winner was known; `{folder}` keeps what is known"
            )
        }
    }
}

impl Arguments {
    /// The position, if one is given.
    fn start(&self) -> Result<Option<Start>, Failure> {
        if !self.game.is_given() {
            return Ok(None);
        }
        let record = self.game.game_record("prove")?;
        let engine = game::engine(&record, Params::default());
        game::running(&engine)?;
        tanbo_start(&engine).map(Some)
    }
}

fn tanbo_start(engine: &Engine) -> Result<Start, Failure> {
    let title = engine.variant().title();
    let stones = engine
        .stones()
        .filter(|_| engine.variant().name() == Tanbo.name());
    let Some(stones) = stones else {
        bail!(Input: "`tanada prove` is for Tanbo, not for {title}");
    };
    let setup = variant::setup(stones, engine.to_move());
    setup.check(Some(2)).map_err(Failure::input)
}

fn winner(to_move: Seat, won: bool) -> Seat {
    if won == (to_move == colour::BLACK) {
        colour::BLACK
    } else {
        colour::WHITE
    }
}

/// The hours that the frontier takes at the speed of this run.
fn hours(progress: &ProveProgress) -> Option<f64> {
    let seconds = progress.left * progress.seconds / progress.searched as f64;
    let seconds = seconds / progress.solvers as f64;
    (progress.searched > 0).then_some(seconds / 3600.0)
}

fn describe(progress: &ProveProgress) -> String {
    let left = hours(progress).map_or(String::new(), |hours| format!(", {hours:.1} h"));
    let error = progress.error.map_or(String::new(), |error| {
        format!(", predictions typically off by a factor of {error:.1}")
    });
    format!(
        "done {}; this run {} as expected, {} not; frontier {}, {} of them to expand, {:.1e} nodes{left}{error}",
        progress.done,
        progress.held,
        progress.refuted,
        progress.frontier,
        progress.large,
        progress.left
    )
}

fn as_text(proof: &Proof, winner: Option<Seat>, seconds: f64) -> String {
    let progress = &proof.progress;
    let title = match winner {
        Some(seat) => format!("{} wins\n", colour::word(seat)),
        None => "the winner is not known yet\n".to_string(),
    };
    let row = |name: &str, value: String| [name.to_string(), value];
    let mut rows = vec![
        row(
            "positions",
            counted(
                progress.done as usize,
                "position solved",
                "positions solved",
            ),
        ),
        row(
            "this run",
            format!("{} as expected, {} not", progress.held, progress.refuted),
        ),
        row("nodes", progress.nodes.to_string()),
        row("seconds", format!("{seconds:.1}")),
    ];
    if winner.is_none() {
        rows.push(row(
            "frontier",
            counted(progress.frontier, "position", "positions"),
        ));
        rows.push(row("nodes left", format!("{:.1e}", progress.left)));
    }
    title + &columns(&rows, &[])
}

fn as_json(proof: &Proof, winner: Option<Seat>, seconds: f64) -> Value {
    let progress = &proof.progress;
    json!({
        "position": proof.question,
        "winner": winner.map(colour::word),
        "solved": progress.done,
        "as_expected": progress.held,
        "refuted": progress.refuted,
        "nodes": progress.nodes,
        "searched": progress.searched,
        "seconds": seconds,
        "frontier": progress.frontier,
        "nodes_left": progress.left,
        "prediction": {
            "coefficients": progress.coefficients,
            "error": progress.error,
        },
    })
}
