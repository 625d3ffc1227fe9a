//! `tanada tune`: parameters by SPSA, or one of them by a scan.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::lab::matches::{
    EngineRequest, EngineStartError, Folder, FolderError, LongWait, MatchGame, MatchRequest,
    MatchResults, Observer, Plan, RunError, RunOptions, Runner, Standing,
};
use crate::lab::tune::{MOST, Scan, Tunable, TuneError, TuneSettings, Tuner, plot_scan};
use crate::params::Params;
use crate::util::files;
use clap::Args;
use indicatif::ProgressBar;

use super::interrupt::stop_flag;
use super::matches::{PlayerOptions, concurrency, plan};
use super::options::BoardOptions;
use super::progress::bar;
use super::values::count;
use super::{Failure, bail, columns, note, print, table};

const STEPS: usize = 500;
const PAIRS: usize = 4;

const SCAN_PAIRS: usize = 100;

/// Number of progress lines, and of times that the diagram is drawn.
const REPORTS: usize = 20;

#[derive(Args, Clone)]
#[command(
    mut_arg("engine", |engine| engine.help(
        "Engine to tune, in the form of `tanada match --engine` [default: this build]"
    )),
    after_help = "\
Examples:
  tanada tune --size 9 --param cpuct --param fpu_reduction --steps 200 --folder tuning
  tanada tune --size 9 --scan cpuct=0.1:0.5:5 --pairs 50 --folder scan"
)]
pub(super) struct Arguments {
    /// Parameter to tune, NAME or NAME=value:min:max:c_end:r_end; may be repeated. The value comes
    /// from the engine by default, range and step from `tanada params`, and r_end is 0.002
    // Text: the missing parts come from the engine, which another option names.
    #[arg(long, value_name = "PARAMETER", allow_hyphen_values = true)]
    param: Vec<String>,
    /// Steps of SPSA [default: 500]
    #[arg(long, value_name = "N", value_parser = count(1..=MOST))]
    steps: Option<usize>,
    /// Pairs of games for each step, or for each value of a scan [default: 4, or 100 in a scan]
    #[arg(long, value_name = "N", value_parser = count(1..=MOST))]
    pairs: Option<usize>,
    /// Instead of SPSA, play the engine against itself with other values of one parameter:
    /// NAME=low:high:count or NAME=a,b,c
    #[arg(
        long,
        value_name = "VALUES",
        allow_hyphen_values = true,
        conflicts_with_all = ["param", "steps"],
        value_parser = Scan::parse
    )]
    scan: Option<Scan>,
    /// Folder of the tuning: settings, history and diagram
    #[arg(long, value_name = "FOLDER")]
    folder: String,
    /// Continue the tuning in the folder; you may then leave out its settings
    #[arg(long)]
    resume: bool,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    board: BoardOptions,
    #[command(flatten)]
    players: PlayerOptions,
}

impl Arguments {
    /// Whether no option contradicts the settings in a folder.
    fn is_bare(&self, request: &MatchRequest) -> bool {
        let is_open = request.engines.is_empty() && request.decides().is_none();
        let counts = [self.steps, self.pairs];
        is_open && self.param.is_empty() && counts == [None, None]
    }

    fn spsa(&self, request: MatchRequest) -> Result<TuneSettings, Failure> {
        if self.param.is_empty() && self.resume {
            bail!(Input: "`--resume` takes all settings of the tuning or none; add `--param`");
        }
        if self.param.is_empty() {
            return Err(Failure::input(TuneError::Nothing));
        }
        let base = self.base(request)?;
        let base = base.settings();
        let engine = &base.engines[0];
        // The values that a foreign program starts from are unknown; take the table's.
        let params = match engine.program {
            Some(_) => Params::default(),
            None => engine.params().map_err(Failure::input)?,
        };
        let parameters = self.param.iter().map(|text| Tunable::parse(text, &params));
        let parameters = parameters.collect::<Result<_, _>>();
        let parameters = parameters.map_err(Failure::input)?;
        let (steps, pairs) = (self.steps.unwrap_or(STEPS), self.pairs.unwrap_or(PAIRS));
        TuneSettings::new(base, parameters, steps, pairs).map_err(Failure::input)
    }

    /// The match of the engine against itself, from which the games take their settings.
    fn base(&self, request: MatchRequest) -> Result<Plan, Failure> {
        if request.engines.len() > 1 {
            let count = request.engines.len();
            bail!(Input: "{count} engines were given; `tune` takes one `--engine`, the one to tune");
        }
        let EngineRequest(mut engine) = request.engines.first().cloned().unwrap_or_default();
        let named = engine.iter().rev().find(|(key, _)| key == "name");
        let name = named.map_or_else(|| "base".to_string(), |(_, name)| name.clone());
        engine.retain(|(key, _)| key != "name");
        let called = |name: String| {
            let name = ("name".to_string(), name);
            EngineRequest(std::iter::once(name).chain(engine.clone()).collect())
        };
        let twice = MatchRequest {
            // A match needs two engines.
            engines: vec![called(name.clone()), called(format!("{name} again"))],
            ..request
        };
        plan(&twice)
    }
}

/// The failure of a tuning: engines and openings are input, everything else is not.
fn failure(error: TuneError) -> Failure {
    match error {
        TuneError::Run(error) => run_failure(error),
        TuneError::Start(EngineStartError::Interrupted) => run_failure(RunError::Interrupted),
        TuneError::Start(_) | TuneError::Plan(_) => Failure::input(error),
        error => Failure::Other(error.to_string()),
    }
}

fn run_failure(error: RunError) -> Failure {
    match error {
        RunError::Interrupted => Failure::Interrupted(format!("{error}; `--resume` continues")),
        error @ (RunError::Opening(_) | RunError::Other { .. }) => Failure::input(error),
        error => Failure::Other(error.to_string()),
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut request = arguments.players.request(&arguments.board);
    let running = RunOptions {
        concurrency: concurrency(&request)?,
        recover: request.recover.unwrap_or(false),
        only_unit: None,
        // Only whole pairs are compared.
        needs_all: true,
    };
    if let Some(scan) = &arguments.scan {
        request.pairs = Some(arguments.pairs.unwrap_or(SCAN_PAIRS));
        return run_scan(arguments, request, scan, running);
    }
    let settings = if arguments.resume && arguments.is_bare(&request) {
        None
    } else {
        Some(arguments.spsa(request)?)
    };
    let folder = Path::new(&arguments.folder);
    let tuner = Tuner::open(folder, settings.as_ref(), arguments.resume).map_err(Failure::input)?;
    run_spsa(arguments, tuner, running)
}

fn run_spsa(arguments: &Arguments, mut tuner: Tuner, running: RunOptions) -> Result<(), Failure> {
    let stop = stop_flag()?;
    let (steps, pairs) = (tuner.settings().steps, tuner.settings().pairs);
    let bar = bar(tuner.settings().games() as u64, "games");
    let watcher = Watcher { bar, every: 0 };
    let every = steps.div_ceil(REPORTS);
    while !tuner.is_finished() {
        let done = tuner.rows().len();
        watcher.bar.set_position((2 * done * pairs) as u64);
        watcher.bar.set_message(state(&tuner));
        if let Err(error) = tuner.step(running, &stop, &watcher) {
            watcher.bar.finish_and_clear();
            let failure = failure(error);
            if matches!(failure, Failure::Interrupted(_)) && done > 0 {
                // The steps are in the folder already, whatever becomes of the report.
                let _ = tuner.draw();
                let _ = print_result(&tuner, arguments.json);
            }
            return Err(failure);
        }
        let done = done + 1;
        if done.is_multiple_of(every) {
            if watcher.bar.is_hidden() {
                note(&format!("step {done} of {steps}: {}", state(&tuner)));
            }
            tuner.draw().map_err(failure)?;
        }
    }
    watcher.bar.finish_and_clear();
    tuner.draw().map_err(failure)?;
    print_result(&tuner, arguments.json)
}

fn print_result(tuner: &Tuner, json: bool) -> Result<(), Failure> {
    if json {
        print(&(tuner.json() + "\n"))
    } else {
        print(&report(tuner))
    }
}

/// The parameters in one line, and the number of forfeited games.
fn state(tuner: &Tuner) -> String {
    let values = tuner.values();
    let parameters = tuner.settings().parameters.iter().zip(values);
    let values = parameters.map(|(p, value)| format!("{}={value:.5}", p.name));
    values.collect::<Vec<_>>().join(" ") + &forfeited(tuner.forfeits())
}

fn forfeited(forfeits: u64) -> String {
    match forfeits {
        0 => String::new(),
        forfeits => format!(", forfeits: {forfeits}"),
    }
}

/// The tuned values as a table, and as options of other subcommands.
fn report(tuner: &Tuner) -> String {
    let heads = ["name", "start", "tuned", "min", "max", "unrounded"];
    let tuned = tuner.tuned();
    let parameters = tuner.settings().parameters.iter().zip(&tuned);
    let rows = parameters.zip(tuner.values());
    let rows = rows.map(|((p, (name, value)), exact)| {
        [
            name.clone(),
            p.value.to_string(),
            value.clone(),
            p.min.to_string(),
            p.max.to_string(),
            exact.to_string(),
        ]
    });
    let set = tuned.iter();
    let set = set.map(|(name, value)| format!(" --set {name}={value}"));
    format!(
        "{}forfeits: {}\n--engine {}\n{}\n",
        table(heads, rows, &[1, 2, 3, 4]),
        tuner.forfeits(),
        quoted(&tuner.engine()),
        set.collect::<String>().trim_start()
    )
}

/// The text as one word of a shell, in quotes only if it needs them.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_=.,/+-".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_string();
    }
    shlex::try_quote(text).map_or_else(|_| text.to_string(), |text| text.into_owned())
}

fn run_scan(
    arguments: &Arguments,
    request: MatchRequest,
    scan: &Scan,
    running: RunOptions,
) -> Result<(), Failure> {
    let base = arguments.base(request)?;
    let plan = scan.plan(base.settings()).map_err(Failure::input)?;
    let path = Path::new(&arguments.folder);
    if path.join("tune.json").exists() {
        return Err(Failure::input(TuneError::Taken(arguments.folder.clone())));
    }
    let refused = |error: FolderError| Failure::input(TuneError::from(error));
    Folder::guard(path, &["scan.csv", "plot.svg"]).map_err(refused)?;
    let (folder, _, games) =
        Folder::open(path, Some(plan.settings()), None, arguments.resume).map_err(refused)?;
    let stop = stop_flag()?;
    let tally = play(&plan, folder, games, running, &stop)?;
    let result = scan.result(&tally);
    let svg = plot_scan(&result).map_err(failure)?;
    for (name, content) in [("scan.csv", result.csv()), ("plot.svg", svg)] {
        let file = path.join(name);
        let written = files::replace(&file, content.as_bytes());
        written.map_err(|error| {
            let file = super::shorten(&file.to_string_lossy());
            Failure::Other(format!("cannot write `{file}`: {error}"))
        })?;
    }
    if result.base_forfeits > 0 {
        let games = forfeited(result.base_forfeits);
        note(&format!("the unchanged engine{games}"));
    }
    if arguments.json {
        print(&(result.json() + "\n"))
    } else {
        print(&columns(&result.table(), &[0, 1, 2, 3, 4, 5, 6]))
    }
}

fn play(
    plan: &Plan,
    folder: Folder,
    games: Vec<MatchGame>,
    running: RunOptions,
    stop: &AtomicBool,
) -> Result<MatchResults, Failure> {
    let watcher = Watcher {
        bar: bar(plan.games() as u64, "games"),
        every: plan.games().div_ceil(REPORTS),
    };
    watcher.bar.set_position(games.len() as u64);
    let runner = Runner::in_folder(plan, running, Some(folder), games, stop, &watcher);
    if !runner.is_complete() {
        let tried = runner.try_engines();
        tried.map_err(|error| failure(TuneError::before(error)))?;
    }
    let result = runner.run();
    watcher.bar.finish_and_clear();
    result.map_err(run_failure)
}

/// Shows the progress: a bar on a terminal, a line now and then elsewhere.
struct Watcher {
    bar: ProgressBar,
    /// Games between two lines; 0 for no lines.
    every: usize,
}

impl Observer for Watcher {
    fn ended(&self, _: &MatchGame, tally: &MatchResults, _: &Standing) {
        self.bar.inc(1);
        let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
        let forfeits = forfeited(tally.forfeits());
        if self.every > 0 {
            self.bar
                .set_message(forfeits.trim_start_matches(", ").to_string());
        }
        let due = self.every > 0 && done.is_multiple_of(self.every as u64);
        if due && self.bar.is_hidden() {
            note(&format!("game {done} of {all}{forfeits}"));
        }
    }

    fn waiting(&self, wait: &LongWait<'_>) {
        self.bar.suspend(|| note(&wait.to_string()));
    }
}
