//! Options that several subcommands share.

use std::time::{Duration, Instant};

use crate::games;
use crate::params::{self, Parameter, Params};
use crate::search::SearchLimits;
use crate::start::Configuration;
use crate::util::random;
use crate::variant::Variant;
use clap::Args;

use super::failure::shorten;
use super::values::{self, Setting, count, setting};
use super::{Failure, bail, note};

/// The start position of a game.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Board")]
pub(super) struct BoardOptions {
    #[arg(long, value_name = "NAME", value_parser = values::game(), help = games_help())]
    game: Option<&'static dyn Variant>,
    /// Points per row: 4 to 21 in Tanbo [default: 19, or the size of the file]
    #[arg(long, value_name = "N", value_parser = count(4..=21))]
    pub(super) size: Option<usize>,
    /// Start position. In Tanbo classic, dense, corners, or a file with a diagram, a line or an SGF
    /// game
    /// [default: classic on 9, 13, 19 and 21, dense on 7, 11 and 15, corners on other sizes]; in
    /// Taratibu start, or a file
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) setup: Option<String>,
    /// Number of players, 2 to 4 [default: 2, or the number of colours in the file]
    #[arg(long, value_name = "N", value_parser = count(2..=4))]
    pub(super) players: Option<usize>,
}

/// The help of `--size` where a small board is the default.
pub(super) const SMALL_BOARD: &str =
    "Points per row: 4 to 21 in Tanbo [default: 9, or the size of the file; 19 with a named setup]";

fn games_help() -> String {
    let credits: Vec<&str> = games::GAMES.iter().map(|game| game.credit()).collect();
    let default = games::default().name();
    format!("Game: {} [default: {default}]", credits.join("; "))
}

impl BoardOptions {
    pub(super) fn configuration(&self) -> Result<Configuration, Failure> {
        self.configuration_or(None)
    }

    /// The start position; if no game, size and setup is given, on a board of this `size`.
    pub(super) fn configuration_or(&self, size: Option<usize>) -> Result<Configuration, Failure> {
        let (given, setup) = (self.size, self.setup.as_deref());
        let of = |size| Configuration::of(self.game(), size, setup, self.players);
        let is_default = self.game().name() == games::default().name();
        let is_open = given.is_none() && setup.is_none() && is_default;
        let usual = size.filter(|_| is_open).map(|size| of(Some(size)));
        let configuration = match usual {
            Some(Ok(configuration)) => configuration,
            _ => of(given).map_err(Failure::input)?,
        };
        note_unplayed(&configuration, setup);
        Ok(configuration)
    }

    /// The file that `--setup` names, if it names no setup of the game.
    pub(super) fn setup_file(&self) -> Option<&str> {
        let setup = self.setup.as_deref();
        setup.filter(|name| !self.game().setups().contains(name))
    }

    pub(super) fn game(&self) -> &'static dyn Variant {
        self.game.unwrap_or_else(games::default)
    }

    pub(super) fn game_name(&self) -> Option<String> {
        self.game.map(|game| game.name().to_string())
    }

    /// The first of size, setup and players that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        first_given([
            ("--size", self.size.is_some()),
            ("--setup", self.setup.is_some()),
            ("--players", self.players.is_some()),
        ])
    }
}

pub(super) fn first_given<const N: usize>(
    options: [(&'static str, bool); N],
) -> Option<&'static str> {
    let given = |(name, is_given): (_, bool)| is_given.then_some(name);
    options.into_iter().find_map(given)
}

/// Notes that a command uses only the start position of the game record in `--setup`.
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

/// Refuses settings of parameters for which there are options.
pub(super) fn set_elsewhere(
    set: &[Setting],
    is_elsewhere: impl Fn(&Parameter) -> bool,
    options: &str,
) -> Result<(), Failure> {
    if let Some(setting) = set.iter().find(|setting| is_elsewhere(setting.parameter)) {
        let name = setting.parameter.name;
        bail!(Input: "`--set` does not take `{name}` here; use {options}");
    }
    Ok(())
}

/// The engine that a solver judges: one thread, 256 MiB and these settings. `options` decide limits
/// and seed.
pub(super) fn judged_engine(set: &[Setting], options: &str) -> Result<Params, Failure> {
    set_elsewhere(set, |p| p.is_limit() || p.is_seed(), options)?;
    let mut params = Params {
        threads: 1,
        memory: 256,
        ..Params::default()
    };
    for setting in set {
        setting.apply(&mut params);
    }
    Ok(params)
}

/// What `--time-per-move` means, and its default, where no clock can be set.
pub(super) const TIME: &str = "Maximum time for a move, in seconds";
pub(super) const USUAL_TIME: &str = "1; none if iterations are limited";

/// A parameter's meaning, range and default.
fn help(name: &str) -> String {
    help_with(name, None, None)
}

/// The same for a command where the parameter has another meaning or default.
pub(super) fn help_with(name: &str, meaning: Option<&str>, default: Option<&str>) -> String {
    let parameter = match params::find(name) {
        Ok(parameter) => parameter,
        Err(error) => return error.to_string(),
    };
    let meaning = meaning.unwrap_or(parameter.meaning).trim_end_matches('.');
    let expected = parameter.kind.expected();
    let default = default.map_or_else(|| parameter.default().to_string(), str::to_string);
    format!("{meaning}; {expected} [default: {default}]")
}

#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Engine")]
pub(super) struct EngineOptions {
    #[arg(long, value_name = "N", value_parser = setting("threads"), help = help("threads"))]
    threads: Option<Setting>,
    #[arg(long, value_name = "MIB", value_parser = setting("memory"), help = help("memory"))]
    memory: Option<Setting>,
    /// Seed of the random numbers, a whole number [default: from the system]
    #[arg(long, value_name = "N", value_parser = setting("seed"))]
    seed: Option<Setting>,
    #[arg(long, value_name = "SECONDS", value_parser = setting("time_per_move"), help = help("time_per_move"))]
    time_per_move: Option<Setting>,
    #[arg(long, value_name = "N", value_parser = setting("iterations"), help = help("iterations"))]
    iterations: Option<Setting>,
    /// Preset of parameters [default: network]
    #[arg(long, value_name = "NAME", value_parser = values::preset())]
    preset: Option<String>,
    /// Set a parameter (`tanada params` lists all); may be repeated
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    set: Vec<Setting>,
}

impl EngineOptions {
    /// The parameters: the preset, then each `--set` in order, then the other options.
    pub(super) fn params(&self) -> Result<Params, Failure> {
        self.params_from(Params {
            seed: random::system_seed(),
            ..Params::default()
        })
    }

    /// The same, starting from these.
    pub(super) fn params_from(&self, mut params: Params) -> Result<Params, Failure> {
        if let Some(preset) = &self.preset {
            params.apply_preset(preset).map_err(Failure::input)?;
        }
        let options = [
            &self.threads,
            &self.memory,
            &self.seed,
            &self.time_per_move,
            &self.iterations,
        ];
        for setting in self.set.iter().chain(options.into_iter().flatten()) {
            setting.apply(&mut params);
        }
        Ok(params)
    }
}

/// `--resign`, where whole games are played.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Engine")]
pub(super) struct ResignOption {
    #[arg(long, value_name = "CHANCE", value_parser = setting("resign"), help = help("resign"))]
    pub(super) resign: Option<Setting>,
}

/// The limits of a search that begins now.
pub(super) fn limits(params: &Params) -> SearchLimits {
    SearchLimits::of(params.move_limits(), Instant::now(), Duration::ZERO)
}
