//! The linear evaluation: scores every child of a leaf, without playouts.

use super::certain::{Certain, known, values};
use super::features::{self, COUNT, Row};
use super::position::{LAST_TURN, Position, Step};
use super::weights::Weights;
use crate::cpu::{self, Kernel};
use crate::game::{Evaluation, Evaluator, Game, MoveEvaluation, MultiplayerUtility, Outcome, Seat};
use crate::util::math;
use crate::util::random::Random;

/// Scores every child of a position with a weighted sum of features, and recognises turns that win.
///
/// White's winning chance is the logistic function of the difference of both seats' sums; a draw
/// counts as half a win. If the mover can win within the turn ([`Certain`]), the first step of
/// that win is reported as won. A step that ends the turn and lets the opponent win the next one is
/// reported as lost. The value of a leaf is that of its best child.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    /// By turn, from 1: the weights.
    rows: [Row; LAST_TURN as usize],
    /// The largest absolute noise on each child.
    noise: f32,
}

impl Linear {
    /// The evaluation with these weights and with uniform noise from `-noise` to `noise` on each
    /// child's winning chance.
    pub(crate) fn new(weights: &Weights, noise: f64) -> Self {
        Self {
            rows: std::array::from_fn(|turn| weights.at(turn + 1)),
            noise: noise as f32,
        }
    }

    /// White's winning chance in a position that is not finished.
    #[inline(always)]
    pub(crate) fn value(&self, position: &Position) -> f32 {
        let turn = usize::from(position.turn()) - 1;
        let weights = &self.rows[turn % self.rows.len()];
        let [white, black] = features::features(position);
        let mut sum = 0.0;
        for i in 0..COUNT {
            sum += weights[i] * (white[i] - black[i]);
        }
        math::logistic(sum)
    }

    /// The winning chance of `seat` after its step, and the result if it is known.
    #[inline(always)]
    fn judge(&self, child: &Position, seat: Seat, random: &mut Random) -> MoveEvaluation {
        if let Some(outcome) = child.outcome() {
            return known(outcome, seat);
        }
        let next = child.to_move();
        if next != seat {
            match Certain::of(child) {
                Certain::Win(_) => return known(Outcome::Winner(next), seat),
                Certain::Draw => return known(Outcome::Draw, seat),
                Certain::Nothing => {}
            }
        }
        let white = self.value(child);
        let mut value = if seat.index() == 0 {
            white
        } else {
            1.0 - white
        };
        if self.noise > 0.0 {
            value = (value + self.noise * random.symmetric()).clamp(0.0, 1.0);
        }
        MoveEvaluation {
            value,
            outcome: None,
        }
    }
}

struct ScoreChildren<'a> {
    linear: &'a Linear,
    position: &'a Position,
    moves: &'a [Step],
    random: &'a mut Random,
    evaluation: &'a mut Evaluation,
}

impl Kernel for ScoreChildren<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            linear,
            position,
            moves,
            random,
            evaluation,
        } = self;
        let seat = position.to_move();
        evaluation.moves.clear();
        evaluation.playout.clear();
        if Certain::evaluate(position, moves, evaluation).is_some() {
            return;
        }
        let mut best = 0.0f32;
        for &step in moves {
            let mut child = *position;
            child.play(step);
            let prior = linear.judge(&child, seat, random);
            best = best.max(prior.value);
            evaluation.moves.push(prior);
        }
        evaluation.values = values(seat, best);
    }
}

impl Evaluator<Position> for Linear {
    const HAS_MOVE_EVALUATIONS: bool = true;

    fn evaluate(
        &self,
        position: &mut Position,
        moves: &[Step],
        _utility: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        cpu::dispatch(ScoreChildren {
            linear: self,
            position,
            moves,
            random,
            evaluation,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::search::{SearchLimits, Searcher};
    use crate::taratibu::{features, weights};

    fn judge(position: &Position, noise: f64) -> Evaluation {
        let linear = Linear::new(weights::embedded(), noise);
        let moves = position.legal_moves();
        let mut evaluation = Evaluation::default();
        let mut same = *position;
        let utility = MultiplayerUtility {
            root: position.to_move(),
            paranoia: 0.0,
        };
        linear.evaluate(
            &mut same,
            &moves,
            &utility,
            &mut Random::new(1),
            &mut evaluation,
        );
        assert_eq!(same, *position);
        assert_eq!(evaluation.moves.len(), moves.len());
        evaluation
    }

    #[test]
    fn every_move_gets_a_prior_and_the_best_is_the_value() {
        let position = Position::new_game();
        for noise in [0.0, 0.1] {
            let evaluation = judge(&position, noise);
            let best = evaluation.moves.iter().map(|p| p.value).fold(0.0, f32::max);
            assert_eq!(evaluation.values.0, [best, 1.0 - best, 0.0, 0.0]);
            assert!(evaluation.moves.iter().all(|p| p.outcome.is_none()));
        }
    }

    #[test]
    fn a_win_in_the_turn_is_known() {
        let text = "......./......./......./......./......./......./Am....M / turn 3";
        let position = Position::parse(text).unwrap();
        let evaluation = judge(&position, 0.0);
        let win = Some(Outcome::Winner(Seat::new(0)));
        assert_eq!(
            evaluation.moves.iter().filter(|p| p.outcome == win).count(),
            1
        );
        let params = Params {
            threads: 1,
            ..Params::default()
        };
        let mut searcher = Searcher::new(&params, Linear::new(weights::embedded(), 0.0));
        let report = searcher.search(&position, &SearchLimits::default(), &|| false);
        assert_eq!((report.proof, report.iterations), (win, 1));
        assert_eq!(report.best().unwrap().mv.to_string(), "1121");
    }

    #[test]
    fn a_step_that_lets_the_opponent_win_is_known() {
        // Wherever White's Man steps, Black's Man has ten steps to follow it.
        let text = "......./......./......./.M..m../......./......./......d / turn 9, 1 step left";
        let position = Position::parse(text).unwrap();
        let evaluation = judge(&position, 0.0);
        let loss = Some(Outcome::Winner(Seat::new(1)));
        assert!(
            evaluation
                .moves
                .iter()
                .all(|p| p.outcome == loss && p.value == 0.0)
        );
    }

    #[test]
    fn the_inputs_times_the_weights_are_the_value() {
        let weights = weights::embedded();
        let linear = Linear::new(weights, 0.0);
        let mut position = Position::new_game();
        let mut random = Random::new(2);
        while position.outcome().is_none() {
            let [white, black] = features::inputs(&position);
            let flat: Vec<f32> = weights.rows.iter().flatten().copied().collect();
            let score = |x: &[f32]| -> f32 { x.iter().zip(&flat).map(|(a, b)| a * b).sum() };
            let expected = math::logistic(score(&white) - score(&black));
            assert!((linear.value(&position) - expected).abs() < 1e-4);
            let moves = position.legal_moves();
            position.play(moves[random.below(moves.len() as u32) as usize]);
        }
    }
}
