//! The network's evaluation: a value for each position, and priors for its moves.

pub(crate) mod inputs;

use std::sync::{Arc, LazyLock};

use super::certain::{self, Certain};
use super::position::{Position, Step};
use crate::cpu::{self, Kernel};
use crate::game::{Evaluation, Evaluator, Game, MoveEvaluation, MultiplayerUtility};
use crate::network::{Perceptron, normalise};
use crate::params::Params;
use crate::util::math;
use crate::util::random::Random;

pub(crate) type NetworkModel =
    Perceptron<{ inputs::FACTS }, { inputs::CAPTURES }, { inputs::MOVES }>;

/// Evaluates positions with the network, and recognises turns that win.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    model: Arc<NetworkModel>,
    noise: f32,
}

impl Network {
    /// The network in `text`, or the embedded one.
    pub(crate) fn new(text: Option<&str>, params: &Params) -> Self {
        let given = text
            .and_then(|text| NetworkModel::parse(text).ok())
            .map(Arc::new);
        Self {
            model: given.unwrap_or_else(embedded),
            noise: params.evaluation_noise as f32,
        }
    }
}

fn embedded() -> Arc<NetworkModel> {
    static EMBEDDED: LazyLock<Arc<NetworkModel>> =
        LazyLock::new(|| match NetworkModel::parse(include_str!("weights.txt")) {
            Ok(network) => Arc::new(network),
            Err(error) => unreachable!("the embedded network: {error}"),
        });
    EMBEDDED.clone()
}

struct EvaluatePosition<'a> {
    network: &'a Network,
    position: &'a Position,
    moves: &'a [Step],
    random: &'a mut Random,
    evaluation: &'a mut Evaluation,
}

impl Kernel for EvaluatePosition<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            network: Network { model, noise },
            position,
            moves,
            random,
            evaluation,
        } = self;
        let seat = position.to_move();
        evaluation.moves.clear();
        evaluation.playout.clear();
        evaluation.priors.clear();
        if Certain::evaluate(position, moves, evaluation).is_some() {
            // The winning step alone, or all steps of a draw.
            let logit = |found: &MoveEvaluation| match found.outcome {
                Some(_) => 0.0,
                None => f32::MIN,
            };
            evaluation.priors.extend(evaluation.moves.iter().map(logit));
            normalise(&mut evaluation.priors);
            return;
        }
        let (facts, captures) = inputs::inputs(position);
        let units = model.units(&facts, &captures);
        let noise = noise * random.symmetric();
        let chance = (math::logistic(model.value_logit(&units)) + noise).clamp(0.0, 1.0);
        evaluation.values = certain::values(seat, chance);
        for &step in moves {
            let facts = inputs::of_step(position, step);
            evaluation.priors.push(model.policy_logit(&units, facts));
            // A move that ends the game is nearly always part of a win or a draw that is certain. If
            // not, the search sees the end when it gets there.
            evaluation.moves.push(MoveEvaluation {
                value: chance,
                outcome: None,
            });
        }
        normalise(&mut evaluation.priors);
    }
}

impl Evaluator<Position> for Network {
    const HAS_MOVE_EVALUATIONS: bool = true;
    const HAS_PRIORS: bool = true;

    fn evaluate(
        &self,
        position: &mut Position,
        moves: &[Step],
        _utility: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        cpu::dispatch(EvaluatePosition {
            network: self,
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
    use crate::game::{Outcome, Seat};
    use crate::search::{SearchLimits, Searcher};

    fn evaluate(position: &Position) -> Evaluation {
        let network = Network::new(None, &Params::default());
        let moves = position.legal_moves();
        let mut evaluation = Evaluation::default();
        let utility = MultiplayerUtility {
            root: position.to_move(),
            paranoia: 0.0,
        };
        let mut same = *position;
        let random = &mut Random::new(1);
        network.evaluate(&mut same, &moves, &utility, random, &mut evaluation);
        assert_eq!(same, *position);
        assert_eq!(evaluation.moves.len(), moves.len());
        assert_eq!(evaluation.priors.len(), moves.len());
        assert!((evaluation.priors.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        evaluation
    }

    #[test]
    fn every_move_gets_a_prior() {
        let evaluation = evaluate(&Position::new_game());
        let [white, black, ..] = evaluation.values.0;
        assert!(white > 0.0 && black > 0.0 && (white + black - 1.0).abs() < 1e-6);
        assert!(evaluation.priors.iter().all(|&prior| prior > 0.0));
        assert!(evaluation.moves.iter().all(|found| found.outcome.is_none()));
    }

    #[test]
    fn a_win_in_the_turn_is_known() {
        let text = "......./......./......./......./......./......./Am....M / turn 3";
        let position = Position::parse(text).unwrap();
        let evaluation = evaluate(&position);
        let win = Some(Outcome::Winner(Seat::new(0)));
        let winning = evaluation.moves.iter().zip(&evaluation.priors);
        let winning: Vec<_> = winning.filter(|(found, _)| found.outcome == win).collect();
        assert!(matches!(winning[..], [(_, prior)] if *prior == 1.0));
        let params = Params {
            threads: 1,
            ..Params::default()
        };
        let mut searcher = Searcher::new(&params, Network::new(None, &params));
        let report = searcher.search(&position, &SearchLimits::default(), &|| false);
        assert_eq!((report.proof, report.iterations), (win, 1));
        assert_eq!(report.best().unwrap().mv.to_string(), "1121");
    }

    #[test]
    fn the_last_turn_without_a_win_is_a_draw() {
        let text = "M....../......./......./......./......./......./......m / turn 10, 1 step left";
        let evaluation = evaluate(&Position::parse(text).unwrap());
        assert_eq!(evaluation.values.0, [0.5, 0.5, 0.0, 0.0]);
        let drawn = |found: &MoveEvaluation| found.outcome == Some(Outcome::Draw);
        assert!(evaluation.moves.iter().all(drawn));
        assert!(
            evaluation
                .priors
                .iter()
                .all(|prior| *prior == evaluation.priors[0])
        );
    }
}
