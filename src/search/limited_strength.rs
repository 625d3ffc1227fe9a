//! A player of limited strength, for people: it searches as usual, then chooses a move as a person
//! might. Three parameters say how; by default it plays the best move.
//!
//! - It overlooks moves (`overlooked`), mostly those that are neither near the last moves nor obvious.
//! - Of the others it plays one with a probability that grows with how obvious the move is and how good
//!   it seems (`choice_temperature`): the prior times `exp(value / temperature)`, as in piKL (Jacob et
//!   al., "Modeling strong and human-like gameplay with KL-regularized search", 2022).
//! - It does not give away more than `choice_max_loss`.
//!
//! The choice repeats itself, because a person who misjudges a position misjudges it again: it depends
//! only on the search, the game so far and a number that is drawn once a game.

use super::limits::SearchLimits;
use super::move_searcher::MoveSearcher;
use super::noise::minus_ln;
use super::report::{MoveReport, Report};
use crate::game::Game;
use crate::params::Params;
use crate::util::math;
use crate::util::random::{Random, mix};

/// The last moves, near which a person looks first: two of each side in a game for two.
const RECENT: usize = 4;

/// Moves up to this far from a recent one are as near as can be.
const NEAR: f32 = 2.0;

/// Without priors, a move whose evaluation is this much worse is e times less obvious.
const EVALUATION_SCALE: f32 = 0.1;

/// A value is lowered by this winning chance, divided by the square root of its visits.
const DOUBT: f32 = 0.1;

/// A move without visits counts as having this many.
const LEAST_VISITS: f32 = 0.5;

/// A searcher that puts the move to play first in its reports.
pub(crate) struct LimitedStrength<G: Game> {
    // Called once a search: compiled once for each game, not for each searcher.
    searcher: Box<dyn MoveSearcher<G>>,
    temperature: f32,
    /// 1 is no bound.
    max_loss: f32,
    overlooked: f32,
    /// Drawn at the first search of a game.
    salt: Option<u64>,
    /// The codes of the moves that were played.
    played: Vec<u16>,
}

impl<G: Game> LimitedStrength<G> {
    /// A player as strong as `params` say.
    pub(crate) fn new(searcher: Box<dyn MoveSearcher<G>>, params: &Params) -> Self {
        Self {
            searcher,
            temperature: params.choice_temperature as f32,
            max_loss: params.choice_max_loss as f32,
            overlooked: params.overlooked as f32,
            salt: None,
            played: Vec::new(),
        }
    }

    fn is_limited(&self) -> bool {
        self.temperature > 0.0 || self.overlooked > 0.0
    }

    /// The place of the move to play among the moves of a report, the best first.
    fn choice(&self, position: &G, moves: &[MoveReport<G::Move>], salt: u64) -> usize {
        let Some(best) = moves.first() else { return 0 };
        let is_bounded = self.max_loss < 1.0;
        if is_bounded && best.proof.is_some() && best.value >= 1.0 {
            return 0;
        }
        let least = seeming_value(best) - self.max_loss;
        let places = (0..moves.len()).filter(|&place| match moves.get(place) {
            Some(found) => place == 0 || !is_bounded || is_acceptable(found, least),
            None => false,
        });
        let obvious = Obviousness::new(moves);
        let glances =
            places.map(|place| (place, self.glance(position, &moves[place], &obvious, salt)));
        let glances: Vec<(usize, f32)> = glances.collect();
        let noticed = glances.iter().filter(|(_, glance)| *glance >= 0.0);
        let here = mix(salt ^ position.hash());
        let score = |&&(place, _): &&(usize, f32)| self.score(&moves[place], &obvious, here);
        // Of equal scores the first counts: without a temperature it is the best move.
        let chosen = noticed.rev().max_by(|a, b| score(a).total_cmp(&score(b)));
        let least_overlooked = || glances.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        chosen
            .or_else(least_overlooked)
            .map_or(0, |&(place, _)| place)
    }

    /// How clearly a person sees a move; below 0 it is overlooked.
    fn glance(
        &self,
        position: &G,
        found: &MoveReport<G::Move>,
        obvious: &Obviousness,
        salt: u64,
    ) -> f32 {
        let attention = (self.nearness(position, found.mv) + obvious.of(found)) / 2.0;
        // The same in every position: a move stays overlooked.
        let chance = unit(mix(salt ^ u64::from(G::code(found.mv))));
        chance - self.overlooked * (1.0 - attention / 2.0)
    }

    /// The logarithm of a move's weight plus noise: the move with the largest score is then drawn in
    /// proportion to the weights (the Gumbel-max trick).
    fn score(&self, found: &MoveReport<G::Move>, obvious: &Obviousness, here: u64) -> f32 {
        if self.temperature == 0.0 {
            return 0.0;
        }
        let noise = minus_ln(minus_ln(unit(mix(here ^ u64::from(G::code(found.mv))))));
        seeming_value(found) / self.temperature + obvious.ln(found) + noise
    }

    /// 1 near a recent move, and less with the distance.
    fn nearness(&self, position: &G, mv: G::Move) -> f32 {
        let recent = self.played.iter().rev().take(RECENT);
        let distances = recent.map(|&code| position.distance(G::decode(code), mv));
        let nearest = distances.min().unwrap_or(0);
        NEAR / (nearest as f32).max(NEAR)
    }
}

/// How good a move seems: its value, lowered if it rests on few visits.
fn seeming_value<M>(found: &MoveReport<M>) -> f32 {
    match found.proof {
        Some(_) => found.value,
        None => found.value - DOUBT / (found.visits as f32).max(LEAST_VISITS).sqrt(),
    }
}

/// Whether something is known of a move, and it is neither lost nor worth less than `least`.
fn is_acceptable<M>(found: &MoveReport<M>, least: f32) -> bool {
    let is_known = found.is_searched() || found.initial_value.is_some();
    let is_lost = found.proof.is_some() && found.value <= 0.0;
    is_known && !is_lost && seeming_value(found) >= least
}

/// How obvious moves are at first sight, relative to the most obvious one.
struct Obviousness {
    best_prior: f32,
    best_initial_value: f32,
}

impl Obviousness {
    fn new<M>(moves: &[MoveReport<M>]) -> Self {
        let priors = moves.iter().filter_map(|found| found.prior);
        let values = moves.iter().filter_map(|found| found.initial_value);
        Self {
            best_prior: priors.fold(1e-30, f32::max),
            best_initial_value: values.fold(0.0, f32::max),
        }
    }

    /// The logarithm of [`Obviousness::of`].
    fn ln<M>(&self, found: &MoveReport<M>) -> f32 {
        match (found.prior, found.initial_value) {
            (Some(prior), _) => -minus_ln(prior / self.best_prior),
            (None, Some(value)) => (value - self.best_initial_value) / EVALUATION_SCALE,
            (None, None) => 0.0,
        }
    }

    /// 1 for the most obvious move, less for others.
    fn of<M>(&self, found: &MoveReport<M>) -> f32 {
        math::exp(self.ln(found))
    }
}

/// The number from 0 (included) to 1 (excluded) that random bits stand for.
fn unit(bits: u64) -> f32 {
    (bits >> 40) as f32 * (1.0 / (1u64 << 24) as f32)
}

impl<G: Game> MoveSearcher<G> for LimitedStrength<G> {
    fn search(
        &mut self,
        position: &G,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<G::Move> {
        if !self.is_limited() || limits.plain_root {
            return self.searcher.search(position, limits, stop);
        }
        let searcher = &mut self.searcher;
        let salt = *self.salt.get_or_insert_with(|| searcher.random().bits());
        let mut report = searcher.search(position, limits, stop);
        let place = self.choice(position, &report.moves, salt);
        if let Some(moves) = report.moves.get_mut(..=place) {
            moves.rotate_right(1);
        }
        report
    }

    fn advance(&mut self, mv: G::Move, position: &G) {
        self.played.push(G::code(mv));
        self.searcher.advance(mv, position);
    }

    fn retract(&mut self, position: &G) {
        self.played.pop();
        self.searcher.retract(position);
    }

    fn clear(&mut self) {
        self.salt = None;
        self.searcher.clear();
    }

    fn random(&mut self) -> &mut Random {
        self.searcher.random()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;
    use crate::games;
    use crate::params::LEVELS;
    use crate::variant::MoveCode;

    /// A game of every kind: by name, side and number of players.
    const KINDS: [(usize, usize, usize); 5] =
        [(0, 9, 2), (0, 7, 2), (0, 9, 3), (0, 9, 4), (1, 7, 2)];

    fn engine((game, side, players): (usize, usize, usize), params: &Params) -> Engine {
        let start = games::GAMES[game].start(Some(side), None, Some(players));
        let params = Params {
            memory: 16,
            threads: 1,
            ..params.clone()
        };
        Engine::new(start.unwrap(), params)
    }

    fn search(engine: &mut Engine) -> Report<MoveCode> {
        let iterations = engine.params().iterations.unwrap_or(20);
        engine.search(&SearchLimits::of_iterations(iterations), &|| false)
    }

    /// The first moves of a game of an engine against itself.
    fn moves(engine: &mut Engine, most: usize) -> Vec<MoveCode> {
        let mut played = Vec::new();
        while !engine.is_over() && played.len() < most {
            let report = search(engine);
            // The choice changes the order alone.
            assert!(
                engine.params().leaf == crate::params::Leaf::Greedy || !report.moves.is_empty()
            );
            let mv = report.best().unwrap().mv;
            assert!(engine.is_legal(mv));
            engine.play(mv).unwrap();
            played.push(mv);
        }
        played
    }

    #[test]
    fn every_level_plays_every_game_and_repeats_itself_with_its_seed() {
        for kind in KINDS {
            let mut games = Vec::new();
            for level in LEVELS {
                let own = Params {
                    iterations: Some(6),
                    seed: 5,
                    ..Params::default()
                };
                let params = level.of(&own);
                let first = moves(&mut engine(kind, &params), 16);
                assert_eq!(
                    moves(&mut engine(kind, &params), 16),
                    first,
                    "{}",
                    level.name
                );
                games.push(first);
            }
            games.sort_unstable();
            games.dedup();
            assert!(games.len() > 2, "{kind:?}");
        }
    }

    #[test]
    fn a_position_is_judged_the_same_again_until_the_next_game() {
        let params = Params {
            choice_temperature: 1.0,
            overlooked: 0.5,
            iterations: Some(4),
            ..Params::default()
        };
        let mut engine = engine(KINDS[0], &params);
        let chosen = |engine: &mut Engine| search(engine).best().unwrap().mv;
        let first = chosen(&mut engine);
        for _ in 0..3 {
            engine.play(first).unwrap();
            search(&mut engine);
            engine.undo();
            assert_eq!(chosen(&mut engine), first);
        }
        let others = (0..20).map(|_| {
            engine.clear_tree();
            chosen(&mut engine)
        });
        assert!(others.collect::<Vec<_>>().iter().any(|&mv| mv != first));
    }

    #[test]
    fn without_limits_and_in_plain_searches_the_order_stays() {
        let params = Params {
            choice_temperature: 5.0,
            overlooked: 0.9,
            ..Params::default()
        };
        for seed in 0..5 {
            let of = |params: &Params, plain_root| {
                let params = Params {
                    seed,
                    ..params.clone()
                };
                let mut engine = engine(KINDS[0], &params);
                let limits = SearchLimits {
                    plain_root,
                    ..SearchLimits::of_iterations(30)
                };
                engine.search(&limits, &|| false).moves
            };
            let best = of(&Params::default(), false);
            assert_eq!(of(&params, true), best);
            let drawn = of(&params, false);
            assert_eq!(drawn.len(), best.len());
        }
    }

    /// Positions of a game with moves of any kind.
    fn positions(
        kind: (usize, usize, usize),
        seeds: std::ops::Range<u64>,
    ) -> impl Iterator<Item = (u64, Vec<MoveCode>)> {
        seeds.map(move |seed| {
            let params = Params {
                choice_temperature: 10.0,
                iterations: Some(2),
                seed,
                ..Params::default()
            };
            (
                seed,
                moves(&mut engine(kind, &params), 4 + seed as usize % 40),
            )
        })
    }

    /// Whether a move wins at once.
    fn wins(engine: &mut Engine, mv: MoveCode) -> bool {
        let seat = engine.to_move();
        engine.play(mv).unwrap();
        let won = engine.winner() == Some(seat);
        engine.undo();
        won
    }

    #[test]
    fn only_without_a_bound_a_win_on_the_spot_is_overlooked() {
        let (mut seen, mut missed) = (0, [0, 0]);
        for seed in 0..60 {
            let mut game = engine((0, 5, 2), &Params::default());
            let mut random = Random::new(seed);
            while !game.is_over() {
                let legal = game.legal();
                let winning = legal.iter().filter(|&&mv| wins(&mut game, mv)).count();
                if (1..legal.len()).contains(&winning) {
                    seen += 1;
                    for (missed, choice_max_loss) in missed.iter_mut().zip([0.9, 1.0]) {
                        let params = Params {
                            choice_temperature: 10.0,
                            overlooked: 1.0,
                            choice_max_loss,
                            seed,
                            ..game.params().clone()
                        };
                        let mut weak = game.fork(params, game.events().len());
                        let mv = search(&mut weak).best().unwrap().mv;
                        *missed += u32::from(!wins(&mut game, mv));
                    }
                }
                let drawn = random.below(legal.len() as u32) as usize;
                game.play(legal[drawn]).unwrap();
            }
        }
        assert!(
            seen > 10 && missed[0] == 0 && missed[1] > 0,
            "{missed:?} of {seen}"
        );
    }

    #[test]
    fn a_bound_keeps_absurd_moves_away() {
        let bound = 0.2;
        let mut worst: Vec<f32> = Vec::new();
        for (seed, played) in positions(KINDS[1], 0..30) {
            let loose = Params {
                choice_temperature: 10.0,
                overlooked: 0.8,
                choice_max_loss: bound,
                iterations: Some(200),
                seed,
                ..Params::default()
            };
            let mut weak = engine(KINDS[1], &loose);
            let mut strong = engine(
                KINDS[1],
                &Params {
                    iterations: Some(1_000),
                    ..Params::default()
                },
            );
            for &mv in &played {
                weak.play(mv).unwrap();
                strong.play(mv).unwrap();
            }
            if weak.is_over() {
                continue;
            }
            let chosen = search(&mut weak).best().unwrap().mv;
            let best = search(&mut strong).best().unwrap().value;
            strong.play(chosen).unwrap();
            let value = match strong.winner() {
                Some(winner) => f32::from(u8::from(winner == weak.to_move())),
                None => 1.0 - search(&mut strong).best().unwrap().value,
            };
            worst.push(best - value);
        }
        worst.sort_by(f32::total_cmp);
        assert!(worst.len() > 20);
        // What a search of 200 iterations believes is not always true.
        let beyond = worst
            .iter()
            .filter(|loss| f64::from(**loss) > bound + 0.1)
            .count();
        assert!(beyond <= 2, "{worst:?}");
    }
}
