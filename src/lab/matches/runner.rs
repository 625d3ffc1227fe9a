//! Runs a match: workers that play the games in order, their records, and the early end by a test.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use parking_lot::Mutex;
use thiserror::Error;

use super::channel::{LongWait, Supervisor};
use super::client::{EngineClient, EngineStartError};
use super::end::{End, EndKind};
use super::folder::Folder;
use super::game::{self, GameContext, GameResult};
use super::identity::Identity;
use super::opening::OpeningError;
use super::plan::{Plan, ScheduledGame};
use super::record::{self, MatchGame, PlayerRecord};
use super::results::{MatchResults, Standing};
use super::run_folder::FolderError;
use super::running::RunningGames;
use crate::engine::Engine;
use crate::util::quote::title_case;
use crate::util::threads::cores;

/// The match stops after this many games in a row that could not be set up.
const MOST_VOIDS: usize = 5;

/// Running engines, by number and copy.
type Clients = HashMap<(usize, usize), EngineClient>;

/// How a match is run. Nothing here changes which games it consists of.
///
/// ```
/// let options = tanada::MatchOptions {
///     concurrency: 1,
///     recover: false,
///     only_unit: None,
///     needs_all: false,
/// };
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Concurrent games, 1 or more.
    pub concurrency: usize,
    /// Whether to restart an engine that crashed or hangs. Otherwise the match stops.
    pub recover: bool,
    /// Plays only this unit, counted from 0.
    pub only_unit: Option<usize>,
    /// Whether the first game that cannot be set up always stops the match.
    pub needs_all: bool,
}

/// Watches a match; called from the workers.
///
/// ```
/// use tanada::{MatchGame, MatchObserver, MatchResults, MatchStanding};
///
/// struct Printer;
///
/// impl MatchObserver for Printer {
///     fn ended(&self, game: &MatchGame, _: &MatchResults, standing: &MatchStanding) {
///         println!("game {}: {standing}", game.game);
///     }
/// }
/// ```
pub trait Observer: Sync {
    /// A game ended. `results` has the complete units, `standing` all finished games.
    fn ended(&self, record: &MatchGame, results: &MatchResults, standing: &Standing);
    /// A worker's game has reached a position.
    #[doc(hidden)]
    fn moved(&self, worker: usize, scheduled: &ScheduledGame, position: &Engine) {
        let _ = (worker, scheduled, position);
    }
    /// An engine does not answer.
    #[doc(hidden)]
    fn waiting(&self, wait: &LongWait<'_>) {
        let _ = wait;
    }
}

/// Why a match stopped before its end.
#[derive(Debug, Error)]
pub enum RunError {
    #[error(transparent)]
    Start(#[from] EngineStartError),
    #[error("game {game}: {sentence}; the match stops (`--recover` restarts the engine){stderr}")]
    Failed {
        game: usize,
        sentence: String,
        stderr: String,
    },
    #[error("game {game} could not be set up twice in a row: {sentence}")]
    Void { game: usize, sentence: String },
    #[error(
        "engine `{name}` is `{now}` but was `{played}` in earlier games: expected the same version and \
         files throughout a match"
    )]
    Other {
        name: String,
        played: String,
        now: String,
    },
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error("interrupted")]
    Interrupted,
}

/// A match in progress.
///
/// ```
/// # let text = "size = 5\npairs = 1\nplies = 2\niterations = 5\n[[engine]]\nname = \"a\"\n[[engine]]\nname = \"b\"\npreset = \"linear\"\n";
/// # struct Silent;
/// # impl tanada::MatchObserver for Silent {
/// #     fn ended(&self, _: &tanada::MatchGame, _: &tanada::MatchResults, _: &tanada::MatchStanding) {}
/// # }
/// # let options = tanada::MatchOptions { concurrency: 1, recover: false, only_unit: None, needs_all: false };
/// # let plan = tanada::MatchRequest::from_toml(text, "match.toml")?.plan()?;
/// let stop = std::sync::atomic::AtomicBool::new(false);
/// let runner = tanada::MatchRunner::new(&plan, options, &stop, &Silent);
/// let results: tanada::MatchResults = runner.run()?;
/// println!("{}", runner.standing());
/// # let _ = results;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Runner<'a> {
    plan: &'a Plan,
    options: RunOptions,
    stop: &'a AtomicBool,
    observer: &'a dyn Observer,
    /// What is told in the folder about games in progress.
    running: Option<RunningGames>,
    state: Mutex<State>,
    next: AtomicUsize,
    /// Games in a row that could not be set up.
    voids: AtomicUsize,
    /// Nothing more is played: the test decided, a game failed, or the match was stopped.
    over: AtomicBool,
    /// The first game that does not count, once a test has decided.
    end: AtomicUsize,
}

struct State {
    folder: Option<Folder>,
    games: BTreeMap<usize, MatchGame>,
    results: MatchResults,
    standing: Standing,
    error: Option<RunError>,
    /// The identities of each engine, by number: from earlier games or its first start.
    identities: HashMap<usize, Vec<Identity>>,
    machine: String,
    event: String,
}

impl<'a> Runner<'a> {
    /// A match that keeps no records. `stop` is polled throughout.
    pub fn new(
        plan: &'a Plan,
        options: RunOptions,
        stop: &'a AtomicBool,
        observer: &'a dyn Observer,
    ) -> Self {
        Self::in_folder(plan, options, None, Vec::new(), stop, observer)
    }

    /// A match with the games that were played before and the folder that keeps them.
    pub(crate) fn in_folder(
        plan: &'a Plan,
        options: RunOptions,
        folder: Option<Folder>,
        played: Vec<MatchGame>,
        stop: &'a AtomicBool,
        observer: &'a dyn Observer,
    ) -> Self {
        // Void games, and games that do not belong to the plan, are played again.
        let is_valid = |game: &MatchGame| game.end.kind.is_scored() && plan.has(game);
        let games = played.into_iter().filter(is_valid);
        let engines = &plan.settings().engines;
        let names: Vec<&str> = engines.iter().map(|e| e.name.as_str()).collect();
        let games: BTreeMap<usize, MatchGame> = games.map(|game| (game.game - 1, game)).collect();
        let mut identities: HashMap<usize, Vec<Identity>> = HashMap::new();
        for player in games.values().flat_map(|game| &game.players) {
            let known = identities.entry(player.engine).or_default();
            if !known.contains(&player.identity) {
                known.push(player.identity.clone());
            }
        }
        let mut standing = Standing::new(plan);
        games.values().for_each(|game| standing.add(game));
        let runner = Self {
            plan,
            options,
            stop,
            observer,
            running: folder.as_ref().map(|f| RunningGames::new(f.path())),
            state: Mutex::new(State {
                folder,
                identities,
                games,
                results: MatchResults::new(plan),
                standing,
                error: None,
                machine: machine(),
                event: names.join(" vs "),
            }),
            next: AtomicUsize::new(0),
            voids: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            end: AtomicUsize::new(plan.games()),
        };
        runner.count(&mut runner.state.lock());
        runner
    }

    /// Starts and stops each engine once, to report before the first game what cannot work, and an
    /// engine that differs from the one in earlier games.
    ///
    /// # Errors
    /// The first engine that cannot be started or set up, or differs.
    pub(crate) fn try_engines(&self) -> Result<(), RunError> {
        let stop = || self.stop.load(Relaxed);
        let supervisor = Supervisor {
            stop: &stop,
            waiting: &|wait| self.observer.waiting(wait),
        };
        for (number, spec) in self.plan.settings().engines.iter().enumerate() {
            let mut player = EngineClient::start(spec, self.plan.configuration(), &supervisor)?;
            player.new_game(self.plan.configuration(), 0, &supervisor)?;
            self.recognize(number, &player)?;
        }
        Ok(())
    }

    /// Refuses an engine that differs from the one that started first.
    fn recognize(&self, number: usize, player: &EngineClient) -> Result<(), RunError> {
        let mut state = self.state.lock();
        let known = state.identities.entry(number).or_default();
        let Some(other) = known.iter().find(|&other| *other != player.identity) else {
            if known.is_empty() {
                known.push(player.identity.clone());
            }
            return Ok(());
        };
        Err(RunError::Other {
            name: player.spec.name.clone(),
            played: other.to_string(),
            now: player.identity.to_string(),
        })
    }

    /// Whether all games are played, or a test has decided.
    pub fn is_complete(&self) -> bool {
        self.over.load(Relaxed) || self.state.lock().results.units() == self.plan.units()
    }

    /// The results of the complete units.
    pub fn results(&self) -> MatchResults {
        self.state.lock().results.clone()
    }

    /// The points in all finished games.
    pub fn standing(&self) -> Standing {
        self.state.lock().standing.clone()
    }

    /// Plays the remaining games and returns the results.
    ///
    /// # Errors
    /// Why the match stopped early. Finished games are kept, with a report.
    pub fn run(&self) -> Result<MatchResults, RunError> {
        thread::scope(|scope| {
            let (at_work, over) = mpsc::channel::<()>();
            if let Some(running) = &self.running {
                let write = move || running.write_until(&over);
                // Without this thread the match cannot be followed, but it goes on.
                let _ = thread::Builder::new().spawn_scoped(scope, write);
            }
            for number in 0..self.options.concurrency.max(1) {
                let at_work = at_work.clone();
                let work = move || {
                    self.work(number);
                    drop(at_work);
                };
                // If no thread can be started, this one plays.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    self.work(number);
                }
            }
        });
        let mut state = self.state.lock();
        let state = &mut *state;
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        if self.stop.load(Relaxed) {
            if let Some(folder) = state.folder.as_ref().filter(|_| state.results.units() > 0) {
                folder.report(&state.results)?;
            }
            return Err(RunError::Interrupted);
        }
        let end = self.end.load(Relaxed);
        if self.options.only_unit.is_none()
            && let Some(folder) = &mut state.folder
        {
            let games = state.games.range(..end);
            let counted: Vec<&MatchGame> = games.map(|(_, record)| record).collect();
            folder.finish(&counted, &state.event)?;
            folder.report(&state.results)?;
        }
        Ok(state.results.clone())
    }

    fn work(&self, worker: usize) {
        let mut players = Clients::new();
        while !self.is_over() {
            let number = self.next.fetch_add(1, Relaxed);
            if number >= self.end.load(Relaxed) {
                return;
            }
            let unit = number / self.plan.games_a_unit();
            let other_unit = self.options.only_unit.is_some_and(|only| only != unit);
            if other_unit || self.state.lock().games.contains_key(&number) {
                continue;
            }
            let played = self.game(worker, number, &mut players);
            if let Some(running) = &self.running {
                running.ended(worker);
            }
            if let Err(error) = played {
                self.over.store(true, Relaxed);
                // Later failures are consequences of the first.
                self.state.lock().error.get_or_insert(error);
                return;
            }
        }
    }

    /// Whether a test can end the match. It cannot when a single unit is played.
    fn is_test(&self) -> bool {
        self.plan.settings().sprt.is_some() && self.options.only_unit.is_none()
    }

    fn is_over(&self) -> bool {
        self.over.load(Relaxed) || self.stop.load(Relaxed)
    }

    /// Plays one game and counts it. A game that could not be set up is tried once more.
    fn game(&self, worker: usize, number: usize, players: &mut Clients) -> Result<(), RunError> {
        let scheduled = self.plan.scheduled(number)?;
        let record = match self.attempt(worker, &scheduled, players)? {
            Some(record) if record.end.kind == EndKind::Void => {
                self.attempt(worker, &scheduled, players)?
            }
            first => first,
        };
        let Some(record) = record else {
            return Ok(());
        };
        if number >= self.end.load(Relaxed) {
            return Ok(());
        }
        if record.end.kind == EndKind::Void {
            let in_a_row = self.voids.fetch_add(1, Relaxed) + 1;
            // A test counts games in order, so later games could not count.
            let is_needed = self.options.needs_all || self.is_test();
            if !self.options.recover || is_needed || in_a_row >= MOST_VOIDS {
                return Err(RunError::Void {
                    game: record.game,
                    sentence: record.ending,
                });
            }
        } else {
            self.voids.store(0, Relaxed);
        }
        let failed = record.end.kind.is_broken() && !self.options.recover;
        let error = failed.then(|| {
            let wrote = record.stderr.last();
            RunError::Failed {
                game: record.game,
                sentence: record.ending.clone(),
                stderr: wrote.map_or_else(String::new, |line| format!("; it wrote `{line}`")),
            }
        });
        self.keep(number, record)?;
        error.map_or(Ok(()), Err)
    }

    /// Plays a game with running engines, or with engines started for it. `None` if it was
    /// interrupted.
    fn attempt(
        &self,
        worker: usize,
        scheduled: &ScheduledGame,
        players: &mut Clients,
    ) -> Result<Option<MatchGame>, RunError> {
        let (started, clock) = (game::now(), Instant::now());
        let seating = copies(&scheduled.seating);
        // Engines of this build start fast; dropping them returns the memory of their trees.
        players.retain(|key, player| player.spec.program.is_some() || seating.contains(key));
        let stop = || self.is_over() || scheduled.game >= self.end.load(Relaxed);
        let supervisor = Supervisor {
            stop: &stop,
            waiting: &|wait| self.observer.waiting(wait),
        };
        let mut seated = Vec::new();
        let mut absent = None;
        for (place, key) in seating.iter().enumerate() {
            let spec = &self.plan.settings().engines[key.0];
            let player = match players.remove(key) {
                Some(player) => Ok(player),
                None => EngineClient::start(spec, self.plan.configuration(), &supervisor),
            };
            match player {
                Ok(player) => {
                    self.recognize(key.0, &player)?;
                    seated.push(player);
                }
                Err(EngineStartError::Interrupted) => return Ok(None),
                Err(error) if self.options.recover => {
                    absent = Some(End::by(EndKind::Void, place, error.to_string()));
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        let context = GameContext {
            plan: self.plan,
            scheduled,
            supervisor: &supervisor,
            watch: &|position| {
                if let Some(running) = &self.running {
                    running.moved(worker, self.plan, scheduled, position);
                }
                self.observer.moved(worker, scheduled, position);
            },
        };
        let outcome = match absent {
            Some(end) => GameResult {
                end,
                unusable: true,
                ..GameResult::default()
            },
            None => game::play(&context, &mut seated.iter_mut().collect::<Vec<_>>()),
        };
        let lost = outcome.end.by.filter(|_| outcome.unusable);
        let record = (outcome.end.kind != EndKind::Interrupted).then(|| MatchGame {
            started,
            seconds: game::since(clock),
            ..self.record(scheduled, &seated, outcome)
        });
        for (place, (key, player)) in seating.into_iter().zip(seated).enumerate() {
            let usable = lost != Some(place) && !player.is_out_of_step && !player.spec.restart;
            if usable && record.is_some() {
                players.insert(key, player);
            }
        }
        Ok(record)
    }

    fn record(
        &self,
        scheduled: &ScheduledGame,
        seated: &[EngineClient],
        outcome: GameResult,
    ) -> MatchGame {
        let settings = self.plan.settings();
        let seats = self.plan.seats();
        let variant = self.plan.configuration().variant();
        let player = |(place, &engine): (usize, &usize)| {
            let spec = &settings.engines[engine];
            let identity = seated.get(place).map(|player| player.identity.clone());
            PlayerRecord {
                colour: variant.colour(seats[place]).to_string(),
                engine,
                name: spec.name.clone(),
                identity: identity.unwrap_or_default(),
                program: spec.program.clone(),
                send: spec.send.clone(),
                limit: spec.limit.to_string(),
                seed: scheduled.seeds[place],
            }
        };
        let players = scheduled.seating.iter().enumerate().map(player).collect();
        let blamed = outcome.end.by.filter(|_| outcome.unusable);
        let blamed = blamed.and_then(|place| seated.get(place));
        let colour_of = |place: usize| title_case(variant.colour(seats[place]));
        let by = outcome.end.by.map(colour_of).unwrap_or_default();
        MatchGame {
            game: scheduled.game + 1,
            unit: scheduled.unit + 1,
            round: scheduled.round + 1,
            size: self.plan.configuration().side(),
            start: settings.start.clone(),
            players,
            opening: scheduled.opening.len(),
            moves: outcome.moves,
            winner: outcome.winner.map(|seat| variant.colour(seat).to_string()),
            sharing: outcome.sharing,
            result: record::result(variant, outcome.winner, outcome.end.kind),
            ending: outcome.end.sentence(&by),
            stderr: blamed.map_or_else(Vec::new, EngineClient::stderr_tail),
            end: outcome.end,
            machine: self.state.lock().machine.clone(),
            remarks: outcome.remarks,
            ..MatchGame::default()
        }
    }

    /// Writes and counts a game.
    fn keep(&self, number: usize, record: MatchGame) -> Result<(), RunError> {
        let mut state = self.state.lock();
        if number >= self.end.load(Relaxed) {
            return Ok(());
        }
        let event = state.event.clone();
        if let Some(folder) = &mut state.folder {
            folder.keep(&record, &event)?;
        }
        state.games.insert(number, record.clone());
        state.standing.add(&record);
        let units = state.results.units();
        self.count(&mut state);
        let results = &state.results;
        if let Some(folder) = state.folder.as_ref().filter(|_| results.units() > units) {
            folder.report(results)?;
        }
        self.observer.ended(&record, results, &state.standing);
        Ok(())
    }

    /// Counts complete units in their order. Counting games as they end would feed the test short
    /// games first. Once it has decided, later games do not count.
    fn count(&self, state: &mut State) {
        let seats = self.plan.games_a_unit();
        let first = self.options.only_unit.unwrap_or(state.results.units());
        let units = match self.options.only_unit {
            Some(_) if state.results.units() > 0 => first..first,
            Some(only) => only..only + 1,
            None => first..self.plan.units(),
        };
        for unit in units {
            let games = state.games.range(unit * seats..(unit + 1) * seats);
            let games: Vec<&MatchGame> = games.map(|(_, game)| game).collect();
            let is_void = games.iter().any(|game| !game.end.kind.is_scored());
            // A test waits for a void game: its decision must not depend on when that is replayed.
            if games.len() < seats || (is_void && self.is_test()) {
                break;
            }
            state.results.add(unit, &games);
            if state.results.decision().is_some() {
                self.end.store((unit + 1) * seats, Relaxed);
                self.over.store(true, Relaxed);
                break;
            }
        }
    }
}

/// The engine at each place, and which copy of it: an engine with several seats has a process (and
/// a tree) for each.
fn copies(seating: &[usize]) -> Vec<(usize, usize)> {
    let places = seating.iter().enumerate();
    let copies = places.map(|(place, &engine)| {
        let before = seating[..place].iter();
        (engine, before.filter(|&&other| other == engine).count())
    });
    copies.collect()
}

/// Processor, cores and system of this machine.
fn machine() -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok();
    let processor = processor.and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    });
    let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.to_string());
    format!("{processor}, {} cores, {}", cores(), std::env::consts::OS)
}
