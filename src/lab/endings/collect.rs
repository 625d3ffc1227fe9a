//! Collects endings from self-play: games of the engine with few iterations from random openings,
//! and from each the first position with a given number of playable points.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use thiserror::Error;

use super::canonical::canonical;
use super::playable;
use super::solve::Solve;
use super::suite::{Ending, MOST_ROOTS};
use crate::engine::Engine;
use crate::lab::matches::{OpeningError, opening};
use crate::params::Params;
use crate::search::SearchLimits;
use crate::tanbo::{Tanbo, colour, variant};
use crate::util::jobs::Jobs;
use crate::util::random::Random;
use crate::variant::{SharedStart, Stones, Variant};

/// MiB of the tree of a game, enough for few iterations.
const MEMORY: u64 = 16;

#[derive(Clone, Debug)]
pub(crate) struct CollectSettings {
    pub(crate) start: SharedStart,
    /// Playable points of each ending.
    pub(crate) points: usize,
    pub(crate) count: usize,
    /// Random moves at the beginning of each game.
    pub(crate) plies: usize,
    /// Iterations of each move after them.
    pub(crate) iterations: u64,
    /// Gives up after this many games in a row without a new ending, 1 or more.
    pub(crate) tries: usize,
    /// Gives up after this long without a new ending.
    pub(crate) patience: Duration,
    pub(crate) seed: u64,
    /// Concurrent games, 1 or more; the endings do not depend on it.
    pub(crate) concurrency: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum CollectError {
    #[error("endings are positions of Tanbo between black and white, not of {0}")]
    Start(String),
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error("{0}")]
    Few(String),
    /// A game was given up because no new ending had come for too long.
    #[error("no new ending for too long")]
    Late,
    #[error("interrupted")]
    Interrupted,
}

/// How far a collection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CollectProgress {
    pub(crate) endings: usize,
    /// Finished games.
    pub(crate) games: usize,
    /// Positions with few enough roots that did not have the right number of playable points.
    pub(crate) candidates: u64,
}

/// What the games of a collection share.
struct Watch<'a> {
    /// Called after each move and each game.
    after: &'a (dyn Fn(CollectProgress) + Sync),
    endings: AtomicUsize,
    games: AtomicUsize,
    candidates: AtomicU64,
    last_new: Mutex<Instant>,
}

impl<'a> Watch<'a> {
    fn new(after: &'a (dyn Fn(CollectProgress) + Sync)) -> Self {
        Self {
            after,
            endings: AtomicUsize::new(0),
            games: AtomicUsize::new(0),
            candidates: AtomicU64::new(0),
            last_new: Mutex::new(Instant::now()),
        }
    }

    fn progress(&self) -> CollectProgress {
        CollectProgress {
            endings: self.endings.load(Relaxed),
            games: self.games.load(Relaxed),
            candidates: self.candidates.load(Relaxed),
        }
    }

    fn report(&self) {
        (self.after)(self.progress());
    }

    fn is_late(&self, patience: Duration) -> bool {
        self.last_new.lock().elapsed() >= patience
    }
}

impl CollectSettings {
    /// Collects endings that differ under symmetry, in the order of their games, and solves them
    /// with `solve`. `after` is called after each move and each game. If the work ends early, the
    /// endings found so far are returned, unsolved, with the error.
    pub(crate) fn make(
        &self,
        solve: Option<&Solve<'_>>,
        stop: &AtomicBool,
        after: &(dyn Fn(CollectProgress) + Sync),
    ) -> (Vec<Ending>, Result<(), CollectError>) {
        let mut endings = Vec::new();
        let end = self.collect(&mut endings, stop, after);
        // A collection that fell short is solved as well.
        let is_over = matches!(end, Ok(()) | Err(CollectError::Few { .. }));
        let solved = solve
            .filter(|_| is_over)
            .map_or(Ok(()), |solve| self.solve(&mut endings, solve, stop));
        (endings, solved.and(end))
    }

    fn collect(
        &self,
        endings: &mut Vec<Ending>,
        stop: &AtomicBool,
        after: &(dyn Fn(CollectProgress) + Sync),
    ) -> Result<(), CollectError> {
        let variant = self.start.variant();
        let is_tanbo = variant.name() == Tanbo.name();
        if !is_tanbo || self.start.players() != [colour::BLACK, colour::WHITE] {
            let (title, players) = (variant.title(), self.start.players().len());
            return Err(CollectError::Start(format!("{title} for `{players}`")));
        }
        let most = self.count.saturating_mul(self.tries);
        let jobs = Jobs::new(most, self.concurrency, stop);
        let watch = Watch::new(after);
        let job = |(): &mut (), number| self.game(number, &watch, stop);
        // The canonical forms so far.
        let mut seen = HashSet::new();
        let mut in_vain = 0;
        let end = jobs.run(job, |ending| {
            let new = ending.filter(|ending| seen.insert(canonical(ending.start.setup()).stones));
            watch.games.fetch_add(1, Relaxed);
            if new.is_some() {
                in_vain = 0;
                *watch.last_new.lock() = Instant::now();
                watch.endings.fetch_add(1, Relaxed);
            } else {
                in_vain += 1;
            }
            endings.extend(new);
            watch.report();
            Ok(endings.len() < self.count && in_vain < self.tries)
        });
        let reason = match end {
            Err(CollectError::Late) => {
                let seconds = self.patience.as_secs_f64();
                format!("{seconds} s without a new one")
            }
            Err(error) => return Err(error),
            Ok(()) => format!("{} games in a row without a new one", self.tries),
        };
        match (endings.len() < self.count, stop.load(Relaxed)) {
            (false, _) => Ok(()),
            (true, true) => Err(CollectError::Interrupted),
            (true, false) => {
                let CollectProgress {
                    games, candidates, ..
                } = watch.progress();
                Err(CollectError::Few(format!(
                    "found `{}` of {} endings with {} playable points in {games} games and {candidates} other \
                     positions with at most {MOST_ROOTS} roots a side; gave up after {reason}",
                    endings.len(),
                    self.count,
                    self.points,
                )))
            }
        }
    }

    /// The first ending in the game with this number.
    fn game(
        &self,
        number: usize,
        watch: &Watch<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<Ending>, CollectError> {
        let opening = opening::random(&self.start, self.plies, self.seed, number)?;
        let params = Params {
            threads: 1,
            memory: MEMORY,
            seed: Random::part(!self.seed, number as u64).bits(),
            ..Params::default()
        };
        let limits = SearchLimits::of_iterations(self.iterations);
        let mut engine = Engine::new(self.start.clone(), params);
        for &code in &opening {
            let _ = engine.play(code);
        }
        while !engine.is_over() {
            if stop.load(Relaxed) {
                return Err(CollectError::Interrupted);
            }
            if watch.is_late(self.patience) {
                return Err(CollectError::Late);
            }
            let candidate = engine.stones().filter(|stones| has_few_roots(*stones));
            let ending = candidate.filter(|stones| playable::count(*stones) == self.points);
            if candidate.is_some() && ending.is_none() {
                watch.candidates.fetch_add(1, Relaxed);
            }
            watch.report();
            if let Some(stones) = ending
                && let Ok(start) = variant::setup(stones, engine.to_move()).check(Some(2))
            {
                let winner = None;
                return Ok(Some(Ending { start, winner }));
            }
            let report = engine.search(&limits, &|| stop.load(Relaxed));
            let Some(best) = report.best() else { break };
            if engine.play(best.mv).is_err() {
                break;
            }
        }
        Ok(None)
    }

    /// Fills in the winners until it is stopped.
    fn solve(
        &self,
        endings: &mut [Ending],
        solve: &Solve<'_>,
        stop: &AtomicBool,
    ) -> Result<(), CollectError> {
        let jobs = Jobs::new(endings.len(), self.concurrency, stop);
        let mut winners = Vec::new();
        let job = |(): &mut (), number: usize| Ok(solve(&endings[number].start));
        let Ok(()) = jobs.run::<_, _, Infallible>(job, |solved| {
            winners.push(solved.map(|solved| solved.winner));
            Ok(true)
        });
        for (ending, winner) in endings.iter_mut().zip(winners) {
            ending.winner = winner;
        }
        if stop.load(Relaxed) {
            Err(CollectError::Interrupted)
        } else {
            Ok(())
        }
    }
}

fn has_few_roots(stones: &dyn Stones) -> bool {
    let seats = [colour::BLACK, colour::WHITE];
    let few = |seat| (1..=MOST_ROOTS as u32).contains(&stones.groups(seat));
    seats.into_iter().all(few)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::endings::solve::Solved;
    use crate::start::Configuration;
    use crate::tanbo::Start;

    fn wanted(count: usize, concurrency: usize) -> CollectSettings {
        let configuration = Configuration::new(Some(5), Some("corners"), None).unwrap();
        CollectSettings {
            start: configuration.start().clone(),
            points: 12,
            count,
            plies: 3,
            iterations: 20,
            tries: 100,
            patience: Duration::MAX,
            seed: 3,
            concurrency,
        }
    }

    fn make(wanted: &CollectSettings) -> Result<Vec<Ending>, CollectError> {
        let (endings, end) = wanted.make(None, &AtomicBool::new(false), &|_| {});
        end.map(|()| endings)
    }

    #[test]
    fn what_was_found_before_the_end_stays() {
        let whole = make(&wanted(12, 1)).unwrap();
        let stop = AtomicBool::new(false);
        let after = |progress: CollectProgress| stop.store(progress.endings == 5, Relaxed);
        let (found, end) = wanted(12, 1).make(None, &stop, &after);
        assert_eq!(end, Err(CollectError::Interrupted));
        assert_eq!(found, whole[..5]);
        // So do the results that were found.
        let stop = AtomicBool::new(false);
        let solve = |start: &Start| {
            stop.store(true, Relaxed);
            let winner = start.setup().to_move;
            Some(Solved { winner, nodes: 1 })
        };
        let (found, end) = wanted(12, 1).make(Some(&solve), &stop, &|_| {});
        assert_eq!(end, Err(CollectError::Interrupted));
        let solved = found.iter().filter(|ending| ending.winner.is_some());
        assert_eq!((found.len(), solved.count()), (12, 1));
    }

    #[test]
    fn endings_do_not_depend_on_the_concurrency() {
        let one = make(&wanted(12, 1)).unwrap();
        assert_eq!(one, make(&wanted(12, 3)).unwrap());
        assert_eq!(one[..5], make(&wanted(5, 1)).unwrap());
        let other = CollectSettings {
            seed: 4,
            ..wanted(12, 1)
        };
        assert_ne!(one, make(&other).unwrap());
        for ending in &one {
            assert_eq!(ending.check(12), Ok(()));
            assert_eq!(ending.winner, None);
        }
    }

    #[test]
    fn the_winner_is_what_the_solver_says() {
        // Any property that only some positions have.
        let solve = |start: &Start| {
            let points = start.setup().stones.keys();
            let sum: usize = points.map(|point| point.index()).sum();
            let winner = start.setup().to_move;
            sum.is_multiple_of(2).then_some(Solved { winner, nodes: 1 })
        };
        let (made, end) = wanted(12, 2).make(Some(&solve), &AtomicBool::new(false), &|_| {});
        end.unwrap();
        for ending in &made {
            let solved = solve(&ending.start);
            assert_eq!(ending.winner, solved.map(|solved| solved.winner));
        }
        let known = made.iter().filter(|ending| ending.winner.is_some()).count();
        assert!((1..12).contains(&known), "{known} of 12");
    }

    #[test]
    fn what_cannot_be_found_is_given_up() {
        let none = CollectSettings {
            points: 24,
            iterations: 1,
            tries: 40,
            ..wanted(1_000_000, 2)
        };
        let error = make(&none).unwrap_err().to_string();
        let (found, gave_up) = error.split_once(" games and ").unwrap();
        assert_eq!(
            found,
            "found `0` of 1000000 endings with 24 playable points in 40"
        );
        let (candidates, gave_up) = gave_up.split_once(" other ").unwrap();
        assert!(candidates.parse::<u64>().unwrap() > 100, "{candidates}");
        assert_eq!(
            gave_up,
            "positions with at most 2 roots a side; gave up after 40 games in a row without a new one"
        );
        let hasty = CollectSettings {
            patience: Duration::ZERO,
            ..none
        };
        assert_eq!(
            make(&hasty).unwrap_err().to_string(),
            "found `0` of 1000000 endings with 24 playable points in 0 games and 0 other positions with at \
             most 2 roots a side; gave up after 0 s without a new one"
        );
        let long = CollectSettings {
            plies: 400,
            ..wanted(1, 1)
        };
        let error = make(&long).unwrap_err().to_string();
        assert!(error.contains("`400` random plies"), "{error}");
        let (found, stopped) = wanted(1, 1).make(None, &AtomicBool::new(true), &|_| {});
        assert_eq!((found.len(), stopped), (0, Err(CollectError::Interrupted)));
        let four = Configuration::new(Some(19), None, Some(4)).unwrap();
        let four = CollectSettings {
            start: four.start().clone(),
            ..wanted(1, 1)
        };
        let error = make(&four).unwrap_err().to_string();
        assert!(error.contains("not of Tanbo for `4`"), "{error}");
    }
}
