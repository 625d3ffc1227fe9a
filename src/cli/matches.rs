//! `tanada match`: paired games between two settings of this build.

use std::io::{self, IsTerminal};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;
use tanada::matches::{Match, Pair, PlayError, Player, Summary};
use tanada::params::Params;

use super::options::{BoardOptions, number};
use super::{Failure, note, print, print_json};

#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    board: BoardOptions,
    /// The first player: settings separated by commas, `NAME=VALUE` for each
    /// parameter, `preset=NAME`, `weights=FILE`, `name=TEXT`
    #[arg(long, value_name = "SETTINGS", default_value = "")]
    first: String,
    /// The second player, in the same form
    #[arg(long, value_name = "SETTINGS", default_value = "")]
    second: String,
    /// Pairs of games; each opening is played twice with the colours exchanged
    #[arg(
        long,
        value_name = "N",
        default_value = "10",
        allow_negative_numbers = true
    )]
    pairs: String,
    /// Random moves at the beginning of each pair's games
    #[arg(
        long,
        value_name = "N",
        default_value = "4",
        allow_negative_numbers = true
    )]
    plies: String,
    /// Where openings and players' seeds start
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_negative_numbers = true
    )]
    seed: String,
    /// Games side by side
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_negative_numbers = true
    )]
    concurrency: String,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

/// The whole number that a required option's text stands for.
fn whole(text: &str, option: &str) -> Result<usize, Failure> {
    let range = "0 to 1000000000";
    let number = number(&Some(text.to_string()), option, range)?.unwrap_or(0);
    if number > 1_000_000_000 {
        return Err(Failure::Input(format!(
            "`{text}` is no value of `{option}`, expected a whole number from {range}"
        )));
    }
    Ok(number)
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let configuration = arguments.board.configuration()?;
    let start = configuration.start().clone();
    if start.players().len() != 2 || start.players()[1].index() != 1 {
        return Err(Failure::Input(
            "`match` plays Black against White; the setup has other players".to_string(),
        ));
    }
    let base = Params {
        threads: 1,
        memory: 256,
        ..Params::default()
    };
    let player = |text: &str| Player::parse(text, &base, &start).map_err(Failure::input);
    let settings = Match {
        players: [player(&arguments.first)?, player(&arguments.second)?],
        pairs: whole(&arguments.pairs, "--pairs")?,
        opening_plies: whole(&arguments.plies, "--plies")?,
        seed: whole(&arguments.seed, "--seed")? as u64,
        concurrency: whole(&arguments.concurrency, "--concurrency")?.clamp(1, 256),
        start,
    };
    let bar = bar(settings.pairs as u64, "pairs");
    let sofar = Mutex::new([0usize; 3]);
    let every = (settings.pairs / 10).max(1);
    let after = |pair: &Pair| {
        let mut pairs = sofar.lock();
        pairs[pair.score()] += 1;
        bar.set_message(format!("{pairs:?}"));
        bar.inc(1);
        let played: usize = pairs.iter().sum();
        if bar.is_hidden() && played.is_multiple_of(every) {
            note(&format!("{played} pairs, won 0, 1, 2 games: {pairs:?}"));
        }
        true
    };
    let pairs = settings.run(&after).map_err(|error| match error {
        PlayError::Opening { .. } => Failure::Input(error.to_string()),
        PlayError::Illegal { .. } => Failure::Other(error.to_string()),
    })?;
    bar.finish_and_clear();
    let summary = Summary::new(&pairs);
    if arguments.json {
        return print_json(&summary);
    }
    let [first, second] = &settings.players;
    print(&format!(
        "Results of [{}] vs [{}] ({}x{}, {} random plies, seed {}):\n{summary}\n",
        first.name,
        second.name,
        settings.start.size(),
        settings.start.size(),
        settings.opening_plies,
        settings.seed
    ))
}

/// A progress bar on a terminal, nothing elsewhere.
pub(super) fn bar(length: u64, unit: &str) -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let template = format!("{{bar:30}} {{pos}}/{{len}} {unit} {{elapsed}} (left {{eta}}) {{msg}}");
    let style = ProgressStyle::with_template(&template).unwrap_or(ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(length), target).with_style(style)
}
