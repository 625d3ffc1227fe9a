//! The settings of a tuning, and the match of each step.

use serde::{Deserialize, Serialize};

use super::error::TuneError;
use super::parameter::Tunable;
use super::spsa::{Spsa, Trial};
use crate::lab::matches::{EngineSpec, Format, MatchSettings, Openings, Plan, PlanError};
use crate::util::random::Random;

/// The most steps, and the most pairs a step.
pub(crate) const MOST: usize = 1_000_000;

/// Everything that decides how a tuning goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TuneSettings {
    /// The start position of every game as text.
    pub(crate) start: String,
    pub(crate) engine: EngineSpec,
    pub(crate) parameters: Vec<Tunable>,
    /// Steps, 1 to [`MOST`]. The gains depend on it.
    pub(crate) steps: usize,
    /// Pairs of games a step, 1 to [`MOST`].
    pub(crate) pairs: usize,
    /// The openings. A list continues from step to step.
    pub(crate) openings: Openings,
    pub(crate) seed: u64,
    /// Seconds to wait for an answer that no time limits.
    pub(crate) stall: f64,
}

impl TuneSettings {
    /// Tunes the first engine of a match, with the start position, openings and seed of the match.
    pub(crate) fn new(
        base: &MatchSettings,
        parameters: Vec<Tunable>,
        steps: usize,
        pairs: usize,
    ) -> Result<Self, TuneError> {
        let engine = base.engines.first().cloned();
        let settings = Self {
            start: base.start.clone(),
            engine: engine.ok_or(PlanError::Engines(0))?,
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

    /// Checks settings that may come from a file.
    pub(crate) fn check(&self) -> Result<(), TuneError> {
        if self.parameters.is_empty() {
            return Err(TuneError::Nothing);
        }
        for (i, parameter) in self.parameters.iter().enumerate() {
            parameter.check()?;
            let before = &self.parameters[..i];
            if before.iter().any(|other| other.name == parameter.name) {
                let name = &parameter.name;
                let problem = format!("`{name}` is listed twice: expected each parameter once");
                return Err(TuneError::Settings(problem));
            }
        }
        for (number, what) in [(self.steps, "steps"), (self.pairs, "pairs per step")] {
            if !(1..=MOST).contains(&number) {
                let problem = format!("invalid number of {what} `{number}`: expected 1 to {MOST}");
                return Err(TuneError::Settings(problem));
            }
        }
        self.plan(1, &self.spsa().trial(&self.spsa().start(), 1, self.seed))?;
        Ok(())
    }

    pub(crate) fn spsa(&self) -> Spsa {
        Spsa::new(self.parameters.clone(), self.steps)
    }

    /// Games of the whole tuning.
    pub(crate) fn games(&self) -> usize {
        self.steps.saturating_mul(self.pairs).saturating_mul(2)
    }

    /// The match of a step: `plus` against `minus`.
    pub(super) fn plan(&self, step: usize, trial: &Trial) -> Result<Plan, TuneError> {
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
        let plan = Plan::new(MatchSettings {
            start: self.start.clone(),
            engines: vec![player("plus", &trial.plus), player("minus", &trial.minus)],
            format: Format::RoundRobin,
            rounds: self.pairs,
            openings,
            // A different random stream from the trial's.
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
    pub(super) fn options(&self, values: &[f64]) -> Vec<(String, String)> {
        let options = self.engine.options.iter();
        let kept = options.filter(|(key, _)| self.parameters.iter().all(|p| p.name != *key));
        let tuned = self.parameters.iter().zip(values);
        let tuned = tuned.map(|(p, value)| (p.name.clone(), value.to_string()));
        kept.cloned().chain(tuned).collect()
    }
}
