//! How the positions of a query are searched: limits, parameters, and whose chances are reported.

use std::error::Error;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use super::fields::{Fields, Remark, quoted};
use super::game::QueryGame;
use super::names;
use super::options::{Options, Perspective};
use crate::game::Seat;
use crate::params::{self, ParamError, Params};
use crate::search::SearchLimits;

#[derive(Clone, Debug)]
pub(super) struct Search {
    /// The parameters; all positions have the same seed.
    pub(super) params: Params,
    /// The player whose chances are reported; without one, the side to move.
    pub(super) winrates_for: Option<Seat>,
    /// The most moves of a reported variation, if that is set.
    pub(super) pv_length: Option<usize>,
}

const MOST_VISITS: u64 = 1 << 50;

const VISITS: &str = "Must be an integer from 1 to 2^50";

/// The range of `analysisPVLen`, and how an error says it.
pub(super) const PV_LENGTHS: RangeInclusive<usize> = 1..=1000;
pub(super) const PV_LENGTHS_TEXT: &str = "Must be an integer from 1 to 1000";

impl Search {
    /// Reads `overrideSettings` and `maxVisits`.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub(super) fn read(
        fields: &mut Fields,
        options: &Options,
        game: &QueryGame,
        warnings: &mut Vec<Remark>,
    ) -> Result<Self, Remark> {
        let mut overrides = Overrides {
            perspective: options.perspective,
            params: Params {
                memory: (options.params.memory / options.positions.max(1) as u64).max(1),
                ..options.params.clone()
            },
            visits: None,
            pv_length: None,
        };
        if let Some(settings) = fields.inner("overrideSettings")? {
            overrides.apply(settings, warnings).map_err(|why| {
                let text = format!("Could not set settings: {why}");
                Remark::new("overrideSettings", text)
            })?;
        }
        let visits = fields.integer("maxVisits", 1..=MOST_VISITS, VISITS)?;
        let mut params = overrides.params;
        params.iterations = visits.or(overrides.visits).or(params.iterations);
        Ok(Self {
            winrates_for: winrates_for(overrides.perspective, game, warnings),
            params,
            pv_length: overrides.pv_length,
        })
    }

    /// The limits of a search that begins now.
    pub(super) fn limits(&self) -> SearchLimits {
        SearchLimits::of(self.params.move_limits(), Instant::now(), Duration::ZERO)
    }
}

/// The player of a perspective. A search knows the chances of the side to move; those of another
/// player follow from them only in games of two.
fn winrates_for(wanted: Perspective, game: &QueryGame, warnings: &mut Vec<Remark>) -> Option<Seat> {
    let colour = wanted.colour()?;
    let seat = game.start.variant().seat(colour);
    let players = game.start.players();
    let seat = seat.filter(|seat| players.len() == 2 && players.contains(seat));
    if seat.is_none() {
        let text = format!("`{wanted}` is for games of Black and White, using SIDETOMOVE instead");
        warnings.push(Remark::new("reportAnalysisWinratesAs", text));
    }
    seat
}

struct Overrides {
    params: Params,
    perspective: Perspective,
    visits: Option<u64>,
    pv_length: Option<usize>,
}

impl Overrides {
    fn apply(
        &mut self,
        mut settings: Fields,
        warnings: &mut Vec<Remark>,
    ) -> Result<(), Box<dyn Error>> {
        // A preset changes many settings; it comes before the others.
        if let Some(value) = settings.take("preset") {
            self.params.apply_preset(&quoted(&value))?;
        }
        self.apply_foreign(&mut settings)?;
        let mut unknown = Vec::new();
        for (name, value) in settings.into_pairs() {
            if params::find(&name).is_ok() {
                self.params.set_json(&name, &value)?;
            } else {
                unknown.push(name);
            }
        }
        warnings.extend(names::unknown_settings(&unknown));
        Ok(())
    }

    /// The settings of KataGo that have a meaning here.
    fn apply_foreign(&mut self, settings: &mut Fields) -> Result<(), String> {
        let text = |remark: Remark| {
            let field = remark.field.unwrap_or_default();
            format!("{field}: {}", remark.message)
        };
        let view = settings.text("reportAnalysisWinratesAs").map_err(text)?;
        if let Some(text) = view {
            self.perspective = text.parse()?;
        }
        let visits = settings.integer("maxVisits", 1..=MOST_VISITS, VISITS);
        self.visits = visits.map_err(text)?;
        if let Some(value) = settings.take("maxTime") {
            let done = self.params.set_json("time_per_move", &value);
            done.map_err(|error| match error {
                ParamError::Value { text, expected, .. } => {
                    format!("maxTime: invalid value `{text}`: expected {expected}")
                }
                error => format!("maxTime: {error}"),
            })?;
        }
        let length = settings.integer("analysisPVLen", PV_LENGTHS, PV_LENGTHS_TEXT);
        self.pv_length = length.map_err(text)?;
        Ok(())
    }
}
