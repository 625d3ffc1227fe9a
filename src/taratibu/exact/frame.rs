//! The turn before the last, as far as it does not change while a way out of it is looked for.

use parking_lot::{Mutex, RwLock};

use super::plan::Plans;
use crate::solver::Key;
use crate::taratibu::piece::{FAR, KINDS, REACH};
use crate::taratibu::position::{LAST_TURN, Position, Step};
use crate::taratibu::square::{SQUARES, bits};

/// By number of steps: squares.
pub(super) type Within = [u64; LAST_TURN as usize + 1];

/// A position in the turn before the last, which the side to move cannot win any more.
pub(super) struct Frame {
    pub(super) key: Key,
    pub(super) position: Position,
    /// The steps left.
    pub(super) left: u8,
    /// By kind: the squares of the side to move.
    pub(super) home: [u8; KINDS],
    /// Its kinds that may step, as bits.
    pub(super) free: u16,
    /// The squares of its spent pieces.
    pub(super) spent: u64,
    /// The squares of the other side.
    pub(super) enemy: u64,
    /// By kind and square: the steps from home, around what never moves out of the way.
    pub(super) distances: [[u8; SQUARES]; KINDS],
    /// By kind: the squares so many steps away at most, without home.
    pub(super) within: [Within; KINDS],
    /// What the other side is known to win by.
    pub(super) plans: RwLock<Plans>,
    /// Steps that prevent every win, once there are.
    pub(super) way: Mutex<Option<Vec<Step>>>,
}

impl Frame {
    pub(super) fn new(position: &Position, key: Key) -> Self {
        let (mover, enemy) = (position.mover(), 1 - position.mover());
        let home = *position.squares(mover);
        let kinds = position.spent_kinds();
        let spent = bits(u64::from(kinds)).fold(0, |all, kind| all | 1 << (home[kind] & 63));
        let mut frame = Self {
            key,
            position: *position,
            left: position.steps_left(),
            home,
            free: position.alive(mover) & !kinds,
            spent,
            enemy: position.occupied_by(enemy),
            distances: [[FAR; SQUARES]; KINDS],
            within: [Within::default(); KINDS],
            plans: RwLock::new(Plans::new(position.alive(mover))),
            way: Mutex::new(None),
        };
        for kind in bits(u64::from(frame.free)) {
            let from = usize::from(home[kind]);
            frame.distances[kind] = frame.field(kind, from);
            for (to, &steps) in frame.distances[kind].iter().enumerate() {
                let enough = frame.within[kind].iter_mut().skip(usize::from(steps));
                enough
                    .filter(|_| to != from)
                    .for_each(|set| *set |= 1 << to);
            }
        }
        frame
    }

    /// The steps of a kind between a square and every other one. Pieces of the other side and
    /// spent ones never make room: who captures stays. So a piece may end there at most.
    pub(super) fn field(&self, kind: usize, from: usize) -> [u8; SQUARES] {
        let mut field = [FAR; SQUARES];
        let mut frontier = 1u64 << from;
        let mut seen = frontier | self.spent;
        let mut steps = 0;
        while frontier != 0 {
            let mut next = 0;
            for square in bits(frontier) {
                field[square] = steps;
                let is_end = steps > 0 && self.enemy >> square & 1 != 0;
                next |= if is_end { 0 } else { REACH[kind][square] };
            }
            frontier = next & !seen;
            seen |= frontier;
            steps += 1;
        }
        field
    }

    /// The last turn, with the pieces of this side on other squares.
    pub(super) fn last_turn(&self, squares: &[u8; KINDS], occupied: u64) -> Position {
        let (mover, enemy) = (self.position.mover(), 1 - self.position.mover());
        let mut position = Position::empty(LAST_TURN, LAST_TURN);
        for kind in bits(u64::from(self.position.alive(mover))) {
            position.put(mover, kind, usize::from(squares[kind]));
        }
        for kind in bits(u64::from(self.position.alive(enemy))) {
            let square = usize::from(self.position.squares(enemy)[kind]);
            if occupied >> square & 1 == 0 {
                position.put(enemy, kind, square);
            }
        }
        position
    }
}
