//! The network's inputs for a position, and the evaluation from its outputs.

mod global_features;
pub(crate) mod planes;

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use super::Position;
use super::features;
use crate::board::{Point, PointSet, Symmetry};
use crate::cpu::{self, Kernel};
use crate::game::{Evaluation, Evaluator, Game, MoveEvaluation, MultiplayerUtility, PerSeat, Seat};
use crate::network::{Model, Scratch, normalise};
use crate::params::Params;
use crate::util::math;
use crate::util::random::Random;

/// Channels of the embedded network.
const CHANNELS: usize = 16;
pub(super) type NetworkModel = Model<CHANNELS, { global_features::COUNT }>;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Evaluates positions of two players with the network.
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
            Ok(net) => Arc::new(net),
            Err(error) => unreachable!("the embedded network: {error}"),
        });
    EMBEDDED.clone()
}

struct EvaluatePosition<'a, const W: usize> {
    network: &'a Network,
    scratch: &'a mut Scratch,
    position: &'a mut Position<W, 2>,
    moves: &'a [Point],
    random: &'a mut Random,
    evaluation: &'a mut Evaluation,
}

impl<const W: usize> Kernel for EvaluatePosition<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            network,
            scratch,
            position,
            moves,
            random,
            evaluation,
        } = self;
        let size = position.size();
        let seat = position.to_move();
        let playable = features::playable(position);
        let mut globals = [0.0; global_features::COUNT];
        global_features::compute(position, &playable, &mut globals);
        scratch.begin::<CHANNELS>(size.stride(), size.side());
        for (plane, set) in planes::sets(position, &playable).into_iter().enumerate() {
            set.iter()
                .for_each(|point| scratch.set(point.index(), plane));
        }
        let logit = network.model.value_logit(scratch, &globals, size.area());
        let noise = network.noise * random.symmetric();
        let chance = (math::logistic(logit) + noise).clamp(0.0, 1.0);
        let other = seat.other();
        let mut values = PerSeat([0.0; 4]);
        values[seat] = chance;
        values[other] = 1.0 - chance;
        evaluation.values = values;
        evaluation.playout.clear();
        evaluation.moves.clear();
        evaluation.priors.clear();
        // A move ends the game only if it bounds the only root of a side.
        let one_left = |seat: Seat| position.root_count(seat) == 1;
        let may_lose = one_left(seat);
        let won_at = if one_left(other) && position.weak_roots(other)[0] > 0 {
            position.legal(other)
        } else {
            PointSet::EMPTY
        };
        for &point in moves {
            let bounds =
                won_at.contains(point) || (may_lose && position.bounds_its_own_root(point));
            let outcome = if bounds {
                let undo = position.play(point);
                let outcome = position.outcome();
                position.undo(undo);
                outcome
            } else {
                None
            };
            let logit = network.model.policy_logit(scratch, point.index());
            evaluation.priors.push(logit);
            evaluation.moves.push(MoveEvaluation {
                value: chance,
                outcome,
            });
        }
        normalise(&mut evaluation.priors);
    }
}

impl<const W: usize> Evaluator<Position<W, 2>> for Network {
    const HAS_MOVE_EVALUATIONS: bool = true;
    const HAS_PRIORS: bool = true;

    fn evaluate(
        &self,
        position: &mut Position<W, 2>,
        moves: &[Point],
        _utility: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        SCRATCH.with_borrow_mut(|scratch| {
            cpu::dispatch(EvaluatePosition {
                network: self,
                scratch,
                position,
                moves,
                random,
                evaluation,
            });
        });
    }

    /// Averages chances and priors over the eight symmetries of the board: what the network says
    /// depends a little on how the board is turned.
    fn refine_root(
        &self,
        position: &Position<W, 2>,
        moves: &[Point],
        utility: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        let mut turned = Evaluation::default();
        for symmetry in Symmetry::ALL.into_iter().skip(1) {
            let image = |&point: &Point| symmetry.image(point, position.size());
            let moves: Vec<Point> = moves.iter().map(image).collect();
            let mut position = position.image(symmetry);
            self.evaluate(&mut position, &moves, utility, random, &mut turned);
            for (sum, value) in evaluation.values.0.iter_mut().zip(turned.values.0) {
                *sum += value;
            }
            for (sum, prior) in evaluation.priors.iter_mut().zip(&turned.priors) {
                *sum += prior;
            }
        }
        let count = Symmetry::ALL.len() as f32;
        let sums = evaluation.values.0.iter_mut();
        sums.chain(&mut evaluation.priors)
            .for_each(|sum| *sum /= count);
        let chance = evaluation.values[position.to_move()];
        for found in &mut evaluation.moves {
            found.value = chance;
        }
    }
}

/// The global features of a position of two players; `None` with more.
pub(super) fn global_features<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> Option<Vec<f32>> {
    if SEATS != 2 {
        return None;
    }
    let mut globals = [0.0; global_features::COUNT];
    global_features::compute(position, &features::playable(position), &mut globals);
    Some(globals.to_vec())
}
