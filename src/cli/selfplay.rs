//! `tanada selfplay`: plays games against itself, from which a network learns.

use std::path::Path;
use std::sync::Arc;

use crate::lab::train::games::{GameLine, KIND};
use crate::lab::train::journal::GameJournal;
use crate::lab::train::selfplay::{self, SelfplaySettings, WriteError};
use crate::params::{Leaf, Params, Role};
use crate::start::read_weights;
use clap::Args;

use super::file::{self, ForceOption, Output};
use super::interrupt;
use super::options::{BoardOptions, set_elsewhere};
use super::progress::bar;
use super::values::{Setting, count, share, whole};
use super::{Failure, bail, counted, note, shorten};

#[derive(Args, Clone)]
#[command(after_help = "\
Examples:
  tanada selfplay --size 9 --games 1000 --concurrency 8 --out games.gz
  tanada selfplay --size 9 --games 1000 --weights network --out games.gz --resume
  tanada selfplay --size 9 --first 1001 --games 1000 --full-share 0.25 --out more.gz")]
pub(super) struct Arguments {
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count(1..=100_000_000))]
    games: usize,
    /// Number of the first game; a game depends on the seed and its number, not on other games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count(1..=1_000_000_000))]
    first: usize,
    /// Iterations per move in full searches
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = whole(1..=1_000_000_000))]
    iterations: u64,
    /// Iterations per move in quick searches, whose visits are no policy target
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = whole(1..=1_000_000_000))]
    quick_iterations: u64,
    /// Share of the moves that are searched fully, at random; the others are searched quickly
    #[arg(long, value_name = "P", default_value_t = 1.0, value_parser = share)]
    full_share: f64,
    /// Maximum number of random moves at the start of a game; each game draws its own number
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count(0..=1000))]
    plies: usize,
    /// Number of further moves that are chosen at random in proportion to their visits
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = count(0..=1000))]
    drawn: usize,
    /// Games to play at once, 1 to 256; their moves do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count(1..=256))]
    concurrency: usize,
    /// Set a parameter of the search; may be repeated [default: those of the preset `network`, with
    /// forced_playouts=2 and root_noise=0.25 in full searches]
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// File of weights to play with instead of the built-in ones; it decides whether the network or
    /// the linear evaluation judges, whatever `leaf` says
    #[arg(long, value_name = "FILE")]
    weights: Option<String>,
    /// File for the games (gzip, JSON lines); until the last one is over they are in
    /// `FILE.tanada-selfplay`
    #[arg(long, value_name = "FILE")]
    out: String,
    /// Continue a run that was interrupted or killed. Repeat its settings; the games are those
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
    // As KataGo explores (Wu, 2019); quick searches do not.
    let mut params = Params {
        forced_playouts: 2.0,
        root_noise: 0.25,
        ..Params::default()
    };
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
    let settings = SelfplaySettings {
        seed: arguments.seed,
        first: arguments.first,
        games: arguments.games,
        iterations: arguments.iterations,
        quick_iterations: arguments.quick_iterations,
        full_share: arguments.full_share,
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
    let journal = GameJournal::open(path, start, &settings, resume, force);
    let mut journal = journal.map_err(Failure::input)?;
    let bar = bar(arguments.games as u64, "games");
    bar.set_position(journal.games() as u64);
    let (done, wanted) = (journal.games(), settings.games);
    let mut keep = |game: &GameLine| {
        bar.inc(1);
        journal.keep(game)
    };
    let concurrency = arguments.concurrency;
    let played = selfplay::play(start, &settings, done, concurrency, &stop, &mut keep);
    bar.finish_and_clear();
    let games = journal.games();
    let kept = if games == 0 {
        journal.discard();
        "nothing was written".to_string()
    } else {
        let path = shorten(&journal.path().display().to_string());
        format!("{games} of {wanted} games are in `{path}`; `--resume` continues")
    };
    match played {
        Ok(()) => {}
        Err(WriteError::Game(error)) => return Err(Failure::input(error)),
        Err(WriteError::Out(error)) => {
            bail!(Other: "cannot write the games: {error}; {kept}");
        }
    }
    if games < wanted {
        bail!(Interrupted: "interrupted: {kept}");
    }
    let written = out.map_or(Ok(()), |out| {
        out.replace_with(|file| Ok(journal.compress(file)?))
    });
    written.map_err(|why| Failure::Other(format!("{why}; {kept}")))?;
    journal.discard();
    let positions = counted(journal.positions(), "position", "positions");
    let games = counted(wanted, "game", "games");
    note(&format!("{positions} of {games}"));
    Ok(())
}
