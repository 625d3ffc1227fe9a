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

#[test]
fn leaving_a_board_of_a_hundred_roots_ends_the_game() {
    for seat in [0, 1].map(Seat::new) {
        let mut position = Position::<8, 2>::new(&NamedSetup::Dense.start(19, 2));
        assert_eq!(position.roots().len(), 100);
        position.leave(seat).unwrap();
        assert_eq!(position.winner(), Some(seat.other()));
        assert_eq!(position.root_count(seat), 0);
    }
}

#[test]
fn the_space_of_roots_is_what_lies_beside_them() {
    let mut position = Position::<8, 4>::new(&NamedSetup::Classic.start(19, 4));
    let mut random = Random::new(14);
    let mut weak = 0;
    while position.winner().is_none() {
        for seat in (0..4).map(Seat::new) {
            let mut expected = [0; 3];
            for root in position.roots().iter().filter(|root| root.seat == seat) {
                if let Some(count) = expected.get_mut(root.space.len() as usize - 1) {
                    *count += 1;
                    weak += 1;
                }
            }
            assert_eq!(position.weak_roots(seat), expected);
        }
        let seat = position.to_move();
        for root in position.roots().iter().filter(|root| root.seat == seat) {
            let stones = root.stones;
            for point in root.space {
                let beside = position.stones_of_root_beside(seat, point);
                assert_eq!(beside.collect::<PointSet<8>>(), stones);
                let space = position.space_of_root_beside(seat, point);
                assert_eq!(u32::from(space), root.space.len());
            }
        }
        let legal = position.legal(position.to_move());
        let place = random.below(legal.len()) as usize;
        position.play(legal.iter().nth(place).unwrap());
    }
    assert!(weak > 100, "{weak}");
}

#[test]
fn check_names_the_field_that_is_wrong() {
    type Small = Position<2, 4>;
    let mut position = Small::new(&NamedSetup::Dense.start(7, 2));
    let (black, white) = (0, 1);
    let mv = position.legal(position.to_move()).iter().next().unwrap();
    position.play(mv);
    // The root of two stones, and its first one.
    let newest = mv;
    let root = (1..9)
        .find(|&root| position.newest[at(root)] == newest.number())
        .unwrap();
    let first = at(position.older[newest]);
    let far = position.size.point(6, 6).unwrap();
    let name = |point| crate::board::vertex::name(point, position.size);
    let fault = |change: &dyn Fn(&mut Small)| {
        let mut changed = position.clone();
        change(&mut changed);
        changed.check().unwrap_err()
    };
    assert_eq!(position.check(), Ok(()));
    assert_eq!(
        fault(&|p| p.stones[white].insert(newest)),
        format!("a point with two stones is wrong at {}", name(newest))
    );
    let kept = position.roots[white];
    assert_eq!(
        fault(&|p| p.roots[white] += 1),
        format!("{kept} roots counted, {} kept", kept + 1)
    );
    for seat in [black, white] {
        assert_eq!(
            fault(&|p| p.contacts[seat][far] ^= 1),
            format!("the contact word is wrong at {}", name(far))
        );
        for point in [newest, far] {
            assert_eq!(
                fault(&|p| p.legal[seat].toggle_if(point, true)),
                format!("legality is wrong at {}", name(point))
            );
        }
    }
    let guard = Point::from_number(3);
    assert_eq!(
        fault(&|p| p.legal[black].insert(guard)),
        format!("{guard:?} off the board is legal")
    );
    assert_eq!(
        fault(&|p| p.space[at(root)] += 1),
        format!("the space of the root is wrong at {}", name(newest))
    );
    assert!(fault(&|p| p.hash ^= 1).starts_with("hash "));
    assert_eq!(
        fault(&|p| p.set_to_move(Seat::new(2))),
        "the side to move has no root"
    );
    assert_eq!(
        fault(&|p| p.older[first] = newest.number()),
        format!("the list of root {root} runs in a circle")
    );
    assert_eq!(
        fault(&|p| p.older[newest] = 0),
        format!("the list of root {root} is not its stones")
    );
    assert_eq!(
        fault(&|p| p.newest[at(root)] = 0),
        "a stone is in no root's list"
    );
}

/// A white stone in the corner, beside two black ones.
#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the space of the root is wrong at A1")]
fn a_bounded_root_is_no_position() {
    let size = BoardSize::new(7).unwrap();
    let point = |column, row| size.point(column, row).unwrap();
    let roots = vec![
        (Seat::new(0), vec![point(1, 0)]),
        (Seat::new(0), vec![point(0, 1)]),
        (Seat::new(1), vec![point(0, 0)]),
    ];
    Position::<2, 2>::of_roots(size, Seat::new(0), roots);
}
