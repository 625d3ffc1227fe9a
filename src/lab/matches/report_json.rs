//! The report of a match as JSON. Values that are not numbers are `null`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::end::EndKind;
use super::results::{MatchResults, Meeting};
use super::run_folder;
use crate::lab::stats::Estimate;

fn finite(estimate: Option<Estimate>) -> Option<Estimate> {
    estimate.filter(|estimate| estimate.value.is_finite())
}

fn ends(ends: &BTreeMap<EndKind, u64>) -> Map<String, Value> {
    let count = |(kind, count): (&EndKind, &u64)| (kind.words().to_string(), json!(count));
    ends.iter().map(count).collect()
}

impl MatchResults {
    /// The report as one line of JSON.
    pub fn json(&self) -> String {
        run_folder::json(&self.to_json())
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Value {
        let ratings = self.ratings();
        let engine = |engine: usize| {
            let results = &self.engines[engine];
            let moves = results.moves.max(1) as f64;
            json!({
                "name": self.names[engine],
                "rating": finite(ratings.as_ref().map(|r| r.engines[engine])),
                "games": results.games,
                "points": results.points,
                "score": finite(self.mean_score(engine)),
                "places": results.places,
                "moves": results.moves,
                "seconds_per_move": results.seconds / moves,
                "longest_move": results.longest,
                "visits_per_move": results.visits / moves,
                "to_blame": ends(&results.ends),
            })
        };
        let meeting = |meeting: &Meeting| {
            let games = &meeting.games;
            json!({
                "engines": meeting.engines.map(|engine| &self.names[engine]),
                "games": games.count(),
                "wins": games.wins,
                "losses": games.losses,
                "draws": games.draws,
                "score": games.score(),
                "wilson": meeting.interval(),
                "pentanomial": meeting.pairs.0,
                "elo": finite(meeting.pairs.elo()),
                "normalized_elo": finite(meeting.pairs.normalised_elo()),
                "los": meeting.pairs.los(),
                "draw_ratio": meeting.pairs.draw_ratio(),
                "pairs_ratio": meeting.pairs.pairs_ratio(),
            })
        };
        let sprt = self.sprt.map(|sprt| {
            json!({
                "elo0": sprt.elo0,
                "elo1": sprt.elo1,
                "alpha": sprt.alpha,
                "beta": sprt.beta,
                "model": sprt.model.to_string(),
                "llr": self.llr(),
                "bounds": sprt.bounds(),
                "decision": self.accepted(),
            })
        });
        json!({
            "conditions": self.conditions,
            "games": self.games,
            "planned_games": self.planned_games,
            "units": self.units(),
            "seats": self.seats,
            "meetings": self.meetings.iter().map(meeting).collect::<Vec<_>>(),
            "engines": (0..self.names.len()).map(engine).collect::<Vec<_>>(),
            "moving_first": finite(ratings.as_ref().map(|r| r.colour)),
            "first_wins": self.first_wins,
            "distinct": self.distinct(),
            "plies": self.plies as f64 / self.games.max(1) as f64,
            "ends": ends(&self.ends),
            "sprt": sprt,
            "remarks": self.remarks,
        })
    }
}
