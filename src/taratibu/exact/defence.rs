//! Searches the turn before the last for a defence: an end of the turn from which the last turn
//! cannot be won.
//!
//! Only the squares at the end of the turn matter. A piece that captures stays, so each piece has
//! captured at most the piece on its final square. So the search tries final arrangements, not
//! steps: it moves pieces from home to possible final squares, at the cost of the fewest steps that
//! this can take, and leaves the others at home.
//!
//! If the opponent can win against an end, its steps become a [`Plan`], which works against many
//! other ends too. A plan fails only if one of its targets leaves home or a piece stands where one
//! of its steps begins. The children of an end are all moves that do so for one plan. This loses
//! nothing: a safe end must break this plan, so it lies below one of the children. If no
//! plan works, the search for steps that lead to the end ([`find_steps`]) decides; if it finds
//! none, any other piece may move too.

use super::context::TurnContext;
use super::plan::{Plan, pack};
use super::step_search::find_steps;
use crate::solver::{Child, Key, Next, Solvable};
use crate::taratibu::piece::{KINDS, squares_of};
use crate::taratibu::square::bits;
use crate::taratibu::turn::{WinSearch, find_win};

/// Plans compared to find the one with the fewest moves that break it.
const COMPARED: usize = 64;
/// Large enough that every position is looked up in the table.
const SIZE: u32 = 32;

/// The final squares of some pieces; the others are at home. Won if the turn can end with them
/// there in such a way that the last turn cannot be won.
#[derive(Clone)]
pub(super) struct Defence<'a> {
    context: &'a TurnContext,
    /// By kind: the squares.
    squares: [u8; KINDS],
    /// The kinds that are not at home, as bits.
    moved: u16,
    /// The squares, as a set.
    occupied: u64,
    /// Steps left for other pieces.
    left: u8,
}

/// What breaks a plan: one of the two.
#[derive(Clone, Copy)]
struct Change {
    /// One of these kinds (as bits) leaves home.
    leave: u16,
    /// A piece ends on one of these squares.
    arrive: u64,
}

impl<'a> Defence<'a> {
    /// All pieces at home.
    pub(super) fn new(context: &'a TurnContext) -> Self {
        let mover = context.position.mover();
        Self {
            context,
            squares: context.home,
            moved: 0,
            occupied: context.position.occupied_by(mover),
            left: context.left,
        }
    }

    /// The same with one more piece on its final square.
    fn with(&self, kind: usize, to: usize) -> Self {
        let mut next = self.clone();
        next.squares[kind] = to as u8;
        next.moved |= 1 << kind;
        next.left -= self.context.distances[kind][to].min(next.left);
        let alive = self.context.position.alive(self.context.position.mover());
        next.occupied = squares_of(alive, &next.squares);
        next
    }

    /// The kinds at home that may still move.
    fn unmoved(&self) -> u16 {
        self.context.free & !self.moved
    }

    /// The squares of the pieces that are not at home.
    fn final_squares(&self) -> u64 {
        squares_of(self.moved, &self.squares)
    }

    /// The possible final squares of a piece at home. The home of another piece is one of them
    /// only if that piece can leave it.
    fn end_squares(&self, kind: usize) -> u64 {
        self.context.within[kind][usize::from(self.left)] & !self.final_squares()
    }

    /// By kind: the final squares that make the change.
    fn moves_for(&self, change: Change) -> impl Iterator<Item = (usize, u64)> {
        bits(self.unmoved()).map(move |kind| {
            let ends = self.end_squares(kind);
            match change.leave >> kind & 1 {
                0 => (kind, ends & change.arrive),
                _ => (kind, ends),
            }
        })
    }

    fn move_count(&self, change: Change) -> u32 {
        self.moves_for(change)
            .map(|(_, ends)| ends.count_ones())
            .sum()
    }

    /// The kinds at home whose home another piece has taken.
    fn displaced(&self) -> u16 {
        let taken = self.final_squares();
        let unmoved = bits(self.unmoved());
        let displaced = unmoved.filter(|&kind| taken >> self.context.home[kind] & 1 != 0);
        displaced.fold(0, |all, kind| all | 1 << kind)
    }

    /// The known plans that work; if there is none, a new one, if one exists.
    fn working_plans(&self) -> Vec<Plan> {
        let packed = pack(&self.squares);
        let mut working = self.context.plans.read().working(packed, self.occupied);
        if working.is_empty() {
            let position = self.context.last_turn(&self.squares, self.occupied);
            if let WinSearch::Win(steps) = find_win(&position, None) {
                let plan = Plan::new(&position, &steps);
                self.context.plans.write().add(&plan);
                working.push(plan);
            }
        }
        working
    }

    /// Appends the moves that make the change; those that break more of the plans come first.
    fn push_children(&self, change: Change, plans: &[Plan], children: &mut Vec<Child<Self>>) {
        for (kind, ends) in self.moves_for(change) {
            for to in bits(ends) {
                let next = self.with(kind, to);
                let packed = pack(&next.squares);
                let works = |plan: &&Plan| plan.works(packed, next.occupied);
                let working = plans.iter().filter(works).count();
                let price = i32::from(self.context.distances[kind][to]);
                let rank = 4 * price + 16 * working as i32 / plans.len().max(1) as i32;
                children.push(Child::new(rank, Next::Again(next)));
            }
        }
    }
}

impl Solvable for Defence<'_> {
    type Later = Self;

    fn key(&self) -> Key {
        let Key([a, b]) = self.context.key;
        Key::of(&[a, b, pack(&self.squares), u64::from(self.moved)])
    }

    fn size(&self) -> u32 {
        SIZE
    }

    fn expand(&self, children: &mut Vec<Child<Self>>) -> Option<bool> {
        let before = children.len();
        let displaced = self.displaced();
        if displaced != 0 {
            let first = Change {
                leave: 1 << displaced.trailing_zeros(),
                arrive: 0,
            };
            self.push_children(first, &[], children);
            return (children.len() == before).then_some(false);
        }
        let plans = self.working_plans();
        let changes = plans.iter().take(COMPARED).map(|plan| Change {
            leave: plan.targets,
            arrive: plan.from_squares,
        });
        let change = match changes.min_by_key(|&change| self.move_count(change)) {
            Some(change) => change,
            None => {
                if let Some(steps) = find_steps(self.context, &self.squares) {
                    *self.context.steps.lock() = Some(steps);
                    return Some(true);
                }
                Change {
                    leave: self.unmoved(),
                    arrive: 0,
                }
            }
        };
        self.push_children(change, &plans, children);
        (children.len() == before).then_some(false)
    }
}
