//! Play and undo in random games; local patterns.

use std::collections::HashMap;

use super::*;
use crate::tanbo::NamedSetup;
use crate::util::random::Random;

/// Plays random games to the end and takes them back; debug builds check after each move.
fn games<const W: usize, const SEATS: usize>(side: usize, named: NamedSetup, games: u64) {
    let start = Position::<W, SEATS>::new(&named.start(side, SEATS));
    for game in 0..games {
        let mut random = Random::part(side as u64, game);
        let mut position = start.clone();
        let mut played = Vec::new();
        let leaves = game % 4 == 3;
        while position.winner().is_none() {
            if leaves && random.below(100) == 0 {
                let seat = Seat::new(random.below(SEATS as u32) as usize);
                if position.leave(seat).is_ok() {
                    played.clear();
                    continue;
                }
            }
            let legal = position.legal(position.to_move());
            let mv = legal
                .iter()
                .nth(random.below(legal.len()) as usize)
                .unwrap();
            let before = position.clone();
            let undo = position.play(mv);
            let after = position.clone();
            position.undo(undo.clone());
            assert_eq!(position, before);
            assert_eq!(position.play(mv).removed.len(), undo.removed.len());
            assert_eq!(position, after);
            played.push((before, undo));
        }
        assert_eq!(position.check(), Ok(()));
        while let Some((before, undo)) = played.pop() {
            position.undo(undo);
            assert!(position == before);
        }
    }
}

#[test]
fn undo_is_exact() {
    games::<2, 2>(7, NamedSetup::Dense, 12);
    games::<2, 2>(9, NamedSetup::Classic, 12);
    games::<4, 2>(13, NamedSetup::Classic, 4);
    games::<8, 2>(19, NamedSetup::Classic, 2);
    games::<8, 4>(19, NamedSetup::Classic, 4);
}

/// The move, and for each point around it: is it on the board, own, the opponent's, legal for either
/// side?
fn seen<const W: usize>(position: &Position<W, 2>, last: Point) -> (Point, Vec<[bool; 5]>) {
    let (size, seat) = (position.size(), position.to_move());
    let other = seat.other();
    let (column, row) = (last.column(size) as i32, last.row(size) as i32);
    let places = (-2..3).flat_map(|up| (-2..3).map(move |right| (column + right, row + up)));
    let points = places.map(|(c, r)| {
        let inside = |n| usize::try_from(n).ok();
        inside(c).zip(inside(r)).and_then(|(c, r)| size.point(c, r))
    });
    let state = |point| match point {
        None => [false; 5],
        Some(point) => [
            true,
            position.stones(seat).contains(point),
            position.stones(other).contains(point),
            position.legal(seat).contains(point),
            position.legal(other).contains(point),
        ],
    };
    (last, points.map(state).collect())
}

/// Plays random games; returns how often a pattern was seen again after a move.
fn local_patterns<const W: usize>(side: usize, named: NamedSetup, games: u64) -> u32 {
    let start = Position::<W, 2>::new(&named.start(side, 2));
    let (mut hashes, mut sights) = (HashMap::new(), HashMap::new());
    let mut again = 0;
    for game in 0..games {
        let mut position = start.clone();
        let mut random = Random::part(side as u64, game);
        while position.winner().is_none() {
            let legal = position.legal(position.to_move());
            let place = random.below(legal.len()) as usize;
            let mv = legal.iter().nth(place).unwrap();
            position.play(mv);
            let (seen, hash) = (seen(&position, mv), position.local_pattern(mv));
            again += u32::from(hashes.contains_key(&seen));
            assert_eq!(*hashes.entry(seen.clone()).or_insert(hash), hash);
            assert_eq!(*sights.entry(hash).or_insert(seen.clone()), seen);
        }
    }
    again
}

#[test]
fn local_patterns_are_the_same_where_the_same_is_seen() {
    let again = [
        local_patterns::<2>(4, NamedSetup::Corners, 100),
        local_patterns::<2>(9, NamedSetup::Classic, 40),
        local_patterns::<4>(14, NamedSetup::Corners, 20),
        local_patterns::<8>(21, NamedSetup::Classic, 6),
    ];
    assert!(again.iter().all(|&again| again > 20), "{again:?}");
}
