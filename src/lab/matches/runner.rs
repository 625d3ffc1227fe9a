//! Runs a match: workers that play the games in order, records, the early end.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use parking_lot::Mutex;
use thiserror::Error;

use super::channel::{LongWait, Supervisor};
use super::end::{End, EndKind};
use super::folder::{Folder, FolderError};
use super::game::{self, GameSetting, Outcome};
use super::identity::Identity;
use super::opening::OpeningError;
use super::plan::{Fixture, Plan};
use super::player::{Player, StartError};
use super::record::{self, MatchGame, PlayerRecord};
use super::tally::{Standing, Tally};
use crate::engine::Engine;

/// Games in a row that could not be set up, after which a match stops in any case.
const MOST_VOIDS: usize = 5;

/// Engines that run, by number and copy.
type Players = HashMap<(usize, usize), Player>;

/// How a match is run; none of it changes which games it consists of.
#[derive(Clone, Copy, Debug)]
pub struct Running {
    /// Games side by side, 1 or more.
    pub concurrency: usize,
    /// Whether an engine that crashed or hangs is started again; else the match stops.
    pub recover: bool,
    /// The one unit to be played, from 0; none: all of them.
    pub only_unit: Option<usize>,
    /// Whether the first game that cannot be set up stops the match in any case.
    pub needs_all: bool,
}

/// Who looks on while a match runs; called from the workers.
pub trait Observer: Sync {
    /// A game ended; `tally` holds the units that count so far, `standing` all games that are over.
    fn ended(&self, record: &MatchGame, tally: &Tally, standing: &Standing);
    /// A worker's game has come to a position.
    fn moved(&self, worker: usize, fixture: &Fixture, position: &Engine) {
        let _ = (worker, fixture, position);
    }
    /// An engine does not answer.
    fn waiting(&self, wait: &LongWait<'_>) {
        let _ = wait;
    }
}

/// Why a match stopped before its end.
#[derive(Debug, Error)]
pub enum RunError {
    /// An engine cannot be started, or not be used.
    #[error(transparent)]
    Start(#[from] StartError),
    /// An engine failed and is not to be started again.
    #[error(
        "game {game}: {sentence}; the match stops, `--recover` would start the engine again{stderr}"
    )]
    Failed {
        /// The game, from 1.
        game: usize,
        /// What happened.
        sentence: String,
        /// The last line of its standard error, if any.
        stderr: String,
    },
    /// An engine could not be set up, twice in a row.
    #[error("game {game} could not be set up twice in a row: {sentence}")]
    Void {
        /// The game, from 1.
        game: usize,
        /// What happened.
        sentence: String,
    },
    /// An engine is another one than in the games that were played.
    #[error(
        "engine `{name}` is `{now}`, in the games that were played it was `{played}`, expected the \
         same version and files throughout a match"
    )]
    Other {
        /// The engine.
        name: String,
        /// What it was.
        played: String,
        /// What it is.
        now: String,
    },
    /// The folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// An opening.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// It was stopped from outside.
    #[error("interrupted")]
    Interrupted,
}

/// A match on its way.
pub struct Runner<'a> {
    plan: &'a Plan,
    running: Running,
    stop: &'a AtomicBool,
    observer: &'a dyn Observer,
    state: Mutex<State>,
    next: AtomicUsize,
    /// Games in a row that could not be set up.
    voids: AtomicUsize,
    /// Nothing more is to be played: decided, failed, or stopped.
    over: AtomicBool,
    /// The first game that no longer counts, once a test has decided.
    end: AtomicUsize,
}

struct State {
    folder: Option<Folder>,
    games: BTreeMap<usize, MatchGame>,
    tally: Tally,
    standing: Standing,
    error: Option<RunError>,
    /// Who each engine was when it first started or in the games of before, by number.
    identities: HashMap<usize, Vec<Identity>>,
    machine: String,
    event: String,
}

impl<'a> Runner<'a> {
    /// A match with the games that were played before, and the folder that keeps them. `stop` is
    /// looked at all the time.
    pub fn new(
        plan: &'a Plan,
        running: Running,
        folder: Option<Folder>,
        played: Vec<MatchGame>,
        stop: &'a AtomicBool,
        observer: &'a dyn Observer,
    ) -> Self {
        // What was void is played again, and what does not belong to the plan.
        let games = played
            .into_iter()
            .filter(|record| record.end.kind.is_scored() && plan.has(record));
        let names: Vec<&str> = plan
            .settings()
            .engines
            .iter()
            .map(|e| e.name.as_str())
            .collect();
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
            running,
            stop,
            observer,
            state: Mutex::new(State {
                folder,
                identities,
                games,
                tally: Tally::new(plan),
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
        let mut state = runner.state.lock();
        runner.count(&mut state);
        drop(state);
        runner
    }

    /// Starts each engine once and lets it go again, so that what cannot work is known before the
    /// first game, and so that no other engine goes on in the name of one that has played.
    ///
    /// # Errors
    /// The first engine that cannot be started, or not be given its limit, or is another one than
    /// in the games that are there.
    pub fn try_engines(&self) -> Result<(), RunError> {
        let stop = || self.stop.load(Relaxed);
        let supervisor = Supervisor {
            stop: &stop,
            waiting: &|wait| self.observer.waiting(wait),
        };
        for (number, spec) in self.plan.settings().engines.iter().enumerate() {
            let mut player = Player::start(spec, self.plan.configuration(), &supervisor)?;
            player.new_game(self.plan.configuration(), 0, &supervisor)?;
            self.recognize(number, &player)?;
        }
        Ok(())
    }

    /// Refuses an engine that is another one than when it first started.
    fn recognize(&self, number: usize, player: &Player) -> Result<(), RunError> {
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

    /// Whether nothing is left to be played.
    pub fn is_complete(&self) -> bool {
        self.over.load(Relaxed) || self.state.lock().tally.units() == self.plan.units()
    }

    /// The results of the games that are there.
    pub fn tally(&self) -> Tally {
        self.state.lock().tally.clone()
    }

    /// All games that are there, by engine.
    pub fn standing(&self) -> Standing {
        self.state.lock().standing.clone()
    }

    /// Plays what is left to be played; the results of all that counts.
    ///
    /// # Errors
    /// Why the match stopped early; what was played is kept, with a report of it.
    pub fn run(&self) -> Result<Tally, RunError> {
        std::thread::scope(|scope| {
            for number in 0..self.running.concurrency.max(1) {
                scope.spawn(move || self.work(number));
            }
        });
        let mut state = self.state.lock();
        let state = &mut *state;
        if let Some(error) = state.error.take() {
            return Err(error);
        }
        if self.stop.load(Relaxed) {
            if let Some(folder) = state.folder.as_ref().filter(|_| state.tally.units() > 0) {
                folder.report(&state.tally.to_string(), &state.tally.json())?;
            }
            return Err(RunError::Interrupted);
        }
        let end = self.end.load(Relaxed);
        if self.running.only_unit.is_none()
            && let Some(folder) = &mut state.folder
        {
            let games = state.games.range(..end);
            let counted: Vec<&MatchGame> = games.map(|(_, record)| record).collect();
            folder.finish(&counted, &state.event)?;
            folder.report(&state.tally.to_string(), &state.tally.json())?;
        }
        Ok(state.tally.clone())
    }

    fn work(&self, worker: usize) {
        let mut players = Players::new();
        while !self.is_over() {
            let number = self.next.fetch_add(1, Relaxed);
            if number >= self.end.load(Relaxed) {
                return;
            }
            let unit = number / self.plan.games_a_unit();
            let other_unit = self.running.only_unit.is_some_and(|only| only != unit);
            if other_unit || self.state.lock().games.contains_key(&number) {
                continue;
            }
            if let Err(error) = self.game(worker, number, &mut players) {
                self.fail(error);
                return;
            }
        }
    }

    /// Whether a test decides how much is played; of one unit by itself it decides nothing.
    fn is_test(&self) -> bool {
        self.plan.settings().sprt.is_some() && self.running.only_unit.is_none()
    }

    fn is_over(&self) -> bool {
        self.over.load(Relaxed) || self.stop.load(Relaxed)
    }

    fn fail(&self, error: RunError) {
        self.over.store(true, Relaxed);
        // What comes after the first failure is a consequence of it.
        self.state.lock().error.get_or_insert(error);
    }

    /// Plays one game and counts it; one that could not be set up is tried again once.
    fn game(&self, worker: usize, number: usize, players: &mut Players) -> Result<(), RunError> {
        let fixture = self.plan.fixture(number)?;
        let mut record = match self.attempt(worker, &fixture, players)? {
            Some(record) if record.end.kind == EndKind::Void => {
                self.attempt(worker, &fixture, players)?
            }
            first => first,
        };
        let Some(record) = record.take() else {
            return Ok(());
        };
        if number >= self.end.load(Relaxed) {
            return Ok(());
        }
        if record.end.kind == EndKind::Void {
            let running = self.voids.fetch_add(1, Relaxed) + 1;
            // A test counts games in their order: none after this one would.
            let is_needed = self.running.needs_all || self.is_test();
            if !self.running.recover || is_needed || running >= MOST_VOIDS {
                return Err(RunError::Void {
                    game: record.game,
                    sentence: record.ending,
                });
            }
        } else {
            self.voids.store(0, Relaxed);
        }
        let failed = record.end.kind.is_broken() && !self.running.recover;
        let error = failed.then(|| RunError::Failed {
            game: record.game,
            sentence: record.ending.clone(),
            stderr: record
                .stderr
                .last()
                .map_or_else(String::new, |line| format!("; it wrote `{line}`")),
        });
        self.keep(number, record)?;
        error.map_or(Ok(()), Err)
    }

    /// Plays a game, with engines that are running or are started for it; none if it was
    /// interrupted.
    fn attempt(
        &self,
        worker: usize,
        fixture: &Fixture,
        players: &mut Players,
    ) -> Result<Option<MatchGame>, RunError> {
        let (started, clock) = (game::now(), Instant::now());
        let seating = copies(&fixture.seating);
        // This build's players cost nothing to start; their trees are given back.
        players.retain(|key, player| player.spec.program.is_some() || seating.contains(key));
        let stop = || self.is_over() || fixture.game >= self.end.load(Relaxed);
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
                None => Player::start(spec, self.plan.configuration(), &supervisor),
            };
            match player {
                Ok(player) => {
                    self.recognize(key.0, &player)?;
                    seated.push(player);
                }
                Err(StartError::Interrupted) => return Ok(None),
                Err(error) if self.running.recover => {
                    absent = Some(End::by(EndKind::Void, place, error.to_string()));
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        let table = GameSetting {
            plan: self.plan,
            fixture,
            supervisor: &supervisor,
            watch: &|position| self.observer.moved(worker, fixture, position),
        };
        let outcome = match absent {
            Some(end) => Outcome::void(end),
            None => game::play(&table, &mut seated.iter_mut().collect::<Vec<_>>()),
        };
        let lost = outcome.end.by.filter(|_| outcome.unusable);
        let record = (outcome.end.kind != EndKind::Interrupted).then(|| MatchGame {
            started,
            seconds: game::since(clock),
            ..self.record(fixture, &seated, outcome)
        });
        for (place, (key, player)) in seating.into_iter().zip(seated).enumerate() {
            let usable = lost != Some(place) && !player.is_lost() && !player.spec.restart;
            if usable && record.is_some() {
                players.insert(key, player);
            }
        }
        Ok(record)
    }

    fn record(&self, fixture: &Fixture, seated: &[Player], outcome: Outcome) -> MatchGame {
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
                seed: fixture.seeds[place],
            }
        };
        let players = fixture.seating.iter().enumerate().map(player).collect();
        let blamed = outcome.end.by.and_then(|place| seated.get(place));
        let colour_of = |place: usize| {
            let word = variant.colour(seats[place]);
            let mut letters = word.chars();
            let first = letters.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        };
        let by = outcome.end.by.map(colour_of).unwrap_or_default();
        MatchGame {
            game: fixture.game + 1,
            unit: fixture.unit + 1,
            round: fixture.round + 1,
            size: self.plan.configuration().side(),
            start: settings.start.clone(),
            players,
            opening: fixture.opening.len(),
            moves: outcome.moves,
            winner: outcome.winner.map(|seat| variant.colour(seat).to_string()),
            sharing: outcome.sharing,
            result: record::result(variant, outcome.winner, outcome.end.kind),
            ending: outcome.end.sentence(&by),
            stderr: match outcome.unusable {
                true => blamed.map_or_else(Vec::new, Player::stderr_tail),
                false => Vec::new(),
            },
            end: outcome.end,
            started: String::new(),
            seconds: 0.0,
            machine: self.state.lock().machine.clone(),
            remarks: outcome.remarks,
        }
    }

    /// Keeps and counts a game.
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
        let units = state.tally.units();
        self.count(&mut state);
        if let Some(folder) = state
            .folder
            .as_ref()
            .filter(|_| state.tally.units() > units)
        {
            folder.report(&state.tally.to_string(), &state.tally.json())?;
        }
        self.observer.ended(&record, &state.tally, &state.standing);
        Ok(())
    }

    /// Counts the units that are complete, in their order: a test that looked at games in the
    /// order in which they end would see short games first. Once it has decided, what comes after
    /// counts nowhere.
    fn count(&self, state: &mut State) {
        let seats = self.plan.games_a_unit();
        let first = self.running.only_unit.unwrap_or(state.tally.units());
        let units = match self.running.only_unit {
            Some(_) if state.tally.units() > 0 => first..first,
            Some(only) => only..only + 1,
            None => first..self.plan.units(),
        };
        for unit in units {
            let games: Vec<&MatchGame> = state
                .games
                .range(unit * seats..(unit + 1) * seats)
                .map(|(_, game)| game)
                .collect();
            let is_void = games.iter().any(|game| !game.end.kind.is_scored());
            // A test waits for what is to be played again: it must not depend on when that is.
            if games.len() < seats || (is_void && self.is_test()) {
                break;
            }
            state.tally.add(unit, &games);
            if state.tally.decision().is_some() {
                self.end.store((unit + 1) * seats, Relaxed);
                self.over.store(true, Relaxed);
                break;
            }
        }
    }
}

/// Each place with its engine and which copy of it: an engine with several seats has a process,
/// and a tree, for each.
fn copies(seating: &[usize]) -> Vec<(usize, usize)> {
    let copy = |place: usize| {
        seating[..place]
            .iter()
            .filter(|&&e| e == seating[place])
            .count()
    };
    (0..seating.len())
        .map(|place| (seating[place], copy(place)))
        .collect()
}

/// Processor, cores and system of this machine.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let processor = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_string())
        });
    let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.to_string());
    format!("{processor}, {cores} cores, {}", std::env::consts::OS)
}
