//! Some values of one parameter side by side: the engine as it is meets a variant with each of
//! them.

use serde_json::{Value as Json, json};
use thiserror::Error;

use super::TuneError;
use super::parameter::{TunableError, find, number, significant};
use super::plot;
use crate::lab::matches::{EngineSpec, Format, Plan, Settings, Share, Tally, folder};
use crate::lab::stats::{Estimate, PairResults};
use crate::params::{Kind, ParamError, Parameter};
use crate::util::quote::shorten;

/// The most values of a scan.
const MOST_VALUES: usize = 1000;

/// A parameter and two or more values of it.
#[derive(Clone, Debug)]
pub struct Scan {
    parameter: &'static Parameter,
    /// As they are set, in the order in which they were given.
    values: Vec<String>,
}

/// A text that is no scan.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ScanError {
    /// The parameter.
    #[error(transparent)]
    Parameter(#[from] TunableError),
    /// Neither of the two forms.
    #[error("`{0}` is no scan, expected NAME=lo:hi:n or NAME=a,b,c")]
    Form(String),
    /// Not a number of values.
    #[error("`{0}` is no number of values, expected 2 to {MOST_VALUES}")]
    Count(String),
    /// The lower end is not below the upper one.
    #[error("`{0}` is no range, expected the lower end first")]
    Range(String),
    /// A value is there twice.
    #[error("`{text}` is there twice among the values of `{name}`, expected different ones")]
    Twice {
        /// The parameter.
        name: &'static str,
        /// The value.
        text: String,
    },
}

impl From<ParamError> for ScanError {
    fn from(error: ParamError) -> Self {
        Self::Parameter(error.into())
    }
}

/// What a variant did against the engine as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanPoint {
    /// The value, as it is set.
    pub value: String,
    /// Games won by the variant.
    pub wins: u64,
    /// Games nobody won.
    pub draws: u64,
    /// Games that it lost.
    pub losses: u64,
    /// Games that it lost by a fault: late, illegal, crashed and the like.
    pub forfeits: u64,
    /// Its pairs of games.
    pub pairs: PairResults,
}

/// What came of a scan.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanResult {
    /// The parameter.
    pub name: String,
    /// The variants, by their values.
    pub points: Vec<ScanPoint>,
    /// Games that the engine as it is lost by a fault, to all variants together.
    pub base_forfeits: u64,
}

impl Scan {
    /// Reads `NAME=lo:hi:n`, n values from lo to hi at equal distances (to the nearest, for
    /// whole numbers), or `NAME=a,b,c`.
    ///
    /// # Errors
    /// Quotes what is wrong.
    pub fn parse(text: &str) -> Result<Self, ScanError> {
        let form = || ScanError::Form(shorten(text, 60));
        let (name, rest) = match text.split_once('=') {
            Some((name, rest)) => (name.trim(), rest),
            None => {
                find(text.trim())?;
                return Err(form());
            }
        };
        let parameter = find(name)?;
        let mut values = Vec::new();
        if rest.contains(':') {
            let parts: Vec<&str> = rest.split(':').map(str::trim).collect();
            let [low, high, count] = parts[..] else {
                return Err(form());
            };
            let (low, high) = (
                number(parameter.parse(low)?),
                number(parameter.parse(high)?),
            );
            let count: usize = count
                .parse()
                .ok()
                .filter(|n| (2..=MOST_VALUES).contains(n) && !count.starts_with('+'))
                .ok_or_else(|| ScanError::Count(shorten(count, 60)))?;
            if low >= high {
                return Err(ScanError::Range(shorten(rest, 60)));
            }
            for i in 0..count {
                let x = low + (high - low) * i as f64 / (count - 1) as f64;
                let x = match parameter.kind {
                    Kind::Integer(..) => x.round(),
                    _ => significant(x, 12),
                };
                values.push(x.clamp(low, high).to_string());
            }
        } else {
            for part in rest.split(',') {
                // As numbers are written, so that `1` and `1.0` are the same.
                values.push(parameter.parse(part.trim())?.to_string());
            }
            if !(2..=MOST_VALUES).contains(&values.len()) {
                return Err(ScanError::Count(values.len().to_string()));
            }
        }
        values.sort_by(|a, b| as_number(a).total_cmp(&as_number(b)));
        for pair in values.windows(2) {
            if pair[0] == pair[1] {
                let (name, text) = (parameter.name, pair[0].clone());
                return Err(ScanError::Twice { name, text });
            }
        }
        Ok(Self { parameter, values })
    }

    /// The name of the parameter.
    pub fn name(&self) -> &'static str {
        self.parameter.name
    }

    /// The values, as they are set, from the least to the greatest.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The gauntlet of the first engine of `base` against its variants, with the start position,
    /// openings, rounds and seed of `base`.
    ///
    /// # Errors
    /// More or fewer than two seats; what makes no match.
    pub fn plan(&self, base: &Settings) -> Result<Plan, TuneError> {
        let engine = base.engines.first();
        let engine = engine.ok_or(crate::lab::matches::PlanError::Engines(0))?;
        let variant = |value: &String| {
            let mut variant = EngineSpec {
                name: format!("{}={value}", self.name()),
                ..engine.clone()
            };
            variant
                .options
                .push((self.name().to_string(), value.clone()));
            variant
        };
        let plan = Plan::new(Settings {
            engines: std::iter::once(engine.clone())
                .chain(self.values.iter().map(variant))
                .collect(),
            format: Format::Gauntlet,
            sprt: None,
            ..base.clone()
        });
        let plan = match plan {
            // Before the complaint about so many engines on other boards.
            Err(crate::lab::matches::PlanError::Seats { seats, .. }) => {
                return Err(TuneError::Seats(seats));
            }
            plan => plan?,
        };
        match plan.seats().len() {
            2 => Ok(plan),
            seats => Err(TuneError::Seats(seats)),
        }
    }

    /// The result, from the tally of the [`plan`](Scan::plan)'s match.
    pub fn result(&self, tally: &Tally) -> ScanResult {
        let forfeits = |engine: usize| tally.shares().get(engine).map_or(0, Share::forfeits);
        let point = |(value, meeting): (&String, &crate::lab::matches::Meeting)| {
            let mut counts = meeting.pairs.counts();
            // The variant is the second engine of its meeting.
            counts.reverse();
            ScanPoint {
                value: value.clone(),
                wins: meeting.games.losses,
                draws: meeting.games.draws,
                losses: meeting.games.wins,
                forfeits: forfeits(meeting.engines[1]),
                pairs: PairResults::new(counts),
            }
        };
        ScanResult {
            name: self.name().to_string(),
            points: self
                .values
                .iter()
                .zip(tally.meetings())
                .map(point)
                .collect(),
            base_forfeits: forfeits(0),
        }
    }
}

fn as_number(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}

impl ScanPoint {
    /// The value as a number.
    pub fn x(&self) -> f64 {
        as_number(&self.value)
    }

    /// Games that count.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points of the games that count, half a one for a draw, 0 to 1; none without games.
    pub fn score(&self) -> Option<f64> {
        let points = self.wins as f64 + 0.5 * self.draws as f64;
        (self.games() > 0).then(|| points / self.games() as f64)
    }

    /// Elo against the engine as it is, with the 95 % error over pairs, which may be infinite; none
    /// where the difference itself is.
    pub fn elo(&self) -> Option<Estimate> {
        self.pairs.elo().filter(|elo| elo.value.is_finite())
    }
}

impl ScanResult {
    /// The table: head and rows.
    pub fn table(&self) -> Vec<Vec<String>> {
        let head = [
            &self.name, "games", "forfeits", "score", "Elo", "+/-", "LOS",
        ];
        let mut rows = vec![head.map(str::to_string).to_vec()];
        let percent = |share: Option<f64>| match share {
            Some(share) => format!("{:.2} %", 100.0 * share),
            None => "-".to_string(),
        };
        rows.extend(self.points.iter().map(|point| {
            let number = |x: Option<f64>| match x.filter(|x| x.is_finite()) {
                Some(x) => format!("{x:.1}"),
                None => "-".to_string(),
            };
            let elo = point.elo();
            vec![
                point.value.clone(),
                point.games().to_string(),
                point.forfeits.to_string(),
                percent(point.score()),
                number(elo.map(|e| e.value)),
                number(elo.map(|e| e.error)),
                percent(point.pairs.los()),
            ]
        }));
        rows
    }

    /// The same as CSV, unrounded; what has no number is empty.
    pub fn csv(&self) -> String {
        let cell = |x: Option<f64>| match x.filter(|x| x.is_finite()) {
            Some(x) => x.to_string(),
            None => String::new(),
        };
        let mut text = format!(
            "{},games,wins,losses,forfeits,score,elo,elo_error,los\n",
            self.name
        );
        for point in &self.points {
            let elo = point.elo();
            text.push_str(&format!(
                "{},{},{},{},{},{},{},{},{}\n",
                point.value,
                point.games(),
                point.wins,
                point.losses,
                point.forfeits,
                cell(point.score()),
                cell(elo.map(|e| e.value)),
                cell(elo.map(|e| e.error)),
                cell(point.pairs.los()),
            ));
        }
        text
    }

    /// The same as one line of JSON; what has no number is `null`.
    pub fn json(&self) -> String {
        let points = self.points.iter().map(|point| {
            json!({
                "value": point.x(),
                "games": point.games(),
                "wins": point.wins,
                "draws": point.draws,
                "losses": point.losses,
                "forfeits": point.forfeits,
                "pentanomial": point.pairs.counts(),
                "score": point.score(),
                "elo": point.elo(),
                "los": point.pairs.los(),
            })
        });
        folder::json(&json!({
            "parameter": self.name,
            "points": points.collect::<Vec<Json>>(),
            "base_forfeits": self.base_forfeits,
        }))
    }

    /// The diagram: scores with their 95 % intervals by value, as SVG.
    ///
    /// # Errors
    /// What cannot be drawn.
    pub fn svg(&self) -> Result<String, TuneError> {
        plot::whiskers(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_spread_evenly_or_listed() {
        for (text, values) in [
            ("uct_exploration=0.1:0.3:3", &["0.1", "0.2", "0.3"][..]),
            ("uct_exploration=0:1:2", &["0", "1"]),
            ("virtual_loss=0:3:3", &["0", "2", "3"]),
            (" initial_value_visits = 3, 1.0 ,2", &["1", "2", "3"]),
        ] {
            assert_eq!(Scan::parse(text).unwrap().values(), values);
        }
    }

    #[test]
    fn wrong_texts_are_quoted() {
        for (text, part) in [
            ("speed=1,2", "unknown parameter `speed`"),
            ("leaf=linear,playout", "`leaf` cannot be tuned"),
            ("memory=1,2", "`memory` cannot be tuned"),
            (
                "initial_value_visits",
                "expected NAME=lo:hi:n or NAME=a,b,c",
            ),
            ("initial_value_visits=1:2", "expected NAME=lo:hi:n"),
            ("initial_value_visits=1:2:3:4", "expected NAME=lo:hi:n"),
            ("initial_value_visits=1:2:1", "`1` is no number of values"),
            ("initial_value_visits=1:2:x", "`x` is no number of values"),
            ("initial_value_visits=2:1:3", "`2:1:3` is no range"),
            (
                "initial_value_visits=1:101:3",
                "invalid value `101` for `initial_value_visits`",
            ),
            ("initial_value_visits=1", "`1` is no number of values"),
            ("initial_value_visits=1,1.0", "`1` is there twice"),
            (
                "initial_value_visits=1,,2",
                "invalid value `` for `initial_value_visits`",
            ),
            (
                "virtual_loss=0:2:5",
                "is there twice among the values of `virtual_loss`",
            ),
        ] {
            let error = Scan::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
