//! `tanada selfplay`: games against itself, as samples for a network.

use std::path::Path;
use std::sync::Arc;

use crate::lab::train::journal::SampleJournal;
use crate::lab::train::selfplay::{self, KIND, SelfplaySettings, WriteError};
use crate::params::{Leaf, Params, Role};
use crate::start::read_weights;
use clap::Args;

use super::file::{self, ForceOption};
use super::interrupt;
use super::options::{BoardOptions, set_elsewhere, whole_from};
use super::progress::bar;
use super::{Failure, counted, note, shorten};

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
    /// Where the samples go; until the last game they are in `FILE.tanada-selfplay`
    #[arg(long, value_name = "FILE")]
    out: String,
    /// Goes on with a run that was interrupted or killed; the settings must be the same, and so are
    /// the samples
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    force: ForceOption,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let configuration = arguments.board.configuration()?;
    let start = configuration.start();
    let mut params = Params::default();
    let expected = "`--iterations`, `--seed`, or what decides how it plays";
    set_elsewhere(&arguments.set, |p| p.role != Role::Search, expected)?;
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
    let Some(head) = selfplay::header(start) else {
        return Err(Failure::Input(
            "there is no network for this start, expected Tanbo of Black and White".to_string(),
        ));
    };
    let settings = SelfplaySettings {
        seed: arguments.seed,
        games: arguments.games as usize,
        iterations: arguments.iterations,
        opening_plies: arguments.plies as usize,
        drawn_plies: arguments.drawn as usize,
        params,
        weights,
    };
    selfplay::check(start, &settings).map_err(Failure::input)?;
    let out = arguments.force.kept("--out", Some(&arguments.out), KIND);
    let inputs = [arguments.weights.as_deref(), arguments.board.setup_file()];
    file::check(&[out], &inputs)?;
    let path = Path::new(&arguments.out);
    let stop = interrupt::stop_flag()?;
    let (resume, force) = (arguments.resume, arguments.force.force);
    let part = SampleJournal::open(path, &head, start, &settings, resume, force);
    let mut part = part.map_err(Failure::input)?;
    let bar = bar(arguments.games, "games");
    bar.set_position(part.games() as u64);
    let concurrency = arguments.concurrency as usize;
    let (first, wanted) = (part.games(), settings.games);
    let played = selfplay::play(
        start,
        &settings,
        first,
        concurrency,
        &stop,
        &mut |game, count| {
            bar.inc(1);
            part.keep(game, count)
        },
    );
    bar.finish_and_clear();
    let (games, samples) = (part.games(), part.samples());
    let kept = format!(
        "{games} of {wanted} games are in `{}`; `--resume` goes on",
        shorten(&part.path().display().to_string())
    );
    let kept = match games {
        0 => {
            part.discard();
            "nothing was written".to_string()
        }
        _ => kept,
    };
    match played {
        Ok(()) => {}
        Err(WriteError::Game(error)) => return Err(Failure::input(error)),
        Err(WriteError::Out(error)) => {
            let error = format!("cannot write the samples: {error}; {kept}");
            return Err(Failure::Other(error));
        }
    }
    if games < wanted {
        return Err(Failure::Interrupted(format!("interrupted: {kept}")));
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
