//! What stays fixed while the turn before the last is searched for a defence.

use parking_lot::{Mutex, RwLock};

use super::plan::Plans;
use crate::solver::Key;
use crate::taratibu::piece::{FAR, KINDS, squares_of, steps_from};
use crate::taratibu::position::{LAST_TURN, Position, Step};
use crate::taratibu::square::{SQUARES, bits};

/// Sets of squares, by number of steps.
pub(super) type ByDistance = [u64; LAST_TURN as usize + 1];

/// A position in the turn before the last, which the side to move cannot win.
pub(super) struct TurnContext {
    pub(super) key: Key,
    pub(super) position: Position,
    /// Steps left in the turn.
    pub(super) left: u8,
    /// By kind: the squares of the side to move at the start of the search.
    pub(super) home: [u8; KINDS],
    /// Its kinds that may step, as bits.
    pub(super) free: u16,
    /// The squares of its spent pieces.
    pub(super) spent: u64,
    /// The squares of the other side.
    pub(super) enemy: u64,
    /// By kind and square: the steps from home, around pieces that never make room.
    pub(super) distances: [[u8; SQUARES]; KINDS],
    /// By kind and number of steps: the squares within that many steps, without home.
    pub(super) within: [ByDistance; KINDS],
    /// The known ways in which the other side wins.
    pub(super) plans: RwLock<Plans>,
    /// Steps that prevent every win, once they are found.
    pub(super) steps: Mutex<Option<Vec<Step>>>,
}

impl TurnContext {
    pub(super) fn new(position: &Position, key: Key) -> Self {
        let (mover, enemy) = (position.mover(), 1 - position.mover());
        let home = *position.squares(mover);
        let kinds = position.spent_kinds();
        let mut context = Self {
            key,
            position: *position,
            left: position.steps_left(),
            home,
            free: position.alive(mover) & !kinds,
            spent: squares_of(kinds, &home),
            enemy: position.occupied_by(enemy),
            distances: [[FAR; SQUARES]; KINDS],
            within: [ByDistance::default(); KINDS],
            plans: RwLock::new(Plans::new(position.alive(mover))),
            steps: Mutex::new(None),
        };
        for kind in bits(context.free) {
            let from = usize::from(home[kind]);
            context.distances[kind] = context.distances_around(kind, from);
            for (to, &steps) in context.distances[kind].iter().enumerate() {
                let enough = context.within[kind].iter_mut().skip(usize::from(steps));
                enough
                    .filter(|_| to != from)
                    .for_each(|set| *set |= 1 << to);
            }
        }
        context
    }

    /// The steps of a kind from a square to every other one. Pieces of the other side and spent
    /// pieces never make room, because a piece that captures stays. A path may end on a piece of
    /// the other side, but not go through it.
    pub(super) fn distances_around(&self, kind: usize, from: usize) -> [u8; SQUARES] {
        steps_from(kind, from, self.spent, self.enemy)
    }

    /// The position at the start of the last turn, with the pieces of this side on `squares`.
    pub(super) fn last_turn(&self, squares: &[u8; KINDS], occupied: u64) -> Position {
        let (mover, enemy) = (self.position.mover(), 1 - self.position.mover());
        let mut position = Position::empty(LAST_TURN, LAST_TURN);
        for kind in bits(self.position.alive(mover)) {
            position.put(mover, kind, usize::from(squares[kind]));
        }
        for kind in bits(self.position.alive(enemy)) {
            let square = usize::from(self.position.squares(enemy)[kind]);
            if occupied >> square & 1 == 0 {
                position.put(enemy, kind, square);
            }
        }
        position
    }
}
