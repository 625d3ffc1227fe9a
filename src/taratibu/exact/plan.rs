//! A way for the last mover to win, and where it still works.

use ahash::AHashMap;

use crate::taratibu::piece::KINDS;
use crate::taratibu::position::{Position, Step};
use crate::taratibu::square::bits;
use crate::taratibu::turn::winning_sets;

/// Where the pieces of a side stand, 6 bits a kind; 63 for one that is gone.
#[inline(always)]
pub(super) fn packed(squares: &[u8; KINDS]) -> u64 {
    let places = squares.iter().map(|&square| u64::from(square & 63));
    places.rev().fold(0, |all, place| all << 6 | place)
}

/// Steps that win the last turn, seen from the side that prevents them: what must be so for
/// them to work, wherever its other pieces are.
///
/// The steps are legal and win if each piece that makes one is still there, if each square
/// that one of them goes on from is free when it comes there, and if the pieces to capture
/// stand where they stood. The first two say that the other side has no piece on a square that
/// a step begins at: who captured a piece stands in its place. A square that a step ends at,
/// for good, may hold anything of the other side or nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The squares that steps begin at.
    pub(super) begins: u64,
    /// The kinds to capture, as bits.
    pub(super) targets: u16,
    /// Where they stand, packed; the others' places are left out.
    places: u64,
}

impl Plan {
    /// The plan of steps that win in a position.
    pub(super) fn new(position: &Position, steps: &[Step]) -> Self {
        let begins = steps.iter().fold(0, |all, step| all | step.from.bit());
        let ends = steps.iter().fold(0, |all, step| all | step.to.bit());
        let enemy = 1 - position.mover();
        let squares = position.squares(enemy);
        let is_taken = |kind: usize| ends >> (squares[kind] & 63) & 1 != 0;
        let alive = bits(u64::from(position.alive(enemy)));
        let taken = alive.filter(|&kind| is_taken(kind));
        let taken = taken.fold(0, |all, kind| all | 1 << kind);
        // All that the steps take, even if less wins: a square that a step goes on from may be free
        // only by that.
        Self {
            begins,
            targets: taken,
            places: packed(squares) & mask(taken),
        }
    }

    /// Whether it wins against pieces on `occupied`, standing as `packed` says.
    #[inline(always)]
    pub(super) fn works(&self, packed: u64, occupied: u64) -> bool {
        packed & mask(self.targets) == self.places && occupied & self.begins == 0
    }
}

/// The bits of kinds in what [`packed`] makes.
#[inline(always)]
fn mask(kinds: u16) -> u64 {
    bits(u64::from(kinds)).fold(0, |all, kind| all | 63 << (6 * kind))
}

/// Plans against one side in one turn.
pub(super) struct Plans {
    /// The sets of kinds that plans capture, and their bits in what [`packed`] makes.
    sets: [(u16, u64); 3],
    /// By set and places: where the steps of each plan begin.
    begins: [AHashMap<u64, Vec<u64>>; 3],
}

impl Plans {
    /// None yet, against a side with these kinds.
    pub(super) fn new(alive: u16) -> Self {
        Self {
            sets: winning_sets(alive).map(|set| (set, mask(set))),
            begins: std::array::from_fn(|_| AHashMap::new()),
        }
    }

    /// Adds one, if it takes no more than it must.
    pub(super) fn add(&mut self, plan: &Plan) {
        let place = self.sets.iter().position(|&(set, _)| set == plan.targets);
        if let Some(begins) = place.and_then(|place| self.begins.get_mut(place)) {
            begins.entry(plan.places).or_default().push(plan.begins);
        }
    }

    /// Those that win against pieces on `occupied`, standing as `packed` says.
    pub(super) fn working(&self, packed: u64, occupied: u64) -> Vec<Plan> {
        let mut working = Vec::new();
        for (&(targets, mask), begins) in self.sets.iter().zip(&self.begins) {
            let places = packed & mask;
            let begins = begins.get(&places).map_or(&[][..], Vec::as_slice);
            let works = begins.iter().filter(|&begins| occupied & begins == 0);
            working.extend(works.map(|&begins| Plan {
                begins,
                targets,
                places,
            }));
        }
        working
    }
}
