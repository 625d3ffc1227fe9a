//! The settings of a match, and the games that follow from them.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::engine::EngineSpec;
use super::opening::{self, OpeningError, Openings};
use super::record::MatchGame;
use crate::game::Seat;
use crate::games;
use crate::lab::stats::Sprt;
use crate::start::Configuration;
use crate::util::quote::{one_line, shorten};
use crate::util::random::Random;
use crate::variant::MoveCode;

/// Which engines play each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    /// Every engine plays every other.
    #[default]
    RoundRobin,
    /// The first engine plays each of the others.
    Gauntlet,
}

/// Everything that decides which games a match consists of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MatchSettings {
    /// The start position of every game, as text that says which game it is.
    pub start: String,
    /// The engines, two or more.
    pub engines: Vec<EngineSpec>,
    pub format: Format,
    /// Units of each pairing.
    pub rounds: usize,
    /// The openings; all pairings of a round have the same one.
    pub openings: Openings,
    /// Where all randomness starts: openings, and the players' seeds.
    pub seed: u64,
    /// A test that can end the match early.
    #[serde(default)]
    pub sprt: Option<Sprt>,
    /// Seconds to wait for an answer that no time limits.
    pub stall: f64,
}

/// Why settings do not describe a match.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PlanError {
    #[error("a match needs two or more engines, not `{0}`")]
    Engines(usize),
    #[error(
        "two engines are called `{0}`: give each its own `name`, such as `--engine \
         name=a,iterations=20`"
    )]
    Name(String),
    #[error("invalid value `0` for `pairs`: expected 1 or more")]
    Rounds,
    #[error("a test compares two engines on two seats, not `{engines}` on `{seats}`")]
    Test { engines: usize, seats: usize },
    #[error(
        "cannot seat `{engines}` engines on `{seats}` seats: expected 2 (the second takes all other \
         seats) or {seats}"
    )]
    Seats { engines: usize, seats: usize },
    #[error("the start position: {0}")]
    Start(String),
    #[error(transparent)]
    Opening(#[from] OpeningError),
}

/// A game of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduledGame {
    /// Its number in the match, from 0.
    pub game: usize,
    /// Its unit: one opening in all rotations of one pairing.
    pub unit: usize,
    /// The round of the unit.
    pub round: usize,
    /// The pairing within the round.
    pub pairing: usize,
    /// How many seats the players moved on.
    pub rotation: usize,
    /// The engine at each place in the order of play.
    pub seating: Vec<usize>,
    pub opening: Vec<MoveCode>,
    /// The seed of each place.
    pub seeds: Vec<u64>,
}

/// A checked match, ready to be played.
///
/// ```
/// # let text = "size = 5\npairs = 1\nplies = 2\niterations = 5\n[[engine]]\nname = \"a\"\n[[engine]]\nname = \"b\"\npreset = \"linear\"\n";
/// let plan: tanada::MatchPlan = tanada::MatchRequest::from_toml(text, "match.toml")?.plan()?;
/// assert_eq!(plan.pairings(), [[0, 1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    settings: MatchSettings,
    configuration: Configuration,
    /// The colours in the order of play.
    seats: Vec<Seat>,
    /// The engines of each pairing as they sit in the first rotation.
    pairings: Vec<Vec<usize>>,
}

impl Plan {
    /// Checks settings, and replaces control characters in the names of engines.
    ///
    /// # Errors
    /// If the engines, the start position or the openings do not make a match.
    pub(crate) fn new(mut settings: MatchSettings) -> Result<Self, PlanError> {
        let start = games::read_start(&settings.start);
        let start = start.map_err(|error| PlanError::Start(error.to_string()))?;
        let configuration = Configuration::from_start(start);
        let mut order = configuration.start().players().to_vec();
        let to_move = configuration.start().to_move();
        // Only players come to move.
        let first = order.iter().position(|&seat| seat == to_move);
        order.rotate_left(first.unwrap_or(0));
        let seats = order.len();
        let engines = settings.engines.len();
        if engines < 2 {
            return Err(PlanError::Engines(engines));
        }
        for (i, engine) in settings.engines.iter().enumerate() {
            if settings.engines[..i].iter().any(|e| e.name == engine.name) {
                return Err(PlanError::Name(shorten(&engine.name, 60)));
            }
        }
        for engine in &mut settings.engines {
            // The settings may come from somebody else, and names are printed everywhere.
            engine.name = one_line(&engine.name).into_owned();
        }
        if settings.rounds == 0 {
            return Err(PlanError::Rounds);
        }
        if settings.sprt.is_some() && (engines != 2 || seats != 2) {
            return Err(PlanError::Test { engines, seats });
        }
        let pairings = match (seats, settings.format) {
            (2, Format::RoundRobin) => (0..engines)
                .flat_map(|a| (a + 1..engines).map(move |b| vec![a, b]))
                .collect(),
            (2, Format::Gauntlet) => (1..engines).map(|b| vec![0, b]).collect(),
            _ if engines == 2 => {
                let mut seating = vec![1; seats];
                seating[0] = 0;
                vec![seating]
            }
            _ if engines == seats => vec![(0..seats).collect()],
            _ => return Err(PlanError::Seats { engines, seats }),
        };
        let plan = Self {
            settings,
            configuration,
            seats: order,
            pairings,
        };
        // Reports impossible openings before the first game, as far as checking is fast.
        for round in 0..plan.settings.rounds.min(opening::CHECKED) {
            plan.opening(round)?;
        }
        Ok(plan)
    }

    /// The settings.
    pub(crate) fn settings(&self) -> &MatchSettings {
        &self.settings
    }

    /// The start position.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// The colours in the order of play.
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// The engines of each pairing, as they sit in the first rotation.
    pub fn pairings(&self) -> &[Vec<usize>] {
        &self.pairings
    }

    /// Units of the match.
    pub fn units(&self) -> usize {
        self.settings.rounds.saturating_mul(self.pairings.len())
    }

    /// Games of a unit: one for each rotation.
    pub fn games_a_unit(&self) -> usize {
        self.seats().len()
    }

    /// Games of the match.
    pub fn games(&self) -> usize {
        self.units().saturating_mul(self.games_a_unit())
    }

    /// Whether a record can belong to this match, by its number and its seating.
    pub(super) fn has(&self, record: &MatchGame) -> bool {
        let (game, engines) = (record.game - 1, record.players.iter().map(|p| p.engine));
        game < self.games() && engines.eq(self.seating(game))
    }

    /// The engines of a game in the order of play.
    fn seating(&self, game: usize) -> Vec<usize> {
        let (unit, rotation) = (game / self.games_a_unit(), game % self.games_a_unit());
        let mut seating = self.pairings[unit % self.pairings.len()].clone();
        seating.rotate_right(rotation);
        seating
    }

    fn opening(&self, round: usize) -> Result<Vec<MoveCode>, OpeningError> {
        let MatchSettings { openings, seed, .. } = &self.settings;
        openings.moves(self.configuration.start(), *seed, round)
    }

    /// The game with this number.
    ///
    /// # Errors
    /// Random openings that are longer than the game.
    pub(crate) fn scheduled(&self, game: usize) -> Result<ScheduledGame, OpeningError> {
        let seats = self.games_a_unit();
        let (unit, rotation) = (game / seats, game % seats);
        let (round, pairing) = (unit / self.pairings.len(), unit % self.pairings.len());
        // Below 2^53, which programs that read JSON numbers as doubles represent exactly.
        let seed = |seat: usize| {
            let unit_seed = Random::part(!self.settings.seed, unit as u64).bits();
            Random::part(unit_seed, (rotation * seats + seat) as u64).bits() >> 11
        };
        Ok(ScheduledGame {
            game,
            unit,
            round,
            pairing,
            rotation,
            opening: self.opening(round)?,
            seeds: (0..seats).map(seed).collect(),
            seating: self.seating(game),
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::lab::matches::limit::Limit;

    /// Engines of few iterations on a small board.
    pub(in crate::lab::matches) fn settings(
        side: usize,
        engines: usize,
        rounds: usize,
    ) -> MatchSettings {
        let configuration = Configuration::new(Some(side), None, None).unwrap();
        let engine = |i: usize| {
            let limit = Limit::Iterations(10 + 10 * i as u64);
            EngineSpec::built_in(format!("E{i}"), limit)
        };
        MatchSettings {
            start: games::write_start(configuration.start()),
            engines: (0..engines).map(engine).collect(),
            format: Format::RoundRobin,
            rounds,
            openings: Openings::Random { plies: 2 },
            seed: 1,
            sprt: None,
            stall: 60.0,
        }
    }

    #[test]
    fn pairs_exchange_colours_and_share_the_opening() {
        let plan = Plan::new(settings(5, 2, 3)).unwrap();
        assert_eq!((plan.units(), plan.games()), (3, 6));
        let [a, b, c] = [0, 1, 2].map(|game| plan.scheduled(game).unwrap());
        assert_eq!([a.seating, b.seating], [[0, 1], [1, 0]]);
        assert_eq!((&a.opening, a.unit, b.unit, c.unit), (&b.opening, 0, 0, 1));
        assert_ne!(a.opening, c.opening);
        let mut seeds = [a.seeds, b.seeds, c.seeds].concat();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 6);
    }

    #[test]
    fn formats_decide_the_pairings() {
        let all = Plan::new(settings(5, 3, 2)).unwrap();
        assert_eq!(all.pairings(), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!((all.units(), all.games()), (6, 12));
        let first = all.scheduled(0).unwrap();
        let other = all.scheduled(2).unwrap();
        assert_eq!((first.round, other.round), (0, 0));
        assert_eq!(first.opening, other.opening);
        let mut gauntlet = settings(5, 3, 2);
        gauntlet.format = Format::Gauntlet;
        assert_eq!(Plan::new(gauntlet).unwrap().pairings(), [[0, 1], [0, 2]]);
    }

    #[test]
    fn more_seats_rotate() {
        let four = |engines| {
            let configuration = Configuration::new(Some(19), None, Some(4)).unwrap();
            Plan::new(MatchSettings {
                start: games::write_start(configuration.start()),
                ..settings(5, engines, 1)
            })
        };
        let plan = four(2).unwrap();
        let seating = |game| plan.scheduled(game).unwrap().seating;
        let seatings: Vec<Vec<usize>> = (0..plan.games()).map(seating).collect();
        let expected = [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]];
        assert_eq!(seatings, expected);
        assert_eq!(four(4).unwrap().scheduled(1).unwrap().seating, [3, 0, 1, 2]);
        let (engines, seats) = (3, 4);
        let refusal = PlanError::Seats { engines, seats };
        assert_eq!(four(3).unwrap_err(), refusal);
    }

    #[test]
    fn who_moves_first_comes_first() {
        let mut white = settings(5, 2, 1);
        white.start = white.start.replace("to move: black", "to move: white");
        let plan = Plan::new(white).unwrap();
        assert_eq!(plan.seats(), [Seat::ALL[1], Seat::ALL[0]]);
    }

    #[test]
    fn names_of_a_file_lose_what_a_terminal_acts_on() {
        let mut odd = settings(5, 2, 1);
        odd.engines[0].name = "\u{202e}A\x1b[2J".to_string();
        // Still a different name.
        odd.engines[1].name = "\u{2066}A\x1b[2J".to_string();
        let plan = Plan::new(odd).unwrap();
        assert_eq!(plan.settings().engines[0].name, "\u{fffd}A\u{fffd}[2J");
    }

    #[test]
    fn wrong_settings_are_refused() {
        let refusal = |settings| Plan::new(settings).unwrap_err();
        assert_eq!(refusal(settings(5, 1, 1)), PlanError::Engines(1));
        assert_eq!(refusal(settings(5, 2, 0)), PlanError::Rounds);
        let mut twins = settings(5, 2, 1);
        twins.engines[1].name = "E0".to_string();
        assert_eq!(refusal(twins), PlanError::Name("E0".to_string()));
        let mut test = settings(5, 3, 1);
        test.sprt = Some("elo0=0 elo1=10".parse().unwrap());
        let (engines, seats) = (3, 2);
        assert_eq!(refusal(test), PlanError::Test { engines, seats });
        let mut long = settings(5, 2, 1);
        long.openings = Openings::Random { plies: 999 };
        assert!(matches!(refusal(long), PlanError::Opening(_)));
    }
}
