//! Searching one's own turn: a win in it, and the most material to capture in it.

use ahash::AHashSet;
use arrayvec::ArrayVec;

use crate::game::{Game, Outcome};
use crate::taratibu::capture::{Distances, Found, Pursuit, Scene, assignable, quick_bound};
use crate::taratibu::piece::{FAR, KINDS, Kind, MAN, WINNING};
use crate::taratibu::position::{LAST_TURN, Position, Step};
use crate::taratibu::square::bits;

/// Whether the side to move can win in this turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WinSearch {
    /// It can, by these steps; there is no shorter way.
    Win(Vec<Step>),
    /// It cannot.
    NoWin,
    /// The search ran out of nodes.
    Unknown,
}

/// The three sets of enemy pieces of which one must be captured to win.
#[inline(always)]
pub(super) fn winning_sets(alive: u16) -> [u16; 3] {
    WINNING.map(|order| (order | MAN) & alive)
}

/// A turn that the sieves let through: its scene, the distances in it, and the sets of which
/// one may be captured in time.
type Open = (Scene, Distances, ArrayVec<u16, 3>);

/// Two sieves, each of them a lower bound on the steps needed; `None` if nothing is left.
#[inline(always)]
fn sieved(position: &Position) -> Option<Open> {
    if position.outcome().is_some() {
        return None;
    }
    let scene = Scene::new(position, position.mover());
    let left = u32::from(position.steps_left());
    let rings = scene.rings();
    let mut open = ArrayVec::from(winning_sets(scene.alive));
    open.retain(|set| quick_bound(&rings, scene.squares_of(*set)) <= left);
    if open.is_empty() {
        return None;
    }
    let distances = scene.distances(left);
    open.retain(|set| assignable(*set, left, |target| &distances[target]));
    (!open.is_empty()).then_some((scene, distances, open))
}

/// Whether the side to move can win in what is left of its turn, and how in the fewest
/// steps. Exact unless `budget` is given: then it gives up after so many nodes.
#[inline(always)]
pub fn find_win(position: &Position, budget: Option<u64>) -> WinSearch {
    match sieved(position) {
        None => WinSearch::NoWin,
        Some(open) => pursue(open, u32::from(position.steps_left()), budget),
    }
}

/// The search proper, for the few positions that the sieves let through.
#[inline(never)]
fn pursue((scene, distances, sets): Open, left: u32, budget: Option<u64>) -> WinSearch {
    let mut pursuit = Pursuit::new(scene, distances, budget.unwrap_or(u64::MAX));
    told(pursuit.shortest(&sets, left))
}

fn told(found: Found) -> WinSearch {
    match found {
        Found::Steps(steps) => WinSearch::Win(steps),
        Found::Nothing => WinSearch::NoWin,
        Found::Unknown => WinSearch::Unknown,
    }
}

/// Nodes between two looks whether [`find_win_while`] goes on.
const INTERVAL: u64 = 1 << 12;

/// What [`find_win`] finds, as long as `goes_on` says so, which hears every now and then how
/// many nodes there were.
pub fn find_win_while(position: &Position, goes_on: &mut dyn FnMut(u64) -> bool) -> WinSearch {
    let Some((scene, distances, sets)) = sieved(position) else {
        return WinSearch::NoWin;
    };
    let left = u32::from(position.steps_left());
    let mut pursuit = Pursuit::new(scene, distances, INTERVAL);
    loop {
        let found = told(pursuit.shortest(&sets, left));
        if !goes_on(pursuit.nodes) || found != WinSearch::Unknown {
            return found;
        }
        // What failed is known, so it is soon where it was.
        pursuit.go_on(INTERVAL);
    }
}

/// What [`find_win`] finds, by trying every sequence of steps: slow, for comparison.
pub fn find_win_plainly(position: &Position) -> Option<Vec<Step>> {
    (1..=u32::from(position.steps_left())).find_map(|depth| {
        let mut steps = Vec::new();
        let mut seen = AHashSet::new();
        wins(position, depth, &mut steps, &mut seen).then_some(steps)
    })
}

/// Whether the mover wins in `depth` steps of this turn; the hash of a position tells
/// the steps that are left.
fn wins(position: &Position, depth: u32, steps: &mut Vec<Step>, seen: &mut AHashSet<u64>) -> bool {
    if depth == 0 || !seen.insert(position.hash()) {
        return false;
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    for step in moves {
        let mut next = *position;
        next.play(step);
        steps.push(step);
        let won = next.outcome() == Some(Outcome::Winner(position.to_move()));
        let same_turn = next.turn() == position.turn() && next.outcome().is_none();
        if won || same_turn && wins(&next, depth - 1, steps, seen) {
            return true;
        }
        steps.pop();
    }
    false
}

/// What a turn can capture at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harvest {
    /// The steps of a way to capture it, as few as possible; none if nothing can be
    /// captured.
    pub steps: Vec<Step>,
    /// The sum of the values ([`Kind::value`]) of what they capture.
    pub value: u32,
    /// Whether they win the game. A win counts above everything.
    pub wins: bool,
}

/// The value of a set of kinds.
fn value(kinds: usize) -> u32 {
    let of = |kind: &usize| kinds & 1 << kind != 0;
    (0..KINDS).filter(of).map(|k| Kind::ALL[k].value()).sum()
}

/// By set of enemy pieces: the least sum of the distances of different hunters, which is
/// a lower bound on the steps that capturing the set takes. At most [`FAR`].
pub(super) fn least_steps(scene: &Scene, distances: &Distances) -> Vec<u8> {
    let mut least = vec![FAR; 1 << KINDS];
    least[0] = 0;
    let mut reached = 0usize;
    for hunter in bits(u64::from(scene.hunting)) {
        let prey: Vec<(usize, u8)> = bits(u64::from(scene.alive))
            .map(|target| (1 << target, distances[target][hunter]))
            .filter(|&(_, distance)| distance < FAR)
            .collect();
        // Larger sets first, so that each hunter captures once.
        for set in (0..=reached).rev().filter(|set| set & !reached == 0) {
            let steps = least[set];
            if steps >= FAR {
                continue;
            }
            for &(target, distance) in &prey {
                let with = &mut least[set | target];
                if set & target == 0 && steps + distance < *with {
                    *with = steps + distance;
                }
            }
        }
        reached |= prey.iter().fold(0, |all, &(target, _)| all | target);
    }
    least
}

/// The most material, by value, that the side to move can capture in what is left of
/// its turn; exact.
///
/// Every set of enemy pieces has a lower bound on the steps that it takes
/// (distances of different hunters, added up). The sets that the bound lets pass are tried in the order of
/// their values, each by an exact search, so the first one that works is the best.
pub fn harvest(position: &Position) -> Harvest {
    let nothing = Harvest {
        steps: Vec::new(),
        value: 0,
        wins: false,
    };
    if position.outcome().is_some() {
        return nothing;
    }
    let scene = Scene::new(position, position.mover());
    if let WinSearch::Win(steps) = find_win(position, None) {
        let taken = captured(position, &steps);
        return Harvest {
            steps,
            value: value(usize::from(taken)),
            wins: true,
        };
    }
    let left = u32::from(position.steps_left());
    let distances = scene.distances(left);
    let least = least_steps(&scene, &distances);
    let mut sets: Vec<(u32, u8, u16)> = (1..least.len())
        .filter(|&set| u32::from(least[set]) <= left)
        .map(|set| (value(set), least[set], set as u16))
        .collect();
    sets.sort_by_key(|&(value, steps, set)| (std::cmp::Reverse(value), steps, set));
    let mut pursuit = Pursuit::new(scene, distances, u64::MAX);
    for (value, _, set) in sets {
        if let Found::Steps(steps) = pursuit.shortest(&[set], left) {
            return Harvest {
                steps,
                value,
                wins: false,
            };
        }
    }
    nothing
}

/// The kinds that steps capture.
fn captured(position: &Position, steps: &[Step]) -> u16 {
    let enemy = 1 - position.mover();
    let mut after = *position;
    for &step in steps {
        after.play(step);
    }
    position.alive(enemy) & !after.alive(enemy)
}

/// What the next turn of the other side threatens by the lower bounds alone: whether it
/// may win, and the value it may capture.
fn threat(position: &Position, seat: usize, steps: u32) -> (bool, u32) {
    let scene = Scene::new(position, seat);
    let distances = scene.distances(steps);
    let wins = winning_sets(scene.alive)
        .into_iter()
        .any(|set| assignable(set, steps, |target| &distances[target]));
    let least = least_steps(&scene, &distances);
    let sets = (1..least.len()).filter(|&set| u32::from(least[set]) <= steps);
    (wins, sets.map(value).max().unwrap_or(0))
}

/// The step of a greedy player: the first one of a [`harvest`]; when nothing is left to
/// capture, the step after which the opponent's next turn threatens least, by lower
/// bounds on its steps, the first of equal ones. `None` in a finished game.
pub fn greedy(position: &Position) -> Option<Step> {
    if let Some(&step) = harvest(position).steps.first() {
        return Some(step);
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let enemy = 1 - position.mover();
    let steps = u32::from((position.turn() + 1).min(LAST_TURN));
    moves.into_iter().min_by_key(|&step| {
        let mut next = *position;
        next.play(step);
        threat(&next, enemy, steps)
    })
}

#[cfg(test)]
mod tests;
