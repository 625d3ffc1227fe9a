//! Follows the folder of a match and tells the pages how it stands. It only reads, so the runner may be at
//! work there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::Serialize;

use super::line::Line;
use super::pages::Pages;
use crate::games;
use crate::lab::matches::{FollowedMatch, MatchGame, RunningGame};
use crate::variant::SharedStart;

/// How often the folder is read.
const TICK: Duration = Duration::from_millis(500);
/// The most games that are told, the newest ones.
const MOST_GAMES: usize = 200;

/// A `match` event: the score and the finished games.
#[derive(Serialize)]
struct MatchEvent {
    name: String,
    engines: Vec<EngineScore>,
    games_done: u64,
    games_all: usize,
    sprt: Option<Test>,
    games: Vec<Game>,
}

/// A `running` event: the games in progress.
#[derive(Serialize)]
struct RunningEvent {
    games: Vec<Game>,
}

#[derive(Serialize)]
struct EngineScore {
    name: String,
    wins: f64,
    games: u64,
    elo: Option<[f64; 3]>,
}

#[derive(Serialize)]
struct Test {
    llr: f64,
    lower: f64,
    upper: f64,
    verdict: Option<&'static str>,
}

#[derive(Serialize)]
struct Game {
    number: usize,
    players: Vec<String>,
    line: Line,
    over: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

/// Starts to follow a folder. It need not be there yet.
pub(super) fn follow(folder: PathBuf, pages: &Arc<Pages>) -> std::io::Result<()> {
    let pages = Arc::downgrade(pages);
    let thread = thread::Builder::new().name("matches".into());
    thread.spawn(move || look(&folder, &pages)).map(drop)
}

fn look(folder: &Path, pages: &Weak<Pages>) {
    let mut seen = None;
    let mut start = None;
    let mut shown = Vec::new();
    while let Some(pages) = pages.upgrade() {
        // Before the finished games: what ends in between is then in one of them at least.
        let running = FollowedMatch::running(folder);
        let now = stamp(folder);
        if now.is_some()
            && now != seen
            && let Ok(found) = FollowedMatch::read(folder)
        {
            seen = now;
            start = games::read_start(&found.start).ok();
            tell(&pages, "match", &match_event(&found));
        }
        if running != shown
            && let Some(start) = &start
        {
            let games = running.iter().map(|game| running_game(game, start));
            let games = games.collect();
            tell(&pages, "running", &RunningEvent { games });
            shown = running;
        }
        drop(pages);
        thread::sleep(TICK);
    }
}

fn tell(pages: &Pages, name: &'static str, event: &impl Serialize) {
    if let Ok(data) = serde_json::to_string(event) {
        pages.tell(name, data);
    }
}

/// What changes when a game ends: the size and the time of the journal and of the settings.
fn stamp(folder: &Path) -> Option<[Option<(u64, SystemTime)>; 2]> {
    let of = |name: &str| {
        let found = fs::metadata(folder.join(name)).ok()?;
        Some((found.len(), found.modified().ok()?))
    };
    let settings = of("match.json")?;
    Some([Some(settings), of("games.jsonl")])
}

fn match_event(found: &FollowedMatch) -> MatchEvent {
    let elo = |engine: usize| {
        let found = found.ratings.get(engine)?;
        let ends = [
            found.value - found.error,
            found.value,
            found.value + found.error,
        ];
        ends.iter().all(|end| end.is_finite()).then_some(ends)
    };
    let engines = found.engines.iter().enumerate();
    let engines = engines.map(|(number, (name, games, points))| EngineScore {
        name: name.clone(),
        wins: *points,
        games: *games,
        elo: elo(number),
    });
    let newest = found.games.len().saturating_sub(MOST_GAMES);
    let games = found.games.iter().skip(newest);
    MatchEvent {
        name: found.name.clone(),
        engines: engines.collect(),
        games_done: found.games.len() as u64,
        games_all: found.planned,
        sprt: found.test.map(|(llr, [lower, upper], verdict)| Test {
            llr,
            lower,
            upper,
            verdict,
        }),
        games: games.filter_map(finished_game).collect(),
    }
}

/// A finished game; `None` if its start cannot be read.
fn finished_game(played: &MatchGame) -> Option<Game> {
    let start = games::read_start(&played.start).ok()?;
    Some(Game {
        number: played.game,
        players: played.player_names(),
        line: Line::from_start(&start, played.words()),
        over: true,
        result: Some(played.result.clone()),
        comment: Some(played.ending.clone()),
    })
}

fn running_game(game: &RunningGame, start: &SharedStart) -> Game {
    Game {
        number: game.game,
        players: game.players.clone(),
        line: Line::from_start(start, game.moves.iter().cloned()),
        over: false,
        result: None,
        comment: None,
    }
}
