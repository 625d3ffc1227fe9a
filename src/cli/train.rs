//! `tanada train`: fits the weights of the linear evaluation by self-play.

use std::fs;
use std::path::Path;

use clap::Args;
use tanada::play::SharedStart;
use tanada::start::read_weights;
use tanada::tanbo::network::is_network;
use tanada::train::{Measured, Settings, State};

use super::file::{apart, probe, replace};
use super::options::{BoardOptions, share, whole_from};
use super::progress::bar;
use super::{Failure, note, print};

#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    board: BoardOptions,
    /// Where all randomness starts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_from(0, u64::MAX), allow_negative_numbers = true)]
    seed: u64,
    /// Rounds of playing and fitting
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole_from(1, 1000), allow_negative_numbers = true)]
    generations: u64,
    /// Games a round
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = whole_from(10, 10_000_000), allow_negative_numbers = true)]
    games: u64,
    /// Iterations a move
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = whole_from(1, 1_000_000_000), allow_negative_numbers = true)]
    iterations: u64,
    /// Random moves at the beginning of each game
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole_from(0, 1000), allow_negative_numbers = true)]
    plies: u64,
    /// How much of a sample's target is the search's value, 0 to 1; the rest is the
    /// game's result
    #[arg(long, value_name = "SHARE", default_value_t = 0.6, value_parser = share, allow_negative_numbers = true)]
    value_share: f64,
    /// Games side by side; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_from(1, 256), allow_negative_numbers = true)]
    concurrency: u64,
    /// Goes on from this file if it is there, and keeps it up to date after each round
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<String>,
    /// A table of weights into which the new ones are written [default: standard
    /// output]
    #[arg(long, value_name = "FILE")]
    out: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let configuration = arguments.board.configuration()?;
    let start = configuration.start();
    let settings = Settings {
        seed: arguments.seed,
        generations: arguments.generations as usize,
        games: arguments.games as usize,
        iterations: arguments.iterations,
        opening_plies: arguments.plies as usize,
        value_share: arguments.value_share,
        decay: 1e-4,
    };
    apart(&[
        ("--out", arguments.out.as_ref()),
        ("--checkpoint", arguments.checkpoint.as_ref()),
    ])?;
    // What cannot be read or written is noticed before the hours of work.
    let beside = match &arguments.out {
        Some(path) => read_table(path, start)?,
        None => None,
    };
    for path in [&arguments.out, &arguments.checkpoint]
        .into_iter()
        .flatten()
    {
        probe(path)?;
    }
    let mut state = match &arguments.checkpoint {
        Some(path) => resume(path, &settings, start)?,
        None => State::new(settings, start),
    };
    state.check(start).map_err(Failure::input)?;
    for round in &state.rounds {
        note(&describe(round, start));
    }
    while !state.is_finished() {
        let bar = bar(arguments.games, "games");
        let played = state.round(start, arguments.concurrency as usize, &|| bar.inc(1));
        bar.finish_and_clear();
        played.map_err(Failure::input)?;
        if let Some(round) = state.rounds.last() {
            note(&describe(round, start));
        }
        if let Some(path) = &arguments.checkpoint {
            let text =
                serde_json::to_string(&state).map_err(|error| Failure::Other(error.to_string()))?;
            replace(path, &text)?;
        }
    }
    let text = start.weights_text(&state.weights, beside.as_deref());
    match &arguments.out {
        Some(path) => replace(path, &text),
        None => print(&text),
    }
}

/// What a round came to, in one line.
fn describe(round: &Measured, start: &SharedStart) -> String {
    let won = start.players().iter().map(|seat| {
        let share = round.wins.get(seat.index()).copied().unwrap_or(0.0);
        format!("{} {:.1} %", start.ruleset().colour(*seat), 100.0 * share)
    });
    format!(
        "generation {}: {} samples, held out {}: loss {:.4} (before {:.4}), accuracy {:.1} % \
         (before {:.1} %); games of {:.1} plies, won by {}",
        round.generation,
        round.samples,
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
    if !Path::new(path).exists() {
        return Ok(None);
    }
    let text = read_weights(path, start).map_err(Failure::input)?;
    if is_network(&text) {
        return Err(Failure::Input(format!(
            "the weights `{path}` are a network, expected a table of the linear evaluation"
        )));
    }
    Ok(Some(text))
}

fn resume(path: &str, settings: &Settings, start: &SharedStart) -> Result<State, Failure> {
    if !Path::new(path).exists() {
        return Ok(State::new(settings.clone(), start));
    }
    // A device might never end.
    if !Path::new(path).is_file() {
        return Err(Failure::Input(format!(
            "cannot read the checkpoint `{path}`: it is no regular file"
        )));
    }
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("cannot read the checkpoint `{path}`: {error}")))?;
    let state: State = serde_json::from_str(&text)
        .map_err(|error| Failure::Input(format!("`{path}` is no checkpoint: {error}")))?;
    let same = State::new(settings.clone(), start);
    // More generations may be asked for; everything else must agree.
    let mut asked = same.settings;
    asked.generations = state.settings.generations;
    if state.start != same.start || state.settings != asked {
        return Err(Failure::Input(format!(
            "the checkpoint `{path}` belongs to another setup or other settings; \
             give the same ones, or another file"
        )));
    }
    if state.origin != same.origin || !state.is_sound(same.weights.len()) {
        return Err(Failure::Input(format!(
            "the checkpoint `{path}` is of a program with another evaluation, expected another file"
        )));
    }
    if state.rounds.len() > settings.generations {
        return Err(Failure::Input(format!(
            "the checkpoint `{path}` has {} generations, expected `--generations` not to ask for fewer",
            state.rounds.len()
        )));
    }
    Ok(State {
        settings: settings.clone(),
        ..state
    })
}
