//! Whom a network sees, and in which order.

use crate::game::Seat;
use crate::tanbo::Position;

/// The seats with stones in the order of play from the side to move on; at most `PLACES`.
#[derive(Clone, Copy, Debug)]
pub(super) struct TurnOrder<const PLACES: usize> {
    seats: [Seat; PLACES],
    living: usize,
}

impl<const PLACES: usize> TurnOrder<PLACES> {
    /// The order in a position; `None` if more than `PLACES` seats have stones.
    #[inline(always)]
    pub(super) fn new<const W: usize, const SEATS: usize>(
        position: &Position<W, SEATS>,
    ) -> Option<Self> {
        let mover = position.to_move();
        let mut order = Self {
            seats: [mover; PLACES],
            living: 0,
        };
        for turn in 0..SEATS {
            let seat = Seat::new((mover.index() + turn) % SEATS);
            // Two seats have stones until the game is over.
            if SEATS == 2 || position.root_count(seat) > 0 {
                *order.seats.get_mut(order.living)? = seat;
                order.living += 1;
            }
        }
        Some(order)
    }

    #[inline(always)]
    pub(super) fn living(&self) -> &[Seat] {
        &self.seats[..self.living.min(PLACES)]
    }

    /// The seat in the last of `PLACES` places; the side to move if fewer have stones.
    #[inline(always)]
    pub(super) fn last(&self) -> Seat {
        self.seats[PLACES - 1]
    }
}
