//! What the network is told of a position, and how its answers become an evaluation.

pub mod counts;
pub mod planes;

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use super::Position;
use super::features;
use super::linear::Linear;
use crate::board::{Point, PointSet};
use crate::cpu::{self, Kernel};
use crate::game::{Evaluation, Evaluator, Game, MoveEvaluation, MultiplayerUtility, PerSeat, Seat};
use crate::network::{Model, Scratch};
use crate::params::Params;
use crate::util::math;
use crate::util::random::Random;

/// Channels of the embedded network.
const CHANNELS: usize = 16;
pub(super) type Net = Model<CHANNELS, { counts::COUNT }>;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Judges a position and its moves with the network where two play, with the linear evaluation
/// where more do.
#[derive(Clone, Debug)]
pub struct Network {
    model: Arc<Net>,
    noise: f32,
    linear: Linear,
}

impl Network {
    /// The network of a text, or else the embedded one; `linear` judges for more than two seats.
    pub fn new(text: Option<&str>, linear: Linear, params: &Params) -> Self {
        let given = text.and_then(|text| parse(text).ok()).map(Arc::new);
        Self {
            model: given.unwrap_or_else(embedded),
            noise: params.evaluation_noise as f32,
            linear,
        }
    }
}

/// The embedded network.
fn embedded() -> Arc<Net> {
    static EMBEDDED: LazyLock<Arc<Net>> =
        LazyLock::new(|| match parse(include_str!("weights.txt")) {
            Ok(net) => Arc::new(net),
            Err(error) => unreachable!("the embedded network: {error}"),
        });
    EMBEDDED.clone()
}

/// Whether a text is meant to be a network, and not weights of the linear evaluation.
pub fn is_network(text: &str) -> bool {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or(""));
    let mut words = lines.flat_map(str::split_whitespace);
    words.next() == Some(Net::HEAD)
}

/// Reads a network.
///
/// # Errors
/// What is wrong with it, in one sentence.
pub(super) fn parse(text: &str) -> Result<Net, String> {
    Net::parse(text)
}

struct Judge<'a, const W: usize, const SEATS: usize> {
    network: &'a Network,
    scratch: &'a mut Scratch,
    position: &'a mut Position<W, SEATS>,
    moves: &'a [Point],
    random: &'a mut Random,
    evaluation: &'a mut Evaluation,
}

impl<const W: usize, const SEATS: usize> Kernel for Judge<'_, W, SEATS> {
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
        let mut numbers = [0.0; counts::COUNT];
        counts::counts(position, &playable, &mut numbers);
        scratch.begin::<CHANNELS>(size.stride(), size.side());
        for (plane, set) in planes::sets(position, &playable).into_iter().enumerate() {
            set.iter()
                .for_each(|point| scratch.set(point.index(), plane));
        }
        let logit = network.model.value_logit(scratch, &numbers, size.area());
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
        // Only a move that bounds somebody's only root ends the game.
        let one_left = |seat: Seat| position.root_count(seat) == 1;
        let may_lose = one_left(seat);
        let won_at = match one_left(other) && position.weak_roots(other)[0] > 0 {
            true => position.legal(other),
            false => PointSet::EMPTY,
        };
        let mut highest = f32::MIN;
        for &point in moves {
            let bounds =
                won_at.contains(point) || (may_lose && position.bounds_its_own_root(point));
            let outcome = match bounds {
                true => {
                    let undo = position.play(point);
                    let outcome = position.outcome();
                    position.undo(undo);
                    outcome
                }
                false => None,
            };
            let weight = network.model.policy_logit(scratch, point.index());
            highest = highest.max(weight);
            evaluation.priors.push(weight);
            evaluation.moves.push(MoveEvaluation {
                value: chance,
                outcome,
            });
        }
        let mut sum = 0.0;
        for weight in &mut evaluation.priors {
            *weight = math::exp(*weight - highest);
            sum += *weight;
        }
        for weight in &mut evaluation.priors {
            *weight /= sum;
        }
    }
}

impl<const W: usize, const SEATS: usize> Evaluator<Position<W, SEATS>> for Network {
    const HAS_MOVE_EVALUATIONS: bool = true;
    const HAS_PRIORS: bool = SEATS == 2;

    fn evaluate(
        &self,
        position: &mut Position<W, SEATS>,
        moves: &[Point],
        utility: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        if SEATS != 2 {
            let linear = &self.linear;
            return linear.evaluate(position, moves, utility, random, evaluation);
        }
        SCRATCH.with_borrow_mut(|scratch| {
            cpu::dispatch(Judge {
                network: self,
                scratch,
                position,
                moves,
                random,
                evaluation,
            });
        });
    }
}

/// The numbers that the network is told of a position with two players.
pub(super) fn numbers<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> Option<Vec<f32>> {
    if SEATS != 2 {
        return None;
    }
    let mut numbers = [0.0; counts::COUNT];
    counts::counts(position, &features::playable(position), &mut numbers);
    Some(numbers.to_vec())
}
