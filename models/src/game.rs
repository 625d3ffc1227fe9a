//! The part of `src/game.rs` that the tree knows.

/// A player, numbered from 0 in the order of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat(u8);

impl Seat {
    pub(crate) const fn new(index: usize) -> Self {
        assert!(index < 4);
        Self(index as u8)
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a finished game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Winner(Seat),
    Draw,
}

impl Outcome {
    pub(crate) fn value_for(self, seat: Seat, seats: usize) -> f32 {
        match self {
            Outcome::Winner(winner) => f32::from(u8::from(winner == seat)),
            Outcome::Draw => 1.0 / seats as f32,
        }
    }
}

/// What an evaluator says about one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MoveEvaluation {
    pub(crate) value: f32,
    pub(crate) outcome: Option<Outcome>,
}
