//! `tanada match`: games between engines, counted in pairs.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::engine::Engine;
use crate::game::Seat;
use crate::lab::matches::{
    EngineRequest, EngineStartError, Folder, Format, LongWait, MatchGame, MatchRequest,
    MatchResults, Observer, Plan, RunError, RunOptions, Runner, Scalar, ScheduledGame, Standing,
};
use crate::start::read_text;
use clap::Args;
use indicatif::ProgressBar;

use super::failure::invalid_value;
use super::interrupt::stop_flag;
use super::options::{BoardOptions, MOST, note_unplayed, number_in};
use super::progress::bar;
use super::watch::Watch;
use super::{Failure, counted, note, print, print_json};

#[derive(Args, Clone, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    board: BoardOptions,
    #[command(flatten)]
    players: PlayerOptions,
    /// A TOML file with the match; flags come before what it says
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
    /// round-robin or gauntlet, where the first engine meets each of the others [default:
    /// round-robin]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Pairs of games for each pairing; each opening is played twice with the colours exchanged
    /// [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pairs: Option<String>,
    /// A test that ends the match early, such as `elo0=0 elo1=10`; alpha=0.05, beta=0.05 and
    /// model=logistic unless said otherwise, or model=normalized
    #[arg(long, value_name = "TEST")]
    sprt: Option<String>,
    /// Seconds for an answer where no time limits it [default: 60]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    stall: Option<String>,
    /// A folder for the records: one line of JSON and one record a game, SGF in Tanbo
    #[arg(long, value_name = "FOLDER")]
    records: Option<String>,
    /// Goes on with the match in the folder of the records; engines may be left out then
    #[arg(long)]
    resume: bool,
    /// Plays this pair only, from 1, and leaves the folder open for the others
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    unit: Option<String>,
    /// Prints the report of the folder's games and writes nothing, so that a runner may be at work
    /// there
    #[arg(long)]
    report: bool,
    /// Writes what is asked for into the folder and plays nothing; `--unit` plays it later
    #[arg(long)]
    prepare: bool,
    /// Pairs between two reports; 0 for the last one only [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    rating_interval: Option<String>,
    /// Draws the boards of the running games, on a terminal
    #[arg(long)]
    watch: bool,
    /// Prints one JSON object in place of the reports
    #[arg(long)]
    json: bool,
}

/// Who plays, from what openings, how long: what matches and tuning have in common.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Games")]
pub(super) struct PlayerOptions {
    /// An engine, to be repeated: settings separated by commas. `command=PROGRAM ARGUMENTS` (with
    /// `dir=`, `env.NAME=`, `send=LINE`, `restart=on`) or, without a command, this build with
    /// `preset=NAME`, `weights=FILE` and NAME=VALUE for parameters; for both `name=`, a limit of its
    /// own, `margin=SECONDS` (an answer may come so much later) and `grace=SECONDS` (a late one is
    /// waited for so much longer)
    #[arg(long, value_name = "SETTINGS")]
    pub(super) engine: Vec<String>,
    /// Iterations a move
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) iterations: Option<String>,
    /// Seconds a move [default: 0.1]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(super) time_per_move: Option<String>,
    /// A clock for each game: `10+0.1`, `60`, `byoyomi 60 10 3`, `canadian 60 300 25`
    #[arg(long, value_name = "CLOCK", allow_hyphen_values = true)]
    pub(super) clock: Option<String>,
    /// Random moves at the beginning of each pair's games [default: 4]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) plies: Option<String>,
    /// Openings from a file: one line of moves each, or SGF in Tanbo
    #[arg(long, value_name = "FILE")]
    pub(super) openings: Option<String>,
    /// Where openings and players' seeds start [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) seed: Option<String>,
    /// Games side by side, at most one a core [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) concurrency: Option<String>,
    /// More games side by side than cores
    #[arg(long)]
    pub(super) force: bool,
    /// Starts engines again that crash or hang; else the games stop
    #[arg(long)]
    pub(super) recover: bool,
}

/// A number that nothing else bounds.
fn whole(text: &Option<String>, option: &str) -> Result<Option<usize>, Failure> {
    number_in(text, option, 0..=MOST)
}

impl PlayerOptions {
    /// What they ask for, on this board.
    pub(super) fn request(&self, board: &BoardOptions) -> Result<MatchRequest, Failure> {
        let (size, setup, players) = board.parts()?;
        let engines = self.engine.iter().map(|text| EngineRequest::parse(text));
        let text = |text: &Option<String>| text.clone().map(Scalar);
        Ok(MatchRequest {
            game: board.game_name(),
            size,
            setup,
            players,
            engines: engines.collect::<Result<_, _>>().map_err(Failure::input)?,
            iterations: text(&self.iterations),
            time_per_move: text(&self.time_per_move),
            clock: text(&self.clock),
            plies: whole(&self.plies, "--plies")?,
            openings: self.openings.clone(),
            seed: whole(&self.seed, "--seed")?.map(|seed| seed as u64),
            concurrency: whole(&self.concurrency, "--concurrency")?,
            force: self.force.then_some(true),
            recover: self.recover.then_some(true),
            ..MatchRequest::default()
        })
    }
}

/// The plan of a request; says so where moves of a game record in `--setup` are ignored.
pub(super) fn plan(request: &MatchRequest) -> Result<Plan, Failure> {
    let plan = request.plan().map_err(Failure::input)?;
    if let Ok(configuration) = request.configuration() {
        note_unplayed(&configuration, request.setup.as_deref());
    }
    Ok(plan)
}

/// How many games may run side by side.
pub(super) fn concurrency(request: &MatchRequest) -> Result<usize, Failure> {
    match request.force.unwrap_or(false) {
        true => side_by_side(request.concurrency, Some(1024), ""),
        false => side_by_side(request.concurrency, None, ", or more with `--force`"),
    }
}

/// The same where a command has no `--force`.
pub(super) fn one_a_core(asked: &Option<String>) -> Result<usize, Failure> {
    side_by_side(whole(asked, "--concurrency")?, None, "")
}

/// At most one a core where nothing else is said.
fn side_by_side(asked: Option<usize>, most: Option<usize>, more: &str) -> Result<usize, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let (asked, most) = (asked.unwrap_or(1), most.unwrap_or(cores));
    if (1..=most).contains(&asked) {
        return Ok(asked);
    }
    Err(Failure::Input(format!(
        "`{asked}` games side by side on {cores} cores, expected 1 to {most}{more}"
    )))
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
        let format = match self.format.as_deref() {
            None => None,
            Some("round-robin") => Some(Format::RoundRobin),
            Some("gauntlet") => Some(Format::Gauntlet),
            Some(other) => {
                let expected = "round-robin or gauntlet";
                return Err(invalid_value(other, "--format", expected));
            }
        };
        let stall = self
            .stall
            .as_deref()
            .map(|text| super::options::seconds(text, "--stall"));
        let flags = MatchRequest {
            format,
            pairs: whole(&self.pairs, "--pairs")?,
            sprt: self.sprt.clone(),
            stall: stall.transpose()?.map(|time| time.as_secs_f64()),
            records: self.records.clone(),
            rating_interval: whole(&self.rating_interval, "--rating-interval")?,
            ..self.players.request(&self.board)?
        };
        Ok(flags.or(file))
    }
}

/// What is to be played or reported, where it is kept, and the games that are there.
struct Match {
    plan: Plan,
    folder: Option<Folder>,
    games: Vec<MatchGame>,
}

/// Refuses what would do nothing where the settings in the folder hold.
fn nothing_else(request: &MatchRequest) -> Result<(), Failure> {
    if request.pairs == Some(0) {
        return Err(invalid_value("0", "--pairs", "1 or more"));
    }
    match request.decides() {
        None => Ok(()),
        Some(name) => Err(Failure::Input(format!(
            "`{name}` was given without engines, where the settings in the folder hold; expected \
             all of them again, or none but `--pairs`"
        ))),
    }
}

/// The options that say what to do with a folder, each with whether it was given.
fn folder_options(arguments: &Arguments) -> [(&'static str, bool); 4] {
    [
        ("--resume", arguments.resume),
        ("--report", arguments.report),
        ("--unit", arguments.unit.is_some()),
        ("--prepare", arguments.prepare),
    ]
}

/// The settings to play, the folder, and the games that are in it.
fn prepare(arguments: &Arguments, request: &MatchRequest) -> Result<Match, Failure> {
    let given: Vec<&str> = folder_options(arguments)
        .iter()
        .filter_map(|&(option, given)| given.then_some(option))
        .collect();
    let resume = !given.is_empty();
    // Going on with a match is what the others do as well.
    let different: Vec<&&str> = given.iter().filter(|&&o| o != "--resume").collect();
    if let [first, second, ..] = different[..] {
        return Err(Failure::Input(format!(
            "`{first}` and `{second}` contradict each other, expected one of them"
        )));
    }
    let asked = match request.engines.is_empty() && resume {
        true => None,
        false => Some(plan(request)?),
    };
    let Some(path) = &request.records else {
        if let Some(option) = given.first() {
            return Err(Failure::Input(format!(
                "`{option}` lacks `--records FOLDER`"
            )));
        }
        return match asked {
            Some(plan) => Ok(Match {
                plan,
                folder: None,
                games: Vec::new(),
            }),
            None => Err(Failure::Input(
                "no engines, expected two or more `--engine`".into(),
            )),
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
    Ok(Match {
        plan: Plan::new(settings).map_err(Failure::input)?,
        folder,
        games,
    })
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let request = arguments.request()?;
    let concurrency = concurrency(&request)?;
    let Match {
        plan,
        folder,
        games,
    } = prepare(arguments, &request)?;
    if arguments.prepare {
        return Ok(());
    }
    let unit = number_in(&arguments.unit, "--unit", 1..=plan.units())?;
    let only_unit = unit.map(|unit| unit - 1);
    let stop = stop_flag()?;
    let watcher = Watcher {
        bar: match arguments.watch {
            // Two drawings on one terminal would overwrite each other.
            true => ProgressBar::hidden(),
            false => bar(plan.games() as u64, "games"),
        },
        watch: arguments.watch.then(|| Watch::new(concurrency)),
        games: plan.games(),
        seats: plan.seats().to_vec(),
        names: plan
            .settings()
            .engines
            .iter()
            .map(|e| e.name.clone())
            .collect(),
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
    let runner = Runner::new(&plan, running, folder, games, &stop, &watcher);
    watcher.reported.store(runner.results().units(), Relaxed);
    if arguments.report {
        return tell(&runner.results(), arguments.json);
    }
    watcher.show_score(&runner.standing(), &runner.results());
    let result = play(&runner, request.records.is_some());
    watcher.bar.finish_and_clear();
    if let Some(watch) = &watcher.watch {
        watch.close();
    }
    let is_told = arguments.json || only_unit.is_none();
    if let Err(Failure::Interrupted(_)) = &result
        && is_told
        && runner.results().units() > 0
    {
        // Nobody may read it any more; the exit status is that of the signal all the same.
        let _ = tell(&runner.results(), arguments.json);
    }
    let tally = result?;
    if is_told {
        tell(&tally, arguments.json)?;
    }
    match tally.void_games() {
        0 => Ok(()),
        void => Err(Failure::Other(format!(
            "{} could not be set up and will count nowhere; `--resume` tries again",
            counted(void, "game", "games")
        ))),
    }
}

/// Plays what is left of a match.
fn play(runner: &Runner<'_>, is_kept: bool) -> Result<MatchResults, Failure> {
    if !runner.is_complete() {
        runner.try_engines().map_err(|error| match error {
            RunError::Start(EngineStartError::Interrupted) => {
                Failure::Interrupted("interrupted".to_string())
            }
            error => Failure::input(error),
        })?;
    }
    runner.run().map_err(|error| match error {
        RunError::Interrupted if is_kept => {
            Failure::Interrupted("interrupted; `--resume` goes on".to_string())
        }
        RunError::Interrupted => Failure::Interrupted("interrupted".to_string()),
        error => Failure::Other(error.to_string()),
    })
}

/// Prints a report.
fn tell(tally: &MatchResults, json: bool) -> Result<(), Failure> {
    match json {
        true => print_json(&tally.to_json()),
        false => print(&tally.to_string()),
    }
}

/// Follows a match: a bar or boards on a terminal, lines in a pipe.
struct Watcher {
    bar: ProgressBar,
    watch: Option<Watch>,
    games: usize,
    /// The colours in the order of play.
    seats: Vec<Seat>,
    names: Vec<String>,
    every: usize,
    /// Units of the last report.
    reported: AtomicUsize,
    quiet: bool,
}

impl Watcher {
    /// Shows the score of all games that are over.
    fn show_score(&self, standing: &Standing, tally: &MatchResults) {
        let score = message(standing, tally);
        match &self.watch {
            Some(watch) if watch.is_on() => {
                let (done, all) = (standing.games(), self.games);
                watch.set_score(&format!("Score after {done} of {all} games: {score}"));
            }
            _ => self.bar.set_message(score),
        }
    }
}

impl Observer for Watcher {
    fn ended(&self, record: &MatchGame, tally: &MatchResults, standing: &Standing) {
        let names: Vec<&str> = record.players.iter().map(|p| p.name.as_str()).collect();
        let line = format!(
            "Finished game {} of {} ({}): {} {{{}}}",
            record.game,
            self.games,
            names.join(" vs "),
            record.result,
            record.ending
        );
        self.bar.inc(1);
        self.show_score(standing, tally);
        match &self.watch {
            Some(watch) if watch.is_on() => watch.set_news(&line),
            _ if self.bar.is_hidden() => note(&line),
            _ => {}
        }
        // The last unit's report comes at the end. Games end in any order, so that several units
        // may become complete at once.
        let seats = record.players.len();
        let count = |units: usize| units.checked_div(self.every).unwrap_or(0);
        let due = count(tally.units()) > count(self.reported.load(Relaxed))
            && tally.units() * seats < self.games
            && tally.decision().is_none();
        let is_drawn = self.watch.as_ref().is_some_and(Watch::is_on);
        if due && !self.quiet && !is_drawn {
            self.reported.store(tally.units(), Relaxed);
            // A report that nobody reads is no reason to stop.
            self.bar.suspend(|| {
                let _ = print(&tally.to_string());
            });
        }
    }

    fn moved(&self, worker: usize, scheduled: &ScheduledGame, position: &Engine) {
        if let Some(watch) = &self.watch {
            let variant = position.variant();
            let seats = self.seats.iter().zip(&scheduled.seating);
            let seating: Vec<String> = seats
                .map(|(&seat, &engine)| format!("{} {}", variant.colour(seat), self.names[engine]))
                .collect();
            watch.show(worker, scheduled.game + 1, &seating, position);
        }
    }

    fn waiting(&self, wait: &LongWait<'_>) {
        match &self.watch {
            Some(watch) if watch.is_on() => watch.set_news(&wait.to_string()),
            _ => self.bar.suspend(|| note(&wait.to_string())),
        }
    }
}

/// The score so far, and the test's.
fn message(standing: &Standing, tally: &MatchResults) -> String {
    match tally.llr() {
        Some(llr) => format!("{standing}, LLR {llr:.2}"),
        None => standing.to_string(),
    }
}
