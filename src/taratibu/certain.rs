//! What is certain without any judgement: a win within the turn, and a draw after the last one.

use super::position::{LAST_TURN, Position, Step};
use super::turn::{WinSearch, find_win};
use crate::game::{Evaluation, Game, MAX_SEATS, MoveEvaluation, Outcome, PerSeat, Seat};

/// Nodes of the search for a win in the turn. Most positions need none, and nearly all others less
/// than a tenth of this.
const WIN_BUDGET: u64 = 1000;

/// What is certain for the side to move.
pub(super) enum Certain {
    /// It wins in this turn; the steps of a win.
    Win(Vec<Step>),
    /// It does not win in the last turn.
    Draw,
    Nothing,
}

impl Certain {
    #[inline(always)]
    pub(super) fn of(position: &Position) -> Self {
        match find_win(position, Some(WIN_BUDGET)) {
            WinSearch::Win(steps) => Certain::Win(steps),
            // Nothing follows the last turn.
            WinSearch::NoWin if position.turn() == LAST_TURN => Certain::Draw,
            _ => Certain::Nothing,
        }
    }

    /// Evaluates a position and its moves by what is certain; `None` if nothing is.
    #[inline(always)]
    pub(super) fn evaluate(
        position: &Position,
        moves: &[Step],
        evaluation: &mut Evaluation,
    ) -> Option<()> {
        let seat = position.to_move();
        match Self::of(position) {
            Certain::Win(steps) => {
                // The leaf is proven, so the other moves need no evaluation.
                let win = Outcome::Winner(seat);
                evaluation
                    .moves
                    .extend(moves.iter().map(|step| MoveEvaluation {
                        value: f32::from(u8::from(steps.first() == Some(step))),
                        outcome: (steps.first() == Some(step)).then_some(win),
                    }));
                evaluation.values = win.values(Position::SEATS);
                Some(())
            }
            Certain::Draw => {
                let drawn = known(Outcome::Draw, seat);
                evaluation.moves.resize(moves.len(), drawn);
                evaluation.values = Outcome::Draw.values(Position::SEATS);
                Some(())
            }
            Certain::Nothing => None,
        }
    }
}

/// The evaluation of a move of `seat` that leads to this outcome.
#[inline(always)]
pub(super) fn known(outcome: Outcome, seat: Seat) -> MoveEvaluation {
    MoveEvaluation {
        value: outcome.value_for(seat, Position::SEATS),
        outcome: Some(outcome),
    }
}

/// The values of both seats from the value of one.
#[inline(always)]
pub(super) fn values(seat: Seat, value: f32) -> PerSeat<f32> {
    let mut values = PerSeat([0.0; MAX_SEATS]);
    values[seat] = value;
    values[seat.other()] = 1.0 - value;
    values
}
