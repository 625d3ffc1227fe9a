//! Balanced openings, made once and before any match: random moves after which a long search of
//! a named engine gives both sides about the same chance.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use ahash::AHashSet;
use thiserror::Error;

use super::channel::{LongWait, Supervisor};
use super::engine::EngineSpec;
use super::limit::Limit;
use super::opening::{self, OpeningError};
use super::player::{Player, Silence, StartError, describe};
use crate::engine::Engine;
use crate::params::Params;
use crate::start::Configuration;
use crate::util::jobs::Jobs;
use crate::util::random::Random;
use crate::variant::MoveCode;

/// What openings are wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Where games start.
    pub configuration: Configuration,
    /// The engine that judges, with its limit.
    pub judge: EngineSpec,
    /// How many.
    pub count: usize,
    /// Random moves of each.
    pub plies: usize,
    /// The chance of the first to move after them, 0 to 1: at least and at most this.
    pub chance: (f64, f64),
    /// It gives up after this many random openings in a row without a new one, 1 or more.
    pub tries: usize,
    /// Where the random moves start.
    pub seed: u64,
    /// Searches side by side, 1 or more; the openings do not depend on it.
    pub concurrency: usize,
}

/// An opening with the chance of the first to move, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Balanced {
    /// Its moves.
    pub moves: Vec<MoveCode>,
    /// What the judge says.
    pub chance: f64,
}

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum BalanceError {
    /// Games of more than two, where a chance of a half means something else.
    #[error("balanced openings are for two players, `{0}` were given")]
    Players(usize),
    /// The judge cannot be used.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The judge does not tell what it thinks.
    #[error("engine `{0}` does not tell values: it lists no tanada-last_search")]
    Mute(String),
    /// The judge failed.
    #[error("engine `{name}` as a judge: {why}")]
    Judge {
        /// The engine.
        name: String,
        /// What happened.
        why: String,
    },
    /// Random openings of that length end the game.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// Too few are balanced.
    #[error(
        "`{found}` of {tried} random openings of {plies} plies have a chance from {low} to {high} and differ, \
         expected {count}; gave up after {tries} in a row without a new one"
    )]
    Few {
        /// So many are.
        found: usize,
        /// So many were tried.
        tried: usize,
        /// The last so many brought no new one.
        tries: usize,
        /// Their length.
        plies: usize,
        /// The least chance.
        low: f64,
        /// The greatest.
        high: f64,
        /// So many were wanted.
        count: usize,
    },
    /// It was stopped.
    #[error("interrupted")]
    Interrupted,
}

/// The hash of the position that an opening leads to.
fn position(configuration: &Configuration, moves: &[MoveCode]) -> u64 {
    let mut engine = Engine::new(configuration.start().clone(), Params::default());
    for &point in moves {
        // The moves were legal when they were drawn.
        let _ = engine.play(point);
    }
    engine.hash()
}

impl Wanted {
    /// Makes the openings; `after` hears how many there are after each search, `waiting` of a judge
    /// that does not answer. Whatever ends the work early, the openings that were found before are
    /// returned beside it.
    ///
    /// # Errors
    /// See [`BalanceError`].
    pub fn make(
        &self,
        stop: &AtomicBool,
        after: &(dyn Fn(usize) + Sync),
        waiting: &(dyn Fn(&LongWait<'_>) + Sync),
    ) -> (Vec<Balanced>, Result<(), BalanceError>) {
        let mut openings = Vec::new();
        let end = self.fill(&mut openings, stop, after, waiting);
        (openings, end)
    }

    fn fill(
        &self,
        openings: &mut Vec<Balanced>,
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
        let jobs = Jobs {
            count: most,
            concurrency: self.concurrency,
            stop,
        };
        let mut positions = AHashSet::new();
        let (mut tried, mut in_vain) = (0, 0);
        let supervisor = Supervisor {
            stop: &stopped,
            waiting,
        };
        let job = |judge: &mut Option<Player>, number| self.judge(judge, number, &supervisor);
        let made = jobs.run(job, |judged| {
            let new = |balanced: &Balanced| {
                positions.insert(position(&self.configuration, &balanced.moves))
            };
            let new = judged.filter(new);
            tried += 1;
            in_vain = if new.is_some() { 0 } else { in_vain + 1 };
            openings.extend(new);
            after(openings.len());
            if openings.len() < self.count && in_vain < self.tries {
                return ControlFlow::Continue(());
            }
            // The searches that are running end as well.
            over.store(true, Relaxed);
            ControlFlow::Break(())
        });
        if openings.len() < self.count && stop.load(Relaxed) {
            // A judge that was cut short says so in its own way.
            return Err(BalanceError::Interrupted);
        }
        made?;
        if openings.len() >= self.count {
            return Ok(());
        }
        Err(BalanceError::Few {
            found: openings.len(),
            tried,
            tries: self.tries,
            plies: self.plies,
            low: self.chance.0,
            high: self.chance.1,
            count: self.count,
        })
    }

    /// The random opening with this number, if the judge finds it balanced.
    fn judge(
        &self,
        judge: &mut Option<Player>,
        number: usize,
        supervisor: &Supervisor<'_>,
    ) -> Result<Option<Balanced>, BalanceError> {
        let start = self.configuration.start();
        let player = match judge {
            Some(player) => player,
            None => judge.insert(Player::start(&self.judge, &self.configuration, supervisor)?),
        };
        if !player.knows("tanada-last_search") {
            return Err(BalanceError::Mute(self.judge.name.clone()));
        }
        let fault = |why: String| BalanceError::Judge {
            name: self.judge.name.clone(),
            why,
        };
        let drawn = opening::random(start, self.plies, self.seed, number);
        let moves = drawn.ok_or(OpeningError::Long {
            plies: self.plies,
            size: start.side(),
        })?;
        let seed = Random::part(!self.seed, number as u64).bits() >> 11;
        player.new_game(&self.configuration, seed, supervisor)?;
        let mut referee = Engine::new(start.clone(), Params::default());
        for &point in &moves {
            let name = referee.name(point);
            let reply = player.play(referee.to_move(), &name, supervisor);
            let reply = reply.map_err(|error| fault(describe(&error)))?;
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
        let thought = player.think(seat, None, allowed, patience, supervisor);
        let thought = thought.map_err(|silence| match silence {
            Silence::Fault(error) => fault(describe(&error)),
            Silence::Refused(text) => fault(text),
        })?;
        let value = thought
            .value
            .ok_or_else(|| BalanceError::Mute(self.judge.name.clone()))?;
        let chance = match start.to_move() == seat {
            true => value,
            false => 1.0 - value,
        };
        let (low, high) = self.chance;
        Ok((low..=high)
            .contains(&chance)
            .then_some(Balanced { moves, chance }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::matches::opening::{Openings, line};

    fn wanted(count: usize, concurrency: usize) -> Wanted {
        Wanted {
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

    fn make(wanted: &Wanted) -> Result<Vec<Balanced>, BalanceError> {
        let (openings, end) = wanted.make(&AtomicBool::new(false), &|_| {}, &|_| {});
        end.map(|()| openings)
    }

    #[test]
    fn openings_do_not_depend_on_the_concurrency() {
        let one = make(&wanted(8, 1)).unwrap();
        assert_eq!(one, make(&wanted(8, 3)).unwrap());
        assert!(
            one.iter()
                .all(|b| (0.4..=0.6).contains(&b.chance) && b.moves.len() == 4)
        );
        let list = Openings::List {
            file: "book".into(),
            moves: one
                .iter()
                .map(|b| line(&b.moves, wanted(1, 1).configuration.start()))
                .map(|text| text.split(' ').map(str::to_string).collect())
                .collect(),
        };
        let start = wanted(1, 1).configuration.start().clone();
        assert_eq!(list.moves(&start, 0, 5).unwrap(), one[5].moves);
    }

    #[test]
    fn what_cannot_be_found_is_given_up() {
        let none = Wanted {
            chance: (0.99, 0.999),
            ..wanted(1_000_000, 2)
        };
        let error = make(&none).unwrap_err().to_string();
        assert!(
            error.starts_with("`0` of 30 random openings of 4 plies")
                && error.ends_with("gave up after 30 in a row without a new one"),
            "{error}"
        );
        // The empty opening is the only one of its length.
        let one = Wanted {
            chance: (0.0, 1.0),
            plies: 0,
            ..wanted(2, 1)
        };
        let error = make(&one).unwrap_err().to_string();
        assert!(error.starts_with("`1` of 31 random openings"), "{error}");
        let long = Wanted {
            plies: 400,
            ..wanted(1, 1)
        };
        assert!(
            make(&long)
                .unwrap_err()
                .to_string()
                .contains("`400` random plies")
        );
        let (found, stopped) = wanted(1, 1).make(&AtomicBool::new(true), &|_| {}, &|_| {});
        assert!(found.is_empty() && matches!(stopped, Err(BalanceError::Interrupted)));
    }

    #[test]
    fn what_was_found_before_the_end_stays() {
        let whole = make(&wanted(8, 1)).unwrap();
        // The searches that the stop cuts short are no fault of the judge.
        let stop = AtomicBool::new(false);
        let after = |count| stop.store(count == 3, Relaxed);
        let (found, stopped) = wanted(50, 1).make(&stop, &after, &|_| {});
        assert!(matches!(stopped, Err(BalanceError::Interrupted)));
        assert_eq!(found, whole[..3]);
    }
}
