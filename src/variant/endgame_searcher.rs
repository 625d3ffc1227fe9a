//! A search that asks the game's solver when little is left to play.
//!
//! With one thread, or where iterations are the limit, the solver goes first. It gets half of the
//! time, or some nodes for each iteration; if a quarter of that is not enough, the search tells it
//! which move to look at first. Else it works beside the search after a short try of its own. It is
//! only asked where that is likely to be enough. A known result ends the search and is what the
//! report says: won moves first, and the longest resistance where all moves lose.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use super::exact::{Exact, ExactSettings, after};
use super::notation::{MoveCode, PlayableGame};
use super::resist::{self, Budget, Judged};
use crate::board::Point;
use crate::game::{Outcome, Seat};
use crate::params::Params;
use crate::search::{MoveSearcher, Report, SearchLimits};
use crate::util::jobs::STACK;
use crate::util::random::Random;

/// Points that a group beyond one a side counts for.
const GROUP: usize = 4;
/// Nodes of the solver for each iteration, where iterations are the limit: about half of the
/// time.
const NODES: u64 = 8;
/// The fewest nodes, about a millisecond.
const FEWEST: u64 = 1 << 10;
/// Nodes a millisecond, on a slow day.
const SPEED: u64 = 700;
/// Two thirds of the endings with so many points left, as [`left`] counts, take no more than so
/// many nodes, and each point more takes `GROWTH` times as many.
const TYPICAL: (usize, f64) = (28, 20_000.0);
const GROWTH: f64 = 1.64;
/// Nodes before the solver works beside the search.
const ALONE: u64 = 1 << 13;
/// Parts of the time until the deadline, where the solver goes first: it gets half of them.
const PARTS: u32 = 8;
/// The solver's time where there is no deadline.
const UNLIMITED: Duration = Duration::from_millis(250);
/// One in so many iterations tells the solver where to look first.
const GLANCE: u64 = 8;
/// The solver's table takes at most this part of the memory for the tree.
const MEMORY_PART: usize = 8;

/// A thinker that knows exact results near the end of the game, where the game has a solver.
pub(super) struct EndgameSearcher<T> {
    thinker: T,
    workers: usize,
    asked: Asked,
}

/// When the solver is asked, and where it stands.
struct Asked {
    /// Points that are left to play at most.
    points: usize,
    settings: ExactSettings,
    walk: Option<Walk>,
    /// The hash of the position that was last asked about, and the nodes that were offered for it: a
    /// search may come in slices.
    offered: (u64, u64),
}

/// The solver at the position of the game.
struct Walk {
    exact: Box<dyn Exact>,
    /// The hashes of the positions from the one on that the solver began with.
    path: Vec<u64>,
    /// What is known of the last of them.
    judged: Option<Judged>,
}

impl<T> EndgameSearcher<T> {
    /// A thinker that asks the solver as the settings have it.
    pub(super) fn new(thinker: T, params: &Params) -> Self {
        let memory = (params.memory as usize).saturating_mul(1 << 20);
        let settings = ExactSettings {
            bytes: memory / MEMORY_PART,
            threads: 1,
            has_order: true,
            checkpoint: None,
        };
        Self {
            thinker,
            workers: params.workers(),
            asked: Asked {
                points: params.solve_points as usize,
                settings,
                walk: None,
                offered: (0, 0),
            },
        }
    }
}

impl Asked {
    /// The solver at a position whose result is known, or that is near enough to the end for so
    /// many nodes and those that were offered for it before.
    fn at<G: PlayableGame>(&mut self, position: &G, nodes: u64) -> Option<&mut Walk> {
        let hash = position.hash();
        if self.offered.0 != hash {
            self.offered = (hash, 0);
        }
        self.offered.1 = self.offered.1.saturating_add(nodes);
        let is_known = |walk: &Walk| walk.is_at(hash) && walk.is_known();
        if self.points > 0 && self.walk.as_ref().is_some_and(is_known) {
            return self.walk.as_mut();
        }
        let most = self.points.min(reach(self.offered.1));
        if position.outcome().is_some() || left(position)? > most {
            return None;
        }
        if self.walk.as_ref().is_none_or(|walk| !walk.is_at(hash)) {
            // The old one's memory goes first.
            self.walk = None;
            self.walk = Some(Walk {
                exact: position.exact(&self.settings).ok()?,
                path: vec![hash],
                judged: None,
            });
        }
        self.walk.as_mut()
    }
}

/// So many points are likely to be solved with so many nodes.
fn reach(nodes: u64) -> usize {
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

/// How much is left to play for two: the points where either can get to, and more for each group
/// beyond one a side, since points come back when groups go. None where there is no such.
fn left<G: PlayableGame>(position: &G) -> Option<usize> {
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
    Some(points.len() + GROUP * groups.saturating_sub(2))
}

impl Walk {
    fn is_at(&self, hash: u64) -> bool {
        self.path.last() == Some(&hash)
    }

    fn is_known(&self) -> bool {
        self.judged.is_some() || self.exact.known().is_some()
    }

    /// The results of moves that were found out on the way to one that was not.
    fn known_moves(&mut self) -> Vec<(u16, Outcome)> {
        let exact = &mut *self.exact;
        let known = exact.legal().into_iter().filter_map(|code| {
            let outcome = after(exact, code, |exact| exact.known()).flatten();
            outcome.map(|outcome| (code.number(), outcome))
        });
        known.collect()
    }

    /// Solves the position, and if that succeeds its moves; a move that may win goes first.
    fn judge(&mut self, guess: Option<MoveCode>, budget: &mut Budget<'_>) -> bool {
        if let Some(guess) = guess {
            // The table keeps what it finds out, or the position is solved soon anyway.
            after(&mut *self.exact, guess, |exact| budget.solve(exact));
        }
        if self.judged.is_none()
            && let Some(outcome) = budget.solve(&mut *self.exact)
        {
            self.judged = resist::judge(&mut *self.exact, outcome, budget);
        }
        self.judged.is_some()
    }
}

impl<G: PlayableGame, T: MoveSearcher<G>> MoveSearcher<G> for EndgameSearcher<T> {
    fn search(
        &mut self,
        position: &G,
        limits: &SearchLimits,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Report<G::Move> {
        let begin = Instant::now();
        let is_beside = self.workers > 1 && limits.iterations.is_none();
        let offer = Offer::new(limits, begin, is_beside);
        let thinker = &mut self.thinker;
        let walk = match limits.root_moves {
            None => self.asked.at(position, offer.likely),
            Some(_) => None,
        };
        let Some(walk) = walk else {
            return thinker.search(position, limits, stop);
        };
        let before = walk.exact.nodes();
        let mut report = if walk.judge(None, &mut Budget::new(offer.first, offer.end(1), stop)) {
            look(thinker, position, limits, stop)
        } else if is_beside {
            beside(thinker, walk, position, limits, stop)
        } else {
            let left = offer.all.saturating_sub(walk.exact.nodes() - before);
            in_turn(thinker, walk, position, limits, (&offer, left), stop)
        };
        if let Some(judged) = &mut walk.judged {
            let mut budget = Budget::new(offer.all, limits.end(), stop);
            if limits.iterations.is_none() {
                // The first try had few nodes; where these count, it had its share.
                judged.resist(&mut *walk.exact, &mut budget);
            }
            tell::<G>(&mut report, judged, position.to_move());
            let first = report.best().map(|found| code::<G>(found.mv));
            let line = first.map(|first| judged.line(&mut *walk.exact, first, &mut budget));
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
        self.thinker.advance(mv, position);
        if let Some(walk) = &mut self.asked.walk {
            walk.judged = None;
            match walk.exact.play(code::<G>(mv)) {
                Ok(()) => walk.path.push(position.hash()),
                Err(_) => self.asked.walk = None,
            }
        }
    }

    fn retract(&mut self, position: &G) {
        self.thinker.retract(position);
        if let Some(walk) = &mut self.asked.walk {
            walk.judged = None;
            walk.path.pop();
            if !walk.exact.undo() {
                self.asked.walk = None;
            }
        }
    }

    fn clear(&mut self) {
        self.thinker.clear();
        self.asked.walk = None;
        self.asked.offered = (0, 0);
    }

    fn reseed(&mut self, seed: u64) {
        self.thinker.reseed(seed);
    }

    fn random(&self) -> &Random {
        self.thinker.random()
    }

    fn set_random(&mut self, random: Random) {
        self.thinker.set_random(random);
    }
}

/// What the solver may use for a search.
struct Offer {
    /// Nodes; no limit where time is one.
    all: u64,
    /// Nodes of those that are enough for a first try.
    first: u64,
    /// Nodes that the solver will get to.
    likely: u64,
    begin: Instant,
    /// A part of the time, where that is the limit: the solver gets one of these at first, the
    /// search one for a glance, the solver three more.
    part: Option<Duration>,
}

impl Offer {
    fn new(limits: &SearchLimits, begin: Instant, is_beside: bool) -> Self {
        let all = limits
            .iterations
            .map_or(u64::MAX, |n| n.saturating_mul(NODES).max(FEWEST));
        let time = limits.end().map(|end| end.saturating_duration_since(begin));
        let part = match time {
            Some(time) => Some(time / PARTS),
            None => limits.iterations.is_none().then_some(UNLIMITED / 4),
        };
        let its_own = match is_beside {
            true => time,
            false => part.map(|part| 4 * part),
        };
        Self {
            all,
            first: if is_beside {
                ALONE
            } else {
                (all / 4).max(FEWEST)
            },
            likely: all.min(its_own.map_or(u64::MAX, nodes_in)),
            begin,
            part,
        }
    }

    /// The end of so many parts of the time.
    fn end(&self, parts: u32) -> Option<Instant> {
        self.part.map(|part| self.begin + parts * part)
    }
}

/// Nodes that the solver surely searches in a time.
fn nodes_in(time: Duration) -> u64 {
    (time.as_micros() as u64).saturating_mul(SPEED) / 1000
}

fn code<G: PlayableGame>(mv: G::Move) -> MoveCode {
    MoveCode::new(G::code(mv))
}

/// A report for a position whose result is known: the search need not think.
fn look<G: PlayableGame, T: MoveSearcher<G>>(
    thinker: &mut T,
    position: &G,
    limits: &SearchLimits,
    stop: &(dyn Fn() -> bool + Sync),
) -> Report<G::Move> {
    let limits = SearchLimits {
        iterations: Some(1),
        ..limits.clone()
    };
    thinker.search(position, &limits, stop)
}

/// The search and the solver one after the other: the search says which move the solver looks at
/// first, the solver which moves the search need not look at. The solver has tried before and
/// may take so many nodes more.
fn in_turn<G: PlayableGame, T: MoveSearcher<G>>(
    thinker: &mut T,
    walk: &mut Walk,
    position: &G,
    limits: &SearchLimits,
    (offer, nodes): (&Offer, u64),
    stop: &(dyn Fn() -> bool + Sync),
) -> Report<G::Move> {
    let is_late = |end: Option<Instant>| end.is_some_and(|end| Instant::now() >= end);
    let mut glance = None;
    // A single iteration cannot be shared.
    if nodes > 0 && limits.iterations.is_none_or(|most| most > 1) {
        let share = SearchLimits {
            iterations: limits.iterations.map(|most| most.div_ceil(GLANCE)),
            ..limits.sliced(offer.end(2))
        };
        let found = thinker.search(position, &share, stop);
        let is_won = found.proof == Some(Outcome::Winner(position.to_move()));
        if is_won || stop() || is_late(limits.end()) {
            return found;
        }
        let guess = found.best().map(|best| code::<G>(best.mv));
        if walk.judge(guess, &mut Budget::new(nodes, offer.end(5), stop)) {
            return look(thinker, position, limits, stop).after(&found);
        }
        glance = Some(found);
    }
    let done = glance.as_ref().map_or(0, |found| found.iterations);
    let mut known = limits.known.to_vec();
    known.extend(walk.known_moves());
    let limits = SearchLimits {
        iterations: limits
            .iterations
            .map(|most| most.saturating_sub(done).max(1)),
        known: known.into(),
        ..limits.clone()
    };
    let report = thinker.search(position, &limits, stop);
    match glance {
        Some(glance) => report.after(&glance),
        None => report,
    }
}

/// The search with the solver beside it; what is known first ends both.
fn beside<G: PlayableGame, T: MoveSearcher<G>>(
    thinker: &mut T,
    walk: &mut Walk,
    position: &G,
    limits: &SearchLimits,
    stop: &(dyn Fn() -> bool + Sync),
) -> Report<G::Move> {
    let (is_known, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let work = || {
            let over = || is_over.load(Relaxed);
            let mut budget = Budget::new(u64::MAX, limits.end(), &over);
            is_known.store(walk.judge(None, &mut budget), Relaxed);
        };
        let thread = thread::Builder::new().stack_size(STACK);
        // Without a thread to be had, the search is alone.
        let _ = thread.spawn_scoped(scope, work);
        let report = thinker.search(position, limits, &|| stop() || is_known.load(Relaxed));
        is_over.store(true, Relaxed);
        report
    })
}

/// Makes a report say what is known for certain: exact results, won moves first, and lost ones
/// last, the longest resistance before others.
fn tell<G: PlayableGame>(report: &mut Report<G::Move>, judged: &Judged, mover: Seat) {
    report.proof = Some(judged.outcome);
    for found in &mut report.moves {
        if let Some(outcome) = judged.of(code::<G>(found.mv)) {
            found.proof = Some(outcome);
            found.value = outcome.value_for(mover, G::SEATS);
        }
    }
    report.moves.sort_by_key(|found| match found.proof {
        Some(Outcome::Winner(winner)) if winner != mover => {
            (2, Reverse(judged.resistance(code::<G>(found.mv))))
        }
        proof => (u8::from(proof != Some(judged.outcome)), Reverse((0, 0))),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_nodes_reach_as_far_or_farther() {
        let (points, nodes) = TYPICAL;
        let nodes = nodes as u64;
        assert_eq!((reach(nodes - 1), reach(nodes)), (points - 1, points));
        assert_eq!(reach(2 * nodes), points + 1);
        let reaches: Vec<usize> = (0..64).map(|bits| reach(1 << bits)).collect();
        assert!(reaches.is_sorted(), "{reaches:?}");
        assert!(reach(0) == 0 && reach(u64::MAX) < 100);
    }
}
