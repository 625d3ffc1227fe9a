//! `tanada solve`: a position in, who wins with best play.

mod answer;
mod search;

use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use crate::engine::Engine;
use crate::game::Outcome;
use crate::params::Params;
use crate::solver::{SolverLimits, checkpoint};
use crate::variant::{CheckpointFile, ExactSettings, SharedStart};

use self::answer::{Answer, text};
use self::search::{Saving, Search};
use super::failure::shorten;
use super::file::{self, ForceOption};
use super::game::{self, GameOptions};
use super::options::{number_in, seconds};
use super::{Failure, interrupt, note, print, print_json, progress};

/// What `tanada solve` takes.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXIT_STATUS)]
pub(super) struct Arguments {
    #[command(flatten)]
    game: GameOptions,
    /// Finds the value of each move of the position
    #[arg(long)]
    all_moves: bool,
    /// Finds how many plies the game lasts when the winner wins as quickly as it can and the
    /// loser resists as long as it can; the line is such a game
    #[arg(long)]
    length: bool,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
    /// Memory of the table of known results at most, in MiB, 16 to what the machine has; a power
    /// of two is used [default: 1024, or half of the machine's]
    #[arg(long, value_name = "MIB", allow_negative_numbers = true)]
    memory: Option<String>,
    /// Threads, 1 to 1024 [default: all processors]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    threads: Option<String>,
    /// Seconds after which it gives up; a certificate of a result that was found is written even
    /// so [default: no limit]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time: Option<String>,
    /// Nodes after which it gives up, those of the checkpoint among them, 1 to 10^15 [default: no
    /// limit]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    nodes: Option<String>,
    /// A file that keeps what is known: written now and then and at the end, and gone on from if
    /// it is there
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<String>,
    /// Seconds between two writings of the checkpoint [default: 60]
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "checkpoint",
        allow_negative_numbers = true
    )]
    checkpoint_every: Option<String>,
    /// Writes a strategy for the winner that others can check, with `tanada verify` or without;
    /// that may take longer than the search, whatever `--time` and `--nodes` say
    #[arg(long, value_name = "FILE")]
    certificate: Option<String>,
    /// Takes the moves in no particular order: the results are the same, and take longer
    #[arg(long)]
    unordered: bool,
    #[command(flatten)]
    force: ForceOption,
}

/// Solves, prints.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let settings = arguments.settings()?;
    let time = arguments.time.as_deref();
    let time = time.map(|text| seconds(text, "--time")).transpose()?;
    let most = 1_000_000_000_000_000;
    let nodes = number_in(&arguments.nodes, "--nodes", 1..=most)?.map(|nodes| nodes as u64);
    let record = arguments.game.game_record("solve")?;
    let engine = game::engine(&record, Params::default());
    game::running(&engine)?;
    // Before hours of searching.
    let path = arguments.checkpoint.as_ref();
    let kept = arguments.force.kept("--checkpoint", path, checkpoint::KIND);
    let start = arguments.certified(&engine)?;
    let writer = start.as_ref().map(|start| start.certificate()).transpose();
    let writer = writer.map_err(Failure::Input)?;
    let path = arguments.certificate.as_ref();
    let certificate = writer.and_then(|writer| {
        let force = &arguments.force;
        force.output("--certificate", path, writer.kind())
    });
    file::check(&[kept, certificate], &arguments.game.inputs())?;
    let mut exact = engine.exact(&settings).map_err(Failure::Input)?;
    if arguments.length && !exact.has_length() {
        return Err(Failure::Input(format!(
            "`--length` was given for {}, expected a position of a game whose lengths can be told",
            engine.variant().title()
        )));
    }
    exact.solver_mut().load().map_err(|error| {
        let path = arguments.checkpoint.as_deref().unwrap_or_default();
        Failure::Input(format!("`{}`: {error}", shorten(path)))
    })?;
    let stop = interrupt::stop_flag()?;
    let begin = Instant::now();
    let mut search = Search {
        engine: &engine,
        exact,
        limits: SolverLimits {
            deadline: time.and_then(|time| begin.checked_add(time)),
            nodes,
        },
        bar: progress::nodes(nodes),
        checkpoint: Saving::new(arguments.checkpoint.as_ref()),
        is_stopped: &|| stop.load(Relaxed),
    };
    let verdict = search.solve().ok();
    let winner = verdict.and_then(|verdict| verdict.outcome);
    let is_asked = arguments.length && winner.is_some();
    let length = is_asked.then(|| search.length().ok()).flatten().flatten();
    let (seconds, nodes) = (begin.elapsed().as_secs_f64(), search.exact.nodes());
    let memory = search.exact.solver().table().bytes() as f64 / f64::from(1 << 20);
    let moves = arguments.all_moves.then(|| search.moves());
    let lacks_moves = moves.iter().flatten().any(|found| found.winner.is_none());
    let line = match (length, winner) {
        (Some(length), _) => search.line_of_length(length),
        (None, Some(winner)) => search.line(winner),
        (None, None) => Vec::new(),
    };
    let written = match (&certificate, writer, winner) {
        (Some(output), Some(writer), Some(Outcome::Winner(winner))) => {
            // A certificate may take longer than the search, and more memory. What goes wrong here
            // goes wrong below.
            let _ = search.exact.solver().save();
            Some(search.certify(output, writer, winner))
        }
        _ => None,
    };
    search.bar.finish_and_clear();
    if certificate.is_some() && written.is_none() {
        note("no certificate was written: nobody is known to win");
    }
    // What was found is saved and told even so.
    let (written, unwritten) = match written.transpose() {
        Ok(written) => (written, None),
        Err(failure) => (None, Some(failure)),
    };
    let saved = search.exact.solver().save();
    let answer = Answer {
        winner: winner.map(|outcome| search.word(outcome)),
        wins_this_turn: verdict.and_then(|verdict| verdict.wins_this_turn),
        to_move: engine.variant().colour(engine.to_move()),
        vertex: line.first().map(|&code| engine.name(code)),
        line: line.iter().map(|&code| engine.name(code)).collect(),
        length: arguments.length.then_some(length),
        moves,
        nodes,
        seconds,
        memory,
        certificate: written,
    };
    match arguments.json {
        true => print_json(&answer)?,
        false => print(&text(&answer))?,
    }
    saved.map_err(|error| {
        let path = arguments.checkpoint.as_deref().unwrap_or_default();
        Failure::Other(format!("cannot write `{}`: {error}", shorten(path)))
    })?;
    let missing = match verdict {
        None => Some("the result was known"),
        _ if is_asked && length.is_none() => Some("the length was known"),
        _ if lacks_moves => Some("all moves were known"),
        _ => None,
    };
    let kept = match &arguments.checkpoint {
        Some(path) => format!("; what is known is kept in `{}`", shorten(path)),
        None => String::new(),
    };
    match (missing, unwritten) {
        (Some(missing), _) if stop.load(Relaxed) => Err(Failure::Interrupted(format!(
            "stopped before {missing}{kept}"
        ))),
        (None, Some(_)) if stop.load(Relaxed) => Err(Failure::Interrupted(format!(
            "stopped before the certificate was written{kept}"
        ))),
        (_, Some(failure)) => Err(failure),
        (Some(missing), None) => Err(Failure::Undecided(format!(
            "the search reached {} before {missing}{kept}",
            arguments.limits()
        ))),
        (None, None) => Ok(()),
    }
}

/// For `--help`.
const EXIT_STATUS: &str = "\
Exit status: 0 all that was asked for is known, 3 the limits ended the search before, 130, 143 or 129 a signal did, \
2 something was wrong before the search, 1 the answer could not be written.";

impl Arguments {
    /// The position as a start, if a certificate of it is asked for.
    fn certified(&self, engine: &Engine) -> Result<Option<SharedStart>, Failure> {
        if self.certificate.is_none() {
            return Ok(None);
        }
        let text = engine.notation().position_text();
        let start = engine.variant().read(&text, None);
        start.map(Some).map_err(Failure::input)
    }

    /// The limits as they were given.
    fn limits(&self) -> String {
        let limits = [("--time", &self.time), ("--nodes", &self.nodes)];
        let given = limits
            .iter()
            .filter_map(|(name, value)| Some(format!("`{name} {}`", shorten(value.as_ref()?))));
        given.collect::<Vec<_>>().join(" or ")
    }

    fn settings(&self) -> Result<ExactSettings, Failure> {
        let machine = memory_of_machine();
        let memory = number_in(&self.memory, "--memory", 16..=machine)?;
        let threads = number_in(&self.threads, "--threads", 1..=1024)?;
        let processors = || std::thread::available_parallelism().map_or(1, |n| n.get());
        let every = self.checkpoint_every.as_deref().unwrap_or("60");
        let every = seconds(every, "--checkpoint-every")?;
        let path = self.checkpoint.as_ref().map(PathBuf::from);
        Ok(ExactSettings {
            bytes: memory.unwrap_or((machine / 2).clamp(16, 1024)) << 20,
            threads: threads.unwrap_or_else(processors),
            has_order: !self.unordered,
            checkpoint: path.map(|path| CheckpointFile {
                path,
                every,
                force: self.force.force,
            }),
        })
    }
}

/// MiB that the machine has.
fn memory_of_machine() -> usize {
    #[cfg(target_os = "linux")]
    {
        let info = rustix::system::sysinfo();
        let unit = u64::from(info.mem_unit.max(1));
        let bytes = (info.totalram as u64).saturating_mul(unit);
        (bytes >> 20).max(16) as usize
    }
    #[cfg(not(target_os = "linux"))]
    {
        1 << 20
    }
}
