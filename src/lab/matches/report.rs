//! The report of a match: text in the layout of fastchess, so that scripts which read that read
//! this, and JSON.

use std::fmt;

use serde_json::{Value, json};

use super::end::EndKind;
use super::folder;
use super::tally::{Meeting, Tally};
use crate::lab::stats::{Decision, Estimate, elo_from_score};
use crate::util::wilson::{Z_95, wilson};

/// The line between reports.
const RULE: &str = "--------------------------------------------------";

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{RULE}")?;
        if self.names.len() > 2 || self.seats > 2 {
            self.table(f)?;
        }
        if self.names.len() == 2 && self.seats == 2 {
            for meeting in &self.meetings {
                self.meeting(meeting, f)?;
            }
        } else {
            for meeting in &self.meetings {
                writeln!(f, "{}", self.score_line(meeting))?;
                let [a, b] = meeting.engines.map(|engine| &self.names[engine]);
                let (low, high) = interval(meeting);
                writeln!(
                    f,
                    "Elo of {a} vs {b}: {}, Wilson 95 %: {:.2} % to {:.2} %",
                    plus_minus(meeting.pairs.elo()),
                    100.0 * low,
                    100.0 * high
                )?;
            }
        }
        self.rest(f)?;
        writeln!(f, "{RULE}")?;
        if let (Some(sprt), Some(decision)) = (self.sprt, self.decision()) {
            let (elo0, elo1) = sprt.elos();
            let accepted = match decision {
                Decision::AcceptH0 => "H0",
                _ => "H1",
            };
            writeln!(
                f,
                "SPRT ([{elo0:.2}, {elo1:.2}]) completed - {accepted} was accepted"
            )?;
        }
        Ok(())
    }
}

/// `12.34 +/- 5.67`; in words what has no number.
fn plus_minus(estimate: Option<Estimate>) -> String {
    match estimate {
        Some(e) if e.value.is_finite() && e.error.is_finite() => {
            format!("{:.2} +/- {:.2}", e.value, e.error)
        }
        Some(e) if e.value.is_finite() => format!("{:.2} +/- unknown", e.value),
        _ => "unknown +/- unknown".to_string(),
    }
}

/// A number, in a word where there is none.
fn or_unknown(number: f64, decimals: usize) -> String {
    match number.is_finite() {
        true => format!("{number:.decimals$}"),
        false => "unknown".to_string(),
    }
}

/// The 95 % interval of a score after Wilson, games taken as independent.
fn interval(meeting: &Meeting) -> (f64, f64) {
    wilson(meeting.games.points(), meeting.games.count() as f64, Z_95)
}

impl Tally {
    /// One meeting as fastchess reports it.
    fn meeting(&self, meeting: &Meeting, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = meeting.engines.map(|engine| &self.names[engine]);
        let pairs = &meeting.pairs;
        let percent = |share: Option<f64>| {
            share.map_or("unknown".to_string(), |share| {
                format!("{:.2} %", 100.0 * share)
            })
        };
        writeln!(f, "Results of {a} vs {b} ({}):", self.conditions)?;
        writeln!(
            f,
            "Elo: {}, nElo: {}",
            plus_minus(pairs.elo()),
            plus_minus(pairs.normalised_elo())
        )?;
        writeln!(
            f,
            "LOS: {}, DrawRatio: {}, PairsRatio: {}",
            percent(pairs.los()),
            percent(pairs.draw_ratio()),
            pairs
                .pairs_ratio()
                .map_or("unknown".to_string(), |ratio| format!("{ratio:.2}"))
        )?;
        let games = &meeting.games;
        writeln!(
            f,
            "Games: {}, Wins: {}, Losses: {}, Draws: {}, Points: {:.1} ({:.2} %)",
            games.count(),
            games.wins,
            games.losses,
            games.draws,
            games.points(),
            100.0 * games.score()
        )?;
        writeln!(f, "Ptnml(0-2): {:?}", pairs.counts())?;
        if let (Some(sprt), Some(llr)) = (self.sprt, self.llr()) {
            let (lower, upper) = sprt.bounds();
            let (elo0, elo1) = sprt.elos();
            let share = 100.0 * llr / if llr < 0.0 { -lower } else { upper };
            writeln!(
                f,
                "LLR: {llr:.2} ({share:.1}%) ({lower:.2}, {upper:.2}) [{elo0:.2}, {elo1:.2}] {}",
                sprt.model()
            )?;
        }
        let (low, high) = interval(meeting);
        writeln!(
            f,
            "Wilson 95 %: {:.2} % to {:.2} %, {} to {} Elo",
            100.0 * low,
            100.0 * high,
            whole(elo_from_score(low)),
            whole(elo_from_score(high))
        )?;
        writeln!(f, "{}", self.score_line(meeting))
    }

    /// As cutechess writes it.
    fn score_line(&self, meeting: &Meeting) -> String {
        let [a, b] = meeting.engines.map(|engine| &self.names[engine]);
        let games = &meeting.games;
        format!(
            "Score of {a} vs {b}: {} - {} - {}  [{:.3}] {}",
            games.wins,
            games.losses,
            games.draws,
            games.score(),
            games.count()
        )
    }

    /// Engines by rank, with the ratings of the joint fit, or with scores where more than two sit
    /// at the board.
    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Ranking ({}):", self.conditions)?;
        let ratings = self.ratings();
        let key = |engine: usize| match &ratings {
            Some(ratings) => ratings.engines()[engine].value,
            None => self.mean_score(engine).map_or(0.0, |score| score.value),
        };
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
        let width = self
            .names
            .iter()
            .map(|name| name.chars().count())
            .max()
            .unwrap_or(4)
            .max(4);
        let by_place: String = match self.seats {
            2 => String::new(),
            seats => (1..=seats)
                .map(|place| format!("{:>9}", format!("seat {place}")))
                .collect(),
        };
        writeln!(
            f,
            "Rank {:<width$} {:>9} {:>8} {:>7} {:>8} {:>8}{by_place}",
            "Name", "Elo", "+/-", "Games", "Points", "Score"
        )?;
        for (rank, &engine) in order.iter().enumerate() {
            let share = &self.shares[engine];
            let (elo, error) = match &ratings {
                Some(ratings) => {
                    let rating = ratings.engines()[engine];
                    (format!("{:.1}", rating.value), or_unknown(rating.error, 1))
                }
                None => ("-".to_string(), "-".to_string()),
            };
            let score = 100.0 * share.points / share.games.max(1) as f64;
            write!(
                f,
                "{:>4} {:<width$} {elo:>9} {error:>8} {:>7} {:>8.1} {score:>7.2}%",
                rank + 1,
                self.names[engine],
                share.games,
                share.points
            )?;
            if self.seats > 2 {
                for (games, points) in &share.places {
                    write!(f, "{:>8.2}%", 100.0 * points / (*games).max(1) as f64)?;
                }
            }
            writeln!(f)?;
        }
        match (&ratings, self.seats) {
            (Some(ratings), _) => {
                let colour = ratings.colour();
                writeln!(
                    f,
                    "Moving first: {:.1} +/- {} Elo",
                    colour.value,
                    or_unknown(colour.error, 1)
                )?;
            }
            (None, seats) => {
                for engine in order {
                    if let Some(score) = self.mean_score(engine) {
                        writeln!(
                            f,
                            "{}: {:.2} +/- {} % over {} units of {seats} rotations",
                            self.names[engine],
                            100.0 * score.value,
                            or_unknown(100.0 * score.error, 2),
                            self.shares[engine].units.len()
                        )?;
                    }
                }
            }
        }
        Ok(())
    }

    fn rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = self.games.max(1) as f64;
        writeln!(
            f,
            "First to move won: {} of {} ({:.2} %), distinct games: {}, mean length: {:.1} plies",
            self.first_wins,
            self.games,
            100.0 * self.first_wins as f64 / games,
            self.distinct(),
            self.plies as f64 / games
        )?;
        let ends = EndKind::ALL.iter().filter_map(|kind| {
            let count = self.ends.get(kind)?;
            let by: Vec<String> = self
                .names
                .iter()
                .zip(&self.shares)
                .filter_map(|(name, share)| Some(format!("{name} {}", share.ends.get(kind)?)))
                .collect();
            Some(match by.is_empty() {
                true => format!("{} {count}", kind.words()),
                false => format!("{} {count} ({})", kind.words(), by.join(", ")),
            })
        });
        writeln!(f, "Ends: {}", ends.collect::<Vec<_>>().join(", "))?;
        for (name, share) in self.names.iter().zip(&self.shares) {
            let moves = share.moves.max(1) as f64;
            writeln!(
                f,
                "{name}: {} moves, {:.4} s a move, longest {:.4} s, {:.0} visits a move",
                share.moves,
                share.seconds / moves,
                share.longest,
                share.visits / moves
            )?;
        }
        for remark in self.remarks.iter().take(10) {
            writeln!(f, "Remark: {remark}")?;
        }
        Ok(())
    }

    /// The same as one line of JSON.
    pub fn json(&self) -> String {
        folder::json(&self.to_json())
    }

    /// The same as JSON. What has no number is `null`.
    pub fn to_json(&self) -> Value {
        let estimate = |estimate: Option<Estimate>| match estimate {
            Some(e) if e.value.is_finite() => json!({
                "value": e.value,
                "error": if e.error.is_finite() { json!(e.error) } else { Value::Null },
            }),
            _ => Value::Null,
        };
        let meetings: Vec<Value> = self
            .meetings
            .iter()
            .map(|meeting| {
                let (low, high) = interval(meeting);
                let games = &meeting.games;
                json!({
                    "engines": meeting.engines.map(|engine| &self.names[engine]),
                    "games": games.count(),
                    "wins": games.wins,
                    "losses": games.losses,
                    "draws": games.draws,
                    "score": games.score(),
                    "wilson": [low, high],
                    "pentanomial": meeting.pairs.counts(),
                    "elo": estimate(meeting.pairs.elo()),
                    "normalized_elo": estimate(meeting.pairs.normalised_elo()),
                    "los": meeting.pairs.los(),
                    "draw_ratio": meeting.pairs.draw_ratio(),
                    "pairs_ratio": meeting.pairs.pairs_ratio(),
                })
            })
            .collect();
        let ratings = self.ratings();
        let engines: Vec<Value> = (0..self.names.len())
            .map(|engine| {
                let share = &self.shares[engine];
                let moves = share.moves.max(1) as f64;
                let ends: serde_json::Map<String, Value> = share
                    .ends
                    .iter()
                    .map(|(kind, count)| (kind.words().to_string(), json!(count)))
                    .collect();
                json!({
                    "name": self.names[engine],
                    "rating": estimate(ratings.as_ref().map(|r| r.engines()[engine])),
                    "games": share.games,
                    "points": share.points,
                    "score": estimate(self.mean_score(engine)),
                    "places": share.places,
                    "moves": share.moves,
                    "seconds_a_move": share.seconds / moves,
                    "longest_move": share.longest,
                    "visits_a_move": share.visits / moves,
                    "to_blame": ends,
                })
            })
            .collect();
        let sprt = self.sprt.map(|sprt| {
            json!({
                "elo0": sprt.elos().0,
                "elo1": sprt.elos().1,
                "alpha": sprt.alpha(),
                "beta": sprt.beta(),
                "model": sprt.model(),
                "llr": self.llr(),
                "bounds": sprt.bounds(),
                "decision": self.decision().map(|decision| match decision {
                    Decision::AcceptH0 => "H0",
                    _ => "H1",
                }),
            })
        });
        let ends: serde_json::Map<String, Value> = self
            .ends
            .iter()
            .map(|(kind, count)| (kind.words().to_string(), json!(count)))
            .collect();
        let games = self.games.max(1) as f64;
        json!({
            "conditions": self.conditions,
            "games": self.games,
            "planned_games": self.planned_games,
            "units": self.units(),
            "seats": self.seats,
            "meetings": meetings,
            "engines": engines,
            "moving_first": estimate(ratings.as_ref().map(|r| r.colour())),
            "first_wins": self.first_wins,
            "distinct": self.distinct(),
            "plies": self.plies as f64 / games,
            "ends": ends,
            "sprt": sprt,
            "remarks": self.remarks,
        })
    }
}

/// A difference to the whole Elo, the ends of the scale in words.
fn whole(elo: f64) -> String {
    match elo.is_finite() {
        true => format!("{elo:.0}"),
        false => "no bound".to_string(),
    }
}
