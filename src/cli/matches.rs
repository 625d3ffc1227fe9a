//! `tanada match`: plays matches between engines in pairs of games.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use crate::clock::TimeControl;
use crate::engine::Engine;
use crate::lab::matches::{
    EngineRequest, EngineStartError, Folder, Format, LongWait, MatchGame, MatchRequest,
    MatchResults, Observer, Plan, RunError, RunOptions, Runner, ScheduledGame, Standing, limit,
};
use crate::lab::stats::Sprt;
use crate::start::read_text;
use crate::util::threads::cores;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use indicatif::ProgressBar;

use super::failure::invalid_value;
use super::interrupt::stop_flag;
use super::options::{BoardOptions, first_given, note_unplayed};
use super::progress::bar;
use super::values::{self, MOST, count, seconds, whole};
use super::watch::Watch;
use super::{Failure, bail, counted, note, print, print_as, terminal};

/// The most games at once.
const MOST_AT_ONCE: usize = 1024;

#[derive(Args, Clone)]
#[command(after_help = "\
Examples:
  tanada match --size 9 --engine name=new --engine name=old,preset=linear --pairs 50
  tanada match --config match.toml --records games --sprt 'elo0=0 elo1=10'")]
pub(super) struct Arguments {
    /// TOML file with the match; options override it
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
    /// Who meets whom; in a gauntlet the first engine meets each of the others [default:
    /// round-robin]
    #[arg(long, value_parser = format())]
    format: Option<Format>,
    /// Pairs of games for each pairing; both games of a pair have the same opening, with the colours
    /// exchanged [default: 100]
    #[arg(long, value_name = "N", value_parser = count(1..=MOST))]
    pairs: Option<usize>,
    /// Sequential test that ends the match early, such as `elo0=0 elo1=10`; alpha=0.05, beta=0.05
    /// and model=logistic are the defaults, model=normalized is the other model
    #[arg(long, value_name = "TEST")]
    sprt: Option<Sprt>,
    /// Seconds to wait for an answer that no time control limits [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    stall: Option<Duration>,
    /// Folder for the records: one line of JSON and one record per game, SGF in Tanbo
    #[arg(long, value_name = "FOLDER")]
    records: Option<String>,
    /// Continue the match in the folder of the records; you may then leave out the engines
    #[arg(long)]
    resume: bool,
    /// Play only this unit, from 1, and leave the folder open for others; with two players a unit is
    /// a pair of games
    #[arg(long, value_name = "N", conflicts_with = "prepare", value_parser = count(1..=MOST))]
    unit: Option<usize>,
    /// Print the report of the games in the folder and write nothing; the match may still be running
    #[arg(long, conflicts_with_all = ["unit", "prepare"])]
    report: bool,
    /// Write the settings into the folder and play nothing; `--unit` plays the units later
    #[arg(long)]
    prepare: bool,
    /// Pairs between two reports; 0 reports only at the end [default: 10]
    #[arg(long, value_name = "N", value_parser = count(0..=MOST))]
    rating_interval: Option<usize>,
    /// Draw the boards of the running games, on a terminal
    #[arg(long)]
    watch: bool,
    /// Print one JSON object instead of the reports
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    board: BoardOptions,
    #[command(flatten)]
    players: PlayerOptions,
}

fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(["round-robin", "gauntlet"]).map(|name| match name.as_str() {
        "gauntlet" => Format::Gauntlet,
        _ => Format::RoundRobin,
    })
}

/// Players, openings and limits, for matches and tuning.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Games")]
pub(super) struct PlayerOptions {
    /// Engine, as settings separated by commas; may be repeated. `command=PROGRAM ARGUMENTS` (with
    /// `dir=`, `env.NAME=`, `send=LINE`, `restart=on`) or, without a command, this build with
    /// `preset=NAME`, `level=NAME` (as in `tanada play`), `weights=FILE` and NAME=VALUE for parameters;
    /// for both `name=`, a limit of its own, `margin=SECONDS` (how late an answer may be) and `grace=SECONDS` (how much longer to
    /// wait for a late one)
    #[arg(long, value_name = "SETTINGS", value_parser = EngineRequest::parse)]
    engine: Vec<EngineRequest>,
    /// Iterations per move
    #[arg(long, value_name = "N", value_parser = values::limit(limit::iterations))]
    iterations: Option<u64>,
    /// Seconds per move [default: 0.1 without another limit]
    #[arg(
        long,
        value_name = "SECONDS",
        conflicts_with = "iterations",
        value_parser = values::limit(limit::time_per_move)
    )]
    time_per_move: Option<Duration>,
    /// Clock for each game: `10+0.1`, `60`, `byoyomi 60 10 3`, `canadian 60 300 25`
    #[arg(
        long,
        allow_hyphen_values = true,
        conflicts_with_all = ["iterations", "time_per_move"],
        value_parser = values::limit(limit::clock)
    )]
    clock: Option<TimeControl>,
    /// Random moves at the beginning of the games of each pair [default: 4]
    #[arg(long, value_name = "N", value_parser = count(0..=MOST))]
    plies: Option<usize>,
    /// File of openings: one line of moves each, or SGF in Tanbo
    #[arg(long, value_name = "FILE", conflicts_with = "plies")]
    openings: Option<String>,
    /// Seed of the openings and the players [default: 1]
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
    /// Games to play at once, at most one per core [default: 1]
    #[arg(long, value_name = "N", value_parser = count(1..=MOST_AT_ONCE))]
    concurrency: Option<usize>,
    /// Allow more games at once than there are cores, up to 1024
    #[arg(long)]
    oversubscribe: bool,
    /// Restart engines that crash or hang, instead of ending the match
    #[arg(long)]
    recover: bool,
}

impl PlayerOptions {
    pub(super) fn request(&self, board: &BoardOptions) -> MatchRequest {
        MatchRequest {
            game: board.game_name(),
            size: board.size,
            setup: board.setup.clone(),
            players: board.players,
            engines: self.engine.clone(),
            iterations: self.iterations,
            time_per_move: self.time_per_move,
            clock: self.clock,
            plies: self.plies,
            openings: self.openings.clone(),
            seed: self.seed,
            concurrency: self.concurrency,
            oversubscribe: self.oversubscribe.then_some(true),
            recover: self.recover.then_some(true),
            ..MatchRequest::default()
        }
    }
}

/// The plan of a request; notes ignored moves of a game record in `--setup`.
pub(super) fn plan(request: &MatchRequest) -> Result<Plan, Failure> {
    let plan = request.plan().map_err(Failure::input)?;
    if let Ok(configuration) = request.configuration() {
        note_unplayed(&configuration, request.setup.as_deref());
    }
    Ok(plan)
}

/// The number of games to play at once: at most one per core, unless the request has `oversubscribe`.
/// Both may come from the file, so the parser of the option cannot decide it.
pub(super) fn concurrency(request: &MatchRequest) -> Result<usize, Failure> {
    let (asked, cores) = (request.concurrency.unwrap_or(1), cores());
    let (most, more) = if request.oversubscribe.unwrap_or(false) {
        (MOST_AT_ONCE, String::new())
    } else {
        (
            cores,
            format!(", or up to {MOST_AT_ONCE} with `--oversubscribe`"),
        )
    };
    if (1..=most).contains(&asked) {
        return Ok(asked);
    }
    let expected = format!("1 to {most} on {cores} cores{more}");
    Err(invalid_value(asked, "--concurrency", expected))
}

impl Arguments {
    fn request(&self) -> Result<MatchRequest, Failure> {
        let file = match &self.config {
            Some(path) => {
                let text = read_text(path).map_err(Failure::input)?;
                MatchRequest::from_toml(&text, path).map_err(Failure::input)?
            }
            None => MatchRequest::default(),
        };
        let options = MatchRequest {
            format: self.format,
            pairs: self.pairs,
            sprt: self.sprt,
            stall: self.stall.map(|time| time.as_secs_f64()),
            records: self.records.clone(),
            rating_interval: self.rating_interval,
            ..self.players.request(&self.board)
        };
        Ok(options.or(file))
    }
}

/// Refuses options that would have no effect beside the settings in the folder.
fn nothing_else(request: &MatchRequest) -> Result<(), Failure> {
    if request.pairs == Some(0) {
        return Err(invalid_value(0, "pairs", "1 or more"));
    }
    if let Some(name) = request.decides() {
        bail!(
            Input: "`--{name}` contradicts the settings in the folder; repeat all of them with the \
                    engines, or give only `--pairs`"
        );
    }
    Ok(())
}

/// Reads the settings and opens the folder; returns the games played so far with them.
fn prepare(
    arguments: &Arguments,
    request: &MatchRequest,
) -> Result<(Plan, Option<Folder>, Vec<MatchGame>), Failure> {
    let folder_option = first_given([
        ("--resume", arguments.resume),
        ("--report", arguments.report),
        ("--unit", arguments.unit.is_some()),
        ("--prepare", arguments.prepare),
    ]);
    // All these options go on with a match.
    let resume = folder_option.is_some();
    let asked = if request.engines.is_empty() && resume {
        None
    } else {
        Some(plan(request)?)
    };
    let Some(path) = &request.records else {
        return match (asked, folder_option) {
            (Some(plan), None) => Ok((plan, None, Vec::new())),
            (_, option) => {
                bail!(Input: "`{}` needs `--records FOLDER`", option.unwrap_or("--resume"))
            }
        };
    };
    let path = Path::new(path);
    if asked.is_none() && path.join("match.json").exists() {
        nothing_else(request)?;
    }
    let asked = asked.as_ref().map(Plan::settings);
    let (folder, settings, games) = if arguments.report {
        let read = Folder::read(path, asked, request.pairs);
        let (settings, games) = read.map_err(Failure::input)?;
        (None, settings, games)
    } else {
        let opened = Folder::open(path, asked, request.pairs, resume);
        let (folder, settings, games) = opened.map_err(Failure::input)?;
        (Some(folder), settings, games)
    };
    let plan = Plan::new(settings).map_err(Failure::input)?;
    Ok((plan, folder, games))
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let request = arguments.request()?;
    let concurrency = concurrency(&request)?;
    let (plan, folder, games) = prepare(arguments, &request)?;
    if arguments.prepare {
        return Ok(());
    }
    let units = plan.units();
    if let Some(unit) = arguments.unit.filter(|&unit| unit > units) {
        let expected = format!("a whole number from 1 to {units}");
        return Err(invalid_value(unit, "--unit", expected));
    }
    let only_unit = arguments.unit.map(|unit| unit - 1);
    let stop = stop_flag()?;
    let is_drawn = arguments.watch && io::stderr().is_terminal() && terminal::has_escapes();
    let watcher = Watcher {
        plan: &plan,
        bar: if arguments.watch {
            // Two drawings on one terminal would overwrite each other.
            ProgressBar::hidden()
        } else {
            bar(plan.games() as u64, "games")
        },
        watch: is_drawn.then(|| Watch::new(concurrency)),
        every: request.rating_interval.unwrap_or(10),
        reported: AtomicUsize::new(0),
        quiet: arguments.json || only_unit.is_some(),
    };
    watcher.bar.set_position(games.len() as u64);
    let running = RunOptions {
        concurrency,
        recover: request.recover.unwrap_or(false),
        only_unit,
        needs_all: false,
    };
    let runner = Runner::in_folder(&plan, running, folder, games, &stop, &watcher);
    watcher.reported.store(runner.results().units(), Relaxed);
    if arguments.report {
        return report(&runner.results(), arguments.json);
    }
    watcher.show_score(&runner.standing(), &runner.results());
    let result = play(&runner, request.records.is_some());
    watcher.bar.finish_and_clear();
    if let Some(watch) = &watcher.watch {
        watch.close();
    }
    let has_report = arguments.json || only_unit.is_none();
    if let Err(Failure::Interrupted(_)) = &result
        && has_report
        && runner.results().units() > 0
    {
        // Nobody may read it any more; the exit status is that of the signal anyway.
        let _ = report(&runner.results(), arguments.json);
    }
    let tally = result?;
    if has_report {
        report(&tally, arguments.json)?;
    }
    if tally.void_games() > 0 {
        let games = counted(tally.void_games(), "game", "games");
        bail!(Other: "{games} could not be set up and is not counted; `--resume` tries again");
    }
    Ok(())
}

fn play(runner: &Runner<'_>, is_kept: bool) -> Result<MatchResults, Failure> {
    let interrupted = |more: &str| Failure::Interrupted(format!("interrupted{more}"));
    if !runner.is_complete() {
        runner.try_engines().map_err(|error| match error {
            RunError::Start(EngineStartError::Interrupted) => interrupted(""),
            error => Failure::input(error),
        })?;
    }
    runner.run().map_err(|error| match error {
        RunError::Interrupted if is_kept => interrupted("; `--resume` continues"),
        RunError::Interrupted => interrupted(""),
        error => Failure::Other(error.to_string()),
    })
}

fn report(tally: &MatchResults, json: bool) -> Result<(), Failure> {
    print_as(json, &tally.to_json(), || tally.to_string())
}

/// Shows the progress of a match: a bar or boards on a terminal, lines elsewhere.
struct Watcher<'a> {
    plan: &'a Plan,
    bar: ProgressBar,
    watch: Option<Watch>,
    every: usize,
    reported: AtomicUsize,
    quiet: bool,
}

impl Watcher<'_> {
    /// Shows the score, and the state of the test.
    fn show_score(&self, standing: &Standing, tally: &MatchResults) {
        let score = match tally.llr() {
            Some(llr) => format!("{standing}, LLR {llr:.2}"),
            None => standing.to_string(),
        };
        match &self.watch {
            Some(watch) => {
                let (done, all) = (standing.games(), self.plan.games());
                watch.set_score(&format!("Score after {done} of {all} games: {score}"));
            }
            None => self.bar.set_message(score),
        }
    }
}

impl Observer for Watcher<'_> {
    fn ended(&self, record: &MatchGame, tally: &MatchResults, standing: &Standing) {
        let names: Vec<&str> = record.players.iter().map(|p| p.name.as_str()).collect();
        let line = format!(
            "Finished game {} of {} ({}): {} {{{}}}",
            record.game,
            self.plan.games(),
            names.join(" vs "),
            record.result,
            record.ending
        );
        self.bar.inc(1);
        self.show_score(standing, tally);
        match &self.watch {
            Some(watch) => watch.set_news(&line),
            None if self.bar.is_hidden() => note(&line),
            None => {}
        }
        // The last report comes at the end. Games end in any order, so several units may become
        // complete at once.
        let seats = record.players.len();
        let count = |units: usize| units.checked_div(self.every).unwrap_or(0);
        let due = count(tally.units()) > count(self.reported.load(Relaxed))
            && tally.units() * seats < self.plan.games()
            && tally.decision().is_none();
        if due && !self.quiet && self.watch.is_none() {
            self.reported.store(tally.units(), Relaxed);
            // The match goes on even if nobody reads the report.
            self.bar.suspend(|| {
                let _ = print(&tally.to_string());
            });
        }
    }

    fn moved(&self, worker: usize, scheduled: &ScheduledGame, position: &Engine) {
        if let Some(watch) = &self.watch {
            let variant = position.variant();
            let engines = &self.plan.settings().engines;
            let seats = self.plan.seats().iter().zip(&scheduled.seating);
            let seating: Vec<String> = seats
                .map(|(&seat, &at)| format!("{} {}", variant.colour(seat), engines[at].name))
                .collect();
            watch.show(worker, scheduled.game + 1, &seating, position);
        }
    }

    fn waiting(&self, wait: &LongWait<'_>) {
        match &self.watch {
            Some(watch) => watch.set_news(&wait.to_string()),
            None => self.bar.suspend(|| note(&wait.to_string())),
        }
    }
}
