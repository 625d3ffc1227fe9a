//! The evaluations by the networks: that for two players, and that for three and four.

mod global_features;
mod planes;
#[cfg(test)]
mod tests;
mod turn_order;

use std::cell::RefCell;
use std::sync::{Arc, LazyLock};

use super::Position;
use super::features::{self, Playable};
use crate::board::{BoardSize, Point, PointSet, Symmetry};
use crate::cpu::{self, Kernel};
use crate::game::{Evaluation, Evaluator, Game, MoveEvaluation, MultiplayerUtility, PerSeat, Seat};
use crate::network::{Model, Scratch, normalise};
use crate::params::Params;
use crate::util::math;
use crate::util::random::Random;
use turn_order::TurnOrder;

/// Channels of the networks.
const CHANNELS: usize = 16;

/// The network for positions where two players have stones. Its value is the chance of the side to
/// move.
pub(super) type ForTwo = Model<CHANNELS, { global_features::count(2) }, { planes::count(2) }, 1>;

/// The network for positions where three or four players have stones. It has a value for each, in the
/// order of play from the side to move on; the softmax of them is the chances.
pub(super) type ForFour = Model<CHANNELS, { global_features::count(4) }, { planes::count(4) }, 4>;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Evaluates positions with the network for as many players as have stones.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    for_two: Arc<ForTwo>,
    /// `None` for the embedded one, which is parsed on first use.
    for_four: Option<Arc<ForFour>>,
    noise: f32,
    /// The same with more than two seats.
    multiplayer_noise: f32,
}

impl Network {
    /// The embedded networks for a board of that size, or the one in `text` instead of that for as
    /// many players.
    pub(crate) fn new(text: Option<&str>, size: BoardSize, params: &Params) -> Self {
        let for_two = text.and_then(|text| ForTwo::parse(text).ok());
        let for_four = text.and_then(|text| ForFour::parse(text).ok());
        Self {
            for_two: for_two.map_or_else(|| embedded_for_two(size), Arc::new),
            for_four: for_four.map(Arc::new),
            noise: params.evaluation_noise as f32,
            multiplayer_noise: (params.multiplayer_factor * params.evaluation_noise) as f32,
        }
    }

    #[inline(always)]
    fn for_four(&self) -> &ForFour {
        static FOR_FOUR: LazyLock<ForFour> =
            LazyLock::new(|| embedded(ForFour::parse(include_str!("four.txt"))));
        self.for_four.as_deref().unwrap_or_else(|| &FOR_FOUR)
    }
}

/// The embedded network for two on a board of that size, parsed on first use.
fn embedded_for_two(size: BoardSize) -> Arc<ForTwo> {
    type Embedded = LazyLock<Arc<ForTwo>>;
    static SMALL: Embedded = Embedded::new(|| for_two(include_str!("small.txt")));
    static MIDDLE: Embedded = Embedded::new(|| for_two(include_str!("middle.txt")));
    static LARGE: Embedded = Embedded::new(|| for_two(include_str!("large.txt")));
    let network = match size.side() {
        ..=9 => &SMALL,
        10..=14 => &MIDDLE,
        _ => &LARGE,
    };
    Arc::clone(network)
}

fn for_two(text: &str) -> Arc<ForTwo> {
    Arc::new(embedded(ForTwo::parse(text)))
}

fn embedded<M>(network: Result<M, String>) -> M {
    match network {
        Ok(network) => network,
        Err(error) => unreachable!("an embedded network: {error}"),
    }
}

/// The value logits of a position as a network of `S` seats sees it.
#[inline(always)]
fn logits<
    const W: usize,
    const SEATS: usize,
    const S: usize,
    const N: usize,
    const P: usize,
    const O: usize,
>(
    model: &Model<CHANNELS, N, P, O>,
    scratch: &mut Scratch,
    position: &Position<W, SEATS>,
    playable: &Playable<W, SEATS>,
    order: &TurnOrder<S>,
) -> [f32; O] {
    let size = position.size();
    let globals = global_features::compute(position, playable, order);
    scratch.begin::<CHANNELS, P>(size.stride(), size.side());
    let sets: [_; P] = planes::sets(position, playable, order);
    for (plane, set) in sets.into_iter().enumerate() {
        set.iter()
            .for_each(|point| scratch.set::<P>(point.index(), plane));
    }
    model.value_logits(scratch, &globals, size.area())
}

struct EvaluatePosition<'a, const W: usize, const SEATS: usize> {
    network: &'a Network,
    scratch: &'a mut Scratch,
    position: &'a mut Position<W, SEATS>,
    moves: &'a [Point],
    utility: &'a MultiplayerUtility,
    random: &'a mut Random,
    evaluation: &'a mut Evaluation,
}

impl<const W: usize, const SEATS: usize> Kernel for EvaluatePosition<'_, W, SEATS> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            network,
            scratch,
            position,
            moves,
            utility,
            random,
            evaluation,
        } = self;
        let seat = position.to_move();
        let noise = if SEATS == 2 {
            network.noise
        } else {
            network.multiplayer_noise
        };
        evaluation.playout.clear();
        evaluation.moves.clear();
        evaluation.priors.clear();
        evaluation.values = PerSeat([0.0; 4]);
        let playable = features::playable(position);
        let two = TurnOrder::<2>::new(position);
        let four = TurnOrder::<4>::new(position).filter(|_| SEATS > 2 && two.is_none());
        if let Some(order) = &four {
            let logits = logits(network.for_four(), scratch, position, &playable, order);
            let living = order.living();
            let mut chances = logits;
            normalise(&mut chances[..living.len()]);
            for (&seat, chance) in living.iter().zip(chances) {
                evaluation.values[seat] = chance;
            }
            let noise = noise * random.symmetric();
            evaluation.values[seat] = (evaluation.values[seat] + noise).clamp(0.0, 1.0);
        }
        // A move ends the game only if it bounds the only root of a side.
        let (mut may_lose, mut won_at) = (false, PointSet::EMPTY);
        if let Some(order) = &two {
            let [logit] = logits(&network.for_two, scratch, position, &playable, order);
            let noise = noise * random.symmetric();
            let chance = (math::logistic(logit) + noise).clamp(0.0, 1.0);
            let other = order.last();
            evaluation.values[seat] = chance;
            evaluation.values[other] = 1.0 - chance;
            let one_left = |seat: Seat| position.root_count(seat) == 1;
            may_lose = one_left(seat);
            if one_left(other) && position.weak_roots(other)[0] > 0 {
                won_at = position.legal(other);
            }
        }
        let value = utility.value(seat, &evaluation.values, SEATS);
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
            let cell = point.index();
            let logit = match four {
                None => network.for_two.policy_logit(scratch, cell),
                Some(_) => network.for_four().policy_logit(scratch, cell),
            };
            evaluation.priors.push(logit);
            evaluation.moves.push(MoveEvaluation { value, outcome });
        }
        normalise(&mut evaluation.priors);
    }
}

impl<const W: usize, const SEATS: usize> Evaluator<Position<W, SEATS>> for Network {
    const HAS_MOVE_EVALUATIONS: bool = true;
    const HAS_PRIORS: bool = true;

    fn evaluate(
        &self,
        position: &mut Position<W, SEATS>,
        moves: &[Point],
        utility: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        SCRATCH.with_borrow_mut(|scratch| {
            cpu::dispatch(EvaluatePosition {
                network: self,
                scratch,
                position,
                moves,
                utility,
                random,
                evaluation,
            });
        });
    }

    /// Averages chances and priors over the eight symmetries of the board: what the network says
    /// depends a little on how the board is turned.
    fn refine_root(
        &self,
        position: &Position<W, SEATS>,
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
        let value = utility.value(position.to_move(), &evaluation.values, SEATS);
        for found in &mut evaluation.moves {
            found.value = value;
        }
    }
}

/// What a network sees of a position, for training.
pub(super) struct Inputs {
    pub(super) global_features: Vec<f32>,
    /// For each point of the board, row by row, a bit for each plane.
    pub(super) planes: Vec<u32>,
}

/// The number of input planes of the network for as many players as have stones.
pub(super) fn plane_count<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> usize {
    planes::count(TurnOrder::<2>::new(position).map_or(4, |_| 2))
}

/// The inputs of that network.
pub(super) fn inputs<const W: usize, const SEATS: usize>(
    position: &Position<W, SEATS>,
) -> Option<Inputs> {
    let of_two = in_order::<_, _, _, { global_features::count(2) }, { planes::count(2) }>;
    let of_four = in_order::<_, _, _, { global_features::count(4) }, { planes::count(4) }>;
    if let Some(order) = TurnOrder::<2>::new(position) {
        return Some(of_two(position, &order));
    }
    TurnOrder::<4>::new(position).map(|order| of_four(position, &order))
}

fn in_order<const W: usize, const SEATS: usize, const S: usize, const N: usize, const P: usize>(
    position: &Position<W, SEATS>,
    order: &TurnOrder<S>,
) -> Inputs {
    let playable = features::playable(position);
    let globals: [_; N] = global_features::compute(position, &playable, order);
    let sets: [_; P] = planes::sets(position, &playable, order);
    let bits = |point: Point| {
        let bit = |(i, set): (usize, &PointSet<W>)| u32::from(set.contains(point)) << i;
        sets.iter().enumerate().map(bit).sum()
    };
    Inputs {
        global_features: globals.to_vec(),
        planes: position.size().points().map(bits).collect(),
    }
}
