//! Random games there and back.

use super::*;
use crate::random::Random;
use crate::tanbo::Named;

/// Random games to the end and back; debug builds check after each move.
fn games<const W: usize, const SEATS: usize>(side: usize, named: Named, games: u64) {
    let size = BoardSize::new(side).unwrap();
    let start = named.setup(size, SEATS).unwrap().check(None).unwrap();
    let start = Position::<W, SEATS>::new(&start);
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
    games::<2, 2>(7, Named::Dense, 12);
    games::<2, 2>(9, Named::Classic, 12);
    games::<4, 2>(13, Named::Classic, 4);
    games::<8, 2>(19, Named::Classic, 2);
    games::<8, 4>(19, Named::Classic, 4);
}
