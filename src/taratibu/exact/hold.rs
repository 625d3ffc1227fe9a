//! Whether the turn before the last can be played so that the last one cannot be won.
//!
//! Only where the pieces stand at the end of the turn counts. Each has captured at most the
//! piece whose square it stands on, as a piece that captures stays there. So the search does
//! not go through steps but through ends: it moves pieces from home to squares where they may
//! be at the end, at the price of the steps that takes at least, and leaves the others at home.
//!
//! Whenever the last mover can win against that, its steps make a [`Plan`], which wins against
//! many other ends, too. What prevents it is that a piece leaves a place, or comes to a square;
//! the search goes on with each way to do so that is left. Nothing is lost by that: an end in
//! which the last mover cannot win prevents this plan, so one of these ways belongs to it. Where
//! there is no plan, it remains to find steps that lead there; if there are none, any other
//! piece may move, too.

use super::frame::Frame;
use super::plan::{Plan, packed};
use super::walk::walk;
use crate::solver::{Child, Key, Next, Solvable};
use crate::taratibu::piece::KINDS;
use crate::taratibu::position::Step;
use crate::taratibu::square::{Square, bits};
use crate::taratibu::turn::{WinSearch, find_win};

/// Plans that are compared for the one with the fewest ways to prevent it.
const COMPARED: usize = 64;
/// Positions of this solver are all looked up in the table, whatever they hold.
const SIZE: u32 = 32;

/// Where some pieces are at the end of the turn; the others are at home. Won if the last turn
/// cannot be won from some end of the turn in which the former are there.
#[derive(Clone)]
pub(super) struct Hold<'a> {
    frame: &'a Frame,
    /// By kind: the squares.
    squares: [u8; KINDS],
    /// The kinds that are not at home, as bits.
    moved: u16,
    /// The squares, as a set.
    occupied: u64,
    /// The steps left for others.
    left: u8,
}

/// What has to be changed.
#[derive(Clone, Copy)]
struct Want {
    /// Kinds of which one must leave home, as bits.
    leave: u16,
    /// Or some piece must come to one of these squares.
    come: u64,
}

impl<'a> Hold<'a> {
    /// All pieces at home.
    pub(super) fn new(frame: &'a Frame) -> Self {
        let mover = frame.position.mover();
        Self {
            frame,
            squares: frame.home,
            moved: 0,
            occupied: frame.position.occupied_by(mover),
            left: frame.left,
        }
    }

    /// With a piece elsewhere.
    fn with(&self, kind: usize, to: usize) -> Self {
        let mut next = self.clone();
        next.squares[kind] = to as u8;
        next.moved |= 1 << kind;
        next.left -= self.frame.distances[kind][to].min(next.left);
        let alive = self.frame.position.alive(self.frame.position.mover());
        let squares = bits(u64::from(alive)).map(|kind| next.squares[kind]);
        next.occupied = squares.fold(0, |all, square| all | 1 << square);
        next
    }

    /// The kinds at home that may move.
    fn homely(&self) -> u16 {
        self.frame.free & !self.moved
    }

    /// Where a piece at home may be at the end. The home of another one is such a square only if
    /// that one may leave it.
    fn ends(&self, kind: usize) -> u64 {
        let moved = bits(u64::from(self.moved));
        let taken = moved.fold(0u64, |all, kind| all | 1 << self.squares[kind]);
        self.frame.within[kind][usize::from(self.left)] & !taken
    }

    /// The ways to do what is wanted.
    fn ways(&self, want: Want) -> impl Iterator<Item = (usize, u64)> {
        bits(u64::from(self.homely())).map(move |kind| {
            let ends = self.ends(kind);
            match want.leave >> kind & 1 {
                0 => (kind, ends & want.come),
                _ => (kind, ends),
            }
        })
    }

    fn way_count(&self, want: Want) -> u32 {
        self.ways(want).map(|(_, ends)| ends.count_ones()).sum()
    }

    /// A piece at home whose home another one has taken.
    fn crowded(&self) -> u16 {
        let moved = bits(u64::from(self.moved));
        let taken = moved.fold(0u64, |all, kind| all | 1 << self.squares[kind]);
        let homely = bits(u64::from(self.homely()));
        let crowded = homely.filter(|&kind| taken >> self.frame.home[kind] & 1 != 0);
        crowded.fold(0, |all, kind| all | 1 << kind)
    }

    /// The known plans that work; a new one if none is known; nothing if there is none.
    fn working(&self) -> Vec<Plan> {
        let packed = packed(&self.squares);
        let mut working = self.frame.plans.read().working(packed, self.occupied);
        if working.is_empty() {
            let position = self.frame.last_turn(&self.squares, self.occupied);
            if let WinSearch::Win(steps) = find_win(&position, None) {
                let plan = Plan::new(&position, &steps);
                self.frame.plans.write().add(&plan);
                working.push(plan);
            }
        }
        working
    }

    /// Appends the ways to do what is wanted; those that prevent more of the plans come first.
    fn offer(&self, want: Want, plans: &[Plan], children: &mut Vec<Child<Self>>) {
        for (kind, ends) in self.ways(want) {
            let from = self.frame.home[kind];
            for to in bits(ends) {
                let next = self.with(kind, to);
                let packed = packed(&next.squares);
                let works = |plan: &&Plan| plan.works(packed, next.occupied);
                let working = plans.iter().filter(works).count();
                let price = i32::from(self.frame.distances[kind][to]);
                let rank = 4 * price + 16 * working as i32 / plans.len().max(1) as i32;
                let mv = Step {
                    from: Square::wrapped(usize::from(from)),
                    to: Square::wrapped(to),
                };
                children.push(Child::new(mv, rank, Next::Again(next)));
            }
        }
    }
}

impl Solvable for Hold<'_> {
    /// From home to an end.
    type Move = Step;
    type Later = Self;

    fn key(&self) -> Key {
        let Key([a, b]) = self.frame.key;
        Key::of(&[a, b, packed(&self.squares), u64::from(self.moved)])
    }

    fn size(&self) -> u32 {
        SIZE
    }

    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let before = children.len();
        let crowded = self.crowded();
        if crowded != 0 {
            let first = Want {
                leave: 1 << crowded.trailing_zeros(),
                come: 0,
            };
            self.offer(first, &[], children);
            return (children.len() == before).then_some(false);
        }
        let plans = self.working();
        let wants = plans.iter().take(COMPARED).map(|plan| Want {
            leave: plan.targets,
            come: plan.begins,
        });
        let want = match wants.min_by_key(|&want| self.way_count(want)) {
            Some(want) => want,
            None => {
                if let Some(steps) = walk(self.frame, &self.squares) {
                    *self.frame.way.lock() = Some(steps);
                    return Some(true);
                }
                Want {
                    leave: self.homely(),
                    come: 0,
                }
            }
        };
        self.offer(want, &plans, children);
        (children.len() == before).then_some(false)
    }
}
