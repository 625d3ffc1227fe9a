//! Makes balanced openings, once and before any match: random moves after which a long search by a
//! named engine gives both sides about the same chance.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use ahash::AHashSet;
use thiserror::Error;

use super::channel::{LongWait, Supervisor};
use super::client::{EngineClient, EngineStartError};
use super::engine::EngineSpec;
use super::limit::Limit;
use super::opening::{self, OpeningError};
use crate::engine::Engine;
use crate::params::Params;
use crate::start::Configuration;
use crate::util::jobs::Jobs;
use crate::util::random::Random;
use crate::variant::MoveCode;

#[derive(Clone, Debug)]
pub(crate) struct BalanceSettings {
    pub(crate) configuration: Configuration,
    /// The engine that evaluates them, with its limit.
    pub(crate) judge: EngineSpec,
    pub(crate) count: usize,
    /// Random moves of each.
    pub(crate) plies: usize,
    /// The least and the greatest chance of the first to move after them, 0 to 1.
    pub(crate) chance: (f64, f64),
    /// Gives up after this many random openings in a row without a new one, 1 or more.
    pub(crate) tries: usize,
    /// The seed of the random moves.
    pub(crate) seed: u64,
    /// Concurrent searches, 1 or more; the openings do not depend on it.
    pub(crate) concurrency: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BalancedOpening {
    pub(crate) moves: Vec<MoveCode>,
    /// The chance of the first to move, 0 to 1, by the judge.
    pub(crate) chance: f64,
}

#[derive(Debug, Error)]
pub(crate) enum BalanceError {
    #[error("balanced openings are for two players, not `{0}`")]
    Players(usize),
    #[error(transparent)]
    Start(#[from] EngineStartError),
    #[error("engine `{0}` does not report values: it lists no tanada-last_search")]
    Mute(String),
    #[error("engine `{name}` failed as a judge: {why}")]
    Judge { name: String, why: String },
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error("{0}")]
    Few(String),
    #[error("interrupted")]
    Interrupted,
}

/// The hash of the position that an opening leads to.
fn position(configuration: &Configuration, moves: &[MoveCode]) -> u64 {
    let mut engine = Engine::new(configuration.start().clone(), Params::default());
    for &point in moves {
        let _ = engine.play(point);
    }
    engine.hash()
}

impl BalanceSettings {
    /// Makes the openings. `after` is called with their number after each search, `waiting` when
    /// the judge does not answer. If the work ends early, the openings found so far are returned
    /// with the error.
    pub(crate) fn make(
        &self,
        stop: &AtomicBool,
        after: &(dyn Fn(usize) + Sync),
        waiting: &(dyn Fn(&LongWait<'_>) + Sync),
    ) -> (Vec<BalancedOpening>, Result<(), BalanceError>) {
        let mut openings = Vec::new();
        let end = self.fill(&mut openings, stop, after, waiting);
        (openings, end)
    }

    fn fill(
        &self,
        openings: &mut Vec<BalancedOpening>,
        stop: &AtomicBool,
        after: &(dyn Fn(usize) + Sync),
        waiting: &(dyn Fn(&LongWait<'_>) + Sync),
    ) -> Result<(), BalanceError> {
        let players = self.configuration.start().players().len();
        if players != 2 {
            return Err(BalanceError::Players(players));
        }
        let over = AtomicBool::new(false);
        let stopped = || over.load(Relaxed) || stop.load(Relaxed);
        let most = self.count.saturating_mul(self.tries);
        let jobs = Jobs::new(most, self.concurrency, stop);
        let mut positions = AHashSet::new();
        let (mut tried, mut in_vain) = (0, 0);
        let supervisor = Supervisor {
            stop: &stopped,
            waiting,
        };
        let job = |judge: &mut Option<EngineClient>, number| self.judge(judge, number, &supervisor);
        let made = jobs.run(job, |judged| {
            let new = judged.filter(|balanced: &BalancedOpening| {
                positions.insert(position(&self.configuration, &balanced.moves))
            });
            tried += 1;
            in_vain = if new.is_some() { 0 } else { in_vain + 1 };
            openings.extend(new);
            after(openings.len());
            let goes_on = openings.len() < self.count && in_vain < self.tries;
            // Ends the running searches as well.
            over.store(!goes_on, Relaxed);
            Ok(goes_on)
        });
        if openings.len() < self.count && stop.load(Relaxed) {
            // A judge that was cut short has its own error.
            return Err(BalanceError::Interrupted);
        }
        made?;
        if openings.len() >= self.count {
            return Ok(());
        }
        let Self { count, plies, .. } = self;
        let (found, (low, high), tries) = (openings.len(), self.chance, self.tries);
        Err(BalanceError::Few(format!(
            "found `{found}` of {count} openings of {plies} plies with a chance from {low} to {high} in {tried} \
             random ones; gave up after {tries} in a row without a new one"
        )))
    }

    /// The random opening with this number, if the judge finds it balanced.
    fn judge(
        &self,
        judge: &mut Option<EngineClient>,
        number: usize,
        supervisor: &Supervisor<'_>,
    ) -> Result<Option<BalancedOpening>, BalanceError> {
        let start = self.configuration.start();
        let player = match judge {
            Some(player) => player,
            None => judge.insert(EngineClient::start(
                &self.judge,
                &self.configuration,
                supervisor,
            )?),
        };
        if !player.knows("tanada-last_search") {
            return Err(BalanceError::Mute(self.judge.name.clone()));
        }
        let fault = |why: String| BalanceError::Judge {
            name: self.judge.name.clone(),
            why,
        };
        let moves = opening::random(start, self.plies, self.seed, number)?;
        let seed = Random::part(!self.seed, number as u64).bits() >> 11;
        player.new_game(&self.configuration, seed, supervisor)?;
        let mut referee = Engine::new(start.clone(), Params::default());
        for &point in &moves {
            let name = referee.name(point);
            let reply = player.play(referee.to_move(), &name, supervisor);
            let reply = reply.map_err(|error| fault(error.to_string()))?;
            if !reply.is_ok {
                return Err(fault(format!("it refuses {name}: {}", reply.text)));
            }
            let _ = referee.play(point);
        }
        let seat = referee.to_move();
        let allowed = match self.judge.limit {
            Limit::TimePerMove(time) => Some(time),
            Limit::Iterations(_) | Limit::Clock(_) => None,
        };
        let patience = Duration::from_secs(86_400);
        let answer = player.genmove(seat, None, allowed, patience, supervisor);
        let value = answer.map_err(|error| fault(error.to_string()))?.value;
        let value = value.ok_or_else(|| BalanceError::Mute(self.judge.name.clone()))?;
        let is_first = start.to_move() == seat;
        let chance = if is_first { value } else { 1.0 - value };
        let (low, high) = self.chance;
        let is_balanced = (low..=high).contains(&chance);
        Ok(is_balanced.then_some(BalancedOpening { moves, chance }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::matches::opening::{Openings, line};

    fn wanted(count: usize, concurrency: usize) -> BalanceSettings {
        BalanceSettings {
            configuration: Configuration::new(Some(7), None, None).unwrap(),
            judge: EngineSpec::built_in("judge", Limit::Iterations(60)),
            count,
            plies: 4,
            chance: (0.4, 0.6),
            tries: 30,
            seed: 3,
            concurrency,
        }
    }

    fn make(wanted: &BalanceSettings) -> Result<Vec<BalancedOpening>, BalanceError> {
        let (openings, end) = wanted.make(&AtomicBool::new(false), &|_| {}, &|_| {});
        end.map(|()| openings)
    }

    #[test]
    fn openings_do_not_depend_on_the_concurrency() {
        let one = make(&wanted(8, 1)).unwrap();
        assert_eq!(one, make(&wanted(8, 3)).unwrap());
        let is_balanced = |b: &BalancedOpening| (0.4..=0.6).contains(&b.chance);
        assert!(one.iter().all(|b| is_balanced(b) && b.moves.len() == 4));
        let start = wanted(1, 1).configuration.start().clone();
        let lines = one.iter().map(|b| line(&b.moves, &start));
        let words = |text: String| text.split(' ').map(str::to_string).collect();
        let list = Openings::List {
            file: "book".into(),
            moves: lines.map(words).collect(),
        };
        assert_eq!(list.moves(&start, 0, 5).unwrap(), one[5].moves);
    }

    #[test]
    fn what_cannot_be_found_is_given_up() {
        let none = BalanceSettings {
            chance: (0.99, 0.999),
            ..wanted(1_000_000, 2)
        };
        let error = make(&none).unwrap_err().to_string();
        assert!(
            error.starts_with("found `0` of 1000000 openings of 4 plies")
                && error.ends_with("gave up after 30 in a row without a new one"),
            "{error}"
        );
        // The empty opening is the only one of its length.
        let one = BalanceSettings {
            chance: (0.0, 1.0),
            plies: 0,
            ..wanted(2, 1)
        };
        let error = make(&one).unwrap_err().to_string();
        assert!(error.starts_with("found `1` of 2 openings"), "{error}");
        let long = BalanceSettings {
            plies: 400,
            ..wanted(1, 1)
        };
        let error = make(&long).unwrap_err().to_string();
        assert!(error.contains("`400` random plies"), "{error}");
        let (found, stopped) = wanted(1, 1).make(&AtomicBool::new(true), &|_| {}, &|_| {});
        assert!(found.is_empty() && matches!(stopped, Err(BalanceError::Interrupted)));
    }

    #[test]
    fn what_was_found_before_the_end_stays() {
        let whole = make(&wanted(8, 1)).unwrap();
        // Searches that the stop cuts short are not a fault of the judge.
        let stop = AtomicBool::new(false);
        let after = |count| stop.store(count == 3, Relaxed);
        let (found, stopped) = wanted(50, 1).make(&stop, &after, &|_| {});
        assert!(matches!(stopped, Err(BalanceError::Interrupted)));
        assert_eq!(found, whole[..3]);
    }
}
