//! The linear evaluation: scores every child of a leaf, without playouts.

use super::Position;
use super::features::{self, Features};
use super::weights::Weights;
use crate::board::{Point, PointSet};
use crate::cpu::{self, Kernel};
use crate::game::{
    Evaluation, Evaluator, Game, MAX_SEATS, MoveEvaluation, MultiplayerUtility, PerSeat, Seat,
};
use crate::params::Params;
use crate::util::math;
use crate::util::random::Random;

/// Scores every child of a position with a weighted sum of features.
///
/// The winning chances are a softmax over the seats with stones:
///
/// ```text
/// P(s) = exp(x_s) / sum over i of exp(x_i)
/// ```
///
/// Here `x_s` is the weighted sum of the features of `s`, plus the tempo for the side to move, with
/// the weights of the position's phase. For two seats this is logistic regression on the
/// differences. The value of a leaf is that of its best child, by the utility of the search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    weights: Weights,
    /// The largest absolute noise on each child.
    noise: f32,
    /// The same with more than two seats.
    multiplayer_noise: f32,
}

impl Linear {
    /// The evaluation with these weights and with uniform noise from `-evaluation_noise` to
    /// `evaluation_noise` ([`Params`]) on each child's winning chance.
    pub(crate) fn new(weights: Weights, params: &Params) -> Self {
        Self {
            weights,
            noise: params.evaluation_noise as f32,
            multiplayer_noise: (params.multiplayer_factor * params.evaluation_noise) as f32,
        }
    }

    /// The winning chance of each seat in a position that is not finished.
    #[inline(always)]
    fn weigh<const W: usize, const SEATS: usize>(
        &self,
        position: &Position<W, SEATS>,
        features: &Features<SEATS>,
    ) -> PerSeat<f32> {
        let weights = self.weights.at(features.phase);
        let tempo = weights[features::COUNT];
        let weighted = |first: f32, counts: [i32; features::COUNT]| {
            let terms = weights.iter().zip(counts);
            terms.fold(first, |sum, (weight, number)| sum + weight * number as f32)
        };
        let mover = position.to_move().index();
        let mut values = PerSeat([0.0; MAX_SEATS]);
        if SEATS == 2 {
            let [first, second] = [features.seats[0], features.seats[SEATS - 1]];
            let difference = std::array::from_fn(|i| first[i] - second[i]);
            let score = weighted(if mover == 0 { tempo } else { -tempo }, difference);
            values.0[0] = math::logistic(score);
            values.0[1] = 1.0 - values.0[0];
            return values;
        }
        let mut scores = [0.0; SEATS];
        for (s, score) in scores.iter_mut().enumerate() {
            *score = weighted(if s == mover { tempo } else { 0.0 }, features.seats[s]);
        }
        let alive = || (0..SEATS).filter(|&s| position.root_count(Seat::new(s)) > 0);
        let highest = alive().fold(f32::MIN, |highest, s| scores[s].max(highest));
        let mut sum = 0.0;
        for s in alive() {
            values.0[s] = math::exp(scores[s] - highest);
            sum += values.0[s];
        }
        for value in &mut values.0 {
            *value /= sum;
        }
        values
    }
}

struct ScoreChildren<'a, const W: usize, const SEATS: usize> {
    linear: &'a Linear,
    position: &'a mut Position<W, SEATS>,
    moves: &'a [Point],
    utility: &'a MultiplayerUtility,
    random: &'a mut Random,
    evaluation: &'a mut Evaluation,
}

impl<const W: usize, const SEATS: usize> Kernel for ScoreChildren<'_, W, SEATS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            linear,
            position,
            moves,
            utility,
            random,
            evaluation,
        } = self;
        let seat = position.to_move();
        evaluation.moves.clear();
        evaluation.playout.clear();
        let noise = if SEATS == 2 {
            linear.noise
        } else {
            linear.multiplayer_noise
        };
        let mut best = f32::MIN;
        let everything = [!PointSet::EMPTY; SEATS];
        let (_, playable) = features::features_within(position, everything, None);
        for &point in moves {
            let undo = position.play(point);
            let outcome = position.outcome();
            let mut values = match outcome {
                Some(outcome) => outcome.values(SEATS),
                None => {
                    let (bounds, settled) = if undo.is_quiet() {
                        let settled = std::array::from_fn(|s| {
                            s != seat.index() && !playable[s].contains(point)
                        });
                        (playable, Some(settled))
                    } else {
                        (everything, None)
                    };
                    let (features, _) = features::features_within(position, bounds, settled);
                    linear.weigh(position, &features)
                }
            };
            position.undo(undo);
            if outcome.is_none() && noise > 0.0 {
                values[seat] = (values[seat] + noise * random.symmetric()).clamp(0.0, 1.0);
                if SEATS == 2 {
                    values[seat.other()] = 1.0 - values[seat];
                }
            }
            let value = utility.value(seat, &values, SEATS);
            evaluation.moves.push(MoveEvaluation { value, outcome });
            if value > best {
                best = value;
                evaluation.values = values;
            }
        }
    }
}

impl<const W: usize, const SEATS: usize> Evaluator<Position<W, SEATS>> for Linear {
    const HAS_MOVE_EVALUATIONS: bool = true;

    fn evaluate(
        &self,
        position: &mut Position<W, SEATS>,
        moves: &[Point],
        utility: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        cpu::dispatch(ScoreChildren {
            linear: self,
            position,
            moves,
            utility,
            random,
            evaluation,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tanbo::setup::NamedSetup;
    use crate::tanbo::weights::weights_for;

    #[test]
    fn move_evaluations_are_the_utility_of_the_position_after_the_move() {
        let start = NamedSetup::Classic.start(19, 4);
        let mut position = Position::<8, 4>::new(&start);
        let params = Params {
            evaluation_noise: 0.0,
            ..Params::default()
        };
        let linear = Linear::new(weights_for(&start), &params);
        let mut random = Random::new(1);
        let mut evaluation = Evaluation::default();
        for ply in 0..40 {
            let moves: Vec<Point> = position.legal(position.to_move()).iter().collect();
            let seat = position.to_move();
            for paranoia in [0.0, 0.3, 1.0] {
                let utility = MultiplayerUtility {
                    root: Seat::new(ply / 5 % 4),
                    paranoia,
                };
                linear.evaluate(
                    &mut position,
                    &moves,
                    &utility,
                    &mut random,
                    &mut evaluation,
                );
                let mut best = f32::MIN;
                for (&point, child) in moves.iter().zip(&evaluation.moves) {
                    let undo = position.play(point);
                    let values = linear.weigh(&position, &features::features(&position));
                    position.undo(undo);
                    assert_eq!(child.value, utility.value(seat, &values, 4));
                    if paranoia == 1.0 && seat != utility.root {
                        assert!((child.value - (1.0 - values[utility.root])).abs() < 1e-6);
                    }
                    best = best.max(child.value);
                }
                assert_eq!(utility.value(seat, &evaluation.values, 4), best);
            }
            position.play(moves[random.below(moves.len() as u32) as usize]);
        }
    }
}
