//! Plays a tuning: each step is a small match between the two players of a trial.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::error::TuneError;
use super::history::{History, Row};
use super::plot;
use super::settings::TuneSettings;
use super::spsa::Spsa;
use crate::lab::matches::{Observer, RunOptions, Runner, run_folder};

/// A tuning with its folder.
#[derive(Debug)]
pub(crate) struct Tuner {
    settings: TuneSettings,
    spsa: Spsa,
    history: History,
    rows: Vec<Row>,
    /// Whether the engine was tried in this process.
    is_tried: bool,
}

impl Tuner {
    /// Opens the folder of a new tuning, or of an earlier one if `resume`. Without `settings` those
    /// in the folder hold.
    pub(crate) fn open(
        path: &Path,
        settings: Option<&TuneSettings>,
        resume: bool,
    ) -> Result<Self, TuneError> {
        let (history, settings, rows) = History::open(path, settings, resume)?;
        Ok(Self {
            spsa: settings.spsa(),
            settings,
            history,
            rows,
            is_tried: false,
        })
    }

    pub(crate) fn settings(&self) -> &TuneSettings {
        &self.settings
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The present values of the parameters, unrounded.
    pub(crate) fn values(&self) -> Vec<f64> {
        let last = self.rows.last().map(|row| row.values.clone());
        last.unwrap_or_else(|| self.spsa.start())
    }

    /// Forfeited games so far. They moved the parameters like others.
    pub(crate) fn forfeits(&self) -> u64 {
        self.rows.iter().map(|row| row.forfeits).sum()
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.rows.len() >= self.settings.steps
    }

    /// Plays the next step and keeps it: the two players of its trial meet, and the parameters
    /// follow the winner. A step depends only on the settings, the values before it and, if engines
    /// have a time limit, the clock. The first step tries the engine.
    ///
    /// # Errors
    /// Games that could not be finished or kept; the step does not count then.
    pub(crate) fn step(
        &mut self,
        running: RunOptions,
        stop: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<(), TuneError> {
        let step = self.rows.len() + 1;
        let theta = self.values();
        let trial = self.spsa.trial(&theta, step, self.settings.seed);
        let plan = self.settings.plan(step, &trial)?;
        let runner = Runner::new(&plan, running, stop, observer);
        if !self.is_tried {
            runner.try_engines().map_err(TuneError::before)?;
            self.is_tried = true;
        }
        let results = runner.run()?;
        let meeting = results.meetings.first();
        let (wins, losses) = meeting.map_or((0, 0), |m| (m.games.wins, m.games.losses));
        let result = wins as f64 - losses as f64;
        let row = Row {
            step,
            wins,
            losses,
            forfeits: results.forfeits(),
            values: self.spsa.step(&theta, step, &trial.flips, result),
        };
        self.history.keep(&row)?;
        self.rows.push(row);
        Ok(())
    }

    /// Draws the history of the parameters into the folder.
    pub(crate) fn draw(&self) -> Result<(), TuneError> {
        let svg = plot::plot_history(&self.settings.parameters, self.settings.steps, &self.rows)?;
        Ok(self.history.draw(&svg)?)
    }

    /// Each tuned parameter with its nearest playable value, as text.
    pub(crate) fn tuned(&self) -> Vec<(String, String)> {
        let parameters = self.settings.parameters.iter().zip(self.values());
        let tuned = parameters.map(|(p, value)| (p.name.clone(), p.playable(value).to_string()));
        tuned.collect()
    }

    /// The tuned engine in the form of `tanada match --engine`; for a program, only the tuned
    /// parameters.
    pub(crate) fn engine(&self) -> String {
        let engine = &self.settings.engine;
        let values = self.settings.parameters.iter().zip(self.values());
        let values = values.map(|(p, x)| p.playable(x));
        let mut parts = match engine.program {
            Some(_) => self.tuned(),
            None => self.settings.options(&values.collect::<Vec<_>>()),
        };
        if let Some(weights) = &engine.weights {
            parts.insert(0, ("weights".to_string(), weights.clone()));
        }
        let parts = parts.iter().map(|(key, value)| format!("{key}={value}"));
        let parts: Vec<String> = parts.map(|part| part.replace(',', "\\,")).collect();
        parts.join(",")
    }

    /// The result as one line of JSON.
    pub(crate) fn json(&self) -> String {
        let sum = |count: fn(&Row) -> u64| self.rows.iter().map(count).sum::<u64>();
        let parameters = self.settings.parameters.iter().zip(self.values());
        let parameters = parameters.map(|(p, value)| {
            json!({
                "name": p.name,
                "start": p.value,
                "value": value,
                "playable": p.playable(value),
                "min": p.min,
                "max": p.max,
                "c_end": p.c_end,
                "r_end": p.r_end,
            })
        });
        run_folder::json(&json!({
            "steps": self.rows.len(),
            "planned_steps": self.settings.steps,
            "pairs": self.settings.pairs,
            "wins": sum(|row| row.wins),
            "losses": sum(|row| row.losses),
            "forfeits": self.forfeits(),
            "parameters": parameters.collect::<Vec<_>>(),
            "engine": self.engine(),
        }))
    }
}
