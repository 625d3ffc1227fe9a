//! `tanada solve`: finds out who wins with best play.

mod answer;
mod search;

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::game::Outcome;
use crate::params::Params;
use crate::solver::SolverLimits;
use crate::solver::checkpoint::{self, CheckpointFile};
use crate::util::threads::cores;
use crate::variant::{ExactSettings, SharedStart};

use self::answer::{Answer, text};
use self::search::{Saving, Search};
use super::failure::shorten;
use super::file::{self, EndingsOption, ForceOption, Output};
use super::game::{self, GameOptions};
use super::values::{count, seconds, whole};
use super::{Failure, bail, interrupt, machine, note, print_as, progress};

/// The most MiB that `--memory` takes if the memory of the machine is unknown.
const MOST_MEMORY: usize = 1 << 20;

#[derive(clap::Args, Clone)]
#[command(after_help = "\
Exit status: 0 if everything asked for is known, 1 if the answer could not be written, 2 for wrong \
arguments or files, 3 if the search reached a limit, 130, 143 or 129 after a signal.

Examples:
  tanada solve --size 5 --setup corners --all-moves
  tanada solve game.sgf --at 30 --time 600 --checkpoint known --certificate proof")]
pub(super) struct Arguments {
    /// Find the result of each move
    #[arg(long)]
    all_moves: bool,
    /// Find how many plies the game lasts if the winner wins as fast as possible and the loser
    /// resists as long as possible, and show such a game
    #[arg(long)]
    length: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Maximum memory for the table of known results, from 16 MiB to what the machine has, rounded
    /// down to a power of two [default: 1024, or half of the machine's memory if that is less]
    #[arg(long, value_name = "MIB", value_parser = count(16..=machine::memory().unwrap_or(MOST_MEMORY)))]
    memory: Option<usize>,
    /// Number of threads, 1 to 1024 [default: one for each core]
    #[arg(long, value_name = "N", value_parser = count(1..=1024))]
    threads: Option<usize>,
    /// Give up after this many seconds; the certificate of a result that was found is still written
    /// [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Give up after this many nodes, including those of the checkpoint, 1 to 10^15 [default: no
    /// limit]
    #[arg(long, value_name = "N", value_parser = whole(1..=1_000_000_000_000_000))]
    nodes: Option<u64>,
    /// File for the results so far, written now and then and at the end; if it exists, the search
    /// continues from it
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<String>,
    /// Seconds between two writes of the checkpoint
    #[arg(long, value_name = "SECONDS", default_value = "60", requires = "checkpoint", value_parser = seconds)]
    checkpoint_every: Duration,
    /// Write a winning strategy that `tanada verify` and other programs can check; this may take
    /// longer than the search, whatever `--time` and `--nodes` say
    #[arg(long, value_name = "FILE")]
    certificate: Option<String>,
    #[command(flatten)]
    endings: EndingsOption,
    /// Do not order the moves: the results are the same but take longer
    #[arg(long)]
    unordered: bool,
    #[command(flatten)]
    force: ForceOption,
    #[command(flatten)]
    game: GameOptions,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let record = arguments.game.game_record("solve")?;
    let engine = game::engine(&record, Params::default());
    game::running(&engine)?;
    // A file that cannot be written is reported before hours of searching.
    let (force, path) = (&arguments.force, &arguments.checkpoint);
    let kept = force.output("--checkpoint", path, checkpoint::KIND);
    let kept = kept.map(Output::kept);
    let start = arguments.certified(&engine)?;
    let writer = start.as_ref().map(|start| start.certificate()).transpose();
    let writer = writer.map_err(Failure::Input)?;
    let path = &arguments.certificate;
    let certificate = writer.and_then(|w| force.output("--certificate", path, w.kind()));
    file::check(&[kept, certificate], &arguments.game.inputs())?;
    let exact = engine.exact(&arguments.settings());
    let mut exact = exact.map_err(Failure::Input)?;
    if arguments.length && !exact.has_length() {
        bail!(Input: "`--length` is not available for {}", engine.variant().title());
    }
    let checkpoint = shorten(arguments.checkpoint.as_deref().unwrap_or_default());
    let loaded = exact.solver_mut().load();
    loaded.map_err(|error| Failure::Input(format!("`{checkpoint}`: {error}")))?;
    let stop = interrupt::stop_flag()?;
    let begin = Instant::now();
    let mut search = Search {
        engine: &engine,
        exact,
        limits: SolverLimits {
            deadline: arguments.time.and_then(|time| begin.checked_add(time)),
            nodes: arguments.nodes,
        },
        bar: progress::nodes(arguments.nodes),
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
            // Save now: a certificate may take longer than the search, and more memory. A failure
            // shows up below again.
            let _ = search.exact.solver().save();
            Some(search.certify(output, writer, winner, arguments.endings.endings))
        }
        _ => None,
    };
    search.bar.finish_and_clear();
    if certificate.is_some() && written.is_none() {
        note("no certificate was written, because no winner is known");
    }
    // The result is saved and printed even if the certificate failed.
    let (written, unwritten) = match written {
        Some(Err(failure)) => (None, Some(failure)),
        written => (written.and_then(Result::ok), None),
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
    print_as(arguments.json, &answer, || text(&answer))?;
    saved.map_err(|error| Failure::Other(format!("cannot write `{checkpoint}`: {error}")))?;
    let missing = match verdict {
        None => Some("the result was known"),
        _ if is_asked && length.is_none() => Some("the length was known"),
        _ if lacks_moves => Some("all moves were known"),
        _ => None,
    };
    let kept = match &arguments.checkpoint {
        Some(_) => format!("; `{checkpoint}` keeps what is known"),
        None => String::new(),
    };
    match (missing, unwritten) {
        (Some(missing), _) if stop.load(Relaxed) => {
            bail!(Interrupted: "stopped before {missing}{kept}")
        }
        (None, Some(_)) if stop.load(Relaxed) => {
            bail!(Interrupted: "stopped before the certificate was written{kept}")
        }
        (_, Some(failure)) => Err(failure),
        (Some(missing), None) => {
            let limits = arguments.limits();
            bail!(Undecided: "the search reached {limits} before {missing}{kept}")
        }
        (None, None) => Ok(()),
    }
}

impl Arguments {
    /// The start position of the certificate, if one is asked for.
    fn certified(&self, engine: &Engine) -> Result<Option<SharedStart>, Failure> {
        if self.certificate.is_none() {
            return Ok(None);
        }
        let text = engine.notation().position_text();
        let start = engine.variant().read(&text, None);
        start.map(Some).map_err(Failure::input)
    }

    /// The limits that were given, as options.
    fn limits(&self) -> String {
        let time = self.time.map(|time| time.as_secs_f64());
        let time = time.map(|seconds| format!("`--time {seconds}`"));
        let nodes = self.nodes.map(|nodes| format!("`--nodes {nodes}`"));
        let given: Vec<String> = time.into_iter().chain(nodes).collect();
        given.join(" or ")
    }

    fn settings(&self) -> ExactSettings {
        let usual = machine::memory().map_or(1024, |all| (all / 2).clamp(16, 1024));
        ExactSettings {
            bytes: self.memory.unwrap_or(usual) << 20,
            threads: self.threads.unwrap_or_else(cores),
            has_order: !self.unordered,
            checkpoint: self.checkpoint.as_ref().map(|path| CheckpointFile {
                path: path.into(),
                every: self.checkpoint_every,
                force: self.force.force,
            }),
        }
    }
}
