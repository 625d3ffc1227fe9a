//! The report of a match as text, in the layout of fastchess: scripts that read fastchess's reports
//! read these. The columns of the ranking are in [`COLUMNS`].

use std::fmt;

use super::results::{EngineResults, MatchResults, Meeting};
use crate::lab::stats::{Estimate, Sprt, elo_from_score};

/// A column of the ranking: its heading, its width, and its text for an engine.
type Column = (&'static str, usize, fn(&Row<'_>) -> String);

/// The columns of the ranking after rank and name. The ranking appears with more than two engines or
/// seats; a match of two engines prints `meeting` instead. To add a column, add it here, and for the
/// JSON report to `engine` in `report_json.rs`.
const COLUMNS: [Column; 5] = [
    ("Elo", 9, |row| {
        optional(row.rating, |elo| format!("{:.1}", elo.value))
    }),
    ("+/-", 8, |row| {
        optional(row.rating, |elo| or_unknown(elo.error, 1))
    }),
    ("Games", 7, |row| row.results.games.to_string()),
    ("Points", 8, |row| format!("{:.1}", row.results.points)),
    ("Score", 8, |row| {
        percent(row.results.points, row.results.games)
    }),
];

/// The width of the columns for each seat, if there are more than two.
const SEAT_WIDTH: usize = 8;

/// An engine in the ranking.
struct Row<'a> {
    results: &'a EngineResults,
    /// Its rating, with two seats.
    rating: Option<Estimate>,
}

/// The line between reports.
const RULE: &str = "--------------------------------------------------";

impl fmt::Display for MatchResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{RULE}")?;
        if self.names.len() == 2 && self.seats == 2 {
            for meeting in &self.meetings {
                self.meeting(meeting, f)?;
            }
        } else {
            self.ranking(f)?;
            for meeting in &self.meetings {
                writeln!(f, "{}", self.score_line(meeting))?;
                let [a, b] = meeting.engines.map(|engine| &self.names[engine]);
                let (low, high) = meeting.interval();
                writeln!(
                    f,
                    "Elo of {a} vs {b}: {}, Wilson 95 %: {:.2} % to {:.2} %",
                    plus_minus(meeting.pairs.elo()),
                    100.0 * low,
                    100.0 * high
                )?;
            }
        }
        self.totals(f)?;
        writeln!(f, "{RULE}")?;
        if let (Some(sprt), Some(accepted)) = (self.sprt, self.accepted()) {
            let Sprt { elo0, elo1, .. } = sprt;
            writeln!(
                f,
                "SPRT ([{elo0:.2}, {elo1:.2}]) completed - {accepted} was accepted"
            )?;
        }
        Ok(())
    }
}

/// `12.34 +/- 5.67`, with `unknown` for what is not a number.
fn plus_minus(estimate: Option<Estimate>) -> String {
    let finite = estimate.filter(|estimate| estimate.value.is_finite());
    let [value, error] = finite.map_or([f64::NAN; 2], |found| [found.value, found.error]);
    format!("{} +/- {}", or_unknown(value, 2), or_unknown(error, 2))
}

fn or_unknown(number: f64, decimals: usize) -> String {
    if number.is_finite() {
        format!("{number:.decimals$}")
    } else {
        "unknown".to_string()
    }
}

/// The text of a value, or `-`.
fn optional(value: Option<Estimate>, text: impl Fn(Estimate) -> String) -> String {
    value.map_or("-".to_string(), text)
}

fn percent(points: f64, games: u64) -> String {
    format!("{:.2}%", 100.0 * points / games.max(1) as f64)
}

impl MatchResults {
    /// A match of two engines as fastchess reports it.
    fn meeting(&self, meeting: &Meeting, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = meeting.engines.map(|engine| &self.names[engine]);
        let pairs = &meeting.pairs;
        let percent = |share: Option<f64>| match share {
            Some(share) => format!("{:.2} %", 100.0 * share),
            None => "unknown".to_string(),
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
            or_unknown(pairs.pairs_ratio().unwrap_or(f64::NAN), 2)
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
        writeln!(f, "Ptnml(0-2): {:?}", pairs.0)?;
        if let (Some(sprt), Some(llr)) = (self.sprt, self.llr()) {
            let (lower, upper) = sprt.bounds();
            let Sprt { elo0, elo1, .. } = sprt;
            let share = 100.0 * llr / if llr < 0.0 { -lower } else { upper };
            writeln!(
                f,
                "LLR: {llr:.2} ({share:.1}%) ({lower:.2}, {upper:.2}) [{elo0:.2}, {elo1:.2}] {}",
                sprt.model
            )?;
        }
        let (low, high) = meeting.interval();
        let whole = |elo: f64| {
            if elo.is_finite() {
                format!("{elo:.0}")
            } else {
                "no bound".to_string()
            }
        };
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

    /// The score as cutechess writes it.
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

    /// The engines by rating, or by mean score with more than two seats.
    fn ranking(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Ranking ({}):", self.conditions)?;
        let ratings = self.ratings();
        let rating = |engine: usize| ratings.as_ref().map(|all| all.engines[engine]);
        let key = |engine: usize| {
            let rank_by = rating(engine).or(self.mean_score(engine));
            rank_by.map_or(0.0, |estimate| estimate.value)
        };
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by(|&a, &b| key(b).total_cmp(&key(a)));
        let lengths = self.names.iter().map(|name| name.chars().count());
        let width = lengths.max().unwrap_or(0).max("Name".len());
        let seats = if self.seats > 2 { self.seats } else { 0 };
        write!(f, "Rank {:<width$}", "Name")?;
        for (heading, width, _) in COLUMNS {
            write!(f, " {heading:>width$}")?;
        }
        for seat in 1..=seats {
            write!(f, " {:>SEAT_WIDTH$}", format!("seat {seat}"))?;
        }
        writeln!(f)?;
        for (rank, &engine) in (1..).zip(&order) {
            let results = &self.engines[engine];
            let row = Row {
                results,
                rating: rating(engine),
            };
            write!(f, "{rank:>4} {:<width$}", self.names[engine])?;
            for (_, width, text) in COLUMNS {
                write!(f, " {:>width$}", text(&row))?;
            }
            for &(games, points) in &results.places[..seats] {
                write!(f, " {:>SEAT_WIDTH$}", percent(points, games))?;
            }
            writeln!(f)?;
        }
        if let Some(ratings) = &ratings {
            let colour = ratings.colour;
            let error = or_unknown(colour.error, 1);
            return writeln!(f, "Moving first: {:.1} +/- {error} Elo", colour.value);
        }
        for engine in order {
            if let Some(score) = self.mean_score(engine) {
                writeln!(
                    f,
                    "{}: {:.2} +/- {} % over {} units of {} rotations",
                    self.names[engine],
                    100.0 * score.value,
                    or_unknown(100.0 * score.error, 2),
                    self.engines[engine].units.len(),
                    self.seats
                )?;
            }
        }
        Ok(())
    }

    /// The lines about all games together: lengths, ends, times and remarks.
    fn totals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        let named = || self.names.iter().zip(&self.engines);
        let ends = self.ends.iter().map(|(kind, count)| {
            let caused = named()
                .filter_map(|(name, engine)| Some(format!("{name} {}", engine.ends.get(kind)?)));
            let caused = match caused.collect::<Vec<_>>().join(", ").as_str() {
                "" => String::new(),
                caused => format!(" ({caused})"),
            };
            format!("{} {count}{caused}", kind.words())
        });
        writeln!(f, "Ends: {}", ends.collect::<Vec<_>>().join(", "))?;
        for (name, engine) in named() {
            let moves = engine.moves.max(1) as f64;
            writeln!(
                f,
                "{name}: {} moves, {:.4} s a move, longest {:.4} s, {:.0} visits a move",
                engine.moves,
                engine.seconds / moves,
                engine.longest,
                engine.visits / moves
            )?;
        }
        for remark in self.remarks.iter().take(10) {
            writeln!(f, "Remark: {remark}")?;
        }
        Ok(())
    }
}
