//! `tanada train`: fits the weights of the linear evaluation by self-play.

use std::path::Path;

use crate::lab::train::{RoundReport, TrainSettings, TrainState};
use crate::start::{read_long_text, read_weights};
use crate::util::files::{self, Kind};
use crate::variant::SharedStart;
use clap::Args;

use super::file::{self, ForceOption, Output};
use super::interrupt;
use super::options::BoardOptions;
use super::progress::bar;
use super::values::{count, share, whole};
use super::{Failure, bail, counted, note};

#[derive(Args, Clone)]
#[command(after_help = "\
Examples:
  tanada train --size 9 --concurrency 8 --out weights.txt
  tanada train --size 9 --generations 10 --checkpoint state.json --out weights.txt")]
pub(super) struct Arguments {
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Rounds of playing and fitting, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count(1..=1000))]
    generations: usize,
    /// Games in each round
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = count(10..=10_000_000))]
    games: usize,
    /// Iterations per move
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = whole(1..=1_000_000_000))]
    iterations: u64,
    /// Random moves at the beginning of each game
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = count(0..=1000))]
    plies: usize,
    /// Weight of the search's value in the target of a sample, 0 to 1; the rest is the result of the
    /// game
    #[arg(long, value_name = "SHARE", default_value_t = 0.6, value_parser = share)]
    value_share: f64,
    /// Games to play at once, 1 to 256; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count(1..=256))]
    concurrency: usize,
    /// File with the state of the training, written after each round; if it exists, the
    /// training continues from there
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<String>,
    /// File for the weights; in a table that exists, the new weights replace those of this board
    /// [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
    #[command(flatten)]
    force: ForceOption,
    #[command(flatten)]
    board: BoardOptions,
}

/// Number of first bytes by which a table of weights is recognised.
const MARK: usize = 12;

const CHECKPOINT: Kind<'_> = Kind {
    maker: "tanada train --checkpoint",
    is_own: &|head| head.starts_with(b"{\"settings\":{\"seed\":"),
};

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let configuration = arguments.board.configuration()?;
    let start = configuration.start();
    let settings = TrainSettings {
        seed: arguments.seed,
        generations: arguments.generations,
        games: arguments.games,
        iterations: arguments.iterations,
        opening_plies: arguments.plies,
        value_share: arguments.value_share,
        decay: 1e-4,
    };
    let weights = start.weights().ok_or_else(|| {
        let title = start.variant().title();
        Failure::Input(format!("{title} has no weights to train"))
    })?;
    let table = weights.to_text(&weights.embedded(), None);
    let is_table = |head: &[u8]| head.get(..MARK) == table.as_bytes().get(..MARK);
    let kind = Kind {
        maker: "tanada train --out",
        is_own: &is_table,
    };
    let (force, path) = (&arguments.force, &arguments.checkpoint);
    let out = force.output("--out", &arguments.out, kind);
    let checkpoint = force.output("--checkpoint", path, CHECKPOINT);
    let checkpoint = checkpoint.map(Output::kept);
    // Files that cannot be read or written are reported before hours of work.
    file::check(&[out, checkpoint], &[arguments.board.setup_file()])?;
    let beside = match &out {
        Some(out) if !out.is_stream() && !out.is_foreign() => read_table(out.path(), start)?,
        _ => None,
    };
    let fresh = TrainState::new(settings, start);
    let mut state = match &checkpoint {
        Some(checkpoint) if !checkpoint.is_foreign() => resume(checkpoint.path(), fresh)?,
        _ => fresh,
    };
    state.check(start).map_err(Failure::input)?;
    for round in &state.rounds {
        note(&describe(round, start));
    }
    let stop = interrupt::stop_flag()?;
    let mut saved = Ok(());
    while !state.is_finished() {
        let bar = bar(arguments.games as u64, "games");
        let played = state.round(start, arguments.concurrency, &stop, &|| bar.inc(1));
        bar.finish_and_clear();
        if !played.map_err(Failure::input)? {
            break;
        }
        if let Some(round) = state.rounds.last() {
            note(&describe(round, start));
        }
        if let Some(checkpoint) = &checkpoint {
            saved = save(checkpoint, &state);
            // There may be room after the next round; only the last failure ends the program.
            if let Err(failure) = &saved {
                note(&format!("tanada: {failure}; the training continues"));
            }
        }
    }
    if state.rounds.is_empty() {
        bail!(Interrupted: "interrupted in the first generation; nothing was written");
    }
    let text = weights.to_text(&state.weights, beside.as_deref());
    let place = file::deliver(out.as_ref(), &text)?;
    if state.is_finished() {
        return saved;
    }
    let (done, all) = (state.rounds.len(), state.settings.generations);
    bail!(Interrupted: "interrupted: the weights {place} are those of generation {done} of {all}");
}

fn save(checkpoint: &Output<'_>, state: &TrainState) -> Result<(), Failure> {
    let text = serde_json::to_string(state).map_err(|error| Failure::Other(error.to_string()))?;
    let saved = checkpoint.replace(&crate::util::quote::json(&text));
    saved.map_err(Failure::Other)
}

fn describe(round: &RoundReport, start: &SharedStart) -> String {
    let won = start.players().iter().map(|seat| {
        let share = round.wins.get(seat.index()).copied().unwrap_or(0.0);
        format!("{} {:.1} %", start.variant().colour(*seat), 100.0 * share)
    });
    format!(
        "generation {}: {}, held out {}: loss {:.4} (before {:.4}), accuracy {:.1} % \
         (before {:.1} %); games of {:.1} plies, won by {}",
        round.generation,
        counted(round.samples, "sample", "samples"),
        round.held_out,
        round.after.loss,
        round.before.loss,
        100.0 * round.after.accuracy,
        100.0 * round.before.accuracy,
        round.plies,
        won.collect::<Vec<_>>().join(", ")
    )
}

fn read_table(path: &str, start: &SharedStart) -> Result<Option<String>, Failure> {
    if !files::is_there(Path::new(path)) {
        return Ok(None);
    }
    let text = read_weights(path, start).map_err(Failure::input)?;
    let weights = start.weights();
    if weights.is_some_and(|weights| weights.is_network(&text)) {
        bail!(Input: "`{path}` holds a network, not a table of weights of the linear evaluation");
    }
    Ok(Some(text))
}

fn resume(path: &str, fresh: TrainState) -> Result<TrainState, Failure> {
    if !files::is_there(Path::new(path)) {
        return Ok(fresh);
    }
    let text = read_long_text(path, u64::MAX).map_err(Failure::input)?;
    let state: TrainState = serde_json::from_str(&text)
        .map_err(|error| Failure::Input(format!("`{path}` is not a checkpoint: {error}")))?;
    // More generations may be asked for; everything else must agree.
    let asked = TrainSettings {
        generations: state.settings.generations,
        ..fresh.settings.clone()
    };
    if state.start != fresh.start || state.settings != asked {
        bail!(
            Input: "the checkpoint `{path}` belongs to another setup or other settings; use the same \
                    ones, or another file"
        );
    }
    if state.origin != fresh.origin || !state.is_sound(fresh.weights.len()) {
        bail!(
            Input: "the checkpoint `{path}` was made by a version with another evaluation; use another \
                    file"
        );
    }
    if state.rounds.len() > fresh.settings.generations {
        let generations = counted(state.rounds.len(), "generation", "generations");
        bail!(Input: "the checkpoint `{path}` has {generations} already; raise `--generations`");
    }
    Ok(TrainState {
        settings: fresh.settings,
        ..state
    })
}
