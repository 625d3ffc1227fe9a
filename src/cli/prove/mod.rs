//! `tanada prove`: finds by parts who wins with best play.

mod delegate;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::file::{self, EndingsOption, ForceOption, Output};
use super::game::{self, GameOptions};
use super::output::columns;
use super::values::{count, seconds, whole};
use super::{Failure, bail, counted, interrupt, note, print_as, print_json, progress, shorten};
use crate::engine::Engine;
use crate::game::Seat;
use crate::lab::prove::{
    self, CHECKPOINT, Certifier, CertifyError, CertifyProgress, LOG, Proof, ProveError,
    ProveProgress, ProveSettings, Recheck, prove,
};
use crate::params::Params;
use crate::tanbo::certificate::KIND;
use crate::tanbo::{Start, Tanbo, colour, variant};
use crate::util::break_if;
use crate::util::threads::cores;
use crate::variant::{CertificateSummary, Variant};
use delegate::{End, MOST_JOBS, Peer};

/// Time between two lines about the progress where standard error is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Args, Clone)]
#[command(after_help = "\
The engine guesses who wins the positions some plies down and chooses the cheapest set of guesses \
that decides the question; the solver tests them one by one. What it finds is appended to \
FOLDER/results.log, so the same command continues a run, however it ended. Until the winner is known, \
FOLDER/results.checkpoint keeps what took the solver longest, written every ten minutes and at the end.

With `--delegate` lines of JSON on standard output ask for positions to be solved, and lines on \
standard input answer; the guide says how. scripts/cluster/prove.py has them solved by many machines.

With `--check N` some of the positions that the solver solved are solved again, whatever the log says. \
With `--certificate` a certificate is made for each position that the solver solved, in FOLDER/parts, \
and all are put together; a run that was stopped continues with those that are there.

Exit status: 0 if everything asked for is known, 1 if the log or the certificate could not be written, \
or the log is wrong, 2 for wrong arguments or files, 3 after `--time`, 130, 143 or 129 after a signal, \
130 at the end of the input with `--delegate`.

Examples:
  tanada prove six --size 6 --setup corners --nodes 200000
  tanada prove six --nodes 200000
  tanada prove six --nodes 200000 --check 20
  tanada prove six --nodes 200000 --certificate six.cert")]
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
    /// Stop after this many seconds if the winner is not known; the certificate of a known winner is
    /// still written [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<Duration>,
    /// Let another program solve positions, at most N at once, by lines on standard output and input
    #[arg(long, value_name = "N", value_parser = count(1..=MOST_JOBS), conflicts_with = "json")]
    delegate: Option<usize>,
    /// Write a winning strategy that `tanada verify` and other programs can check, once the winner is
    /// known
    #[arg(long, value_name = "FILE")]
    certificate: Option<String>,
    #[command(flatten)]
    endings: EndingsOption,
    /// Once the winner is known, solve N of the positions on which that rests again, drawn at random,
    /// each with a table of its own; all if there are fewer
    #[arg(long, value_name = "N", value_parser = count(1..=1_000_000_000))]
    check: Option<usize>,
    /// Seed of the draw of `--check`
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    force: ForceOption,
    #[command(flatten)]
    game: GameOptions,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let start = arguments.start()?;
    // A file that cannot be written is reported before hours of searching.
    let path = &arguments.certificate;
    let certificate = arguments.force.output("--certificate", path, KIND);
    let log = arguments.folder.join(LOG);
    let inputs = arguments.game.inputs();
    let inputs = [&inputs[..], &[log.to_str()]].concat();
    file::check(&[certificate], &inputs)?;
    let settings = ProveSettings {
        folder: arguments.folder.clone(),
        start,
        nodes: arguments.nodes,
        iterations: arguments.iterations,
        threads: arguments.threads.unwrap_or_else(cores),
        bytes: arguments.memory << 20,
        ending_limit: arguments.endings.endings,
    };
    let stop = interrupt::stop_flag()?;
    let begin = Instant::now();
    let mut peer = arguments.delegate.map(Peer::new);
    let proof = search(arguments, &settings, peer.as_mut(), begin, &stop)?;
    let winner = proof
        .won
        .map(|won| winner(proof.start.setup().to_move, won));
    let end = peer.as_ref().and_then(Peer::end);
    if let (None, Some(End::Refused(error))) = (winner, end) {
        bail!(Input: "standard input: {error}");
    }
    let mut answer = Answer {
        proof: &proof,
        winner,
        seconds: 0.0,
        check: None,
        certificate: None,
    };
    let failed = match winner {
        Some(winner) => {
            let further = Further {
                settings: &settings,
                proof: &proof,
                winner,
                stop: &stop,
            };
            let done = further.all(arguments, certificate.as_ref(), &mut answer);
            done.err()
        }
        None => {
            if arguments.check.is_some() {
                note("nothing was checked, because no winner is known");
            }
            if certificate.is_some() {
                note("no certificate was written, because no winner is known");
            }
            None
        }
    };
    // The result is printed even if what follows failed, unless that shows that it is wrong.
    if let Some(Failed {
        why,
        is_doubtful: true,
    }) = failed
    {
        return Err(why);
    }
    answer.seconds = begin.elapsed().as_secs_f64();
    match peer {
        Some(_) => print_json(&json!({"done": answer.as_json(), "text": answer.as_text()}))?,
        None => print_as(arguments.json, &answer.as_json(), || answer.as_text())?,
    }
    let folder = shorten(&arguments.folder.to_string_lossy());
    if let Some(why) = &answer.proof.progress.unsaved {
        note(&format!(
            "`{CHECKPOINT}` in `{folder}` cannot be written: {why}"
        ));
    }
    match (winner, failed) {
        (Some(_), Some(_)) if stop.load(Relaxed) => {
            if arguments.check.is_some() && answer.check.is_none() {
                bail!(Interrupted: "stopped before the positions were checked");
            }
            bail!(Interrupted: "stopped before the certificate was written; `{folder}` keeps its parts")
        }
        (Some(_), Some(Failed { why, .. })) => Err(why),
        (Some(_), None) => Ok(()),
        (None, _) if end.is_some() && !stop.load(Relaxed) => {
            bail!(
                Interrupted: "the input ended before the winner was known; `{folder}` keeps what is known"
            )
        }
        (None, _) if stop.load(Relaxed) => {
            bail!(Interrupted: "stopped before the winner was known; `{folder}` keeps what is known")
        }
        (None, _) => {
            let time = arguments.time.unwrap_or_default().as_secs_f64();
            bail!(
                Undecided: "`--time {time}` ended before the winner was known; `{folder}` keeps what is known"
            )
        }
    }
}

/// Shows how far the work is: on a terminal a bar, elsewhere a line now and then.
struct Shown {
    bar: ProgressBar,
    unit: &'static str,
    last_line: Instant,
}

impl Shown {
    fn new(unit: &'static str) -> Self {
        Self {
            bar: progress::nodes(None),
            unit,
            last_line: Instant::now(),
        }
    }

    fn show(&mut self, count: u64, line: String) {
        self.bar.set_position(count);
        if self.last_line.elapsed() >= LINE_INTERVAL && !io::stderr().is_terminal() {
            self.last_line = Instant::now();
            note(&format!("{count} {}, {line}", self.unit));
        }
        self.bar.set_message(line);
    }
}

/// Finds out who wins.
fn search(
    arguments: &Arguments,
    settings: &ProveSettings,
    peer: Option<&mut Peer>,
    begin: Instant,
    stop: &AtomicBool,
) -> Result<Proof, Failure> {
    let deadline = arguments.time.and_then(|time| begin.checked_add(time));
    let mut shown = Shown::new("nodes");
    let mut on_progress = |progress: &ProveProgress| {
        shown.show(progress.nodes, describe(progress));
        break_if(stop.load(Relaxed) || deadline.is_some_and(|at| Instant::now() >= at))
    };
    let proof = match peer {
        Some(peer) => prove::delegate(settings, peer, &mut on_progress),
        None => prove(settings, &mut on_progress),
    };
    shown.bar.finish_and_clear();
    proof.map_err(|error| {
        let folder = shorten(&arguments.folder.to_string_lossy());
        let text = format!("`{folder}`: {error}");
        match error {
            ProveError::Unwritten(_) | ProveError::Unsent(_) => Failure::Other(text),
            ProveError::UnknownJob(_) => Failure::Input(format!("standard input: {error}")),
            _ => Failure::Input(text),
        }
    })
}

/// Why something further failed, and whether that makes the result doubtful.
struct Failed {
    why: Failure,
    is_doubtful: bool,
}

/// What is done once the winner is known.
struct Further<'a> {
    settings: &'a ProveSettings,
    proof: &'a Proof,
    winner: Seat,
    stop: &'a AtomicBool,
}

impl Further<'_> {
    /// Adds what was asked for to the answer, until something fails.
    fn all(
        &self,
        arguments: &Arguments,
        certificate: Option<&Output<'_>>,
        answer: &mut Answer<'_>,
    ) -> Result<(), Failed> {
        if let Some(most) = arguments.check {
            answer.check = Some(self.check(most, arguments.seed)?);
        }
        if let Some(output) = certificate {
            answer.certificate = Some(self.certify(output)?);
        }
        Ok(())
    }

    fn check(&self, most: usize, seed: u64) -> Result<Recheck, Failed> {
        let mut shown = Shown::new("positions");
        let mut on_progress = |progress: &CertifyProgress| {
            let line = format!("checked of {}", progress.parts);
            shown.show(progress.done, line);
            break_if(self.stop.load(Relaxed))
        };
        let Self {
            settings,
            proof,
            winner,
            ..
        } = *self;
        let drawn = (most, seed);
        let checked = prove::recheck(settings, &proof.start, winner, drawn, &mut on_progress);
        shown.bar.finish_and_clear();
        checked.map_err(|error| Failed::of(error, settings))
    }

    fn certify(&self, output: &Output<'_>) -> Result<CertificateSummary, Failed> {
        let settings = self.settings;
        let mut shown = Shown::new("positions");
        let mut on_progress = |progress: &CertifyProgress| {
            let CertifyProgress { done, parts, .. } = progress;
            let line = format!("certificate: {done} of {parts} parts");
            shown.show(progress.positions, line);
            break_if(self.stop.load(Relaxed))
        };
        let start = &self.proof.start;
        let prepared = Certifier::prepare(settings, start, self.winner, &mut on_progress);
        let written = prepared
            .map_err(|error| Failed::of(error, settings))
            .and_then(|certifier| {
                let mut doubt = None;
                let written = output.replace_with(|file| {
                    let written = certifier.write(file, &mut on_progress);
                    Ok(written.map_err(|error| {
                        let text = error.to_string();
                        doubt = Some(Failed::of(error, settings));
                        text
                    })?)
                });
                written.map_err(|text| {
                    doubt.unwrap_or(Failed {
                        why: Failure::Other(text),
                        is_doubtful: false,
                    })
                })
            });
        shown.bar.finish_and_clear();
        written
    }
}

impl Failed {
    fn of(error: CertifyError, settings: &ProveSettings) -> Self {
        let is_doubtful = matches!(error, CertifyError::Lie { .. } | CertifyError::Unknown(_));
        let folder = shorten(&settings.folder.to_string_lossy());
        let why = Failure::Other(match error {
            CertifyError::Log(error) => format!("`{folder}`: {error}"),
            error => error.to_string(),
        });
        Self { why, is_doubtful }
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
    let unsaved = progress.unsaved.as_ref();
    let unsaved = unsaved.map_or(String::new(), |why| {
        format!(", `{CHECKPOINT}` cannot be written: {why}")
    });
    format!(
        "done {}; this run {} as expected, {} not; frontier {}, {} of them to expand, {:.1e} \
         nodes{left}{error}{unsaved}",
        progress.done,
        progress.held,
        progress.refuted,
        progress.frontier,
        progress.large,
        progress.left
    )
}

/// What is printed.
struct Answer<'a> {
    proof: &'a Proof,
    winner: Option<Seat>,
    seconds: f64,
    check: Option<Recheck>,
    certificate: Option<CertificateSummary>,
}

impl Answer<'_> {
    fn as_text(&self) -> String {
        let progress = &self.proof.progress;
        let title = match self.winner {
            Some(seat) => format!("{} wins\n", colour::word(seat)),
            None => "the winner is not known yet\n".to_string(),
        };
        let solved = counted(
            progress.done as usize,
            "position solved",
            "positions solved",
        );
        let run = format!("{} as expected, {} not", progress.held, progress.refuted);
        let mut rows = vec![
            ("positions", solved),
            ("this run", run),
            ("nodes", progress.nodes.to_string()),
            ("seconds", format!("{:.1}", self.seconds)),
        ];
        if self.winner.is_none() {
            let frontier = counted(progress.frontier, "position", "positions");
            rows.push(("frontier", frontier));
            rows.push(("nodes left", format!("{:.1e}", progress.left)));
        }
        if let Some(Recheck {
            positions,
            of,
            nodes,
        }) = self.check
        {
            let text = format!("{positions} of {of} positions solved again, {nodes} nodes");
            rows.push(("check", text));
        }
        if let Some(written) = &self.certificate {
            let endings = written.endings.map_or(String::new(), |endings| {
                format!(", of them {}", counted(endings, "ending", "endings"))
            });
            let text = format!(
                "{}{endings}, {}, at most {}, {}",
                counted(written.positions, "position", "positions"),
                counted(written.parts, "part", "parts"),
                counted(written.plies, "ply", "plies"),
                counted(written.bytes, "byte", "bytes")
            );
            rows.push(("certificate", text));
        }
        let rows = rows.into_iter();
        let rows = rows.map(|(name, value)| [name.to_string(), value]);
        title + &columns(&Vec::from_iter(rows), &[])
    }

    fn as_json(&self) -> Value {
        let progress = &self.proof.progress;
        let mut answer = json!({
            "position": self.proof.question,
            "winner": self.winner.map(colour::word),
            "solved": progress.done,
            "as_expected": progress.held,
            "refuted": progress.refuted,
            "nodes": progress.nodes,
            "searched": progress.searched,
            "seconds": self.seconds,
            "frontier": progress.frontier,
            "nodes_left": progress.left,
            "prediction": {
                "coefficients": progress.coefficients,
                "error": progress.error,
                "calibrations": progress.calibrations,
            },
        });
        if let Some(Recheck {
            positions,
            of,
            nodes,
        }) = self.check
        {
            answer["check"] = json!({"positions": positions, "of": of, "nodes": nodes});
        }
        if let Some(written) = &self.certificate {
            answer["certificate"] = json!({
                "positions": written.positions,
                "parts": written.parts,
                "plies": written.plies,
                "bytes": written.bytes,
            });
            if let Some(endings) = written.endings {
                answer["certificate"]["endings"] = json!(endings);
            }
        }
        answer
    }
}
