//! Random playouts.

use super::piece::REACH;
use super::position::{Position, Step};
use super::square::{Square, bits};
use crate::game::{Game, Outcome, Playout, Seat};
use crate::util::random::Random;

impl Playout for Position {
    /// Never redraws a step: a turn has several, and no cheap test tells whether one is bad.
    #[inline(always)]
    fn finish(
        &mut self,
        _redraws: u64,
        random: &mut Random,
        mut after: impl FnMut(Seat, u16),
    ) -> Outcome {
        loop {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let seat = self.to_move();
            let mut steps = [(0, 0u64); super::piece::KINDS];
            let mut count = 0;
            for (slot, (kind, from)) in steps.iter_mut().zip(self.steppers()) {
                let targets = REACH[kind][from] & !self.occupied_by(seat.index());
                *slot = (from, targets);
                count += targets.count_ones();
            }
            let mut drawn = random.below(count);
            for (from, targets) in steps {
                let here = targets.count_ones();
                if drawn < here {
                    let step = Step {
                        from: Square::wrapped(from),
                        to: Square::wrapped(bits(targets).nth(drawn as usize).unwrap_or(0)),
                    };
                    self.play(step);
                    after(seat, Self::code(step));
                    break;
                }
                drawn -= here;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playouts_are_legal_games() {
        let mut random = Random::new(1);
        let mut draws = 0;
        for _ in 0..300 {
            let mut replay = Position::new_game();
            let mut moves = Vec::new();
            let outcome = Position::new_game()
                .playout()
                .finish(0, &mut random, |seat, code| moves.push((seat, code)));
            for (seat, code) in moves {
                let step = Position::decode(code);
                assert_eq!(replay.to_move(), seat);
                assert!(replay.is_legal(step));
                replay.play(step);
            }
            assert_eq!(replay.outcome(), Some(outcome));
            draws += u32::from(outcome == Outcome::Draw);
        }
        assert!(draws > 270, "{draws}");
    }
}
