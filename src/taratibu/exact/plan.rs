//! Ways to win the last turn, and the positions against which they work.

use ahash::AHashMap;

use crate::taratibu::piece::KINDS;
use crate::taratibu::position::{Position, Step};
use crate::taratibu::square::bits;
use crate::taratibu::turn::winning_sets;

/// The squares of a side's pieces in 6 bits each; 63 for a captured piece.
#[inline(always)]
pub(super) fn pack(squares: &[u8; KINDS]) -> u64 {
    let squares = squares.iter().map(|&square| u64::from(square & 63));
    squares.rev().fold(0, |all, square| all << 6 | square)
}

/// Steps that win the last turn, as the conditions under which they work, seen from the side that
/// defends.
///
/// The steps are legal and win if
/// - the pieces that step are still there, and each square from which a piece steps on is free
///   when it gets there: no defending piece stands on a square where a step begins (a piece that
///   captured stands on the square of its victim);
/// - the pieces to capture stand where they stood.
///
/// A square where a piece ends for good may hold any defending piece or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The squares where steps begin.
    pub(super) from_squares: u64,
    /// The kinds to capture, as bits.
    pub(super) targets: u16,
    /// Their squares, packed; 0 for other kinds.
    target_squares: u64,
}

impl Plan {
    /// The plan of steps that win a position.
    pub(super) fn new(position: &Position, steps: &[Step]) -> Self {
        let from_squares = steps.iter().fold(0, |all, step| all | step.from.bit());
        let ends = steps.iter().fold(0, |all, step| all | step.to.bit());
        let enemy = 1 - position.mover();
        let squares = position.squares(enemy);
        let is_taken = |kind: usize| ends >> (squares[kind] & 63) & 1 != 0;
        let alive = bits(position.alive(enemy));
        let taken = alive.filter(|&kind| is_taken(kind));
        let taken = taken.fold(0, |all, kind| all | 1 << kind);
        // All captures count, even those that the win does not need: one of them may free a square
        // for a later step.
        Self {
            from_squares,
            targets: taken,
            target_squares: pack(squares) & mask(taken),
        }
    }

    /// Whether the plan works against pieces on `occupied`, the squares of `packed`.
    #[inline(always)]
    pub(super) fn works(&self, packed: u64, occupied: u64) -> bool {
        packed & mask(self.targets) == self.target_squares && occupied & self.from_squares == 0
    }
}

/// The bits of these kinds in a packed word.
#[inline(always)]
fn mask(kinds: u16) -> u64 {
    bits(kinds).fold(0, |all, kind| all | 63 << (6 * kind))
}

/// The known plans against a defending side.
pub(super) struct Plans {
    /// The sets of kinds whose capture wins, with their bits in a packed word.
    sets: [(u16, u64); 3],
    /// By set and packed squares of its pieces: the `from_squares` of each plan.
    plans: [AHashMap<u64, Vec<u64>>; 3],
}

impl Plans {
    /// No plans yet, against a side with these kinds.
    pub(super) fn new(alive: u16) -> Self {
        Self {
            sets: winning_sets(alive).map(|set| (set, mask(set))),
            plans: std::array::from_fn(|_| AHashMap::new()),
        }
    }

    /// Adds a plan, if it captures no more than it needs.
    pub(super) fn add(&mut self, plan: &Plan) {
        let index = self.sets.iter().position(|&(set, _)| set == plan.targets);
        if let Some(plans) = index.and_then(|index| self.plans.get_mut(index)) {
            let plans = plans.entry(plan.target_squares).or_default();
            plans.push(plan.from_squares);
        }
    }

    /// The plans that work against pieces on `occupied`, the squares of `packed`.
    pub(super) fn working(&self, packed: u64, occupied: u64) -> Vec<Plan> {
        let mut working = Vec::new();
        for (&(targets, mask), plans) in self.sets.iter().zip(&self.plans) {
            let target_squares = packed & mask;
            let plans = plans.get(&target_squares).map_or(&[][..], Vec::as_slice);
            let works = plans.iter().filter(|&squares| occupied & squares == 0);
            working.extend(works.map(|&from_squares| Plan {
                from_squares,
                targets,
                target_squares,
            }));
        }
        working
    }
}
