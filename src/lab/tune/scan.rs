//! Compares values of one parameter: the unchanged engine plays against a variant with each value.

use serde_json::{Value as Json, json};

use super::error::TuneError;
use super::parameter::{TunableError, find, number, significant};
use crate::lab::matches::{
    EngineResults, Format, MatchResults, MatchSettings, Meeting, Plan, PlanError, WinDrawLoss,
    run_folder,
};
use crate::lab::stats::{Estimate, PairResults};
use crate::params::{Kind, Parameter};
use crate::util::quote::shorten;

/// The most values of a scan.
const MOST_VALUES: usize = 1000;

/// A parameter and two or more values of it.
#[derive(Clone, Debug)]
pub(crate) struct Scan {
    parameter: &'static Parameter,
    /// In ascending order, as text that the parameter takes.
    values: Vec<String>,
}

/// The result of a variant against the unchanged engine.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScanPoint {
    /// The value as text.
    pub(crate) value: String,
    pub(crate) games: WinDrawLoss,
    /// Games it forfeited.
    pub(crate) forfeits: u64,
    pub(crate) pairs: PairResults,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScanResult {
    /// The parameter.
    pub(crate) name: String,
    pub(crate) points: Vec<ScanPoint>,
    /// Games that the unchanged engine forfeited.
    pub(crate) base_forfeits: u64,
}

impl Scan {
    /// Reads `NAME=a,b,c`, or `NAME=low:high:count` for `count` evenly spaced values from `low`
    /// to `high`, rounded for whole numbers.
    pub(crate) fn parse(text: &str) -> Result<Self, TunableError> {
        let wrong = |what: &str, text: &str, expected: &str| {
            let text = shorten(text, 60);
            TunableError(format!("invalid {what} `{text}`: expected {expected}"))
        };
        let form = || wrong("scan", text, "NAME=low:high:count or NAME=a,b,c");
        let count_error =
            |count: &str| wrong("number of values", count, &format!("2 to {MOST_VALUES}"));
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
            let low = number(parameter.parse(low)?);
            let high = number(parameter.parse(high)?);
            let is_allowed = |n: &usize| (2..=MOST_VALUES).contains(n) && !count.starts_with('+');
            let number = count.parse().ok().filter(is_allowed);
            let count = number.ok_or_else(|| count_error(count))?;
            if low >= high {
                return Err(wrong("range", rest, "the lower end first"));
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
                // Makes `1` and `1.0` the same.
                values.push(parameter.parse(part.trim())?.to_string());
            }
            if !(2..=MOST_VALUES).contains(&values.len()) {
                return Err(count_error(&values.len().to_string()));
            }
        }
        values.sort_by(|a, b| as_number(a).total_cmp(&as_number(b)));
        for pair in values.windows(2) {
            if pair[0] == pair[1] {
                let (value, name) = (&pair[0], parameter.name);
                let problem = format!("duplicate value `{value}` for `{name}`: expected it once");
                return Err(TunableError(problem));
            }
        }
        Ok(Self { parameter, values })
    }

    pub(crate) fn name(&self) -> &'static str {
        self.parameter.name
    }

    /// The gauntlet of the first engine of `base` against its variants, with the start position,
    /// openings, rounds and seed of `base`.
    pub(crate) fn plan(&self, base: &MatchSettings) -> Result<Plan, TuneError> {
        let engine = base.engines.first();
        let engine = engine.ok_or(PlanError::Engines(0))?;
        let variant = |value: &String| {
            let mut variant = engine.clone();
            variant.name = format!("{}={value}", self.name());
            let option = (self.name().to_string(), value.clone());
            variant.options.push(option);
            variant
        };
        let variants = self.values.iter().map(variant);
        let plan = Plan::new(MatchSettings {
            engines: std::iter::once(engine.clone()).chain(variants).collect(),
            format: Format::Gauntlet,
            sprt: None,
            ..base.clone()
        });
        let seats = match &plan {
            Ok(plan) => plan.seats().len(),
            Err(PlanError::Seats { seats, .. }) => *seats,
            Err(_) => 2,
        };
        if seats != 2 {
            return Err(TuneError::Seats(seats));
        }
        Ok(plan?)
    }

    /// The result, from the results of the [`plan`](Scan::plan)'s match.
    pub(crate) fn result(&self, results: &MatchResults) -> ScanResult {
        let forfeits = |engine: usize| {
            let results = results.engines.get(engine);
            results.map_or(0, EngineResults::forfeits)
        };
        let point = |(value, meeting): (&String, &Meeting)| {
            let mut counts = meeting.pairs.0;
            // The variant is the second engine of its meeting.
            counts.reverse();
            let games = WinDrawLoss {
                wins: meeting.games.losses,
                losses: meeting.games.wins,
                ..meeting.games
            };
            ScanPoint {
                value: value.clone(),
                games,
                forfeits: forfeits(meeting.engines[1]),
                pairs: PairResults(counts),
            }
        };
        let variants = self.values.iter().zip(&results.meetings);
        ScanResult {
            name: self.name().to_string(),
            points: variants.map(point).collect(),
            base_forfeits: forfeits(0),
        }
    }
}

fn as_number(text: &str) -> f64 {
    text.parse().unwrap_or(0.0)
}

impl ScanPoint {
    /// The value as a number.
    pub(crate) fn x(&self) -> f64 {
        as_number(&self.value)
    }

    /// The score, 0 to 1; `None` without games.
    pub(crate) fn score(&self) -> Option<f64> {
        (self.games.count() > 0).then(|| self.games.score())
    }

    /// The Elo difference to the unchanged engine, with the half width of its 95 % interval over
    /// pairs, which may be infinite. `None` if the difference is infinite.
    pub(crate) fn elo(&self) -> Option<Estimate> {
        self.pairs.elo().filter(|elo| elo.value.is_finite())
    }
}

impl ScanResult {
    /// A table: header and rows.
    pub(crate) fn table(&self) -> Vec<Vec<String>> {
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
                point.games.count().to_string(),
                point.forfeits.to_string(),
                percent(point.score()),
                number(elo.map(|e| e.value)),
                number(elo.map(|e| e.error)),
                percent(point.pairs.los()),
            ]
        }));
        rows
    }

    /// CSV, unrounded. Values that are not numbers are empty.
    pub(crate) fn csv(&self) -> String {
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
                point.games.count(),
                point.games.wins,
                point.games.losses,
                point.forfeits,
                cell(point.score()),
                cell(elo.map(|e| e.value)),
                cell(elo.map(|e| e.error)),
                cell(point.pairs.los()),
            ));
        }
        text
    }

    /// One line of JSON. Values that are not numbers are `null`.
    pub(crate) fn json(&self) -> String {
        let points = self.points.iter().map(|point| {
            json!({
                "value": point.x(),
                "games": point.games.count(),
                "wins": point.games.wins,
                "draws": point.games.draws,
                "losses": point.games.losses,
                "forfeits": point.forfeits,
                "pentanomial": point.pairs.0,
                "score": point.score(),
                "elo": point.elo(),
                "los": point.pairs.los(),
            })
        });
        run_folder::json(&json!({
            "parameter": self.name,
            "points": points.collect::<Vec<Json>>(),
            "base_forfeits": self.base_forfeits,
        }))
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
            assert_eq!(Scan::parse(text).unwrap().values, values);
        }
    }

    #[test]
    fn wrong_texts_are_quoted() {
        for (text, part) in [
            ("speed=1,2", "unknown parameter `speed`"),
            ("leaf=linear,playout", "`leaf` cannot be tuned"),
            ("memory=1,2", "`memory` cannot be tuned"),
            (
                "$",
                "invalid scan `$`: expected NAME=low:high:count or NAME=a,b,c",
            ),
            ("$=1:2", "expected NAME=low:high:count"),
            ("$=1:2:3:4", "expected NAME=low:high:count"),
            (
                "$=1:2:1",
                "invalid number of values `1`: expected 2 to 1000",
            ),
            ("$=1:2:x", "invalid number of values `x`"),
            ("$=2:1:3", "invalid range `2:1:3`"),
            ("$=1:101:3", "invalid value `101` for `$`"),
            ("$=1", "invalid number of values `1`"),
            ("$=1,1.0", "duplicate value `1`"),
            ("$=1,,2", "invalid value `` for `$`"),
            (
                "virtual_loss=0:2:5",
                " for `virtual_loss`: expected it once",
            ),
        ] {
            let [text, part] = [text, part].map(|text| text.replace('$', "initial_value_visits"));
            let error = Scan::parse(&text).unwrap_err().to_string();
            assert!(error.contains(&part), "{text}: {error}");
        }
    }
}
