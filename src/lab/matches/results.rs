//! The results of a match, added up unit by unit.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use super::end::EndKind;
use super::plan::Plan;
use super::record::MatchGame;
use crate::lab::stats::{
    Decision, Encounter, Estimate, GameScore, PairResults, Ratings, Sprt, fit_ratings,
    mean_and_error,
};
use crate::util::quote::{one_line, shorten};
use crate::util::wilson::{Z_95, wilson};

/// Virtual draws of every engine against an average one. They keep the ratings finite if an engine
/// won or lost every game.
pub(crate) const RATING_PRIOR: f64 = 1.0;

/// The games of two engines on two seats, from the view of the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meeting {
    pub engines: [usize; 2],
    /// The pairs of which both games count.
    pub pairs: PairResults,
    /// All its games, including those of incomplete pairs.
    pub games: WinDrawLoss,
    /// Its games as the first to move.
    pub moving_first: WinDrawLoss,
}

/// Games of one engine by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WinDrawLoss {
    pub(crate) wins: u64,
    pub(crate) draws: u64,
    pub(crate) losses: u64,
}

impl Meeting {
    /// Wilson's 95 % interval of the score, with games taken as independent.
    pub(super) fn interval(&self) -> (f64, f64) {
        wilson(self.games.points(), self.games.count() as f64, Z_95)
    }
}

impl WinDrawLoss {
    pub(crate) fn count(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points, half of one for a draw.
    pub(crate) fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }

    /// Points per game; 0 without games.
    pub(crate) fn score(&self) -> f64 {
        self.points() / self.count().max(1) as f64
    }

    fn add(&mut self, score: GameScore) {
        match score {
            GameScore::Win => self.wins += 1,
            GameScore::Draw => self.draws += 1,
            GameScore::Loss => self.losses += 1,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct EngineResults {
    /// Games that count.
    pub games: u64,
    /// Points: 1 for a win, a share of 1 if several share it.
    pub points: f64,
    /// Games and points by place in the order of play.
    pub places: Vec<(u64, f64)>,
    /// Its mean score in each unit, 0 to 1.
    pub units: Vec<f64>,
    pub moves: u64,
    /// Seconds it used for them.
    pub seconds: f64,
    /// The longest move in seconds.
    pub longest: f64,
    /// Visits of its moves, if it reports them.
    pub visits: f64,
    /// How often it caused each kind of end.
    pub ends: BTreeMap<EndKind, u64>,
}

/// The points of each engine in all finished games, including those of incomplete units: the score
/// to show while a match runs. The statistics are in [`MatchResults`].
///
/// ```
/// # let text = "size = 5\npairs = 1\nplies = 2\niterations = 5\n[[engine]]\nname = \"a\"\n[[engine]]\nname = \"b\"\npreset = \"linear\"\n";
/// # struct Silent;
/// # impl tanada::MatchObserver for Silent {
/// #     fn ended(&self, _: &tanada::MatchGame, _: &tanada::MatchResults, _: &tanada::MatchStanding) {}
/// # }
/// # let options = tanada::MatchOptions { concurrency: 1, recover: false, only_unit: None, needs_all: false };
/// # let plan = tanada::MatchRequest::from_toml(text, "match.toml")?.plan()?;
/// # let stop = std::sync::atomic::AtomicBool::new(false);
/// # let runner = tanada::MatchRunner::new(&plan, options, &stop, &Silent);
/// runner.run()?;
/// let standing: tanada::MatchStanding = runner.standing();
/// assert_eq!(standing.games(), 2);
/// println!("{standing}"); // `a 1 - 1 b`
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    games: u64,
    engines: Vec<EngineScore>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct EngineScore {
    name: String,
    games: u64,
    points: f64,
}

impl Standing {
    /// The state before the first game.
    pub(super) fn new(plan: &Plan) -> Self {
        let engines = plan.settings().engines.iter();
        let score = |name: &str| EngineScore {
            name: shorten(name, 30),
            ..EngineScore::default()
        };
        Self {
            games: 0,
            engines: engines.map(|engine| score(&engine.name)).collect(),
        }
    }

    /// Games that count.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The games and the points of each engine.
    pub(super) fn scores(&self) -> impl Iterator<Item = (u64, f64)> {
        let engines = self.engines.iter();
        engines.map(|engine| (engine.games, engine.points))
    }

    /// Adds a game, if it counts.
    pub(super) fn add(&mut self, game: &MatchGame) {
        self.games += u64::from(game.end.kind.is_scored());
        for (place, player) in game.players.iter().enumerate() {
            if let Some(score) = game.score(place)
                && let Some(engine) = self.engines.get_mut(player.engine)
            {
                engine.games += 1;
                engine.points += score;
            }
        }
    }
}

impl fmt::Display for Standing {
    /// `A 3 - 1 B` for two engines; points of games for more: `A 2/3, B 1/2, C 0/1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Points may come in thirds.
        let points = |engine: &EngineScore| (100.0 * engine.points).round() / 100.0;
        if let [a, b] = &self.engines[..] {
            return write!(f, "{} {} - {} {}", a.name, points(a), points(b), b.name);
        }
        let score = |engine: &EngineScore| {
            let EngineScore { name, games, .. } = engine;
            format!("{name} {}/{games}", points(engine))
        };
        let scores: Vec<String> = self.engines.iter().map(score).collect();
        f.write_str(&scores.join(", "))
    }
}

/// The results of a match so far.
///
/// ```
/// # let text = "size = 5\npairs = 1\nplies = 2\niterations = 5\n[[engine]]\nname = \"a\"\n[[engine]]\nname = \"b\"\npreset = \"linear\"\n";
/// # struct Silent;
/// # impl tanada::MatchObserver for Silent {
/// #     fn ended(&self, _: &tanada::MatchGame, _: &tanada::MatchResults, _: &tanada::MatchStanding) {}
/// # }
/// # let options = tanada::MatchOptions { concurrency: 1, recover: false, only_unit: None, needs_all: false };
/// # let plan = tanada::MatchRequest::from_toml(text, "match.toml")?.plan()?;
/// # let stop = std::sync::atomic::AtomicBool::new(false);
/// # let runner = tanada::MatchRunner::new(&plan, options, &stop, &Silent);
/// let results: tanada::MatchResults = runner.run()?;
/// assert_eq!((results.games(), results.forfeits()), (2, 0));
/// println!("{results}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MatchResults {
    pub(super) names: Vec<String>,
    /// Limits, board, openings and seed in a few words.
    pub(super) conditions: String,
    pub(super) seats: usize,
    pub(super) sprt: Option<Sprt>,
    /// Pairings of a round.
    pairings: usize,
    units: usize,
    pub(super) planned_games: usize,
    /// By pairing; only with two seats.
    pub(crate) meetings: Vec<Meeting>,
    pub(crate) engines: Vec<EngineResults>,
    pub(super) games: u64,
    pub(super) first_wins: u64,
    pub(super) plies: u64,
    pub(super) ends: BTreeMap<EndKind, u64>,
    distinct: HashSet<Vec<String>>,
    pub(super) remarks: Vec<String>,
}

fn forfeits(ends: &BTreeMap<EndKind, u64>) -> u64 {
    let faults = ends.iter().filter(|(kind, _)| kind.is_forfeit());
    faults.map(|(_, games)| games).sum()
}

impl EngineResults {
    /// Games that the engine forfeited.
    pub(crate) fn forfeits(&self) -> u64 {
        forfeits(&self.ends)
    }
}

impl MatchResults {
    /// The state before the first game.
    pub fn new(plan: &Plan) -> Self {
        let settings = plan.settings();
        let seats = plan.seats().len();
        let meeting = |engines: &Vec<usize>| Meeting {
            engines: [engines[0], engines[1]],
            ..Meeting::default()
        };
        let engine = EngineResults {
            places: vec![(0, 0.0); seats],
            ..EngineResults::default()
        };
        let engines = &settings.engines;
        let mut limits: Vec<String> = engines.iter().map(|e| e.limit.short()).collect();
        limits.dedup();
        let board = plan.configuration().board();
        Self {
            names: engines.iter().map(|e| e.name.clone()).collect(),
            // The openings may name a file.
            conditions: one_line(&format!(
                "{}, {board}, {}, seed {}",
                limits.join(" / "),
                settings.openings.short(),
                settings.seed
            ))
            .into_owned(),
            seats,
            sprt: settings.sprt,
            pairings: plan.pairings().len(),
            planned_games: plan.games(),
            meetings: match seats {
                2 => plan.pairings().iter().map(meeting).collect(),
                _ => Vec::new(),
            },
            engines: vec![engine; engines.len()],
            ..Self::default()
        }
    }

    /// Complete units.
    pub fn units(&self) -> usize {
        self.units
    }

    /// Games that count, of complete units.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Forfeited games: too late, an illegal move, a crash.
    pub fn forfeits(&self) -> u64 {
        forfeits(&self.ends)
    }

    /// Adds the games of a unit, by rotation.
    pub(super) fn add(&mut self, unit: usize, games: &[&MatchGame]) {
        self.units += 1;
        let mut scores: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for game in games {
            *self.ends.entry(game.end.kind).or_default() += 1;
            if let Some(blamed) = game.end.by.and_then(|place| game.players.get(place)) {
                let ends = &mut self.engines[blamed.engine].ends;
                *ends.entry(game.end.kind).or_default() += 1;
            }
            let remarks = game.remarks.iter();
            let remarks = remarks.map(|r| format!("game {}: {}", game.game, one_line(r)));
            self.remarks.extend(remarks);
            self.add_times(game);
            let mut counted = false;
            for (place, player) in game.players.iter().enumerate() {
                let Some(score) = game.score(place) else {
                    continue;
                };
                counted = true;
                let engine = &mut self.engines[player.engine];
                engine.games += 1;
                engine.points += score;
                engine.places[place].0 += 1;
                engine.places[place].1 += score;
                let sum = scores.entry(player.engine).or_default();
                *sum = (sum.0 + score, sum.1 + 1.0);
            }
            if counted {
                self.games += 1;
                self.plies += game.moves.len() as u64;
                self.first_wins += u64::from(game.score(0) == Some(1.0));
                let moves = game.moves.iter().map(|m| m.vertex.clone());
                self.distinct.insert(moves.collect());
            }
        }
        for (engine, (sum, count)) in scores {
            self.engines[engine].units.push(sum / count);
        }
        self.add_meeting(unit % self.pairings, games);
    }

    fn add_times(&mut self, game: &MatchGame) {
        // Only a replay tells who moved.
        let Ok(replayed) = game.replay() else {
            return;
        };
        for ((seat, _), record) in replayed.moves().zip(&game.moves) {
            let word = replayed.variant().colour(seat);
            let player = game.players.iter().find(|player| player.colour == word);
            let (Some(player), Some(seconds)) = (player, record.seconds) else {
                continue;
            };
            let engine = &mut self.engines[player.engine];
            engine.moves += 1;
            engine.seconds += seconds;
            engine.longest = engine.longest.max(seconds);
            engine.visits += record.visits.unwrap_or(0) as f64;
        }
    }

    fn add_meeting(&mut self, pairing: usize, games: &[&MatchGame]) {
        let Some(meeting) = self.meetings.get_mut(pairing) else {
            return;
        };
        let first = meeting.engines[0];
        let mut scores = Vec::new();
        for game in games {
            let place = game.place_of(first);
            let Some((place, score)) = place.and_then(|p| Some((p, game.score(p)?))) else {
                continue;
            };
            let score = match score {
                s if s > 0.5 => GameScore::Win,
                s if s < 0.5 => GameScore::Loss,
                _ => GameScore::Draw,
            };
            meeting.games.add(score);
            if place == 0 {
                meeting.moving_first.add(score);
            }
            scores.push(score);
        }
        if let [a, b] = scores[..] {
            meeting.pairs.add(a, b);
        }
    }

    /// Games that could not be set up.
    pub fn void_games(&self) -> u64 {
        self.ends.get(&EndKind::Void).copied().unwrap_or(0)
    }

    /// Distinct games. Copies are not independent results.
    pub fn distinct(&self) -> usize {
        self.distinct.len()
    }

    /// The log-likelihood ratio of the test, if there is one.
    pub fn llr(&self) -> Option<f64> {
        Some(self.sprt?.llr(&self.meetings.first()?.pairs))
    }

    /// The decision of the test; `None` while it continues, or without a test.
    pub(crate) fn decision(&self) -> Option<Decision> {
        self.sprt?.decide(self.llr()?)
    }

    /// The hypothesis that the test accepted: `H0` or `H1`.
    pub(super) fn accepted(&self) -> Option<&'static str> {
        self.decision().map(|decision| match decision {
            Decision::AcceptH0 => "H0",
            Decision::AcceptH1 => "H1",
        })
    }

    /// The log-likelihood ratio of the test, its bounds and the accepted hypothesis, if there is a test.
    pub(super) fn test(&self) -> Option<(f64, [f64; 2], Option<&'static str>)> {
        let (low, high) = self.sprt?.bounds();
        Some((self.llr()?, [low, high], self.accepted()))
    }

    /// The Elo ratings of all engines, fitted together with a term for moving first; only with two
    /// seats.
    pub(crate) fn ratings(&self) -> Option<Ratings> {
        (self.seats == 2).then_some(())?;
        let mut encounters = Vec::new();
        for meeting in &self.meetings {
            let [a, b] = meeting.engines;
            let (all, first) = (&meeting.games, &meeting.moving_first);
            // A draw is half a win and half a loss.
            let lost = |games: &WinDrawLoss| games.count() as f64 - games.points();
            encounters.push(Encounter {
                first: a,
                second: b,
                wins: first.points(),
                losses: lost(first),
            });
            encounters.push(Encounter {
                first: b,
                second: a,
                wins: lost(all) - lost(first),
                losses: all.points() - first.points(),
            });
        }
        Some(fit_ratings(&encounters, self.names.len(), RATING_PRIOR))
    }

    /// The mean score of an engine over units, 0 to 1, with the half width of its 95 % interval.
    pub(crate) fn mean_score(&self, engine: usize) -> Option<Estimate> {
        mean_and_error(&self.engines.get(engine)?.units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::matches::end::End;
    use crate::lab::matches::plan::tests::settings;
    use crate::lab::matches::record::PlayerRecord;

    fn game(plan: &Plan, number: usize, winner: Option<&str>, end: End) -> MatchGame {
        let seating = plan.scheduled(number).unwrap().seating;
        let colours = ["black", "white"];
        let player = |(&engine, colour): (&usize, &str)| PlayerRecord {
            colour: colour.to_string(),
            engine,
            name: plan.settings().engines[engine].name.clone(),
            ..PlayerRecord::default()
        };
        MatchGame {
            game: number + 1,
            players: seating.iter().zip(colours).map(player).collect(),
            winner: winner.map(str::to_string),
            end,
            ..MatchGame::default()
        }
    }

    #[test]
    fn the_standing_counts_every_game_for_its_engine() {
        let plan = Plan::new(settings(5, 2, 2)).unwrap();
        let mut standing = Standing::new(&plan);
        assert_eq!(standing.to_string(), "E0 0 - 0 E1");
        // E0 is black in the first game of a pair, E1 in the second.
        for (number, winner) in [(0, "black"), (1, "white"), (2, "white")] {
            standing.add(&game(&plan, number, Some(winner), End::normal()));
        }
        assert_eq!(standing.to_string(), "E0 2 - 1 E1");
        standing.add(&game(&plan, 3, None, End::normal()));
        standing.add(&game(&plan, 3, None, End::by(EndKind::Void, 0, "")));
        assert_eq!(standing.to_string(), "E0 2.5 - 1.5 E1");
        assert_eq!(standing.games(), 4);
        let plan = Plan::new(settings(5, 3, 1)).unwrap();
        let mut standing = Standing::new(&plan);
        standing.add(&game(&plan, 2, Some("white"), End::normal()));
        assert_eq!(standing.to_string(), "E0 0/1, E1 0/0, E2 1/1");
    }
}
