//! A tuning on its way: each step a small match between the two players of a trial.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::history::{History, Row};
use super::parameter::Tunable;
use super::plot;
use super::spsa::{Spsa, Trial};
use super::{MOST, TuneError};
use crate::lab::matches::{
    self, EngineSpec, Format, Observer, Openings, Plan, Runner, Running, folder,
};
use crate::util::random::Random;

/// All that decides how a tuning goes; another one is another tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The start position of every game, as a diagram.
    pub start: String,
    /// The engine that is tuned.
    pub engine: EngineSpec,
    /// What is tuned.
    pub parameters: Vec<Tunable>,
    /// Steps, 1 to [`MOST`]; all gains depend on it.
    pub steps: usize,
    /// Pairs of games a step, 1 to [`MOST`].
    pub pairs: usize,
    /// The openings; those of a file go on from step to step.
    pub openings: Openings,
    /// Where all randomness starts.
    pub seed: u64,
    /// Seconds for an answer where no time limits it.
    pub stall: f64,
}

impl Settings {
    /// The settings that begin with those of a match: its first engine is tuned from its start
    /// position, with its openings and its seed.
    ///
    /// # Errors
    /// As for [`Settings::check`].
    pub fn new(
        base: &matches::Settings,
        parameters: Vec<Tunable>,
        steps: usize,
        pairs: usize,
    ) -> Result<Self, TuneError> {
        let engine = base.engines.first().cloned();
        let settings = Self {
            start: base.start.clone(),
            engine: engine.ok_or(matches::PlanError::Engines(0))?,
            parameters,
            steps,
            pairs,
            openings: base.openings.clone(),
            seed: base.seed,
            stall: base.stall,
        };
        settings.check()?;
        Ok(settings)
    }

    /// Checks what may come from a file.
    ///
    /// # Errors
    /// No parameters, one of them twice or wrong; counts out of range; more or fewer than two
    /// seats; what makes no match.
    pub fn check(&self) -> Result<(), TuneError> {
        if self.parameters.is_empty() {
            return Err(TuneError::Nothing);
        }
        for (i, parameter) in self.parameters.iter().enumerate() {
            parameter.check()?;
            let before = &self.parameters[..i];
            if before.iter().any(|other| other.name == parameter.name) {
                return Err(TuneError::Twice(parameter.name.clone()));
            }
        }
        for (number, what) in [(self.steps, "steps"), (self.pairs, "pairs a step")] {
            if !(1..=MOST).contains(&number) {
                let most = MOST;
                return Err(TuneError::Count { number, what, most });
            }
        }
        self.plan(1, &self.spsa().trial(&self.spsa().start(), 1, self.seed))?;
        Ok(())
    }

    /// The method.
    pub fn spsa(&self) -> Spsa {
        Spsa::new(self.parameters.clone(), self.steps)
    }

    /// Games of the whole tuning.
    pub fn games(&self) -> usize {
        self.steps.saturating_mul(self.pairs).saturating_mul(2)
    }

    /// The match of a step: `plus` against `minus`.
    fn plan(&self, step: usize, trial: &Trial) -> Result<Plan, TuneError> {
        let player = |name: &str, values: &[f64]| EngineSpec {
            name: name.to_string(),
            options: self.options(values),
            ..self.engine.clone()
        };
        let mut openings = self.openings.clone();
        if let Openings::List { moves, .. } = &mut openings
            && !moves.is_empty()
        {
            let played = step.saturating_sub(1).saturating_mul(self.pairs) % moves.len();
            moves.rotate_left(played);
        }
        let plan = Plan::new(matches::Settings {
            start: self.start.clone(),
            engines: vec![player("plus", &trial.plus), player("minus", &trial.minus)],
            format: Format::RoundRobin,
            rounds: self.pairs,
            openings,
            // Not the stream that the trial is drawn from.
            seed: Random::part(!self.seed, step as u64).bits(),
            sprt: None,
            stall: self.stall,
        })?;
        match plan.seats().len() {
            2 => Ok(plan),
            seats => Err(TuneError::Seats(seats)),
        }
    }

    /// The options of the engine with the tuned parameters set to `values`.
    fn options(&self, values: &[f64]) -> Vec<(String, String)> {
        let options = self.engine.options.iter();
        let kept = options.filter(|(key, _)| self.parameters.iter().all(|p| p.name != *key));
        let tuned = self.parameters.iter().zip(values);
        kept.cloned()
            .chain(tuned.map(|(p, value)| (p.name.clone(), value.to_string())))
            .collect()
    }
}

/// A tuning with its folder.
#[derive(Debug)]
pub struct Tuner {
    settings: Settings,
    spsa: Spsa,
    history: History,
    rows: Vec<Row>,
    /// Whether this process knows that the engine starts.
    is_tried: bool,
}

impl Tuner {
    /// Opens the folder of a new tuning, or of one that is gone on with if `resume`. Without
    /// `settings`, those in the folder hold.
    ///
    /// # Errors
    /// A folder that is in use, broken, or holds something else; wrong settings.
    pub fn open(path: &Path, settings: Option<&Settings>, resume: bool) -> Result<Self, TuneError> {
        let (history, settings, rows) = History::open(path, settings, resume)?;
        Ok(Self {
            spsa: settings.spsa(),
            settings,
            history,
            rows,
            is_tried: false,
        })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The steps that are done.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The parameters so far, unrounded.
    pub fn values(&self) -> Vec<f64> {
        let last = self.rows.last().map(|row| row.values.clone());
        last.unwrap_or_else(|| self.spsa.start())
    }

    /// Games so far that ended by a fault of an engine; they moved the parameters like others.
    pub fn forfeits(&self) -> u64 {
        self.rows.iter().map(|row| row.forfeits).sum()
    }

    /// Whether all steps are done.
    pub fn is_finished(&self) -> bool {
        self.rows.len() >= self.settings.steps
    }

    /// Plays the next step and keeps it: the players of its trial meet, and the
    /// parameters follow the winner. A step depends on nothing but the settings, the values before
    /// it and, where engines have a time limit, the clock. Before the first one the engine is tried.
    ///
    /// # Errors
    /// Games that could not be played to the end, or not be kept; the step is not done then.
    pub fn step(
        &mut self,
        running: Running,
        stop: &AtomicBool,
        observer: &dyn Observer,
    ) -> Result<(), TuneError> {
        let step = self.rows.len() + 1;
        let theta = self.values();
        let trial = self.spsa.trial(&theta, step, self.settings.seed);
        let plan = self.settings.plan(step, &trial)?;
        let running = Running {
            only_unit: None,
            ..running
        };
        let runner = Runner::new(&plan, running, None, Vec::new(), stop, observer);
        if !self.is_tried {
            runner.try_engines().map_err(TuneError::before)?;
            self.is_tried = true;
        }
        let tally = runner.run()?;
        let meeting = tally.meetings().first();
        let (wins, losses) = meeting.map_or((0, 0), |m| (m.games.wins, m.games.losses));
        let result = wins as f64 - losses as f64;
        let row = Row {
            step,
            wins,
            losses,
            forfeits: tally.forfeits(),
            values: self.spsa.step(&theta, step, &trial.flips, result),
        };
        self.history.keep(&row)?;
        self.rows.push(row);
        Ok(())
    }

    /// Draws the course of the parameters so far into the folder.
    ///
    /// # Errors
    /// What cannot be drawn or written.
    pub fn draw(&self) -> Result<(), TuneError> {
        let svg = plot::course(&self.settings.parameters, self.settings.steps, &self.rows)?;
        self.history.draw(&svg)
    }

    /// Each tuned parameter with its nearest playable value, as text.
    pub fn tuned(&self) -> Vec<(String, String)> {
        let parameters = self.settings.parameters.iter().zip(self.values());
        parameters
            .map(|(p, value)| (p.name.clone(), p.playable(value).to_string()))
            .collect()
    }

    /// The settings of the tuned engine as `tanada match --engine` reads them; of a program, the
    /// tuned parameters only.
    pub fn engine(&self) -> String {
        let Settings {
            engine, parameters, ..
        } = &self.settings;
        let values = self.values();
        let values = parameters.iter().zip(values).map(|(p, x)| p.playable(x));
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
    pub fn json(&self) -> String {
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
        folder::json(&json!({
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
