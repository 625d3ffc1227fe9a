//! Stones that are set up in the middle of a game.
//!
//! Programs that know Go only leave removed stones on the board, and people take them off by
//! hand, so records have `AE` there. That is taken where the board says the same by the rules.

use super::fault::{Fault, Found};
use super::{Late, SgfGame};
use crate::game::Game;
use crate::tanbo::{Position, Start, with_position};

/// Whether what a record sets up in its course is on the board anyway.
pub(super) fn check(record: &SgfGame, start: &Start) -> Found<()> {
    if record.late.is_empty() {
        return Ok(());
    }
    with_position!(start, |position| replay(record, position))
}

fn replay<const W: usize, const SEATS: usize>(
    record: &SgfGame,
    mut position: Position<W, SEATS>,
) -> Found<()> {
    let wrong = |late: &Late| Err((late.at, Fault::LateSetup(late.name)));
    let mut moves = record.record.moves.iter();
    let mut played = 0;
    for late in &record.late {
        while played < late.after {
            // Passes at the end are no moves any more.
            let Some(next) = moves.next() else { break };
            let legal = Game::outcome(&position).is_none()
                && Game::to_move(&position) == next.seat
                && Game::is_legal(&position, next.mv);
            if !legal {
                return wrong(late);
            }
            Game::play(&mut position, next.mv);
            played += 1;
        }
        let mut points = late.area.points(record.size);
        if points.any(|point| position.stone_at(point) != late.seat) {
            return wrong(late);
        }
    }
    Ok(())
}
