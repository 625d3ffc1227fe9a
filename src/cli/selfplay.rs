//! `tanada selfplay`: plays games against itself and writes training samples for a network.

use std::path::Path;
use std::sync::Arc;

use crate::lab::train::journal::SampleJournal;
use crate::lab::train::selfplay::{self, KIND, SelfplaySettings, WriteError};
use crate::params::{Leaf, Params, Role};
use crate::start::read_weights;
use clap::Args;

use super::file::{self, ForceOption, Output};
use super::interrupt;
use super::options::{BoardOptions, set_elsewhere};
use super::progress::bar;
use super::values::{Setting, count, whole};
use super::{Failure, bail, counted, note, shorten};

#[derive(Args, Clone)]
#[command(after_help = "\
Examples:
  tanada selfplay --size 9 --games 1000 --concurrency 8 --out samples
  tanada selfplay --size 9 --games 1000 --weights network --out samples --resume")]
pub(super) struct Arguments {
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count(1..=100_000_000))]
    games: usize,
    /// Iterations per move
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = whole(1..=1_000_000_000))]
    iterations: u64,
    /// Maximum number of random moves at the start of a game; each game draws its own number
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count(0..=1000))]
    plies: usize,
    /// Number of further moves that are chosen at random in proportion to their visits
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count(0..=1000))]
    drawn: usize,
    /// Games to play at once, 1 to 256; the samples do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count(1..=256))]
    concurrency: usize,
    /// Set a parameter of the search; may be repeated [default: those of the preset `network`]
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// File of weights to play with instead of the built-in ones; it decides whether the network or
    /// the linear evaluation judges, whatever `leaf` says
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// File for the samples; until the last game is over they are in `FILE.tanada-selfplay`
    #[arg(long, value_name = "FILE")]
    out: String,
    /// Continue a run that was interrupted or killed. Repeat its settings; the samples are those
    /// of an uninterrupted run
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    force: ForceOption,
    #[command(flatten)]
    board: BoardOptions,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let configuration = arguments.board.configuration()?;
    let start = configuration.start();
    let mut params = Params::default();
    let instead = "`--iterations`, `--seed`, or a parameter of the search";
    set_elsewhere(&arguments.set, |p| p.role != Role::Search, instead)?;
    for setting in &arguments.set {
        setting.apply(&mut params);
    }
    if params.leaf == Leaf::Greedy {
        bail!(
            Input: "`leaf=greedy` does not search and has no visits to learn from; use another `leaf`"
        );
    }
    if params.leaf == Leaf::Playout && arguments.weights.is_some() {
        bail!(
            Input: "`leaf=playout` uses no `--weights`; leave them out, or use `leaf=network` or \
                    `leaf=linear`"
        );
    }
    let weights: Option<Arc<str>> = match &arguments.weights {
        None => None,
        Some(path) => Some(read_weights(path, start).map_err(Failure::input)?.into()),
    };
    let Some(head) = selfplay::header(start) else {
        bail!(Input: "there is no network for this start; use Tanbo with two players");
    };
    let settings = SelfplaySettings {
        seed: arguments.seed,
        games: arguments.games,
        iterations: arguments.iterations,
        opening_plies: arguments.plies,
        drawn_plies: arguments.drawn,
        params,
        weights,
    };
    selfplay::check(start, &settings).map_err(Failure::input)?;
    let out = arguments.force.output("--out", &arguments.out, KIND);
    let out = out.map(Output::kept);
    let inputs = [arguments.weights.as_deref(), arguments.board.setup_file()];
    file::check(&[out], &inputs)?;
    let path = Path::new(&arguments.out);
    let stop = interrupt::stop_flag()?;
    let (resume, force) = (arguments.resume, arguments.force.force);
    let part = SampleJournal::open(path, &head, start, &settings, resume, force);
    let mut part = part.map_err(Failure::input)?;
    let bar = bar(arguments.games as u64, "games");
    bar.set_position(part.games() as u64);
    let (first, wanted) = (part.games(), settings.games);
    let concurrency = arguments.concurrency;
    let mut keep = |game: &[u8], count| {
        bar.inc(1);
        part.keep(game, count)
    };
    let played = selfplay::play(start, &settings, first, concurrency, &stop, &mut keep);
    bar.finish_and_clear();
    let (games, samples) = (part.games(), part.samples());
    let kept = if games == 0 {
        part.discard();
        "nothing was written".to_string()
    } else {
        let path = shorten(&part.path().display().to_string());
        format!("{games} of {wanted} games are in `{path}`; `--resume` continues")
    };
    match played {
        Ok(()) => {}
        Err(WriteError::Game(error)) => return Err(Failure::input(error)),
        Err(WriteError::Out(error)) => {
            bail!(Other: "cannot write the samples: {error}; {kept}");
        }
    }
    if games < wanted {
        bail!(Interrupted: "interrupted: {kept}");
    }
    let guarded = out.map_or(Ok(()), |out| out.guard());
    let placed = guarded.and_then(|()| {
        let shown = shorten(&arguments.out);
        let placed = part.finish(path);
        placed.map_err(|error| format!("cannot write `{shown}`: {error}"))
    });
    placed.map_err(|why| Failure::Other(format!("{why}; {kept}")))?;
    let samples = counted(samples, "sample", "samples");
    let games = counted(wanted, "game", "games");
    note(&format!("{samples} of {games}"));
    Ok(())
}
