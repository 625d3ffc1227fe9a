//! Searches the turn of the side to move: for a win, and for the most material.

use arrayvec::ArrayVec;

use crate::game::Game;
use crate::taratibu::capture::{
    CaptureResult, CaptureSearch, Distances, TurnView, assignable, quick_bound,
};
use crate::taratibu::piece::{FAR, KINDS, Kind, MAN, WINNING};
use crate::taratibu::position::{LAST_TURN, Position, Step};
use crate::taratibu::square::bits;

/// The result of a search for a win in this turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WinSearch {
    /// These steps win; no shorter sequence does.
    Win(Vec<Step>),
    /// The turn cannot be won.
    NoWin,
    /// The node budget was used up.
    Unknown,
}

/// The three sets of enemy pieces; capturing one of them wins.
#[inline(always)]
pub(super) fn winning_sets(alive: u16) -> [u16; 3] {
    WINNING.map(|order| (order | MAN) & alive)
}

/// A turn that may be won: its view, its distances, and the winning sets that the bounds allow.
type Candidate = (TurnView, Distances, ArrayVec<u16, 3>);

/// Filters the winning sets by two lower bounds on the steps needed; `None` if none passes.
#[inline(always)]
fn candidate(position: &Position) -> Option<Candidate> {
    if position.outcome().is_some() {
        return None;
    }
    let view = TurnView::new(position, position.mover());
    let left = u32::from(position.steps_left());
    let rings = view.rings();
    let mut open = ArrayVec::from(winning_sets(view.enemy_kinds));
    open.retain(|set| quick_bound(&rings, view.squares_of(*set)) <= left);
    if open.is_empty() {
        return None;
    }
    let distances = view.distances(left);
    open.retain(|set| assignable(*set, left, |target| &distances[target]));
    (!open.is_empty()).then_some((view, distances, open))
}

/// Whether the side to move can win in the rest of its turn, with the fewest steps. With a
/// `budget` the search gives up after that many nodes.
#[inline(always)]
pub fn find_win(position: &Position, budget: Option<u64>) -> WinSearch {
    match candidate(position) {
        None => WinSearch::NoWin,
        Some(candidate) => search_win(candidate, u32::from(position.steps_left()), budget),
    }
}

/// The search for the few turns that pass the filter.
#[inline(never)]
fn search_win((view, distances, sets): Candidate, left: u32, budget: Option<u64>) -> WinSearch {
    let mut search = CaptureSearch::new(view, distances, budget.unwrap_or(u64::MAX));
    search.shortest(&sets, left).into()
}

impl From<CaptureResult> for WinSearch {
    fn from(result: CaptureResult) -> Self {
        match result {
            CaptureResult::Steps(steps) => Self::Win(steps),
            CaptureResult::Impossible => Self::NoWin,
            CaptureResult::Unknown => Self::Unknown,
        }
    }
}

/// Nodes between two calls of the condition of [`find_win_while`].
const INTERVAL: u64 = 1 << 12;

/// As [`find_win`], as long as `goes_on` returns true. It receives the nodes so far.
pub(crate) fn find_win_while(
    position: &Position,
    goes_on: &mut dyn FnMut(u64) -> bool,
) -> WinSearch {
    let Some((view, distances, sets)) = candidate(position) else {
        return WinSearch::NoWin;
    };
    let left = u32::from(position.steps_left());
    let mut search = CaptureSearch::new(view, distances, INTERVAL);
    loop {
        let found = WinSearch::from(search.shortest(&sets, left));
        if !goes_on(search.nodes) || found != WinSearch::Unknown {
            return found;
        }
        // The search remembers what failed, so it quickly gets back to where it was.
        search.extend(INTERVAL);
    }
}

/// The value of a set of kinds.
fn value(kinds: usize) -> u32 {
    let of = |kind: &usize| kinds & 1 << kind != 0;
    (0..KINDS).filter(of).map(|k| Kind::ALL[k].value()).sum()
}

/// By set of enemy pieces: the least sum of distances of different attackers, a lower bound on the
/// steps to capture the set; at most [`FAR`].
pub(super) fn least_steps(view: &TurnView, distances: &Distances) -> Vec<u8> {
    let mut least = vec![FAR; 1 << KINDS];
    least[0] = 0;
    let mut reached = 0usize;
    for attacker in bits(view.attacker_kinds) {
        let reachable: Vec<(usize, u8)> = bits(view.enemy_kinds)
            .map(|target| (1 << target, distances[target][attacker]))
            .filter(|&(_, distance)| distance < FAR)
            .collect();
        // Larger sets first, so each attacker captures at most once.
        for set in (0..=reached).rev().filter(|set| set & !reached == 0) {
            let steps = least[set];
            if steps >= FAR {
                continue;
            }
            for &(target, distance) in &reachable {
                let with = &mut least[set | target];
                if set & target == 0 && steps + distance < *with {
                    *with = steps + distance;
                }
            }
        }
        reached |= reachable.iter().fold(0, |all, &(target, _)| all | target);
    }
    least
}

/// The fewest steps that capture the most material, by value, that the side to move can capture in
/// the rest of its turn; exact. Empty if nothing can be captured. A win outweighs any material.
///
/// The sets of enemy pieces that the lower bound (`least_steps`) allows are tried by descending
/// value, each with an exact search; the first that can be captured is the best.
pub(crate) fn best_capture(position: &Position) -> Vec<Step> {
    if position.outcome().is_some() {
        return Vec::new();
    }
    if let WinSearch::Win(steps) = find_win(position, None) {
        return steps;
    }
    let view = TurnView::new(position, position.mover());
    let left = u32::from(position.steps_left());
    let distances = view.distances(left);
    let least = least_steps(&view, &distances);
    let mut sets: Vec<u16> = (1..1 << KINDS)
        .filter(|&set| u32::from(least[usize::from(set)]) <= left)
        .collect();
    let order = |set: usize| (std::cmp::Reverse(value(set)), least[set], set);
    sets.sort_by_cached_key(|&set| order(usize::from(set)));
    let mut search = CaptureSearch::new(view, distances, u64::MAX);
    let found = sets
        .into_iter()
        .find_map(|set| match search.shortest(&[set], left) {
            CaptureResult::Steps(steps) => Some(steps),
            _ => None,
        });
    found.unwrap_or_default()
}

/// What a turn of `seat` threatens by the lower bounds alone: whether it may win, and the value
/// that it may capture.
fn threat(position: &Position, seat: usize, steps: u32) -> (bool, u32) {
    let view = TurnView::new(position, seat);
    let distances = view.distances(steps);
    let wins = winning_sets(view.enemy_kinds)
        .into_iter()
        .any(|set| assignable(set, steps, |target| &distances[target]));
    let least = least_steps(&view, &distances);
    let sets = (1..least.len()).filter(|&set| u32::from(least[set]) <= steps);
    (wins, sets.map(value).max().unwrap_or(0))
}

/// The step of a greedy player: the first step of the [`best_capture`]; if nothing can be captured,
/// the step after which the opponent's next turn threatens least (the first of equal ones).
/// `None` in a finished game.
pub fn greedy(position: &Position) -> Option<Step> {
    if let Some(&step) = best_capture(position).first() {
        return Some(step);
    }
    let enemy = 1 - position.mover();
    let steps = u32::from((position.turn() + 1).min(LAST_TURN));
    position.legal_moves().into_iter().min_by_key(|&step| {
        let mut next = *position;
        next.play(step);
        threat(&next, enemy, steps)
    })
}

#[cfg(test)]
mod tests;
