//! `tanada bench`: the bench signature, and speed.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use crate::lab::bench::{self, CaseResult, SearchSpeed};
use crate::params::Params;
use clap::ValueEnum;
use serde_json::json;

use super::options::{BoardOptions, first_given};
use super::values::{preset, seconds, whole};
use super::{Failure, bail, counted, interrupt, print, print_as, print_json};

#[derive(clap::Args, Clone)]
#[command(after_help = "\
Examples:
  tanada bench                                     # the signature, with a line for each search
  tanada bench --only playouts --size 9 --seconds 5")]
pub(super) struct Arguments {
    /// Measure one part: the signature, random playouts on one thread, or the search with one
    /// thread and with two
    #[arg(long, value_name = "PART")]
    only: Option<Part>,
    /// Seconds of playouts or of each search [default: 2]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,
    /// Seed of the playouts or the searches [default: 1]
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
    /// Preset of the search, with `--only search` [default: network]
    #[arg(long, value_name = "NAME", value_parser = preset())]
    preset: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    board: BoardOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Signature,
    Playouts,
    Search,
}

/// Runs the part, or else the signature with a line for each position.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.preset.is_some() && arguments.only != Some(Part::Search) {
        bail!(Input: "`--preset` needs `--only search`");
    }
    let stop = interrupt::stop_flag()?;
    if matches!(arguments.only, None | Some(Part::Signature)) {
        return signature(arguments, &stop);
    }
    let time = arguments.seconds.unwrap_or(Duration::from_secs(2));
    let mut params = Params {
        seed: arguments.seed.unwrap_or(1),
        ..Params::default()
    };
    if let Some(preset) = &arguments.preset {
        params.apply_preset(preset).map_err(Failure::input)?;
    }
    let configuration = arguments.board.configuration()?;
    let start = configuration.start();
    if arguments.only == Some(Part::Playouts) {
        let speed = bench::playouts(start, params.seed, time, &|| stop.load(Relaxed));
        let (totals, rate) = (speed.totals, speed.moves_per_second());
        let seconds = speed.elapsed.as_secs_f64();
        let object = json!({
            "playout_moves_per_second": rate,
            "playouts": totals.playouts,
            "moves": totals.moves,
            "seconds": seconds,
            "black_wins": totals.first_seat_wins,
        });
        print_as(arguments.json, &object, || {
            format!(
                "{} with {} in {seconds:.3} s: {:.1} million moves a second; Black wins {}\n",
                counted(totals.playouts, "playout", "playouts"),
                counted(totals.moves, "move", "moves"),
                rate / 1e6,
                totals.first_seat_wins
            )
        })?;
        return ended(&stop, &format!("after {seconds:.1} s"));
    }
    let [one, two] = bench::search(start, &params, time, &|| stop.load(Relaxed));
    if two.iterations == 0 {
        return ended(&stop, "before anything was measured");
    }
    speeds(arguments, [one, two])?;
    let seconds = (one.elapsed + two.elapsed).as_secs_f64();
    ended(&stop, &format!("after {seconds:.1} s"))
}

fn ended(stop: &AtomicBool, when: &str) -> Result<(), Failure> {
    if stop.load(Relaxed) {
        bail!(Interrupted: "interrupted {when}");
    }
    Ok(())
}

fn speeds(arguments: &Arguments, [one, two]: [SearchSpeed; 2]) -> Result<(), Failure> {
    let iterations = [one, two].map(|speed| speed.iterations_per_second());
    let evaluations = [one, two].map(|speed| speed.child_evaluations_per_second());
    if arguments.json {
        return print_json(&json!({
            "iterations_per_second": {"1": iterations[0], "2": iterations[1]},
            "child_evaluations_per_second": {"1": evaluations[0], "2": evaluations[1]},
        }));
    }
    let mut text = String::new();
    for (threads, i) in [("1 thread: ", 0), ("2 threads:", 1)] {
        text.push_str(&format!(
            "{threads} {:.0} iterations a second, {:.0} child evaluations a second\n",
            iterations[i], evaluations[i]
        ));
    }
    let ratio = iterations[1] / iterations[0].max(1e-9);
    print(&(text + &format!("ratio {ratio:.3}\n")))
}

fn signature(arguments: &Arguments, stop: &AtomicBool) -> Result<(), Failure> {
    let others = [
        ("--seconds", arguments.seconds.is_some()),
        ("--seed", arguments.seed.is_some()),
    ];
    if let Some(name) = arguments.board.given().or_else(|| first_given(others)) {
        bail!(
            Input: "`{name}` needs `--only playouts` or `--only search`; the signature has no options"
        );
    }
    let lines = arguments.only.is_none();
    let mut results = Vec::new();
    // The failure of a print is reported when the searches are over.
    let mut written = Ok(());
    let game = arguments.board.game();
    let stopped = || stop.load(Relaxed);
    let signature = bench::signature(game, &stopped, &mut |result| {
        if lines && !arguments.json && written.is_ok() {
            written = print(&line(&result));
        }
        results.push(result);
    });
    written?;
    let Some(signature) = signature else {
        let searches = counted(results.len(), "search", "searches");
        return ended(
            stop,
            &format!("after {searches}; the signature needs all of them"),
        );
    };
    if !arguments.json {
        return print(&format!("signature {signature}\n"));
    }
    let mut object = json!({"signature": signature});
    if lines {
        object["positions"] = results.iter().map(entry).collect();
    }
    print_json(&object)
}

fn rate(result: &CaseResult) -> f64 {
    result.iterations as f64 / result.elapsed.as_secs_f64().max(1e-9)
}

fn line(result: &CaseResult) -> String {
    format!(
        "{:<18}  {:<7}  {:<3}  {:>4} iterations  {:>8.0} a second\n",
        result.name,
        result.preset,
        result.best,
        result.iterations,
        rate(result)
    )
}

fn entry(result: &CaseResult) -> serde_json::Value {
    json!({
        "position": result.name,
        "preset": result.preset,
        "move": result.best,
        "iterations": result.iterations,
        "seconds": result.elapsed.as_secs_f64(),
        "iterations_per_second": rate(result),
    })
}
