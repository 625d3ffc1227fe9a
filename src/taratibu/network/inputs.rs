//! The inputs of the network, all seen by the side to move: where the pieces stand, the moment in the
//! game, and the features of the linear evaluation that say what can be captured.

use crate::network::Facts;
use crate::taratibu::features::{self, COUNT, LEFT, NOW, Row, SOON, TEMPO, TURNS};
use crate::taratibu::piece::{KINDS, Rings};
use crate::taratibu::position::{LAST_TURN, NONE, Position, Step};
use crate::taratibu::square::{SQUARES, bits};

/// Input planes in the samples: each kind of own pieces, each kind of the opponent's, and own pieces
/// that captured in this turn.
pub(crate) const PLANES: usize = 2 * KINDS + 1;

/// Features of what can be captured: those of each side that are not always 0 or in the planes.
pub(super) const CAPTURES: usize = (SOON - LEFT) + (NOW - LEFT) + (COUNT - SOON);

/// The largest distance that counts.
const NEAR: usize = 6;

/// Facts in their order: on which square each kind of own and of the opponent's pieces stands; which
/// own pieces captured in this turn; the turn and the steps left; and for each of the
/// [`TURNS`] how many steps, on an empty board, each piece is from the nearest attacker, if at most
/// [`NEAR`].
const SPENT: usize = 2 * KINDS * SQUARES;
const MOMENT: usize = SPENT + KINDS;
const DISTANCE: usize = MOMENT + MOMENTS;
pub(super) const FACTS: usize = DISTANCE + TURNS * KINDS * NEAR;

/// The moments of a game: a turn and the steps left in it.
const MOMENTS: usize = LAST_TURN as usize * (LAST_TURN as usize + 1) / 2;

/// Facts of moves: which kind of piece steps to which square, and which kind captures which.
const CAPTURE: usize = KINDS * SQUARES;
pub(super) const MOVES: usize = CAPTURE + KINDS * (KINDS + 1);

/// What a turn or a step counts as a global feature.
const SHARE: f32 = 0.1;

/// The square as the side to move sees it: Black turns the board by half.
#[inline(always)]
pub(super) fn seen(mover: usize, square: u8) -> usize {
    let square = usize::from(square) % SQUARES;
    if mover == 0 {
        square
    } else {
        SQUARES - 1 - square
    }
}

/// The facts that hold, and what each side can capture ([`CAPTURES`], the side to move first).
#[inline(always)]
pub(super) fn inputs(position: &Position) -> (Facts, [f32; CAPTURES]) {
    let mover = position.mover();
    let (rows, rings) = features::with_rings(position);
    let mut facts = Facts::new();
    for (side, seat) in [mover, 1 - mover].into_iter().enumerate() {
        let squares = position.squares(seat);
        for kind in bits(position.alive(seat)) {
            facts.add((side * KINDS + kind) * SQUARES + seen(mover, squares[kind]));
        }
    }
    for kind in bits(position.spent_kinds()) {
        facts.add(SPENT + kind);
    }
    let (turn, left) = (position.turn().max(1), position.steps_left().max(1));
    facts.add(MOMENT + usize::from((turn - 1) * turn / 2 + left - 1));
    for_each_distance(position, &rings, |piece, steps| {
        facts.add(DISTANCE + piece * NEAR + steps - 1);
    });
    (facts, captures(&rows, mover))
}

/// Calls `each` for the pieces that are at most [`NEAR`] steps from an attacker, on an empty board: with
/// the number of the turn times [`KINDS`] plus the kind, and the steps.
#[inline(always)]
fn for_each_distance(
    position: &Position,
    rings: &[Rings; TURNS],
    mut each: impl FnMut(usize, usize),
) {
    let mover = position.mover();
    for (turn, target) in [1 - mover, 1 - mover, mover].into_iter().enumerate() {
        let (targets, rings) = (position.occupied_by(target), &rings[turn]);
        for steps in 1..=NEAR {
            for square in bits(targets & rings[steps] & !rings[steps - 1]) {
                each(turn * KINDS + position.kind_at(square), steps);
            }
        }
    }
}

/// The features of both sides that the network takes, the side to move first.
#[inline(always)]
fn captures(rows: &[Row; 2], mover: usize) -> [f32; CAPTURES] {
    const { assert!(TEMPO + 1 == LEFT) };
    let (own, other) = (&rows[mover & 1], &rows[1 - (mover & 1)]);
    let mut values = [0.0; CAPTURES];
    let (of_mover, of_other) = values.split_at_mut(SOON - LEFT);
    of_mover.copy_from_slice(&own[LEFT..SOON]);
    of_other[..NOW - LEFT].copy_from_slice(&other[LEFT..NOW]);
    of_other[NOW - LEFT..].copy_from_slice(&other[SOON..]);
    values
}

/// The facts of a step of the side to move.
#[inline(always)]
pub(super) fn of_step(position: &Position, step: Step) -> [usize; 2] {
    let kind = position.kind_at(step.from.index());
    let captured = position.piece_at(step.to);
    let captured = captured.map_or(KINDS, |(_, kind)| kind.index());
    [
        policy_place(position, step),
        CAPTURE + kind * (KINDS + 1) + captured,
    ]
}

/// The places of the policy target in the samples: one for each kind of piece and square.
pub(crate) const POLICY: usize = KINDS * SQUARES;

/// The place of a step of the side to move, seen by that side.
#[inline(always)]
pub(crate) fn policy_place(position: &Position, step: Step) -> usize {
    let to = seen(position.mover(), step.to.index() as u8);
    position.kind_at(step.from.index()) * SQUARES + to
}

/// For each square one word whose bit `i` belongs to plane `i`, seen by the side to move.
pub(crate) fn planes(position: &Position) -> Vec<u32> {
    let mover = position.mover();
    let mut planes = vec![0; SQUARES];
    for (side, seat) in [mover, 1 - mover].into_iter().enumerate() {
        for (kind, &square) in position.squares(seat).iter().enumerate() {
            if square != NONE {
                planes[seen(mover, square)] |= 1 << (side * KINDS + kind);
            }
        }
    }
    for kind in bits(position.spent_kinds()) {
        planes[seen(mover, position.squares(mover)[kind])] |= 1 << (2 * KINDS);
    }
    planes
}

/// The features of the whole position in the samples: what each side can capture, the turn, the steps
/// left, and the distances of the pieces to the nearest attacker in each of the [`TURNS`], 0 where it
/// is larger than [`NEAR`].
pub(crate) fn globals(position: &Position) -> Vec<f32> {
    let (rows, rings) = features::with_rings(position);
    let mut numbers = vec![position.turn(), position.steps_left()];
    let mut distances = [0; TURNS * KINDS];
    for_each_distance(position, &rings, |piece, steps| {
        distances[piece] = steps as u8
    });
    numbers.extend(distances);
    let captures = captures(&rows, position.mover());
    let numbers = numbers.into_iter().map(|number| SHARE * f32::from(number));
    captures.into_iter().chain(numbers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::util::random::Random;

    /// The facts as a trainer computes them from the planes and the global features.
    fn from_samples(planes: &[u32], globals: &[f32]) -> Vec<usize> {
        let mut facts = Vec::new();
        for (square, word) in planes.iter().enumerate() {
            let pieces = (0..2 * KINDS).filter(|piece| word >> piece & 1 == 1);
            for piece in pieces {
                facts.push(piece * SQUARES + square);
                if word >> (2 * KINDS) & 1 == 1 {
                    facts.push(2 * KINDS * SQUARES + piece);
                }
            }
        }
        let steps: Vec<usize> = globals[CAPTURES..]
            .iter()
            .map(|number| (10.0 * number).round() as usize)
            .collect();
        facts.push(SPENT + KINDS + steps[0] * (steps[0] - 1) / 2 + steps[1] - 1);
        let near = steps[2..]
            .iter()
            .enumerate()
            .filter(|(_, steps)| **steps > 0);
        facts.extend(near.map(|(piece, steps)| SPENT + KINDS + 55 + 6 * piece + steps - 1));
        facts.sort_unstable();
        facts
    }

    #[test]
    fn samples_hold_what_play_sees() {
        let mut random = Random::new(7);
        for _ in 0..20 {
            let mut position = Position::new_game();
            while position.outcome().is_none() {
                let (facts, captures) = inputs(&position);
                let mut list: Vec<usize> = facts.list().iter().map(|&fact| fact.into()).collect();
                list.sort_unstable();
                assert!(list.iter().all(|&fact| fact < FACTS));
                let globals = globals(&position);
                assert_eq!(from_samples(&planes(&position), &globals), list);
                assert_eq!(globals[..CAPTURES], captures);
                let moves = position.legal_moves();
                for &step in &moves {
                    let [place, capture] = of_step(&position, step);
                    assert!(place < POLICY && (POLICY..MOVES).contains(&capture));
                }
                position.play(moves[random.below(moves.len() as u32) as usize]);
            }
        }
    }

    #[test]
    fn black_sees_the_board_turned() {
        let white = "H.....M/......./......./......./......./......./m.....d / turn 5";
        let black =
            "D.....M/......./......./......./......./......./m.....h / turn 6, 5 steps left";
        let [white, black] = [white, black].map(|text| Position::parse(text).unwrap());
        assert_eq!(planes(&white), planes(&black));
    }
}
