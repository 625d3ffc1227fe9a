//! A search that asks the game's solver near the end of the game.
//!
//! With one thread, or with a limit of iterations, the solver runs before the search. It gets half
//! of the time, or a number of nodes per iteration. If a quarter of that is not enough, a short
//! search tells the solver which move to try first. Otherwise the solver runs alone for a while,
//! then alongside the search.
//!
//! The solver is asked only if its budget is likely to be enough. A known result ends the search,
//! and the report says it: won moves come first, and where all moves lose, the one that resists
//! longest.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use super::capabilities::PlayableGame;
use super::exact::{ExactSettings, ExactSolver, after};
use super::move_code::MoveCode;
use super::resist::{self, NodeBudget, SolvedPosition};
use crate::board::Point;
use crate::game::{Outcome, Seat};
use crate::params::Params;
use crate::search::{MoveSearcher, Report, SearchLimits};
use crate::util::random::Random;
use crate::util::threads;

/// The points that each group beyond one per side counts as.
const POINTS_PER_GROUP: usize = 4;
/// The solver's nodes per iteration under a limit of iterations. They take about as long as the
/// iteration.
const NODES_PER_ITERATION: u64 = 8;
/// The fewest nodes that the solver gets, about a millisecond.
const MIN_NODES: u64 = 1 << 10;
/// A low estimate of the nodes that the solver searches in a millisecond.
const NODES_PER_MILLISECOND: u64 = 700;
/// Two thirds of the endings with this many points left, as [`points_left`] counts them, need at
/// most this many nodes. Each further point multiplies the nodes by [`GROWTH`].
const TYPICAL: (usize, f64) = (28, 20_000.0);
const GROWTH: f64 = 1.64;
/// The nodes that the solver gets alone before it runs alongside the search.
const NODES_ALONE: u64 = 1 << 13;
/// The time until the deadline is divided into this many parts where the solver runs first. It
/// gets half of them.
const TIME_PARTS: u32 = 8;
/// The solver's time without a deadline.
const TIME_WITHOUT_DEADLINE: Duration = Duration::from_millis(250);
/// The short search for the solver's first move gets one in this many iterations.
const GLANCE_SHARE: u64 = 8;
/// The solver's table takes at most the memory for the tree divided by this.
const MEMORY_SHARE: usize = 8;

/// A search that knows exact results near the end of the game, in a game with a solver.
pub(super) struct EndgameSearcher<G: PlayableGame> {
    // Called a few times a search: compiled once for each game, not for each evaluator.
    searcher: Box<dyn MoveSearcher<G>>,
    workers: usize,
    endgame: Endgame,
}

/// Decides when the solver is asked, and keeps it.
struct Endgame {
    /// The solver is asked if at most this many points are left.
    max_points: usize,
    settings: ExactSettings,
    solving: Option<Solving>,
    /// The hash of the position that was asked about last, and the nodes that have been offered
    /// for it. They add up because a search may come in slices.
    offered: (u64, u64),
}

/// The solver, which follows the game.
struct Solving {
    exact: Box<dyn ExactSolver>,
    /// The hashes of the positions since the one that the solver began with.
    path: Vec<u64>,
    /// What is known about the last of them.
    solved: Option<SolvedPosition>,
}

impl<G: PlayableGame> EndgameSearcher<G> {
    /// A search that asks the solver as `params` say.
    pub(super) fn new(searcher: Box<dyn MoveSearcher<G>>, params: &Params) -> Self {
        let memory = (params.memory as usize).saturating_mul(1 << 20);
        let settings = ExactSettings::new(memory / MEMORY_SHARE);
        Self {
            searcher,
            workers: params.workers(),
            endgame: Endgame {
                max_points: params.solve_points as usize,
                settings,
                solving: None,
                offered: (0, 0),
            },
        }
    }
}

impl Endgame {
    /// The solver at a position whose result is known, or that is close enough to the end to be
    /// solved with `nodes` and the nodes that were offered for it before.
    fn solver_at<G: PlayableGame>(&mut self, position: &G, nodes: u64) -> Option<&mut Solving> {
        let hash = position.hash();
        if self.offered.0 != hash {
            self.offered = (hash, 0);
        }
        self.offered.1 = self.offered.1.saturating_add(nodes);
        let is_known = |solving: &Solving| solving.is_at(hash) && solving.is_known();
        if self.max_points > 0 && self.solving.as_ref().is_some_and(is_known) {
            return self.solving.as_mut();
        }
        let most = self.max_points.min(solvable_points(self.offered.1));
        if position.outcome().is_some() || points_left(position)? > most {
            return None;
        }
        if self.solving.as_ref().is_none_or(|s| !s.is_at(hash)) {
            // Free the old table before the new one is allocated.
            self.solving = None;
            self.solving = Some(Solving {
                exact: position.exact(&self.settings).ok()?,
                path: vec![hash],
                solved: None,
            });
        }
        self.solving.as_mut()
    }
}

/// The largest number of points left with which this many nodes are likely to solve a position.
fn solvable_points(nodes: u64) -> usize {
    let (mut points, mut needed) = TYPICAL;
    while needed > nodes as f64 && points > 0 {
        needed /= GROWTH;
        points -= 1;
    }
    while needed * GROWTH <= nodes as f64 {
        needed *= GROWTH;
        points += 1;
    }
    points
}

/// How much is left to play in a game of two: the points that either side can reach, plus
/// [`POINTS_PER_GROUP`] for each group beyond one per side, because removed groups free points.
/// `None` in other games.
fn points_left<G: PlayableGame>(position: &G) -> Option<usize> {
    let stones = position.stones()?;
    let seats = position.in_play();
    if seats.len() != 2 {
        return None;
    }
    let mut points: Vec<Point> = Vec::new();
    let mut groups = 0;
    for seat in seats {
        points.extend(stones.playable(seat));
        groups += stones.groups(seat) as usize;
    }
    points.sort_unstable();
    points.dedup();
    Some(points.len() + POINTS_PER_GROUP * groups.saturating_sub(2))
}

impl Solving {
    fn is_at(&self, hash: u64) -> bool {
        self.path.last() == Some(&hash)
    }

    fn is_known(&self) -> bool {
        self.solved.is_some() || self.exact.known().is_some()
    }

    /// The moves whose results the table has, though the position itself is not solved.
    fn known_moves(&mut self) -> Vec<(u16, Outcome)> {
        let exact = &mut *self.exact;
        let known = exact.legal().into_iter().filter_map(|code| {
            let outcome = after(exact, code, |exact| exact.known()).flatten();
            outcome.map(|outcome| (code.number(), outcome))
        });
        known.collect()
    }

    /// Solves the position and then its moves; returns whether it could. `guess` is a move that
    /// probably wins; it is solved first.
    fn solve(&mut self, guess: Option<MoveCode>, budget: &mut NodeBudget<'_>) -> bool {
        if let Some(guess) = guess {
            // Only the entry in the table matters: it makes the next call quick.
            after(&mut *self.exact, guess, |exact| budget.solve(exact));
        }
        if self.solved.is_none()
            && let Some(outcome) = budget.solve(&mut *self.exact)
        {
            self.solved = resist::solve_moves(&mut *self.exact, outcome, budget);
        }
        self.solved.is_some()
    }
}

impl<G: PlayableGame> MoveSearcher<G> for EndgameSearcher<G> {
    fn search(
        &mut self,
        position: &G,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<G::Move> {
        let begin = Instant::now();
        let is_beside = self.workers > 1 && limits.iterations.is_none();
        let offer = Offer::new(limits, begin, is_beside);
        let searcher = &mut *self.searcher;
        let solving = match limits.root_moves {
            None => self.endgame.solver_at(position, offer.likely),
            Some(_) => None,
        };
        let Some(solving) = solving else {
            return searcher.search(position, limits, stop);
        };
        let before = solving.exact.nodes();
        let mut report =
            if solving.solve(None, &mut NodeBudget::new(offer.first, offer.end(1), stop)) {
                search_once(searcher, position, limits, stop)
            } else if is_beside {
                search_beside(searcher, solving, position, limits, stop)
            } else {
                let left = offer.all.saturating_sub(solving.exact.nodes() - before);
                search_in_turn(searcher, solving, position, limits, (&offer, left), stop)
            };
        if let Some(solved) = &mut solving.solved {
            let mut budget = NodeBudget::new(offer.all, limits.end(), stop);
            if limits.iterations.is_none() {
                // The first try had few nodes. Under a limit of iterations it was the whole share.
                solved.resist(&mut *solving.exact, &mut budget);
            }
            report_solved::<G>(&mut report, solved, position.to_move());
            let first = report.best().map(|found| MoveCode::of::<G>(found.mv));
            let line = first.map(|first| solved.line(&mut *solving.exact, first, &mut budget));
            if let (Some(line), Some(best)) = (line, report.moves.first_mut()) {
                best.variation_visits = vec![0; line.len()];
                if let Some(visits) = best.variation_visits.first_mut() {
                    *visits = best.visits;
                }
                let moves = line.into_iter().map(|code| G::decode(code.number()));
                best.principal_variation = moves.collect();
            }
        }
        report.elapsed = begin.elapsed();
        report
    }

    fn advance(&mut self, mv: G::Move, position: &G) {
        self.searcher.advance(mv, position);
        if let Some(solving) = &mut self.endgame.solving {
            solving.solved = None;
            match solving.exact.play(MoveCode::of::<G>(mv)) {
                Ok(()) => solving.path.push(position.hash()),
                Err(_) => self.endgame.solving = None,
            }
        }
    }

    fn retract(&mut self, position: &G) {
        self.searcher.retract(position);
        if let Some(solving) = &mut self.endgame.solving {
            solving.solved = None;
            solving.path.pop();
            if !solving.exact.undo() {
                self.endgame.solving = None;
            }
        }
    }

    fn clear(&mut self) {
        self.searcher.clear();
        self.endgame.solving = None;
        self.endgame.offered = (0, 0);
    }

    fn random(&mut self) -> &mut Random {
        self.searcher.random()
    }
}

/// The solver's share of a search.
struct Offer {
    /// All its nodes; without a limit of iterations the number is unlimited.
    all: u64,
    /// The nodes of its first try.
    first: u64,
    /// The nodes that it will probably reach.
    likely: u64,
    begin: Instant,
    /// One part of the time, without a limit of iterations. The solver gets the first part, a short
    /// search the second, and the solver three more.
    part: Option<Duration>,
}

impl Offer {
    fn new(limits: &SearchLimits, begin: Instant, is_beside: bool) -> Self {
        let all = limits.iterations.map_or(u64::MAX, |n| {
            n.saturating_mul(NODES_PER_ITERATION).max(MIN_NODES)
        });
        let time = limits.end().map(|end| end.saturating_duration_since(begin));
        let part = match time {
            Some(time) => Some(time / TIME_PARTS),
            None => limits
                .iterations
                .is_none()
                .then_some(TIME_WITHOUT_DEADLINE / 4),
        };
        let solver_time = if is_beside {
            time
        } else {
            part.map(|part| 4 * part)
        };
        Self {
            all,
            first: if is_beside {
                NODES_ALONE
            } else {
                (all / 4).max(MIN_NODES)
            },
            likely: all.min(solver_time.map_or(u64::MAX, nodes_in)),
            begin,
            part,
        }
    }

    /// The moment when this many parts of the time are over.
    fn end(&self, parts: u32) -> Option<Instant> {
        self.part.map(|part| self.begin + parts * part)
    }
}

/// The nodes that the solver is sure to search in a time.
fn nodes_in(time: Duration) -> u64 {
    (time.as_micros() as u64).saturating_mul(NODES_PER_MILLISECOND) / 1000
}

/// Searches one iteration, to get a report of a position whose result is known.
fn search_once<G: PlayableGame>(
    searcher: &mut dyn MoveSearcher<G>,
    position: &G,
    limits: &SearchLimits,
    stop: &(dyn Fn() -> bool + Sync),
) -> Report<G::Move> {
    let limits = SearchLimits {
        iterations: Some(1),
        ..limits.clone()
    };
    searcher.search(position, &limits, stop)
}

/// Runs the search and the solver one after the other: a short search tells the solver which move
/// to try first, and the solver tells the search which moves are decided. The solver has had its
/// first try and may use `nodes` more.
fn search_in_turn<G: PlayableGame>(
    searcher: &mut dyn MoveSearcher<G>,
    solving: &mut Solving,
    position: &G,
    limits: &SearchLimits,
    (offer, nodes): (&Offer, u64),
    stop: &(dyn Fn() -> bool + Sync),
) -> Report<G::Move> {
    let is_late = |end: Option<Instant>| end.is_some_and(|end| Instant::now() >= end);
    let mut glance = None;
    // A single iteration cannot be divided.
    if nodes > 0 && limits.iterations.is_none_or(|most| most > 1) {
        let share = SearchLimits {
            iterations: limits.iterations.map(|most| most.div_ceil(GLANCE_SHARE)),
            ..limits.sliced(offer.end(2))
        };
        let found = searcher.search(position, &share, stop);
        let is_won = found.proof == Some(Outcome::Winner(position.to_move()));
        if is_won || stop() || is_late(limits.end()) {
            return found;
        }
        let guess = found.best().map(|best| MoveCode::of::<G>(best.mv));
        if solving.solve(guess, &mut NodeBudget::new(nodes, offer.end(5), stop)) {
            return search_once(searcher, position, limits, stop).after(&found);
        }
        glance = Some(found);
    }
    let done = glance.as_ref().map_or(0, |found| found.iterations);
    let mut known = limits.known.to_vec();
    known.extend(solving.known_moves());
    let limits = SearchLimits {
        iterations: limits
            .iterations
            .map(|most| most.saturating_sub(done).max(1)),
        known: known.into(),
        ..limits.clone()
    };
    let report = searcher.search(position, &limits, stop);
    match glance {
        Some(glance) => report.after(&glance),
        None => report,
    }
}

/// Runs the solver alongside the search. Whichever finds the result first ends both.
fn search_beside<G: PlayableGame>(
    searcher: &mut dyn MoveSearcher<G>,
    solving: &mut Solving,
    position: &G,
    limits: &SearchLimits,
    stop: &(dyn Fn() -> bool + Sync),
) -> Report<G::Move> {
    let (is_known, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let work = || {
            let over = || is_over.load(Relaxed);
            let mut budget = NodeBudget::new(u64::MAX, limits.end(), &over);
            is_known.store(solving.solve(None, &mut budget), Relaxed);
        };
        // If no thread can be started, the search runs alone.
        let _ = threads::spawn(scope, work);
        let report = searcher.search(position, limits, &|| stop() || is_known.load(Relaxed));
        is_over.store(true, Relaxed);
        report
    })
}

/// Writes the exact results into a report and sorts its moves: won moves first and lost moves last,
/// those that resist longest before others.
fn report_solved<G: PlayableGame>(
    report: &mut Report<G::Move>,
    solved: &SolvedPosition,
    mover: Seat,
) {
    report.proof = Some(solved.outcome);
    // What is known of a move holds for its twins.
    let known = report.moves.iter().filter_map(|found| {
        let outcome = solved.result(MoveCode::of::<G>(found.mv))?;
        Some((found.searched_move(), outcome))
    });
    let known = Vec::from_iter(known);
    for found in &mut report.moves {
        let searched = found.searched_move();
        let result = known.iter().find(|(mv, _)| *mv == searched);
        if let Some(&(_, outcome)) = result {
            found.proof = Some(outcome);
            found.value = outcome.value_for(mover, G::SEATS);
        }
    }
    report.moves.sort_by_key(|found| match found.proof {
        Some(Outcome::Winner(winner)) if winner != mover => {
            (2, Reverse(solved.resistance(MoveCode::of::<G>(found.mv))))
        }
        proof => (u8::from(proof != Some(solved.outcome)), Reverse((0, 0))),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_nodes_solve_as_many_points_or_more() {
        let (points, nodes) = TYPICAL;
        let nodes = nodes as u64;
        let around = (solvable_points(nodes - 1), solvable_points(nodes));
        assert_eq!(around, (points - 1, points));
        assert_eq!(solvable_points(2 * nodes), points + 1);
        let all: Vec<usize> = (0..64).map(|bits| solvable_points(1 << bits)).collect();
        assert!(all.is_sorted(), "{all:?}");
        assert!(solvable_points(0) == 0 && solvable_points(u64::MAX) < 100);
    }
}
