//! Entry points to what reads files.

use std::path::Path;

use crate::cli;
use crate::lab::matches::opening;
use crate::lab::matches::run_folder::{json, json_error};
use crate::lab::matches::{
    self, EngineSpec, Folder, Limit, MatchGame, MatchSettings, Openings, Plan,
};
use crate::lab::prove;
use crate::lab::train::journal::GameJournal;
use crate::lab::train::selfplay::SelfplaySettings;
use crate::lab::tune::Tuner;
use crate::solver::Key;
use crate::solver::checkpoint;
use crate::solver::table::Entry;
use crate::variant::{MoveCode, SharedStart};

/// Reads a checkpoint: its nodes, and its results as bucket and word.
///
/// # Errors
/// It is no checkpoint of this question.
pub fn checkpoint(bytes: &[u8], question: [u64; 2]) -> Result<(u64, Vec<(u32, u64)>), String> {
    let mut entries = Vec::new();
    let nodes = checkpoint::decode(bytes, Key(question), |Entry { bucket, word }| {
        entries.push((bucket, word));
    });
    let nodes = nodes.map_err(|error| error.to_string())?;
    Ok((nodes, entries))
}

/// Writes a checkpoint.
pub fn write_checkpoint(question: [u64; 2], nodes: u64, entries: &[(u32, u64)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let entries = entries.iter().map(|&(bucket, word)| Entry { bucket, word });
    // Memory takes every byte.
    let _ = checkpoint::encode(&mut bytes, Key(question), nodes, entries);
    bytes
}

/// Reads the log of a proof and writes what it holds again.
///
/// # Errors
/// It is no such log, or damaged.
pub fn frontier(bytes: &[u8]) -> Result<String, String> {
    prove::rewrite(bytes).map_err(|error| error.to_string())
}

/// Opens the file of a log, as a proof does that goes on; returns its question.
///
/// # Errors
/// It is no such log, or damaged.
pub fn open_frontier(path: &Path, question: Option<&str>) -> Result<String, String> {
    let opened = prove::Log::open(path, question);
    let (_, question, _) = opened.map_err(|error| error.to_string())?;
    Ok(question)
}

/// Reads a file of openings.
///
/// # Errors
/// It holds none, or a wrong one.
pub fn openings(bytes: Vec<u8>, start: &SharedStart) -> Result<Vec<Vec<MoveCode>>, String> {
    let openings = Openings::parse(bytes, "book".to_string(), start);
    let openings = openings.map_err(|error| error.to_string())?;
    let moves = |round| openings.moves(start, 0, round);
    let all = (0..openings.count()).map(moves).collect::<Result<_, _>>();
    all.map_err(|error| error.to_string())
}

/// A line of a file of openings.
pub fn opening_line(moves: &[MoveCode], start: &SharedStart) -> String {
    opening::line(moves, start)
}

/// Reads the description of an engine, as `--engine` takes it, and writes it as JSON.
///
/// # Errors
/// It is no such description.
pub fn engine(text: &str) -> Result<String, String> {
    let spec = EngineSpec::parse(text, Limit::Iterations(1));
    spec.map(|spec| json(&spec))
        .map_err(|error| error.to_string())
}

/// The settings of a match as JSON.
pub fn plan_text(plan: &Plan) -> String {
    json(plan.settings())
}

/// Reads the settings of a match from JSON.
///
/// # Errors
/// They are no such settings.
pub fn plan(text: &str) -> Result<Plan, String> {
    let settings: Result<MatchSettings, _> = serde_json::from_str(text);
    let settings = settings.map_err(|error| json_error(&error))?;
    Plan::new(settings).map_err(|error| error.to_string())
}

/// Reads the folder of a match: its games, and its reports as text and as JSON.
///
/// # Errors
/// It holds no match.
pub fn match_folder(path: &Path) -> Result<(Vec<MatchGame>, [String; 2]), String> {
    matches::rewrite(path).map_err(|error| error.to_string())
}

/// Opens the folder of a match to continue it; returns the number of its games.
///
/// # Errors
/// It holds no match.
pub fn resume_match(path: &Path) -> Result<usize, String> {
    let opened = Folder::open(path, None, None, true);
    let (_, _, games) = opened.map_err(|error| error.to_string())?;
    Ok(games.len())
}

/// The line of a game in the journal of a match.
pub fn match_line(game: &MatchGame) -> String {
    json(game)
}

/// Opens the journal of an interrupted self-play run whose games become the file `out`; returns the numbers of its games
/// and positions.
///
/// # Errors
/// It belongs to another run, or is none.
pub fn resume_selfplay(
    out: &Path,
    start: &SharedStart,
    settings: &SelfplaySettings,
) -> Result<(usize, usize), String> {
    let journal = GameJournal::open(out, start, settings, true, false);
    let journal = journal.map_err(|error| error.to_string())?;
    Ok((journal.games(), journal.positions()))
}

/// Opens the folder of a tuning to continue it; returns its report as JSON.
///
/// # Errors
/// It holds no tuning.
pub fn resume_tuning(path: &Path) -> Result<String, String> {
    let tuner = Tuner::open(path, None, true).map_err(|error| error.to_string())?;
    Ok(tuner.json())
}

/// Reads a file of settings: what each command takes of it, as option and value, and whether the command accepts all of
/// it together.
///
/// # Errors
/// It is no such file.
pub fn settings(text: &str) -> Result<Vec<cli::TakenSettings>, String> {
    cli::taken_settings(text)
}
