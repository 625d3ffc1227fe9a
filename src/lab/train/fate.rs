//! What becomes of each point of the board in the rest of a game.

use crate::engine::Engine;
use crate::game::Seat;

/// The owner of the stone on each point, in row order.
pub(super) fn stones(engine: &Engine) -> Vec<Option<Seat>> {
    let Some(stones) = engine.stones() else {
        return Vec::new();
    };
    let points = stones.size().points();
    points.map(|point| stones.stone_at(point)).collect()
}

/// The fate of each point for each position of a game. `moves` are the players and points, `before`
/// the stones before each move, `after` those at the end.
///
/// | bits | content |
/// |---|---|
/// | 0, 1 | who moves there first from now on: 0 nobody, 1 the side to move, 2 another |
/// | 2, 3 | who holds it in the final position, likewise |
/// | 4 | there is a stone now that is never removed |
pub(super) fn fates(
    moves: &[(Seat, usize)],
    before: &[&[Option<Seat>]],
    after: &[Option<Seat>],
) -> Vec<Vec<u8>> {
    let mut mover: Vec<Option<Seat>> = vec![None; after.len()];
    // A removed stone leaves its point empty in the next position, so a point that is never empty
    // keeps its stone.
    let mut stays: Vec<bool> = after.iter().map(Option::is_some).collect();
    let mut fates = Vec::new();
    for (&(seat, at), stones) in moves.iter().zip(before).rev() {
        if let Some(mover) = mover.get_mut(at) {
            *mover = Some(seat);
        }
        for (stays, stone) in stays.iter_mut().zip(*stones) {
            *stays &= stone.is_some();
        }
        let side = |owner: Option<Seat>| match owner {
            None => 0,
            Some(owner) => 1 + u8::from(owner != seat),
        };
        let each = mover.iter().zip(after).zip(&stays);
        let fate = each.map(|((&mover, &after), &stays)| {
            side(mover) | side(after) << 2 | u8::from(stays) << 4
        });
        fates.push(fate.collect());
    }
    fates.reverse();
    fates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fates_follow_the_game() {
        let [black, white] = [Seat::ALL[0], Seat::ALL[1]];
        let (b, w, e) = (Some(black), Some(white), None);
        // Black takes 1, White 2, which removes 0; Black takes 0 again.
        let moves = [(black, 1), (white, 2), (black, 0)];
        let before: [&[Option<Seat>]; 3] = [&[b, e, e, w], &[b, b, e, w], &[e, b, w, w]];
        let found = fates(&moves, &before, &[b, b, w, w]);
        let (held, theirs, stays) = (1 << 2, 2 << 2, 1 << 4);
        assert_eq!(
            found,
            [
                vec![1 | held, 1 | held, 2 | theirs, theirs | stays],
                vec![2 | theirs, theirs | stays, 1 | held, held | stays],
                vec![1 | held, held | stays, theirs | stays, theirs | stays],
            ]
        );
    }
}
