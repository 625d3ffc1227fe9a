//! The report of a search as JSON.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::fields::Remark;
use super::request::{Query, RootRestriction};
use super::schedule::Job;
use crate::board::Point;
use crate::engine::{Engine, NothingLeft};
use crate::game::{Outcome, Seat};
use crate::search::{MoveReport, Report};
use crate::variant::MoveCode;

/// A number rounded to six decimal places.
fn number(value: f64) -> Value {
    json!((value * 1e6).round() / 1e6)
}

fn single(value: f32) -> Value {
    number(value.into())
}

/// An object of the fields that have a value.
fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let known = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_string(), value?)));
    Value::Object(known.collect())
}

/// The answer for a position whose search never started.
pub(super) fn no_results(job: &Job) -> Value {
    json!({
        "id": job.query.id,
        "turnNumber": job.turn,
        "isDuringSearch": false,
        "noResults": true,
    })
}

/// The answer for the engine's position.
pub(super) fn answer(
    job: &Job,
    engine: &Engine,
    report: &Report<MoveCode>,
    is_during_search: bool,
) -> Value {
    let builder = AnswerBuilder {
        query: &job.query,
        engine,
        mover: engine.to_move(),
    };
    let query = &job.query;
    let with_policy = query.with_policy && query.search.params.evaluates_moves();
    object([
        ("id", Some(json!(query.id))),
        ("turnNumber", Some(json!(job.turn))),
        ("isDuringSearch", Some(json!(is_during_search))),
        ("moveInfos", Some(builder.moves(report))),
        ("rootInfo", Some(builder.root(report))),
        ("policy", with_policy.then(|| builder.policy(report))),
    ])
}

struct AnswerBuilder<'a> {
    query: &'a Query,
    engine: &'a Engine,
    mover: Seat,
}

impl AnswerBuilder<'_> {
    /// A winning chance of the side to move, from the perspective of the answer.
    fn chance(&self, value: f64) -> Value {
        match self.query.search.winrates_for {
            Some(seat) if seat != self.mover => number(1.0 - value),
            _ => number(value),
        }
    }

    /// The winner of a proven result.
    fn proof(&self, outcome: Outcome) -> Value {
        match outcome {
            Outcome::Winner(seat) => json!(self.letter(seat)),
            Outcome::Draw => json!("draw"),
        }
    }

    fn letter(&self, seat: Seat) -> String {
        self.engine.variant().letter(seat).to_string()
    }

    /// The value of a proven result for a player.
    fn worth(&self, outcome: Outcome, seat: Seat) -> f64 {
        f64::from(outcome.value_for(seat, self.engine.players().len()))
    }

    fn moves(&self, report: &Report<MoveCode>) -> Value {
        let listed = report.listed().enumerate();
        listed
            .map(|(order, found)| self.entry(order, found))
            .collect()
    }

    fn entry(&self, order: usize, found: &MoveReport<MoveCode>) -> Value {
        let value = match found.proof {
            Some(outcome) => self.worth(outcome, self.mover),
            None => f64::from(found.value),
        };
        let length = self.query.pv_length.saturating_add(1);
        let line = found.principal_variation.iter().take(length);
        let line: Vec<String> = line.map(|&code| self.engine.name(code)).collect();
        let visits = found.variation_visits.iter().take(length).copied();
        let with_visits = self.query.with_pv_visits;
        let searched = found.symmetry_of.map(|code| self.engine.name(code));
        object([
            ("move", Some(json!(self.engine.name(found.mv)))),
            ("visits", Some(json!(found.visits))),
            ("winrate", Some(self.chance(value))),
            ("lcb", Some(self.chance(found.wilson_lower_bound().into()))),
            // Clients for Go require scores, which these games do not have.
            ("scoreLead", Some(json!(0.0))),
            ("scoreStdev", Some(json!(0.0))),
            ("order", Some(json!(order))),
            ("isSymmetryOf", searched.map(|name| json!(name))),
            ("prior", found.prior.map(single)),
            ("initialValue", found.initial_value.map(single)),
            ("proof", found.proof.map(|outcome| self.proof(outcome))),
            ("pv", Some(json!(line))),
            ("pvVisits", with_visits.then(|| visits.collect())),
        ])
    }

    fn root(&self, report: &Report<MoveCode>) -> Value {
        let players = self.engine.players();
        let is_known = players.iter().any(|&seat| report.values[seat] > 0.0);
        let value = |seat| match report.proof {
            Some(outcome) => Some(self.worth(outcome, seat)),
            None => is_known.then(|| f64::from(report.values[seat])),
        };
        let values: Map<String, Value> = players
            .iter()
            .filter_map(|&seat| Some((self.letter(seat), number(value(seat)?))))
            .collect();
        let best = || report.best().map(|best| f64::from(best.value));
        let winrate = value(self.mover).or_else(best);
        let text = |hash: u64| json!(format!("{hash:016X}"));
        object([
            ("currentPlayer", Some(json!(self.letter(self.mover)))),
            ("visits", Some(json!(report.visits))),
            ("winrate", winrate.map(|value| self.chance(value))),
            ("scoreLead", Some(json!(0.0))),
            ("scoreStdev", Some(json!(0.0))),
            ("values", (!values.is_empty()).then(|| json!(values))),
            ("proof", report.proof.map(|outcome| self.proof(outcome))),
            ("thisHash", Some(text(self.engine.game_hash()))),
            ("symHash", self.engine.symmetric_hash().map(text)),
        ])
    }

    /// In a game of stones, a list by point, with -1 for illegal points and for the pass at its end;
    /// in other games, an object by move.
    fn policy(&self, report: &Report<MoveCode>) -> Value {
        let Some(stones) = self.engine.stones() else {
            let entry =
                |found: &MoveReport<_>| Some((self.engine.name(found.mv), policy_entry(found)?));
            return Value::Object(report.moves.iter().filter_map(entry).collect());
        };
        let of_point = |point: Point| {
            let mut all = report.moves.iter();
            let found = all.find(|found| found.mv == MoveCode::from(point));
            found.and_then(policy_entry).unwrap_or(json!(-1))
        };
        let mut list: Vec<Value> = stones.size().points_from_top().map(of_point).collect();
        list.push(json!(-1));
        Value::Array(list)
    }
}

/// A move's entry in `policy`: its prior. Where the evaluator has no priors, it is the initial value,
/// for compatibility: KataGo always has numbers here, and clients such as KaTrain show and rank the
/// moves by them.
fn policy_entry(found: &MoveReport<MoveCode>) -> Option<Value> {
    found.prior.or(found.initial_value).map(single)
}

/// The moves that a restriction leaves at the root, or `None` if it leaves all legal moves.
///
/// # Errors
/// It leaves no legal move.
pub(super) fn root_moves(
    restriction: &RootRestriction,
    engine: &Engine,
) -> Result<Option<Arc<[u16]>>, Remark> {
    let Some(codes) = restriction.codes.get(&engine.to_move()) else {
        return Ok(None);
    };
    if engine.is_over() {
        return Ok(None);
    }
    let is_allowed = restriction.is_allowed;
    let may = |code: &MoveCode| codes.contains(code) == is_allowed;
    let field = if is_allowed {
        "allowMoves"
    } else {
        "avoidMoves"
    };
    let warning = "No legal move is left; all moves are searched";
    engine
        .root_moves_where(may)
        .map_err(|NothingLeft| Remark::new(field, warning))
}
