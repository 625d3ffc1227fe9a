//! Options that mean the same in every subcommand that has them.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::games;
use crate::params::{self, Parameter, Params};
use crate::search::SearchLimits;
use crate::start::Configuration;
use crate::util::random;
use crate::variant::Variant;
use clap::Args;

use super::failure::{invalid_value, shorten};
use super::{Failure, note};

/// Which position a game starts from.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Board")]
pub(super) struct BoardOptions {
    #[arg(long, value_name = "NAME", help = games_help())]
    game: Option<String>,
    /// Points a row, in Tanbo 4 to 21 [default: 19, or that of the file]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    size: Option<String>,
    /// In Tanbo classic, dense, corners, or a file with a diagram or SGF [default: classic on 9,
    /// 13, 19 and 21, dense on 7, 11 and 15, corners on others]; in Taratibu start, or a file
    #[arg(long, value_name = "NAME|FILE")]
    setup: Option<String>,
    /// Players, 2 to 4 [default: 2, or the colours of the file]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    players: Option<String>,
}

/// The games to choose from, with their inventors.
fn games_help() -> String {
    let credits: Vec<&str> = games::GAMES.iter().map(|game| game.credit()).collect();
    format!(
        "{}: {} [default: {}]",
        games::names().join(" or "),
        credits.join("; "),
        games::default().name()
    )
}

/// Size, setup and players.
type Parts = (Option<usize>, Option<String>, Option<usize>);

/// What a size may be in any game; which one has it the game says.
const SIZES: &str = "4 to 21";

impl BoardOptions {
    /// The start position they stand for.
    pub(super) fn configuration(&self) -> Result<Configuration, Failure> {
        self.configuration_or(None)
    }

    /// The same; without a size and a setup the default game has a board of `size`.
    pub(super) fn configuration_or(&self, size: Option<usize>) -> Result<Configuration, Failure> {
        let (given, setup, players) = self.parts()?;
        let game = self.game()?;
        let of = |size| Configuration::of(game, size, setup.as_deref(), players);
        let is_open = given.is_none() && setup.is_none() && game.name() == games::default().name();
        let usual = size.filter(|_| is_open).map(|size| of(Some(size)));
        let configuration = match usual {
            Some(Ok(configuration)) => configuration,
            _ => of(given).map_err(Failure::input)?,
        };
        note_unplayed(&configuration, setup.as_deref());
        Ok(configuration)
    }

    /// The `--setup` that names a file rather than one of the game's setups.
    pub(super) fn setup_file(&self) -> Option<&str> {
        let names = self.game().map_or(&[][..], |game| game.setups());
        self.setup.as_deref().filter(|name| !names.contains(name))
    }

    /// The game.
    pub(super) fn game(&self) -> Result<&'static dyn Variant, Failure> {
        Configuration::game(self.game.as_deref()).map_err(Failure::input)
    }

    /// The game's name as it was given.
    pub(super) fn game_name(&self) -> Option<String> {
        self.game.clone()
    }

    /// Size, setup and players, each as far as it was given.
    pub(super) fn parts(&self) -> Result<Parts, Failure> {
        let given = number(&self.size, "--size", SIZES)?;
        let players = number_in(&self.players, "--players", 2..=4)?;
        Ok((given, self.setup.clone(), players))
    }

    /// Whether one of them was given; its name.
    pub(super) fn given(&self) -> Option<&'static str> {
        [
            ("--size", &self.size),
            ("--setup", &self.setup),
            ("--players", &self.players),
        ]
        .into_iter()
        .find_map(|(name, value)| value.as_ref().map(|_| name))
    }
}

/// Says that the moves of a game record given by `--setup` are ignored, by a command that only
/// uses its start position.
pub(super) fn note_unplayed(configuration: &Configuration, setup: Option<&str>) {
    let moves = match configuration.unplayed() {
        0 => return,
        1 => "its move is".to_string(),
        moves => format!("its {moves} moves are"),
    };
    let path = shorten(setup.unwrap_or_default());
    note(&format!(
        "only the start position of `{path}` is used; {moves} ignored"
    ));
}

/// Refuses settings of parameters that other options give.
pub(super) fn set_elsewhere(
    set: &[String],
    is_elsewhere: impl Fn(&Parameter) -> bool,
    options: &str,
) -> Result<(), Failure> {
    let is_refused = |text: &&String| {
        let name = text.split('=').next().unwrap_or_default();
        params::find(name.trim()).is_ok_and(&is_elsewhere)
    };
    match set.iter().find(is_refused) {
        None => Ok(()),
        Some(text) => Err(Failure::Input(format!(
            "`{}` has no place in `--set`, expected {options}",
            shorten(text)
        ))),
    }
}

fn wrong(text: &str, option: &str, range: &str) -> Failure {
    invalid_value(text, option, format!("a whole number from {range}"))
}

/// A whole number without a sign before it.
fn digits<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

/// The whole number that an option's text stands for.
pub(super) fn number(
    text: &Option<String>,
    option: &str,
    range: &str,
) -> Result<Option<usize>, Failure> {
    let Some(text) = text else { return Ok(None) };
    digits(text)
        .map(Some)
        .ok_or_else(|| wrong(text, option, range))
}

/// The same, within a range.
pub(super) fn number_in(
    text: &Option<String>,
    option: &str,
    range: RangeInclusive<usize>,
) -> Result<Option<usize>, Failure> {
    let words = format!("{} to {}", range.start(), range.end());
    match number(text, option, &words)? {
        Some(n) if !range.contains(&n) => Err(wrong(&n.to_string(), option, &words)),
        number => Ok(number),
    }
}

/// A parser of such numbers; its errors are what is expected.
pub(super) fn whole_from(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let found = digits(text).filter(|n| (least..=most).contains(n));
        found.ok_or_else(|| format!("a whole number from {least} to {most}"))
    }
}

/// The part of a whole that a text stands for; the error is what is expected.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|x| (0.0..=1.0).contains(x));
    found.ok_or_else(|| "a number from 0 to 1".to_string())
}

/// The most of what an option counts where nothing else bounds it.
pub(super) const MOST: usize = 1_000_000_000;

/// The seconds that an option's text stands for, more than 0.
pub(super) fn seconds(text: &str, option: &str) -> Result<Duration, Failure> {
    let found = seconds_of(text).filter(|seconds| !seconds.is_zero());
    found.ok_or_else(|| wrong_seconds(text, option, "above 0"))
}

/// The same, 0 included.
pub(super) fn seconds_from_zero(text: &str, option: &str) -> Result<Duration, Failure> {
    seconds_of(text).ok_or_else(|| wrong_seconds(text, option, "from 0 on"))
}

/// The most seconds that an option takes.
const MOST_SECONDS: f64 = 1e6;

fn seconds_of(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    let seconds = Some(seconds).filter(|s| (0.0..=MOST_SECONDS).contains(s))?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn wrong_seconds(text: &str, option: &str, range: &str) -> Failure {
    let expected = format!("seconds {range}, at most {MOST_SECONDS}");
    invalid_value(text, option, expected)
}

/// The meaning of a parameter with its range and default; `elsewhere` adds other defaults.
fn help(name: &str, elsewhere: &str) -> String {
    params::find(name).map_or_else(
        |error| error.to_string(),
        |parameter| {
            let meaning = parameter.meaning.trim_end_matches('.');
            let (expected, default) = (parameter.kind.expected(), parameter.default());
            format!("{meaning}; {expected} [default: {default}{elsewhere}]")
        },
    )
}

/// How the engine thinks.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Engine")]
pub(super) struct EngineOptions {
    #[arg(long, value_name = "N", allow_negative_numbers = true, help = help("threads", "; 1 in `analysis`"))]
    threads: Option<String>,
    #[arg(long, value_name = "MIB", allow_negative_numbers = true, help = help("memory", "; in `analysis` for all positions together"))]
    memory: Option<String>,
    /// Where the random stream starts, a whole number [default: from the system]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<String>,
    #[arg(
        long,
        value_name = "SECONDS",
        allow_negative_numbers = true,
        help = help("time_per_move", "; 0.15 in `demo`")
    )]
    time_per_move: Option<String>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, help = help("iterations", ""))]
    iterations: Option<String>,
    #[arg(
        long,
        value_name = "NAME",
        help = format!(
            "A set of parameters: {} [default: {}]",
            Params::PRESETS.join(", "),
            Params::PRESETS[0]
        )
    )]
    preset: Option<String>,
    /// Sets a parameter of the table that `tanada params` lists; may be repeated
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
}

/// The engine's settings as they were asked for.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// All parameters.
    pub(super) params: Params,
}

impl EngineOptions {
    /// The settings they stand for: first the preset, then each `--set` in order,
    /// then the options of their own.
    pub(super) fn settings(&self) -> Result<Settings, Failure> {
        self.settings_from(Params {
            seed: random::system_seed(),
            ..Params::default()
        })
    }

    /// The same, with other defaults.
    pub(super) fn settings_from(&self, mut params: Params) -> Result<Settings, Failure> {
        if let Some(preset) = &self.preset {
            params.apply_preset(preset).map_err(Failure::input)?;
        }
        for assignment in &self.set {
            params.assign(assignment).map_err(Failure::input)?;
        }
        for (name, value) in [
            ("threads", &self.threads),
            ("memory", &self.memory),
            ("seed", &self.seed),
            ("time_per_move", &self.time_per_move),
            ("iterations", &self.iterations),
        ] {
            if let Some(value) = value {
                params.set(name, value).map_err(Failure::input)?;
            }
        }
        Ok(Settings { params })
    }
}

/// `--resign`, where whole games are played.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Engine")]
pub(super) struct ResignOption {
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, help = help("resign", ""))]
    resign: Option<String>,
}

impl ResignOption {
    /// Takes the option over into the parameters.
    pub(super) fn apply(&self, params: &mut Params) -> Result<(), Failure> {
        match &self.resign {
            Some(value) => params.set("resign", value).map_err(Failure::input),
            None => Ok(()),
        }
    }
}

impl Settings {
    /// When a search that begins now has to end.
    pub(super) fn limits(&self) -> SearchLimits {
        SearchLimits::of(self.params.move_limits(), Instant::now(), Duration::ZERO)
    }
}
