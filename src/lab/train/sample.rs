//! A training sample, and its form in a file.

use std::fmt;

use crate::engine::Engine;
use crate::game::Seat;

/// What the first line of the file says.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) side: usize,
    pub(super) points: usize,
    pub(super) planes: usize,
    pub(super) globals: usize,
    pub(super) moves: usize,
    pub(super) seats: usize,
}

impl Shape {
    /// That of the samples of a game; `None` without a network.
    pub(super) fn of(engine: &Engine) -> Option<Self> {
        let features = engine.training_features()?;
        Some(Self {
            side: engine.start().side(),
            points: features.input_planes()?.len(),
            planes: features.plane_count(),
            globals: features.global_features()?.len(),
            moves: features.policy_size(),
            seats: engine.players().len(),
        })
    }

    /// How many seats have values in a record. With two, the second's follow from the first's.
    fn value_count(seats: usize) -> usize {
        if seats > 2 { seats } else { 1 }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            side,
            points,
            planes,
            globals,
            moves,
            seats,
        } = self;
        let bytes = 4 * globals + 5 * points + moves + 4 * Self::value_count(*seats) + 10;
        write!(
            f,
            "side {side} points {points} planes {planes} globals {globals} moves {moves} \
             seats {seats} bytes {bytes}"
        )
    }
}

/// A position and the targets of training.
#[derive(Default)]
pub(super) struct Sample {
    pub(super) global_features: Vec<f32>,
    pub(super) planes: Vec<u32>,
    /// The policy target of each place of a move, 255 for the greatest; empty if unknown.
    pub(super) policy: Vec<u8>,
    /// See `fate::fates`; empty if the position was not played, or in a game without stones.
    pub(super) fates: Vec<u8>,
    /// The number of the point of the next player's move, from 1; 0 if unknown.
    pub(super) reply: u16,
    /// The seats whose chances the sample has, from the side to move on: those in play.
    pub(super) seats: Vec<Seat>,
    /// The search's value and the short-term value of each of these seats, 0 to 1.
    pub(super) values: Vec<[f64; 2]>,
    pub(super) is_exact: bool,
    pub(super) is_played: bool,
    /// The place of the winner in `seats`.
    pub(super) winner: Option<usize>,
    pub(super) plies_left: usize,
}

impl Sample {
    /// | bytes | content |
    /// |---|---|
    /// | 4 a global feature | `f32` |
    /// | 4 a point | input planes, a bit each |
    /// | 1 a move | policy target, 255 for the most visited move; 0 where unknown |
    /// | 1 a point | fate, see `fate::fates`; 0 if the position was not played |
    /// | 2 | the next player's move: number of the point in row order, from 1; 0 if unknown |
    /// | 2 | value of the search for the side to move, 65535 for 1 |
    /// | 2 | short-term value, see `samples::short_term_values` |
    /// | 4 a seat after the first, if there are more than two | value and short-term value of the seat, in the order of play among those in play; 0 for the others |
    /// | 1 | result: 1 won by the side to move, 0 lost, 2 unknown |
    /// | 1 | bit 0: there is a policy target; bit 1: the value is exact; bit 2: the position was played |
    /// | 1 | plies left in the game, at most 255 |
    /// | 1 | place of the winner in the order of play among those in play, 0 for the side to move or if unknown |
    /// | 4 | number of the game among all games that were read, from 0 |
    pub(super) fn put(&self, Shape { moves, seats, .. }: &Shape, game: u32, bytes: &mut Vec<u8>) {
        let points = self.planes.len();
        for number in &self.global_features {
            bytes.extend(number.to_le_bytes());
        }
        for word in &self.planes {
            bytes.extend(word.to_le_bytes());
        }
        for (each, length) in [(&self.policy, *moves), (&self.fates, points)] {
            let end = bytes.len() + length;
            bytes.extend(each);
            bytes.resize(end, 0);
        }
        let fixed = |value: f64| (65535.0 * value).round() as u16;
        bytes.extend(self.reply.to_le_bytes());
        for seat in 0..Shape::value_count(*seats) {
            for value in self.values.get(seat).copied().unwrap_or_default() {
                bytes.extend(fixed(value).to_le_bytes());
            }
        }
        let flags = u8::from(!self.policy.is_empty())
            | u8::from(self.is_exact) << 1
            | u8::from(self.is_played) << 2;
        let result = self.winner.map_or(2, |place| u8::from(place == 0));
        let place = self.winner.unwrap_or(0) as u8;
        bytes.extend([result, flags, self.plies_left.min(255) as u8, place]);
        bytes.extend(game.to_le_bytes());
    }
}
