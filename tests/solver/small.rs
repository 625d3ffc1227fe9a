//! Every position of 4x4 with one stone a side, and with two.

use super::Pair;
use crate::oracle::quick::Quick;
use crate::start as checked;

/// The positions with `count` single points a side that the rules can play from, both sides to
/// move; with `folded`, one of all that are turned or mirrored into each other.
fn positions(count: u32, folded: bool) -> Vec<Quick> {
    let side = 4;
    let points: Vec<u128> = (0..1u128 << (side * side))
        .filter(|set| set.count_ones() == count)
        .collect();
    let pair = Pair::new(side);
    let mut found = Vec::new();
    for &black in &points {
        for &white in &points {
            if black & white != 0 {
                continue;
            }
            let stones = [black, white];
            let turned = (0..8).map(|symmetry| stones.map(|set| turn(set, side, symmetry)));
            if folded && turned.min() != Some(stones) {
                continue;
            }
            for to_move in 0..2 {
                let position = Quick { stones, to_move };
                if position.board(&pair.exhaustive.grid).refusals().is_empty() {
                    found.push(position);
                }
            }
        }
    }
    found
}

/// A set of points under one of the eight symmetries of the board.
fn turn(set: u128, side: i32, symmetry: u32) -> u128 {
    let mut turned = 0;
    for y in 0..side {
        for x in 0..side {
            let flip = |at: i32, bit: u32| match symmetry & bit {
                0 => at,
                _ => side - 1 - at,
            };
            let (a, b) = (flip(x, 1), flip(y, 2));
            let (a, b) = if symmetry & 4 == 0 { (a, b) } else { (b, a) };
            turned |= (set >> (y * side + x) & 1) << (b * side + a);
        }
    }
    turned
}

/// Compares all of them; how many they are.
fn compare(count: u32, folded: bool) -> usize {
    let positions = positions(count, folded);
    let mut pair = Pair::new(4);
    for position in &positions {
        assert!(pair.compare(position, usize::MAX));
    }
    pair.has_both_results(positions.len());
    positions.len()
}

#[test]
fn one_stone_a_side_on_4x4() {
    assert_eq!(compare(1, false), 2 * 16 * 15);
}

#[test]
fn two_stones_a_side_on_4x4_up_to_symmetry() {
    assert_eq!(compare(2, true), 2456);
}

#[test]
#[ignore = "takes a minute: every position of two stones a side on 4x4"]
fn two_stones_a_side_on_4x4() {
    assert_eq!(compare(2, false), 19_048);
}

#[test]
fn symmetries_are_eight_and_keep_who_wins() {
    let stones = [0b11, 1 << 7];
    let mut all: Vec<_> = (0..8).map(|s| stones.map(|set| turn(set, 4, s))).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 8);
    let mut pair = Pair::new(4);
    let wins: Vec<_> = all
        .into_iter()
        .map(|stones| Quick { stones, to_move: 0 })
        .inspect(|quick| drop(checked(&quick.board(&pair.exhaustive.grid))))
        .collect::<Vec<_>>()
        .iter()
        .map(|quick| pair.exhaustive.wins(quick, usize::MAX))
        .collect();
    assert!(wins.iter().all(|&won| won.is_some() && won == wins[0]));
}
