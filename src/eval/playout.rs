//! Random playouts: an evaluator for any game, and a speed test.

use std::time::{Duration, Instant};

use crate::cpu::{self, Kernel};
use crate::game::{Evaluation, Evaluator, Game, MultiplayerUtility, Outcome, Playout as _, Seat};
use crate::params::Params;
use crate::util::random::Random;

/// Evaluates a leaf by one random playout. A drawn move that hurts its player is drawn again, up to
/// a number of times ([`finish`](crate::game::Playout::finish)).
#[derive(Clone, Copy, Debug)]
pub struct Playout {
    /// The maximum number of times that a move is drawn again.
    pub redraws: u64,
    /// Whether the moves are recorded in [`Evaluation::playout`], which RAVE needs.
    pub record: bool,
}

impl Playout {
    /// The evaluator of these parameters.
    pub fn new(params: &Params) -> Self {
        Self {
            redraws: params.playout_redraws,
            record: params.rave_equivalence > 0.0,
        }
    }
}

struct Run<'a, G: Game> {
    settings: Playout,
    start: &'a G,
    random: &'a mut Random,
    moves: &'a mut Vec<(Seat, u16)>,
}

impl<G: Game> Kernel for Run<'_, G> {
    type Output = Outcome;

    #[inline(always)]
    fn run(self) -> Outcome {
        let Self {
            settings,
            start,
            random,
            moves,
        } = self;
        let mut position = start.playout();
        if settings.record {
            position.finish(settings.redraws, random, |seat, code| {
                moves.push((seat, code))
            })
        } else {
            position.finish(settings.redraws, random, |_, _| ())
        }
    }
}

impl<G: Game> Evaluator<G> for Playout {
    const HAS_MOVE_EVALUATIONS: bool = false;

    fn evaluate(
        &self,
        position: &mut G,
        _moves: &[G::Move],
        _utility: &MultiplayerUtility,
        random: &mut Random,
        evaluation: &mut Evaluation,
    ) {
        evaluation.moves.clear();
        evaluation.playout.clear();
        let outcome = cpu::dispatch(Run {
            settings: *self,
            start: position,
            random,
            moves: &mut evaluation.playout,
        });
        evaluation.values = outcome.values(G::SEATS);
    }
}

/// The result of a number of uniform playouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayoutCounts {
    /// Playouts played.
    pub playouts: u64,
    /// Moves in all of them.
    pub(crate) moves: u64,
    /// Wins of the first seat.
    pub first_seat_wins: u64,
}

struct Uniform<'a, G: Game> {
    start: &'a G,
    playouts: u64,
    random: &'a mut Random,
}

impl<G: Game> Kernel for Uniform<'_, G> {
    type Output = PlayoutCounts;

    #[inline(always)]
    fn run(self) -> PlayoutCounts {
        let mut counts = PlayoutCounts {
            playouts: self.playouts,
            ..PlayoutCounts::default()
        };
        let start = self.start.playout();
        // A local copy stays in registers.
        let mut random = self.random.clone();
        for _ in 0..self.playouts {
            let mut position = start;
            let outcome = position.finish(0, &mut random, |_, _| counts.moves += 1);
            counts.first_seat_wins += u64::from(outcome == Outcome::Winner(Seat::ALL[0]));
        }
        *self.random = random;
        counts
    }
}

/// Plays `playouts` games from `start` to their ends with uniformly random legal moves.
pub fn uniform<G: Game>(start: &G, playouts: u64, random: &mut Random) -> PlayoutCounts {
    cpu::dispatch(Uniform {
        start,
        playouts,
        random,
    })
}

/// Plays such games until `time` is over. Returns the counts and the time that it took.
pub fn for_a_while<G: Game>(
    start: &G,
    random: &mut Random,
    time: Duration,
) -> (PlayoutCounts, Duration) {
    const BATCH: u64 = 100;
    let begin = Instant::now();
    let mut counts = PlayoutCounts::default();
    loop {
        let batch = uniform(start, BATCH, random);
        counts.playouts += batch.playouts;
        counts.moves += batch.moves;
        counts.first_seat_wins += batch.first_seat_wins;
        let elapsed = begin.elapsed();
        if elapsed >= time {
            return (counts, elapsed);
        }
    }
}
