//! A match as its folder tells it, for those who only watch.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::folder::Folder;
use super::plan::Plan;
use super::record::MatchGame;
use super::results::{MatchResults, Standing};
use super::run_folder::FolderError;
use super::runner::{Observer, RunOptions, Runner};
use super::running::{self, RunningGame};
use crate::lab::stats::Estimate;

/// How a match stands.
pub(crate) struct FollowedMatch {
    /// The engines with "vs" between them.
    pub(crate) name: String,
    /// The name of each engine, its games and its points in them.
    pub(crate) engines: Vec<(String, u64, f64)>,
    /// The ratings of the engines with the half widths of their intervals, if there are any.
    pub(crate) ratings: Vec<Estimate>,
    /// The log-likelihood ratio of the test, its bounds and what it accepted.
    pub(crate) test: Option<(f64, [f64; 2], Option<&'static str>)>,
    /// The start position as text.
    pub(crate) start: String,
    /// The finished games by number.
    pub(crate) games: Vec<MatchGame>,
    /// The number of games of the whole match.
    pub(crate) planned: usize,
}

/// Reads the folder of a match and writes what is in it again, for the fuzz targets: its games and its reports as text and
/// as JSON.
pub(crate) fn rewrite(path: &Path) -> Result<(Vec<MatchGame>, [String; 2]), FolderError> {
    let (plan, games) = read(path)?;
    let (results, _) = count(&plan, &games);
    Ok((games, [results.to_string(), results.json()]))
}

fn read(path: &Path) -> Result<(Plan, Vec<MatchGame>), FolderError> {
    let (settings, games) = Folder::read(path, None, None)?;
    let plan = Plan::new(settings);
    let plan = plan.map_err(|error| FolderError::new(path, format!("holds no match: {error}")))?;
    Ok((plan, games))
}

fn count(plan: &Plan, games: &[MatchGame]) -> (MatchResults, Standing) {
    let options = RunOptions {
        concurrency: 1,
        recover: false,
        only_unit: None,
        needs_all: false,
    };
    let stop = AtomicBool::new(false);
    let runner = Runner::in_folder(plan, options, None, games.to_vec(), &stop, &Silent);
    (runner.results(), runner.standing())
}

struct Silent;

impl Observer for Silent {
    fn ended(&self, _: &MatchGame, _: &MatchResults, _: &Standing) {}
}

impl FollowedMatch {
    /// The games in progress in a folder, by number.
    pub(crate) fn running(path: &Path) -> Vec<RunningGame> {
        running::read(path)
    }

    /// Reads a folder, in which a runner may be at work.
    ///
    /// # Errors
    /// It holds no match, or something in it is wrong.
    pub(crate) fn read(path: &Path) -> Result<Self, FolderError> {
        let (plan, mut games) = read(path)?;
        let names = plan
            .settings()
            .engines
            .iter()
            .map(|engine| engine.name.clone());
        let names: Vec<String> = names.collect();
        let (results, standing) = count(&plan, &games);
        let ratings = results.ratings().filter(|_| results.units() > 0);
        games.sort_by_key(|game| game.game);
        Ok(Self {
            name: names.join(" vs "),
            start: plan.settings().start.clone(),
            engines: names
                .into_iter()
                .zip(standing.scores())
                .map(|(name, (games, points))| (name, games, points))
                .collect(),
            ratings: ratings.map_or_else(Vec::new, |ratings| ratings.engines),
            test: results.test(),
            games,
            planned: plan.games(),
        })
    }
}
